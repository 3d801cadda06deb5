/* sandbox_process.c: one process enters the sandbox; its parent prepares the process and cleans up after it. */
#include "harness/worker/sandbox_internal.h"

#include "harness/base/owner.h"
#include "harness/base/random.h"
#include "harness/worker/leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/landlock.h>
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

/* Kernel headers may be too old to define these. */
#define ACCESS_TRUNCATE (1ULL << 14)
#define ACCESS_IOCTL_DEV (1ULL << 15)
#define ACCESS_BIND_CONNECT 3ULL
#define SCOPE_SIGNAL 2ULL

/* All access that changes a file; for a folder also access that changes its entries. */
#define ACCESS_FILE (LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL_DEV)
#define ACCESS_FOLDER                                                                                                  \
    (ACCESS_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |     \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |                        \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |                      \
     LANDLOCK_ACCESS_FS_REFER)

/* The kernel's struct landlock_ruleset_attr; older ABI versions take only its first members. */
struct ruleset {
    uint64_t files, network, scoped;
};

/* The beginning of the names of scratch folders. */
#define SCRATCH "assay-run-"

/* ---- in the new process */

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
        return file < 0; /* the file is gone: there is nothing to allow */
    struct landlock_path_beneath_attr rule = {
        .parent_fd = file,
        .allowed_access = known_access(sandbox, S_ISDIR(status.st_mode) ? ACCESS_FOLDER : ACCESS_FILE)};
    bool good = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(file);
    return good;
}

static bool enter_landlock(const struct sandbox *sandbox, const struct sandbox_process *process)
{
    const struct ruleset rules = {known_access(sandbox, ACCESS_FOLDER), sandbox->network ? 0 : ACCESS_BIND_CONNECT,
                                  SCOPE_SIGNAL};
    size_t size = offsetof(struct ruleset, network);
    if (sandbox->landlock >= LANDLOCK_SCOPES)
        size = sizeof rules;
    else if (sandbox->landlock >= LANDLOCK_NETWORK)
        size = offsetof(struct ruleset, scoped);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    bool good = ruleset >= 0 && (!*process->scratch || add_rule(sandbox, ruleset, process->scratch)) &&
                (!*process->cache || add_rule(sandbox, ruleset, process->cache));
    for (int i = 0; i < sandbox->root_count && good; i++)
        good = add_rule(sandbox, ruleset, sandbox->roots[i]);
    good = good && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    if (ruleset >= 0)
        close(ruleset);
    return good;
}

/* Root keeps only the capabilities to read and write all files, which Landlock restricts in turn. */
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

static void sandbox_process_set_limits(const struct sandbox *sandbox)
{
    const struct rlimit memory = {sandbox->memory, sandbox->memory}, none = {0, 0};
    if (sandbox->memory && !sandbox->all) {
        setrlimit(RLIMIT_DATA, &memory);
        setrlimit(RLIMIT_FSIZE, &memory);
    }
    setrlimit(RLIMIT_CORE, &none);
}

/* Points programs to the scratch folder and the cache, unless they may write to the user's cache folder. */
static void set_environment(const struct sandbox *sandbox, const struct sandbox_process *process)
{
    static const char *const caches[] = {"XDG_CACHE_HOME", "PYTHONPYCACHEPREFIX", "CUDA_CACHE_PATH"};
    const char *cache = *process->cache ? process->cache : process->scratch;
    if (*process->scratch)
        setenv("TMPDIR", process->scratch, 1);
    for (size_t i = 0; i < sizeof caches / sizeof *caches && *cache && !sandbox->all && !sandbox->caches; i++)
        setenv(caches[i], cache, 1);
}

/* Sends one byte, with the descriptor if there is one. */
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

void sandbox_enter(const struct sandbox *sandbox, const struct sandbox_process *process, int socket)
{
    int listener = -1;
    sandbox_process_set_limits(sandbox);
    set_environment(sandbox, process);
    if (!sandbox->all &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !drop_capabilities() ||
         (sandbox->landlock && !enter_landlock(sandbox, process)) || !sandbox_filter_load(sandbox, &listener))) {
        fprintf(stderr, "the process cannot be restricted: %m\n");
        _exit(EXIT_HARNESS);
    }
    send_listener(socket, listener);
}

/* ---- in the parent */

enum { SCRATCH_AGE_S = 60, CACHE_AGE_S = 30 * 24 * 3600 };

/* Removes folders that killed runs and old devices left behind, once in this process. */
static void clean_once(bool *done, const char *folder, const char *prefix, int length, long age_s)
{
    if (!*done)
        leftovers_clean(folder, prefix, length, age_s);
    *done = true;
}

