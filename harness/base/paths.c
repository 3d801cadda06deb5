#include "harness/base/paths.h"

#include "harness/base/words.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders relative to that of the program: for build/assay, build/VARIANT/assay, PREFIX/bin/assay, the
 * test programs build/VARIANT/test/NAME and PREFIX/lib/assay/assay-device. */
static const char *const data_places[] = {"..", "../..", "../share/assay", "../../..", "../../share/assay"};
static const char *const device_places[] = {"devices", "../lib/assay/devices"};

static void program_folder(char folder[PATHS_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATHS_SIZE - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        strcpy(folder, ".");
}

static bool has_proc(void)
{
    return access("/proc/self/exe", F_OK) == 0;
}

static int no_proc(struct error *error)
{
    return error_set(error, EXIT_HARNESS,
                     "/proc is not mounted: by /proc/self/exe, assay finds its files and starts its workers");
}

static bool paths_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool paths_join(char path[PATHS_SIZE], const char *folder, const char *place, const char *name)
{
    return (size_t)snprintf(path, PATHS_SIZE, "%s/%s%s%s", folder, place, *name ? "/" : "", name) < PATHS_SIZE;
}

int paths_folder(const char *name, const char *given, char path[PATHS_SIZE], struct error *error)
{
    char folder[PATHS_SIZE];
    if (given) {
        snprintf(path, PATHS_SIZE, "%s", given);
        if (access(path, F_OK) != 0)
            return error_set(error, EXIT_USAGE, "--%s: '%s': %m", name, given);
        return paths_is_folder(path) ? 0 : error_set(error, EXIT_USAGE, "--%s: '%s' is not a folder", name, given);
    }
    program_folder(folder);
    for (size_t i = 0; i < sizeof data_places / sizeof *data_places; i++) {
        if (!paths_join(path, folder, data_places[i], name) || !paths_is_folder(path))
            continue;
        char *real = realpath(path, NULL), *here = getcwd(NULL, 0);
        size_t length = here ? strlen(here) : 0;
        if (real && here && strncmp(real, here, length) == 0 && real[length] == '/')
            snprintf(path, PATHS_SIZE, "%s", real + length + 1); /* a relative path keeps messages short */
        else if (real)
            snprintf(path, PATHS_SIZE, "%s", real);
        free(real);
        free(here);
        return 0;
    }
    if (!has_proc())
        return no_proc(error);
    return error_set(error, EXIT_HARNESS,
                     "the folder '%s' is neither beside the program nor installed; --%s DIR names it", name, name);
}

int paths_cases(const char *given, char path[PATHS_SIZE], struct error *error)
{
    struct stat status;
    if (!given || stat(given, &status) != 0 || !S_ISREG(status.st_mode))
        return paths_folder("cases", given, path, error);
    size_t length = (size_t)snprintf(path, PATHS_SIZE, "%s", given);
    if (length < 6 || (strcmp(given + length - 5, ".json") != 0 && strcmp(given + length - 4, ".lua") != 0))
        return error_set(error, EXIT_USAGE, "--cases: '%s': expected a folder, or a file NAME.lua or NAME.json", given);
    return 0;
}

void paths_host(char path[PATHS_SIZE])
{
    char folder[PATHS_SIZE];
    static const char *const places[] = {"assay-device", "../lib/assay/assay-device"};
    program_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (paths_join(path, folder, places[i], "") && access(path, X_OK) == 0)
            return;
}

void paths_built(const char *name, char path[PATHS_SIZE])
{
    char folder[PATHS_SIZE];
    static const char *const places[] = {"", "../share/assay/"};
    program_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char place[64];
        snprintf(place, sizeof place, "%s%s", places[i], name);
        if (paths_join(path, folder, place, "") && access(path, F_OK) == 0)
            return;
    }
    *path = '\0';
}

static int paths_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int paths_devices(const char *names[], int max)
{
    static char text[64][64];
    char folder[PATHS_SIZE], path[PATHS_SIZE];
    int count = 0;
    DIR *dir = NULL;
    program_folder(folder);
    for (size_t i = 0; i < sizeof device_places / sizeof *device_places && !dir; i++)
        dir = paths_join(path, folder, device_places[i], "") ? opendir(path) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < max && count < 63;) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || length > 60 || strcmp(entry->d_name + length - 3, ".so") != 0)
            continue;
        snprintf(text[count], sizeof text[count], "%.*s", (int)length - 3, entry->d_name);
        names[count] = text[count];
        count++;
    }
    if (dir)
        closedir(dir);
    if (count < max)
        names[count++] = "meaning";
    qsort(names, (size_t)count, sizeof *names, paths_by_name);
    return count;
}

static int no_such_device(const char *name, struct error *error)
{
    const char *names[64];
    char all[512] = "";
    int count = paths_devices(names, 64);
    for (int i = 0; i < count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", names[i]);
    const char *near = words_nearest(name, names, (size_t)count);
    return error_set(error, EXIT_NO_DEVICE, "no device is named '%s'%s%s%s; shipped: %s; or give the path of a plugin",
                     name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "", all);
}

int paths_device(const char *name, char path[PATHS_SIZE], struct error *error)
{
    char folder[PATHS_SIZE], file[PATHS_SIZE];
    size_t length = strlen(name);
    if (!has_proc())
        return no_proc(error);
    if (strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0)) {
        /* dlopen() would search the folders of the system for a bare file name. */
        snprintf(path, PATHS_SIZE, "%s%s", strchr(name, '/') ? "" : "./", name);
        if (access(path, F_OK) != 0)
            return error_set(error, EXIT_NO_DEVICE, "device '%s': no such file", name);
        return 0;
    }
    if (strcmp(name, "meaning") == 0 || strcmp(name, "recorded") == 0) { /* these devices are part of the program */
        strcpy(path, name);
        return 0;
    }
    program_folder(folder);
    snprintf(file, sizeof file, "%s.so", name);
    for (size_t i = 0; i < sizeof device_places / sizeof *device_places; i++)
        if (paths_join(path, folder, device_places[i], file) && access(path, F_OK) == 0)
            return 0;
    return no_such_device(name, error);
}
