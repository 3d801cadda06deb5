/* expr.h: the expressions that rules consist of, and their evaluation on an operator description.
 *
 * All expressions of a spec are nodes of one array; a node refers to its operands by index. A value is an integer, a
 * list of integers, or undefined: an index past the end of a list, a slice out of range, a tensor without sizes, lists
 * of different lengths, a division by 0, an overflow. An expression with an undefined operand is undefined. FLOATs are
 * expressions, too, but have no operations: conditions compare them.
 *
 * Of an array of tensors or operator descriptions, a node means one element: a given one, or the current one, which
 * runs over all where a condition or a list says so. */
#ifndef SPEC_EXPR_H
#define SPEC_EXPR_H

#include "harness/spec/opdesc.h"

#include <stdbool.h>
#include <stdint.h>

enum expr_op {
    /* numbers; T is the tensor node.field, or of an array the element that node.value says */
    EXPR_CONST, /* node.value */
    /* from here to EXPR_SIZE: parts of a description, which can be set */
    EXPR_ATTR,           /* the UINT, INT, BOOL or enumeration node.field; node.value is EXPR_SIGNED for an INT */
    EXPR_GIVEN,          /* 1 unless node.field, which is no tensor, or an array of them, is a null pointer */
    EXPR_OPERATOR,       /* Type of the operator description node.field */
    EXPR_HAS_DESC,       /* 1 unless the Desc of the operator description node.field is a null pointer */
    EXPR_MEMBER_GIVEN,   /* 1 if member `a` of the operator description node.field, a pointer, is not null */
    EXPR_DIMS,           /* DimensionCount of T */
    EXPR_DATA_TYPE,      /* DataType of T */
    EXPR_TENSOR_TYPE,    /* Type of T's DML_TENSOR_DESC */
    EXPR_FLAGS,          /* Flags of T */
    EXPR_ALIGNMENT,      /* GuaranteedBaseOffsetAlignment of T */
    EXPR_TOTAL,          /* TotalTensorSizeInBytes of T */
    EXPR_PRESENT,        /* 1 unless T is a null pointer; undefined in an array that is one */
    EXPR_HAS_SIZES,      /* 1 unless the Sizes of T are a null pointer */
    EXPR_SIZE,           /* size `a` of T; a negative `a` counts from the end */
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
    EXPR_DIV,     /* a / b, rounded down */
    EXPR_DIV_UP,  /* a / b, rounded up */
    EXPR_MOD,     /* a - b * (a / b rounded down): has the sign of b */
    EXPR_IS,      /* 1 if a equals b, else 0 */
    EXPR_ABS,     /* a without its sign */
    EXPR_SUM,     /* of the entries of list a; 0 if there are none */
    EXPR_PRODUCT, /* of the entries of list a; 1 if there are none; at most 2^62, and at least -2^62 */
    EXPR_LENGTH,  /* how many entries list a has */
    EXPR_ENTRY,   /* entry b of list a; a negative b counts from the end */
    /* lists */
    EXPR_SIZES,    /* Sizes of T */
    EXPR_ENTRIES,  /* the array of UINTs or INTs node.field; Width and Height of a SIZE_2D */
    EXPR_MAP,      /* number a for each element of the array node.field */
    EXPR_SLICE,    /* entries b to c - 1 of list a; undefined unless 0 <= b <= c <= length */
    EXPR_CONCAT,   /* list a, then list b */
    EXPR_FIT,      /* list a right-aligned to length b: adds leading 1s or drops leading entries */
    EXPR_REPLACE,  /* list a with entry b replaced by c; if b is a list, the entries at all of its numbers */
    EXPR_LIST,     /* the list { a } */
    EXPR_FILLED,   /* b entries of a */
    EXPR_WEIGHTS,  /* by what a row-major number grows along each dimension of sizes a: the product of those after it */
    EXPR_ADD_EACH, /* a + b entry by entry, and so on, in the order from EXPR_ADD to EXPR_ABS; a number stands for a
                    * list of such entries */
    EXPR_SUB_EACH,
    EXPR_MUL_EACH,
    EXPR_MIN_EACH,
    EXPR_MAX_EACH,
    EXPR_DIV_EACH,
    EXPR_DIV_UP_EACH,
    EXPR_MOD_EACH,
    EXPR_IS_EACH,
    EXPR_ABS_EACH,
    /* lists that only folds have (result.h): where an element of the output is, and where the loop is */
    EXPR_PLACE,   /* as many entries as the output node.field has dimensions */
    EXPR_STEP,    /* as many as list a */
    EXPR_DIVIDED, /* list a, which follows from these, by list b: only where every entry divides exactly and gives a
                   * number from 0 to below that of list c */
    /* FLOATs */
    EXPR_REAL,  /* node.field; or, of an operator description, member node.value - 1 */
    EXPR_REALS, /* the array node.field */
    /* scalars of any type */
    EXPR_SCALAR /* node.field */
};

/* What node.value says of an array; n + 1 means element n. */
enum { EXPR_NO_ARRAY = 0, EXPR_CURRENT = -1 };

enum { EXPR_SIGNED = 1 };

