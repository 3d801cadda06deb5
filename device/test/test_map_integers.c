/* test_map_integers.c: element-wise operators of a device on integers and on bits, each with each of its data types,
 * against integers of 128 bits; powers of integers; casts between all types.
 *
 *     test_map_integers [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_map_values.h"

/* ---- operators on integers */

typedef number_integer whole_formula(const number_integer *x);

#define WHOLE(name, value)                                                                                             \
    static number_integer name(const number_integer *x)                                                                \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
WHOLE(whole_first, x[0])
WHOLE(whole_abs, x[0] < 0 ? -x[0] : x[0])
WHOLE(whole_negate, -x[0])
WHOLE(whole_sign, (x[0] > 0) - (x[0] < 0))
WHOLE(whole_add, x[0] + x[1])
WHOLE(whole_subtract, x[0] - x[1])
WHOLE(whole_multiply, (number_integer)((unsigned __int128)x[0] * (unsigned __int128)x[1]))
WHOLE(whole_divide, x[1] ? x[0] / x[1] : 0)
WHOLE(whole_mean, (x[0] + x[1]) / 2)
WHOLE(whole_max, x[0] > x[1] ? x[0] : x[1])
WHOLE(whole_min, x[0] < x[1] ? x[0] : x[1])
WHOLE(whole_difference_square, (number_integer)((unsigned __int128)(x[0] - x[1]) * (unsigned __int128)(x[0] - x[1])))
WHOLE(whole_truncate, x[1] ? x[0] % x[1] : 0)
WHOLE(whole_floor, x[1] ? (x[0] % x[1] + x[1]) % x[1] : 0)
WHOLE(whole_not, !x[0])
WHOLE(whole_and, x[0] && x[1])
WHOLE(whole_or, x[0] || x[1])
WHOLE(whole_xor, !x[0] != !x[1])
WHOLE(whole_equals, x[0] == x[1])
WHOLE(whole_greater, x[0] > x[1])
WHOLE(whole_less, x[0] < x[1])
WHOLE(whole_greater_equal, x[0] >= x[1])
WHOLE(whole_less_equal, x[0] <= x[1])
WHOLE(whole_if, x[0] ? x[1] : x[2])
WHOLE(whole_bit_and, x[0] & x[1])
WHOLE(whole_bit_or, x[0] | x[1])
WHOLE(whole_bit_xor, x[0] ^ x[1])
WHOLE(whole_bit_not, ~x[0])
WHOLE(whole_bit_count, __builtin_popcountll((uint64_t)x[0]))
WHOLE(whole_left, x[1] < 64 ? (number_integer)((unsigned __int128)x[0] << x[1]) : 0)
WHOLE(whole_right, x[1] < 64 ? x[0] >> x[1] : 0)

static number_integer whole_pow(const number_integer *x)
{
    unsigned __int128 result = 1;
    if (x[1] < 0 && x[0] != 1 && x[0] != -1)
        return 0;
    if (x[1] < 0)
        return x[0] == -1 && x[1] % 2 ? -1 : 1;
    for (int bit = 31; bit >= 0; bit--)
        result = result * result * (x[1] >> bit & 1 ? (unsigned __int128)x[0] : 1);
    return (number_integer)result;
}

struct whole_row {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t inputs;
    whole_formula *formula;
    int is_condition, are_bits;
};

