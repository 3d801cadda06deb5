// Reductions of floats to floats, except to the least or greatest. A sum is kept in 32 bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "reduce.glsl"
#include "reals.glsl"

#define second float

// A partial result. LOG_SUM_EXP: the greatest x, and the sum of e^(x - greatest). All other functions: a.
struct partial {
    number a;
    second b;
};

const bool HAS_SECOND = FUNCTION == LOG_SUM_EXP;

partial unit()
{
    if (FUNCTION == LOG_SUM_EXP)
        return partial(-INFINITE, 0.0);
    return partial(FUNCTION == MULTIPLY ? 1.0 : 0.0, 0.0);
}

number load_element(uint offset)
{
    return load(TYPE, source, offset);
}

void load_elements(uint offset, out number x[4])
{
    number4 values = load_four(TYPE, OPERAND(0, source), offset);
    [[unroll]] for (uint c = 0u; c < 4u; c++)
        x[c] = values[c];
}

partial of_element(number x, uint place)
{
    if (FUNCTION == LOG_SUM_EXP) // a NaN is in the sum only: it is not ordered among numbers
        return partial(is_nan(x) ? -INFINITE : x, is_nan(x) ? x : 1.0);
    precise float square = x * x;
    if (FUNCTION == L1)
        return partial(abs(x), 0.0);
    return partial(FUNCTION == L2 || FUNCTION == SUM_SQUARE ? square : x, 0.0);
}

partial join(partial x, partial y)
{
    partial result = partial(0.0, 0.0);
    if (FUNCTION == LOG_SUM_EXP) {
        bool swap = y.a > x.a;
        partial high = swap ? y : x, low = swap ? x : y;
        precise float apart = low.a - high.a; // the difference is a NaN if both are the same infinity
        precise float sum = high.b + low.b * (low.a == high.a ? 1.0 : exp_of(apart));
        return partial(high.a, sum);
    }
    precise float product = x.a * y.a, sum = x.a + y.a;
    result.a = FUNCTION == MULTIPLY ? product : sum;
    return result;
}

partial load_partial(uint i)
{
    partial result = partial(load(FLOAT32, source, i), 0.0);
    if (HAS_SECOND)
        result.b = load(FLOAT32, source_seconds, i);
    return result;
}

void store_partial(uint i, partial sum)
{
    store(FLOAT32, target, i, sum.a);
    if (HAS_SECOND)
        store(FLOAT32, p.target_seconds, i, sum.b);
}

void store_result(uint i, partial sum)
{
    float result = sum.a;
    if (FUNCTION == AVERAGE)
        result = quotient(result, float(p.total));
    if (FUNCTION == L2)
        result = sqrt(result);
    if (FUNCTION == LOG_SUM)
        result = log_of(result);
    if (FUNCTION == LOG_SUM_EXP) {
        precise float sum_of_logs = sum.a + log_of(sum.b);
        result = sum_of_logs;
    }
    store(TARGET_TYPE, target, i, result);
}

#include "reduce_main.glsl"
