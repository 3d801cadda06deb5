/* descriptor_tables.c: tables of data types, and of the check of each operator. */
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
    [DML_OPERATOR_REDUCE] = descriptor_check_reduce,
    [DML_OPERATOR_ARGMIN] = descriptor_check_arg,
    [DML_OPERATOR_ARGMAX] = descriptor_check_arg,
    [DML_OPERATOR_CUMULATIVE_SUMMATION] = descriptor_check_cumulative,
    [DML_OPERATOR_CUMULATIVE_PRODUCT] = descriptor_check_cumulative,
    [DML_OPERATOR_SLICE] = descriptor_check_slice,
    [DML_OPERATOR_SLICE1] = descriptor_check_slice1,
    [DML_OPERATOR_SLICE_GRAD] = descriptor_check_slice_grad,
    [DML_OPERATOR_SPLIT] = descriptor_check_split,
    [DML_OPERATOR_JOIN] = descriptor_check_join,
    [DML_OPERATOR_TILE] = descriptor_check_tile,
    [DML_OPERATOR_PADDING] = descriptor_check_padding,
    [DML_OPERATOR_PADDING1] = descriptor_check_padding1,
    [DML_OPERATOR_SPACE_TO_DEPTH] = descriptor_check_blocks,
    [DML_OPERATOR_SPACE_TO_DEPTH1] = descriptor_check_blocks,
    [DML_OPERATOR_DEPTH_TO_SPACE] = descriptor_check_blocks,
    [DML_OPERATOR_DEPTH_TO_SPACE1] = descriptor_check_blocks,
    [DML_OPERATOR_UNFOLD] = descriptor_check_unfold,
    [DML_OPERATOR_FOLD] = descriptor_check_unfold,
    [DML_OPERATOR_DIAGONAL_MATRIX] = descriptor_check_nothing,
    [DML_OPERATOR_DIAGONAL_MATRIX1] = descriptor_check_diagonal1,
    [DML_OPERATOR_REVERSE_SUBSEQUENCES] = descriptor_check_reverse,
    [DML_OPERATOR_ONE_HOT] = descriptor_check_one_hot,
    [DML_OPERATOR_MAX_UNPOOLING] = descriptor_check_unpooling,
    [DML_OPERATOR_RANDOM_GENERATOR] = descriptor_check_random,
    [DML_OPERATOR_TOP_K] = descriptor_check_top_k,
    [DML_OPERATOR_TOP_K1] = descriptor_check_top_k,
    [DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION] = descriptor_check_response,
    [DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD] = descriptor_check_response,
    [DML_OPERATOR_MAX_POOLING] = descriptor_check_pooling,
    [DML_OPERATOR_MAX_POOLING1] = descriptor_check_pooling,
    [DML_OPERATOR_MAX_POOLING2] = descriptor_check_pooling,
    [DML_OPERATOR_AVERAGE_POOLING] = descriptor_check_pooling,
    [DML_OPERATOR_AVERAGE_POOLING1] = descriptor_check_pooling,
    [DML_OPERATOR_QUANTIZED_LINEAR_AVERAGE_POOLING] = descriptor_check_pooling,
    [DML_OPERATOR_AVERAGE_POOLING_GRAD] = descriptor_check_pooling_gradient,
    [DML_OPERATOR_MAX_POOLING_GRAD] = descriptor_check_pooling_gradient,
    [DML_OPERATOR_LP_POOLING] = descriptor_check_pooling,
    [DML_OPERATOR_LP_POOLING1] = descriptor_check_pooling,
    [DML_OPERATOR_UPSAMPLE_2D] = descriptor_check_upsample,
    [DML_OPERATOR_RESAMPLE] = descriptor_check_resample,
    [DML_OPERATOR_RESAMPLE1] = descriptor_check_resample,
    [DML_OPERATOR_RESAMPLE2] = descriptor_check_resample,
    [DML_OPERATOR_RESAMPLE3] = descriptor_check_resample,
    [DML_OPERATOR_RESAMPLE_GRAD] = descriptor_check_resample,
    [DML_OPERATOR_RESAMPLE_GRAD1] = descriptor_check_resample,
    [DML_OPERATOR_ROI_POOLING] = descriptor_check_roi_pooling,
    [DML_OPERATOR_ROI_ALIGN] = descriptor_check_roi_align,
    [DML_OPERATOR_ROI_ALIGN1] = descriptor_check_roi_align,
    [DML_OPERATOR_ROI_ALIGN_GRAD] = descriptor_check_roi_align_grad,
    [DML_OPERATOR_RNN] = descriptor_check_recurrence,
    [DML_OPERATOR_GRU] = descriptor_check_recurrence,
    [DML_OPERATOR_LSTM] = descriptor_check_recurrence,
    [DML_OPERATOR_MULTIHEAD_ATTENTION] = descriptor_check_attention,
    [DML_OPERATOR_MULTIHEAD_ATTENTION1] = descriptor_check_attention,
    [DML_OPERATOR_CONVOLUTION] = descriptor_check_convolution,
    [DML_OPERATOR_CONVOLUTION_INTEGER] = descriptor_check_integer_convolution,
    [DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION] = descriptor_check_integer_convolution,
    [DML_OPERATOR_GEMM] = descriptor_check_gemm,
    [DML_OPERATOR_MATRIX_MULTIPLY_INTEGER] = descriptor_check_product,
    [DML_OPERATOR_MATRIX_MULTIPLY_INTEGER_TO_FLOAT] = descriptor_check_product,
    [DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY] = descriptor_check_product,
    [DML_OPERATOR_VALUE_SCALE_2D] = descriptor_check_value_scale,
    [DML_OPERATOR_ADAM_OPTIMIZER] = descriptor_check_adam,
    [DML_OPERATOR_ACTIVATION_SOFTMAX] = descriptor_check_softmax,
    [DML_OPERATOR_ACTIVATION_LOG_SOFTMAX] = descriptor_check_softmax,
    [DML_OPERATOR_ACTIVATION_HARDMAX] = descriptor_check_softmax,
    [DML_OPERATOR_ACTIVATION_SOFTMAX1] = descriptor_check_softmax_axes,
    [DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1] = descriptor_check_softmax_axes,
    [DML_OPERATOR_ACTIVATION_HARDMAX1] = descriptor_check_softmax_axes,
    [DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION] = descriptor_check_mean_variance,
    [DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1] = descriptor_check_mean_variance1,
    [DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION2] = descriptor_check_mean_variance2,
    [DML_OPERATOR_LP_NORMALIZATION] = descriptor_check_lp,
    [DML_OPERATOR_BATCH_NORMALIZATION] = descriptor_check_batch,
    [DML_OPERATOR_BATCH_NORMALIZATION_TRAINING] = descriptor_check_batch_training,
    [DML_OPERATOR_BATCH_NORMALIZATION_GRAD] = descriptor_check_batch_grad,
    [DML_OPERATOR_BATCH_NORMALIZATION_TRAINING_GRAD] = descriptor_check_batch_grad,
