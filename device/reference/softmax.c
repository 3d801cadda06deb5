#include "device/reference/softmax.h"

#include "device/common/number.h"

#include <math.h>
#include <string.h>

int softmax_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_softmax_of(type) != SOFTMAX_NONE;
}

void softmax_init(struct softmax *softmax, const struct descriptor *d)
{
    memset(softmax, 0, sizeof *softmax);
    softmax->input = d->inputs[0];
    softmax->output = d->outputs[0];
    softmax->result = descriptor_softmax_of(d->type);
    for (uint32_t i = 0; i < softmax->input.rank; i++) {
        int is_within = d->slice_dimensions >> i & 1;
        softmax->slices[i] = is_within ? 1 : softmax->input.sizes[i];
        softmax->within[i] = is_within ? softmax->input.sizes[i] : 1;
    }
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

/* Where the element is that is at `within` of the slice at `slice`. */
static uint64_t offset_of(const struct tensor *tensor, const uint32_t *slice, const uint32_t *within)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        offset += ((uint64_t)slice[i] + within[i]) * tensor->strides[i];
    return offset * tensor->element_size;
}

static double element(const struct softmax *s, const void *input, const uint32_t *slice, const uint32_t *within)
{
    return number_real(s->input.type, (const char *)input + offset_of(&s->input, slice, within));
}

/* The greatest element that is no NaN, and the number of the first such in the slice. */
static double greatest_of(const struct softmax *s, const void *input, const uint32_t *slice, uint64_t *place)
{
    uint32_t within[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    double greatest = -INFINITY;
    uint64_t number = 0;
    int found = 0;
    *place = 0;
    do {
        double x = element(s, input, slice, within);
        if (!isnan(x) && (!found || x > greatest)) {
            greatest = x;
            *place = number;
            found = 1;
        }
        number++;
    } while (next(s->input.rank, s->within, within));
    return greatest;
}

static double sum_of_powers(const struct softmax *s, const void *input, const uint32_t *slice, double greatest)
{
    uint32_t within[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    double sum = 0;
    do
        sum += exp(element(s, input, slice, within) - greatest);
    while (next(s->input.rank, s->within, within));
    return sum;
}

/* An element is read before its place is written: the output may be the input. */
static void run_slice(const struct softmax *s, const uint32_t *slice, const void *input, void *output)
{
    uint32_t within[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t place, number = 0;
    double greatest = greatest_of(s, input, slice, &place);
    double sum = s->result == SOFTMAX_FIRST ? 1 : sum_of_powers(s, input, slice, greatest), logarithm = log(sum);
    do {
        double t = element(s, input, slice, within) - greatest;
        double value = s->result == SOFTMAX_PART        ? exp(t) / sum
                       : s->result == SOFTMAX_LOGARITHM ? t - logarithm
                                                        : number == place;
        number_store_real(s->output.type, value, (char *)output + offset_of(&s->output, slice, within));
        number++;
    } while (next(s->input.rank, s->within, within));
}

void softmax_run(const struct softmax *softmax, const void *input, void *output)
{
    uint32_t slice[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do
        run_slice(softmax, slice, input, output);
    while (next(softmax->input.rank, softmax->slices, slice));
}
