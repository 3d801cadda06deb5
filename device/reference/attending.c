/* attending.c: attention in double, one batch element and head of keys after the other. */
#include "device/reference/attending.h"

#include "device/common/attention.h"
#include "device/common/number.h"

#include <math.h>
#include <stdlib.h>

/* A batch element and a head of keys. */
struct attending {
    const struct descriptor *d;
    struct attention of;
    const char *const *inputs;
    char *const *outputs;
    uint32_t b, g, rows; /* rows: of the past, and new ones */
    double *keys, *values;
    double *query, *weights;
};

static uint64_t element_of_view(const struct attention_view *view, uint32_t b, uint32_t n, uint32_t row,
                                uint32_t column)
{
    return view->first + b * view->batch + n * view->head + row * view->row + column * view->column;
}

/* Returns an element of an input; 0 if it is absent. */
static double attention_element(const struct attending *x, const struct attention_view *view, uint32_t n, uint32_t row,
                                uint32_t column)
{
    if (view->number == ATTENTION_ABSENT)
        return 0;
    const struct tensor *tensor = &x->d->inputs[view->number];
    const uint64_t at = element_of_view(view, x->b, n, row, column);
    return number_real(tensor->type, x->inputs[view->number] + at * tensor->element_size);
}

static void attention_store(const struct attending *x, const struct attention_view *view, uint32_t n, uint32_t row,
                            uint32_t column, double value)
{
    if (view->number == ATTENTION_ABSENT)
        return;
    const struct tensor *tensor = &x->d->outputs[view->number];
    const uint64_t at = element_of_view(view, x->b, n, row, column);
    number_store_real(tensor->type, value, x->outputs[view->number] + at * tensor->element_size);
}

/* The tensors of keys, or of values. */
struct attention_rows {
    const struct attention_view *past, *now, *bias, *present;
    uint32_t width;
};

/* Reads the rows of the past, then the new ones with their bias, and stores them as the present. */
static void read_rows(const struct attending *x, const struct attention_rows *from, double *to)
{
    for (uint32_t j = 0; j < x->rows; j++)
        for (uint32_t e = 0; e < from->width; e++) {
            const uint64_t at = (uint64_t)j * from->width + e;
            to[at] = j < x->of.past ? attention_element(x, from->past, x->g, j, e)
                                    : attention_element(x, from->now, x->g, j - x->of.past, e) +
                                          attention_element(x, from->bias, x->g, 0, e);
            attention_store(x, from->present, x->g, j, e, to[at]);
        }
}

/* Tells whether the mask filters a new key. Masks say nothing of the past. */
static int is_filtered(const struct attending *x, uint32_t n, uint32_t i, uint32_t j)
{
    const struct attention_view *mask = &x->of.mask;
    const uint32_t key = j - x->of.past;
    if (mask->number == ATTENTION_ABSENT || j < x->of.past)
        return 0;
    if (x->of.mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN)
        return attention_element(x, mask, n, i, key) == 0;
    struct attention_view starts = *mask;
    starts.first += x->of.mask_starts;
    return key >= attention_element(x, mask, 0, 0, 0) ||
           (x->of.mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START &&
            key < attention_element(x, &starts, 0, 0, 0));
}

static double score_of(const struct attending *x, uint32_t n, uint32_t i, uint32_t j)
{
    const double *key = x->keys + (uint64_t)j * x->of.head_size;
    double sum = 0;
    for (uint32_t e = 0; e < x->of.head_size; e++)
        sum += x->query[e] * key[e];
    return (double)x->of.scale * sum + attention_element(x, &x->of.relative, n, i, j) +
           (is_filtered(x, n, i, j) ? (double)x->of.filter : 0);
}

/* Computes a row of the output. */
static void attend(const struct attending *x, uint32_t n, uint32_t i)
{
    double top = -INFINITY, total = 0;
    for (uint32_t e = 0; e < x->of.head_size; e++)
        x->query[e] = attention_element(x, &x->of.query, n, i, e) + attention_element(x, &x->of.bias_of_query, n, 0, e);
    for (uint32_t j = 0; j < x->rows; j++) {
        x->weights[j] = score_of(x, n, i, j);
        top = fmax(top, x->weights[j]);
    }
    for (uint32_t j = 0; j < x->rows; j++)
        total += x->weights[j] = exp(x->weights[j] - top);
    for (uint32_t e = 0; e < x->of.value_size; e++) {
        double sum = 0;
        for (uint32_t j = 0; j < x->rows; j++)
            sum += x->weights[j] * x->values[(uint64_t)j * x->of.value_size + e];
        attention_store(x, &x->of.output, n, i, e, sum / total);
    }
}

void attention_run(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    struct attending x = {.d = d, .inputs = inputs, .outputs = outputs};
    attention_init(&x.of, d);
    const struct attention *of = &x.of;
    const struct attention_rows keys = {&of->past_key, &of->key, &of->bias_of_key, &of->present_key, of->head_size};
    const struct attention_rows values = {&of->past_value, &of->value, &of->bias_of_value, &of->present_value,
                                          of->value_size};
    const uint32_t shared = of->heads / of->key_heads;
    x.rows = of->past + of->keys;
    const uint64_t rows = x.rows, width = (uint64_t)of->head_size + of->value_size + 1;
    x.keys = malloc((rows * width + of->head_size) * sizeof *x.keys);
    if (!x.keys) /* the outputs keep their contents, which makes the failure visible */
        return;
    x.values = x.keys + rows * of->head_size;
    x.weights = x.values + rows * of->value_size;
    x.query = x.weights + rows;
    for (x.b = 0; x.b < of->batch; x.b++)
        for (x.g = 0; x.g < of->key_heads; x.g++) {
            read_rows(&x, &keys, x.keys);
            read_rows(&x, &values, x.values);
            for (uint32_t n = x.g * shared; n < (x.g + 1) * shared; n++)
                for (uint32_t i = 0; i < of->queries; i++)
                    attend(&x, n, i);
        }
    free(x.keys);
}
