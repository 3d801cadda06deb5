/* sound.h: checks compiled specs that another process left in shared memory. */
#ifndef LOAD_SOUND_H
#define LOAD_SOUND_H

#include "harness/load/load.h"

/* Returns true if the set, which has a pool of pool_share(), is as loading leaves it: each pointer leads into the pool,
 * each index is in range, each expression has earlier operands. Then no use of the set reads or writes elsewhere.
 * Replaces pointers to the program's own texts. */
bool spec_set_is_sound(struct spec_set *set);

#endif
