#include "harness/fuzz_work.h"

#include "harness/fuzz_make.h"
#include "harness/marshal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct lab *lab;
    const struct fuzz_request *request;
    struct fuzz_state *state;
    struct fuzz_rules rules;
    struct fuzz_maker maker;
    struct marshal marshal;
    size_t desc_size;
    bool atoms[FUZZ_ATOMS]; /* which are broken by the base */
};

/* What the device said to one description. */
struct answer {
    HRESULT result;
    bool compiling; /* it is CompileOperator's */
    bool contradicts;
};

/* ---- one description */

static struct answer ask(struct work *w, const struct opdesc *desc)
{
    const assay_device_api *api = w->lab->device->api;
    assay_device *device = w->lab->device->device;
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    struct answer answer = {0};
    marshal_desc(w->rules.spec, desc, &w->marshal);
    answer.result = api->create_operator(device, &w->marshal.op, &op);
    answer.contradicts = SUCCEEDED(answer.result) != (op != NULL);
    if (FAILED(answer.result) || !op)
        return answer;
    answer.compiling = true;
    answer.result = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    answer.contradicts = SUCCEEDED(answer.result) != (compiled != NULL);
    if (SUCCEEDED(answer.result) && compiled)
        api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return answer;
}

/* What its result and what it left do not say together. */
static void describe(const struct answer *answer, char message[200])
{
    if (answer->contradicts)
        snprintf(message, 200, "%s %s", answer->compiling ? "CompileOperator" : "CreateOperator",
                 SUCCEEDED(answer->result) ? "succeeded, and left no result" : "failed, yet its result is not null");
}

/* A device that is lost answers nothing any more: this process is at its end. */
static void check_lost(const struct answer *answer)
{
    if (answer->result == DXGI_ERROR_DEVICE_REMOVED) {
        fputs("the device is lost\n", stderr);
        _Exit(EXIT_FAILURES);
    }
}

static bool is_too_large(const struct work *w, const struct opdesc *desc)
{
    uint64_t most = w->lab->device->info.max_tensor_bytes;
    for (int i = 0; most > 0 && i < w->rules.spec->field_count; i++)
        if (w->rules.spec->fields[i].kind != FIELD_UINT && desc->fields[i].tensor.total > most)
            return true;
    return false;
}

static enum fuzz_verdict judge(const struct work *w, const struct opdesc *desc, fuzz_broken broken,
                               const struct answer *answer)
{
    bool accepted = SUCCEEDED(answer->result);
    if (answer->contradicts)
        return FUZZ_WRONG_RESULT;
    if (answer->result == DXGI_ERROR_UNSUPPORTED && (w->lab->device->info.feature_level == 0 || is_too_large(w, desc)))
        return FUZZ_UNSUPPORTED;
    if (broken & ~w->rules.open)
        return accepted ? FUZZ_WRONG_ACCEPT : FUZZ_RIGHT_REJECT;
    if (broken)
        return accepted ? FUZZ_OPEN_ACCEPT : FUZZ_OPEN_REJECT;
    if (!accepted && is_too_large(w, desc))
        return FUZZ_UNSUPPORTED;
    return accepted ? FUZZ_RIGHT_ACCEPT : FUZZ_WRONG_REJECT;
}

/* ---- dispatching what was accepted */

static bool can_run(const struct work *w, const struct opdesc *desc)
{
    for (int i = 0; i < w->rules.spec->field_count; i++) {
        const struct opdesc_tensor *t = &desc->fields[i].tensor;
        if (w->rules.spec->fields[i].kind == FIELD_UINT)
            continue;
        if (opdesc_elements(t) > FUZZ_ELEMENTS || t->total > 16 * FUZZ_ELEMENTS || t->flags)
            return false;
    }
    return w->rules.table >= 0 && solve_indices_fit(w->rules.spec, desc);
}

/* Runs it between guards, as a case of `assay run`. */
static enum fuzz_verdict execute(struct work *w, const struct opdesc *desc, uint64_t seed, char message[200])
{
    struct trial *t = calloc(1, sizeof *t);
    enum fuzz_verdict verdict = FUZZ_RIGHT_ACCEPT;
    if (!t)
        return verdict;
    t->c = (struct testcase){.name = "fuzz",
                             .strategy = "fuzz",
                             .tier = "",
                             .spec = w->rules.spec,
                             .desc = desc,
                             .table = w->rules.table,
                             .rule = -1,
                             .expect = EXPECT_RESULTS,
                             .index_fill = INDEX_POSITIVE};
    t->seed = seed;
    trial_prepare(w->lab, t);
    if (!t->judged) {
        assay_dispatch_result result = {.status = E_FAIL};
        const assay_dispatch_item item = {.compiled = t->compiled,
                                          .inputs = t->inputs,
                                          .outputs = t->outputs,
                                          .input_count = (uint32_t)t->input_count,
                                          .output_count = (uint32_t)t->output_count};
        HRESULT status = w->lab->device->api->dispatch(w->lab->device->device, &item, 1, &result);
        if (FAILED(status))
            result.status = status;
        trial_judge(w->lab, t, &result);
    }
    trial_finish(w->lab, t);
    arena_reset(w->lab->arena);
    if (t->status == STATUS_DEVICE_LOST)
        check_lost(&(struct answer){.result = DXGI_ERROR_DEVICE_REMOVED});
    if (t->status == STATUS_FAIL)
        verdict = strstr(t->message, "wrote ") ? FUZZ_CORRUPT : FUZZ_WRONG_RESULT;
    snprintf(message, 200, "%.199s", t->message);
    w->state->counts.executed++;
    free(t);
    return verdict;
}

