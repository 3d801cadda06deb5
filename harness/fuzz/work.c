#include "harness/fuzz/work.h"

#include "harness/fuzz/code_coverage.h"
#include "harness/fuzz/execute.h"
#include "harness/fuzz/make.h"
#include "harness/describe/marshal.h"

#include <stdio.h>
#include <string.h>

struct work {
    struct trial_setup *setup;
    const struct fuzz_request *request;
    struct fuzz_state *state;
    struct fuzz_rules rules;
    struct fuzz_maker maker;
    struct marshal marshal;
    struct opdesc base;
    fuzz_broken broken[FUZZ_BATCH]; /* by the variants of the batch */
    bool leaves_out;                /* the request says so of some descriptions */
    const struct fuzz_guard *guard;
};

/* The device's answer to one description. */
struct answer {
    HRESULT result;
    bool compiling;   /* the result is that of CompileOperator */
    bool contradicts; /* success without an object, or failure with one */
};

/* ---- one description */

static struct answer create_and_compile(struct work *w, const struct opdesc *desc)
{
    const assay_device_api *api = w->setup->device->api;
    assay_device *device = w->setup->device->device;
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    struct answer answer = {0};
    marshal_desc(w->rules.spec, desc, &w->marshal);
    answer.result = api->create_operator(device, &w->marshal.op, &op);
    answer.contradicts = SUCCEEDED(answer.result) != (op != NULL);
    if (FAILED(answer.result) || !op)
        return answer;
    answer.compiling = true;
    answer.result = api->compile_operator(device, op, trial_flags(w->setup), &compiled);
    answer.contradicts = SUCCEEDED(answer.result) != (compiled != NULL);
    if (SUCCEEDED(answer.result) && compiled)
        api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return answer;
}

static void describe_contradiction(const struct answer *answer, char message[200])
{
    if (answer->contradicts)
        snprintf(message, 200, "%s %s", answer->compiling ? "CompileOperator" : "CreateOperator",
                 SUCCEEDED(answer->result) ? "succeeded, and left no result" : "failed, yet its result is not null");
}

