#include "harness/cli/complete.h"

#include "harness/cli/choices.h"
#include "harness/cli/cmd.h"
#include "harness/results/history.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct completion {
    const struct command *command;
    const char *before; /* the part of the word that stays as it is: "--format=" */
    const char *word;   /* the part to complete */
    struct cmd_source source;
    const char *cases;    /* the one that `source` lists */
    const char *database; /* the value of --db; null: none is given before the word */
};

static void offer(const struct completion *c, const char *candidate)
{
    if (strncmp(candidate, c->word, strlen(c->word)) == 0)
        printf("%s%s\n", c->before, candidate);
}

/* ---- names of cases */

static int complete_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the length up to and including the first dot at or after `from`; the whole length if there is none. */
static size_t part(const char *name, size_t from)
{
    const char *dot = strchr(name + from, '.');
    return dot ? (size_t)(dot - name) + 1 : strlen(name);
}

/* Offers the next part of each of the sorted names that begin with the word. A part that all of them share is skipped
 * to the first at which they differ. */
static void offer_parts(const struct completion *c, const char *const *names, size_t count)
{
    size_t length = strlen(c->word), first = 0, past;
    while (first < count && strncmp(names[first], c->word, length) != 0)
        first++;
    for (past = first; past < count && strncmp(names[past], c->word, length) == 0;)
        past++;
    if (first == past)
        return;
    for (size_t end = part(names[first], length);
         end < strlen(names[first]) && strncmp(names[first], names[past - 1], end) == 0; end = part(names[first], end))
        length = end;
    for (size_t i = first; i < past; i++) {
        size_t next = part(names[i], length);
        if (i == first || strncmp(names[i], names[i - 1], next) != 0)
            printf("%s%.*s\n", c->before, (int)next, names[i]);
    }
}

/* Offers the first parts of case names, the operators, without planning cases. */
static void offer_first_parts(const struct completion *c)
{
    struct cmd_plan plan;
    struct error error = {0};
    char name[80];
    if (cmd_load_specs(&c->source, &plan, &error))
        return;
    for (int i = 0; i < plan.specs.count; i++) {
        snprintf(name, sizeof name, "%s.", plan.specs.specs[i].lower);
        offer(c, name);
    }
    cmd_unload(&plan);
}

static void offer_cases(const struct completion *c)
{
    struct cmd_plan plan;
    struct error error = {0};
    char pattern[512];
    const char *patterns[] = {pattern};
    if (!strchr(c->word, '.')) {
        offer_first_parts(c);
        return;
    }
    if (snprintf(pattern, sizeof pattern, "%s*", c->word) >= (int)sizeof pattern ||
        cmd_load(&c->source, &(struct word_list){.items = patterns, .count = 1}, &plan, &error))
        return;
    const char **names = calloc(plan.plan.count, sizeof *names);
    for (size_t i = 0; names && i < plan.plan.count; i++)
        names[i] = plan.plan.cases[i].name;
    if (names) {
        qsort(names, plan.plan.count, sizeof *names, complete_by_text);
        offer_parts(c, names, plan.plan.count);
    }
    free(names);
    cmd_unload(&plan);
}

/* ---- other arguments */

static void offer_operators(const struct completion *c)
{
    struct cmd_plan plan;
    struct error error = {0};
    if (cmd_load_specs(&c->source, &plan, &error))
        return;
    for (int i = 0; i < plan.specs.count; i++)
        offer(c, plan.specs.specs[i].name);
    cmd_unload(&plan);
}

/* Offers the arguments of `assay explain`: names of operators, ids of rulings, and ids of rules, which follow the name
 * of an operator and a slash. */
static void offer_topics(const struct completion *c)
{
    struct cmd_plan plan;
    struct error error = {0};
    char name[160];
    const char *slash = strchr(c->word, '/');
    if (strchr(c->word, '.')) {
        offer_cases(c);
        return;
    }
    if (cmd_load_specs(&c->source, &plan, &error))
        return;
    for (int i = 0; i < plan.specs.count; i++) {
        const struct spec *spec = &plan.specs.specs[i];
        if (!slash)
            offer(c, spec->name);
        for (int r = 0; slash && r < spec->rule_count; r++) {
            snprintf(name, sizeof name, "%s/%s", spec->name, spec->rules[r].id);
            offer(c, name);
        }
    }
    for (int i = 0; i < plan.specs.ruling_count && !slash; i++)
        offer(c, plan.specs.rulings[i].id);
    cmd_unload(&plan);
}

