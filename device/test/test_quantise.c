/* test_quantise.c: operators of a device that quantise or number elements: the examples of the operator cards, elements
 * of 4 bits, and descriptions that must be rejected.
 *
 *     test_quantise [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_boxes.h"

static const double x4[] = {-2.549168, -4.7948575, 8.413617, 6.1086235};

/* ---- full-size scales */

static void test_linear(void)
{
    DML_OPERATOR_TYPE quantize = DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR,
                      dequantize = DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR;
    box1(0, F32, 4, x4);
    box1(1, F32, 4, (const double[]){9.343093, 0.28006873, 4.617085, 1.1202748});
    box1(2, U8, 4, (const double[]){128, 128, 128, 128});
    box1(3, U8, 4, NULL);
    box_holds("QUANTIZE_LINEAR", run_boxes(quantize, t, 3, 1), 3, (const double[]){128, 111, 130, 133}, 0);
    box_put(F32, boxes[1].data, 2, -4.617085);
    box_holds("  a negative scale", run_boxes(quantize, t, 3, 1), 3, (const double[]){128, 111, 126, 133}, 0);
    box1(0, F32, 6, (const double[]){0.5, 1.5, 2.5, -0.5, 1000, -1000});
    box1(1, F32, 6, (const double[]){1, 1, 1, 1, 1, 1});
    absent(2);
    box1(3, I8, 6, NULL);
    box_holds("  ties to even, out of range, no zero point", run_boxes(quantize, t, 3, 1), 3,
              (const double[]){0, 2, 2, 0, 127, -128}, 0);
    box1(0, F32, 1, (const double[]){16});
    box1(1, F16, 1, (const double[]){0});
    box1(3, U8, 1, NULL);
    box_rejects("ScaleTensor.DataType is FLOAT16", quantize, t);
    box1(0, I32, 1, (const double[]){7});
    box_rejects("for an InputTensor of INT32 it must be FLOAT32", quantize, t);

    box1(0, U8, 4, (const double[]){0, 3, 128, 255});
    box1(1, F32, 4, (const double[]){2, 2, 2, 2});
    box1(2, U8, 4, (const double[]){128, 128, 128, 128});
    box1(3, F32, 4, NULL);
    box_holds("DEQUANTIZE_LINEAR", run_boxes(dequantize, t, 3, 1), 3, (const double[]){-256, -250, 0, 254}, 0);
    absent(2);
    box_holds("  no zero point", run_boxes(dequantize, t, 3, 1), 3, (const double[]){0, 6, 256, 510}, 0);
    go_to(DML_FEATURE_LEVEL_6_1, "level=6_1");
    box_rejects("ZeroPointTensor is null", dequantize, t);
    go_to(DML_FEATURE_LEVEL_6_4, "");
}

static void test_add(void)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD;
    box1(0, U8, 4, (const double[]){128, 130, 132, 255});
    box1(1, F32, 1, (const double[]){0.5});
    box1(2, U8, 1, (const double[]){128});
    box1(3, I8, 4, (const double[]){0, 10, -20, 127});
    box1(4, F32, 1, (const double[]){0.25});
    absent(5);
    box1(6, F32, 1, (const double[]){0.5});
    box1(7, U8, 1, (const double[]){3});
    box1(8, U8, 4, NULL);
    box_holds("QUANTIZED_LINEAR_ADD", run_boxes(type, t, 8, 1), 8, (const double[]){3, 10, 0, 193}, 0);
    for (int at = 1; at < 8; at++) {
        char what[64];
        static const char *const names[] = {"", "AScaleTensor",      "AZeroPointTensor",     "", "BScaleTensor",
                                            "", "OutputScaleTensor", "OutputZeroPointTensor"};
        if (!*names[at])
            continue;
        boxes[at].sizes[2] = 4;
        boxes[at].buffer.TotalTensorSizeInBytes = 16;
        snprintf(what, sizeof what, "%s.Sizes are {1,1,4}; all must be 1", names[at]);
        box_rejects(what, type, t);
        boxes[at].sizes[2] = 1;
    }
    boxes[3].sizes[2] = 2;
    box_rejects("BTensor.Sizes are {1,1,2}", type, t);
}

/* ---- scales that the device chooses */

