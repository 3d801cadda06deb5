// Attention with several heads. A workgroup takes a query of a head: it computes the scores of all keys, keeps their
// weights in scratch memory, and adds up the values. Other launches write the keys, or the values, of the present.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int TYPE = 1; // DML_TENSOR_DATA_TYPE

#include "reals.glsl"

// The tensors, by enum plan_attention_tensor, and the launches, by enum plan_attention_mode.
const uint QUERY = 0u, KEY = 1u, VALUE = 2u, BIAS_OF_QUERY = 3u, BIAS_OF_KEY = 4u, BIAS_OF_VALUE = 5u, PAST_KEY = 6u,
           PAST_VALUE = 7u, RELATIVE = 8u, MASK = 9u, OUTPUT = 10u, TENSORS = 11u;
const uint ATTENDS = 0u, WRITES_KEYS = 1u;

// MaskType
const uint ENDS_AND_STARTS = 2u, BOOLEAN = 4u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS query;
    ADDRESS key;
    ADDRESS value;
    ADDRESS bias;
    ADDRESS past_key;
    ADDRESS past_value;
    ADDRESS relative;
    ADDRESS mask;
    ADDRESS target;
    ADDRESS scratch;
    uint count; // workgroups, or elements of the present
    uint mode;
    uint queries;
    uint past;
    uint rows; // of the past, and new ones
    uint heads;
    uint key_heads;
    uint shared_by; // heads of queries that share one of keys
    uint head_size;
    uint value_size;
    uint mask_type;
    uint mask_starts; // the distance from ends to starts
    uint given;       // a bit for each tensor
    float scale;
    float filter_value;
    uint first[TENSORS];
    uint batches[TENSORS]; // strides
    uint in_heads[TENSORS];
    uint in_rows[TENSORS];
    uint columns[TENSORS];
};

layout(push_constant) uniform push
{
    parameters p;
};

// Terms in a round of a loop, since lavapipe ends the loops of an invocation after 65,535 rounds in all.
const uint TERMS = 8u;

uint member, head, query_row; // of the workgroup; member: the batch element

void wait()
{
    memoryBarrier();
    barrier();
}

bool is_given(uint tensor)
{
    return (p.given >> tensor & 1u) != 0u;
}

uint offset_of(uint tensor, uint b, uint n, uint row, uint column)
{
    return p.first[tensor] + b * p.batches[tensor] + n * p.in_heads[tensor] + row * p.in_rows[tensor] +
           column * p.columns[tensor];
}

// Returns an element of the keys, or of the values: of the past, or a new one with its bias.
float row_element(bool is_key, uint b, uint n, uint row, uint column)
{
    if (row < p.past)
        return is_key ? load(TYPE, p.past_key, offset_of(PAST_KEY, b, n, row, column))
                      : load(TYPE, p.past_value, offset_of(PAST_VALUE, b, n, row, column));
    uint now = row - p.past, bias = is_key ? BIAS_OF_KEY : BIAS_OF_VALUE;
    precise float value = is_key ? load(TYPE, p.key, offset_of(KEY, b, n, now, column))
                                 : load(TYPE, p.value, offset_of(VALUE, b, n, now, column));
    if (is_given(bias))
        value += load(TYPE, p.bias, offset_of(bias, 0u, n, 0u, column));
    return value;
}

float query_element(uint column)
{
    precise float value = load(TYPE, p.query, offset_of(QUERY, member, head, query_row, column));
    if (is_given(BIAS_OF_QUERY))
        value += load(TYPE, p.bias, offset_of(BIAS_OF_QUERY, 0u, head, 0u, column));
    return value;
}

int mask_at(uint offset)
{
    return int(load_word(INT32, p.mask, offset));
}

// Tells whether the mask filters a key. Masks say nothing of the past.
bool is_filtered(uint row)
{
    if (!is_given(MASK) || row < p.past)
        return false;
    uint key = row - p.past;
    if (p.mask_type == BOOLEAN)
        return mask_at(offset_of(MASK, member, head, query_row, key)) == 0;
    uint ends = offset_of(MASK, member, 0u, 0u, 0u);
    return int(key) >= mask_at(ends) || (p.mask_type == ENDS_AND_STARTS && int(key) < mask_at(ends + p.mask_starts));
}

float score_of(uint row)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < p.head_size; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            uint column = begin + k;
            if (column < p.head_size) {
                precise float product = query_element(column) *
                                        row_element(true, member, head / p.shared_by, row, column);
                sum += product;
            }
        }
    }
    precise float score = p.scale * sum;
    if (is_given(RELATIVE))
        score += load(TYPE, p.relative, offset_of(RELATIVE, member, head, query_row, row));
    if (is_filtered(row))
        score += p.filter_value;
    return score;
}

float kept_at(uint kept, uint row)
{
    return uintBitsToFloat(load_word(FLOAT32, p.scratch, kept + row));
}

void keep(uint kept, uint row, float value)
{
    store_word(FLOAT32, p.scratch, kept + row, floatBitsToUint(value));
}

float greatest_kept(uint kept)
{
    float top = -INFINITE;
    for (uint begin = 0u; begin < p.rows; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            uint row = begin + k;
            if (row < p.rows)
                top = kept_at(kept, row) > top ? kept_at(kept, row) : top;
        }
    }
    return top;
}

float sum_kept(uint kept)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < p.rows; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            if (begin + k < p.rows)
                sum += kept_at(kept, begin + k);
        }
    }
    return sum;
}

// Returns the sum of a column of the values, times their weights.
float sum_values(uint kept, uint column)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < p.rows; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            uint row = begin + k;
            if (row < p.rows) {
                precise float product = kept_at(kept, row) *
                                        row_element(false, member, head / p.shared_by, row, column);
                sum += product;
            }
        }
    }
    return sum;
}

void attend(uint group)
{
    uint first = gl_LocalInvocationID.x, kept = group * p.rows;
    query_row = group % p.queries;
    head = group / p.queries % p.heads;
    member = group / p.queries / p.heads;
    for (uint row = first; row < p.rows; row += gl_WorkGroupSize.x)
        keep(kept, row, score_of(row));
    wait();
    float top = greatest_kept(kept);
    wait();
    for (uint row = first; row < p.rows; row += gl_WorkGroupSize.x) {
        precise float distance = kept_at(kept, row) - top;
        keep(kept, row, exp_of(distance));
    }
    wait();
    float total = sum_kept(kept);
    for (uint column = first; column < p.value_size; column += gl_WorkGroupSize.x)
        store(TYPE, p.target, offset_of(OUTPUT, member, head, query_row, column),
              quotient(sum_values(kept, column), total));
}

void write_present(uint element)
{
    bool is_key = p.mode == WRITES_KEYS;
    uint width = is_key ? p.head_size : p.value_size;
    uint column = element % width, row = element / width % p.rows, n = element / width / p.rows % p.key_heads;
    uint b = element / width / p.rows / p.key_heads;
    store(TYPE, p.target, offset_of(OUTPUT, b, n, row, column), row_element(is_key, b, n, row, column));
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (p.mode == ATTENDS && group < p.count)
        attend(group);
    uint element = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
    if (p.mode != ATTENDS && element < p.count)
        write_present(element);
}
