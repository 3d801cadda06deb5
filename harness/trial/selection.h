/* selection.h: outputs that select elements of an input: positions along one of its dimensions, and the elements there
 * (spec/spec.h). Several answers may be right, so the relation between values and positions is judged, not their bits.
 *
 * Each position is in range and occurs once in its line, and each value has the bits of the element at its position.
 * Values are in order, and no element that is left out belongs before one that is selected. Of equal elements, those
 * with lower positions come first. Where a NaN stands in the order is open; with one in the line, elements that are
 * left out get a warning only. Zeros of both signs are equal, and denormals may count as zeros: other orders of them
 * get a warning, as do NaNs with other payloads and FLOAT32 denormals that are copied as zeros. */
#ifndef TRIAL_SELECTION_H
#define TRIAL_SELECTION_H

#include "harness/spec/outcome.h"
#include "harness/spec/spec.h"
#include "harness/trial/verdict.h"

struct selection_findings {
    uint64_t lines;          /* all of them */
    uint64_t wrong, soft;    /* lines with a wrong element, or with nothing but warnings */
    const char *what;        /* the first fault, or the first soft one: "a position occurs twice" */
    struct wrong first;      /* the element with that fault */
    enum outcome ties, nans; /* the order of equal elements, and of NaNs: first, last, each; none if there are none */
};

/* Returns true if the operator's outputs are a selection. */
static inline bool selection_applies(const struct spec *spec)
{
    return spec->selection.positions >= 0;
}

/* Returns a number that grows with an element; both zeros have the same. The number of a NaN means nothing. */
uint64_t selection_rank(unsigned type, uint64_t bits);

/* Judges the outputs in `tensors`, which are by item, inputs and outputs, laid out as the description says. `expected`
 * has the expected outputs, which are shown beside wrong ones. */
void selection_judge(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                     const uint8_t *const expected[], struct selection_findings *out);

/* Returns true if the inputs leave several answers right: a line has a NaN, or a zero or denormal beside another
 * one. */
bool selection_is_open(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[]);

#endif
