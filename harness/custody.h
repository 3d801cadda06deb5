/* custody.h: what belongs to the process and not to a device: it is noted once, looked at after the device's calls, and
 * put right where it was changed. Used by workers, on the thread that calls the device. */
#ifndef CUSTODY_H
#define CUSTODY_H

#include <stdbool.h>
#include <stddef.h>

struct custody;

/* Notes the floating-point mode, the signal mask and the signal handlers, the locale, the working directory, the umask, the
 * environment and what descriptors 0 to 2 are. Null: no memory. */
struct custody *custody_new(void);
void custody_free(struct custody *custody);

/* Compares and puts right. True: all is as it was. False: `text` says what was changed, "the locale, the umask". Some thirty
 * system calls. */
bool custody_check(struct custody *custody, char *text, size_t size);

#endif
