#include "harness/cli/adapters.h"

#include "harness/base/input.h"
#include "harness/base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 1 << 20 };

const char *const adapters_languages[] = {"python", "node", "c++", NULL};

/* The adapters, in the same order. */
static const struct adapter adapters[] = {
    {"bridge:", "adapter.py", NULL, {"adapter.py", "../bridge/assay_peer.py"}},
    {"bridge:", "adapter.js", NULL, {"adapter.js", "../bridge/assay_peer.js"}},
    {"", "adapter.so", "c++ -shared -fPIC -fvisibility=hidden", {"adapter.cpp", "../device.h", "../dml.h"}},
};

const struct adapter *adapters_find(const char *language)
{
    size_t which = 0;
    while (strcmp(adapters_languages[which], language) != 0)
        which++;
    return &adapters[which];
}

const char *adapters_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static int adapter_path(char path[PATHS_SIZE], const char *folder, const char *file, struct error *error)
{
    return snprintf(path, PATHS_SIZE, "%s/%s", folder, adapters_name(file)) < PATHS_SIZE
               ? 0
               : error_set(error, EXIT_USAGE, "the path of the folder is too long");
}

/* Makes the folder if it is missing. EXIT_USAGE if it has a file that the adapter has, too. */
static int prepare_folder(const struct adapter *adapter, const char *folder, struct error *error)
{
    struct stat status;
    char path[PATHS_SIZE];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, EXIT_HARNESS, "%s: %m", folder);
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return error_set(error, EXIT_HARNESS, "%s: %m", folder);
    }
    for (size_t i = 0; i < ADAPTERS_FILES && adapter->files[i]; i++) {
        int result = adapter_path(path, folder, adapter->files[i], error);
        if (result)
            return result;
        if (lstat(path, &status) == 0)
            return error_set(error, EXIT_USAGE, "%s exists; expected a folder without it", path);
    }
    return 0;
}

static int write_file(const char *path, mode_t mode, const char *text, size_t size, struct error *error)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    bool good = out && fwrite(text, 1, size, out) == size;
    good = out && fclose(out) == 0 && good;
    if (good)
        return 0;
    error_set(error, EXIT_HARNESS, "%s: %m", path);
    if (file >= 0)
        unlink(path);
    return EXIT_HARNESS;
}

static int copy_file(const char *from, const char *to, struct error *error)
{
    struct stat status;
    uint64_t size = 0;
    char *text = input_file(from, "a file of the kit for adapters", FILE_BYTES, &size, error);
    if (!text)
        return (int)error->status;
    int result = stat(from, &status) == 0 ? write_file(to, status.st_mode & 0777, text, size, error)
                                          : error_set(error, EXIT_HARNESS, "%s: %m", from);
    free(text);
    return result;
}

int adapters_write(const struct adapter *adapter, const char *folder, struct error *error)
{
    char kit[PATHS_SIZE], from[2 * PATHS_SIZE], to[PATHS_SIZE];
    if (paths_folder("device/template", NULL, kit, error) != 0)
        return error_set(error, EXIT_HARNESS, "the files of adapters are neither beside the program nor installed");
    int result = prepare_folder(adapter, folder, error);
    for (size_t i = 0; i < ADAPTERS_FILES && adapter->files[i] && result == 0; i++) {
        snprintf(from, sizeof from, "%s/%s", kit, adapter->files[i]);
        result = adapter_path(to, folder, adapter->files[i], error);
        if (result == 0)
            result = copy_file(from, to, error);
    }
    return result;
}
