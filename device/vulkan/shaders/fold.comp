// Copies each element of a target from a coordinate of the source that may be outside: then the coordinate is folded
// into the source, dimension by dimension, or the element is a value.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "element.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint MODE = 0; // a DML_PADDING_MODE

const uint CONSTANT = 0u, EDGE = 1u, REFLECTION = 2u, SYMMETRIC = 3u; // any other mode wraps

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(element) target;
    uint count;      // elements of the target
    uint group_size; // elements for each workgroup
    uvec2 value;
    dimension dimensions[8]; // innermost first; stride of the source, elements before it, stride of the target, extent
};

layout(push_constant) uniform push
{
    parameters p;
};

#if WIDTH == 64 && INT64
#define FROM_HALVES(halves) pack64(halves)
#elif WIDTH == 64
#define FROM_HALVES(halves) (halves)
#else
#define FROM_HALVES(halves) (halves).x
#endif

// Goes back and forth along `length` steps; returns the position after `way` steps.
uint back_and_forth(uint way, uint length, uint turn)
{
    uint rest = way % length;
    return (way / length & 1u) == 0u ? rest : length - turn - rest;
}

// Sets the source's coordinate for coordinate `c` of the target; returns false if there is none.
bool fold(uint c, uint before, uint extent, out uint place)
{
    bool low = c < before, inside = !low && c - before < extent;
    uint away = low ? before - c : c - before; // distance from the first element, either way
    place = away;
    if (inside || MODE == CONSTANT)
        return inside;
    if (MODE == EDGE)
        place = low ? 0u : extent - 1u;
    else if (MODE == REFLECTION)
        place = extent == 1u ? 0u : back_and_forth(away, extent - 1u, 0u);
    else if (MODE == SYMMETRIC)
        place = back_and_forth(low ? away - 1u : away, extent, 1u);
    else
        place = low ? extent - 1u - (away - 1u) % extent : away % extent;
    return true;
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (p.count - 1u) / p.group_size)
        return;
    uint begin = group * p.group_size;
    uint end = min(p.group_size, p.count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        uint rest = begin + i, from = 0u, to = 0u;
        bool given = true;
        for (uint d = 0; d < 8u; d++) {
            dimension one = p.dimensions[d];
            uint next = divide(rest, one), coordinate = rest - next * one.size, place;
            rest = next;
            given = fold(coordinate, one.stride[1], one.stride[3], place) && given;
            from += place * one.stride[0];
            to += coordinate * one.stride[2];
        }
        element value = element(FROM_HALVES(p.value));
        if (given)
            value = element(ELEMENT_AT(p.source, from));
        ELEMENT_AT(p.target, to) = STORED(value);
    }
}
