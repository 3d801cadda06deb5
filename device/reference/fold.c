#include "device/reference/fold.h"

#include "device/common/number.h"
#include "device/reference/row.h"
#include "device/reference/sum_quick.h"
#include "device/reference/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int fold_computes(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_REDUCE:
    case DML_OPERATOR_ARGMIN:
    case DML_OPERATOR_ARGMAX:
    case DML_OPERATOR_CUMULATIVE_SUMMATION:
    case DML_OPERATOR_CUMULATIVE_PRODUCT:
        return 1;
    default:
        return 0;
    }
}

/* Splits the dimensions. A reduction folds those in which the output has size 1: it makes no difference whether Axes
 * names a dimension of size 1. */
static void fold_make_loops(struct fold *fold, uint32_t axis, int backward)
{
    const struct tensor *in = &fold->input, *out = &fold->output;
    for (uint32_t i = 0; i < in->rank; i++) {
        const int folds = fold->runs ? i == axis : out->sizes[i] == 1, turned = folds && backward;
        const int64_t input = (int64_t)in->strides[i] * in->element_size;
        const int64_t output = folds && !fold->runs ? 0 : (int64_t)out->strides[i] * out->element_size;
        if (turned) {
            fold->first_input = input * (int64_t)(in->sizes[i] - 1);
            fold->first_output = output * (int64_t)(in->sizes[i] - 1);
        }
        if (folds)
            loops_add(&fold->folded, in->sizes[i], turned ? -input : input, turned ? -output : output);
        else
            loops_add(&fold->kept, in->sizes[i], input, output);
    }
    loops_end(&fold->kept);
    loops_end(&fold->folded);
    const struct loop *kept = loops_innermost(&fold->kept), *folded = loops_innermost(&fold->folded);
    fold->across = kept->size > 1 && folded->size > 1 && kept->input < llabs(folded->input);
}

void fold_init(struct fold *fold, const struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
    uint32_t axis = 0;
    int backward = 0;
    memset(fold, 0, sizeof *fold);
    fold->input = d->inputs[0];
    fold->output = d->outputs[0];
    switch (d->type) {
    case DML_OPERATOR_REDUCE:
        fold->function = (enum fold_function)desc->reduce.Function;
        break;
    case DML_OPERATOR_ARGMIN:
        fold->function = FOLD_ARGMIN;
        fold->last = desc->argmin.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        break;
    case DML_OPERATOR_ARGMAX:
        fold->function = FOLD_ARGMAX;
        fold->last = desc->argmax.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        break;
    case DML_OPERATOR_CUMULATIVE_SUMMATION:
        fold->function = FOLD_SUM;
        fold->runs = 1;
        axis = desc->cumulative_sum.Axis;
        backward = desc->cumulative_sum.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        fold->exclusive = desc->cumulative_sum.HasExclusiveSum != 0;
        break;
    default:
        fold->function = FOLD_MULTIPLY;
        fold->runs = 1;
        axis = desc->cumulative_product.Axis;
        backward = desc->cumulative_product.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        fold->exclusive = desc->cumulative_product.HasExclusiveProduct != 0;
    }
    fold_make_loops(fold, axis, backward);
}

/* ---- the accumulator of a fold */

struct state {
    double real; /* the sum, the product times 2^-exponent, or the extreme */
    int exponent;
    double largest; /* LOG_SUM_EXP: the sum is that of e^(x - largest) */
    number_integer whole;
    uint64_t count, place;
    int found, nans; /* extremes: an element is a number; some element is a NaN */
};

static void fold_begin(const struct fold *fold, struct state *state)
{
    *state = (struct state){0};
    if (fold->function == FOLD_MULTIPLY)
        state->real = 1, state->whole = 1;
    if (fold->function == FOLD_LOG_SUM_EXP)
        state->largest = -INFINITY;
}

/* Returns true if an element replaces the extreme so far. */
static int replaces(const struct fold *fold, int below, int equal)
{
    int least = fold->function == FOLD_MIN || fold->function == FOLD_ARGMIN;
    return equal ? fold->last : least == below;
}

/* The product is kept between 1/2 and 1, so that no order of the factors overflows. */
static void multiply(struct state *state, double x)
{
    int exponent = 0;
    double product = state->real * x;
    if (isfinite(product) && product != 0) {
        product = frexp(product, &exponent);
        state->exponent += exponent;
    }
    state->real = product;
}

static void add_power(struct state *state, double x)
{
    if (isnan(x) || isinf(state->real) || isnan(state->real) || isinf(x)) {
        state->real += exp(x);
    } else if (x > state->largest) {
        state->real = state->real * exp(state->largest - x) + 1;
        state->largest = x;
    } else {
        state->real += exp(x - state->largest);
    }
}

