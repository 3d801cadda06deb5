/* sandbox_watch.c: a thread of the parent answers the questions of a process's filter. Landlock can still deny a call
 * that the thread allows, because a path may change between the thread's check and the kernel's use of the path. */
#include "harness/worker/sandbox_internal.h"

#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

struct sandbox_watch {
    pthread_t thread;
    int listener;
    int end; /* eventfd: ends the thread */
    struct sandbox *sandbox;
    struct sandbox_process process; /* a copy: the original may move */
    pid_t pid;                      /* the notice is for its first thread */
    struct sandbox_notice *notice;
};

/* ---- the files that a call names */

/* Reads a string in the memory of the process; "" if it cannot be read. */
static void sandbox_watch_read_text(uint32_t pid, uint64_t address, char text[PATH_SIZE])
{
    enum { PAGE = 4096 };
    char name[64];
    size_t used = 0;
    snprintf(name, sizeof name, "/proc/%u/mem", pid);
    int file = open(name, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && used < PATH_SIZE - 1) { /* page by page: the next page may not be mapped */
        size_t piece = PAGE - (address + used) % PAGE;
        piece = piece < PATH_SIZE - 1 - used ? piece : PATH_SIZE - 1 - used;
        ssize_t got = pread(file, text + used, piece, (off_t)(address + used));
        if (got <= 0 || memchr(text + used, '\0', (size_t)got)) {
            used += got > 0 ? strnlen(text + used, (size_t)got) : 0;
            break;
        }
        used += (size_t)got;
    }
    text[used] = '\0';
    if (file >= 0)
        close(file);
}

/* Finds the real path of a file that exists, or that could be made in a folder that exists. Returns false if the folder
 * does not exist. */
static bool sandbox_watch_resolve(const char *path, char real[PATH_SIZE])
{
    char folder[PATH_SIZE];
    char *found = realpath(path, NULL);
    if (found) {
        snprintf(real, PATH_SIZE, "%s", found);
        free(found);
        return true;
    }
    bool missing = errno == ENOENT;
    size_t length = (size_t)snprintf(folder, sizeof folder, "%s", path);
    while (length > 1 && length < sizeof folder && folder[length - 1] == '/')
        folder[--length] = '\0';
    char *last = strrchr(folder, '/');
    if (!missing || !last)
        return false;
    *last = '\0';
    found = realpath(*folder ? folder : "/", NULL);
    bool fits = found && strlen(found) + strlen(last + 1) + 2 <= PATH_SIZE;
    if (fits) {
        strcpy(real, strcmp(found, "/") == 0 ? "" : found);
        strcat(strcat(real, "/"), last + 1);
    }
    free(found);
    return fits;
}

/* Returns true if a path names a file that the process has open already, or its own entry in /proc. */
static bool is_its_own(uint32_t pid, const char *path)
{
    static const char *const own[] = {"/proc/self/", "/proc/thread-self/", "/dev/fd/",
                                      "/dev/stdin",  "/dev/stdout",        "/dev/stderr"};
    char by_number[32];
    if (strstr(path, "/..") || strstr(path, "/root") || strstr(path, "/cwd")) /* these lead elsewhere */
        return false;
    snprintf(by_number, sizeof by_number, "/proc/%u/", pid);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(path, own[i], strlen(own[i])) == 0)
            return true;
    return strncmp(path, by_number, strlen(by_number)) == 0;
}

static bool may_be_written(const struct sandbox_watch *watch, const char *path)
{
    return sandbox_is_below(path, watch->process.scratch) || sandbox_is_below(path, watch->process.cache) ||
           sandbox_may_write(watch->sandbox, path);
}

/* Finds the real path of the file that two arguments of a call refer to. Returns false if there is none, or if it is
 * the process's own. */
static bool resolve_arguments(const struct seccomp_notif *asked, int folder, int path, char real[PATH_SIZE])
{
    char text[PATH_SIZE] = "", whole[2 * PATH_SIZE];
    if (path >= 0)
        sandbox_watch_read_text(asked->pid, asked->data.args[path], text);
    if (is_its_own(asked->pid, text))
        return false;
    if (*text == '/')
        return sandbox_watch_resolve(text, real);
    int from = folder >= 0 ? (int)asked->data.args[folder] : AT_FDCWD;
    if (from == AT_FDCWD)
        snprintf(whole, sizeof whole, "/proc/%u/cwd%s%s", asked->pid, *text ? "/" : "", text);
    else
        snprintf(whole, sizeof whole, "/proc/%u/fd/%d%s%s", asked->pid, from, *text ? "/" : "", text);
    return sandbox_watch_resolve(whole, real);
}

/* ---- answers: 0 or an errno, and a description of the denial, "" if the denial is not reported */

enum { ALLOW_SIZE = 4 * PATH_SIZE };

struct denial {
    char text[DENIAL_SIZE];
    char allow[ALLOW_SIZE]; /* the options that permit the call */
};

