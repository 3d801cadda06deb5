/* test_map_layout.c: element-wise operators of a device on tensors of all shapes: ranks up to 8, different strides,
 * broadcast inputs, gaps in the output, large tensors.
 *
 *     test_map_layout [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_open.h"

#include <stdlib.h>

enum { RANK = DML_TENSOR_DIMENSION_COUNT_MAX1, TENSORS = 4, GAP = 0xa5 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

static const assay_device_api *api;
static assay_device *device;
static uint64_t seed = 1;

static uint32_t layout_below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 32) * limit >> 32);
}

struct tensor {
    UINT strides[RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    uint32_t width;  /* bytes of an element */
    uint64_t extent; /* elements */
    unsigned char *data;
};

/* Lays the dimensions out in a random order, with gaps; `broadcast`: some of them have stride 0. */
static void lay_out_tensor(struct tensor *tensor, DML_TENSOR_DATA_TYPE type, uint32_t width, uint32_t rank,
                           const UINT *sizes, int packed, int broadcast)
{
    uint32_t order[RANK];
    uint64_t stride = 1;
    *tensor = (struct tensor){.width = width};
    for (uint32_t d = 0; d < rank; d++) {
        uint32_t other = packed ? d : layout_below(d + 1);
        order[d] = order[other];
        order[other] = d;
    }
    for (uint32_t d = rank; d-- > 0;) {
        int repeats = broadcast && layout_below(3) == 0;
        tensor->strides[order[d]] = repeats ? 0 : (UINT)stride;
        if (!repeats)
            stride *= sizes[order[d]];
        if (!packed && !repeats && layout_below(4) == 0)
            stride += layout_below(3);
    }
    tensor->extent = 1;
    for (uint32_t d = 0; d < rank; d++)
        tensor->extent += (sizes[d] - 1ull) * tensor->strides[d];
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                              .DimensionCount = rank,
                                              .Sizes = sizes,
                                              .Strides = tensor->strides,
                                              .TotalTensorSizeInBytes = (tensor->extent * width + 3) / 4 * 4};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
    tensor->data = malloc(tensor->buffer.TotalTensorSizeInBytes);
    for (uint64_t i = 0; tensor->data && i < tensor->buffer.TotalTensorSizeInBytes; i++)
        tensor->data[i] = (unsigned char)layout_below(3); /* small numbers: zeros among them are false conditions */
}

/* Returns element `number`, in row-major order of coordinates. */
static unsigned char *tensor_element(const struct tensor *tensor, uint64_t number)
{
    uint64_t offset = 0;
    for (uint32_t d = tensor->buffer.DimensionCount; d-- > 0;) {
        offset += number % tensor->buffer.Sizes[d] * tensor->strides[d];
        number /= tensor->buffer.Sizes[d];
    }
    return tensor->data + offset * tensor->width;
}

/* An operator for each number of inputs, over elements of several widths. */
static const struct family {
    const char *name;
    DML_OPERATOR_TYPE type;
    uint32_t inputs;
    struct {
        DML_TENSOR_DATA_TYPE type;
        uint32_t width;
    } tensors[TENSORS];
} families[] = {
    {"FILL_VALUE_CONSTANT", DML_OPERATOR_FILL_VALUE_CONSTANT, 0, {{TYPE(UINT16), 2}}},
    {"FILL_VALUE_SEQUENCE", DML_OPERATOR_FILL_VALUE_SEQUENCE, 0, {{TYPE(INT32), 4}}},
    {"IDENTITY", DML_OPERATOR_ELEMENT_WISE_IDENTITY, 1, {{TYPE(INT8), 1}, {TYPE(INT8), 1}}},
    {"CAST", DML_OPERATOR_CAST, 1, {{TYPE(UINT8), 1}, {TYPE(FLOAT32), 4}}},
    {"SUBTRACT", DML_OPERATOR_ELEMENT_WISE_SUBTRACT, 2, {{TYPE(INT16), 2}, {TYPE(INT16), 2}, {TYPE(INT16), 2}}},
    {"IF",
     DML_OPERATOR_ELEMENT_WISE_IF,
     3,
     {{TYPE(UINT8), 1}, {TYPE(UINT64), 8}, {TYPE(UINT64), 8}, {TYPE(UINT64), 8}}},
};

