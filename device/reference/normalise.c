#include "device/reference/normalise.h"

#include "device/common/number.h"
#include "device/reference/activation.h"
#include "device/reference/row.h"
#include "device/reference/single.h"
#include "device/reference/stream.h"
#include "device/reference/wide.h"

#include <math.h>
#include <string.h>

enum { RANK = DESCRIPTOR_MAX_DIMENSIONS };

/* ---- coordinates */

/* A tensor at the coordinates of the input: if it has one element along a dimension, that element stands for all
 * coordinates. */
struct view {
    const struct tensor *tensor;
    uint64_t steps[RANK];
};

static struct view view_of(const struct tensor *tensor)
{
    struct view view = {.tensor = tensor};
    for (uint32_t i = 0; i < tensor->rank; i++)
        view.steps[i] = tensor->sizes[i] > 1 ? tensor->strides[i] : 0;
    return view;
}

static uint64_t view_offset(const struct view *view, const uint32_t *at)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < view->tensor->rank; i++)
        offset += at[i] * view->steps[i];
    return offset * view->tensor->element_size;
}

/* Returns the element; `otherwise` if the tensor is absent. */
static double view_read(const struct view *view, const char *memory, const uint32_t *at, double otherwise)
{
    return view->tensor->rank ? number_real(view->tensor->type, memory + view_offset(view, at)) : otherwise;
}

/* Reads a row of elements that differ in one dimension. */
static void read_row(const struct view *view, const char *memory, const uint32_t *at, uint32_t dimension,
                     uint64_t count, double otherwise, double *to)
{
    const struct tensor *tensor = view->tensor;
    if (tensor->rank)
        row_load(tensor->type, memory + view_offset(view, at), (int64_t)(view->steps[dimension] * tensor->element_size),
                 count, to);
    for (uint64_t i = 0; !tensor->rank && i < count; i++)
        to[i] = otherwise;
}

/* Returns true if elements along a dimension are FLOAT32, next to each other. */
static int view_has_singles(const struct view *view, uint32_t dimension)
{
    return view->tensor->type == DML_TENSOR_DATA_TYPE_FLOAT32 && view->steps[dimension] == 1;
}

static void view_write(const struct view *view, char *memory, const uint32_t *at, double value)
{
    number_store_real(view->tensor->type, value, memory + view_offset(view, at));
}

static void write_row(const struct view *view, char *memory, const uint32_t *at, uint32_t dimension, uint64_t count,
                      const double *values)
{
    row_store(view->tensor, values, count, memory + view_offset(view, at),
              (int64_t)(view->steps[dimension] * view->tensor->element_size));
}

static void activate_row(const struct activation *activation, double *x, uint64_t count)
{
    for (uint64_t i = 0; activation->function && i < count; i++)
        x[i] = activation_of(activation, x[i]);
}

/* Slices of the input: one starts at each of the coordinates `starts`, and extends over the dimensions in which `slice`
 * is not 1. */
struct slices {
    uint32_t rank, starts[RANK], slice[RANK];
    uint32_t line; /* the innermost dimension of a slice */
    double count;  /* elements of one slice */
};

/* Returns the slices over the dimensions of `axes`, which has a bit for each. */
static struct slices slices_over(const struct tensor *input, uint32_t axes)
{
    struct slices slices = {.rank = input->rank, .line = input->rank - 1, .count = 1};
    for (uint32_t i = 0; i < input->rank; i++) {
        int inside = axes >> i & 1;
        slices.starts[i] = inside ? 1 : input->sizes[i];
        slices.slice[i] = inside ? input->sizes[i] : 1;
        slices.count *= slices.slice[i];
        slices.line = slices.slice[i] > 1 ? i : slices.line;
    }
    return slices;
}

/* Returns a bit for each dimension in which the tensor has one element. */
static uint32_t axes_of_size_one(const struct tensor *tensor)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        axes |= (uint32_t)(tensor->sizes[i] == 1) << i;
    return axes;
}

