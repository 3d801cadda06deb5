#include "device/common/attention.h"

int attention_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_MULTIHEAD_ATTENTION || type == DML_OPERATOR_MULTIHEAD_ATTENTION1;
}

static int has_input(const struct descriptor *d, enum attention_input input)
{
    return d->inputs[input].rank > 0;
}

/* Returns the stride of a dimension, counted from the last one; 0 if there is none. */
static uint64_t attention_stride(const struct tensor *tensor, uint32_t from_end)
{
    return tensor->rank > from_end ? tensor->strides[tensor->rank - 1 - from_end] : 0;
}

static uint32_t size_of(const struct tensor *tensor, uint32_t from_end)
{
    return tensor->rank > from_end ? tensor->sizes[tensor->rank - 1 - from_end] : 0;
}

static struct attention_view nothing(void)
{
    return (struct attention_view){.number = ATTENTION_ABSENT};
}

/* A tensor {batch, row, head and column}. */
static struct attention_view view_of_rows(const struct tensor *tensor, uint32_t number, uint64_t width)
{
    return tensor->rank == 0 ? nothing()
                             : (struct attention_view){.number = number,
                                                       .batch = attention_stride(tensor, 2),
                                                       .head = width * attention_stride(tensor, 0),
                                                       .row = attention_stride(tensor, 1),
                                                       .column = attention_stride(tensor, 0)};
}

/* A tensor {batch, head, row, column}. */
static struct attention_view view_of_heads(const struct tensor *tensor, uint32_t number)
{
    return tensor->rank == 0 ? nothing()
                             : (struct attention_view){.number = number,
                                                       .batch = attention_stride(tensor, 3),
                                                       .head = attention_stride(tensor, 2),
                                                       .row = attention_stride(tensor, 1),
                                                       .column = attention_stride(tensor, 0)};
}

/* One of the kinds of a stacked tensor {batch, row, head, kind, column}. */
static struct attention_view view_of_kind(const struct descriptor *d, enum attention_input input, uint32_t kind)
{
    const struct tensor *tensor = &d->inputs[input];
    return (struct attention_view){.number = input,
                                   .first = kind * attention_stride(tensor, 1),
                                   .batch = attention_stride(tensor, 4),
                                   .head = attention_stride(tensor, 2),
                                   .row = attention_stride(tensor, 3),
                                   .column = attention_stride(tensor, 0)};
}

/* A part of the bias, from a column on. */
static struct attention_view view_of_bias(const struct descriptor *d, uint64_t from, uint64_t width)
{
    const struct tensor *tensor = &d->inputs[ATTENTION_BIAS];
    const uint64_t stride = attention_stride(tensor, 0);
    return tensor->rank == 0
               ? nothing()
               : (struct attention_view){
                     .number = ATTENTION_BIAS, .first = from * stride, .head = width * stride, .column = stride};
}

static void find_mask(struct attention *out, const struct descriptor *d)
{
    const struct tensor *mask = &d->inputs[ATTENTION_MASK];
    out->mask = nothing();
    if (mask->rank == 0 || out->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE)
        return;
    if (out->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN) {
        out->mask = view_of_heads(mask, ATTENTION_MASK);
        return;
    }
    out->mask = (struct attention_view){.number = ATTENTION_MASK, .batch = attention_stride(mask, 0)};
    out->mask_starts = attention_stride(mask, 1);
}

#define ATTRIBUTES(desc)                                                                                               \
    (out->scale = (desc).Scale, out->filter = (desc).MaskFilterValue, out->mask_type = (desc).MaskType)

static void attention_read_attributes(struct attention *out, const struct descriptor *d)
{
    const DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC *grouped = &d->desc.attention1;
    if (d->type == DML_OPERATOR_MULTIHEAD_ATTENTION1) {
        ATTRIBUTES(*grouped);
        out->heads = grouped->QueryHeadCount;
        out->key_heads = grouped->KeyValueHeadCount;
    } else {
        ATTRIBUTES(d->desc.attention);
        out->heads = out->key_heads = d->desc.attention.HeadCount;
    }
}

void attention_init(struct attention *out, const struct descriptor *d)
{
    const struct tensor *inputs = d->inputs, *outputs = d->outputs, *y = &outputs[ATTENTION_OUTPUT];
    const int has_query_key = has_input(d, ATTENTION_QUERY_KEY), has_all = has_input(d, ATTENTION_QUERY_KEY_VALUE);
    *out = (struct attention){.batch = size_of(y, 2), .queries = size_of(y, 1)};
    attention_read_attributes(out, d);
    const uint32_t divisor = out->heads ? out->heads : 1;
    out->value_size = size_of(y, 0) / divisor;
    out->head_size = size_of(&inputs[ATTENTION_QUERY], 0) / divisor;
    out->keys = size_of(&inputs[ATTENTION_KEY], 1);
    out->query = view_of_rows(&inputs[ATTENTION_QUERY], ATTENTION_QUERY, out->head_size);
    if (has_query_key || has_all) {
        const enum attention_input stacked = has_query_key ? ATTENTION_QUERY_KEY : ATTENTION_QUERY_KEY_VALUE;
        out->head_size = size_of(&inputs[stacked], 0);
        out->keys = out->queries;
        out->query = view_of_kind(d, stacked, 0);
        out->key = view_of_kind(d, stacked, 1);
    } else if (has_input(d, ATTENTION_KEY_VALUE)) {
        out->keys = inputs[ATTENTION_KEY_VALUE].sizes[1];
        out->key = view_of_kind(d, ATTENTION_KEY_VALUE, 0);
    } else {
        out->key = view_of_rows(&inputs[ATTENTION_KEY], ATTENTION_KEY, out->head_size);
    }
    if (has_all)
        out->value = view_of_kind(d, ATTENTION_QUERY_KEY_VALUE, 2);
    else if (has_input(d, ATTENTION_KEY_VALUE))
        out->value = view_of_kind(d, ATTENTION_KEY_VALUE, 1);
    else
        out->value = view_of_rows(&inputs[ATTENTION_VALUE], ATTENTION_VALUE, out->value_size);
    const uint64_t queries = (uint64_t)out->heads * out->head_size, keys = (uint64_t)out->key_heads * out->head_size;
    out->bias_of_query = view_of_bias(d, 0, out->head_size);
    out->bias_of_key = view_of_bias(d, queries, out->head_size);
    out->bias_of_value = view_of_bias(d, queries + keys, out->value_size);
    out->past = size_of(&inputs[ATTENTION_PAST_KEY], 1);
    out->past_key = view_of_heads(&inputs[ATTENTION_PAST_KEY], ATTENTION_PAST_KEY);
    out->past_value = view_of_heads(&inputs[ATTENTION_PAST_VALUE], ATTENTION_PAST_VALUE);
    out->relative = view_of_heads(&inputs[ATTENTION_RELATIVE], ATTENTION_RELATIVE);
    find_mask(out, d);
    out->output = view_of_rows(y, ATTENTION_OUTPUT, out->value_size);
    out->present_key = view_of_heads(&outputs[ATTENTION_PRESENT_KEY], ATTENTION_PRESENT_KEY);
    out->present_value = view_of_heads(&outputs[ATTENTION_PRESENT_VALUE], ATTENTION_PRESENT_VALUE);
}