static void add_allowed(struct denial *denial, const char *option)
{
    char quoted[2 * PATH_SIZE];
    size_t used = strlen(denial->allow);
    bool plain =
        strspn(option, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._=+,-") == strlen(option);
    snprintf(denial->allow + used, sizeof denial->allow - used, "%s--allow %s", used ? " " : "",
             plain ? option : text_quoted(quoted, sizeof quoted, option));
}

/* Permits writing a file that exists, or else all files in its folder. */
static void add_allowed_path(struct denial *denial, const char *path, bool itself)
{
    char option[PATH_SIZE + 8];
    snprintf(option, sizeof option, "write=%s", path);
    char *last = strrchr(option, '/');
    if (!itself && last)
        last[strchr(option, '/') == last] = '\0'; /* the root keeps its slash */
    add_allowed(denial, option);
}

/* Returns true if a call fails with ENOENT when the file is missing. `first`: the file is that of the call's first
 * path. */
static bool needs_file(const struct sandbox_call *call, const struct seccomp_notif *asked, bool first)
{
    if (call->flags >= 0)
        return !(asked->data.args[call->flags] & O_CREAT);
    return strcmp(call->what, "remove") == 0 || call->number == SYS_truncate || (call->path2 >= 0 && first);
}

/* Returns the error that the kernel returns for an existing file before it checks permissions; 0 if none. Programs rely
 * on some of these errors, such as EEXIST for a folder that they make only if it is missing. */
static int error_of_existing(const struct sandbox_call *call, const struct seccomp_notif *asked, mode_t mode)
{
    uint64_t flags = call->flags >= 0 ? asked->data.args[call->flags] : 0;
    if (strcmp(call->what, "make") == 0 || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return EEXIST;
    if (strcmp(call->what, "write") == 0 && S_ISDIR(mode) && (flags & O_TMPFILE) != O_TMPFILE)
        return EISDIR;
    return 0;
}

/* Returns -1 if the call fails however the sandbox decides: the kernel answers ENOENT. */
static int judge_path(const struct sandbox_watch *watch, const struct seccomp_notif *asked,
                      const struct sandbox_call *call, bool first, struct denial *denial)
{
    char real[PATH_SIZE];
    struct stat status;
    if (!resolve_arguments(asked, first ? call->folder : call->folder2, first ? call->path : call->path2, real))
        return 0;
    bool exists = lstat(real, &status) == 0;
    if (!exists && needs_file(call, asked, first))
        return -1;
    if (may_be_written(watch, real))
        return 0;
    int error = exists ? error_of_existing(call, asked, status.st_mode) : 0;
    if (error)
        return error;
    if (!*denial->text)
        snprintf(denial->text, DENIAL_SIZE, "tried to %s %.200s", call->what, real);
    add_allowed_path(denial, real, exists && strcmp(call->what, "write") == 0);
    return EACCES;
}

static int judge_write(const struct sandbox_watch *watch, const struct seccomp_notif *asked,
                       const struct sandbox_call *call, struct denial *denial)
{
    int error = judge_path(watch, asked, call, true, denial);
    int second = error < 0 || call->path2 < 0 ? 0 : judge_path(watch, asked, call, false, denial);
    return error > 0 ? error : second;
}

/* A file that is missing is reported by the kernel's ENOENT alone. */
static int judge_change(const struct sandbox_watch *watch, const struct seccomp_notif *asked,
                        const struct sandbox_call *call, struct denial *denial)
{
    char real[PATH_SIZE];
    struct stat status;
    if (!resolve_arguments(asked, call->folder, call->path, real))
        return EPERM;
    if (lstat(real, &status) != 0)
        return errno == ENOENT ? ENOENT : EPERM;
    if (!may_be_written(watch, real)) {
        snprintf(denial->text, DENIAL_SIZE, "tried to %s %.200s", call->what, real);
        add_allowed(denial, "all"); /* Landlock does not restrict these calls: write=PATH does not lift the filter */
    }
    return EPERM;
}

/* A thread may change itself and the other threads of its process. */
static int judge_process(const struct seccomp_notif *asked, const struct sandbox_call *call, struct denial *denial)
{
    char thread[64];
    pid_t other = (pid_t)asked->data.args[call->process];
    snprintf(thread, sizeof thread, "/proc/%u/task/%d", asked->pid, (int)other);
    bool is_process = call->who < 0 || (int)asked->data.args[0] == call->who;
    if (is_process && (other == 0 || access(thread, F_OK) == 0))
        return 0;
    snprintf(denial->text, DENIAL_SIZE, "tried to %s %s %d", call->what,
             is_process ? "process" : "a group of processes,", (int)other);
    add_allowed(denial, "all");
    return EPERM;
}

static int judge_socket(const struct seccomp_notif *asked, struct denial *denial)
{
    char *text = denial->text;
    static const struct {
        int family;
        const char *name;
    } families[] = {{AF_UNIX, "AF_UNIX"}, {AF_INET, "AF_INET"}, {AF_INET6, "AF_INET6"}, {AF_NETLINK, "AF_NETLINK"}};
    int family = (int)asked->data.args[0];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].family == family)
            snprintf(text, DENIAL_SIZE, "tried to open a socket (%s)", families[i].name);
    if (!*text)
        snprintf(text, DENIAL_SIZE, "tried to open a socket (family %d)", family);
    add_allowed(denial, "network");
    return EACCES;
}

