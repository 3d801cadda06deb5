/* Planning in child processes with limits: strategies and specs may be a stranger's. Each child writes its plan to a
 * file in memory, which is read as any cached plan is. A plan of all operators is made by a child for each processor;
 * it does not depend on their number. */
#include "harness/plan/plan_internal.h"

#include "harness/base/apart.h"
#include "harness/base/processors.h"
#include "harness/load/load.h"
#include "harness/base/script.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The input and the results of a child, in shared memory. */
struct planning {
    const struct spec_set *specs; /* without their functions */
    const char *specs_folder;
    struct plan_sources sources;
    struct plan_filter filter;
    int fd;       /* of the file in memory */
    size_t wrong; /* see struct plan */
    struct plan_order order;
};

enum { KEY = 1, MAX_SHARES = 16, SHARED_OPERATORS = 4 /* fewer operators are planned by one child */ };

static uint64_t key_of_child(const struct planner *p, const void *context)
{
    (void)p;
    (void)context;
    return KEY;
}

static bool plan_apart_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns the names of the files whose operators the filter wants, ended by a null pointer, in the child's memory;
 * null: all files. Sequences of calls (interface) may have any operator. */
static const char *const *wanted_files(const struct planning *planning, struct error *error)
{
    const struct spec_set *specs = planning->specs;
    struct planner p = {.specs = specs, .filter = &planning->filter};
    const char **files = calloc((size_t)spec_set_size(specs) + 1, sizeof *files);
    int count = 0;
    if (!files || planner_take_filter(&p, error))
        return NULL;
    for (p.op = 0; p.op < spec_set_size(specs); p.op++) {
        const struct spec *spec = &specs->specs[p.op];
        if (!planner_wants_operator(&p) || !planner_wants_start(&p, spec->lower))
            continue;
        if (spec == specs->interface)
            return NULL;
        const char *slash = strrchr(spec->file, '/');
        files[count++] = slash ? slash + 1 : spec->file;
    }
    planner_free_filter(&p);
    return files;
}

/* Makes the child's specs, which are the parent's. Strategies use functions of the specs, so the files are run anew;
 * case files do not. */
static int load_specs(const struct planning *planning, struct spec_set *specs, struct error *error)
{
    const struct plan_sources *sources = &planning->sources;
    *specs = *planning->specs;
    for (size_t i = 0; i < sources->count; i++)
        if (!planner_is_case_file(sources->paths[i]) || plan_apart_is_folder(sources->paths[i]))
            return spec_set_add_script(specs, planning->specs_folder, wanted_files(planning, error), error);
    specs->script = script_new();
    return specs->script ? 0 : error_set(error, EXIT_HARNESS, "out of memory for Lua");
}

static int plan_for_parent(void *context, struct error *error)
{
    struct planning *planning = context;
    struct spec_set specs;
    struct plan plan;
    int result = load_specs(planning, &specs, error);
    if (result == 0)
        result = plan_make_from(&plan, &specs, &planning->sources, &planning->filter, error);
    if (result)
        return result;
    planning->wrong = plan.wrong;
    apart_step("the plan of all cases");
    FILE *file = fdopen(planning->fd, "wb");
    bool good = file && planner_write_plan(&plan, &specs, KEY, file);
    if (file && fclose(file) != 0)
        good = false;
    return good ? 0 : error_set(error, EXIT_HARNESS, "the plan cannot be kept: %m");
}

static bool has_case_files(const char *folder)
{
    DIR *directory = opendir(folder);
    bool has = !directory; /* the child reports the error */
    for (const struct dirent *entry; directory && !has && (entry = readdir(directory));)
        has = planner_is_case_file(entry->d_name);
    if (directory)
        closedir(directory);
    return has;
}

/* Returns the number of children that share the work. Only a plan of all cases is shared, and only if all are made by
 * strategies: case files have cases of any operator. */
static unsigned share_count(const struct planner *p)
{
    const struct plan_sources *sources = p->sources;
    const struct plan_filter *filter = p->filter;
    if (sources->count != 1 || !plan_apart_is_folder(sources->paths[0]) || planner_chooses_names(p) ||
        filter->operator_count + filter->level_count > 0 || filter->tier || p->specs->count < SHARED_OPERATORS ||
        has_case_files(sources->paths[0]))
        return 1;
    const int processes = processors();
    return processes < MAX_SHARES ? (unsigned)processes : MAX_SHARES;
}

static bool prepare(const struct planner *p, const char *specs_folder, unsigned share, unsigned shares,
                    struct planning *planning)
{
    *planning = (struct planning){.specs = p->specs,
                                  .specs_folder = specs_folder,
                                  .sources = *p->sources,
                                  .filter = *p->filter,
                                  .fd = memfd_create("plan", MFD_CLOEXEC)};
    planning->sources.share = share;
    planning->sources.shares = shares;
    planning->sources.order = &planning->order;
    planning->filter.cache = NULL;
    planning->filter.may_miss |= shares > 1; /* the whole plan is checked */
    return planning->fd >= 0;
}

/* Runs the strategies in children, a share of the operators in each. */
static int run_children(struct planning *planning, unsigned shares, struct error *error)
{
    struct apart_limits limits = apart_usual;
    struct apart_child children[MAX_SHARES] = {{0}};
    int result = 0;
    limits.total_ms += limits.step_ms * (unsigned)planning->specs->count; /* all strategies of an operator */
    for (unsigned i = 0; i < shares && result == 0; i++)
        result = apart_start(&children[i], &limits, plan_for_parent, &planning[i], error);
    for (unsigned i = 0; i < shares && result == 0; i++)
        result = apart_wait(&children[i], error);
    for (unsigned i = 0; i < shares; i++)
        apart_cancel(&children[i]);
    return result;
}

