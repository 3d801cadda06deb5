/* pooling.c: each element of the output is computed from the elements of the input in its window. Elements in the
 * padding are not visited: along each dimension, the window's elements in the input have adjacent numbers. A gradient
 * goes through the same windows, and adds to the elements of a plane. */
#include "device/reference/pooling.h"

#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SPATIAL = DESCRIPTOR_MAX_DIMENSIONS - 2 };

/* The window of one element of the output, by spatial dimension. */
struct pooling_window {
    const struct descriptor *d;
    const struct tensor *over; /* what windows move over */
    const char *const *inputs;
    uint32_t channel;
    const char *plane;                              /* the first element of the batch and channel */
    uint64_t number;                                /* its row-major number in the input */
    uint32_t spatial;                               /* number of dimensions */
    uint32_t first[MAX_SPATIAL], past[MAX_SPATIAL]; /* numbers of the window's elements in the input */
    int64_t origin[MAX_SPATIAL];                    /* coordinate of element 0 in the input; in the padding below 0 */
    uint32_t at[MAX_SPATIAL];                       /* numbers of the element that is visited */
};

static void open_at(struct pooling_window *w, const uint32_t *place)
{
    const struct descriptor *d = w->d;
    for (uint32_t i = 0; i < w->spatial; i++) {
        const int64_t size = w->over->sizes[i + 2], gap = d->lists[WINDOW_GAPS][i], count = d->lists[WINDOW_SIZES][i];
        const int64_t origin = (int64_t)place[i + 2] * d->lists[WINDOW_STRIDES][i] - d->lists[WINDOW_START][i];
        int64_t first = origin < 0 ? (-origin + gap - 1) / gap : 0,
                past = size > origin ? (size - origin - 1) / gap + 1 : 0;
        past = past < count ? past : count;
        w->origin[i] = origin;
        w->first[i] = w->at[i] = (uint32_t)(first < past ? first : past);
        w->past[i] = (uint32_t)past;
    }
}

/* Tells whether the window has elements in the input, which then is the number of them. */
static uint64_t count_inside(const struct pooling_window *w)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < w->spatial; i++)
        count *= w->past[i] - w->first[i];
    return count;
}

/* Moves on to the next element of the window, row-major. Returns 0 after the last one. */
static int visit_next(struct pooling_window *w)
{
    for (uint32_t i = w->spatial; i-- > 0;) {
        if (++w->at[i] < w->past[i])
            return 1;
        w->at[i] = w->first[i];
    }
    return 0;
}

/* Returns the coordinate of the visited element along a spatial dimension. */
static uint64_t coordinate_of(const struct pooling_window *w, uint32_t i)
{
    return (uint64_t)(w->origin[i] + (int64_t)w->at[i] * w->d->lists[WINDOW_GAPS][i]);
}

static const char *visited(const struct pooling_window *w)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < w->spatial; i++)
        offset += coordinate_of(w, i) * w->d->inputs[0].strides[i + 2];
    return w->plane + offset * w->d->inputs[0].element_size;
}

/* ---- results of one window */

/* Returns the number of elements that an average divides by. */
static double divisor_of(const struct pooling_window *w)
{
    uint64_t count = 1;
    if (!w->d->window.includes_padding)
        return (double)count_inside(w);
    for (uint32_t i = 0; i < w->spatial; i++)
        count *= w->d->lists[WINDOW_SIZES][i];
    return (double)count;
}

static void average(struct pooling_window *w, char *const *to)
{
    double sum = 0;
    if (count_inside(w) > 0)
        do
            sum += number_real(w->d->inputs[0].type, visited(w));
        while (visit_next(w));
    number_store_real(w->d->outputs[0].type, sum / divisor_of(w), to[0]);
}

/* Returns the element of a scale or a zero point for the channel; the operator's absent ones are 0. */
static double parameter_of_channel(const struct pooling_window *w, uint32_t input)
{
    const struct tensor *tensor = &w->d->inputs[input];
    const uint32_t from_end = w->d->inputs[0].rank - 1;
    uint64_t offset = 0;
    if (tensor->rank == 0)
        return 0;
    if (tensor->rank >= from_end && tensor->sizes[tensor->rank - from_end] > 1)
        offset = (uint64_t)w->channel * tensor->strides[tensor->rank - from_end];
    return number_real(tensor->type, w->inputs[input] + offset * tensor->element_size);
}

