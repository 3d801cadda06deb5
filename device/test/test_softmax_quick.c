/* test_softmax_quick.c: the parts that are computed quickly have the bits of exact powers, added up in their order;
 * where they might differ, nothing is computed quickly. */
#include "device/reference/softmax_quick.h"
#include "device/reference/stream.h"
#include "device/reference/wide.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { MOST = 8192, ROWS = 300 };

static float row[MOST], parts[MOST], same[MOST];
static _Alignas(64) float streamed[MOST];
static double space[2 * MOST];
static int ways_differ;

/* Computes the parts of `row` in a small output, a large one and one that is the input. Returns 0 if the quick way
 * gives up. */
static int compute_parts(uint64_t count)
{
    const struct tensor small = {.element_size = sizeof *row, .bytes = count * sizeof *row};
    const struct tensor large = {.element_size = sizeof *row, .bytes = (uint64_t)64 << 20};
    const char *from = (const char *)row;
    const uint64_t bytes = count * sizeof *row;
    memcpy(same, row, bytes);
    const int found = softmax_quick(&small, from, count, space, (char *)parts);
    const int found_large = softmax_quick(&large, from, count, space, (char *)streamed);
    const int found_same = softmax_quick(&large, (const char *)same, count, space, (char *)same);
    stream_end();
    ways_differ |= found_large != found || found_same != found || memcmp(same, found ? parts : row, bytes) != 0 ||
                   (found && memcmp(streamed, parts, bytes) != 0);
    return found;
}

static float random_between(double low, double high)
{
    return (float)(low + (double)(random_number() >> 11) * 0x1p-53 * (high - low));
}

/* Returns the number of elements whose part, rounded once, differs. */
static uint64_t differences(uint64_t count)
{
    double greatest = -INFINITY, sum = 0;
    uint64_t others = 0;
    for (uint64_t i = 0; i < count; i++)
        greatest = (double)row[i] > greatest ? (double)row[i] : greatest;
    for (uint64_t i = 0; i < count; i++)
        sum += exp((double)row[i] - greatest);
    for (uint64_t i = 0; i < count; i++) {
        const float part = (float)(exp((double)row[i] - greatest) / sum);
        others += memcmp(&part, &parts[i], sizeof part) != 0;
    }
    return others;
}

static void test_quick_rows(const char *what, double low, double high, int different)
{
    uint64_t others = 0, found = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t count = i % 3 == 0 ? MOST : 1 + random_number() % MOST;
        for (uint64_t k = 0; k < count; k++) {
            const double x = (double)random_between(low, high);
            row[k] = (float)(different ? x : floor(x));
        }
        const int is_found = compute_parts(count);
        found += (uint64_t)is_found;
        others += is_found ? differences(count) : 0;
    }
    ok(others == 0, "%s: all parts are those of exact powers", what);
    ok(found > ROWS / 2, "%s: most rows are computed quickly: %llu of %d", what, (unsigned long long)found, ROWS);
}

/* With so many elements, some part is near to a middle in about one of ten rows. */
static void test_doubt(void)
{
    uint64_t doubts = 0;
    for (int i = 0; i < ROWS; i++) {
        for (uint64_t k = 0; k < MOST; k++)
            row[k] = random_between(-8, 8);
        doubts += !compute_parts(MOST);
    }
    ok(doubts > 0, "a part that is too near to the middle of two FLOAT32 is left: %llu rows of %d",
       (unsigned long long)doubts, ROWS);
}

int main(void)
{
    static const float special[] = {NAN, INFINITY, -INFINITY};
    if (!wide_is_fused()) {
        ok(!compute_parts(MOST), "without fused multiplications, nothing is computed quickly");
        return tap_done();
    }
    test_quick_rows("ordinary", -8, 8, 1);
    test_quick_rows("far apart", -256, 256, 1);
    test_quick_rows("beyond the range of powers", -3000, 3000, 1);
    test_quick_rows("close together", 99, 99.001, 1);
    test_quick_rows("few different ones", 0, 4, 0);
    test_doubt();
    for (int i = 0; i < 2; i++) {
        row[MOST - 7] = special[i];
        ok(!compute_parts(MOST), "a slice with %g is left", (double)special[i]);
    }
    for (int i = 0; i < 100; i++)
        row[i] = -INFINITY;
    ok(!compute_parts(100), "a slice of minus infinities is left");
    row[50] = 1;
    ok(compute_parts(100) && parts[50] == 1, "beside minus infinities, a number has the part 1");
    for (int i = 0; i < 100; i++)
        row[i] = 3e38f - (float)i * 1e32f;
    ok(!compute_parts(100), "a slice of numbers that are too large is left");
    ok(!ways_differ,
       "a large output and an output in the input's memory have the same parts; the input stays if the slice is left");
    return tap_done();
}
