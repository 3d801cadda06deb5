// ROI_POOLING: an invocation computes one element of the output after the other, from the elements of a bin.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "types.glsl"
#include "reals.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int TYPE = 1; // DML_TENSOR_DATA_TYPE

const uint RANK = 4u, ROWS = 2u, COLUMNS = 3u; // the number of the dimensions of a picture
const uint SOURCE = 0u, TARGET = 1u;
const float FARTHEST = 1048576.0; // no corner is rounded beyond it

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS regions;
    ADDRESS target;
    uint count;      // elements of the output
    uint group_size; // elements for each workgroup
    dimension dimensions[RANK]; // of the output, outermost first; strides of the source and the target
    uint sizes[RANK];           // of the source
    uint region_stride;
    uint entry_stride;
    float scale;
};

layout(push_constant) uniform push
{
    parameters p;
};

float entry_of_region(uint region, uint entry)
{
    return load(TYPE, p.regions, region * p.region_stride + entry * p.entry_stride);
}

// Returns a corner as a whole number: halves are rounded away from zero. A NaN becomes 0.
int whole_corner(float corner)
{
    precise float product = corner * p.scale;
    if (is_nan(product))
        return 0;
    float limited = clamp(product, -FARTHEST, FARTHEST);
    return int(limited < 0.0 ? limited - 0.5 : limited + 0.5);
}

// Returns a * b / c, and the rest of the division.
uvec2 product_divided(uint a, uint b, uint c)
{
    uint high, low;
    umulExtended(a, b, high, low);
    if (high == 0u)
        return uvec2(low / c, low % c);
    uint quotient = 0u, rest = high % c; // digit by digit
    for (int i = 31; i >= 0; i--) {
        bool is_carried = (rest & 0x80000000u) != 0u;
        rest = rest << 1u | (low >> uint(i) & 1u);
        bool fits = is_carried || rest >= c;
        rest -= fits ? c : 0u;
        quotient = quotient << 1u | (fits ? 1u : 0u);
    }
    return uvec2(quotient, rest);
}

// Returns the first row, or column, of the source that a bin has, and the one past its last.
ivec2 bin_between(float first_corner, float last_corner, uint bin, uint d)
{
    int first = whole_corner(first_corner), size = int(p.sizes[d]);
    uint length = uint(max(whole_corner(last_corner) - first + 1, 1)), count = p.dimensions[d].size;
    uvec2 begin = product_divided(bin, length, count), past = product_divided(bin + 1u, length, count);
    return ivec2(clamp(first + int(begin.x), 0, size),
                 clamp(first + int(past.x) + (past.y == 0u ? 0 : 1), 0, size));
}

float greatest_in_bin(uint plane, ivec2 rows, ivec2 columns)
{
    if (rows.x >= rows.y || columns.x >= columns.y)
        return 0.0;
    float greatest = uintBitsToFloat(0xff800000u); // minus infinity
    for (int y = rows.x; y < rows.y; y++)
        for (int x = columns.x; x < columns.y; x++) {
            uint offset = uint(y) * p.dimensions[ROWS].stride[SOURCE] + uint(x) * p.dimensions[COLUMNS].stride[SOURCE];
            float element = load(TYPE, p.source, plane + offset);
            greatest = element > greatest ? element : greatest;
        }
    return greatest;
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
    float batch = entry_of_region(place[0], 0u);
    float result = 0.0;
    if (batch >= 0.0 && batch < float(p.sizes[0])) { // else the source has no such batch
        ivec2 rows = bin_between(entry_of_region(place[0], 2u), entry_of_region(place[0], 4u), place[ROWS], ROWS);
        ivec2 columns =
            bin_between(entry_of_region(place[0], 1u), entry_of_region(place[0], 3u), place[COLUMNS], COLUMNS);
        uint source = min(uint(batch), p.sizes[0] - 1u);
        result = greatest_in_bin(source * p.dimensions[0].stride[SOURCE] + place[1] * p.dimensions[1].stride[SOURCE],
                                 rows, columns);
    }
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
