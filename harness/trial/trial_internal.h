/* trial_internal.h: the files of a trial share these functions. trial.c has the steps, trial_tensors.c makes the
 * tensors, judge_creation.c, judge_given.c and judge_outputs.c decide the verdict, trial_dump.c prints the outputs,
 * trial_inputs.c finds the elements of inputs that a wrong element depends on. */
#ifndef TRIAL_TRIAL_INTERNAL_H
#define TRIAL_TRIAL_INTERNAL_H

#include "harness/trial/compare.h"
#include "harness/trial/computed.h"
#include "harness/trial/trial.h"

enum { TRIAL_LARGE = 256 << 20 }; /* bytes of all tensors: such a case may run out of memory without failing */

/* Judges the case. */
__attribute__((format(printf, 3, 4))) void trial_verdict(struct trial *t, enum status status, const char *format, ...);

/* Judges the case: the device breaks a rule. STATUS_WARN if `soft`, otherwise STATUS_FAIL. */
__attribute__((format(printf, 4, 5))) void trial_deviates(struct trial *t, enum cause cause, bool soft,
                                                          const char *format, ...);

/* Judges a case whose operator the device accepted or rejected. Leaves a case unjudged that is to be dispatched. */
void trial_judge_creation(const struct trial_setup *setup, struct trial *t, const struct call_answer *answer);

/* Judges a case that the device says it does not support: STATUS_UNSUPPORTED, or a failure if its feature level
 * promises it. `text` says which call failed. */
void trial_judge_unsupported(const struct trial_setup *setup, struct trial *t, const char *text);

/* Frees the interpretations that trial_make_tensors() has made. */
void trial_drop_interpretations(struct trial *t);

/* Returns the contents of an output before this dispatch. */
struct prefill trial_prefill(const struct trial *t, int field);

/* Returns a hash of the tensor in a block. */
uint64_t trial_hash(const struct block *block);

/* Returns the number of defined elements of an output, by the expected outputs. */
uint64_t trial_defined_elements(const struct trial *t, int field);

/* Returns true if formulas judge the outputs. If a description breaks a rule, only the given outputs are judged. */
static inline bool trial_is_computed(const struct trial *t)
{
    return t->c.expect != EXPECT_REJECTED && !t->interpretations && computed_applies(t->c.spec);
}

/* Returns the tolerance that the case file gives for an output; null: none, or the documents leave the outputs open, or
 * they select elements of an input. */
const struct given_tolerance *trial_tolerance(const struct trial *t, int item);

/* Prints the largest error of an output, behind "; ", and how much of its `bound` that is. If the result must be exact,
 * its error is no part of a bound. */
void trial_print_error(const struct trial *t, int field, const struct largest_error *error, const char *bound,
                       char text[96]);

/* Compares an output with the expected one: by the tolerance of the case file, by its formula, or bit for bit.
 * `prefill`: the old contents of `got`; null: nothing is known. */
void trial_compare(const struct trial *t, int item, const struct prefill *prefill, const uint8_t *const outputs[],
                   struct comparison *out);

/* Fills in t->symptoms.diagnosis of a dispatch with wrong outputs. */
void trial_explain(struct trial_setup *setup, struct trial *t);

/* Outputs compared with the expected ones and with the interpretations, which leave elements open. */
struct open_comparison {
    uint64_t wrong;     /* elements that differ where no interpretation does, in the first output that has some */
    uint64_t open;      /* elements that differ where an interpretation does, too */
    uint64_t unmatched; /* the open ones that equal no interpretation */
    bool soft;          /* nothing differs in an element that is not open, except softly (compare.h) */
    struct wrong first;
};

/* Compares `outputs`, by field, of a case that has interpretations. A rule with `anywhere` leaves every element
 * open. */
void trial_compare_open(const struct trial *t, const uint8_t *const outputs[], struct open_comparison *out);

/* Sets t->symptoms.wrong.inputs: the elements of inputs that the first wrong element depends on. */
void trial_show_inputs(struct trial_setup *setup, struct trial *t);

/* Returns the same as a text, a tensor a line and with every element if `all`; null if the elements cannot be told, or
 * if memory runs out. The caller frees it. */
char *trial_inputs_text(struct trial_setup *setup, const struct trial *t, bool all);

/* Holds the outputs that the case gives against the expected ones, which the reference device has computed. Judges the
 * case as a harness error if they contradict each other. Outputs with a tolerance are the expected ones afterwards. */
void trial_judge_given(const struct trial_setup *setup, struct trial *t);

/* Replaces t->dump by the outputs as text, and all elements of inputs that the first wrong one depends on, if the
 * result's own text leaves some out; by null if memory runs out. */
void trial_dump(struct trial_setup *setup, struct trial *t);

/* Replaces t->dump by the outputs that a case file gives, by item, and those of the reference device. */
void trial_dump_given(struct trial *t, const uint8_t *const given[]);

#endif
