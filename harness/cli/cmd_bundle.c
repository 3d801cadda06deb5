#include "harness/cli/cmd_bundle.h"

#include "harness/base/cachekey.h"
#include "harness/base/fileuse.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "harness/run/device_origin.h"
#include "harness/trial/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { DEVICES_MAX = 64 };
#define SAMPLE 100 /* cases, unless the user says otherwise */

struct values {
    const char *output, *verify, *device;
    struct word_list allow;
    uint64_t sample, seed;
};

/* Describes the suite of this program. `cases` takes the path of its strategies. */
static int find_suite(struct bundle_suite *suite, char cases[PATHS_SIZE], struct error *error)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    struct cmd_plan plan;
    struct cmd_source source = {.specs = NULL};
    int result = cmd_load_specs(&source, &plan, error);
    if (result == 0)
        result = paths_cases(NULL, cases, error);
    if (result)
        return result;
    *suite = (struct bundle_suite){.build = cachekey_build,
                                   .specs = plan.specs.hash,
                                   .cases = cachekey_folder(1, cases, endings),
                                   .cases_folder = cases};
    cmd_unload(&plan);
    return suite->cases ? 0 : error_set(error, EXIT_HARNESS, "%s: the strategies cannot be read", cases);
}

/* ---- making */

/* Finds the last run of the device that the claim is about: the only device of the database, unless -d names one. */
static int bundle_find_run(struct history *history, const char *path, const char *device, struct history_run *run,
                           struct error *error)
{
    struct history_run runs[DEVICES_MAX];
    int count = 0;
    if (device)
        return history_last_run(history, device, 0, run, error);
    int result = history_last_runs(history, runs, DEVICES_MAX, &count, error);
    if (result == 0 && count == 0)
        return error_set(error, EXIT_NO_MATCH, "%s: has no run of `assay run`", path);
    if (result == 0 && count > 1)
        return error_set(error, EXIT_USAGE, "%s: has runs of %d devices; a bundle is about one: -d '%s'", path, count,
                         runs[0].device);
    *run = runs[0];
    return result;
}

static int cmd_bundle_make(const struct values *v, const char *path, struct error *error)
{
    struct fileuse files = {0};
    struct bundle_suite suite;
    struct bundle_data members[BUNDLE_MEMBERS] = {{0}};
    struct history *history = NULL;
    struct history_run run;
    struct outfile out;
    char cases[PATHS_SIZE];
    fileuse_add(&files, FILEUSE_SOURCE, "the database", path);
    fileuse_add(&files, FILEUSE_OUTPUT, "--output", v->output);
    int result = fileuse_check(&files, error);
    if (result == 0)
        result = find_suite(&suite, cases, error);
    if (result == 0)
        result = history_open(path, &history, error);
    if (result == 0)
        result = bundle_find_run(history, path, v->device, &run, error);
    if (result == 0)
        result = bundle_make(history, &run, &suite, members, error);
    if (result == 0)
        result = outfile_open(&out, v->output, error);
    if (result == 0)
        result = outfile_end(&out, bundle_zip_write(out.out, members), "", error);
    bundle_data_free(members);
    history_close(history);
    return result;
}

/* ---- verifying */

static void bundle_print_head(const struct bundle *bundle, const char *path)
{
    text_print(stdout, path);
    printf(": a claim about ");
    text_print(stdout, bundle->run.device);
    printf(" (");
    text_print(stdout, bundle->run.device_name);
    printf(", ");
    text_print(stdout, bundle->run.device_driver);
    printf("), feature level ");
    text_print(stdout, bundle->run.feature_level);
    putchar('\n');
}

/* Prints the relation of the device here to that of the claim: the same file, or another one, which is no disagreement,
 * since the claim may be about its source. */
static void compare_device(const struct bundle *bundle, const char *device)
{
    struct origin origin;
    origin_find(&origin, device, &(struct origin_given){0});
    bool same = strcmp(origin.device_hash, bundle->run.device_hash) == 0;
    printf("  device: %s is %s of the claim", device, same ? "the file" : "another file than that");
    if (!same) {
        printf(", which has the hash ");
        text_print(stdout, *bundle->run.device_hash ? bundle->run.device_hash : "none");
    }
    putchar('\n');
}

/* Holds the results against the plan of the suite here. Adds the number of differences to `differ`. */
static int hold_plan(const struct bundle *bundle, uint64_t *differ, struct error *error)
{
    const struct cmd_source source = {.specs = NULL};
    struct cmd_plan plan;
    char **names = NULL;
    size_t count = 0, whole;
    int result = cmd_load(&source, &(struct word_list){0}, &plan, error), lines = 0;
    if (result)
        return result;
    whole = plan.plan.count;
    result = bundle_names_beyond(bundle, &plan.plan, &names, &count, error);
    if (result == 0 && count > 0)
        result = cmd_load_tiers(&source, &(struct word_list){(const char **)names, count}, &plan, error);
    if (result == 0 && (lines = bundle_check_plan(bundle, &plan.plan, whole, stdout, error)) < 0)
        result = (int)error->status;
    *differ += lines > 0 ? (uint64_t)lines : 0;
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    cmd_unload(&plan);
    return result;
}

