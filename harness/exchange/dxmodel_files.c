/* The files that a DxDispatch model writes. The device's process must not write files: it fills a spool for each file,
 * and the parent process copies the spools. */
#include "harness/exchange/dxmodel.h"

#include "harness/base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int dxmodel_open_spools(struct dxmodel *model, struct error *error)
{
    for (int i = 0; i < model->command_count; i++) {
        struct dxmodel_command *c = &model->commands[i];
        if (c->kind == DXMODEL_WRITE && (c->spool = memfd_create("spool", MFD_CLOEXEC)) < 0)
            return error_set(error, EXIT_HARNESS, "writeFile: cannot create a memory file: %m");
    }
    return 0;
}

/* Opens the folder below `folder` that `path` is in, component by component, without following links. Takes over
 * `folder`, cuts up `path`, and sets `name` to its last component. */
static int open_folder(int folder, char *path, const char **name)
{
    char *slash;
    while (folder >= 0 && (slash = strchr(path, '/'))) {
        *slash = '\0';
        int next = openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0 && errno == ENOENT && mkdirat(folder, path, 0777) == 0)
            next = openat(folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int number = errno;
        close(folder);
        errno = number;
        folder = next;
        path = slash + 1 + strspn(slash + 1, "/");
    }
    *name = path;
    return folder;
}

static bool dxmodel_files_is_inside(const char *path)
{
    if (*path == '/' || !*path || strchr(path, '\\') || path[strlen(path) - 1] == '/')
        return false;
    for (const char *at = path; at; at = strchr(at, '/')) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if ((length == 2 && strncmp(at, "..", 2) == 0) || (length == 1 && *at == '.'))
            return false;
    }
    return true;
}

static int create_file(const char *folder, const char *path, struct error *error)
{
    char way[PATHS_SIZE];
    const char *name = path;
    if (!dxmodel_files_is_inside(path) || (size_t)snprintf(way, sizeof way, "%s", path) >= sizeof way) {
        error_set(error, EXIT_HARNESS, "writeFile: '%s': expected the name of a file below the folder of outputs, %s",
                  path, folder);
        return -1;
    }
    int at = open_folder(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), way, &name);
    int file =
        at >= 0 ? openat(at, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666) : -1;
    if (file < 0)
        error_set(error, EXIT_HARNESS, "writeFile: %s/%s: %s", folder, path,
                  errno == ELOOP ? "a link, which is not followed" : strerror(errno));
    if (at >= 0)
        close(at);
    return file;
}

static int dxmodel_files_copy(const struct dxmodel_command *c, const char *folder, off_t size, struct error *error)
{
    off_t done = 0;
    int file = create_file(folder, c->path, error);
    if (file < 0)
        return EXIT_HARNESS;
    while (done < size && sendfile(file, c->spool, &done, (size_t)(size - done)) > 0)
        ;
    bool good = done == size;
    int number = errno;
    good &= close(file) == 0;
    return good ? 0 : error_set(error, EXIT_HARNESS, "writeFile: %s/%s: %s", folder, c->path, strerror(number));
}

int dxmodel_write_files(const struct dxmodel *model, const char *folder, struct error *error)
{
    int result = 0;
    for (int i = 0; i < model->command_count; i++) {
        const struct dxmodel_command *c = &model->commands[i];
        struct stat spool;
        if (c->kind != DXMODEL_WRITE)
            continue;
        if (result == 0 && fstat(c->spool, &spool) == 0 && spool.st_size > 0) /* empty: the command was not reached */
            result = dxmodel_files_copy(c, folder, spool.st_size, error);
        close(c->spool);
    }
    return result;
}
