/* test_quantise_layout.c: operators of a device that quantise, on tensors whose sizes take a reduction through all of
 * its levels, whose elements of 4 bits share words, and whose blocks lie in every dimension.
 *
 *     test_quantise_layout [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device, and gets one large tensor less. */
#include "device/common/descriptor.h"
#include "device/common/number.h"
#include "device/test/test_open.h"

#include <math.h>
#include <stdlib.h>

enum { RANK = DML_TENSOR_DIMENSION_COUNT_MAX1, TENSORS = 4, GAP = 0xa5 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

static const assay_device_api *api;
static assay_device *device;
static uint64_t seed = 1;

static uint32_t grid_below(uint32_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 32) * limit >> 32);
}

struct grid {
    UINT sizes[RANK], strides[RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    uint64_t count, bytes;
    unsigned char *data;
};

/* Makes a tensor that is packed, except for `gap` elements after each row. */
static void make_padded(struct grid *tensor, DML_TENSOR_DATA_TYPE type, uint32_t rank, const UINT *sizes, uint32_t gap)
{
    uint64_t extent = 1, stride = 1;
    *tensor = (struct grid){.count = 1};
    for (uint32_t d = rank; d-- > 0;) {
        tensor->sizes[d] = sizes[d];
        tensor->strides[d] = (UINT)stride;
        tensor->count *= sizes[d];
        extent += (sizes[d] - 1) * stride;
        stride = stride * sizes[d] + (d + 1 == rank ? gap : 0);
    }
    tensor->bytes = (extent * descriptor_element_bits(type) + 31) / 32 * 4;
    tensor->data = malloc(tensor->bytes);
    memset(tensor->data, GAP, tensor->bytes);
    tensor->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                              .DimensionCount = rank,
                                              .Sizes = tensor->sizes,
                                              .Strides = tensor->strides,
                                              .TotalTensorSizeInBytes = tensor->bytes};
    tensor->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &tensor->buffer};
}

/* Returns the offset of element `number` of `whole`, row-major; if the tensor has fewer elements, that of its block. */
static uint64_t grid_offset(const struct grid *tensor, const struct grid *whole, uint64_t number)
{
    uint64_t offset = 0;
    for (uint32_t d = whole->buffer.DimensionCount; d-- > 0;) {
        uint64_t at = number % whole->sizes[d];
        offset += at / (whole->sizes[d] / tensor->sizes[d]) * tensor->strides[d];
        number /= whole->sizes[d];
    }
    return offset;
}

static double grid_get(const struct grid *tensor, const struct grid *whole, uint64_t number)
{
    DML_TENSOR_DATA_TYPE type = tensor->buffer.DataType;
    uint64_t bits = number_get(type, tensor->data, grid_offset(tensor, whole, number));
    return number_real(type, &bits);
}

static void grid_put(const struct grid *tensor, unsigned char *data, uint64_t number, double value)
{
    uint64_t bits = 0;
    number_store_real(tensor->buffer.DataType, value, &bits);
    number_put(tensor->buffer.DataType, data, grid_offset(tensor, tensor, number), bits);
}

/* Runs an operator on the first `inputs` tensors, into the others. */
static HRESULT run_grids(DML_OPERATOR_TYPE type, const void *desc, struct grid *tensors, uint32_t inputs,
                         uint32_t outputs)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_binding bindings[TENSORS] = {{.offset = 0}};
    for (uint32_t k = 0; k < inputs + outputs; k++)
        bindings[k] = (assay_binding){tensors[k].data, 0, tensors[k].bytes};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[inputs], .input_count = inputs, .output_count = outputs};
    HRESULT status = compute_once(api, device, &description, &item);
    if (status != S_OK)
        note("0x%08x %s", (unsigned)status, api->message(device));
    return status;
}

static void free_all(struct grid *tensors)
{
    for (uint32_t k = 0; k < TENSORS; k++)
        free(tensors[k].data);
}

/* Checks DYNAMIC_QUANTIZE_LINEAR on small multiples of 1/4, except for the least and the greatest element, which only a
 * reduction of all elements finds. */
