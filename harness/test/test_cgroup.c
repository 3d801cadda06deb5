/* The limits of control groups, as both versions and containers have them. */
#include "harness/base/cgroup.h"
#include "tools/tap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static char root[] = "/tmp/assay-cgroup-XXXXXX";

/* Makes a file below the root, with its folders. */
static void put_file(const char *path, const char *text)
{
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname %s/%s)\"", root, path);
    if (system(command) != 0)
        exit(3);
    snprintf(command, sizeof command, "%s/%s", root, path);
    FILE *file = fopen(command, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(3);
}

static void begin_groups(const char *groups, const char *mounts)
{
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -rf %s/*", root);
    if (system(command) != 0)
        exit(3);
    put_file("proc/self/cgroup", groups);
    put_file("proc/self/mountinfo", mounts);
}

static const char *const first_mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";

static void test_first_version(void)
{
    begin_groups("5:devices:/\n4:memory:/job/step\n1:cpu,cpuacct:/job\n0::/\n", first_mounts);
    put_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put_file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "157286400\n");
    put_file("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "100000000\n");
    put_file("sys/fs/cgroup/memory/job/memory.stat", "cache 5\ninactive_file 1\ntotal_inactive_file 40000000\n");
    put_file("sys/fs/cgroup/memory/job/step/memory.limit_in_bytes", "9223372036854771712\n");
    put_file("sys/fs/cgroup/memory/job/step/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    put_file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put_file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
    put_file("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    struct cgroup limits = cgroup_read(root);
    ok(limits.memory == 157286400, "version 1: the limit of the group above: %llu", (unsigned long long)limits.memory);
    ok(limits.left == 97286400, "  of which caches of files are free: %llu", (unsigned long long)limits.left);
    ok(limits.kills == 3, "  processes that were killed: %llu", (unsigned long long)limits.kills);
    ok(limits.processors == 2, "  half a processor counts as one: %u", limits.processors);
}

static void test_second_version(void)
{
    begin_groups("0::/job\n", "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
    put_file("sys/fs/cgroup/job/memory.max", "max\n");
    put_file("sys/fs/cgroup/job/memory.events", "low 0\nhigh 0\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n");
    put_file("sys/fs/cgroup/job/cpu.max", "max 100000\n");
    struct cgroup limits = cgroup_read(root);
    ok(limits.memory == UINT64_MAX && limits.left == UINT64_MAX && limits.processors == UINT_MAX && limits.kills == 1,
       "version 2: no limits");
    put_file("sys/fs/cgroup/job/memory.max", "1000000\n");
    put_file("sys/fs/cgroup/job/memory.current", "1500000\n");
    put_file("sys/fs/cgroup/job/cpu.max", "400000 100000\n");
    limits = cgroup_read(root);
    ok(limits.memory == 1000000 && limits.left == 0 && limits.processors == 4, "  limits: %llu, %u",
       (unsigned long long)limits.memory, limits.processors);
}

/* A container sees its own group at the mount point; the path may be the one outside. */
static void test_container(void)
{
    begin_groups("4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n", first_mounts);
    put_file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000\n");
    ok(cgroup_read(root).memory == 1000000, "a container's own group is at the mount point");
    begin_groups("4:memory:/docker/abc/inner\n",
                 "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put_file("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "2000000\n");
    ok(cgroup_read(root).memory == 2000000, "  a group within it is below");
}

static void test_nothing(void)
{
    begin_groups("", "");
    struct cgroup limits = cgroup_read(root);
    ok(limits.memory == UINT64_MAX && limits.kills == 0 && limits.processors == UINT_MAX, "no groups: no limits");
    limits = cgroup_read("/nowhere");
    ok(limits.memory == UINT64_MAX && limits.processors == UINT_MAX, "no /proc: no limits");
}

int main(void)
{
    char command[PATH_MAX];
    if (!mkdtemp(root))
        return 3;
    test_first_version();
    test_second_version();
    test_container();
    test_nothing();
    snprintf(command, sizeof command, "rm -r %s", root);
    ok(system(command) == 0, "nothing is left");
    return tap_done();
}
