/* processors.h: the number of processors that this process may use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <sched.h>

static inline int processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

#endif
