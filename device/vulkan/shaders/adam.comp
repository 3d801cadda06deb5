// ADAM_OPTIMIZER: an invocation updates one element after the other: its parameter and both of its moments.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int TYPE = 1;      // DML_TENSOR_DATA_TYPE
layout(constant_id = 2) const int TYPE_STEP = 3; // of the training step

#include "reals.glsl"

const uint PARAMETER = 0u, FIRST = 1u, SECOND = 2u, GRADIENT = 3u, OUTPUTS = 4u; // the outputs are in the same order

// A dimension with the strides of the inputs, then of the outputs.
struct wide_dimension {
    dimension first;
    uint more[4];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS operands[7];
    ADDRESS training_step;
    uint count;      // elements
    uint group_size; // elements for each workgroup
    float learning_rate, beta1, beta2, epsilon;
    wide_dimension dimensions[8]; // innermost first
};

layout(push_constant) uniform push
{
    parameters p;
};

void make(uint index, float rate)
{
    uint rest = index;
    uint at[8] = uint[](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
    [[unroll]] for (uint d = 0u; d < 8u; d++) {
        uint next = divide(rest, p.dimensions[d].first), place = rest - next * p.dimensions[d].first.size;
        rest = next;
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            at[k] += place * p.dimensions[d].first.stride[k];
            at[k + 4u] += place * p.dimensions[d].more[k];
        }
    }
    float x = load(TYPE, p.operands[PARAMETER], at[PARAMETER]);
    float gradient = load(TYPE, p.operands[GRADIENT], at[GRADIENT]);
    precise float kept = p.beta1 * load(TYPE, p.operands[FIRST], at[FIRST]);
    precise float moment = kept + (1.0 - p.beta1) * gradient;
    precise float kept_square = p.beta2 * load(TYPE, p.operands[SECOND], at[SECOND]);
    precise float square = kept_square + (1.0 - p.beta2) * gradient * gradient;
    precise float divisor = sqrt(square) + p.epsilon;
    precise float change = quotient(rate * moment, divisor), result = x - change;
    store(TYPE, p.operands[OUTPUTS + PARAMETER], at[OUTPUTS + PARAMETER], result);
    store(TYPE, p.operands[OUTPUTS + FIRST], at[OUTPUTS + FIRST], moment);
    store(TYPE, p.operands[OUTPUTS + SECOND], at[OUTPUTS + SECOND], square);
}

// Returns a beta to the power of the step. Betas are from 0 to below 1.
float decayed(float beta, float number_of_steps)
{
    return beta > 0.0 ? positive_power(beta, number_of_steps) : 0.0;
}

void main()
{
    uint count = p.count, group_size = p.group_size;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    float steps = load(TYPE_STEP, p.training_step, 0u);
    precise float first = 1.0 - decayed(p.beta1, steps), second = 1.0 - decayed(p.beta2, steps);
    float rate = quotient(p.learning_rate * sqrt(second), first);
    uint begin = group * group_size, end = min(group_size, count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        make(begin + i, rate);
}
