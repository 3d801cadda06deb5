/* orphans.h: child processes that a device started and did not end. A process that adopts becomes the parent of every
 * orphan below it, even of one in a session of its own, so that no orphan can hide. */
#ifndef HOST_ORPHANS_H
#define HOST_ORPHANS_H

#include <stddef.h>
#include <sys/types.h>

/* Makes this process the parent of all orphans below it from now on. */
void orphans_adopt(void);

/* Writes the children of this process, except the `known_count` at `known`, to `found`, at most `max` of them. Returns
 * their number. The call is cheap if there are no children at all. */
int orphans_find(const pid_t *known, int known_count, pid_t *found, int max);

/* Kills and reaps the children that are not in `known`, and then the children that become orphans by that. Returns the
 * number of killed processes, and writes the name of the first to `name` unless `size` is 0. */
int orphans_kill(const pid_t *known, int known_count, char *name, size_t size);

#endif
