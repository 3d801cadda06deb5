#include "tools/fuzz/folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[256];
static pid_t maker;

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static void remove_all(void)
{
    if (getpid() == maker) /* not in a fuzzer's child */
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void folder_make(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/assay-fuzz-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        abort();
    maker = getpid();
    atexit(remove_all);
}

const char *folder_path(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s%s%s", folder, *name ? "/" : "", name);
    return path;
}

const char *folder_write(const char *name, const uint8_t *data, size_t size)
{
    const char *path = folder_path(name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
    return path;
}
