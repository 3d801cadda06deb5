// Sums of products: GEMM, products of integer matrices, convolutions, in the form of device/common/dot.h. An invocation
// computes one element of the output after the other.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int RESULT = 0;     // enum dot_result
layout(constant_id = 2) const int A_TYPE = 1;     // DML_TENSOR_DATA_TYPE
layout(constant_id = 3) const int B_TYPE = 1;
layout(constant_id = 4) const int TYPE = 1;       // of the output
layout(constant_id = 5) const int ACTIVATION = 0; // the fused activation, an operator; 0: none
layout(constant_id = 6) const uint PRESENT = 0u;  // a bit for each enum dot_role
layout(constant_id = 7) const int SCALE_TYPE = 1;
layout(constant_id = 8) const int C_TYPE = 1;
layout(constant_id = 9) const uint MORE = 0u; // the bits of PRESENT from 8 on

const int REAL = 0, WHOLE = 1, SCALED = 2, QUANTISED = 3;
const uint A = 0u, B = 1u, C = 2u, A_ZERO = 3u, B_ZERO = 4u, A_SCALE = 5u, B_SCALE = 6u, SCALE = 7u, ZERO = 8u;

#include "reals.glsl"
#define IS_HALF (TYPE == FLOAT16)
#include "activated.glsl"

const uint RANK = 5u, SPATIAL = 3u;
const uint OF_OUTPUT = 3u; // number of its stride

struct window {
    uint size;
    uint window;
    uint stride;
    uint gap;
    uint padding;
    uint a;
    uint b;
};

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS operands[9]; // by enum dot_role
    ADDRESS target;
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    uint channels;
    uint channel_a;
    uint channel_b;
    uint flipped;
    uint backward;
    uint unused;
    float alpha;
    float beta;
    float first; // attributes of the activation
    float second;
    uint axes[9];  // of scales and zero points: the dimension of the output
    uint steps[9]; // along it
    dimension dimensions[RANK]; // of the output, outermost first; strides of A, B, C and the output
    dimension group; // size: indices of dimension 1 in a group; strides: of the group in A and B, of the rest
    window windows[SPATIAL];
};

layout(push_constant) uniform push
{
    parameters p;
};

#if INT64
#define coordinate int64_t
#else
#define coordinate int
#endif

// Terms in a round of a loop, since lavapipe ends the loops of an invocation after 65,535 rounds in all.
const uint TERMS = 4u;

uint place[RANK];

bool has(uint role)
{
    return ((PRESENT | MORE << 8) >> role & 1u) != 0u;
}

uint parameter_at(uint role)
{
    return place[p.axes[role]] * p.steps[role];
}

// Returns the sum over the channels. An integer is exact modulo 2^32.
float sum_real(uint a, uint b, float a_zero, float b_zero)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < p.channels; begin += TERMS) {
        [[unroll]] for (uint i = 0u; i < TERMS; i++) {
            uint k = begin + i;
            if (k < p.channels) {
                precise float left = load(A_TYPE, p.operands[A], a + k * p.channel_a) - a_zero;
                precise float right = load(B_TYPE, p.operands[B], b + k * p.channel_b) - b_zero;
                precise float product = left * right;
                sum += product;
            }
        }
    }
    return sum;
}

int sum_whole(uint a, uint b, int a_zero, int b_zero)
{
    int sum = 0;
    for (uint begin = 0u; begin < p.channels; begin += TERMS) {
        [[unroll]] for (uint i = 0u; i < TERMS; i++) {
            uint k = begin + i;
            if (k < p.channels)
                sum += (sign_extended(A_TYPE, load_word(A_TYPE, p.operands[A], a + k * p.channel_a)) - a_zero) *
                       (sign_extended(B_TYPE, load_word(B_TYPE, p.operands[B], b + k * p.channel_b)) - b_zero);
        }
    }
    return sum;
}

// Tells whether element t of the window is over an element of A along a spatial dimension, and sets its coordinate.
bool find_element(uint i, uint t, out uint x)
{
    coordinate at = coordinate(place[i + 2u]), step = coordinate(p.windows[i].stride);
    coordinate padding = coordinate(p.windows[i].padding), reach = coordinate(t) * coordinate(p.windows[i].gap);
    coordinate from = p.backward != 0u ? at + padding - reach : at * step + reach - padding;
    x = 0u;
    if (from < 0 || (p.backward != 0u && from % step != 0))
        return false;
    from = p.backward != 0u ? from / step : from;
    x = uint(from);
    return from < coordinate(p.windows[i].size);
}

