/* random.h: numbers that are a function of a key alone: the same on every machine, in every order. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64's finaliser: a bijection whose output bits all depend on all input bits. */
static inline uint64_t random_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The n-th number of the stream `key`. */
static inline uint64_t random_at(uint64_t key, uint64_t n)
{
    return random_mix(key + (n + 1) * 0x9e3779b97f4a7c15u);
}

/* A stream: zero-initialise but for the key. */
struct random {
    uint64_t key, count;
};

static inline uint64_t random_next(struct random *r)
{
    return random_at(r->key, r->count++);
}

/* From 0 up to but not including `n`; the bias of at most n/2^32 is of no matter here. n > 0. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

/* Of a text: the seed of what bears that name. */
uint64_t random_hash(const char *text, uint64_t seed);

#endif
