/* real.h: the real numbers that a floating-point data type can hold: their spacing, range and rounding. Values are
 * doubles, which hold every FLOAT16, FLOAT32 and FLOAT64 exactly. `type` is a DML_TENSOR_DATA_TYPE_FLOAT…. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

/* Returns the distance between neighbouring values of the type around `value`: one ULP. Below the smallest normal
 * number this is the distance between denormals; from the largest number on, the distance below it. NaN gives NaN. */
double real_spacing(unsigned type, double value);

/* Return the largest finite number, the smallest normal number, and the unit roundoff: half the spacing at 1. */
double real_largest(unsigned type);
double real_smallest_normal(unsigned type);
double real_roundoff(unsigned type);

/* Returns the nearest value of the type, ties to even; an infinity beyond the largest number, as IEEE 754 says. */
double real_round(unsigned type, double value);

#endif