/* Judges a connection to a Unix socket, by path or, after a zero byte, by abstract name. ENOENT is not reported. */
static int judge_connect(const struct seccomp_notif *asked, struct denial *denial)
{
    char path[PATH_SIZE] = "";
    struct stat status;
    uint64_t at = asked->data.args[1] + offsetof(struct sockaddr_un, sun_path);
    bool named = asked->data.args[2] > offsetof(struct sockaddr_un, sun_path) + 1;
    if (named)
        sandbox_watch_read_text(asked->pid, at, path);
    if (*path == '/' && stat(path, &status) != 0)
        return ENOENT;
    if (named && !*path)
        sandbox_watch_read_text(asked->pid, at + 1, path);
    snprintf(denial->text, DENIAL_SIZE, "tried to connect to the socket %.200s", path);
    add_allowed(denial, "network");
    return EACCES;
}

static int sandbox_watch_judge(const struct sandbox_watch *watch, const struct seccomp_notif *asked,
                               struct denial *denial)
{
    const struct sandbox_call *call = sandbox_call_of(asked->data.nr);
    if (!call)
        return 0;
    if (call->kind == CALL_WRITE)
        return judge_write(watch, asked, call, denial);
    if (call->kind == CALL_CHANGE)
        return judge_change(watch, asked, call, denial);
    if (call->kind == CALL_PROCESS)
        return judge_process(asked, call, denial);
    return call->kind == CALL_SOCKET ? judge_socket(asked, denial) : judge_connect(asked, denial);
}

/* ---- the thread */

static void sandbox_watch_keep(struct sandbox_watch *watch, const struct denial *denial, uint32_t thread)
{
    struct sandbox *sandbox = watch->sandbox;
    char shown[DENIAL_SIZE];
    text_visible(shown, sizeof shown, denial->text);
    pthread_mutex_lock(&sandbox->lock);
    bool known = sandbox->denial_count == DENIALS_MAX;
    for (int i = 0; i < sandbox->denial_count; i++)
        known |= strcmp(sandbox->denials[i].text, shown) == 0;
    if (!known) {
        struct sandbox_denial *kept = &sandbox->denials[sandbox->denial_count++];
        strcpy(kept->text, shown);
        kept->allow = strdup(denial->allow);
    }
    pthread_mutex_unlock(&sandbox->lock);
    if (!watch->notice || (pid_t)thread != watch->pid || atomic_load(&watch->notice->pending))
        return;
    memcpy(watch->notice->text, shown, sizeof watch->notice->text);
    atomic_store(&watch->notice->pending, 1);
}

static void sandbox_watch_answer(struct sandbox_watch *watch)
{
    struct denial denial = {0};
    struct seccomp_notif asked = {0};
    if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
        return; /* the process was interrupted: it is gone or will ask again */
    int error = sandbox_watch_judge(watch, &asked, &denial);
    if (ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked.id) != 0)
        return; /* the process is gone, and its pid may belong to another one */
    if (*denial.text)
        sandbox_watch_keep(watch, &denial, asked.pid);
    struct seccomp_notif_resp response = {.id = asked.id, .error = -error};
    if (error == 0)
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(watch->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static void *sandbox_watch_serve(void *context)
{
    struct sandbox_watch *watch = context;
    struct pollfd polls[] = {{.fd = watch->listener, .events = POLLIN}, {.fd = watch->end, .events = POLLIN}};
    for (;;) {
        if (poll(polls, 2, -1) < 0)
            continue;
        if (polls[0].revents & POLLIN)
            sandbox_watch_answer(watch);
        else if (polls[0].revents || polls[1].revents)
            return NULL;
    }
}

struct sandbox_watch *sandbox_watch_start(struct sandbox *sandbox, int listener, const struct sandbox_process *process,
                                          pid_t pid, struct sandbox_notice *notice)
{
    sigset_t all, before;
    struct sandbox_watch *watch = calloc(1, sizeof *watch);
    if (watch)
        *watch = (struct sandbox_watch){
            .listener = listener, .end = eventfd(0, EFD_CLOEXEC), .sandbox = sandbox, .pid = pid, .notice = notice};
    if (watch)
        watch->process = *process;
    sigfillset(&all); /* the other threads handle signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool good = watch && watch->end >= 0 && pthread_create(&watch->thread, NULL, sandbox_watch_serve, watch) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good)
        return watch;
    if (watch && watch->end >= 0)
        close(watch->end);
    free(watch);
    close(listener); /* calls that the filter asks about fail from now on */
    return NULL;
}

void sandbox_watch_stop(struct sandbox_watch *watch)
{
    if (!watch)
        return;
    eventfd_write(watch->end, 1);
    pthread_join(watch->thread, NULL);
    close(watch->listener);
    close(watch->end);
    free(watch);
}
