// Counts the non-zero elements of each tile.
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
    for (uint tile = first_tile(); tile < tile_count; tile += tile_step()) {
        uint begin = tile * TILE;
        uint end = min(TILE, count - begin);
        uint found = 0u;
        for (uint i = first; i < end; i += step)
            found += uint(bitCount(find_nonzero(source, quads, begin + i, begin + end, mask)));
        found = subgroupAdd(found);
        if (first == 0u)
            WORD_AT(p.tiles, tile) = found;
    }
}
