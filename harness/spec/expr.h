/* expr.h: the expressions that rules consist of, and their evaluation on an operator description.
 *
 * All expressions of a spec are nodes of one array; a node refers to its operands by index. A value is an integer, a
 * list of integers, or undefined. It is undefined for an index past the end of a list, a slice out of range, a tensor
 * without sizes, lists of different lengths, a division by 0, an overflow, and for any undefined operand. FLOATs are
 * expressions, too, but have no operations: conditions compare them.
 *
 * If a field is an array of tensors or operator descriptions, a node names one element of it: a given one, or the
 * current one, which runs over all elements where a condition or a list says so. */
#ifndef SPEC_EXPR_H
#define SPEC_EXPR_H

#include "harness/spec/opdesc.h"

#include <stdbool.h>
#include <stdint.h>

enum expr_op {
    /* Numbers. T is the tensor node.field; if that is an array, the element that node.value names. */
    EXPR_CONST, /* node.value */
    /* The operations from here to EXPR_SIZE name parts of a description, which can be set. */
    EXPR_ATTR,           /* the UINT, INT, BOOL or enumeration node.field; node.value is EXPR_SIGNED for an INT */
    EXPR_GIVEN,          /* 1 unless node.field, which is neither a tensor nor an array of them, is a null pointer */
    EXPR_OPERATOR,       /* Type of the operator description node.field */
    EXPR_HAS_DESC,       /* 1 unless the Desc of the operator description node.field is a null pointer */
    EXPR_MEMBER_GIVEN,   /* 1 if member `a` of the operator description node.field, a pointer, is not null */
    EXPR_DIMS,           /* DimensionCount of T */
    EXPR_DATA_TYPE,      /* DataType of T */
    EXPR_TENSOR_TYPE,    /* Type of T's DML_TENSOR_DESC */
    EXPR_FLAGS,          /* Flags of T */
    EXPR_ALIGNMENT,      /* GuaranteedBaseOffsetAlignment of T */
    EXPR_TOTAL,          /* TotalTensorSizeInBytes of T */
    EXPR_PRESENT,        /* 1 unless T is a null pointer; undefined if T is in an array that is a null pointer */
    EXPR_HAS_SIZES,      /* 1 unless the Sizes of T are a null pointer */
    EXPR_SIZE,           /* size `a` of T; a negative `a` counts from the end */
    EXPR_ELEMENTS,       /* product of T's sizes */
    EXPR_EXTENT,         /* elements of memory from the first of T to the last, inclusive */
    EXPR_IMPLIED,        /* smallest TotalTensorSizeInBytes for T's sizes, strides and type */
    EXPR_ELEMENT_BYTES,  /* bytes of one element of T */
    EXPR_EFFECTIVE_RANK, /* DimensionCount of T without leading sizes of 1 */
    EXPR_OVERLAP,        /* 1 if two coordinates of T share an element */
    EXPR_ADD,            /* a + b; the next ones likewise */
    EXPR_SUB,
    EXPR_MUL,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_DIV,       /* a / b, rounded down */
    EXPR_DIV_UP,    /* a / b, rounded up */
    EXPR_MOD,       /* a - b * (a / b rounded down): has the sign of b */
    EXPR_IS,        /* 1 if a equals b, else 0 */
    EXPR_ABS,       /* a without its sign */
    EXPR_SUM,       /* sum of the entries of list a; 0 if there are none */
    EXPR_PRODUCT,   /* product of the entries of list a, limited to -2^62 and 2^62; 1 if there are none */
    EXPR_LENGTH,    /* number of entries of list a */
    EXPR_ENTRY,     /* entry b of list a; a negative b counts from the end */
    EXPR_OTHERWISE, /* a; b if a is undefined */
    /* Lists. */
    EXPR_SIZES,    /* Sizes of T */
    EXPR_ENTRIES,  /* the array of UINTs or INTs node.field; Width and Height of a SIZE_2D */
    EXPR_MAP,      /* number a for each element of the array node.field */
    EXPR_SLICE,    /* entries b to c - 1 of list a; undefined unless 0 <= b <= c <= length */
    EXPR_CONCAT,   /* list a, then list b */
    EXPR_FIT,      /* list a right-aligned to length b: adds leading 1s or drops leading entries */
    EXPR_REPLACE,  /* list a with entry b replaced by c; if b is a list, c replaces the entries at all of its numbers */
    EXPR_LIST,     /* the list { a } */
    EXPR_FILLED,   /* b entries of a */
    EXPR_WEIGHTS,  /* the growth of a row-major number along each dimension of sizes a */
    EXPR_ADD_EACH, /* a + b entry by entry; the next ones likewise, in the order from EXPR_ADD to EXPR_ABS. A number
                    * stands for a list of such entries */
    EXPR_SUB_EACH,
    EXPR_MUL_EACH,
    EXPR_MIN_EACH,
    EXPR_MAX_EACH,
    EXPR_DIV_EACH,
    EXPR_DIV_UP_EACH,
    EXPR_MOD_EACH,
    EXPR_IS_EACH,
    EXPR_ABS_EACH,
    /* Lists that only folds have (result.h): the coordinates of an element of the output, and of a step of the loop. */
    EXPR_PLACE,    /* one entry for each dimension of the output node.field */
    EXPR_STEP,     /* one entry for each entry of list a */
    EXPR_DIVIDED,  /* list a, which follows from EXPR_PLACE and EXPR_STEP, divided by list b; undefined unless every
                   * entry divides exactly and its quotient is at least 0 and below the entry of list c */
    EXPR_GATHERED, /* the coordinates that a row of T, along its last dimension, holds; list a, which follows from
                    * EXPR_PLACE and EXPR_STEP, has the row's coordinates. T is an input, or a stage as in EXPR_PLACE */
    /* FLOATs. */
    EXPR_REAL,  /* FLOAT node.field; if that is an operator description, its member node.value - 1 */
    EXPR_REALS, /* the array node.field */
    /* A scalar of any type. */
    EXPR_SCALAR /* node.field */
};

