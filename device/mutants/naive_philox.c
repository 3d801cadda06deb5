/* naive_philox.c: RANDOM_GENERATOR, one element after the other. */
#include "device/mutants/naive.h"

#include <string.h>

enum { COUNTER = 4, STATE = 6 };

/* Adds to a counter whose lowest word comes first. */
static void naive_philox_advance(const struct naive *n, uint32_t counter[COUNTER], uint64_t by)
{
    int words = COUNTER;
    if (n->bug == BUG_PHILOX_NO_CARRY)
        words = 1;
    else if (n->bug == BUG_PHILOX_CARRY_64)
        words = 2;
    for (int i = 0; i < words; i++) {
        by += counter[i];
        counter[i] = (uint32_t)by;
        by >>= 32;
    }
}

static uint32_t high(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

/* Word `word` of the block of a counter. */
static uint32_t word_of(const struct naive *n, const uint32_t counter[COUNTER], const uint32_t key[2], uint32_t word)
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k = key[0], l = key[1];
    int rounds = n->bug == BUG_PHILOX_7 ? 7 : 10;
    for (int i = 0; i < rounds; i++) {
        uint32_t next_a = high(0xCD9E8D57, c) ^ b ^ k, next_c = high(0xD2511F53, a) ^ d ^ l;
        b = 0xCD9E8D57 * c;
        d = 0xD2511F53 * a;
        a = next_a;
        c = next_c;
        if (n->bug != BUG_PHILOX_SAME_KEY) {
            k += 0x9E3779B9;
            l += 0xBB67AE85;
        }
    }
    if (n->bug == BUG_PHILOX_WORDS_BACK)
        word = 3 - word;
    return (const uint32_t[]){a, b, c, d}[word];
}

/* The place of a word of the state in the generator: the counter, its lowest word first, then the key. */
static uint32_t naive_philox_place_of(const struct naive *n, uint32_t i)
{
    if (n->bug == BUG_PHILOX_HIGH_FIRST)
        return i < COUNTER ? COUNTER - 1 - i : i;
    return n->bug == BUG_PHILOX_KEY_FIRST ? (i + 2) % STATE : i;
}

static void write_state(const struct naive *n, const uint32_t from[STATE], uint64_t elements)
{
    struct memory to = naive_output(n, 1);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, state[STATE];
    uint64_t blocks = (elements + 3) / 4;
    memcpy(state, from, sizeof state);
    if (n->bug == BUG_STATE_FULL_BLOCKS)
        blocks = elements / 4;
    if (n->bug == BUG_STATE_BY_ELEMENT)
        blocks = elements;
    naive_philox_advance(n, state, n->bug == BUG_STATE_KEPT ? 0 : blocks);
    if (n->bug == BUG_STATE_KEY_LOST)
        state[4] = state[5] = 0;
    for (uint32_t i = 0; i < STATE; i++) {
        at[to.tensor->rank - 1] = i;
        memcpy(naive_at(&to, at), &state[naive_philox_place_of(n, i)], sizeof *state);
    }
}

void naive_philox(const struct naive *n)
{
    struct memory from = naive_input(n, 0), output = naive_output(n, 0);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, state[STATE], counter[COUNTER];
    uint64_t number = 0;
    for (uint32_t i = 0; i < STATE; i++) {
        at[from.tensor->rank - 1] = i;
        memcpy(&state[naive_philox_place_of(n, i)], naive_at(&from, at), sizeof *state);
    }
    memset(at, 0, sizeof at);
    do {
        int alone = n->bug == BUG_PHILOX_FIRST_WORD;
        memcpy(counter, state, sizeof counter);
        naive_philox_advance(n, counter, alone ? number : number / 4);
        uint32_t word = word_of(n, counter, state + COUNTER, alone ? 0 : number % 4);
        memcpy(naive_at(&output, at), &word, sizeof word);
        number++;
    } while (naive_step(output.tensor, at));
    if (n->d->outputs[1].rank > 0)
        write_state(n, state, number);
}
