/* random.h: random numbers that depend on a key and a position only: the same on every machine and in any order. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64's finaliser: a bijection in which every output bit depends on all input bits. */
static inline uint64_t random_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* Returns number `n` of the stream `key`. */
static inline uint64_t random_at(uint64_t key, uint64_t n)
{
    return random_mix(key + (n + 1) * 0x9e3779b97f4a7c15u);
}

/* A stream: set the key, and zero the rest. */
struct random {
    uint64_t key, count;
};

static inline uint64_t random_next(struct random *r)
{
    return random_at(r->key, r->count++);
}

/* Returns a number from 0 to n - 1, for n > 0. The bias of at most n / 2^32 does not matter here. */
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

/* Returns a hash of a text, for the seed of a named thing. */
uint64_t random_hash(const char *text, uint64_t seed);

#endif
