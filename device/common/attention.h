/* attention.h: the tensors of MULTIHEAD_ATTENTION and MULTIHEAD_ATTENTION1 in the same form, stacked or not. */
#ifndef ATTENTION_H
#define ATTENTION_H

#include "device/common/descriptor.h"

/* The inputs, by their numbers. PAST_LENGTHS belongs to MULTIHEAD_ATTENTION1 alone. */
enum attention_input {
    ATTENTION_QUERY,
    ATTENTION_KEY,
    ATTENTION_VALUE,
    ATTENTION_QUERY_KEY,
    ATTENTION_KEY_VALUE,
    ATTENTION_QUERY_KEY_VALUE,
    ATTENTION_BIAS,
    ATTENTION_MASK,
    ATTENTION_RELATIVE,
    ATTENTION_PAST_KEY,
    ATTENTION_PAST_VALUE,
    ATTENTION_PAST_LENGTHS
};

enum attention_output { ATTENTION_OUTPUT, ATTENTION_PRESENT_KEY, ATTENTION_PRESENT_VALUE };

enum { ATTENTION_ABSENT = DESCRIPTOR_MAX_INPUTS };

/* A view gives the offsets, in elements, at which a tensor has an element by batch element, head, row and column. */
struct attention_view {
    uint32_t number; /* of the input or output; ATTENTION_ABSENT */
    uint64_t first;  /* the element of all zeros */
    uint64_t batch, head, row, column;
};

struct attention {
    uint32_t batch, queries, keys, past; /* sizes; keys: the new ones */
    uint32_t heads, key_heads;           /* queries have `heads`, keys and values `key_heads` */
    uint32_t head_size, value_size;      /* of queries and keys; of values */
    float scale, filter;
    DML_MULTIHEAD_ATTENTION_MASK_TYPE mask_type;
    struct attention_view query, key, value, past_key, past_value, bias_of_query, bias_of_key, bias_of_value;
    struct attention_view relative, mask; /* the columns are keys; a mask of lengths has batch elements alone */
    uint64_t mask_starts;                 /* the distance from ends to starts */
    struct attention_view output, present_key, present_value;
};

int attention_computes(DML_OPERATOR_TYPE type);

/* Fills in `out`. The description need not be legal, but its tensors have as many dimensions as the tables say. */
void attention_init(struct attention *out, const struct descriptor *descriptor);

#endif
