/* kept.h: the specs and the plan that the build keeps, for tests that need all operators or cases but do not test how
 * they are loaded or planned. */
#ifndef TEST_KEPT_H
#define TEST_KEPT_H

#include "harness/load/image.h"
#include "harness/load/load.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the path of a file in the folder above the test's, the build folder. */
static inline void kept_path(const char *name, char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *slash = NULL;
    path[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 2 && (slash = strrchr(path, '/')); up++)
        *slash = '\0';
    length = (ssize_t)strlen(path);
    snprintf(path + length, PATH_MAX - (size_t)length, "/%s", name);
}

/* Returns the `cache` of a plan_filter: build/plan beside build/test/. */
static inline const char *kept_plan(void)
{
    static char path[PATH_MAX];
    kept_path("plan", path);
    return path;
}

/* Reads the specs, without a script, in a moment; loading them takes a second or two. Returns as spec_set_load(), which
 * it calls if the build keeps none: a test alone may have been built. */
static inline int kept_specs(struct spec_set *set, struct error *error)
{
    char path[PATH_MAX];
    kept_path("compiled-specs", path);
    return spec_image_read(set, "specs", path) ? 0 : spec_set_load(set, "specs", error);
}

#endif
