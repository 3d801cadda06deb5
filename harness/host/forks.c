/* This file counts children that do not become another program. A child records its start in memory that it shares with
 * its parent, and records there, too, when it becomes another program: for that the program has exec functions of its
 * own, which the device finds before those of the C library. posix_spawn(), popen() and system() start programs without
 * fork(), so that their children are not recorded. */
#include "harness/host/forks.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHILDREN = 256, WAIT_MS = 50, ARGUMENTS = 1024 };

struct children {
    atomic_uint count;
    struct child {
        _Atomic pid_t pid;
        atomic_int is_program;
    } all[CHILDREN]; /* the last children: number i is in place i % CHILDREN */
};

static struct children *children; /* the table, shared with the children */
static unsigned taken;            /* number of children already counted, out of `count` */
static struct child *self;        /* this process's place, if it is a child; null: it is not, or nobody watches it */

static struct {
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int);
} libc;

static _Thread_local struct child *next; /* the place of the child that this thread is forking */

/* Runs in the parent, which continues before the child begins. */
static void before_fork(void)
{
    next = &children->all[atomic_fetch_add(&children->count, 1) % CHILDREN];
    atomic_store(&next->is_program, 0);
    atomic_store(&next->pid, 0);
}

static void in_child(void)
{
    self = next;
    atomic_store(&self->pid, getpid());
}

/* Finds a function of the C library. POSIX lets dlsym() return functions. */
static void forks_find(const char *name, void *function)
{
    *(void **)function = dlsym(RTLD_NEXT, name);
}

void forks_watch(void)
{
    if (children)
        return;
    forks_find("execve", &libc.execve);
    forks_find("execvpe", &libc.execvpe);
    forks_find("fexecve", &libc.fexecve);
    forks_find("execveat", &libc.execveat);
    void *memory = mmap(NULL, sizeof *children, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    children = memory;
    pthread_atfork(before_fork, NULL, in_child);
}

/* Returns true if the process can still become a program. */
static int may_start(pid_t pid)
{
    siginfo_t info = {.si_pid = 0};
    if (pid == 0) /* the child has not recorded its id yet */
        return 1;
    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
        return info.si_pid == 0;
    return kill(pid, 0) == 0; /* it is a child's child */
}

unsigned forks_take(void)
{
    unsigned count = children ? atomic_load(&children->count) : 0, forked = 0;
    int waits = WAIT_MS;
    if (count - taken > CHILDREN)
        taken = count - CHILDREN;
    for (; taken != count; taken++) {
        struct child *child = &children->all[taken % CHILDREN];
        for (; !atomic_load(&child->is_program) && waits > 0 && may_start(atomic_load(&child->pid)); waits--)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        forked += !atomic_load(&child->is_program);
        atomic_store(&child->pid, 0);
    }
    return forked;
}

/* ---- becoming another program */

/* An exec function that returns has failed: the process is still the child. */
static int forks_failed(int result)
{
    if (self)
        atomic_store(&self->is_program, 0);
    return result;
}

static void starts(void)
{
    if (self)
        atomic_store(&self->is_program, 1);
}

/* Devices find these functions first, since they are the program's. */
#define FOUND_FIRST __attribute__((visibility("default")))

#define LEAD(function, ...)                                                                                            \
    if (!libc.function)                                                                                                \
        forks_find(#function, &libc.function);                                                                         \
    if (!libc.function)                                                                                                \
        return errno = ENOSYS, -1;                                                                                     \
    starts();                                                                                                          \
    return forks_failed(libc.function(__VA_ARGS__))

FOUND_FIRST int execve(const char *path, char *const arguments[], char *const variables[])
{
    LEAD(execve, path, arguments, variables);
}

FOUND_FIRST int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

FOUND_FIRST int execvpe(const char *file, char *const arguments[], char *const variables[])
{
    LEAD(execvpe, file, arguments, variables);
}

FOUND_FIRST int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

FOUND_FIRST int fexecve(int file, char *const arguments[], char *const variables[])
{
    LEAD(fexecve, file, arguments, variables);
}

FOUND_FIRST int execveat(int folder, const char *path, char *const arguments[], char *const variables[], int flags)
{
    LEAD(execveat, folder, path, arguments, variables, flags);
}

/* Collects arguments up to a null pointer. Returns false if they are too many. */
static int forks_collect(const char *first, va_list rest, char *arguments[ARGUMENTS])
{
    size_t count = 0;
    for (const char *at = first; count < ARGUMENTS; at = va_arg(rest, const char *)) {
        arguments[count++] = (char *)(size_t)at;
        if (!at)
            return 1;
    }
    errno = E2BIG;
    return 0;
}

FOUND_FIRST int execl(const char *path, const char *argument, ...)
{
    char *arguments[ARGUMENTS];
    va_list rest;
    va_start(rest, argument);
    int good = forks_collect(argument, rest, arguments);
    va_end(rest);
    return good ? execve(path, arguments, environ) : -1;
}

FOUND_FIRST int execlp(const char *file, const char *argument, ...)
{
    char *arguments[ARGUMENTS];
    va_list rest;
    va_start(rest, argument);
    int good = forks_collect(argument, rest, arguments);
    va_end(rest);
    return good ? execvpe(file, arguments, environ) : -1;
}

FOUND_FIRST int execle(const char *path, const char *argument, ...)
{
    char *arguments[ARGUMENTS];
    va_list rest;
    va_start(rest, argument);
    int good = forks_collect(argument, rest, arguments);
    char *const *variables = good ? va_arg(rest, char *const *) : NULL;
    va_end(rest);
    return good ? execve(path, arguments, variables) : -1;
}
