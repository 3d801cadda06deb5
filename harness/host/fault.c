#include "harness/host/fault.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

/* The arguments of fault_catch(), since a signal handler has no others. */
static struct {
    fault_locate *locate;
    const void *context;
    char *text;
    size_t size;
} current;

static bool near_stack(const void *address, const void *context)
{
    enum { NEAR = 1 << 20 };
#if defined(__x86_64__)
    uintptr_t stack = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t stack = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
    uintptr_t stack = 0;
#endif
    uintptr_t at = (uintptr_t)address;
    return at > stack - NEAR && at < stack + NEAR;
}

/* Returns the process's memory limit in MiB if most of it is used; otherwise 0. The sixth number of statm is data, in
 * pages. */
static unsigned long long exhausted_limit(void)
{
    enum { FIELD = 6 };
    char text[256];
    struct rlimit limit;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    unsigned long long pages = 0;
    text[got > 0 ? got : 0] = '\0';
    for (char *at = text, i = 0; i < FIELD; i++)
        pages = strtoull(at, &at, 10);
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 0;
    return pages * (unsigned long long)sysconf(_SC_PAGESIZE) > limit.rlim_cur / 8 * 7 ? limit.rlim_cur >> 20 : 0;
}

static const char *describe_elsewhere(const void *address, void *context)
{
    if ((uintptr_t)address < 65536)
        return "touched a null pointer";
    return near_stack(address, context) ? "the stack overflowed" : "touched memory outside all tensors";
}

static void on_fatal(int signal, siginfo_t *info, void *context)
{
    char place[160] = "";
    uintptr_t page = (uintptr_t)current.text & ~(uintptr_t)4095; /* the page may be protected from the device */
    mprotect((void *)page, (uintptr_t)current.text + current.size - page, PROT_READ | PROT_WRITE);
    if (signal == SIGSEGV || signal == SIGBUS)
        current.locate(current.context, info->si_addr, place, sizeof place);
    if (*place)
        snprintf(current.text, current.size, "touched %s", place);
    else if (signal == SIGSEGV || signal == SIGBUS) /* texts have no addresses, which differ from run to run */
        snprintf(current.text, current.size, "%s", describe_elsewhere(info->si_addr, context));
    unsigned long long limit = exhausted_limit();
    if (limit)
        snprintf(current.text, current.size, "it used up its limit of %llu MiB of memory", limit);
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigaction(signal, &plain, NULL);
    raise(signal);
}

/* The handlers run on a stack of their own, so that they can report a stack overflow. */
void fault_catch(fault_locate *locate, const void *context, char *text, size_t size)
{
    static char stack[64 * 1024];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    current.locate = locate;
    current.context = context;
    current.text = text;
    current.size = size;
    sigaltstack(&alternative, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL); /* many programs abort when they run out of memory */
}
