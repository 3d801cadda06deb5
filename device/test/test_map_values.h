/* test_map_values.h: functions for the tests of the values of element-wise operators: tensors, a run, random values. */
#ifndef TEST_MAP_VALUES_H
#define TEST_MAP_VALUES_H

#include "device/common/descriptor.h"
#include "device/common/number.h"
#include "device/test/test_open.h"

#include <math.h>

enum { COUNT = 1024, INPUTS = 3 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name
#define INF ((double)INFINITY)

static const assay_device_api *api;
static assay_device *device;
static uint64_t seed = 1;

static uint64_t values_draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = (seed ^ seed >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* ---- tensors and a run */

struct box {
    UINT sizes[1];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    _Alignas(16) unsigned char data[8 * COUNT];
};

static struct box boxes[INPUTS + 1]; /* the output is the last */

static void value_box_init(struct box *box, DML_TENSOR_DATA_TYPE type)
{
    box->sizes[0] = COUNT;
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                           .DimensionCount = 1,
                                           .Sizes = box->sizes,
                                           .TotalTensorSizeInBytes = COUNT * descriptor_element_size(type)};
    box->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
}

static void *at(struct box *box, uint32_t i)
{
    return box->data + i * descriptor_element_size(box->buffer.DataType);
}

static HRESULT run_inputs(DML_OPERATOR_TYPE type, const void *desc, uint32_t inputs)
{
    DML_OPERATOR_DESC description = {type, desc};
    assay_binding bindings[INPUTS + 1];
    for (uint32_t i = 0; i <= INPUTS; i++)
        bindings[i] = (assay_binding){boxes[i].data, 0, sizeof boxes[i].data};
    assay_dispatch_item item = {
        .inputs = bindings, .outputs = &bindings[INPUTS], .input_count = inputs, .output_count = 1};
    return compute_once(api, device, &description, &item);
}

/* ---- values */

static const double specials[] = {
    0,      -0.0,    1,        -1,       0.5,       -0.5,      2,        -2, INF,  -INF,  (double)NAN,    65504,
    -65504, 0x1p-24, -0x1p-20, 0x1p-149, -0x1p-130, 0x1.8p127, -0x1p127, 3,  -2.5, 0.999, 0x1.fffffep127, 1e-3};
enum { SPECIALS = sizeof specials / sizeof *specials };

/* Fills in an input: pairs of special values first, then numbers of all magnitudes from `least` to `most`; `least` is
 * negative if there are numbers of both signs. Integers: all bits random, small numbers, the limits. */
static void fill_input(uint32_t input, double least, double most, int with_specials)
{
    struct box *box = &boxes[input];
    DML_TENSOR_DATA_TYPE type = box->buffer.DataType;
    uint32_t width = 8 * descriptor_element_size(type);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t bits = values_draw();
        if (!number_is_float(type)) {
            const uint64_t kinds[] = {bits, bits % 11 - 5, (1ull << (width - 1)) - (bits & 1), bits >> bits % 64};
            bits = kinds[i % 4];
            memcpy(at(box, i), &bits, descriptor_element_size(type));
            continue;
        }
        double value;
        if (with_specials && i < SPECIALS * SPECIALS)
            value = specials[input ? i / SPECIALS : i % SPECIALS];
        else if (bits & 1) /* all magnitudes */
            value = ldexp(most, -(int)(bits >> 1 & 15)) * ldexp((double)(bits >> 11), -53) *
                    (least < 0 && bits & 32 ? -1 : 1);
        else
            value = least + (most - least) * ldexp((double)(bits >> 11), -53);
        number_store_real(type, value < least ? least : value, at(box, i));
        if (with_specials && i < SPECIALS * SPECIALS)
            number_store_real(type, value, at(box, i));
    }
}

/* Returns the spacing of the output type's numbers at `y`. */
static double spacing(DML_TENSOR_DATA_TYPE type, double y)
{
    int half = type == TYPE(FLOAT16), least = half ? -14 : -126;
    int exponent = y == 0 || !isfinite(y) ? least : ilogb(y);
    return ldexp(1, (exponent < least ? least : exponent) - (half ? 10 : 23));
}

#define ROW(name) #name, DML_OPERATOR_ELEMENT_WISE_##name

/* Returns the data types of a tensor, one bit each, at the newest feature level. */
static uint32_t field_types(DML_OPERATOR_TYPE type, uint32_t field)
{
    return catalogue_find((uint32_t)type)->tables[0].supports[field].types;
}

#endif
