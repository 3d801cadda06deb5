/* prepared.h: the conditions of a spec, prepared for checking many descriptions at one level. The place of each number
 * in a description is found once, so that no check walks through expressions. Conditions without a prepared form are
 * evaluated as check.h does. */
#ifndef CHECK_PREPARED_H
#define CHECK_PREPARED_H

#include "harness/check/check.h"

enum { PREPARED_TERMS = 4, PREPARED_PIECES = 255, PREPARED_NUMBERS = SPEC_MAX_NODES + 128 };

/* A number: a constant and parts of the description, added or subtracted. */
struct prepared_number {
    /* MEMBER and ONE_SIZE: the sum of the constant and exactly one part. */
    enum { NUMBER_CONSTANT, NUMBER_MEMBER, NUMBER_ONE_SIZE, NUMBER_SUM, NUMBER_OTHER } form;
    int64_t constant;
    struct prepared_term { /* entries past the last one are 0 times any member */
        uint16_t at;       /* offset of a uint32_t in the description */
        uint16_t given;    /* offset of a flag that is not 0 if the member exists */
        int8_t sign;       /* 1 or -1 */
    } term[PREPARED_TERMS];
    int8_t terms;
    int8_t size_sign; /* sign of the size that is added, too; 0: none is */
    int8_t size;      /* index of that size, from the end if negative */
    uint16_t tensor;  /* offset in the description of the tensor with that size */
    int16_t least[2]; /* nodes, the lesser of which is added, too; -1: none */
};

/* A step of making a list: it adds entries, or changes the entries so far. */
struct prepared_piece {
    enum { PIECE_SIZES, PIECE_SLICE, PIECE_FILLED, PIECE_CUT, PIECE_FIT } kind;
    uint16_t tensor;      /* SIZES, SLICE: offset in the description */
    int16_t from, length; /* SLICE, CUT: numbers; FILLED, FIT: only `length` */
    uint32_t value;       /* FILLED */
};

struct prepared_list {
    uint8_t first, count; /* its pieces */
};

struct prepared;
struct prepared_atom;
typedef enum rule_result prepared_check_function(const struct prepared *p, const struct prepared_atom *a,
                                                 const struct opdesc *desc);

struct prepared_atom {
    prepared_check_function *check; /* checks the condition, as if it applied */
    int atom, when;                 /* `when` as in struct atom, but -1 if `check` evaluates it itself */
    int16_t x, low, high;           /* nodes */
    struct prepared_list of_x, of_low;
    uint32_t set;        /* bit n: x may be n */
    int64_t least, most; /* constant bounds */
};

struct prepared {
    const struct spec *spec;
    int table;
    int number_count, piece_count;
    struct prepared_number numbers[PREPARED_NUMBERS]; /* the number of each node, then the lengths of slices */
    struct prepared_piece pieces[PREPARED_PIECES];
};

/* Prepares for a level. `spec` must outlive `p`. `table` is an index in spec.levels; -1: the level does not have the
 * operator. */
void prepared_init(struct prepared *p, const struct spec *spec, int table);

/* Returns true if the condition says that a tensor, not in an array, is as large as its sizes and strides imply. */
bool prepared_is_total(const struct spec *spec, const struct atom *a);

/* Prepares one condition. */
void prepared_add(struct prepared *p, int atom, struct prepared_atom *out);

/* Does the same as expr_number_of(). */
bool prepared_number(const struct prepared *p, int node, const struct opdesc *desc, int element, int64_t *out);

/* Does the same as atom_check(). */
static inline enum rule_result prepared_check(const struct prepared *p, const struct prepared_atom *a,
                                              const struct opdesc *desc)
{
    const enum rule_result result = a->check(p, a, desc);
    return result == HOLDS || a->when < 0 || atom_check(p->spec, a->when, desc, p->table) == HOLDS ? result : HOLDS;
}

#endif
