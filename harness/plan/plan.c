/* Makes a plan: runs the strategies on the operators, or reads the cache, and filters. */
#include "harness/plan/plan.h"

#include "generated/plan/prelude.lua.h"
#include "harness/base/random.h"
#include "harness/plan/plan_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if this process plans the operator. */
static bool has_operator(const struct planner *p)
{
    const struct plan_sources *sources = p->sources;
    return sources->shares < 2 || (unsigned)p->op % sources->shares == sources->share;
}

static int note_order(const struct planner *p, const char *file, struct error *error)
{
    struct plan_order *order = p->sources->order;
    if (!order)
        return 0;
    if (order->count == sizeof order->keys / sizeof *order->keys)
        return error_set(error, EXIT_HARNESS, "%s:1: expected at most %zu strategies", file, order->count);
    char *key = order->keys[order->count++];
    if ((size_t)snprintf(key, sizeof *order->keys, "%s %s", p->strategy, p->tier) >= sizeof *order->keys)
        return error_set(error, EXIT_HARNESS, "%s:1: the name of the strategy is too long", file);
    return 0;
}

/* Calls the function of the strategy at the top of the stack for the interface, if it has one. */
static int run_on_interface(struct planner *p, lua_State *L, const char *file, struct error *error)
{
    p->op = p->specs->count;
    if (lua_getfield(L, -1, "interface") != LUA_TFUNCTION || !p->specs->interface || !has_operator(p) ||
        !planner_wants_operator(p) || !planner_wants_strategy(p)) {
        lua_pop(L, 1);
        return 0;
    }
    planner_push_interface(p, L);
    return script_call(p->specs->script, 1, 0, file, error) ? EXIT_HARNESS : 0;
}

/* Runs a function of the strategy at the top of the stack on each operator. */
static int run_strategy(struct planner *p, lua_State *L, const char *function, const char *file, struct error *error)
{
    lua_getfield(L, -1, "kind");
    lua_getfield(L, -2, "name");
    lua_getfield(L, -3, "cases");
    bool good = lua_isstring(L, -3) && strcmp(lua_tostring(L, -3), "strategy") == 0 && lua_type(L, -2) == LUA_TSTRING &&
                lua_isfunction(L, -1);
    lua_pop(L, 3);
    if (!good)
        return error_set(error, EXIT_HARNESS, "%s:1: expected the file to return strategy \"NAME\" { … }", file);
    lua_getfield(L, -1, "name");
    p->strategy = pool_string(&p->plan->pool, lua_tostring(L, -1));
    lua_pop(L, 1);
    int result = note_order(p, file, error);
    if (result)
        return result;
    for (p->op = 0; p->op < p->specs->count; p->op++) {
        if (!has_operator(p) || !planner_wants_operator(p) || !planner_wants_strategy(p))
            continue;
        memset(p->varied, 0, sizeof p->varied);
        lua_getfield(L, -1, function);
        planner_push_operator(p, L);
        if (script_call(p->specs->script, 1, 0, file, error)) {
            error_context(error, "on %s (%s)", p->specs->specs[p->op].name, p->specs->specs[p->op].file);
            return EXIT_HARNESS;
        }
    }
    return 0;
}

/* Reads the tier of the strategy at the top of the stack. Returns true if the filter wants it. */
static bool read_tier(struct planner *p, lua_State *L)
{
    lua_getfield(L, -1, "tier");
    const char *tier = lua_tostring(L, -1);
    p->unlimited = tier != NULL;
    p->tier = pool_string(&p->plan->pool, tier ? tier : "");
    lua_pop(L, 1);
    return planner_wants_tier(p, p->tier);
}

/* Returns true if the strategy at the top of the stack also has cases of the tier deep, and the filter wants them. */
static bool has_deep_cases(struct planner *p, lua_State *L)
{
    bool has = lua_getfield(L, -1, "deep") == LUA_TFUNCTION;
    lua_pop(L, 1);
    if (!has || !planner_wants_tier(p, "deep"))
        return false;
    p->tier = "deep";
    p->unlimited = false;
    return true;
}

bool planner_is_case_file(const char *file)
{
    size_t length = strlen(file);
    return (length > 5 && strcmp(file + length - 5, ".json") == 0) || strcmp(file, "-") == 0;
}

/* Adds the cases of one file. Sets `known` if the filter wants the file's tier; otherwise leaves it. */
static int run_file(struct planner *p, lua_State *L, const char *file, bool *known, struct error *error)
{
    p->strategy = p->tier = "";
    if (planner_is_case_file(file)) {
        if (!planner_wants_tier(p, ""))
            return 0;
        *known = true;
        return planner_file(p, L, file, error);
    }
    int result = script_file(p->specs->script, file, error);
    if (result == 0 && !lua_istable(L, -1))
        result = error_set(error, EXIT_HARNESS, "%s:1: expected the file to return strategy \"NAME\" { … }", file);
    if (result == 0 && read_tier(p, L)) {
        *known = true;
        result = run_strategy(p, L, "cases", file, error);
        if (result == 0)
            result = run_on_interface(p, L, file, error);
    }
    if (result == 0 && has_deep_cases(p, L)) {
        *known = true;
        result = run_strategy(p, L, "deep", file, error);
    }
    if (result == 0)
        lua_pop(L, 1);
    return result;
}

