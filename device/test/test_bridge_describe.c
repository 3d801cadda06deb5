/* test_bridge_describe.c: compares each kind of member, in the format of the bridge's requests, with JSON written by
 * hand. */
#include "device/bridge/describe.c"
#include "tools/tap.h"

#include <stdlib.h>

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

/* Returns a tensor of two dimensions, {2,3}. */
static struct tensor matrix(DML_TENSOR_DATA_TYPE type, uint32_t size)
{
    return (struct tensor){.type = type,
                           .element_size = size,
                           .element_bits = 8 * size,
                           .rank = 2,
                           .sizes = {2, 3},
                           .strides = {4, 1},
                           .count = 6,
                           .bytes = 8ull * size};
}

#define F32 "{\"DataType\":\"FLOAT32\",\"Sizes\":[2,3],\"Strides\":[4,1],\"TotalTensorSizeInBytes\":32}"
#define U8 "{\"DataType\":\"UINT8\",\"Sizes\":[2,3],\"Strides\":[4,1],\"TotalTensorSizeInBytes\":8}"

static void sends(const char *what, uint32_t type, const void *desc, const struct descriptor *d, int packed,
                  const char *expected)
{
    DML_OPERATOR_DESC outer = {(DML_OPERATOR_TYPE)type, desc};
    json_t *json = describe_operator(&outer, d, packed);
    char *text = json_dumps(json, JSON_COMPACT);
    if (!ok(text && !strcmp(text, expected), "%s", what))
        note("%s\n# not %s", text ? text : "nothing", expected);
    free(text);
    json_decref(json);
}

static void test_members(void)
{
    DML_SCALE_BIAS scale_bias = {1.5f, -INFINITY};
    struct descriptor d = {.input_count = 1,
                           .output_count = 1,
                           .inputs = {matrix(TYPE(FLOAT32), 4)},
                           .outputs = {matrix(TYPE(FLOAT32), 4)}};

    DML_ELEMENT_WISE_CLIP_OPERATOR_DESC clip = {.ScaleBias = &scale_bias, .Min = -0.1f, .Max = NAN};
    sends("FLOATs and a scale-bias; numbers that JSON lacks are text", DML_OPERATOR_ELEMENT_WISE_CLIP, &clip, &d, 0,
          "{\"Type\":\"ELEMENT_WISE_CLIP\",\"Desc\":{\"InputTensor\":" F32 ",\"OutputTensor\":" F32
          ",\"ScaleBias\":{\"Scale\":1.5,\"Bias\":\"-Infinity\"},\"Min\":-0.10000000149011612,\"Max\":\"NaN\"},"
          "\"Inputs\":[\"InputTensor\"],\"Outputs\":[\"OutputTensor\"]}");
    clip = (DML_ELEMENT_WISE_CLIP_OPERATOR_DESC){.Max = 0x1p127f};
    sends("no scale-bias; packed tensors", DML_OPERATOR_ELEMENT_WISE_CLIP, &clip, &d, 1,
          "{\"Type\":\"ELEMENT_WISE_CLIP\",\"Desc\":{\"InputTensor\":{\"DataType\":\"FLOAT32\",\"Sizes\":[2,3],"
          "\"Strides\":null,\"TotalTensorSizeInBytes\":24},\"OutputTensor\":{\"DataType\":\"FLOAT32\",\"Sizes\":[2,3],"
          "\"Strides\":null,\"TotalTensorSizeInBytes\":24},\"ScaleBias\":null,\"Min\":0.0,\"Max\":"
          "1.7014118346046923e38},\"Inputs\":[\"InputTensor\"],\"Outputs\":[\"OutputTensor\"]}");
}

static void test_scalars(void)
{
    struct descriptor d = {.output_count = 1, .outputs = {matrix(TYPE(UINT8), 1)}};
    DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill = {.ValueDataType = TYPE(INT16), .Value = {.Bytes = {254, 255, 7}}};
    sends("a scalar union: the bytes that its data type has", DML_OPERATOR_FILL_VALUE_CONSTANT, &fill, &d, 0,
          "{\"Type\":\"FILL_VALUE_CONSTANT\",\"Desc\":{\"OutputTensor\":" U8
          ",\"ValueDataType\":7,\"Value\":{\"DataType\":\"INT16\",\"Bytes\":[254,255]}},\"Inputs\":[],\"Outputs\":["
          "\"OutputTensor\"]"
          "}");
}

