/* custody.h: what belongs to the process and not to a device: it is noted once, looked at after the device's calls, and
 * put right where it was changed, as far as that can be done. Used by workers, on the thread that calls the device. */
#ifndef CUSTODY_H
#define CUSTODY_H

#include <stddef.h>

struct custody;

enum custody_state {
    CUSTODY_KEPT,
    CUSTODY_RESTORED,
    CUSTODY_LOST /* a process like this is not to be trusted with another case */
};

/* Notes the floating-point mode, the signal mask and the signal handlers, the locale, the working directory, the umask, the
 * environment and what descriptors 0 to 3 are. The process becomes the parent of orphans below it. Null: no memory. */
struct custody *custody_new(void);
void custody_free(struct custody *custody);

/* From now on the children that there are belong here: a device may keep helpers that it starts when it is opened. */
void custody_note_helpers(struct custody *custody);

/* Compares and puts right; other children are killed. If not kept, `text` says what was done: "changed the locale, the
 * umask, which belongs to the process". Some thirty system calls. */
enum custody_state custody_check(struct custody *custody, char *text, size_t size);

#endif
