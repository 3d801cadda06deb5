/* load.h: loads and compiles all specs of a folder. */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "harness/base/error.h"
#include "harness/spec/spec_set.h"

/* Loads every *.lua file of `folder`: first catalogue.lua, then tensor.lua, rulings.lua and interface.lua, then the
 * operators. Returns 0; or EXIT_HARNESS, with file, line and expectation in the message and `set` empty. Free `set`
 * with spec_set_free(). */
int spec_set_load(struct spec_set *set, const char *folder, struct error *error);

/* Loads specs with changed sources: the operator `only` alone, without the interface; null: all. Otherwise as
 * spec_set_load(). */
int spec_set_load_changed(struct spec_set *set, const char *folder, const struct spec *only, script_change *change,
                          void *context, struct error *error);

/* Gives a set without a script one that has the tables of the operators in these files of its folder, for strategies:
 * names such as "softmax.lua", ended by a null pointer; null: all files. Returns as spec_set_load() does; after an
 * error, the set has no script. */
int spec_set_add_script(struct spec_set *set, const char *folder, const char *const *files, struct error *error);

void spec_set_free(struct spec_set *set);

/* Pushes the table of the operator that its file returned on the stack of set->script, which must not be null. */
void spec_push(const struct spec_set *set, int spec);

#endif
