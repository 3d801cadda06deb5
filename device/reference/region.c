/* region.c: each element of the output is computed from the elements of the picture in a bin of a region. */
#include "device/reference/region.h"

#include "device/common/number.h"

#include <math.h>

enum { REGION_RANK = 4, FARTHEST = 1 << 24, MOST_SAMPLES = 256 };

/* The rows, or columns, of a picture that a bin has: from `begin` to below `past`. */
struct region_bin {
    uint32_t begin, past;
};

/* Returns the element of a tensor of four dimensions. */
static double region_element(const struct tensor *tensor, const char *memory, const uint32_t *place)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < REGION_RANK; i++)
        offset += (uint64_t)place[i] * tensor->strides[i];
    return number_real(tensor->type, memory + offset * tensor->element_size);
}

/* Returns a corner of a region as a whole number: halves are rounded away from zero. A NaN is 0. */
static int64_t whole_corner(double corner)
{
    const double below = corner > FARTHEST ? FARTHEST : corner, limited = below < -FARTHEST ? -FARTHEST : below;
    return number_truncated(limited < 0 ? limited - 0.5 : limited + 0.5);
}

static uint32_t within_picture(int64_t at, uint32_t size)
{
    if (at < 0)
        return 0;
    return at > size ? size : (uint32_t)at;
}

/* Returns bin `number` of the `count` bins between two corners. `size`: of the picture. */
static struct region_bin bin_between(double first, double last, uint32_t number, uint32_t count, uint32_t size)
{
    const int64_t begin = whole_corner(first), length = whole_corner(last) - begin + 1;
    const uint64_t rows = length < 1 ? 1 : (uint64_t)length;
    const int64_t from = begin + (int64_t)(number * rows / count);
    const int64_t past = begin + (int64_t)(((number + (uint64_t)1) * rows + count - 1) / count);
    return (struct region_bin){within_picture(from, size), within_picture(past, size)};
}

/* Returns the greatest element of a plane of the input in a bin; 0 if the bin has none. */
static double greatest_in_bin(const struct descriptor *d, const char *memory, const uint32_t *plane,
                              struct region_bin rows, struct region_bin columns)
{
    double greatest = -INFINITY;
    if (rows.begin >= rows.past || columns.begin >= columns.past)
        return 0;
    for (uint32_t y = rows.begin; y < rows.past; y++)
        for (uint32_t x = columns.begin; x < columns.past; x++) {
            const uint32_t place[] = {plane[0], plane[1], y, x};
            const double element = region_element(&d->inputs[0], memory, place);
            greatest = element > greatest ? element : greatest;
        }
    return greatest;
}

static double pooled_region(const struct descriptor *d, const char *const *in, const uint32_t *place)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    double row[5];
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t at[] = {0, 0, place[0], i};
        row[i] = region_element(&d->inputs[1], in[1], at) * (i == 0 ? 1 : (double)d->desc.roi_pooling.SpatialScale);
    }
    if (!(row[0] >= 0 && row[0] < input->sizes[0])) /* the input has no such batch */
        return 0;
    const uint32_t plane[] = {(uint32_t)row[0], place[1]};
    return greatest_in_bin(d, in[0], plane, bin_between(row[2], row[4], place[2], output->sizes[2], input->sizes[2]),
                           bin_between(row[1], row[3], place[3], output->sizes[3], input->sizes[3]));
}

/* ---- ROI_ALIGN and ROI_ALIGN1 */

/* A sample between two elements along a dimension. */
struct region_sample {
    uint32_t first, second;
    double weight; /* of the second element */
    int is_outside;
};

/* The samples along a dimension of the picture, for one bin. */
struct sampling {
    uint32_t count, number, size; /* samples of the bin; number of its first sample; size of the picture */
    uint64_t total;               /* samples of the region */
    double first, length;         /* the region's first edge, and its length */
};

