/* index_targets.h: finds the tuples of an index tensor that point to the same target. A target is a position that an
 * update writes. */
#ifndef CASE_INDEX_TARGETS_H
#define CASE_INDEX_TARGETS_H

#include "harness/case/indices.h"

/* The target of one tuple. */
struct index_target {
    uint64_t line, target; /* together: where it points */
    uint64_t tuple;        /* its number, row-major */
    uint32_t rank, total;  /* its number, from 0, among the `total` tuples with this target, in row-major order */
};

struct index_targets {
    struct index_target *list; /* by tuple */
    size_t count, capacity;
    uint32_t max; /* the largest `total` */
};

/* A visitor for indices_each() whose context is a struct index_targets, zeroed at first: adds the index to the target
 * of its tuple. If memory runs out, the remaining tuples are left out. */
void index_targets_collect(void *context, const struct index_place *place);

/* Sets `rank`, `total` and `max`. Call it once all indices are collected. */
void index_targets_rank(struct index_targets *targets);

void index_targets_free(struct index_targets *targets);

#endif