static void fold_add_real(const struct fold *fold, struct state *state, double x)
{
    switch (fold->function) {
    case FOLD_ARGMAX:
    case FOLD_ARGMIN:
    case FOLD_MAX:
    case FOLD_MIN:
        if (isnan(x)) {
            state->nans = 1;
        } else if (!state->found || replaces(fold, x < state->real, x == state->real)) {
            state->found = 1;
            state->real = x;
            state->place = state->count;
        }
        break;
    case FOLD_L1:
        state->real += fabs(x);
        break;
    case FOLD_L2:
    case FOLD_SUM_SQUARE:
        state->real += x * x;
        break;
    case FOLD_LOG_SUM_EXP:
        add_power(state, x);
        break;
    case FOLD_MULTIPLY:
        multiply(state, x);
        break;
    default:
        state->real += x;
    }
    state->count++;
}

static void fold_add_whole(const struct fold *fold, struct state *state, number_integer x)
{
    const uint64_t low = (uint64_t)x; /* sums and products keep their low 64 bits */
    switch (fold->function) {
    case FOLD_ARGMAX:
    case FOLD_ARGMIN:
    case FOLD_MAX:
    case FOLD_MIN:
        if (!state->found || replaces(fold, x < state->whole, x == state->whole)) {
            state->found = 1;
            state->whole = x;
            state->place = state->count;
        }
        break;
    case FOLD_L1:
        state->whole = (number_integer)((uint64_t)state->whole + (x < 0 ? 0 - low : low));
        break;
    case FOLD_SUM_SQUARE:
        state->whole = (number_integer)((uint64_t)state->whole + low * low);
        break;
    case FOLD_MULTIPLY:
        state->whole = (number_integer)((uint64_t)state->whole * low);
        break;
    default:
        state->whole = (number_integer)((uint64_t)state->whole + low);
    }
    state->count++;
}

static double result_of(const struct fold *fold, const struct state *state)
{
    switch (fold->function) {
    case FOLD_AVERAGE:
        return state->real / (double)state->count;
    case FOLD_L2:
        return sqrt(state->real);
    case FOLD_LOG_SUM:
        return log(state->real);
    case FOLD_LOG_SUM_EXP:
        return isinf(state->largest) ? log(state->real) : log(state->real) + state->largest;
    case FOLD_MULTIPLY:
        return ldexp(state->real, state->exponent);
    case FOLD_MAX:
    case FOLD_MIN:
        return state->found ? state->real : (double)NAN;
    default:
        return state->real;
    }
}

static void store_result(const struct fold *fold, const struct state *state, void *to)
{
    if (fold->function == FOLD_ARGMAX || fold->function == FOLD_ARGMIN)
        number_store_whole(fold->output.type, (number_integer)state->place, to);
    else if (number_is_float(fold->output.type))
        number_store_real(fold->output.type, result_of(fold, state), to);
    else
        number_store_whole(fold->output.type, state->whole, to);
}

/* ---- rows
 *
 * A sum is one chain of additions, each of which waits for the one before it. So LANES chains go on side by side, or as
 * many as lie next to each other. No chain is added up in another order. */

enum { LANES = ROW_LANES, SIDE_BY_SIDE = 4096 };

static int is_sum(const struct fold *fold)
{
    switch (fold->function) {
    case FOLD_AVERAGE:
    case FOLD_L1:
    case FOLD_L2:
    case FOLD_LOG_SUM:
    case FOLD_SUM:
    case FOLD_SUM_SQUARE:
        return number_is_float(fold->input.type);
    default:
        return 0;
    }
}

/* Adds up rows side by side. Each element is replaced by the sum up to it; if the sum is exclusive, by the sum before
 * it. */
static void run_sum_lanes(double sums[LANES], double x[LANES][ROW_BLOCK], uint64_t count, int exclusive)
{
    double s[LANES];
    memcpy(s, sums, sizeof s);
    if (exclusive)
        for (uint64_t i = 0; i < count; i++)
            for (int k = 0; k < LANES; k++) {
                const double before = s[k];
                s[k] += x[k][i];
                x[k][i] = before;
            }
    else
        for (uint64_t i = 0; i < count; i++)
            for (int k = 0; k < LANES; k++)
                x[k][i] = s[k] += x[k][i];
    memcpy(sums, s, sizeof s);
}