/* The contents of the files read so far. */
struct files_seen {
    const char *strategies[256];
    int count;
    bool tier; /* a file has the tier that the filter wants */
};

/* Runs every file of the folder. */
static int run_folder(struct planner *p, lua_State *L, const char *folder, struct files_seen *seen, struct error *error)
{
    enum { SEEN_MAX = sizeof seen->strategies / sizeof *seen->strategies };
    static const char *const endings[] = {".lua", ".json", NULL};
    const char **files;
    int count = script_folder(folder, endings, &p->plan->pool, &files, error), result = 0;
    if (count < 0)
        return EXIT_HARNESS;
    for (int i = 0; i < count && result == 0; i++) {
        result = run_file(p, L, files[i], &seen->tier, error);
        for (int j = 0; j < seen->count && result == 0 && *p->strategy && !planner_is_case_file(files[i]); j++)
            if (strcmp(seen->strategies[j], p->strategy) == 0)
                result =
                    error_set(error, EXIT_HARNESS, "%s:1: another file has a strategy \"%s\"", files[i], p->strategy);
        if (seen->count < SEEN_MAX)
            seen->strategies[seen->count++] = p->strategy;
    }
    return result;
}

/* Runs the files of all sources. Two strategies of one name, and a tier that no file has, are errors. */
static int run_strategies(struct planner *p, struct error *error)
{
    if (!p->specs->script)
        return error_set(error, EXIT_HARNESS, "specs that were read without their script plan no cases");
    lua_State *L = script_state(p->specs->script);
    struct files_seen seen = {.count = 0};
    int result = script_prelude(p->specs->script, "plan/prelude.lua", plan_prelude_lua, 0, 1, error);
    for (size_t i = 0; i < p->sources->count && result == 0; i++) {
        const char *path = p->sources->paths[i];
        result =
            strcmp(path, "-") == 0 ? run_file(p, L, path, &seen.tier, error) : run_folder(p, L, path, &seen, error);
    }
    lua_settop(L, 0);
    if (result == 0 && p->filter->tier && !seen.tier)
        result = error_set(error, EXIT_USAGE, "--tier: no strategy has the tier '%s'; known: deep large exhaustive all",
                           p->filter->tier);
    return result;
}

int plan_make_from(struct plan *plan, const struct spec_set *specs, const struct plan_sources *sources,
                   const struct plan_filter *filter, struct error *error)
{
    struct planner p = {.plan = plan, .specs = specs, .filter = filter, .sources = sources, .names = names_new()};
    *plan = (struct plan){0};
    int result = planner_take_filter(&p, error);
    if (result == 0 && (sources->count != 1 || !planner_read_cache(&p, sources->paths[0])))
        result = run_strategies(&p, error);
    int finished = planner_finish(&p, result == 0, error);
    result = result ? result : finished;
    if (result == 0)
        result = planner_check_wrong(&p, error);
    if (result == 0)
        result = planner_check_matches(&p, error);
    names_free(p.names);
    names_free(p.unknown);
    planner_free_filter(&p);
    if (result)
        plan_free(plan);
    return result;
}

int plan_make(struct plan *plan, const struct spec_set *specs, const char *folder, const struct plan_filter *filter,
              struct error *error)
{
    return plan_make_from(plan, specs, &(struct plan_sources){.paths = &folder, .count = 1}, filter, error);
}

void plan_add_tiers(struct plan *plan, struct plan *more)
{
    size_t room = plan->count + more->count;
    struct testcase *cases = realloc(plan->cases, (room + 1) * sizeof *cases);
    for (size_t i = 0; cases && i < more->count; i++)
        if (*more->cases[i].tier)
            cases[plan->count++] = more->cases[i];
    if (cases) {
        plan->hash = 0;
        plan->cases = cases;
        plan->capacity = room + 1;
        pool_join(&plan->pool, &more->pool);
    }
    plan_free(more);
}

void plan_free(struct plan *plan)
{
    planner_free_reading(plan);
    free(plan->cases);
    pool_clear(&plan->pool);
    *plan = (struct plan){0};
}

uint64_t plan_hash(const struct plan *plan)
{
    uint64_t hash = plan->hash;
    for (size_t i = 0; i < plan->count && !plan->hash; i++)
        hash = random_hash(plan->cases[i].name, hash);
    return hash;
}

struct plan plan_shard(const struct plan *plan, unsigned shard, unsigned shards)
{
    enum { SALT = 0x5ad };
    struct plan part = {.cases = calloc(plan->count + 1, sizeof *part.cases)};
    for (size_t i = 0; part.cases && i < plan->count; i++)
        if (random_hash(plan->cases[i].name, SALT) % shards == shard - 1)
            part.cases[part.count++] = plan->cases[i];
    return part;
}

uint64_t plan_case_seed(uint64_t run_seed, const char *name)
{
    return random_hash(name, random_mix(run_seed));
}

uint32_t *plan_shuffled(const struct plan *plan, uint64_t seed)
{
    uint32_t *order = malloc((plan->count + 1) * sizeof *order);
    struct random random = {.key = random_mix(seed)};
    for (uint32_t i = 0; order && i < plan->count; i++) {
        uint32_t other = random_below(&random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}
