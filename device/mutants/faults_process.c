/* faults_process.c: changes of process-wide state, and output pointers that contradict the status. */
#include "device/mutants/faults.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static HRESULT round_up(const struct strike *s)
{
    (void)s;
    fesetround(FE_UPWARD);
    return S_OK;
}

static HRESULT flush_denormals(const struct strike *s)
{
    (void)s;
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    __asm__ volatile("msr fpcr, %0" : : "r"(fpcr | 1 << 24));
#endif
    return S_OK;
}

static HRESULT block_signal(const struct strike *s)
{
    sigset_t set;
    (void)s;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return S_OK;
}

static void on_crash_signal(int signal)
{
    (void)signal;
}

static void take_signal(void)
{
    signal(SIGSEGV, on_crash_signal);
}

static HRESULT take_signal_late(const struct strike *s)
{
    (void)s;
    take_signal();
    return S_OK;
}

static HRESULT set_locale(HRESULT right)
{
    setlocale(LC_ALL, "C.UTF-8");
    return right;
}

static HRESULT change_folder(HRESULT right, const struct descriptor *d)
{
    (void)d;
    return chdir("/") == 0 ? right : E_FAIL;
}

static HRESULT change_umask(HRESULT right, const struct descriptor *d)
{
    (void)d;
    umask(0);
    return right;
}

static void change_environment(struct history *h)
{
    (void)h;
    setenv("ASSAY_MUTANT", "was here", 1);
}

static HRESULT change_environment_later(const struct strike *s)
{
    s->history->on_destroy = change_environment;
    return S_OK;
}

const struct fault process_faults[] = {
    {.name = "round-up", .what = "dispatch leaves another rounding mode", .after = round_up},
    {.name = "flush-denormals", .what = "dispatch leaves denormals flushed to zero", .after = flush_denormals},
    {.name = "block-signal", .what = "dispatch blocks a signal", .after = block_signal},
    {.name = "take-signal", .what = "dispatch installs a handler of SIGSEGV", .after = take_signal_late},
    {.name = "take-signal-open", .what = "opening installs a handler of SIGSEGV", .on_open = take_signal},
    {.name = "set-locale", .what = "compile_operator sets the locale", .on_compile = set_locale},
    {.name = "change-folder", .what = "create_operator changes the working directory", .on_create = change_folder},
    {.name = "change-umask", .what = "create_operator changes the umask", .on_create = change_umask},
    {.name = "change-environment", .what = "destroy_compiled sets a variable", .after = change_environment_later},
    {.name = "dangling-operator",
     .what = "create_operator fails with a pointer that is not null",
     .special = SPECIAL_DANGLING_OPERATOR},
    {.name = "dangling-compiled",
     .what = "compile_operator fails with a pointer that is not null",
     .special = SPECIAL_DANGLING_COMPILED},
};

const unsigned process_fault_count = sizeof process_faults / sizeof *process_faults;
