/* npy.h: one tensor in a file of NumPy's format (.npy): little-endian, row-major, of the types that tensors have here. */
#ifndef BASE_NPY_H
#define BASE_NPY_H

#include "harness/base/error.h"

#include <stdint.h>

enum { NPY_MOST_DIMENSIONS = 32 };

struct npy {
    unsigned type; /* DML_TENSOR_DATA_TYPE; that of bool is UINT8 */
    uint32_t dims; /* 0: a scalar */
    uint64_t sizes[NPY_MOST_DIMENSIONS];
    uint64_t size; /* bytes of `data`: those of the sizes, and at most 3 more, to which DxDispatch pads */
    uint8_t *data;
};

/* Reads a file of version 1 to 3. EXIT_HARNESS: what is wrong with it. Free by npy_free() in any case. */
int npy_read(const char *path, struct npy *out, struct error *error);
void npy_free(struct npy *npy);

/* Writes `size` bytes after a header of version 1, to an open file. Returns 0, or -1 with errno. */
int npy_write(int file, unsigned type, uint32_t dims, const uint32_t *sizes, const void *data, uint64_t size);

/* All of a regular file. Freed by the caller; null: the error is set. */
uint8_t *npy_load(const char *path, uint64_t *size, struct error *error);

/* All of the bytes; -1 with errno. */
int npy_store(int file, const void *data, uint64_t size);

#endif
