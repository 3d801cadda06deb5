// Shared by the kernels of element-wise operators: target[c] = formula(inputs[c]) for every coordinate c. map_real.comp
// and map_function.comp compute with floats of WIDTH bits, map_int.comp and map_uint.comp with integers. They define
//   number: what the formulas compute with
//   load(type, p, i), store(type, p, i, value): an element of a data type as a number
//   attribute_of(bits): an attribute
// Elements of 8 and 16 bits are memory accesses of that size.
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#if !INT64
#extension GL_EXT_buffer_reference_uvec2 : require
#endif
#include "common.glsl"
#include "operators.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint RANK = 8; // dimensions to walk; those that the space lacks have size 1
layout(constant_id = 2) const int OPERATOR = 1;
layout(constant_id = 3) const int INPUTS = 1;
layout(constant_id = 4) const int TYPE0 = 1; // DML_TENSOR_DATA_TYPE of the inputs
layout(constant_id = 5) const int TYPE1 = 1;
layout(constant_id = 6) const int TYPE2 = 1;
layout(constant_id = 7) const int TARGET_TYPE = 1;

const int FLOAT32 = 1, FLOAT16 = 2, UINT32 = 3, UINT16 = 4, UINT8 = 5, INT32 = 6, INT16 = 7, INT8 = 8, FLOAT64 = 9;
const int UINT64 = 10, INT64_ = 11;
const uint HALVES_TO_NEAREST_EVEN = 0u, TOWARD_ZERO = 1u; // RoundingMode
const uint EITHER = 0u, POSITIVE = 1u;                    // InfinityMode

ARRAY(byte, uint8_t, 1);
ARRAY(short, uint16_t, 2);
#if INT64
ARRAY(long, uint64_t, 8);
#define ADDRESS uint64_t
#define AS(NAME, p) (p)
#else
#define ADDRESS uvec2
#define AS(NAME, p) NAME##_reference(p)
#endif

layout(buffer_reference, scalar, buffer_reference_align = 16) readonly buffer parameters
{
    ADDRESS inputs[3];
    ADDRESS target;
    uint count;      // elements
    uint group_size; // elements for each workgroup
    uvec2 least;     // attributes, as numbers
    uvec2 most;
    uvec2 scale; // the first input becomes x * scale + bias
    uvec2 bias;
    uint is_scaled;
    uint mode;
    dimension dimensions[8]; // innermost first; strides of the inputs, then of the target
};

layout(push_constant) uniform push
{
    parameters p;
};

bool is_signed(int type)
{
    return type == INT8 || type == INT16 || type == INT32 || type == INT64_;
}

int bits_of(int type)
{
    return type == UINT8 || type == INT8                       ? 8
           : type == FLOAT16 || type == UINT16 || type == INT16 ? 16
           : type == FLOAT64 || type == UINT64 || type == INT64_ ? 64
                                                                 : 32;
}

// The bits of an element of at most 32 bits, zero-extended.
uint load_word(int type, ADDRESS p, uint i)
{
    if (bits_of(type) == 8)
        return uint(AT(byte, 1, AS(byte, p), i));
    if (bits_of(type) == 16)
        return uint(AT(short, 2, AS(short, p), i));
    return AT(word, 4, AS(word, p), i);
}

void store_word(int type, ADDRESS p, uint i, uint bits)
{
    if (bits_of(type) == 8)
        AT(byte, 1, AS(byte, p), i) = uint8_t(bits);
    else if (bits_of(type) == 16)
        AT(short, 2, AS(short, p), i) = uint16_t(bits);
    else
        AT(word, 4, AS(word, p), i) = bits;
}

// An element of an integer type of at most 32 bits.
int load_int(int type, ADDRESS p, uint i)
{
    uint bits = load_word(type, p, i);
    int unused = 32 - bits_of(type);
    return is_signed(type) ? int(bits << unused) >> unused : int(bits);
}
