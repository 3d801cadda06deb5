/* descriptor_internal.h: declarations that the descriptor_*.c files share: an operator described as data, the reader
 * that walks a description, and the text of rejections. */
#ifndef DESCRIPTOR_INTERNAL_H
#define DESCRIPTOR_INTERNAL_H

#include "device/common/descriptor.h"

enum { TYPE_TOTAL = DML_TENSOR_DATA_TYPE_INT4 + 1 };

/* Numbers of fields. The third field (the output of a gather, the updates of a scatter) always has the shape that the
 * indices call for. */
enum { FIELD_INPUT, FIELD_INDICES, FIELD_SHAPED, FIELD_SCATTER_OUTPUT };

struct reader;

/* The description being read. */
struct reader {
    const struct catalogue_operator *op;
    const struct catalogue_table *table;     /* the newest table up to `level` for the attributes */
    const struct catalogue_support *support; /* the table's entry for the tensor being read */
    DML_FEATURE_LEVEL level;
    struct tensor *tensors[CATALOGUE_MAX_FIELDS]; /* by field, the first tensor of an array; null: no tensor */
    uint32_t counts[CATALOGUE_MAX_FIELDS];        /* number of tensors, by field */
    struct rejection *why;                        /* null: nobody reads why a description is rejected */
};

/* ---- descriptor_tables.c */

/* By DML_TENSOR_DATA_TYPE. */
struct type_info {
    const char *name;
    uint32_t bits; /* bits of an element; 0: unknown */
};
extern const struct type_info descriptor_types[TYPE_TOTAL];

/* Checks the rules of an operator that are in no table. Returns 0 if one is broken. May set members of `descriptor`. */
typedef int descriptor_check(const struct reader *reader, struct descriptor *descriptor);

/* Returns the check of an operator; null: the operator's rules are not known here. */
descriptor_check *descriptor_check_of(DML_OPERATOR_TYPE type);

/* ---- descriptor_shapes.c, descriptor_element_wise.c, descriptor_quantise.c and descriptor_moves.c */

descriptor_check descriptor_check_gather;
descriptor_check descriptor_check_elements;
descriptor_check descriptor_check_nd;
descriptor_check descriptor_check_nonzero;
descriptor_check descriptor_check_nothing; /* the tables have all rules */
descriptor_check descriptor_check_round;
descriptor_check descriptor_check_is_infinity;
descriptor_check descriptor_check_scalar_type; /* the type of the DML_SCALAR_UNION must be the output's */

descriptor_check descriptor_check_reduce;
descriptor_check descriptor_check_arg;
descriptor_check descriptor_check_cumulative;

descriptor_check descriptor_check_quantize_linear;
descriptor_check descriptor_check_quantized_add;
descriptor_check descriptor_check_dynamic_quantize;
descriptor_check descriptor_check_quantize;
descriptor_check descriptor_check_dequantize;

descriptor_check descriptor_check_slice;
descriptor_check descriptor_check_slice1;
descriptor_check descriptor_check_slice_grad;
descriptor_check descriptor_check_split;
descriptor_check descriptor_check_join;
descriptor_check descriptor_check_tile;
descriptor_check descriptor_check_padding;
descriptor_check descriptor_check_padding1;
descriptor_check descriptor_check_blocks; /* SPACE_TO_DEPTH and its relatives */
descriptor_check descriptor_check_unfold; /* UNFOLD and FOLD */

/* ---- descriptor_pick.c */

descriptor_check descriptor_check_diagonal1;
descriptor_check descriptor_check_reverse;
descriptor_check descriptor_check_one_hot;
descriptor_check descriptor_check_unpooling;
descriptor_check descriptor_check_random;
descriptor_check descriptor_check_top_k;

/* ---- descriptor_response.c */

descriptor_check descriptor_check_response; /* LOCAL_RESPONSE_NORMALIZATION and its gradient */
descriptor_check descriptor_check_value_scale;

/* ---- descriptor_window.c */

descriptor_check descriptor_check_pooling; /* MAX_POOLING, AVERAGE_POOLING, LP_POOLING and their successors */
descriptor_check descriptor_check_pooling_gradient;
descriptor_check descriptor_check_convolution;
descriptor_check descriptor_check_integer_convolution;

/* ---- descriptor_resample.c */

descriptor_check descriptor_check_upsample;
descriptor_check descriptor_check_resample; /* RESAMPLE, its successors, their gradients */

/* ---- descriptor_region.c */

descriptor_check descriptor_check_roi_pooling;
descriptor_check descriptor_check_roi_align;
descriptor_check descriptor_check_roi_align_grad;

/* ---- descriptor_product.c */

descriptor_check descriptor_check_gemm;
descriptor_check descriptor_check_product; /* products of integer matrices */

/* Checks that a scale or a zero point, an input of this number, has one element, or `size` along the dimension that is
 * `from_end` from the last one. 0: no dimension. */
int descriptor_check_parameter(const struct reader *reader, const struct tensor *tensor, uint32_t number,
                               uint32_t from_end, uint32_t size);

/* ---- descriptor_adam.c */

descriptor_check descriptor_check_adam;

/* ---- descriptor_recurrence.c */

descriptor_check descriptor_check_recurrence;

