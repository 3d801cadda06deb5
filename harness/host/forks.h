/* forks.h: counts children of this process that do not become another program, even a child that ends at once. It does
 * not see children that a device makes without the C library's fork(). */
#ifndef HOST_FORKS_H
#define HOST_FORKS_H

/* Starts counting children. Call this once per process; if memory runs out, no child is counted. */
void forks_watch(void);

/* Returns the number of children since the last call that have not become another program. Waits a moment for those
 * that still may. */
unsigned forks_take(void);

#endif
