/* descriptor_internal.h: what the descriptor_*.c files share: how an operator is described as data, the reader that
 * walks a description, and the text of rejections. */
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
    const struct catalogue_table *table;     /* the newest up to `level` */
    const struct catalogue_support *support; /* what it says of the tensor being read */
    DML_FEATURE_LEVEL level;
    struct tensor *tensors[CATALOGUE_MAX_FIELDS]; /* by field, of an array the first; null: no tensor */
    uint32_t counts[CATALOGUE_MAX_FIELDS];        /* tensors by field */
    char *message;                                /* null: nobody reads why a description is rejected */
    size_t message_size;
};

/* ---- descriptor_tables.c */

/* By DML_TENSOR_DATA_TYPE. */
struct type_info {
    const char *name;
    uint32_t bits; /* of one element; 0: unknown */
};
extern const struct type_info descriptor_types[TYPE_TOTAL];

/* The rules of an operator that are in no table. Returns 0 if one is broken. May set members of `descriptor`. */
typedef int descriptor_check(const struct reader *reader, struct descriptor *descriptor);

/* Null: the operator's rules are not known here. */
descriptor_check *descriptor_check_of(DML_OPERATOR_TYPE type);

/* ---- descriptor_shapes.c, descriptor_element_wise.c, descriptor_quantise.c and descriptor_activation.c */

descriptor_check descriptor_check_gather;
descriptor_check descriptor_check_elements;
descriptor_check descriptor_check_nd;
descriptor_check descriptor_check_nonzero;
descriptor_check descriptor_check_nothing; /* the tables say it all */
descriptor_check descriptor_check_round;
descriptor_check descriptor_check_is_infinity;
descriptor_check descriptor_check_scalar_type; /* of a DML_SCALAR_UNION: the output's */

descriptor_check descriptor_check_quantize_linear;
descriptor_check descriptor_check_quantized_add;
descriptor_check descriptor_check_dynamic_quantize;
descriptor_check descriptor_check_quantize;
descriptor_check descriptor_check_dequantize;

/* Reads and checks a FusedActivation, which may be null. */
int descriptor_read_activation(const struct reader *reader, const struct catalogue_field *field,
                               const DML_OPERATOR_DESC *activation, struct descriptor *out);

/* Whether an attribute is from `least` to `max`. */
int descriptor_check_within(const struct reader *reader, const char *attribute, uint32_t value, uint32_t least,
                            uint32_t max);

/* ---- descriptor_message.c */

struct text {
    char at[160];
};

struct text descriptor_text_of_sizes(const uint32_t *sizes, uint32_t rank);
struct text descriptor_text_of_types(uint32_t mask); /* one bit for each DML_TENSOR_DATA_TYPE */
struct text descriptor_text_of_level(DML_FEATURE_LEVEL level);
struct text descriptor_text_of_type(uint32_t type);

/* Writes the message of a rejection. Returns 0. */
__attribute__((cold, format(printf, 2, 3))) int descriptor_explain(const struct reader *reader, const char *format,
                                                                   ...);

/* Rejects: always 0, so that a check can return it. A macro, so that no text is made if nobody reads it. */
#define REJECT(reader, ...) ((reader)->message ? descriptor_explain(reader, __VA_ARGS__) : 0)

#endif
