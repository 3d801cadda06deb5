#include "harness/formula/evaluate.h"

#include "harness/base/datatype.h"
#include "harness/base/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds halves to even in any rounding mode: a device under test may have changed it. */
static double round_even(double value)
{
    double down = floor(value), rest = value - down;
    if (rest != 0.5)
        return rest < 0.5 ? down : ceil(value);
    return fmod(down, 2) == 0 ? down : down + 1;
}

/* These return the largest and the lowest finite number of a type. Types that are not floating-point are integers. */
static double formula_largest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return t->is_float ? real_largest(type) : ldexp(1, (int)t->bits - (int)t->is_signed) - 1;
}

static double formula_lowest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return -real_largest(type);
    return t->is_signed ? -ldexp(1, (int)t->bits - 1) : 0;
}

static double spacing_in(unsigned type, double value)
{
    return datatype_of(type)->is_float ? real_spacing(type, value) : 1;
}

static double roundoff_in(unsigned type)
{
    return datatype_of(type)->is_float ? real_roundoff(type) : 0;
}

static double cast(unsigned type, double value)
{
    if (datatype_of(type)->is_float)
        return real_round(type, value);
    return isnan(value) ? value : fmin(fmax(trunc(value), formula_lowest_of(type)), formula_largest_of(type));
}

/* Returns entry `at` of an array of FLOATs. */
static double formula_entry(const struct formula_reals *of, int field, double at)
{
    float value;
    if (!of->desc || !opdesc_present(of->desc, field) || !(at >= 0 && at < opdesc_count(of->desc, field)))
        return (double)NAN;
    memcpy(&value, &OPDESC_ELEMENT(of->desc, field, 0)->list[(int)at], sizeof value);
    return of->attributes_halved ? real_round(DML_TENSOR_DATA_TYPE_FLOAT16, (double)value) : (double)value;
}

unsigned formula_precision(const struct formula_reals *of, unsigned type)
{
    return of->half && type == DML_TENSOR_DATA_TYPE_FLOAT32 ? DML_TENSOR_DATA_TYPE_FLOAT16 : type;
}

static unsigned precision_of(const struct formula_reals *of)
{
    return formula_precision(of, of->type);
}

/* Returns true if, in some order of the elements, the fold may round in a floating-point format of so many bits: 11 are
 * those of FLOAT16, 24 of FLOAT32. A sum is exact if the sum of absolute values fits, since no partial sum needs more
 * bits. */
static bool formula_is_inexact(const struct formula_fold *fold, double bits)
{
    unsigned type = bits <= 11 ? DML_TENSOR_DATA_TYPE_FLOAT16 : DML_TENSOR_DATA_TYPE_FLOAT32;
    double peak = fold->parts[FOLD_PEAK], least = real_smallest_normal(type);
    if (fold->parts[FOLD_COUNT] - fold->parts[FOLD_NANS] - fold->parts[FOLD_ZEROS] - fold->parts[FOLD_INFINITIES] == 0)
        return false;
    if (!(peak <= real_largest(type)))
        return true;
    if (fold->product)
        return fold->parts[FOLD_ZEROS] == 0 && (fold->width > bits || fold->parts[FOLD_DIP] < least);
    return !(fold->parts[FOLD_MAGNITUDE] <= ldexp(1, fold->unit + (int)bits)) || ldexp(1, fold->unit) < least * 0x1p-10;
}

/* Evaluates a node, given the values of the earlier nodes. It is inlined where formulas are evaluated: that is a large
 * part of a run. */
