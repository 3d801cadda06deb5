/* .npy files: reading files that the program or other programs wrote, and rejecting malformed files. */
#include "harness/base/npy.h"
#include "harness/base/datatype.h"
#include "tools/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[512];

static bool test_npy_put(const void *data, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool good = file >= 0 && npy_store(file, data, size) == 0;
    return file >= 0 && close(file) == 0 && good;
}

static void test_types(void)
{
    static const uint32_t sizes[] = {2, 1, 3};
    uint8_t data[48];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 37 + 5);
    for (unsigned type = 1; type < DML_TENSOR_DATA_TYPE_UINT4; type++) {
        uint64_t size = datatype_of(type)->bits / 8 * 6;
        struct error error = {0};
        struct npy npy = {0};
        int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
        bool good =
            npy_write(file, type, 3, sizes, data, size) == 0 && (lseek(file, 0, SEEK_CUR) - (off_t)size) % 64 == 0;
        close(file);
        ok(good && npy_read(path, &npy, &error) == 0 && npy.type == type && npy.dims == 3 && npy.sizes[0] == 2 &&
               npy.sizes[1] == 1 && npy.sizes[2] == 3 && npy.size == size && memcmp(npy.data, data, size) == 0,
           "%s is written and read, its elements at a multiple of 64 %s", datatype_of(type)->name, error.text);
        npy_free(&npy);
    }
}

/* Adds magic, version and length in front of the given header. */
static int test_npy_read_header(int version, const char *dictionary, size_t elements, struct npy *npy,
                                struct error *error)
{
    uint8_t file[2048] = "\x93NUMPY";
    size_t length = strlen(dictionary), at = 8;
    file[6] = (uint8_t)version;
    file[at++] = (uint8_t)length;
    file[at++] = (uint8_t)(length >> 8);
    if (version > 1)
        at += 2;
    memcpy(file + at, dictionary, length);
    return test_npy_put(file, at + length + elements) ? npy_read(path, npy, error) : -1;
}

static void test_others(void)
{
    static const struct {
        const char *dictionary;
        int version;
        size_t bytes;
        unsigned type;
        uint32_t dims;
    } good[] = {
        {"{'descr':'<f4', 'fortran_order':False, 'shape':(6,), }\n", 1, 24, DML_TENSOR_DATA_TYPE_FLOAT32, 1},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }  \n", 1, 8, DML_TENSOR_DATA_TYPE_FLOAT16, 1},
        {"{\"shape\": (2, 3), \"descr\": \"|b1\", \"fortran_order\": False}\n", 2, 6, DML_TENSOR_DATA_TYPE_UINT8, 2},
        {"{'descr': '=i8', 'fortran_order': False, 'shape': ()}\n", 3, 8, DML_TENSOR_DATA_TYPE_INT64, 0},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct error error = {0};
        struct npy npy;
        int result = test_npy_read_header(good[i].version, good[i].dictionary, good[i].bytes, &npy, &error);
        ok(result == 0 && npy.type == good[i].type && npy.dims == good[i].dims && npy.size == good[i].bytes,
           "read: %.*s %s", (int)strcspn(good[i].dictionary, "\n"), good[i].dictionary, error.text);
        npy_free(&npy);
    }
}

static void test_npy_refused(void)
{
    static const struct {
        const char *dictionary;
        int version;
        size_t bytes;
        const char *why;
    } bad[] = {
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 1, 4, "little-endian"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 1, 8, "of a type that tensors have"},
        {"{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", 1, 3, "of a type that tensors have"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 1, 4, "row-major"},
        {"{'descr': '<f4', 'fortran_order': False}", 1, 4, "expected descr, fortran_order and shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 1, 4, "shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", 1, 4, "shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,4,)}", 1, 4, "shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 1, 4, "shape is malformed"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 1, 7, "expected 8 bytes of elements, found 7"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 1, 12, "expected 8 bytes of elements, found 12"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 4, 8, "version"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 0, 8, "version"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {0};
        struct npy npy;
        int result = test_npy_read_header(bad[i].version, bad[i].dictionary, bad[i].bytes, &npy, &error);
        ok(result == EXIT_HARNESS && strstr(error.text, bad[i].why) && strstr(error.text, path) && !npy.data,
           "refused: %s (%s)", bad[i].dictionary, error.text);
        npy_free(&npy);
    }
}

static void test_cut(void)
{
    static const uint32_t size = 4;
    uint8_t file[4096];
    size_t refused = 0;
    int out = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    bool good = npy_write(out, DML_TENSOR_DATA_TYPE_FLOAT32, 1, &size, "0123456789abcdef", 16) == 0;
    ssize_t length = pread(out, file, sizeof file, 0);
    close(out);
    for (ssize_t at = 0; at < length; at++) {
        struct error error = {0};
        struct npy npy;
        refused += test_npy_put(file, (size_t)at) && npy_read(path, &npy, &error) == EXIT_HARNESS && *error.text;
        npy_free(&npy);
    }
    ok(good && length > 16 && refused == (size_t)length, "refused wherever it is cut off");
    struct error error = {0};
    struct npy npy;
    ok(npy_read("/tmp", &npy, &error) == EXIT_HARNESS && *error.text, "a folder is refused: %s", error.text);
    error = (struct error){0};
    ok(npy_read("/nowhere", &npy, &error) == EXIT_HARNESS && *error.text, "a missing file is refused: %s", error.text);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/assay-npy-%d.npy", folder ? folder : "/tmp", (int)getpid());
    test_types();
    test_others();
    test_npy_refused();
    test_cut();
    unlink(path);
    return tap_done();
}
