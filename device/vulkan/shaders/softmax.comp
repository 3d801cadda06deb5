// SOFTMAX, LOG_SOFTMAX and HARDMAX: a line is a slice. A workgroup takes its lines in three passes: the greatest element,
// the sum of the powers of what the others are below it, the results. Long lines are cut in tiles: one launch finds what
// each tile has, the next one joins that and makes the results. Computes in 32 bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int MODE = 0;
layout(constant_id = 2) const int TYPE = 0; // DML_TENSOR_DATA_TYPE of both tensors

layout(constant_id = 3) const int STAGE = 0;

const int PART = 0, LOGARITHM = 1, FIRST = 2; // MODE
const int WHOLE = 0, TILES = 1, RESULTS = 2;  // STAGE: all at once; what each tile has; the results

#include "lanes.glsl"
#include "reals.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS target;
    ADDRESS tile_keys;   // of the greatest element of each tile
    ADDRESS tile_firsts; // and its place in the line
    ADDRESS tile_sums;
    line_grid grid;
    uint place_rank;
    uint tiles;
    dimension line_dimensions[8]; // innermost first; strides of the source, then of the target
    dimension place_dimensions[8];
};

layout(push_constant) uniform push
{
    parameters p;
};

shared uint keys[gl_WorkGroupSize.x];
shared uint firsts[gl_WorkGroupSize.x];
shared float sums[gl_WorkGroupSize.x];

// Grows with the element, without arithmetic that might flush a denormal. Both zeros have one key, NaNs the least.
uint key_of(float x)
{
    uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return 0u;
    return size == 0u ? 0x80000000u : bits == size ? bits | 0x80000000u : ~bits;
}

float element_of(uint key)
{
    return uintBitsToFloat((key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key);
}

// Offsets in the source and in the target.
uvec2 offsets_of_place(uint place)
{
    uint rest = place;
    uvec2 offsets = uvec2(0u);
    for (uint d = 0u; d < p.place_rank; d++) {
        uint next = divide(rest, p.place_dimensions[d]), coordinate = rest - next * p.place_dimensions[d].size;
        offsets += coordinate * uvec2(p.place_dimensions[d].stride[0], p.place_dimensions[d].stride[1]);
        rest = next;
    }
    return offsets;
}

uvec2 offsets_of_line(uint line, uint rank)
{
    uint rest = line;
    uvec2 offsets = uvec2(0u);
    for (uint d = 0u; d < rank; d++) {
        uint next = divide(rest, p.line_dimensions[d]), coordinate = rest - next * p.line_dimensions[d].size;
        offsets += coordinate * uvec2(p.line_dimensions[d].stride[0], p.line_dimensions[d].stride[1]);
        rest = next;
    }
    return offsets;
}

// The greatest element that no NaN is, and the first place in the line that has it.
struct extreme {
    uint key;
    uint first;
};

extreme greater_of(extreme x, extreme y)
{
    return y.key > x.key || (y.key == x.key && y.first < x.first) ? y : x;
}

extreme greatest_of_lane(lane here, uint past, uint step, uint start)
{
    extreme greatest = extreme(0u, 0xffffffffu);
    for (uint i = here.place; i < past; i += step) {
        uint place = here.begin + i;
        greatest =
            greater_of(greatest, extreme(key_of(load(TYPE, p.source, start + offsets_of_place(place).x)), place));
    }
    return greatest;
}

extreme greatest_of_tiles(uint from, uint line, uint line_count, uint step)
{
    extreme greatest = extreme(0u, 0xffffffffu);
    for (uint tile = from; tile < p.tiles; tile += step) {
        uint at = tile * line_count + line;
        greatest = greater_of(
            greatest, extreme(AT(word, 4, AS(word, p.tile_keys), at), AT(word, 4, AS(word, p.tile_firsts), at)));
    }
    return greatest;
}

// What powers of a tile are below: where nothing is finite, 0, so that minus infinity alone gives a sum of 0.
float base_of(uint key)
{
    float greatest = element_of(key);
    return STAGE == WHOLE || !is_infinite(greatest) ? greatest : 0.0;
}

float sum_of_lane(lane here, uint past, uint step, uint start, float base)
{
    float sum = 0.0;
    for (uint i = here.place; i < past; i += step) {
        precise float t = load(TYPE, p.source, start + offsets_of_place(here.begin + i).x) - base;
        precise float more = sum + exp_of(t);
        sum = more;
    }
    return sum;
}

float sum_of_tiles(uint from, uint line, uint line_count, uint step, float greatest)
{
    float sum = 0.0;
    for (uint tile = from; tile < p.tiles; tile += step) {
        uint at = tile * line_count + line;
        float part = uintBitsToFloat(AT(word, 4, AS(word, p.tile_sums), at));
        precise float t = base_of(AT(word, 4, AS(word, p.tile_keys), at)) - greatest;
        precise float more = sum + part * exp_of(t);
        sum = is_zero(part) ? sum : more; // not 0 times infinity
    }
    return sum;
}

void main()
{
    lane here;
    line_grid grid = p.grid;
    if (!find_lane(grid, here))
        return;
    bool live = here.line < grid.line_count;
    uint past = live ? here.end : 0u, step = 1u << grid.places_log, lead = here.row << grid.places_log;
    uint from = live ? here.place : p.tiles; // of the tiles
    uvec2 start = offsets_of_line(live ? here.line : 0u, grid.line_rank);

    extreme most;
    if (STAGE == RESULTS)
        most = greatest_of_tiles(from, here.line, grid.line_count, step);
    else
        most = greatest_of_lane(here, past, step, start.x);
    keys[here.slot] = most.key;
    firsts[here.slot] = most.first;
    for (uint apart = step >> 1; apart > 0u; apart >>= 1) {
        barrier();
        if (here.place < apart) {
            most = greater_of(most, extreme(keys[here.slot + apart], firsts[here.slot + apart]));
            keys[here.slot] = most.key;
            firsts[here.slot] = most.first;
        }
    }
    barrier();
    most = extreme(keys[lead], firsts[lead]);

    float sum = 0.0, greatest = STAGE == TILES ? base_of(most.key) : element_of(most.key);
    if (MODE != FIRST) {
        if (STAGE == RESULTS)
            sum = sum_of_tiles(from, here.line, grid.line_count, step, greatest);
        else
            sum = sum_of_lane(here, past, step, start.x, greatest);
        sums[here.slot] = sum;
        for (uint apart = step >> 1; apart > 0u; apart >>= 1) {
            barrier();
            if (here.place < apart) {
                precise float both = sum + sums[here.slot + apart];
                sum = both;
                sums[here.slot] = sum;
            }
        }
        barrier();
        sum = sums[lead];
    }

    if (STAGE == TILES) {
        if (!live || here.place != 0u)
            return;
        uint at = here.tile * grid.line_count + here.line;
        AT(word, 4, AS(word, p.tile_keys), at) = most.key;
        AT(word, 4, AS(word, p.tile_firsts), at) = most.first;
        AT(word, 4, AS(word, p.tile_sums), at) = floatBitsToUint(sum);
        return;
    }
    float logarithm = MODE == LOGARITHM ? log_of(sum) : 0.0;
    for (uint i = here.place; i < past; i += step) {
        uvec2 at = start + offsets_of_place(here.begin + i);
        float value = here.begin + i == most.first ? 1.0 : 0.0;
        if (MODE != FIRST) {
            precise float t = load(TYPE, p.source, at.x) - greatest, less = t - logarithm;
            value = MODE == PART ? quotient(exp_of(t), sum) : less;
        }
        store(TYPE, p.target, at.y, value);
    }
}
