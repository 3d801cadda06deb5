#include "harness/worker/leftovers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Descriptors are stored + 1, so that a zeroed struct holds nothing. */
int leftovers_hold(const char *path, bool together)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && flock(folder, (together ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
        return folder + 1;
    if (folder >= 0)
        close(folder);
    return 0;
}

void leftovers_release(int held)
{
    if (held > 0)
        close(held - 1);
}

void leftovers_release_empty(int held, const char *path)
{
    if (held > 0 && flock(held - 1, LOCK_EX | LOCK_NB) == 0)
        rmdir(path); /* fails if it is not empty */
    leftovers_release(held);
}

/* Uses `rm` for a folder that is not empty: `rm` can descend to folders whose paths are too long. */
void leftovers_remove(const char *path)
{
    static char program[] = "rm", options[] = "-rf", end[] = "--";
    char copy[PATH_MAX], *const arguments[] = {program, options, end, copy, NULL};
    pid_t pid;
    if (!*path || rmdir(path) == 0)
        return;
    snprintf(copy, sizeof copy, "%s", path);
    if (posix_spawnp(&pid, program, NULL, NULL, arguments, environ) == 0)
        TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0));
}

static bool has_form(const char *name, const char *prefix, int length)
{
    size_t before = strlen(prefix);
    if (strncmp(name, prefix, before) != 0 || strlen(name) != before + (size_t)length)
        return false;
    for (const char *c = name + before; *c; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    return true;
}

void leftovers_clean(const char *folder, const char *prefix, int length, long age_s)
{
    DIR *dir = opendir(folder);
    char path[PATH_MAX];
    struct stat status;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (!has_form(entry->d_name, prefix, length) ||
            (size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= sizeof path ||
            lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
            status.st_mtime > time(NULL) - age_s)
            continue;
        int held = leftovers_hold(path, false);
        if (held > 0)
            leftovers_remove(path);
        leftovers_release(held);
    }
    if (dir)
        closedir(dir);
}