static void test_numbers(void)
{
    struct descriptor d = {.output_count = 1, .outputs = {matrix(TYPE(UINT8), 1)}};
    DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal = {.Offset = -2, .Value = 1};
    UINT offsets[] = {4294967295u, 1}, sizes[] = {2, 3};
    INT strides[] = {-1, 2};
    DML_SLICE1_OPERATOR_DESC slice = {
        .DimensionCount = 2, .InputWindowOffsets = offsets, .InputWindowSizes = sizes, .InputWindowStrides = strides};
    DML_ROI_POOLING_OPERATOR_DESC pooling = {.SpatialScale = 0.5f, .PooledSize = {4, 5}};
    sends("an INT", DML_OPERATOR_DIAGONAL_MATRIX, &diagonal, &d, 0,
          "{\"Type\":\"DIAGONAL_MATRIX\",\"Desc\":{\"OutputTensor\":" U8
          ",\"Offset\":-2,\"Value\":1.0},\"Inputs\":[],\"Outputs\":[\"OutputTensor\"]}");
    d.input_count = 1;
    d.inputs[0] = matrix(TYPE(UINT8), 1);
    sends("arrays of UINTs and INTs", DML_OPERATOR_SLICE1, &slice, &d, 0,
          "{\"Type\":\"SLICE1\",\"Desc\":{\"InputTensor\":" U8 ",\"OutputTensor\":" U8
          ",\"DimensionCount\":2,\"InputWindowOffsets\":[4294967295,1],\"InputWindowSizes\":[2,3],"
          "\"InputWindowStrides\":[-1,2]},\"Inputs\":[\"InputTensor\"],\"Outputs\":[\"OutputTensor\"]}");
    slice.InputWindowSizes = NULL;
    slice.DimensionCount = 0;
    sends("empty and absent arrays", DML_OPERATOR_SLICE1, &slice, &d, 0,
          "{\"Type\":\"SLICE1\",\"Desc\":{\"InputTensor\":" U8 ",\"OutputTensor\":" U8
          ",\"DimensionCount\":0,\"InputWindowOffsets\":[],\"InputWindowSizes\":null,\"InputWindowStrides\":[]},"
          "\"Inputs\":[\"InputTensor\"],\"Outputs\":[\"OutputTensor\"]}");
    d.input_count = 2;
    d.inputs[1] = matrix(TYPE(FLOAT32), 4);
    sends("a size", DML_OPERATOR_ROI_POOLING, &pooling, &d, 0,
          "{\"Type\":\"ROI_POOLING\",\"Desc\":{\"InputTensor\":" U8 ",\"ROITensor\":" F32 ",\"OutputTensor\":" U8
          ",\"SpatialScale\":0.5,\"PooledSize\":{\"Width\":4,\"Height\":5}},\"Inputs\":[\"InputTensor\",\"ROITensor\"],"
          "\"Outputs\":[\"OutputTensor\"]}");
}

static void test_nested(void)
{
    struct descriptor d = {.input_count = 2,
                           .output_count = 1,
                           .inputs = {matrix(TYPE(FLOAT32), 4), matrix(TYPE(FLOAT32), 4)},
                           .outputs = {matrix(TYPE(FLOAT32), 4)}};
    DML_ACTIVATION_ELU_OPERATOR_DESC elu = {.Alpha = 0.5f};
    DML_OPERATOR_DESC activation = {DML_OPERATOR_ACTIVATION_ELU, &elu};
    DML_ELEMENT_WISE_ADD1_OPERATOR_DESC add = {.FusedActivation = &activation};
    sends("an operator within the operator", DML_OPERATOR_ELEMENT_WISE_ADD1, &add, &d, 0,
          "{\"Type\":\"ELEMENT_WISE_ADD1\",\"Desc\":{\"ATensor\":" F32 ",\"BTensor\":" F32 ",\"OutputTensor\":" F32
          ",\"FusedActivation\":{\"Type\":\"ACTIVATION_ELU\",\"Desc\":{\"InputTensor\":null,\"OutputTensor\":null,"
          "\"Alpha\":0.5}}},\"Inputs\":[\"ATensor\",\"BTensor\"],\"Outputs\":[\"OutputTensor\"]}");
    add.FusedActivation = NULL;
    sends("  none", DML_OPERATOR_ELEMENT_WISE_ADD1, &add, &d, 0,
          "{\"Type\":\"ELEMENT_WISE_ADD1\",\"Desc\":{\"ATensor\":" F32 ",\"BTensor\":" F32 ",\"OutputTensor\":" F32
          ",\"FusedActivation\":null},\"Inputs\":[\"ATensor\",\"BTensor\"],\"Outputs\":[\"OutputTensor\"]}");
}

