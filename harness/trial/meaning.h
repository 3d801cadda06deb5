/* meaning.h: the specs themselves as a device, behind the interface of device.h.
 *
 * The device accepts descriptions that break no rule of a spec, whatever the rule's strength, and runs the spec's Lua
 * function `meaning`, which is slow and obviously right. Argument: level=LEVEL, the feature level that it declares
 * (default 6_4). It is part of the program and runs in worker processes like any other device, on one thread.
 *
 * A meaning gets a table of the operator's fields: numbers, booleans, names of constants, lists from 0, null pointers
 * as nil (push() in field_kind.h); of a scalar V its bits, too, as VBits; an array of tensors is a list from 0, an
 * absent tensor nil. Each tensor has .rank, .sizes (from 0), :get(c) and :set(c, bits) for the bits of an element,
 * :integer(c) for an index (values above 2^63 - 1 become 2^63 - 1), :number(c) for a number, :encode(x) for the bits of
 * a number in its type (in an integer type a fraction is cut off), and :coordinates(), an iterator over all coordinates
 * in row-major order. The iterator reuses its table. Coordinates out of range and writes to an input are errors: the
 * item's status is E_FAIL, and its message says what and where. */
#ifndef TRIAL_MEANING_H
#define TRIAL_MEANING_H

#include "harness/trial/plugin.h"

extern const struct builtin_device meaning_device;

#endif
