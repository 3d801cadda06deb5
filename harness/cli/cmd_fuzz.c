#include "harness/cli/cmd_fuzz.h"

#include "harness/cli/choices.h"
#include "harness/cli/cmd_progress.h"
#include "harness/cli/cmd_run.h"
#include "harness/results/fuzz_store.h"
#include "harness/base/fileuse.h"
#include "harness/base/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_MAX (1ull << 60) /* descriptions */
/* Defaults, in seconds: of a search, and for one description. */
#define SECONDS 10
#define TIMEOUT 5

struct values {
    struct word_list operators, allow;
    const char *device, *specs, *cases, *format, *execute, *shard, *database, *fill, *indices, *progress;
    uint64_t seed, jobs, timeout, count, seconds, first; /* count, seconds: 0: not given */
    bool verbose, resume, replay, half;
};

/* ---- options */

static int read_rate(const char *text, uint32_t *out, struct error *error)
{
    char *end;
    double rate = strtod(text, &end);
    if (*end || end == text || !(rate >= 0 && rate <= 1))
        return error_set(error, EXIT_USAGE, "--execute: expected a share from 0 to 1, not '%s'", text);
    *out = (uint32_t)(rate * 65536);
    return 0;
}

static int read_shard(const char *text, struct fuzz_search_config *config, struct error *error)
{
    unsigned long long shard, shards;
    int end = 0;
    if (sscanf(text, "%llu/%llu%n", &shard, &shards, &end) != 2 || text[end] || shard < 1 || shard > shards)
        return error_set(error, EXIT_USAGE, "--shard: expected M/N with M from 1 to N, not '%s'", text);
    config->shard = shard - 1;
    config->shards = shards;
    return 0;
}

static int choose_operators(const struct values *v, struct fuzz_search_config *config, struct error *error)
{
    for (int op = 0; op < config->specs->count && op < 256; op++) {
        bool wanted = v->operators.count == 0;
        for (size_t i = 0; i < v->operators.count; i++)
            wanted |= spec_set_find(config->specs, v->operators.items[i]) == op;
        if (wanted)
            config->ops[config->op_count++] = op;
    }
    for (size_t i = 0; i < v->operators.count; i++)
        if (spec_set_find(config->specs, v->operators.items[i]) < 0)
            return spec_set_no_operator(config->specs, v->operators.items[i], EXIT_USAGE, error);
    return config->op_count ? 0 : error_set(error, EXIT_NO_MATCH, "there are no operators");
}

static int fuzz_check_values(const struct values *v, struct error *error)
{
    if (!v->device)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (v->jobs < 1 || v->jobs > RUNNER_JOBS_MAX)
        return error_set(error, EXIT_USAGE, "--jobs: expected 1 to %d, not %llu", RUNNER_JOBS_MAX,
                         (unsigned long long)v->jobs);
    if (v->count > COUNT_MAX || v->first > COUNT_MAX / FUZZ_CHUNK)
        return error_set(error, EXIT_USAGE, "--%s: expected at most %llu", v->count > COUNT_MAX ? "count" : "first",
                         (unsigned long long)(v->count > COUNT_MAX ? COUNT_MAX : COUNT_MAX / FUZZ_CHUNK));
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    if ((v->resume || v->replay) && !v->database)
        return error_set(error, EXIT_USAGE, "--resume and --replay need a database: --db FILE");
    if (strcmp(v->format, "human") != 0 && strcmp(v->format, "json") != 0)
        return error_set(error, EXIT_USAGE, "--format: expected human or json, not '%s'", v->format);
    return 0;
}

/* Stores the index of `word` in the list of words that the argument can have. */
static int fuzz_read_word(const char *argument, const char *option, const char *word, uint8_t *out, struct error *error)
{
    const char *words[CHOICES_MAX];
    size_t count = choices_of(argument, words);
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            *out = (uint8_t)i;
    return choices_check(argument, option, word, error);
}

/* ---- a search */

struct watcher {
    const struct values *values;
    struct cmd_progress progress;
    uint64_t shown;
    int64_t saved; /* id of the search in the database; 0: not saved yet */
};

static void fuzz_show_progress(void *context, uint64_t tried, uint64_t elapsed_ns)
{
    struct watcher *w = context;
    char line[128];
    const bool due = cmd_progress_is_due(&w->progress);
    if (!due && (!w->progress.live || elapsed_ns - w->shown < 500000000u))
        return;
    snprintf(line, sizeof line, "%llu descriptions, %.0f a second", (unsigned long long)tried,
             (double)tried * 1e9 / (double)elapsed_ns);
    if (due) {
        fprintf(stderr, "assay: %s\n", line);
        return;
    }
    w->shown = elapsed_ns;
    fprintf(stderr, "\r%.*s\033[K", terminal_columns(stderr) - 1, line);
}

static int save_now(void *context, struct fuzz_search *found, struct error *error)
{
    struct watcher *w = context;
    return fuzz_store_save(w->values->database, found, FUZZ_STORE_RUNNING, &w->saved, error);
}

