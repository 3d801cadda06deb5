/* computed.h: outputs whose elements formulas of the spec give (spec/result.h). They need no reference device. */
#ifndef TRIAL_COMPUTED_H
#define TRIAL_COMPUTED_H

#include "harness/case/testcase.h"
#include "harness/trial/accept.h"
#include "harness/trial/compare.h"
#include "harness/formula/folding.h"
#include "harness/trial/plugin.h"

/* Whether every output of the operator has a formula. */
bool computed_applies(const struct spec *spec);

/* Writes the correctly rounded result of each element to the outputs. An element of which every value is right becomes
 * 0. `tensors` are by item, laid out as in the description, which must be legal. */
void computed_run(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[]);

/* The same as a device does it that makes a slip in its folds; null: none. */
void computed_run_slipped(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                          const struct folding_slip *slip);

/* What computes the outputs that the documents expect of a description: formulas if every output has one, otherwise an
 * operator of the reference device. */
struct oracle {
    const struct spec *spec;
    const struct opdesc *desc;
    bool computed; /* by formulas; otherwise: */
    struct plugin_operator reference;
};

/* Call oracle_close() if it fails, too. */
HRESULT oracle_open(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                    struct oracle *out);

/* Computes the outputs among the tensors, by item, from the inputs. */
HRESULT oracle_compute(const struct oracle *oracle, uint8_t *const tensors[]);

void oracle_close(struct oracle *oracle);

/* All three, for a description that is computed once. */
HRESULT oracle_run(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[]);

/* An output of the case, and what it is held against. */
struct computed_output {
    const struct spec *spec;
    const struct opdesc *desc;
    int item;                      /* of the output */
    const uint8_t *const *tensors; /* by item: the inputs, and the outputs as the device left them */
    const uint8_t *expected;       /* from computed_run() */
    const uint8_t *got;            /* with the layout of `expected` */
    const struct prefill *prefill; /* what `got` held before; null: nothing is known */
    int rule;                      /* the rule that the case tests: index in spec->rules, -1: none */
    bool half;                     /* the device may compute FLOAT32 results in FLOAT16 */
};

/* Calls `visit` for each element of an output, row-major, with all values that are not wrong (accept_ranges()). Of
 * `output`, `expected`, `got`, `prefill` and `rule` do not count. */
typedef void (*computed_visit)(void *context, uint64_t number, uint64_t offset, const struct accept_ranges *right);
void computed_each_range(const struct computed_output *output, computed_visit visit, void *context);

/* Whether what is right for an output depends on what the device writes to others. */
bool computed_depends(const struct computed_output *output);

/* Judges each element of an output. `out` gets the largest errors, and the outcome of the tested rule. */
void computed_compare(const struct computed_output *output, struct comparison *out);

/* Whether every element of the output may be what a device makes of `predicted`, another output of this layout: the
 * same bits, or numbers that are no further apart than a device may miss. Where `predicted` is as expected, the output
 * must be right. `rule` does not count. */
bool computed_matches(const struct computed_output *output, const uint8_t *predicted);

/* Whether the first `most` elements of output->got that are not output->expected are what output->spec, which need not
 * be the case's, says with a slip in its folds (null: none). */
bool computed_fits(const struct computed_output *output, const struct folding_slip *slip, int most);

#endif
