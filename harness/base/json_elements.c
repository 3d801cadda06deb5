#include "harness/base/json_elements.h"

#include "harness/base/datatype.h"
#include "harness/base/json_number.h"
#include "harness/base/npy.h"
#include "harness/base/paths.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const uint64_t max_bytes = (uint64_t)4 << 30;

int json_data_type_read(const struct json_cursor *cursor, unsigned *out, struct error *error)
{
    const char *names[DATATYPE_COUNT + 1] = {NULL};
    int type;
    for (unsigned i = 0; i < DATATYPE_COUNT; i++)
        names[i] = datatype_of(i)->name;
    int result = json_cursor_choice(cursor, "DML_TENSOR_DATA_TYPE_", names, &type, error);
    if (result == 0)
        *out = (unsigned)type;
    return result;
}

/* ---- one element */

/* Reads a text that gives the bits, or a value that JSON numbers cannot express. */
static int json_elements_read_text(const struct json_cursor *cursor, unsigned type, void *at, struct error *error)
{
    const struct datatype *t = datatype_of(type);
    const char *text = json_string_value(cursor->value);
    if (strncmp(text, "0x", 2) == 0) {
        char *end;
        errno = 0;
        uint64_t bits = strtoull(text + 2, &end, 16);
        if (text[2] && strspn(text + 2, "0123456789abcdefABCDEF") == strlen(text + 2) && !errno &&
            (t->bits == 64 || bits >> t->bits == 0)) {
            element_put(t->bits, at, 0, bits);
            return 0;
        }
        return json_cursor_error(cursor, error, "'%s': expected at most %u hexadecimal digits", text, t->bits / 4);
    }
    bool minus = *text == '-';
    if (t->is_float && strcasecmp(text, "nan") == 0)
        datatype_from_double(type, (double)NAN, at);
    else if (t->is_float && (strcasecmp(text + minus, "inf") == 0 || strcasecmp(text + minus, "infinity") == 0))
        datatype_from_double(type, minus ? -(double)INFINITY : (double)INFINITY, at);
    else
        return json_cursor_error(cursor, error, "'%s': expected a number%s, or bits as \"0x…\"", text,
                                 t->is_float ? ", \"nan\", \"inf\", \"-inf\"" : "");
    return 0;
}

static int out_of_range(const struct json_cursor *cursor, unsigned type, struct error *error)
{
    const char *text = json_number_text(cursor->value);
    char number[32];
    if (!text)
        snprintf(number, sizeof number, "%.17g", json_number_value(cursor->value));
    return json_cursor_error(cursor, error, "%.60s is out of range for %s; \"inf\" is an infinity",
                             text ? text : number, datatype_of(type)->name);
}

/* Reads a number as a float, rounded once. */
static int read_float(const struct json_cursor *cursor, unsigned type, void *at, struct error *error)
{
    const char *text = json_number_text(cursor->value);
    bool good;
    if (text) {
        good = json_number_float(text, type, at);
    } else if (json_is_integer(cursor->value) && type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        float number = (float)json_integer_value(cursor->value);
        memcpy(at, &number, sizeof number);
        good = true;
    } else {
        datatype_from_double(type, json_number_value(cursor->value), at);
        good = isfinite(datatype_to_double(type, at));
    }
    return good ? 0 : out_of_range(cursor, type, error);
}

int json_number_read(const struct json_cursor *cursor, double *out, struct error *error)
{
    return json_cursor_is_number(cursor) ? read_float(cursor, DML_TENSOR_DATA_TYPE_FLOAT64, out, error)
                                         : json_cursor_error(cursor, error, "expected a number");
}

/* Reads a number above INT64_MAX as UINT64. */
static int read_large(const struct json_cursor *cursor, void *at, struct error *error)
{
    const char *text = json_number_text(cursor->value);
    uint64_t magnitude;
    bool negative;
    if (!json_number_integer(text, &negative, &magnitude) || (negative && magnitude))
        return json_cursor_error(cursor, error, "expected an integer from 0 to %" PRIu64 ", found %.60s", UINT64_MAX,
                                 text);
    memcpy(at, &magnitude, sizeof magnitude);
    return 0;
}

