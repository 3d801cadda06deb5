// Normalisations and their gradients: slices of elements, each by 2^lanes_log invocations of one workgroup. They pass over
// their slice for its sums, once more for the sum of the squares of what the elements are above their mean, and then write
// each element. A slice of one element, as of BATCH_NORMALIZATION, has no sums. Long slices are cut into tiles: a launch
// for each pass, and the next one joins what the tiles have.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int OPERATION = 0;
layout(constant_id = 2) const int TYPE = 1;       // DML_TENSOR_DATA_TYPE of all tensors
layout(constant_id = 3) const int ACTIVATION = 0; // the fused one, an operator; 0: none
layout(constant_id = 4) const int STAGE = 0;
layout(constant_id = 5) const uint KEPT = 1;       // elements that an invocation keeps; 1: each pass reads them anew
layout(constant_id = 6) const int ROW = 0; // 1: a slice has one dimension; 4: and fours of its elements are adjacent
layout(constant_id = 7) const uint PRESENT = 0; // a bit for each operand that is not absent. Of kernels that keep elements

// STAGE: all at once; the sums of each tile; its sums about the mean; the results
const int WHOLE = 0, SUMS = 1, PRODUCTS = 2, RESULTS = 3;
// enum operation of plan_normalise.c
const int MEAN_VARIANCE = 0, TRAINING = 1, MAGNITUDES = 2, SQUARES = 3, GIVEN = 4, GRADIENT = 5, TRAINING_GRADIENT = 6;

#include "reals.glsl"
#include "across.glsl"
#include "kept.glsl"
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
    ADDRESS tile_sums; // of each tile, those of all slices side by side
    ADDRESS tile_products;
    uint line_count; // slices
    uint count;      // elements of a slice
    uint lanes_log;  // invocations for a slice: 2^lanes_log
    uint lines_log;  // slices of a workgroup: 2^lines_log
    uint given;      // PRESENT for all others: with a number there are fewer kernels
    uint centred;    // the mean counts
    uint divided;    // the variance counts
    float epsilon;
    float a; // attributes of the activation
    float b;
    uint line_rank;
    uint place_rank;
    uint tile;  // elements of a slice that a workgroup takes
    uint tiles; // of a slice
    wide_dimension lines[8]; // innermost first
    wide_dimension places[8];
};

layout(push_constant) uniform push
{
    parameters p;
};

struct place {
    uint at[8]; // by operand
};

// Adds where number `rest` of a space is.
void walk(wide_dimension d, inout uint rest, inout place to)
{
    uint next = divide(rest, d.first), coordinate = rest - next * d.first.size;
    [[unroll]] for (uint k = 0u; k < 4u; k++) {
        to.at[k] += coordinate * d.first.stride[k];
        to.at[k + 4u] += coordinate * d.more[k];
    }
    rest = next;
}

place element_of(place line, uint i)
{
    uint rest = i;
    if (ROW > 0) {
        [[unroll]] for (uint k = 0u; k < 4u; k++) {
            line.at[k] += i * p.places[0].first.stride[k];
            line.at[k + 4u] += i * p.places[0].more[k];
        }
        return line;
    }
    for (uint d = 0u; d < p.place_rank; d++)
        walk(p.places[d], rest, line);
    return line;
}

bool is_given(uint operand)
{
    return ((KEPT > 1u ? PRESENT : p.given) >> operand & 1u) != 0u;
}

float read(uint operand, place from, float otherwise)
{
    return is_given(operand) ? load(TYPE, p.operands[operand], from.at[operand]) : otherwise;
}

void write(uint operand, place to, float value)
{
    store(TYPE, p.operands[operand], to.at[operand], value);
}

bool has_gradients()
{
    return OPERATION == GRADIENT || OPERATION == TRAINING_GRADIENT;
}

// The elements of INPUT that an invocation has. Indices are constants: a driver that does not unroll a loop would keep
// the array in memory.
const bool KEEPS = KEPT > 1u;
float kept[KEPT];

