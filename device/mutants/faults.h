/* faults.h: faults around the operators: in memory, in the process, in answers, in state. */
#ifndef FAULTS_H
#define FAULTS_H

#include "device/mutants/naive.h"

/* The memory of a compiled operator for faults. It starts as zeros. */
struct history {
    unsigned dispatches; /* including the current one */
    uint32_t count;
    uint8_t *result; /* contents of an output, before or after a dispatch; freed with the operator */
    assay_binding input, output;
    void (*on_destroy)(struct history *history);
};

/* An item that a fault strikes. */
struct strike {
    const assay_dispatch_item *item;
    const struct descriptor *descriptor;
    struct history *history;
};

/* Returns the first byte of a bound tensor. */
static inline uint8_t *fault_start_of(const assay_binding *binding)
{
    return (uint8_t *)binding->base + binding->offset;
}

/* Faults that need more than a hook: mutants.c implements them. */
enum fault_special {
    SPECIAL_NONE,
    SPECIAL_BATCH_FIRST,       /* only the first item of a batch is run */
    SPECIAL_BATCH_UNSET,       /* only the last item of a batch gets a result */
    SPECIAL_BATCH_OPERATOR,    /* a batch's items are run as the first item's operator */
    SPECIAL_CACHE_STRIDES,     /* compiled operators are cached by a key without strides, */
    SPECIAL_CACHE_ATTRIBUTE,   /* without attributes, */
    SPECIAL_CACHE_TYPE,        /* without the data type of the data, */
    SPECIAL_CACHE_INDEX,       /* without the data type of the indices */
    SPECIAL_LEAK,              /* destroyed operators keep their place */
    SPECIAL_NULL_OPERATOR,     /* S_OK without an operator */
    SPECIAL_NULL_COMPILED,     /* S_OK without a compiled operator */
    SPECIAL_DANGLING_OPERATOR, /* a failure with an operator */
    SPECIAL_DANGLING_COMPILED, /* a failure with a compiled operator */
    SPECIAL_DENY,              /* supports_data_type() denies FLOAT16 */
    SPECIAL_TEXT,              /* texts are full of bytes that terminals and parsers act on */
    SPECIAL_SLOTS,             /* operators share `slots` slots */
    SPECIAL_SECOND_PROGRAM,    /* the second program of an operator does nothing */
    SPECIAL_BATCH_ONCE,        /* a program that occurs twice in a batch is run once */
    SPECIAL_LEAN,              /* a program does nothing once its operator is destroyed */
    SPECIAL_ONE_DEVICE,        /* a second device cannot be made while there is one, */
    SPECIAL_ONE_DEVICE_EVER,   /* or after there was one */
    SPECIAL_ANY_TYPE,          /* supports_data_type() says yes to every number */
    SPECIAL_NULL_MESSAGE,      /* message() returns null */
    SPECIAL_NULL_CRASH,        /* destroy functions do not look for null */
    SPECIAL_FULL_TABLE,        /* create_operator() writes past a table of `slots` operators that are alive */
    SPECIAL_KEPT_LOCK,         /* destroy_operator() keeps its lock unless the operator is the oldest one */
    SPECIAL_LEAN_CRASH         /* a program reads its operator, which may have been destroyed */
};

/* A fault and its hooks. Null hooks are not called. */
struct fault {
    const char *name, *what, *issue;
    /* For faults_interface.c and faults_leaks.c, "rule:" and the broken behaviour. For others, if they give wrong
     * results, a cause as in bugs.h; null: none has to fit. */
    const char *cause;
    enum bug_kind kind;
    enum fault_special special;
    unsigned slots;      /* number of slots for SPECIAL_SLOTS */
    const char *message; /* the device's message, for every call; null: the real one */
    void (*on_open)(void);
    /* Alters the n-th answer of describe(), and the result of an item. */
    void (*on_describe)(assay_device_info *info, unsigned n);
    void (*on_result)(assay_dispatch_result *result);
    /* Returns the answer to create_operator() instead of the right one. `descriptor` is valid if `right` is a success.
     * S_FALSE: the description is accepted, but no operator is made. */
    HRESULT (*on_create)(HRESULT right, const struct descriptor *descriptor);
    HRESULT (*on_compile)(HRESULT right);
    /* Called before and after an item is run. `before` may return a failure, or S_FALSE to pretend that it was run. */
    HRESULT (*before)(const struct strike *strike);
    HRESULT (*after)(const struct strike *strike);
};

/* The tables: in faults.c, where the first fault, "none", is no fault; faults_state.c; faults_process.c;
 * faults_reach.c; faults_answers.c; faults_interface.c; faults_leaks.c;
 * faults_races.c. */
extern const struct fault faults[], state_faults[], process_faults[], reach_faults[], answer_faults[],
    interface_faults[], leak_faults[], race_faults[];
extern const unsigned fault_count, state_fault_count, process_fault_count, reach_fault_count, answer_fault_count,
    interface_fault_count, leak_fault_count, race_fault_count;

/* All tables, in the order in which mutants are listed. */
enum { FAULT_TABLES = 8 };
struct fault_table {
    const char *group; /* "fault", "state", … */
    const struct fault *faults;
    const unsigned *count;
};
extern const struct fault_table fault_tables[FAULT_TABLES];

/* Finds a fault by name in all tables; returns null if no fault has that name. */
const struct fault *fault_find(const char *name);

#endif
