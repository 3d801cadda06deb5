/* owner.h: whether a file or folder can be trusted to hold only what this user put there. */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/* Returns true if this user owns the file, and only its group and this user may write it. */
bool owner_is_us(const struct stat *status);

#endif
