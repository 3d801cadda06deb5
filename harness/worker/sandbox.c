/* sandbox.c: the permissions of processes, and the report of denials. */
#include "harness/worker/sandbox_internal.h"

#include "harness/base/cgroup.h"
#include "harness/base/text.h"

#include <glob.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Files through which drivers talk to the kernel: a process may write those that it may open. */
static const char *const devices[] = {"/dev/null",  "/dev/zero",    "/dev/full",    "/dev/random",  "/dev/urandom",
                                      "/dev/dri",   "/dev/kfd",     "/dev/dxg",     "/dev/nvidia*", "/dev/accel",
                                      "/dev/mali*", "/dev/udmabuf", "/dev/dma_heap"};

/* ---- permissions */

static void add_root(struct sandbox *sandbox, const char *path)
{
    char *real = sandbox->root_count < ROOTS_MAX ? realpath(path, NULL) : NULL;
    if (real)
        sandbox->roots[sandbox->root_count++] = real;
}

bool sandbox_is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/' || strcmp(folder, "/") == 0);
}

bool sandbox_may_write(const struct sandbox *sandbox, const char *path)
{
    for (int i = 0; i < sandbox->root_count; i++)
        if (sandbox_is_below(path, sandbox->roots[i]))
            return true;
    return false;
}

static void add_devices(struct sandbox *sandbox)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        glob_t found;
        if (glob(devices[i], 0, NULL, &found) == 0)
            for (size_t j = 0; j < found.gl_pathc; j++)
                add_root(sandbox, found.gl_pathv[j]);
        globfree(&found);
    }
}

/* Returns the default limit: none under address sanitizer, which reserves terabytes. */
static uint64_t default_memory(void)
{
#if defined(ASSAY_SANITIZED)
    return 0;
#else
    const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t allowed = cgroup_read("").memory;
    return (machine < allowed ? machine : allowed) / 8 * 7;
#endif
}

static int allow_memory(struct sandbox *sandbox, const char *text, struct error *error)
{
    enum { MIB_MAX = 16777216 };
    char *end;
    unsigned long long mib = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || mib > MIB_MAX)
        return error_set(error, EXIT_USAGE, "--allow memory=MIB: expected a whole number up to %d, got \"%s\"", MIB_MAX,
                         text);
    sandbox->memory = mib << 20;
    return 0;
}

static int allow_path(struct sandbox *sandbox, const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, EXIT_USAGE, "--allow write=PATH: \"%s\": %m", path);
    if (sandbox->root_count == ROOTS_MAX)
        return error_set(error, EXIT_USAGE, "--allow write=PATH: more than %d paths may be written", ROOTS_MAX);
    add_root(sandbox, path);
    return 0;
}

const char *const sandbox_permissions[] = {"write=PATH", "read=PATH", "network", "memory=MIB", "all", NULL};

static int sandbox_refuse(const char *text, struct error *error)
{
    char known[WORDS_TEXT];
    words_text(sandbox_permissions, sizeof sandbox_permissions / sizeof *sandbox_permissions - 1, known, sizeof known);
    return error_set(error, EXIT_USAGE, "--allow: expected %s, got \"%s\"", known, text);
}

static int allow(struct sandbox *sandbox, const char *text, struct error *error)
{
    if (strcmp(text, "network") == 0)
        sandbox->network = true;
    else if (strcmp(text, "all") == 0)
        sandbox->all = true;
    else if (strncmp(text, "memory=", 7) == 0)
        return allow_memory(sandbox, text + 7, error);
    else if (strncmp(text, "read=", 5) == 0)
        return access(text + 5, F_OK) == 0 ? 0 /* the option is for case files: devices may read everything */
                                           : error_set(error, EXIT_USAGE, "--allow read=PATH: \"%s\": %m", text + 5);
    else if (strncmp(text, "write=", 6) == 0)
        return allow_path(sandbox, text + 6, error);
    else
        return sandbox_refuse(text, error);
    return 0;
}

void sandbox_user_cache(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache)
        snprintf(path, PATH_MAX, "%s", cache);
    else
        snprintf(path, PATH_MAX, "%s/.cache", home ? home : "");
}