/* Draws the seed of the sample, which the claimant must not know. */
static int draw_seed(uint64_t *seed, struct error *error)
{
    while (*seed == 0)
        if (getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
            return error_set(error, EXIT_HARNESS, "no random number for the sample: %m");
    return 0;
}

static int verify(const struct values *v, struct error *error)
{
    struct bundle bundle = {0};
    struct bundle_suite suite;
    char cases[PATHS_SIZE], device[PATHS_SIZE];
    uint64_t differ = 0, seed = v->seed;
    int result = v->device ? plugin_find(v->device, device, error) : 0;
    if (result == 0)
        result = find_suite(&suite, cases, error);
    if (result == 0)
        result = bundle_open(&bundle, v->verify, error);
    if (result == 0) {
        bundle_print_head(&bundle, v->verify);
        int count = bundle_check(&bundle, &suite, stdout, error);
        result = count < 0 ? (int)error->status : 0;
        differ = count > 0 ? (uint64_t)count : 0;
    }
    if (result == 0)
        result = hold_plan(&bundle, &differ, error);
    if (result == 0 && differ == 0)
        puts("  statement, expectations and claim follow from the results; specs, cases, lists and plan are those of "
             "this suite");
    if (result == 0)
        result = draw_seed(&seed, error);
    if (result == 0 && v->device) {
        const struct cmd_bundle_rerun how = {v->device, &v->allow, v->sample, seed};
        uint64_t verdicts = 0;
        compare_device(&bundle, v->device);
        fflush(stdout);
        result = cmd_bundle_rerun(&bundle, &how, &verdicts, error);
        differ += verdicts;
    }
    bundle_close(&bundle);
    if (result)
        return result;
    printf("verdict: %s%s\n", differ ? "the claim does not hold" : "the claim holds",
           v->device ? "" : ", as far as its file shows; -d DEVICE runs a sample again");
    return differ ? EXIT_FAILURES : 0;
}

static int cmd_bundle_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    if (v->verify && (v->output || arguments->count > 0))
        return error_set(error, EXIT_USAGE, "--verify takes a bundle, and neither a database nor --output");
    if (v->verify)
        return verify(v, error);
    if (arguments->count != 1 || !v->output)
        return error_set(error, EXIT_USAGE,
                         "bundle takes one database and the file to write: assay bundle results.db -o FILE");
    return cmd_bundle_make(v, arguments->items[0], error);
}

static const struct option options[] = {
    {'o', "output", "FILE", OPTION_STRING, offsetof(struct values, output), "the bundle to write, a ZIP file"},
    {0, "verify", "FILE", OPTION_STRING, offsetof(struct values, verify), "check this bundle instead"},
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device),
     "the device of the database that the claim is about (default: the only one); with --verify, the device to run"},
    {0, "sample", "N", OPTION_COUNT, offsetof(struct values, sample),
     "with --verify and -d: run so many of the cases again " CMD_DEFAULT(SAMPLE)},
    {0, "seed", "N", OPTION_COUNT, offsetof(struct values, seed),
     "draw the sample that an earlier --verify drew, which printed this number (default: a random sample)"},
    CMD_ALLOW_OPTION(struct values, allow),
    {0}};

static const struct values defaults = {.sample = SAMPLE};

const struct command cmd_bundle = {
    .name = "bundle",
    .arguments = "DB -o FILE, or --verify FILE [-d DEVICE]",
    .summary = "pack results for another party, who can check the claim that they make",
    .examples = "assay bundle results.db -o claim.zip\n"
                "assay bundle --verify claim.zip\n"
                "assay bundle --verify claim.zip -d ./theirdevice.so --sample 1000\n",
    .notes =
        "A bundle has the results (results.db), the statement of conformance and the known failures with their "
        "reasons, "
        "as they follow from the results, and a manifest: the device with driver, build and hash, machine, seed, "
        "verdicts, "
        "and the hashes of program, specs, cases, mustpass lists and of the other files. The same database gives the "
        "same "
        "bytes. --verify holds all of that against the results, and the results against the suite here: its plan says "
        "which cases there are. With -d it runs a random sample of the cases again, each with the inputs that it had. "
        "Exit status: 0, the claim holds; 1, a figure does not follow from the results, the suite or a "
        "verdict differs here, or no case can be run again; 3, FILE is no bundle, or damaged. reports/CLAIMS.md says "
        "what a false "
        "claim cannot hide, and what nobody can check.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_bundle_run};