/* Offers the arguments of the devices that assay comes with; the arguments of other devices are not known. */
static void offer_device_arguments(const struct completion *c)
{
    static const char *const devices[] = {
        "reference:level=",    "reference:threads=",   "vulkan:cache=",        "vulkan:device=",
        "vulkan:level=",       "vulkan:repeat=",       "vulkan:staging",       "vulkan:tuning=",
        "vulkan:validation",   "mutants:fault=",       "mutants:operator=",    "mutants:half",
        "mutants:harm=",       "mutants:in=",          "mutants:ignore=",      "mutants:reject=",
        "mutants:type=",       "mutants:rank=",        "mutants:index=",       "mutants:site=",
        "mutants:legal=",      "mutants:forget=",      "mutants:list",         "mutants:every=",
        "mutants:specs=",      "mutants:some=",        "mutants:most=",        "mutants:level=",
        "bridge:timeout=",     "onnxruntime:threads=", "onnxruntime:library=", "directml:adapter=",
        "directml:libraries=", "directml:validation"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        offer(c, devices[i]);
}

static void offer_devices(const struct completion *c)
{
    const char *names[64];
    int count = paths_devices(names, 64);
    if (strchr(c->word, ':'))
        offer_device_arguments(c);
    for (int i = 0; i < count; i++)
        offer(c, names[i]);
}

/* Offers the ids of the findings in the database. It is opened for reading, since a key must neither create nor change
 * a file. */
static void offer_findings(const struct completion *c)
{
    struct history *history;
    struct error error = {0};
    sqlite3_stmt *statement;
    if (!c->database || history_open(c->database, &history, &error))
        return;
    /* Only databases of searches have the table. */
    if (sqlite3_prepare_v2(history_database(history), "SELECT id FROM fuzz_finding ORDER BY id", -1, &statement,
                           NULL) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW)
            offer(c, (const char *)sqlite3_column_text(statement, 0));
        sqlite3_finalize(statement);
    }
    history_close(history);
}

static void offer_commands(const struct completion *c)
{
    for (size_t i = 0; cmd_all[i]; i++)
        if (!cmd_all[i]->hidden)
            offer(c, cmd_all[i]->name);
}

/* Returns true if the first word of capital letters in `argument` begins with `name` and has no more letters. */
static bool complete_has_name(const char *argument, const char *name)
{
    argument += strcspn(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return strncmp(argument, name, strlen(name)) == 0 && !isupper((unsigned char)argument[strlen(name)]);
}

/* Offers the words in small letters that a command's arguments may begin with: "update" and "check" of "update FILE, or
 * check FILE…"; "promote" of "[DESCRIPTION… | promote ID…]". */
static void offer_words(const struct completion *c, const char *arguments)
{
    char word[32];
    for (const char *at = arguments; *at; at++) {
        size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
        bool begins = at == arguments || at[-1] == ' ';
        if (begins && length > 2 && at[length] == ' ' && isupper((unsigned char)at[length + 1])) {
            snprintf(word, sizeof word, "%.*s", (int)length, at);
            offer(c, word);
        }
        at += length > 0 ? length - 1 : 0;
    }
}

/* Returns the text after a word of `arguments` that offer_words() offers: "ID…]" after "promote"; the whole text if it
 * has no such word. */
static const char *arguments_after(const char *arguments, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(arguments, word); at && length; at = strstr(at + 1, word))
        if ((at == arguments || at[-1] == ' ') && at[length] == ' ')
            return at + length + 1;
    return arguments;
}

