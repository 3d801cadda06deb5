/* naive_softmax.c: SOFTMAX and its relatives: slice by slice, with what bugs make of them. */
#include "device/common/number.h"
#include "device/mutants/naive_number.h"

#include <math.h>
#include <string.h>

struct slicing {
    const struct naive *n;
    const struct tensor *tensor;
    struct memory input, output;
    struct tensor slices, slice; /* sizes: of a loop over the slices, and of one in a slice */
    enum descriptor_softmax result;
};

int naive_softmaxes(DML_OPERATOR_TYPE type)
{
    return descriptor_softmax_of(type) != SOFTMAX_NONE;
}

/* The dimensions of a slice, a bit each. */
static uint32_t dimensions_of(const struct naive *n)
{
    uint32_t all = (1u << n->d->inputs[0].rank) - 1, own = n->d->slice_dimensions, first = own & (0 - own);
    switch (n->bug) {
    case BUG_SOFTMAX_AXES_ALL:
        return all;
    case BUG_SOFTMAX_AXIS_BEFORE:
        return own >> 1 ? own >> 1 : own;
    case BUG_SOFTMAX_AXES_LAST:
        return all ^ all >> 1;
    case BUG_SOFTMAX_AXES_FIRST:
        return first;
    case BUG_SOFTMAX_AXES_TRAILING:
        return all & ~(first - 1);
    default:
        return own;
    }
}

/* ---- elements of a slice, in order */

static int naive_softmax_next(const struct slicing *s, uint32_t *step)
{
    uint32_t i = 0;
    if (s->n->bug != BUG_SOFTMAX_TIES_COLUMNS)
        return naive_step(&s->slice, step);
    while (i < s->slice.rank && ++step[i] == s->slice.sizes[i])
        step[i++] = 0;
    return i < s->slice.rank;
}

static void naive_softmax_place_of(const struct slicing *s, const uint32_t *slice, const uint32_t *step, uint32_t *at)
{
    for (uint32_t i = 0; i < s->tensor->rank; i++)
        at[i] = slice[i] + step[i];
}

static double value_at(const struct slicing *s, const uint32_t *slice, const uint32_t *step)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS];
    uint8_t element[8];
    naive_softmax_place_of(s, slice, step, at);
    naive_move(s->tensor->type, element, naive_at(&s->input, at));
    double x = number_real(s->tensor->type, element);
    return s->n->bug == BUG_SOFTMAX_NAN_LOST && isnan(x) ? -(double)INFINITY : x;
}

/* The number of times that a bug counts element `number` of a slice. */
static int times(const struct slicing *s, uint64_t number)
{
    enum { LONG = 1024, TILE = 128 };
    if (s->n->bug == BUG_SOFTMAX_LAST_DROPPED && s->slice.count > LONG && number + 1 == s->slice.count)
        return 0;
    return s->n->bug == BUG_SOFTMAX_EDGE_TWICE && number > 0 && number % TILE == 0 ? 2 : 1;
}

/* ---- the greatest element */

static int is_greater(const struct slicing *s, double x, double most)
{
    enum bug bug = s->n->bug;
    if (isnan(x) || isnan(most))
        return bug == BUG_SOFTMAX_NAN_FIRST ? isnan(x) && !isnan(most) : isnan(most) && !isnan(x);
    if (x == most)
        return bug == BUG_SOFTMAX_TIES_LAST ||
               (bug == BUG_SOFTMAX_ZEROS_ORDERED && x == 0 && signbit(most) && !signbit(x));
    return bug == BUG_SOFTMAX_LEAST ? x < most : x > most;
}

static double greatest(const struct slicing *s, const uint32_t *slice, uint64_t *place)
{
    enum { TILE = 512 };
    enum bug bug = s->n->bug;
    uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    double most = bug == BUG_SOFTMAX_FROM_ZERO ? 0 : (double)NAN;
    uint64_t number = 0;
    *place = bug == BUG_SOFTMAX_FROM_ZERO ? UINT64_MAX : 0;
    do {
        double x = value_at(s, slice, step);
        int is_first = number == 0 && bug != BUG_SOFTMAX_FROM_ZERO;
        int is_seen = times(s, number) && (bug != BUG_SOFTMAX_EDGE_UNSEEN || number % TILE != TILE - 1);
        if (is_seen && (is_first || is_greater(s, x, most))) {
            most = x;
            *place = number;
        }
        number++;
    } while (naive_softmax_next(s, step));
    return most;
}

