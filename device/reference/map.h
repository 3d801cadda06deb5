/* map.h: operators that compute each element of the output from the elements of the inputs at the same coordinates.
 *
 * Real numbers are computed in double and rounded once. If the output and all inputs are integers, integers are
 * computed exactly and their low bits are kept. map_kernels.c has a row for each operator. */
#ifndef MAP_H
#define MAP_H

#include "device/common/descriptor.h"
#include "device/common/number.h"
#include "device/reference/activation.h"

enum { MAP_MAX_INPUTS = 3 };

struct map;

/* Computes one element. `x` has an element of each input; the first is scaled. Without inputs, x[0] is the row-major
 * number of the element. */
typedef double map_real(const struct map *map, const double *x);
typedef number_integer map_whole(const struct map *map, const number_integer *x);

/* Computes `count` elements; `x` has a row of each input. `singles`: rows of FLOAT32 elements that lie next to each
 * other. */
typedef void map_reals(const struct map *map, const double *const *x, uint64_t count, double *to);
typedef void map_singles(const struct map *map, const char *const *x, uint64_t count, float *restrict to);
typedef void map_wholes(const struct map *map, const number_integer *const *x, uint64_t count, number_integer *to);

struct map_kernel {
    map_real *real; /* null: the operator takes only integers or bits */
    map_reals *reals;
    map_singles *singles;
    map_whole *whole; /* null: the operator takes only real numbers */
    map_wholes *wholes;
    int bits; /* `whole` gets the bits of each element, whatever its type */
};

/* A loop over elements, with the bytes from one element to the next. */
struct map_loop {
    uint64_t size;
    int64_t output, inputs[MAP_MAX_INPUTS];
};

struct map {
    const struct map_kernel *kernel;
    uint32_t input_count;
    struct tensor inputs[MAP_MAX_INPUTS], output;
    uint32_t loop_count; /* loops of size 1 are left out; adjacent loops that step evenly are merged */
    struct map_loop loops[DESCRIPTOR_MAX_DIMENSIONS];
    int has_scale_bias, in_integers, copies; /* copies: the output has the input's bits */
    double scale, bias;
    /* Attributes, whose names depend on the operator: Min or Exponent or Value or ValueStart or Bias, Max or ValueDelta
     * or Threshold. */
    double least, most;
    number_integer least_whole, most_whole;
    uint32_t mode; /* RoundingMode, InfinityMode */
    struct activation activation;
};

/* Returns the kernel of an operator; null if it is not element-wise. */
const struct map_kernel *map_kernel_of(DML_OPERATOR_TYPE type);

void map_init(struct map *map, const struct descriptor *descriptor);

/* Runs the map. Pointers are to the tensors' first elements. */
void map_run(const struct map *map, const void *const *inputs, void *output);

#endif
