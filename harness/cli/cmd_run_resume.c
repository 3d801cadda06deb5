/* assay run --resume: finishes a run that ended early. */
#include "harness/cli/cmd_run.h"

#include "harness/cli/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Options that define the run: a resumed run keeps them. All others are limits and outputs. */
static const char *const identity[] = {"device",       "operator",     "level",   "tier",      "specs", "cases",
                                       "seed",         "shard",        "retries", "repeat",    "flaky", "expect",
                                       "label",        "revision",     "branch",  "shuffle",   "new",   "no-expect",
                                       "rerun-failed", "failed-first", "exclude", "case-list", "half"};

static bool is_identity(const char *name)
{
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        if (strcmp(identity[i], name) == 0)
            return true;
    return false;
}

/* Options that the new command line alone decides, even if it does not give them. */
static bool run_resume_is_own(const char *name)
{
    return strcmp(name, "max-time") == 0 || strcmp(name, "max-fail") == 0 || strcmp(name, "db") == 0;
}

static bool equal_lists(const struct word_list *a, const struct word_list *b)
{
    bool equal = a->count == b->count;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = strcmp(a->items[i], b->items[i]) == 0;
    return equal;
}

static void swap_lists(struct word_list *a, struct word_list *b)
{
    struct word_list kept = *a;
    *a = *b;
    *b = kept;
}

static void run_resume_print_list(const struct word_list *list, char *text, size_t size)
{
    *text = '\0';
    for (size_t i = 0; i < list->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? " " : "", list->items[i]);
    }
}

/* Returns true if the values differ; then prints both for a message. */
static bool differ(const struct option *option, const void *a, const void *b, char texts[2][200])
{
    const void *const members[] = {(const char *)a + option->offset, (const char *)b + option->offset};
    *texts[0] = *texts[1] = '\0';
    for (int i = 0; i < 2; i++) {
        const struct word_list *list = members[i];
        const char *const *text = members[i];
        if (option->kind == OPTION_FLAG)
            snprintf(texts[i], sizeof texts[i], "%s", *(const bool *)members[i] ? "yes" : "no");
        else if (option->kind == OPTION_UINT || option->kind == OPTION_COUNT || option->kind == OPTION_AUTO)
            snprintf(texts[i], sizeof texts[i], "%llu", (unsigned long long)*(const uint64_t *)members[i]);
        else if (option->kind == OPTION_STRING)
            snprintf(texts[i], sizeof texts[i], "%s", *text ? *text : "none");
        else if (option->kind == OPTION_LIST)
            run_resume_print_list(list, texts[i], sizeof texts[i]);
        if (option->kind == OPTION_LIMITS) {
            const struct option_limits *limits = members[i];
            int used = snprintf(texts[i], sizeof texts[i], "%llu ", (unsigned long long)limits->number);
            run_resume_print_list(&limits->patterns, texts[i] + used, sizeof texts[i] - (size_t)used);
        }
    }
    return option->kind == OPTION_LIST ? !equal_lists(members[0], members[1]) : strcmp(texts[0], texts[1]) != 0;
}

static void run_resume_replace(const struct option *option, void *values, void *by)
{
    void *to = (char *)values + option->offset, *from = (char *)by + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)to = *(const bool *)from;
        break;
    case OPTION_STRING:
        *(const char **)to = *(const char *const *)from;
        break;
    case OPTION_UINT:
    case OPTION_COUNT:
    case OPTION_AUTO:
        *(uint64_t *)to = *(const uint64_t *)from;
        break;
    case OPTION_LIST:
        swap_lists(to, from);
        break;
    case OPTION_LIMITS:
        ((struct option_limits *)to)->number = ((const struct option_limits *)from)->number;
        swap_lists(&((struct option_limits *)to)->patterns, &((struct option_limits *)from)->patterns);
        break;
    }
}

static int run_resume_refuse(const char *what, const char *stored, const char *now, struct error *error)
{
    return error_set(error, EXIT_USAGE,
                     "%s: the run that --resume goes on with has '%s', not '%s'; --force goes on all "
                     "the same",
                     what, stored, now);
}

/* Replaces the options of the stored command line that the new one gives. */
static int combine(const struct command *command, struct options_parsed *stored, struct options_parsed *now, bool force,
                   struct error *error)
{
    char texts[2][200], name[80];
    for (const struct option *option = command->options; option->name; option++) {
        bool given = now->given[option - command->options];
        if (strcmp(option->name, "resume") == 0 || strcmp(option->name, "force") == 0 ||
            !(given || run_resume_is_own(option->name)) || !differ(option, stored->values, now->values, texts))
            continue;
        snprintf(name, sizeof name, "--%s", option->name);
        if (is_identity(option->name) && !force)
            return run_resume_refuse(name, texts[0], texts[1], error);
        run_resume_replace(option, stored->values, now->values);
    }
    if (now->positional.count == 0 || equal_lists(&stored->positional, &now->positional))
        return 0;
    run_resume_print_list(&stored->positional, texts[0], sizeof texts[0]);
    run_resume_print_list(&now->positional, texts[1], sizeof texts[1]);
    if (!force)
        return run_resume_refuse("FILTER", stored->positional.count ? texts[0] : "all cases", texts[1], error);
    swap_lists(&stored->positional, &now->positional);
    return 0;
}

/* Changes the result of a call that has nothing to resume: EXIT_USAGE, which says that the new command line is of
 * another run, becomes EXIT_NO_MATCH. */
static int run_resume_check_complete(const char *database, int result, struct error *error)
{
    char why[sizeof error->text];
    if (result != EXIT_USAGE)
        return result;
    snprintf(why, sizeof why, "%s", error->text);
    error->status = EXIT_AS_EXPECTED;
    return error_set(error, EXIT_NO_MATCH, "%.200s: nothing to resume: its last run is complete, and another one: %s",
                     database, why);
}

int cmd_run_resume(const struct command *command, const char *database, bool force, struct cmd_run_resumed *out,
                   struct error *error)
{
    struct options_parsed *now = &out->given;
    bool complete = false;
    if (access(database, F_OK) != 0)
        return error_set(error, EXIT_NO_MATCH, "%s: nothing to resume: there is no such file", database);
    int result = cmd_run_words(&out->words[1], &out->counts[1], error);
    if (result == 0)
        result = store_open(database, &out->store, error);
    if (result == 0)
        result = store_resume(out->store, force, &out->words[0], &out->counts[0], &complete, error);
    if (result == 0)
        result = options_parse(command, (int)out->counts[0], out->words[0], config_load, &out->options, error);
    if (result == 0)
        result = options_parse(command, (int)out->counts[1], out->words[1], config_load, now, error);
    if (result == 0)
        result = combine(command, &out->options, now, force && !complete, error);
    if (!complete)
        return result;
    store_close(out->store, NULL); /* nothing was written */
    out->store = NULL;
    return run_resume_check_complete(database, result, error);
}

void cmd_run_resume_end(const struct command *command, struct cmd_run_resumed *resumed)
{
    store_close(resumed->store, NULL);
    options_free(command, &resumed->options);
    options_free(command, &resumed->given);
    for (int i = 0; i < 2; i++)
        cmd_run_free_words(resumed->words[i], resumed->counts[i]);
}
