#include "harness/cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64, WORD_MAX = 160, COMMON_PROFILE = 1 /* in options_common */ };

/* The state of parsing one command line. */
struct parse {
    const struct command *command;
    char **words;
    int count;
    int next;
    char *values;
    struct word_list positional;
    bool help, no_config;
    const char *profile; /* --profile-name; null: none */
    bool *given;         /* by index in the option table */
};

const char *const options_statuses[OPTIONS_STATUSES] = {
    [EXIT_AS_EXPECTED] = "all as expected",
    [EXIT_FAILURES] = "failures, flaky cases, unexpected passes, stale expectations, regressions",
    [EXIT_USAGE] = "wrong command line or configuration",
    [EXIT_HARNESS] = "harness error: a broken spec, case file, expectation file or database, or a full disk",
    [EXIT_NO_MATCH] = "no case matched; no such run or finding",
    [EXIT_INCOMPLETE] = "interrupted or incomplete",
    [EXIT_NO_DEVICE] = "device missing, or everything skipped",
};

const struct option options_common[] = {
    {.name = "no-config", .help = "ignore the configuration, which `assay config` prints"},
    {.name = "profile-name",
     .argument = "PROFILE",
     .kind = OPTION_STRING,
     .help = "use the section [profile PROFILE] of the configuration, too"},
    {.letter = 'h', .name = "help", .help = "print this text"},
    {0},
};

const struct option *options_find(const struct command *command, const char *name, size_t length)
{
    const struct option *option = command->options;
    while (option && option->name && (strlen(option->name) != length || strncmp(option->name, name, length) != 0))
        option++;
    return option && option->name ? option : NULL;
}

const struct option *options_find_letter(const struct command *command, char letter)
{
    const struct option *option = command->options;
    while (option && option->name && option->letter != letter)
        option++;
    return option && option->name ? option : NULL;
}

const char *options_nearest_option(const struct command *command, const char *name)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (const struct option *option = command->options; option && option->name && count < NAMES_MAX - 2; option++)
        names[count++] = option->name;
    for (const struct option *option = options_common; option->name; option++)
        names[count++] = option->name;
    return words_nearest(name, names, count);
}

static int unknown(const struct command *command, const char *word, size_t length, struct error *error)
{
    char bare[WORD_MAX + 1];
    snprintf(bare, sizeof bare, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX), word);
    const char *near = options_nearest_option(command, bare);
    if (near)
        return error_set(error, EXIT_USAGE, "unknown option \"--%s\": did you mean \"--%s\"? See \"assay %s --help\"",
                         bare, near, command->name);
    return error_set(error, EXIT_USAGE, "unknown option \"--%s\": see \"assay %s --help\"", bare, command->name);
}

static int list_add(struct word_list *list, const char *item, struct error *error)
{
    if ((list->count & (list->count - 1)) == 0) { /* room for a power of two */
        size_t room = list->count ? 2 * list->count : 1;
        const char **items = realloc(list->items, room * sizeof *items);
        if (!items)
            return error_set(error, EXIT_HARNESS, "out of memory for the command line");
        list->items = items;
    }
    list->items[list->count++] = item;
    return 0;
}

static int parse_uint(const struct option *option, const char *text, uint64_t *out, struct error *error)
{
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hexadecimal ? text + 2 : text;
    size_t good = strspn(digits, hexadecimal ? "0123456789abcdefABCDEF" : "0123456789");
    errno = 0;
    const int base = hexadecimal ? 16 : 10;
    unsigned long long value = good && !digits[good] ? strtoull(digits, NULL, base) : 0;
    const char *unit = option->kind == OPTION_AUTO ? "a whole number or auto" : "a whole number, decimal or 0x…";
    if (option->argument && strstr(option->argument, "SECONDS"))
        unit = "whole seconds";
    if (!good || digits[good])
        return error_set(error, EXIT_USAGE, "--%s: expected %s, got \"%s\"", option->name, unit, text);
    if (errno == ERANGE)
        return error_set(error, EXIT_USAGE, "--%s: \"%s\" is too large; the maximum is %llu", option->name, text,
                         (unsigned long long)UINT64_MAX);
    *out = value;
    return 0;
}

static int parse_count(const struct option *option, const char *text, uint64_t *out, struct error *error)
{
    int status = parse_uint(option, text, out, error);
    return status == 0 && *out == 0 ? error_set(error, EXIT_USAGE, "--%s: expected at least 1", option->name) : status;
}

static int parse_auto(const struct option *option, const char *text, uint64_t *out, struct error *error)
{
    *out = 0;
    if (strcmp(text, "auto") == 0)
        return 0;
    int status = parse_uint(option, text, out, error);
    if (status == 0 && *out == 0)
        return error_set(error, EXIT_USAGE, "--%s: expected a number from 1 on, or auto, got \"%s\"", option->name,
                         text);
    return status;
}

uint64_t options_limit(const char *text)
{
    return strtoull(strrchr(text, '=') + 1, NULL, 0);
}