/* Moves on to the next coordinates of a space that begins at `first`, row-major. Returns 0 after the last ones. */
static int next(uint32_t rank, const uint32_t *first, const uint32_t *sizes, uint32_t *at)
{
    for (uint32_t i = rank; i-- > 0;) {
        if (++at[i] - first[i] < sizes[i])
            return 1;
        at[i] = first[i];
    }
    return 0;
}

static const uint32_t origin[RANK];

static int next_slice(const struct slices *slices, uint32_t *start)
{
    return next(slices->rank, origin, slices->starts, start);
}

static int next_in_slice(const struct slices *slices, const uint32_t *start, uint32_t *at)
{
    return next(slices->rank, start, slices->slice, at);
}

/* Moves on by a block along the innermost dimension of the slice. `count`: elements in the block at `at`. */
static int next_slice_block(const struct slices *slices, const uint32_t *start, uint32_t *at, uint64_t count)
{
    at[slices->line] += (uint32_t)count - 1;
    return next_in_slice(slices, start, at);
}

/* Returns the elements of the block at `at`, at most `most`. */
static uint64_t block_at(const struct slices *slices, const uint32_t *start, const uint32_t *at, uint64_t most)
{
    const uint64_t left = slices->slice[slices->line] - (at[slices->line] - start[slices->line]);
    return left < most ? left : most;
}

#define COPY(to, from) memcpy(to, from, sizeof(uint32_t) * RANK)

/* ---- statistics */

struct statistics {
    double mean, variance;
};

/* Slices that are computed together. */
struct lanes {
    int count;
    uint32_t starts[ROW_LANES][RANK];
};

/* Takes the slices from `start` on, and moves `start` on. Returns 0 if no slice is left. */
static int take_lanes(const struct slices *slices, uint32_t *start, struct lanes *lanes)
{
    int more = 1;
    for (lanes->count = 0; lanes->count < ROW_LANES && more; lanes->count++) {
        COPY(lanes->starts[lanes->count], start);
        more = next_slice(slices, start);
    }
    return more;
}

/* Adds up each slice in row-major order. */
static void sum_lanes(const struct slices *slices, const struct lanes *lanes, const struct view *input,
                      const char *memory, enum row_term term, const double means[ROW_LANES], double sums[ROW_LANES])
{
    const struct tensor *tensor = input->tensor;
    const uint32_t length = slices->slice[slices->line];
    uint32_t at[RANK];
    COPY(at, lanes->starts[0]);
    memset(sums, 0, ROW_LANES * sizeof *sums);
    do {
        const uint64_t within = view_offset(input, at) - view_offset(input, lanes->starts[0]);
        const char *from[ROW_LANES];
        for (int k = 0; k < ROW_LANES; k++)
            from[k] = memory + within + view_offset(input, lanes->starts[k < lanes->count ? k : 0]);
        row_add_up(tensor->type, from, (int64_t)(input->steps[slices->line] * tensor->element_size), length, term,
                   means, sums);
    } while (next_slice_block(slices, lanes->starts[0], at, length));
}

/* Computes mean and variance. Without `centred`, the mean counts as 0. */
static void statistics_of(const struct slices *slices, const struct lanes *lanes, const struct view *input,
                          const char *memory, int centred, struct statistics *s)
{
    double means[ROW_LANES] = {0}, sums[ROW_LANES];
    if (centred) {
        sum_lanes(slices, lanes, input, memory, ROW_ELEMENT, means, sums);
        for (int k = 0; k < lanes->count; k++)
            means[k] = sums[k] / slices->count;
    }
    sum_lanes(slices, lanes, input, memory, ROW_SQUARE, means, sums);
    for (int k = 0; k < lanes->count; k++)
        s[k] = (struct statistics){means[k], sums[k] / slices->count};
}

/* ---- MEAN_VARIANCE_NORMALIZATION and its successors */

