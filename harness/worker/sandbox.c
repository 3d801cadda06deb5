#include "harness/worker/sandbox_internal.h"

#include "harness/base/random.h"

#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What headers may be too old to have. */
#define ACCESS_TRUNCATE (1ULL << 14)
#define ACCESS_IOCTL_DEV (1ULL << 15)
#define ACCESS_BIND_CONNECT 3ULL
#define SCOPE_SIGNAL 2ULL

/* To a file: all that changes it. To a folder, what changes what is in it, too. */
#define ACCESS_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL_DEV)
#define ACCESS_FOLDER                                                                                                  \
    (ACCESS_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |     \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                        \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |                      \
     LANDLOCK_ACCESS_FS_REFER)

/* As the kernel has it; how much of it depends on the ABI. */
struct ruleset {
    uint64_t files, network, scoped;
};

/* Files that drivers talk to, and that take everything: whoever may open them may write them. */
static const char *const devices[] = {"/dev/null",  "/dev/zero",    "/dev/full",    "/dev/random",  "/dev/urandom",
                                      "/dev/dri",   "/dev/kfd",     "/dev/dxg",     "/dev/nvidia*", "/dev/accel",
                                      "/dev/mali*", "/dev/udmabuf", "/dev/dma_heap"};

/* ---- what is allowed */

static void add_root(struct sandbox *sandbox, const char *path)
{
    char *real = sandbox->root_count < ROOTS_MAX ? realpath(path, NULL) : NULL;
    if (real)
        sandbox->roots[sandbox->root_count++] = real;
}

static bool is_below(const char *path, const char *root)
{
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '\0' || path[length] == '/' || length == 1);
}

bool sandbox_may_write(const struct sandbox *sandbox, const char *path)
{
    for (int i = 0; i < sandbox->root_count; i++)
        if (is_below(path, sandbox->roots[i]))
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

/* Address sanitizer takes terabytes, untouched. */
static uint64_t usual_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
    return 0;
#else
    return (uint64_t)sysconf(_SC_PHYS_PAGES) / 8 * 7 * (uint64_t)sysconf(_SC_PAGESIZE);
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
        return error_set(error, EXIT_USAGE, "--allow write=PATH: so many paths (%d) are too many", ROOTS_MAX);
    add_root(sandbox, path);
    return 0;
}

static int allow(struct sandbox *sandbox, const char *text, struct error *error)
{
    if (strcmp(text, "network") == 0)
        sandbox->network = true;
    else if (strcmp(text, "all") == 0)
        sandbox->all = true;
    else if (strncmp(text, "memory=", 7) == 0)
        return allow_memory(sandbox, text + 7, error);
    else if (strncmp(text, "write=", 6) == 0)
        return allow_path(sandbox, text + 6, error);
    else
        return error_set(error, EXIT_USAGE, "--allow: expected write=PATH, network, memory=MIB or all, got \"%s\"",
                         text);
    return 0;
}

/* The user's folder for caches. */
static void usual_caches(char path[PATH_MAX])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    snprintf(path, PATH_MAX, "%s%s", cache ? cache : home ? home : "", cache ? "" : "/.cache");
}

/* Whether programs may write where they usually have their caches. */
static bool allows_caches(const struct sandbox *sandbox)
{
    char path[PATH_MAX];
    usual_caches(path);
    char *real = realpath(path, NULL);
    bool allowed = real && sandbox_may_write(sandbox, real);
    free(real);
    return allowed;
}

static void look_at_kernel(struct sandbox *sandbox)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    sandbox->landlock = abi > 0 ? (int)abi : 0;
    sandbox_filters_make(sandbox);
    const char *files = sandbox->landlock         ? ""
                        : sandbox->asking.len > 0 ? "files may be written by a trick: the kernel has no Landlock"
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
    sandbox->memory = usual_memory();
#ifdef SANDBOX_COVERAGE /* a folder for what the program itself writes when it ends */
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
        look_at_kernel(sandbox);
    *out = sandbox;
    return 0;
}

