/* folding_elsewhere.h: the place that a step of a fold leads to: a place of the output, whose fold takes part in the
 * step, or a row of a tensor. */
#ifndef FORMULA_FOLDING_ELSEWHERE_H
#define FORMULA_FOLDING_ELSEWHERE_H

#include "harness/spec/spec.h"

struct elsewhere {
    uint32_t dims, place_dims; /* dimensions that the step leads to; those of the place that it begins at */
    uint32_t loop_count;       /* dimensions of the step with a size above 1 */
    int64_t loop_sizes[OPDESC_MAX_DIMENSIONS];
    uint32_t sizes[OPDESC_MAX_DIMENSIONS]; /* those that the coordinates are below */
    int64_t origin[OPDESC_MAX_DIMENSIONS];
    int64_t by_place[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
    int64_t by_loop[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
};

/* Prepares a list: the coordinates, which follow from place and step, each below its entry of `sizes`. Loop l has
 * loop_sizes[l] steps in dimension loops[l] of the step. Returns false if the list has no value. */
bool elsewhere_prepare(const struct spec *spec, const struct opdesc *desc, int list, const uint32_t *sizes,
                       uint32_t dims, uint32_t place_dims, uint32_t loop_count, const int64_t *loop_sizes,
                       const uint32_t *loops, struct elsewhere *out);

/* elsewhere_start() stores the coordinates that the first step leads to from a place, perhaps outside of the output.
 * elsewhere_find() stores those of the step with a row-major number, and returns false if they are outside. */
void elsewhere_start(const struct elsewhere *elsewhere, const uint32_t *place, int64_t *start);
bool elsewhere_find(const struct elsewhere *elsewhere, const int64_t *start, int64_t number, uint32_t *out);

#endif
