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

#include "samples.glsl"

float value_at(uint plane, neighbours rows, neighbours columns)
{
    return rows.is_outside || columns.is_outside ? p.outside : interpolated(plane, rows, columns);
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
    uint batch = batch_of(place[0]);
    float result = 0.0;
    if (batch < p.sizes[0])
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
