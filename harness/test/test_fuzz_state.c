/* test_fuzz_state.c: the description that was tried last stays in the state of a search, however many are made after it
 * and left out. A copy has all that the state holds. */
#include "harness/fuzz/state.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { BATCHES = 8 };

/* Makes a batch: each description's `given` is its number. */
static void test_fuzz_state_make(struct fuzz_state *state, uint32_t first)
{
    fuzz_state_make_room(state, first);
    for (uint32_t i = first; i < first + FUZZ_BATCH; i++)
        *fuzz_state_desc(state, i) = (struct opdesc){.size = sizeof(struct opdesc), .given = i};
}

/* Returns true if the last description that was tried is there after each batch, when each `step`-th description of the
 * first `batches_tried` batches is tried. */
static int stays(struct fuzz_state *state, uint32_t step, uint32_t batches_tried)
{
    int right = 1;
    atomic_store(&state->index, FUZZ_CHUNK);
    atomic_store(&state->kept_index, FUZZ_CHUNK);
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        test_fuzz_state_make(state, batch * FUZZ_BATCH);
        for (uint32_t i = 0; i < FUZZ_BATCH && batch < batches_tried; i += step)
            atomic_store(&state->index, batch * FUZZ_BATCH + i);
        uint32_t index = atomic_load(&state->index);
        right = right && fuzz_state_tried(state, index)->given == index;
    }
    return right;
}

/* Returns 1 if a copy of a state with so many findings and descriptions equals it in all bytes but those of places that
 * hold none. */
static int copies(uint32_t index, uint32_t findings, uint32_t kept, size_t held_findings, size_t held_kept)
{
    struct fuzz_state *from = malloc(sizeof *from), *to = calloc(1, sizeof *to);
    int right = from && to;
    if (right) {
        memset(from, 1, sizeof *from);
        atomic_store(&from->index, index);
        from->finding_count = findings;
        from->kept_count = kept;
        fuzz_state_copy(to, from);
        for (uint32_t i = 0; i < 2 * FUZZ_BATCH; i++)
            if (i != index % (2 * FUZZ_BATCH))
                memset(&from->descs[i], 0, sizeof from->descs[i]);
        memset(from->findings + held_findings, 0, sizeof from->findings - held_findings * sizeof *from->findings);
        memset(from->kept + held_kept, 0, sizeof from->kept - held_kept * sizeof *from->kept);
        right = memcmp(from, to, sizeof *from) == 0;
    }
    free(from);
    free(to);
    return right;
}

int main(void)
{
    struct fuzz_state *state = calloc(1, sizeof *state);
    if (!ok(state != NULL, "a state"))
        return tap_done();
    ok(stays(state, 1, BATCHES), "all descriptions are tried");
    ok(stays(state, 7, BATCHES), "some are left out");
    ok(stays(state, 1, 1), "all batches but the first are left out");
    ok(stays(state, FUZZ_BATCH, 3), "one of each of three batches is tried, and none after them");
    ok(copies(300, 3, 5, 3, 5), "a copy has what is held, and the description that was tried");
    ok(copies(FUZZ_CHUNK, 0, FUZZ_KEPT, 0, FUZZ_KEPT), "if none has been tried, and if all places are taken, too");
    ok(copies(7, UINT32_MAX, FUZZ_KEPT + 1, 0, 0),
       "it has no more than these of the counts that a device has overwritten");
    free(state);
    return tap_done();
}
