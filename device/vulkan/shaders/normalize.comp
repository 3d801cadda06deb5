// Normalisations and their gradients: slices of elements, each by 2^lanes_log invocations of one workgroup. They pass
// over their slice for its sums, once more for the sum of the squared distances from the mean, and then write each
// element. A slice of one element, as in BATCH_NORMALIZATION, has no sums. Long slices are cut into tiles: there is a
// launch for each pass, and the next one joins the sums of the tiles.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int OPERATION = 0;
layout(constant_id = 2) const int TYPE = 1;       // DML_TENSOR_DATA_TYPE of all tensors
layout(constant_id = 3) const int ACTIVATION = 0; // the fused activation, an operator; 0: none
layout(constant_id = 4) const int STAGE = 0;
layout(constant_id = 5) const uint KEPT = 1;       // elements that an invocation keeps; 1: each pass reads them anew
layout(constant_id = 6) const int ROW = 0; // 1: a slice has one dimension; 4: and fours of its elements are adjacent
layout(constant_id = 7) const uint PRESENT = 0; // a bit for each operand that is present, in kernels that keep elements
layout(constant_id = 8) const uint STEPS = 0;   // with TEXELS: a bit for each operand that steps along a slice

// STAGE: all at once; the sums of each tile; its sums about the mean; the results
const int WHOLE = 0, SUMS = 1, PRODUCTS = 2, RESULTS = 3;
// enum operation of plan_normalise.c
const int MEAN_VARIANCE = 0, TRAINING = 1, MAGNITUDES = 2, SQUARES = 3, GIVEN = 4, GRADIENT = 5, TRAINING_GRADIENT = 6;

#include "reals.glsl"
#define IS_HALF (TYPE == FLOAT16)
#include "activated.glsl"

// Operands. The gradients have no bias, and the last three of them are outputs.
const uint INPUT = 0u, SECOND = 1u, SCALE = 2u, BIAS = 3u, MEAN = 4u, VARIANCE = 5u, TARGET = 6u, BIAS_TARGET = 7u;
const uint SCALE_TARGET = BIAS;

// A dimension with the strides of all operands.
struct wide_dimension {
    dimension first;
    uint more[4];
};

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS operands[8];
    ADDRESS tile_sums; // sums of each tile, those of all slices side by side
    ADDRESS tile_products;
    uint line_count; // slices
    uint count;      // elements of a slice
    uint lanes_log;  // invocations for a slice: 2^lanes_log
    uint lines_log;  // slices of a workgroup: 2^lines_log
    uint lines_adjacent; // elements of different slices lie nearer to each other than those of one
    uint given;      // PRESENT for all other kernels: a parameter needs fewer kernels
    uint centred;    // the mean counts
    uint divided;    // the variance counts
    float epsilon;
    float a; // attributes of the activation
    float b;
    uint line_rank;
    uint place_rank;
    uint tile;  // elements of a slice that a workgroup takes
    uint tiles; // tiles of a slice
    wide_dimension lines[8]; // innermost first
    wide_dimension places[8];
};

layout(push_constant) uniform push
{
    parameters p;
};

struct place {
    uint at[8]; // offset in each operand
};

// Adds the offsets of number `rest` of a space.
void walk(wide_dimension d, inout uint rest, inout place to)
{
    uint next = divide(rest, d.first), coordinate = rest - next * d.first.size;
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        to.at[k] += coordinate * d.first.stride[k];
        to.at[k + 4u] += coordinate * d.more[k];
    }
    rest = next;
}

#if TEXELS
#include "normalize_rows.glsl"
#else
#include "normalize_main.glsl"
#endif
