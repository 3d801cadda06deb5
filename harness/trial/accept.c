#include "harness/trial/accept_internal.h"

#include "harness/spec/outcome.h"

#include <math.h>
#include <string.h>

struct judging {
    const struct spec_result *result;
    const struct accept_operands *of;
    unsigned type; /* the type in which the output is computed */
    uint64_t bits; /* the bits that the device returned */
    double got;    /* the same value as a number; not used for results in integers */
};

static enum acceptance better(enum acceptance a, enum acceptance b)
{
    return a < b ? a : b;
}

/* Returns the tolerance's bound for a result; it may be no number. The operands are large, so they are not copied: they
 * have the result while its bound is evaluated. */
static double tolerance_at(const struct accept_operands *of, const struct formula *bound, double result)
{
    struct formula_reals *reals = (struct formula_reals *)(uintptr_t)&of->reals;
    const double before = reals->result, shift = reals->shift;
    reals->result = result;
    reals->shift = 0;
    const double value = formula_real(bound, reals);
    reals->result = before;
    reals->shift = shift;
    return value;
}

double accept_bound(const struct accept_operands *of, const struct formula *bound, double result)
{
    return accept_bound_of(bound->count ? tolerance_at(of, bound, result) : 0);
}

/* ---- floating-point outputs */

double accept_overflow(unsigned type)
{
    return real_largest(type) + real_spacing(type, real_largest(type)) / 2;
}

struct accept_span accept_span_of(const struct accept_operands *of, double low, double high,
                                  const struct formula *bound)
{
    unsigned type = formula_precision(&of->reals, of->type);
    double least = low - accept_bound(of, bound, low), most = high + accept_bound(of, bound, high);
    return (struct accept_span){.least = fmin(least, real_round(type, low)),
                                .most = fmax(most, real_round(type, high))};
}

static bool accept_is_within(const struct judging *j, double low, double high, const struct formula *bound)
{
    struct accept_span span = accept_span_of(j->of, low, high, bound);
    if (isinf(j->got))
        return j->got > 0 ? span.most >= accept_overflow(j->type) : span.least <= -accept_overflow(j->type);
    return j->got >= span.least && j->got <= span.most;
}

struct accept_deviations accept_deviations_of(const struct accept_operands *of, const struct formula *formula,
                                              double low, double high)
{
    unsigned type = formula_precision(&of->reals, of->type);
    double normal = real_smallest_normal(type), largest = real_largest(type);
    bool is_number = !(low == high && isinf(low)) || formula_overflows(formula, &of->reals);
    return (struct accept_deviations){.zero = low < normal && high > -normal,
                                      .largest = high >= largest && is_number,
                                      .lowest = low <= -largest && is_number};
}

static bool is_flushed(const struct judging *j, const struct formula *formula, double low, double high)
{
    struct accept_deviations may = accept_deviations_of(j->of, formula, low, high);
    double largest = real_largest(j->type);
    return j->got == 0 ? may.zero : (j->got == largest && may.largest) || (j->got == -largest && may.lowest);
}

static bool is_wrong_zero(const struct judging *j, double value)
{
    return j->result->signed_zeros && j->got == 0 && value == 0 && !signbit(j->got) != !signbit(value);
}

/* Judges a number by the values that a formula takes, its image. */
static enum acceptance judge_real(const struct judging *j, const struct formula *formula,
                                  const struct formula_image *image)
{
    const struct tolerance *bounds = &j->result->tolerances[j->type];
    enum acceptance best = ACCEPT_WRONG;
    for (int i = 0; i < image->count; i++) {
        double low = image->pieces[i].low, high = image->pieces[i].high;
        if (isnan(low) || isnan(j->got)) {
            best = better(best, isnan(low) && isnan(j->got) ? ACCEPT_RIGHT : ACCEPT_WRONG);
            continue;
        }
        if (accept_is_within(j, low, high, &bounds->soft))
            best = better(best, is_wrong_zero(j, low) ? ACCEPT_SOFT : ACCEPT_RIGHT);
        if (accept_is_within(j, low, high, &bounds->must) || is_flushed(j, formula, low, high))
            best = better(best, ACCEPT_SOFT);
    }
    return best;
}

