#include "harness/formula/folding_sum.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void folding_begin(struct folding_sum *sum, const struct spec_fold *fold, bool last)
{
    bool product = fold->kind == FOLD_PRODUCT;
    double start = fold->kind >= FOLD_MIN ? (double)NAN : 0;
    /* Assignments, for this runs once for each fold of each element, and compilers clear a whole struct slowly. */
    sum->kind = fold->kind;
    sum->last = last;
    sum->signed_zeros = fold->signed_zeros;
    sum->undefined = false;
    sum->value = product ? 1 : start;
    sum->exponent = 0;
    sum->magnitude = sum->positive = sum->negative = sum->up = sum->down = 0;
    sum->unit = INT_MAX;
    sum->width = product;
    sum->count = sum->nans = sum->zeros = sum->infinities = 0;
    sum->place = sum->first_nan = sum->last_nan = -1;
    sum->whole = product;
}

/* ---- real numbers */

/* Updates the bounds on significant bits and on the lowest bit by a finite number. */
static void note_bits(struct folding_sum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t digits = (bits & (((uint64_t)1 << 52) - 1)) | (exponent ? (uint64_t)1 << 52 : 0);
    int zeros = __builtin_ctzll(digits), unit = (exponent ? exponent : 1) - 1075 + zeros;
    sum->unit = unit < sum->unit ? unit : sum->unit;
    sum->width += 64 - __builtin_clzll(digits) - zeros - 1;
}

static void folding_sum_note(struct folding_sum *sum, double value, int64_t number)
{
    if (isnan(value)) {
        /* Elements come in any order. */
        sum->first_nan = sum->nans == 0 || number < sum->first_nan ? number : sum->first_nan;
        sum->last_nan = number > sum->last_nan ? number : sum->last_nan;
        sum->nans++;
    } else if (value == 0) {
        sum->zeros++;
    } else if (isinf(value)) {
        sum->infinities++;
    } else {
        sum->magnitude += fabs(value);
        *(value < 0 ? &sum->negative : &sum->positive) += fabs(value);
        note_bits(sum, value);
        if (sum->kind == FOLD_PRODUCT) {
            double size = log2(fabs(value));
            *(size < 0 ? &sum->down : &sum->up) += size;
        }
    }
}

/* Multiplies; keeps the mantissa between 1/2 and 1, so that no partial product leaves the range. */
static void multiply(struct folding_sum *sum, double value)
{
    int exponent = 0;
    sum->value = frexp(sum->value * value, &exponent);
    if (isfinite(sum->value) && sum->value != 0)
        sum->exponent += exponent;
}

static bool is_before(const struct folding_sum *sum, double value, bool least)
{
    if (isnan(sum->value))
        return true;
    if (sum->signed_zeros && value == 0 && sum->value == 0 && !signbit(value) != !signbit(sum->value))
        return least == (signbit(value) != 0);
    if (value == sum->value)
        return sum->last;
    return least ? value < sum->value : value > sum->value;
}

void folding_add(struct folding_sum *sum, double value, int64_t number, bool lean)
{
    sum->count++;
    if (!lean)
        folding_sum_note(sum, value, number);
    if (sum->kind == FOLD_SUM) {
        sum->value += value;
    } else if (sum->kind == FOLD_PRODUCT) {
        multiply(sum, value);
    } else if (!isnan(value) && is_before(sum, value, sum->kind == FOLD_MIN || sum->kind == FOLD_PLACE_OF_MIN)) {
        sum->value = value;
        sum->place = number;
    }
}

/* Sums of logarithms have errors; with this slack no peak is too low and no dip too high. */
static const double SLACK = 0x1p-30;

