/* test_fuzz_state.c: the description that was tried last stays in the state of a search, however many are made after it
 * and left out. */
#include "harness/fuzz/state.h"
#include "tools/tap.h"

#include <stdlib.h>

enum { BATCHES = 8 };

/* Makes a batch: each description's `given` is its number. */
static void make(struct fuzz_state *state, uint32_t first)
{
    fuzz_state_make_room(state, first);
    for (uint32_t i = first; i < first + FUZZ_BATCH; i++)
        *fuzz_state_desc(state, i) = (struct opdesc){.size = sizeof(struct opdesc), .given = i};
}

/* Whether the last one tried is there after each batch, if each `step`-th description of the first `batches_tried`
 * batches is tried. */
static int stays(struct fuzz_state *state, uint32_t step, uint32_t batches_tried)
{
    int right = 1;
    atomic_store(&state->index, FUZZ_CHUNK);
    atomic_store(&state->kept_index, FUZZ_CHUNK);
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        make(state, batch * FUZZ_BATCH);
        for (uint32_t i = 0; i < FUZZ_BATCH && batch < batches_tried; i += step)
            atomic_store(&state->index, batch * FUZZ_BATCH + i);
        uint32_t index = atomic_load(&state->index);
        right = right && fuzz_state_tried(state, index)->given == index;
    }
    return right;
}

int main(void)
{
    struct fuzz_state *state = calloc(1, sizeof *state);
    if (!ok(state != NULL, "a state"))
        return tap_done();
    ok(stays(state, 1, BATCHES), "where all are tried");
    ok(stays(state, 7, BATCHES), "where some are left out");
    ok(stays(state, 1, 1), "where all but the first batch is left out");
    ok(stays(state, FUZZ_BATCH, 3), "where one of each of three batches is tried, and none after them");
    free(state);
    return tap_done();
}