/* Measures how far a number is from the values that the result's formula takes, its image. */
static void accept_measure(const struct judging *j, const struct formula_image *image, struct accept_verdict *out)
{
    bool is_float = datatype_of(j->type)->is_float;
    double value = formula_real(&j->result->value, &j->of->reals), distance = INFINITY;
    out->measured = isfinite(value) && isfinite(j->got) && (is_float || accept_fits(j->type, value));
    if (!out->measured || j->got == (is_float ? real_round(j->type, value) : trunc(value)))
        return;
    out->error.ulps = fabs(j->got - value) / (is_float ? real_spacing(j->type, value) : 1);
    for (int i = 0; i < image->count; i++) {
        double low = image->pieces[i].low, high = image->pieces[i].high;
        double above = j->got > high ? j->got - high : 0;
        distance = fmin(distance, j->got < low ? low - j->got : above);
    }
    double must = accept_bound(j->of, &j->result->tolerances[j->type].must, value);
    out->error.share = distance == 0 ? 0 : distance / must; /* infinite without a bound */
}

/* ---- integer outputs */

formula_integer accept_lowest(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return t->is_signed ? -((formula_integer)1 << (t->bits - 1)) : 0;
}

formula_integer accept_highest(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return ((formula_integer)1 << (t->bits - (t->is_signed ? 1 : 0))) - 1;
}

uint64_t accept_wrapped(unsigned type, formula_integer value)
{
    unsigned width = datatype_of(type)->bits;
    return (uint64_t)value & (width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX);
}

uint64_t accept_saturated(unsigned type, formula_integer value)
{
    return accept_wrapped(type, value < accept_lowest(type) ? accept_lowest(type) : accept_highest(type));
}

bool accept_fits(unsigned type, double value)
{
    return trunc(value) >= (double)accept_lowest(type) && trunc(value) <= (double)accept_highest(type);
}

bool accept_is_integer(double low, double high)
{
    return isfinite(low) && low == high && fabs(low) <= 0x1p53;
}

bool accept_is_undefined(double low, double high)
{
    return isnan(low) || (low == high && isinf(low));
}

/* Judges an integer by a value in integers. */
static enum acceptance judge_whole(const struct judging *j, formula_integer value, const char **outcome)
{
    bool fits = value >= accept_lowest(j->type) && value <= accept_highest(j->type);
    bool wraps = j->bits == accept_wrapped(j->type, value);
    if (fits || j->result->bits || j->result->overflow == OVERFLOW_WRAPS)
        return wraps ? ACCEPT_RIGHT : ACCEPT_WRONG;
    if (j->result->overflow == OVERFLOW_OPEN)
        return ACCEPT_RIGHT;
    if (wraps)
        *outcome = outcome_name(OUTCOME_WRAPPED);
    else if (j->bits == accept_saturated(j->type, value))
        *outcome = outcome_name(OUTCOME_SATURATED);
    if (!**outcome)
        return ACCEPT_WRONG;
    return wraps || datatype_of(j->type)->bits < 32 ? ACCEPT_RIGHT : ACCEPT_SOFT;
}

/* Judges an integer by a formula in real numbers, which must give an integer: by every value of its image, and the
 * bounds around them. `undefined` is the judgement by a NaN or an infinity. */
static enum acceptance judge_rounded(const struct judging *j, const struct formula_image *image,
                                     enum acceptance undefined, const char **outcome)
{
    const struct tolerance *bounds = &j->result->tolerances[j->type];
    enum acceptance best = ACCEPT_WRONG;
    for (int i = 0; i < image->count; i++) {
        double low = trunc(image->pieces[i].low), high = trunc(image->pieces[i].high);
        if (accept_is_undefined(low, high))
            best = better(best, undefined);
        else if (low < (double)accept_lowest(j->type) || high > (double)accept_highest(j->type))
            best = better(best, accept_is_integer(low, high) ? judge_whole(j, (formula_integer)low, outcome)
                                                             : ACCEPT_RIGHT); /* no integer: every value is right */
        else if (j->got >= low - accept_bound(j->of, &bounds->soft, low) &&
                 j->got <= high + accept_bound(j->of, &bounds->soft, high))
            best = ACCEPT_RIGHT;
        else if (j->got >= low - accept_bound(j->of, &bounds->must, low) &&
                 j->got <= high + accept_bound(j->of, &bounds->must, high))
            best = better(best, ACCEPT_SOFT);
    }
    return best;
}

/* Judges an integer by an outcome in integers: by all values between those at both ends of its WITHIN. An outcome
 * without a value is none. */
