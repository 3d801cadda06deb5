/* descriptor_tables.c: data types, and which operators' rules are known. */
#include "device/common/descriptor_internal.h"

const struct type_info descriptor_types[TYPE_TOTAL] = {
    [DML_TENSOR_DATA_TYPE_UNKNOWN] = {"UNKNOWN", 0},  [DML_TENSOR_DATA_TYPE_FLOAT32] = {"FLOAT32", 32},
    [DML_TENSOR_DATA_TYPE_FLOAT16] = {"FLOAT16", 16}, [DML_TENSOR_DATA_TYPE_UINT32] = {"UINT32", 32},
    [DML_TENSOR_DATA_TYPE_UINT16] = {"UINT16", 16},   [DML_TENSOR_DATA_TYPE_UINT8] = {"UINT8", 8},
    [DML_TENSOR_DATA_TYPE_INT32] = {"INT32", 32},     [DML_TENSOR_DATA_TYPE_INT16] = {"INT16", 16},
    [DML_TENSOR_DATA_TYPE_INT8] = {"INT8", 8},        [DML_TENSOR_DATA_TYPE_FLOAT64] = {"FLOAT64", 64},
    [DML_TENSOR_DATA_TYPE_UINT64] = {"UINT64", 64},   [DML_TENSOR_DATA_TYPE_INT64] = {"INT64", 64},
    [DML_TENSOR_DATA_TYPE_UINT4] = {"UINT4", 4},      [DML_TENSOR_DATA_TYPE_INT4] = {"INT4", 4},
};

uint32_t descriptor_element_bits(DML_TENSOR_DATA_TYPE type)
{
    return (uint32_t)type < TYPE_TOTAL ? descriptor_types[type].bits : 0;
}

uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type)
{
    return descriptor_element_bits(type) / 8;
}

