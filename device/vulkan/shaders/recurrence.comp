// Recurrent networks: a workgroup takes a sequence, a batch element in one direction, step by step. An invocation
// computes one element of the state after the other; all of them wait for the whole state between steps.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int TYPE = 1;  // DML_TENSOR_DATA_TYPE
layout(constant_id = 2) const int GATES = 1; // of the network

int ACTIVATION = 0; // the activation to compute: not a constant, as the direction chooses it

#include "reals.glsl"
#define IS_HALF (TYPE == FLOAT16)
#include "activated.glsl"

// The inputs, by enum recurrence_role; the outputs, by enum recurrence_result.
const uint INPUT = 0u, WEIGHT = 1u, WEIGHT_OF_STATE = 2u, BIAS = 3u, HIDDEN = 4u, LENGTHS = 5u;
const uint INITIAL_CELL = 6u, PEEPHOLE = 7u, INPUTS = 8u;
const uint SEQUENCE = 0u, SINGLE = 1u, CELL_SINGLE = 2u, OUTPUTS = 3u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS inputs[INPUTS];
    ADDRESS outputs[OUTPUTS];
    ADDRESS scratch;
    uint count; // sequences
    uint batch;
    uint time;
    uint input_size;
    uint hidden;
    uint activations;    // of a direction
    uint first_backward; // the first direction reads the sequence from its end
    uint begin;          // the steps of this launch
    uint past;
    uint given;          // a bit for each input, then for each output
    uint kept;           // elements of the scratch memory for a sequence
    uint linear;         // GRU: r multiplies the product with the state
    uint clips;          // LSTM: UseClipThreshold, CoupleInputForget, ClipThreshold
    uint couples;
    float threshold;
    uint strides[(INPUTS + OUTPUTS) * 4u];
    uint kinds[6]; // the activations, and their attributes
    float attributes[12];
};

layout(push_constant) uniform push
{
    parameters p;
};

// Terms in a round of a loop, since lavapipe ends the loops of an invocation after 65,535 rounds in all.
const uint TERMS = 8u;

// Networks by their gates; parts of the scratch memory, after the states.
const int GATES_OF_GRU = 3, GATES_OF_LSTM = 4;
const uint UPDATE = 2u, RESET = 3u;
const uint CELL = 2u;
const uint NO_PEEPHOLE = ~0u;

uint direction, member, kept; // member: the batch element; kept: the first element of the scratch memory

void wait()
{
    memoryBarrier();
    barrier();
}

bool is_given(uint tensor)
{
    return (p.given >> tensor & 1u) != 0u;
}

uint offset_of(uint tensor, uint i, uint j, uint k, uint l)
{
    uint at = tensor * 4u;
    return i * p.strides[at] + j * p.strides[at + 1u] + k * p.strides[at + 2u] + l * p.strides[at + 3u];
}

float input_at(uint tensor, uint i, uint j, uint k, uint l)
{
    return is_given(tensor) ? load(TYPE, p.inputs[tensor], offset_of(tensor, i, j, k, l)) : 0.0;
}

// Returns element h of a part of the scratch memory.
float kept_at(uint part, uint h)
{
    return uintBitsToFloat(load_word(FLOAT32, p.scratch, kept + part * p.hidden + h));
}

void keep(uint part, uint h, float value)
{
    store_word(FLOAT32, p.scratch, kept + part * p.hidden + h, floatBitsToUint(value));
}

// Returns what the input, and what a part of the scratch memory, add to a row of the gates.
float sum_of_input(uint row, uint time)
{
    precise float sum = input_at(BIAS, 0u, 0u, direction, row);
    uint from = offset_of(WEIGHT, 0u, direction, row, 0u), x = offset_of(INPUT, 0u, time, member, 0u);
    for (uint begin = 0u; begin < p.input_size; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            uint i = begin + k;
            if (i < p.input_size) {
                precise float product = load(TYPE, p.inputs[WEIGHT], from + i * p.strides[WEIGHT * 4u + 3u]) *
                                        load(TYPE, p.inputs[INPUT], x + i * p.strides[INPUT * 4u + 3u]);
                sum += product;
            }
        }
    }
    return sum;
}

float sum_of_state(uint row, uint part)
{
    precise float sum = input_at(BIAS, 0u, 0u, direction, uint(GATES) * p.hidden + row);
    uint from = offset_of(WEIGHT_OF_STATE, 0u, direction, row, 0u);
    for (uint begin = 0u; begin < p.hidden; begin += TERMS) {
        [[unroll]] for (uint k = 0u; k < TERMS; k++) {
            uint j = begin + k;
            if (j < p.hidden) {
                float weight = load(TYPE, p.inputs[WEIGHT_OF_STATE], from + j * p.strides[WEIGHT_OF_STATE * 4u + 3u]);
                precise float product = weight * kept_at(part, j);
                sum += product;
            }
        }
    }
    return sum;
}

// Returns activation `slot` of the direction.
float activate(uint slot, float x)
{
    uint at = direction * p.activations + slot;
    ACTIVATION = int(p.kinds[at]);
    return activated(x, p.attributes[2u * at], p.attributes[2u * at + 1u]);
}