static const struct whole_row whole_rows[] = {
    {ROW(ABS), 1, whole_abs, 0, 0},
    {ROW(NEGATE), 1, whole_negate, 0, 0},
    {ROW(SIGN), 1, whole_sign, 0, 0},
    {ROW(ADD), 2, whole_add, 0, 0},
    {ROW(SUBTRACT), 2, whole_subtract, 0, 0},
    {ROW(MULTIPLY), 2, whole_multiply, 0, 0},
    {ROW(DIVIDE), 2, whole_divide, 0, 0},
    {ROW(MEAN), 2, whole_mean, 0, 0},
    {ROW(MAX), 2, whole_max, 0, 0},
    {ROW(MIN), 2, whole_min, 0, 0},
    {ROW(DIFFERENCE_SQUARE), 2, whole_difference_square, 0, 0},
    {ROW(MODULUS_TRUNCATE), 2, whole_truncate, 0, 0},
    {ROW(MODULUS_FLOOR), 2, whole_floor, 0, 0},
    {ROW(LOGICAL_NOT), 1, whole_not, 0, 0},
    {ROW(LOGICAL_AND), 2, whole_and, 0, 0},
    {ROW(LOGICAL_OR), 2, whole_or, 0, 0},
    {ROW(LOGICAL_XOR), 2, whole_xor, 0, 0},
    {ROW(LOGICAL_EQUALS), 2, whole_equals, 1, 0},
    {ROW(LOGICAL_GREATER_THAN), 2, whole_greater, 1, 0},
    {ROW(LOGICAL_LESS_THAN), 2, whole_less, 1, 0},
    {ROW(LOGICAL_GREATER_THAN_OR_EQUAL), 2, whole_greater_equal, 1, 0},
    {ROW(LOGICAL_LESS_THAN_OR_EQUAL), 2, whole_less_equal, 1, 0},
    {ROW(BIT_SHIFT_LEFT), 2, whole_left, 0, 0},
    {ROW(BIT_SHIFT_RIGHT), 2, whole_right, 0, 0},
    {ROW(IDENTITY), 1, whole_first, 0, 1},
    {ROW(IF), 3, whole_if, 0, 1},
    {ROW(BIT_AND), 2, whole_bit_and, 0, 1},
    {ROW(BIT_OR), 2, whole_bit_or, 0, 1},
    {ROW(BIT_XOR), 2, whole_bit_xor, 0, 1},
    {ROW(BIT_NOT), 1, whole_bit_not, 0, 1},
    {ROW(BIT_COUNT), 1, whole_bit_count, 1, 1},
};

/* Fills a tensor that is copied or compared by its bits with random bits. */
static void fill_bits(uint32_t input)
{
    struct box *box = &boxes[input];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t bits = values_draw() >> values_draw() % 64;
        memcpy(at(box, i), &bits, descriptor_element_size(box->buffer.DataType));
    }
}

static void check_whole(const struct whole_row *row, DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out)
{
    const DML_TENSOR_DESC *desc[8] = {NULL};
    int wrong = 0;
    for (uint32_t k = 0; k < row->inputs; k++) {
        value_box_init(&boxes[k], row->inputs == 3 && k == 0 ? TYPE(UINT8) : type);
        if (row->are_bits)
            fill_bits(k);
        else
            fill_input(k, 0, 0, 0);
        desc[k] = &boxes[k].tensor;
    }
    value_box_init(&boxes[INPUTS], out);
    desc[row->inputs] = &boxes[INPUTS].tensor;
    HRESULT result = run_inputs(row->type, desc, row->inputs);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        number_integer x[INPUTS] = {0};
        uint64_t expected = 0;
        for (uint32_t k = 0; k < row->inputs; k++)
            x[k] = row->are_bits ? (number_integer)number_bits(boxes[k].buffer.DataType, at(&boxes[k], i))
                                 : number_whole(type, at(&boxes[k], i));
        number_store_whole(out, row->formula(x), &expected);
        int is_open = row->type == DML_OPERATOR_ELEMENT_WISE_DIVIDE && x[1] == 0;
        uint64_t got = number_bits(out, at(&boxes[INPUTS], i));
        if (got != expected && !is_open && wrong++ < 5)
            note("%lld %lld: 0x%llx, not 0x%llx", (long long)x[0], (long long)x[1], (unsigned long long)got,
                 (unsigned long long)expected);
    }
    if (!ok(result == S_OK && !wrong, "%s: type %d to %d", row->name, (int)type, (int)out))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_wholes(void)
{
    for (size_t i = 0; i < sizeof whole_rows / sizeof *whole_rows; i++) {
        const struct whole_row *row = &whole_rows[i];
        uint32_t types = field_types(row->type, row->inputs == 3 ? 1 : 0);
        for (int t = TYPE(FLOAT32); t <= TYPE(INT64); t++) {
            DML_TENSOR_DATA_TYPE type = (DML_TENSOR_DATA_TYPE)t;
            if (!(types >> t & 1) || (number_is_float(type) && !row->are_bits))
                continue;
            check_whole(row, type, row->is_condition ? TYPE(UINT8) : type);
            if (row->is_condition)
                check_whole(row, type, TYPE(UINT32));
        }
    }
}

/* ---- powers of integers, conversions */

static int power_is_near(DML_TENSOR_DATA_TYPE type, double y, double got, double ulps)
{
    if (isnan(y))
        return isnan(got);
    return got == y || fabs(got - y) <= ulps * spacing(type, y) || (isinf(got) && fabs(y) >= 65504) ||
           (got == 0 && fabs(y) < 0x1p-126);
}

/* Tells whether a number is in the range of an integer type. */
static int is_in_range(DML_TENSOR_DATA_TYPE type, double y)
{
    int is_signed = type == TYPE(INT8) || type == TYPE(INT16) || type == TYPE(INT32) || type == TYPE(INT64);
    int width = 8 * (int)descriptor_element_size(type) - is_signed;
    return trunc(y) < ldexp(1, width) && (is_signed ? trunc(y) >= -ldexp(1, width) : y > -1);
}

