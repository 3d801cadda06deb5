/* outcome.h: the choice that a device made where the documents leave one. The outcomes of all such cases are the
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
    OUTCOME_KEPT,         /* outputs keep NaNs and denormals bit for bit */
    OUTCOME_FLUSHED,      /* FLOAT32 denormals became zeros */
    OUTCOME_FLUSHED_HALF, /* FLOAT16 denormals became zeros, too */
    OUTCOME_QUIETED,      /* signalling NaNs became quiet ones */
    OUTCOME_CANONICAL,    /* every NaN became the same one */
    OUTCOME_CLAMPED,      /* indices out of range were taken as the nearest in range */
    OUTCOME_WRAPPED,      /* indices out of range were taken modulo the size; integers modulo 2^width */
    OUTCOME_TRUNCATED,    /* the low 32 bits of indices were taken and clamped */
    OUTCOME_SIGNED,       /* unsigned indices were taken as signed and clamped */
    OUTCOME_IGNORED,      /* updates with indices out of range were dropped */
    OUTCOME_ZERO,         /* elements read by indices out of range are zero */
    OUTCOME_LAST,         /* the last of several updates of one element won */
    OUTCOME_FIRST,        /* the first update won */
    OUTCOME_EACH,         /* different elements show different outcomes */
    OUTCOME_ERROR,        /* an index out of range made the dispatch fail */
    OUTCOME_SATURATED,    /* integers that their type cannot hold became its limits */
    OUTCOME_EXPECTED,     /* the element has the formula's own result, where a behaviour leaves a choice */
    OUTCOME_FOREIGN,      /* an index out of range put memory of no tensor into the output */
    OUTCOME_OTHER,        /* the result fits none of the known interpretations */
    OUTCOME_COUNT         /* outcome_word() gives numbers from here on the words of an operator's own */
};

/* outcome_name() returns "accepted", "E_INVALIDARG when created", "clamped"; "" for OUTCOME_NONE and values out of
 * range. outcome_find() returns OUTCOME_COUNT for an unknown name. */
const char *outcome_name(enum outcome outcome);
enum outcome outcome_find(const char *name);

struct spec;

/* These functions also know the outcomes that the choices of an operator name: OUTCOME_COUNT + n is the operator's n-th
 * word that is no outcome above; a word may have several numbers. outcome_of_word() returns OUTCOME_NONE for a word
 * that the operator does not have. */
const char *outcome_word(const struct spec *spec, unsigned outcome);
unsigned outcome_of_word(const struct spec *spec, const char *word);

/* Returns the outcome of CreateOperator, or of CompileOperator if `compiling`; OUTCOME_ACCEPTED if the result is a
 * success. */
enum outcome outcome_of_rejection(HRESULT result, bool compiling);

#endif