static struct sampling sampling_of(const struct descriptor *d, const char *regions, const uint32_t *place,
                                   uint32_t axis)
{
    const struct descriptor_region *r = &d->region;
    const struct tensor *tensor = &d->inputs[1];
    const uint32_t bins = d->outputs[0].sizes[2 + axis];
    double edges[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t offset = (uint64_t)place[0] * tensor->strides[tensor->rank - 2] +
                                (uint64_t)(2 * i + 1 - axis) * tensor->strides[tensor->rank - 1];
        edges[i] = number_real(tensor->type, regions + offset * tensor->element_size);
    }
    struct sampling s = {.size = d->inputs[0].sizes[2 + axis],
                         .first = edges[0] * (double)r->scales[axis],
                         .length = (edges[1] - edges[0]) * (double)r->scales[axis]};
    const double wanted = ceil(s.length / bins);
    const uint32_t most = r->most > MOST_SAMPLES ? MOST_SAMPLES : r->most;
    s.count = wanted > r->fewest ? most : r->fewest;
    if (wanted > r->fewest && wanted < most)
        s.count = (uint32_t)wanted;
    s.count = s.count > MOST_SAMPLES ? MOST_SAMPLES : s.count;
    s.total = (uint64_t)bins * s.count;
    s.number = place[2 + axis] * s.count;
    return s;
}

static struct region_sample sample_at(const struct descriptor_region *r, const struct sampling *s, uint32_t number)
{
    const double at = (double)s->number + number - (double)r->output_offset;
    double x = at * s->length / (double)s->total;
    if (r->corners)
        x = s->total > 1 ? at * s->length / (double)(s->total - 1) : s->length / 2;
    x += s->first - (double)r->input_offset;
    if (!(x >= -1 && x <= s->size))
        return (struct region_sample){.is_outside = 1};
    const double last = s->size - 1, high = x < last ? x : last, within = high > 0 ? high : 0;
    if (!r->is_linear)
        return (struct region_sample){.first = (uint32_t)(within + 0.5)};
    const uint32_t first = (uint32_t)within;
    return (struct region_sample){.first = first, .second = first + (first < s->size - 1), .weight = within - first};
}

static double sample_value(const struct descriptor *d, const char *memory, const uint32_t *plane,
                           struct region_sample row, struct region_sample column)
{
    double lines[2] = {0};
    if (row.is_outside || column.is_outside)
        return (double)d->region.outside;
    for (uint32_t i = 0; i < 1 + (row.weight > 0); i++) {
        const uint32_t y = i ? row.second : row.first;
        lines[i] = region_element(&d->inputs[0], memory, (uint32_t[]){plane[0], plane[1], y, column.first});
        if (column.weight > 0)
            lines[i] = lines[i] * (1 - column.weight) +
                       column.weight *
                           region_element(&d->inputs[0], memory, (uint32_t[]){plane[0], plane[1], y, column.second});
    }
    return row.weight > 0 ? lines[0] * (1 - row.weight) + lines[1] * row.weight : lines[0];
}

static double aligned_region(const struct descriptor *d, const char *const *in, const uint32_t *place)
{
    const struct tensor *batches = &d->inputs[2];
    const uint64_t offset = (uint64_t)place[0] * batches->strides[batches->rank - 1];
    const double batch = number_real(batches->type, in[2] + offset * batches->element_size);
    const struct sampling rows = sampling_of(d, in[1], place, 0), columns = sampling_of(d, in[1], place, 1);
    double sum = 0, greatest = -INFINITY;
    if (!(batch < d->inputs[0].sizes[0])) /* the input has no such batch */
        return 0;
    const uint32_t plane[] = {(uint32_t)batch, place[1]};
    for (uint32_t i = 0; i < rows.count; i++)
        for (uint32_t j = 0; j < columns.count; j++) {
            const double value =
                sample_value(d, in[0], plane, sample_at(&d->region, &rows, i), sample_at(&d->region, &columns, j));
            sum += value;
            greatest = value > greatest ? value : greatest;
        }
    return d->region.is_max ? greatest : sum / ((double)rows.count * columns.count);
}

int region_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_ROI_POOLING || type == DML_OPERATOR_ROI_ALIGN || type == DML_OPERATOR_ROI_ALIGN1;
}

void region_run(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *output = &d->outputs[0];
    uint32_t place[REGION_RANK] = {0}, i;
    do {
        uint64_t offset = 0;
        for (i = 0; i < REGION_RANK; i++)
            offset += (uint64_t)place[i] * output->strides[i];
        const double value =
            d->type == DML_OPERATOR_ROI_POOLING ? pooled_region(d, in, place) : aligned_region(d, in, place);
        number_store_real(output->type, value, out[0] + offset * output->element_size);
        for (i = REGION_RANK; i > 0 && ++place[i - 1] == output->sizes[i - 1]; i--)
            place[i - 1] = 0;
    } while (i > 0);
}
