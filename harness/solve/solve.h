/* solve.h: makes legal operator descriptions, and descriptions that break exactly one rule. It works on any spec.
 *
 * The solver draws a description at random and repairs it: each rule, in the order of the spec, sets its subject (the
 * left-hand side of its condition) from the rest. If the result still breaks a rule or misses the request, the solver
 * draws again. Results are a function of spec, request and seed alone.
 *
 * solve.c draws, solve_repair.c repairs, solve_narrow.c bounds every number by intervals, solve_refute.c proves
 * requests impossible, solve_work.c counts multiplications, solve_violate.c breaks rules. */
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "harness/spec/spec.h"

/* The relation of a tensor's strides to its sizes. */
enum stride_class {
    STRIDES_NULL,      /* no strides given */
    STRIDES_PACKED,    /* the packed strides, given explicitly */
    STRIDES_PADDED,    /* gaps between rows or elements */
    STRIDES_PERMUTED,  /* dimensions in another order in memory */
    STRIDES_BROADCAST, /* a stride of 0 in some dimension of a size above 1; inputs only */
    STRIDES_COUNT
};

extern const char stride_letters[STRIDES_COUNT + 1];      /* "nkgtb": one letter per class, as in case names */
extern const char *const stride_names[STRIDES_COUNT + 1]; /* ended by null */

/* The wishes for a legal description. Initialise them with solve_request_init(). */
struct solve_request {
    int table;                               /* feature level: index in spec.levels */
    int types[SPEC_MAX_GROUPS];              /* DML_TENSOR_DATA_TYPE per group, 0: any in the table */
    int64_t parameters[SPEC_MAX_PARAMETERS]; /* value per parameter of the spec, -1: any */
    uint32_t constant_fields;                /* bit n: field n, an enumeration, must be constants[n] */
    int64_t constants[OPDESC_MAX_FIELDS];
    uint8_t strides[OPDESC_MAX_FIELDS]; /* enum stride_class per tensor field */
    int limit_atom;                     /* atom whose subject must be at a limit, -1: none */
    bool limit_high;                    /* at the upper limit */
    int premise_atom;                   /* atom that must apply, since its premise holds; -1: none */
    const struct rule *also;            /* conditions that the description must also meet; null: none */
    uint32_t slack[OPDESC_MAX_FIELDS];  /* bytes added to the least TotalTensorSizeInBytes */
    uint32_t apart[OPDESC_MAX_FIELDS];  /* the outermost stride of a padded tensor, 0: any */
    uint32_t idle;                      /* the stride of sizes of 1 in explicit strides, 0: any */
    uint32_t alignment;                 /* GuaranteedBaseOffsetAlignment of every tensor */
    bool shared_tuples;                 /* a broadcast index tensor's tuples may be one coordinate, repeated */
    bool owned;                         /* inputs have DML_TENSOR_FLAG_OWNED_BY_DML */
    uint32_t largest;                   /* largest size to draw, 0: 7 */
    struct solve_size {
        int field;        /* tensor, -1: no request */
        int from_last;    /* 0: the last dimension */
        uint32_t size;    /* 0: the size that gives the tensor at least `elements` elements */
        int64_t elements; /* only if `size` is 0 */
        uint32_t beside;  /* the size to the left of this one, 0: any */
        int shown;        /* another tensor that must have this size somewhere, -1: no request */
    } fixed;              /* a size that the description must have */
    struct solve_leading {
        int field; /* tensor, -1: no request */
        int ones;
    } leading;                        /* the exact number of leading sizes of 1 in a tensor */
    int64_t slice;                    /* value of spec.slice, the elements of a slice; 0: any */
    int64_t room;                     /* least number of targets for each index tensor, 0: 1 */
    int64_t max_elements;             /* per tensor, 0: 4096 */
    int64_t least[OPDESC_MAX_FIELDS]; /* elements that a tensor must have, 0: any */
    int64_t most[OPDESC_MAX_FIELDS];  /* elements that a tensor may have, 0: any */
    int64_t max_bytes;                /* bytes of memory of all tensors together, 0: any */
    int64_t max_work;                 /* solve_work(), 0: 100,000, or as much as a tensor has elements */
    int tries;                        /* descriptions drawn before giving up, 0: 200 */
};

/* Sets every member to "any" or "none". The caller sets `table`. */
void solve_request_init(struct solve_request *request);

/* Writes a description that breaks no rule of any strength and meets the request. Returns false, with `out`
 * unspecified, if the solver found none. `op` becomes `out->op`. */
bool solve_satisfy(const struct spec *spec, unsigned op, const struct solve_request *request, uint64_t seed,
                   struct opdesc *out);

/* Returns the multiplications of the longest fold of a legal description: the steps of a fold of several inputs, for
 * each place of the output on which its coordinates depend. A fold of one input multiplies nothing. */
double solve_work(const struct spec *spec, const struct opdesc *desc);

struct solve_interval {
    int64_t low, high; /* inclusive */
};

