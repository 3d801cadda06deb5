// SCATTER_ND of rows. First each update notes its number for its row; then each row is copied, from its update or from
// the input. So no element is copied that an update overwrites.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "element.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool INDEX64 = false; // indices are 64 bits wide
layout(constant_id = 2) const bool COPIES = false;  // the second launch
layout(constant_id = 3) const uint TOGETHER = 1;    // elements that an invocation has in flight

#include "indices.glsl"

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(word) indices;
    POINTER(element) updates;
    POINTER(element) target;
    POINTER(word) notes; // the number of an update for each row
    uint count;          // updates, or elements of the target
    uint group_size;     // updates or elements for each workgroup
    uint update_count;
    uint sign; // the sign bit of a signed index, otherwise 0
    uint axes;
    uint unused;
    dimension row;   // the elements of a row
    axis axis_of[8]; // strides in rows
};

layout(push_constant) uniform push
{
    parameters p;
};

// Returns the row that an update goes to; undefined if `inside` is false.
uint row_of(uint update, out bool inside)
{
    POINTER(word) indices = p.indices;
    uint row = 0u, axes = p.axes;
    inside = true;
    for (uint k = 0u; k < axes; k++) {
        uvec2 index = load_index(indices, update * axes + k);
        bool valid;
        row += resolve(index.x, index.y, p.axis_of[k].size, p.sign, valid) * p.axis_of[k].stride;
        inside = inside && valid;
    }
    return row;
}

void note(uint begin, uint end)
{
    for (uint i = gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x) {
        bool inside;
        uint row = row_of(begin + i, inside);
        if (inside)
            WORD_AT(p.notes, row) = begin + i;
    }
}

// Copies rows. A row that no update noted has a note with the memory's earlier contents: a note counts only if the
// indices of the update confirm it.
void copy(uint begin, uint end)
{
    for (uint i = gl_LocalInvocationID.x; i < end; i += TOGETHER * gl_WorkGroupSize.x) {
        uint at[TOGETHER], row[TOGETHER], update[TOGETHER];
        bool noted[TOGETHER];
        [[unroll]] for (uint u = 0u; u < TOGETHER; u++) {
            at[u] = begin + min(i + u * gl_WorkGroupSize.x, end - 1u);
            row[u] = divide(at[u], p.row);
            update[u] = WORD_AT(p.notes, row[u]);
        }
        [[unroll]] for (uint u = 0u; u < TOGETHER; u++) {
            bool inside, known = update[u] < p.update_count;
            uint target = row_of(known ? update[u] : 0u, inside);
            noted[u] = known && inside && target == row[u];
        }
        element values[TOGETHER];
        [[unroll]] for (uint u = 0u; u < TOGETHER; u++) {
            if (noted[u])
                values[u] = ELEMENT_AT(p.updates, update[u] * p.row.size + (at[u] - row[u] * p.row.size));
            else
                values[u] = ELEMENT_AT(p.source, at[u]);
        }
        [[unroll]] for (uint u = 0u; u < TOGETHER; u++) {
            if (i + u * gl_WorkGroupSize.x < end)
                ELEMENT_AT(p.target, at[u]) = values[u];
        }
    }
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (p.count - 1u) / p.group_size)
        return;
    uint begin = group * p.group_size;
    uint end = min(p.group_size, p.count - begin);
    if (COPIES)
        copy(begin, end);
    else
        note(begin, end);
}