struct mean_variance {
    uint32_t axes;
    int centred, divided;
    double epsilon;
};

static uint32_t slice_axes(const struct descriptor *d, uint32_t count)
{
    uint32_t axes = 0;
    for (uint32_t i = 0; i < count; i++)
        axes |= 1u << d->lists[0][i];
    return axes;
}

static struct mean_variance mean_variance_of(const struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
    switch (d->type) {
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION: /* NCHW: all dimensions but the batch, or the plane */
        return (struct mean_variance){.axes = desc->mean_variance.CrossChannel ? 0xe : 0xc,
                                      .centred = 1,
                                      .divided = desc->mean_variance.NormalizeVariance,
                                      .epsilon = (double)desc->mean_variance.Epsilon};
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1:
        return (struct mean_variance){.axes = slice_axes(d, desc->mean_variance1.AxisCount),
                                      .centred = 1,
                                      .divided = desc->mean_variance1.NormalizeVariance,
                                      .epsilon = (double)desc->mean_variance1.Epsilon};
    default:
        return (struct mean_variance){.axes = slice_axes(d, desc->mean_variance2.AxisCount),
                                      .centred = desc->mean_variance2.UseMean,
                                      .divided = desc->mean_variance2.UseVariance,
                                      .epsilon = (double)desc->mean_variance2.Epsilon};
    }
}

WIDE_INLINE void scale_row_any(double *x, const double *scale, const double *bias, uint64_t count, double mean,
                               double root)
{
    for (uint64_t i = 0; i < count; i++) {
        const double centre = x[i] - mean;
        x[i] = scale[i] * centre / root + bias[i];
    }
}

WIDE(void, scale_row, (double *x, const double *scale, const double *bias, uint64_t count, double mean, double root),
     (x, scale, bias, count, mean, root))

/* Computes rounded elements of scale_row() in FLOAT32: two products with bounds of 1 / root take less time than a
 * quotient. If both round to the same element, so does the quotient between them. Returns 0 if all elements are
 * certain. */
WIDE_INLINE uint32_t scale_singles_any(const char *from, const double *scale, const double *bias, uint64_t count,
                                       double mean, double least, double most, float *restrict to)
{
    uint32_t others = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double scaled = scale[i] * ((double)single_at(from, i) - mean);
        const float a = (float)__builtin_fma(scaled, least, bias[i]), b = (float)__builtin_fma(scaled, most, bias[i]);
        others |= single_bits(a) ^ single_bits(b);
        to[i] = a;
    }
    return others;
}

WIDE(uint32_t, scale_singles,
     (const char *from, const double *scale, const double *bias, uint64_t count, double mean, double least, double most,
      float *restrict to),
     (from, scale, bias, count, mean, least, most, to))

#if defined(__x86_64__)

#include <immintrin.h>

enum { VECTOR = 8 };

/* Computes the same as scale_singles(), where stream_takes_eights(). */
WIDE_WIDEST static int scale_and_stream(const char *from, const double *scale, const double *bias, uint64_t count,
                                        double mean, double least, double most, char *to)
{
    __m256i others = _mm256_setzero_si256();
    for (uint64_t i = 0; i < count; i += VECTOR) {
        const __m512d x = _mm512_cvtps_pd(_mm256_loadu_ps((const float *)(const void *)(from + i * sizeof(float))));
        const __m512d scaled = _mm512_mul_pd(_mm512_loadu_pd(scale + i), _mm512_sub_pd(x, _mm512_set1_pd(mean)));
        const __m512d move = _mm512_loadu_pd(bias + i);
        const __m256i a = _mm256_castps_si256(_mm512_cvtpd_ps(_mm512_fmadd_pd(scaled, _mm512_set1_pd(least), move)));
        const __m256i b = _mm256_castps_si256(_mm512_cvtpd_ps(_mm512_fmadd_pd(scaled, _mm512_set1_pd(most), move)));
        others = _mm256_or_si256(others, _mm256_xor_si256(a, b));
        _mm256_stream_si256((__m256i *)(void *)(to + i * sizeof(float)), a);
    }
    return !_mm256_testz_si256(others, others);
}

