#include "harness/base/apart.h"

#include "harness/base/clock.h"
#include "harness/base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    WATCH_MS = 20,    /* time between two looks at the child's clock */
    IDLE_FACTOR = 24, /* a step may take this many times its CPU limit in real time: the machine may be busy */
    NO_MEMORY = 71    /* exit status of a child that ran out of memory */
};

#if defined(ASSAY_SANITIZED)
enum { SLOWER = 8 }; /* sanitizers make planning about five times slower */
#else
enum { SLOWER = 1 };
#endif

const struct apart_limits apart_usual = {
    .step_ms = 5000 * SLOWER, .total_ms = 120000 * SLOWER, .memory = (uint64_t)4 << 30};

/* The memory that child and parent share. */
struct apart {
    _Atomic uint64_t step_cpu_ns, step_ns; /* the beginning of the step: CPU time of the first thread, and the clock */
    char what[2][1024];       /* the step, and the one before or after: the child may die while it writes */
    _Atomic unsigned current; /* index into what[] */
    uint64_t memory;          /* the limit that a child that ran out of memory reached; 0: none of this file's limits */
    int result;
    struct error error;
};

/* In the child: the memory that it shares with its parent. In every other process: null. */
static struct apart *own;

static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void apart_step(const char *what)
{
    if (!own)
        return;
    unsigned next = own->current ^ 1;
    snprintf(own->what[next], sizeof own->what[next], "%s", what);
    own->current = next;
    own->step_cpu_ns = clock_thread_ns();
    own->step_ns = clock_ns();
}

void apart_no_memory(size_t limit)
{
    if (!own)
        return;
    if (limit > 0)
        own->memory = limit;
    _exit(NO_MEMORY);
}

/* ---- the child */

/* Returns the bytes of address space of this process; 0 if they are not known. */
static uint64_t address_space(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file && fscanf(file, "%llu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Returns false if this process has a lower limit already. */
static bool set_limit(__rlimit_resource_t resource, rlim_t value)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= value)
        return false;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit) == 0;
}

/* The kernel enforces these limits, even if the parent is stopped. Threads are allowed; they die with the process. */
static void apart_set_limits(const struct apart_limits *limits, struct apart *shared, pid_t parent)
{
    uint64_t used = address_space();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_HARNESS);
    if (used == 0 || !set_limit(RLIMIT_AS, used + limits->memory))
        shared->memory = 0;
    set_limit(RLIMIT_CPU, limits->total_ms / 1000 + 2);
    set_limit(RLIMIT_CORE, 0);
    for (int number = 1; number < SIGRTMIN; number++)
        if (number != SIGKILL && number != SIGSTOP && number != SIGPIPE)
            signal(number, SIG_DFL);
    sigset_t nothing;
    sigemptyset(&nothing);
    sigprocmask(SIG_SETMASK, &nothing, NULL);
}

/* ---- the parent */

/* Returns the CPU time of the child; 0 once it has ended. */
static uint64_t cpu_of(pid_t pid)
{
    clockid_t clock;
    struct timespec time;
    return clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &time) == 0 ? nanoseconds(time) : 0;
}

/* Returns the CPU time of the child's first thread; if the kernel does not tell threads apart, of all its threads. */
static uint64_t cpu_of_first(pid_t pid)
{
    char path[64];
    unsigned long long time;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid); /* clock_gettime() cannot read another thread's */
    FILE *file = fopen(path, "re");
    bool known = file && fscanf(file, "%llu", &time) == 1;
    if (file)
        fclose(file);
    return known ? time : cpu_of(pid);
}

/* Returns the limit that the child has passed, in milliseconds; 0 if it has passed none. */
static unsigned passed(const struct apart *shared, const struct apart_limits *limits, pid_t pid)
{
    uint64_t step_cpu = shared->step_cpu_ns, step = shared->step_ns, cpu = cpu_of_first(pid), now = clock_ns();
    uint64_t limit = (uint64_t)limits->step_ms * 1000000;
    if (cpu_of(pid) > (uint64_t)limits->total_ms * 1000000)
        return limits->total_ms;
    if (cpu > step_cpu && cpu - step_cpu > limit)
        return limits->step_ms;
    return now > step && now - step > limit * IDLE_FACTOR ? limits->step_ms * IDLE_FACTOR : 0;
}

