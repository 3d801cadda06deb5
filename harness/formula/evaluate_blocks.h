/* evaluate_blocks.h: evaluates a formula in real numbers for many elements at a time. The values are those of
 * formula_real(), bit for bit. A node that has one value for all elements is evaluated once, and a choice that such a
 * node makes leaves out the formula that is not chosen. */
#ifndef FORMULA_EVALUATE_BLOCKS_H
#define FORMULA_EVALUATE_BLOCKS_H

#include "harness/formula/evaluate.h"

enum { BLOCK_ELEMENTS = 256 };

struct formula_blocks;

/* Prepares a formula. `of` has the operands that all elements share; it must outlive the result, and its operands stay
 * as they are. Returns null if memory runs out, or if the formula has operands that differ between elements and are
 * neither elements nor the exact result: folds, numbers, coordinates, other outputs. */
struct formula_blocks *formula_blocks_new(const struct formula *formula, const struct formula_reals *of);
void formula_blocks_free(struct formula_blocks *blocks);

/* Returns true if the value depends on WITHIN, so that an element may have other values than that of
 * formula_blocks_run(). */
bool formula_blocks_are_wide(const struct formula_blocks *blocks);

/* Evaluates the formula for `count` elements, at most BLOCK_ELEMENTS. `elements`: those of each input, by item;
 * `results`: the exact results, for a tolerance; null: the formula names none. Returns the values, which are valid
 * until the next call. */
const double *formula_blocks_run(struct formula_blocks *blocks, const double *const elements[OPDESC_MAX_TENSORS],
                                 const double *results, int count);

#endif
