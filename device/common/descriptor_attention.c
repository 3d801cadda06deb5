/* descriptor_attention.c: the rules of MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1. */
#include "device/common/descriptor_internal.h"

#include "device/common/attention.h"

enum { ATTENTION_SIZES = 5, ANY_SIZE = 0 };

/* Checks the sizes of a tensor: those wanted, after leading sizes of 1. ANY_SIZE fits all. A tensor with fewer
 * dimensions lacks the first ones. */
static int attention_check_sizes(const struct reader *reader, const char *name, const struct tensor *tensor,
                                 uint32_t count, const uint64_t wanted[ATTENTION_SIZES])
{
    for (uint32_t i = 0; i < tensor->rank; i++) {
        const uint32_t from_end = tensor->rank - i;
        const uint64_t size = from_end > count ? 1 : wanted[count - from_end];
        if (size != ANY_SIZE && tensor->sizes[i] != size)
            return REJECT(reader, "%s.Sizes[%u] is %u; the other tensors call for %llu.", name, i, tensor->sizes[i],
                          (unsigned long long)size);
    }
    return 1;
}

#define SIZES(...)                                                                                                     \
    (uint32_t)(sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t)), (const uint64_t[ATTENTION_SIZES])                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static int is_given(const struct descriptor *d, enum attention_input input)
{
    return d->inputs[input].rank > 0;
}

static int check_one(const struct reader *reader, const char *what, int count)
{
    return count == 1 || REJECT(reader, "%d tensors have %s; one must.", count, what);
}

/* Checks which tensors are given. */
static int check_forms(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    const int query_key = is_given(d, ATTENTION_QUERY_KEY), key_value = is_given(d, ATTENTION_KEY_VALUE),
              all = is_given(d, ATTENTION_QUERY_KEY_VALUE);
    if (!check_one(reader, "queries", is_given(d, ATTENTION_QUERY) + query_key + all) ||
        !check_one(reader, "keys", is_given(d, ATTENTION_KEY) + query_key + key_value + all) ||
        !check_one(reader, "values", is_given(d, ATTENTION_VALUE) + key_value + all))
        return 0;
    if (is_given(d, ATTENTION_PAST_KEY) != is_given(d, ATTENTION_PAST_VALUE))
        return REJECT(reader, "PastKeyTensor and PastValueTensor must both be given, or neither.");
    if (is_given(d, ATTENTION_MASK) != (a->mask_type != DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE))
        return REJECT(reader, "MaskTensor must be given exactly if MaskType is not NONE; MaskType is %u.",
                      (uint32_t)a->mask_type);
    if ((query_key || key_value || all) && a->heads != a->key_heads)
        return REJECT(reader, "Stacked tensors call for equal numbers of heads, not %u and %u.", a->heads,
                      a->key_heads);
    return 1;
}

static int check_heads(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    const struct tensor *query = &d->inputs[ATTENTION_QUERY], *y = &d->outputs[ATTENTION_OUTPUT];
    if (a->heads < 1 || a->key_heads < 1 || a->heads % a->key_heads != 0)
        return REJECT(reader, "The numbers of heads are %u and %u; the second must be at least 1 and divide the first.",
                      a->heads, a->key_heads);
    if (y->sizes[y->rank - 1] % a->heads != 0)
        return REJECT(reader, "The last size of OutputTensor is %u; the number of heads, %u, must divide it.",
                      y->sizes[y->rank - 1], a->heads);
    if (query->rank > 0 && query->sizes[query->rank - 1] % a->heads != 0)
        return REJECT(reader, "The last size of QueryTensor is %u; the number of heads, %u, must divide it.",
                      query->sizes[query->rank - 1], a->heads);
    return 1;
}

static int check_queries(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    const struct tensor *in = d->inputs;
    const uint64_t b = a->batch, s = a->queries, n = a->heads, g = a->key_heads, e = a->head_size;
    return attention_check_sizes(reader, "OutputTensor", &d->outputs[ATTENTION_OUTPUT], SIZES(b, s, ANY_SIZE)) &&
           attention_check_sizes(reader, "QueryTensor", &in[ATTENTION_QUERY], SIZES(b, s, ANY_SIZE)) &&
           attention_check_sizes(reader, "StackedQueryKeyTensor", &in[ATTENTION_QUERY_KEY], SIZES(b, s, n, 2, e)) &&
           attention_check_sizes(reader, "StackedQueryKeyValueTensor", &in[ATTENTION_QUERY_KEY_VALUE],
                                 SIZES(b, s, n, 3, e)) &&
           attention_check_sizes(reader, "StackedKeyValueTensor", &in[ATTENTION_KEY_VALUE],
                                 SIZES(b, ANY_SIZE, g, 2, e));
}

