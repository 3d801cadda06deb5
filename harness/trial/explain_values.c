/* Explanations of values: elements of the data inputs are changed on their way, or tested for zero wrongly. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The new bits of an element. */
typedef uint64_t (*rewrite)(unsigned type, uint64_t bits);

static bool explain_values_is_float(unsigned type)
{
    return datatype_of(type)->is_float;
}

static uint64_t explain_values_sign_of(unsigned type)
{
    return (uint64_t)1 << (datatype_of(type)->bits - 1);
}

static uint64_t from_double(unsigned type, double value)
{
    uint64_t bits = 0;
    datatype_from_double(type, value, &bits);
    return bits;
}

/* The highest bit of the fraction. */
static uint64_t quiet_bit(unsigned type)
{
    uint64_t infinity = from_double(type, HUGE_VAL);
    return (infinity & (0 - infinity)) >> 1;
}

static uint64_t minus_zero_to_one(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) && bits == explain_values_sign_of(type) ? from_double(type, 1) : bits;
}

static uint64_t minus_zero_to_zero(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) && bits == explain_values_sign_of(type) ? 0 : bits;
}

static uint64_t denormal_to_zero(unsigned type, uint64_t bits)
{
    return datatype_is_denormal(type, bits) ? bits & explain_values_sign_of(type) : bits;
}

static uint64_t denormal_to_plus_zero(unsigned type, uint64_t bits)
{
    return datatype_is_denormal(type, bits) ? 0 : bits;
}

static uint64_t explain_values_quiet(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? bits | quiet_bit(type) : bits;
}

static uint64_t explain_values_canonical(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? from_double(type, HUGE_VAL) | quiet_bit(type) : bits;
}

static uint64_t nan_to_infinity(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? from_double(type, HUGE_VAL) : bits;
}

static uint64_t infinity_to_largest(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) && (bits & ~explain_values_sign_of(type)) == from_double(type, HUGE_VAL)
               ? bits - 1
               : bits;
}

static uint64_t nan_to_zero(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? 0 : bits;
}

static uint64_t infinity_to_zero(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) && (bits & ~explain_values_sign_of(type)) == from_double(type, HUGE_VAL)
               ? 0
               : bits;
}

static uint64_t fraction_to_zero(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) && fabs(datatype_to_double(type, &bits)) < 1 ? 0 : bits;
}

static uint64_t negative_to_zero(unsigned type, uint64_t bits)
{
    return (explain_values_is_float(type) || datatype_of(type)->is_signed) && datatype_to_double(type, &bits) < 0
               ? 0
               : bits;
}

static uint64_t nonpositive_to_zero(unsigned type, uint64_t bits)
{
    return datatype_to_double(type, &bits) > 0 ||
                   (explain_values_is_float(type) && isnan(datatype_to_double(type, &bits)))
               ? bits
               : 0;
}

static uint64_t explain_values_low_byte(unsigned type, uint64_t bits)
{
    return explain_values_is_float(type) ? bits : bits & 0xff;
}

static uint64_t lowest_to_next(unsigned type, uint64_t bits)
{
    return !explain_values_is_float(type) && datatype_of(type)->is_signed && bits == explain_values_sign_of(type)
               ? bits + 1
               : bits;
}

static uint64_t clip_unsigned(unsigned type, uint64_t bits)
{
    return !explain_values_is_float(type) && !datatype_of(type)->is_signed && bits >= explain_values_sign_of(type)
               ? explain_values_sign_of(type) - 1
               : bits;
}

static uint64_t explain_values_narrow(unsigned type, uint64_t bits)
{
    unsigned to = type == DML_TENSOR_DATA_TYPE_FLOAT64 ? DML_TENSOR_DATA_TYPE_FLOAT32 : DML_TENSOR_DATA_TYPE_FLOAT16;
    if (!explain_values_is_float(type) || type == to || datatype_is_nan(type, bits))
        return bits;
    uint64_t less = from_double(to, datatype_to_double(type, &bits));
    return from_double(type, datatype_to_double(to, &less));
}

static uint64_t narrow_to_half(unsigned type, uint64_t bits)
{
    if (!explain_values_is_float(type) || datatype_is_nan(type, bits))
        return bits;
    uint64_t less = from_double(DML_TENSOR_DATA_TYPE_FLOAT16, datatype_to_double(type, &bits));
    return from_double(type, datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &less));
}

/* Integers through FLOAT32 where `wide` is not set, otherwise through FLOAT64. */
static uint64_t through_float(unsigned type, uint64_t bits, bool wide)
{
    const struct datatype *t = datatype_of(type);
    double value = datatype_to_double(type, &bits);
    if (explain_values_is_float(type))
        return bits;
    value = wide ? value : (double)(float)value;
    if (!t->is_signed)
        return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
    return (uint64_t)(value >= 0x1p63 ? INT64_MAX : (int64_t)value);
}

static uint64_t through_float32(unsigned type, uint64_t bits)
{
    return through_float(type, bits, false);
}

