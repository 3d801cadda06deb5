/* naive_bound.h: results as far from the right ones as the specs allow, and one ULP further. */
#ifndef NAIVE_BOUND_H
#define NAIVE_BOUND_H

#include "device/device.h"

#include "harness/spec/spec.h"

#include <stdbool.h>

/* Moves the first element of the output away from zero: to the last value that is not wrong, or `beyond` it. Nothing
 * happens if no finite value is wrong. `item` has right results. `half`: FLOAT32 may be computed in FLOAT16. */
void bounds_strike(const struct spec *spec, const struct opdesc *desc, const assay_dispatch_item *item, bool half,
                   bool beyond);

#endif
