// Picks elements by numbers. MODE says which tensor is walked and which element each coordinate gets:
//   DIAGONAL   the output: the value in a band of diagonals, elsewhere the source or 0
//   REVERSE    the output: the source, reversed along the axis up to the length in `indices`
//   ONE_HOT    the output: one of two elements of the source, by the index in `indices`
//   UNPOOL     the source: each element goes to the element of the output whose number is in `indices`
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "element.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint MODE = 0;
layout(constant_id = 2) const bool INDEX64 = false; // indices are 64 bits wide

const uint DIAGONAL = 0u, REVERSE = 1u, ONE_HOT = 2u, UNPOOL = 3u, RANK = 8u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(word) indices;
    POINTER(element) target;
    uint count;      // elements to walk
    uint group_size; // elements for each workgroup
    uint sign;       // the sign bit of a signed index, otherwise 0
    uint size;       // size of the axis; for UNPOOL the elements of the output
    uint step;       // step of the source along the axis; for ONE_HOT from the first value to the second
    uint given;      // nonzero if there is a source
    int begin;       // first and last diagonal of the band
    int end;
    uvec2 value;             // bits of the elements in the band
    dimension dimensions[8]; // innermost first; strides of source, indices, target, and 1 along the axis. DIAGONAL: the
                             // second counts rows, the last columns
    dimension places[8];     // UNPOOL: innermost first; strides of the target
};

layout(push_constant) uniform push
{
    parameters p;
};

// Returns the low and high half of an index in memory.
uvec2 load_index(uint at)
{
    return INDEX64 ? uvec2(WORD_AT(p.indices, 2u * at), WORD_AT(p.indices, 2u * at + 1u))
                   : uvec2(WORD_AT(p.indices, at), 0u);
}

// Tells whether column - row is at least `least`, without a difference that wraps.
bool is_from(uint row, uint column, int least)
{
    if (least >= 0)
        return column >= row && column - row >= uint(least);
    return column >= row || row - column <= 0u - uint(least);
}

bool in_band(uint row, uint column)
{
    bool after = is_from(row, column, p.begin), before = !is_from(row, column, p.end);
    return p.begin <= p.end ? after && before : after || before;
}

// Returns the position that an index names; p.size if it is out of range.
uint position(uvec2 index)
{
    uint back = 0u - index.x;
    if (((INDEX64 ? index.y : index.x) & p.sign) != 0u)
        return (INDEX64 && index.y != 0xffffffffu) || back == 0u || back > p.size ? p.size : p.size - back;
    return index.y == 0u ? min(index.x, p.size) : p.size;
}

element bits_of_value()
{
#if WIDTH == 64 && INT64
    return pack64(p.value);
#elif WIDTH == 64
    return p.value;
#else
    return p.value.x;
#endif
}

void place(uint source, uint indices, uint target, uint along)
{
    if (MODE == DIAGONAL) {
        element value = element(0);
        if (in_band(indices, along))
            value = bits_of_value();
        else if (p.given != 0u)
            value = element(ELEMENT_AT(p.source, source));
        ELEMENT_AT(p.target, target) = STORED(value);
    } else if (MODE == REVERSE) {
        uvec2 index = load_index(indices);
        uint size = index.y == 0u ? min(index.x, p.size) : p.size;
        uint from = along < size ? size - 1u - along : along;
        ELEMENT_AT(p.target, target) = ELEMENT_AT(p.source, source + from * p.step);
    } else if (MODE == ONE_HOT) {
        uint from = position(load_index(indices)) == along ? p.step : 0u;
        ELEMENT_AT(p.target, target) = ELEMENT_AT(p.source, from);
    } else {
        uvec2 index = load_index(indices);
        uint rest = index.x, to = 0u;
        if (index.y != 0u || rest >= p.size)
            return;
        for (uint d = 0; d < RANK; d++) {
            uint next = divide(rest, p.places[d]);
            to += (rest - next * p.places[d].size) * p.places[d].stride[0];
            rest = next;
        }
        ELEMENT_AT(p.target, to) = ELEMENT_AT(p.source, source);
    }
}

void main()
{
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    uint count = p.count, group_size = p.group_size;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size, end = min(group_size, count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        uint rest = begin + i;
        uint at[4] = uint[](0u, 0u, 0u, 0u);
        [[unroll]] for (uint d = 0; d < RANK; d++) {
            uint next = divide(rest, dimensions[d]);
            uint coordinate = rest - next * dimensions[d].size;
            rest = next;
            [[unroll]] for (uint k = 0; k < 4u; k++)
                at[k] += coordinate * dimensions[d].stride[k];
        }
        place(at[0], at[1], at[2], at[3]);
    }
}
