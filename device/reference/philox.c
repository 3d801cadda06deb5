/* philox.c: RANDOM_GENERATOR. Philox 4x32-10 turns a counter of 128 bits and a key of 64 into four words. */
#include "device/reference/pick.h"

#include <string.h>

enum { WORDS = 4, STATE = 6, ROUNDS = 10 };

static void philox(const uint32_t state[STATE], uint32_t words[WORDS])
{
    uint32_t k0 = state[4], k1 = state[5];
    memcpy(words, state, WORDS * sizeof *words);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t low = (uint64_t)0xD2511F53 * words[0], high = (uint64_t)0xCD9E8D57 * words[2];
        words[0] = (uint32_t)(high >> 32) ^ words[1] ^ k0;
        words[1] = (uint32_t)high;
        words[2] = (uint32_t)(low >> 32) ^ words[3] ^ k1;
        words[3] = (uint32_t)low;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

static void advance_counter(uint32_t state[STATE])
{
    for (int i = 0; i < WORDS && ++state[i] == 0; i++)
        ;
}

void pick_random(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *from = &d->inputs[0], *drawn = &d->outputs[0], *to = &d->outputs[1];
    uint32_t state[STATE], words[WORDS], at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, used = WORDS;
    for (uint64_t i = 0; i < STATE; i++)
        memcpy(&state[i], in[0] + i * from->strides[from->rank - 1] * sizeof *state, sizeof *state);
    do {
        if (used == WORDS) {
            philox(state, words);
            advance_counter(state);
            used = 0;
        }
        memcpy(out[0] + pick_place(drawn, at), &words[used++], sizeof *words);
    } while (pick_next(drawn, DESCRIPTOR_MAX_DIMENSIONS, at));
    for (uint64_t i = 0; out[1] && i < STATE; i++)
        memcpy(out[1] + i * to->strides[to->rank - 1] * sizeof *state, &state[i], sizeof *state);
}
