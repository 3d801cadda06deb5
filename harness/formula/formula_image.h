/* formula_image.h: the set of values of a formula, while its operand WITHIN takes each number of an interval. */
#ifndef FORMULA_FORMULA_IMAGE_H
#define FORMULA_FORMULA_IMAGE_H

#include "harness/formula/evaluate.h"

/* formula_image() stores one range for each piece on which no condition changes, at most FORMULA_MAX_PIECES. A piece
 * ends at an infinity if the formula has a pole there. Without WITHIN there is one range of one value. */
enum { FORMULA_MAX_PIECES = 4 };
struct formula_image {
    int count;
    struct {
        double low, high; /* both are NaN if the value is NaN */
    } pieces[FORMULA_MAX_PIECES];
};
void formula_image(const struct formula *formula, const struct formula_reals *of, struct formula_image *out);

/* Returns true if an infinite value of the formula stands for numbers that are too large, not for a pole or for an
 * infinite operand. */
bool formula_overflows(const struct formula *formula, const struct formula_reals *of);

/* Returns true if the formula, a condition, holds for some value of WITHIN. */
bool formula_may_hold(const struct formula *condition, const struct formula_reals *of);

#endif
