#include "harness/cli/cmd.h"

static int run(const void *values, const struct word_list *arguments, struct error *error)
{
    static const struct cmd_source all = {0};
    static const struct plan_filter filter = {0}; /* tiers are planned when they are asked for */
    struct cmd_plan out;
    (void)values;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "the command 'plan-cache' is for the build; expected plan-cache FILE");
    const char *folder = out.cases_folder;
    const struct plan_sources sources = {.paths = &folder, .count = 1};
    int result = cmd_load_specs(&all, &out, error);
    if (result == 0)
        result = paths_cases(NULL, out.cases_folder, error);
    if (result == 0)
        result = plan_make_apart(&out.plan, &out.specs, out.specs_folder, &sources, &filter, error);
    if (result == 0)
        result = plan_cache_write(&out.plan, &out.specs, out.cases_folder, arguments->items[0], error);
    cmd_unload(&out);
    return result;
}

static const struct option options[] = {{0}};

const struct command cmd_plan_cache = {.name = "plan-cache",
                                       .arguments = "FILE",
                                       .summary = "write the plan of all cases to a file, so that runs can load it",
                                       .options = options,
                                       .values_size = 1,
                                       .hidden = true,
                                       .run = run};
