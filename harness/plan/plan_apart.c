/* Planning in a child process with limits: strategies and specs may be a stranger's. The child writes its plan to a
 * file in memory, which is read as any cached plan is. */
#include "harness/plan/plan_internal.h"

#include "harness/base/apart.h"
#include "harness/load/load.h"
#include "harness/base/script.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The input and the results of the child, in shared memory. */
struct planning {
    const struct spec_set *specs; /* without their functions */
    const char *specs_folder;
    const struct plan_sources *sources;
    const struct plan_filter *filter;
    int fd;       /* of the file in memory */
    size_t wrong; /* see struct plan */
};

enum { KEY = 1 };

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
    struct planner p = {.specs = specs, .filter = planning->filter};
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
    const struct plan_sources *sources = planning->sources;
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
        result = plan_make_from(&plan, &specs, planning->sources, planning->filter, error);
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

/* Runs the strategies in a child and reads its plan. */
static int plan_apart_run(struct planner *p, struct planning *planning, struct error *error)
{
    struct apart_limits limits = apart_usual;
    limits.total_ms += limits.step_ms * (unsigned)planning->specs->count; /* all strategies of an operator */
    int result = apart_run(&limits, plan_for_parent, planning, error);
    if (result == 0 && !planner_read_plan(p, planning->fd, key_of_child, NULL))
        result = error_set(error, EXIT_HARNESS, "the plan was damaged while it was made");
    if (result == 0)
        p->plan->wrong = planning->wrong;
    return result;
}

int plan_make_apart(struct plan *plan, const struct spec_set *specs, const char *specs_folder,
                    const struct plan_sources *sources, const struct plan_filter *filter, struct error *error)
{
    struct planner p = {.plan = plan, .specs = specs, .filter = filter, .sources = sources};
    struct pool pool = {0};
    *plan = (struct plan){0};
    int result = planner_take_filter(&p, error);
    if (result) {
        planner_free_filter(&p);
        return result;
    }
    if (sources->count == 1 && planner_read_cache(&p, sources->paths[0])) {
        result = planner_check_matches(&p, error);
    } else if (pool_share(&pool, sizeof(struct planning))) {
        struct plan_filter without_cache = *filter;
        struct planning *planning = pool_alloc(&pool, sizeof *planning);
        without_cache.cache = NULL;
        *planning = (struct planning){.specs = specs,
                                      .specs_folder = specs_folder,
                                      .sources = sources,
                                      .filter = &without_cache,
                                      .fd = memfd_create("plan", MFD_CLOEXEC)};
        int fd = planning->fd;
        result =
            fd < 0 ? error_set(error, EXIT_HARNESS, "no memory for a plan: %m") : plan_apart_run(&p, planning, error);
        if (fd >= 0)
            close(fd);
        pool_clear(&pool);
    } else {
        result = error_set(error, EXIT_HARNESS, "out of memory");
    }
    planner_free_filter(&p);
    if (result)
        plan_free(plan);
    return result;
}