void store_state(uint result, uint time, uint h, float value)
{
    if (is_given(INPUTS + result))
        store(TYPE, p.outputs[result], offset_of(INPUTS + result, time, direction, member, h), value);
}

float sum_of_gate(uint row, uint state, uint time)
{
    precise float sum = sum_of_input(row, time) + sum_of_state(row, state);
    return sum;
}

// GRU: keeps z, and r or, if it counts before the product with the state, r times the state.
void reset_and_update(uint state, uint time)
{
    for (uint h = gl_LocalInvocationID.x; h < p.hidden; h += gl_WorkGroupSize.x) {
        keep(UPDATE, h, activate(0u, sum_of_gate(h, state, time)));
        float reset = activate(0u, sum_of_gate(p.hidden + h, state, time));
        precise float product = reset * kept_at(state, h);
        keep(RESET, h, p.linear != 0u ? reset : product);
    }
}

// Returns the state of GRU after the step.
float gated(uint h, uint state, uint time)
{
    uint row = 2u * p.hidden + h;
    precise float by_state = sum_of_state(row, p.linear != 0u ? state : RESET);
    if (p.linear != 0u)
        by_state *= kept_at(RESET, h);
    precise float sum = sum_of_input(row, time) + by_state;
    float candidate = activate(1u, sum), update = kept_at(UPDATE, h);
    precise float value = (1.0 - update) * candidate + update * kept_at(state, h);
    return value;
}

// Returns what an activation of LSTM takes: a sum, and a row of peepholes times a cell, clipped.
float sum_with_peephole(uint gate, uint peephole, uint h, uint state, uint time, float cell)
{
    precise float sum = sum_of_gate(gate * p.hidden + h, state, time);
    if (peephole != NO_PEEPHOLE && is_given(PEEPHOLE)) {
        precise float seen = input_at(PEEPHOLE, 0u, 0u, direction, peephole * p.hidden + h) * cell;
        sum += seen;
    }
    return p.clips == 0u || is_nan(sum) ? sum : min(max(sum, -p.threshold), p.threshold);
}

// Returns the state of LSTM after the step, and keeps the cell. The loop computes i, f, c, o and h of the cell, so that
// the code has the activations once.
float with_cell(uint h, uint state, uint time)
{
    const uint gates[4] = uint[](0u, 2u, 3u, 1u), peepholes[4] = uint[](0u, 2u, NO_PEEPHOLE, 1u);
    const uint slots[5] = uint[](0u, 0u, 1u, 0u, 2u);
    precise float cell = kept_at(CELL, h), ingoing = 0.0, remaining = 0.0, outgoing = 0.0, value = 0.0;
    for (uint n = 0u; n < 5u; n++) {
        value = n < 4u ? sum_with_peephole(gates[n], peepholes[n], h, state, time, cell) : cell;
        value = activate(slots[n], value);
        if (n == 0u) {
            ingoing = value;
        } else if (n == 1u) {
            remaining = p.couples != 0u ? 1.0 - ingoing : value;
        } else if (n == 2u) {
            cell = remaining * cell + ingoing * value;
        } else if (n == 3u) {
            outgoing = value;
        }
    }
    keep(CELL, h, cell);
    value *= outgoing;
    return value;
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, first = gl_LocalInvocationID.x;
    if (group >= p.count)
        return;
    direction = group / p.batch;
    member = group - direction * p.batch;
    kept = group * p.kept;
    uint length = p.time;
    if (is_given(LENGTHS))
        length = min(length, load_word(UINT32, p.inputs[LENGTHS], offset_of(LENGTHS, 0u, 0u, 0u, member)));
    bool backward = p.first_backward != 0u || direction == 1u;
    for (uint h = first; p.begin == 0u && h < p.hidden; h += gl_WorkGroupSize.x) {
        keep(0u, h, input_at(HIDDEN, 0u, direction, member, h));
        if (GATES == GATES_OF_LSTM)
            keep(CELL, h, input_at(INITIAL_CELL, 0u, direction, member, h));
    }
    wait();
    // The parts of the scratch memory change places with each step.
    uint state = p.begin & 1u;
    for (uint s = p.begin; s < min(p.past, length); s++) {
        uint time = backward ? length - 1u - s : s;
        if (GATES == GATES_OF_GRU) {
            reset_and_update(state, time);
            wait();
        }
        for (uint h = first; h < p.hidden; h += gl_WorkGroupSize.x) {
            float value;
            if (GATES == GATES_OF_GRU)
                value = gated(h, state, time);
            else if (GATES == GATES_OF_LSTM)
                value = with_cell(h, state, time);
            else
                value = activate(0u, sum_of_gate(h, state, time));
            keep(1u - state, h, value);
            store_state(SEQUENCE, time, h, value);
        }
        wait();
        state = 1u - state;
    }
    for (uint h = first; h < p.hidden; h += gl_WorkGroupSize.x) {
        for (uint time = max(p.begin, length); time < p.past; time++)
            store_state(SEQUENCE, time, h, 0.0);
        if (p.past < p.time)
            continue;
        state = length & 1u;
        store_state(SINGLE, 0u, h, kept_at(state, h));
        if (GATES == GATES_OF_LSTM)
            store_state(CELL_SINGLE, 0u, h, kept_at(CELL, h));
    }
}
