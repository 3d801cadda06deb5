/* unfold.c: coordinate `at` of the picture, along one dimension, is element k of window q if at + padding = q * stride
 * + k * gap. UNFOLD walks through k and q; FOLD finds, for each coordinate, all such k and q by a congruence. So
 * neither visits elements that take no part. */
#include "device/reference/unfold.h"

#include "device/common/number.h"

#include <string.h>

enum { MAX_SPATIAL = DESCRIPTOR_MAX_DIMENSIONS - 2 };

/* One spatial dimension. */
struct spatial {
    int64_t size;   /* size of the picture */
    int64_t window; /* elements of the window: k is below */
    int64_t places; /* number of windows: q is below */
    int64_t stride, gap, padding;
    int64_t picture, row, column; /* steps in memory, in elements: of `at`, of k and of q */
    int64_t divisor;              /* greatest common divisor of stride and gap */
    uint64_t period, inverse;     /* stride / divisor; the inverse of gap / divisor modulo the period */
};

struct unfold {
    uint32_t count;
    struct spatial spatial[MAX_SPATIAL];
    DML_TENSOR_DATA_TYPE type;
    uint32_t width; /* bytes of an element */
};

int unfold_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UNFOLD || type == DML_OPERATOR_FOLD;
}

/* Euclid's algorithm. Sets `inverse` so that a * inverse is the greatest divisor modulo b. */
static int64_t greatest_divisor(int64_t a, int64_t b, uint64_t *inverse)
{
    int64_t r = b, next_r = a, t = 0, next_t = 1;
    while (next_r != 0) {
        int64_t quotient = r / next_r, kept_r = r, kept_t = t;
        r = next_r;
        t = next_t;
        next_r = kept_r - quotient * next_r;
        next_t = kept_t - quotient * next_t;
    }
    *inverse = (uint64_t)(t < 0 ? t + b / r : t) % (uint64_t)(b / r);
    return r;
}

static void prepare(struct unfold *u, const struct descriptor *d, const struct tensor *picture,
                    const struct tensor *columns)
{
    int64_t row = columns->strides[1], column = columns->strides[2];
    u->count = picture->rank - 2;
    u->type = picture->type;
    u->width = picture->element_size;
    for (uint32_t i = u->count; i-- > 0;) {
        struct spatial *s = &u->spatial[i];
        s->size = picture->sizes[i + 2];
        s->window = d->lists[0][i];
        s->stride = d->lists[1][i];
        s->gap = d->lists[2][i];
        s->padding = d->lists[3][i];
        s->places = (s->size + s->padding + d->lists[4][i] - s->gap * (s->window - 1) - 1) / s->stride + 1;
        s->picture = picture->strides[i + 2];
        s->row = row;
        s->column = column;
        s->divisor = greatest_divisor(s->gap, s->stride, &s->inverse);
        s->period = (uint64_t)(s->stride / s->divisor);
        row *= s->window;
        column *= s->places;
    }
}

/* ---- UNFOLD */

/* Copies the columns of one channel from dimension `i` on. A null `from` is in the padding. Compilers that unroll the
 * recursion do not know that `count` is at most MAX_SPATIAL. */
static void copy_columns(const struct unfold *u, uint32_t i, const char *from, char *to)
{
    static const char zeros[8];
    if (i == u->count || i == MAX_SPATIAL) {
        memcpy(to, from ? from : zeros, u->width);
        return;
    }
    const struct spatial *s = &u->spatial[i];
    for (int64_t k = 0; k < s->window; k++)
        for (int64_t q = 0; q < s->places; q++) {
            int64_t at = q * s->stride + k * s->gap - s->padding;
            int inside = from && at >= 0 && at < s->size;
            copy_columns(u, i + 1, inside ? from + at * s->picture * u->width : NULL,
                         to + (k * s->row + q * s->column) * u->width);
        }
}

/* ---- FOLD */

/* Returns the sum of all elements of one channel's columns for the coordinate `at`, from dimension `i` on. */
static double sum_columns(const struct unfold *u, uint32_t i, const int64_t *at, const char *from)
{
    if (i == u->count)
        return number_real(u->type, from);
    const struct spatial *s = &u->spatial[i];
    int64_t shifted = at[i] + s->padding, beyond = shifted - s->stride * (s->places - 1);
    if (shifted % s->divisor != 0)
        return 0;
    int64_t period = (int64_t)s->period;
    int64_t k = (int64_t)((uint64_t)(shifted / s->divisor) % s->period * s->inverse % s->period);
    if (beyond > 0) { /* the last window ends before this coordinate, unless k is at least this */
        int64_t least = (beyond + s->gap - 1) / s->gap;
        k += k < least ? (least - k + period - 1) / period * period : 0;
    }
    double sum = 0;
    for (; k < s->window && k * s->gap <= shifted; k += period)
        sum +=
            sum_columns(u, i + 1, at, from + (k * s->row + (shifted - k * s->gap) / s->stride * s->column) * u->width);
    return sum;
}

static void add_columns(const struct unfold *u, const char *from, char *to)
{
    int64_t at[MAX_SPATIAL] = {0}, offset = 0;
    for (;;) {
        uint32_t i = u->count;
        number_store_real(u->type, sum_columns(u, 0, at, from), to + offset * u->width);
        while (i > 0) {
            const struct spatial *s = &u->spatial[--i];
            offset += s->picture;
            if (++at[i] < s->size)
                break;
            offset -= s->size * s->picture;
            at[i] = 0;
            if (i == 0)
                return;
        }
    }
}

void unfold_run(const struct descriptor *d, const void *input, void *output)
{
    int folds = d->type == DML_OPERATOR_FOLD;
    const struct tensor *picture = folds ? &d->outputs[0] : &d->inputs[0];
    const struct tensor *columns = folds ? &d->inputs[0] : &d->outputs[0];
    const int64_t rows = columns->sizes[1] / picture->sizes[1];
    struct unfold u;

    prepare(&u, d, picture, columns);
    for (int64_t n = 0; n < picture->sizes[0]; n++)
        for (int64_t c = 0; c < picture->sizes[1]; c++) {
            int64_t of_picture = (n * picture->strides[0] + c * picture->strides[1]) * u.width;
            int64_t of_columns = (n * columns->strides[0] + c * rows * columns->strides[1]) * u.width;
            if (folds)
                add_columns(&u, (const char *)input + of_columns, (char *)output + of_picture);
            else
                copy_columns(&u, 0, (const char *)input + of_picture, (char *)output + of_columns);
        }
}