static void offer_values(const struct completion *c, const char *argument)
{
    const char *words[CHOICES_MAX];
    size_t count = choices_of(argument, words);
    for (size_t i = 0; i < count; i++) {
        char word[64];
        size_t length = strcspn(words[i], "=");
        snprintf(word, sizeof word, "%.*s", (int)(words[i][length] ? length + 1 : length), words[i]);
        offer(c, word);
    }
    if (count || !argument)
        return;
    if (complete_has_name(argument, "DEVICE"))
        offer_devices(c);
    else if (complete_has_name(argument, "OPERATOR"))
        offer_operators(c);
    else if (complete_has_name(argument, "TOPIC"))
        offer_topics(c);
    else if (complete_has_name(argument, "LEVEL"))
        for (int i = 0; level_names[i]; i++)
            offer(c, level_names[i]);
    else if (complete_has_name(argument, "ID"))
        offer_findings(c);
    else if (complete_has_name(argument, "COMMAND"))
        offer_commands(c);
    else if (complete_has_name(argument, "CASE") || complete_has_name(argument, "FILTER"))
        offer_cases(c);
}

static void offer_options(const struct completion *c)
{
    char text[128];
    const struct option *const tables[] = {c->command->options, options_common};
    for (int i = 0; i < 2; i++)
        for (const struct option *option = tables[i]; option && option->name; option++) {
            snprintf(text, sizeof text, "--%s", option->name);
            offer(c, text);
        }
}

/* ---- the words before the last one */

static void note_value(struct completion *c, const struct option *option, const char *value)
{
    if (!strcmp(option->name, "db"))
        c->database = value;
    if (!strcmp(option->name, "specs"))
        c->source.specs = value;
    if (!strcmp(option->name, "cases")) {
        c->cases = value;
        c->source.cases = (struct word_list){.items = &c->cases, .count = 1};
    }
}

/* Returns the option whose value is the next word, or null. */
static const struct option *option_waiting(struct completion *c, const char *word)
{
    if (word[0] != '-' || !word[1])
        return NULL;
    if (word[1] == '-') {
        size_t length = strcspn(word + 2, "=");
        const struct option *option = options_find(c->command, word + 2, length);
        if (option && word[2 + length])
            note_value(c, option, word + 3 + length);
        return option && option->kind != OPTION_FLAG && !word[2 + length] ? option : NULL;
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = options_find_letter(c->command, *letter);
        if (!option || option->kind != OPTION_FLAG)
            return option && !letter[1] ? option : NULL;
    }
    return NULL;
}

static void complete_option(struct completion *c)
{
    char before[128];
    size_t name = strcspn(c->word, "="), length = c->word[1] == '-' ? name + 1 : 2;
    const struct option *option = c->word[1] == '-' ? options_find(c->command, c->word + 2, name - 2)
                                                    : options_find_letter(c->command, c->word[1]);
    if ((c->word[1] == '-' && !c->word[name]) || !c->word[1]) {
        offer_options(c);
    } else if (option && option->kind != OPTION_FLAG && length < sizeof before) {
        snprintf(before, sizeof before, "%.*s", (int)length, c->word);
        c->before = before;
        c->word += length;
        offer_values(c, option->argument);
    }
}

void complete_print(const struct command *const *commands, char *const *words, size_t count)
{
    struct completion c = {.before = "", .word = words[count - 1]};
    const struct option *waiting = NULL;
    const char *first = NULL; /* the first positional word */
    bool only_positional = false;
    if (count == 1) {
        offer_commands(&c);
        offer(&c, "--help");
        offer(&c, "--version");
        return;
    }
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, words[0]))
            c.command = commands[i];
    if (!c.command)
        return;
    for (size_t i = 1; i + 1 < count; i++) {
        if (waiting)
            note_value(&c, waiting, words[i]);
        if (!first && !waiting && (only_positional || words[i][0] != '-'))
            first = words[i];
        only_positional |= !waiting && !strcmp(words[i], "--");
        waiting = waiting || only_positional ? NULL : option_waiting(&c, words[i]);
    }
    if (waiting)
        offer_values(&c, waiting->argument);
    else if (*c.word == '-' && !only_positional)
        complete_option(&c);
    else {
        if (!first)
            offer_words(&c, c.command->arguments);
        offer_values(&c, first ? arguments_after(c.command->arguments, first) : c.command->arguments);
    }
}
