#include "harness/base/processors.h"

#include "harness/base/cgroup.h"

#include <sched.h>

int processors(void)
{
    static unsigned quota; /* it does not change as a rule, and reading it takes some files */
    cpu_set_t set;
    if (quota == 0)
        quota = cgroup_read("").processors;
    unsigned count = sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    return (int)(count < quota ? count : quota);
}
