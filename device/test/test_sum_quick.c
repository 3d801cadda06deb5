/* test_sum_quick.c: the sum of a row in its order is within the bounds, and these are near to it. */
#include "device/reference/sum_quick.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { MOST = 70000, ROWS = 200 };

static float row[MOST];

static double sum_in_order(uint64_t count, enum row_term term)
{
    static const double zeros[ROW_LANES];
    const char *from[ROW_LANES];
    double sums[ROW_LANES] = {0};
    for (int k = 0; k < ROW_LANES; k++)
        from[k] = (const char *)row;
    row_add_up(DML_TENSOR_DATA_TYPE_FLOAT32, from, 4, count, term, zeros, sums);
    return sums[0];
}

/* Tests rows. `spread`: powers of two between the least and the greatest; `positive`: nothing cancels. */
static void test_row_sums(const char *what, int spread, int positive, enum row_term term)
{
    int within = 1, near = 1;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t count = 1 + random_number() % (i % 2 ? MOST : 3000);
        double sizes = 0;
        for (uint64_t k = 0; k < count; k++) {
            const uint64_t drawn = random_number();
            const double x = ldexp((double)(drawn >> 40) + 1, (int)(drawn % (uint64_t)spread) - spread / 2);
            row[k] = (float)(positive || drawn >> 20 & 1 ? x : -x);
            sizes += term == ROW_SQUARE ? (double)row[k] * (double)row[k] : fabs((double)row[k]);
        }
        const struct sum_bounds bounds = sum_quick((const char *)row, count, term);
        const double sum = sum_in_order(count, term);
        within &= bounds.least <= sum && sum <= bounds.most;
        near &= bounds.most - bounds.least <= sizes * 0x1p-51 * ((double)count + 100);
    }
    ok(within, "%s: the sum is within the bounds", what);
    ok(near, "%s: the bounds are near to each other", what);
}

static int has_bounds(uint64_t count)
{
    const struct sum_bounds bounds = sum_quick((const char *)row, count, ROW_ELEMENT);
    return bounds.least <= bounds.most;
}

int main(void)
{
    static const float special[] = {NAN, INFINITY, -INFINITY};
    test_row_sums("of one size", 1, 1, ROW_ELEMENT);
    test_row_sums("of both signs", 1, 0, ROW_ELEMENT);
    test_row_sums("of all sizes", 60, 0, ROW_ELEMENT);
    test_row_sums("sizes", 60, 0, ROW_SIZE);
    test_row_sums("squares", 60, 0, ROW_SQUARE);
    for (int i = 0; i < 3; i++) {
        row[17] = special[i];
        ok(!has_bounds(2000), "a row with %g has no bounds", (double)special[i]);
    }
    memset(row, 0, sizeof row);
    const struct sum_bounds zero = sum_quick((const char *)row, 2000, ROW_ELEMENT);
    ok(zero.least == 0 && zero.most == 0 && !signbit(zero.least) && !signbit(zero.most), "zeros have the sum 0");
    return tap_done();
}
