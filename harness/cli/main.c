#include "harness/cli/cmd.h"
#include "harness/cli/config.h"
#include "harness/base/stream.h"
#include "harness/results/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int unknown_command(const char *name, struct error *error)
{
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; cmd_all[i] && count < 64; i++)
        if (!cmd_all[i]->hidden)
            names[count++] = cmd_all[i]->name;
    const char *near = words_nearest(name, names, count);
    return error_set(error, EXIT_USAGE, "no command is named '%s'%s%s%s; `assay --help` lists them", name,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int main_run(int argc, char **argv, struct error *error)
{
    const char *name = argc > 1 ? argv[1] : "--help";
    char *help[] = {(char[]){"--help"}};
    for (size_t i = 0; argc > 2 && strcmp(name, "help") == 0; i++)
        if (!cmd_all[i])
            return unknown_command(argv[2], error);
        else if (strcmp(cmd_all[i]->name, argv[2]) == 0)
            return options_run(cmd_all[i], 1, help, NULL, error);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        options_overview(cmd_all);
        return argc > 1 ? EXIT_AS_EXPECTED : EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        puts("assay " ASSAY_VERSION);
        return EXIT_AS_EXPECTED;
    }
    for (size_t i = 0; cmd_all[i]; i++)
        if (strcmp(cmd_all[i]->name, name) == 0)
            return options_run(cmd_all[i], argc - 2, argv + 2, config_load, error);
    return unknown_command(name, error);
}

/* Returns true if standard output was written completely. EPIPE is not reported: the reader, such as head, has ended,
 * which ends the program early. */
static bool flush_output(struct error *error)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (errno == 0) { /* an earlier write failed: write again to get the reason */
        clearerr(stdout);
        putchar('\n');
        fflush(stdout);
    }
    if (errno != EPIPE)
        error_set(error, EXIT_HARNESS, "standard output: cannot be written: %s", strerror(errno ? errno : EIO));
    return false;
}

int main(int argc, char **argv)
{
    struct error error = {0};
    signal(SIGXFSZ, SIG_IGN); /* a write that fails must return an error, not kill the program */
    signal(SIGPIPE, SIG_IGN);
    stream_wait_for_readers();
    guard_begin_library();
    int result = main_run(argc, argv, &error);
    if (!flush_output(&error) && result <= EXIT_FAILURES)
        result = error.status == EXIT_HARNESS ? EXIT_HARNESS : EXIT_INCOMPLETE;
    if (result != EXIT_AS_EXPECTED && *error.text)
        fprintf(stderr, "assay: %s\n", error.text);
    return result;
}
