/* naive.h: the operators as naive loops, one coordinate after the other, as the pages and rulings describe them. With
 * BUG_NONE they are right; with any other bug they are wrong in that one way. */
#ifndef NAIVE_H
#define NAIVE_H

#include "device/device.h"
#include "device/mutants/bugs.h"
#include "device/common/descriptor.h"

struct bug_info {
    const char *name, *what, *issue, *cause;
    enum bug_kind kind;       /* of a bug of bugs.h */
    const char *operators[3]; /* of a bug of one operator at a time: by kind, separated by spaces; otherwise null */
    const char *changes;      /* what the bug changes in the text of specs, see formulas_open(); null: nothing */
};

extern const struct bug_info bug_infos[BUG_COUNT];

/* Returns true if naive_run() computes the operator. */
int naive_computes(DML_OPERATOR_TYPE type);

/* Returns true if naive_pick() computes the operator. */
int naive_picks(DML_OPERATOR_TYPE type);

/* Runs one item of the operator that `descriptor` describes; its bindings have been checked. */
void naive_run(const struct descriptor *descriptor, const assay_dispatch_item *item, enum bug bug);

/* ---- between the naive_*.c files */

enum role { ROLE_INPUT, ROLE_INDICES, ROLE_UPDATES, ROLE_OUTPUT };

/* A tensor and its memory. `strides` are the ones to use, which a bug may change. */
struct memory {
    const struct tensor *tensor;
    uint8_t *data;
    enum role role;
    uint32_t strides[DESCRIPTOR_MAX_DIMENSIONS];
};

struct naive {
    const struct descriptor *d;
    const assay_dispatch_item *item;
    enum bug bug;
};

struct memory naive_input(const struct naive *n, uint32_t number);
struct memory naive_output(const struct naive *n, uint32_t number);

/* Returns the address of the element at the coordinates `at`. */
uint8_t *naive_at(const struct memory *memory, const uint32_t *at);

/* Advances `at` in row-major order; returns 0 after the last coordinates. */
int naive_step(const struct tensor *tensor, uint32_t *at);

/* Returns true if a bug skips the element with this number and these coordinates. */
int naive_skips(const struct naive *n, const struct tensor *tensor, uint64_t number, const uint32_t *at);

/* Copies one element. */
void naive_move(DML_TENSOR_DATA_TYPE type, uint8_t *to, const uint8_t *from);

/* An index to read, and what it indexes. */
struct naive_index {
    const struct memory *indices;
    uint32_t component, tuple; /* it is number `component` of its tuple of `tuple` indices */
    uint32_t dimension;        /* of the far tensor */
    const struct tensor *far;  /* the indexed tensor */
    int gather;
};

/* The position in the far dimension that the index at `at` names. -1: out of range, ignore it; gathers get the nearest
 * position instead. */
int64_t naive_index(const struct naive *n, const struct naive_index *index, const uint32_t *at);

/* Returns true if NONZERO_COORDINATES counts the element as zero. */
int naive_is_zero(DML_TENSOR_DATA_TYPE type, const uint8_t *at);

void naive_gather(const struct naive *n);
void naive_scatter(const struct naive *n);
void naive_nonzero(const struct naive *n);
void naive_shift(const struct naive *n); /* naive_move.c */
void naive_unfold(const struct naive *n);
void naive_pick(const struct naive *n);
void naive_philox(const struct naive *n);
void naive_top_k(const struct naive *n);

#endif