static int fuzz_search(const struct values *v, struct fuzz_search_config *config, struct error *error)
{
    struct fuzz_search found;
    struct watcher watcher = {.values = v};
    bool failed = false;
    config->progress = fuzz_show_progress;
    config->checkpoint = v->database ? save_now : NULL;
    config->context = &watcher;
    int result = cmd_progress_open(&watcher.progress, v->progress, error);
    if (result)
        return result;
    result = fuzz_search_run(config, &found, error);
    if (watcher.shown)
        fputs("\r\033[K", stderr);
    if (result == 0 && found.op_count == 0)
        result = error_set(error, EXIT_NO_MATCH, "the device says that it implements none of the operators");
    if (result == 0 && found.tried == 0 && found.group_count == 0 && !found.interrupted)
        result = error_set(error, EXIT_NO_MATCH, "there is no chunk to try: shard %llu of %llu, from chunk %llu on",
                           (unsigned long long)config->shard + 1, (unsigned long long)config->shards,
                           (unsigned long long)config->first);
    for (size_t i = 0; i < found.group_count; i++)
        failed |= fuzz_group_is_failure(&found, &found.groups[i]);
    if (result == 0 && strcmp(v->format, "json") == 0)
        cmd_fuzz_print_json(stdout, &found);
    else if (result == 0)
        cmd_fuzz_print(stdout, &found, v->verbose);
    if (result == 0 && v->database)
        result = fuzz_store_save(v->database, &found, found.interrupted ? FUZZ_STORE_INTERRUPTED : FUZZ_STORE_DONE,
                                 &watcher.saved, error);
    if (result == 0 && failed)
        result = EXIT_FAILURES;
    else if (result == 0 && found.interrupted)
        result = EXIT_INCOMPLETE;
    fuzz_search_free(&found);
    return result;
}

/* Loads the findings and descriptions of earlier searches from the database. */
static int load_past(const struct values *v, struct fuzz_search_config *config, struct fuzz_past *past,
                     struct error *error)
{
    int result = v->database ? fuzz_store_load(v->database, config, past, error) : 0;
    config->seeds = past->seeds;
    config->seed_count = past->seed_count;
    if (v->resume)
        config->first = past->next;
    return result;
}

/* `assay fuzz promote ID…`, which needs no device. */
static int promote(const struct values *v, const struct word_list *arguments, struct error *error)
{
    const struct cmd_source source = {.specs = v->specs};
    struct cmd_plan plan;
    if (!v->database)
        return error_set(error, EXIT_USAGE, "promote needs the database with the findings: --db FILE");
    if (access(v->database, F_OK) != 0)
        return error_set(error, EXIT_NO_MATCH, "%s: %m; expected a database with findings", v->database);
    int result = cmd_load_specs(&source, &plan, error);
    if (result)
        return result;
    result = cmd_fuzz_promote(&plan.specs, plan.specs_folder, v->cases, v->database, arguments, error);
    cmd_unload(&plan);
    return result;
}

static int fuzz_read_values(const struct values *v, struct fuzz_search_config *config, struct fuzz_data *data,
                            struct error *error)
{
    int result = v->execute ? read_rate(v->execute, &config->execute, error) : 0;
    if (result == 0 && v->shard)
        result = read_shard(v->shard, config, error);
    if (result == 0)
        result = choose_operators(v, config, error);
    if (result == 0)
        result = fuzz_read_word("FILL", "--fill", v->fill, &data->fill, error);
    if (result == 0)
        result = fuzz_read_word("INDICES", "--indices", v->indices, &data->indices, error);
    return result;
}