#else

static int scale_and_stream(const char *from, const double *scale, const double *bias, uint64_t count, double mean,
                            double least, double most, char *to)
{
    (void)from, (void)scale, (void)bias, (void)count, (void)mean, (void)least, (void)most, (void)to;
    return 1;
}

#endif

/* Scales FLOAT32 elements that lie next to each other. */
static void scale_elements(const struct tensor *output, const char *from, const double *scale, const double *bias,
                           uint64_t count, double mean, double root, char *to)
{
    const double factor = 1 / root, error = 0x1p-50; /* more than all roundings of a quotient and a factor */
    const double least = factor * (1 - error), most = factor * (1 + error);
    const int quick = wide_is_fused() && isfinite(factor);
    _Alignas(64) float singles[ROW_BLOCK];
    _Alignas(64) double x[ROW_BLOCK];
    if (quick && to != from && stream_takes_eights(output->bytes, count, to) &&
        scale_and_stream(from, scale, bias, count, mean, least, most, to) == 0)
        return;
    for (uint64_t i = 0, some; i < count; i += some) {
        const char *at = from + i * sizeof *singles;
        some = row_block(output, count - i);
        if (quick && scale_singles(at, scale + i, bias + i, some, mean, least, most, singles) == 0) {
            row_copy(output, (const char *)singles, some, to + i * sizeof *singles);
        } else {
            row_load(DML_TENSOR_DATA_TYPE_FLOAT32, at, sizeof *singles, some, x);
            scale_row(x, scale + i, bias + i, some, mean, root);
            row_store(output, x, some, to + i * sizeof *singles, sizeof *singles);
        }
    }
}

enum { LONG_BLOCK = 4 * ROW_BLOCK }; /* two such rows of doubles leave half of a first-level cache free */

/* A row that is kept while the same elements are needed: slices often share their scale and bias. */
struct kept_row {
    uint64_t offset, count;
    _Alignas(64) double values[LONG_BLOCK];
};

static const double *keep_row(struct kept_row *kept, const struct view *view, const char *memory, const uint32_t *at,
                              uint32_t dimension, uint64_t count, double otherwise)
{
    const uint64_t offset = view_offset(view, at);
    if (kept->count != count || kept->offset != offset)
        read_row(view, memory, at, dimension, count, otherwise, kept->values);
    kept->offset = offset;
    kept->count = count;
    return kept->values;
}

static void normalise_mean_variance(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    const struct mean_variance how = mean_variance_of(d);
    const struct slices slices = slices_over(&d->inputs[0], how.axes);
    const struct view input = view_of(&d->inputs[0]), scale = view_of(&d->inputs[1]), bias = view_of(&d->inputs[2]);
    const struct view output = view_of(&d->outputs[0]);
    const uint32_t line = slices.line;
    struct activation activation;
    struct lanes lanes;
    struct statistics s[ROW_LANES];
    struct kept_row factors = {.count = 0}, moves = {.count = 0};
    _Alignas(64) double x[ROW_BLOCK];
    uint32_t start[RANK] = {0}, at[ROW_LANES][RANK];
    int more, more_in_slice = 0;
    activation_init(&activation, d);
    const int singles = view_has_singles(&input, line) && view_has_singles(&output, line) && !activation.function;
    do {
        more = take_lanes(&slices, start, &lanes);
        statistics_of(&slices, &lanes, &input, inputs[0], how.centred, s);
        memcpy(at, lanes.starts, sizeof at);
        do {
            const uint64_t count = block_at(&slices, lanes.starts[0], at[0], singles ? LONG_BLOCK : ROW_BLOCK);
            for (int k = 0; k < lanes.count; k++) {
                const double root = how.divided ? sqrt(s[k].variance + how.epsilon) : 1;
                const double *factor = keep_row(&factors, &scale, inputs[1], at[k], line, count, 1);
                const double *move = keep_row(&moves, &bias, inputs[2], at[k], line, count, 0);
                if (singles) {
                    scale_elements(output.tensor, inputs[0] + view_offset(&input, at[k]), factor, move, count,
                                   s[k].mean, root, outputs[0] + view_offset(&output, at[k]));
                } else {
                    read_row(&input, inputs[0], at[k], line, count, 0, x);
                    scale_row(x, factor, move, count, s[k].mean, root);
                    activate_row(&activation, x, count);
                    write_row(&output, outputs[0], at[k], line, count, x);
                }
                more_in_slice = next_slice_block(&slices, lanes.starts[k], at[k], count);
            }
        } while (more_in_slice);
    } while (more);
}

