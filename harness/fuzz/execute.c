#include "harness/fuzz/execute.h"

#include "harness/base/random.h"
#include "harness/case/indices.h"
#include "harness/solve/solve.h"

#include <stdio.h>
#include <stdlib.h>

enum { SMALL_MAX = 512, LARGE_MAX = 1 << 16 }; /* elements of a tensor that is dispatched */

void fuzz_check_lost(const struct trial_setup *setup, HRESULT result, const char *message)
{
    if (result != DXGI_ERROR_DEVICE_REMOVED)
        return;
    if (!message || !*message)
        message = setup->device->api->message(setup->device->device);
    fprintf(stderr, "the device is lost%s%.400s\n", message && *message ? ": " : "", message ? message : "");
    _Exit(EXIT_FAILURES);
}

bool fuzz_can_execute(const struct fuzz_rules *rules, const struct opdesc *desc, bool large)
{
    const int64_t max = large ? LARGE_MAX : SMALL_MAX;
    for (int i = -1; (i = spec_next_tensor(rules->spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        if (opdesc_elements(t) > max || t->total > 16 * (uint64_t)max || t->flags)
            return false;
    }
    const struct testcase c = {.spec = rules->spec, .desc = desc, .index_fill = INDEX_POSITIVE};
    return rules->table >= 0 && solve_indices_fit(rules->spec, desc) && indices_possible(&c);
}

struct fuzz_data fuzz_data_draw(uint64_t key)
{
    static const uint8_t fills[] = {FILL_ORDINARY, FILL_ORDINARY, FILL_SPARSE,   FILL_SPECIAL,
                                    FILL_DENORMAL, FILL_DISTINCT, FILL_COUNTING, FILL_ZERO};
    static const uint8_t indices[] = {INDEX_POSITIVE, INDEX_FIRST, INDEX_LAST, INDEX_EACH};
    return (struct fuzz_data){.seed = key, .fill = fills[key >> 32 & 7], .indices = indices[key >> 40 & 3]};
}

bool fuzz_data_simple(unsigned n, struct fuzz_data *data)
{
    static const uint8_t fills[] = {FILL_ZERO, FILL_ONE, FILL_COUNTING, FILL_DISTINCT, FILL_SPARSE, FILL_ORDINARY};
    static const uint8_t indices[] = {INDEX_FIRST, INDEX_EACH, INDEX_LAST, INDEX_POSITIVE};
    if (n >= sizeof fills * sizeof indices)
        return false;
    data->fill = fills[n / sizeof indices];
    data->indices = indices[n % sizeof indices];
    return true;
}

enum fuzz_verdict fuzz_execute(struct trial_setup *setup, const struct fuzz_rules *rules, const struct opdesc *desc,
                               const struct fuzz_data *data, char message[200])
{
    struct trial *t = calloc(1, sizeof *t);
    enum fuzz_verdict verdict = FUZZ_RIGHT_ACCEPT;
    if (!t)
        return verdict;
    t->c = (struct testcase){.name = "fuzz",
                             .strategy = "fuzz",
                             .tier = "",
                             .spec = rules->spec,
                             .desc = desc,
                             .table = rules->table,
                             .rule = -1,
                             .expect = EXPECT_RESULTS,
                             .fill = (enum fill)data->fill,
                             .index_fill = (enum index_fill)data->indices};
    t->seed = data->seed;
    setup->unexplained = true; /* a finding names no mistake, and shrinking it dispatches hundreds of descriptions */
    trial_prepare(setup, t);
    assay_dispatch_result result = {.status = E_FAIL};
    if (!t->judged) {
        const assay_dispatch_item item = {.compiled = t->objects.compiled,
                                          .inputs = t->inputs,
                                          .outputs = t->outputs,
                                          .input_count = (uint32_t)t->input_count,
                                          .output_count = (uint32_t)t->output_count};
        HRESULT status = setup->device->api->dispatch(setup->device->device, &item, 1, &result);
        result.message[sizeof result.message - 1] = '\0';
        if (FAILED(status))
            result.status = status;
        trial_judge(setup, t, &result);
    }
    trial_finish(setup, t);
    setup->unexplained = false;
    arena_reset(setup->arena);
    if (t->verdict.status == STATUS_DEVICE_LOST)
        fuzz_check_lost(setup, DXGI_ERROR_DEVICE_REMOVED, result.message);
    if (t->verdict.status == STATUS_FAIL)
        verdict = t->verdict.cause == CAUSE_MEMORY ? FUZZ_CORRUPT : FUZZ_WRONG_RESULT;
    snprintf(message, 200, "%.199s", t->message);
    free(t);
    return verdict;
}