/* Returns true if --allow lets processes write to the user's cache folder. */
static bool allows_caches(const struct sandbox *sandbox)
{
    char path[PATH_MAX];
    sandbox_user_cache(path);
    char *real = realpath(path, NULL);
    bool allowed = real && sandbox_may_write(sandbox, real);
    free(real);
    return allowed;
}

/* Finds out which restrictions the kernel supports. */
static void probe_kernel(struct sandbox *sandbox)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    sandbox->landlock = abi > 0 ? (int)abi : 0;
    sandbox_filters_make(sandbox);
    const char *files = "";
    if (!sandbox->landlock)
        files = sandbox->asking.len > 0 ? "files may be written by a race: the kernel has no Landlock"
                                        : "files may be written: the kernel has no Landlock";
    const char *sockets = sandbox->refusing.len || sandbox->asking.len || sandbox->network
                              ? ""
                              : "sockets may be opened: the kernel takes no seccomp filter";
    snprintf(sandbox->missing, sizeof sandbox->missing, "%s%s%s", files, *files && *sockets ? "; " : "", sockets);
}

int sandbox_new(const struct word_list *allowed, struct sandbox **out, struct error *error)
{
    struct sandbox *sandbox = calloc(1, sizeof *sandbox);
    int result = 0;
    *out = NULL;
    if (!sandbox)
        return error_set(error, EXIT_HARNESS, "out of memory");
    pthread_mutex_init(&sandbox->lock, NULL);
    sandbox->memory = default_memory();
#ifdef SANDBOX_COVERAGE /* the folder for the coverage data that the program writes when it exits */
    add_root(sandbox, SANDBOX_COVERAGE);
#endif
    for (size_t i = 0; i < allowed->count && result == 0; i++)
        result = allow(sandbox, allowed->items[i], error);
    if (result) {
        sandbox_free(sandbox);
        return result;
    }
    sandbox->caches = allows_caches(sandbox);
    add_devices(sandbox);
    if (!sandbox->all)
        probe_kernel(sandbox);
    *out = sandbox;
    return 0;
}

void sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    for (int i = 0; i < sandbox->root_count; i++)
        free(sandbox->roots[i]);
    for (int i = 0; i < sandbox->denial_count; i++)
        free(sandbox->denials[i].allow);
    free(sandbox->refusing.filter);
    free(sandbox->asking.filter);
    pthread_mutex_destroy(&sandbox->lock);
    free(sandbox);
}

const char *sandbox_missing(const struct sandbox *sandbox)
{
    return sandbox->missing;
}

void sandbox_describe(const struct sandbox *sandbox, char *text, size_t size)
{
    char memory[64] = "any memory";
    if (sandbox->memory)
        snprintf(memory, sizeof memory, "%llu MiB of memory", (unsigned long long)(sandbox->memory >> 20));
    if (sandbox->all)
        snprintf(text, size, "none");
    else if (*sandbox->missing)
        snprintf(text, size, "%s; %s", sandbox->missing, memory);
    else
        snprintf(text, size, "writes only where allowed, %s, %s (Landlock %d, seccomp)",
                 sandbox->network ? "sockets" : "no sockets", memory, sandbox->landlock);
}

void sandbox_report(struct sandbox *sandbox, const char *device)
{
    pthread_mutex_lock(&sandbox->lock);
    for (int i = 0; i < sandbox->denial_count; i++) {
        fprintf(stderr, "assay: device '");
        text_print(stderr, device);
        fprintf(stderr, "' %s, which was denied; ", sandbox->denials[i].text);
        text_print(stderr, sandbox->denials[i].allow ? sandbox->denials[i].allow : "--allow");
        fprintf(stderr, " permits it\n");
        free(sandbox->denials[i].allow);
    }
    if (sandbox->denial_count == DENIALS_MAX)
        fprintf(stderr, "assay: more may have been denied\n");
    if (sandbox->unwatched && !sandbox->unwatched_reported)
        fprintf(stderr, "assay: denials are not reported: seccomp already has another listener%s\n",
                sandbox->landlock ? "" : "; files may be written");
    sandbox->unwatched_reported = sandbox->unwatched;
    sandbox->denial_count = 0;
    pthread_mutex_unlock(&sandbox->lock);
}
