/* load_apart.h: loads specs of strangers. */
#ifndef LOAD_LOAD_APART_H
#define LOAD_LOAD_APART_H

#include "harness/load/load.h"

/* Does what spec_set_load() does, but in a child process with limits (apart.h), and checks the child's result. The set
 * has no script. */
int spec_set_load_apart(struct spec_set *set, const char *folder, struct error *error);

#endif