static int json_elements_read_element(const struct json_cursor *cursor, unsigned type, void *at, struct error *error)
{
    const struct datatype *t = datatype_of(type);
    bool number = json_cursor_is_number(cursor);
    if (!number && json_is_string(cursor->value))
        return json_elements_read_text(cursor, type, at, error);
    if (t->is_float)
        return number ? read_float(cursor, type, at, error)
                      : json_cursor_error(cursor, error, "expected a number, \"nan\", \"inf\" or \"-inf\"");
    if (type == DML_TENSOR_DATA_TYPE_UINT64 && json_number_text(cursor->value))
        return read_large(cursor, at, error);
    int64_t value, low = 0;
    if (t->is_signed)
        low = t->bits == 64 ? INT64_MIN : -((int64_t)1 << (t->bits - 1));
    int64_t high = t->bits == 64 ? INT64_MAX : ((int64_t)1 << (t->bits - t->is_signed)) - 1;
    int result = json_cursor_integer(cursor, low, high, &value, error);
    if (result == 0)
        datatype_from_integer(type, value, at);
    return result;
}

json_t *json_element_write(unsigned type, const void *at)
{
    const struct datatype *t = datatype_of(type);
    const int64_t max = (int64_t)1 << 53; /* other JSON readers lose bits of larger integers */
    char text[32];
    uint64_t bits = datatype_bits(type, at), again = 0;
    double number = datatype_to_double(type, at);
    int64_t integer = datatype_to_integer(type, at);
    if (!t->is_float && integer <= max && integer >= (t->is_signed ? -max : 0))
        return json_integer(integer);
    if (t->is_float && isfinite(number) && (number != 0 || bits == 0)) { /* other JSON readers lose the sign of a
                                                                          * zero */
        datatype_from_double(type, number, &again);
        if (again == bits)
            return json_real(number);
    }
    snprintf(text, sizeof text, "0x%0*" PRIx64, (int)t->bits / 4, bits);
    return json_string(text);
}

/* ---- many elements */

/* Refuses a wrong number of elements before any memory is allocated. */
static int check_count(const struct json_cursor *cursor, uint64_t count, const struct json_wanted *wanted,
                       struct error *error)
{
    if (!wanted || (wanted->fewer ? count <= wanted->count : count == wanted->count))
        return 0;
    return json_cursor_error(cursor, error, "expected %s%llu elements, found %llu", wanted->fewer ? "at most " : "",
                             (unsigned long long)wanted->count, (unsigned long long)count);
}

static int make_room(const struct json_cursor *cursor, uint64_t count, unsigned width, struct json_elements *out,
                     struct error *error)
{
    if (check_count(cursor->key && strcmp(cursor->key, "valueCount") == 0 ? cursor->in : cursor, count, out->wanted,
                    error))
        return EXIT_HARNESS;
    if (count == 0 || count > 2 * max_bytes || elements_bytes(width, count) > max_bytes)
        return json_cursor_error(cursor, error, "expected at least one value, and at most %llu GiB of them",
                                 (unsigned long long)max_bytes >> 30);
    out->count = count;
    out->size = elements_bytes(width, count);
    out->data = calloc(out->size, 1);
    return out->data ? 0
                     : json_cursor_error(cursor, error, "out of memory for %llu bytes", (unsigned long long)out->size);
}

static int read_array(const struct json_cursor *cursor, struct json_elements *out, struct error *error)
{
    unsigned width = datatype_of(out->type)->bits;
    int result = make_room(cursor, json_array_size(cursor->value), width, out, error);
    for (size_t i = 0; result == 0 && i < json_array_size(cursor->value); i++) {
        struct json_cursor entry = json_cursor_entry(cursor, i);
        uint64_t bits = 0;
        result = json_elements_read_element(&entry, out->type, &bits, error);
        element_put(width, out->data, i, bits);
    }
    return result;
}

/* Reads values of mixed types, one after another without gaps. */
static int read_mixed(const struct json_cursor *cursor, struct json_elements *out, struct error *error)
{
    static const char *const known[] = {"name", "type", "value", NULL};
    int result = make_room(cursor, json_array_size(cursor->value), 64, out, error);
    out->size = out->count = 0;
    for (size_t i = 0; result == 0 && i < json_array_size(cursor->value); i++) {
        struct json_cursor entry = json_cursor_entry(cursor, i), type = json_cursor_member(&entry, "type"),
                           value = json_cursor_member(&entry, "value");
        unsigned number = 0;
        result = json_cursor_object(&entry, error);
        if (result == 0)
            result = json_cursor_known(&entry, known, error);
        if (result == 0)
            result = json_data_type_read(&type, &number, error);
        if (result == 0 && datatype_of(number)->bits < 8)
            result = json_cursor_error(&type, error, "expected a type of whole bytes");
        if (result == 0)
            result = json_elements_read_element(&value, number, out->data + out->size, error);
        out->size += elements_bytes(datatype_of(number)->bits, 1);
    }
    return result;
}