/* Folds a row into a state. If the sum is running, each element is replaced by the state on the way. */
static void fold_reals(const struct fold *fold, struct state *state, double *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const double before = fold->runs && fold->exclusive ? result_of(fold, state) : 0;
        fold_add_real(fold, state, x[i]);
        if (fold->runs)
            x[i] = fold->exclusive ? before : result_of(fold, state);
    }
}

static void fold_wholes(const struct fold *fold, struct state *state, number_integer *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const number_integer before = state->whole;
        fold_add_whole(fold, state, x[i]);
        x[i] = fold->exclusive ? before : state->whole;
    }
}

/* ---- the loops */

/* Results, or rows of running sums, that are computed together. */
struct lanes {
    int count;
    const char *from[LANES];
    char *to[LANES];
    struct state states[LANES];
};

static enum row_term fold_term(const struct fold *fold)
{
    switch (fold->function) {
    case FOLD_L1:
        return ROW_SIZE;
    case FOLD_L2:
    case FOLD_SUM_SQUARE:
        return ROW_SQUARE;
    default:
        return ROW_ELEMENT;
    }
}

static void add_lanes(const struct fold *fold, const struct lanes *lanes, const struct loops_place *place,
                      double sums[LANES])
{
    static const double zeros[LANES];
    const struct loop *loop = loops_innermost(&fold->folded);
    const char *from[LANES];
    for (int k = 0; k < LANES; k++)
        from[k] = lanes->from[k < lanes->count ? k : 0] + place->input;
    row_add_up(fold->input.type, from, loop->input, loop->size, fold_term(fold), zeros, sums);
}

/* Computes running sums. Each element is read before the same offset is written: the output may be the input. */
static void run_sums(const struct fold *fold, const struct lanes *lanes, const struct loops_place *place)
{
    const struct loop *loop = loops_innermost(&fold->folded);
    _Alignas(64) double x[LANES][ROW_BLOCK] = {0};
    double sums[LANES] = {0};
    for (uint64_t i = 0, count; i < loop->size; i += count) {
        count = row_block(&fold->output, loop->size - i);
        for (int k = 0; k < lanes->count; k++)
            row_load(fold->input.type, lanes->from[k] + place->input + (int64_t)i * loop->input, loop->input, count,
                     x[k]);
        run_sum_lanes(sums, x, count, fold->exclusive);
        for (int k = 0; k < lanes->count; k++)
            row_store(&fold->output, x[k], count, lanes->to[k] + place->output + (int64_t)i * loop->output,
                      loop->output);
    }
}

static void fold_lane(const struct fold *fold, struct lanes *lanes, int lane, const struct loops_place *place)
{
    const struct loop *loop = loops_innermost(&fold->folded);
    const char *from = lanes->from[lane] + place->input;
    char *to = lanes->to[lane] + place->output;
    _Alignas(64) double reals[ROW_BLOCK];
    _Alignas(64) number_integer wholes[ROW_BLOCK];
    for (uint64_t left = loop->size, count; left > 0; left -= count) {
        count = left < ROW_BLOCK ? left : ROW_BLOCK;
        if (number_is_float(fold->input.type)) {
            row_load(fold->input.type, from, loop->input, count, reals);
            fold_reals(fold, &lanes->states[lane], reals, count);
            if (fold->runs)
                row_store(&fold->output, reals, count, to, loop->output);
        } else {
            row_load_whole(fold->input.type, from, loop->input, count, wholes);
            fold_wholes(fold, &lanes->states[lane], wholes, count);
            if (fold->runs)
                row_store_whole(&fold->output, wholes, count, to, loop->output);
        }
        from += loop->input * (int64_t)count;
        to += loop->output * (int64_t)count;
    }
}

static void fold_lanes(const struct fold *fold, struct lanes *lanes)
{
    struct loops_place place = {0};
    double sums[LANES] = {0};
    for (int k = 0; k < lanes->count; k++)
        fold_begin(fold, &lanes->states[k]);
    do
        if (is_sum(fold) && fold->runs)
            run_sums(fold, lanes, &place);
        else if (is_sum(fold))
            add_lanes(fold, lanes, &place, sums);
        else
            for (int k = 0; k < lanes->count; k++)
                fold_lane(fold, lanes, k, &place);
    while (loops_next(&fold->folded, 1, &place));
    for (int k = 0; k < lanes->count && !fold->runs; k++) {
        if (is_sum(fold)) {
            lanes->states[k].real = sums[k];
            lanes->states[k].count = fold->input.count / fold->output.count;
        }
        store_result(fold, &lanes->states[k], lanes->to[k]);
    }
}

/* Returns true if bounds of the sum may suffice: results are rounded to fewer bits, and rounding keeps the order of
 * sums. */
