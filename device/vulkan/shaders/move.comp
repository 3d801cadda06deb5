// Moves elements: target[t] = source[s] for every coordinate of a space. Indices contribute to s (gathers), to t
// (scatters) or to neither (copies).
#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
#include "element.glsl"
#if TEXELS
#include "texels.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 8;         // dimensions to walk; those that the space lacks have size 1
layout(constant_id = 2) const uint AXES = 1;         // indices for each element: 0, 1, or 2 for `axes` of them
layout(constant_id = 3) const bool INDEX64 = false;  // indices are 64 bits wide
layout(constant_id = 4) const bool SCATTER = false;  // indices address the target
layout(constant_id = 5) const uint TOGETHER = 1;     // elements that an invocation has in flight
layout(constant_id = 6) const bool SLICES = false;   // a workgroup copies the slice of the target that it scatters into

#include "indices.glsl"

ARRAY(quad, uvec4, 16);

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(word) indices;
    POINTER(element) target;
    POINTER(quad) base;   // with SLICES: source of the slices,
    POINTER(quad) slices; // and their address in the target
    uint count;        // elements to move
    uint group_size;   // elements for each workgroup
    uint sign;         // the sign bit of a signed index, otherwise 0
    uint axes;
    uint index_step;   // from one index of a tuple to the next
    uint source_start; // elements before the first; strides may be negative, modulo 2^32
    uint target_start;
    uint slice;              // quads of a slice
    dimension dimensions[8]; // innermost first; strides of source, indices, target
    axis axis_of[8];
};

layout(push_constant) uniform push
{
    parameters p;
};

#if TEXELS
// An invocation takes RUN elements side by side, whose indices are in texels, as are the elements that it moves. A run
// lies in the innermost dimension.
const uint RUN = 8u, INDEX_WORDS = INDEX64 ? 2u : 1u, TUPLE_WORDS = AXES * INDEX_WORDS;

void move_run(POINTER(element) source, POINTER(element) target, uint from, uint to, uint offsets[RUN], bool live[RUN],
              uint step)
{
    if (SCATTER) {
        uvec4 texels[RUN / 4u];
        [[unroll]] for (uint f = 0u; f < RUN / 4u; f++)
            texels[f] = texel_of(0, source, from / 4u + f);
        [[unroll]] for (uint k = 0u; k < RUN; k++) {
            if (live[k])
                ELEMENT_AT(target, to + k * step + offsets[k]) = texels[k / 4u][k % 4u];
        }
        return;
    }
    uint values[RUN];
    [[unroll]] for (uint k = 0u; k < RUN; k++)
        values[k] = word_of(source, from + k * step + offsets[k]);
    store_longs(target, to / RUN,
                u64vec4(pack64(uvec2(values[0], values[1])), pack64(uvec2(values[2], values[3])),
                        pack64(uvec2(values[4], values[5])), pack64(uvec2(values[6], values[7]))));
}

void main()
{
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    POINTER(element) source = p.source;
    POINTER(word) indices = p.indices;
    POINTER(element) target = p.target;
    axis axes[2] = axis[](p.axis_of[0], p.axis_of[1]);
    uint sign = p.sign, source_start = p.source_start, target_start = p.target_start;
    uint count = p.count, group_size = p.group_size;

    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    uint begin = group * group_size;
    uint end = min(group_size, count - begin);
    for (uint i = RUN * gl_LocalInvocationID.x; i < end; i += RUN * gl_WorkGroupSize.x) {
        uint rest = begin + i, from = source_start, at = 0u, to = target_start;
        [[unroll]] for (uint d = 0; d < RANK; d++) {
            uint coordinate = rest;
            if (d + 1u < RANK) {
                uint next = divide(rest, dimensions[d]);
                coordinate = rest - next * dimensions[d].size;
                rest = next;
            }
            from += coordinate * dimensions[d].stride[0];
            at += coordinate * dimensions[d].stride[1];
            to += coordinate * dimensions[d].stride[2];
        }
        uvec4 texels[RUN * 4u / 4u]; // at most, for two indices of 64 bits for each element
        [[unroll]] for (uint t = 0u; t < RUN * TUPLE_WORDS / 4u; t++)
            texels[t] = texel_of(1, indices, at * INDEX_WORDS / 4u + t);
        uint offsets[RUN];
        bool live[RUN];
        [[unroll]] for (uint k = 0u; k < RUN; k++) {
            offsets[k] = 0u;
            live[k] = true;
            [[unroll]] for (uint a = 0u; a < AXES; a++) {
                uint word = k * TUPLE_WORDS + a * INDEX_WORDS;
                bool inside;
                offsets[k] += resolve(texels[word / 4u][word % 4u], INDEX64 ? texels[word / 4u][(word + 1u) % 4u] : 0u,
                                      axes[a].size, sign, inside) * axes[a].stride;
                live[k] = live[k] && inside;
            }
        }
        move_run(source, target, from, to, offsets, live, dimensions[0].stride[SCATTER ? 2 : 0]);
    }
}
#else
// Copies a slice of the target. The scattered elements then go to memory that is still in the cache.
void copy_slice(uint group)
{
    const uint together = 4u;
    uint first = group * p.slice, end = p.slice;
    for (uint i = gl_LocalInvocationID.x; i < end; i += together * gl_WorkGroupSize.x) {
        uvec4 quads[together];
        [[unroll]] for (uint u = 0u; u < together; u++)
            quads[u] = AT(quad, 16, p.base, first + min(i + u * gl_WorkGroupSize.x, end - 1u));
        [[unroll]] for (uint u = 0u; u < together; u++) {
            if (i + u * gl_WorkGroupSize.x < end)
                AT(quad, 16, p.slices, first + i + u * gl_WorkGroupSize.x) = quads[u];
        }
    }
    memoryBarrierBuffer();
    barrier();
}

