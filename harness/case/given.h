/* given.h: the tolerance that a case file gives for its outputs. */
#ifndef CASE_GIVEN_H
#define CASE_GIVEN_H

#include <stdbool.h>
#include <stdint.h>

/* Two elements are near if their distance is at most absolute + relative * M, or at most `ulps` units in the last place
 * of M, which is the larger of their magnitudes. One ULP of an integer is 1. */
struct given_tolerance {
    bool given; /* false: the file gives none */
    double absolute, relative, ulps;
};

/* The distance of two elements: in ULP, and as a part of what the tolerance allows. Above 1 they are not near. */
struct given_distance {
    double ulps, share;
};

/* Returns the distance of two elements of a type, by their bits. A NaN is near any NaN and no number, an infinity only
 * itself; a FLOAT32 denormal is near zero. */
struct given_distance given_distance_of(const struct given_tolerance *tolerance, unsigned type, uint64_t a, uint64_t b);

#endif