// All loads come first, without branches, so that they overlap.
void keep(place line, uint lane, uint length)
{
    uint lanes = 1u << p.lanes_log;
    [[unroll]] for (uint k = 0u; k < KEPT; k += ROW == 4 ? 4u : 1u) {
        uint i = place_of(k, lane, lanes);
        if (ROW == 4) {
            vec4 four = load_four(TYPE, p.operands[INPUT], line.at[INPUT] + min(i, length - 4u));
            [[unroll]] for (uint u = 0u; u < 4u; u++)
                kept[k + u & KEPT - 1u] = four[u];
        } else {
            kept[k] = load(TYPE, p.operands[INPUT], element_of(line, min(i, length - 1u)).at[INPUT]);
        }
    }
}

// What an element adds to the first sum, and to the second. x: of INPUT.
float first_of(float x, place from)
{
    precise float square = x * x;
    if (has_gradients())
        return read(SECOND, from, 0.0);
    return OPERATION == MAGNITUDES ? abs(x) : OPERATION == SQUARES ? square : x;
}

float second_of(float x, place from, float mean)
{
    precise float centre = x - mean;
    precise float product = centre * (has_gradients() ? read(SECOND, from, 0.0) : centre);
    return product;
}

// Sums of a lane's elements, from `begin` on, in blocks of 32, so that errors of long slices grow slowly.
float first_sum(place line, uint lane, uint begin, uint length)
{
    precise float sum = 0.0;
    if (KEEPS) {
        [[unroll]] for (uint k = 0u; k < KEPT; k++)
            sum += place_of(k, lane, 1u << p.lanes_log) < length ? first_of(kept[k], line) : 0.0;
        return sum;
    }
    for (uint i = lane; i < length;) {
        precise float block = 0.0;
        for (uint k = 0u; k < 32u && i < length; k++, i += 1u << p.lanes_log) {
            place from = element_of(line, begin + i);
            block += first_of(read(INPUT, from, 0.0), from);
        }
        sum += block;
    }
    return sum;
}

float second_sum(place line, uint lane, uint begin, uint length, float mean)
{
    precise float sum = 0.0;
    if (KEEPS) {
        [[unroll]] for (uint k = 0u; k < KEPT; k++)
            sum += place_of(k, lane, 1u << p.lanes_log) < length ? second_of(kept[k], line, mean) : 0.0;
        return sum;
    }
    for (uint i = lane; i < length;) {
        precise float block = 0.0;
        for (uint k = 0u; k < 32u && i < length; k++, i += 1u << p.lanes_log) {
            place from = element_of(line, begin + i);
            block += second_of(read(INPUT, from, 0.0), from, mean);
        }
        sum += block;
    }
    return sum;
}

// The sum of a lane's tiles.
float sum_of_tiles(ADDRESS from, uint index, uint lane)
{
    precise float sum = 0.0;
    for (uint tile = lane; tile < p.tiles; tile += 1u << p.lanes_log)
        sum += uintBitsToFloat(AT(word, 4, AS(word, from), tile * p.line_count + index));
    return sum;
}

void write_tile(ADDRESS to, uint index, uint tile, float sum)
{
    AT(word, 4, AS(word, to), tile * p.line_count + index) = floatBitsToUint(sum);
}

// What becomes of an element x of INPUT. `sum`, `product`: of the gradients.
float result_of(float x, place from, float mean, float root, float sum, float product)
{
    if (OPERATION == MAGNITUDES || OPERATION == SQUARES)
        return quotient(x, root);
    precise float centre = x - mean;
    if (has_gradients()) {
        precise float gradient = read(SECOND, from, 0.0);
        precise float spread = quotient(quotient(centre, root) * quotient(product, float(p.count)), root);
        if (OPERATION == TRAINING_GRADIENT)
            gradient = (gradient - quotient(sum, float(p.count))) - spread;
        precise float result = quotient(gradient * read(SCALE, from, 1.0), root);
        return result;
    }
    precise float scaled = quotient(centre, root) * read(SCALE, from, 1.0);
    precise float moved = scaled + read(BIAS, from, 0.0);
    if (OPERATION == TRAINING && is_given(SECOND))
        moved += read(SECOND, from, 0.0);
    return activated(moved, p.a, p.b);
}

