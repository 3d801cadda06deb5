/* slots.h: the place of an atom's subject in its legal range, such as the lower or upper limit, or the number of its
 * legal value. Wrong rejections mostly happen at one of these places. `atom` is an index in rules->atoms. */
#ifndef FUZZ_SLOTS_H
#define FUZZ_SLOTS_H

#include "harness/fuzz/rules.h"

enum { FUZZ_SLOTS = 16 }; /* per atom */

/* Returns the slots that a description occupies, a bit each; 0: the atom does not apply. */
uint16_t fuzz_slots(const struct fuzz_rules *rules, int atom, const struct opdesc *desc);

/* Returns true if a slot is a limit or a single value, and not the range between the limits. */
bool fuzz_slot_is_limit(const struct fuzz_rules *rules, int atom, int slot);

/* Writes words for a slot to `text`, "at the lower limit", and returns it. */
const char *fuzz_slot_text(const struct fuzz_rules *rules, int atom, int slot, char *text, size_t size);

#endif
