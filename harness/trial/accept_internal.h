/* accept_internal.h: functions that two files share: accept.c judges an element, and accept_ranges.c lists the right
 * elements. */
#ifndef TRIAL_ACCEPT_INTERNAL_H
#define TRIAL_ACCEPT_INTERNAL_H

#include "harness/base/real.h"
#include "harness/trial/accept.h"

#include <math.h>

/* Returns the bound as an absolute error around an exact result; 0 if there is no bound, or if the formula gives no
 * number there. */
double accept_bound(const struct accept_operands *of, const struct formula *bound, double result);

/* Returns the bound that a tolerance's value stands for: if it is no number above 0, there is no bound. */
static inline double accept_bound_of(double tolerance)
{
    return tolerance > 0 && isfinite(tolerance) ? tolerance : 0;
}

/* The numbers within the exact results from `low` to `high`, each widened by its bound. The correctly rounded results
 * are among them. An infinity stands for all numbers that round to it: see accept_overflow(). */
struct accept_span {
    double least, most;
};
struct accept_span accept_span_of(const struct accept_operands *of, double low, double high,
                                  const struct formula *bound);

/* Returns the least number that rounds to infinity. */
double accept_overflow(unsigned type);

/* Deviations that hardware may make anywhere: a result that is not normal becomes a zero, a result that overflows the
 * largest or the lowest number. They are for exact results of the formula from `low` to `high`. An infinity that comes
 * from a pole or from an infinite operand is exact, and no overflow. */
struct accept_deviations {
    bool zero, largest, lowest;
};
struct accept_deviations accept_deviations_of(const struct accept_operands *of, const struct formula *formula,
                                              double low, double high);

/* The first two functions return the limits of an integer type; the others return the bits of a number modulo 2^width,
 * and the bits of the limit that a number exceeds. */
formula_integer accept_lowest(unsigned type);
formula_integer accept_highest(unsigned type);
uint64_t accept_wrapped(unsigned type, formula_integer value);
uint64_t accept_saturated(unsigned type, formula_integer value);

/* Sets the bits of a real result in the type of the output, correctly rounded. Returns false if every value is right,
 * since no integer is near. */
bool accept_rounded_real(unsigned type, double real, uint64_t *bits);

/* Returns true if an integer type has the number, without its fraction. */
bool accept_fits(unsigned type, double value);

/* Returns true if the real numbers are one integer of at most 2^53: beyond, a double may be rounded, and its last bits
 * are not those of the exact value. */
bool accept_is_integer(double low, double high);

/* Returns true if the numbers, which may be NaNs, have no place among integers: they are NaNs or one infinity. As the
 * result of a formula, they leave any integer right; as an outcome of a choice, they are none. */
bool accept_is_undefined(double low, double high);

/* The types whose denormals a device flushes: graphics interfaces let a device flush FLOAT32 and keep FLOAT16. */
enum accept_flushing { ACCEPT_FLUSHES_ALL, ACCEPT_FLUSHES_FLOAT32, ACCEPT_FLUSHINGS };

/* Puts zeros in place of denormals. Returns true if there are any; with ACCEPT_FLUSHES_FLOAT32, if there are some of
 * FLOAT32 and some of another type. */
bool accept_flush(struct accept_operands *of, enum accept_flushing flushing);

#endif
