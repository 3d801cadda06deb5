/* The corpus, for later searches: the first description that breaks exactly a set of at most two rules, for each such
 * set, and each description that first reached a place in the device's code. */
#include "harness/fuzz/fuzz_judge.h"
#include "harness/fuzz/search.h"

#include <stdlib.h>
#include <string.h>

static int corpus_append(struct fuzz_tally *tally, const struct fuzz_kept *kept, struct error *error)
{
    if ((tally->kept_count & (tally->kept_count - 1)) == 0) {
        size_t room = tally->kept_count ? 2 * tally->kept_count : 1;
        struct fuzz_kept *grown = realloc(tally->kept, room * sizeof *grown);
        if (!grown)
            return error_set(error, EXIT_HARNESS, "out of memory");
        tally->kept = grown;
    }
    tally->kept[tally->kept_count++] = *kept;
    return 0;
}

static bool is_reached(const struct fuzz_search *search, int32_t edge)
{
    return edge < 0 || search->edges[edge / 64] >> edge % 64 & 1;
}

/* If two descriptions break the same rules, keeps the one with the lower position, whichever chunk ends first. */
static int corpus_keep(struct fuzz_search *search, struct fuzz_tally *tally, const struct fuzz_kept *kept,
                       struct error *error)
{
    if (!is_reached(search, kept->edge))
        return corpus_append(tally, kept, error);
    if (__builtin_popcountll(kept->broken) > 2)
        return 0;
    for (size_t i = 0; i < tally->kept_count; i++) {
        struct fuzz_kept *other = &tally->kept[i];
        if (other->broken != kept->broken || other->edge >= 0)
            continue;
        if (i >= tally->kept_seeds && kept->position < other->position) {
            *other = *kept;
            other->edge = -1;
        }
        return 0;
    }
    struct fuzz_kept one = *kept;
    one.edge = -1;
    return corpus_append(tally, &one, error);
}

void fuzz_corpus_add_edges(struct fuzz_search *search, const struct fuzz_state *state)
{
    for (int i = 0; i < FUZZ_EDGES / 64; i++)
        search->edges[i] |= state->edges[i];
}

int fuzz_corpus_add(struct fuzz_search *search, unsigned op, const struct fuzz_state *state, struct error *error)
{
    int result = 0;
    for (uint32_t i = 0; i < state->kept_count && result == 0; i++)
        result = corpus_keep(search, search->tallies[op], &state->kept[i], error);
    fuzz_corpus_add_edges(search, state);
    return result;
}

int fuzz_corpus_add_seed(struct fuzz_search *search, const struct fuzz_seed *seed, struct error *error)
{
    struct fuzz_tally *tally = search->tallies[seed->op];
    struct fuzz_kept kept = {.desc = seed->desc, .edge = seed->why == FUZZ_SEED_CODE ? INT32_MAX : -1};
    if (!tally || seed->why == FUZZ_SEED_FINDING)
        return 0;
    kept.broken = fuzz_judge(&tally->rules, &seed->desc);
    int result = corpus_append(tally, &kept, error);
    tally->kept_seeds = tally->kept_count;
    return result;
}

unsigned fuzz_corpus_edge_count(const struct fuzz_search *search)
{
    unsigned count = 0;
    for (int i = 0; i < FUZZ_EDGES / 64; i++)
        count += (unsigned)__builtin_popcountll(search->edges[i]);
    return count;
}
