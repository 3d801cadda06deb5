/* expr.h: the expressions rules are made of, and their evaluation on an operator description.
 *
 * A spec's expressions are nodes of one array; a node refers to its operands by index. A value is a whole number or a
 * list of whole numbers, or it is undefined: an index past the end of a list, a slice that is not there, a tensor
 * without sizes. Whatever uses an undefined value is undefined. */
#ifndef SPEC_EXPR_H
#define SPEC_EXPR_H

#include "harness/spec/opdesc.h"

#include <stdbool.h>
#include <stdint.h>

enum expr_op {
    /* numbers; T is node.field, a tensor */
    EXPR_CONST,          /* node.value */
    EXPR_ATTR,           /* the attribute node.field */
    EXPR_DIMS,           /* DimensionCount of T */
    EXPR_DATA_TYPE,      /* DataType of T */
    EXPR_TENSOR_TYPE,    /* Type of T's DML_TENSOR_DESC */
    EXPR_FLAGS,          /* Flags of T */
    EXPR_ALIGNMENT,      /* GuaranteedBaseOffsetAlignment of T */
    EXPR_TOTAL,          /* TotalTensorSizeInBytes of T */
    EXPR_PRESENT,        /* 1 unless T is a null pointer */
    EXPR_HAS_SIZES,      /* 1 unless the Sizes of T are a null pointer; undefined if T is */
    EXPR_SIZE,           /* size `a` of T; negative counts from the end */
    EXPR_ELEMENTS,       /* product of T's sizes */
    EXPR_EXTENT,         /* elements of memory from T's first to its last, inclusive */
    EXPR_IMPLIED,        /* smallest TotalTensorSizeInBytes for T's sizes, strides and type */
    EXPR_ELEMENT_BYTES,  /* bytes of one element of T */
    EXPR_EFFECTIVE_RANK, /* DimensionCount of T without leading sizes of 1 */
    EXPR_OVERLAP,        /* 1 if two coordinates of T share an element */
    EXPR_ADD,            /* a + b, and so on */
    EXPR_SUB,
    EXPR_MUL,
    EXPR_MIN,
    EXPR_MAX,
    /* lists */
    EXPR_SIZES,   /* Sizes of T */
    EXPR_SLICE,   /* list a, from b up to but not including c; undefined unless 0 <= b <= c <= length */
    EXPR_CONCAT,  /* list a, then list b */
    EXPR_FIT,     /* list a right-aligned to length b: leading 1s added, leading entries dropped */
    EXPR_REPLACE, /* list a with entry b replaced by c */
    EXPR_LIST     /* of the number a alone */
};

struct expr {
    uint8_t op;
    uint8_t field;
    int16_t a, b, c; /* operands, -1: none */
    int64_t value;
};

enum { EXPR_MAX_LIST = 3 * OPDESC_MAX_DIMENSIONS };

struct expr_list {
    int count;
    int64_t items[EXPR_MAX_LIST];
};

bool expr_is_list(const struct expr *node);

/* False: undefined. */
bool expr_number(const struct expr *nodes, int node, const struct opdesc *desc, int64_t *out);
bool expr_list(const struct expr *nodes, int node, const struct opdesc *desc, struct expr_list *out);

/* Whether the node names a part of a description that can be set, and setting it. expr_assign returns false where the
 * place is not there (a size past the rank) or the value does not fit its field. */
bool expr_assignable(const struct expr *node);
bool expr_assign(const struct expr *nodes, int node, struct opdesc *desc, int64_t value);

#endif
