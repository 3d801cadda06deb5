/* resample.c: each element of the output is the average of up to two elements of the input in every dimension. A table
 * for each dimension has their offsets and weights. A gradient goes the other way: each element of the input is divided
 * among those elements of the output. */
#include "device/reference/resample.h"

#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>

/* Two elements along a dimension that one element is the average of. An element that is the only one is the first. */
struct resample_pair {
    uint64_t offset[2]; /* in elements of memory */
    double weight;      /* of the second one */
};

struct resampling {
    const struct tensor *input, *output;
    const char *from;
    char *to;
    double *sums; /* of a gradient: the elements of the output, row-major */
    struct resample_pair *pairs[DESCRIPTOR_MAX_DIMENSIONS];
};

/* Returns the coordinate of the nearest element; halves are rounded up without a direction. */
static double nearest_of(enum descriptor_rounding rounding, double x)
{
    if (rounding == DESCRIPTOR_ROUNDS_HALVES_UP)
        return floor(x + 0.5);
    return rounding == DESCRIPTOR_ROUNDS_UP ? ceil(x) : floor(x);
}

/* Returns the pair of element `o`. `size` and `stride`: of the dimension that has the pair. */
static struct resample_pair pair_at(const struct descriptor_resampling *r, uint32_t dimension, uint32_t o,
                                    uint32_t size, uint64_t stride)
{
    const double last = size - 1;
    const double at = (o - r->output_offsets[dimension]) / r->scales[dimension] - r->input_offsets[dimension];
    const double x = r->is_linear ? at : nearest_of(r->rounding, at);
    if (!(x > 0))
        return (struct resample_pair){{0, 0}, 0};
    if (x >= last)
        return (struct resample_pair){{(uint64_t)last * stride, 0}, 0};
    return (struct resample_pair){{(uint64_t)x * stride, ((uint64_t)x + 1) * stride}, x - (double)(uint64_t)x};
}

/* Fills the table of a dimension with the pairs of `count` elements. Returns 0 if there is no memory. */
static int fill_pairs(const struct descriptor *d, struct resampling *r, uint32_t dimension, uint32_t count,
                      uint32_t size, uint64_t stride)
{
    r->pairs[dimension] = malloc(count * sizeof *r->pairs[dimension]);
    for (uint32_t o = 0; r->pairs[dimension] && o < count; o++)
        r->pairs[dimension][o] = pair_at(&d->resampling, dimension, o, size, stride);
    return r->pairs[dimension] != NULL;
}

/* Moves on to the next place of a tensor, row-major. Returns 0 after the last one, and is at the first one again. */
static int go_on(const struct tensor *tensor, uint32_t *place)
{
    uint32_t i = tensor->rank;
    while (i > 0 && ++place[i - 1] == tensor->sizes[i - 1])
        place[--i] = 0;
    return i > 0;
}

static uint64_t resample_offset(const struct tensor *tensor, const uint32_t *place)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        offset += (uint64_t)place[i] * tensor->strides[i];
    return offset * tensor->element_size;
}

/* ---- averages */

/* Returns the average, in the dimensions from `dimension` on. `place`: of the element of the output. */
static double average_around(const struct resampling *r, const uint32_t *place, uint32_t dimension, uint64_t offset)
{
    if (dimension == r->input->rank)
        return number_real(r->input->type, r->from + offset * r->input->element_size);
    const struct resample_pair *pair = &r->pairs[dimension][place[dimension]];
    const double first = average_around(r, place, dimension + 1, offset + pair->offset[0]);
    if (pair->weight == 0)
        return first;
    return first * (1 - pair->weight) +
           average_around(r, place, dimension + 1, offset + pair->offset[1]) * pair->weight;
}

static void resample_all(const struct resampling *r)
{
    const struct tensor *output = r->output;
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do {
        const double average = average_around(r, place, 0, 0);
        number_store_real(output->type, number_is_float(output->type) ? average : number_nearest_even(average),
                          r->to + resample_offset(output, place));
    } while (go_on(output, place));
}

static int fill_all_pairs(const struct descriptor *d, struct resampling *r)
{
    int is_filled = 1;
    for (uint32_t i = 0; is_filled && i < r->output->rank; i++)
        is_filled = fill_pairs(d, r, i, r->output->sizes[i], r->input->sizes[i], r->input->strides[i]);
    return is_filled;
}

/* ---- gradients */

/* Adds a gradient to the sums, in the dimensions from `dimension` on. `place`: of the element of the input. */
static void spread_around(const struct resampling *r, const uint32_t *place, uint32_t dimension, uint64_t offset,
                          double gradient)
{
    if (dimension == r->input->rank) {
        r->sums[offset] += gradient;
        return;
    }
    const struct resample_pair *pair = &r->pairs[dimension][place[dimension]];
    if (pair->weight != 0)
        spread_around(r, place, dimension + 1, offset + pair->offset[1], gradient * pair->weight);
    spread_around(r, place, dimension + 1, offset + pair->offset[0],
                  pair->weight == 0 ? gradient : gradient * (1 - pair->weight));
}

static void spread_all(const struct resampling *r)
{
    const double *sum = r->sums;
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do
        spread_around(r, place, 0, 0, number_real(r->input->type, r->from + resample_offset(r->input, place)));
    while (go_on(r->input, place));
    do
        number_store_real(r->output->type, *sum++, r->to + resample_offset(r->output, place));
    while (go_on(r->output, place));
}

/* Makes the sums, which are 0, and the tables with places in them. Returns 0 if there is no memory. */
static int make_sums(const struct descriptor *d, struct resampling *r)
{
    uint64_t stride = r->output->count;
    r->sums = calloc((size_t)r->output->count, sizeof *r->sums);
    int is_filled = r->sums != NULL;
    for (uint32_t i = 0; is_filled && i < r->output->rank; i++) {
        stride /= r->output->sizes[i];
        is_filled = fill_pairs(d, r, i, r->input->sizes[i], r->output->sizes[i], stride);
    }
    return is_filled;
}

/* ---- operators */

static int resample_is_gradient(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_RESAMPLE_GRAD || type == DML_OPERATOR_RESAMPLE_GRAD1;
}

int resample_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UPSAMPLE_2D || type == DML_OPERATOR_RESAMPLE || type == DML_OPERATOR_RESAMPLE1 ||
           type == DML_OPERATOR_RESAMPLE2 || type == DML_OPERATOR_RESAMPLE3 || resample_is_gradient(type);
}

/* Without memory, the output keeps its contents, which makes the failure visible. */
void resample_run(const struct descriptor *d, const char *input, char *output)
{
    struct resampling r = {.input = &d->inputs[0], .output = &d->outputs[0], .from = input, .to = output};
    if (resample_is_gradient(d->type) && make_sums(d, &r))
        spread_all(&r);
    else if (!resample_is_gradient(d->type) && fill_all_pairs(d, &r))
        resample_all(&r);
    free(r.sums);
    for (uint32_t i = 0; i < r.output->rank; i++)
        free(r.pairs[i]);
}