static void count_limits(struct work *w, const struct opdesc *desc, bool accepted)
{
    struct fuzz_limits *limits = &w->state->limits;
    for (int i = 0; i < w->rules.count; i++)
        for (unsigned slots = fuzz_slots(&w->rules, i, desc); slots; slots &= slots - 1)
            (accepted ? limits->accepted : limits->rejected)[i][__builtin_ctz(slots)]++;
}

/* ---- a chunk */

static bool is_left_out(const struct work *w, fuzz_broken broken)
{
    int rule = fuzz_blame(&w->rules, broken);
    return rule < 0 ? w->request->avoid_legal : w->request->avoid >> rule & 1;
}

static void try(struct work *w, const struct opdesc *desc, fuzz_broken broken, uint32_t index)
{
    struct fuzz_state *state = w->state;
    char message[200] = "";
    if (is_left_out(w, broken)) {
        fuzz_counts_take(&state->counts, &w->rules, broken, FUZZ_LEFT_OUT, OUTCOME_NONE);
        return;
    }
    state->broken = broken;
    atomic_store_explicit(&state->index, index, memory_order_release);
    struct answer answer = ask(w, desc);
    check_lost(&answer);
    enum fuzz_verdict verdict = judge(w, desc, broken, &answer);
    describe(&answer, message);
    uint64_t key = random_at(w->request->seed ^ w->request->chunk, index);
    if (verdict == FUZZ_RIGHT_ACCEPT && (key & 0xffff) < w->request->execute && can_run(w, desc))
        verdict = execute(w, desc, key, message);
    fuzz_counts_take(&state->counts, &w->rules, broken, verdict, outcome_of_rejection(answer.result, answer.compiling));
    state->rejecting |= verdict == FUZZ_WRONG_REJECT;
    if (state->rejecting && (verdict == FUZZ_RIGHT_ACCEPT || verdict == FUZZ_WRONG_REJECT))
        count_limits(w, desc, verdict == FUZZ_RIGHT_ACCEPT);
    if (!fuzz_is_finding(verdict))
        return;
    struct fuzz_finding finding = {
        .verdict = verdict, .result = answer.result, .position = w->request->chunk * FUZZ_CHUNK + index};
    memcpy(finding.message, message, sizeof finding.message);
    fuzz_state_keep(state, &w->rules, &finding, desc, broken);
}

static void search(struct work *w, const struct opdesc *seeds)
{
    const struct fuzz_request *request = w->request;
    struct opdesc base, *desc = &w->state->desc;
    uint64_t key = random_mix(request->seed + 1) ^ random_mix(request->chunk * 0x9e3779b97f4a7c15u + request->op);
    memset(&base, 0, sizeof base);
    memset(desc, 0, sizeof *desc);
    if (request->skip == 0)
        fuzz_state_clear(w->state);
    fuzz_maker_init(&w->maker, &w->rules, request->op, key, seeds, request->seeds);
    for (uint32_t i = 0; i < request->count; i++) {
        if (i % FUZZ_ROUND == 0) {
            fuzz_maker_base(&w->maker, &base);
            fuzz_judge(&w->rules, &base, w->atoms);
        }
        uint32_t touched = fuzz_maker_vary(&w->maker, &base, i % FUZZ_ROUND, desc);
        fuzz_broken broken = fuzz_judge_again(&w->rules, desc, w->atoms, touched);
        fuzz_maker_learn(&w->maker, desc, broken);
        if (i >= request->skip)
            try(w, desc, broken, i);
    }
}

/* One description, executed where it is legal and that is asked for. */
static void probe(struct work *w, const struct opdesc *desc)
{
    struct fuzz_finding *out = &w->state->probed;
    fuzz_broken broken = fuzz_judge(&w->rules, desc, w->atoms);
    memset(out, 0, sizeof *out);
    struct answer answer = ask(w, desc);
    check_lost(&answer);
    out->verdict = judge(w, desc, broken, &answer);
    out->rule = fuzz_blame(&w->rules, broken);
    out->broken = broken;
    out->result = answer.result;
    if (answer.contradicts)
        describe(&answer, out->message);
    else if (FAILED(answer.result))
        snprintf(out->message, sizeof out->message, "%s", w->lab->device->api->message(w->lab->device->device));
    else if (out->verdict == FUZZ_RIGHT_ACCEPT && w->request->execute && can_run(w, desc))
        out->verdict = execute(w, desc, w->request->seed, out->message);
}

bool fuzz_work(struct lab *lab, const struct spec_set *specs, const struct fuzz_request *request,
               const struct opdesc *seeds, struct fuzz_state *state)
{
    struct work *w = calloc(1, sizeof *w);
    bool good = w && request->op < (uint32_t)specs->count && request->count <= FUZZ_CHUNK &&
                fuzz_rules_init(&w->rules, &specs->specs[request->op], request->level);
    if (good) {
        w->lab = lab;
        w->request = request;
        w->state = state;
        w->desc_size = testcase_desc_size(w->rules.spec);
        if (request->what == FUZZ_SEARCH)
            search(w, seeds);
        else
            probe(w, seeds);
    }
    free(w);
    return good;
}
