/* forks.h: children of this process that are no programs. A child that ends at once is counted, too. Not seen: children
 * that a device makes past the C library's fork(). */
#ifndef HOST_FORKS_H
#define HOST_FORKS_H

/* From now on children are counted. Once a process; without memory nothing is counted. */
void forks_watch(void);

/* How many children since the last call have not become another program. Waits a moment for those that may still do it.
 */
unsigned forks_take(void);

#endif
