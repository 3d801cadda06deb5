/* computed.h: formulas of the spec (spec/result.h) give the elements of outputs. They need no reference device. */
#ifndef TRIAL_COMPUTED_H
#define TRIAL_COMPUTED_H

#include "harness/case/testcase.h"
#include "harness/trial/accept.h"
#include "harness/trial/compare.h"
#include "harness/formula/folding.h"
#include "harness/trial/plugin.h"

/* Returns true if every output of the operator has a formula. */
bool computed_applies(const struct spec *spec);

/* Writes the correctly rounded result of each element to the outputs, or 0 if every value is right. `tensors` are by
 * item, laid out as in the description, which must be legal. */
void computed_run(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[]);

/* Returns the stages that the values of the outputs need, directly or not: bit n is stage n. Tolerances and choices may
 * need more. */
uint32_t computed_stages_needed(const struct spec *spec, const struct opdesc *desc);

/* Returns the number of elements of the stages of a description, from stage number `from` on. */
uint64_t computed_stage_elements(const struct spec *spec, const struct opdesc *desc, int from);

/* Marks the nodes of a stage's value that some element uses; where conditions choose, elements use one branch. Returns
 * the folds that some element uses: bit n is fold n. */
uint32_t computed_stage_uses(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                             int stage, bool used[FORMULA_MAX_NODES]);

/* Does the same as a device that makes a slip in its folds; null: none. */
void computed_run_slipped(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                          const struct folding_slip *slip);

/* A way to compute in which the documents allow a device to differ from the oracle. */
struct computed_liberty {
    unsigned rounds;                  /* as in formula_reals, for outputs of up to 32 bits */
    double (*sum)(double *, int64_t); /* the order of sums, as in folding_order; null: they are exact */
    enum computed_choices {
        CHOICES_NONE,
        CHOICES_OPEN, /* takes an alternative of open behaviours where one applies */
        CHOICES_SOFT  /* the same of soft behaviours */
    } choices;
    int turn; /* the number of the alternative, from 0 on: of all that apply to the element, counted round and round */
};

/* Does the same as computed_run() for a device that takes a liberty. Returns false if memory runs out. */
bool computed_run_freely(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                         const struct computed_liberty *liberty);

/* The elements of tensors that something reads: by item, a flag for each offset; null: no element of it. */
struct computed_reads {
    bool *marks[OPDESC_MAX_TENSORS];
    uint64_t counts[OPDESC_MAX_TENSORS]; /* flags of each item */
};

/* Finds the elements of inputs that the formulas of one element of an output read, directly or by stages and other
 * outputs. `tensors` are by item, the inputs and the right outputs. Returns false if there are too many elements to
 * tell, or if memory runs out. The caller calls computed_reads_free() in any case. */
bool computed_reads_find(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[], int output,
                         const uint32_t *coordinates, struct computed_reads *out);

/* Makes room for the elements of the present inputs, outputs and stages of `desc`, none of which is marked. Returns
 * false as above. */
bool computed_reads_prepare(const struct spec *spec, const struct opdesc *desc, struct computed_reads *out);
void computed_reads_free(struct computed_reads *reads);

/* An oracle computes the outputs that the documents expect of a description: by formulas if every output has one,
 * otherwise by an operator of the reference device. */
struct oracle {
    const struct spec *spec;
    const struct opdesc *desc;
    bool computed; /* formulas compute the outputs; otherwise the reference device does */
    struct plugin_operator reference;
};

/* Opens an oracle. Call oracle_close() even if this fails. */
HRESULT oracle_open(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                    struct oracle *out);

/* Computes the outputs among the tensors, by item, from the inputs. */
HRESULT oracle_compute(const struct oracle *oracle, uint8_t *const tensors[]);

void oracle_close(struct oracle *oracle);

/* Opens an oracle, computes once, and closes the oracle. */
HRESULT oracle_run(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[]);

/* Returns true if a device that computes the description `other` from the tensors of `desc` writes a wrong element, or
 * if the descriptions have outputs of other layouts, or outputs that depend on others. Every output has a formula. The
 * memory of the inputs has room for both descriptions. */
bool computed_shows(const struct spec *spec, const struct opdesc *desc, const struct opdesc *other,
                    uint8_t *const tensors[]);

/* An output of the case, and the data that judge it. */
struct computed_output {
    const struct spec *spec;
    const struct opdesc *desc;
    int item;                      /* the item of the output */
    const uint8_t *const *tensors; /* the tensors by item: the inputs, and the outputs as the device left them */
    const uint8_t *expected;       /* the output of computed_run(), or of a case file with `tolerance` */
    const uint8_t *got;            /* the device's output, with the layout of `expected` */
    const struct prefill *prefill; /* the old contents of `got`; null: nothing is known */
    int rule;                      /* the rule that the case tests: index in spec->rules, -1: none */
    bool half;                     /* the device may compute FLOAT32 results in FLOAT16 */
    /* Elements are right if they are near those of `expected`; where a choice applies, the documents judge those that
     * are not. Null: the formula's bounds judge. */
    const struct given_tolerance *tolerance;
};

/* Calls `visit` for each element of an output, row-major, with all values that are not wrong (accept_ranges()). Ignores
 * the members `expected`, `got`, `prefill` and `rule` of `output`. */
typedef void (*computed_visit)(void *context, uint64_t number, uint64_t offset, const struct accept_ranges *right);
void computed_each_range(const struct computed_output *output, computed_visit visit, void *context);

/* Returns true if the right values of an output depend on the values that the device writes to other outputs. */
bool computed_depends(const struct computed_output *output);

/* Judges each element of an output. `out` gets the largest errors, and the outcome of the tested rule. */
void computed_compare(const struct computed_output *output, struct comparison *out);

/* Returns true if every element of the output may be the device's result where `predicted`, another output of this
 * layout, is the exact one: the bits are the same, or the numbers are no further apart than a device may miss. Where
 * `predicted` is as expected, the output must be right. Ignores `rule`. */
bool computed_matches(const struct computed_output *output, const uint8_t *predicted);

/* Finds out if the first elements of output->got that differ from output->expected are results of other formulas. */
struct computed_fit;

/* Returns null if memory runs out. The caller keeps what `output` points to, and closes the result. */
struct computed_fit *computed_fit_open(const struct computed_output *output);
void computed_fit_close(struct computed_fit *fit);

/* Returns true if these elements are as near to the results of `spec`, a copy of the operator with other formulas, for
 * `desc`, a description of tensors of the same sizes, with a slip in its folds (null: none), as a device may miss the
 * results of the case. */
bool computed_fits(struct computed_fit *fit, const struct spec *spec, const struct opdesc *desc,
                   const struct folding_slip *slip);

#endif
