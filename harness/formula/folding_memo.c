#include "harness/formula/folding_memo.h"

#include <stdlib.h>

enum { MOST = 1 << 26 /* most bytes of a memo */ };

/* Returns the number of places that have folds of their own. */
static uint64_t folding_memo_count_of(const struct memo *memo)
{
    uint64_t count = 1;
    for (uint32_t d = 0; d < memo->dims; d++)
        count *= memo->sizes[d];
    return count;
}

void memo_prepare(struct memo *memo, const uint32_t *sizes, uint32_t dims, uint32_t matters, bool asked)
{
    bool shared = asked;
    *memo = (struct memo){.prepared = true, .dims = dims};
    for (uint32_t d = 0; d < dims; d++) {
        bool alone = matters >> d & 1;
        memo->sizes[d] = alone ? sizes[d] : 1;
        shared |= !alone && sizes[d] > 1;
    }
    if (!shared || folding_memo_count_of(memo) > MOST / sizeof *memo->entries)
        return;
    memo->entries = calloc(folding_memo_count_of(memo), sizeof *memo->entries);
    memo->usable = memo->entries != NULL;
}

void memo_free(struct memo *memo)
{
    free(memo->entries);
}

struct memo_entry *memo_at(struct memo *memo, const uint32_t *place)
{
    uint64_t number = 0;
    for (uint32_t d = 0; d < memo->dims; d++)
        number = number * memo->sizes[d] + (memo->sizes[d] > 1 ? place[d] : 0);
    return &memo->entries[number];
}
