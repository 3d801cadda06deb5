/* assay run --resume: finishes a run that ended early. */
#include "harness/cli/cmd_run.h"

#include "harness/cli/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words */

void cmd_run_free_words(char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(words[i]);
    free(words);
}

int cmd_run_words(char ***words, size_t *count, struct error *error)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    char *word = NULL;
    size_t size = 0;
    *words = NULL;
    *count = 0;
    if (!file)
        return error_set(error, EXIT_HARNESS, "/proc/self/cmdline: %m");
    for (int i = 0; getdelim(&word, &size, '\0', file) >= 0; i++) {
        char **larger = i < 2 ? NULL : realloc(*words, (*count + 1) * sizeof *larger); /* "assay run …" */
        if (!larger)
            continue;
        *words = larger;
        if ((larger[*count] = strdup(word)))
            (*count)++;
    }
    free(word);
    fclose(file);
    return 0;
}

/* ---- resuming */

/* Runs the command with `first`, then `second` without --resume and --force, so that options given now win. */
static int run_words(const struct command *command, char **first, size_t first_count, char **second,
                     size_t second_count, struct error *error)
{
    char **all = calloc(first_count + second_count + 1, sizeof *all);
    int count = 0;
    if (!all)
        return error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < first_count; i++)
        all[count++] = first[i];
    for (size_t i = 0; i < second_count; i++)
        if (strcmp(second[i], "--resume") != 0 && strcmp(second[i], "--force") != 0)
            all[count++] = second[i];
    int result = options_run(command, count, all, config_load, error);
    free(all);
    return result;
}

int cmd_run_resume(const struct command *command, const char *database, bool force, struct store **store,
                   struct error *error)
{
    char **first = NULL, **second = NULL;
    size_t first_count = 0, second_count = 0;
    int result = cmd_run_words(&second, &second_count, error);
    if (result == 0)
        result = store_open(database, store, error);
    if (result == 0)
        result = store_resume(*store, force, &first, &first_count, error);
    if (result == 0)
        result = run_words(command, first, first_count, second, second_count, error);
    store_close(*store, result ? NULL : error); /* unless the command took it over */
    *store = NULL;
    cmd_run_free_words(first, first_count);
    cmd_run_free_words(second, second_count);
    return result;
}

int cmd_run_begin(const struct cmd_run_on *run, const struct store_run *stored, bool *known, struct error *error)
{
    const struct plan *plan = &run->plan->plan;
    int64_t id;
    int result = store_begin_run(run->store, stored, &id, error);
    if (result || !run->resumed)
        return result;
    const char **names = calloc(plan->count, sizeof *names);
    for (size_t i = 0; names && i < plan->count; i++)
        names[i] = plan->cases[i].name;
    result = names ? store_keep_only(run->store, names, plan->count, error)
                   : error_set(error, EXIT_HARNESS, "out of memory");
    for (size_t i = 0; i < plan->count && result == 0; i++)
        result = store_knows(run->store, names[i], &known[i], error);
    free(names);
    return result;
}
