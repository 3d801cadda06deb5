/* kept_plan.h: the plan that the build keeps, for tests that need all cases but do not test how they are planned. */
#ifndef TEST_KEPT_PLAN_H
#define TEST_KEPT_PLAN_H

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the `cache` of a plan_filter: build/plan beside build/test/. Null: the program's own path is not known. */
static inline const char *kept_plan(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "/plan");
    char *slash;
    for (int up = 0; up < 2; up++) {
        path[length > 0 ? length : 0] = '\0';
        if (!(slash = strrchr(path, '/')))
            return NULL;
        length = slash - path;
    }
    strcpy(path + length, "/plan");
    return path;
}

#endif