#define ACTIVATION(name) [DML_OPERATOR_ACTIVATION_##name] = descriptor_check_activation
    ACTIVATION(ELU),
    ACTIVATION(HARD_SIGMOID),
    ACTIVATION(IDENTITY),
    ACTIVATION(LEAKY_RELU),
    ACTIVATION(LINEAR),
    ACTIVATION(PARAMETRIC_SOFTPLUS),
    ACTIVATION(RELU),
    ACTIVATION(SCALED_ELU),
    ACTIVATION(SCALED_TANH),
    ACTIVATION(SIGMOID),
    ACTIVATION(SOFTPLUS),
    ACTIVATION(SOFTSIGN),
    ACTIVATION(TANH),
    ACTIVATION(THRESHOLDED_RELU),
    ACTIVATION(SHRINK),
    ACTIVATION(CELU),
    ACTIVATION(GELU),
    ACTIVATION(SWISH),
    ACTIVATION(HARD_SWISH),
#undef ACTIVATION
#define TABLES_ONLY(name) [DML_OPERATOR_##name] = descriptor_check_nothing
    TABLES_ONLY(ELEMENT_WISE_IDENTITY),
    TABLES_ONLY(ELEMENT_WISE_ABS),
    TABLES_ONLY(ELEMENT_WISE_ACOS),
    TABLES_ONLY(ELEMENT_WISE_ADD),
    TABLES_ONLY(ELEMENT_WISE_ASIN),
    TABLES_ONLY(ELEMENT_WISE_ATAN),
    TABLES_ONLY(ELEMENT_WISE_CEIL),
    TABLES_ONLY(ELEMENT_WISE_CLIP),
    TABLES_ONLY(ELEMENT_WISE_COS),
    TABLES_ONLY(ELEMENT_WISE_DIVIDE),
    TABLES_ONLY(ELEMENT_WISE_EXP),
    TABLES_ONLY(ELEMENT_WISE_FLOOR),
    TABLES_ONLY(ELEMENT_WISE_LOG),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_AND),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_EQUALS),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_GREATER_THAN),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_LESS_THAN),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_NOT),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_OR),
    TABLES_ONLY(ELEMENT_WISE_LOGICAL_XOR),
    TABLES_ONLY(ELEMENT_WISE_MAX),
    TABLES_ONLY(ELEMENT_WISE_MEAN),
    TABLES_ONLY(ELEMENT_WISE_MIN),
    TABLES_ONLY(ELEMENT_WISE_MULTIPLY),
    TABLES_ONLY(ELEMENT_WISE_POW),
    TABLES_ONLY(ELEMENT_WISE_CONSTANT_POW),
    TABLES_ONLY(ELEMENT_WISE_RECIP),
    TABLES_ONLY(ELEMENT_WISE_SIN),
    TABLES_ONLY(ELEMENT_WISE_SQRT),
    TABLES_ONLY(ELEMENT_WISE_SUBTRACT),
    TABLES_ONLY(ELEMENT_WISE_TAN),
    TABLES_ONLY(ELEMENT_WISE_THRESHOLD),
    TABLES_ONLY(ELEMENT_WISE_SIGN),
    TABLES_ONLY(ELEMENT_WISE_IS_NAN),
    TABLES_ONLY(ELEMENT_WISE_ERF),
    TABLES_ONLY(ELEMENT_WISE_SINH),
    TABLES_ONLY(ELEMENT_WISE_COSH),
    TABLES_ONLY(ELEMENT_WISE_TANH),
    TABLES_ONLY(ELEMENT_WISE_ASINH),
    TABLES_ONLY(ELEMENT_WISE_ACOSH),
    TABLES_ONLY(ELEMENT_WISE_ATANH),
    TABLES_ONLY(ELEMENT_WISE_IF),
    TABLES_ONLY(ELEMENT_WISE_BIT_SHIFT_LEFT),
    TABLES_ONLY(ELEMENT_WISE_BIT_SHIFT_RIGHT),
    TABLES_ONLY(ELEMENT_WISE_BIT_AND),
    TABLES_ONLY(ELEMENT_WISE_BIT_OR),
    TABLES_ONLY(ELEMENT_WISE_BIT_XOR),
    TABLES_ONLY(ELEMENT_WISE_BIT_NOT),
    TABLES_ONLY(ELEMENT_WISE_BIT_COUNT),
    TABLES_ONLY(ELEMENT_WISE_MODULUS_TRUNCATE),
    TABLES_ONLY(ELEMENT_WISE_MODULUS_FLOOR),
    TABLES_ONLY(ELEMENT_WISE_DIFFERENCE_SQUARE),
    TABLES_ONLY(ELEMENT_WISE_CLIP_GRAD),
    TABLES_ONLY(ELEMENT_WISE_ATAN_YX),
    TABLES_ONLY(ELEMENT_WISE_NEGATE),
    TABLES_ONLY(CAST),
    TABLES_ONLY(ACTIVATION_PARAMETERIZED_RELU),
    TABLES_ONLY(ACTIVATION_RELU_GRAD),
#undef TABLES_ONLY
};

int descriptor_is_checked(DML_OPERATOR_TYPE type)
{
    return descriptor_check_of(type) != NULL;
}

descriptor_check *descriptor_check_of(DML_OPERATOR_TYPE type)
{
    return (size_t)type < sizeof checks / sizeof *checks ? checks[type] : NULL;
}

int descriptor_is_move(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_SLICE || type == DML_OPERATOR_SLICE1 || type == DML_OPERATOR_SLICE_GRAD ||
           type == DML_OPERATOR_SPLIT || type == DML_OPERATOR_JOIN || type == DML_OPERATOR_TILE ||
           type == DML_OPERATOR_PADDING || type == DML_OPERATOR_PADDING1 ||
           descriptor_check_of(type) == descriptor_check_blocks;
}

int descriptor_is_indexed(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_GATHER || type == DML_OPERATOR_GATHER_ELEMENTS || type == DML_OPERATOR_GATHER_ND ||
           type == DML_OPERATOR_GATHER_ND1 || type == DML_OPERATOR_SCATTER_ELEMENTS ||
           type == DML_OPERATOR_SCATTER_ND || type == DML_OPERATOR_NONZERO_COORDINATES;
}
