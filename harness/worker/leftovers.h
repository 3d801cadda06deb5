/* leftovers.h: folders that a killed program left behind. A program that uses a folder holds a lock on it. The kernel
 * releases the lock when the process ends, even if the process is killed. */
#ifndef WORKER_LEFTOVERS_H
#define WORKER_LEFTOVERS_H

#include <stdbool.h>

/* Locks a folder, alone or together with other programs that use it. Returns a number for leftovers_release(); 0 if the
 * folder cannot be locked, since the file system has no locks. */
int leftovers_hold(const char *path, bool together);
void leftovers_release(int held);

/* Releases a folder that was locked together with other programs. The last program to do so removes the folder, if it
 * is empty. */
void leftovers_release_empty(int held, const char *path);

/* Removes a folder with all its files and folders. */
void leftovers_remove(const char *path);

/* Removes the user's folders in `folder` whose names are `prefix` and `length` letters or digits, if no program holds
 * the folder and none has changed it in the last `age_s` seconds: a new folder may not be locked yet. */
void leftovers_clean(const char *folder, const char *prefix, int length, long age_s);

#endif
