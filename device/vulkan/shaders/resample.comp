// UPSAMPLE_2D, RESAMPLE and its successors: an invocation computes one element of the output after the other, from one
// element of the input, or from two along each dimension. Their gradients: the other way, an element of the output from
// those elements of the input that RESAMPLE computes from it. If these are many, each launch adds them up along some
// dimensions only, or makes parts of the sums along one dimension, which the next launch adds up.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int SOURCE_TYPE = 1; // DML_TENSOR_DATA_TYPE
layout(constant_id = 2) const int TARGET_TYPE = 1;
layout(constant_id = 3) const bool IS_LINEAR = false;
layout(constant_id = 4) const bool IS_WHOLE = true; // scales are whole numbers, and elements at their centres
layout(constant_id = 5) const uint ROUNDING = 0u;
layout(constant_id = 6) const bool IS_GRADIENT = false;
layout(constant_id = 7) const uint KEPT = 0u; // so many of the first dimensions are the same in source and target
layout(constant_id = 8) const uint PARTS = 0u;

const bool IS_FLOAT = SOURCE_TYPE == FLOAT32 || SOURCE_TYPE == FLOAT16;
const uint HALVES_UP = 0u, UP = 1u;
const uint MADE = 1u, ADDED = 2u; // parts of sums along the last dimension, by this launch
const uint RANK = 5u, CORNERS = 1u << RANK;
const uint SOURCE = 0u, TARGET = 1u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS target;
    uint count;      // elements of the target
    uint group_size; // elements for each workgroup
    dimension dimensions[RANK]; // of the target, outermost first; strides of the source and the target
    dimension whole_scales[RANK];
    uint sizes[RANK];  // of the tensor whose elements are neighbours: the source, or the target of a gradient
    uint counts[RANK]; // of the tensor whose elements have neighbours
    float scales[RANK];
    float input_offsets[RANK];
    float output_offsets[RANK];
    uint first_place; // the first element along the last dimension whose sum has parts
    uint places;      // the number of such elements
    uint parts;       // the number of parts of each sum
    uint more;        // the first and the last one may get more gradients: they have the parts of so many others besides
};

layout(push_constant) uniform push
{
    parameters p;
};

// Terms in a round of a loop, since lavapipe ends the loops of an invocation after 65,535 rounds in all.
const uint TERMS = 4u;

// Two elements along a dimension.
struct neighbours {
    uint first; // coordinates
    uint second;
    float weight; // of the second one
};

// Returns the neighbours of an element of the output. An element of the source is as long as `scale` of the output.
neighbours neighbours_around(uint place, uint d)
{
    uint scale = p.whole_scales[d].size;
    uint i = divide(place, p.whole_scales[d]), rest = place - i * scale;
    if (!IS_LINEAR)
        return neighbours(i, i, 0.0);
    // The centres' distance, in elements of the output, is small: so no digits are lost.
    bool is_behind = rest >= scale / 2u; // the element of the output is at or behind the centre
    precise float distance = float(rest) - 0.5 * float(scale) + 0.5;
    precise float weight = quotient(is_behind ? distance : distance + float(scale), float(scale));
    uint first = is_behind ? i : i - min(i, 1u), second = is_behind ? min(i + 1u, p.sizes[d] - 1u) : i;
    return neighbours(first, second, first == second ? 0.0 : weight);
}

// Returns the neighbours for any scale. Coordinates before the first one are moved there, others to the last one.
neighbours neighbours_at(uint place, uint d)
{
    precise float distance = float(place) - p.output_offsets[d], scaled = quotient(distance, p.scales[d]);
    precise float x = scaled - p.input_offsets[d];
    if (!IS_LINEAR && ROUNDING == HALVES_UP) {
        precise float half_behind = x + 0.5;
        x = floor(half_behind);
    } else if (!IS_LINEAR) {
        x = ROUNDING == UP ? ceil(x) : floor(x);
    }
    uint last = p.sizes[d] - 1u;
    if (!(x > 0.0))
        return neighbours(0u, 0u, 0.0);
    if (x >= float(last))
        return neighbours(last, last, 0.0);
    uint first = min(uint(x), last);
    precise float weight = x - float(first);
    return neighbours(first, min(first + 1u, last), weight);
}

// Returns the weighted average of the elements of the source; those with a weight of 0 are left out.
float average(neighbours around[RANK])
{
    precise float sum = 0.0;
    for (uint corner = 0u; corner < CORNERS; corner++) {
        precise float weight = 1.0;
        uint source = 0u;
        bool is_left_out = false;
        [[unroll]] for (uint d = 0u; d < RANK; d++) {
            bool is_second = (corner >> d & 1u) != 0u;
            is_left_out = is_left_out || (is_second && around[d].weight == 0.0);
            weight *= is_second ? around[d].weight : 1.0 - around[d].weight;
            source += (is_second ? around[d].second : around[d].first) * p.dimensions[d].stride[SOURCE];
        }
        if (!is_left_out)
            sum += weight * load(SOURCE_TYPE, p.source, source);
    }
    return sum;
}

float resampled(uint place[RANK])
{
    uint source = 0u;
    bool is_single = true; // there is one element of the source
    neighbours around[RANK];
    [[unroll]] for (uint d = 0u; d < RANK; d++) {
        if (IS_WHOLE)
            around[d] = neighbours_around(place[d], d);
        else
            around[d] = neighbours_at(place[d], d);
        source += around[d].first * p.dimensions[d].stride[SOURCE];
        is_single = is_single && around[d].weight == 0.0;
    }
    float result = is_single ? load(SOURCE_TYPE, p.source, source) : average(around);
    return IS_FLOAT ? result : floor(result + 0.5);
}

