/* A case whose explanation runs out of time has none: by then, only some of the mistakes that predict a wrong result
 * have been tried, perhaps not the mistake that was made. */
#include "harness/base/working.h"
#include "harness/plan/plan.h"
#include "harness/cli/builtins.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/explain.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { WHOLE = 6, SAMPLE = 2, HOUR = 3600, NEVER = 1 << 30, PATIENT_MS = 2 * HOUR * 1000 };

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;
static int reads, last_good_read = NEVER; /* reads of the clock: after the last good read, the clock is an hour late */

static int reports; /* calls of working_report() */

static void count_report(void *context)
{
    (void)context;
    reports++;
}

/* This function replaces the one of the C library. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    long status = syscall(SYS_clock_gettime, clock, now);
    if (++reads > last_good_read)
        now->tv_sec += HOUR;
    return (int)status;
}

/* Returns the diagnosis of the first dispatch of a case, with a clock that is good for some reads. `limit_ms` 0: the
 * limit is not known. */
static struct diagnosis diagnose(const struct testcase *c, struct plugin *device, int good_reads, uint64_t limit_ms)
{
    struct trial_setup setup = {.device = device, .reference = &reference, .arena = arena_new(), .limit_ms = limit_ms};
    working_set(count_report, NULL);
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    assay_dispatch_result result = {.status = E_FAIL};
    trial_prepare(&setup, &t);
    if (!t.judged) {
        const assay_dispatch_item item = {t.objects.compiled, t.inputs, t.outputs, (uint32_t)t.input_count,
                                          (uint32_t)t.output_count};
        device->api->dispatch(device->device, &item, 1, &result);
        reads = reports = 0;
        last_good_read = good_reads;
        trial_judge(&setup, &t, &result);
        last_good_read = NEVER;
    }
    trial_finish(&setup, &t);
    arena_free(setup.arena);
    return t.symptoms.diagnosis;
}

static bool has_same_explanations(const explanation_set *a, const explanation_set *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Diagnoses a case of a mutant with the clock late from each read on. Returns the number of diagnoses without an
 * explanation; -1: a diagnosis has a part of the explanations. */
static int late_reads(const struct testcase *c, struct plugin *mutant, const explanation_set *all, int total)
{
    char some[EXPLANATIONS_SIZE];
    int none = 0;
    for (int good = 0; good <= total; good++) {
        const struct diagnosis diagnosis = diagnose(c, mutant, good, 0);
        const bool empty = explanations_are_none(&diagnosis.explanations);
        none += diagnosis.given && empty;
        if (!diagnosis.given || (!empty && !has_same_explanations(&diagnosis.explanations, all))) {
            note("%s, %d of %d reads: %s", c->name, good, total, explanations_print(&diagnosis, some));
            return -1;
        }
    }
    return none;
}

/* Returns true if a late clock changes nothing as long as the limit of the case is long. */
static bool is_patient(const struct testcase *c, struct plugin *mutant, const struct diagnosis *diagnosis)
{
    const struct diagnosis late = diagnose(c, mutant, 1, PATIENT_MS);
    return has_same_explanations(&late.explanations, &diagnosis->explanations);
}

static void test_mutant(const char *fault)
{
    struct plugin mutant;
    struct error error = {0};
    char path[512];
    const char *folder = getenv("ASSAY_DEVICES");
    const int cases = sampled_whole ? WHOLE : SAMPLE;
    int explained = 0, partly = 0, late = 0, patient = 0, reported = 0;
    snprintf(path, sizeof path, "%s/mutants.so:fault=%s", folder ? folder : "build/devices", fault);
    if (!ok(plugin_open(&mutant, path, &specs, NULL, &error) == 0, "mutant %s opens %s", fault, error.text))
        return;
    for (size_t i = 0; i < plan.count && explained < cases; i++) {
        if (plan.cases[i].expect != EXPECT_RESULTS)
            continue;
        const struct diagnosis diagnosis = diagnose(&plan.cases[i], &mutant, NEVER, 0);
        if (!diagnosis.given || explanations_are_none(&diagnosis.explanations))
            continue;
        patient += is_patient(&plan.cases[i], &mutant, &diagnosis);
        reported += reports > reads / 2; /* other parts of the judge read the clock, too */
        int none = late_reads(&plan.cases[i], &mutant, &diagnosis.explanations, reads);
        explained++;
        partly += none < 0;
        late += none > 1;
    }
    ok(explained == cases, "%s: %d cases are explained", fault, explained);
    ok(late == cases, "  %d of them are not, when time runs out at several places", late);
    ok(partly == 0, "  and %d only in part", partly);
    ok(reported == cases, "  %d tell the caller all along that they are explained", reported);
    ok(patient == cases, "  %d are, if their limit is so long that the clock may be late", patient);
    plugin_close(&mutant);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    const char *operators[] = {"GATHER", "NONZERO_COORDINATES", "SCATTER_ND"};
    struct plan_filter filter = {.cache = kept_plan(), .operators = operators, .operator_count = 3};
    struct error error = {0};
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &filter, &error) ||
        plugin_open_reference(&reference, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_mutant("negative-twice");
    test_mutant("fractions-missed");
    test_mutant("tail-literal");
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
