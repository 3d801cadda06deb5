/* accept_ranges.c: lists the right values of an element. It follows the judgements of accept.c one by one, with all
 * values in place of one. */
#include "harness/trial/accept_internal.h"

#include <math.h>
#include <stdlib.h>

/* The state of one call, which adds ranges. Numbers are in order here: unsigned integers that grow with the number, see
 * accept_ranges_order_of(). */
struct adding {
    const struct spec_result *result;
    const struct accept_operands *of;
    unsigned type;
    struct accept_ranges *out;
    bool nans;
};

static uint64_t accept_ranges_sign_of(unsigned type)
{
    return (uint64_t)1 << (datatype_of(type)->bits - 1);
}

/* These two functions turn a number into its place in the order of all numbers of its type, and back. Both zeros have
 * the same place. */
static uint64_t accept_ranges_order_of(unsigned type, uint64_t bits)
{
    uint64_t sign = accept_ranges_sign_of(type);
    if (datatype_of(type)->is_float)
        return bits & sign ? sign - (bits ^ sign) : sign + bits;
    return datatype_of(type)->is_signed ? bits ^ sign : bits;
}

static uint64_t accept_ranges_bits_at(unsigned type, uint64_t order)
{
    uint64_t sign = accept_ranges_sign_of(type);
    if (datatype_of(type)->is_float)
        return order < sign ? sign | (sign - order) : order - sign;
    return datatype_of(type)->is_signed ? order ^ sign : order;
}

static double accept_ranges_number_at(unsigned type, uint64_t order)
{
    uint64_t bits = accept_ranges_bits_at(type, order);
    return datatype_to_double(type, &bits);
}

/* These functions return the places of the first and the last finite number. */
static uint64_t accept_ranges_first_of(unsigned type)
{
    uint64_t bits = 0;
    if (!datatype_of(type)->is_float)
        return 0;
    datatype_from_double(type, -real_largest(type), &bits);
    return accept_ranges_order_of(type, bits);
}

static uint64_t last_of(unsigned type)
{
    uint64_t bits = 0;
    if (!datatype_of(type)->is_float)
        return accept_ranges_sign_of(type) | (accept_ranges_sign_of(type) - 1);
    datatype_from_double(type, real_largest(type), &bits);
    return accept_ranges_order_of(type, bits);
}

static void accept_ranges_add(const struct adding *a, uint64_t first, uint64_t last)
{
    a->out->list[a->out->count++] = (struct accept_range){first, last};
}

static void accept_ranges_add_bits(const struct adding *a, uint64_t bits)
{
    accept_ranges_add(a, accept_ranges_order_of(a->type, bits), accept_ranges_order_of(a->type, bits));
}

static void add_everything(struct adding *a)
{
    uint64_t infinity = datatype_of(a->type)->is_float ? 1 : 0;
    accept_ranges_add(a, accept_ranges_first_of(a->type) - infinity, last_of(a->type) + infinity);
    a->nans |= infinity;
}

/* Finds the first finite number that is at least `value`. Returns false if there is none. */
static bool find_first(unsigned type, double value, uint64_t *out)
{
    uint64_t low = accept_ranges_first_of(type), high = last_of(type);
    if (!(accept_ranges_number_at(type, high) >= value))
        return false;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (accept_ranges_number_at(type, middle) >= value)
            high = middle;
        else
            low = middle + 1;
    }
    *out = low;
    return true;
}

/* Finds the last finite number that is at most `value`. Returns false if there is none. */
static bool find_last(unsigned type, double value, uint64_t *out)
{
    uint64_t low = accept_ranges_first_of(type), high = last_of(type);
    if (!(accept_ranges_number_at(type, low) <= value))
        return false;
    while (low < high) {
        uint64_t middle = high - (high - low) / 2;
        if (accept_ranges_number_at(type, middle) <= value)
            low = middle;
        else
            high = middle - 1;
    }
    *out = low;
    return true;
}

/* Adds the finite numbers from `least` to `most`. */
static void add_span(const struct adding *a, double least, double most)
{
    uint64_t first, last;
    if (find_first(a->type, least, &first) && find_last(a->type, most, &last) && first <= last)
        accept_ranges_add(a, first, last);
}

/* ---- floating-point outputs */

static void accept_ranges_add_piece(const struct adding *a, const struct formula *formula, double low, double high)
{
    const struct tolerance *bounds = &a->result->tolerances[a->type];
    struct accept_deviations may = accept_deviations_of(a->of, formula, low, high);
    struct accept_span soft = accept_span_of(a->of, low, high, &bounds->soft),
                       must = accept_span_of(a->of, low, high, &bounds->must);
    double least = fmin(soft.least, must.least), most = fmax(soft.most, must.most);
    add_span(a, least, most);
    if (most >= accept_overflow(a->type))
        accept_ranges_add(a, last_of(a->type) + 1, last_of(a->type) + 1);
    if (least <= -accept_overflow(a->type))
        accept_ranges_add(a, accept_ranges_first_of(a->type) - 1, accept_ranges_first_of(a->type) - 1);
    if (may.zero)
        add_span(a, 0, 0);
    if (may.largest)
        accept_ranges_add(a, last_of(a->type), last_of(a->type));
    if (may.lowest)
        accept_ranges_add(a, accept_ranges_first_of(a->type), accept_ranges_first_of(a->type));
}

