/* rewrites.h: mistakes rewrite the bits of an element of a data type. A rewrite returns the new bits; elements that it
 * is not about stay as they are. */
#ifndef TRIAL_REWRITES_H
#define TRIAL_REWRITES_H

#include <stdint.h>

uint64_t rewrite_minus_zero_to_one(unsigned type, uint64_t bits);
uint64_t rewrite_minus_zero_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_denormal_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_denormal_to_plus_zero(unsigned type, uint64_t bits);
uint64_t rewrite_quiet(unsigned type, uint64_t bits);
uint64_t rewrite_canonical(unsigned type, uint64_t bits);
uint64_t rewrite_nan_to_infinity(unsigned type, uint64_t bits);
uint64_t rewrite_infinity_to_largest(unsigned type, uint64_t bits);
uint64_t rewrite_nan_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_negative_nan_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_infinity_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_fraction_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_negative_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_nonpositive_to_zero(unsigned type, uint64_t bits);
uint64_t rewrite_low_byte(unsigned type, uint64_t bits);
uint64_t rewrite_lowest_to_next(unsigned type, uint64_t bits);
uint64_t rewrite_clip_unsigned(unsigned type, uint64_t bits);
uint64_t rewrite_narrow(unsigned type, uint64_t bits);
uint64_t rewrite_half(unsigned type, uint64_t bits);
uint64_t rewrite_through_float32(unsigned type, uint64_t bits);
uint64_t rewrite_through_float64(unsigned type, uint64_t bits);
uint64_t rewrite_low_half(unsigned type, uint64_t bits);
uint64_t rewrite_swap_halves(unsigned type, uint64_t bits);
uint64_t rewrite_swap_bytes(unsigned type, uint64_t bits);
uint64_t rewrite_truth_negated(unsigned type, uint64_t bits);
uint64_t rewrite_truth_ones(unsigned type, uint64_t bits);
uint64_t rewrite_infinity_to_nan(unsigned type, uint64_t bits);
uint64_t rewrite_infinity_positive(unsigned type, uint64_t bits);
uint64_t rewrite_short(unsigned type, uint64_t bits);
uint64_t rewrite_float32_half(unsigned type, uint64_t bits);
uint64_t rewrite_float64_float32(unsigned type, uint64_t bits);
uint64_t rewrite_denormals_16(unsigned type, uint64_t bits);
uint64_t rewrite_denormals_64(unsigned type, uint64_t bits);
uint64_t rewrite_int32_float32(unsigned type, uint64_t bits);
uint64_t rewrite_int64_float64(unsigned type, uint64_t bits);

#endif
