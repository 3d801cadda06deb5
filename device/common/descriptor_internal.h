/* descriptor_internal.h: what the descriptor_*.c files share: how an operator is described as data, the reader that
 * walks a description, and the text of rejections. */
#ifndef DESCRIPTOR_INTERNAL_H
#define DESCRIPTOR_INTERNAL_H

#include "device/common/descriptor.h"

enum { MAX_FIELDS = 4, MAX_ATTRIBUTES = 3, TYPE_TOTAL = DML_TENSOR_DATA_TYPE_INT4 + 1 };

/* What a tensor is for. It selects the column of a support table. */
enum kind { KIND_DATA, KIND_INDICES, KIND_COUNT, KIND_COORDINATES, KIND_TOTAL };

struct support {
    uint16_t types; /* one bit for each DML_TENSOR_DATA_TYPE */
    uint8_t min_rank, max_rank;
};

/* One "Tensor support" table. It holds from `level` on, until a newer table does. */
struct table {
    DML_FEATURE_LEVEL level;
    struct support support[KIND_TOTAL];
};

struct field {
    const char *name;
    uint16_t offset; /* of the tensor pointer in the operator's struct */
    uint8_t is_output;
    uint8_t kind;
};

struct attribute {
    const char *name;
    uint16_t offset;      /* of the UINT in the operator's struct */
    uint16_t destination; /* of the member in struct descriptor */
};

/* Numbers of fields. The third field (the output of a gather, the updates of a scatter) always has the shape that the
 * indices call for. */
enum { FIELD_INPUT, FIELD_INDICES, FIELD_SHAPED, FIELD_SCATTER_OUTPUT };

struct reader;

/* An operator as data, and the function that checks the rules between its tensors. */
struct operator_rules {
    const char *name;
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL introduced;
    const struct table *tables; /* newest first; the oldest reaches back to the introduction */
    uint32_t field_count, attribute_count;
    struct field fields[MAX_FIELDS];
    struct attribute attributes[MAX_ATTRIBUTES];
    int (*check)(const struct reader *reader, const struct descriptor *descriptor);
};

/* The description being read. */
struct reader {
    const struct operator_rules *rules;
    const struct table *table; /* the newest up to `level` */
    DML_FEATURE_LEVEL level;
    struct tensor *tensors[MAX_FIELDS]; /* in the order of the fields */
    char *message;                      /* null: nobody reads why a description is rejected */
    size_t message_size;
};

/* ---- descriptor_tables.c */

/* By DML_TENSOR_DATA_TYPE. A size of 0 bytes: not a whole number of bytes, or unknown. */
struct type_info {
    const char *name;
    uint32_t size;
};
extern const struct type_info descriptor_types[TYPE_TOTAL];

/* The rules of an operator; null: not one of those read here. */
const struct operator_rules *descriptor_find_rules(DML_OPERATOR_TYPE type);

/* ---- descriptor_shapes.c: the rules between the tensors of one operator. Each returns 0 if a rule is broken. */

int descriptor_check_gather(const struct reader *reader, const struct descriptor *descriptor);
int descriptor_check_elements(const struct reader *reader, const struct descriptor *descriptor);
int descriptor_check_nd(const struct reader *reader, const struct descriptor *descriptor);
int descriptor_check_nonzero(const struct reader *reader, const struct descriptor *descriptor);

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