/* ---- LP_NORMALIZATION */

WIDE_INLINE void divide_row_any(double *x, uint64_t count, double by)
{
    for (uint64_t i = 0; i < count; i++)
        x[i] = x[i] / by;
}

WIDE(void, divide_row, (double *x, uint64_t count, double by), (x, count, by))

static void normalise_lp(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    const struct slices slices = slices_over(&d->inputs[0], 1u << d->desc.lp.Axis);
    const struct view input = view_of(&d->inputs[0]), output = view_of(&d->outputs[0]);
    const double epsilon = (double)d->desc.lp.Epsilon, zeros[ROW_LANES] = {0};
    const enum row_term term = d->desc.lp.P == 1 ? ROW_SIZE : ROW_SQUARE;
    struct lanes lanes;
    double norms[ROW_LANES];
    _Alignas(64) double x[ROW_BLOCK];
    uint32_t start[RANK] = {0}, at[RANK];
    int more;
    do {
        more = take_lanes(&slices, start, &lanes);
        sum_lanes(&slices, &lanes, &input, inputs[0], term, zeros, norms);
        for (int k = 0; k < lanes.count; k++) {
            double norm = d->desc.lp.P == 1 ? norms[k] : sqrt(norms[k]);
            uint64_t count;
            norm = norm < epsilon ? epsilon : norm; /* a NaN stays */
            COPY(at, lanes.starts[k]);
            do {
                count = block_at(&slices, lanes.starts[k], at, ROW_BLOCK);
                read_row(&input, inputs[0], at, slices.line, count, 0, x);
                divide_row(x, count, norm);
                write_row(&output, outputs[0], at, slices.line, count, x);
            } while (next_slice_block(&slices, lanes.starts[k], at, count));
        }
    } while (more);
}

/* ---- BATCH_NORMALIZATION and its relatives */

static void normalise_batch(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    enum { INPUT, MEAN, VARIANCE, SCALE, BIAS, COUNT };
    const struct view output = view_of(&d->outputs[0]);
    struct view views[COUNT];
    struct activation activation;
    uint32_t at[RANK] = {0};
    for (int i = 0; i < COUNT; i++)
        views[i] = view_of(&d->inputs[i]);
    activation_init(&activation, d);
    do {
        double values[COUNT];
        for (int i = 0; i < COUNT; i++)
            values[i] = view_read(&views[i], inputs[i], at, 0);
        double root = sqrt(values[VARIANCE] + (double)d->desc.batch.Epsilon);
        double value = values[SCALE] * (values[INPUT] - values[MEAN]) / root + values[BIAS];
        view_write(&output, outputs[0], at, activation_of(&activation, value));
    } while (next(d->inputs[0].rank, origin, d->inputs[0].sizes, at));
}

