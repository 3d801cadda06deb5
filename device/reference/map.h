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

/* `x` has an element of each input; the first is scaled. Without inputs, x[0] is the row-major number of the
 * element. */
typedef double map_real(const struct map *map, const double *x);
typedef number_integer map_whole(const struct map *map, const number_integer *x);

struct map_kernel {
    map_real *real;   /* null: there are integers or bits only */
    map_whole *whole; /* null: there are real numbers only */
    int bits;         /* `whole` gets the bits of each element, whatever its type */
};

struct map {
    const struct map_kernel *kernel;
    uint32_t input_count;
    struct tensor inputs[MAP_MAX_INPUTS], output;
    int has_scale_bias, in_integers;
    double scale, bias;
    /* Attributes, by what the operator calls them: Min or Exponent or Value or ValueStart or Bias, Max or ValueDelta or
     * Threshold. */
    double least, most;
    number_integer least_whole, most_whole;
    uint32_t mode; /* RoundingMode, InfinityMode */
    struct activation activation;
};

/* Null: not such an operator. */
const struct map_kernel *map_kernel_of(DML_OPERATOR_TYPE type);

void map_init(struct map *map, const struct descriptor *descriptor);

/* Pointers are to the tensors' first elements. */
void map_run(const struct map *map, const void *const *inputs, void *output);

#endif