/* Bounds the number of each node over all descriptions that meet the request; `in` has spec->node_count entries.
 * Returns false if no description meets it. */
bool solve_narrow(const struct spec *spec, const struct solve_request *request, struct solve_interval *in);

struct solve_pin {
    int node;
    int64_t value;
};

/* Does the same as solve_narrow(), with the values of some nodes given. */
bool solve_narrow_with(const struct spec *spec, const struct solve_request *request, const struct solve_pin *pins,
                       int pin_count, struct solve_interval *in);

/* Returns true if no description meets the request, which the function proves by trying all values of the parameters
 * and ranks that the request leaves open. The proof ignores requested limits, sizes and room. False proves nothing. */
bool solve_refute(const struct spec *spec, const struct solve_request *request);

/* A way to break a rule: the part of the description to change and its new value. */
struct solve_move {
    enum { MOVE_SET, MOVE_ENTRY, MOVE_STRIDE, MOVE_REAL, MOVE_ORDER, MOVE_STEER } kind;
    int atom; /* the condition to break */
    /* SET: the number to set; ORDER: the first attribute of the condition `position`; ENTRY: the list of sizes or the
     * array; REAL: the FLOAT or array of FLOATs; STEER: any number or list that a part of the description decides;
     * STRIDE: any node of the tensor, whose first dimension of a size above 1 gets the stride */
    int node;
    int element;    /* the element of an array of tensors that the node belongs to */
    int position;   /* ENTRY, REAL, STEER: index in the list; ORDER: the condition, an index in spec->atoms */
    int64_t value;  /* ORDER: 0: set the first attribute above the second, 1: set the second below the first */
    int8_t reach;   /* STEER: 0: to the value; -1: to at most the value, 1: to at least the value */
    float real;     /* REAL: the value */
    char label[80]; /* "Axis-above": unique among the moves of a rule, the same for any description */
};

enum { SOLVE_MAX_MOVES = 160 };

/* Lists the moves that may break `rule` of a legal description: just outside each limit and far beyond. Returns their
 * number. */
int solve_moves(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                struct solve_move moves[SOLVE_MAX_MOVES]);

/* Makes the move, repairs by all other rules, and checks that exactly `rule` is broken at the level of `table`. `twin`,
 * unless it is null, becomes the nearest legal description that the solver finds. Returns false if this move does not
 * isolate the rule here. */
bool solve_violate(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                   const struct solve_move *move, struct opdesc *bad, struct opdesc *twin);

/* The steps of solve_violate(). solve_make_move() makes only the move itself, and returns false if that is impossible.
 * solve_move_spreads() returns true if other parts may follow, so that all rules but `rule` must repair the
 * description. solve_pinned_by() returns the node that this repair must leave alone. */
bool solve_make_move(const struct spec *spec, int rule, int table, const struct solve_move *move, struct opdesc *desc);
bool solve_move_spreads(const struct spec *spec, const struct solve_move *move);
int solve_pinned_by(const struct solve_move *move);

/* Repairs a description: every rule that applies at the level of `table`, but `except`, sets its subject from the rest.
 * Node `pinned` keeps its value. -1: no exception, no pinned node. The result may still break rules. */
void solve_repair(const struct spec *spec, int table, int except, int pinned, struct opdesc *desc);

/* Repairs by one condition, and does not change parts that follow from its subject. Returns false if it set no part. */
bool solve_repair_atom(const struct spec *spec, int table, int atom, int pinned, struct opdesc *desc);

/* Removes the strides of every tensor and sets the least TotalTensorSizeInBytes. */
void solve_totals(const struct spec *spec, struct opdesc *desc);

/* Stores the bounds of an ATOM_BETWEEN or ATOM_EACH as numbers; an absent bound is the widest. Returns false if one is
 * undefined. */
bool solve_bounds(const struct spec *spec, int atom, const struct opdesc *desc, int64_t *low, int64_t *high);

/* Does the same for the current element of an array. */
bool solve_bounds_of(const struct spec *spec, int atom, const struct opdesc *desc, int element, int64_t *low,
                     int64_t *high);

/* Returns the leftmost part that a node depends on and that can be set, as a node: a number, or a list that
 * solve_list() finds. Returns -1 if there is none. */
int solve_leaf(const struct spec *spec, int node);

/* Returns the entries in `desc` that a list node names, if it is the sizes of a tensor, an array or a slice of either;
 * otherwise null. `element` is the current element of arrays of tensors. Entries of INTs are their bits. */
uint32_t *solve_list(const struct spec *spec, int node, struct opdesc *desc, int element, int *count);

/* Returns true if a condition applies to the description: at the level of `table`, and because its premise holds. */
bool solve_applies(const struct spec *spec, int atom, const struct opdesc *desc, int table);

/* Returns true if every index tensor whose indices must be distinct has enough targets for them. */
bool solve_indices_fit(const struct spec *spec, const struct opdesc *desc);

#endif