static void test_tensors(void)
{
    struct descriptor d = {.input_count = 3,
                           .output_count = 1,
                           .inputs = {matrix(TYPE(FLOAT32), 4), matrix(TYPE(FLOAT32), 4), {.packed = 1}},
                           .outputs = {matrix(TYPE(UINT8), 1)}};
    DML_ELEMENT_WISE_QUANTIZE_LINEAR_OPERATOR_DESC linear = {0};
    DML_QUANTIZE_OPERATOR_DESC quantize = {.QuantizationType = DML_QUANTIZATION_TYPE_SCALE_ZERO_POINT,
                                           .QuantizationTensorCount = 2};
    sends("an absent tensor", DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR, &linear, &d, 0,
          "{\"Type\":\"ELEMENT_WISE_QUANTIZE_LINEAR\",\"Desc\":{\"InputTensor\":" F32 ",\"ScaleTensor\":" F32
          ",\"ZeroPointTensor\":null,\"OutputTensor\":" U8
          "},\"Inputs\":[\"InputTensor\",\"ScaleTensor\",\"ZeroPointTensor\"],\"Outputs\":[\"OutputTensor\"]}");
    d.inputs[2] = matrix(TYPE(UINT8), 1);
    sends("an array of tensors", DML_OPERATOR_QUANTIZE, &quantize, &d, 0,
          "{\"Type\":\"QUANTIZE\",\"Desc\":{\"InputTensor\":" F32
          ",\"QuantizationType\":2,\"QuantizationTensorCount\":2,\"QuantizationTensors\":[" F32 "," U8
          "],\"OutputTensor\":" U8
          "},\"Inputs\":[\"InputTensor\",\"QuantizationTensors\"],\"Outputs\":[\"OutputTensor\"]}");
    DML_DYNAMIC_QUANTIZE_LINEAR_OPERATOR_DESC dynamic = {0};
    d.input_count = 1;
    d.output_count = 3;
    d.outputs[1] = matrix(TYPE(FLOAT32), 4);
    d.outputs[2] = matrix(TYPE(UINT8), 1);
    sends("several outputs", DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, &dynamic, &d, 0,
          "{\"Type\":\"DYNAMIC_QUANTIZE_LINEAR\",\"Desc\":{\"InputTensor\":" F32 ",\"OutputTensor\":" U8
          ",\"OutputScaleTensor\":" F32 ",\"OutputZeroPointTensor\":" U8
          "},\"Inputs\":[\"InputTensor\"],\"Outputs\":[\"OutputTensor\",\"OutputScaleTensor\","
          "\"OutputZeroPointTensor\"]}");
}

/* Checks that every operator of the catalogue can be named in hello. */
static void test_names(void)
{
    uint32_t found = 0, operators = 0;
    for (uint32_t type = 1; type <= DML_OPERATOR_UNFOLD; type++) {
        const struct catalogue_operator *op = catalogue_find(type);
        operators += op != NULL;
        found += op && describe_find_operator(op->name) == type;
    }
    ok(operators > 170 && found == operators && !describe_find_operator("GATHR"), "operators by name: %u", found);
}

int main(void)
{
    test_members();
    test_scalars();
    test_numbers();
    test_nested();
    test_tensors();
    test_names();
    return tap_done();
}
