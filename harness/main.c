#include "harness/cmd.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
    &cmd_devices,     &cmd_list,   &cmd_show, &cmd_run,      &cmd_repro,  &cmd_bisect, &cmd_compare,
    &cmd_fingerprint, &cmd_expect, &cmd_spec, &cmd_coverage, &cmd_worker, NULL,
};

static int unknown_command(const char *name, struct error *error)
{
    const char *names[sizeof commands / sizeof *commands];
    size_t count = 0;
    for (size_t i = 0; commands[i]; i++)
        if (!commands[i]->hidden)
            names[count++] = commands[i]->name;
    const char *near = options_nearest(name, names, count);
    return error_set(error, EXIT_USAGE, "no command is named '%s'%s%s%s; `assay --help` lists them", name,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int main(int argc, char **argv)
{
    struct error error = {0};
    signal(SIGXFSZ, SIG_IGN); /* a full disk and a closed pipe are errors to report, not deaths */
    signal(SIGPIPE, SIG_IGN);
    int result = EXIT_USAGE;
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        options_overview(commands);
        return argc > 1 ? EXIT_AS_EXPECTED : EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("assay " ASSAY_VERSION);
        return EXIT_AS_EXPECTED;
    }
    size_t i = 0;
    while (commands[i] && strcmp(commands[i]->name, name) != 0)
        i++;
    result = commands[i] ? options_run(commands[i], argc - 2, argv + 2, &error) : unknown_command(name, &error);
    if (result != EXIT_AS_EXPECTED && *error.text)
        fprintf(stderr, "assay: %s\n", error.text);
    if (fflush(stdout) != 0 && result == EXIT_AS_EXPECTED) {
        fprintf(stderr, "assay: standard output: %m\n");
        return EXIT_HARNESS;
    }
    return result;
}
