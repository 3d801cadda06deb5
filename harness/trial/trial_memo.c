#include "harness/trial/trial_memo.h"

#include "harness/trial/trial_internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    BUCKETS = 8192,
    CASE_BYTES = 256 << 10, /* the most bytes of a case that is kept, as trial_bytes() counts */
    MUCH = 16 << 20         /* the most bytes of all kept cases */
};

struct trial_memo {
    struct trial_memo_entry *buckets[BUCKETS];
    uint64_t bytes;
};

struct trial_memo *trial_memo_new(void)
{
    return calloc(1, sizeof(struct trial_memo));
}

static void trial_memo_clear(struct trial_memo *memo)
{
    for (size_t i = 0; i < BUCKETS; i++)
        while (memo->buckets[i]) {
            struct trial_memo_entry *entry = memo->buckets[i];
            memo->buckets[i] = entry->next;
            if (entry->interpretations)
                interpretations_free(entry->interpretations);
            free(entry->interpretations);
            free(entry);
        }
    memo->bytes = 0;
}

void trial_memo_free(struct trial_memo *memo)
{
    if (memo)
        trial_memo_clear(memo);
    free(memo);
}

void trial_memo_trim(struct trial_memo *memo)
{
    if (memo && memo->bytes > MUCH)
        trial_memo_clear(memo);
}

struct trial_memo_key trial_memo_key_of(const void *encoded, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits(encoded, size);
    return (struct trial_memo_key){.low = hash.low64, .high = hash.high64};
}

const struct trial_memo_entry *trial_memo_find(const struct trial_memo *memo, const struct trial_memo_key *key)
{
    const struct trial_memo_entry *entry = memo->buckets[key->low % BUCKETS];
    while (entry && (entry->key.low != key->low || entry->key.high != key->high || entry->key.seed != key->seed))
        entry = entry->next;
    return entry;
}

static uint64_t trial_memo_aligned(uint64_t size)
{
    return (size + 15) / 16 * 16;
}

void trial_memo_add(struct trial_memo *memo, const struct trial_memo_key *key, struct trial *t)
{
    struct trial_memo_entry **bucket = &memo->buckets[key->low % BUCKETS], *entry;
    uint64_t count = 0, bytes = 0;
    if ((key->low == 0 && key->high == 0) || trial_bytes(t) > CASE_BYTES)
        return;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0; count++)
        bytes += trial_memo_aligned(t->blocks[i].size);
    bytes += trial_memo_aligned(sizeof *entry + count * sizeof *entry->tensors);
    if (!(entry = aligned_alloc(16, bytes)))
        return;
    *entry = (struct trial_memo_entry){.next = *bucket, .key = *key, .interpretations = t->interpretations};
    *bucket = entry;
    memo->bytes += bytes;
    if (t->interpretations)
        memo->bytes += sizeof *t->interpretations + bytes * (uint64_t)t->interpretations->count;
    t->borrows = t->interpretations != NULL;
    uint8_t *at = (uint8_t *)entry + trial_memo_aligned(sizeof *entry + count * sizeof *entry->tensors);
    struct trial_memo_tensor *tensor = entry->tensors;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0; tensor++) {
        bool input = field_is_input(spec_tensor_field(t->c.spec, i));
        memcpy(at, (input ? &t->blocks[i] : &t->expected[i])->write, t->blocks[i].size);
        *tensor = (struct trial_memo_tensor){.bytes = at, .hash = t->input_hashes[i]};
        at += trial_memo_aligned(t->blocks[i].size);
    }
}
