/* test_row.c: functions of rows give the same elements and sums as element by element; FLOAT16 rounds as its definition
 * says. */
#include "device/common/descriptor.h"
#include "device/common/half.h"
#include "device/reference/row.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2 * ROW_BLOCK + 3, STEPS = 5 };

static const DML_TENSOR_DATA_TYPE types[] = {
    DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_DATA_TYPE_FLOAT64,
    DML_TENSOR_DATA_TYPE_INT8,    DML_TENSOR_DATA_TYPE_INT16,   DML_TENSOR_DATA_TYPE_INT32,
    DML_TENSOR_DATA_TYPE_INT64,   DML_TENSOR_DATA_TYPE_UINT8,   DML_TENSOR_DATA_TYPE_UINT16,
    DML_TENSOR_DATA_TYPE_UINT32,  DML_TENSOR_DATA_TYPE_UINT64,
};

/* ---- halves */

/* Returns a half by its definition: a fraction of 10 bits, an exponent with a bias of 15. */
static double half_by_definition(unsigned half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31)
        size = fraction ? (double)NAN : (double)INFINITY;
    return half >> 15 ? -size : size;
}

static void test_halves(void)
{
    int wrong = 0, wrong_back = 0, wrong_between = 0;
    for (unsigned half = 0; half < 0x10000; half++) {
        const double expected = half_by_definition(half), got = half_to_real((uint16_t)half);
        wrong += isnan(expected) ? !isnan(got) : memcmp(&expected, &got, sizeof got) != 0;
        wrong_back += half_from_real(got) != (isnan(got) ? (half & 0x8000) | 0x7e00 : half);
    }
    ok(wrong == 0, "every half is the number that its definition says");
    ok(wrong_back == 0, "every half comes back from its number, a NaN without its payload");
    /* A number rounds to the nearest of two neighbours; in the middle, to the even one; beyond it, to the next. */
    for (unsigned half = 0; half < 0x7c00; half++) {
        const double low = half_by_definition(half), high = half == 0x7bff ? 65536 : half_by_definition(half + 1),
                     middle = (low + high) / 2;
        const unsigned even = half + (half & 1);
        wrong_between += half_from_real(middle) != even || half_from_real(-middle) != (even | 0x8000) ||
                         half_from_real(nextafter(middle, 0)) != half ||
                         half_from_real(nextafter(middle, INFINITY)) != half + 1;
    }
    ok(wrong_between == 0, "numbers between halves go to the nearest one, from the middle to the even one");
    ok(half_from_real(INFINITY) == 0x7c00 && half_from_real(-1e300) == 0xfc00 && half_from_real(1e-300) == 0 &&
           half_from_real(-1e-300) == 0x8000,
       "numbers out of range become infinities and zeros");
}

/* ---- rows */

static char memory[MOST * STEPS * 8], rows[sizeof memory], singles[sizeof memory];
static uint64_t bytes; /* bytes of the tensors that the rows are a part of */

static struct tensor row_tensor(DML_TENSOR_DATA_TYPE type)
{
    return (struct tensor){.type = type, .element_size = descriptor_element_size(type), .bytes = bytes};
}

static void fill_rows(void)
{
    for (size_t i = 0; i < sizeof memory; i += 8) {
        const uint64_t bits = random_number();
        memcpy(memory + i, &bits, sizeof bits);
    }
    memset(rows, 7, sizeof rows);
    memset(singles, 7, sizeof singles);
}

/* Compares both ways; their NaNs are the same, too. */
static int test_reals(DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to, int64_t step, uint64_t count)
{
    const int64_t in_step = step * descriptor_element_size(from),
                  out_step = (step + !step) * descriptor_element_size(to);
    const struct tensor tensor = row_tensor(to);
    double numbers[MOST];
    fill_rows();
    row_load(from, memory, in_step, count, numbers);
    for (uint64_t i = 0; i < count; i += ROW_BLOCK)
        row_store(&tensor, numbers + i, count - i < ROW_BLOCK ? count - i : ROW_BLOCK, rows + (int64_t)i * out_step,
                  out_step);
    for (uint64_t i = 0; i < count; i++)
        number_store_real(to, number_real(from, memory + (int64_t)i * in_step), singles + (int64_t)i * out_step);
    return memcmp(rows, singles, sizeof rows) == 0;
}

static int test_wholes(DML_TENSOR_DATA_TYPE from, DML_TENSOR_DATA_TYPE to, int64_t step, uint64_t count, int bits)
{
    const int64_t in_step = step * descriptor_element_size(from),
                  out_step = (step + !step) * descriptor_element_size(to);
    const struct tensor tensor = row_tensor(to);
    number_integer numbers[MOST];
    fill_rows();
    (bits ? row_load_bits : row_load_whole)(from, memory, in_step, count, numbers);
    for (uint64_t i = 0; i < count; i += ROW_BLOCK)
        row_store_whole(&tensor, numbers + i, count - i < ROW_BLOCK ? count - i : ROW_BLOCK,
                        rows + (int64_t)i * out_step, out_step);
    for (uint64_t i = 0; i < count; i++) {
        const char *at = memory + (int64_t)i * in_step;
        number_store_whole(to, bits ? (number_integer)number_bits(from, at) : number_whole(from, at),
                           singles + (int64_t)i * out_step);
    }
    return memcmp(rows, singles, sizeof rows) == 0;
}