/* Parses "PATTERN=N" or "N", whose number is stored in `number`. */
static int parse_limit(const struct option *option, const char *text, uint64_t *number, struct error *error)
{
    const char *equals = strrchr(text, '=');
    if (equals == text)
        return error_set(error, EXIT_USAGE, "--%s: expected a pattern before the =, got \"%s\"", option->name, text);
    return parse_uint(option, equals ? equals + 1 : text, number, error);
}

static int parse_flag(const struct option *option, const char *text, bool *out, struct error *error)
{
    *out = strcmp(text, "yes") == 0;
    if (*out || strcmp(text, "no") == 0)
        return 0;
    return error_set(error, EXIT_USAGE, "--%s: expected yes or no, got \"%s\"", option->name, text);
}

/* Stores the value of an option in the command's struct of values. */
static int store_value(char *values, const struct option *option, const char *text, struct error *error)
{
    void *member = values + option->offset;
    switch (option->kind) {
    case OPTION_FLAG:
        return parse_flag(option, text, member, error);
    case OPTION_STRING:
        *(const char **)member = text;
        return 0;
    case OPTION_UINT:
        return parse_uint(option, text, member, error);
    case OPTION_COUNT:
        return parse_count(option, text, member, error);
    case OPTION_AUTO:
        return parse_auto(option, text, member, error);
    case OPTION_LIST:
        return list_add(member, text, error);
    case OPTION_LIMITS: {
        struct option_limits *limits = member;
        uint64_t number;
        int status = parse_limit(option, text, &number, error);
        if (status == 0 && strchr(text, '='))
            return list_add(&limits->patterns, text, error);
        limits->number = status ? limits->number : number;
        return status;
    }
    }
    return error_set(error, EXIT_HARNESS, "--%s: unknown kind of option", option->name);
}

int options_check(const struct option *option, const char *text, struct error *error)
{
    bool flag;
    uint64_t number;
    switch (option->kind) {
    case OPTION_FLAG:
        return parse_flag(option, text, &flag, error);
    case OPTION_UINT:
        return parse_uint(option, text, &number, error);
    case OPTION_COUNT:
        return parse_count(option, text, &number, error);
    case OPTION_AUTO:
        return parse_auto(option, text, &number, error);
    case OPTION_LIMITS:
        return parse_limit(option, text, &number, error);
    default:
        return 0;
    }
}

/* Takes the value of an option from the command line. */
static int take_value(struct parse *parse, const struct option *option, const char *text, struct error *error)
{
    parse->given[option - parse->command->options] = true;
    return store_value(parse->values, option, text, error);
}

/* Takes the next word as the option's value. */
static int next_value(struct parse *parse, const struct option *option, const char **out, struct error *error)
{
    if (parse->next >= parse->count)
        return error_set(error, EXIT_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                         option->argument ? option->argument : "VALUE");
    *out = parse->words[parse->next++];
    return 0;
}

static int parse_long(struct parse *parse, const char *word, struct error *error)
{
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    if (length == 4 && !strncmp(word, "help", 4)) {
        parse->help = true;
        return 0;
    }
    if (length == 9 && !strncmp(word, "no-config", 9)) {
        parse->no_config = true;
        return 0;
    }
    const struct option *option = options_find(parse->command, word, length);
    if (length == 12 && !strncmp(word, "profile-name", 12)) {
        int status = value ? 0 : next_value(parse, &options_common[COMMON_PROFILE], &value, error);
        parse->profile = value;
        return status;
    }
    if (!option)
        return unknown(parse->command, word, length, error);
    if (option->kind == OPTION_FLAG && !value)
        value = "yes";
    if (!value) {
        int status = next_value(parse, option, &value, error);
        if (status)
            return status;
    }
    return take_value(parse, option, value, error);
}

static int parse_letters(struct parse *parse, const char *word, struct error *error)
{
    for (const char *letter = word; *letter; letter++) {
        const struct option *option = options_find_letter(parse->command, *letter);
        if (!option && *letter == 'h') {
            parse->help = true;
            return 0;
        }
        if (!option)
            return error_set(error, EXIT_USAGE, "unknown option \"-%c\": see \"assay %s --help\"", *letter,
                             parse->command->name);
        int status;
        if (option->kind == OPTION_FLAG) {
            if ((status = take_value(parse, option, "yes", error)))
                return status;
            continue;
        }
        const char *value = letter + 1;
        if (!*value && (status = next_value(parse, option, &value, error)))
            return status;
        return take_value(parse, option, value, error);
    }
    return 0;
}

static int parse_words(struct parse *parse, struct error *error)
{
    bool only_positional = false;
    while (parse->next < parse->count && !parse->help) {
        const char *word = parse->words[parse->next++];
        int status;
        if (only_positional || word[0] != '-' || !word[1])
            status = list_add(&parse->positional, word, error);
        else if (!strcmp(word, "--"))
            status = 0, only_positional = true;
        else if (word[1] == '-')
            status = parse_long(parse, word + 2, error);
        else
            status = parse_letters(parse, word + 1, error);
        if (status)
            return status;
    }
    return 0;
}

