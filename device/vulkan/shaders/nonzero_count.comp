// Counts the non-zero elements of each tile, and of the tiles of each workgroup.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "nonzero.glsl"

void main()
{
    uint count = p.count, mask = p.mask;
    POINTER(element) source = p.source;
    POINTER(quad) quads = p.source_quads;
    uint tile_count = (count - 1u) / TILE + 1u;
    uint step = lanes() * RUN, first = lane() * RUN;
    uint own = group(), last = min((own + 1u) * p.group_tiles, tile_count), sum = 0u;
    for (uint tile = own * p.group_tiles + gl_SubgroupID; tile < last; tile += gl_NumSubgroups) {
        uint begin = tile * TILE;
        uint end = min(TILE, count - begin);
        uint found = 0u;
        for (uint i = first; i < end; i += step)
            found += uint(bitCount(find_nonzero(source, quads, begin + i, begin + end, mask)));
        sum += found;
        found = subgroupAdd(found);
        if (first == 0u)
            WORD_AT(p.tiles, tile) = found;
    }
    if (!ADDS)
        return;
    sum = sum_of_group(sum);
    if (gl_LocalInvocationID.x == 0u)
        WORD_AT(p.groups, own) = sum;
}
