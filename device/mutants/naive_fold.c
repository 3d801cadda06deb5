/* naive_fold.c: reductions, and running sums and products: element by element, with what bugs make of them. */
#include "device/common/number.h"
#include "device/mutants/naive_number.h"

#include <math.h>
#include <string.h>

/* The functions of DML_REDUCE_FUNCTION, which the other operators are, too. */
struct folding {
    const struct naive *n;
    const struct tensor *input, *output;
    DML_REDUCE_FUNCTION function;
    int last, running, exclusive, backward;
    uint32_t axis;
};

int naive_folds(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_REDUCE || type == DML_OPERATOR_ARGMIN || type == DML_OPERATOR_ARGMAX ||
           type == DML_OPERATOR_CUMULATIVE_SUMMATION || type == DML_OPERATOR_CUMULATIVE_PRODUCT;
}

static DML_REDUCE_FUNCTION next_function(DML_REDUCE_FUNCTION function)
{
    switch (function) {
    case DML_REDUCE_FUNCTION_SUM_SQUARE:
        return DML_REDUCE_FUNCTION_AVERAGE;
    case DML_REDUCE_FUNCTION_ARGMIN:
        return DML_REDUCE_FUNCTION_ARGMAX;
    default:
        return function + 1;
    }
}

static void read_reduction(struct folding *f, const union descriptor_struct *desc, DML_OPERATOR_TYPE type)
{
    if (type == DML_OPERATOR_REDUCE) {
        f->function = desc->reduce.Function;
        if (f->n->bug == BUG_MODE_NEXT)
            f->function = next_function(f->function);
    } else if (type == DML_OPERATOR_ARGMIN) {
        f->function = DML_REDUCE_FUNCTION_ARGMIN;
        f->last = desc->argmin.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
    } else {
        f->function = DML_REDUCE_FUNCTION_ARGMAX;
        f->last = desc->argmax.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
    }
}

static void read_running(struct folding *f, const union descriptor_struct *desc, DML_OPERATOR_TYPE type)
{
    int sum = type == DML_OPERATOR_CUMULATIVE_SUMMATION;
    DML_AXIS_DIRECTION direction = sum ? desc->cumulative_sum.AxisDirection : desc->cumulative_product.AxisDirection;
    f->function = sum ? DML_REDUCE_FUNCTION_SUM : DML_REDUCE_FUNCTION_MULTIPLY;
    f->running = 1;
    f->axis = sum ? desc->cumulative_sum.Axis : desc->cumulative_product.Axis;
    f->backward = direction == DML_AXIS_DIRECTION_DECREASING;
    f->exclusive = (sum ? desc->cumulative_sum.HasExclusiveSum : desc->cumulative_product.HasExclusiveProduct) != 0;
}

static void naive_fold_read_description(struct folding *f)
{
    DML_OPERATOR_TYPE type = f->n->d->type;
    if (type == DML_OPERATOR_CUMULATIVE_SUMMATION || type == DML_OPERATOR_CUMULATIVE_PRODUCT)
        read_running(f, &f->n->d->desc, type);
    else
        read_reduction(f, &f->n->d->desc, type);
    if (f->n->bug == BUG_FOLD_DIRECTION)
        f->last = f->backward = 0;
    if (f->n->bug == BUG_FOLD_EXCLUSIVE)
        f->exclusive = 0;
}

/* ---- one row */

struct row {
    double value, most;
    int exponent;
    number_integer whole;
    uint64_t count, place;
    int found;
};

static int is_extreme(DML_REDUCE_FUNCTION function)
{
    return function == DML_REDUCE_FUNCTION_ARGMAX || function == DML_REDUCE_FUNCTION_ARGMIN ||
           function == DML_REDUCE_FUNCTION_MAX || function == DML_REDUCE_FUNCTION_MIN;
}

static int is_least(DML_REDUCE_FUNCTION function)
{
    return function == DML_REDUCE_FUNCTION_ARGMIN || function == DML_REDUCE_FUNCTION_MIN;
}

