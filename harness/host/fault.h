/* fault.h: reports what a fatal signal was about. Used in worker processes, where devices run. */
#ifndef HOST_FAULT_H
#define HOST_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Describes an address, if it is in a tensor or close to one, as place_describe() does. Called in signal handlers. */
typedef bool fault_locate(const void *context, const void *address, char *text, size_t size);

/* Installs handlers for SIGSEGV, SIGBUS and SIGABRT. A handler writes a description to `text`, such as "touched 4 bytes
 * past the end of 'OutputTensor'" or that the memory limit is used up, and then lets the signal kill the process.
 * `text` must be in shared memory, so that another process can read it afterwards; it stays as it was if there is
 * nothing to say. `context`, for `locate`, must outlive the process's work. Call once per process. */
void fault_catch(fault_locate *locate, const void *context, char *text, size_t size);

#endif
