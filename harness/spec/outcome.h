/* outcome.h: what a device chose to do where the documents leave a choice. Of the outcomes of all such cases its
 * fingerprint is made. */
#ifndef SPEC_OUTCOME_H
#define SPEC_OUTCOME_H

#include "device/dml.h"

#include <stdbool.h>

enum outcome {
    OUTCOME_NONE, /* there was no choice, or the case did not get that far */
    OUTCOME_ACCEPTED,
    OUTCOME_INVALIDARG, /* rejected by CreateOperator, with this error */
    OUTCOME_OUTOFMEMORY,
    OUTCOME_NOTIMPL,
    OUTCOME_POINTER,
    OUTCOME_FAIL,
    OUTCOME_UNSUPPORTED,
    OUTCOME_ANOTHER_ERROR,
    OUTCOME_COMPILE_INVALIDARG, /* the same, by CompileOperator */
    OUTCOME_COMPILE_OUTOFMEMORY,
    OUTCOME_COMPILE_NOTIMPL,
    OUTCOME_COMPILE_POINTER,
    OUTCOME_COMPILE_FAIL,
    OUTCOME_COMPILE_UNSUPPORTED,
    OUTCOME_COMPILE_ANOTHER_ERROR,
    OUTCOME_KEPT,      /* of outputs: NaNs and denormals are as they were */
    OUTCOME_FLUSHED,   /* denormals became zeros */
    OUTCOME_QUIETED,   /* signalling NaNs became quiet ones */
    OUTCOME_CANONICAL, /* every NaN became the same one */
    OUTCOME_CLAMPED,   /* indices out of range meant the nearest that is in range */
    OUTCOME_WRAPPED,   /* they were taken modulo the size */
    OUTCOME_TRUNCATED, /* their low 32 bits were taken, and clamped */
    OUTCOME_SIGNED,    /* unsigned ones were taken as signed, and clamped */
    OUTCOME_IGNORED,   /* their updates were left out */
    OUTCOME_ZERO,      /* what they should have brought is zero */
    OUTCOME_LAST,      /* of updates of one place, the last one is there, */
    OUTCOME_FIRST,     /* the first one, */
    OUTCOME_EACH,      /* here one and there another */
    OUTCOME_OTHER,     /* none of those that were tried */
    OUTCOME_COUNT
};

/* "accepted", "E_INVALIDARG when created", "clamped"; "" for none. OUTCOME_COUNT: no such name. */
const char *outcome_name(enum outcome outcome);
enum outcome outcome_find(const char *name);

enum outcome outcome_of_rejection(HRESULT result, bool compiling);

#endif
