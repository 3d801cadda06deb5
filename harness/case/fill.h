/* fill.h: the contents of a case's inputs: a function of case seed, tensor and element, the same on every machine. */
#ifndef CASE_FILL_H
#define CASE_FILL_H

#include "harness/case/testcase.h"

#include <stdint.h>

/* Fills input `field`, `bytes` long, at `memory`: its elements as the case says, and the gaps between and after them
 * with a fixed byte. Inputs that have the memory of one output get the contents of the first. */
void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes);

/* Returns true if the field is an index tensor. */
bool fill_is_index(const struct spec *spec, int field);

/* Returns the number of combinations of bits that one element of each data input can hold, the bits of the first input
 * being the lowest: FILL_EACH counts them. 0: the inputs differ in their numbers of elements, an index tensor is among
 * them, or the bits are more than FILL_EACH_BITS. */
enum { FILL_EACH_BITS = 32 };
uint64_t fill_combinations(const struct testcase *c);

/* Returns true if the inputs can hold the contents that the case's fill asks for. FILL_DISTINCT: the data types have
 * enough values for all elements of the data inputs. FILL_CHOICE: some elements meet the condition of the behaviour
 * under test. FILL_EACH: there are combinations, `first` is one of them, and the elements are at most as many.
 * FILL_SETTLED: the operator has behaviours with conditions, and some elements meet none. */
bool fill_is_possible(const struct testcase *c);

/* Writes the elements that the case gives for tensor `field`, which must have some. Leaves all other bytes as they
 * are. */
void fill_literal(const struct testcase *c, int field, uint8_t *memory);

#endif