// ---- gradients

// Returns the number of elements whose first neighbour is before this one: their coordinates are in order.
uint count_before(uint neighbour, uint d)
{
    uint low = 0u, high = p.counts[d];
    while (low < high) {
        uint middle = low + (high - low) / 2u;
        if (neighbours_at(middle, d).first < neighbour)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

// The elements that have an element as a neighbour; the one that is visited, and its weights. The last dimension has the
// most of them, and a loop of its own.
const uint LAST = RANK - 1u;
uint begins[RANK], ends[RANK], at[LAST];
float weights[LAST];

float weight_in(uint element, uint neighbour, uint d)
{
    if (d < KEPT)
        return 1.0;
    neighbours around = neighbours_at(element, d);
    if (around.first == neighbour)
        return 1.0 - around.weight;
    return around.second == neighbour ? around.weight : 0.0;
}

// Returns the number of parts before those of element `k` of the elements whose sums have parts.
uint parts_before(uint k)
{
    uint ends = k == 0u ? 0u : k < p.places ? 1u : 2u;
    return (k + ends * p.more) * p.parts;
}

// Returns the number of the element that a part belongs to.
uint element_of_part(uint part)
{
    return clamp(part / p.parts, p.more, p.more + p.places - 1u) - p.more;
}

// Returns the number of gradients in the first `parts` of `all` parts, which are of the same size, or differ by one.
uint count_in_parts(uint gradients, uint parts, uint all)
{
    return parts * (gradients / all) + min(parts, gradients % all);
}

// Keeps only the gradients of one part.
void open_part(uint part)
{
    uint k = element_of_part(part), before = parts_before(k), all = parts_before(k + 1u) - before;
    uint begin = begins[LAST], gradients = ends[LAST] - begin;
    begins[LAST] = begin + count_in_parts(gradients, part - before, all);
    ends[LAST] = begin + count_in_parts(gradients, part - before + 1u, all);
}

// Takes the parts of an element's sum in place of gradients; there are none if it gets no gradients.
void open_parts(uint place)
{
    uint k = place - p.first_place;
    bool has_any = place >= p.first_place && k < p.places;
    begins[LAST] = has_any ? parts_before(k) : 0u;
    ends[LAST] = has_any ? parts_before(k + 1u) : 0u;
}

// Sets the elements that have an element as a neighbour, and returns their number without the last dimension. `part`:
// the part that is made.
uint open_gradients(uint place[RANK], uint part)
{
    uint count = 1u;
    [[unroll]] for (uint d = 0u; d < RANK; d++) {
        begins[d] = place[d];
        ends[d] = place[d] + 1u;
        if (d >= KEPT) {
            begins[d] = count_before(IS_LINEAR ? place[d] - min(place[d], 1u) : place[d], d);
            ends[d] = count_before(place[d] + 1u, d);
        }
    }
    if (PARTS == MADE)
        open_part(part);
    if (PARTS == ADDED)
        open_parts(place[LAST]);
    [[unroll]] for (uint d = 0u; d < LAST; d++) {
        at[d] = begins[d];
        weights[d] = weight_in(at[d], place[d], d);
        count *= ends[d] - begins[d];
    }
    return count;
}

void visit_next(uint place[RANK])
{
    bool moves = true;
    [[unroll]] for (uint d = 0u; d < LAST; d++) {
        uint next = at[d] + (moves ? 1u : 0u);
        moves = next >= ends[d];
        at[d] = moves ? begins[d] : next;
        weights[d] = weight_in(at[d], place[d], d);
    }
}

// Returns the sum of products of gradients and weights; gradients with a weight of 0 are left out.
float sum_of_gradients(uint place[RANK], uint part)
{
    precise float sum = 0.0;
    for (uint count = open_gradients(place, part); count > 0u; count--) {
        precise float outer = 1.0;
        uint source = 0u;
        [[unroll]] for (uint d = 0u; d < LAST; d++) {
            outer *= weights[d];
            source += at[d] * p.dimensions[d].stride[SOURCE];
        }
        for (uint rest = ends[LAST] - begins[LAST]; rest > 0u; rest -= min(rest, TERMS)) {
            [[unroll]] for (uint k = 0u; k < TERMS; k++) {
                uint element = ends[LAST] - rest + k;
                precise float weight = 0.0, term = 0.0;
                if (k < rest)
                    weight = outer * weight_in(element, place[LAST], LAST);
                if (weight > 0.0)
                    term = weight * load(SOURCE_TYPE, p.source, source + element * p.dimensions[LAST].stride[SOURCE]);
                sum += term;
            }
        }
        visit_next(place);
    }
    return sum;
}

void make(uint index)
{
    uint rest = index, target = 0u, place[RANK];
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.dimensions[d]);
        place[d] = rest - next * p.dimensions[d].size;
        rest = next;
        target += place[d] * p.dimensions[d].stride[TARGET];
    }
    uint part = place[LAST];
    if (PARTS == MADE)
        place[LAST] = p.first_place + element_of_part(part);
    if (IS_GRADIENT)
        store(TARGET_TYPE, p.target, target, sum_of_gradients(place, part));
    else
        store(TARGET_TYPE, p.target, target, resampled(place));
}

void main()
{
    uint count = p.count, group_size = p.group_size;
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size, end = min(group_size, count - begin);
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)
        make(begin + i);
}