bool options_concerns(const struct option_setting *setting, const struct command *command, const struct option *option)
{
    return (!setting->command || setting->command == command) && !strcmp(setting->name, option->name);
}

unsigned options_rank(const struct option_settings *settings, const struct command *command,
                      const struct option *option)
{
    unsigned rank = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const struct option_setting *setting = &settings->items[i];
        if (options_concerns(setting, command, option) && setting->rank > rank)
            rank = setting->rank;
    }
    return rank;
}

/* Returns true if the option means nothing without the command's flag. */
static bool is_flagged(const struct command *command, const struct option *option)
{
    char name[64];
    snprintf(name, sizeof name, " %s ", option->name);
    return command->flag && strstr(command->flagged, name);
}

static bool has_flag(const struct parse *parse)
{
    const struct command *command = parse->command;
    const struct option *flag = command->flag ? options_find(command, command->flag, strlen(command->flag)) : NULL;
    return flag && *(const bool *)((const char *)parse->values + flag->offset);
}

/* Sets options that the command line does not have from the configuration: those that need the flag, or the others. */
static int apply_settings(struct parse *parse, const struct option_settings *settings, bool flagged,
                          struct error *error)
{
    int status = 0;
    for (const struct option *option = parse->command->options; option && option->name; option++) {
        unsigned rank = options_rank(settings, parse->command, option);
        if (is_flagged(parse->command, option) != flagged)
            continue;
        for (size_t i = 0; i < settings->count && !status && !parse->given[option - parse->command->options]; i++) {
            const struct option_setting *setting = &settings->items[i];
            if (setting->rank != rank || !options_concerns(setting, parse->command, option))
                continue;
            status = store_value(parse->values, option, setting->value, error);
            if (!setting->command && !strcmp(option->name, "db") && strcmp(parse->command->name, "run") != 0)
                fprintf(stderr, "assay: --db is %s, as %s:%u says\n", setting->value, setting->file, setting->line);
        }
    }
    return status;
}

static int check_flag(const struct parse *parse, struct error *error)
{
    const struct command *command = parse->command;
    for (const struct option *option = command->options; option && option->name && !has_flag(parse); option++)
        if (parse->given[option - command->options] && is_flagged(command, option))
            return error_set(error, EXIT_USAGE, "--%s is for --%s", option->name, command->flag);
    return 0;
}

int options_parse(const struct command *command, int argc, char **argv,
                  int (*configure)(const char *profile, struct option_settings *out, struct error *error),
                  struct options_parsed *out, struct error *error)
{
    struct option_settings settings = {0};
    struct parse parse = {.command = command, .words = argv, .count = argc};
    size_t count = 0;
    while (command->options && command->options[count].name)
        count++;
    parse.values = calloc(1, command->values_size ? command->values_size : 1);
    parse.given = calloc(count + 1, sizeof *parse.given);
    int status = parse.values && parse.given ? 0 : error_set(error, EXIT_HARNESS, "out of memory for the command line");
    if (!status && command->defaults)
        memcpy(parse.values, command->defaults, command->values_size);
    if (!status)
        status = parse_words(&parse, error);
    if (!status && !parse.help && configure && !parse.no_config && !command->hidden)
        status = configure(parse.profile, &settings, error);
    if (!status && !parse.help)
        status = apply_settings(&parse, &settings, false, error);
    if (!status && !parse.help)
        status = check_flag(&parse, error);
    if (!status && !parse.help && has_flag(&parse))
        status = apply_settings(&parse, &settings, true, error);
    *out = (struct options_parsed){.values = parse.values,
                                   .profile = parse.profile,
                                   .positional = parse.positional,
                                   .given = parse.given,
                                   .help = parse.help,
                                   .pool = settings.pool};
    return status;
}

void options_free(const struct command *command, struct options_parsed *parsed)
{
    for (const struct option *option = command->options; option && option->name && parsed->values; option++) {
        void *member = (char *)parsed->values + option->offset;
        if (option->kind == OPTION_LIST)
            free(((struct word_list *)member)->items);
        if (option->kind == OPTION_LIMITS)
            free(((struct option_limits *)member)->patterns.items);
    }
    pool_clear(&parsed->pool);
    free(parsed->positional.items);
    free(parsed->given);
    free(parsed->values);
    *parsed = (struct options_parsed){0};
}

static const char *running_profile;

const char *options_profile(void)
{
    return running_profile;
}

int options_run(const struct command *command, int argc, char **argv,
                int (*configure)(const char *profile, struct option_settings *out, struct error *error),
                struct error *error)
{
    struct options_parsed parsed;
    int status = options_parse(command, argc, argv, configure, &parsed, error);
    running_profile = parsed.profile;
    if (!status && parsed.help)
        options_help(command);
    else if (!status)
        status = command->run(parsed.values, &parsed.positional, error);
    options_free(command, &parsed);
    return status;
}
