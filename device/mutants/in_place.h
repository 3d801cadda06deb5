/* in_place.h: bugs of an operator whose input has the memory of its output. */
#ifndef IN_PLACE_H
#define IN_PLACE_H

#include "device/mutants/formulas.h"

/* Computes an item with the bug, one of BUG_IN_PLACE_*. `tensors` are by item. Returns false if memory runs out. */
bool in_place_run(const struct reading *reading, uint8_t *const tensors[], enum bug bug);

#endif