struct expr {
    uint8_t op;
    uint8_t field;
    int16_t a, b, c; /* operands, -1: none */
    int64_t value;
};

enum { EXPR_MAX_LIST = OPDESC_MAX_ARRAY }; /* at least 3 times OPDESC_MAX_DIMENSIONS */

struct expr_reals {
    int count;
    float items[OPDESC_MAX_LIST];
};

struct expr_list {
    int count;
    int64_t items[EXPR_MAX_LIST];
};

/* Whether the value is a list, not a number. */
static inline bool expr_is_list(const struct expr *node)
{
    return node->op >= EXPR_SIZES && node->op <= EXPR_DIVIDED;
}

/* Whether the value is computed from operands by arithmetic, entry by entry for a list. */
bool expr_is_arithmetic(const struct expr *node);

/* The number that an operation from EXPR_ADD to EXPR_ABS, or its form for lists, makes of two; EXPR_ABS ignores `b`.
 * False: undefined. */
bool expr_apply(enum expr_op op, int64_t a, int64_t b, int64_t *out);

/* a / b, rounded down or up; `b` is not 0 and the quotient does not overflow. */
int64_t expr_floor(int64_t a, int64_t b);
int64_t expr_ceiling(int64_t a, int64_t b);

/* Evaluate a node, which must be a number, a list or FLOATs; `element` is the current element of arrays, a single FLOAT
 * is a list of one. False: the value is undefined. */
static inline bool expr_number_of(const struct expr *nodes, int node, const struct opdesc *desc, int element,
                                  int64_t *out);
bool expr_list_of(const struct expr *nodes, int node, const struct opdesc *desc, int element, struct expr_list *out);
bool expr_reals(const struct expr *nodes, int node, const struct opdesc *desc, struct expr_reals *out);

/* A list that follows from EXPR_PLACE, EXPR_STEP and EXPR_DIVIDED is linear in their entries. As current elements these
 * say what the entries are: EXPR_ORIGIN: all are 0; expr_unit(kind, i): entry i of one of the three is 1. */
enum { EXPR_ORIGIN = 1000 };
enum expr_unit { EXPR_UNIT_PLACE, EXPR_UNIT_STEP, EXPR_UNIT_DIVIDED, EXPR_UNITS };

static inline int expr_unit(enum expr_unit kind, int i)
{
    return EXPR_ORIGIN + 1 + (int)kind * OPDESC_MAX_DIMENSIONS + i;
}

/* expr_number_of() by operation. It calls these for all but constants, attributes and DimensionCounts, which are most
 * of what a search evaluates. */
typedef bool expr_compute(const struct expr *nodes, const struct expr *node, const struct opdesc *desc, int element,
                          int64_t *out);
extern expr_compute *const expr_computes[EXPR_SCALAR + 1];

static inline bool expr_number_of(const struct expr *nodes, int node, const struct opdesc *desc, int element,
                                  int64_t *out)
{
    const struct expr *n = &nodes[node];
    if (n->op <= EXPR_ATTR) {
        *out = n->op == EXPR_CONST ? n->value : opdesc_scalar(desc, n->field);
        return true;
    }
    if (n->op == EXPR_DIMS && n->value == EXPR_NO_ARRAY) {
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, n->field);
        *out = t->dims;
        return t->present;
    }
    return expr_computes[n->op](nodes, n, desc, element, out);
}

/* The same outside of arrays. */
static inline bool expr_number(const struct expr *nodes, int node, const struct opdesc *desc, int64_t *out)
{
    return expr_number_of(nodes, node, desc, 0, out);
}

static inline bool expr_list(const struct expr *nodes, int node, const struct opdesc *desc, struct expr_list *out)
{
    return expr_list_of(nodes, node, desc, 0, out);
}

/* An absent tensor. */
extern const struct opdesc_tensor expr_no_tensor;

/* The tensor that a node names; expr_no_tensor if its array has no such element: then expr_tensor_to_set() is null. */
static inline const struct opdesc_tensor *expr_tensor(const struct expr *node, const struct opdesc *desc, int element)
{
    int64_t at = node->value == EXPR_CURRENT ? element : node->value - 1;
    return node->value == EXPR_NO_ARRAY                    ? OPDESC_TENSOR(desc, node->field)
           : at < (int64_t)opdesc_count(desc, node->field) ? &OPDESC_ELEMENT(desc, node->field, at)->tensor
                                                           : &expr_no_tensor;
}
struct opdesc_tensor *expr_tensor_to_set(const struct expr *node, struct opdesc *desc, int element);

/* Whether the node names a part of a description that can be set. expr_assign() sets it and returns false if there is
 * no such part (a size past the rank) or the value does not fit. */
static inline bool expr_assignable(const struct expr *node)
{
    return node->op >= EXPR_ATTR && node->op <= EXPR_SIZE;
}
bool expr_assign_of(const struct expr *nodes, int node, struct opdesc *desc, int element, int64_t value);

static inline bool expr_assign(const struct expr *nodes, int node, struct opdesc *desc, int64_t value)
{
    return expr_assign_of(nodes, node, desc, 0, value);
}

#endif
