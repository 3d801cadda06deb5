/* meaning.h: the specs themselves as a device, behind the interface of device.h.
 *
 * It accepts what breaks no rule of a spec, of whatever strength, and runs the spec's Lua `meaning`: slow, and written to
 * be seen to be right. Arguments: level=LEVEL, the feature level that it claims (6_4). It lives in the program and is
 * used in worker processes like any other device, on one thread.
 *
 * What a meaning may do with a tensor: T.NAME.rank, .sizes (from 0), :get(c) the element's bits, :set(c, bits),
 * :integer(c) an index (more than a signed 64-bit integer holds is the largest one), :number(c) floats as floats, and
 * :coordinates(), a loop over all of them in row-major order, whose one table is valid until the next step. What is out
 * of range, or written to an input, is an error: the item's status is E_FAIL and message() says what and where. */
#ifndef TRIAL_MEANING_H
#define TRIAL_MEANING_H

#include "harness/trial/plugin.h"

extern const struct builtin_device meaning_device;

#endif