void main()
{
    uint self = invocation(), lanes = 1u << p.lanes_log;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint line_groups = (p.line_count - 1u >> p.lines_log) + 1u, tile = group / line_groups;
    uint lane = self & (lanes - 1u), row = self >> p.lanes_log;
    uint index = (group - tile * line_groups << p.lines_log) + row;
    if (tile >= p.tiles)
        return;
    uint begin = tile * p.tile, length = min(p.tile, p.count - begin);
    bool live = row < 1u << p.lines_log && index < p.line_count;
    peers all = peers_of(self, self - lane, lanes, live, true);
    place line;
    [[unroll]] for (uint k = 0u; k < 8u; k++)
        line.at[k] = 0u;
    uint rest = live ? index : 0u;
    for (uint d = 0u; d < p.line_rank; d++)
        walk(p.lines[d], rest, line);

    if (KEEPS && live)
        keep(line, lane, length);
    precise float mean = 0.0, variance = 0.0, root = 1.0, sum = 0.0, product = 0.0;
    bool has_statistics = OPERATION == GIVEN || has_gradients();
    if (has_statistics) {
        mean = live ? read(MEAN, line, 0.0) : 0.0;
        variance = live ? read(VARIANCE, line, 0.0) : 0.0;
    }
    if (STAGE == WHOLE || STAGE == SUMS)
        sum = OPERATION != GIVEN && live ? first_sum(line, lane, begin, length) : 0.0;
    else
        sum = live ? sum_of_tiles(p.tile_sums, index, lane) : 0.0;
    if (OPERATION != GIVEN)
        sum = sum_across(sum, 0u, all);
    if (STAGE == SUMS) {
        if (live && lane == 0u)
            write_tile(p.tile_sums, index, tile, sum);
        return;
    }
    bool has_variance = OPERATION == MEAN_VARIANCE || OPERATION == TRAINING;
    if (has_variance)
        mean = p.centred != 0u ? quotient(sum, float(p.count)) : 0.0;
    if (has_variance || has_gradients()) {
        if (STAGE == RESULTS)
            product = live ? sum_of_tiles(p.tile_products, index, lane) : 0.0;
        else
            product = live ? second_sum(line, lane, begin, length, mean) : 0.0;
        product = sum_across(product, 1u, all);
    }
    if (STAGE == PRODUCTS) {
        if (live && lane == 0u)
            write_tile(p.tile_products, index, tile, product);
        return;
    }
    if (!live)
        return;
    if (has_variance)
        variance = quotient(product, float(p.count));
    if (OPERATION == MAGNITUDES || OPERATION == SQUARES) {
        root = OPERATION == SQUARES ? sqrt(sum) : sum;
        root = root < p.epsilon ? p.epsilon : root; // a NaN stays
    } else if (p.divided != 0u) {
        root = sqrt(variance + p.epsilon);
    }
    if (tile == 0u && lane == 0u && OPERATION == TRAINING) {
        write(MEAN, line, mean);
        write(VARIANCE, line, variance);
    }
    if (tile == 0u && lane == 0u && has_gradients()) {
        write(SCALE_TARGET, line, quotient(product, root));
        write(BIAS_TARGET, line, sum);
    }
    if (KEEPS) {
        vec4 four;
        [[unroll]] for (uint k = 0u; k < KEPT; k++) {
            uint i = place_of(k, lane, lanes);
            if (i >= length)
                return;
            place at = element_of(line, i);
            float result = result_of(kept[k], at, mean, root, sum, product);
            four[k & 3u] = result;
            if (ROW != 4)
                write(TARGET, at, result);
            else if ((k & 3u) == 3u)
                store_four(TYPE, p.operands[TARGET], at.at[TARGET] - 3u, four);
        }
        return;
    }
    for (uint i = lane; i < length; i += lanes) {
        place at = element_of(line, begin + i);
        write(TARGET, at, result_of(read(INPUT, at, 0.0), at, mean, root, sum, product));
    }
}