static int cmd_fuzz_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    const struct cmd_source source = {.specs = v->specs, .allow = v->allow, .half = v->half};
    struct cmd_plan plan;
    char options[CMD_REPRODUCE_OPTIONS];
    if (arguments->count && strcmp(arguments->items[0], "promote") == 0)
        return promote(v, arguments, error);
    int result = fuzz_check_values(v, error);
    if (result == 0 && v->replay && access(v->database, F_OK) != 0)
        result = error_set(error, EXIT_NO_MATCH, "%s: %m; expected a database with findings", v->database);
    struct fileuse files = {0};
    if (v->device)
        fileuse_add_device(&files, v->device);
    const char *folder[] = {v->cases};
    const struct word_list cases = {.items = folder, .count = v->cases != NULL};
    fileuse_add_plan(&files, v->specs, &cases);
    fileuse_add(&files, FILEUSE_STORE, "--db", v->database);
    int checked = fileuse_check(&files, error);
    result = result ? result : checked;
    if (result == 0)
        result = cmd_load_specs(&source, &plan, error);
    if (result)
        return result;
    struct fuzz_search_config config = {.specs = &plan.specs,
                                        .specs_folder = plan.specs_folder,
                                        .device = v->device,
                                        .reproduce_options = options,
                                        .half = v->half,
                                        .seed = v->seed,
                                        .count = v->count,
                                        .seconds = v->seconds == 0 && v->count == 0 ? SECONDS : v->seconds,
                                        .first = v->first,
                                        .shards = 1,
                                        .jobs = (unsigned)v->jobs,
                                        .timeout_ms = (unsigned)v->timeout * 1000};
    cmd_run_reproduce_options(&source, options);
    struct fuzz_past past = {0};
    struct fuzz_data data = {.seed = v->seed};
    result = fuzz_read_values(v, &config, &data, error);
    if (result == 0)
        result = load_past(v, &config, &past, error);
    runner_catch_signals();
    if (result == 0)
        result = cmd_sandbox(&v->allow, &config.sandbox, error);
    if (result == 0)
        result = arguments->count || v->replay
                     ? cmd_fuzz_probe(&config, arguments, &data, strcmp(v->format, "json") == 0, v->verbose, error)
                     : fuzz_search(v, &config, error);
    if (config.sandbox)
        sandbox_report(config.sandbox, v->device);
    sandbox_free(config.sandbox);
    fuzz_store_free(&past);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), CMD_DEVICE_HELP},
    {0, "seconds", "N", OPTION_COUNT, offsetof(struct values, seconds),
     "stop after N seconds (default: " CMD_TEXT(SECONDS) "; no limit with --count)"},
    {0, "count", "N", OPTION_COUNT, offsetof(struct values, count), "stop after N descriptions (default: no limit)"},
    {'o', "operator", "OPERATOR", OPTION_LIST, offsetof(struct values, operators), "only this operator (repeatable)"},
    {'j', "jobs", "N", OPTION_UINT, offsetof(struct values, jobs), "worker processes (default: 1)"},
    {0, "execute", "SHARE", OPTION_STRING, offsetof(struct values, execute),
     "share of the accepted legal descriptions to dispatch, from 0 to 1 (default: 0)"},
    {0, "fill", "FILL", OPTION_STRING, offsetof(struct values, fill),
     "contents of the inputs of a DESCRIPTION that is dispatched (default: ordinary)"},
    {0, "indices", "INDICES", OPTION_STRING, offsetof(struct values, indices),
     "contents of its index tensors (default: positive)"},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "seed of all descriptions (default: 0)"},
    {0, "first", "N", OPTION_UINT, offsetof(struct values, first),
     "chunk to start with; the last line of a search names its next one (default: 0)"},
    {0, "db", "FILE", OPTION_STRING, offsetof(struct values, database),
     "store findings in this database every few seconds and at the end, and vary the descriptions that it holds"},
    {0, "resume", NULL, OPTION_FLAG, offsetof(struct values, resume),
     "continue where the last search with this device and seed in --db ended"},
    {0, "replay", NULL, OPTION_FLAG, offsetof(struct values, replay),
     "only try again the descriptions in --db: findings, and those kept to be varied"},
    {0, "shard", "M/N", OPTION_STRING, offsetof(struct values, shard), "only the M-th of N parts of the search"},
    {0, "timeout", "SECONDS", OPTION_UINT, offsetof(struct values, timeout),
     "time limit for one description " CMD_DEFAULT(TIMEOUT)},
    CMD_ALLOW_OPTION(struct values, allow),
    CMD_HALF_OPTION(struct values, half),
    CMD_PROGRESS_OPTION(struct values),
    {0, "format", "NAME", OPTION_STRING, offsetof(struct values, format),
     "human, or json: one object per line, the summary last (default: human)"},
    {'v', "verbose", NULL, OPTION_FLAG, offsetof(struct values, verbose),
     "print the confusion matrix and the returned errors by rule, too"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0, "cases", "DIR", OPTION_STRING, offsetof(struct values, cases),
     "for promote: folder of case strategies (default: assay's own)"},
    {0}};

static const struct values defaults = {
    .jobs = 1, .timeout = TIMEOUT, .format = "human", .fill = "ordinary", .indices = "positive"};

const struct command cmd_fuzz = {
    .name = "fuzz",
    .arguments = "-d DEVICE [DESCRIPTION… | promote ID…]",
    .summary = "search for descriptions that a device wrongly accepts or rejects",
    .notes = "A search shows the device legal descriptions and ones that break one or more\n"
             "rules, and judges by the rules what the device does. Findings are shrunk and\n"
             "reported once for each operator, rule and kind. A DESCRIPTION, in the syntax in\n"
             "which findings are printed, is tried alone. promote makes cases of findings in\n"
             "--db, by their ids in the view fuzz_findings.\n"
             "\n"
             "The same seed and the same --db give the same findings, however --jobs, --shard\n"
             "and --first divide the search. If the device is built with clang's\n"
             "-fsanitize-coverage=inline-8bit-counters, descriptions that reach new places of\n"
             "its code are varied further; such a search is repeatable with one job only.\n",
    .examples = "assay fuzz -d ./mydevice.so --seconds 3600 -j 8\n"
                "assay fuzz -d vulkan -o GATHER --execute 0.1\n"
                "assay fuzz 'GATHER_ELEMENTS InputTensor=FLOAT32[2] IndicesTensor=UINT32[1] OutputTensor=FLOAT32[1] "
                "Axis=0' -d vulkan\n"
                "assay fuzz -d ./mydevice.so --db mine.db --resume\n"
                "assay fuzz promote 3 --db mine.db\n",
    .options = options,
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_fuzz_run};
