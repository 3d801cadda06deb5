// The walk without TEXELS.
#include "across.glsl"
#include "kept.glsl"

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

// The elements of INPUT that an invocation has in a tile. Indices are constants: a driver that does not unroll a loop
// would keep the array in memory.
const bool KEEPS = KEPT > 1u;
float kept[KEPT];

// All loads come first, without branches, so that they overlap.
void keep(place line, uint lane, uint begin, uint length)
{
    uint lanes = 1u << p.lanes_log;
    [[unroll]] for (uint k = 0u; k < KEPT; k += ROW == 4 ? 4u : 1u) {
        uint i = place_of(k, lane, lanes);
        if (ROW == 4) {
            vec4 four = load_four(TYPE, p.operands[INPUT], line.at[INPUT] + begin + min(i, length - 4u));
            [[unroll]] for (uint u = 0u; u < 4u; u++)
                kept[k + u & KEPT - 1u] = four[u];
        } else {
            kept[k] = load(TYPE, p.operands[INPUT], element_of(line, begin + min(i, length - 1u)).at[INPUT]);
        }
    }
}

// Return the terms that an element adds to the first sum, and to the second. x: the element of INPUT.
float first_of(float x, place from)
{
    precise float square = x * x;
    if (has_gradients())
        return read(SECOND, from, 0.0);
    if (OPERATION == MAGNITUDES)
        return abs(x);
    return OPERATION == SQUARES ? square : x;
}

float second_of(float x, place from, float mean)
{
    precise float centre = x - mean;
    precise float product = centre * (has_gradients() ? read(SECOND, from, 0.0) : centre);
    return product;
}

// Returns the sum of a lane's elements, from `begin` on, in blocks of 32, so that errors of long slices grow slowly.
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

// Returns the sum of a lane's tiles.
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

// Returns the result for an element x of INPUT. `sum`, `product`: sums of the gradients.
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
    uint self = gl_LocalInvocationID.x, lanes = 1u << p.lanes_log;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint line_groups = (p.line_count - 1u >> p.lines_log) + 1u, tile = group / line_groups;
    bool adjacent = p.lines_adjacent != 0u; // then neighbours take elements of different slices
    uint lane = adjacent ? self >> p.lines_log : self & (lanes - 1u);
    uint row = adjacent ? self & (1u << p.lines_log) - 1u : self >> p.lanes_log;
    if (lane >= lanes || row >= 1u << p.lines_log) { // the size of a workgroup need not be a power of two
        lane = lanes;
        row = 1u << p.lines_log;
    }
    uint index = (group - tile * line_groups << p.lines_log) + row;
    if (tile >= p.tiles)
        return;
    uint begin = tile * p.tile, length = min(p.tile, p.count - begin);
    bool live = row < 1u << p.lines_log && index < p.line_count;
    peers all = peers_of(lane, row, 1u << p.lines_log, lanes, adjacent);
    place line;
    [[unroll]] for (uint k = 0u; k < 8u; k++)
        line.at[k] = 0u;
    uint rest = live ? index : 0u;
    for (uint d = 0u; d < p.line_rank; d++)
        walk(p.lines[d], rest, line);

    if (KEEPS && live)
        keep(line, lane, begin, length);
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
            place at = element_of(line, begin + i);
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
