/* folding_elsewhere.h: the place of the output that a step of a fold leads to, whose own fold takes part there. */
#ifndef FORMULA_FOLDING_ELSEWHERE_H
#define FORMULA_FOLDING_ELSEWHERE_H

#include "harness/spec/spec.h"

struct elsewhere {
    uint32_t dims, loop_count; /* of the output; of the step, without dimensions of size 1 */
    int64_t loop_sizes[OPDESC_MAX_DIMENSIONS];
    uint32_t sizes[OPDESC_MAX_DIMENSIONS]; /* of the output */
    int64_t origin[OPDESC_MAX_DIMENSIONS];
    int64_t by_place[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
    int64_t by_loop[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
};

/* Prepares a list: the coordinates, which follow from place and step. Loop l has loop_sizes[l] steps in dimension
 * loops[l] of the step. False: it has no value. */
bool elsewhere_prepare(const struct spec *spec, const struct opdesc *desc, int list, const uint32_t *sizes,
                       uint32_t dims, uint32_t loop_count, const int64_t *loop_sizes, const uint32_t *loops,
                       struct elsewhere *out);

/* Where the first step leads from a place, perhaps outside of the output; and the step with this row-major number.
 * False: it leads to no place of the output. */
void elsewhere_start(const struct elsewhere *elsewhere, const uint32_t *place, int64_t *start);
bool elsewhere_find(const struct elsewhere *elsewhere, const int64_t *start, int64_t number, uint32_t *out);

#endif
