// UNFOLD and FOLD of 32-bit elements. A coordinate of the picture is, along each spatial dimension, element k of window
// q if coordinate + padding = q * stride + k * gap. An invocation makes one element at a time: for UNFOLD a copy from
// the coordinates that its row and column stand for, or 0; for FOLD the sum of all elements that stand for its
// coordinates.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool FOLDS = false;
layout(constant_id = 2) const bool FAR = false; // the padded picture has coordinates from 2^31 on

const uint RANK = 6u;

// One spatial dimension. `outer` and `inner` are k and q; in FOLD, `outer` is the one with fewer.
struct spatial {
    dimension size;    // size of the picture; stride 0: of the picture in memory
    dimension outer;   // number; stride 0: step of the coordinate, 1: of the columns in memory
    dimension inner;
    dimension divisor; // the inner one's stride 0
    uint padding;
};

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(word) source;
    POINTER(word) target;
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    uint rank;       // spatial dimensions
    uint unused;
    dimension batch, channel; // strides: of the picture, of the columns
    spatial spatials[RANK];
};

layout(push_constant) uniform push
{
    parameters p;
};

// Tells whether the sum of both is a coordinate of the picture, and sets it.
bool find_place(uint d, uint outer, uint inner, out uint place)
{
#if INT64
    if (FAR) {
        uint64_t sum = uint64_t(outer) * p.spatials[d].outer.stride[0];
        sum += uint64_t(inner) * p.spatials[d].inner.stride[0];
        place = uint(sum - p.spatials[d].padding);
        return sum >= p.spatials[d].padding && sum - p.spatials[d].padding < p.spatials[d].size.size;
    }
#endif
    place = outer * p.spatials[d].outer.stride[0] + inner * p.spatials[d].inner.stride[0] - p.spatials[d].padding;
    return place < p.spatials[d].size.size;
}

// Tells whether the inner number exists that makes up the rest, and sets it. `past`: larger outer numbers have none
// either.
bool find_inner(uint d, uint place, uint outer, out uint inner, out bool past)
{
    inner = 0u;
#if INT64
    if (FAR) {
        uint64_t sum = uint64_t(place) + p.spatials[d].padding, taken = uint64_t(outer) * p.spatials[d].outer.stride[0];
        past = taken > sum;
        uint64_t quotient = (sum - taken) / p.spatials[d].divisor.size;
        inner = uint(quotient);
        return !past && quotient * p.spatials[d].divisor.size == sum - taken && quotient < p.spatials[d].inner.size;
    }
#endif
    uint sum = place + p.spatials[d].padding, taken = outer * p.spatials[d].outer.stride[0];
    past = taken > sum;
    if (past)
        return false;
    inner = divide(sum - taken, p.spatials[d].divisor);
    return inner * p.spatials[d].divisor.size == sum - taken && inner < p.spatials[d].inner.size;
}

// Splits the number of an element into its coordinate in a dimension and the rest.
uint split(inout uint rest, dimension d)
{
    uint next = divide(rest, d), coordinate = rest - next * d.size;
    rest = next;
    return coordinate;
}

void unfold(uint rest)
{
    uint inner[RANK], source = 0u, target = 0u;
    bool inside = true;
    for (uint d = p.rank; d-- > 0u;)
        inner[d] = split(rest, p.spatials[d].inner);
    for (uint d = p.rank; d-- > 0u;) {
        uint outer = split(rest, p.spatials[d].outer), place;
        inside = find_place(d, outer, inner[d], place) && inside;
        source += place * p.spatials[d].size.stride[0];
        target += outer * p.spatials[d].outer.stride[1] + inner[d] * p.spatials[d].inner.stride[1];
    }
    uint channel = split(rest, p.channel);
    source += rest * p.batch.stride[0] + channel * p.channel.stride[0];
    target += rest * p.batch.stride[1] + channel * p.channel.stride[1];
    uint value = 0u;
    if (inside)
        value = WORD_AT(p.source, source);
    WORD_AT(p.target, target) = value;
}

// Returns the sum of the elements that stand for a place: loops over the outer numbers, one within the other. `start`:
// offset of the columns.
float add_up(uint place[RANK], uint start)
{
    uint outer[RANK], at[RANK + 1u];
    float sum = 0.0;
    uint d = 0u;
    outer[0] = 0u;
    at[0] = start;
    for (;;) {
        uint inner;
        bool past = outer[d] >= p.spatials[d].outer.size, found = false;
        if (!past)
            found = find_inner(d, place[d], outer[d], inner, past);
        if (past) {
            if (d == 0u)
                return sum;
            outer[--d]++;
            continue;
        }
        if (!found) {
            outer[d]++;
            continue;
        }
        at[d + 1u] = at[d] + outer[d] * p.spatials[d].outer.stride[1] + inner * p.spatials[d].inner.stride[1];
        if (d + 1u == p.rank) {
            sum += uintBitsToFloat(WORD_AT(p.source, at[d + 1u]));
            outer[d]++;
        } else {
            outer[++d] = 0u;
        }
    }
}

void fold(uint rest)
{
    uint place[RANK], target = 0u;
    for (uint d = p.rank; d-- > 0u;) {
        place[d] = split(rest, p.spatials[d].size);
        target += place[d] * p.spatials[d].size.stride[0];
    }
    uint channel = split(rest, p.channel);
    target += rest * p.batch.stride[0] + channel * p.channel.stride[0];
    float sum = add_up(place, rest * p.batch.stride[1] + channel * p.channel.stride[1]);
    WORD_AT(p.target, target) = floatBitsToUint(sum);
}

void main()
{
    uint count = p.count, group_size = p.group_size;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size, end = min(group_size, count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        if (FOLDS)
            fold(begin + i);
        else
            unfold(begin + i);
    }
}
