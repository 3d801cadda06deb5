// Poolings: an invocation computes one element of the output after the other, from the elements of its window that are
// in the input. MODE says how:
//   MAXIMUM    by keys that are in the order of elements; also the row-major number of the first one
//   AVERAGE    the sum divided by their number, or by the number of all elements of the window
//   NORM       the root of the sum of powers
//   QUANTISED  the average of integers with scales and zero points of channels
// A gradient is computed an element of the output at a time, too, from the windows that have the element:
//   SHARES     the sum of the windows' gradients, each divided as an average is
//   PASSED     the sum of the gradients of those windows whose greatest element it is: MAXIMUM has written the numbers
//              of these elements, and nothing else
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint MODE = 0u;
layout(constant_id = 2) const int TYPE = 1;    // DML_TENSOR_DATA_TYPE of the input
layout(constant_id = 3) const int NUMBERS = 0; // of the numbers; 0: none are written
layout(constant_id = 4) const int RESULT = 1;  // of the output; 0: none is written

const uint MAXIMUM = 0u, AVERAGE = 1u, NORM = 2u, QUANTISED = 3u, SHARES = 4u, PASSED = 5u;
const uint RANK = 5u, SPATIAL = 3u; // missing dimensions have one element
const uint SOURCE = 0u, TARGET = 1u, NUMBER = 2u;
const uint IN_SCALE = 0u, IN_ZERO = 1u, OUT_SCALE = 2u, OUT_ZERO = 3u; // of a channel

// The window along a spatial dimension.
struct spatial {
    uint size; // of the input, which has an element for each window if a gradient is computed
    uint window;
    uint stride;
    uint gap;
    uint padding;
};

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS target;
    ADDRESS numbers;
    ADDRESS channels[4];
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    uint plane;      // elements of a plane of the input
    uint power;
    uint includes_padding;
    uint given;    // a bit for each of `channels`
    uint steps[4]; // along the channels
    dimension dimensions[RANK]; // of the output, outermost first; strides of the source, the target and the numbers
    spatial spatials[SPATIAL];
};

layout(push_constant) uniform push
{
    parameters p;
};

// Coordinates, with those in the padding.
#if INT64
#define coordinate int64_t
#else
#define coordinate int
#endif

// Loops are in pieces, since lavapipe ends one after 65,535 rounds; plan_window.c limits those of an invocation.
const uint PIECE = 32768u;

// ---- the window of an element

coordinate origin[SPATIAL];                       // of element 0
uint first[SPATIAL], past[SPATIAL], at[SPATIAL]; // elements in the input; the one that is visited
uint plane_start, plane_number;

// Sets the window, and returns the number of its elements in the input.
uint open_window(uint place[RANK])
{
    uint count = 1u;
    plane_start = place[0] * p.dimensions[0].stride[SOURCE] + place[1] * p.dimensions[1].stride[SOURCE];
    plane_number = place[0] * p.dimensions[1].size + place[1];
    [[unroll]] for (uint i = 0u; i < SPATIAL; i++) {
        coordinate size = coordinate(p.spatials[i].size), gap = coordinate(p.spatials[i].gap);
        coordinate begin =
            coordinate(place[i + 2u]) * coordinate(p.spatials[i].stride) - coordinate(p.spatials[i].padding);
        coordinate before = begin < 0 ? (gap - 1 - begin) / gap : 0;
        coordinate end = size > begin ? (size - begin - 1) / gap + 1 : 0;
        end = min(end, coordinate(p.spatials[i].window));
        origin[i] = begin;
        first[i] = uint(min(before, end));
        past[i] = uint(end);
        at[i] = first[i];
        count *= past[i] - first[i];
    }
    return count;
}

// Returns the offset of the visited element, and its row-major number in the input.
uint visited(out uint row_major)
{
    uint offset = plane_start, inside = 0u;
    [[unroll]] for (uint i = 0u; i < SPATIAL; i++) {
        uint place = uint(origin[i] + coordinate(at[i]) * coordinate(p.spatials[i].gap));
        offset += place * p.dimensions[i + 2u].stride[SOURCE];
        inside = inside * p.spatials[i].size + place;
    }
    row_major = plane_number * p.plane + inside;
    return offset;
}

