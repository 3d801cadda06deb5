/* response.c: a window extends along channels, or along rows and columns: one such plane is computed at a time. The
 * sums over all windows of a line take linear time, and no sum is subtracted from another, so none loses digits. */
#include "device/reference/response.h"

#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>

enum { X, GRADIENT, OUTPUT, TENSORS };

struct picture {
    const struct tensor *tensors[TENSORS]; /* null: the operator does not have this tensor */
    const char *inputs[TENSORS];
    char *output;
    int64_t rows, columns; /* sizes of a plane, whose dimensions are `down` and `right` */
    uint32_t down, right;
    int64_t before, after; /* elements of a window beside the one in the middle */
    double alpha, beta, bias, size;
    double *sums, *terms; /* an element for each of the plane */
    double *to, *from;    /* sums of a line up to each element, and from each element on */
};

/* ---- planes */

static void locate_in_picture(const struct picture *p, const uint32_t *at, int tensor, int64_t row, int64_t column,
                              int64_t *offset)
{
    const struct tensor *t = p->tensors[tensor];
    *offset = row * t->strides[p->down] + column * t->strides[p->right];
    for (uint32_t d = 0; d < t->rank; d++)
        *offset += (int64_t)at[d] * t->strides[d];
    *offset *= t->element_size;
}

static double load_element(const struct picture *p, const uint32_t *at, int tensor, int64_t row, int64_t column)
{
    int64_t offset;
    locate_in_picture(p, at, tensor, row, column, &offset);
    return number_real(p->tensors[tensor]->type, p->inputs[tensor] + offset);
}

static void store_element(const struct picture *p, const uint32_t *at, int64_t row, int64_t column, double value)
{
    int64_t offset;
    locate_in_picture(p, at, OUTPUT, row, column, &offset);
    number_store_real(p->tensors[OUTPUT]->type, value, p->output + offset);
}

/* Replaces each element of a line by the sum over its window. The line is cut into blocks as long as a window: a window
 * is the end of one block and the beginning of the next. */
static void sum_line(const struct picture *p, double *line, int64_t count, int64_t step, int64_t before, int64_t after)
{
    int64_t length = before + after + 1;
    for (int64_t i = 0; i < count; i++)
        p->to[i] = line[i * step] + (i % length == 0 ? 0 : p->to[i - 1]);
    for (int64_t i = count; i-- > 0;)
        p->from[i] = line[i * step] + ((i + 1) % length == 0 || i + 1 == count ? 0 : p->from[i + 1]);
    for (int64_t i = 0; i < count; i++) {
        int64_t first = i > before ? i - before : 0, last = after < count - 1 - i ? i + after : count - 1;
        if (first / length != last / length)
            line[i * step] = p->from[first] + p->to[last];
        else
            line[i * step] = first % length == 0 ? p->to[last] : p->from[first];
    }
}

static void sum_windows(const struct picture *p, double *plane, int64_t before, int64_t after)
{
    for (int64_t row = 0; row < p->rows; row++)
        sum_line(p, plane + row * p->columns, p->columns, 1, before, after);
    for (int64_t column = 0; column < p->columns && p->down != p->right; column++)
        sum_line(p, plane + column, p->rows, p->columns, before, after);
}

/* Computes S of each element of the plane. */
static void find_bases(const struct picture *p, const uint32_t *at)
{
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t column = 0; column < p->columns; column++) {
            double x = load_element(p, at, X, row, column);
            p->sums[row * p->columns + column] = x * x;
        }
    sum_windows(p, p->sums, p->before, p->after);
    for (int64_t i = 0; i < p->rows * p->columns; i++)
        p->sums[i] = p->bias + p->alpha / p->size * p->sums[i];
}

static void normalise_plane(const struct picture *p, const uint32_t *at)
{
    find_bases(p, at);
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t column = 0; column < p->columns; column++) {
            double base = p->sums[row * p->columns + column];
            store_element(p, at, row, column, load_element(p, at, X, row, column) / pow(base, p->beta));
        }
}

/* Computes the gradient of a plane. An element takes part in the results in whose windows it is: they are as far after
 * it as its own window extends before it. */
