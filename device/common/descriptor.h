/* descriptor.h: reads and validates a documented operator description.
 *
 * The rules that no table has are written by hand from the operator pages and this project's rulings. They share no
 * code with the rules in specs/, so each can be checked against the other. The tables are those of catalogue.h, which
 * specs use, too. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "device/common/catalogue.h"

enum {
    DESCRIPTOR_MAX_DIMENSIONS = DML_TENSOR_DIMENSION_COUNT_MAX1,
    DESCRIPTOR_MAX_INPUTS = 64,
    DESCRIPTOR_MAX_OUTPUTS = 64,
    DESCRIPTOR_MAX_ATTRIBUTES = 2,
    DESCRIPTOR_MAX_ACTIVATIONS = 6,
    DESCRIPTOR_MAX_LISTS = 5,
    DESCRIPTOR_MAX_CHANNELS = 3
};

/* A validated tensor. Strides are always set: to packed, row-major ones if the description has none. An optional tensor
 * that is absent has rank 0 and 0 bytes; its other members are not set. */
struct tensor {
    DML_TENSOR_DATA_TYPE type;
    uint32_t element_size; /* bytes: 1, 2, 4 or 8; 0: two elements share a byte, and the first is in its low half */
    uint32_t element_bits; /* 4, 8, 16, 32 or 64 */
    uint32_t rank;         /* DimensionCount, 1 to 8 */
    uint32_t sizes[DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t strides[DESCRIPTOR_MAX_DIMENSIONS]; /* in elements; 0: the dimension is broadcast */
    uint64_t count;                              /* product of sizes */
    uint64_t bytes;                              /* TotalTensorSizeInBytes */
    int packed;                                  /* strides are the packed ones, except in dimensions of size 1 */
    uint32_t alignment;                          /* GuaranteedBaseOffsetAlignment */
    int owned;                                   /* Flags has OWNED_BY_DML */
};

/* The results of SOFTMAX and its relatives for a slice: shares that add up to 1, their logarithms, or a 1 at the first
 * greatest element. */
enum descriptor_softmax { SOFTMAX_PART, SOFTMAX_LOGARITHM, SOFTMAX_FIRST, SOFTMAX_NONE /* another operator */ };
enum descriptor_softmax descriptor_softmax_of(DML_OPERATOR_TYPE type);

/* Attributes of LOCAL_RESPONSE_NORMALIZATION and its gradient. */
struct descriptor_response {
    int crosses;   /* CrossChannel */
    uint32_t size; /* LocalSize */
    FLOAT alpha, beta, bias;
};

/* The arrays of an operator with a window that moves over spatial dimensions, in `lists`. */
enum descriptor_list { WINDOW_STRIDES, WINDOW_SIZES, WINDOW_START, WINDOW_END, WINDOW_GAPS };

/* Other attributes of such operators. */
struct descriptor_window {
    int includes_padding; /* IncludePadding */
    uint32_t power;       /* P of LP_POOLING */
    uint32_t groups;      /* GroupCount */
    int backward;         /* Direction */
    int flipped;          /* Mode: the elements of the filter are counted from its end */
};

/* An activation of a recurrent network, with its attributes in the order of its fields. */
struct descriptor_activation {
    DML_OPERATOR_TYPE type;
    FLOAT attributes[DESCRIPTOR_MAX_ATTRIBUTES];
};

/* A validated operator. Tensors are in the order of the documented struct's fields; tensors of one array follow each
 * other. */
/* ROI_ALIGN, ROI_ALIGN1 and ROI_ALIGN_GRAD: how samples of regions are placed. Numbers of a dimension are of rows, then
 * of columns. */
struct descriptor_region {
    uint32_t regions, batches;    /* the numbers of these inputs */
    uint32_t bins[2], picture[2]; /* bins of a region; sizes of the picture */
    uint32_t batch_count;         /* batches of the picture */
    float scales[2], input_offset, output_offset;
    float outside;         /* the value of a sample outside of the picture */
    uint32_t fewest, most; /* samples of a bin in a dimension */
    int is_max, is_linear, corners;
};

/* The element that NEAREST_NEIGHBOR takes for a coordinate between two elements. */
enum descriptor_rounding { DESCRIPTOR_ROUNDS_HALVES_UP, DESCRIPTOR_ROUNDS_UP, DESCRIPTOR_ROUNDS_DOWN };

/* UPSAMPLE_2D, RESAMPLE and its successors: how elements of the output lie in the input, in each dimension. Gradients:
 * how elements of the input lie in the output. */
struct descriptor_resampling {
    double scales[DESCRIPTOR_MAX_DIMENSIONS];
    double input_offsets[DESCRIPTOR_MAX_DIMENSIONS], output_offsets[DESCRIPTOR_MAX_DIMENSIONS];
    enum descriptor_rounding rounding;
    int is_linear;
};

struct descriptor {
    DML_OPERATOR_TYPE type;
    uint32_t input_count, output_count;            /* absent tensors count, too */
    struct tensor inputs[DESCRIPTOR_MAX_INPUTS];   /* input, indices, updates */
    struct tensor outputs[DESCRIPTOR_MAX_OUTPUTS]; /* output; or count, coordinates */
    /* Attributes of operators with indices; 0 if they lack the attribute. */
    uint32_t axis;
    uint32_t index_dimensions;        /* IndexDimensions in GATHER */
    uint32_t input_dimension_count;   /* P in the ND operators */
    uint32_t indices_dimension_count; /* Q */
    uint32_t batch_dimension_count;   /* B */
    /* The arrays of numbers, a UINT or INT each, of FOLD and of operators that move or reduce elements; in UPSAMPLE_2D
     * the scale of each dimension. */
    uint32_t lists[DESCRIPTOR_MAX_LISTS][DESCRIPTOR_MAX_DIMENSIONS];
    struct descriptor_response response;
    struct descriptor_window window;
    struct descriptor_region region;
    struct descriptor_resampling resampling;
    FLOAT channel_bias[DESCRIPTOR_MAX_CHANNELS]; /* ChannelBias of VALUE_SCALE_2D */
    /* For SOFTMAX and its relatives: bit n is set if dimension n belongs to a slice. */
    uint32_t slice_dimensions;
    /* Attributes of any operator. */
    int has_scale_bias;
    DML_SCALE_BIAS scale_bias;
    DML_OPERATOR_TYPE activation; /* FusedActivation, or the operator itself; INVALID: no activation */
    FLOAT activation_attributes[DESCRIPTOR_MAX_ATTRIBUTES];               /* in the order of the activation's fields */
    struct descriptor_activation activations[DESCRIPTOR_MAX_ACTIVATIONS]; /* ActivationDescs */
    union descriptor_struct {
        DML_GATHER_OPERATOR_DESC gather;
        DML_GATHER_ELEMENTS_OPERATOR_DESC gather_elements;
        DML_GATHER_ND_OPERATOR_DESC gather_nd;
        DML_GATHER_ND1_OPERATOR_DESC gather_nd1;
        DML_SCATTER_ELEMENTS_OPERATOR_DESC scatter_elements;
        DML_SCATTER_ND_OPERATOR_DESC scatter_nd;
        DML_ELEMENT_WISE_CLIP_OPERATOR_DESC clip;
        DML_ELEMENT_WISE_CLIP1_OPERATOR_DESC clip1;
        DML_ELEMENT_WISE_CLIP_GRAD_OPERATOR_DESC clip_grad;
        DML_ELEMENT_WISE_CLIP_GRAD1_OPERATOR_DESC clip_grad1;
        DML_ELEMENT_WISE_CONSTANT_POW_OPERATOR_DESC constant_pow;
        DML_ELEMENT_WISE_IS_INFINITY_OPERATOR_DESC is_infinity;
        DML_ELEMENT_WISE_ROUND_OPERATOR_DESC round;
        DML_ELEMENT_WISE_THRESHOLD_OPERATOR_DESC threshold;
        DML_FILL_VALUE_CONSTANT_OPERATOR_DESC fill_constant;
        DML_FILL_VALUE_SEQUENCE_OPERATOR_DESC fill_sequence;
        DML_REDUCE_OPERATOR_DESC reduce;
        DML_ARGMIN_OPERATOR_DESC argmin;
        DML_ARGMAX_OPERATOR_DESC argmax;
        DML_CUMULATIVE_SUMMATION_OPERATOR_DESC cumulative_sum;
        DML_CUMULATIVE_PRODUCT_OPERATOR_DESC cumulative_product;
        DML_SLICE_OPERATOR_DESC slice;
        DML_SLICE1_OPERATOR_DESC slice1;
        DML_SLICE_GRAD_OPERATOR_DESC slice_grad;
        DML_SPLIT_OPERATOR_DESC split;
        DML_JOIN_OPERATOR_DESC join;
        DML_TILE_OPERATOR_DESC tile;
        DML_PADDING_OPERATOR_DESC padding;
        DML_PADDING1_OPERATOR_DESC padding1;
        DML_SPACE_TO_DEPTH1_OPERATOR_DESC space_to_depth1; /* DEPTH_TO_SPACE1 has the same members; others have fewer */
        DML_UNFOLD_OPERATOR_DESC unfold;                   /* FOLD has the same members */
        DML_QUANTIZE_OPERATOR_DESC quantize;
        DML_DEQUANTIZE_OPERATOR_DESC dequantize;
        DML_DIAGONAL_MATRIX_OPERATOR_DESC diagonal;
        DML_DIAGONAL_MATRIX1_OPERATOR_DESC diagonal1;
        DML_REVERSE_SUBSEQUENCES_OPERATOR_DESC reverse;
        DML_ONE_HOT_OPERATOR_DESC one_hot;
        DML_RANDOM_GENERATOR_OPERATOR_DESC random;
        DML_TOP_K_OPERATOR_DESC top_k;
        DML_TOP_K1_OPERATOR_DESC top_k1;
        DML_LOCAL_RESPONSE_NORMALIZATION_OPERATOR_DESC response;
        DML_LOCAL_RESPONSE_NORMALIZATION_GRAD_OPERATOR_DESC response_grad;
        DML_VALUE_SCALE_2D_OPERATOR_DESC value_scale;
        DML_UPSAMPLE_2D_OPERATOR_DESC upsample;
        DML_RESAMPLE_OPERATOR_DESC resample;
        DML_RESAMPLE1_OPERATOR_DESC resample1; /* RESAMPLE_GRAD has members of the same types */
        DML_RESAMPLE2_OPERATOR_DESC resample2; /* RESAMPLE_GRAD1, too; RESAMPLE3 has one more */
        DML_ROI_POOLING_OPERATOR_DESC roi_pooling;
        DML_ROI_ALIGN_OPERATOR_DESC roi_align;
        DML_ROI_ALIGN1_OPERATOR_DESC roi_align1;
        DML_ROI_ALIGN_GRAD_OPERATOR_DESC roi_align_grad;
        DML_GEMM_OPERATOR_DESC gemm;
        DML_CONVOLUTION_OPERATOR_DESC convolution;
        DML_ADAM_OPTIMIZER_OPERATOR_DESC adam;
        DML_RNN_OPERATOR_DESC rnn;
        DML_GRU_OPERATOR_DESC gru;
        DML_LSTM_OPERATOR_DESC lstm;
        DML_MULTIHEAD_ATTENTION_OPERATOR_DESC attention;
        DML_MULTIHEAD_ATTENTION1_OPERATOR_DESC attention1;
        DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC softmax1; /* LOG_SOFTMAX1 and HARDMAX1 have the same members */
        DML_MEAN_VARIANCE_NORMALIZATION_OPERATOR_DESC mean_variance;
        DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC mean_variance1;
        DML_MEAN_VARIANCE_NORMALIZATION2_OPERATOR_DESC mean_variance2;
        DML_LP_NORMALIZATION_OPERATOR_DESC lp;
        DML_BATCH_NORMALIZATION_OPERATOR_DESC batch;
        DML_BATCH_NORMALIZATION_TRAINING_OPERATOR_DESC batch_training;
        DML_BATCH_NORMALIZATION_GRAD_OPERATOR_DESC
        batch_grad; /* BATCH_NORMALIZATION_TRAINING_GRAD has the same members */
        unsigned char bytes[CATALOGUE_MAX_SIZE];
    } desc; /* the documented struct; its pointers must not be used */
};

/* Returns true if the device computes an operator. */
typedef int descriptor_computes(DML_OPERATOR_TYPE type);

/* Returns 1 if descriptor_read() checks descriptions of the operator. */
int descriptor_is_checked(DML_OPERATOR_TYPE type);

/* Returns true if the operator is one of those with indices, or NONZERO_COORDINATES. */
int descriptor_is_indexed(DML_OPERATOR_TYPE type);

/* Returns true if the operator moves elements to coordinates that attributes alone decide: slices, paddings, tiles,
 * blocks, joins, splits. */
int descriptor_is_move(DML_OPERATOR_TYPE type);

/* An argument of a rejection's sentence. Its text is written only when somebody asks for the sentence. */
struct rejection_part {
    enum rejection_kind { REJECTION_SIZES, REJECTION_TYPES, REJECTION_NO_TYPE, REJECTION_LEVEL } kind;
    uint32_t count; /* number of sizes */
    uint32_t sizes[DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t number; /* a bit for each type; a number that is no type; a feature level */
    char text[160];
};

/* The reason of a rejection, in parts: a search rejects a million descriptions a second, and reads few of the
 * sentences. */
struct rejection {
    union rejection_value {
        uint64_t whole;
        double real;
        const char *text; /* a constant string, or in `texts` */
    } values[8];          /* values for the conversions of the format */
    uint32_t text_count;
    struct rejection_part texts[3];
    char element[64]; /* name of an element of an array of tensors */
};

/* Validates `desc` by the tables of feature level `level`, and fills in `out`, which keeps no pointer into `desc`.
 *
 * Returns E_INVALIDARG and sets `why` if the description breaks a rule. Returns DXGI_ERROR_UNSUPPORTED if the operator
 * exists but the device does not compute it. `out` is valid only if S_OK is returned, `why` only if not. Null pointers
 * anywhere in `desc`, and a null `why`, are allowed. No arithmetic overflows. */
HRESULT descriptor_validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, descriptor_computes *computes,
                            struct descriptor *out, struct rejection *why);

/* Writes the sentence of a rejection, which names the field, the value found and the value expected, to `room` of
 * `size` bytes, at least 1. */
void descriptor_message(struct rejection *why, char *room, size_t size);

/* Calls descriptor_validate(), and writes the sentence if the description is rejected. A null `message` is allowed. */
HRESULT descriptor_read(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, descriptor_computes *computes,
                        struct descriptor *out, char *message, size_t message_size);

/* Copies the result of descriptor_read(): all but the unused elements of the arrays of tensors, which are most of
 * it. */
void descriptor_copy(struct descriptor *to, const struct descriptor *from);

/* Returns the bytes of one element; 0 if the type is unknown or has no whole number of bytes. descriptor_element_bits()
 * returns its bits; 0 if the type is unknown. */
uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type);
uint32_t descriptor_element_bits(DML_TENSOR_DATA_TYPE type);

#endif
