/* spec_folder.h: a folder of specs for tests: the catalogue, the rules of every tensor, and files of the test's own. */
#ifndef SPEC_FOLDER_H
#define SPEC_FOLDER_H

#include "harness/load/load.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct spec_folder {
    char path[64];
};

static inline void folder_name(const struct spec_folder *folder, const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder->path, name);
}

/* Makes a link in the folder to a file of the project. */
static inline void spec_folder_link(const struct spec_folder *folder, const char *from, const char *name)
{
    char source[PATH_MAX], absolute[PATH_MAX], path[PATH_MAX];
    snprintf(source, sizeof source, "%s/%s", from, name);
    folder_name(folder, name, path);
    if (!realpath(source, absolute) || symlink(absolute, path) != 0)
        exit(3);
}

static inline void spec_folder_write(const struct spec_folder *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    folder_name(folder, name, path);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        exit(3);
}

/* Removes a file or a link, so that a test can write one of its own. */
static inline void spec_folder_remove_one(const struct spec_folder *folder, const char *name)
{
    char path[PATH_MAX];
    folder_name(folder, name, path);
    unlink(path);
}

static inline void spec_folder_make(struct spec_folder *folder)
{
    snprintf(folder->path, sizeof folder->path, "/tmp/assay-specs-XXXXXX");
    if (!mkdtemp(folder->path))
        exit(3);
    spec_folder_link(folder, "specs", "catalogue.lua");
    spec_folder_link(folder, "specs", "tensor.lua");
}

static inline void spec_folder_remove(const struct spec_folder *folder)
{
    char path[PATH_MAX];
    DIR *all = opendir(folder->path);
    for (const struct dirent *entry = all ? readdir(all) : NULL; entry; entry = readdir(all)) {
        folder_name(folder, entry->d_name, path);
        unlink(path);
    }
    if (all)
        closedir(all);
    rmdir(folder->path);
}

#endif