/* The sum of integers is exact; padding counts as the zero point. */
static void average_quantised(struct pooling_window *w, char *const *to)
{
    enum { INPUT_SCALE = 1, INPUT_ZERO, OUTPUT_SCALE, OUTPUT_ZERO };
    const double zero = parameter_of_channel(w, INPUT_ZERO);
    double sum = 0;
    if (count_inside(w) > 0)
        do
            sum += number_real(w->d->inputs[0].type, visited(w)) - zero;
        while (visit_next(w));
    sum = sum * parameter_of_channel(w, INPUT_SCALE) / divisor_of(w) / parameter_of_channel(w, OUTPUT_SCALE);
    number_store_real(w->d->outputs[0].type, number_nearest_even(sum) + parameter_of_channel(w, OUTPUT_ZERO), to[0]);
}

static void norm(struct pooling_window *w, char *const *to)
{
    const double power = w->d->window.power;
    double sum = 0;
    if (count_inside(w) > 0)
        do
            sum += pow(fabs(number_real(w->d->inputs[0].type, visited(w))), power);
        while (visit_next(w));
    if (power == 2)
        sum = sqrt(sum);
    else if (power != 1)
        sum = pow(sum, 1 / power);
    number_store_real(w->d->outputs[0].type, sum, to[0]);
}

/* Tells whether an element is greater than the greatest so far. A NaN stays the greatest. */
static int is_greater(DML_TENSOR_DATA_TYPE type, const char *element, const char *greatest)
{
    if (!number_is_float(type))
        return number_whole(type, element) > number_whole(type, greatest);
    double x = number_real(type, element), y = number_real(type, greatest);
    return x > y || (isnan(x) && !isnan(y));
}

/* Returns the row-major number of the visited element in the input. */
static uint64_t number_visited(const struct pooling_window *w)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < w->spatial; i++)
        number = number * w->over->sizes[i + 2] + coordinate_of(w, i);
    return w->number + number;
}

/* The greatest of nothing is 0, with the index 0. */
static void maximum(struct pooling_window *w, char *const *to)
{
    static const char zeros[8];
    const struct tensor *input = &w->d->inputs[0];
    const char *greatest = zeros;
    uint64_t number = 0;
    if (count_inside(w) > 0)
        do {
            const char *element = visited(w);
            if (greatest != zeros && !is_greater(input->type, element, greatest))
                continue;
            greatest = element;
            number = number_visited(w);
        } while (visit_next(w));
    number_store_whole(input->type, number_whole(input->type, greatest), to[0]);
    if (to[1])
        number_store_whole(w->d->outputs[1].type, (number_integer)number, to[1]);
}

/* ---- operators */

/* Moves on to the next place of a tensor, row-major, in the dimensions from `first` to before `past`. Returns 0 after
 * the last one, and is at the first one again. */
static int go_to_next(const struct tensor *tensor, uint32_t first, uint32_t past, uint32_t *place)
{
    uint32_t i = past;
    while (i > first && ++place[i - 1] == tensor->sizes[i - 1])
        place[--i] = 0;
    return i > first;
}

/* Computes the results of all windows, each by a function of one window. */
static void pool_each(const struct descriptor *d, const char *const *inputs, char *const *outputs,
                      void (*pool)(struct pooling_window *, char *const *))
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    const uint64_t plane = input->count / input->sizes[0] / input->sizes[1];
    struct pooling_window w = {.d = d, .over = input, .inputs = inputs, .spatial = input->rank - 2};
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    for (;;) {
        char *to[2] = {NULL, NULL};
        for (uint32_t k = 0; k < d->output_count; k++) {
            uint64_t offset = 0;
            for (uint32_t i = 0; i < output->rank; i++)
                offset += (uint64_t)place[i] * d->outputs[k].strides[i];
            to[k] = outputs[k] ? outputs[k] + offset * d->outputs[k].element_size : NULL;
        }
        w.plane = inputs[0] + ((uint64_t)place[0] * input->strides[0] + (uint64_t)place[1] * input->strides[1]) *
                                  input->element_size;
        w.number = ((uint64_t)place[0] * input->sizes[1] + place[1]) * plane;
        w.channel = place[1];
        open_at(&w, place);
        pool(&w, to);
        if (!go_to_next(output, 0, output->rank, place))
            return;
    }
}

