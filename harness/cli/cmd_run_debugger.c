#include "harness/cli/cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether a shell would find the program. */
static bool is_program(const char *name)
{
    char path[PATHS_SIZE];
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    for (const char *at = getenv("PATH"); at && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, name);
        if (access(path, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

const struct word_list cmd_run_unrestricted = {.items = (const char *[]){"all"}, .count = 1};

int cmd_run_debugger(const char *text, wordexp_t *words, struct error *error)
{
    *words = (wordexp_t){0};
    if (!text)
        return 0;
    if (wordexp(text, words, WRDE_NOCMD) != 0 || words->we_wordc == 0)
        return error_set(error, EXIT_USAGE,
                         "--debugger: expected a program with its options, such as 'gdb --args', got \"%s\"", text);
    return is_program(words->we_wordv[0])
               ? 0
               : error_set(error, EXIT_USAGE, "--debugger: '%s': no such program", words->we_wordv[0]);
}
