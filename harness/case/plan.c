#include "harness/case/plan.h"

#include "generated/case/prelude.lua.h"
#include "harness/base/datatype.h"
#include "harness/case/plan_internal.h"
#include "harness/base/random.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- the words of a strategy: functions on the planner that is their upvalue */

static struct planner *planner_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int table_of_level(lua_State *L, const struct planner *p, const char *name)
{
    const struct spec *spec = &p->specs->specs[p->op];
    for (int i = 0; i < spec->level_count; i++)
        if (strcmp(spec->levels[i].name, name) == 0)
            return i;
    return luaL_error(L, "%s has no table of level '%s'", spec->name, name);
}

/* The value at the top of the stack: of what type it must be, and no argument of the word that was called. */
static const char *text_value(lua_State *L, const char *what)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s: expected a text, found a %s", what, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

static int64_t integer_value(lua_State *L, const char *what, int64_t low, int64_t high)
{
    int64_t value = lua_tointeger(L, -1);
    if (!lua_isinteger(L, -1) || value < low || value > high)
        luaL_error(L, "%s: expected an integer from %I to %I", what, (LUAI_UACINT)low, (LUAI_UACINT)high);
    return value;
}

static bool boolean_value(lua_State *L, const char *what)
{
    if (!lua_isboolean(L, -1))
        luaL_error(L, "%s: expected true or false, found a %s", what, luaL_typename(L, -1));
    return lua_toboolean(L, -1);
}

static int choice(lua_State *L, const char *what, const char *const names[])
{
    const char *name = text_value(L, what);
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return luaL_error(L, "%s: '%s' is not known", what, name);
}

/* Calls `read` for each entry of the table of a request at the top of the stack, with the value there. */
static void each_entry(lua_State *L, const struct planner *p, struct emission *e, const char *what,
                       void (*read)(lua_State *L, const struct planner *p, struct emission *e, const char *key))
{
    if (!lua_istable(L, -1))
        luaL_error(L, "%s: expected a table", what);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            luaL_error(L, "%s: expected names and values", what);
        read(L, p, e, lua_tostring(L, -2));
        lua_pop(L, 1);
    }
}

static void request_type(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int g = 0;
    while (g < spec->group_count && strcmp(spec->groups[g], key) != 0)
        g++;
    if (g == spec->group_count)
        luaL_error(L, "types: %s has no group '%s'", spec->name, key);
    e->solve.types[g] = datatype_find(text_value(L, "types"));
    if (e->solve.types[g] <= 0)
        luaL_error(L, "types: '%s' is no data type", lua_tostring(L, -1));
}

static void request_parameter(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int i = 0;
    while (i < spec->parameter_count && strcmp(spec->parameters[i].name, key) != 0)
        i++;
    if (i == spec->parameter_count)
        luaL_error(L, "parameters: %s has no '%s'", spec->name, key);
    e->solve.parameters[i] = integer_value(L, "parameters", 0, UINT32_MAX);
}

static void request_stride(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int field = spec_find_field(spec, key);
    if (field < 0 || !field_is_tensor(&spec->fields[field]))
        luaL_error(L, "strides: %s has no tensor '%s'", spec->name, key);
    e->solve.strides[field] = (uint8_t)choice(L, "strides", stride_names);
}

/* An entry of size = { tensor = NAME, from_last = N, size = N }. */
static void request_size(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (strcmp(key, "from_last") == 0) {
        e->solve.fixed.from_last = (int)integer_value(L, "size: from_last", 0, DML_TENSOR_DIMENSION_COUNT_MAX1 - 1);
    } else if (strcmp(key, "size") == 0) {
        e->solve.fixed.size = (uint32_t)integer_value(L, "size: size", 1, UINT32_MAX);
    } else if (strcmp(key, "tensor") == 0) {
        e->solve.fixed.field = spec_find_field(spec, text_value(L, "size: tensor"));
        if (e->solve.fixed.field < 0 || !field_is_tensor(&spec->fields[e->solve.fixed.field]))
            luaL_error(L, "size: %s has no tensor '%s'", spec->name, lua_tostring(L, -1));
    } else {
        luaL_error(L, "size: '%s' is not known; known: tensor from_last size", key);
    }
}

/* An entry of leading = { tensor = NAME, ones = N }. */
static void request_leading(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (strcmp(key, "ones") == 0) {
        e->solve.leading.ones = (int)integer_value(L, "leading: ones", 0, DML_TENSOR_DIMENSION_COUNT_MAX1);
    } else if (strcmp(key, "tensor") == 0) {
        e->solve.leading.field = spec_find_field(spec, text_value(L, "leading: tensor"));
        if (e->solve.leading.field < 0 || !field_is_tensor(&spec->fields[e->solve.leading.field]))
            luaL_error(L, "leading: %s has no tensor '%s'", spec->name, lua_tostring(L, -1));
    } else {
        luaL_error(L, "leading: '%s' is not known; known: tensor ones", key);
    }
}

