/* faults.h: what may go wrong around the operators: memory, the process, answers, state. */
#ifndef FAULTS_H
#define FAULTS_H

#include "device/mutants/naive.h"

/* What a compiled operator may remember; it begins as zeros and is freed with its operator. */
struct history {
    unsigned dispatches; /* the present one included */
    uint32_t count;
    uint8_t *result;
    assay_binding input, output;
    void (*on_destroy)(struct history *history);
};

/* One item that a fault strikes. */
struct strike {
    const assay_dispatch_item *item;
    const struct descriptor *descriptor;
    struct history *history;
};

/* What takes more than a function: mutants.c does it. */
enum fault_special {
    SPECIAL_NONE,
    SPECIAL_BATCH_FIRST,       /* only the first item of a batch is run */
    SPECIAL_BATCH_UNSET,       /* only the last item of a batch gets a result */
    SPECIAL_BATCH_FLAGS,       /* all items of a batch are run as the first one's operator */
    SPECIAL_CACHE_STRIDES,     /* compiled operators are found again by all but their strides, */
    SPECIAL_CACHE_ATTRIBUTE,   /* all but their attributes, */
    SPECIAL_CACHE_TYPE,        /* all but the type of the data, */
    SPECIAL_CACHE_INDEX,       /* all but the type of the indices */
    SPECIAL_LEAK,              /* operators keep their place when they are destroyed */
    SPECIAL_NULL_OPERATOR,     /* S_OK without an operator */
    SPECIAL_NULL_COMPILED,     /* S_OK without a compiled operator */
    SPECIAL_DANGLING_OPERATOR, /* a failure with an operator, */
    SPECIAL_DANGLING_COMPILED, /* or a compiled one */
    SPECIAL_DENY,              /* FLOAT16 is no data type of its, it says */
    SPECIAL_TEXT               /* what the device says is full of bytes that mean something to whoever prints it */
};

/* The hooks a fault may have; the others stay null. */
struct fault {
    const char *name, *what, *issue;
    enum bug_kind kind;
    enum fault_special special;
    const char *message; /* the device's message, whatever it was asked; null: the real one */
    void (*on_open)(void);
    /* Instead of the right answer to create_operator(), which is given, with the descriptor if it is a success. */
    HRESULT (*on_create)(HRESULT right, const struct descriptor *descriptor);
    HRESULT (*on_compile)(HRESULT right);
    /* Before and after an item is run. `before` may return a failure, or S_FALSE to pretend that it was run. */
    HRESULT (*before)(const struct strike *strike);
    HRESULT (*after)(const struct strike *strike);
};

extern const struct fault faults[];
extern const unsigned fault_count;

/* Those that concern descriptions, in faults_answers.c; the other table is in faults.c. */
extern const struct fault answer_faults[];
extern const unsigned answer_fault_count;

/* Those that concern what outlives a dispatch, and memory that is none of the tensors', in faults_state.c. */
extern const struct fault state_faults[];
extern const unsigned state_fault_count;

/* Those that concern what belongs to the process, in faults_process.c. */
extern const struct fault process_faults[];
extern const unsigned process_fault_count;

/* Those that reach out of the process, in faults_reach.c. */
extern const struct fault reach_faults[];
extern const unsigned reach_fault_count;

/* By name in any table; null: none. */
const struct fault *fault_find(const char *name);

#endif