/* node.value names an element of an array: n + 1 means element n. */
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

/* Returns true if the value is a list, not a number. */
static inline bool expr_is_list(const struct expr *node)
{
    return node->op >= EXPR_SIZES && node->op <= EXPR_GATHERED;
}

/* Returns true if the value is computed from operands by arithmetic, entry by entry for a list. */
bool expr_is_arithmetic(const struct expr *node);

/* Applies an operation from EXPR_ADD to EXPR_ABS, or its form for lists, to two numbers; EXPR_ABS ignores `b`. Returns
 * false if the result is undefined. */
bool expr_apply(enum expr_op op, int64_t a, int64_t b, int64_t *out);

/* Return a / b, rounded down or up. `b` must not be 0, and the quotient must not overflow. */
int64_t expr_floor(int64_t a, int64_t b);
int64_t expr_ceiling(int64_t a, int64_t b);

/* Evaluate a node, which must be a number, a list or FLOATs; a single FLOAT gives a list of one. `element` is the
 * current element of arrays. Return false if the value is undefined. */
static inline bool expr_number_of(const struct expr *nodes, int node, const struct opdesc *desc, int element,
                                  int64_t *out);
bool expr_list_of(const struct expr *nodes, int node, const struct opdesc *desc, int element, struct expr_list *out);
bool expr_reals(const struct expr *nodes, int node, const struct opdesc *desc, struct expr_reals *out);

/* A list that follows from EXPR_PLACE, EXPR_STEP, and EXPR_DIVIDED or EXPR_GATHERED is linear in their entries. Two
 * kinds of current elements give its coefficients: with EXPR_ORIGIN all entries are 0; with expr_unit(kind, i) entry i
 * of one of the three is 1 and the others are 0. */
enum { EXPR_ORIGIN = 1000 };
enum expr_unit { EXPR_UNIT_PLACE, EXPR_UNIT_STEP, EXPR_UNIT_FOUND, EXPR_UNITS };

static inline int expr_unit(enum expr_unit kind, int i)
{
    return EXPR_ORIGIN + 1 + (int)kind * OPDESC_MAX_DIMENSIONS + i;
}

/* The functions of expr_number_of(), by operation. It reads constants, attributes and DimensionCounts itself, since a
 * search evaluates these most often. */
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

/* Do the same for nodes outside of arrays. */
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

/* Return the tensor that a node names. If its array has no such element, expr_tensor() returns expr_no_tensor, and
 * expr_tensor_to_set() returns null. */
static inline const struct opdesc_tensor *expr_tensor(const struct expr *node, const struct opdesc *desc, int element)
{
    if (node->value == EXPR_NO_ARRAY)
        return OPDESC_TENSOR(desc, node->field);
    int64_t at = node->value == EXPR_CURRENT ? element : node->value - 1;
    return at < (int64_t)opdesc_count(desc, node->field) ? &OPDESC_ELEMENT(desc, node->field, at)->tensor
                                                         : &expr_no_tensor;
}
struct opdesc_tensor *expr_tensor_to_set(const struct expr *node, struct opdesc *desc, int element);

/* expr_assignable() returns true if the node names a part of a description that can be set. expr_assign() sets it; it
 * returns false if there is no such part (a size past the rank) or the value does not fit. */
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