static void derive(const struct picture *p, const uint32_t *at)
{
    find_bases(p, at);
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t column = 0; column < p->columns; column++) {
            int64_t i = row * p->columns + column;
            p->terms[i] = load_element(p, at, GRADIENT, row, column) * load_element(p, at, X, row, column) *
                          pow(p->sums[i], -p->beta - 1);
        }
    sum_windows(p, p->terms, p->after, p->before);
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t column = 0; column < p->columns; column++) {
            int64_t i = row * p->columns + column;
            double own = load_element(p, at, GRADIENT, row, column) * pow(p->sums[i], -p->beta);
            double others = 2 * p->alpha * p->beta / p->size * load_element(p, at, X, row, column) * p->terms[i];
            store_element(p, at, row, column, own - others);
        }
}

/* ---- operators */

static int make_room_for_plane(struct picture *p)
{
    size_t plane = (size_t)(p->rows * p->columns), line = (size_t)(p->rows > p->columns ? p->rows : p->columns);
    p->sums = malloc(2 * (plane + line) * sizeof *p->sums);
    p->terms = p->sums ? p->sums + plane : NULL;
    p->to = p->sums ? p->terms + plane : NULL;
    p->from = p->sums ? p->to + line : NULL;
    return p->sums != NULL;
}

static int64_t at_most(uint32_t number, int64_t limit)
{
    return number < limit ? number : limit;
}

static void respond(const struct descriptor *d, const char *const *inputs, char *output)
{
    const struct tensor *input = &d->inputs[0];
    int derives = d->type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD, crosses = d->response.crosses;
    struct picture p = {.tensors = {input, derives ? &d->inputs[1] : NULL, &d->outputs[0]},
                        .inputs = {inputs[0], derives ? inputs[1] : NULL},
                        .output = output,
                        .down = crosses ? 1 : 2,
                        .right = crosses ? 1 : 3,
                        .rows = crosses ? 1 : input->sizes[2],
                        .columns = input->sizes[crosses ? 1 : 3],
                        .alpha = (double)d->response.alpha,
                        .beta = (double)d->response.beta,
                        .bias = (double)d->response.bias,
                        .size = d->response.size};
    int64_t longest = p.rows > p.columns ? p.rows : p.columns; /* no window needs to be longer on a side */
    uint32_t planes[4] = {input->sizes[0], crosses ? 1 : input->sizes[1], crosses ? input->sizes[2] : 1,
                          crosses ? input->sizes[3] : 1};
    p.before = at_most((d->response.size - 1) / 2, longest);
    p.after = at_most(d->response.size / 2, longest);
    if (!make_room_for_plane(&p))
        return; /* the output keeps its contents, which makes the failure visible */
    uint32_t at[4] = {0};
    for (at[0] = 0; at[0] < planes[0]; at[0]++)
        for (at[1] = 0; at[1] < planes[1]; at[1]++)
            for (at[2] = 0; at[2] < planes[2]; at[2]++)
                for (at[3] = 0; at[3] < planes[3]; at[3]++)
                    if (derives)
                        derive(&p, at);
                    else
                        normalise_plane(&p, at);
    free(p.sums);
}

static void scale_values(const struct descriptor *d, const char *const *inputs, char *output)
{
    const struct tensor *input = &d->inputs[0], *out = &d->outputs[0];
    double scale = (double)d->desc.value_scale.Scale;
    uint32_t at[4];
    for (at[0] = 0; at[0] < input->sizes[0]; at[0]++)
        for (at[1] = 0; at[1] < input->sizes[1]; at[1]++)
            for (at[2] = 0; at[2] < input->sizes[2]; at[2]++)
                for (at[3] = 0; at[3] < input->sizes[3]; at[3]++) {
                    uint64_t from = 0, to = 0;
                    for (uint32_t k = 0; k < 4; k++) {
                        from += (uint64_t)at[k] * input->strides[k];
                        to += (uint64_t)at[k] * out->strides[k];
                    }
                    double x = number_real(input->type, inputs[0] + from * input->element_size);
                    number_store_real(out->type, scale * x + (double)d->channel_bias[at[1]],
                                      output + to * out->element_size);
                }
}

response_kernel *response_kernel_of(DML_OPERATOR_TYPE type)
{
    switch (type) {
    case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION:
    case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD:
        return respond;
    case DML_OPERATOR_VALUE_SCALE_2D:
        return scale_values;
    default:
        return NULL;
    }
}
