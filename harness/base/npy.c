#include "harness/base/npy.h"

#include "harness/base/datatype.h"
#include "harness/base/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC = sizeof magic - 1, HEADER_MAX = 65536, PADDING = 3 };
static const uint64_t max_file = (uint64_t)8 << 30;

static char letter_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return 'f';
    return t->is_signed ? 'i' : 'u';
}

unsigned npy_type_of(unsigned type)
{
    return datatype_of(type)->bits == 4 ? DML_TENSOR_DATA_TYPE_UINT8 : type;
}

uint8_t *npy_load(const char *path, uint64_t *size, struct error *error)
{
    return (uint8_t *)input_file(path, "a file of numbers", max_file, size, error);
}

/* Returns the text after 'key': in the dictionary of a header; null if the key is missing. */
static const char *npy_find(const char *header, const char *key)
{
    for (const char *at = header; (at = strstr(at, key)) != NULL; at++) {
        char quote = at > header ? at[-1] : ' ';
        const char *after = at + strlen(key);
        if ((quote != '\'' && quote != '"') || *after != quote)
            continue;
        after += 1 + strspn(after + 1, " ");
        if (*after == ':')
            return after + 1 + strspn(after + 1, " ");
    }
    return NULL;
}

static unsigned read_type(const char *text)
{
    char order, letter;
    unsigned bytes;
    if ((*text != '\'' && *text != '"') || sscanf(text + 1, "%c%c%u", &order, &letter, &bytes) != 3 || order == '>')
        return DML_TENSOR_DATA_TYPE_UNKNOWN;
    if (letter == 'b' && bytes == 1)
        return DML_TENSOR_DATA_TYPE_UINT8;
    for (unsigned type = 1; type < DATATYPE_COUNT; type++)
        if (letter_of(type) == letter && datatype_of(type)->bits == bytes * 8)
            return type;
    return DML_TENSOR_DATA_TYPE_UNKNOWN;
}

/* Reads "(2, 3)", "(6,)" or "()". Stores the bytes of all elements in `bytes`. */
static bool npy_read_sizes(const char *text, struct npy *out, uint64_t *bytes)
{
    *bytes = elements_bytes(datatype_of(out->type)->bits, 1);
    if (*text++ != '(')
        return false;
    for (;;) {
        char *end;
        text += strspn(text, " ,");
        if (*text == ')')
            return true;
        errno = 0;
        uint64_t size = strtoull(text, &end, 10);
        if (*text < '0' || *text > '9' || errno || out->dims == NPY_MAX_DIMENSIONS ||
            __builtin_mul_overflow(*bytes, size, bytes))
            return false;
        out->sizes[out->dims++] = size;
        text = end;
    }
}

/* Returns null, or the mistake in the file. Stores the start of the elements and their size in bytes. */
static const char *npy_read_header(const uint8_t *file, uint64_t size, struct npy *out, uint64_t *start,
                                   uint64_t *bytes)
{
    char header[HEADER_MAX + 1];
    if (size < 12 || memcmp(file, magic, MAGIC) != 0)
        return "expected a file of NumPy's format (.npy)";
    if (file[6] < 1 || file[6] > 3)
        return "expected version 1, 2 or 3 of the format";
    uint64_t length = file[8] | (uint64_t)file[9] << 8;
    *start = 10;
    if (file[6] > 1) {
        length |= (uint64_t)file[10] << 16 | (uint64_t)file[11] << 24;
        *start = 12;
    }
    if (length > HEADER_MAX || *start + length > size)
        return "its header is cut off";
    memcpy(header, file + *start, length);
    header[length] = '\0';
    *start += length;
    const char *descr = npy_find(header, "descr"), *order = npy_find(header, "fortran_order"),
               *shape = npy_find(header, "shape");
    if (!descr || !order || !shape)
        return "expected descr, fortran_order and shape in its header";
    out->type = read_type(descr);
    if (out->type == DML_TENSOR_DATA_TYPE_UNKNOWN)
        return "expected little-endian elements of a type that tensors have: f2 f4 f8, i1 to i8, u1 to u8";
    if (strncmp(order, "False", 5) != 0)
        return "expected elements in row-major order (fortran_order False)";
    if (!npy_read_sizes(shape, out, bytes))
        return "its shape is malformed";
    return NULL;
}

int npy_read(const char *path, struct npy *out, struct error *error)
{
    uint64_t size, start, bytes;
    *out = (struct npy){0};
    uint8_t *file = npy_load(path, &size, error);
    if (!file)
        return EXIT_HARNESS;
    const char *wrong = npy_read_header(file, size, out, &start, &bytes);
    if (!wrong && (size - start < bytes || size - start > bytes + PADDING)) {
        error_set(error, EXIT_HARNESS, "%s: expected %llu bytes of elements, found %llu", path,
                  (unsigned long long)bytes, (unsigned long long)(size - start));
    } else if (wrong) {
        error_set(error, EXIT_HARNESS, "%s: %s", path, wrong);
    } else {
        out->size = size - start;
        memmove(file, file + start, out->size);
        out->data = file;
        return 0;
    }
    free(file);
    return EXIT_HARNESS;
}

void npy_free(struct npy *npy)
{
    free(npy->data);
    npy->data = NULL;
}

int npy_store(int file, const void *data, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        ssize_t put = write(file, (const char *)data + done, size - done);
        if (put < 0 && errno != EINTR)
            return -1;
        done += put > 0 ? (uint64_t)put : 0;
    }
    return 0;
}

int npy_write(int file, unsigned type, uint32_t dims, const uint32_t *sizes, const void *data, uint64_t size)
{
    char header[1024];
    const struct datatype *t = datatype_of(type);
    int length = snprintf(header + 10, sizeof header - 10, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                          t->bits == 8 ? '|' : '<', letter_of(type), (unsigned)elements_bytes(t->bits, 1));
    for (uint32_t i = 0; i < dims; i++)
        length += snprintf(header + 10 + length, sizeof header - 10 - (size_t)length, "%s%u%s", i ? ", " : "", sizes[i],
                           dims == 1 ? "," : "");
    length += snprintf(header + 10 + length, sizeof header - 10 - (size_t)length, "), }");
    int whole = (10 + length + 1 + 63) / 64 * 64; /* the start of the elements is a multiple of 64 */
    memset(header + 10 + length, ' ', (size_t)(whole - 10 - length));
    header[whole - 1] = '\n';
    memcpy(header, magic, MAGIC);
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((whole - 10) & 255);
    header[9] = (char)((whole - 10) >> 8);
    return npy_store(file, header, (uint64_t)whole) ? -1 : npy_store(file, data, size);
}
