/* test_softmax_quick.c: the parts that are computed quickly are those of exact powers, added up in their order, to the
 * bit; where they need not be, there are none. */
#include "device/reference/softmax_quick.h"
#include "device/reference/wide.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { MOST = 8192, ROWS = 300 };

static float row[MOST];
static double space[2 * MOST];

static float random_between(double low, double high)
{
    return (float)(low + (double)(random_number() >> 11) * 0x1p-53 * (high - low));
}

/* The number of elements whose part, rounded once, is another. */
static uint64_t differences(const float *parts, uint64_t count)
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

static void test_rows(const char *what, double low, double high, int different)
{
    uint64_t others = 0, found = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t count = i % 3 == 0 ? MOST : 1 + random_number() % MOST;
        for (uint64_t k = 0; k < count; k++) {
            const double x = (double)random_between(low, high);
            row[k] = (float)(different ? x : floor(x));
        }
        const float *parts = softmax_quick((const char *)row, count, space);
        found += parts != NULL;
        others += parts ? differences(parts, count) : 0;
    }
    ok(others == 0, "%s: all parts are those of exact powers", what);
    ok(found > ROWS / 2, "%s: most rows are computed quickly: %llu of %d", what, (unsigned long long)found, ROWS);
}

static int has_parts(uint64_t count)
{
    return softmax_quick((const char *)row, count, space) != NULL;
}

/* Of so many elements, some part is near to a middle in about one of ten rows. */
static void test_doubt(void)
{
    uint64_t doubts = 0;
    for (int i = 0; i < ROWS; i++) {
        for (uint64_t k = 0; k < MOST; k++)
            row[k] = random_between(-8, 8);
        doubts += !has_parts(MOST);
    }
    ok(doubts > 0, "a part that is too near to the middle of two FLOAT32 is left: %llu rows of %d",
       (unsigned long long)doubts, ROWS);
}

int main(void)
{
    static const float special[] = {NAN, INFINITY, -INFINITY};
    if (!wide_is_fused()) {
        ok(!has_parts(MOST), "without fused multiplications, nothing is computed quickly");
        return tap_done();
    }
    test_rows("ordinary", -8, 8, 1);
    test_rows("far apart", -256, 256, 1);
    test_rows("beyond the range of powers", -3000, 3000, 1);
    test_rows("close together", 99, 99.001, 1);
    test_rows("few different ones", 0, 4, 0);
    test_doubt();
    for (int i = 0; i < 2; i++) {
        row[MOST - 7] = special[i];
        ok(!has_parts(MOST), "a slice with %g is left", (double)special[i]);
    }
    for (int i = 0; i < 100; i++)
        row[i] = -INFINITY;
    ok(!has_parts(100), "so is one of minus infinities");
    row[50] = 1;
    ok(has_parts(100) && softmax_quick((const char *)row, 100, space)[50] == 1,
       "beside minus infinities, a number has the part 1");
    return tap_done();
}
