/* folding_division.h: the steps of a fold's loop at which a list that follows from place and step divides exactly. Such
 * a list finds, for example, the windows that contain an element. */
#ifndef FORMULA_FOLDING_DIVISION_H
#define FORMULA_FOLDING_DIVISION_H

#include "harness/spec/spec.h"

struct division {
    uint32_t count; /* number of entries; an entry is (origin + by_place * place + by_loop * counters) / by */
    uint32_t place_dims, loop_count;
    int64_t loop_sizes[OPDESC_MAX_DIMENSIONS];
    int64_t origin[OPDESC_MAX_DIMENSIONS], by[OPDESC_MAX_DIMENSIONS], past[OPDESC_MAX_DIMENSIONS];
    int64_t by_place[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
    int64_t by_loop[OPDESC_MAX_DIMENSIONS][OPDESC_MAX_DIMENSIONS];
    uint32_t level[OPDESC_MAX_DIMENSIONS]; /* for each entry, the innermost loop that it depends on; loop_count: none */
};

/* Prepares node `node`, an EXPR_DIVIDED. Loop l has loop_sizes[l] steps in dimension loops[l] of the step. Returns
 * false if the node has no value. */
bool division_prepare(const struct spec *spec, const struct opdesc *desc, int node, uint32_t place_dims,
                      uint32_t loop_count, const int64_t *loop_sizes, const uint32_t *loops, struct division *out);

/* Visits, in order, the steps at which all entries divide exactly and give numbers from 0 to below `past`. `number` is
 * the row-major number of the step. */
typedef void division_visit(void *context, const int64_t *counters, const int64_t *quotients, int64_t number);
void division_each(const struct division *division, const uint32_t *place, division_visit *visit, void *context);

#endif
