/* outcome.h: what a device chose to do where the documents leave a choice. The outcomes of all such cases are the
 * fingerprint of the device. */
#ifndef SPEC_OUTCOME_H
#define SPEC_OUTCOME_H

#include "device/dml.h"

#include <stdbool.h>

enum outcome {
    OUTCOME_NONE, /* no choice, or the case ended before it */
    OUTCOME_ACCEPTED,
    OUTCOME_INVALIDARG, /* rejected by CreateOperator, with this error */
    OUTCOME_OUTOFMEMORY,
    OUTCOME_NOTIMPL,
    OUTCOME_POINTER,
    OUTCOME_FAIL,
    OUTCOME_UNSUPPORTED,
    OUTCOME_ANOTHER_ERROR,
    OUTCOME_COMPILE_INVALIDARG, /* rejected by CompileOperator, with this error */
    OUTCOME_COMPILE_OUTOFMEMORY,
    OUTCOME_COMPILE_NOTIMPL,
    OUTCOME_COMPILE_POINTER,
    OUTCOME_COMPILE_FAIL,
    OUTCOME_COMPILE_UNSUPPORTED,
    OUTCOME_COMPILE_ANOTHER_ERROR,
    OUTCOME_KEPT,      /* outputs have NaNs and denormals bit for bit */
    OUTCOME_FLUSHED,   /* denormals became zeros */
    OUTCOME_QUIETED,   /* signalling NaNs became quiet ones */
    OUTCOME_CANONICAL, /* every NaN became the same one */
    OUTCOME_CLAMPED,   /* indices out of range were taken as the nearest in range */
    OUTCOME_WRAPPED,   /* indices out of range were taken modulo the size */
    OUTCOME_TRUNCATED, /* the low 32 bits of indices were taken and clamped */
    OUTCOME_SIGNED,    /* unsigned indices were taken as signed and clamped */
    OUTCOME_IGNORED,   /* updates with indices out of range were dropped */
    OUTCOME_ZERO,      /* elements read by indices out of range are zero */
    OUTCOME_LAST,      /* of several updates of one element, the last won */
    OUTCOME_FIRST,     /* the first update won */
    OUTCOME_EACH,      /* different updates won in different elements */
    OUTCOME_ERROR,     /* an index out of range made the dispatch fail */
    OUTCOME_FOREIGN,   /* an index out of range put memory of no tensor into the output */
    OUTCOME_OTHER,     /* none of the known interpretations */
    OUTCOME_COUNT
};

/* "accepted", "E_INVALIDARG when created", "clamped"; "" for OUTCOME_NONE and values out of range. outcome_find()
 * returns OUTCOME_COUNT for an unknown name. */
const char *outcome_name(enum outcome outcome);
enum outcome outcome_find(const char *name);

/* The outcome of CreateOperator, or of CompileOperator if `compiling`; OUTCOME_ACCEPTED if the result is a success. */
enum outcome outcome_of_rejection(HRESULT result, bool compiling);

#endif
