/* index_targets.h: which tuples of an index tensor point to the same target. */
#ifndef CASE_INDEX_TARGETS_H
#define CASE_INDEX_TARGETS_H

#include "harness/case/indices.h"

/* The target of one tuple. */
struct index_target {
    uint64_t line, target; /* where it points */
    uint64_t tuple;
    uint32_t rank, of; /* it is the rank-th of so many that point there, in row-major order */
};

struct index_targets {
    struct index_target *list; /* by tuple */
    size_t count, capacity;
    uint32_t max; /* of one place */
};

/* A visitor for indices_each(), with a struct index_targets as its context: adds the index to the target of its tuple. If
 * memory runs out, the tuples that are left have no target. */
void index_targets_collect(void *context, const struct index_place *place);

/* Once all are collected: sets `rank`, `of` and `max`. */
void index_targets_rank(struct index_targets *targets);

void index_targets_free(struct index_targets *targets);

#endif
