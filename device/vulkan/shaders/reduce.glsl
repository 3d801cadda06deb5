// The parts that the kernels of REDUCE, ARGMIN and ARGMAX share: one level of a reduction of lines to one result each.
// The first level reads elements; with more than one tile a line, it writes a partial result for each, and the next
// level reads those. A level adds eight elements as a tree, then four of these sums (16 in lines side by side), then
// those, then as a tree across the invocations, so errors grow slowly.
//
// reduce_real.comp computes with floats, reduce_whole.comp with integers of WIDTH bits, also where elements are only
// compared. They define
//   number: the first part of a partial result
//   second: the other part, which not every function has
//   load_element(); load_elements(), four adjacent ones of at most 32 bits
//   unit(), of_element(), join(), load_partial(), store_partial(), store_result()
#include "common.glsl"
#include "types.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 0;    // dimensions to walk along a line; 0: p.place_rank
layout(constant_id = 2) const int FUNCTION = 0; // DML_REDUCE_FUNCTION
layout(constant_id = 3) const int TYPE = 0;     // DML_TENSOR_DATA_TYPE of the elements; 0: partial results
layout(constant_id = 4) const int TARGET_TYPE = 0; // type of the results; 0: partial results
layout(constant_id = 5) const bool MANY = false;   // invocations have many elements each
layout(constant_id = 6) const uint ACROSS = 1; // adjacent lines that an invocation takes
layout(constant_id = 7) const bool FOURS = false; // an invocation reads its only line four by four

// DML_REDUCE_FUNCTION
const int ARGMAX = 0, ARGMIN = 1, AVERAGE = 2, L1 = 3, L2 = 4, LOG_SUM = 5, LOG_SUM_EXP = 6, MAX = 7, MIN = 8;
const int MULTIPLY = 9, SUM = 10, SUM_SQUARE = 11;

#include "lanes.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS source; // elements, or the first parts of partial results; the second parts
    ADDRESS source_seconds;
    ADDRESS target;
    ADDRESS target_seconds;
    line_grid grid;
    uint first; // offset of the first element in the source
    uint place_rank;
    uint total; // elements that contribute to one result
    uint prefers_last; // among equal elements, the last index counts
    dimension line_dimensions[8]; // innermost first; strides of the source, then of the target
    dimension place_dimensions[8];
};

layout(push_constant) uniform push
{
    parameters p;
};

// Returns the coordinate in a dimension; `rest` becomes the number of the outer coordinates.
uint take_coordinate(dimension d, inout uint rest)
{
    uint next = divide(rest, d), coordinate = rest - next * d.size;
    rest = next;
    return coordinate;
}

// Parameters that every element needs: they are read once, since a processor that runs many invocations as one vector
// reads them for each.
ADDRESS source, source_seconds, target;
uint first_element, place_step;
bool prefers_last;

void read_parameters()
{
    source = p.source;
    target = p.target;
    source_seconds = p.source_seconds;
    first_element = p.first;
    place_step = p.place_dimensions[0].stride[0];
    prefers_last = p.prefers_last != 0u;
}

uint offset_of_place(uint place)
{
    uint rest = place, offset = 0u;
    if (RANK == 1u)
        return place * place_step;
    if (RANK > 0u) {
        [[unroll]] for (uint d = 0u; d < RANK; d++)
            offset += take_coordinate(p.place_dimensions[d], rest) * p.place_dimensions[d].stride[0];
        return offset;
    }
    for (uint d = 0u; d < p.place_rank; d++)
        offset += take_coordinate(p.place_dimensions[d], rest) * p.place_dimensions[d].stride[0];
    return offset;
}
