/* naive.h: the operators once more, slow and plain: one coordinate after the other, as the pages and rulings say it. With
 * BUG_NONE it is right; with another bug it is wrong in that one way. */
#ifndef NAIVE_H
#define NAIVE_H

#include "device/device.h"
#include "device/mutants/bugs.h"
#include "device/common/descriptor.h"

struct bug_info {
    const char *name, *what, *issue;
    enum bug_kind kind;
};

extern const struct bug_info bug_infos[BUG_COUNT];

/* Runs one item of the operator that `descriptor` describes; its bindings have been checked. */
void naive_run(const struct descriptor *descriptor, const assay_dispatch_item *item, enum bug bug);

/* ---- between the naive_*.c files */

enum role { ROLE_INPUT, ROLE_INDICES, ROLE_UPDATES, ROLE_OUTPUT };

/* A tensor and where it is; the strides are those in use, from dimension `from` on. */
struct memory {
    const struct tensor *tensor;
    uint8_t *data;
    enum role role;
    uint32_t from, strides[DESCRIPTOR_MAX_DIMENSIONS];
};

struct naive {
    const struct descriptor *d;
    const assay_dispatch_item *item;
    enum bug bug;
};

struct memory naive_input(const struct naive *n, uint32_t number);
struct memory naive_output(const struct naive *n, uint32_t number);

/* The element at some coordinates. */
uint8_t *naive_at(const struct naive *n, const struct memory *memory, const uint32_t *at);

/* The next coordinates in row-major order; 0: those were the last. */
int naive_step(const struct tensor *tensor, uint32_t *at);

/* Whether the element of this number and these coordinates is left out, by one bug or another. */
int naive_skips(const struct naive *n, const struct tensor *tensor, uint64_t number, const uint32_t *at);

/* Copies one element as an operator does that changes no value. */
void naive_move(const struct naive *n, DML_TENSOR_DATA_TYPE type, uint8_t *to, const uint8_t *from);

/* The position that the index at `at` names in a dimension of `size`, 0 to size - 1; -1: it is out of range and not to be
 * used, which only scatters ask for (`gather` 0). `component` is its place in its tuple of `tuple` indices. */
struct naive_index {
    const struct memory *indices;
    uint32_t component, tuple;
    uint32_t dimension; /* of the far tensor */
    const struct tensor *far;
    int gather;
};
int64_t naive_index(const struct naive *n, const struct naive_index *index, const uint32_t *at);

/* The value of an element as zero or not, for NONZERO_COORDINATES. */
int naive_is_zero(const struct naive *n, DML_TENSOR_DATA_TYPE type, const uint8_t *at);

void naive_gather(const struct naive *n);
void naive_scatter(const struct naive *n);
void naive_nonzero(const struct naive *n);

#endif
