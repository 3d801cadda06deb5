/* real.h: the real numbers that a floating-point data type can hold: their spacing, range and rounding. Values are
 * doubles, which hold every FLOAT16, FLOAT32 and FLOAT64 exactly. `type` is a DML_TENSOR_DATA_TYPE_FLOAT…. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

/* The distance between neighbouring values of the type around `value`: one ULP. Below the smallest normal number, the
 * distance between denormals; from the largest number on, the distance below it. NaN gives NaN. */
double real_spacing(unsigned type, double value);

/* The largest finite number, the smallest normal number, and the unit roundoff: half the spacing at 1. */
double real_largest(unsigned type);
double real_smallest_normal(unsigned type);
double real_roundoff(unsigned type);

/* The nearest value of the type, ties to even; beyond the largest number an infinity, as IEEE 754 says. */
double real_round(unsigned type, double value);

#endif