static int fold_is_quick(const struct fold *fold)
{
    enum { LEAST = 1024 }; /* fewer elements are faster added one by one */
    const struct loop *loop = loops_innermost(&fold->folded);
    return is_sum(fold) && !fold->runs && fold->function != FOLD_LOG_SUM && fold->folded.count == 1 &&
           fold->input.type == DML_TENSOR_DATA_TYPE_FLOAT32 && fold->output.type == DML_TENSOR_DATA_TYPE_FLOAT32 &&
           loop->input == 4 && loop->size >= LEAST;
}

/* Stores a result if it is the same at both bounds. */
static int fold_quickly(const struct fold *fold, const char *from, char *to)
{
    const uint64_t count = loops_innermost(&fold->folded)->size;
    const struct sum_bounds bounds = sum_quick(from, count, fold_term(fold));
    const struct state least = {.real = bounds.least, .count = count}, most = {.real = bounds.most, .count = count};
    const float low = (float)result_of(fold, &least), high = (float)result_of(fold, &most);
    if (low != high || signbit(low) != signbit(high))
        return 0;
    memcpy(to, &low, sizeof low);
    return 1;
}

static void run_along(const struct fold *fold, const char *input, char *output)
{
    const int quick = fold_is_quick(fold);
    struct loops_place place = {0};
    int more = 1;
    while (more) {
        struct lanes lanes = {0};
        while (lanes.count < LANES && more) {
            const char *from = lanes.from[lanes.count] = input + place.input;
            char *to = lanes.to[lanes.count] = output + place.output;
            lanes.count += quick && fold_quickly(fold, from, to) ? 0 : 1;
            more = loops_next(&fold->kept, 0, &place);
        }
        if (lanes.count > 0)
            fold_lanes(fold, &lanes);
    }
}

/* Computes sums of `count` neighbours along the innermost kept loop. */
static void sum_beside(const struct fold *fold, const char *input, char *output, uint64_t count)
{
    const struct loop *loop = loops_innermost(&fold->kept);
    _Alignas(64) double sums[SIDE_BY_SIDE] = {0};
    struct loops_place place = {0};
    int more = 1;
    while (more) {
        const char *from[ROW_BESIDE];
        int rows = 0;
        while (rows < ROW_BESIDE && more) {
            from[rows++] = input + place.input;
            more = loops_next(&fold->folded, 0, &place);
        }
        row_add_beside(fold->input.type, from, rows, loop->input, count, fold_term(fold), sums);
    }
    for (uint64_t i = 0; i < count; i++) {
        const struct state state = {.real = sums[i], .count = fold->input.count / fold->output.count};
        store_result(fold, &state, output + (int64_t)i * loop->output);
    }
}

/* Computes running sums of neighbours. Each element is read before the same offset is written. */
static void run_beside(const struct fold *fold, const char *input, char *output, uint64_t count)
{
    const struct loop *loop = loops_innermost(&fold->kept);
    _Alignas(64) double sums[SIDE_BY_SIDE] = {0}, x[ROW_BLOCK];
    struct loops_place place = {0};
    do
        for (uint64_t i = 0, some; i < count; i += some) {
            char *to = output + place.output + (int64_t)i * loop->output;
            some = row_block(&fold->output, count - i);
            row_load(fold->input.type, input + place.input + (int64_t)i * loop->input, loop->input, some, x);
            if (fold->exclusive)
                row_store(&fold->output, sums + i, some, to, loop->output);
            row_add_numbers_beside(x, some, sums + i);
            if (!fold->exclusive)
                row_store(&fold->output, sums + i, some, to, loop->output);
        }
    while (loops_next(&fold->folded, 0, &place));
}

static void run_across(const struct fold *fold, const char *input, char *output)
{
    void (*const add_beside)(const struct fold *, const char *, char *, uint64_t) =
        fold->runs ? run_beside : sum_beside;
    const struct loop *loop = loops_innermost(&fold->kept);
    struct loops_place place = {0};
    do
        for (uint64_t i = 0; i < loop->size; i += SIDE_BY_SIDE)
            add_beside(fold, input + place.input + (int64_t)i * loop->input,
                       output + place.output + (int64_t)i * loop->output,
                       loop->size - i < SIDE_BY_SIDE ? loop->size - i : SIDE_BY_SIDE);
    while (loops_next(&fold->kept, 1, &place));
}

void fold_run(const struct fold *fold, const void *input, void *output)
{
    const char *from = (const char *)input + fold->first_input;
    char *to = (char *)output + fold->first_output;
    if (fold->across && is_sum(fold))
        run_across(fold, from, to);
    else
        run_along(fold, from, to);
}