static bool work_is_too_large(const struct work *w, const struct opdesc *desc)
{
    uint64_t max = w->setup->device->info.max_tensor_bytes;
    for (int i = -1; max > 0 && (i = spec_next_tensor(w->rules.spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.total > max)
            return true;
    return false;
}

/* Returns true if a total size is not a multiple of 4, which a device may require (ruling B3). */
static bool has_odd_total(const struct work *w, const struct opdesc *desc)
{
    for (int i = -1; (i = spec_next_tensor(w->rules.spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && desc->items[i].tensor.total % 4 != 0)
            return true;
    return false;
}

static enum fuzz_verdict work_judge(const struct work *w, const struct opdesc *desc, fuzz_broken broken,
                                    const struct answer *answer)
{
    bool accepted = SUCCEEDED(answer->result);
    if (answer->contradicts)
        return FUZZ_WRONG_RESULT;
    if (answer->result == DXGI_ERROR_UNSUPPORTED &&
        (w->setup->device->info.feature_level == 0 || work_is_too_large(w, desc)))
        return FUZZ_UNSUPPORTED;
    if (broken & ~w->rules.open)
        return accepted ? FUZZ_WRONG_ACCEPT : FUZZ_RIGHT_REJECT;
    if (broken)
        return accepted ? FUZZ_OPEN_ACCEPT : FUZZ_OPEN_REJECT;
    if (!accepted && work_is_too_large(w, desc))
        return FUZZ_UNSUPPORTED;
    if (!accepted && has_odd_total(w, desc))
        return FUZZ_OPEN_REJECT;
    return accepted ? FUZZ_RIGHT_ACCEPT : FUZZ_WRONG_REJECT;
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

/* Leaves `message` unchanged if nothing is harmed. */
static bool check_harm(const struct work *w, char message[200])
{
    char text[200];
    bool harmed = w->guard->harmed(w->guard->context, text, sizeof text);
    if (harmed)
        memcpy(message, text, sizeof text);
    return harmed;
}

/* In a watched chunk, a device that writes over the shared memory crashes at once. */
static void work_protect(const struct work *w, bool on)
{
    if (w->request->watch)
        w->guard->protect(w->guard->context, on);
}

/* The accepted descriptions that are dispatched. */
enum execution { EXECUTE_NONE, EXECUTE_SMALL, EXECUTE_ALL };

/* Gives a description to the device and judges its answer. */
static enum fuzz_verdict try_on_device(struct work *w, const struct opdesc *desc, fuzz_broken broken,
                                       enum execution execute, struct answer *answer, char message[200])
{
    struct fuzz_state *state = w->state;
    state->executing = false;
    work_protect(w, true);
    *answer = create_and_compile(w, desc);
    work_protect(w, false);
    fuzz_check_lost(w->setup, answer->result, NULL);
    enum fuzz_verdict verdict = work_judge(w, desc, broken, answer);
    describe_contradiction(answer, message);
    state->executing = execute != EXECUTE_NONE && verdict == FUZZ_RIGHT_ACCEPT &&
                       fuzz_can_execute(&w->rules, desc, execute == EXECUTE_ALL);
    if (state->executing) {
        const struct fuzz_data data = state->data;
        work_protect(w, true);
        verdict = fuzz_execute(w->setup, &w->rules, desc, &data, message);
        work_protect(w, false);
        state->counts.executed++;
    }
    if (w->request->watch && check_harm(w, message))
        verdict = FUZZ_HARMED;
    return verdict;
}

/* One in eight of the dispatched descriptions may be large: mistakes may begin beyond 1,024 elements. */
static enum execution choose_execution(const struct work *w, uint64_t key)
{
    if ((key & 0xffff) >= w->request->execute)
        return EXECUTE_NONE;
    return (key >> 16 & 7) == 0 ? EXECUTE_ALL : EXECUTE_SMALL;
}

static void work_try(struct work *w, const struct opdesc *desc, fuzz_broken broken, uint32_t index)
{
    struct fuzz_state *state = w->state;
    struct answer answer;
    char message[200];
    *message = '\0'; /* the rest is not read */
    if (w->leaves_out && is_left_out(w, broken)) {
        fuzz_counts_record(&state->counts, &w->rules, broken, FUZZ_LEFT_OUT, OUTCOME_NONE);
        return;
    }
    uint64_t key = random_at(w->request->seed ^ w->request->chunk, index);
    state->broken = broken;
    state->data = fuzz_data_draw(key);
    atomic_store_explicit(&state->index, index, memory_order_release);
    enum fuzz_verdict verdict = try_on_device(w, desc, broken, choose_execution(w, key), &answer, message);
    fuzz_counts_record(&state->counts, &w->rules, broken, verdict,
                       outcome_of_rejection(answer.result, answer.compiling));
    state->rejecting |= verdict == FUZZ_WRONG_REJECT;
    if (state->rejecting && (verdict == FUZZ_RIGHT_ACCEPT || verdict == FUZZ_WRONG_REJECT))
        count_limits(w, desc, verdict == FUZZ_RIGHT_ACCEPT);
    if (!fuzz_is_finding(verdict))
        return;
    struct fuzz_finding finding = {.verdict = verdict,
                                   .executed = state->executing,
                                   .data = state->data,
                                   .result = answer.result,
                                   .position = w->request->chunk * FUZZ_CHUNK + index};
    snprintf(finding.message, sizeof finding.message, "%s", message);
    fuzz_state_keep(state, &w->rules, &finding, desc, broken);
}

/* Keeps a description that is new in some way, for the rest of the chunk and for later searches. */
static void learn(struct work *w, const struct opdesc *desc, fuzz_broken broken, uint32_t index)
{
    struct fuzz_state *state = w->state;
    int32_t edge = code_coverage_take(state->edges);
    bool fresh = fuzz_maker_learn(&w->maker, desc, broken, edge >= 0);
    bool known = index < w->request->skip || !fresh || (edge < 0 && __builtin_popcountll(broken) > 2);
    if (known || state->kept_count == FUZZ_KEPT)
        return;
    struct fuzz_kept *kept = &state->kept[state->kept_count++];
    kept->position = w->request->chunk * FUZZ_CHUNK + index;
    kept->broken = broken;
    kept->edge = edge;
    opdesc_copy(&kept->desc, desc);
}

/* Makes and judges a batch of variants, from number `first` of the chunk on. */
static void work_make(struct work *w, uint32_t first, uint32_t count)
{
    fuzz_state_make_room(w->state, first);
    struct opdesc *variants = fuzz_state_desc(w->state, first);
    struct fuzz_variant made[FUZZ_BATCH];
    _Static_assert(FUZZ_ROUND % FUZZ_BATCH == 0, "a batch has one base");
    for (uint32_t i = 0; i < count; i++)
        made[i] = fuzz_maker_vary(&w->maker, &w->base, (first + i) % FUZZ_ROUND, &variants[i]);
    for (uint32_t i = 0; i < count; i++)
        w->broken[i] = fuzz_maker_judge(&w->maker, made[i], &variants[i]);
}

static void work_search(struct work *w, const struct opdesc *seeds)
{
    const struct fuzz_request *request = w->request;
    uint64_t key = random_mix(request->seed + 1) ^ random_mix(request->chunk * 0x9e3779b97f4a7c15u + request->op);
    spec_blank(w->rules.spec, &w->base);
    if (request->skip == 0)
        fuzz_state_clear(w->state);
    code_coverage_clear();
    fuzz_maker_init(&w->maker, &w->rules, request->op, key, seeds, request->seeds);
    for (uint32_t i = 0; i < request->count; i++) {
        if (i % FUZZ_ROUND == 0)
            fuzz_maker_base(&w->maker, &w->base);
        if (i % FUZZ_BATCH == 0)
            work_make(w, i, request->count - i < FUZZ_BATCH ? request->count - i : FUZZ_BATCH);
        const struct opdesc *desc = fuzz_state_desc(w->state, i);
        if (i >= request->skip)
            work_try(w, desc, w->broken[i % FUZZ_BATCH], i);
        learn(w, desc, w->broken[i % FUZZ_BATCH], i);
    }
    check_harm(w, w->state->harmed);
}

static void work_probe(struct work *w, const struct opdesc *desc)
{
    struct fuzz_finding *out = &w->state->probed;
    fuzz_broken broken = fuzz_judge(&w->rules, desc);
    struct answer answer;
    char message[200] = ""; /* not in shared memory, which may be protected */
    memset(out, 0, sizeof *out);
    spec_blank(w->rules.spec, &out->desc);
    memset(w->state->edges, 0, sizeof w->state->edges);
    code_coverage_clear();
    w->state->data = w->request->data;
    out->verdict =
        try_on_device(w, desc, broken, w->request->execute > 0 ? EXECUTE_ALL : EXECUTE_NONE, &answer, message);
    memcpy(out->message, message, sizeof message);
    code_coverage_take(w->state->edges);
    out->executed = w->state->executing;
    out->data = w->state->data;
    out->rule = fuzz_blame(&w->rules, broken);
    out->broken = broken;
    out->result = answer.result;
    if (FAILED(answer.result) && !*out->message)
        snprintf(out->message, sizeof out->message, "%s", w->setup->device->api->message(w->setup->device->device));
}

bool fuzz_work(struct trial_setup *setup, const struct spec_set *specs, const struct fuzz_request *request,
               const struct opdesc *seeds, const struct fuzz_guard *guard, struct fuzz_state *state)
{
    static struct work work; /* half a MiB: new memory for each chunk would take the kernel as long as 2 % of it */
    struct work *w = &work;
    if (request->op >= (uint32_t)specs->count || request->count > FUZZ_CHUNK ||
        !fuzz_rules_init(&w->rules, &specs->specs[request->op], request->level))
        return false;
    memset(&w->marshal, 0, sizeof w->marshal); /* nothing of another operator between the members */
    w->setup = setup;
    w->request = request;
    w->state = state;
    w->guard = guard;
    w->leaves_out = request->avoid || request->avoid_legal;
    if (request->what == FUZZ_SEARCH)
        work_search(w, seeds);
    else
        work_probe(w, seeds);
    return true;
}