static void check_pow(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE exponent)
{
    int wrong = 0, whole = !number_is_float(type) && !number_is_float(exponent);
    value_box_init(&boxes[0], type);
    value_box_init(&boxes[1], exponent);
    value_box_init(&boxes[INPUTS], type);
    fill_input(0, -20, 20, 0);
    fill_input(1, -8, 8, 0);
    DML_ELEMENT_WISE_POW_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[INPUTS].tensor, NULL};
    HRESULT result = run_inputs(DML_OPERATOR_ELEMENT_WISE_POW, &desc, 2);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x = number_real(type, at(&boxes[0], i)), e = number_real(exponent, at(&boxes[1], i)), y = pow(x, e);
        double got = number_real(type, at(&boxes[INPUTS], i));
        int good;
        if (whole) {
            uint64_t expected = 0;
            number_integer pair[] = {number_whole(type, at(&boxes[0], i)), number_whole(exponent, at(&boxes[1], i))};
            number_store_whole(type, whole_pow(pair), &expected);
            good = number_bits(type, at(&boxes[INPUTS], i)) == expected;
        } else if (number_is_float(type)) {
            good = power_is_near(type, y, got, type == TYPE(FLOAT16) ? 2 : 32);
        } else {
            good = isnan(y) || !is_in_range(type, y) || !is_in_range(type, y + 1) || fabs(got - trunc(y)) <= 1;
        }
        if (!good && wrong++ < 5)
            note("%.9g ^ %.9g: %.12g, not %.12g", x, e, got, y);
    }
    if (!ok(result == S_OK && !wrong, "POW: type %d to the power of %d", (int)type, (int)exponent))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_cast(DML_TENSOR_DATA_TYPE type, DML_TENSOR_DATA_TYPE out)
{
    int wrong = 0;
    value_box_init(&boxes[0], type);
    value_box_init(&boxes[INPUTS], out);
    fill_input(0, -300, 300, number_is_float(type));
    DML_CAST_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[INPUTS].tensor};
    HRESULT result = run_inputs(DML_OPERATOR_CAST, &desc, 1);
    for (uint32_t i = 0; i < COUNT && result == S_OK; i++) {
        double x = number_real(type, at(&boxes[0], i)), got = number_real(out, at(&boxes[INPUTS], i));
        unsigned char rounded[8];
        int good;
        if (type == out) {
            good = !memcmp(at(&boxes[0], i), at(&boxes[INPUTS], i), descriptor_element_size(type));
        } else if (number_is_float(out)) { /* rounded to nearest even; 64-bit integers may be rounded twice */
            number_store_real(out, x, rounded);
            good = power_is_near(out, number_real(out, rounded), got, descriptor_element_size(type) == 8 ? 1 : 0) ||
                   (isnan(x) && isnan(got)) || (type == TYPE(FLOAT32) && fabs(x) < 0x1p-126 && got == 0);
        } else if (!number_is_float(type)) {
            number_store_whole(out, number_whole(type, at(&boxes[0], i)), rounded); /* modulo 2^width */
            good = !memcmp(rounded, at(&boxes[INPUTS], i), descriptor_element_size(out));
        } else {
            number_store_real(out, x, rounded); /* saturated */
            good = !memcmp(rounded, at(&boxes[INPUTS], i), descriptor_element_size(out));
        }
        if (!good && wrong++ < 5)
            note("%.17g: %.17g", x, got);
    }
    if (!ok(result == S_OK && !wrong, "CAST: type %d to %d", (int)type, (int)out))
        note("0x%08x %s", (unsigned)result, api->message(device));
}

static void check_pairs(void)
{
    for (int a = TYPE(FLOAT32); a <= TYPE(INT64); a++) {
        for (int b = TYPE(FLOAT32); b <= TYPE(INT64); b++) {
            uint32_t both = 1u << a | 1u << b;
            if ((field_types(DML_OPERATOR_CAST, 0) & both) == both)
                check_cast((DML_TENSOR_DATA_TYPE)a, (DML_TENSOR_DATA_TYPE)b);
            if ((field_types(DML_OPERATOR_ELEMENT_WISE_POW, 0) & both) == both)
                check_pow((DML_TENSOR_DATA_TYPE)a, (DML_TENSOR_DATA_TYPE)b);
        }
    }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    check_wholes();
    check_pairs();
    api->destroy_device(device);
    return tap_done();
}
