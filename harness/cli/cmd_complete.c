#include "harness/cli/cmd.h"
#include "harness/cli/complete.h"

static int cmd_complete_run(const void *values, const struct word_list *arguments, struct error *error)
{
    (void)values;
    if (arguments->count == 0)
        return error_set(error, EXIT_USAGE, "the command 'complete' is for shells; see `assay completion --help`");
    complete_print(cmd_all, (char *const *)(uintptr_t)arguments->items, arguments->count);
    return 0;
}

const struct command cmd_complete = {.name = "complete",
                                     .arguments = "WORD…",
                                     .summary = "print completions of the last word, for the scripts of `completion`",
                                     .hidden = true,
                                     .run = cmd_complete_run};