static void close_open(int folder)
{
    if (folder >= 0)
        close(folder);
}

/* Opens a folder in another one, and makes it if it is missing. Returns -1, with errno, if it cannot be written, and
 * with EPERM if it is a link or not this user's alone: what devices leave there must not go anywhere else. */
static int open_own_folder(int parent, const char *name)
{
    struct stat status;
    if (parent < 0)
        return -1;
    mkdirat(parent, name, 0700);
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool ours = folder >= 0 ? fstat(folder, &status) == 0 && owner_is_us(&status) : errno != ELOOP && errno != ENOTDIR;
    if (ours && folder >= 0 && faccessat(folder, ".", W_OK, 0) == 0)
        return folder;
    int reason = ours ? errno : EPERM;
    close_open(folder);
    errno = reason;
    return -1;
}

/* Opens the user's cache folder, which the user may have linked to any place. Nobody else must be able to rename the
 * folders in it. Writes its real path. */
static int open_user_cache(char path[PATH_MAX])
{
    char *real = NULL;
    struct stat status;
    sandbox_user_cache(path);
    if (*path == '/') {
        mkdir(path, 0700);
        real = realpath(path, NULL);
    }
    int folder = real ? open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (folder >= 0 && (fstat(folder, &status) != 0 || (status.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)) {
        close(folder);
        errno = EPERM;
        folder = -1;
    }
    snprintf(path, PATH_MAX, "%s", real ? real : "");
    free(real);
    return folder;
}

/* Each device has a cache of its own, so that no device reads the files of another one. */
static void prepare_cache(const char *device, struct sandbox_process *process)
{
    static bool cleaned, told;
    char base[PATH_MAX], path[PATH_MAX + 32], key[24];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)random_hash(device, 0));
    int user = open_user_cache(base), ours = open_own_folder(user, "assay");
    snprintf(path, sizeof path, "%s/assay", base);
    if (ours >= 0)
        clean_once(&cleaned, path, "", 16, CACHE_AGE_S);
    int own = open_own_folder(ours, key);
    if (own < 0 && errno == EPERM && !told) {
        told = true;
        fprintf(stderr, "assay: devices have no cache: %s%s%s is a link, or others than this user can change it\n",
                user >= 0 ? path : base, ours >= 0 ? "/" : "", ours >= 0 ? key : "");
    }
    snprintf(path + strlen(path), sizeof key + 1, "/%s", key);
    if (own >= 0 && strlen(path) < sizeof process->cache) {
        strcpy(process->cache, path);
        process->cache_held = leftovers_hold(path, true);
        mkdir(path, 0700);   /* the last process of the device may just have removed it */
        futimens(own, NULL); /* the time is that of the last use */
    }
    close_open(own);
    close_open(ours);
    close_open(user);
}

bool sandbox_prepare(const char *device, struct sandbox_process *process, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    char path[sizeof process->scratch];
    *process = (struct sandbox_process){0};
    if (!folder || *folder != '/' || strlen(folder) > sizeof path / 2)
        folder = "/tmp";
    static bool cleaned;
    clean_once(&cleaned, folder, SCRATCH, 6, SCRATCH_AGE_S);
    snprintf(path, sizeof path, "%s/" SCRATCH "XXXXXX", folder);
    if (!mkdtemp(path))
        return error_set(error, EXIT_HARNESS, "no scratch folder for a worker process: %s (%s): %m", folder,
                         getenv("TMPDIR") ? "TMPDIR" : "the default of TMPDIR") == 0;
    process->scratch_held = leftovers_hold(path, false);
    char *real = realpath(path, NULL);
    bool fits = real && strlen(real) < sizeof process->scratch;
    if (fits)
        strcpy(process->scratch, real);
    else
        rmdir(path);
    free(real);
    prepare_cache(device, process);
    return fits ||
           error_set(error, EXIT_HARNESS, "no scratch folder for a worker process: %s: too long a path", folder) == 0;
}

void sandbox_supervise(struct sandbox *sandbox, struct sandbox_process *process, pid_t pid, int socket,
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
        sandbox->unwatched |= sandbox->asking.len > 0; /* a tool that watches this program holds the only listener */
        return;
    }
    memcpy(&listener, CMSG_DATA(header), sizeof listener);
    process->watch = sandbox_watch_start(sandbox, listener, process, pid, notice);
}

void sandbox_clean_up(struct sandbox_process *process)
{
    sandbox_watch_stop(process->watch);
    leftovers_remove(process->scratch);
    leftovers_release(process->scratch_held);
    leftovers_release_empty(process->cache_held, process->cache); /* most devices keep nothing */
    *process = (struct sandbox_process){0};
}