/* ---- powers */

static double naive_softmax_in_half(double x)
{
    uint8_t element[8];
    number_store_real(DML_TENSOR_DATA_TYPE_FLOAT16, x, element);
    return number_real(DML_TENSOR_DATA_TYPE_FLOAT16, element);
}

static double power(const struct slicing *s, double x, double most)
{
    int exponent;
    if (s->n->bug == BUG_SOFTMAX_INFINITY_ALL && isinf(most) && x == most)
        return 1;
    double exact = exp(x - most);
    if (s->n->bug == BUG_SOFTMAX_SHORT && isfinite(exact)) {
        double fraction = frexp(exact, &exponent);
        return ldexp(floor(fraction * 32) / 32, exponent);
    }
    return s->n->bug == BUG_SOFTMAX_LOG_OF_PART ? (double)(float)exact : exact;
}

static double sum_of_powers(const struct slicing *s, const uint32_t *slice, double most)
{
    uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    int halved = s->n->bug == BUG_SOFTMAX_IN_HALF && s->tensor->type == DML_TENSOR_DATA_TYPE_FLOAT16;
    double sum = 0;
    uint64_t number = 0;
    do {
        for (int i = times(s, number++); i > 0; i--) {
            sum += power(s, value_at(s, slice, step), most);
            sum = halved ? naive_softmax_in_half(sum) : sum;
        }
    } while (naive_softmax_next(s, step));
    return sum;
}

/* ---- results */

static double result(const struct slicing *s, double x, double most, double sum)
{
    if (s->n->bug == BUG_SOFTMAX_INFINITY_NAN && isinf(x))
        return (double)NAN;
    if (s->n->bug == BUG_SOFTMAX_UNDIVIDED)
        return s->result == SOFTMAX_PART ? exp(x - most) : x - most;
    if (s->result == SOFTMAX_PART)
        return power(s, x, most) / sum;
    if (s->n->bug == BUG_SOFTMAX_LOG_OF_PART)
        return log((double)(float)(power(s, x, most) / sum));
    if (s->n->bug == BUG_SOFTMAX_INFINITY_ALL && isinf(most) && x == most)
        return -log(sum);
    return x - most - log(sum);
}

static double one_or_zero(const struct slicing *s, double x, double most, int is_place)
{
    return s->n->bug == BUG_SOFTMAX_TIES_ALL ? x == most : is_place;
}

static void run_slice(const struct slicing *s, const uint32_t *slice)
{
    uint32_t step[DESCRIPTOR_MAX_DIMENSIONS] = {0}, at[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t place, number = 0;
    double most = greatest(s, slice, &place), sum = s->result == SOFTMAX_FIRST ? 1 : sum_of_powers(s, slice, most);
    do {
        uint64_t element = 0;
        naive_softmax_place_of(s, slice, step, at);
        for (uint32_t i = 0; i < s->tensor->rank; i++)
            element = element * s->tensor->sizes[i] + at[i];
        int is_place = number++ == place;
        if (naive_skips(s->n, s->tensor, element, at))
            continue;
        double x = value_at(s, slice, step);
        double value = s->result == SOFTMAX_FIRST ? one_or_zero(s, x, most, is_place) : result(s, x, most, sum);
        naive_store_real(s->n, s->tensor->type, value, naive_at(&s->output, at));
    } while (naive_softmax_next(s, step));
}

void naive_softmax(const struct naive *n)
{
    const struct tensor *tensor = &n->d->inputs[0];
    struct slicing s = {.n = n,
                        .tensor = tensor,
                        .input = naive_input(n, 0),
                        .output = naive_output(n, 0),
                        .slices = *tensor,
                        .slice = *tensor,
                        .result = descriptor_softmax_of(n->d->type)};
    uint32_t dimensions = dimensions_of(n), slice[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    s.slice.count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        (dimensions >> i & 1 ? &s.slices : &s.slice)->sizes[i] = 1;
        s.slice.count *= s.slice.sizes[i];
    }
    do
        run_slice(&s, slice);
    while (naive_step(&s.slices, slice));
}
