#include "harness/host/orphans.h"

#include "harness/base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

enum { FOUND_MAX = 64, ROUNDS_MAX = 100, REAP_MS = 1000 };

void orphans_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int orphans_is_known(pid_t pid, const pid_t *known, int known_count)
{
    for (int i = 0; i < known_count; i++)
        if (known[i] == pid)
            return 1;
    return 0;
}

/* Adds the children of one thread of this process to the `count` in `found`. Returns the new count. */
static int find_of_thread(const char *thread, const pid_t *known, int known_count, pid_t *found, int count, int max)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%.20s/children", thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return count;
    while (count < max && fscanf(file, "%d", &pid) == 1)
        if (!orphans_is_known(pid, known, known_count))
            found[count++] = pid;
    fclose(file);
    return count;
}

int orphans_find(const pid_t *known, int known_count, pid_t *found, int max)
{
    siginfo_t info;
    int count = 0;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 && errno == ECHILD)
        return 0;
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            count = find_of_thread(entry->d_name, known, known_count, found, count, max);
    if (threads)
        closedir(threads);
    return count;
}

static void orphans_read_name(pid_t pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(name, (int)size, file))
        snprintf(name, size, "process %d", (int)pid);
    name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
}

/* Gives up after a while on a process that cannot die because it is stuck in a driver. */
static void reap(pid_t pid)
{
    const uint64_t deadline = clock_ns() + REAP_MS * 1000000ull;
    while (clock_ns() < deadline && waitpid(pid, NULL, WNOHANG | __WALL) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

int orphans_kill(const pid_t *known, int known_count, char *name, size_t size)
{
    pid_t found[FOUND_MAX];
    int killed = 0, count;
    for (int round = 0; round < ROUNDS_MAX && (count = orphans_find(known, known_count, found, FOUND_MAX)) > 0; round++)
        for (int i = 0; i < count; i++) {
            if (killed++ == 0 && size > 0)
                orphans_read_name(found[i], name, size);
            kill(found[i], SIGKILL);
            reap(found[i]);
        }
    return killed;
}
