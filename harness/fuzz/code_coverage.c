#include "harness/fuzz/code_coverage.h"

#include <string.h>

enum { REGIONS_MAX = 64 };

/* The counters of each library that has counters. */
static struct {
    uint8_t *start, *end;
} regions[REGIONS_MAX];
static size_t region_count;

/* Libraries call this when they are loaded; the compiler adds the call. Weak, because libFuzzer defines it, too. */
void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end);
__attribute__((weak, visibility("default"))) void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end)
{
    for (size_t i = 0; i < region_count; i++)
        if (regions[i].start == start)
            return;
    if (start < end && region_count < REGIONS_MAX) {
        regions[region_count].start = start;
        regions[region_count++].end = end;
    }
}

void code_coverage_clear(void)
{
    for (size_t i = 0; i < region_count; i++)
        memset(regions[i].start, 0, (size_t)(regions[i].end - regions[i].start));
}

int32_t code_coverage_take(uint64_t edges[FUZZ_EDGES / 64])
{
    int32_t found = -1;
    size_t base = 0;
    for (size_t i = 0; i < region_count; base += (size_t)(regions[i].end - regions[i].start), i++)
        for (uint8_t *at = regions[i].start; at < regions[i].end; at++) {
            uint64_t eight;
            if (regions[i].end - at >= 8 && (memcpy(&eight, at, sizeof eight), eight == 0)) { /* most are 0 */
                at += 7;
                continue;
            }
            size_t edge = (base + (size_t)(at - regions[i].start)) % FUZZ_EDGES;
            if (*at && found < 0 && !(edges[edge / 64] >> edge % 64 & 1))
                found = (int32_t)edge;
            edges[edge / 64] |= (uint64_t)(*at != 0) << edge % 64;
            *at = 0;
        }
    return found;
}
