// One level of a scan over many numbers, in tiles of TILE numbers, one subgroup for each tile. With REDUCE: upper[tile]
// = sum of the tile. Otherwise each number becomes the sum of all numbers before it; `upper` has the sums of the tiles
// before each tile. The top level is a single tile, uses no `upper` and writes the total.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool REDUCE = false;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(word) numbers;
    POINTER(word) upper;
    POINTER(word) total;
    uint count;
};

layout(push_constant) uniform push
{
    parameters p;
};

const uint EACH = 16u; // adjacent numbers that an invocation adds up by itself

void main()
{
    uint count = p.count;
    uint tile_count = (count - 1u) / TILE + 1u;
    uvec4 all = subgroupBallot(true);
    uint step = subgroupBallotBitCount(all), first = subgroupBallotExclusiveBitCount(all);
    uint tile = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * gl_NumSubgroups + gl_SubgroupID;
    for (; tile < tile_count; tile += gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumSubgroups) {
        uint begin = tile * TILE;
        uint end = min(TILE, count - begin);
        uint sum = 0u;
        if (!REDUCE && tile_count > 1u)
            sum = WORD_AT(p.upper, tile);
        for (uint i = 0u; i < end; i += EACH * step) {
            uint at = i + EACH * first, numbers[EACH], own = 0u; // numbers in flight
            [[unroll]] for (uint k = 0u; k < EACH; k++)
                numbers[k] = WORD_AT(p.numbers, begin + min(at + k, end - 1u));
            [[unroll]] for (uint k = 0u; k < EACH; k++)
                own += at + k < end ? numbers[k] : 0u;
            uint before = sum + subgroupExclusiveAdd(own);
            [[unroll]] for (uint k = 0u; k < EACH; k++) {
                if (!REDUCE && at + k < end)
                    WORD_AT(p.numbers, begin + at + k) = before;
                before += numbers[k];
            }
            sum += subgroupAdd(own);
        }
        if (first == 0u && REDUCE)
            WORD_AT(p.upper, tile) = sum;
        if (first == 0u && !REDUCE && tile_count == 1u)
            WORD_AT(p.total, 0) = sum;
    }
}
