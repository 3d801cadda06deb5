/* catalogue.h: the documented operators as data: the members of their structs, the data types and dimension counts of
 * their tensors at every feature level, and the sets of tensors that must agree. It is generated from
 * specs/catalogue.lua. The rules that no table has are in descriptor_*.c. */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include "device/dml.h"

#include <stddef.h>

enum catalogue_kind {
    CATALOGUE_INPUT, /* const DML_TENSOR_DESC * */
    CATALOGUE_OUTPUT,
    CATALOGUE_INPUTS, /* an array of DML_TENSOR_DESC */
    CATALOGUE_OUTPUTS,
    CATALOGUE_NUMBER,  /* UINT, INT, BOOL or an enumeration */
    CATALOGUE_REAL,    /* FLOAT */
    CATALOGUE_NUMBERS, /* an array of UINT or INT */
    CATALOGUE_REALS,
    CATALOGUE_SCALE_BIAS, /* const DML_SCALE_BIAS * */
    CATALOGUE_SIZE_2D,
    CATALOGUE_SCALAR,   /* DML_SCALAR_UNION */
    CATALOGUE_OPERATOR, /* const DML_OPERATOR_DESC * */
    CATALOGUE_OPERATORS /* an array of DML_OPERATOR_DESC */
};

struct catalogue_field {
    const char *name;
    uint16_t offset;            /* bytes from the start of the operator's struct */
    uint8_t kind;               /* enum catalogue_kind */
    uint8_t is_signed;          /* numbers: INT */
    int8_t count;               /* arrays: the field with the number of elements; otherwise -1 */
    int8_t typed_by;            /* scalars: the field with the data type; otherwise -1 */
    DML_FEATURE_LEVEL optional; /* feature level from which the field may be null; 0: it must never be null */
};

struct catalogue_support {
    uint16_t types; /* one bit for each DML_TENSOR_DATA_TYPE */
    uint8_t min_rank, max_rank;
};

/* A "Tensor support" table. It holds from `level` on, until a newer one does. */
struct catalogue_table {
    DML_FEATURE_LEVEL level;
    int8_t where;    /* field with an enumeration: the table holds only for `values` of it; -1: it always holds */
    uint32_t values; /* one bit for each value */
    const struct catalogue_support *supports; /* by number of the field */
};

enum { SAME_DataType = 1, SAME_DimensionCount = 2, SAME_Sizes = 4 };

/* Tensors that must agree if they are present. */
struct catalogue_same {
    uint8_t properties;
    uint32_t fields;          /* one bit for each field */
    DML_FEATURE_LEVEL before; /* the rule holds only below this level; 0: always */
    int8_t where;             /* see struct catalogue_table */
    uint32_t values;
};

struct catalogue_operator {
    const char *name;
    DML_FEATURE_LEVEL since;
    uint16_t size; /* bytes of the operator's struct */
    uint16_t field_count;
    const struct catalogue_field *fields;
    uint16_t table_count;
    const struct catalogue_table *tables; /* newest first */
    uint16_t same_count;
    const struct catalogue_same *same;
};

enum { CATALOGUE_MAX_FIELDS = 24, CATALOGUE_MAX_SIZE = 256 /* CATALOGUE_MAX_SIZE: bytes of the largest struct */ };

/* The first type of operators that DirectML does not have, and that specs of a user's own describe. */
enum { CATALOGUE_FIRST_OWN = 1000 };

/* Returns the entry of an operator type; null if no operator has this type. */
const struct catalogue_operator *catalogue_find(uint32_t type);

#endif
