/* npy.h: reads and writes one tensor in NumPy's file format (.npy): little-endian, row-major. */
#ifndef BASE_NPY_H
#define BASE_NPY_H

#include "harness/base/error.h"

#include <stdint.h>

enum { NPY_MAX_DIMENSIONS = 32 };

/* Returns the type that a file has for elements of `type`. NumPy has no elements of 4 bits: the file stores these as
 * they lie in memory, two in each UINT8 of one dimension. */
unsigned npy_type_of(unsigned type);

struct npy {
    unsigned type; /* DML_TENSOR_DATA_TYPE; bool is read as UINT8 */
    uint32_t dims; /* 0: a scalar */
    uint64_t sizes[NPY_MAX_DIMENSIONS];
    uint64_t size; /* bytes of `data`: those of the sizes, plus up to 3 that DxDispatch pads with */
    uint8_t *data;
};

/* Reads a file of format version 1 to 3. Returns 0 or EXIT_HARNESS. Free `out` with npy_free() in either case. */
int npy_read(const char *path, struct npy *out, struct error *error);
void npy_free(struct npy *npy);

/* Writes a header of version 1 and `size` bytes of data to an open file. Returns 0, or -1 with errno set. */
int npy_write(int file, unsigned type, uint32_t dims, const uint32_t *sizes, const void *data, uint64_t size);

/* Reads a whole regular file of at most 8 GiB. The caller frees the result. Null: the error is set. */
uint8_t *npy_load(const char *path, uint64_t *size, struct error *error);

/* Writes all bytes to an open file. Returns 0, or -1 with errno set. */
int npy_store(int file, const void *data, uint64_t size);

#endif