static struct row naive_fold_start(const struct folding *f)
{
    int one = f->function == DML_REDUCE_FUNCTION_MULTIPLY && f->n->bug != BUG_FOLD_UNIT_ZERO;
    return (struct row){.value = one, .whole = one, .most = -INFINITY};
}

static double naive_fold_in_half(const struct folding *f, double value)
{
    uint8_t element[8];
    if (f->n->bug != BUG_FOLD_IN_HALF || f->input->type != DML_TENSOR_DATA_TYPE_FLOAT16)
        return value;
    number_store_real(DML_TENSOR_DATA_TYPE_FLOAT16, value, element);
    return number_real(DML_TENSOR_DATA_TYPE_FLOAT16, element);
}

/* Powers are of what an element is above the largest one so far. */
static void naive_fold_add_power(struct row *row, double x)
{
    double most = fmax(row->most, x);
    if (isnan(x) || isinf(x)) {
        row->value += isnan(x) || x > 0 ? x : 0;
        return;
    }
    row->value = (isinf(row->most) ? row->value : row->value * exp(row->most - most)) + exp(x - most);
    row->most = most;
}

static void add_real(const struct folding *f, struct row *row, double x)
{
    int exponent = 0;
    if (is_extreme(f->function)) {
        int better = is_least(f->function) ? x < row->value : x > row->value;
        if (!isnan(x) && (!row->found || better || (f->last && x == row->value)))
            *row = (struct row){.value = x, .place = row->count, .count = row->count, .found = 1};
    } else if (f->function == DML_REDUCE_FUNCTION_MULTIPLY) {
        row->value = frexp(row->value * x, &exponent);
        row->exponent += isfinite(row->value) && row->value != 0 ? exponent : 0;
    } else if (f->function == DML_REDUCE_FUNCTION_LOG_SUM_EXP) {
        naive_fold_add_power(row, x);
    } else {
        double summand = f->function == DML_REDUCE_FUNCTION_L1 ? fabs(x) : x;
        if (f->function == DML_REDUCE_FUNCTION_L2 || f->function == DML_REDUCE_FUNCTION_SUM_SQUARE)
            summand = x * x;
        row->value += naive_fold_in_half(f, summand);
        row->value = naive_fold_in_half(f, row->value);
    }
    row->count++;
}

static void add_whole(const struct folding *f, struct row *row, number_integer x)
{
    if (is_extreme(f->function)) {
        int better = is_least(f->function) ? x < row->whole : x > row->whole;
        if (!row->found || better || (f->last && x == row->whole))
            *row = (struct row){.whole = x, .place = row->count, .count = row->count, .found = 1};
    } else {
        uint64_t low = (uint64_t)x, so_far = (uint64_t)row->whole;
        if (f->function == DML_REDUCE_FUNCTION_L1 && x < 0)
            low = 0 - low;
        if (f->function == DML_REDUCE_FUNCTION_SUM_SQUARE)
            low *= low;
        row->whole = (number_integer)(f->function == DML_REDUCE_FUNCTION_MULTIPLY ? so_far * low : so_far + low);
    }
    row->count++;
}

static void add(const struct folding *f, struct row *row, const uint8_t *from)
{
    enum { TILE = 512 };
    uint8_t element[8];
    if (f->n->bug == BUG_FOLD_EDGE_UNSEEN && is_extreme(f->function) && row->count % TILE == TILE - 1) {
        row->count++;
        return;
    }
    naive_move(f->input->type, element, from);
    if (number_is_float(f->input->type))
        add_real(f, row, number_real(f->input->type, element));
    else
        add_whole(f, row, number_whole(f->input->type, element));
}