static enum acceptance judge_between(const struct judging *j, const struct formula *formula, const char **outcome)
{
    struct formula_integers of = j->of->integers;
    formula_integer ends[2];
    for (int end = 0; end < 2; end++) {
        of.shift = end ? 1 : -1;
        if (!formula_whole(formula, &of, &ends[end]))
            return ACCEPT_WRONG;
    }
    formula_integer low = ends[0] < ends[1] ? ends[0] : ends[1], high = ends[0] < ends[1] ? ends[1] : ends[0];
    formula_integer lowest = accept_lowest(j->type), highest = accept_highest(j->type);
    if (low == high)
        return judge_whole(j, low, outcome);
    if (j->result->overflow == OVERFLOW_OPEN && (low < lowest || high > highest))
        return ACCEPT_RIGHT;
    uint64_t first = low < lowest || low > highest ? accept_saturated(j->type, low) : accept_wrapped(j->type, low);
    uint64_t last = high < lowest || high > highest ? accept_saturated(j->type, high) : accept_wrapped(j->type, high);
    return accept_wrapped(j->type, (formula_integer)j->bits - (formula_integer)first) <=
                   accept_wrapped(j->type, (formula_integer)last - (formula_integer)first)
               ? ACCEPT_RIGHT
               : ACCEPT_WRONG;
}

/* ---- any output */

static enum acceptance judge_image(const struct judging *j, const struct formula *formula,
                                   const struct formula_image *image, enum acceptance undefined, const char **outcome)
{
    return datatype_of(j->type)->is_float ? judge_real(j, formula, image) : judge_rounded(j, image, undefined, outcome);
}

/* Judges by an outcome of a choice. */
static enum acceptance judge_alternative(const struct judging *j, const struct formula *formula)
{
    const char *unused = "";
    struct formula_image image;
    if (j->of->whole)
        return judge_between(j, formula, &unused);
    formula_image(formula, &j->of->reals, &image);
    return judge_image(j, formula, &image, ACCEPT_WRONG, &unused);
}

/* Judges by the formula of the result, and measures the distance from it. */
static void judge_result(const struct judging *j, struct accept_verdict *out)
{
    const struct formula *formula = &j->result->value;
    struct formula_image image;
    formula_integer value;
    if (j->of->whole) {
        bool defined = formula_whole(formula, &j->of->integers, &value);
        out->acceptance = defined ? judge_whole(j, value, &out->outcome) : ACCEPT_RIGHT;
        return;
    }
    formula_image(formula, &j->of->reals, &image);
    accept_measure(j, &image, out);
    out->acceptance = judge_image(j, formula, &image, ACCEPT_RIGHT, &out->outcome);
}

bool accept_is_about(const struct spec_choice *choice, const struct accept_operands *of)
{
    formula_integer value;
    if (of->whole)
        return formula_whole(&choice->when, &of->integers, &value) && value != 0;
    return formula_may_hold(&choice->when, &of->reals);
}

bool accept_is_open(const struct spec_result *result, const struct accept_operands *of)
{
    struct accept_operands completed = *of;
    uint64_t bits;
    bool open = !accept_expected(result, of, &bits);
    if (result->choice_count > 0 && of->complete)
        of->complete(of->folds, &completed);
    for (int i = 0; i < result->choice_count && !open; i++)
        open = accept_is_about(&result->choices[i], &completed);
    return open;
}

/* Judges by the alternatives of a choice whose condition holds. */
static enum acceptance judge_choice(const struct judging *j, const struct spec_choice *choice, const char **outcome)
{
    enum acceptance best = choice->anything ? ACCEPT_RIGHT : ACCEPT_WRONG;
    if (choice->anything)
        *outcome = outcome_name(OUTCOME_OTHER);
    for (int i = 0; i < choice->count && best != ACCEPT_RIGHT; i++) {
        const enum acceptance also = judge_alternative(j, &choice->alternatives[i].value);
        if (also < best)
            *outcome = choice->alternatives[i].outcome;
        best = better(best, also);
    }
    return best == ACCEPT_RIGHT && choice->soft ? ACCEPT_SOFT : best;
}