/* An entry of op.limits. */
static void request_limit(lua_State *L, const struct planner *p, struct emission *e)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (!lua_istable(L, -1))
        luaL_error(L, "limit: expected one of op.limits");
    lua_getfield(L, -1, "high");
    e->solve.limit_high = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, "atom");
    e->solve.limit_atom = (int)integer_value(L, "limit: atom", 0, spec->atom_count - 1);
    lua_pop(L, 1);
    if (spec->atoms[e->solve.limit_atom].kind != ATOM_BETWEEN)
        luaL_error(L, "limit: expected one of op.limits");
}

static void request_rule(lua_State *L, const struct planner *p, struct emission *e)
{
    e->rule = spec_find_rule(&p->specs->specs[p->op], text_value(L, "tests"));
    if (e->rule < 0)
        luaL_error(L, "tests: %s has no rule or behaviour '%s'", p->specs->specs[p->op].name, lua_tostring(L, -1));
}

/* One entry of a request: the value at the top of the stack. */
static void request_entry(lua_State *L, const struct planner *p, struct emission *e, const char *key)
{
    if (strcmp(key, "label") == 0)
        snprintf(e->label, sizeof e->label, "%s", text_value(L, key));
    else if (strcmp(key, "level") == 0)
        e->solve.table = table_of_level(L, p, text_value(L, key));
    else if (strcmp(key, "types") == 0)
        each_entry(L, p, e, key, request_type);
    else if (strcmp(key, "parameters") == 0)
        each_entry(L, p, e, key, request_parameter);
    else if (strcmp(key, "strides") == 0)
        each_entry(L, p, e, key, request_stride);
    else if (strcmp(key, "size") == 0) {
        each_entry(L, p, e, key, request_size);
        if (e->solve.fixed.field < 0 || e->solve.fixed.size == 0)
            luaL_error(L, "size: expected { tensor = NAME, from_last = N, size = N }");
    } else if (strcmp(key, "leading") == 0) {
        each_entry(L, p, e, key, request_leading);
        if (e->solve.leading.field < 0)
            luaL_error(L, "leading: expected { tensor = NAME, ones = N }");
    } else if (strcmp(key, "limit") == 0)
        request_limit(L, p, e);
    else if (strcmp(key, "tests") == 0)
        request_rule(L, p, e);
    else if (strcmp(key, "fill") == 0) {
        e->fill = (enum fill)choice(L, key, fill_names);
        e->fill_given = true;
    } else if (strcmp(key, "indices") == 0)
        e->index_fill = (enum index_fill)choice(L, key, index_fill_names);
    else if (strcmp(key, "slack") == 0)
        e->solve.slack = (uint32_t)integer_value(L, key, 0, UINT32_MAX);
    else if (strcmp(key, "alignment") == 0)
        e->solve.alignment = (uint32_t)integer_value(L, key, 0, UINT32_MAX);
    else if (strcmp(key, "owned") == 0)
        e->solve.owned = boolean_value(L, key);
    else if (strcmp(key, "again") == 0)
        e->again = boolean_value(L, key);
    else if (strcmp(key, "largest") == 0)
        e->solve.largest = (uint32_t)integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "room") == 0)
        e->solve.room = integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "elements") == 0)
        e->solve.max_elements = integer_value(L, key, 1, UINT32_MAX);
    else
        luaL_error(L,
                   "a case has no '%s'; known: label level types parameters strides size leading limit tests fill "
                   "indices slack "
                   "alignment owned again largest room elements",
                   key);
}

/* The request table at index 2. */
static void read_request(lua_State *L, const struct planner *p, struct emission *e)
{
    *e = (struct emission){.rule = -1};
    solve_request_init(&e->solve);
    lua_settop(L, 2);
    each_entry(L, p, e, "a case", request_entry);
}

static int finish_word(lua_State *L, int result)
{
    if (result < 0) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
        return lua_error(L);
    }
    lua_pushboolean(L, result > 0);
    return 1;
}

/* op:emit { … } */
static int word_emit(lua_State *L)
{
    struct planner *p = planner_of(L);
    struct emission e;
    read_request(L, p, &e);
    return finish_word(L, planner_emit(p, L, &e, NULL));
}

/* op:violate(level, rule) */
static int word_violate(lua_State *L)
{
    struct planner *p = planner_of(L);
    struct emission e = {.rule = -1};
    solve_request_init(&e.solve);
    e.solve.table = table_of_level(L, p, luaL_checkstring(L, 2));
    int rule = spec_find_rule(&p->specs->specs[p->op], luaL_checkstring(L, 3));
    if (rule < 0)
        return luaL_error(L, "violate: no rule '%s'", lua_tostring(L, 3));
    return finish_word(L, planner_violate(p, L, &e, rule));
}

