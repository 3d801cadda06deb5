/* test_exponential.c: e^x of rows has an error below 0.52 units in the last place, also at the ends of its range. */
#include "device/reference/exponential.h"
#include "tools/tap.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COUNT = 1003, ROUNDS = 200 };

static double x[COUNT], y[COUNT];

static double unit(void)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

/* Compares with long double, which has 11 more bits on x86 and none on some processors. */
static int exponential_is_near(double got, double of)
{
    const long double exact = expl((long double)of);
    const double nearest = (double)exact;
    if (isnan(of) || isinf(nearest) || nearest == 0)
        return isnan(of) ? isnan(got) : got == nearest;
    const double size = fmax(nextafter(nearest, INFINITY) - nearest, 0x1p-1074);
    return fabsl((long double)got - exact) <= 0.52L * (long double)size + (LDBL_MANT_DIG > 53 ? 0 : (long double)size);
}

static int row_is_near(uint64_t count)
{
    exponential_row(x, count, y);
    for (uint64_t i = 0; i < count; i++)
        if (!exponential_is_near(y[i], x[i])) {
            note("e^%a is %a", x[i], y[i]);
            return 0;
        }
    return 1;
}

static void test_exponentials(double low, double high)
{
    int good = 1;
    for (int round = 0; round < ROUNDS && good; round++) {
        for (int i = 0; i < COUNT; i++)
            x[i] = low + unit() * (high - low);
        good = row_is_near(COUNT);
    }
    ok(good, "numbers from %g to %g", low, high);
}

int main(void)
{
    static const double special[] = {
        0,    -0.0,  INFINITY, -INFINITY, NAN,    0x1p-54, -0x1p-55, 0x1p-1074, 511.9, -511.9, 512,
        -512, 709.7, 709.8,    -708.4,    -745.1, -745.2,  1e300,    -1e300,    1,     -1,     0x1.62e42fefa39efp-1};
    test_exponentials(-1, 0);
    test_exponentials(-100, 0);
    test_exponentials(-750, 720);
    test_exponentials(-1e-10, 1e-10);
    memcpy(x, special, sizeof special);
    ok(row_is_near(sizeof special / sizeof *special), "special numbers, and those next to the ends of the range");
    int good = 1;
    for (uint64_t count = 1; count < 20; count++)
        good &= row_is_near(count);
    ok(good, "rows of all short lengths");
    x[0] = 1, y[1] = 7;
    exponential_row(x, 1, y);
    ok(y[1] == 7, "nothing behind a row is written");
    return tap_done();
}
