/* random.h: numbers that look random, the same in every run: xorshift64 (G. Marsaglia). */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t random_number(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#endif