static int check_keys(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    const struct tensor *in = d->inputs;
    const uint64_t b = a->batch, g = a->key_heads, e = a->head_size, f = a->value_size, l = a->keys, p = a->past;
    if ((is_given(d, ATTENTION_KEY_VALUE) || is_given(d, ATTENTION_QUERY_KEY_VALUE)) && f != e)
        return REJECT(reader, "Values that are stacked have %u elements in a head; OutputTensor calls for %u.",
                      a->head_size, a->value_size);
    return attention_check_sizes(reader, "KeyTensor", &in[ATTENTION_KEY], SIZES(b, l, g * e)) &&
           attention_check_sizes(reader, "ValueTensor", &in[ATTENTION_VALUE], SIZES(b, l, g * f)) &&
           attention_check_sizes(reader, "BiasTensor", &in[ATTENTION_BIAS], SIZES((a->heads + g) * e + g * f)) &&
           attention_check_sizes(reader, "PastKeyTensor", &in[ATTENTION_PAST_KEY], SIZES(b, g, p, e)) &&
           attention_check_sizes(reader, "PastValueTensor", &in[ATTENTION_PAST_VALUE], SIZES(b, g, p, f)) &&
           attention_check_sizes(reader, "RelativePositionBiasTensor", &in[ATTENTION_RELATIVE],
                                 SIZES(b, a->heads, a->queries, p + l)) &&
           attention_check_sizes(reader, "OutputPresentKeyTensor", &d->outputs[ATTENTION_PRESENT_KEY],
                                 SIZES(b, g, p + l, e)) &&
           attention_check_sizes(reader, "OutputPresentValueTensor", &d->outputs[ATTENTION_PRESENT_VALUE],
                                 SIZES(b, g, p + l, f));
}

static int check_mask(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    const struct tensor *mask = &d->inputs[ATTENTION_MASK];
    const uint64_t b = a->batch;
    uint32_t least = 1;
    if (a->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START)
        least = 2;
    if (a->mask_type == DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN)
        least = 4;
    if (mask->rank > 0 && mask->rank < least)
        return REJECT(reader, "MaskTensor.DimensionCount is %u; MaskType calls for at least %u.", mask->rank, least);
    switch (a->mask_type) {
    case DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_LENGTH:
        return attention_check_sizes(reader, "MaskTensor", mask, SIZES(b));
    case DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_SEQUENCE_END_START:
        return attention_check_sizes(reader, "MaskTensor", mask, SIZES(2, b));
    case DML_MULTIHEAD_ATTENTION_MASK_TYPE_KEY_QUERY_SEQUENCE_LENGTH_START_END:
        return attention_check_sizes(reader, "MaskTensor", mask, SIZES(3 * b + 2));
    case DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN:
        return attention_check_sizes(reader, "MaskTensor", mask, SIZES(b, a->heads, a->queries, a->keys));
    case DML_MULTIHEAD_ATTENTION_MASK_TYPE_NONE:
        break;
    }
    return 1;
}

/* PastSequenceLengthsTensor has the sizes {B} or {B, 1}. */
static int check_past_lengths(const struct reader *reader, const struct descriptor *d, const struct attention *a)
{
    if (d->type != DML_OPERATOR_MULTIHEAD_ATTENTION1)
        return 1;
    const struct tensor *lengths = &d->inputs[ATTENTION_PAST_LENGTHS];
    const int is_column =
        lengths->rank >= 2 && lengths->sizes[lengths->rank - 2] == a->batch && lengths->sizes[lengths->rank - 1] == 1;
    return is_column ? attention_check_sizes(reader, "PastSequenceLengthsTensor", lengths, SIZES(a->batch, 1))
                     : attention_check_sizes(reader, "PastSequenceLengthsTensor", lengths, SIZES(a->batch));
}

int descriptor_check_attention(const struct reader *reader, struct descriptor *d)
{
    struct attention a;
    attention_init(&a, d);
    return check_heads(reader, d, &a) &&
           descriptor_check_within(reader, "MaskType", (uint32_t)a.mask_type, 0,
                                   DML_MULTIHEAD_ATTENTION_MASK_TYPE_BOOLEAN) &&
           check_forms(reader, d, &a) && check_queries(reader, d, &a) && check_keys(reader, d, &a) &&
           check_mask(reader, d, &a) && check_past_lengths(reader, d, &a);
}
