// The parts that the kernels of CUMULATIVE_SUMMATION and CUMULATIVE_PRODUCT share: target[k] = all of source[0 ... k]
// of a line, added or multiplied. A line that a workgroup takes alone is one tile. Otherwise a reduction has written
// the sum of each tile, and a launch of this kernel without types has replaced each by the sum of all tiles before it.
//
// A workgroup reads a chunk of its tile, each invocation EACH elements side by side, adds these up, and then the sums
// of its invocations. cumulate_real.comp adds floats, cumulate_whole.comp integers of WIDTH bits; they define
//   number, load_sum(), load_element(), store_element()
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool IS_PRODUCT = false;
layout(constant_id = 2) const int TYPE = 0; // DML_TENSOR_DATA_TYPE of the elements; 0: sums of tiles
layout(constant_id = 3) const bool EXCLUSIVE = false;

const uint EACH = WIDTH == 64 ? 2u : 4u;

#include "lanes.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source;
    ADDRESS target;
    ADDRESS before; // for each tile: the sum of all tiles before it
    line_grid grid;
    uint source_first; // offset of a line, and the step along it, which may be backwards: both modulo 2^32
    uint source_step;
    uint target_first;
    uint target_step;
    uint is_tiled; // `before` exists
    uint unused;
    dimension line_dimensions[8]; // innermost first; strides of the source, then of the target
};

layout(push_constant) uniform push
{
    parameters p;
};
