/* Counts the outcome of each description: by_broken and by_rule are the confusion matrix. */
#include "harness/fuzz/state.h"

#include "harness/case/testcase.h"
#include "harness/fuzz/weigh.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const fuzz_verdict_names[FUZZ_VERDICTS + 1] = {
    "right accept",   "right reject", "wrong accept", "wrong reject", "crash",       "hang",     "corrupt memory",
    "harmed process", "wrong result", "open accept",  "open reject",  "unsupported", "left out", NULL};
const char *const fuzz_verdict_keys[FUZZ_VERDICTS + 1] = {
    "right_accept",   "right_reject", "wrong_accept", "wrong_reject", "crash",       "hang",     "corrupt_memory",
    "harmed_process", "wrong_result", "open_accept",  "open_reject",  "unsupported", "left_out", NULL};

bool fuzz_is_finding(enum fuzz_verdict verdict)
{
    return verdict >= FUZZ_WRONG_ACCEPT && verdict <= FUZZ_WRONG_RESULT;
}

void fuzz_finding_name(const char *operator_name, const char *rule, enum fuzz_verdict verdict, char *name, size_t size)
{
    snprintf(name, size, "%s.search.%s.%s", operator_name, *rule ? rule : "legal", fuzz_verdict_names[verdict]);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
}

enum status fuzz_finding_status(enum fuzz_verdict verdict)
{
    switch (verdict) {
    case FUZZ_CRASH:
        return STATUS_CRASH;
    case FUZZ_HANG:
        return STATUS_TIMEOUT;
    default:
        return STATUS_FAIL;
    }
}

/* ---- counts */

void fuzz_counts_add(struct fuzz_counts *to, const struct fuzz_counts *from)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *more = (const uint64_t *)from;
    _Static_assert(sizeof *to % sizeof *sum == 0, "all members are uint64_t");
    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++)
        sum[i] += more[i];
}

void fuzz_counts_record(struct fuzz_counts *counts, const struct fuzz_rules *rules, fuzz_broken broken,
                        enum fuzz_verdict verdict, enum outcome outcome)
{
    int count = fuzz_count(rules, broken), first = -1;
    counts->tried++;
    counts->by_broken[count][verdict]++;
    /* Open rules count only if no other rule is broken: otherwise the others decide the verdict. */
    for (fuzz_broken rest = count ? broken & ~rules->open : broken; rest; rest &= rest - 1) {
        int rule = __builtin_ctzll(rest);
        counts->by_rule[rule][count ? count - 1 : 0][verdict]++;
        if (count == 1)
            counts->alone[rule][outcome]++;
        if (count == 2 && first >= 0)
            counts->pairs[first][rule][outcome]++;
        first = rule;
    }
}

/* ---- findings */

void fuzz_state_clear(struct fuzz_state *state)
{
    memset(&state->counts, 0, sizeof state->counts);
    memset(state->seen, 0, sizeof state->seen);
    if (state->rejecting)
        memset(&state->limits, 0, sizeof state->limits);
    memset(state->edges, 0, sizeof state->edges);
    state->rejecting = state->executing = false;
    state->finding_count = state->kept_count = 0;
    *state->harmed = '\0';
}

/* Copies a part of the state: the members from `first` on that come before `end`. */
#define COPY_MEMBERS(to, from, first, end)                                                                             \
    memcpy((char *)(to) + offsetof(struct fuzz_state, first),                                                          \
           (const char *)(from) + offsetof(struct fuzz_state, first),                                                  \
           offsetof(struct fuzz_state, end) - offsetof(struct fuzz_state, first))

void fuzz_state_copy(struct fuzz_state *to, const struct fuzz_state *from)
{
    const uint32_t tried = atomic_load(&from->index) % (2 * FUZZ_BATCH);
    size_t findings = from->finding_count, kept = from->kept_count;
    if (findings > sizeof from->findings / sizeof *from->findings)
        findings = 0; /* the state is not sound */
    if (kept > FUZZ_KEPT)
        kept = 0;
    COPY_MEMBERS(to, from, index, descs);
    to->descs[tried] = from->descs[tried];
    COPY_MEMBERS(to, from, kept_index, findings);
    memcpy(to->findings, from->findings, findings * sizeof *from->findings);
    COPY_MEMBERS(to, from, probed, kept);
    memcpy(to->kept, from->kept, kept * sizeof *from->kept);
    COPY_MEMBERS(to, from, edges, end);
}

void fuzz_state_make_room(struct fuzz_state *state, uint32_t first)
{
    const uint32_t index = atomic_load_explicit(&state->index, memory_order_relaxed);
    if (index >= FUZZ_CHUNK || index == state->kept_index || index / FUZZ_BATCH + 2 > first / FUZZ_BATCH)
        return;
    opdesc_copy(&state->kept_desc, fuzz_state_desc(state, index));
    atomic_store_explicit(&state->kept_index, index, memory_order_release);
}

/* Returns true if a wrong rejection occupies a slot that no kept rejection occupies; marks its slots. */
static bool has_new_slot(struct fuzz_state *state, const struct fuzz_rules *rules, const struct opdesc *desc)
{
    bool fresh = false;
    for (int i = 0; i < rules->count; i++) {
        uint16_t slots = fuzz_slots(rules, i, desc);
        fresh |= (slots & ~state->seen[i]) != 0;
        state->seen[i] |= slots;
    }
    return fresh;
}

void fuzz_state_keep(struct fuzz_state *state, const struct fuzz_rules *rules, const struct fuzz_finding *finding,
                     const struct opdesc *desc, fuzz_broken broken)
{
    int rule = fuzz_blame(rules, broken);
    struct fuzz_finding *kept = NULL;
    uint64_t count = 1;
    if (finding->verdict == FUZZ_WRONG_REJECT && !has_new_slot(state, rules, desc))
        return;
    for (uint32_t i = 0; i < state->finding_count && !kept && finding->verdict != FUZZ_WRONG_REJECT; i++)
        if (state->findings[i].verdict == finding->verdict && state->findings[i].rule == rule)
            kept = &state->findings[i];
    if (kept) {
        struct fuzz_weight old = fuzz_weigh(rules, &kept->desc, kept->broken), new = fuzz_weigh(rules, desc, broken);
        count = ++kept->count;
        if (!fuzz_lighter(&new, &old))
            return;
    } else if (state->finding_count < sizeof state->findings / sizeof *state->findings) {
        kept = &state->findings[state->finding_count++];
    } else {
        return;
    }
    *kept = *finding;
    kept->count = count;
    kept->rule = rule;
    kept->broken = broken;
    opdesc_copy(&kept->desc, desc);
}
