/* test_powers.c: powers of rows differ from those of the C library by less than their bound, and so do their sums. */
#include "device/reference/powers.h"
#include "device/reference/wide.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { ROWS = 20000 };

static float row[POWERS_BLOCK];
static double powers[POWERS_BLOCK + 1];

/* Returns the greatest difference of `count` powers or of their sum, relative to it. */
static double difference(uint64_t count, double exponent)
{
    double sum = 0, most = 0;
    powers[count] = 7;
    const double result = powers_row((const char *)row, count, exponent, (const char *)row, powers);
    for (uint64_t i = 0; i < count; i++) {
        const double x = (double)fmaxf(row[i], powers_least(exponent)), power = exp(fma(-exponent, POWERS_LN2, x));
        most = fmax(most, fabs(powers[i] / power - 1));
        sum += power;
    }
    return powers[count] == 7 ? fmax(most, fabs(result / sum - 1)) : INFINITY;
}

static void test_power_range(double low, double greatest)
{
    double most = 0;
    for (int i = 0; i < ROWS; i++) {
        const uint64_t count = 1 + random_number() % POWERS_BLOCK;
        for (uint64_t k = 0; k < count; k++)
            row[k] = (float)(low + (double)(random_number() >> 11) * 0x1p-53 * (greatest - low));
        most = fmax(most, difference(count, rint(greatest / POWERS_LN2)));
    }
    /* Powers of the C library, and sums, are rounded, too. */
    ok(most < POWERS_ERROR + POWERS_BLOCK * 0x1p-53, "from %g to %g: they differ by 2^%.1f", low, greatest, log2(most));
}

int main(void)
{
    if (!wide_is_fused()) {
        ok(1, "without fused multiplications, nothing is computed # SKIP");
        return tap_done();
    }
    test_power_range(-1, 0);
    test_power_range(-104, 0);
    test_power_range(-300, 0);
    test_power_range(-8, 8);
    test_power_range(1e6, 1e6 + 100);
    row[0] = -INFINITY, row[1] = NAN, row[2] = -3e38f, row[3] = 0;
    const double sum = powers_row((const char *)row, 4, 0, (const char *)row, powers),
                 least = exp((double)powers_least(0));
    ok(fabs(powers[0] / least - 1) < POWERS_ERROR && powers[0] == powers[2] && fabs(powers[3] - 1) < POWERS_ERROR,
       "powers far below count as e^-105");
    ok((float)powers[0] == 0, "which is 0 in FLOAT32");
    ok(isnan(powers[1]) && isnan(sum), "a NaN stays");
    return tap_done();
}
