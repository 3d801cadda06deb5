/* leftovers.h: folders that a killed program left behind. Whoever uses a folder holds a lock on it, which the kernel
 * releases when the process ends, however it ends. */
#ifndef WORKER_LEFTOVERS_H
#define WORKER_LEFTOVERS_H

#include <stdbool.h>

/* Locks a folder, alone or together with others that use it. Returns what leftovers_release() takes; 0: it could not be
 * locked, since the file system has no locks. */
int leftovers_hold(const char *path, bool together);
void leftovers_release(int held);

/* Releases a folder that was locked together with others; the last one to do so removes it, if it is empty. */
void leftovers_release_empty(int held, const char *path);

/* Removes a folder with all that is in it. */
void leftovers_remove(const char *path);

/* Removes the user's folders in `folder` whose names are `prefix` and `length` letters or digits, which nobody holds
 * and which nobody has changed in the last `age_s` seconds: one that was just made may not be locked yet. */
void leftovers_clean(const char *folder, const char *prefix, int length, long age_s);

#endif