void main()
{
    // Parameters that are the same for every element are read first, without branches: a processor that runs many
    // invocations as one vector then reads them once for all invocations.
    dimension dimensions[RANK];
    [[unroll]] for (uint d = 0; d < RANK; d++)
        dimensions[d] = p.dimensions[d];
    POINTER(element) source = p.source;
    POINTER(word) indices = p.indices;
    POINTER(element) target = p.target;
    uint sign = p.sign;
    uint axes = p.axes;
    uint index_step = p.index_step;
    axis first_axis = p.axis_of[0];
    uint source_start = p.source_start;
    uint target_start = p.target_start;
    uint count = p.count;
    uint group_size = p.group_size;

    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (group > (count - 1u) / group_size)
        return;
    if (SCATTER) // backwards: the end of an earlier copy is still in the cache
        group = (count - 1u) / group_size - group;
    uint begin = group * group_size;
    uint end = min(group_size, count - begin);
    for (uint done = 0u; done < end; done += TOGETHER * gl_WorkGroupSize.x) {
        // Do each step for all elements before the next step, so that their memory accesses overlap.
        uint from[TOGETHER], at[TOGETHER], to[TOGETHER];
        bool live[TOGETHER];
        [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
            uint number = done + u * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
            uint rest = begin + min(number, end - 1u);
            live[u] = number < end;
            from[u] = source_start;
            at[u] = 0u;
            to[u] = target_start;
            [[unroll]] for (uint d = 0; d < RANK; d++) {
                uint coordinate = rest;
                if (d + 1u < RANK) {
                    uint next = divide(rest, dimensions[d]);
                    coordinate = rest - next * dimensions[d].size;
                    rest = next;
                }
                from[u] += coordinate * dimensions[d].stride[0];
                at[u] += coordinate * dimensions[d].stride[1];
                to[u] += coordinate * dimensions[d].stride[2];
            }
        }
        for (uint k = 0; k < (AXES > 1u ? axes : AXES); k++) {
            axis a = first_axis;
            if (AXES > 1u)
                a = p.axis_of[k];
            uvec2 index[TOGETHER];
            [[unroll]] for (uint u = 0; u < TOGETHER; u++)
                index[u] = load_index(indices, at[u] + k * index_step);
            [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
                bool inside;
                uint offset = resolve(index[u].x, index[u].y, a.size, sign, inside) * a.stride;
                if (SCATTER) {
                    to[u] += offset;
                    live[u] = live[u] && inside;
                } else {
                    from[u] += offset;
                }
            }
        }
        element values[TOGETHER];
        [[unroll]] for (uint u = 0; u < TOGETHER; u++)
            values[u] = element(ELEMENT_AT(source, from[u]));
        if (SLICES && done == 0u)
            copy_slice(group);
        [[unroll]] for (uint u = 0; u < TOGETHER; u++) {
            if (live[u])
                ELEMENT_AT(target, to[u]) = STORED(values[u]);
        }
    }
}
#endif
