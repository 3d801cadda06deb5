#include "harness/base/interrupt.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

void interrupt_set(void)
{
    interrupted = 1;
}

bool interrupt_is_set(void)
{
    return interrupted != 0;
}