/* ---- descriptor_attention.c */

descriptor_check descriptor_check_attention;

/* ---- descriptor_softmax.c */

descriptor_check descriptor_check_softmax;      /* SOFTMAX, LOG_SOFTMAX, HARDMAX: along the last dimension */
descriptor_check descriptor_check_softmax_axes; /* SOFTMAX1, LOG_SOFTMAX1, HARDMAX1: over Axes */

/* ---- descriptor_normalise.c */

descriptor_check descriptor_check_mean_variance; /* MEAN_VARIANCE_NORMALIZATION and its successors */
descriptor_check descriptor_check_mean_variance1;
descriptor_check descriptor_check_mean_variance2;
descriptor_check descriptor_check_lp;
descriptor_check descriptor_check_batch; /* BATCH_NORMALIZATION and its relatives */
descriptor_check descriptor_check_batch_training;
descriptor_check descriptor_check_batch_grad; /* BATCH_NORMALIZATION_GRAD and BATCH_NORMALIZATION_TRAINING_GRAD */

/* ---- descriptor_activation.c */

descriptor_check descriptor_check_activation; /* activations that map one element to one element */

/* Reads and checks a FusedActivation, which may be null. */
int descriptor_read_activation(const struct reader *reader, const struct catalogue_field *field,
                               const DML_OPERATOR_DESC *activation, struct descriptor *out);

/* Reads and checks the `count` activations of a recurrent network. */
int descriptor_read_activations(const struct reader *reader, const DML_OPERATOR_DESC *activations, uint32_t count,
                                struct descriptor *out);

/* Tells whether an attribute is from `least` to `max`. */
int descriptor_check_within(const struct reader *reader, const char *attribute, uint32_t value, uint32_t least,
                            uint32_t max);

/* ---- descriptor_message.c */

/* Return texts for descriptor_explain(), which are written when somebody asks for the sentence. */
const char *descriptor_text_of_sizes(const struct reader *reader, const uint32_t *sizes, uint32_t rank);
const char *descriptor_text_of_types(const struct reader *reader, uint32_t mask); /* a bit for each type */
const char *descriptor_text_of_level(const struct reader *reader, DML_FEATURE_LEVEL level);
const char *descriptor_text_of_type(const struct reader *reader, uint32_t type);

/* Keeps the sentence of a rejection: a format, and values for its conversions. Returns 0. */
__attribute__((cold)) int descriptor_explain(const struct reader *reader, const union rejection_value *values,
                                             uint32_t count);

static inline union rejection_value rejection_text(const char *text)
{
    return (union rejection_value){.text = text};
}

static inline union rejection_value rejection_real(double real)
{
    return (union rejection_value){.real = real};
}

static inline union rejection_value rejection_integer(int integer)
{
    return (union rejection_value){.whole = (unsigned)integer};
}

static inline union rejection_value rejection_whole(uint64_t whole)
{
    return (union rejection_value){.whole = whole};
}

/* Converts up to eight arguments to values: the compiler knows their types, so that no code need read the format for
 * them. */
#define VALUE(x)                                                                                                       \
    _Generic((x), char *                                                                                               \
             : rejection_text, const char *                                                                            \
             : rejection_text, double                                                                                  \
             : rejection_real, int                                                                                     \
             : rejection_integer, default                                                                              \
             : rejection_whole)(x)
#define VALUES_1(x) VALUE(x)
#define VALUES_2(x, ...) VALUE(x), VALUES_1(__VA_ARGS__)
#define VALUES_3(x, ...) VALUE(x), VALUES_2(__VA_ARGS__)
#define VALUES_4(x, ...) VALUE(x), VALUES_3(__VA_ARGS__)
#define VALUES_5(x, ...) VALUE(x), VALUES_4(__VA_ARGS__)
#define VALUES_6(x, ...) VALUE(x), VALUES_5(__VA_ARGS__)
#define VALUES_7(x, ...) VALUE(x), VALUES_6(__VA_ARGS__)
#define VALUES_8(x, ...) VALUE(x), VALUES_7(__VA_ARGS__)
#define VALUES_OF(a, b, c, d, e, f, g, h, macro, ...) macro
#define VALUES(...)                                                                                                    \
    VALUES_OF(__VA_ARGS__, VALUES_8, VALUES_7, VALUES_6, VALUES_5, VALUES_4, VALUES_3, VALUES_2, VALUES_1, )           \
    (__VA_ARGS__)
#define COUNT(...) VALUES_OF(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, )

/* A function that is never called: its declaration has the compiler check formats. */
__attribute__((format(printf, 1, 2))) int rejection_format(const char *format, ...);

/* Rejects: always 0, so that a check can return it. It is a macro, so that nothing is kept if nobody reads it. The
 * format has %s, %u, %x, %d, %llu, %g and %%, without flags; a text for %s is a constant string or one of the texts
 * above. */
#define REJECT(reader, ...)                                                                                            \
    ((void)sizeof rejection_format(__VA_ARGS__),                                                                       \
     (reader)->why                                                                                                     \
         ? descriptor_explain(reader, (const union rejection_value[]){VALUES(__VA_ARGS__)}, COUNT(__VA_ARGS__))        \
         : 0)

#endif