void visit_next()
{
    [[unroll]] for (uint i = SPATIAL; i-- > 0u;) {
        if (++at[i] < past[i])
            return;
        at[i] = first[i];
    }
}

// ---- the windows of an element

// Sets the windows that reach from before or at an element to after or at it. Returns their number.
uint open_windows(uint place[RANK])
{
    uint count = 1u;
    plane_start = place[0] * p.dimensions[0].stride[SOURCE] + place[1] * p.dimensions[1].stride[SOURCE];
    plane_number = place[0] * p.dimensions[0].stride[NUMBER] + place[1] * p.dimensions[1].stride[NUMBER];
    [[unroll]] for (uint i = 0u; i < SPATIAL; i++) {
        coordinate reach = coordinate(p.spatials[i].gap) * coordinate(p.spatials[i].window - 1u);
        coordinate stride = coordinate(p.spatials[i].stride);
        origin[i] = coordinate(place[i + 2u]) + coordinate(p.spatials[i].padding);
        coordinate before = origin[i] > reach ? (origin[i] - reach + stride - 1) / stride : 0;
        coordinate end = min(origin[i] / stride + 1, coordinate(p.spatials[i].size));
        past[i] = uint(end);
        first[i] = uint(min(before, end));
        at[i] = first[i];
        count *= past[i] - first[i];
    }
    return count;
}

// Returns the offset of the gradient of the visited window. `counted`: the number of its elements that are not in the
// padding, without gaps. `number_at`: the offset of the number of its greatest element.
uint visited_window(out float counted, out uint number_at)
{
    uint offset = plane_start;
    counted = 1.0;
    number_at = plane_number;
    [[unroll]] for (uint i = 0u; i < SPATIAL; i++) {
        coordinate begin =
            coordinate(at[i]) * coordinate(p.spatials[i].stride) - coordinate(p.spatials[i].padding);
        coordinate end = begin + coordinate(p.spatials[i].window);
        counted *= float(min(end, coordinate(p.dimensions[i + 2u].size)) - max(begin, coordinate(0)));
        offset += at[i] * p.dimensions[i + 2u].stride[SOURCE];
        number_at += at[i] * p.dimensions[i + 2u].stride[NUMBER];
    }
    return offset;
}

// ---- results

uvec2 load_bits(uint i)
{
    if (bits_of(TYPE) < 64)
        return uvec2(load_word(TYPE, p.source, i), 0u);
#if INT64
    return unpack32(AT(long, 8, p.source, i));
#else
    return AT(pair, 8, AS(pair, p.source), i);
#endif
}

void store_bits(int type, ADDRESS to, uint i, uvec2 bits)
{
    if (bits_of(type) < 64)
        store_word(type, to, i, bits.x);
    else
#if INT64
        AT(long, 8, to, i) = pack64(bits);
#else
        AT(pair, 8, AS(pair, to), i) = bits;
#endif
}

// Returns a key: keys are in the order of elements, the second word first. A positive NaN is the greatest.
uvec2 key_of(uvec2 bits)
{
    if (TYPE == FLOAT32 || TYPE == FLOAT16) {
        uint upper = TYPE == FLOAT16 ? bits.x << 16 : bits.x;
        return uvec2(0u, (upper >> 31) != 0u ? ~upper : upper | 0x80000000u);
    }
    uvec2 key = bits_of(TYPE) < 64 ? uvec2(0u, uint(sign_extended(TYPE, bits.x))) : bits;
    if (is_signed(TYPE))
        key.y ^= 0x80000000u;
    return key;
}

