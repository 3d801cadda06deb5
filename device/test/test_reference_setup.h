/* test_reference_setup.h: legal descriptions of every operator, which tests change in one place. */
#ifndef TEST_REFERENCE_SETUP_H
#define TEST_REFERENCE_SETUP_H

#include "device/common/descriptor.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 4, MAX_RANK = 9 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name
#define LEVEL(name) DML_FEATURE_LEVEL_##name

struct box {
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    UINT sizes[MAX_RANK], strides[MAX_RANK];
};

/* One operator description that tests change and read. */
struct setup {
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL level;
    struct box boxes[MAX_TENSORS];
    const DML_TENSOR_DESC *tensors[MAX_TENSORS];
    UINT attributes[3];
    struct descriptor out;
    char message[512];
};

static struct setup s;

/* Reads numbers such as "2,3". Returns their number. */
static inline UINT parse(const char *text, UINT *numbers)
{
    UINT count = 0;
    while (*text) {
        char *end;
        numbers[count++] = (UINT)strtoul(text, &end, 10);
        text = end + (*end == ',');
    }
    return count;
}

/* Returns the least TotalTensorSizeInBytes, by the formula of the documents. */
static inline UINT64 least_bytes(const DML_BUFFER_TENSOR_DESC *buffer)
{
    UINT64 last = 0, packed = 1;
    for (UINT i = buffer->DimensionCount; i-- > 0;) {
        last += (buffer->Sizes[i] - 1ull) * (buffer->Strides ? buffer->Strides[i] : packed);
        packed *= buffer->Sizes[i];
    }
    return ((last + 1) * descriptor_element_size(buffer->DataType) + 3) / 4 * 4;
}

static inline void tensor(int at, DML_TENSOR_DATA_TYPE type, const char *sizes)
{
    struct box *box = &s.boxes[at];
    memset(box, 0, sizeof *box);
    box->buffer.DataType = type;
    box->buffer.DimensionCount = parse(sizes, box->sizes);
    box->buffer.Sizes = box->sizes;
    box->buffer.TotalTensorSizeInBytes = least_bytes(&box->buffer);
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    s.tensors[at] = &box->tensor;
}

static inline void strides(int at, const char *text)
{
    struct box *box = &s.boxes[at];
    parse(text, box->strides);
    box->buffer.Strides = box->strides;
    box->buffer.TotalTensorSizeInBytes = least_bytes(&box->buffer);
}

static inline void attributes(UINT first, UINT second, UINT third)
{
    s.attributes[0] = first;
    s.attributes[1] = second;
    s.attributes[2] = third;
}

static inline int scatters(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_SCATTER_ELEMENTS || type == DML_OPERATOR_SCATTER_ND;
}

static inline int tensor_count(DML_OPERATOR_TYPE type)
{
    return scatters(type) ? 4 : 3;
}

static inline HRESULT read_setup(void)
{
    const DML_TENSOR_DESC *const *t = s.tensors;
    const UINT *a = s.attributes;
    DML_GATHER_OPERATOR_DESC gather = {t[0], t[1], t[2], a[0], a[1]};
    DML_GATHER_ELEMENTS_OPERATOR_DESC gather_elements = {t[0], t[1], t[2], a[0]};
    DML_GATHER_ND_OPERATOR_DESC gather_nd = {t[0], t[1], t[2], a[0], a[1]};
    DML_GATHER_ND1_OPERATOR_DESC gather_nd1 = {t[0], t[1], t[2], a[0], a[1], a[2]};
    DML_SCATTER_OPERATOR_DESC scatter = {t[0], t[1], t[2], t[3], a[0]};
    DML_SCATTER_ND_OPERATOR_DESC scatter_nd = {t[0], t[1], t[2], t[3], a[0], a[1]};
    DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero = {t[0], t[1], t[2]};
    DML_OPERATOR_DESC desc = {s.type, &nonzero};
    switch ((int)s.type) {
    case DML_OPERATOR_GATHER:
        desc.Desc = &gather;
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
        desc.Desc = &gather_elements;
        break;
    case DML_OPERATOR_GATHER_ND:
        desc.Desc = &gather_nd;
        break;
    case DML_OPERATOR_GATHER_ND1:
        desc.Desc = &gather_nd1;
        break;
    case DML_OPERATOR_SCATTER:
        desc.Desc = &scatter;
        break;
    case DML_OPERATOR_SCATTER_ND:
        desc.Desc = &scatter_nd;
        break;
    default:
        break;
    }
    s.message[0] = 0;
    return descriptor_read(&desc, s.level, descriptor_is_indexed, &s.out, s.message, sizeof s.message);
}

