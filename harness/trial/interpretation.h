/* interpretation.h: what a device may make of inputs that the documents leave open. A reading is a way to understand such inputs
 * (an index out of range is clamped, of two updates the last one stays, a denormal is a zero): the inputs are rewritten
 * so that only that is left of them, and the reference device runs them. What a rule's `accepts` names is right, what its
 * `reports` names is recognised. */
#ifndef TRIAL_INTERPRETATION_H
#define TRIAL_INTERPRETATION_H

#include "harness/spec/outcome.h"
#include "harness/case/testcase.h"

enum { INTERPRETATIONS_MAX = 24 };

/* Output tensors of a case, by field; others are null. */
struct interpretation {
    enum outcome outcome;
    uint8_t *outputs[OPDESC_MAX_FIELDS];
};

struct interpretations {
    struct interpretation
        list[INTERPRETATIONS_MAX]; /* the first: what the reference device makes of the inputs as they are */
    int count;
    int named; /* of these, how many are whole outcomes; the rest are parts, to tell which elements are open */
};

/* Runs the reference device on inputs, into outputs, both by field and of the sizes that the case says. False: it failed. */
typedef bool (*interpretation_run)(void *context, uint8_t *const inputs[], uint8_t *const outputs[]);

/* Whether the case leaves something open that readings tell apart. */
bool interpretation_applies(const struct testcase *c);

/* Makes the readings that the rule of the case names. `inputs` are the tensors as filled; they are not changed. False: no
 * memory, or the reference device failed. Free in any case. */
bool interpretations_make(struct interpretations *interpretations, const struct testcase *c,
                          const uint8_t *const inputs[], interpretation_run run, void *context);
/* How many elements of an output are defined where the outputs are these: all, or the rows below a count, or those that
 * the case gives. */
uint64_t interpretation_defined(const struct testcase *c, int field, const uint8_t *const outputs[]);

/* The reading whose outputs these are, bit for bit; OUTCOME_OTHER: none. */
enum outcome interpretations_find(const struct interpretations *interpretations, const struct testcase *c,
                                  const uint8_t *const outputs[]);

void interpretations_free(struct interpretations *interpretations);

#endif
