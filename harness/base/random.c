#include "harness/base/random.h"

#include <string.h>
#include <xxhash.h>

uint64_t random_hash(const char *text, uint64_t seed)
{
    return XXH3_64bits_withSeed(text, strlen(text), seed);
}