static int read_constant(const struct json_cursor *cursor, struct json_elements *out, struct error *error)
{
    static const char *const known[] = {"value", "valueCount", NULL};
    struct json_cursor value = json_cursor_member(cursor, "value"), count = json_cursor_member(cursor, "valueCount");
    unsigned width = datatype_of(out->type)->bits;
    uint64_t bits = 0;
    int64_t number;
    int result = json_cursor_known(cursor, known, error);
    if (result == 0)
        result = json_cursor_integer(&count, 1, UINT32_MAX, &number, error);
    if (result == 0)
        result = make_room(&count, (uint64_t)number, width, out, error);
    if (result == 0)
        result = json_elements_read_element(&value, out->type, &bits, error);
    for (uint64_t i = 0; result == 0 && i < out->count; i++)
        element_put(width, out->data, i, bits);
    return result;
}

/* Computes a + b in the type's own arithmetic: floats round, integers wrap. */
static void json_elements_add(unsigned type, const void *a, const void *b, void *sum)
{
    float x, y;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        x += y;
        memcpy(sum, &x, sizeof x);
    } else if (datatype_of(type)->is_float) {
        datatype_from_double(type, datatype_to_double(type, a) + datatype_to_double(type, b), sum);
    } else {
        uint64_t bits = datatype_bits(type, a) + datatype_bits(type, b);
        element_put(datatype_of(type)->bits, sum, 0, bits);
    }
}

static int read_sequence(const struct json_cursor *cursor, struct json_elements *out, struct error *error)
{
    static const char *const known[] = {"valueStart", "valueDelta", "valueCount", NULL};
    struct json_cursor start = json_cursor_member(cursor, "valueStart"),
                       delta = json_cursor_member(cursor, "valueDelta"),
                       count = json_cursor_member(cursor, "valueCount");
    unsigned width = datatype_of(out->type)->bits;
    uint64_t step = 0, value = 0;
    int64_t number;
    int result = json_cursor_known(cursor, known, error);
    if (result == 0)
        result = json_cursor_integer(&count, 1, UINT32_MAX, &number, error);
    if (result == 0)
        result = json_elements_read_element(&delta, out->type, &step, error);
    if (result == 0)
        result = make_room(&count, (uint64_t)number, width, out, error);
    if (result == 0)
        result = json_elements_read_element(&start, out->type, &value, error);
    for (uint64_t i = 0; result == 0 && i < out->count; i++) {
        element_put(width, out->data, i, value);
        json_elements_add(out->type, &value, &step, &value);
    }
    return result;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcasecmp(text + length - tail, end) == 0;
}

