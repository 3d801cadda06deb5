/* cgroup.h: the limits of this process's control group (cgroup), of version 1 or 2, as a container has it. */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <stdint.h>

/* The limits of the group and of all groups above it that this process can see. */
struct cgroup {
    uint64_t memory;     /* bytes that the group may have; UINT64_MAX: no limit */
    uint64_t left;       /* bytes of them that are free, or caches of files; UINT64_MAX: no limit */
    uint64_t kills;      /* processes of the group that the kernel has killed since it had no memory left */
    unsigned processors; /* processors whose whole time the group may use, rounded up; UINT_MAX: no limit */
};

/* Reads the limits of the present process. `root` is a folder with proc/ and sys/, "" on a real system. A limit that
 * cannot be read is none. */
struct cgroup cgroup_read(const char *root);

#endif