static inline __attribute__((always_inline)) double real_of(const struct formula_node *node,
                                                            const struct formula_reals *of, const double *values)
{
    const double *a = &values[node->a], *b = &values[node->b], *c = &values[node->c]; /* if the node has them */
    switch ((enum formula_op)node->op) {
    case FORMULA_CONST:
        return node->value;
    case FORMULA_ELEMENT:
    case FORMULA_OUTPUT:
        return of->elements[node->field];
    case FORMULA_SPACING_OF:
        return spacing_in(formula_precision(of, of->types[node->field]), *a);
    case FORMULA_LEAST_OF:
        return of->least ? of->least[node->field] : (double)NAN;
    case FORMULA_GREATEST_OF:
        return of->greatest ? of->greatest[node->field] : (double)NAN;
    case FORMULA_MEMBER:
        return of->members[node->field];
    case FORMULA_NUMBER:
        return of->number;
    case FORMULA_COORDINATE:
        return of->coordinates[(int)node->value - 1];
    case FORMULA_ATTRIBUTE:
        return of->attributes[node->field];
    case FORMULA_CAST:
        return cast(of->type, of->attributes[node->field]);
    case FORMULA_BIAS:
        return of->biases[node->field];
    case FORMULA_TRUNCATED:
        return trunc(of->attributes[node->field]);
    case FORMULA_FLOORED:
        return floor(of->attributes[node->field]);
    case FORMULA_IS_FLOAT:
        return (double)(of->floats >> node->field & 1);
    case FORMULA_ENTRY:
        return formula_entry(of, node->field, *a);
    case FORMULA_PRESENT:
        return (double)(of->present >> node->field & 1);
    case FORMULA_RESULT:
        return of->result;
    case FORMULA_TERM:
        return of->terms[(int)node->value];
    case FORMULA_FOLD:
        return of->folds[node->field].parts[(int)node->value];
    case FORMULA_ELSEWHERE:
        return of->others[node->field].parts[(int)node->value];
    case FORMULA_INEXACT:
        return formula_is_inexact(&of->folds[node->field], *a);
    case FORMULA_ROUNDOFF:
        return roundoff_in(precision_of(of));
    case FORMULA_SPACING:
        return spacing_in(precision_of(of), *a);
    case FORMULA_LARGEST:
        return formula_largest_of(precision_of(of));
    case FORMULA_LOWEST:
        return formula_lowest_of(precision_of(of));
    case FORMULA_LEAST:
        return real_smallest_normal(precision_of(of));
    case FORMULA_WITHIN:
        return of->shift == 0 ? *a : *a + of->shift * *b; /* a + 0 * infinity would be NaN */
    case FORMULA_ADD:
        return *a + *b;
    case FORMULA_SUB:
        return *a - *b;
    case FORMULA_MUL:
        return *a * *b;
    case FORMULA_DIV:
        return *a / *b;
    case FORMULA_NEG:
        return -*a;
    case FORMULA_ABS:
        return fabs(*a);
    case FORMULA_MIN:
        return fmin(*a, *b);
    case FORMULA_MAX:
        return fmax(*a, *b);
    case FORMULA_POW:
        return pow(*a, *b);
    case FORMULA_LT:
        return *a < *b;
    case FORMULA_LE:
        return *a <= *b;
    case FORMULA_EQ:
        return *a == *b;
    case FORMULA_NE:
        return *a != *b;
    case FORMULA_AND:
        return *a != 0 && *b != 0;
    case FORMULA_OR:
        return *a != 0 || *b != 0;
    case FORMULA_NOT:
        return *a == 0;
    case FORMULA_IF:
        return *a != 0 ? *b : *c;
    case FORMULA_IS_NAN:
        return isnan(*a);
    case FORMULA_IS_INF:
        return isinf(*a) != 0;
    case FORMULA_FLOOR:
        return floor(*a);
    case FORMULA_CEIL:
        return ceil(*a);
    case FORMULA_TRUNC:
        return trunc(*a);
    case FORMULA_ROUND_EVEN:
        return copysign(round_even(*a), *a);
    case FORMULA_ROUND_AWAY:
        return round(*a);
    case FORMULA_SQRT:
        return sqrt(*a);
    case FORMULA_EXP:
        return exp(*a);
    case FORMULA_LOG:
        return log(*a);
    case FORMULA_SIN:
        return sin(*a);
    case FORMULA_COS:
        return cos(*a);
    case FORMULA_TAN:
        return tan(*a);
    case FORMULA_ASIN:
        return asin(*a);
    case FORMULA_ACOS:
        return acos(*a);
    case FORMULA_ATAN:
        return atan(*a);
    case FORMULA_ATAN2:
        return atan2(*a, *b);
    case FORMULA_SINH:
        return sinh(*a);
    case FORMULA_COSH:
        return cosh(*a);
    case FORMULA_TANH:
        return tanh(*a);
    case FORMULA_ASINH:
        return asinh(*a);
    case FORMULA_ACOSH:
        return acosh(*a);
    case FORMULA_ATANH:
        return atanh(*a);
    case FORMULA_ERF:
        return erf(*a);
    case FORMULA_EXPM1:
        return expm1(*a);
    case FORMULA_LOG1P:
        return log1p(*a);
    default: /* operations on integers only: a spec with such a formula does not load */
        return (double)NAN;
    }
}