/* Returns the size of the file; 0 if it is unknown, since reading the file reports the reason. */
static uint64_t file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* Writes the shape as "(2, 3)". */
static const char *shape_text(const struct npy *npy, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (uint32_t i = 0; i < npy->dims && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%llu", i ? ", " : "", (unsigned long long)npy->sizes[i]);
    if (used < size)
        snprintf(text + used, size - used, ")");
    return text;
}

/* Returns true if the array has the shape of the tensor, or has at most one dimension. If fewer elements may be given,
 * its second last size may be smaller. */
static bool has_shape(const struct npy *npy, const struct json_wanted *wanted)
{
    bool same = npy->dims == wanted->dims;
    for (uint32_t i = 0; same && i < npy->dims; i++)
        same = npy->sizes[i] == wanted->sizes[i] ||
               (wanted->fewer && i + 2 == npy->dims && npy->sizes[i] < wanted->sizes[i]);
    return same || npy->dims < 2;
}

/* Checks the shape of an array, and cuts off the padding that DxDispatch adds. */
static int check_npy(const struct json_cursor *source, const struct npy *npy, struct json_elements *out,
                     struct error *error)
{
    uint64_t count = 1;
    unsigned width = datatype_of(out->type)->bits;
    char text[256];
    for (uint32_t i = 0; i < npy->dims; i++)
        count *= npy->sizes[i];
    bool halves = npy->type != out->type; /* each element of the file holds two */
    out->count = halves ? 2 * count : count;
    if (halves && count == elements_bytes(width, out->wanted->count))
        out->count = out->wanted->count;
    if (check_count(source, out->count, out->wanted, error))
        return EXIT_HARNESS;
    if (halves ? npy->dims > 1 : !has_shape(npy, out->wanted))
        return json_cursor_error(source, error, "expected the sizes of the tensor, or one dimension; found %s",
                                 shape_text(npy, text, sizeof text));
    out->size = elements_bytes(width, out->count);
    return 0;
}

/* Checks the size of a file before it is read. A .npy may have a header. */
static int check_size(const struct json_cursor *source, const char *path, bool npy, const struct json_elements *out,
                      struct error *error)
{
    enum { HEADER_MAX = 65536 + 64 };
    unsigned width = datatype_of(out->type)->bits;
    uint64_t bytes = elements_bytes(width, 1), size = file_size(path);
    uint64_t most = elements_bytes(width, out->wanted->count) + (npy ? HEADER_MAX : 0);
    bool exact = !npy && !out->wanted->fewer;
    if (exact ? size == most : size <= most && (npy || size % bytes == 0))
        return 0;
    return json_cursor_error(source, error, "%s: expected %s%llu bytes, found %llu", path, exact ? "" : "at most ",
                             (unsigned long long)most, (unsigned long long)size);
}

static int json_elements_find_file(const struct json_cursor *source, const char *name, const struct json_wanted *wanted,
                                   char *path, size_t size, struct error *error)
{
    return wanted ? json_cursor_path_beside(source, name, wanted->allow, path, size, error)
                  : json_cursor_path(source, name, path, size, error);
}

/* Returns the number of elements in the bytes of a file. Elements of 4 bits are no more than are wanted, since the last
 * byte may be half used. */
static uint64_t count_in(const struct json_elements *out)
{
    unsigned width = datatype_of(out->type)->bits;
    uint64_t count = width ? out->size * 8 / width : 0;
    return width < 8 && out->wanted && out->wanted->count < count ? out->wanted->count : count;
}

static int json_elements_read_file(const struct json_cursor *cursor, struct json_elements *out, struct error *error)
{
    static const char *const known[] = {"sourcePath", NULL};
    struct json_cursor source = json_cursor_member(cursor, "sourcePath");
    struct error wrong = {0};
    struct npy npy = {0};
    char path[PATHS_SIZE];
    const char *name;
    int result = json_cursor_known(cursor, known, error);
    if (result == 0)
        result = json_cursor_text(&source, &name, error);
    if (result == 0)
        result = json_elements_find_file(&source, name, out->wanted, path, sizeof path, error);
    if (result)
        return result;
    if (ends_with(name, ".png") || ends_with(name, ".jpg"))
        return json_cursor_error(&source, error, "images are not supported: give the elements as .npy");
    bool npy_file = ends_with(name, ".npy");
    if (!npy_file && out->type == DML_TENSOR_DATA_TYPE_UNKNOWN)
        return json_cursor_error(&source, error, "expected a data type, since the raw bytes of %s have none", name);
    if (out->wanted && check_size(&source, path, npy_file, out, error))
        return EXIT_HARNESS;
    if (!npy_file) {
        out->data = npy_load(path, &out->size, &wrong);
        out->count = count_in(out);
    } else if (npy_read(path, &npy, &wrong) == 0) {
        out->type = out->type ? out->type : npy.type;
        out->size = npy.size;
        out->data = npy.data;
        out->count = count_in(out);
        if (npy.type != npy_type_of(out->type))
            return json_cursor_error(&source, error, "%s holds %s, expected %s", path, datatype_of(npy.type)->name,
                                     datatype_of(out->type)->name);
    }
    if (!out->data)
        return json_cursor_error(&source, error, "%s", wrong.text);
    if (out->size == 0)
        return json_cursor_error(&source, error, "%s is empty", path);
    return npy_file && out->wanted ? check_npy(&source, &npy, out, error) : 0;
}

int json_elements_read(const struct json_cursor *cursor, unsigned type, const struct json_wanted *wanted,
                       struct json_elements *out, struct error *error)
{
    bool object = json_is_object(cursor->value), file = object && json_object_get(cursor->value, "sourcePath"),
         mixed = json_is_array(cursor->value) && type == DML_TENSOR_DATA_TYPE_UNKNOWN;
    int result = 0;
    *out = (struct json_elements){.type = type, .wanted = wanted};
    if (!file && !mixed && type == DML_TENSOR_DATA_TYPE_UNKNOWN)
        result = json_cursor_error(cursor, error, "expected a data type for these values, found %s",
                                   datatype_of(type)->name);
    else if (mixed)
        result = read_mixed(cursor, out, error);
    else if (json_is_array(cursor->value))
        result = read_array(cursor, out, error);
    else if (file)
        result = json_elements_read_file(cursor, out, error);
    else if (object && json_object_get(cursor->value, "valueStart"))
        result = read_sequence(cursor, out, error);
    else if (object && json_object_get(cursor->value, "value"))
        result = read_constant(cursor, out, error);
    else
        result = json_cursor_error(cursor, error,
                                   "expected an array of values, or an object with value, valueStart or sourcePath");
    out->wanted = NULL;
    if (result) {
        free(out->data);
        out->data = NULL;
    }
    return result;
}
