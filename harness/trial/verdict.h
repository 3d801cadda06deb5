/* verdict.h: how a case ends: its status, the cause of a failure, the first wrong element. On this floor,
 *
 *     judge_creation.c   decides about creating and compiling: wrong accepts and rejects, unsupported
 *     judge_given.c      about a case whose own outputs contradict the reference device: harness_error
 *     judge_outputs.c    about a dispatch: wrong results, corrupt memory, device lost, unsupported
 *     trial.c            about calls that contradict themselves, and writes after a dispatch
 *     trial_tensors.c    about skips for lack of memory, and harness_error
 *
 * harness/README.md lists all places where verdicts are decided. */
#ifndef TRIAL_VERDICT_H
#define TRIAL_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* Every planned case ends in exactly one of these. */
enum status {
    STATUS_PASS,
    STATUS_FAIL,
    STATUS_WARN,          /* breaks a rule of strength soft */
    STATUS_CRASH,         /* the device's process died */
    STATUS_TIMEOUT,       /* the device did not answer in time */
    STATUS_DEVICE_LOST,   /* DXGI_ERROR_DEVICE_REMOVED */
    STATUS_UNSUPPORTED,   /* the device says that it cannot run the case, and has not promised to */
    STATUS_SKIP,          /* not run: not meant for this device, or too large for this machine */
    STATUS_HARNESS_ERROR, /* the harness could not make or judge the case */
    STATUS_INCOMPLETE,    /* planned but not run: the run was interrupted, or gave up */
    STATUS_COUNT
};

/* "pass", "fail", … as stored in databases and printed; "unknown" for any other number. */
const char *status_name(enum status status);

/* Returns the status of that name; STATUS_COUNT if there is none. */
enum status status_find(const char *name);

/* Returns true if the status fails a run that has no expectations: fail, crash, timeout, device_lost, harness_error. */
int status_is_failure(enum status status);

/* The cause of a case that does not pass. Reports group failures by it. If fuzz/state.h has such a verdict, the names
 * are the same. */
enum cause {
    CAUSE_NONE,
    CAUSE_ACCEPT,  /* the device accepted a description that it must reject */
    CAUSE_REJECT,  /* the device rejected a legal description */
    CAUSE_ERROR,   /* the device failed with the wrong error, or in the wrong call */
    CAUSE_RESULT,  /* outputs are wrong, or not written */
    CAUSE_MEMORY,  /* the device wrote memory that it must not write */
    CAUSE_SUPPORT, /* the device supports less than it or its feature level promises, or more than it says */
    CAUSE_CONDUCT, /* the device did a forbidden deed to its process, or its answers contradict each other */
    /* The status alone tells the failure: */
    CAUSE_CRASH,
    CAUSE_TIMEOUT,
    CAUSE_LOST,
    CAUSE_HARNESS,
    CAUSE_FILE, /* the case file: a harness error if it contradicts the reference device, whatever the device does; a
                 * warning if its outputs are right only softly */
    CAUSE_COUNT
};

/* "wrong accept", "corrupt memory", …; "" for none. */
const char *cause_name(enum cause cause);

/* Returns the cause of that name; CAUSE_NONE if there is none. */
enum cause cause_find(const char *name);

/* Returns the cause to record: `cause`, unless the status itself tells the failure, or that there is none. A harness
 * error keeps CAUSE_FILE. */
enum cause cause_of(enum status status, enum cause cause);

/* Returns the rank of a status, 0 being the best: pass, skip, unsupported, warn, incomplete, harness_error, fail,
 * timeout, device_lost, crash. */
int status_severity(enum status status);

/* A behaviour of specs/interface.lua that a device breaks, apart from its answers to descriptions and tensors. */
enum promise {
    PROMISE_NONE,
    PROMISE_INDEPENDENT,
    PROMISE_OPERATOR_FIRST,
    PROMISE_DEVICES,
    PROMISE_FREES,
    PROMISE_DESCRIBES,
    PROMISE_DATA_TYPES,
    PROMISE_MESSAGE,
    PROMISE_POINTERS,
    PROMISE_SUCCESS,
    PROMISE_CLOCK,
    PROMISE_TENSORS_IN_DISPATCH,
    PROMISE_THREADS,
    PROMISE_PROCESS_STATE,
    PROMISE_FORK,
    PROMISE_PROGRAMS,
    PROMISE_OUTPUT,
    PROMISE_SANDBOX,
    PROMISE_DESTROY_NULL,
    PROMISE_COUNT
};

/* Returns the id of the behaviour: "process-state"; "" for none. */
const char *promise_name(enum promise promise);

/* The first wrong element, for a person. Empty strings if there is none. */
struct wrong {
    char tensor[64];      /* field name */
    char coordinates[96]; /* "{0,0,2,1}" */
    char got[64];         /* value and bits: "1.5 (0x3fc00000)" */
    char expected[64];
    uint64_t count;    /* the number of wrong elements */
    char inputs[320];  /* the elements that it depends on: "Input {0,1} 2, {0,2} 5"; "": not known */
    uint32_t place[8]; /* the coordinates as numbers, for the judge alone */
};

/* The largest errors of the elements of all outputs with formulas, wherever the result is a finite number. */
struct largest_error {
    double ulps;   /* in ULP of the output's type; for an integer output in units */
    double share;  /* part of the bound of wrong elements, at most LARGEST_SHARE; 0: correctly rounded */
    bool measured; /* an element was measured; otherwise the other members are 0 */
};

/* The share of an error if the bound is 0. */
#define LARGEST_SHARE 1e9

/* Explanations (explain.h): bit n % 64 of word n / 64 stands for enum explanation n. */
enum { EXPLANATION_WORDS = 12 };
typedef struct {
    uint64_t words[EXPLANATION_WORDS];
} explanation_set;

/* The diagnosis of a wrong result. */
struct diagnosis {
    explanation_set explanations; /* the explanations that predict the device's output */
    uint32_t wrong_elements;      /* the number of wrong elements in all outputs */
    bool given;                   /* false: nothing was diagnosed, and the other members are 0 */
    uint16_t cause;               /* the explanation that names the cause: enum explanation; if there are any */
    int16_t rule;                 /* the rule that is broken: index in spec->rules, -1: none */
    char shared[112]; /* the property that the wrong elements have in common: "all in the last row"; "" if none */
};

/* The judge's verdict on one attempt at a case. Trial, message to the harness, case and record hold this structure and
 * the next one, so a result is never copied member by member. */
struct verdict {
    enum status status;
    enum cause cause;
    enum promise promise; /* the promise that the device breaks if the cause is CAUSE_CONDUCT */
    unsigned outcome;     /* the device's choice: outcome.h, outcome_word() gives its name */
    uint64_t host_ns;     /* the time that the device's calls took */
    uint64_t device_ns;   /* the time of the first dispatch by the device's clock; 0: it has none */
    uint64_t checksum;    /* identifies the wrong bits of the outputs; 0: none were compared */
    struct largest_error error;
};

enum { VERDICT_PLACE_SIZE = 400 };

/* The first wrong element and the diagnosis of a wrong result; of any result, a passing one too, the place of the
 * largest error. */
struct symptoms {
    struct wrong wrong;
    struct diagnosis diagnosis;
    /* The element that has the share of struct largest_error: "OutputTensor {0,7}: got 1.5 (0x3fc00000), exact 1.25
     * (0x3fa00000), InputTensor 0.5 (0x3f000000)". "": every measured element is correctly rounded, or none is. */
    char error_place[VERDICT_PLACE_SIZE];
};

#endif
