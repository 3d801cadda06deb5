// Writes the rows of each tile in order, after the rows of the tiles before it. A single tile needs no count before it,
// and its number of rows is the total.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "nonzero.glsl"

void main()
{
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    POINTER(element) source = p.source;
    POINTER(quad) quads = p.source_quads;
    POINTER(word) rows = p.rows;
    uint count = p.count, mask = p.mask, row_stride = p.row_stride, column_stride = p.column_stride;
    uint tile_count = (count - 1u) / TILE + 1u;
    uint step = lanes() * RUN, first = lane() * RUN;
    for (uint tile = first_tile(); tile < tile_count; tile += tile_step()) {
        uint begin = tile * TILE;
        uint end = min(TILE, count - begin);
        uint next_row = 0u;
        if (tile_count > 1u)
            next_row = WORD_AT(p.tiles, tile);
        for (uint i = 0u; i < end; i += step) {
            uint found = find_nonzero(source, quads, begin + i + first, begin + end, mask);
            uint hits = uint(bitCount(found));
            uint row = next_row + subgroupExclusiveAdd(hits);
            next_row += subgroupAdd(hits);
            for (; found != 0u; found &= found - 1u, row++) {
                uint rest = begin + i + first + uint(findLSB(found));
                uint to = row * row_stride + (RANK - 1u) * column_stride;
                [[unroll]] for (uint d = 0; d < RANK; d++) {
                    uint next = d + 1u < RANK ? divide(rest, dimensions[d]) : 0u;
                    WORD_AT(rows, to) = rest - next * dimensions[d].size;
                    rest = next;
                    to -= column_stride;
                }
            }
        }
        if (tile_count == 1u && first == 0u)
            WORD_AT(p.total, 0) = next_row;
    }
}
