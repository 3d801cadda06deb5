#include "harness/cli/cmd_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Returns true if a shell would find the program. An empty part of PATH is the current folder. */
static bool is_program(const char *name)
{
    char path[PATHS_SIZE];
    if (strchr(name, '/'))
        return is_executable(name);
    for (const char *at = getenv("PATH"); at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        int length = (int)strcspn(at, ":");
        snprintf(path, sizeof path, "%.*s/%s", length ? length : 1, length ? at : ".", name);
        if (is_executable(path))
            return true;
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
