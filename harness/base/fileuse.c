#include "harness/base/fileuse.h"

#include "harness/base/paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

struct fileuse_item {
    enum fileuse_kind kind;
    const char *what, *path; /* the path as given */
    const char *place;       /* absolute path without links; the file need not exist */
    struct stat status;
    bool exists;
};

/* ---- the place of a file */

/* Returns the absolute path of a file that does not exist: the real path of its folder, and its name. Null: the folder
 * does not exist either. */
static char *place_in_folder(struct pool *pool, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? pool_format(pool, "%.*s/", (int)(slash - path), path) : pool_string(pool, ".");
    char *real = realpath(folder, NULL);
    const char *name = slash ? slash + 1 : path;
    char *place = NULL;
    if (real)
        place = pool_format(pool, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
    free(real);
    return place;
}

/* Follows links to a file that may not exist; realpath() needs one that does. */
static const char *fileuse_place_of(struct pool *pool, const char *path)
{
    char *real = realpath(path, NULL), target[PATH_MAX];
    const char *place = real ? pool_string(pool, real) : NULL;
    free(real);
    for (int i = 0; !place && i < LINKS_MAX; i++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            place = place_in_folder(pool, path);
        if (length < 0 && !place)
            return path;
        target[length < 0 ? 0 : length] = '\0';
        const char *slash = strrchr(path, '/');
        bool relative = *target != '/' && slash;
        path = pool_format(pool, "%.*s%s", relative ? (int)(slash + 1 - path) : 0, path, target);
    }
    return place ? place : path;
}

/* ---- the list */

void fileuse_add(struct fileuse *files, enum fileuse_kind kind, const char *what, const char *path)
{
    if (!path || !*path)
        return;
    if (files->count == files->capacity) {
        struct fileuse_item *old = files->items;
        files->capacity = files->capacity ? 2 * files->capacity : 16;
        files->items = pool_alloc(&files->pool, files->capacity * sizeof *files->items);
        if (old)
            memcpy(files->items, old, files->count * sizeof *old);
    }
    struct fileuse_item *item = &files->items[files->count++];
    *item = (struct fileuse_item){.kind = kind,
                                  .what = pool_string(&files->pool, what),
                                  .path = pool_string(&files->pool, path),
                                  .place = fileuse_place_of(&files->pool, path)};
    item->exists = stat(path, &item->status) == 0;
}

void fileuse_add_device(struct fileuse *files, const char *device)
{
    char path[PATHS_SIZE], what[PATHS_SIZE + 32];
    size_t length = strcspn(device, ":");
    struct error none = {0};
    snprintf(what, sizeof what, "device '%s'", device);
    char *words = pool_string(&files->pool, device + length),
         *name = pool_format(&files->pool, "%.*s", (int)length, device);
    if (paths_device(name, path, &none) == 0) {
        fileuse_add(files, FILEUSE_INPUT, what, path);
        length = strlen(path);
        if (length > 3 && strcmp(path + length - 3, ".so") == 0)
            fileuse_add(files, FILEUSE_INPUT, what, pool_format(&files->pool, "%.*s.expected", (int)length - 3, path));
    }
    words += *words == ':';
    for (char *word; (word = strsep(&words, ",")) != NULL;) {
        const char *value = strchr(word, '=');
        fileuse_add(files, FILEUSE_INPUT, what, value ? value + 1 : word);
    }
}

void fileuse_add_plan(struct fileuse *files, const char *specs, const struct word_list *cases)
{
    char path[PATHS_SIZE];
    struct error none = {0};
    if (paths_folder("specs", specs, path, &none) == 0)
        fileuse_add(files, FILEUSE_INPUT, "--specs", path);
    for (size_t i = 0; i == 0 || (cases && i < cases->count); i++) { /* without any, the usual folder is added */
        none = (struct error){0};
        if (paths_cases(cases && cases->count ? cases->items[i] : NULL, path, &none) == 0)
            fileuse_add(files, FILEUSE_INPUT, "--cases", path);
    }
}

/* ---- the check */

static bool fileuse_is_written(const struct fileuse_item *item)
{
    return item->kind == FILEUSE_OUTPUT || item->kind == FILEUSE_STORE;
}

static bool is_database(const struct fileuse_item *item)
{
    return item->kind == FILEUSE_SOURCE || item->kind == FILEUSE_STORE;
}

static bool fileuse_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns true if `path` is a file that SQLite keeps beside the database. */
static bool is_beside(const struct fileuse_item *database, const char *path)
{
    size_t length = strlen(database->place);
    const char *rest = path + length;
    return is_database(database) && strncmp(path, database->place, length) == 0 &&
           (strcmp(rest, "-wal") == 0 || strcmp(rest, "-shm") == 0 || strcmp(rest, "-journal") == 0);
}

static bool is_in_folder(const struct fileuse_item *file, const struct fileuse_item *folder)
{
    struct stat status;
    bool found = false;
    DIR *dir = file->exists ? opendir(folder->path) : NULL;
    for (struct dirent *entry; dir && !found && (entry = readdir(dir));)
        found = fstatat(dirfd(dir), entry->d_name, &status, 0) == 0 && fileuse_same_file(&status, &file->status);
    if (dir)
        closedir(dir);
    return found;
}

/* Returns true if writing `file` would overwrite a part of `other`. */
static bool overwrites(const struct fileuse_item *file, const struct fileuse_item *other)
{
    if (other->exists && S_ISDIR(other->status.st_mode))
        return is_in_folder(file, other);
    if (file->exists && other->exists)
        return fileuse_same_file(&file->status, &other->status) || is_beside(other, file->place) ||
               is_beside(file, other->place);
    return strcmp(file->place, other->place) == 0 || is_beside(other, file->place) || is_beside(file, other->place);
}

static int check_one(const struct fileuse *files, size_t index, struct error *error)
{
    const struct fileuse_item *file = &files->items[index];
    if (!fileuse_is_written(file) || (file->exists && !S_ISREG(file->status.st_mode)))
        return 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct fileuse_item *other = &files->items[i];
        if (i == index || (i > index && fileuse_is_written(other)) || !overwrites(file, other))
            continue;
        if (fileuse_is_written(other) && strcmp(file->path, other->path) == 0 && file->kind == other->kind)
            return error_set(error, EXIT_USAGE, "%s and %s: '%s' is named twice", other->what, file->what, file->path);
        return error_set(error, EXIT_USAGE, "%s: '%s' is also %s, %s; expected a file that is not used otherwise",
                         file->what, file->path, other->what, other->path);
    }
    return 0;
}

/* No output may replace a file that the shell opened as standard output either. */
static int check_standard_output(const struct fileuse *files, struct error *error)
{
    struct stat status;
    if (fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    for (size_t i = 0; i < files->count; i++) {
        const struct fileuse_item *file = &files->items[i];
        if (fileuse_is_written(file) && file->exists && fileuse_same_file(&file->status, &status))
            return error_set(error, EXIT_USAGE,
                             "%s: '%s' is also standard output; expected a file that is not used otherwise", file->what,
                             file->path);
    }
    return 0;
}

int fileuse_check(struct fileuse *files, struct error *error)
{
    int result = check_standard_output(files, error);
    for (size_t i = 0; i < files->count && result == 0; i++)
        result = check_one(files, i, error);
    pool_clear(&files->pool);
    *files = (struct fileuse){0};
    return result;
}