/* Returns true if the curve may bend or break at the node. `choice` is its branch, which becomes a part of
 * values.branches. */
static bool formula_is_choice(const struct formula_node *node, const double *values, double value, bool *choice)
{
    if (node->op == FORMULA_ABS)
        *choice = values[node->a] < 0;
    else if (node->op == FORMULA_MIN)
        *choice = values[node->a] < values[node->b];
    else if (node->op == FORMULA_MAX)
        *choice = values[node->a] > values[node->b];
    else
        *choice = value != 0;
    return node->op == FORMULA_ABS || node->op == FORMULA_MIN || node->op == FORMULA_MAX ||
           (node->op >= FORMULA_LT && node->op <= FORMULA_IS_INF && node->op != FORMULA_IF);
}

/* The values of the nodes evaluated so far. `branches` is a hash of the results of their conditions. */
struct values {
    int count;
    uint64_t branches;
    double of[FORMULA_MAX_NODES];
};

/* Evaluates the nodes that have no value yet, up to `count`. */
static void formula_evaluate(const struct formula *formula, const struct formula_reals *of, int count,
                             struct values *values)
{
    for (int i = values->count; i < count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        bool choice;
        values->of[i] = real_of(node, of, values->of);
        if (formula_is_choice(node, values->of, values->of[i], &choice))
            values->branches = values->branches * 0x9e3779b97f4a7c15u + choice;
    }
    values->count = count;
}

double formula_real(const struct formula *formula, const struct formula_reals *of)
{
    double values[FORMULA_MAX_NODES];
    for (int i = 0; i < formula->count; i++)
        values[i] = real_of(&formula->nodes[i], of, values);
    return formula->count ? values[formula->count - 1] : (double)NAN;
}

/* The state of making an image. The nodes before the first WITHIN have the same values at all of its places. */
struct imaging {
    const struct formula *formula;
    struct formula_reals of; /* the operands at the place that was sampled last */
    struct values values;
    int fixed; /* number of nodes before the first WITHIN */
    uint64_t branches_before;
};

/* A value of the formula at one place of WITHIN. */
struct sample {
    double shift, value;
    uint64_t branches;
};

static struct sample sample_at(struct imaging *imaging, double shift)
{
    const struct formula *formula = imaging->formula;
    struct values *values = &imaging->values;
    imaging->of.shift = shift;
    values->count = imaging->fixed;
    values->branches = imaging->branches_before;
    formula_evaluate(formula, &imaging->of, formula->count, values);
    double value = formula->count ? values->of[formula->count - 1] : (double)NAN;
    return (struct sample){.shift = shift, .value = value, .branches = values->branches + (isnan(value) != 0)};
}

/* Adds a range of values to the image; to its last piece if `join`, or if the image is full. */
static void add_range(struct formula_image *out, double a, double b, bool join)
{
    double low = a <= b || isnan(b) ? a : b, high = a <= b || isnan(b) ? b : a;
    if (isnan(a) != isnan(b)) { /* a NaN is a piece of its own */
        add_range(out, a, a, join);
        add_range(out, b, b, false);
        return;
    }
    int last = out->count - 1;
    if (isnan(low) && last >= 0 && isnan(out->pieces[last].low))
        return;
    if (last >= 0 && (join || out->count == FORMULA_MAX_PIECES) && !isnan(low) && !isnan(out->pieces[last].low)) {
        out->pieces[last].low = fmin(out->pieces[last].low, low);
        out->pieces[last].high = fmax(out->pieces[last].high, high);
    } else if (out->count < FORMULA_MAX_PIECES) {
        out->pieces[out->count].low = low;
        out->pieces[out->count++].high = high;
    }
}