static void test_dynamic(void)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR;
    static const double x[] = {0, 2, -3, -2.5, 1.34, 0.5}, negative[] = {-1, -2.1, -1.3, -2.5, -3.34, -4};
    static const double positive[] = {1, 2.1, 1.3, 2.5, 3.34, 4, 1.5, 2.6, 3.9, 4, 3, 2.345};
    static const struct {
        const char *name;
        int type;
        UINT count;
        const double *x;
        double y[12], scale[1], zero_point[1];
    } cases[] = {
        {"DYNAMIC_QUANTIZE_LINEAR", U8, 6, x, {153, 255, 0, 26, 221, 179}, {0.019607844}, {153}},
        {"  INT8", I8, 6, x, {25, 127, -128, -102, 93, 51}, {0.019607844}, {25}},
        {"  all negative", U8, 6, negative, {191, 121, 172, 96, 42, 0}, {0.015686275}, {255}},
        {"  all positive",
         U8,
         12,
         positive,
         {64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149},
         {0.015686275},
         {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        box1(0, F32, cases[i].count, cases[i].x);
        box1(1, cases[i].type, cases[i].count, NULL);
        box1(2, F32, 1, NULL);
        box1(3, cases[i].type, 1, NULL);
        HRESULT status = run_boxes(type, t, 1, 3);
        box_holds(cases[i].name, status, 1, cases[i].y, 0);
        box_holds("  its scale", status, 2, cases[i].scale, 2e-9);
        box_holds("  its zero point", status, 3, cases[i].zero_point, 0);
    }
    boxes[2].sizes[1] = 2;
    boxes[2].buffer.TotalTensorSizeInBytes = 8;
    box_rejects("OutputScaleTensor.Sizes are {1,2,1}; all must be 1", type, t);
}

/* ---- blocks, and elements of 4 bits */

/* A description of tensors 0, 1, 2 as input, scale and zero point, and the next as output. */
struct blocks {
    DML_TENSOR_DESC tensors[2];
    DML_QUANTIZE_OPERATOR_DESC desc;
};

static const void *blocks(struct blocks *out, UINT count)
{
    *out = (struct blocks){
        .tensors = {{DML_TENSOR_TYPE_BUFFER, &boxes[1].buffer}, {DML_TENSOR_TYPE_BUFFER, &boxes[2].buffer}}};
    out->desc = (DML_QUANTIZE_OPERATOR_DESC){t[0], (DML_QUANTIZATION_TYPE)count, count, out->tensors, t[count + 1]};
    return &out->desc;
}

static void test_blocks(void)
{
    struct blocks b;
    box3(0, F32, 1, 4, 1, x4);
    box3(1, F32, 1, 2, 1, (const double[]){0.28006873, -4.617085});
    box3(2, U8, 1, 2, 1, (const double[]){128, 189});
    box3(3, U8, 1, 4, 1, NULL);
    box_holds("QUANTIZE", run_boxes(DML_OPERATOR_QUANTIZE, blocks(&b, 2), 3, 1), 3,
              (const double[]){119, 111, 187, 188}, 0);

    static const double rows[] = {4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435,
                                  4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435};
    box3(0, F32, 1, 3, 4, rows);
    box3(1, F32, 1, 1, 2, (const double[]){1.1202748, 2.1202748});
    box3(2, I4, 1, 1, 2, (const double[]){-6, -5});
    box3(3, I4, 1, 3, 4, NULL);
    box_holds("  INT4, blocks in two dimensions", run_boxes(DML_OPERATOR_QUANTIZE, blocks(&b, 2), 3, 1), 3,
              (const double[]){-2, -3, -4, -2, -6, 0, -3, -3, -4, -1, -5, -2}, 0);
    box1(0, F32, 5, (const double[]){-100, 100, 1, 2, 3});
    box1(1, F32, 1, (const double[]){1});
    box1(2, U4, 5, NULL);
    box_holds("  an odd number of UINT4, without a zero point", run_boxes(DML_OPERATOR_QUANTIZE, blocks(&b, 1), 2, 1),
              2, (const double[]){0, 15, 1, 2, 3}, 0);

    box1(0, U4, 4, (const double[]){0, 8, 15, 3});
    ok(boxes[0].data[0] == 0x80 && boxes[0].data[1] == 0x3f, "the first of two elements is in the low half");
    box1(1, F32, 2, (const double[]){0.5, 2});
    box1(2, U4, 2, (const double[]){8, 0});
    box1(3, F32, 4, NULL);
    box_holds("DEQUANTIZE", run_boxes(DML_OPERATOR_DEQUANTIZE, blocks(&b, 2), 3, 1), 3, (const double[]){-4, 0, 30, 6},
              0);
    boxes[1].sizes[2] = boxes[2].sizes[2] = 1;
    box_holds("  one block", run_boxes(DML_OPERATOR_DEQUANTIZE, blocks(&b, 2), 3, 1), 3,
              (const double[]){-4, 0, 3.5, -2.5}, 0);
}

static void test_block_rules(void)
{
    struct blocks b;
    DML_OPERATOR_TYPE type = DML_OPERATOR_DEQUANTIZE;
    box1(0, U4, 4, NULL);
    box1(1, F32, 2, NULL);
    box1(2, U4, 2, NULL);
    box1(3, F32, 4, NULL);
    blocks(&b, 2);
    b.desc.QuantizationType = (DML_QUANTIZATION_TYPE)3;
    box_rejects("QuantizationType is 3; it must be from 1 to 2", type, &b.desc);
    b.desc.QuantizationType = DML_QUANTIZATION_TYPE_NONE;
    box_rejects("QuantizationType is 0; it must be from 1 to 2", type, &b.desc);
    b.desc.QuantizationType = DML_QUANTIZATION_TYPE_SCALE;
    box_rejects("QuantizationTensorCount is 2", type, &b.desc);
    blocks(&b, 1);
    b.desc.OutputTensor = t[3];
    b.desc.QuantizationTensorCount = 0;
    box_rejects("QuantizationTensorCount is 0", type, &b.desc);
    b.desc.QuantizationTensorCount = 64;
    box_rejects("at most 63 tensors", type, &b.desc);
    b.desc.QuantizationTensorCount = 1;
    b.desc.QuantizationTensors = NULL;
    box_rejects("QuantizationTensors is null", type, &b.desc);
    blocks(&b, 2);
    b.tensors[1].Desc = NULL;
    box_rejects("QuantizationTensors[1].Desc is null", type, &b.desc);
    blocks(&b, 2);
    boxes[1].buffer.DataType = U8;
    box_rejects("QuantizationTensors[0].DataType is UINT8; the scale must be FLOAT32", type, &b.desc);
    boxes[1].buffer.DataType = F16;
    box_rejects("QuantizationTensors[0].DataType is FLOAT16; the scale must be FLOAT32", type, &b.desc);
    boxes[1].buffer.DataType = F32;
    boxes[2].buffer.DataType = I4;
    box_rejects("QuantizationTensors[1].DataType is INT4; the zero point must be UINT4", type, &b.desc);
    boxes[2].buffer.DataType = U4;
    boxes[2].sizes[2] = 1;
    box_rejects("QuantizationTensors[1].Sizes are {1,1,1}", type, &b.desc);
    box1(1, F32, 3, NULL);
    box1(2, U4, 3, NULL);
    box_rejects("QuantizationTensors[0].Sizes[2] is 3; it must divide InputTensor's 4", type, &b.desc);
    box1(1, F32, 8, NULL);
    box_rejects("QuantizationTensors[0].Sizes[2] is 8", type, &b.desc);
    box1(1, F32, 2, NULL);
    box1(2, U4, 2, NULL);
    boxes[2].buffer.DimensionCount = 2;
    box_rejects("QuantizationTensors.DimensionCount is 2", type, &b.desc);
    boxes[2].buffer.DimensionCount = 3;
    boxes[0].buffer.TotalTensorSizeInBytes = 0;
    box_rejects("need at least 4", type, &b.desc);
}

/* ---- elements by number */

static void test_sequence(void)
{
    DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC desc = {.ValueDataType = F32};
    desc.ValueStart.Float32 = 3;
    desc.ValueDelta.Float32 = 2;
    box1(0, F32, 3, NULL);
    desc.OutputTensor = t[0];
    box_holds("FILL_VALUE_SEQUENCE", run_boxes(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0,
              (const double[]){3, 5, 7}, 0);
    desc.ValueDataType = U8;
    box_rejects("The data type of the attributes is UINT8", DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc);
    desc.ValueStart.UInt8 = 10;
    desc.ValueDelta.UInt8 = 0xfe;
    box3(0, U8, 1, 2, 2, NULL);
    box_holds("  UINT8 wraps", run_boxes(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0,
              (const double[]){10, 8, 6, 4}, 0);
    UINT strides[] = {1, 1, 2}; /* columns first: an element's number follows its coordinates */
    boxes[0].buffer.Strides = strides;
    memset(boxes[0].data, 0xff, sizeof boxes[0].data);
    box_holds("  strides change nothing", run_boxes(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0,
              (const double[]){10, 6, 8, 4}, 0);
    desc.ValueDataType = F32;
    desc.ValueStart.Float32 = 3.2f;
    desc.ValueDelta.Float32 = 1.5f;
    box1(0, F32, 5, NULL);
    box_holds("  FLOAT32", run_boxes(DML_OPERATOR_FILL_VALUE_SEQUENCE, &desc, 0, 1), 0,
              (const double[]){3.2, 4.7, 6.2, 7.7, 9.2}, 5e-7);
}

int main(int argc, char **argv)
{
    if (!open_boxes(argc, argv))
        return tap_done();
    test_linear();
    test_add();
    test_dynamic();
    test_blocks();
    test_block_rules();
    test_sequence();
    api->destroy_device(device);
    return tap_done();
}