static uint64_t through_float64(unsigned type, uint64_t bits)
{
    return through_float(type, bits, true);
}

static uint64_t low_half(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 64 ? bits & UINT32_MAX : bits;
}

static uint64_t swap_halves(unsigned type, uint64_t bits)
{
    return datatype_of(type)->bits == 64 ? bits << 32 | bits >> 32 : bits;
}

static uint64_t swap_bytes(unsigned type, uint64_t bits)
{
    return __builtin_bswap64(bits) >> (64 - datatype_of(type)->bits);
}

enum where { COPIES = 1, ROWS = 2, BOTH = 3 };

static const struct {
    enum explanation explanation;
    enum where where; /* operators that copy elements, or that list those other than zero */
    rewrite rewrite;
} values[] = {
    {EXPLAIN_MINUS_ZERO_COUNTED, ROWS, minus_zero_to_one},
    {EXPLAIN_MINUS_ZERO_LOST, COPIES, minus_zero_to_zero},
    {EXPLAIN_DENORMALS_FLUSHED, BOTH, denormal_to_zero},
    {EXPLAIN_DENORMALS_FLUSHED, COPIES, denormal_to_plus_zero},
    {EXPLAIN_NAN_QUIETED, COPIES, explain_values_quiet},
    {EXPLAIN_NAN_CANONICAL, COPIES, explain_values_canonical},
    {EXPLAIN_NAN_INFINITY, COPIES, nan_to_infinity},
    {EXPLAIN_INFINITY_LARGEST, COPIES, infinity_to_largest},
    {EXPLAIN_NAN_MISSED, ROWS, nan_to_zero},
    {EXPLAIN_INFINITY_MISSED, ROWS, infinity_to_zero},
    {EXPLAIN_FRACTIONS_MISSED, ROWS, fraction_to_zero},
    {EXPLAIN_NEGATIVE_MISSED, ROWS, negative_to_zero},
    {EXPLAIN_NEGATIVE_MISSED, ROWS, nonpositive_to_zero},
    {EXPLAIN_LOW_BYTE_ONLY, ROWS, explain_values_low_byte},
    {EXPLAIN_LOWEST_CLIPPED, COPIES, lowest_to_next},
    {EXPLAIN_UNSIGNED_CLIPPED, COPIES, clip_unsigned},
    {EXPLAIN_FLOAT_NARROWED, COPIES, explain_values_narrow},
    {EXPLAIN_FLOAT_NARROWED, COPIES, narrow_to_half},
    {EXPLAIN_INTEGER_AS_FLOAT, COPIES, through_float32},
    {EXPLAIN_INTEGER_AS_FLOAT, COPIES, through_float64},
    {EXPLAIN_HIGH_HALF_LOST, COPIES, low_half},
    {EXPLAIN_BYTES_SWAPPED, COPIES, swap_halves},
    {EXPLAIN_BYTES_SWAPPED, COPIES, swap_bytes},
};

struct rewriter {
    rewrite rewrite;
    unsigned type;
    uint8_t *to;
    const uint8_t *from; /* a broadcast element is visited several times */
};

static bool explain_values_rewrite_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct rewriter *r = context;
    unsigned width = datatype_of(r->type)->bits;
    (void)number, (void)coordinates;
    element_put(width, r->to, offset, r->rewrite(r->type, element_get(width, r->from, offset)));
    return true;
}

/* Of a selection, the values may be changed after they were selected, which says nothing of the order. */
static void explain_selected(struct explainer *x)
{
    if (!explain_select(x))
        return;
    int item = spec_item(x->spec, x->spec->selection.values);
    size_t total = explain_tensor(x, item)->total;
    uint8_t *selected = malloc(total);
    if (selected)
        memcpy(selected, x->predicted[item], total);
    for (size_t v = 0; v < sizeof values / sizeof *values && selected; v++) {
        if (explain_is_done(x, values[v].explanation) || !(values[v].where & COPIES))
            continue;
        struct rewriter r = {values[v].rewrite, explain_tensor(x, item)->data_type, x->predicted[item], selected};
        elements_each(explain_tensor(x, item), explain_values_rewrite_element, &r);
        if (memcmp(selected, x->predicted[item], total) != 0)
            explain_check(x, values[v].explanation);
    }
    free(selected);
}

void explain_values(struct explainer *x)
{
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        if (explain_is_done(x, values[v].explanation) || !(values[v].where & (x->rows ? ROWS : COPIES)))
            continue;
        for (int i = -1; (i = explain_next(x, i)) >= 0;) {
            if (!x->rewritten[i] || fill_is_index(x->spec, i))
                continue;
            struct rewriter r = {values[v].rewrite, explain_tensor(x, i)->data_type, x->rewritten[i], x->inputs[i]};
            elements_each(explain_tensor(x, i), explain_values_rewrite_element, &r);
        }
        explain_inputs(x, values[v].explanation);
    }
    explain_selected(x);
}
