#include "harness/cli/choices.h"
#include "harness/cli/cmd.h"
#include "harness/cli/shells.h"

#include <stdio.h>

static int cmd_completion_run(const void *values, const struct word_list *arguments, struct error *error)
{
    (void)values;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "completion takes the name of one shell: bash, zsh or fish");
    const char *shell = arguments->items[0];
    int result = choices_check("SHELL", "completion", shell, error);
    if (result == 0)
        fputs(shell_script(shell), stdout);
    return result;
}

const struct command cmd_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .summary = "print a script that completes command lines in bash, zsh or fish",
    .examples = "source <(assay completion bash)\n"
                "assay completion bash >~/.local/share/bash-completion/completions/assay\n"
                "assay completion fish | source\n",
    .notes = "The script completes commands, options, formats, devices, operators, feature\n"
             "levels and names of cases, and after `fuzz promote --db FILE` the ids of the\n"
             "findings in FILE. `make install` installs it for all three shells.\n",
    .run = cmd_completion_run};
