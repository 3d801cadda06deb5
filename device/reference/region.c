/* region.c: each element of the output is computed from the elements of the picture in a bin of a region, or passes its
 * gradient on to them. */
#include "device/reference/region.h"

#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- samples: ROI_ALIGN, ROI_ALIGN1 and ROI_ALIGN_GRAD */

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

static struct sampling sampling_of(const struct descriptor *d, const char *const *in, const uint32_t *place,
                                   uint32_t axis)
{
    const struct descriptor_region *r = &d->region;
    const struct tensor *tensor = &d->inputs[r->regions];
    double edges[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t offset = (uint64_t)place[0] * tensor->strides[tensor->rank - 2] +
                                (uint64_t)(2 * i + 1 - axis) * tensor->strides[tensor->rank - 1];
        edges[i] = number_real(tensor->type, in[r->regions] + offset * tensor->element_size);
    }
    struct sampling s = {.size = r->picture[axis],
                         .first = edges[0] * (double)r->scales[axis],
                         .length = (edges[1] - edges[0]) * (double)r->scales[axis]};
    const double wanted = ceil(s.length / r->bins[axis]);
    const uint32_t most = r->most > MOST_SAMPLES ? MOST_SAMPLES : r->most;
    s.count = wanted > r->fewest ? most : r->fewest;
    if (wanted > r->fewest && wanted < most)
        s.count = (uint32_t)wanted;
    s.count = s.count > MOST_SAMPLES ? MOST_SAMPLES : s.count;
    s.total = (uint64_t)r->bins[axis] * s.count;
    s.number = place[2 + axis] * s.count;
    return s;
}

/* Returns how far a sample is from the first edge of a region with this length. */
static double distance_of(const struct descriptor_region *r, const struct sampling *s, uint32_t number, double length)
{
    const double at = (double)s->number + number - (double)r->output_offset;
    if (r->corners)
        return s->total > 1 ? at * length / (double)(s->total - 1) : length / 2;
    return at * length / (double)s->total;
}

static struct region_sample sample_at(const struct descriptor_region *r, const struct sampling *s, uint32_t number)
{
    const double x = distance_of(r, s, number, s->length) + s->first - (double)r->input_offset;
    if (!(x >= -1 && x <= s->size))
        return (struct region_sample){.is_outside = 1};
    const double last = s->size - 1, high = x < last ? x : last, within = high > 0 ? high : 0;
    if (!r->is_linear)
        return (struct region_sample){.first = (uint32_t)(within + 0.5)};
    const uint32_t first = (uint32_t)within;
    return (struct region_sample){.first = first, .second = first + (first < s->size - 1), .weight = within - first};
}

/* Returns the element between two of a row of the picture. */
static double value_in_row(const struct descriptor *d, const char *memory, const uint32_t *plane, uint32_t row,
                           struct region_sample column)
{
    const double first = region_element(&d->inputs[0], memory, (uint32_t[]){plane[0], plane[1], row, column.first});
    if (!(column.weight > 0))
        return first;
    return first * (1 - column.weight) +
           column.weight * region_element(&d->inputs[0], memory, (uint32_t[]){plane[0], plane[1], row, column.second});
}

static double sample_value(const struct descriptor *d, const char *memory, const uint32_t *plane,
                           struct region_sample row, struct region_sample column)
{
    const double first = value_in_row(d, memory, plane, row.first, column);
    if (!(row.weight > 0))
        return first;
    return first * (1 - row.weight) + row.weight * value_in_row(d, memory, plane, row.second, column);
}

/* Returns the batch of a region; the number of batches if the picture has no such batch. */
static uint32_t batch_of(const struct descriptor *d, const char *const *in, uint32_t region)
{
    const struct tensor *batches = &d->inputs[d->region.batches];
    const uint64_t offset = (uint64_t)region * batches->strides[batches->rank - 1];
    const double batch = number_real(batches->type, in[d->region.batches] + offset * batches->element_size);
    return batch < d->region.batch_count ? (uint32_t)batch : d->region.batch_count;
}

