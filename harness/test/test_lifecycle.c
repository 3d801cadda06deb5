/* Sequences of calls: drawn sequences are legal, also in parts, and reach their purpose. */
#include "harness/base/random.h"
#include "harness/sequence/lifecycle.h"

#include "tools/tap.h"

#include <string.h>

static struct lifecycle_step steps[LIFECYCLE_STEPS];

/* Counts of a sequence. */
struct seen {
    unsigned calls[STEP_CALLS], most_alive, orphans, twice, refused;
};

/* Runs the part of a sequence for which bit i % 64 of `part` is set through the model. */
static struct seen replay(size_t count, uint64_t part)
{
    static struct lifecycle_model model;
    struct seen seen = {.refused = 0};
    unsigned alive = 0;
    memset(&model, 0, sizeof model);
    for (size_t i = 0; i < count; i++) {
        struct lifecycle_step step = steps[i];
        if (!(part >> i % 64 & 1))
            continue;
        if (!lifecycle_apply(&model, &step)) {
            seen.refused++;
            continue;
        }
        seen.calls[step.step.call]++;
        alive += step.step.call == STEP_CREATE;
        alive -= step.step.call == STEP_DESTROY_OPERATOR;
        seen.most_alive = alive > seen.most_alive ? alive : seen.most_alive;
        for (uint32_t n = 0; step.step.call == STEP_DISPATCH && n < step.step.item_count; n++) {
            const struct lifecycle_object *compiled = &model.compiled[step.items[n].compiled];
            if (!compiled->alive || compiled->device != step.step.device)
                seen.refused = 1000000;
            seen.orphans += !model.operators[compiled->op].alive;
            for (uint32_t m = 0; m < n; m++)
                seen.twice += step.items[m].compiled == step.items[n].compiled;
        }
    }
    return seen;
}

static bool ends_empty(size_t count)
{
    static struct lifecycle_model model;
    bool empty = true;
    memset(&model, 0, sizeof model);
    for (size_t i = 0; i < count; i++) {
        struct lifecycle_step step = steps[i];
        lifecycle_apply(&model, &step);
    }
    for (int i = 0; i < STEP_OBJECTS; i++)
        empty &= !model.operators[i].alive && !model.compiled[i].alive;
    for (int i = 0; i < STEP_DEVICES; i++)
        empty &= !model.opened[i];
    return empty;
}

int main(void)
{
    unsigned refused = 0, full = 0, part_refused = 0, parts = 0, wrong_items = 0;
    struct seen all = {.refused = 0};
    for (int kind = LIFECYCLE_MIXED; kind < LIFECYCLE_KINDS; kind++)
        for (uint64_t seed = 0; seed < 40; seed++) {
            const struct lifecycle wanted = {.kind = (uint8_t)kind, .steps = kind == LIFECYCLE_MANY ? 640 : 60};
            size_t count = lifecycle_draw(&wanted, seed, steps);
            struct seen seen = replay(count, ~0ull);
            refused += seen.refused;
            full += !ends_empty(count);
            for (int call = 0; call < STEP_CALLS; call++)
                all.calls[call] += seen.calls[call];
            all.most_alive = seen.most_alive > all.most_alive ? seen.most_alive : all.most_alive;
            all.orphans += seen.orphans;
            all.twice += seen.twice;
            seen = replay(count, random_mix(seed));
            part_refused += seen.refused > 0;
            wrong_items += seen.refused >= 1000000;
            parts++;
        }
    ok(refused == 0, "the model allows every step that is drawn: %u", refused);
    ok(full == 0, "nothing is left at the end: %u", full);
    ok(part_refused > parts / 2, "the model refuses calls of half a sequence that need the other half");
    ok(wrong_items == 0, "and leaves no item that is not alive: %u", wrong_items);
    ok(all.most_alive > 256, "more than 256 operators are alive at a time: %u", all.most_alive);
    ok(all.orphans > 100, "compiled operators outlive their operators: %u dispatches", all.orphans);
    ok(all.twice > 100, "and occur twice in a batch: %u times", all.twice);
    for (int call = 0; call < STEP_MEASURE; call++)
        ok(all.calls[call] > 0, "call %d is made: %u times", call, all.calls[call]);
    struct seen alone = replay(lifecycle_alone(3, steps), ~0ull);
    ok(alone.refused == 0 && alone.calls[STEP_DISPATCH] == 1 && ends_empty(LIFECYCLE_ALONE) && steps[0].desc == 3,
       "the calls that try a description alone are allowed, and leave nothing");
    const struct lifecycle wanted = {.kind = LIFECYCLE_MIXED, .steps = 60};
    static struct lifecycle_step again[LIFECYCLE_STEPS];
    size_t count = lifecycle_draw(&wanted, 7, steps);
    memcpy(again, steps, sizeof again);
    ok(lifecycle_draw(&wanted, 7, steps) == count && memcmp(steps, again, count * sizeof *steps) == 0,
       "a seed draws the same sequence again");
    bool numbered = true;
    for (size_t i = 0; i < count; i++)
        numbered &= steps[i].number == i;
    ok(numbered, "the calls are numbered");
    return tap_done();
}
