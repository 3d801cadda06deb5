#include "harness/base/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 2 * PATH_MAX };

/* The folder of a group, below the folder where its hierarchy is mounted. */
struct group {
    char path[PATH_MAX];
    size_t mount; /* the length of the part that is the mount point; 0: there is no group */
    bool unified; /* version 2 */
};

/* Returns true if a list such as "cpu,cpuacct" has the word. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && strchr(",\n", at[length])) /* strchr() finds the final zero, too */
            return true;
    return false;
}

/* Finds the line of a controller in /proc/self/cgroup: "4:memory:/path" in version 1, "0::/path" in version 2. */
static bool read_path(const char *root, const char *controller, char path[PATH_MAX], bool *unified)
{
    char line[LINE], name[PATH_MAX];
    bool found = false;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *rest = line;
        const char *number = strsep(&rest, ":"), *controllers = strsep(&rest, ":");
        if (!rest)
            continue;
        bool second = strcmp(number, "0") == 0 && *controllers == '\0';
        if (!lists(controllers, controller) && (!second || found)) /* a controller is in one of the versions */
            continue;
        found = true;
        *unified = second;
        snprintf(path, PATH_MAX, "%.*s", (int)strcspn(rest, "\n"), rest);
    }
    if (file)
        fclose(file);
    return found;
}

/* Reads a line of /proc/self/mountinfo. Returns true if the hierarchy of the group is mounted there. `top` is the path
 * of the group that is seen at the mount point, `place`. */
static bool is_mount(char *line, const char *controller, bool unified, const char **top, const char **place)
{
    char *type = strstr(line, " - "), *save = NULL;
    if (!type)
        return false;
    *type = '\0';
    char *kind = strtok_r(type + 3, " ", &save);
    strtok_r(NULL, " ", &save); /* the source */
    const char *options = strtok_r(NULL, " ", &save);
    if (!kind || strcmp(kind, unified ? "cgroup2" : "cgroup") != 0 ||
        (!unified && !(options && lists(options, controller))))
        return false;
    for (int i = 0; i < 3; i++)
        strtok_r(i ? NULL : line, " ", &save);
    *top = strtok_r(NULL, " ", &save);
    *place = strtok_r(NULL, " ", &save);
    return *place != NULL;
}

static struct group find_group(const char *root, const char *controller)
{
    struct group group = {.mount = 0};
    char line[LINE], name[PATH_MAX], path[PATH_MAX];
    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *file = read_path(root, controller, path, &group.unified) ? fopen(name, "r") : NULL;
    while (file && group.mount == 0 && fgets(line, sizeof line, file)) {
        const char *top, *place;
        if (!is_mount(line, controller, group.unified, &top, &place))
            continue;
        const size_t seen = strcmp(top, "/") == 0 ? 0 : strlen(top);
        const char *below = strncmp(path, top, seen) == 0 ? path + seen : "";
        int length = snprintf(group.path, sizeof group.path, "%s%s", root, place);
        snprintf(group.path + length, sizeof group.path - (size_t)length, "%s", below);
        group.mount = (size_t)length;
        if (access(group.path, F_OK) != 0) /* the path is the one outside of a container */
            group.path[length] = '\0';
    }
    if (file)
        fclose(file);
    return group;
}

/* Goes on to the group above. Returns false if this process sees none. */
static bool go_up(struct group *group)
{
    char *slash = strrchr(group->path + group->mount, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

/* Reads a file of a group: the number that follows `key` at the start of a line ("": the number that the file begins
 * with). Returns `otherwise` if there is none, as for "max". */
static uint64_t read_number(const struct group *group, const char *file_name, const char *key, uint64_t otherwise)
{
    char line[256], name[PATH_MAX + 64];
    uint64_t number = otherwise;
    const size_t length = strlen(key);
    snprintf(name, sizeof name, "%s/%s", group->path, file_name);
    FILE *file = fopen(name, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, length) == 0 && (length == 0 || line[length] == ' ')) {
            const char *digits = line + length + (length > 0);
            if (*digits >= '0' && *digits <= '9')
                number = strtoull(digits, NULL, 10);
            break;
        }
    if (file)
        fclose(file);
    return number;
}

static void read_memory(struct group *group, struct cgroup *limits)
{
    const bool unified = group->unified;
    limits->kills = read_number(group, unified ? "memory.events" : "memory.oom_control", "oom_kill", 0);
    do {
        uint64_t most = read_number(group, unified ? "memory.max" : "memory.limit_in_bytes", "", UINT64_MAX);
        if (most >= (uint64_t)1 << 60) /* version 1 writes no limit as the largest number of pages */
            continue;
        uint64_t used = read_number(group, unified ? "memory.current" : "memory.usage_in_bytes", "", 0);
        uint64_t caches = read_number(group, "memory.stat", unified ? "inactive_file" : "total_inactive_file", 0);
        used -= caches < used ? caches : used;
        uint64_t left = used < most ? most - used : 0;
        limits->memory = most < limits->memory ? most : limits->memory;
        limits->left = left < limits->left ? left : limits->left;
    } while (go_up(group));
}

/* Reads the microseconds of processor time that a group may use in a period. Returns false if there is no limit. */
static bool read_quota(const struct group *group, uint64_t *quota, uint64_t *period)
{
    char name[PATH_MAX + 64];
    unsigned long long parts[2] = {0, 0};
    *quota = read_number(group, "cpu.cfs_quota_us", "", 0); /* -1: no limit */
    *period = read_number(group, "cpu.cfs_period_us", "", 0);
    snprintf(name, sizeof name, "%s/cpu.max", group->path);
    FILE *file = group->unified ? fopen(name, "r") : NULL;
    if (file && fscanf(file, "%llu %llu", &parts[0], &parts[1]) == 2) { /* "max 100000": no limit */
        *quota = parts[0];
        *period = parts[1];
    }
    if (file)
        fclose(file);
    return *quota > 0 && *period > 0;
}

static void read_processors(struct group *group, struct cgroup *limits)
{
    uint64_t quota, period;
    do
        if (read_quota(group, &quota, &period)) {
            uint64_t count = (quota + period - 1) / period;
            limits->processors = count < limits->processors ? (unsigned)count : limits->processors;
        }
    while (go_up(group));
}

struct cgroup cgroup_read(const char *root)
{
    struct cgroup limits = {UINT64_MAX, UINT64_MAX, 0, UINT_MAX};
    struct group memory = find_group(root, "memory"), processors = find_group(root, "cpu");
    if (memory.mount > 0)
        read_memory(&memory, &limits);
    if (processors.mount > 0)
        read_processors(&processors, &limits);
    return limits;
}
