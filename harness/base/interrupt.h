/* interrupt.h: the flag that a signal from the user sets: work that takes long looks at it and ends early. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

/* Sets the flag, for good. A handler of signals may call this function. */
void interrupt_set(void);

bool interrupt_is_set(void);

#endif
