// Writes the rows of each tile in order, after the rows of the tiles before it. A single tile needs no count before it,
// and its number of rows is the total.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "nonzero.glsl"

// The output for rows.
struct table {
    POINTER(word) rows;
    uint row_stride;
    uint column_stride;
    dimension dimensions[RANK];
};

// Writes the coordinates of element number `element_number`.
void write_row(table t, uint element_number, uint row)
{
    uint rest = element_number, to = row * t.row_stride + (RANK - 1u) * t.column_stride;
    [[unroll]] for (uint d = 0; d < RANK; d++) {
        uint next = d + 1u < RANK ? divide(rest, t.dimensions[d]) : 0u;
        WORD_AT(t.rows, to) = rest - next * t.dimensions[d].size;
        rest = next;
        to -= t.column_stride;
    }
}

// Writes the rows of elements from `begin` to `end`, from row `next_row` on; returns the row behind them.
//
// Each invocation takes runs of elements, and writes their rows one after the other.
uint write_runs(table t, uint begin, uint end, uint next_row)
{
    POINTER(element) source = p.source;
    POINTER(quad) quads = p.source_quads;
    uint mask = p.mask;
    for (uint i = begin; i < end; i += lanes() * RUN) {
        uint first = i + lane() * RUN;
        uint found = find_nonzero(source, quads, first, end, mask);
        uint hits = uint(bitCount(found));
        uint row = next_row + subgroupExclusiveAdd(hits);
        next_row += subgroupAdd(hits);
        for (; found != 0u; found &= found - 1u, row++)
            write_row(t, first + uint(findLSB(found)), row);
    }
    return next_row;
}

// Writes a row as one number of 64 or 128 bits.
void write_dense_row(table t, uint element_number, uint row)
{
    uint rest = element_number;
    uvec4 coordinates = uvec4(0u); // innermost last
    [[unroll]] for (uint d = 0; d < min(RANK, 4u); d++) {
        uint next = d + 1u < RANK ? divide(rest, t.dimensions[d]) : 0u;
        coordinates[(RANK - 1u - d) % 4u] = rest - next * t.dimensions[d].size;
        rest = next;
    }
    if (RANK == 2u)
        AT(row2, 8, ROWS(row2, t.rows), row) = coordinates.xy;
    else
        AT(row4, 16, ROWS(row4, t.rows), row) = coordinates;
}

// Neighbours take neighbouring elements and write neighbouring rows. Eight elements of each are in flight.
uint write_by_lanes(table t, uint begin, uint end, uint next_row)
{
    POINTER(element) source = p.source;
    uint mask = p.mask, step = lanes(), self = lane();
    for (uint i = begin; i < end; i += 8u * step) {
        uint bits[8];
        [[unroll]] for (uint k = 0u; k < 8u; k++) {
            uint at = min(i + k * step + self, end - 1u);
            bits[k] = uint(ELEMENT_AT(source, PACKED ? at : offset_of(at)));
        }
        [[unroll]] for (uint k = 0u; k < 8u; k++) {
            uint at = i + k * step + self;
            bool hit = at < end && (bits[k] & mask) != 0u;
            uvec4 hits = subgroupBallot(hit);
            uint row = next_row + subgroupBallotExclusiveBitCount(hits);
            if (hit && DENSE)
                write_dense_row(t, at, row);
            else if (hit)
                write_row(t, at, row);
            next_row += subgroupBallotBitCount(hits);
        }
    }
    return next_row;
}

// Returns the sum of numbers, added by `step` invocations; this one is number `self`.
uint sum_of_numbers(POINTER(word) numbers, uint begin, uint end, uint self, uint step)
{
    uint sum = 0u;
    for (uint i = begin + self; i < end; i += step)
        sum += WORD_AT(numbers, i);
    return sum;
}

void main()
{
    table t;
    [[unroll]] for (uint d = 0; d < RANK; d++)
        t.dimensions[d] = p.dimensions[d];
    t.rows = p.rows;
    t.row_stride = p.row_stride;
    t.column_stride = p.column_stride;
    uint count = p.count, tile_count = (count - 1u) / TILE + 1u;
    uint own = group(), first = own * p.group_tiles, last = min(first + p.group_tiles, tile_count), before = 0u;
    POINTER(word) tiles = p.tiles, groups = p.groups;
    if (ADDS)
        before = sum_of_group(sum_of_numbers(groups, 0u, own, gl_LocalInvocationID.x, gl_WorkGroupSize.x));
    for (uint tile = first + gl_SubgroupID; tile < last; tile += gl_NumSubgroups) {
        uint begin = tile * TILE, end = begin + min(TILE, count - begin), next_row = before;
        if (ADDS)
            next_row += subgroupAdd(sum_of_numbers(tiles, first, tile, lane(), lanes()));
        else if (tile_count > 1u)
            next_row = WORD_AT(tiles, tile);
        next_row = BY_LANES ? write_by_lanes(t, begin, end, next_row) : write_runs(t, begin, end, next_row);
        if ((ADDS || tile_count == 1u) && tile == tile_count - 1u && lane() == 0u)
            WORD_AT(p.total, 0) = next_row;
    }
}
