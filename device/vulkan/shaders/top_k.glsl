// The parts that the kernels of TOP_K share: the parameters, and the keys of elements, which grow in the order of the
// selection.
#include "common.glsl"
#include "element.glsl"

layout(local_size_x_id = 0) in;

const uint UNSIGNED = 0u, SIGNED = 1u, RANK = 8u;

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    POINTER(element) source;
    POINTER(element) values;
    POINTER(word) indices;
    POINTER(word) scratch; // 2 * k words for each workgroup; k for each sequence that an invocation has alone; or the
                           // lists to write, of `found_size` for each sequence
    POINTER(word) given;   // the lists to select from, of `size` for each sequence
    uint sequences;
    uint size;   // elements of a sequence, or of its list
    uint k;      // elements that are selected
    uint groups; // workgroups; 0: an invocation has a sequence alone
    uint source_step; // step along the axis
    uint value_step;
    uint index_step;
    uint kind;       // kind of the elements: unsigned, signed, floating-point
    uint descending; // 0 or 1
    uint wide;       // 1: indices in the output are 64 bits wide
    uint digits;     // digits of 4 bits in an element; a parameter, so that compilers do not unroll the loops over them
    uint tile;       // elements of a sequence that a workgroup takes
    uint found_size;
    uint unused;
    dimension dimensions[8]; // dimensions of the sequences, innermost first; strides of source, values, indices
};

layout(push_constant) uniform push
{
    parameters p;
};

// Parameters that every key needs: they are read once, since a processor that runs many invocations as one vector reads
// them for each.
POINTER(element) elements;
uint kind, step_along;
bool descending;

void read_parameters()
{
    elements = p.source;
    kind = p.kind;
    step_along = p.source_step;
    descending = p.descending != 0u;
}

// Returns the low and high half of the key of an element with these bits.
uvec2 key_from(uvec2 bits)
{
    uint sign = 1u << (WIDTH == 64 ? 31u : uint(WIDTH - 1)), all = sign | (sign - 1u);
    uint top = WIDTH == 64 ? bits.y : bits.x;
    uint turned = (top & sign) != 0u ? ~top & all : top | sign;
    if (kind == SIGNED)
        top ^= sign;
    else if (kind != UNSIGNED) // floats have at most 32 bits; both zeros have one key
        top = top == sign ? sign : turned;
    if (descending)
        top = ~top & all;
    if (WIDTH == 64)
        return uvec2(descending ? ~bits.x : bits.x, top);
    return uvec2(top, 0u);
}

// Returns the key of an element in memory.
uvec2 key_at(uint at)
{
#if WIDTH == 64 && INT64
    return key_from(unpack32(ELEMENT_AT(elements, at)));
#elif WIDTH == 64
    return key_from(ELEMENT_AT(elements, at));
#else
    return key_from(uvec2(uint(ELEMENT_AT(elements, at)), 0u));
#endif
}

bool is_less(uvec2 a, uvec2 b)
{
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}
