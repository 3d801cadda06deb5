/* Command lines: accepted ones, the messages about refused ones, and the output of --help. */
#include "harness/cli/options.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
    bool quiet, verbose;
    const char *database;
    uint64_t seed;
    struct word_list devices;
};

static struct {
    int runs;
    struct values values;
    char devices[256], arguments[256]; /* joined by | */
} seen;                                /* by run(), the last time */

static void test_options_join(char *out, size_t size, const struct word_list *list)
{
    out[0] = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", i ? "|" : "", list->items[i]);
    }
}

static int test_options_run(const void *values, const struct word_list *arguments, struct error *error)
{
    (void)error;
    seen.runs++;
    seen.values = *(const struct values *)values;
    test_options_join(seen.devices, sizeof seen.devices, &seen.values.devices);
    test_options_join(seen.arguments, sizeof seen.arguments, arguments);
    return EXIT_FAILURES;
}

static const struct option options[] = {
    {'q', "quiet", NULL, OPTION_FLAG, offsetof(struct values, quiet), "say less"},
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose), "say more"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database), "where the results go"},
    {'s', "seed", "NUMBER", OPTION_UINT, offsetof(struct values, seed),
     "where all values come from: the same seed and the same name make the same values on every machine, however many "
     "jobs there are"},
    {'d', "device", "DEVICE", OPTION_LIST, offsetof(struct values, devices), "what to run on; may be given again"},
    {0},
};
static const struct values defaults = {.database = "results.db", .seed = 7};
static const struct command command = {
    .name = "run",
    .arguments = "[FILTER…]",
    .summary = "Runs cases on devices and says what deviates from the documents.",
    .examples = "assay run -d reference\nassay run -d vulkan 'gather.*'",
    .options = options,
    .notes = "A FILTER is a pattern over the dotted names, of which any may match for a case to be taken.\n\n"
             "  * stands for anything\n"
             "  ? for a character",
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = test_options_run,
};
static const struct command other = {.name = "a-long-command-name", .summary = "Does something.", .options = options};
static const struct command hidden = {.name = "secret", .summary = "Hidden.", .options = options, .hidden = true};

/* Runs the command with the words of `line`, which single spaces separate; "~" stands for an empty word. */
static int test_options_try(const char *line, struct error *error)
{
    static char text[512]; /* the values point into it */
    char *words[32];
    int count = 0;
    memset(error, 0, sizeof *error);
    memset(&seen, 0, sizeof seen);
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        words[count++] = strcmp(word, "~") ? word : word + 1;
    return options_run(&command, count, words, NULL, error);
}

static void test_accepted(void)
{
    static const struct {
        const char *line, *devices, *arguments, *database;
        uint64_t seed;
        bool quiet, verbose;
    } cases[] = {
        {"", "", "", "results.db", 7, false, false},
        {"a b", "", "a|b", "results.db", 7, false, false},
        {"--db x.db --seed 12", "", "", "x.db", 12, false, false},
        {"--db=x.db --seed=0xfF", "", "", "x.db", 255, false, false},
        {"--db=", "", "", "", 7, false, false},
        {"--db ~", "", "", "", 7, false, false},
        {"--db=a=b", "", "", "a=b", 7, false, false},
        {"-s 3 -s4", "", "", "results.db", 4, false, false},
        {"-qv a", "", "a", "results.db", 7, true, true},
        {"-qs3", "", "", "results.db", 3, true, false},
        {"-dreference -d vulkan --device=x --device y", "reference|vulkan|x|y", "", "results.db", 7, false, false},
        {"a -q b --verbose c", "", "a|b|c", "results.db", 7, true, true},
        {"-q -- -v --seed", "", "-v|--seed", "results.db", 7, true, false},
        {"- a", "", "-|a", "results.db", 7, false, false},
        {"--seed 18446744073709551615", "", "", "results.db", UINT64_MAX, false, false},
        {"--seed 0xffffffffffffffff", "", "", "results.db", UINT64_MAX, false, false},
        {"--quiet=yes --verbose=no", "", "", "results.db", 7, true, false},
        {"--db --seed", "", "", "--seed", 7, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        int status = test_options_try(cases[i].line, &error);
        const bool same_flags = seen.values.quiet == cases[i].quiet && seen.values.verbose == cases[i].verbose;
        const char *wrong = same_flags ? "" : "flags";
        if (status != EXIT_FAILURES)
            wrong = "status";
        else if (seen.runs != 1)
            wrong = "runs";
        else if (strcmp(seen.devices, cases[i].devices) != 0)
            wrong = "devices";
        else if (strcmp(seen.arguments, cases[i].arguments) != 0)
            wrong = "arguments";
        else if (strcmp(seen.values.database, cases[i].database) != 0)
            wrong = "db";
        else if (seen.values.seed != cases[i].seed)
            wrong = "seed";
        if (!ok(!*wrong, "accepted: run %s", cases[i].line))
            note("wrong: %s; %s", wrong, error.text);
    }
}

static void test_options_refused(void)
{
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"--sede 3", "unknown option \"--sede\": did you mean \"--seed\"? See \"assay run --help\""},
        {"--DB=x", "unknown option \"--DB\": did you mean \"--db\"? See \"assay run --help\""},
        {"--hlep", "unknown option \"--hlep\": did you mean \"--help\"? See \"assay run --help\""},
        {"--xyzzy", "unknown option \"--xyzzy\": see \"assay run --help\""},
        {"--see 3", "unknown option \"--see\": did you mean \"--seed\"? See \"assay run --help\""},
        {"-x", "unknown option \"-x\": see \"assay run --help\""},
        {"-qx", "unknown option \"-x\": see \"assay run --help\""},
        {"--seed", "--seed needs a value: --seed NUMBER"},
        {"-s", "--seed needs a value: --seed NUMBER"},
        {"--quiet=maybe", "--quiet: expected yes or no, got \"maybe\""},
        {"--seed ten", "--seed: expected a whole number, decimal or 0x…, got \"ten\""},
        {"--seed -1", "--seed: expected a whole number, decimal or 0x…, got \"-1\""},
        {"--seed +1", "--seed: expected a whole number, decimal or 0x…, got \"+1\""},
        {"--seed 1.5", "--seed: expected a whole number, decimal or 0x…, got \"1.5\""},
        {"--seed 12k", "--seed: expected a whole number, decimal or 0x…, got \"12k\""},
        {"--seed 0x", "--seed: expected a whole number, decimal or 0x…, got \"0x\""},
        {"--seed=", "--seed: expected a whole number, decimal or 0x…, got \"\""},
        {"--seed 18446744073709551616",
         "--seed: \"18446744073709551616\" is too large; the maximum is 18446744073709551615"},
        {"--\x1b[31m", "unknown option \"--\\x1b[31m\": see \"assay run --help\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        int status = test_options_try(cases[i].line, &error);
        bool good =
            status == EXIT_USAGE && error.status == EXIT_USAGE && !seen.runs && !strcmp(error.text, cases[i].text);
        if (!ok(good, "refused: %s", cases[i].text))
            note("got %d: %s", status, error.text);
    }
}

