#include "harness/cli/choices.h"
#include "harness/cli/cmd.h"

#include "generated/complete.bash.h"
#include "generated/complete.fish.h"
#include "generated/complete.zsh.h"

#include <stdio.h>
#include <string.h>

static int run(const void *values, const struct word_list *arguments, struct error *error)
{
    (void)values;
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "completion takes the name of one shell: bash, zsh or fish");
    const char *shell = arguments->items[0];
    int result = choices_check("SHELL", "completion", shell, error);
    if (result == 0)
        fputs(!strcmp(shell, "bash") ? complete_bash : !strcmp(shell, "zsh") ? complete_zsh : complete_fish, stdout);
    return result;
}

const struct command cmd_completion = {
    .name = "completion",
    .arguments = "SHELL",
    .summary = "print what makes bash, zsh or fish complete command lines",
    .examples = "source <(assay completion bash)\n"
                "assay completion bash >~/.local/share/bash-completion/completions/assay\n"
                "assay completion fish | source\n",
    .notes = "Commands, options, formats, devices, operators, feature levels and names of\n"
             "cases are completed. `make install` installs it for all three shells.\n",
    .run = run};
