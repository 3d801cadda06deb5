/* mutants.h: the state of a broken device. mutants.c is the device, mutants_arguments.c reads its arguments, and
 * mutants_list.c writes the list of all mutants. */
#ifndef MUTANTS_MUTANTS_H
#define MUTANTS_MUTANTS_H

#include "device/mutants/faults.h"
#include "device/mutants/forgets.h"
#include "device/mutants/formulas.h"
#include "device/mutants/harms.h"
#include "device/mutants/legal.h"
#include "device/mutants/naive_bound.h"
#include "device/mutants/reported.h"
#include "device/mutants/rules.h"

#include <pthread.h>

enum { MUTANTS_CACHE = 64, MUTANTS_SLOTS = 256 };

struct assay_device {
    DML_FEATURE_LEVEL level;
    enum bug bug;
    DML_OPERATOR_TYPE only; /* the bug is in this operator; 0: in all */
    bool only_half;         /* the bug is in operators that may compute FLOAT32 in FLOAT16 */
    const struct reported *reported;
    const struct mistake *mistake;
    const struct legal *legal; /* null: the device computes as the harness does */
    int site;                  /* of the mistake; -1: the first that changes something */
    struct formulas *formulas;
    const struct fault *fault;
    const struct harm *harm;
    enum harm_call harm_call;
    struct rules *rules;
    unsigned every, some, calls;
    uint64_t max; /* bytes of a tensor, 0: any */
    unsigned operators, cached, described, alive;
    assay_operator *first; /* for SPECIAL_KEPT_LOCK: the list of operators, oldest first, */
    pthread_mutex_t lock;  /* and its lock */
    struct descriptor slots[MUTANTS_SLOTS];
    unsigned users[MUTANTS_SLOTS]; /* operators in each slot */
    struct descriptor cache[MUTANTS_CACHE];
    struct forgets *forgets; /* null: nothing is forgotten */
    char message[512];
};

/* Sets the device's message. Returns `result`. */
HRESULT mutants_fail(assay_device *device, HRESULT result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets the members of a zeroed device that its arguments choose. The device's message names a mistake. */
HRESULT mutants_read_arguments(assay_device *device, const char *arguments);

/* Writes the list of mutants to a file. Returns DXGI_ERROR_UNSUPPORTED, since there is no device then. */
HRESULT mutants_list(assay_device *device, const char *path);

/* Returns the documented name of an operator that the lists bugs_*.h or an argument name; null: there is none. */
const char *mutants_operator(const char *name, size_t length, DML_OPERATOR_TYPE *type);

#endif
