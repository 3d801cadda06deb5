// SOFTMAX, LOG_SOFTMAX and HARDMAX: a line is a slice. A workgroup takes its lines in three passes: the greatest
// element, the sum of the powers of the distances from it, the results. Long lines are cut into tiles: one launch finds
// the greatest element and the sum of each tile, the next one joins those and computes the results. The kernel computes
// in 32 bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int MODE = 0;
layout(constant_id = 2) const int TYPE = 0; // DML_TENSOR_DATA_TYPE of both tensors

layout(constant_id = 3) const int STAGE = 0;
layout(constant_id = 4) const uint KEPT = 1; // elements that an invocation keeps; 1: it reads them anew in each pass
layout(constant_id = 5) const int ROW = 0; // 1: a slice has one dimension; 4: and fours of its elements are adjacent

const int PART = 0, LOGARITHM = 1, FIRST = 2; // MODE
const int WHOLE = 0, TILES = 1, RESULTS = 2;  // STAGE: all at once; the extreme and sum of each tile; the results

#include "lanes.glsl"
#include "reals.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS target;
    ADDRESS tile_keys;   // key of the greatest element of each tile
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

// Returns a key that grows with the element, without arithmetic that might flush a denormal. Both zeros have one key,
// NaNs the least.
uint key_of(float x)
{
    uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return 0u;
    uint key = bits == size ? bits | 0x80000000u : ~bits;
    return size == 0u ? 0x80000000u : key;
}

float element_of(uint key)
{
    return uintBitsToFloat((key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key);
}

// Returns the offsets of a line in the source and in the target.
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

// The greatest element that is no NaN, and for HARDMAX its first place in the line.
struct extreme {
    uint key;
    uint first;
};

extreme greater_of(extreme x, extreme y)
{
    return y.key > x.key || (MODE == FIRST && y.key == x.key && y.first < x.first) ? y : x;
}

float power_of(float x)
{
    return TYPE == FLOAT16 ? rough_exp(x) : exp_of(x);
}

#if TEXELS
#include "softmax_rows.glsl"
#else
#include "softmax_main.glsl"
#endif