void folding_end(const struct folding_sum *sum, struct formula_fold *out)
{
    bool product = sum->kind == FOLD_PRODUCT;
    double value = product ? ldexp(sum->value, sum->exponent) : sum->value;
    if (sum->kind >= FOLD_PLACE_OF_MIN)
        value = sum->place < 0 ? 0 : (double)sum->place;
    out->product = product;
    out->unit = sum->unit;
    out->width = sum->width;
    out->parts[FOLD_VALUE] = value;
    out->parts[FOLD_COUNT] = (double)sum->count;
    out->parts[FOLD_MAGNITUDE] = product ? fabs(value) : sum->magnitude;
    out->parts[FOLD_PEAK] = product ? exp2(sum->up * (1 + SLACK)) : fmax(sum->positive, sum->negative);
    out->parts[FOLD_DIP] = product ? exp2(sum->down * (1 + SLACK)) : 0;
    out->parts[FOLD_NANS] = (double)sum->nans;
    out->parts[FOLD_ZEROS] = (double)sum->zeros;
    out->parts[FOLD_INFINITIES] = (double)sum->infinities;
    out->parts[FOLD_FIRST_NAN] = (double)sum->first_nan;
    out->parts[FOLD_LAST_NAN] = (double)sum->last_nan;
    out->parts[FOLD_OWN] = out->parts[FOLD_STEPS] = 0;
}

/* ---- integers */

static bool is_whole_before(const struct folding_sum *sum, formula_integer value)
{
    if (value == sum->whole)
        return sum->last;
    bool least = sum->kind == FOLD_MIN || sum->kind == FOLD_PLACE_OF_MIN;
    return least ? value < sum->whole : value > sum->whole;
}

void folding_add_whole(struct folding_sum *sum, formula_integer value, int64_t number)
{
    bool first = sum->count++ == 0;
    if (sum->kind == FOLD_SUM) {
        sum->whole = (formula_integer)((unsigned __int128)sum->whole + (unsigned __int128)value); /* the sum may wrap */
    } else if (sum->kind == FOLD_PRODUCT) {
        sum->whole = formula_product(sum->whole, value);
    } else if (first || is_whole_before(sum, value)) {
        sum->whole = value;
        sum->place = number;
    }
}

static uint32_t folds_in(const struct formula *formula)
{
    uint32_t folds = 0;
    for (int i = 0; i < formula->count; i++)
        if (formula->nodes[i].op == FORMULA_FOLD || formula->nodes[i].op == FORMULA_INEXACT)
            folds |= 1u << formula->nodes[i].field;
    return folds;
}

uint32_t folding_reached_from(const struct spec_result *result, const struct formula *formula)
{
    uint32_t folds = folds_in(formula);
    for (int i = result->fold_count; i-- > 0;) {
        const struct spec_fold *fold = &result->folds[i];
        if (!(folds >> i & 1))
            continue;
        folds |= folds_in(&fold->value);
        for (int n = 0; n < fold->other_count; n++)
            folds |= 1u << fold->others[n].fold;
    }
    return folds;
}

void folding_of_one(const struct spec_result *result, uint32_t folds, struct formula_reals *reals,
                    struct formula_integers *integers)
{
    for (int i = 0; i < result->fold_count; i++) {
        if (!(folds >> i & 1))
            continue;
        const struct spec_fold *fold = &result->folds[i];
        struct folding_sum sum;
        formula_integer whole;
        for (int n = 0; n < fold->other_count && reals; n++)
            reals->others[n] = reals->folds[fold->others[n].fold];
        for (int n = 0; n < fold->other_count && integers; n++)
            integers->others[n] = integers->folds[fold->others[n].fold];
        folding_begin(&sum, fold, false);
        if (reals) {
            folding_add(&sum, formula_real(&fold->value, reals), 0, false);
            folding_end(&sum, &reals->folds[i]);
        } else {
            integers->folds[i].defined = formula_whole(&fold->value, integers, &whole);
            folding_add_whole(&sum, whole, 0);
            integers->folds[i].value = fold->kind >= FOLD_PLACE_OF_MIN ? 0 : sum.whole;
            integers->folds[i].count = 1;
        }
    }
}