enum { HALVINGS = 60 }; /* more halvings than a double has bits */

/* Steps of at most this share of the image are no jumps. */
static const double NO_JUMP = 1e-9;

/* Adds the values from one sample to another. Where a condition changes between them, the function halves the interval
 * until the change lies between two neighbouring numbers: the values on both sides of a jump belong to the image, the
 * values between do not. `span` is the distance of the least and the greatest value seen so far. */
static void add_between(struct imaging *imaging, struct formula_image *out, struct sample from, struct sample to,
                        double span, int depth)
{
    double middle = from.shift / 2 + to.shift / 2;
    bool same = from.branches == to.branches;
    bool end = depth == 0 || middle <= from.shift || middle >= to.shift;
    if (same || (end && fabs(from.value - to.value) <= NO_JUMP * span)) {
        add_range(out, from.value, to.value, true);
        return;
    }
    if (end) { /* a jump */
        add_range(out, from.value, from.value, true);
        add_range(out, to.value, to.value, false);
        return;
    }
    struct sample at = sample_at(imaging, middle);
    add_between(imaging, out, from, at, span, depth - 1);
    add_between(imaging, out, at, to, span, depth - 1);
}

enum { SHIFTS_MAX = 8 };

/* Adds the place at which WITHIN, with operand a and width b, has the value `turn`. */
static void add_turn(double shifts[SHIFTS_MAX], int *count, double a, double b, double turn)
{
    double shift = (turn - a) / b;
    if (shift > -1 && shift < 1 && *count < SHIFTS_MAX)
        shifts[(*count)++] = shift;
}

static int formula_by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Chooses the places of samples, in order: the ends, the middle, and the turns of functions, which samples at the ends
 * would miss. Even functions turn at 0, sine and cosine at multiples of a right angle; four of these suffice. */
static int choose_shifts(const struct formula *formula, double a, double b, double shifts[SHIFTS_MAX])
{
    bool is_wave = false;
    int count = 0;
    for (int i = 0; i < formula->count; i++)
        is_wave |= formula->nodes[i].op == FORMULA_SIN || formula->nodes[i].op == FORMULA_COS;
    shifts[count++] = -1;
    shifts[count++] = 0;
    shifts[count++] = 1;
    add_turn(shifts, &count, a, b, 0);
    for (int i = 0; is_wave && i < 4; i++)
        add_turn(shifts, &count, a, b, (ceil((a - b) / M_PI_2) + i) * M_PI_2);
    qsort(shifts, (size_t)count, sizeof *shifts, formula_by_size);
    return count;
}

void formula_image(const struct formula *formula, const struct formula_reals *of, struct formula_image *out)
{
    struct imaging imaging;
    struct sample samples[SHIFTS_MAX];
    double shifts[SHIFTS_MAX], least = INFINITY, most = -INFINITY;
    imaging.formula = formula;
    imaging.of = *of;
    imaging.fixed = 0;
    while (imaging.fixed < formula->count && formula->nodes[imaging.fixed].op != FORMULA_WITHIN)
        imaging.fixed++;
    imaging.values.count = 0;
    imaging.values.branches = 1;
    formula_evaluate(formula, of, imaging.fixed, &imaging.values);
    imaging.branches_before = imaging.values.branches;
    samples[0] = sample_at(&imaging, 0);
    out->count = 1;
    out->pieces[0].low = out->pieces[0].high = samples[0].value;
    if (imaging.fixed == formula->count)
        return;
    const struct formula_node *within = &formula->nodes[imaging.fixed];
    int count = choose_shifts(formula, imaging.values.of[within->a], imaging.values.of[within->b], shifts);
    for (int i = 0; i < count; i++) {
        samples[i] = sample_at(&imaging, shifts[i]);
        least = fmin(least, samples[i].value);
        most = fmax(most, samples[i].value);
    }
    out->count = 0;
    add_range(out, samples[0].value, samples[0].value, false);
    for (int i = 0; i + 1 < count; i++)
        add_between(&imaging, out, samples[i], samples[i + 1], most - least, HALVINGS);
}
