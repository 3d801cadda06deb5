// ROI_ALIGN_GRAD: an invocation computes one element of an output after the other. An element of the picture's gradient
// looks for the samples that pass something on to it; an edge of a region adds up what all samples of its region pass on.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int TYPE = 1; // DML_TENSOR_DATA_TYPE
layout(constant_id = 2) const int BATCH_TYPE = 3;
layout(constant_id = 3) const uint IS_MAX = 0u;
layout(constant_id = 4) const uint IS_LINEAR = 1u;
layout(constant_id = 5) const uint CORNERS = 0u;
layout(constant_id = 6) const uint OF_REGIONS = 0u; // the output has the gradients of the edges of regions

const uint RANK = 4u, ROWS = 2u, COLUMNS = 3u; // the number of the dimensions of a picture
const uint SOURCE = 0u, GRADIENT = 1u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS regions;
    ADDRESS batches;
    ADDRESS target;
    ADDRESS gradient;
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    dimension dimensions[RANK]; // of the bins, outermost first; strides of the source and the gradient
    dimension made[RANK];       // of the output, whose stride is the first one
    uint sizes[RANK];           // of the picture
    uint region_stride;
    uint entry_stride;
    uint batch_stride;
    uint fewest;
    uint most;
    float scale_y;
    float scale_x;
    float input_offset;
    float output_offset;
};

layout(push_constant) uniform push
{
    parameters p;
};

#include "samples.glsl"

// A bin of a region in a channel.
struct bin {
    sampling rows;
    sampling columns;
    uint plane; // where its picture begins
    float gradient;
};

bin bin_at(uint plane, uint region, uint channel, uint row, uint column)
{
    uint at = region * p.dimensions[0].stride[GRADIENT] + channel * p.dimensions[1].stride[GRADIENT] +
              row * p.dimensions[ROWS].stride[GRADIENT] + column * p.dimensions[COLUMNS].stride[GRADIENT];
    return bin(sampling_of(region, row, ROWS), sampling_of(region, column, COLUMNS), plane, load(TYPE, p.gradient, at));
}

uint plane_at(uint batch, uint channel)
{
    return batch * p.dimensions[0].stride[SOURCE] + channel * p.dimensions[1].stride[SOURCE];
}

// Returns the number of the greatest sample of a bin, of equal ones the first; the number of samples if all are outside.
uint winner_of(bin b)
{
    uint winner = b.rows.count * b.columns.count;
    float greatest = uintBitsToFloat(0xff800000u); // minus infinity
    for (uint i = 0u; i < b.rows.count; i++) {
        neighbours row = neighbours_of(b.rows, i, ROWS);
        for (uint j = 0u; j < b.columns.count && !row.is_outside; j++) {
            neighbours column = neighbours_of(b.columns, j, COLUMNS);
            if (column.is_outside)
                continue;
            float value = interpolated(b.plane, row, column);
            if (value > greatest) {
                greatest = value;
                winner = i * b.columns.count + j;
            }
        }
    }
    return winner;
}

// Returns the weight of an element in a sample.
float weight_in(neighbours n, uint element)
{
    precise float first = 1.0 - n.weight;
    return n.is_outside ? 0.0 : (n.first == element ? first : (n.second == element ? n.weight : 0.0));
}

// Returns the sum of the weights of an element in all samples of a bin along a dimension.
float weights_in(sampling s, uint d, uint element)
{
    precise float sum = 0.0;
    for (uint i = 0u; i < s.count; i++)
        sum += weight_in(neighbours_of(s, i, d), element);
    return sum;
}

// Returns what a bin passes on to an element of the picture.
float passed_on(bin b, uint row, uint column)
{
    float down = weights_in(b.rows, ROWS, row);
    float across = down != 0.0 ? weights_in(b.columns, COLUMNS, column) : 0.0;
    if (across == 0.0)
        return 0.0;
    if (IS_MAX == 0u)
        return quotient(b.gradient * down * across, float(b.rows.count * b.columns.count));
    uint winner = winner_of(b);
    if (winner == b.rows.count * b.columns.count)
        return 0.0;
    return b.gradient * weight_in(neighbours_of(b.rows, winner / b.columns.count, ROWS), row) *
           weight_in(neighbours_of(b.columns, winner % b.columns.count, COLUMNS), column);
}

float gradient_of_picture(uint place[RANK])
{
    precise float sum = 0.0;
    uint plane = plane_at(place[0], place[1]);
    for (uint region = 0u; region < p.dimensions[0].size; region++)
        for (uint i = 0u; i < p.dimensions[ROWS].size && batch_of(region) == place[0]; i++)
            for (uint j = 0u; j < p.dimensions[COLUMNS].size; j++)
                sum += passed_on(bin_at(plane, region, place[1], i, j), place[ROWS], place[COLUMNS]);
    return sum;
}

float slope_down(uint plane, neighbours row, neighbours column)
{
    return row.weight > 0.0 ? line(plane, row.second, column) - line(plane, row.first, column) : 0.0;
}

float slope_across(uint plane, neighbours row, neighbours column)
{
    neighbours first = neighbours(column.first, 0u, 0.0, false), second = neighbours(column.second, 0u, 0.0, false);
    return column.weight > 0.0 ? interpolated(plane, row, second) - interpolated(plane, row, first) : 0.0;
}

// Returns the growth of a sample of a bin with an edge of its region: x1, y1, x2, y2.
float growth_of(bin b, uint i, uint j, uint edge)
{
    neighbours row = neighbours_of(b.rows, i, ROWS), column = neighbours_of(b.columns, j, COLUMNS);
    if (row.is_outside || column.is_outside)
        return 0.0;
    bool is_down = (edge & 1u) != 0u;
    precise float part = is_down ? distance_of(b.rows, i, 1.0) : distance_of(b.columns, j, 1.0);
    precise float rate = (edge > 1u ? part : 1.0 - part) * (is_down ? p.scale_y : p.scale_x);
    return rate * (is_down ? slope_down(b.plane, row, column) : slope_across(b.plane, row, column));
}

// Returns what the samples of a bin pass on to an edge of its region.
float passed_to_edge(bin b, uint edge)
{
    uint count = b.rows.count * b.columns.count;
    precise float sum = 0.0;
    if (IS_MAX != 0u) {
        uint winner = winner_of(b);
        if (winner == count)
            return 0.0;
        return b.gradient * growth_of(b, winner / b.columns.count, winner % b.columns.count, edge);
    }
    for (uint i = 0u; i < count; i++)
        sum += growth_of(b, i / b.columns.count, i % b.columns.count, edge);
    return quotient(b.gradient * sum, float(count));
}

float gradient_of_edge(uint region, uint edge)
{
    precise float sum = 0.0;
    uint batch = batch_of(region);
    for (uint channel = 0u; channel < p.dimensions[1].size && batch < p.sizes[0]; channel++)
        for (uint i = 0u; i < p.dimensions[ROWS].size; i++)
            for (uint j = 0u; j < p.dimensions[COLUMNS].size; j++)
                sum += passed_to_edge(bin_at(plane_at(batch, channel), region, channel, i, j), edge);
    return sum;
}

void make(uint index)
{
    uint rest = index, place[RANK], target = 0u;
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.made[d]);
        place[d] = rest - next * p.made[d].size;
        rest = next;
        target += place[d] * p.made[d].stride[0];
    }
    store(TYPE, p.target, target, OF_REGIONS != 0u ? gradient_of_edge(place[ROWS], place[COLUMNS])
                                                   : gradient_of_picture(place));
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
