// ROI_ALIGN and ROI_ALIGN1: an invocation computes one element of the output after the other, from samples of a bin.
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

const uint RANK = 4u, ROWS = 2u, COLUMNS = 3u; // the number of the dimensions of a picture
const uint SOURCE = 0u, TARGET = 1u;
const uint MOST_SAMPLES = 256u; // of a bin, in a dimension

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS regions;
    ADDRESS batches;
    ADDRESS target;
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    dimension dimensions[RANK]; // of the output, outermost first; strides of the source and the target
    uint sizes[RANK];           // of the source
    uint region_stride;
    uint entry_stride;
    uint batch_stride;
    uint fewest;
    uint most;
    float scale_y;
    float scale_x;
    float input_offset;
    float output_offset;
    float outside;
};

layout(push_constant) uniform push
{
    parameters p;
};

float entry_of_region(uint region, uint entry)
{
    return load(TYPE, p.regions, region * p.region_stride + entry * p.entry_stride);
}

// The samples of a bin along a dimension.
struct sampling {
    uint count;
    uint before; // samples of the region before the bin
    float total; // samples of the region
    float first; // edge of the region
    float extent;
};

sampling sampling_of(uint region, uint bin, uint d)
{
    uint i = d == ROWS ? 1u : 0u, bins = p.dimensions[d].size;
    float scale = d == ROWS ? p.scale_y : p.scale_x, first = entry_of_region(region, i);
    precise float begin = first * scale, extent = (entry_of_region(region, i + 2u) - first) * scale;
    float wanted = ceil(quotient(extent, float(bins)));
    uint most = min(p.most, MOST_SAMPLES), count = min(p.fewest, MOST_SAMPLES);
    if (wanted > float(count))
        count = wanted < float(most) ? uint(wanted) : max(most, count);
    return sampling(count, bin * count, float(bins * count), begin, extent);
}

// Two elements around a sample along a dimension.
struct neighbours {
    uint first;
    uint second;
    float weight; // of the second one
    bool is_outside;
};

neighbours neighbours_of(sampling s, uint number_of_sample, uint d)
{
    precise float at = float(s.before + number_of_sample) - p.output_offset;
    precise float x = quotient(at * s.extent, s.total);
    if (CORNERS != 0u)
        x = s.total > 1.0 ? quotient(at * s.extent, s.total - 1.0) : 0.5 * s.extent;
    x = x + s.first - p.input_offset;
    uint size = p.sizes[d];
    if (!(x >= -1.0 && x <= float(size)))
        return neighbours(0u, 0u, 0.0, true);
    float within = clamp(x, 0.0, float(size - 1u));
    if (IS_LINEAR == 0u)
        return neighbours(min(uint(within + 0.5), size - 1u), 0u, 0.0, false);
    uint first = min(uint(within), size - 1u);
    return neighbours(first, min(first + 1u, size - 1u), within - float(first), false);
}

float average(float first, float second, float weight)
{
    precise float before = (1.0 - weight) * first, behind = weight * second, sum = before + behind;
    return sum;
}

float line(uint plane, uint row, neighbours columns)
{
    uint start = plane + row * p.dimensions[ROWS].stride[SOURCE], apart = p.dimensions[COLUMNS].stride[SOURCE];
    float first = load(TYPE, p.source, start + columns.first * apart);
    return columns.weight > 0.0
               ? average(first, load(TYPE, p.source, start + columns.second * apart), columns.weight)
               : first;
}

float value_at(uint plane, neighbours rows, neighbours columns)
{
    if (rows.is_outside || columns.is_outside)
        return p.outside;
    float first = line(plane, rows.first, columns);
    return rows.weight > 0.0 ? average(first, line(plane, rows.second, columns), rows.weight) : first;
}

// Returns the average or the maximum of the samples of a bin.
float reduced(uint plane, sampling rows, sampling columns)
{
    precise float sum = 0.0;
    float greatest = uintBitsToFloat(0xff800000u); // minus infinity
    for (uint i = 0u; i < rows.count; i++) {
        neighbours row = neighbours_of(rows, i, ROWS);
        for (uint j = 0u; j < columns.count; j++) {
            float value = value_at(plane, row, neighbours_of(columns, j, COLUMNS));
            sum += value;
            greatest = value > greatest ? value : greatest;
        }
    }
    return IS_MAX != 0u ? greatest : quotient(sum, float(rows.count * columns.count));
}

void make(uint index)
{
    uint rest = index, place[RANK], target = 0u;
    [[unroll]] for (uint d = RANK; d-- > 0u;) {
        uint next = divide(rest, p.dimensions[d]);
        place[d] = rest - next * p.dimensions[d].size;
        rest = next;
        target += place[d] * p.dimensions[d].stride[TARGET];
    }
    bool is_wide = bits_of(BATCH_TYPE) == 64; // the low word comes first
    uint word_at = place[0] * p.batch_stride * (is_wide ? 2u : 1u);
    uint batch = load_word(UINT32, p.batches, word_at);
    bool is_beyond = batch >= p.sizes[0] || (is_wide && load_word(UINT32, p.batches, word_at + 1u) != 0u);
    float result = 0.0;
    if (!is_beyond)
        result = reduced(batch * p.dimensions[0].stride[SOURCE] + place[1] * p.dimensions[1].stride[SOURCE],
                         sampling_of(place[0], place[ROWS], ROWS), sampling_of(place[0], place[COLUMNS], COLUMNS));
    store(TYPE, p.target, target, result);
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
