/* trial_memo.h: keeps the data that is the same in every attempt at a case, so that a repeated case is not computed
 * again: the contents of its inputs, the expected outputs, the interpretations. The device's memory is not among
 * them. */
#ifndef TRIAL_TRIAL_MEMO_H
#define TRIAL_TRIAL_MEMO_H

#include "harness/trial/interpretation.h"

#include <stdint.h>

struct trial;
struct trial_memo;

/* Identifies a case and the seed of its contents. The key has so many bits that no two cases have the same by
 * chance. */
struct trial_memo_key {
    uint64_t low, high; /* the hash of the case; both 0: the case is not kept */
    uint64_t seed;
};

/* The contents of an input, with their hash, or an expected output. */
struct trial_memo_tensor {
    const uint8_t *bytes;
    uint64_t hash;
};

struct trial_memo_entry {
    struct trial_memo_entry *next;
    struct trial_memo_key key;
    struct interpretations *interpretations; /* null: the case has none */
    struct trial_memo_tensor tensors[]; /* the tensors in the order of testcase_next_tensor(); their bytes follow */
};

/* Returns an empty memo; null if memory runs out. */
struct trial_memo *trial_memo_new(void);
void trial_memo_free(struct trial_memo *memo);

/* Returns the key of an encoded case, without the seed of its contents. */
struct trial_memo_key trial_memo_key_of(const void *encoded, size_t size);

/* Returns the kept entry; null if the case is not kept. */
const struct trial_memo_entry *trial_memo_find(const struct trial_memo *memo, const struct trial_memo_key *key);

/* Keeps the tensors and interpretations that a trial has made; the trial then borrows the interpretations. Keeps no
 * case with many bytes. */
void trial_memo_add(struct trial_memo *memo, const struct trial_memo_key *key, struct trial *t);

/* Frees all entries if they take much memory. No trial may use an entry any more. */
void trial_memo_trim(struct trial_memo *memo);

#endif
