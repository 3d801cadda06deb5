/* interpretation.h: the results that a device may give for inputs whose meaning the documents leave open.
 *
 * An interpretation is one way to understand such inputs: an index out of range is clamped, of two updates of one
 * target the last one wins, a denormal is a zero. The harness rewrites the inputs so that they mean this to every
 * device, and runs the reference device on them. A rule's `accepts` names the outcomes that are right, its `reports`
 * names further outcomes that are recognised, so that a deviation can be named. */
#ifndef TRIAL_INTERPRETATION_H
#define TRIAL_INTERPRETATION_H

#include "harness/spec/outcome.h"
#include "harness/case/testcase.h"

enum { INTERPRETATIONS_MAX = 24 };

/* One interpretation, with the outputs that it leads to, by field; null where the field is not an output. */
struct interpretation {
    enum outcome outcome;
    uint8_t *outputs[OPDESC_MAX_TENSORS];
};

/* The first interpretation is the reference device's result for the inputs as they are. The first `outcome_count` are
 * outcomes of whole cases; the others only show which elements are open. */
struct interpretations {
    int count;
    int outcome_count;
    int fields;                                      /* the number of fields of the case */
    bool out_of_range;                               /* the inputs have an index out of range */
    struct interpretation list[INTERPRETATIONS_MAX]; /* large: only the used entries are ever written */
};

/* Runs the reference device on `inputs` into `outputs`, both by field and with the sizes of the case. Returns false if
 * the device failed. */
typedef bool (*interpretation_run)(void *context, uint8_t *const inputs[], uint8_t *const outputs[]);

/* Returns the rule by which a case is judged: its own; for a case without a rule whose inputs have denormals, the
 * behaviour that lets a device take them as zeros and so find other elements. `tensors` are the inputs, by field. */
int interpretation_rule(const struct testcase *c, const uint8_t *const tensors[]);

/* Returns true if the case expects results that its rule leaves open. */
bool interpretation_applies(const struct testcase *c);

/* Computes the interpretations that the case's rule names. `tensors` are, by field, the filled inputs and the reference
 * device's outputs; they are not changed. Returns false if memory runs out or the reference device failed. Call
 * interpretations_free() in either case. */
bool interpretations_compute(struct interpretations *interpretations, const struct testcase *c,
                             const uint8_t *const tensors[], interpretation_run run, void *context);

/* Returns the number of defined elements of output `field`: all, or the rows that a count in `outputs` says. */
uint64_t interpretation_defined_count(const struct testcase *c, int field, const uint8_t *const outputs[]);

/* Returns the outcome with exactly these outputs, bit for bit; OUTCOME_OTHER if none matches. */
enum outcome interpretations_find(const struct interpretations *interpretations, const struct testcase *c,
                                  const uint8_t *const outputs[]);

void interpretations_free(struct interpretations *interpretations);

#endif