// Adds up over the window; the result is in one of both.
void sum_window(uint a, uint b, float a_zero, float b_zero, int a_whole, int b_whole, out float real, out int whole)
{
    precise float sum = 0.0;
    whole = 0;
    uint x[SPATIAL], t[SPATIAL];
    for (t[0] = 0u; t[0] < p.windows[0].window; t[0]++) {
        if (!find_element(0u, t[0], x[0]))
            continue;
        for (t[1] = 0u; t[1] < p.windows[1].window; t[1]++) {
            if (!find_element(1u, t[1], x[1]))
                continue;
            for (t[2] = 0u; t[2] < p.windows[2].window; t[2]++) {
                if (!find_element(2u, t[2], x[2]))
                    continue;
                uint from_a = a, from_b = b;
                [[unroll]] for (uint i = 0u; i < SPATIAL; i++) {
                    from_a += x[i] * p.windows[i].a;
                    from_b += (p.flipped != 0u ? p.windows[i].window - 1u - t[i] : t[i]) * p.windows[i].b;
                }
                if (RESULT == WHOLE || RESULT == QUANTISED)
                    whole += sum_whole(from_a, from_b, a_whole, b_whole);
                else
                    sum += sum_real(from_a, from_b, a_zero, b_zero);
            }
        }
    }
    real = sum;
}

float activate(float x)
{
    if (ACTIVATION == ELEMENT_WISE_CLIP)
        return is_nan(x) ? x : max_first(min_first(x, p.second), p.first);
    return activated(x, p.first, p.second);
}

float scale_of(uint role)
{
    return has(role) ? load(SCALE_TYPE, p.operands[role], parameter_at(role)) : 1.0;
}

void make(uint index)
{
    uint rest = index, a = 0u, b = 0u, c = 0u, target = 0u;
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.dimensions[d]);
        place[d] = rest - next * p.dimensions[d].size;
        rest = next;
        a += place[d] * p.dimensions[d].stride[0];
        b += place[d] * p.dimensions[d].stride[1];
        c += place[d] * p.dimensions[d].stride[2];
        target += place[d] * p.dimensions[d].stride[OF_OUTPUT];
    }
    uint group = divide(place[1], p.group), member = place[1] - group * p.group.size;
    a += group * p.group.stride[0] + member * p.group.stride[2];
    b += group * p.group.stride[1] + member * p.group.stride[3];
    float a_zero = 0.0, b_zero = 0.0, sum;
    int a_whole = 0, b_whole = 0, whole;
    if (has(A_ZERO)) {
        a_zero = load(A_TYPE, p.operands[A_ZERO], parameter_at(A_ZERO));
        a_whole = sign_extended(A_TYPE, load_word(A_TYPE, p.operands[A_ZERO], parameter_at(A_ZERO)));
    }
    if (has(B_ZERO)) {
        b_zero = load(B_TYPE, p.operands[B_ZERO], parameter_at(B_ZERO));
        b_whole = sign_extended(B_TYPE, load_word(B_TYPE, p.operands[B_ZERO], parameter_at(B_ZERO)));
    }
    sum_window(a, b, a_zero, b_zero, a_whole, b_whole, sum, whole);
    if (RESULT == QUANTISED && has(C))
        whole += int(load_word(C_TYPE, p.operands[C], c));
    if (RESULT == WHOLE) {
        store_word(TYPE, p.target, target, uint(whole));
        return;
    }
    precise float value;
    if (RESULT == REAL) {
        precise float scaled = p.alpha * sum, added = has(C) ? p.beta * load(C_TYPE, p.operands[C], c) : 0.0;
        value = has(C) ? scaled + added : scaled;
        value = activate(value);
    } else if (RESULT == SCALED) {
        precise float scales = scale_of(A_SCALE) * scale_of(B_SCALE), scaled = sum * scales;
        value = has(C) ? scaled + load(C_TYPE, p.operands[C], c) : scaled;
    } else {
        precise float scales = scale_of(A_SCALE) * scale_of(B_SCALE), scaled = float(whole) * scales;
        float zero = has(ZERO) ? load(TYPE, p.operands[ZERO], parameter_at(ZERO)) : 0.0;
        value = roundEven(quotient(scaled, scale_of(SCALE))) + zero;
    }
    store(TYPE, p.target, target, value);
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