static double aligned_region(const struct descriptor *d, const char *const *in, const uint32_t *place)
{
    const struct sampling rows = sampling_of(d, in, place, 0), columns = sampling_of(d, in, place, 1);
    const uint32_t plane[] = {batch_of(d, in, place[0]), place[1]};
    double sum = 0, greatest = -INFINITY;
    if (plane[0] == d->region.batch_count)
        return 0;
    for (uint32_t i = 0; i < rows.count; i++)
        for (uint32_t j = 0; j < columns.count; j++) {
            const struct region_sample row = sample_at(&d->region, &rows, i);
            const struct region_sample column = sample_at(&d->region, &columns, j);
            const double value = row.is_outside || column.is_outside ? (double)d->region.outside
                                                                     : sample_value(d, in[0], plane, row, column);
            sum += value;
            greatest = value > greatest ? value : greatest;
        }
    return d->region.is_max ? greatest : sum / ((double)rows.count * columns.count);
}

/* ---- ROI_ALIGN_GRAD */

/* The sums that samples add to, and the bin whose samples do so. */
struct receiving {
    const struct descriptor *d;
    const char *const *in;
    uint32_t plane[2]; /* batch and channel */
    struct sampling rows, columns;
    double *sums; /* of the elements of a plane, or of the edges of a region */
};

/* Adds what a sample of the bin passes on; `i` and `j` are its numbers. */
typedef void receiver(const struct receiving *to, uint32_t i, uint32_t j, double gradient);

static void receive_in_picture(const struct receiving *to, uint32_t i, uint32_t j, double gradient)
{
    const struct region_sample row = sample_at(&to->d->region, &to->rows, i);
    const struct region_sample column = sample_at(&to->d->region, &to->columns, j);
    for (uint32_t k = 0; k < 4; k++) {
        const double down = k & 2 ? row.weight : 1 - row.weight, across = k & 1 ? column.weight : 1 - column.weight;
        double *line = to->sums + (size_t)(k & 2 ? row.second : row.first) * to->columns.size;
        if (down > 0 && across > 0)
            line[k & 1 ? column.second : column.first] += gradient * down * across;
    }
}

/* Returns the derivative of a sample along the columns, between the elements before and behind it in its rows. */
static double slope_across(const struct receiving *to, struct region_sample row, struct region_sample column)
{
    const struct region_sample first = {.first = column.first}, second = {.first = column.second};
    if (!(column.weight > 0))
        return 0;
    return sample_value(to->d, to->in[0], to->plane, row, second) -
           sample_value(to->d, to->in[0], to->plane, row, first);
}

static double slope_down(const struct receiving *to, struct region_sample row, struct region_sample column)
{
    if (!(row.weight > 0))
        return 0;
    return value_in_row(to->d, to->in[0], to->plane, row.second, column) -
           value_in_row(to->d, to->in[0], to->plane, row.first, column);
}

/* Adds to the gradients of the edges x1, y1, x2, y2. */
static void receive_in_region(const struct receiving *to, uint32_t i, uint32_t j, double gradient)
{
    const struct descriptor_region *r = &to->d->region;
    const struct region_sample row = sample_at(r, &to->rows, i), column = sample_at(r, &to->columns, j);
    const double down = gradient * slope_down(to, row, column) * (double)r->scales[0];
    const double across = gradient * slope_across(to, row, column) * (double)r->scales[1];
    const double part_down = distance_of(r, &to->rows, i, 1), part_across = distance_of(r, &to->columns, j, 1);
    to->sums[0] += across * (1 - part_across);
    to->sums[1] += down * (1 - part_down);
    to->sums[2] += across * part_across;
    to->sums[3] += down * part_down;
}

/* Returns true if the sample is in the picture and, for MAX, greater than `*greatest`, which it then replaces. */
static int counts_in_bin(const struct receiving *to, uint32_t i, uint32_t j, double *greatest)
{
    const struct region_sample row = sample_at(&to->d->region, &to->rows, i);
    const struct region_sample column = sample_at(&to->d->region, &to->columns, j);
    if (row.is_outside || column.is_outside)
        return 0;
    if (!to->d->region.is_max)
        return 1;
    const double value = sample_value(to->d, to->in[0], to->plane, row, column);
    const int is_greater = value > *greatest;
    *greatest = is_greater ? value : *greatest;
    return is_greater;
}