/* Settings of two files, each with a general part and a section: ranks 1 and 2, 3 and 4. */
static int configure(const char *profile, struct option_settings *out, struct error *error)
{
    (void)profile;
    static struct option_setting settings[] = {
        {&command, "db", "weak.db", "f", 1, 2},  {NULL, "db", "strong.db", "g", 1, 3},
        {NULL, "device", "weak", "f", 2, 1},     {&command, "device", "one", "f", 4, 2},
        {&command, "device", "two", "f", 5, 2},  {&other, "seed", "5", "f", 9, 2},
        {&command, "verbose", "yes", "g", 2, 4}, {NULL, "absent", "x", "g", 3, 3},
        {NULL, "verbose", "no", "g", 1, 3},
    };
    (void)error;
    *out = (struct option_settings){.items = settings, .count = sizeof settings / sizeof *settings};
    return 0;
}

static int misconfigured(const char *profile, struct option_settings *out, struct error *error)
{
    (void)profile;
    (void)out;
    return error_set(error, EXIT_USAGE, "f:1: nonsense");
}

static void test_nearest(void)
{
    static const char *const names[] = {"run", "repro", "report", "compare", "devices"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {{"rn", "run"},         {"RUN", "run"},     {"reoprt", "report"}, {"comapre", "compare"},
                 {"device", "devices"}, {"dev", "devices"}, {"zzz", NULL},        {"", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = words_nearest(cases[i].word, names, sizeof names / sizeof *names);
        bool same = near && cases[i].nearest ? !strcmp(near, cases[i].nearest) : near == cases[i].nearest;
        ok(same, "nearest to \"%s\" is %s", cases[i].word, near ? near : "none");
    }
}

static void show_overview(void)
{
    static const struct command *const commands[] = {&command, &other, &hidden, NULL};
    options_overview(commands);
}

static void show_help(void)
{
    struct error error;
    if (test_options_try("--seed 1 -h --nonsense", &error) != EXIT_AS_EXPECTED || seen.runs)
        puts("--help returned another status or ran the command");
}

/* Returns what `show` prints to standard output; valid until the next call. */
static char *capture(void (*show)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    int saved = dup(1);
    fflush(stdout);
    dup2(fileno(file), 1);
    show();
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void show_misconfigured_help(void)
{
    char help[] = "--help", *words[] = {help};
    options_run(&command, 1, words, misconfigured, NULL);
}

static void test_settings(void)
{
    struct error error = {0};
    char quiet[] = "-q", device[] = "-dx", seed[] = "--seed=9", no[] = "--no-config";
    char *given[] = {quiet, device, seed}, *without[] = {no};
    memset(&seen, 0, sizeof seen);
    options_run(&command, 1, given, configure, &error);
    ok(!strcmp(seen.values.database, "strong.db"), "settings: the file with the higher priority wins");
    ok(!strcmp(seen.devices, "one|two"), "settings: a repeatable option gets all values of its section");
    ok(seen.values.seed == 7, "settings: those of other commands are ignored");
    ok(seen.values.verbose && seen.values.quiet, "settings: a section wins over the lines before it");
    options_run(&command, 3, given, configure, &error);
    ok(!strcmp(seen.devices, "x") && seen.values.seed == 9, "settings: the command line wins, for lists, too");
    options_run(&command, 1, without, configure, &error);
    ok(!strcmp(seen.values.database, "results.db") && !*seen.devices, "settings: --no-config ignores all");
    memset(&seen, 0, sizeof seen);
    ok(options_run(&command, 0, NULL, misconfigured, &error) == EXIT_USAGE && !seen.runs, "settings: %s", error.text);
    error = (struct error){0};
    ok(options_run(&command, 1, without, misconfigured, &error) == EXIT_FAILURES && seen.runs == 1,
       "settings: a mistake does not matter with --no-config");
    ok(strstr(capture(show_misconfigured_help), "Usage: assay run") != NULL,
       "settings: a mistake does not matter for --help");
}

static size_t test_options_widest(const char *text)
{
    size_t width = 0, max = 0;
    for (; *text; text++) {
        width = *text == '\n' ? 0 : width + (((unsigned char)*text & 0xc0) != 0x80);
        max = width > max ? width : max;
    }
    return max;
}

static void test_help(void)
{
    static const char expected[] = "Examples:\n"
                                   "  assay run -d reference\n"
                                   "  assay run -d vulkan 'gather.*'\n"
                                   "\n"
                                   "Usage: assay run [OPTION…] [FILTER…]\n"
                                   "\n"
                                   "Runs cases on devices and says what deviates from the documents.\n"
                                   "\n"
                                   "Options:\n"
                                   "  -q, --quiet             say less\n"
                                   "  -v, --verbose           say more\n"
                                   "      --db FILE           where the results go\n"
                                   "  -s, --seed NUMBER       where all values come from: the same seed and the same\n"
                                   "                          name make the same values on every machine, however\n"
                                   "                          many jobs there are\n"
                                   "  -d, --device DEVICE     what to run on; may be given again\n"
                                   "      --no-config         ignore the configuration, which `assay config` prints\n"
                                   "      --profile-name PROFILE\n"
                                   "                          use the section [profile PROFILE] of the\n"
                                   "                          configuration, too\n"
                                   "  -h, --help              print this text\n"
                                   "\n"
                                   "A FILTER is a pattern over the dotted names, of which any may match for a case\n"
                                   "to be taken.\n"
                                   "\n"
                                   "  * stands for anything\n"
                                   "  ? for a character\n";
    const char *text = capture(show_help);
    if (!ok(!strcmp(text, expected), "--help"))
        fprintf(stderr, "%s", text);
    ok(test_options_widest(text) <= 80, "--help is at most 80 columns wide");
    text = capture(show_overview);
    ok(strstr(text, "\n  run         Runs cases") &&
           strstr(text, "\n  a-long-command-name\n              Does something."),
       "the overview lists commands, also with long names");
    ok(!strstr(text, "secret"), "the overview does not list hidden commands");
    ok(strstr(text, "Exit status:\n  0  all as expected\n  1  failures") &&
           strstr(text, "\n  6  device missing, or everything skipped\n"),
       "the overview lists the exit statuses");
    ok(test_options_widest(text) <= 80, "the overview is at most 80 columns wide");
}

static void test_options_errors(void)
{
    struct error error = {0};
    ok(error_set(&error, EXIT_HARNESS, "first %d", 1) == EXIT_HARNESS && !strcmp(error.text, "first 1"),
       "an error is stored");
    ok(error_set(&error, EXIT_USAGE, "second") == EXIT_HARNESS && !strcmp(error.text, "first 1"),
       "a second error does not replace it");
    error_context(&error, "file %s", "a\nb");
    ok(!strcmp(error.text, "file a\\nb: first 1"), "context goes before it: %s", error.text);
    ok(error_set(NULL, EXIT_USAGE, "unheard") == EXIT_USAGE, "a null pointer is allowed");
    char large[4000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    error = (struct error){0};
    error_set(&error, EXIT_HARNESS, "%s", large);
    error_context(&error, "%s", large);
    ok(strlen(error.text) < sizeof error.text, "long texts are truncated");
    error = (struct error){0};
    error_set(&error, EXIT_HARNESS, "\x1b[2J\xff\xc3\xa9");
    ok(!strcmp(error.text, "\\x1b[2J\\xff\xc3\xa9"), "control characters and invalid bytes become visible");
}

int main(void)
{
    test_accepted();
    test_options_refused();
    test_settings();
    test_nearest();
    test_help();
    test_options_errors();
    return tap_done();
}
