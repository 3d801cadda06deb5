/* resample.c: each element of the output is the average of up to two elements of the input in every dimension. A table
 * for each dimension has their offsets and weights. */
#include "device/reference/resample.h"

#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>

/* Two elements of the input along a dimension. An element that is the only one is the first. */
struct resample_pair {
    uint64_t offset[2]; /* in elements of memory */
    double weight;      /* of the second one */
};

struct resampling {
    const struct tensor *input, *output;
    const char *from;
    char *to;
    struct resample_pair *pairs[DESCRIPTOR_MAX_DIMENSIONS];
};

/* Returns the coordinate of the nearest element; halves are rounded up without a direction. */
static double nearest_of(enum descriptor_rounding rounding, double x)
{
    if (rounding == DESCRIPTOR_ROUNDS_HALVES_UP)
        return floor(x + 0.5);
    return rounding == DESCRIPTOR_ROUNDS_UP ? ceil(x) : floor(x);
}

static struct resample_pair pair_at(const struct descriptor *d, uint32_t dimension, uint32_t o)
{
    const struct descriptor_resampling *r = &d->resampling;
    const double last = d->inputs[0].sizes[dimension] - 1;
    const double at = (o - r->output_offsets[dimension]) / r->scales[dimension] - r->input_offsets[dimension];
    const double x = r->is_linear ? at : nearest_of(r->rounding, at);
    const uint64_t stride = d->inputs[0].strides[dimension];
    if (!(x > 0))
        return (struct resample_pair){{0, 0}, 0};
    if (x >= last)
        return (struct resample_pair){{(uint64_t)last * stride, 0}, 0};
    return (struct resample_pair){{(uint64_t)x * stride, ((uint64_t)x + 1) * stride}, x - (double)(uint64_t)x};
}

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

/* Fills the tables. Returns 0 if there is no memory. */
static int fill_pairs(const struct descriptor *d, struct resampling *r)
{
    for (uint32_t i = 0; i < d->outputs[0].rank; i++) {
        r->pairs[i] = malloc(d->outputs[0].sizes[i] * sizeof *r->pairs[i]);
        if (!r->pairs[i])
            return 0;
        for (uint32_t o = 0; o < d->outputs[0].sizes[i]; o++)
            r->pairs[i][o] = pair_at(d, i, o);
    }
    return 1;
}

static void resample_all(const struct resampling *r)
{
    const struct tensor *output = r->output;
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0}, i;
    do {
        uint64_t offset = 0;
        for (i = 0; i < output->rank; i++)
            offset += (uint64_t)place[i] * output->strides[i];
        const double average = average_around(r, place, 0, 0);
        number_store_real(output->type, number_is_float(output->type) ? average : number_nearest_even(average),
                          r->to + offset * output->element_size);
        for (i = output->rank; i > 0 && ++place[i - 1] == output->sizes[i - 1]; i--)
            place[i - 1] = 0;
    } while (i > 0);
}

int resample_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UPSAMPLE_2D || type == DML_OPERATOR_RESAMPLE || type == DML_OPERATOR_RESAMPLE1 ||
           type == DML_OPERATOR_RESAMPLE2 || type == DML_OPERATOR_RESAMPLE3;
}

void resample_run(const struct descriptor *d, const char *input, char *output)
{
    struct resampling r = {.input = &d->inputs[0], .output = &d->outputs[0], .from = input, .to = output};
    if (fill_pairs(d, &r)) /* else the output keeps its contents, which makes the failure visible */
        resample_all(&r);
    for (uint32_t i = 0; i < r.output->rank; i++)
        free(r.pairs[i]);
}
