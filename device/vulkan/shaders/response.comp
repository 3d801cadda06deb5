// Pictures {N, C, H, W} of FLOAT32 or FLOAT16. MODE says which result an invocation computes for one element after the
// other:
//   NORMALISE  LOCAL_RESPONSE_NORMALIZATION: x / S^Beta
//   BASES      S of each element, in FLOAT32, for the next
//   DERIVE     LOCAL_RESPONSE_NORMALIZATION_GRAD, from S
//   SCALE      VALUE_SCALE_2D
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint MODE = 0u;
layout(constant_id = 2) const int TYPE = 1; // DML_TENSOR_DATA_TYPE

const uint NORMALISE = 0u, BASES = 1u, DERIVE = 2u, SCALE = 3u;
const uint RANK = 4u, SOURCE = 0u, GRADIENT = 1u, TARGET = 2u, NUMBER = 3u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS gradient;
    ADDRESS bases; // by number of the element
    ADDRESS target;
    uint count;      // elements
    uint group_size; // elements for each workgroup
    uint before[4];  // elements of a window beside the one in the middle, by dimension, outermost first
    uint after[4];
    float alpha; // divided by LocalSize; in VALUE_SCALE_2D: Scale
    float beta;
    float bias;
    float factor;              // 2 * Alpha * Beta / LocalSize
    float channel_bias[3];
    uint crosses; // windows extend along channels
    dimension dimensions[4]; // outermost first; strides of source, gradient, target, and of numbers
};

layout(push_constant) uniform push
{
    parameters p;
};

// A window: lines of elements, along channels or along rows and columns. Loops are in pieces, since lavapipe ends one
// after 65,535 rounds.
const uint PIECE = 32768u;
uint line_count, line_length, line_step[4], element_step[4], window_at[4];

// Opens the window around a place, or its mirror image, as far as the picture goes. `at`: offsets of the place.
void open_window(uint place[RANK], uint at[4], bool mirrored)
{
    uint first[RANK], count[RANK];
    [[unroll]] for (uint d = 1u; d < RANK; d++) {
        uint low = mirrored ? p.after[d] : p.before[d], high = mirrored ? p.before[d] : p.after[d];
        first[d] = min(place[d], low);
        count[d] = first[d] + min(p.dimensions[d].size - 1u - place[d], high) + 1u;
    }
    line_count = p.crosses != 0u ? 1u : count[2];
    line_length = p.crosses != 0u ? count[1] : count[3];
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        line_step[k] = p.dimensions[2].stride[k];
        element_step[k] = p.crosses != 0u ? p.dimensions[1].stride[k] : p.dimensions[3].stride[k];
        window_at[k] = at[k];
        [[unroll]] for (uint d = 1u; d < RANK; d++)
            window_at[k] -= first[d] * p.dimensions[d].stride[k];
    }
}

// Returns the sum over a line, of the squares, or of the gradient's terms. `from`: its first element.
float sum_of_line(uint from[4], bool squares)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < line_length; begin += PIECE) {
        uint end = begin + min(line_length - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            float x = load(TYPE, p.source, from[SOURCE] + i * element_step[SOURCE]);
            precise float term = x * x;
            if (!squares) {
                float d = load(TYPE, p.gradient, from[GRADIENT] + i * element_step[GRADIENT]);
                float base = load(FLOAT32, p.bases, from[NUMBER] + i * element_step[NUMBER]);
                precise float product = d * x;
                term = quotient(product, power(base, p.beta + 1.0));
            }
            sum += term;
        }
    }
    return sum;
}

float sum_of_window(bool squares)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < line_count; begin += PIECE) {
        uint end = begin + min(line_count - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            uint from[4];
            [[unroll]] for (uint k = 0u; k < 4u; k++)
                from[k] = window_at[k] + i * line_step[k];
            sum += sum_of_line(from, squares);
        }
    }
    return sum;
}

float base_of(uint place[RANK], uint at[4])
{
    open_window(place, at, false);
    precise float share = p.alpha * sum_of_window(true), result = p.bias + share;
    return result;
}

float derivative(uint place[RANK], uint at[4])
{
    open_window(place, at, true);
    float d = load(TYPE, p.gradient, at[GRADIENT]), x = load(TYPE, p.source, at[SOURCE]);
    precise float own = quotient(d, power(load(FLOAT32, p.bases, at[NUMBER]), p.beta));
    precise float others = p.factor * x * sum_of_window(false), result = own - others;
    return result;
}

void make(uint index)
{
    uint rest = index, place[RANK];
    uint at[4] = uint[](0u, 0u, 0u, 0u);
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.dimensions[d]);
        place[d] = rest - next * p.dimensions[d].size;
        rest = next;
        [[unroll]] for (uint k = 0u; k < 4u; k++)
            at[k] += place[d] * p.dimensions[d].stride[k];
    }
    float result;
    if (MODE == DERIVE) {
        result = derivative(place, at);
    } else if (MODE == SCALE) {
        precise float product = p.alpha * load(TYPE, p.source, at[SOURCE]), sum = product + p.channel_bias[place[1]];
        result = sum;
    } else {
        result = base_of(place, at);
    }
    if (MODE == NORMALISE)
        result = quotient(load(TYPE, p.source, at[SOURCE]), power(result, p.beta));
    if (MODE == BASES)
        store(FLOAT32, p.bases, index, result);
    else
        store(TYPE, p.target, at[TARGET], result);
}

void main()
{
    uint count = p.count, group_size = p.group_size;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size, end = min(group_size, count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        make(begin + i);
}
