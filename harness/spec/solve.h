/* solve.h: operator descriptions that are legal, and descriptions that break one rule and no other.
 *
 * Both work on any spec. A description is filled in at random and then repaired: each rule, in the order of the spec,
 * sets the one place that it is about (its subject: the left-hand side) from the others. What cannot be repaired that
 * way is tried again with other random values. Everything is a function of spec, request and seed. */
#ifndef SPEC_SOLVE_H
#define SPEC_SOLVE_H

#include "harness/spec/spec.h"

/* How the strides of a tensor relate to its sizes. */
enum stride_class {
    STRIDES_NULL,      /* no strides given */
    STRIDES_PACKED,    /* the packed ones, given */
    STRIDES_PADDED,    /* gaps between rows or elements */
    STRIDES_PERMUTED,  /* dimensions in another order in memory */
    STRIDES_BROADCAST, /* 0 in some dimension of a size above 1; inputs only */
    STRIDES_COUNT
};

extern const char stride_letters[STRIDES_COUNT + 1]; /* "nkgtb": as in case names */
extern const char *const stride_names[STRIDES_COUNT + 1];

struct solve_request {
    int table;                               /* feature level: index in spec.levels */
    int types[SPEC_MAX_GROUPS];              /* DML_TENSOR_DATA_TYPE per group, 0: any of the table */
    int64_t parameters[SPEC_MAX_PARAMETERS]; /* value per parameter of the spec, -1: any */
    uint8_t strides[OPDESC_MAX_FIELDS];      /* enum stride_class per tensor field */
    int limit_atom;                          /* atom whose subject is to be at its limit, -1: none */
    bool limit_high;                         /* the upper one */
    uint32_t slack;                          /* bytes of TotalTensorSizeInBytes above the least */
    uint32_t alignment;                      /* GuaranteedBaseOffsetAlignment of every tensor */
    bool owned;                              /* inputs have DML_TENSOR_FLAG_OWNED_BY_DML */
    uint32_t largest;                        /* size to draw, 0: 7 */
    struct solve_size {
        int field;     /* tensor, -1: nothing is asked for */
        int from_last; /* 0: the last dimension */
        uint32_t size;
    } fixed; /* a size that the description must have */
    struct solve_leading {
        int field; /* tensor, -1: nothing is asked for */
        int ones;
    } leading;            /* the tensor has so many sizes of 1 in front, and no more */
    int64_t room;         /* targets that each index tensor must be able to name, at least; 0: 1 */
    int64_t max_elements; /* per tensor, 0: 4096 */
    int tries;            /* before giving up, 0: 200 */
};

void solve_request_init(struct solve_request *request);

/* A description that breaks no rule of whatever strength and is as requested; false: none was found. */
bool solve_satisfy(const struct spec *spec, unsigned op, const struct solve_request *request, uint64_t seed,
                   struct opdesc *out);

struct solve_interval {
    int64_t low, high; /* inclusive */
};

/* In which interval the number of each node lies in whatever meets the request; `in` has spec->node_count entries. False:
 * nothing meets it. */
bool solve_narrow(const struct spec *spec, const struct solve_request *request, struct solve_interval *in);

/* The same where, besides, some nodes are known to have a value. */
struct solve_pin {
    int node;
    int64_t value;
};
bool solve_narrow_with(const struct spec *spec, const struct solve_request *request, const struct solve_pin *pins,
                       int pin_count, struct solve_interval *in);

/* True: proven that nothing meets the request, by cases on the parameters and ranks that it leaves open. Limits, sizes and room
 * that it asks for are not looked at. False proves nothing. */
bool solve_refute(const struct spec *spec, const struct solve_request *request);

/* A way to break a rule: which place gets which value. */
struct solve_move {
    enum { MOVE_SET, MOVE_ENTRY, MOVE_STRIDE } kind;
    int atom; /* the one to break */
    int node; /* SET: the place; ENTRY: the list of sizes; STRIDE: any node of the tensor, whose first dimension of a
                     * size above 1 gets the stride */
    int position; /* ENTRY: which one */
    int64_t value;
    char label[80]; /* "Axis-above": tells moves of one rule apart, the same for any description */
};

enum { SOLVE_MAX_MOVES = 160 };

/* The moves that may break `rule` of a legal description: next to each limit and far beyond. Returns how many. */
int solve_moves(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                struct solve_move moves[SOLVE_MAX_MOVES]);

/* Makes the move, lets the other rules follow, and checks that exactly `rule` is broken at the level of `table`. `twin`
 * becomes the nearest legal description. False: this move does not isolate the rule here. */
bool solve_violate(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                   const struct solve_move *move, struct opdesc *bad, struct opdesc *twin);

/* The parts of the above that solve_violate.c uses: repair by all rules but `except`, leaving node `pinned` alone (-1:
 * none); packed strides and least totals everywhere; the bounds of an atom; the sizes that a list node names. */
void solve_repair(const struct spec *spec, int table, int except, int pinned, struct opdesc *desc);
void solve_totals(const struct spec *spec, struct opdesc *desc);
bool solve_bounds(const struct spec *spec, int atom, const struct opdesc *desc, int64_t *low, int64_t *high);
uint32_t *solve_list(const struct spec *spec, int node, struct opdesc *desc, int *count);

/* Whether index tensors that must hold distinct indices have room for them. */
bool solve_indices_fit(const struct spec *spec, const struct opdesc *desc);

#endif