static void accept_judge_element(const struct spec_result *result, const struct accept_operands *of, uint64_t got,
                                 struct accept_verdict *out)
{
    struct judging j = {.result = result, .of = of, .type = formula_precision(&of->reals, of->type), .bits = got};
    *out = (struct accept_verdict){.outcome = "", .rule = -1};
    if (!of->whole)
        j.got = datatype_to_double(of->type, &got);
    judge_result(&j, out);
    struct accept_operands completed;
    if (out->acceptance != ACCEPT_RIGHT && result->choice_count > 0 && of->complete) {
        completed = *of;
        of->complete(of->folds, &completed);
        j.of = of = &completed;
    }
    for (int i = 0; i < result->choice_count && out->acceptance != ACCEPT_RIGHT; i++) {
        const struct spec_choice *choice = &result->choices[i];
        const char *outcome = "";
        enum acceptance also = accept_is_about(choice, of) ? judge_choice(&j, choice, &outcome) : ACCEPT_WRONG;
        if (also < out->acceptance)
            *out = (struct accept_verdict){.acceptance = also, .outcome = outcome, .rule = choice->rule};
    }
}

bool accept_flush(struct accept_operands *of, enum accept_flushing flushing)
{
    bool flushed = false, kept = false;
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++) {
        double *element = &of->reals.elements[i];
        unsigned type = formula_precision(&of->reals, of->reals.types[i]);
        if (!datatype_of(type)->is_float || *element == 0 || !(fabs(*element) < real_smallest_normal(type)))
            continue;
        if (flushing == ACCEPT_FLUSHES_FLOAT32 && type != DML_TENSOR_DATA_TYPE_FLOAT32) {
            kept = true;
            continue;
        }
        *element = copysign(0, *element);
        flushed = true;
    }
    if (flushing == ACCEPT_FLUSHES_FLOAT32) /* no fold reads floats of two types */
        return flushed && kept;
    of->flushed = true;
    return (of->refold && of->refold(of->folds, of)) || flushed;
}

/* Judges by the operands as they are, then with zeros in place of denormals. */
static void judge_operands(const struct spec_result *result, const struct accept_operands *of, uint64_t got,
                           struct accept_verdict *out)
{
    struct accept_verdict verdict;
    accept_judge_element(result, of, got, out);
    if (out->acceptance != ACCEPT_WRONG || of->whole)
        return;
    for (int i = 0; i < ACCEPT_FLUSHINGS && out->acceptance == ACCEPT_WRONG; i++) {
        struct accept_operands flushed = *of;
        if (!accept_flush(&flushed, (enum accept_flushing)i))
            continue;
        accept_judge_element(result, &flushed, got, &verdict);
        if (verdict.acceptance != ACCEPT_WRONG)
            *out = (struct accept_verdict){
                .acceptance = ACCEPT_SOFT, .outcome = outcome_name(OUTCOME_FLUSHED), .rule = verdict.rule};
    }
}

/* ---- FLOAT32 results that are computed in FLOAT16 */

/* The operands that the device has rounded to FLOAT16 before it computes. */
enum { ROUND_ELEMENTS = 1, ROUND_ATTRIBUTES = 2 };
static const int roundings[] = {0, ROUND_ELEMENTS | ROUND_ATTRIBUTES, ROUND_ELEMENTS, ROUND_ATTRIBUTES};
enum { ROUNDINGS = sizeof roundings / sizeof *roundings };

struct halved {
    struct accept_operands of;
    double least[OPDESC_MAX_TENSORS], greatest[OPDESC_MAX_TENSORS]; /* `of` may point here */
};

static double in_half(double value)
{
    return value == 0 ? value : real_round(DML_TENSOR_DATA_TYPE_FLOAT16, value);
}

static void round_elements(struct halved *h)
{
    struct formula_reals *reals = &h->of.reals;
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++) {
        bool rounds = reals->types[i] != DML_TENSOR_DATA_TYPE_FLOAT64;
        if (rounds)
            reals->elements[i] = in_half(reals->elements[i]);
        if (reals->least)
            h->least[i] = rounds ? in_half(reals->least[i]) : reals->least[i];
        if (reals->greatest)
            h->greatest[i] = rounds ? in_half(reals->greatest[i]) : reals->greatest[i];
    }
    reals->least = reals->least ? h->least : NULL;
    reals->greatest = reals->greatest ? h->greatest : NULL;
}

