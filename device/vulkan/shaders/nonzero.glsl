// The parts that the two kernels of NONZERO_COORDINATES share. A subgroup works on a tile of TILE elements, an
// invocation on runs of RUN elements in it. No subgroup waits for another.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"
#include "element.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 8;        // dimensions to walk: the coordinates of a row
layout(constant_id = 2) const bool PACKED = false;  // an element's offset is its number
layout(constant_id = 3) const uint RUN = 16;        // at least 128 bits' worth, at most 32; a power of two
layout(constant_id = 4) const bool BY_LANES = false; // rows are written element by element, not run by run
layout(constant_id = 5) const bool DENSE = false; // with BY_LANES: 2 or 4 coordinates, and rows, lie side by side
layout(constant_id = 6) const bool ADDS = false; // each workgroup adds up the counts before its own: there is no scan

#if TEXELS
#include "texels.glsl"

ARRAY(quad, uvec4, 16);
uvec4 load_quad(POINTER(quad) p, uint i)
{
    return texel_of(1, p, i);
}
#elif INT64
ARRAY(quad, u64vec2, 16);
uvec4 load_quad(POINTER(quad) p, uint i)
{
    u64vec2 halves = AT(quad, 16, p, i);
    return uvec4(unpack32(halves.x), unpack32(halves.y));
}
#else
ARRAY(quad, uvec4, 16);
uvec4 load_quad(POINTER(quad) p, uint i)
{
    return AT(quad, 16, p, i);
}
#endif

// Rows as numbers of 64 and of 128 bits.
ARRAY(row2, uvec2, 8);
ARRAY(row4, uvec4, 16);
#if INT64
#define ROWS(NAME, p) (p)
#else
#define ROWS(NAME, p) NAME##_reference(p)
#endif

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(quad) source_quads; // the same address, or texels
    POINTER(word) tiles; // non-zero elements in each tile; after a scan: before each tile
    POINTER(word) groups; // with ADDS: non-zero elements in the tiles of each workgroup
    POINTER(word) total;
    POINTER(word) rows;
    uint count; // elements
    uint mask;  // bits that make an element non-zero
    uint row_stride;
    uint column_stride;
    uint group_tiles; // tiles for each workgroup
    dimension dimensions[8]; // innermost first; stride of source
};

layout(push_constant) uniform push
{
    parameters p;
};

#include "offset.glsl"

// Returns a bit for each of RUN elements from `first` on: set if the element is below `end` and not zero. Packed
// elements are read in units of 128 bits. A run that begins below `end` may read past the last element, but only within
// memory that the device rounds up to a multiple of 256 bytes.
uint find_nonzero(POINTER(element) source, POINTER(quad) quads, uint first, uint end, uint mask)
{
    uint found = 0u;
    if (PACKED) {
        const uint each = 128u / WIDTH;
        for (uint i = 0u; i < RUN && first < end; i += each) {
            uvec4 words = load_quad(quads, (first + i) / each);
            [[unroll]] for (uint k = 0u; k < each; k++) {
                uint bits = words[k * WIDTH / 32u] >> (k * WIDTH % 32u);
                found |= uint((bits & mask) != 0u) << (i + k);
            }
        }
        uint behind = end - min(first, end);
        return behind < RUN ? found & ((1u << behind) - 1u) : found;
    }
    for (uint i = 0u; i < RUN && first + i < end; i++) {
        uint bits = uint(ELEMENT_AT(source, offset_of(first + i)));
        found |= uint((bits & mask) != 0u) << i;
    }
    return found;
}

// Returns the number of active invocations: subgroups need not be full.
uint lanes()
{
    return subgroupBallotBitCount(subgroupBallot(true));
}

uint lane()
{
    return subgroupBallotExclusiveBitCount(subgroupBallot(true));
}

uint group()
{
    return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
}

shared uint sums[gl_WorkGroupSize.x]; // sums of subgroups

// Returns the sum of `number` over all invocations. All of the workgroup must call it.
uint sum_of_group(uint number)
{
    uint sum = subgroupAdd(number);
    if (lane() == 0u)
        sums[gl_SubgroupID] = sum;
    barrier();
    sum = 0u;
    for (uint k = 0u; k < gl_NumSubgroups; k++)
        sum += sums[k];
    return sum;
}
