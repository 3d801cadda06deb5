// Reductions of integers, which wrap; and reductions of any elements to the least or greatest, or to its index. The
// latter compare keys: numbers in the order of the elements, the wanted one the greatest. A NaN has the key 0, which no
// number of its type has, so that any other element is preferred to it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reduce.glsl"

#if WIDTH == 64
#define number uint64_t
#else
#define number uint
#endif
#define second uint

// A partial result. ARGMIN and ARGMAX: a key and its index. MIN and MAX: a key. All other functions: a.
struct partial {
    number a;
    second b;
};

const bool HAS_SECOND = FUNCTION == ARGMIN || FUNCTION == ARGMAX;
const bool HAS_KEY = HAS_SECOND || FUNCTION == MIN || FUNCTION == MAX;
const number SIGN = number(1) << (WIDTH - 1);

partial unit()
{
    return partial(number(FUNCTION == MULTIPLY ? 1 : 0), prefers_last ? 0u : 0xffffffffu);
}

// Integers are extended to WIDTH bits by their sign. Floats stay as they are.
#if WIDTH == 64
number load_element(uint offset)
{
    return AT(long, 8, source, offset);
}
#else
number number_from(uint bits)
{
    return TYPE == FLOAT32 || TYPE == FLOAT16 ? bits : uint(sign_extended(TYPE, bits));
}

number load_element(uint offset)
{
    return number_from(load_word(TYPE, source, offset));
}

void load_elements(uint offset, out number x[4])
{
    uvec4 bits = load_words(TYPE, OPERAND(0, source), offset);
    [[unroll]] for (uint c = 0u; c < 4u; c++)
        x[c] = number_from(bits[c]);
}
#endif

// Returns the key of an element. Both zeros have one key, so that the index is the first or the last of all zeros.
number key_of(number bits)
{
    number key = is_signed(TYPE) ? bits ^ SIGN : bits;
#if WIDTH == 32
    if (TYPE == FLOAT32 || TYPE == FLOAT16) {
        uint sign = TYPE == FLOAT16 ? 0x8000u : 0x80000000u, all = TYPE == FLOAT16 ? 0xffffu : 0xffffffffu;
        uint infinite = TYPE == FLOAT16 ? 0x7c00u : 0x7f800000u, size = bits & ~sign;
        if (HAS_SECOND && size == 0u)
            bits = 0u;
        key = (bits & sign) != 0u ? ~bits & all : bits | sign;
        key = FUNCTION == MIN || FUNCTION == ARGMIN ? ~key : key;
        return size > infinite ? 0u : key;
    }
#endif
    return FUNCTION == MIN || FUNCTION == ARGMIN ? ~key : key;
}

// Returns the element of a key; a NaN for 0.
number element_of(number key)
{
    number bits = FUNCTION == MIN ? ~key : key;
#if WIDTH == 32
    if (TARGET_TYPE == FLOAT32 || TARGET_TYPE == FLOAT16) {
        uint sign = TARGET_TYPE == FLOAT16 ? 0x8000u : 0x80000000u;
        return (bits & sign) != 0u ? bits ^ sign : ~bits;
    }
#endif
    return is_signed(TARGET_TYPE) ? bits ^ SIGN : bits;
}

partial of_element(number x, uint place)
{
    partial result = partial(x, place);
    if (FUNCTION == L1 && is_signed(TYPE) && (x & SIGN) != number(0))
        result.a = ~x + number(1);
    if (FUNCTION == SUM_SQUARE)
        result.a = x * x;
    if (HAS_KEY)
        result.a = key_of(x);
    return result;
}

partial join(partial x, partial y)
{
    if (HAS_KEY) {
        bool later = prefers_last ? y.b > x.b : y.b < x.b;
        bool swap = y.a > x.a || (HAS_SECOND && y.a == x.a && later);
        return partial(swap ? y.a : x.a, swap ? y.b : x.b);
    }
    return partial(FUNCTION == MULTIPLY ? x.a * y.a : x.a + y.a, x.b);
}

#if WIDTH == 64
#define NUMBER_AT(p, i) AT(long, 8, p, i)
#else
#define NUMBER_AT(p, i) AT(word, 4, AS(word, p), i)
#endif

partial load_partial(uint i)
{
    partial result = partial(NUMBER_AT(source, i), 0u);
    if (HAS_SECOND)
        result.b = AT(word, 4, AS(word, source_seconds), i);
    return result;
}

void store_partial(uint i, partial sum)
{
    NUMBER_AT(target, i) = sum.a;
    if (HAS_SECOND)
        AT(word, 4, AS(word, p.target_seconds), i) = sum.b;
}

void store_result(uint i, partial sum)
{
    if (HAS_SECOND && bits_of(TARGET_TYPE) == 64) {
        AT(word, 4, AS(word, target), 2u * i) = sum.b;
        AT(word, 4, AS(word, target), 2u * i + 1u) = 0u;
        return;
    }
    if (HAS_SECOND) {
        store_word(TARGET_TYPE, target, i, sum.b);
        return;
    }
    number bits = HAS_KEY ? element_of(sum.a) : sum.a;
#if WIDTH == 64
    NUMBER_AT(target, i) = bits;
#else
    store_word(TARGET_TYPE, target, i, bits);
#endif
}

#include "reduce_main.glsl"
