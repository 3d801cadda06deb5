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
    const struct catalogue_table *table; /* the newest up to `level` */
    DML_FEATURE_LEVEL level;
    struct tensor *tensors[CATALOGUE_MAX_FIELDS]; /* by field, of an array the first; null: no tensor */
    char *message;                                /* null: nobody reads why a description is rejected */
    size_t message_size;
};

/* ---- descriptor_tables.c */

/* By DML_TENSOR_DATA_TYPE. A size of 0 bytes: not a whole number of bytes, or unknown. */
struct type_info {
    const char *name;
    uint32_t size;
};
extern const struct type_info descriptor_types[TYPE_TOTAL];

/* The rules of an operator that are in no table. Returns 0 if one is broken. May set members of `descriptor`. */
typedef int descriptor_check(const struct reader *reader, struct descriptor *descriptor);

/* Null: the operator's rules are not known here. */
descriptor_check *descriptor_check_of(DML_OPERATOR_TYPE type);

/* ---- descriptor_shapes.c and descriptor_element_wise.c */

descriptor_check descriptor_check_gather;
descriptor_check descriptor_check_elements;
descriptor_check descriptor_check_nd;
descriptor_check descriptor_check_nonzero;
descriptor_check descriptor_check_nothing; /* the tables say it all */
descriptor_check descriptor_check_round;
descriptor_check descriptor_check_is_infinity;
descriptor_check descriptor_check_scalar_type; /* of a DML_SCALAR_UNION: the output's */

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
