/* sound.h: checks compiled specs that another process left in shared memory. */
#ifndef LOAD_SOUND_H
#define LOAD_SOUND_H

#include "harness/load/load.h"

/* Whether everything in the set, which has a pool of pool_share(), is as loading leaves it: each pointer into the pool,
 * each index in range, each expression made of earlier ones. Nothing that is done with such a set reads or writes
 * elsewhere. Replaces pointers to the program's own texts. */
bool spec_set_is_sound(struct spec_set *set);

#endif
