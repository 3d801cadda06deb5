/* folding_gather.h: the coordinates that a row of a tensor holds, for each step of a fold's loop. They find, for
 * example, the elements around a sample that a stage places. */
#ifndef FORMULA_FOLDING_GATHER_H
#define FORMULA_FOLDING_GATHER_H

#include "harness/formula/folding_elsewhere.h"

struct gathering {
    int item;             /* the tensor */
    uint32_t count;       /* coordinates of a row */
    struct elsewhere row; /* the place of the row, in all dimensions but the last */
    const uint8_t *memory;
    const struct folding_witness *witness; /* gets what is read; null: none */
    unsigned type, width;
    int64_t strides[OPDESC_MAX_DIMENSIONS];
};

/* Prepares node `node`, an EXPR_GATHERED. `tensors` are by item. Loop l has loop_sizes[l] steps in dimension loops[l]
 * of the step. Returns false if the node has no value. */
bool gathering_prepare(const struct spec *spec, const struct opdesc *desc, int node, const uint8_t *const tensors[],
                       uint32_t place_dims, uint32_t loop_count, const int64_t *loop_sizes, const uint32_t *loops,
                       struct gathering *out);

/* Visits, in order, the steps whose row lies in the tensor and holds whole numbers. `number` is the row-major number of
 * the step. */
typedef void gathering_visit(void *context, const int64_t *counters, const int64_t *coordinates, int64_t number);
void gathering_each(const struct gathering *gathering, const uint32_t *place, gathering_visit *visit, void *context);

#endif
