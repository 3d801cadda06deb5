/* fault.h: reports the reason of a fatal signal, in worker processes, where devices run. */
#ifndef HOST_FAULT_H
#define HOST_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Describes an address in a tensor or near one, as place_describe() does. Signal handlers call it. */
typedef bool fault_locate(const void *context, const void *address, char *text, size_t size);

/* Installs handlers for SIGSEGV, SIGBUS and SIGABRT. A handler writes a description to `text`, such as "touched 4 bytes
 * past the end of 'OutputTensor'" or that the memory limit is used up, and then lets the signal kill the process.
 * Without a known reason it leaves `text` as it is. `text` must be in shared memory, so that another process can read
 * it afterwards. `context`, the argument of `locate`, must outlive the process's work. Call this once per process. */
void fault_catch(fault_locate *locate, const void *context, char *text, size_t size);

#endif