/* ---- gradients */

/* Adds the gradient of a window to elements of a plane. */
typedef void spread_gradient(struct pooling_window *w, double gradient, double *plane);

static void spread_average(struct pooling_window *w, double gradient, double *plane)
{
    const double share = gradient / divisor_of(w);
    if (count_inside(w) > 0)
        do
            plane[number_visited(w)] += share;
        while (visit_next(w));
}

/* A window in the padding alone passes its gradient to no element. */
static void spread_maximum(struct pooling_window *w, double gradient, double *plane)
{
    const char *greatest = NULL;
    uint64_t number = 0;
    if (count_inside(w) == 0)
        return;
    do {
        const char *element = visited(w);
        if (greatest && !is_greater(w->d->inputs[0].type, element, greatest))
            continue;
        greatest = element;
        number = number_visited(w);
    } while (visit_next(w));
    plane[number] += gradient;
}

static const char *address_at_place(const struct tensor *tensor, const char *memory, const uint32_t *place)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        offset += (uint64_t)place[i] * tensor->strides[i];
    return memory + offset * tensor->element_size;
}

/* Computes the gradient, a plane of the output after the other. */
static void spread_each(const struct descriptor *d, const char *const *inputs, char *const *outputs,
                        spread_gradient *spread)
{
    const struct tensor *output = &d->outputs[0], *gradients = &d->inputs[d->input_count - 1];
    const size_t count = (size_t)(output->count / output->sizes[0] / output->sizes[1]);
    struct pooling_window w = {.d = d, .over = output, .inputs = inputs, .spatial = output->rank - 2};
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    double *plane = malloc(count * sizeof *plane);
    do {
        const double *sum = plane;
        if (!plane)
            break;
        memset(plane, 0, count * sizeof *plane);
        w.plane = address_at_place(&d->inputs[0], inputs[0], place);
        do {
            open_at(&w, place);
            spread(&w, number_real(gradients->type, address_at_place(gradients, inputs[d->input_count - 1], place)),
                   plane);
        } while (go_to_next(gradients, 2, output->rank, place));
        do
            number_store_real(output->type, *sum++, (char *)address_at_place(output, outputs[0], place));
        while (go_to_next(output, 2, output->rank, place));
    } while (go_to_next(output, 0, 2, place));
    free(plane);
}

#define POOLING(name, pool)                                                                                            \
    static void name(const struct descriptor *d, const char *const *inputs, char *const *outputs)                      \
    {                                                                                                                  \
        pool_each(d, inputs, outputs, pool);                                                                           \
    }
POOLING(pool_maximum, maximum)
POOLING(pool_average, average)
POOLING(pool_average_quantised, average_quantised)
POOLING(pool_norm, norm)

static void pool_average_gradient(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    spread_each(d, inputs, outputs, spread_average);
}

static void pool_maximum_gradient(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    spread_each(d, inputs, outputs, spread_maximum);
}

pooling_kernel *pooling_kernel_of(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_MAX_POOLING:
    case DML_OPERATOR_MAX_POOLING1:
    case DML_OPERATOR_MAX_POOLING2:
        return pool_maximum;
    case DML_OPERATOR_AVERAGE_POOLING:
    case DML_OPERATOR_AVERAGE_POOLING1:
        return pool_average;
    case DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING:
        return pool_average_quantised;
    case DML_OPERATOR_AVERAGE_POOLING_GRAD:
        return pool_average_gradient;
    case DML_OPERATOR_MAX_POOLING_GRAD:
        return pool_maximum_gradient;
    case DML_OPERATOR_LP_POOLING:
    case DML_OPERATOR_LP_POOLING1:
        return pool_norm;
    default:
        return NULL;
    }
}
