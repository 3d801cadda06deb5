/* process_state.h: what belongs to the process and not to a device: it is noted once, looked at after the device's calls, and
 * put right where it was changed, as far as that can be done. Used by workers, on the thread that calls the device. */
#ifndef WORKER_PROCESS_STATE_H
#define WORKER_PROCESS_STATE_H

#include <stddef.h>

struct process_state;

enum process_state_change {
    PROCESS_STATE_UNCHANGED,
    PROCESS_STATE_RESTORED,
    PROCESS_STATE_LOST /* a process like this is not to be trusted with another case */
};

/* Notes the floating-point mode, the signal mask and the signal handlers, the locale, the working directory, the umask, the
 * environment and what descriptors 0 to 3 are. The process becomes the parent of orphans below it. Null: no memory. */
struct process_state *process_state_new(void);
void process_state_free(struct process_state *process_state);

/* From now on the children that there are belong here: a device may keep helpers that it starts when it is opened. */
void process_state_note_helpers(struct process_state *process_state);

/* Compares and puts right; other children are killed. If not kept, `text` says what was done: "changed the locale, the
 * umask, which belongs to the process". Some thirty system calls. */
enum process_state_change process_state_check(struct process_state *process_state, char *text, size_t size);

#endif