static void normalise_training(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    const struct slices slices = slices_over(&d->inputs[0], axes_of_size_one(&d->inputs[1]));
    const struct view input = view_of(&d->inputs[0]), scale = view_of(&d->inputs[1]), bias = view_of(&d->inputs[2]);
    const struct view added = view_of(&d->inputs[3]), output = view_of(&d->outputs[0]);
    const struct view mean = view_of(&d->outputs[1]), variance = view_of(&d->outputs[2]);
    struct activation activation;
    struct statistics s;
    uint32_t start[RANK] = {0}, at[RANK];
    activation_init(&activation, d);
    do {
        struct lanes lane = {.count = 1};
        COPY(lane.starts[0], start);
        statistics_of(&slices, &lane, &input, inputs[0], 1, &s);
        const double root = sqrt(s.variance + (double)d->desc.batch_training.Epsilon);
        const double factor = view_read(&scale, inputs[1], start, 0), moved = view_read(&bias, inputs[2], start, 0);
        view_write(&mean, outputs[1], start, s.mean);
        view_write(&variance, outputs[2], start, s.variance);
        COPY(at, start);
        do {
            double centre = view_read(&input, inputs[0], at, 0) - s.mean;
            double value = factor * centre / root + moved + view_read(&added, inputs[3], at, 0);
            view_write(&output, outputs[0], at, activation_of(&activation, value));
        } while (next_in_slice(&slices, start, at));
    } while (next_slice(&slices, start));
}

/* Computes gradients. The statistics are constants, or depend on the input. */
static void normalise_gradients(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    enum { INPUT, GRADIENT, MEAN, VARIANCE, SCALE, COUNT };
    const int trained = d->type == DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD;
    const struct slices slices = slices_over(&d->inputs[0], axes_of_size_one(&d->inputs[MEAN]));
    const struct view output = view_of(&d->outputs[0]), of_scale = view_of(&d->outputs[1]),
                      of_bias = view_of(&d->outputs[2]);
    struct view views[COUNT];
    uint32_t start[RANK] = {0}, at[RANK];
    for (int i = 0; i < COUNT; i++)
        views[i] = view_of(&d->inputs[i]);
    do {
        const double mean = view_read(&views[MEAN], inputs[MEAN], start, 0);
        const double variance =
            view_read(&views[VARIANCE], inputs[VARIANCE], start, 0) + (double)d->desc.batch_grad.Epsilon;
        const double root = sqrt(variance), factor = view_read(&views[SCALE], inputs[SCALE], start, 0) / root;
        double sum = 0, product = 0;
        COPY(at, start);
        do {
            double gradient = view_read(&views[GRADIENT], inputs[GRADIENT], at, 0);
            sum += gradient;
            product += gradient * (view_read(&views[INPUT], inputs[INPUT], at, 0) - mean);
        } while (next_in_slice(&slices, start, at));
        view_write(&of_scale, outputs[1], start, product / root);
        view_write(&of_bias, outputs[2], start, sum);
        do {
            double gradient = view_read(&views[GRADIENT], inputs[GRADIENT], at, 0);
            if (trained) {
                double centre = view_read(&views[INPUT], inputs[INPUT], at, 0) - mean;
                gradient -= sum / slices.count + centre * (product / slices.count) / variance;
            }
            view_write(&output, outputs[0], at, gradient * factor);
        } while (next_in_slice(&slices, start, at));
    } while (next_slice(&slices, start));
}

uint32_t normalise_axes(const struct descriptor *d)
{
    normalise_kernel *const kernel = normalise_kernel_of(d->type);
    if (kernel == normalise_mean_variance)
        return mean_variance_of(d).axes;
    return kernel == normalise_lp ? 1u << d->desc.lp.Axis : 0;
}

normalise_kernel *normalise_kernel_of(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION:
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1:
    case DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2:
        return normalise_mean_variance;
    case DML_OPERATOR_LP_NORMALIZATION:
        return normalise_lp;
    case DML_OPERATOR_BATCH_NORMALIZATION:
        return normalise_batch;
    case DML_OPERATOR_BATCH_NORMALIZATION_TRAINING:
        return normalise_training;
    case DML_OPERATOR_BATCH_NORMALIZATION_GRAD:
    case DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD:
        return normalise_gradients;
    default:
        return NULL;
    }
}