/* Waits for the child. Kills it if it passes a time limit, and returns that limit; otherwise returns 0. Ends it if this
 * process is interrupted. */
static unsigned watch(const struct apart *shared, const struct apart_limits *limits, pid_t pid, int *status)
{
    struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    unsigned limit = 0;
    while (limit == 0 && end.fd >= 0 && poll(&end, 1, WATCH_MS) <= 0) {
        limit = passed(shared, limits, pid);
        if (interrupt_is_set())
            kill(pid, SIGTERM);
    }
    if (limit > 0 || end.fd < 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    if (end.fd >= 0)
        close(end.fd);
    return limit;
}

static int apart_report(struct apart *shared, const struct apart_limits *limits, unsigned limit, int status,
                        struct error *error)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char *what = shared->what[shared->current & 1];
    what[sizeof shared->what[0] - 1] = shared->error.text[sizeof shared->error.text - 1] = '\0';
    if (limit == 0 && number == SIGXCPU)
        limit = limits->total_ms;
    if (limit > 0)
        return error_set(error, EXIT_HARNESS, "%.800s: ran for more than %g seconds (an endless loop?)", what,
                         limit / 1000.0);
    if (number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT)
        return error_set(error, EXIT_INCOMPLETE, "%.800s: interrupted", what);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY && shared->memory == 0)
        return error_set(error, EXIT_HARNESS, "%.800s: out of memory", what);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_MEMORY)
        return error_set(error, EXIT_HARNESS, "%.800s: needs more than %llu MiB of memory", what,
                         (unsigned long long)(shared->memory >> 20));
    if (number > 0)
        return error_set(error, EXIT_HARNESS, "%.800s: the process that ran it was killed by SIG%s", what,
                         sigabbrev_np(number) ? sigabbrev_np(number) : "?");
    if (WEXITSTATUS(status) != 0 || shared->result < 0 || shared->result > EXIT_NO_DEVICE)
        return error_set(error, EXIT_HARNESS, "%.800s: the process that ran it ended early", what);
    if (shared->result == 0)
        return 0;
    return error_set(error, (enum exit_status)shared->result, "%s", shared->error.text);
}

int apart_start(struct apart_child *child, const struct apart_limits *limits,
                int (*work)(void *context, struct error *error), void *context, struct error *error)
{
    struct apart *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *child = (struct apart_child){.limits = limits};
    if (shared == MAP_FAILED)
        return error_set(error, EXIT_HARNESS, "out of memory");
    shared->step_ns = clock_ns();
    shared->result = -1;
    shared->memory = limits->memory;
    fflush(NULL); /* the child must not write this buffered output again */
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        apart_set_limits(limits, shared, parent);
        own = shared;
        shared->result = work(context, &shared->error);
        fflush(stderr);
        _exit(0);
    }
    if (pid < 0) {
        munmap(shared, sizeof *shared);
        return error_set(error, EXIT_HARNESS, "no process can be started: %m");
    }
    child->shared = shared;
    child->pid = pid;
    return 0;
}

int apart_wait(struct apart_child *child, struct error *error)
{
    int status = 0;
    unsigned limit = watch(child->shared, child->limits, child->pid, &status);
    int result = apart_report(child->shared, child->limits, limit, status, error);
    munmap(child->shared, sizeof *child->shared);
    child->shared = NULL;
    return result;
}

void apart_cancel(struct apart_child *child)
{
    struct error ignored;
    if (!child->shared)
        return;
    kill(child->pid, SIGKILL);
    apart_wait(child, &ignored);
}

int apart_run(const struct apart_limits *limits, int (*work)(void *context, struct error *error), void *context,
              struct error *error)
{
    struct apart_child child;
    int result = apart_start(&child, limits, work, context, error);
    return result ? result : apart_wait(&child, error);
}