static void test_rows(int64_t step)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 8, 31, ROW_BLOCK, MOST};
    int reals = 1, wholes = 1, bits = 1;
    for (size_t a = 0; a < sizeof types / sizeof *types; a++)
        for (size_t b = 0; b < sizeof types / sizeof *types; b++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                reals &= test_reals(types[a], types[b], step, counts[c]);
                wholes &= test_wholes(types[a], types[b], step, counts[c], 0);
                bits &= test_wholes(types[a], types[b], step, counts[c], 1);
            }
    ok(reals, "step %d: rows of real numbers are loaded and stored as their elements are", (int)step);
    ok(wholes, "step %d: so are integers", (int)step);
    ok(bits, "step %d: so are bits", (int)step);
}

/* Copies from any byte of a cache line to any other; no byte around may be written. */
static void test_copies(void)
{
    const struct tensor tensor = row_tensor(DML_TENSOR_DATA_TYPE_UINT8);
    int right = 1;
    for (uint64_t count = 0; count < 300; count++) {
        const uint64_t from = random_number() % 64, to = random_number() % 64;
        fill_rows();
        memcpy(singles + to, memory + from, count);
        row_copy(&tensor, memory + from, count, rows + to);
        right &= memcmp(rows, singles, sizeof rows) == 0;
    }
    ok(right, "rows are copied");
}

/* ---- sums */

static double expected_term(double x, enum row_term term, double mean)
{
    if (term == ROW_ELEMENT)
        return x;
    return term == ROW_SIZE ? fabs(x) : (x - mean) * (x - mean);
}

/* Fills rows with numbers of all sizes, so that each order has another sum. */
static void fill_sums(float from[ROW_LANES][MOST])
{
    for (int k = 0; k < ROW_LANES; k++)
        for (int i = 0; i < MOST; i++)
            from[k][i] = ldexpf((float)(int64_t)random_number() * 0x1p-63f, (int)(random_number() % 60));
}

/* Tests sums of `count` elements that are `step` elements apart: rows that are added up, and rows that are added one
 * after the other to sums beside each other. */
static void test_sums(uint64_t count, int step, enum row_term term)
{
    static float from[ROW_LANES][MOST];
    static double beside[MOST], expected[MOST];
    const char *at[ROW_LANES];
    double means[ROW_LANES], sums[ROW_LANES] = {0}, ups[ROW_LANES] = {0};
    fill_sums(from);
    for (int k = 0; k < ROW_LANES; k++) {
        at[k] = (const char *)from[k];
        means[k] = k * 0x1p40;
        for (uint64_t i = 0; i < count; i++)
            ups[k] += expected_term((double)from[k][i * (uint64_t)step], term, means[k]);
    }
    row_add_up(DML_TENSOR_DATA_TYPE_FLOAT32, at, 4 * step, count, term, means, sums);
    ok(memcmp(sums, ups, sizeof sums) == 0, "%d elements, %d apart, term %d: rows are added up in their order",
       (int)count, step, (int)term);
    for (int number = 1; number <= ROW_BESIDE; number++)
        for (uint64_t i = 0; i < count; i++) {
            beside[i] = number == 1 ? (double)i : beside[i];
            expected[i] = number == 1 ? (double)i : expected[i];
            for (int k = 0; k < number; k++)
                expected[i] += expected_term((double)from[k][i * (uint64_t)step], term, 0);
        }
    for (int number = 1; number <= ROW_BESIDE; number++)
        row_add_beside(DML_TENSOR_DATA_TYPE_FLOAT32, at, number, 4 * step, count, term, beside);
    ok(memcmp(beside, expected, count * sizeof *beside) == 0, "beside each other, too");
}

int main(void)
{
    static const uint64_t counts[] = {1, 7, 8, 9, 63, 64, 100, ROW_BLOCK + 5};
    test_halves();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (enum row_term term = ROW_ELEMENT; term <= ROW_SQUARE; term++)
            for (int step = 1; step <= 2; step++)
                test_sums(counts[i] / (uint64_t)step, step, term);
    for (bytes = 4096; bytes <= UINT64_C(1) << 30; bytes <<= 18) {
        note("of a tensor of %llu bytes", (unsigned long long)bytes);
        for (int64_t step = 0; step < STEPS; step++)
            test_rows(step);
        test_copies();
    }
    return tap_done();
}