static double naive_fold_value_of(const struct folding *f, const struct row *row)
{
    switch (f->function) {
    case DML_REDUCE_FUNCTION_AVERAGE:
        return row->value / (double)row->count;
    case DML_REDUCE_FUNCTION_L2:
        return sqrt(row->value);
    case DML_REDUCE_FUNCTION_LOG_SUM:
        return log(row->value);
    case DML_REDUCE_FUNCTION_LOG_SUM_EXP:
        return log(row->value) + (isinf(row->most) ? 0 : row->most);
    case DML_REDUCE_FUNCTION_MULTIPLY:
        return ldexp(row->value, row->exponent);
    case DML_REDUCE_FUNCTION_MAX:
    case DML_REDUCE_FUNCTION_MIN:
        return row->found ? row->value : (double)NAN;
    default:
        return row->value;
    }
}

static void store(const struct folding *f, const struct row *row, uint8_t *to)
{
    if (f->function == DML_REDUCE_FUNCTION_ARGMAX || f->function == DML_REDUCE_FUNCTION_ARGMIN)
        naive_store_whole(f->n, f->output->type, (number_integer)row->place, to);
    else if (number_is_float(f->output->type))
        naive_store_real(f->n, f->output->type, naive_fold_value_of(f, row), to);
    else
        naive_store_whole(f->n, f->output->type, row->whole, to);
}

/* Returns true if a bug leaves out element `number` of a row of `count`. */
static int naive_fold_is_dropped(const struct folding *f, uint64_t number, uint64_t count)
{
    enum { LONG = 1024 };
    return f->n->bug == BUG_FOLD_LAST_DROPPED && count > LONG && number + 1 == count;
}

/* ---- all rows */

static int step_columns(const struct tensor *t, uint32_t *at)
{
    uint32_t i = 0;
    while (i < t->rank && ++at[i] == t->sizes[i])
        at[i++] = 0;
    return i < t->rank;
}

static void reduce(const struct folding *f, const struct memory *input, const struct memory *output)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct tensor reduced = *f->input; /* what a row has */
    uint64_t number = 0, count = 1;
    for (uint32_t i = 0; i < reduced.rank; i++) {
        reduced.sizes[i] = f->output->sizes[i] == 1 ? f->input->sizes[i] : 1;
        count *= reduced.sizes[i];
    }
    do {
        uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0}, from[DESCRIPTOR_MAX_DIMENSIONS];
        struct row row = naive_fold_start(f);
        uint64_t element = 0;
        if (naive_skips(f->n, f->output, number++, at))
            continue;
        do {
            for (uint32_t i = 0; i < reduced.rank; i++)
                from[i] = at[i] + step[i];
            if (!naive_fold_is_dropped(f, element++, count))
                add(f, &row, naive_at(input, from));
        } while (f->n->bug == BUG_FOLD_COLUMNS ? step_columns(&reduced, step) : naive_step(&reduced, step));
        store(f, &row, naive_at(output, at));
    } while (naive_step(f->output, at));
}

static void naive_fold_run_along(const struct folding *f, const struct memory *input, const struct memory *output)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, count = f->input->sizes[f->axis];
    struct tensor rows = *f->input;
    rows.sizes[f->axis] = 1;
    do {
        struct row row = naive_fold_start(f);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t place[DESCRIPTOR_MAX_DIMENSIONS];
            memcpy(place, at, sizeof place);
            place[f->axis] = f->backward ? count - 1 - i : i;
            struct row before = row;
            if (!naive_fold_is_dropped(f, i, count))
                add(f, &row, naive_at(input, place));
            store(f, f->exclusive ? &before : &row, naive_at(output, place));
        }
    } while (naive_step(&rows, at));
}

void naive_fold(const struct naive *n)
{
    struct folding f = {.n = n, .input = &n->d->inputs[0], .output = &n->d->outputs[0]};
    struct memory input = naive_input(n, 0), output = naive_output(n, 0);
    naive_fold_read_description(&f);
    if (f.running)
        naive_fold_run_along(&f, &input, &output);
    else
        reduce(&f, &input, &output);
}