/* Passes the gradient of a bin on: a share to each sample, or all of it to the greatest one. */
static void pass_on(struct receiving *to, const uint32_t *place, receiver *receive)
{
    double greatest = -INFINITY;
    uint32_t winner[2] = {0};
    to->rows = sampling_of(to->d, to->in, place, 0);
    to->columns = sampling_of(to->d, to->in, place, 1);
    const double gradient = region_element(&to->d->inputs[1], to->in[1], place);
    const double share = gradient / ((double)to->rows.count * to->columns.count);
    for (uint32_t i = 0; i < to->rows.count; i++)
        for (uint32_t j = 0; j < to->columns.count; j++) {
            if (!counts_in_bin(to, i, j, &greatest))
                continue;
            winner[0] = i;
            winner[1] = j;
            if (!to->d->region.is_max)
                receive(to, i, j, share);
        }
    if (greatest > -INFINITY)
        receive(to, winner[0], winner[1], gradient);
}

/* Passes the gradients of all bins of a region on, in one channel. */
static void pass_region_on(struct receiving *to, uint32_t region, receiver *receive)
{
    uint32_t place[REGION_RANK] = {region, to->plane[1]};
    for (place[2] = 0; place[2] < to->d->region.bins[0]; place[2]++)
        for (place[3] = 0; place[3] < to->d->region.bins[1]; place[3]++)
            pass_on(to, place, receive);
}

static void make_picture_gradient(const struct descriptor *d, const char *const *in, char *out)
{
    const struct tensor *output = &d->outputs[0];
    const size_t count = (size_t)output->sizes[2] * output->sizes[3];
    struct receiving to = {.d = d, .in = in, .sums = malloc(count * sizeof *to.sums)};
    for (uint64_t plane = 0; to.sums && plane < (uint64_t)output->sizes[0] * output->sizes[1]; plane++) {
        to.plane[0] = (uint32_t)(plane / output->sizes[1]);
        to.plane[1] = (uint32_t)(plane % output->sizes[1]);
        memset(to.sums, 0, count * sizeof *to.sums);
        for (uint32_t region = 0; region < d->inputs[1].sizes[0]; region++)
            if (batch_of(d, in, region) == to.plane[0])
                pass_region_on(&to, region, receive_in_picture);
        for (size_t i = 0; i < count; i++) {
            const uint64_t offset = (uint64_t)to.plane[0] * output->strides[0] +
                                    (uint64_t)to.plane[1] * output->strides[1] +
                                    (uint64_t)(i / output->sizes[3]) * output->strides[2] +
                                    (uint64_t)(i % output->sizes[3]) * output->strides[3];
            number_store_real(output->type, to.sums[i], out + offset * output->element_size);
        }
    }
    free(to.sums);
}

static void make_region_gradients(const struct descriptor *d, const char *const *in, char *out)
{
    const struct tensor *output = &d->outputs[1], *bins = &d->inputs[1];
    for (uint32_t region = 0; region < bins->sizes[0]; region++) {
        double sums[4] = {0};
        struct receiving to = {.d = d, .in = in, .plane = {batch_of(d, in, region), 0}, .sums = sums};
        for (; to.plane[0] < d->region.batch_count && to.plane[1] < bins->sizes[1]; to.plane[1]++)
            pass_region_on(&to, region, receive_in_region);
        for (uint32_t edge = 0; edge < 4; edge++) {
            const uint64_t offset = (uint64_t)region * output->strides[output->rank - 2] +
                                    (uint64_t)edge * output->strides[output->rank - 1];
            number_store_real(output->type, sums[edge], out + offset * output->element_size);
        }
    }
}

/* ---- all of them */

int region_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_ROI_POOLING || type == DML_OPERATOR_ROI_ALIGN || type == DML_OPERATOR_ROI_ALIGN1 ||
           type == DML_OPERATOR_ROI_ALIGN_GRAD;
}

/* Computes each element of the output from a bin. */
static void make_bins(const struct descriptor *d, const char *const *in, char *const *out)
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

void region_run(const struct descriptor *d, const char *const *in, char *const *out)
{
    if (d->type != DML_OPERATOR_ROI_ALIGN_GRAD) {
        make_bins(d, in, out);
        return;
    }
    if (d->outputs[0].rank > 0)
        make_picture_gradient(d, in, out[0]);
    if (d->outputs[1].rank > 0)
        make_region_gradients(d, in, out[1]);
}