void maximum(uint count, uint target, uint to_number)
{
    uvec2 greatest = uvec2(0u), top = uvec2(0u);
    uint found = 0u;
    for (uint begin = 0u; begin < count; begin += PIECE) {
        uint end = begin + min(count - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            uint here;
            uvec2 bits = load_bits(visited(here)), key = key_of(bits);
            if (i == 0u || key.y > top.y || (key.y == top.y && key.x > top.x)) {
                greatest = bits;
                top = key;
                found = here;
            }
            visit_next();
        }
    }
    if (RESULT != 0)
        store_bits(TYPE, p.target, target, greatest);
    if (NUMBERS != 0)
        store_bits(NUMBERS, p.numbers, to_number, uvec2(found, 0u));
}

float term_of(float x)
{
    if (MODE == AVERAGE)
        return x;
    float size = size_of(x);
    return p.power == 1u ? size : power(size, float(p.power));
}

float sum_of_terms(uint count)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < count; begin += PIECE) {
        uint end = begin + min(count - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            uint unused;
            sum += term_of(load(TYPE, p.source, visited(unused)));
            visit_next();
        }
    }
    return sum;
}

float all_elements()
{
    return float(p.spatials[0].window * p.spatials[1].window * p.spatials[2].window);
}

// Returns the number of elements that an average divides by.
float divisor_of(uint count)
{
    return p.includes_padding != 0u ? all_elements() : float(count);
}

float result_of(uint count)
{
    float sum = sum_of_terms(count);
    if (MODE == NORM)
        return p.power == 1u ? sum : power(sum, quotient(1.0, float(p.power)));
    return quotient(sum, divisor_of(count));
}

int integer_at(int type, ADDRESS from, uint i)
{
    return sign_extended(type, load_word(type, from, i));
}

float scale_of(uint which, uint channel)
{
    return uintBitsToFloat(AT(word, 4, AS(word, p.channels[which]), channel * p.steps[which]));
}

float quantised(uint count, uint channel)
{
    int sum = 0, zero = 0, zero_of_result = 0;
    if ((p.given >> IN_ZERO & 1u) != 0u)
        zero = integer_at(TYPE, p.channels[IN_ZERO], channel * p.steps[IN_ZERO]);
    if ((p.given >> OUT_ZERO & 1u) != 0u)
        zero_of_result = integer_at(RESULT, p.channels[OUT_ZERO], channel * p.steps[OUT_ZERO]);
    for (uint begin = 0u; begin < count; begin += PIECE) {
        uint end = begin + min(count - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            uint unused;
            sum += integer_at(TYPE, p.source, visited(unused)) - zero;
            visit_next();
        }
    }
    precise float real = float(sum) * scale_of(IN_SCALE, channel);
    real = quotient(quotient(real, divisor_of(count)), scale_of(OUT_SCALE, channel));
    return roundEven(real) + float(zero_of_result);
}

// Returns the gradient of element `index`.
float sum_of_gradients(uint count, uint index)
{
    precise float sum = 0.0;
    for (uint begin = 0u; begin < count; begin += PIECE) {
        uint end = begin + min(count - begin, PIECE);
        for (uint i = begin; i < end; i++) {
            float counted;
            uint number_at;
            float gradient = load(TYPE, p.source, visited_window(counted, number_at));
            if (MODE == SHARES)
                sum += quotient(gradient, p.includes_padding != 0u ? all_elements() : counted);
            else if (AT(word, 4, AS(word, p.numbers), number_at) == index)
                sum += gradient;
            visit_next();
        }
    }
    return sum;
}

void make(uint index)
{
    uint rest = index, place[RANK], target = 0u, to_number = 0u;
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.dimensions[d]);
        place[d] = rest - next * p.dimensions[d].size;
        rest = next;
        target += place[d] * p.dimensions[d].stride[TARGET];
        to_number += place[d] * p.dimensions[d].stride[NUMBER];
    }
    if (MODE == SHARES || MODE == PASSED) {
        store(RESULT, p.target, target, sum_of_gradients(open_windows(place), index));
        return;
    }
    uint count = open_window(place);
    if (MODE == MAXIMUM)
        maximum(count, target, to_number);
    else if (MODE == QUANTISED)
        store(RESULT, p.target, target, quantised(count, place[1]));
    else
        store(RESULT, p.target, target, result_of(count));
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