static void round_attributes(struct formula_reals *reals)
{
    reals->attributes_halved = true;
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++) {
        if (!(reals->real_attributes >> i & 1))
            continue;
        reals->attributes[i] = in_half(reals->attributes[i]);
        reals->biases[i] = in_half(reals->biases[i]);
    }
    for (int i = 0; i < OPDESC_NESTED_FIELDS; i++)
        reals->members[i] = in_half(reals->members[i]);
}

static void halve(const struct accept_operands *of, int rounded, struct halved *out)
{
    out->of = *of;
    out->of.reals.half = true;
    if (rounded & ROUND_ELEMENTS)
        round_elements(out);
    if (rounded & ROUND_ATTRIBUTES)
        round_attributes(&out->of.reals);
    out->of.halved = rounded & ROUND_ELEMENTS;
    if (out->of.refold)
        out->of.refold(out->of.folds, &out->of);
}

/* Returns true if the formula has arithmetic. A formula without any copies or converts. A fold has arithmetic, except
 * for the choice of one element. */
static bool has_arithmetic(const struct formula *formula)
{
    for (int i = 0; i < formula->count; i++) {
        enum formula_op op = (enum formula_op)formula->nodes[i].op;
        if (op == FORMULA_FOLD || (op >= FORMULA_ADD && op <= FORMULA_DIV) || op == FORMULA_POW || op >= FORMULA_SQRT)
            return true;
    }
    return false;
}

/* Returns true if the result is computed, and a device may miss the exact one. */
static bool accept_is_inexact(const struct spec_result *result, const struct accept_operands *of)
{
    struct judging j = {.result = result, .of = of, .type = formula_precision(&of->reals, of->type)};
    struct formula_image image;
    if (!has_arithmetic(&result->value))
        return false;
    const struct formula *must = &result->tolerances[j.type].must;
    if (must->count > 0 && tolerance_at(of, must, formula_real(&result->value, &of->reals)) != 0)
        return true;
    formula_image(&result->value, &of->reals, &image);
    return image.count > 1 || image.pieces[0].low < image.pieces[0].high;
}

void accept_element(const struct spec_result *result, const struct accept_operands *of, uint64_t got,
                    struct accept_verdict *out)
{
    bool halved = false;
    judge_operands(result, of, got, out);
    for (int i = 0; of->half && i < ROUNDINGS && !(halved && out->acceptance == ACCEPT_RIGHT); i++) {
        struct accept_verdict verdict;
        struct halved half;
        halve(of, roundings[i], &half);
        if (!accept_is_inexact(result, &half.of))
            continue;
        judge_operands(result, &half.of, got, &verdict);
        if (verdict.acceptance < out->acceptance)
            *out = verdict;
        else if (out->measured && verdict.measured && (!halved || verdict.error.share < out->error.share))
            out->error = verdict.error;
        halved = true;
    }
}

bool accept_is_near(const struct spec_result *result, const struct accept_operands *of, uint64_t predicted,
                    uint64_t got)
{
    struct halved half;
    if (of->whole)
        return predicted == got;
    if (of->half) {
        halve(of, 0, &half);
        of = accept_is_inexact(result, &half.of) ? &half.of : of;
    }
    struct judging j = {.result = result, .of = of, .type = formula_precision(&of->reals, of->type)};
    double value = datatype_to_double(of->type, &predicted);
    j.got = datatype_to_double(of->type, &got);
    if (isnan(value) || isnan(j.got))
        return isnan(value) && isnan(j.got);
    return j.got == value || fabs(j.got - value) <= accept_bound(of, &result->tolerances[j.type].must, value);
}

bool accept_expected(const struct spec_result *result, const struct accept_operands *of, uint64_t *bits)
{
    return accept_rounded(&result->value, of, bits);
}

bool accept_rounded_real(unsigned type, double real, uint64_t *bits)
{
    *bits = 0;
    if (datatype_of(type)->is_float)
        datatype_from_double(type, real, bits);
    else if (fabs(real) < 0x1p100)
        *bits = accept_wrapped(type, (formula_integer)real);
    else
        return false;
    return true;
}

bool accept_rounded(const struct formula *formula, const struct accept_operands *of, uint64_t *bits)
{
    formula_integer whole;
    if (!of->whole)
        return accept_rounded_real(of->type, formula_real(formula, &of->reals), bits);
    *bits = 0;
    if (!formula_whole(formula, &of->integers, &whole))
        return false;
    *bits = accept_wrapped(of->type, whole);
    return true;
}
