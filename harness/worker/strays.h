/* strays.h: processes that a device has started and left. A process that adopts becomes the parent of every orphan below
 * it, also of one in a session of its own, so that none can hide. */
#ifndef WORKER_STRAYS_H
#define WORKER_STRAYS_H

#include <stddef.h>
#include <sys/types.h>

void strays_adopt(void);

/* The children of this process, without the `known_count` at `known`: the first `most` of them go to `found`. Returns how
 * many those are. Cheap if there are no children at all. */
int strays_find(const pid_t *known, int known_count, pid_t *found, int max);

/* Kills them, and those that become orphans by it. Returns how many; the name of the first goes to `name`. */
int strays_end(const pid_t *known, int known_count, char *name, size_t size);

#endif