/* op:example(example) */
static int word_example(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    return finish_word(L, planner_example(planner_of(L), L, 2));
}

/* op:cover(strength) */
static int word_cover(lua_State *L)
{
    int strength = (int)luaL_checkinteger(L, 2);
    luaL_argcheck(L, strength == 2 || strength == 3, 2, "expected 2 or 3");
    return finish_word(L, planner_cover(planner_of(L), L, strength));
}

/* ---- what a strategy sees of an operator */

static void set_text(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void push_types(lua_State *L, uint32_t types)
{
    int count = 0;
    lua_newtable(L);
    for (int type = 0; type < DATATYPE_COUNT; type++)
        if (types >> type & 1) {
            lua_pushstring(L, datatype_of((unsigned)type)->name);
            lua_rawseti(L, -2, ++count);
        }
}

/* { name =, types = { group = { … } } } for each level, lowest first. */
static void push_levels(lua_State *L, const struct spec *spec)
{
    lua_newtable(L);
    for (int i = 0; i < spec->level_count; i++) {
        lua_newtable(L);
        set_text(L, "name", spec->levels[i].name);
        lua_newtable(L);
        for (int g = 0; g < spec->group_count; g++) {
            push_types(L, spec->levels[i].types[g]);
            lua_setfield(L, -2, spec->groups[g]);
        }
        lua_setfield(L, -2, "types");
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_rules(lua_State *L, const struct spec *spec)
{
    lua_newtable(L);
    for (int i = 0; i < spec->rule_count; i++) {
        lua_newtable(L);
        set_text(L, "id", spec->rules[i].id);
        set_text(L, "strength", strength_name(spec->rules[i].strength));
        lua_pushboolean(L, spec->rules[i].behaviour);
        lua_setfield(L, -2, "behaviour");
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_tensors(lua_State *L, const struct spec *spec)
{
    int count = 0;
    lua_newtable(L);
    for (int i = 0; i < spec->field_count; i++) {
        bool index = false;
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        for (int j = 0; j < spec->index_count; j++)
            index |= spec->indices[j].field == i;
        lua_newtable(L);
        set_text(L, "name", spec->fields[i].name);
        set_text(L, "kind", spec->fields[i].kind == FIELD_INPUT ? "input" : "output");
        set_text(L, "group", spec->groups[spec->fields[i].group]);
        lua_pushboolean(L, index);
        lua_setfield(L, -2, "index");
        lua_rawseti(L, -2, ++count);
    }
}

/* Limits that can be reached: { rule =, atom =, high =, label = } for each bounded place. */
static void push_limits(lua_State *L, const struct spec *spec)
{
    char label[128];
    int count = 0;
    lua_newtable(L);
    for (int r = 0; r < spec->rule_count; r++)
        for (int i = 0; i < spec->rules[r].atom_count; i++) {
            const struct atom *a = &spec->atoms[spec->rules[r].first_atom + i];
            if (a->kind != ATOM_BETWEEN || a->low == a->high || a->x < 0)
                continue;
            enum expr_op op = spec->nodes[a->x].op;
            for (int high = 0; (op == EXPR_ATTR || op == EXPR_SIZE) && high < 2; high++) {
                if ((high ? a->high : a->low) < 0)
                    continue;
                lua_newtable(L);
                set_text(L, "rule", spec->rules[r].id);
                lua_pushinteger(L, spec->rules[r].first_atom + i);
                lua_setfield(L, -2, "atom");
                lua_pushboolean(L, high);
                lua_setfield(L, -2, "high");
                snprintf(label, sizeof label, "%s-%d-%s", spec->rules[r].id, i + 1, high ? "highest" : "lowest");
                set_text(L, "label", label);
                lua_rawseti(L, -2, ++count);
            }
        }
}

static void push_operator(struct planner *p, lua_State *L)
{
    static const luaL_Reg words[] = {
        {"emit", word_emit}, {"violate", word_violate}, {"example", word_example}, {"cover", word_cover}, {NULL, NULL}};
    const struct spec *spec = &p->specs->specs[p->op];
    lua_newtable(L);
    lua_pushlightuserdata(L, p);
    luaL_setfuncs(L, words, 1);
    set_text(L, "name", spec->name);
    push_levels(L, spec);
    lua_setfield(L, -2, "levels");
    push_rules(L, spec);
    lua_setfield(L, -2, "rules");
    push_tensors(L, spec);
    lua_setfield(L, -2, "tensors");
    push_limits(L, spec);
    lua_setfield(L, -2, "limits");
    lua_newtable(L);
    for (int i = 0; i < spec->parameter_count; i++) {
        lua_pushstring(L, spec->parameters[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "parameters");
    lua_pushboolean(L, spec->sparse != 0);
    lua_setfield(L, -2, "sparse");
    spec_push(p->specs, p->op);
    lua_getfield(L, -1, "examples");
    if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
    }
    lua_setfield(L, -3, "examples");
    lua_pop(L, 1);
}

/* ---- running the strategies */

/* The strategy at the top of the stack on each operator. */
static int run_strategy(struct planner *p, lua_State *L, const char *file, struct error *error)
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
    for (p->op = 0; p->op < p->specs->count; p->op++) {
        if (!planner_wants_operator(p) || !planner_wants_strategy(p))
            continue;
        lua_getfield(L, -1, "cases");
        push_operator(p, L);
        if (script_call(p->specs->script, 1, 0, file, error)) {
            error_context(error, "on %s", p->specs->specs[p->op].name);
            return EXIT_HARNESS;
        }
    }
    return 0;
}

/* Whether the strategy at the top of the stack is of the tier that is asked for; `known`: a strategy is. */
static bool wants_tier(struct planner *p, lua_State *L, bool *known)
{
    const char *wanted = p->filter->tier;
    if (!lua_istable(L, -1))
        return true; /* what it is, run_strategy() says */
    lua_getfield(L, -1, "tier");
    const char *tier = lua_tostring(L, -1);
    bool wants = wanted ? strcmp(wanted, "all") == 0 || (tier && strcmp(wanted, tier) == 0) : !tier;
    p->tiered = tier != NULL;
    p->tier = pool_string(&p->plan->pool, tier ? tier : "");
    *known |= wants;
    lua_pop(L, 1);
    return wants;
}

static bool is_json(const char *file)
{
    size_t length = strlen(file);
    return length > 5 && strcmp(file + length - 5, ".json") == 0;
}

/* The cases of one file, by a strategy or given; `known` as above. */
static int run_file(struct planner *p, lua_State *L, const char *file, bool *known, struct error *error)
{
    p->strategy = p->tier = "";
    if (is_json(file)) {
        *known |= p->filter->tier && strcmp(p->filter->tier, "all") == 0;
        return !p->filter->tier || *known ? planner_file(p, L, file, error) : 0;
    }
    int result = script_file(p->specs->script, file, error);
    if (result == 0 && !lua_istable(L, -1))
        result = error_set(error, EXIT_HARNESS, "%s:1: expected the file to return strategy \"NAME\" { … }", file);
    if (result == 0 && wants_tier(p, L, known))
        result = run_strategy(p, L, file, error);
    if (result == 0)
        lua_pop(L, 1);
    return result;
}

static int run_strategies(struct planner *p, const char *folder, struct error *error)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    lua_State *L = script_state(p->specs->script);
    const char **files;
    int count = script_folder(folder, endings, &p->plan->pool, &files, error);
    if (count < 0 || script_prelude(p->specs->script, "case/prelude.lua", case_prelude_lua, error))
        return EXIT_HARNESS;
    const char *seen[256];
    int strategies = 0, result = 0;
    bool known = false;
    for (int i = 0; i < count && result == 0; i++) {
        result = run_file(p, L, files[i], &known, error);
        for (int j = 0; j < strategies && result == 0 && *p->strategy; j++)
            if (strcmp(seen[j], p->strategy) == 0)
                result =
                    error_set(error, EXIT_HARNESS, "%s:1: another file has a strategy \"%s\"", files[i], p->strategy);
        if (strategies < 256)
            seen[strategies++] = p->strategy;
    }
    lua_settop(L, 0);
    if (result == 0 && p->filter->tier && !known)
        result = error_set(error, EXIT_USAGE, "--tier: no strategy is of the tier '%s'; there are large and all",
                           p->filter->tier);
    return result;
}

int plan_make(struct plan *plan, const struct spec_set *specs, const char *folder, const struct plan_filter *filter,
              struct error *error)
{
    struct planner p = {.plan = plan, .specs = specs, .filter = filter, .names = names_new()};
    *plan = (struct plan){0};
    int result = planner_check_filter(&p, error);
    if (result == 0 && !planner_read_cache(&p, folder))
        result = run_strategies(&p, folder, error);
    int finished = planner_finish(&p, script_state(specs->script), result == 0, error);
    result = result ? result : finished;
    if (result == 0)
        result = planner_check_matches(&p, error);
    names_free(p.names);
    if (result)
        plan_free(plan);
    return result;
}

void plan_free(struct plan *plan)
{
    free(plan->cases);
    pool_clear(&plan->pool);
    if (plan->mapping)
        munmap(plan->mapping, plan->mapping_size);
    *plan = (struct plan){0};
}

uint64_t plan_hash(const struct plan *plan)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < plan->count; i++)
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