static descriptor_check *const checks[] = {
    [DML_OPERATOR_GATHER] = descriptor_check_gather,
    [DML_OPERATOR_GATHER_ELEMENTS] = descriptor_check_elements,
    [DML_OPERATOR_GATHER_ND] = descriptor_check_nd,
    [DML_OPERATOR_GATHER_ND1] = descriptor_check_nd,
    [DML_OPERATOR_SCATTER_ELEMENTS] = descriptor_check_elements,
    [DML_OPERATOR_SCATTER_ND] = descriptor_check_nd,
    [DML_OPERATOR_NONZERO_COORDINATES] = descriptor_check_nonzero,
    [DML_OPERATOR_ELEMENT_WISE_ROUND] = descriptor_check_round,
    [DML_OPERATOR_ELEMENT_WISE_IS_INFINITY] = descriptor_check_is_infinity,
    [DML_OPERATOR_ELEMENT_WISE_CLIP1] = descriptor_check_scalar_type,
    [DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1] = descriptor_check_scalar_type,
    [DML_OPERATOR_FILL_VALUE_CONSTANT] = descriptor_check_scalar_type,
    [DML_OPERATOR_FILL_VALUE_SEQUENCE] = descriptor_check_scalar_type,
    [DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR] = descriptor_check_quantize_linear,
    [DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR] = descriptor_check_nothing,
    [DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD] = descriptor_check_quantized_add,
    [DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR] = descriptor_check_dynamic_quantize,
    [DML_OPERATOR_QUANTIZE] = descriptor_check_quantize,
    [DML_OPERATOR_DEQUANTIZE] = descriptor_check_dequantize,
    [DML_OPERATOR_ELEMENT_WISE_ADD1] = descriptor_check_nothing,
#define NOTHING(name) [DML_OPERATOR_##name] = descriptor_check_nothing,
    NOTHING(ELEMENT_WISE_IDENTITY) NOTHING(ELEMENT_WISE_ABS) NOTHING(ELEMENT_WISE_ACOS) NOTHING(ELEMENT_WISE_ADD)
        NOTHING(ELEMENT_WISE_ASIN) NOTHING(ELEMENT_WISE_ATAN) NOTHING(ELEMENT_WISE_CEIL) NOTHING(ELEMENT_WISE_CLIP)
            NOTHING(ELEMENT_WISE_COS) NOTHING(ELEMENT_WISE_DIVIDE) NOTHING(ELEMENT_WISE_EXP) NOTHING(ELEMENT_WISE_FLOOR)
                NOTHING(ELEMENT_WISE_LOG) NOTHING(ELEMENT_WISE_LOGICAL_AND) NOTHING(ELEMENT_WISE_LOGICAL_EQUALS)
                    NOTHING(ELEMENT_WISE_LOGICAL_GREATER_THAN) NOTHING(ELEMENT_WISE_LOGICAL_LESS_THAN) NOTHING(
                        ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL) NOTHING(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL)
                        NOTHING(ELEMENT_WISE_LOGICAL_NOT) NOTHING(ELEMENT_WISE_LOGICAL_OR) NOTHING(
                            ELEMENT_WISE_LOGICAL_XOR) NOTHING(ELEMENT_WISE_MAX) NOTHING(ELEMENT_WISE_MEAN)
                            NOTHING(ELEMENT_WISE_MIN) NOTHING(ELEMENT_WISE_MULTIPLY) NOTHING(ELEMENT_WISE_POW) NOTHING(
                                ELEMENT_WISE_CONSTANT_POW) NOTHING(ELEMENT_WISE_RECIP) NOTHING(ELEMENT_WISE_SIN)
                                NOTHING(ELEMENT_WISE_SQRT) NOTHING(ELEMENT_WISE_SUBTRACT) NOTHING(ELEMENT_WISE_TAN)
                                    NOTHING(ELEMENT_WISE_THRESHOLD) NOTHING(ELEMENT_WISE_SIGN) NOTHING(
                                        ELEMENT_WISE_IS_NAN) NOTHING(ELEMENT_WISE_ERF) NOTHING(ELEMENT_WISE_SINH)
                                        NOTHING(ELEMENT_WISE_COSH) NOTHING(ELEMENT_WISE_TANH) NOTHING(
                                            ELEMENT_WISE_ASINH) NOTHING(ELEMENT_WISE_ACOSH) NOTHING(ELEMENT_WISE_ATANH)
                                            NOTHING(ELEMENT_WISE_IF) NOTHING(ELEMENT_WISE_BIT_SHIFT_LEFT)
                                                NOTHING(ELEMENT_WISE_BIT_SHIFT_RIGHT) NOTHING(ELEMENT_WISE_BIT_AND)
                                                    NOTHING(ELEMENT_WISE_BIT_OR) NOTHING(ELEMENT_WISE_BIT_XOR)
                                                        NOTHING(ELEMENT_WISE_BIT_NOT) NOTHING(ELEMENT_WISE_BIT_COUNT)
                                                            NOTHING(ELEMENT_WISE_MODULUS_TRUNCATE)
                                                                NOTHING(ELEMENT_WISE_MODULUS_FLOOR)
                                                                    NOTHING(ELEMENT_WISE_DIFFERENCE_SQUARE)
                                                                        NOTHING(ELEMENT_WISE_CLIP_GRAD)
                                                                            NOTHING(ELEMENT_WISE_ATAN_YX)
                                                                                NOTHING(ELEMENT_WISE_NEGATE)
                                                                                    NOTHING(CAST)};

descriptor_check *descriptor_check_of(DML_OPERATOR_TYPE type)
{
    return (size_t)type < sizeof checks / sizeof *checks ? checks[type] : NULL;
}

int descriptor_is_indexed(DML_OPERATOR_TYPE type)
{
    descriptor_check *check = descriptor_check_of(type);
    return check == descriptor_check_gather || check == descriptor_check_elements || check == descriptor_check_nd ||
           check == descriptor_check_nonzero;
}
