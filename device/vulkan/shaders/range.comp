// One level of a reduction to the least and the greatest of all numbers and 0, in tiles of TILE, one subgroup for each
// tile. The first level reads elements, the others the ranges that the level below wrote. The top level is a single
// tile and writes the scale and the zero point that quantise this range.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 8;      // dimensions to walk; those that the space lacks have size 1
layout(constant_id = 2) const int TYPE = 0;       // DML_TENSOR_DATA_TYPE of the elements; 0: ranges
layout(constant_id = 3) const int ZERO_TYPE = 1;  // type of the zero point

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source; // elements; or ranges, of two FLOAT32 each
    ADDRESS ranges; // ranges of the tiles
    ADDRESS scale;
    ADDRESS zero_point;
    uint count; // elements or ranges
    uint unused;
    dimension dimensions[8]; // innermost first; stride of the elements
};

layout(push_constant) uniform push
{
    parameters p;
};

#include "offset.glsl"

void quantise(float least, float greatest)
{
    float lowest = is_signed(ZERO_TYPE) ? -128.0 : 0.0;
    float scale = quotient(greatest - least, 255.0);
    store(FLOAT32, p.scale, 0u, scale);
    store(ZERO_TYPE, p.zero_point, 0u, round_by(HALVES_TO_NEAREST_EVEN, lowest - quotient(least, scale)));
}

void main()
{
    uint count = p.count, tile_count = (count - 1u) / TILE + 1u;
    uvec4 all = subgroupBallot(true);
    uint step = subgroupBallotBitCount(all), first = subgroupBallotExclusiveBitCount(all);
    uint tile = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_NumSubgroups + gl_SubgroupID;
    for (; tile < tile_count; tile += gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumSubgroups) {
        uint begin = tile * TILE;
        uint end = min(TILE, count - begin);
        float least = 0.0, greatest = 0.0;
        for (uint i = first; i < end; i += step) {
            uint at = begin + i;
            if (TYPE == 0) {
                least = min(least, load(FLOAT32, p.source, 2u * at));
                greatest = max(greatest, load(FLOAT32, p.source, 2u * at + 1u));
            } else {
                float value = load(TYPE, p.source, offset_of(at));
                least = min(least, value);
                greatest = max(greatest, value);
            }
        }
        least = subgroupMin(least);
        greatest = subgroupMax(greatest);
        if (first == 0u && tile_count == 1u)
            quantise(least, greatest);
        if (first == 0u && tile_count > 1u) {
            store(FLOAT32, p.ranges, 2u * tile, least);
            store(FLOAT32, p.ranges, 2u * tile + 1u, greatest);
        }
    }
}
