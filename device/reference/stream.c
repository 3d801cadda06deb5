#include "device/reference/stream.h"

#include "device/reference/wide.h"

#include <string.h>

#if defined(__x86_64__)

#include <immintrin.h>

enum { LINE = 64 }; /* bytes of a cache line */

/* Copies whole lines. Stores of 16 bytes would take twice as long. */
__attribute__((target("avx2"))) static void copy_lines(char *to, const char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += LINE) {
        const __m256i low = _mm256_loadu_si256((const __m256i_u *)(const void *)(from + i));
        const __m256i high = _mm256_loadu_si256((const __m256i_u *)(const void *)(from + i + LINE / 2));
        _mm256_stream_si256((__m256i *)(void *)(to + i), low);
        _mm256_stream_si256((__m256i *)(void *)(to + i + LINE / 2), high);
    }
}

void stream_copy(void *to, const void *from, uint64_t bytes)
{
    const uint64_t before = -(uintptr_t)to % LINE;
    const uint64_t within = wide_has_avx2() && before < bytes ? (bytes - before) / LINE * LINE : 0;
    char *target = to;
    const char *source = from;
    if (within == 0) {
        memmove(to, from, bytes);
        return;
    }
    memmove(target, source, before);
    copy_lines(target + before, source + before, within);
    memmove(target + before + within, source + before + within, bytes - before - within);
}

int stream_takes_eights(uint64_t bytes, uint64_t count, const char *to)
{
    return wide_has_avx512() && stream_is_large(bytes) && (uintptr_t)to % 32 == 0 && count % 8 == 0;
}

void stream_end(void)
{
    _mm_sfence();
}

#else

void stream_copy(void *to, const void *from, uint64_t bytes)
{
    memmove(to, from, bytes);
}

int stream_takes_eights(uint64_t bytes, uint64_t count, const char *to)
{
    (void)bytes, (void)count, (void)to;
    return 0;
}

void stream_end(void)
{
}

#endif
