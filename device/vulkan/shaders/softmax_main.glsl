// The walk without TEXELS: see lanes.glsl for the grid in which a workgroup shares its lines.
#include "across.glsl"
#include "kept.glsl"

// Returns the offsets of a place in the source and in the target.
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

// Returns the offsets of a place; `stride`: from one place to the next in a row.
uvec2 offsets_from(uvec2 start, uint place, uvec2 stride)
{
    return start + (ROW > 0 ? place * stride : offsets_of_place(place));
}

// The elements of an invocation in a tile, later their powers or results. Indices are constants: see LOAD_TERMS.
const bool KEEPS = KEPT > 1u;
float kept[KEPT];

// An invocation's elements: number k, at place i of the tile.
#define EACH_ELEMENT(k, i)                                                                                             \
    [[unroll]] for (uint k = 0u, i = place_of(k, here.place, step); KEEPS ? k < KEPT : i < past;                       \
                    k++, i = place_of(k, here.place, step))

// Loads elements to keep. Places behind the end of the slice have minus infinity, whose power is 0, or for HARDMAX a
// NaN, which is not greater than any element. All loads come first, without branches, so that they overlap.
void keep(lane here, uint past, uint step, uvec2 start, uvec2 stride)
{
    [[unroll]] for (uint k = 0u; k < KEPT; k += ROW == 4 ? 4u : 1u) {
        uint i = place_of(k, here.place, step);
        if (ROW == 4) {
            vec4 four = load_four(TYPE, p.source, start.x + here.begin + min(i, here.end - 4u));
            [[unroll]] for (uint u = 0u; u < 4u; u++)
                kept[k + u & KEPT - 1u] = four[u];
        } else {
            kept[k] = load(TYPE, p.source, offsets_from(start, here.begin + min(i, here.end - 1u), stride).x);
        }
    }
    const float beyond = MODE == FIRST ? NOT_A_NUMBER : -INFINITE;
    EACH_ELEMENT(k, i)
        kept[k] = i < past ? kept[k] : beyond;
}

float element(uint k, uint offset)
{
    return KEEPS ? kept[k] : load(TYPE, p.source, offset);
}

// Returns the share of a power in the sum, which is at least 1.
float share_of(float power, float sum)
{
    return TYPE == FLOAT16 ? power * (1.0 / sum) : quotient(power, sum);
}

extreme greatest_of_lane(lane here, uint past, uint step, uvec2 start, uvec2 stride)
{
    extreme greatest = extreme(0u, 0xffffffffu);
    if (TYPE == FLOAT16 && MODE != FIRST) { // no denormal of FLOAT32, so comparisons work
        float most = -INFINITE;
        EACH_ELEMENT(k, i) {
            float x = element(k, offsets_from(start, here.begin + i, stride).x);
            most = x > most ? x : most;
        }
        return extreme(key_of(most), 0u);
    }
    EACH_ELEMENT(k, i) {
        uint place = here.begin + i;
        float x = element(k, offsets_from(start, place, stride).x);
        greatest = greater_of(greatest, extreme(key_of(x), place));
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

// Returns the number from which powers of a tile count; 0 if no element is finite, so that minus infinity alone gives a
// sum of 0.
float base_of(uint key)
{
    float greatest = element_of(key);
    return STAGE == WHOLE || !is_infinite(greatest) ? greatest : 0.0;
}

float sum_of_lane(lane here, uint past, uint step, uvec2 start, uvec2 stride, float base)
{
    float sum = 0.0;
    EACH_ELEMENT(k, i) {
        precise float t = element(k, offsets_from(start, here.begin + i, stride).x) - base;
        float power = power_of(t);
        precise float more = sum + power;
        sum = more;
        if (KEEPS && MODE == PART && STAGE == WHOLE)
            kept[k] = power;
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
        precise float more = sum + part * power_of(t);
        sum = is_zero(part) ? sum : more; // not 0 times infinity
    }
    return sum;
}

// Returns the result for an element, or for its power, if that is kept.
float result_of(float x, bool is_first, float greatest, float sum, float logarithm)
{
    precise float t = x - greatest, less = t - logarithm;
    if (MODE == PART)
        return share_of(KEEPS ? x : power_of(t), sum);
    if (MODE == LOGARITHM)
        return less;
    return is_first ? 1.0 : 0.0;
}

void main()
{
    lane here;
    line_grid grid = p.grid;
    if (!find_lane(grid, gl_LocalInvocationID.x, here))
        return;
    bool live = here.line < grid.line_count;
    uint past = live ? here.end : 0u, step = 1u << grid.places_log;
    peers all = peers_of(here.place, here.row, 1u << grid.lines_log, step, grid.lines_adjacent != 0u);
    uint from = live ? here.place : p.tiles; // number of the tile
    uvec2 start = offsets_of_line(live ? here.line : 0u, grid.line_rank);
    uvec2 stride = uvec2(p.place_dimensions[0].stride[0], p.place_dimensions[0].stride[1]);

    extreme most;
    if (KEEPS)
        keep(here, past, step, start, stride);
    if (STAGE == RESULTS)
        most = greatest_of_tiles(from, here.line, grid.line_count, step);
    else
        most = greatest_of_lane(here, past, step, start, stride);
    uint key = greatest_across(most.key, 0u, all), first = 0u;
    if (MODE == FIRST)
        first = ~greatest_across(most.key == key ? ~most.first : 0u, 1u, all);

    float sum = 0.0, greatest = STAGE == TILES ? base_of(key) : element_of(key);
    if (MODE != FIRST) {
        if (STAGE == RESULTS)
            sum = sum_of_tiles(from, here.line, grid.line_count, step, greatest);
        else
            sum = sum_of_lane(here, past, step, start, stride, greatest);
        sum = sum_across(sum, 1u, all);
    }

    if (STAGE == TILES) {
        if (!live || here.place != 0u)
            return;
        uint at = here.tile * grid.line_count + here.line;
        AT(word, 4, AS(word, p.tile_keys), at) = key;
        AT(word, 4, AS(word, p.tile_firsts), at) = first;
        AT(word, 4, AS(word, p.tile_sums), at) = floatBitsToUint(sum);
        return;
    }
    float logarithm = MODE == LOGARITHM ? log_of(sum) : 0.0;
    if (ROW == 4) {
        [[unroll]] for (uint k = 0u; k < KEPT; k += 4u) {
            uint i = place_of(k, here.place, step);
            vec4 four;
            [[unroll]] for (uint u = 0u; u < 4u; u++)
                four[u] = result_of(kept[k + u], i + u == first, greatest, sum, logarithm);
            if (i < past)
                store_four(TYPE, p.target, start.y + i, four);
        }
        return;
    }
    EACH_ELEMENT(k, i) {
        if (KEEPS && i >= past)
            break;
        uvec2 at = offsets_from(start, here.begin + i, stride);
        float x = element(k, at.x), result = result_of(x, here.begin + i == first, greatest, sum, logarithm);
        store(TYPE, p.target, at.y, result);
    }
}
