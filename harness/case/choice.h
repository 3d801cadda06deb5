/* choice.h: draws the elements of all inputs together, so that relations between them can be chosen: those for which
 * the documents leave a choice, or those for which they leave none. */
#ifndef CASE_CHOICE_H
#define CASE_CHOICE_H

#include "harness/case/domain.h"
#include "harness/case/interesting.h"
#include "harness/case/testcase.h"
#include "harness/formula/evaluate.h"

enum { CHOICE_INPUTS = 8, CHOICE_FOUND = 64, CHOICE_SAMPLE = 32 };

/* The elements of a case with FILL_CHOICE or FILL_SETTLED. */
struct choice {
    const struct testcase *c;
    uint64_t key;
    bool whole, bits; /* the numbers of its formulas: integers; bit patterns */
    int result_count; /* results that the description has, one an output, with a condition that counts */
    const struct spec_result *results[OPDESC_MAX_TENSORS];
    uint32_t folds[OPDESC_MAX_TENSORS]; /* the folds that these conditions of each result need: bit n is fold n */
    int input_count;                    /* single tensors with elements, at most CHOICE_INPUTS */
    struct choice_input {
        int item, field;
        bool fixed; /* it has other sizes than the output, so all of its elements are equal */
        struct domain domain;
        struct interesting values;
    } inputs[CHOICE_INPUTS];
    int found_count; /* combinations of interesting values that meet the condition */
    uint64_t found[CHOICE_FOUND][CHOICE_INPUTS];
    struct formula_reals reals;
    struct formula_integers integers;
};

/* Prepares drawing. `seed` is the case's. False: the case tests no behaviour with a condition, or the operator has no
 * formulas; then its contents are ordinary. */
bool choice_begin(struct choice *choice, const struct testcase *c, uint64_t seed);

/* Stores the bits of element `number` of each input, in the order of choice->inputs. The condition holds for them,
 * unless no such elements were found; then they are ordinary. */
void choice_draw(struct choice *choice, uint64_t number, uint64_t bits[CHOICE_INPUTS]);

/* Returns for how many of CHOICE_SAMPLE ordinary elements some behaviour leaves a choice. */
int choice_count_open(const struct testcase *c);

/* Returns true if some elements are found that meet the case's condition. */
bool choice_is_possible(const struct testcase *c);

/* Returns true if elements meet the case's condition. `bits` are as choice_draw() gives them. */
bool choice_holds(struct choice *choice, const uint64_t bits[CHOICE_INPUTS]);

#endif