static inline void accepts(const char *what)
{
    HRESULT result = read_setup();
    if (!ok(result == S_OK, "operator %d accepts %s", s.type, what))
        note("0x%08x %s", (unsigned)result, s.message);
}

/* Checks that the description is rejected, with a message that contains `words`; also without a message buffer. */
static inline void rejects(const char *words, const char *what)
{
    HRESULT result = read_setup();
    size_t length = strlen(s.message);
    int good = result == E_INVALIDARG && strstr(s.message, words) && length && s.message[length - 1] == '.';
    if (!ok(good, "operator %d rejects %s", s.type, what))
        note("0x%08x \"%s\", wanted \"%s\"", (unsigned)result, s.message, words);
}

static const DML_OPERATOR_TYPE all[] = {
    DML_OPERATOR_GATHER,
    DML_OPERATOR_GATHER_ELEMENTS,
    DML_OPERATOR_GATHER_ND,
    DML_OPERATOR_GATHER_ND1,
    DML_OPERATOR_SCATTER_ELEMENTS,
    DML_OPERATOR_SCATTER_ND,
    DML_OPERATOR_NONZERO_COORDINATES,
};
enum { ALL = sizeof all / sizeof all[0] };

static inline const char *field_name(DML_OPERATOR_TYPE type, int at)
{
    static const char *const gather[] = {"InputTensor", "IndicesTensor", "OutputTensor"};
    static const char *const scatter[] = {"InputTensor", "IndicesTensor", "UpdatesTensor", "OutputTensor"};
    static const char *const nonzero[] = {"InputTensor", "OutputCountTensor", "OutputCoordinatesTensor"};
    if (scatters(type))
        return scatter[at];
    return type == DML_OPERATOR_NONZERO_COORDINATES ? nonzero[at] : gather[at];
}

static inline int is_output(DML_OPERATOR_TYPE type, int at)
{
    return type == DML_OPERATOR_NONZERO_COORDINATES ? at > 0 : at == tensor_count(type) - 1;
}

/* Makes a description with four dimensions that is legal from the operator's introduction on. */
static inline void base(DML_OPERATOR_TYPE type, DML_FEATURE_LEVEL level)
{
    memset(&s, 0, sizeof s);
    s.type = type;
    s.level = level;
    tensor(0, TYPE(FLOAT32), "1,2,3,4");
    switch (type) {
    case DML_OPERATOR_GATHER:
        tensor(1, TYPE(UINT32), "1,1,1,5");
        tensor(2, TYPE(FLOAT32), "1,2,5,4");
        attributes(2, 1, 0);
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ELEMENTS:
        tensor(1, TYPE(UINT32), "1,2,5,4");
        tensor(2, TYPE(FLOAT32), "1,2,5,4");
        attributes(2, 0, 0);
        break;
    case DML_OPERATOR_NONZERO_COORDINATES:
        tensor(1, TYPE(UINT32), "1,1,1,1");
        tensor(2, TYPE(UINT32), "1,1,24,3");
        break;
    default:
        tensor(1, TYPE(UINT32), "1,1,5,2");
        tensor(2, TYPE(FLOAT32), "1,1,5,4");
        attributes(3, 2, 0);
    }
    if (scatters(type))
        tensor(3, TYPE(FLOAT32), "1,2,3,4");
}

static inline void nd(DML_OPERATOR_TYPE type, const char *input, const char *indices, const char *shaped, UINT p,
                      UINT q, UINT b)
{
    memset(&s, 0, sizeof s);
    s.type = type;
    s.level = LEVEL(6_4);
    tensor(0, TYPE(FLOAT32), input);
    tensor(1, TYPE(UINT32), indices);
    tensor(2, TYPE(FLOAT32), shaped);
    if (scatters(type))
        tensor(3, TYPE(FLOAT32), input);
    attributes(p, q, b);
}

static inline void nonzero(DML_FEATURE_LEVEL level, const char *input, const char *count, const char *coordinates)
{
    memset(&s, 0, sizeof s);
    s.type = DML_OPERATOR_NONZERO_COORDINATES;
    s.level = level;
    tensor(0, TYPE(FLOAT32), input);
    tensor(1, TYPE(UINT32), count);
    tensor(2, TYPE(UINT32), coordinates);
}

#endif
