/* process_state.h: the state that belongs to the process and not to a device. It is recorded once, compared after the
 * device's calls, and restored as far as possible. Workers use it on the thread that calls the device. */
#ifndef HOST_PROCESS_STATE_H
#define HOST_PROCESS_STATE_H

#include <stdbool.h>
#include <stddef.h>

struct process_state;

enum process_state_change {
    PROCESS_STATE_UNCHANGED,
    PROCESS_STATE_RESTORED, /* the state was changed, and is restored */
    PROCESS_STATE_LOST      /* the state could not be restored: this process must not run another case */
};

/* Records the floating-point mode, the signal mask and handlers, the locale, the working directory, the umask, the
 * environment, the priority, the resource limits and the files of descriptors 0 to 3. Also makes this process the
 * parent of orphans below it. Returns null if memory runs out or the working directory cannot be opened. */
struct process_state *process_state_new(void);
void process_state_free(struct process_state *process_state);

/* Accepts the children that exist now: a device may keep helpers that it starts while it is opened. */
void process_state_note_helpers(struct process_state *process_state);

/* Compares with the record, restores differences and kills other children. Writes its findings to `text`: "changed the
 * locale, the umask, which belongs to the process", "forked 1 child that did not become another program", "left the
 * process 'sh' behind", "printed to standard output"; "" if the state is unchanged. Takes some thirty system calls, and
 * fifty more if `whole`: then it also compares the handlers of real-time signals, the priority and the resource
 * limits. */
enum process_state_change process_state_check(struct process_state *process_state, bool whole, char *text, size_t size);

/* Gives standard output a file of its own, which must stay empty. Call this before process_state_new(). */
void process_state_own_output(void);

#endif
