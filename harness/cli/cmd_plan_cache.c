/* Writes the files that `make` builds so that commands start fast: the compiled specs, and the plan of all cases. */
#include "harness/cli/cmd.h"

#include "harness/load/image.h"
#include "harness/load/load_apart.h"

static int cmd_plan_cache_run(const void *values, const struct word_list *arguments, struct error *error)
{
    static const struct plan_filter filter = {0}; /* tiers are planned when they are asked for */
    struct cmd_plan out = {0};
    (void)values;
    if (arguments->count != 2)
        return error_set(error, EXIT_USAGE,
                         "the command 'plan-cache' is for the build; expected plan-cache SPECS PLAN");
    const char *folder = out.cases_folder;
    const struct plan_sources sources = {.paths = &folder, .count = 1};
    int result = paths_folder("specs", NULL, out.specs_folder, error);
    if (result == 0)
        result = spec_set_load_apart(&out.specs, out.specs_folder, error);
    if (result == 0)
        result = spec_image_write(&out.specs, arguments->items[0], error);
    if (result == 0)
        result = paths_cases(NULL, out.cases_folder, error);
    if (result == 0)
        result = plan_make_apart(&out.plan, &out.specs, out.specs_folder, &sources, &filter, error);
    if (result == 0)
        result = plan_cache_write(&out.plan, &out.specs, out.cases_folder, arguments->items[1], error);
    cmd_unload(&out);
    return result;
}

static const struct option options[] = {{0}};

const struct command cmd_plan_cache = {
    .name = "plan-cache",
    .arguments = "SPECS PLAN",
    .summary = "write compiled specs and the plan of all cases to files, so that commands start fast",
    .options = options,
    .values_size = 1,
    .hidden = true,
    .run = cmd_plan_cache_run};
