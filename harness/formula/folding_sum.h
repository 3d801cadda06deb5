/* folding_sum.h: the partial result of a fold, element by element. */
#ifndef FORMULA_FOLDING_SUM_H
#define FORMULA_FOLDING_SUM_H

#include "harness/formula/evaluate.h"
#include "harness/spec/result.h"

enum { FOLDING_STRIDE = 64 };

struct folding_sum {
    enum fold_kind kind;
    bool last, signed_zeros, undefined;
    double value;
    int exponent;                         /* products: the product is value * 2^exponent */
    double magnitude, positive, negative; /* sums of the finite elements */
    double up, down;                      /* products: binary logarithms of the factors above and below 1 */
    int unit, width;
    int64_t count, nans, zeros, infinities, place, first_nan, last_nan;
    formula_integer whole;
};

void folding_begin(struct folding_sum *sum, const struct spec_fold *fold, bool last);

/* Add an element. `number` is the number of its step. `lean`: only value and count are needed. */
void folding_add(struct folding_sum *sum, double value, int64_t number, bool lean);
void folding_add_whole(struct folding_sum *sum, formula_integer value, int64_t number);

void folding_end(const struct folding_sum *sum, struct formula_fold *out);

/* Returns the folds that the formula names, directly or not, here or elsewhere: bit n is fold n. */
uint32_t folding_reached_from(const struct spec_result *result, const struct formula *formula);

/* Sets these folds of a result as if each had one element: the element of each input in `reals`, or in `integers`. The
 * other of the two is null. */
void folding_of_one(const struct spec_result *result, uint32_t folds, struct formula_reals *reals,
                    struct formula_integers *integers);

#endif