void sandbox_free(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    for (int i = 0; i < sandbox->root_count; i++)
        free(sandbox->roots[i]);
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
        snprintf(text, size, "writes where it may, %s, %s (Landlock %d, seccomp)",
                 sandbox->network ? "sockets" : "no sockets", memory, sandbox->landlock);
}

void sandbox_tell(struct sandbox *sandbox, const char *device)
{
    pthread_mutex_lock(&sandbox->lock);
    for (int i = 0; i < sandbox->denial_count; i++) {
        fprintf(stderr, "assay: device '");
        text_print(stderr, device);
        fprintf(stderr, "' %s, which was denied; --allow would let it\n", sandbox->denials[i]);
    }
    if (sandbox->denial_count == DENIALS_MAX)
        fprintf(stderr, "assay: and perhaps more that was denied\n");
    if (sandbox->untold && !sandbox->untold_said)
        fprintf(stderr, "assay: what devices are denied is not known: seccomp has another listener already%s\n",
                sandbox->landlock ? "" : "; files may be written");
    sandbox->untold_said = sandbox->untold;
    sandbox->denial_count = 0;
    pthread_mutex_unlock(&sandbox->lock);
}

/* ---- in the process */

static uint64_t known_access(const struct sandbox *sandbox, uint64_t access)
{
    return access & ~((sandbox->landlock < LANDLOCK_REFERS ? LANDLOCK_ACCESS_FS_REFER : 0) |
                      (sandbox->landlock < LANDLOCK_TRUNCATES ? ACCESS_TRUNCATE : 0) |
                      (sandbox->landlock < LANDLOCK_IOCTL ? ACCESS_IOCTL_DEV : 0));
}

static bool add_rule(const struct sandbox *sandbox, int ruleset, const char *path)
{
    struct stat status;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0)
        return file < 0; /* it has gone: nothing to be allowed */
    struct landlock_path_beneath_attr rule = {
        .parent_fd = file,
        .allowed_access = known_access(sandbox, S_ISDIR(status.st_mode) ? ACCESS_FOLDER : ACCESS_FILE)};
    bool good = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(file);
    return good;
}

static bool enter_landlock(const struct sandbox *sandbox, const struct sandbox_guest *guest)
{
    const struct ruleset rules = {known_access(sandbox, ACCESS_FOLDER), sandbox->network ? 0 : ACCESS_BIND_CONNECT,
                                  SCOPE_SIGNAL};
    size_t size = sandbox->landlock >= LANDLOCK_SCOPES    ? sizeof rules
                  : sandbox->landlock >= LANDLOCK_NETWORK ? offsetof(struct ruleset, scoped)
                                                          : offsetof(struct ruleset, network);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    bool good = ruleset >= 0 && (!*guest->scratch || add_rule(sandbox, ruleset, guest->scratch)) &&
                (!*guest->cache || add_rule(sandbox, ruleset, guest->cache));
    for (int i = 0; i < sandbox->root_count && good; i++)
        good = add_rule(sandbox, ruleset, sandbox->roots[i]);
    good = good && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    if (ruleset >= 0)
        close(ruleset);
    return good;
}

/* Of root's powers, reading and writing files is left, as far as Landlock allows it. */
static bool drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[2], none[2] = {{0}, {0}};
    const uint32_t kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
    if (syscall(SYS_capget, &header, now) != 0)
        return false;
    none[0].effective = none[0].permitted = now[0].permitted & kept;
    return syscall(SYS_capset, &header, none) == 0;
}

static void set_limits(const struct sandbox *sandbox)
{
    const struct rlimit memory = {sandbox->memory, sandbox->memory}, none = {0, 0};
    if (sandbox->memory && !sandbox->all) {
        setrlimit(RLIMIT_DATA, &memory);
        setrlimit(RLIMIT_FSIZE, &memory);
    }
    setrlimit(RLIMIT_CORE, &none);
}