static void check_dynamic(DML_TENSOR_DATA_TYPE type, uint32_t rank, const UINT *sizes, uint32_t gap)
{
    struct grid t[TENSORS];
    const UINT ones[RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    make_padded(&t[0], type, rank, sizes, gap);
    make_padded(&t[1], TYPE(INT8), rank, sizes, 0);
    make_padded(&t[2], TYPE(FLOAT32), rank, ones, 0);
    make_padded(&t[3], TYPE(INT8), rank, ones, 0);
    for (uint64_t i = 0; i < t[0].count; i++)
        grid_put(&t[0], t[0].data, i, grid_below(128) / 4.0 - 16);
    uint64_t least = grid_below((uint32_t)t[0].count), greatest = (least + 1) % t[0].count;
    grid_put(&t[0], t[0].data, greatest, 31.5);
    grid_put(&t[0], t[0].data, least, -32.25);
    int is_one = t[0].count == 1; /* a single element has the range from -32.25 to 0 */
    double scale = (is_one ? 32.25 : 63.75) / 255, zero = is_one ? 127 : 1;
    DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC desc = {&t[0].desc, &t[1].desc, &t[2].desc, &t[3].desc};
    int right = run_grids(DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, &desc, t, 1, 3) == S_OK;
    right = right && grid_get(&t[2], &t[2], 0) == (double)(float)scale && grid_get(&t[3], &t[3], 0) == zero;
    for (uint64_t i = 0; i < t[0].count && right; i++)
        right = grid_get(&t[1], &t[1], i) == fmin(fmax(grid_get(&t[0], &t[0], i) / scale + zero, -128), 127);
    if (!ok(right, "DYNAMIC_QUANTIZE_LINEAR of %llu elements of %s", (unsigned long long)t[0].count,
            type == TYPE(FLOAT16) ? "FLOAT16" : "FLOAT32"))
        note("scale %.9g, not %.9g; zero point %g, not %g", grid_get(&t[2], &t[2], 0), scale, grid_get(&t[3], &t[3], 0),
             zero);
    free_all(t);
}

/* Checks QUANTIZE with scales that are powers of two, so that every element is exact. All bytes are compared. */
static void check_quantize(const char *what, DML_TENSOR_DATA_TYPE type, uint32_t rank, const UINT *sizes,
                           const UINT *blocks, uint32_t gap)
{
    struct grid t[TENSORS];
    int is_signed = type == TYPE(INT4) || type == TYPE(INT8);
    double span = ldexp(1, (int)descriptor_element_bits(type)), lowest = is_signed ? -span / 2 : 0;
    make_padded(&t[0], TYPE(FLOAT32), rank, sizes, gap);
    make_padded(&t[1], TYPE(FLOAT32), rank, blocks, 0);
    make_padded(&t[2], type, rank, blocks, 0);
    make_padded(&t[3], type, rank, sizes, gap);
    for (uint64_t i = 0; i < t[0].count; i++)
        grid_put(&t[0], t[0].data, i, (double)grid_below(64) - 32);
    for (uint64_t i = 0; i < t[1].count; i++) {
        grid_put(&t[1], t[1].data, i, ldexp(1, (int)grid_below(5) - 2));
        grid_put(&t[2], t[2].data, i, lowest + grid_below((uint32_t)span));
    }
    unsigned char *expected = malloc(t[3].bytes);
    memset(expected, GAP, t[3].bytes);
    for (uint64_t i = 0; i < t[0].count; i++) {
        double value = rint(grid_get(&t[0], &t[0], i) / grid_get(&t[1], &t[0], i)) + grid_get(&t[2], &t[0], i);
        grid_put(&t[3], expected, i, fmin(fmax(value, lowest), lowest + span - 1));
    }
    DML_TENSOR_DESC quantization[] = {t[1].desc, t[2].desc};
    DML_QUANTIZE_OPERATOR_DESC desc = {&t[0].desc, DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT, 2, quantization, &t[3].desc};
    ok(run_grids(DML_OPERATOR_QUANTIZE, &desc, t, 3, 1) == S_OK && memcmp(t[3].data, expected, t[3].bytes) == 0,
       "QUANTIZE: %s", what);
    free(expected);
    free_all(t);
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    static const uint32_t counts[] = {1, 2, 2047, 2048, 2049, 70001, 2048 * 2048, 2048 * 2048 + 1};
    for (uint32_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i] == 2048 * 2048 && !takes_all)
            continue;
        check_dynamic(TYPE(FLOAT32), 1, &counts[i], 0);
        check_dynamic(TYPE(FLOAT16), 1, &counts[i], 0);
    }
    check_dynamic(TYPE(FLOAT32), 4, (const UINT[]){3, 5, 129, 37}, 3);
    check_quantize("INT4, an odd number of elements", TYPE(INT4), 1, (const UINT[]){70001}, (const UINT[]){1}, 0);
    check_quantize("UINT4, rows with odd gaps", TYPE(UINT4), 3, (const UINT[]){5, 131, 101}, (const UINT[]){5, 1, 1},
                   3);
    check_quantize("INT4, blocks of two along eight dimensions", TYPE(INT4), 8, (const UINT[]){4, 4, 4, 4, 4, 4, 4, 6},
                   (const UINT[]){2, 2, 2, 2, 2, 2, 2, 3}, 0);
    check_quantize("UINT8, small blocks along eight dimensions", TYPE(UINT8), 8, (const UINT[]){2, 4, 2, 4, 6, 2, 4, 4},
                   (const UINT[]){2, 2, 1, 2, 3, 2, 2, 2}, 1);
    check_quantize("INT8, few blocks along five dimensions", TYPE(INT8), 5, (const UINT[]){4, 4, 4, 4, 4},
                   (const UINT[]){2, 2, 2, 2, 2}, 0);
    api->destroy_device(device);
    return tap_done();
}
