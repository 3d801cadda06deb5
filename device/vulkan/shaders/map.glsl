// The parts that the kernels of element-wise operators share: target[c] = formula(inputs[c]) for every coordinate c.
// map_real.comp, map_function.comp and map_composite.comp compute with floats of WIDTH bits, map_int.comp and
// map_uint.comp with integers. They define
//   number: the type of the formulas' values
//   load(type, p, i), store(type, p, i, value): an element of a data type as a number
//   attribute_of(bits): an attribute
#include "common.glsl"
#include "types.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 8; // dimensions to walk, at most 16; those that the space lacks have size 1
layout(constant_id = 2) const int OPERATOR = 1;
layout(constant_id = 3) const int INPUTS = 1;
layout(constant_id = 4) const int TYPE0 = 1; // DML_TENSOR_DATA_TYPE of the inputs
layout(constant_id = 5) const int TYPE1 = 1;
layout(constant_id = 6) const int TYPE2 = 1;
layout(constant_id = 7) const int TARGET_TYPE = 1;
layout(constant_id = 8) const int ACTIVATION = 0; // the fused activation, an operator; 0: none
layout(constant_id = 9) const bool SCALARS = false; // the formula has scalars
layout(constant_id = 10) const uint TOGETHER = 1; // elements that an invocation has in flight
layout(constant_id = 11) const bool ADJACENT = false; // fours of adjacent elements are adjacent in all tensors

const uint EITHER = 0u, POSITIVE = 1u; // InfinityMode

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS inputs[3];
    ADDRESS target;
    ADDRESS scalars[6]; // one element each: a FLOAT32 scale and a zero point for x, for y, for the target
    uint count;         // elements
    uint group_size;    // elements for each workgroup
    uvec2 least;        // attributes, in the format of numbers
    uvec2 most;
    uvec2 scale; // the first input becomes x * scale + bias
    uvec2 bias;
    uint is_scaled;
    uint mode;
    uint given; // a bit for each of `scalars` that is present
    dimension dimensions[16]; // innermost first; strides of the inputs, then of the target
};

layout(push_constant) uniform push
{
    parameters p;
};