/* Where programs put what they keep, unless that may stay where it usually is. */
static void set_environment(const struct sandbox *sandbox, const struct sandbox_guest *guest)
{
    static const char *const caches[] = {"XDG_CACHE_HOME", "PYTHONPYCACHEPREFIX", "CUDA_CACHE_PATH"};
    const char *cache = *guest->cache ? guest->cache : guest->scratch;
    if (*guest->scratch)
        setenv("TMPDIR", guest->scratch, 1);
    for (size_t i = 0; i < sizeof caches / sizeof *caches && *cache && !sandbox->all && !sandbox->caches; i++)
        setenv(caches[i], cache, 1);
}

/* One byte, and the descriptor if there is one. */
static void send_listener(int socket, int listener)
{
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (listener >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof listener);
        memcpy(CMSG_DATA(header), &listener, sizeof listener);
    }
    sendmsg(socket, &message, MSG_NOSIGNAL);
    if (listener >= 0)
        close(listener);
}

void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_guest *guest, int socket)
{
    int listener = -1;
    set_limits(sandbox);
    set_environment(sandbox, guest);
    if (!sandbox->all &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !drop_capabilities() ||
         (sandbox->landlock && !enter_landlock(sandbox, guest)) || !sandbox_filter_load(sandbox, &listener))) {
        fprintf(stderr, "the process cannot be restricted: %m\n"); /* then it is none */
        _exit(EXIT_HARNESS);
    }
    send_listener(socket, listener);
}

/* ---- in the parent */

/* Each device has a cache of its own: what it writes there no other reads. */
static void prepare_cache(const char *device, struct sandbox_guest *guest)
{
    char path[PATH_MAX + 32];
    usual_caches(path);
    if (*path != '/')
        return;
    mkdir(path, 0700);
    strcat(path, "/assay");
    mkdir(path, 0700);
    snprintf(path + strlen(path), 24, "/%016llx", (unsigned long long)random_hash(device, 0));
    mkdir(path, 0700);
    char *real = access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;
    if (real && strlen(real) < sizeof guest->cache)
        strcpy(guest->cache, real);
    free(real);
}

bool sandbox_prepare(const char *device, struct sandbox_guest *guest)
{
    const char *folder = getenv("TMPDIR");
    char path[sizeof guest->scratch];
    *guest = (struct sandbox_guest){0};
    if (!folder || *folder != '/' || strlen(folder) > sizeof path / 2)
        folder = "/tmp";
    snprintf(path, sizeof path, "%s/assay-XXXXXX", folder);
    if (!mkdtemp(path))
        return false;
    char *real = realpath(path, NULL);
    bool fits = real && strlen(real) < sizeof guest->scratch;
    if (fits)
        strcpy(guest->scratch, real);
    else
        rmdir(path);
    free(real);
    prepare_cache(device, guest);
    return fits;
}

void sandbox_attend(struct sandbox *sandbox, struct sandbox_guest *guest, pid_t pid, int socket,
                    struct sandbox_notice *notice)
{
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int listener;
    if (TEMP_FAILURE_RETRY(recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) != 1)
        return;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
        sandbox->untold |=
            sandbox->asking.len > 0; /* who watches this program has the one listener that there can be */
        return;
    }
    memcpy(&listener, CMSG_DATA(header), sizeof listener);
    guest->watch = sandbox_watch_start(sandbox, listener, guest, pid, notice);
}

/* Whatever is in it: `rm` knows how to go down where paths get too long. */
static void remove_folder(const char *path)
{
    static char program[] = "rm", options[] = "-rf", end[] = "--";
    char copy[sizeof((struct sandbox_guest *)0)->scratch], *const arguments[] = {program, options, end, copy, NULL};
    pid_t pid;
    if (!*path || rmdir(path) == 0)
        return;
    snprintf(copy, sizeof copy, "%s", path);
    if (posix_spawnp(&pid, program, NULL, NULL, arguments, environ) == 0)
        TEMP_FAILURE_RETRY(waitpid(pid, NULL, 0));
}

void sandbox_dismiss(struct sandbox_guest *guest)
{
    sandbox_watch_stop(guest->watch);
    remove_folder(guest->scratch);
    *guest = (struct sandbox_guest){0};
}
