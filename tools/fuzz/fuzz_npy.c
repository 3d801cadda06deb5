/* Tensors in NumPy's format: a tensor that was read is written, and reads back the same. */
#include "harness/base/datatype.h"
#include "harness/base/npy.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int read_from(int file, struct npy *out)
{
    struct error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int result = npy_read(path, out, &error);
    if (result != 0 && !*error.text)
        abort(); /* an error must say why */
    return result;
}

static int file_of_memory(void)
{
    int file = memfd_create("tensor.npy", 0);
    if (file < 0)
        abort();
    return file;
}

/* Writes the elements without their padding, and reads them back. */
static void write_again(const struct npy *npy)
{
    uint32_t sizes[NPY_MAX_DIMENSIONS];
    uint64_t bytes = elements_bytes(datatype_of(npy->type)->bits, 1);
    struct npy again;
    for (uint32_t i = 0; i < npy->dims; i++) {
        sizes[i] = (uint32_t)npy->sizes[i];
        bytes *= npy->sizes[i];
        if (npy->sizes[i] > UINT32_MAX)
            return;
    }
    int file = file_of_memory();
    if (bytes > npy->size || npy_write(file, npy->type, npy->dims, sizes, npy->data, bytes) != 0 ||
        read_from(file, &again) != 0 || again.type != npy->type || again.dims != npy->dims || again.size != bytes ||
        memcmp(again.sizes, npy->sizes, npy->dims * sizeof *npy->sizes) != 0 ||
        memcmp(again.data, npy->data, bytes) != 0)
        abort();
    npy_free(&again);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy npy;
    int file = file_of_memory();
    if (write(file, data, size) != (ssize_t)size)
        abort();
    if (read_from(file, &npy) == 0)
        write_again(&npy);
    npy_free(&npy);
    close(file);
    return 0;
}