static void add_image(struct adding *a, const struct formula *formula)
{
    struct formula_image image;
    formula_image(formula, &a->of->reals, &image);
    for (int i = 0; i < image.count; i++)
        if (isnan(image.pieces[i].low))
            a->nans = true;
        else
            accept_ranges_add_piece(a, formula, image.pieces[i].low, image.pieces[i].high);
}

/* ---- integer outputs */

static void add_whole(struct adding *a, formula_integer value)
{
    bool fits = value >= accept_lowest(a->type) && value <= accept_highest(a->type);
    bool wraps = fits || a->result->bits || a->result->overflow == OVERFLOW_WRAPS;
    if (!wraps && a->result->overflow == OVERFLOW_OPEN) {
        add_everything(a);
        return;
    }
    accept_ranges_add_bits(a, accept_wrapped(a->type, value));
    if (!wraps)
        accept_ranges_add_bits(a, accept_saturated(a->type, value));
}

static double accept_ranges_widest(const struct adding *a, double result)
{
    const struct tolerance *bounds = &a->result->tolerances[a->type];
    return fmax(accept_bound(a->of, &bounds->soft, result), accept_bound(a->of, &bounds->must, result));
}

static void add_rounded(struct adding *a, const struct formula *formula, bool is_outcome)
{
    struct formula_image image;
    formula_image(formula, &a->of->reals, &image);
    for (int i = 0; i < image.count; i++) {
        double low = trunc(image.pieces[i].low), high = trunc(image.pieces[i].high);
        if (is_outcome && accept_is_undefined(low, high))
            continue;
        bool fits = !isnan(low) && low >= (double)accept_lowest(a->type) && high <= (double)accept_highest(a->type);
        if (!fits && accept_is_integer(low, high))
            add_whole(a, (formula_integer)low);
        else if (!fits)
            add_everything(a);
        else
            add_span(a, low - accept_ranges_widest(a, low), high + accept_ranges_widest(a, high));
    }
}

/* ---- any output */

/* Adds the values of the result's formula, or of an outcome of a choice. */
static void add_formula(struct adding *a, const struct formula *formula, bool is_outcome)
{
    formula_integer value;
    if (!a->of->whole && datatype_of(a->type)->is_float)
        add_image(a, formula);
    else if (!a->of->whole)
        add_rounded(a, formula, is_outcome);
    else if (formula_whole(formula, &a->of->integers, &value))
        add_whole(a, value);
    else if (!is_outcome)
        add_everything(a);
}

static void accept_ranges_add_element(struct adding *a)
{
    add_formula(a, &a->result->value, false);
    for (int i = 0; i < a->result->choice_count; i++) {
        const struct spec_choice *choice = &a->result->choices[i];
        if (!accept_is_about(choice, a->of))
            continue;
        if (choice->anything)
            add_everything(a);
        for (int n = 0; n < choice->count; n++)
            add_formula(a, &choice->alternatives[n].value, true);
    }
}

static int by_low(const void *a, const void *b)
{
    const struct accept_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Sorts ranges in order, and joins ranges that touch. */
static void accept_ranges_join(struct accept_ranges *r)
{
    int count = 0;
    qsort(r->list, (size_t)r->count, sizeof *r->list, by_low);
    for (int i = 0; i < r->count; i++) {
        struct accept_range *last = count ? &r->list[count - 1] : NULL;
        if (!last || (last->high < r->list[i].low && r->list[i].low - last->high > 1))
            r->list[count++] = r->list[i];
        else if (r->list[i].high > last->high)
            last->high = r->list[i].high;
    }
    r->count = count;
}

/* Returns the type whose numbers are the values of elements; for bit patterns, an unsigned integer type. */
static unsigned accept_ranges_type_of(const struct spec_result *result, unsigned type)
{
    switch (result->bits ? type : DML_TENSOR_DATA_TYPE_UNKNOWN) {
    case DML_TENSOR_DATA_TYPE_FLOAT16:
        return DML_TENSOR_DATA_TYPE_UINT16;
    case DML_TENSOR_DATA_TYPE_FLOAT32:
        return DML_TENSOR_DATA_TYPE_UINT32;
    case DML_TENSOR_DATA_TYPE_FLOAT64:
        return DML_TENSOR_DATA_TYPE_UINT64;
    default:
        return type;
    }
}

void accept_ranges(const struct spec_result *result, const struct accept_operands *of, struct accept_ranges *out)
{
    struct adding a = {.result = result, .of = of, .type = accept_ranges_type_of(result, of->type), .out = out};
    uint64_t nan = 0;
    out->type = a.type;
    out->count = 0;
    accept_ranges_add_element(&a);
    for (int i = 0; i < ACCEPT_FLUSHINGS && !of->whole; i++) {
        struct accept_operands flushed = *of;
        a.of = &flushed;
        if (accept_flush(&flushed, (enum accept_flushing)i))
            accept_ranges_add_element(&a);
    }
    accept_ranges_join(out);
    for (int i = 0; i < out->count; i++)
        out->list[i] = (struct accept_range){accept_ranges_bits_at(a.type, out->list[i].low),
                                             accept_ranges_bits_at(a.type, out->list[i].high)};
    if (!a.nans)
        return;
    datatype_from_double(a.type, NAN, &nan);
    out->list[out->count++] = (struct accept_range){nan, nan};
}
