/* naive_bound.h: results as far from the right ones as the specs allow, and one ULP further. */
#ifndef NAIVE_BOUND_H
#define NAIVE_BOUND_H

#include "device/device.h"

#include <stdbool.h>

struct bounds;
struct opdesc;

/* Loads the specs. Null, with a sentence in `message`, if that fails. bounds_close() frees it; null is allowed. */
struct bounds *bounds_open(char *message, size_t size);
void bounds_close(struct bounds *bounds);

/* A legal description of an operator, for bounds_strike(); free() it. Null: no formula gives its outputs. */
struct opdesc *bounds_read(const struct bounds *bounds, const DML_OPERATOR_DESC *desc);

/* Moves the first element of the output away from zero: to the last value that is not wrong, or `beyond` it. Nothing
 * happens if no finite value is wrong. `item` has right results. `half`: FLOAT32 may be computed in FLOAT16. */
void bounds_strike(const struct bounds *bounds, const struct opdesc *desc, const assay_dispatch_item *item, bool half,
                   bool beyond);

#endif