/* Writes the expected element. */
static void expect_element(const struct family *family, const struct tensor *tensors, uint64_t number,
                           unsigned char *out)
{
    const unsigned char *x[TENSORS] = {NULL};
    int16_t a, b;
    float single;
    for (uint32_t k = 0; k < family->inputs; k++)
        x[k] = tensor_element(&tensors[k], number);
    switch (family->type) {
    case DML_OPERATOR_FILL_VALUE_CONSTANT:
        memcpy(out, &(uint16_t){0x1234}, 2);
        break;
    case DML_OPERATOR_FILL_VALUE_SEQUENCE:
        memcpy(out, &(int32_t){(int32_t)(5 - 3 * (int64_t)number)}, 4);
        break;
    case DML_OPERATOR_CAST:
        single = *x[0];
        memcpy(out, &single, sizeof single);
        break;
    case DML_OPERATOR_ELEMENT_WISE_SUBTRACT:
        memcpy(&a, x[0], sizeof a);
        memcpy(&b, x[1], sizeof b);
        a = (int16_t)(a - b);
        memcpy(out, &a, sizeof a);
        break;
    case DML_OPERATOR_ELEMENT_WISE_IF:
        memcpy(out, *x[0] ? x[1] : x[2], 8);
        break;
    default:
        *out = *x[0];
    }
}

static HRESULT run_family(const struct family *family, struct tensor *tensors)
{
    union {
        const DML_TENSOR_DESC *tensors[TENSORS + 1]; /* the inputs, the output, a null pointer to scale and bias */
        DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill;
        DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC sequence;
    } desc = {.tensors = {NULL}};
    assay_binding bindings[TENSORS] = {{.offset = 0}};
    for (uint32_t k = 0; k <= family->inputs; k++) {
        desc.tensors[k] = &tensors[k].desc;
        bindings[k] = (assay_binding){tensors[k].data, 0, tensors[k].buffer.TotalTensorSizeInBytes};
    }
    if (family->type == DML_OPERATOR_FILL_VALUE_CONSTANT)
        desc.fill = (DML_FILL_VALUE_CONSTANT_OPERATOR_DESC){&tensors[0].desc, TYPE(UINT16), {.UInt16 = 0x1234}};
    if (family->type == DML_OPERATOR_FILL_VALUE_SEQUENCE)
        desc.sequence =
            (DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC){&tensors[0].desc, TYPE(INT32), {.Int32 = 5}, {.Int32 = -3}};
    DML_OPERATOR_DESC description = {family->type, &desc};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[family->inputs], .input_count = family->inputs, .output_count = 1};
    return compute_once(api, device, &description, &item);
}

/* Runs an operator and compares all bytes of its output. Returns true if they are right. */
static int family_is_right(const struct family *family, uint32_t rank, const UINT *sizes, int packed)
{
    struct tensor tensors[TENSORS];
    uint64_t count = 1;
    for (uint32_t d = 0; d < rank; d++)
        count *= sizes[d];
    for (uint32_t k = 0; k <= family->inputs; k++)
        lay_out_tensor(&tensors[k], family->tensors[k].type, family->tensors[k].width, rank, sizes, packed,
                       !packed && k < family->inputs);
    struct tensor *out = &tensors[family->inputs], expected = *out;
    size_t bytes = out->buffer.TotalTensorSizeInBytes;
    expected.data = malloc(bytes);
    memset(out->data, GAP, bytes);
    memset(expected.data, GAP, bytes);
    for (uint64_t i = 0; i < count; i++)
        expect_element(family, tensors, i, tensor_element(&expected, i));
    HRESULT result = run_family(family, tensors);
    int right = result == S_OK && memcmp(out->data, expected.data, bytes) == 0;
    if (!right)
        note("%s of rank %u, %llu elements: 0x%08x %s", family->name, rank, (unsigned long long)count, (unsigned)result,
             api->message(device));
    for (uint32_t k = 0; k <= family->inputs; k++)
        free(tensors[k].data);
    free(expected.data);
    return right;
}

static void check_family(const struct family *family)
{
    int right = 1;
    for (uint32_t i = 0; i < 64; i++) {
        UINT sizes[RANK];
        uint32_t rank = 1 + i % RANK;
        for (uint32_t d = 0; d < rank; d++)
            sizes[d] = 1 + layout_below(rank > 4 ? 3 : 9);
        right &= family_is_right(family, rank, sizes, i % 5 == 0);
    }
    ok(right, "%s of small tensors of all ranks", family->name);
    right = family_is_right(family, 1, (const UINT[]){70001}, 1);
    right &= family_is_right(family, 3, (const UINT[]){7, 131, 101}, 0);
    right &= family_is_right(family, 8, (const UINT[]){3, 5, 7, 3, 5, 7, 3, 5}, 0);
    ok(right, "%s of large tensors", family->name);
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        check_family(&families[i]);
    /* A dispatch of more workgroups than fit into one dimension. */
    ok(family_is_right(&families[3], 1, (const UINT[]){35000001}, 1), "CAST of 35 million elements");
    api->destroy_device(device);
    return tap_done();
}
