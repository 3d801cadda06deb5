// Elements as floats of WIDTH bits: 32 for FLOAT32, FLOAT16 and integers that fit, 64 for FLOAT64 and for wide
// integers. Numbers are rounded once, when they are stored.

// Returns fraction * 2^-drop, rounded to nearest even; drop is from 1 to 31.
uint round_bits(uint fraction, uint drop)
{
    uint whole = fraction >> drop, rest = fraction & ((1u << drop) - 1u), tie = 1u << (drop - 1u);
    return whole + (rest > tie || (rest == tie && (whole & 1u) != 0u) ? 1u : 0u);
}

#if WIDTH == 64
#define number double
#define number4 dvec4
#include "map_double.glsl"
#else
#define number float
#define number4 vec4
#include "map_float.glsl"
#endif

// ---- FLOAT16, by its bits where drivers may flush denormals or truncate

layout(constant_id = 13) const bool CONVERTS = false; // the driver converts by IEEE 754

float from_half(uint element)
{
    uint sign = (element & 0x8000u) << 16, exponent = element >> 10 & 31u, fraction = element & 1023u;
    uint denormal = floatBitsToUint(float(fraction) * (1.0 / 16777216.0));
    uint bits = exponent == 31u ? 0x7f800000u | fraction << 13 : (exponent + 112u) << 23 | fraction << 13;
    return uintBitsToFloat(sign | (exponent == 0u ? denormal : bits));
}

// Rounds to nearest even. A NaN keeps the upper bits of its payload.
uint to_half(float value)
{
    uint bits = floatBitsToUint(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return sign | 0x7c00u | max(size >> 13 & 1023u, 1u);
    if (size >= 0x477ff000u) // 65520, half way to the next power of two
        return sign | 0x7c00u;
    if (size >= 0x38800000u) // the least normal number
        return sign | (size - 0x38000000u + 0x0fffu + (size >> 13 & 1u)) >> 13;
    return sign | round_bits((size & 0x007fffffu) | 0x00800000u, min(126u - (size >> 23), 31u));
}

#if WIDTH == 64
// Rounds to odd: a result that is not exact gets an odd last bit, so that it can be rounded again.
float to_odd(double value)
{
    float nearest = float(value);
    double back = double(nearest);
    uint bits = floatBitsToUint(nearest);
    if (back == value || is_nan(value) || is_infinite(value) || (bits & 1u) != 0u)
        return nearest;
    return uintBitsToFloat(abs(back) > abs(value) ? bits - 1u : bits + 1u);
}
#else
#define to_odd
#endif

// ---- integers: toward zero; saturates; a NaN becomes 0

uint to_word(int type, number value)
{
    bool has_sign = is_signed(type);
    int unused = bits_of(type) < 32 ? 32 - bits_of(type) : 0;
    number least = has_sign ? -number(2147483648u >> unused) : number(0);
    number most = has_sign ? number(2147483647u >> unused) : number(0xffffffffu >> unused);
    if (is_nan(value))
        return 0u;
    if (value <= least) // compared with `least` as bits: 2^31 is no int
        return has_sign ? 0u - (0x80000000u >> unused) : 0u;
    if (value >= most) // in 32 bits the limit is rounded up
        return has_sign ? 0x7fffffffu >> unused : 0xffffffffu >> unused;
    return has_sign ? uint(int(value)) : uint(value);
}

#if INT64
uint64_t to_long(int type, number value)
{
    bool has_sign = is_signed(type);
    number most = has_sign ? number(9223372036854775808.0lf) : number(18446744073709551616.0lf);
    if (is_nan(value))
        return 0ul;
    if (value <= (has_sign ? -most : number(0)))
        return has_sign ? 0x8000000000000000ul : 0ul;
    if (value >= most)
        return has_sign ? 0x7ffffffffffffffful : 0xfffffffffffffffful;
    return has_sign ? uint64_t(int64_t(value)) : uint64_t(value);
}
#endif

// ---- elements

number number_of(int type, uint bits)
{
    if (type == FLOAT32)
        return number(uintBitsToFloat(bits));
    if (type == FLOAT16)
        return number(from_half(bits));
    return type == UINT32 ? number(bits) : number(sign_extended(type, bits));
}

uint bits_for(int type, number value)
{
    if (type == FLOAT32)
        return floatBitsToUint(float(value));
    return type == FLOAT16 ? to_half(to_odd(value)) : to_word(type, value);
}

number load(int type, ADDRESS p, uint i)
{
#if INT64
    if (bits_of(type) == 64) {
        uint64_t bits = AT(long, 8, p, i);
#if WIDTH == 64
        if (type == FLOAT64)
            return packDouble2x32(unpack32(bits));
#endif
        return type == INT64_ ? number(int64_t(bits)) : number(bits);
    }
#endif
    if (type == FLOAT16 && CONVERTS)
        return number(float(AT(half, 2, AS(half, p), i)));
    return number_of(type, load_word(type, p, i));
}

void store(int type, ADDRESS p, uint i, number value)
{
#if INT64
    if (bits_of(type) == 64) {
#if WIDTH == 64
        if (type == FLOAT64)
            AT(long, 8, p, i) = pack64(unpackDouble2x32(value));
        else
#endif
            AT(long, 8, p, i) = to_long(type, value);
        return;
    }
#endif
    if (type == FLOAT16 && CONVERTS)
        AT(half, 2, AS(half, p), i) = float16_t(to_odd(value));
    else
        store_word(type, p, i, bits_for(type, value));
}

// Loads four adjacent elements of at most 32 bits: see load_words.
number4 load_four(int type, OPERAND_PARAMETER, uint i)
{
#if !TEXELS
    if (type == FLOAT16 && CONVERTS)
        return number4(vec4(AT(halves, 8, AS(halves, p), i >> 2)));
#endif
    uvec4 bits = load_words(type, OPERAND(operand, p), i);
    number4 values;
    [[unroll]] for (uint u = 0u; u < 4u; u++)
        values[u] = number_of(type, bits[u]);
    return values;
}

uvec4 bits_for_four(int type, number4 values)
{
    uvec4 bits;
    [[unroll]] for (uint u = 0u; u < 4u; u++)
        bits[u] = bits_for(type, values[u]);
    return bits;
}

#if TEXELS
void store_eight(int type, ADDRESS p, uint i, number4 low, number4 high)
{
    store_words(type, p, i, bits_for_four(type, low), bits_for_four(type, high));
}
#else
void store_four(int type, ADDRESS p, uint i, number4 values)
{
    if (type == FLOAT16 && CONVERTS) {
        vec4 odd;
        [[unroll]] for (uint u = 0u; u < 4u; u++)
            odd[u] = to_odd(values[u]);
        AT(halves, 8, AS(halves, p), i >> 2) = f16vec4(odd);
        return;
    }
    store_words(type, p, i, bits_for_four(type, values));
}
#endif