/* Reads the plan of the only child. */
static int read_whole(struct planner *p, const struct planning *planning, struct error *error)
{
    if (!planner_read_plan(p, planning->fd, key_of_child, NULL))
        return error_set(error, EXIT_HARNESS, "the plan was damaged while it was made");
    p->plan->wrong = planning->wrong;
    return 0;
}

/* A case of a share, with its place in the plan. */
struct placed {
    size_t strategy; /* its place in the order of strategies */
    size_t index;    /* in the share: operators are in one share each */
    const struct testcase *c;
};

static int compare_places(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->strategy != b->strategy)
        return a->strategy < b->strategy ? -1 : 1;
    if (a->c->spec != b->c->spec)
        return a->c->spec < b->c->spec ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Returns the place of the case's strategy, from `from` on: cases are in that order. The count of strategies if it is
 * not there. */
static size_t find_strategy(const struct plan_order *order, size_t from, const struct testcase *c)
{
    char key[sizeof *order->keys];
    snprintf(key, sizeof key, "%s %s", c->strategy, c->tier);
    while (from < order->count && strncmp(order->keys[from], key, sizeof key) != 0)
        from++;
    return from;
}

/* Puts the cases of the shares in order: of strategy, operator, and request. */
static int put_together(struct plan *plan, struct plan *parts, const struct planning *planning, unsigned shares,
                        struct error *error)
{
    size_t count = 0;
    bool good = planning->order.count <= sizeof planning->order.keys / sizeof *planning->order.keys;
    for (unsigned i = 0; i < shares; i++)
        count += parts[i].count;
    struct placed *places = malloc((count + 1) * sizeof *places);
    plan->cases = malloc((count + 1) * sizeof *plan->cases);
    plan->capacity = count + 1;
    for (unsigned i = 0; i < shares && places && good; i++)
        for (size_t j = 0, strategy = 0; j < parts[i].count && good; j++) {
            strategy = find_strategy(&planning->order, strategy, &parts[i].cases[j]);
            good = strategy < planning->order.count;
            places[plan->count++] = (struct placed){.strategy = strategy, .index = j, .c = &parts[i].cases[j]};
        }
    if (places && plan->cases && good) {
        qsort(places, count, sizeof *places, compare_places);
        for (size_t i = 0; i < count; i++)
            plan->cases[i] = *places[i].c;
    }
    const bool has_room = places && plan->cases;
    free(places);
    for (unsigned i = 0; i < shares; i++)
        pool_join(&plan->pool, &parts[i].pool);
    if (!has_room)
        return error_set(error, EXIT_HARNESS, "out of memory for a plan");
    return good ? 0 : error_set(error, EXIT_HARNESS, "the plan was damaged while it was made");
}

/* Reads the plans of the children into the planner's plan. */
static int read_shares(struct planner *p, const struct planning *planning, unsigned shares, struct error *error)
{
    struct plan parts[MAX_SHARES] = {{0}};
    struct plan_filter now = *p->filter;
    int result = 0;
    now.later = false;
    for (unsigned i = 0; i < shares && result == 0; i++) {
        struct planner reader = *p;
        reader.plan = &parts[i];
        reader.filter = &now;
        if (!planner_read_plan(&reader, planning[i].fd, key_of_child, NULL))
            result = error_set(error, EXIT_HARNESS, "the plan was damaged while it was made");
        p->plan->wrong += planning[i].wrong;
    }
    if (result == 0)
        result = put_together(p->plan, parts, planning, shares, error);
    for (unsigned i = 0; i < shares; i++)
        plan_free(&parts[i]);
    return result ? result : planner_check_matches(p, error);
}

static int plan_in_shares(struct planner *p, const char *specs_folder, struct error *error)
{
    struct pool pool = {0};
    const unsigned shares = share_count(p);
    if (!pool_share(&pool, shares * sizeof(struct planning)))
        return error_set(error, EXIT_HARNESS, "out of memory");
    struct planning *planning = pool_alloc(&pool, shares * sizeof *planning);
    unsigned ready = 0;
    while (ready < shares && prepare(p, specs_folder, ready, shares, &planning[ready]))
        ready++;
    int result = ready < shares ? error_set(error, EXIT_HARNESS, "no memory for a plan: %m")
                                : run_children(planning, shares, error);
    if (result == 0)
        result = shares > 1 ? read_shares(p, planning, shares, error) : read_whole(p, planning, error);
    for (unsigned i = 0; i < ready; i++)
        close(planning[i].fd);
    pool_clear(&pool);
    return result;
}

int plan_make_apart(struct plan *plan, const struct spec_set *specs, const char *specs_folder,
                    const struct plan_sources *sources, const struct plan_filter *filter, struct error *error)
{
    struct planner p = {.plan = plan, .specs = specs, .filter = filter, .sources = sources};
    *plan = (struct plan){0};
    int result = planner_take_filter(&p, error);
    if (result == 0) {
        const bool is_kept = sources->count == 1 && planner_read_cache(&p, sources->paths[0]);
        result = is_kept ? planner_check_matches(&p, error) : plan_in_shares(&p, specs_folder, error);
    }
    planner_free_filter(&p);
    if (result)
        plan_free(plan);
    return result;
}
