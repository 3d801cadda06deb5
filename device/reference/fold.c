#include "device/reference/fold.h"

#include "device/common/number.h"

#include <math.h>
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

void fold_init(struct fold *fold, const struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
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
        fold->axis = desc->cumulative_sum.Axis;
        fold->backward = desc->cumulative_sum.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        fold->exclusive = desc->cumulative_sum.HasExclusiveSum != 0;
        break;
    default:
        fold->function = FOLD_MULTIPLY;
        fold->runs = 1;
        fold->axis = desc->cumulative_product.Axis;
        fold->backward = desc->cumulative_product.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
        fold->exclusive = desc->cumulative_product.HasExclusiveProduct != 0;
    }
}

/* ---- what a fold has so far */

struct state {
    double real; /* the sum, the product times 2^-exponent, or the extreme */
    int exponent;
    double largest; /* of LOG_SUM_EXP: the sum is of e^(x - largest) */
    number_integer whole;
    uint64_t count, place;
    int found, nans; /* extremes: an element that is no NaN; some NaN */
};

static void begin(const struct fold *fold, struct state *state)
{
    *state = (struct state){0};
    if (fold->function == FOLD_MULTIPLY)
        state->real = 1, state->whole = 1;
    if (fold->function == FOLD_LOG_SUM_EXP)
        state->largest = -INFINITY;
}

/* Whether an element replaces the extreme so far. */
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

static void add_real(const struct fold *fold, struct state *state, double x)
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

static void add_whole(const struct fold *fold, struct state *state, number_integer x)
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

/* ---- the loops */

static const void *at(const struct tensor *tensor, const void *memory, uint64_t offset)
{
    return (const char *)memory + offset * tensor->element_size;
}

static void add(const struct fold *fold, struct state *state, const void *element)
{
    if (number_is_float(fold->input.type))
        add_real(fold, state, number_real(fold->input.type, element));
    else
        add_whole(fold, state, number_whole(fold->input.type, element));
}

static void store(const struct fold *fold, const struct state *state, void *to)
{
    if (fold->function == FOLD_ARGMAX || fold->function == FOLD_ARGMIN)
        number_store_whole(fold->output.type, (number_integer)state->place, to);
    else if (number_is_float(fold->output.type))
        number_store_real(fold->output.type, result_of(fold, state), to);
    else
        number_store_whole(fold->output.type, state->whole, to);
}

/* Moves on to the next coordinates of `sizes`, row-major. 0: there are no more. */
static int next(uint32_t rank, const uint32_t *sizes, uint32_t *coordinates)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++coordinates[i] < sizes[i])
            return 1;
        coordinates[i] = 0;
    }
    return 0;
}

static uint64_t offset_of(const struct tensor *tensor, const uint32_t *coordinates)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        offset += (uint64_t)coordinates[i] * tensor->strides[i];
    return offset;
}

/* The dimensions in which the output is 1 are reduced: whether Axes has those of size 1 makes no difference. */
static void reduce(const struct fold *fold, const void *input, void *output)
{
    const struct tensor *in = &fold->input, *out = &fold->output;
    uint32_t at_output[DESCRIPTOR_MAX_DIMENSIONS] = {0}, reduced[DESCRIPTOR_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < in->rank; i++)
        reduced[i] = out->sizes[i] == 1 ? in->sizes[i] : 1;
    do {
        uint64_t start = offset_of(in, at_output);
        uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0};
        struct state state;
        begin(fold, &state);
        do
            add(fold, &state, at(in, input, start + offset_of(in, step)));
        while (next(in->rank, reduced, step));
        store(fold, &state, (char *)output + offset_of(out, at_output) * out->element_size);
    } while (next(out->rank, out->sizes, at_output));
}

/* Each element is read before the same place is written: the output may be the input. */
static void run_along(const struct fold *fold, const void *input, void *output)
{
    const struct tensor *in = &fold->input, *out = &fold->output;
    uint32_t rows[DESCRIPTOR_MAX_DIMENSIONS], row[DESCRIPTOR_MAX_DIMENSIONS] = {0}, length = in->sizes[fold->axis];
    memcpy(rows, in->sizes, sizeof rows);
    rows[fold->axis] = 1;
    do {
        struct state state, before;
        begin(fold, &state);
        for (uint32_t i = 0; i < length; i++) {
            uint32_t place[DESCRIPTOR_MAX_DIMENSIONS];
            memcpy(place, row, sizeof place);
            place[fold->axis] = fold->backward ? length - 1 - i : i;
            before = state;
            add(fold, &state, at(in, input, offset_of(in, place)));
            store(fold, fold->exclusive ? &before : &state, (char *)output + offset_of(out, place) * out->element_size);
        }
    } while (next(in->rank, rows, row));
}

void fold_run(const struct fold *fold, const void *input, void *output)
{
    if (fold->runs)
        run_along(fold, input, output);
    else
        reduce(fold, input, output);
}
