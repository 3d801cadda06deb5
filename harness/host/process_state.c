#include "harness/host/process_state.h"

#include "harness/host/forks.h"
#include "harness/host/orphans.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { SIGNALS = 31, ALL_SIGNALS = 64, STREAMS = 4, HELPERS_MAX = 8, LIMITS = RLIM_NLIMITS };

static const char *const stream_names[STREAMS] = {"standard input", "standard output", "standard error",
                                                  "the harness's socket"};

struct process_state {
    uint64_t mode;
    sigset_t mask;
    struct sigaction handlers[ALL_SIGNALS + 1];
    char locale[256];
    int folder; /* descriptor of the working directory */
    struct stat folder_stat;
    mode_t umask;
    uint64_t environment; /* hash */
    char **variables;     /* copies of the variables, ended by null */
    int streams[STREAMS]; /* duplicates of descriptors 0 to 3 */
    struct stat stream_stats[STREAMS];
    int priority;
    struct rlimit limits[LIMITS];
    bool owns_output;           /* standard output is a file of its own */
    pid_t helpers[HELPERS_MAX]; /* children that the device may keep */
    int helper_count;
};

/* ---- the floating-point mode: rounding, flushing of denormals, traps; not the exception flags */

#if defined(__x86_64__)
enum { SSE_FLAGS = 0x3f };

static uint64_t mode_now(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (uint64_t)x87 << 32 | (__builtin_ia32_stmxcsr() & ~(unsigned)SSE_FLAGS);
}

static void mode_set(uint64_t mode)
{
    uint16_t x87 = (uint16_t)(mode >> 32);
    __asm__ volatile("fldcw %0" : : "m"(x87));
    __builtin_ia32_ldmxcsr((unsigned)mode);
}
#elif defined(__aarch64__)
static uint64_t mode_now(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return fpcr;
}

static void mode_set(uint64_t mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}
#else
static uint64_t mode_now(void)
{
    return (uint64_t)fegetround();
}

static void mode_set(uint64_t mode)
{
    fesetround((int)mode);
}
#endif

/* ---- the environment */

static uint64_t environment_now(void)
{
    uint64_t hash = 0;
    for (char **variable = environ; variable && *variable; variable++)
        hash = XXH3_64bits_withSeed(*variable, strlen(*variable), hash + 1);
    return hash;
}

static bool environment_note(struct process_state *state)
{
    size_t count = 0;
    while (environ && environ[count])
        count++;
    state->environment = environment_now();
    state->variables = calloc(count + 1, sizeof *state->variables);
    for (size_t i = 0; state->variables && i < count; i++)
        if (!(state->variables[i] = strdup(environ[i])))
            return false;
    return state->variables != NULL;
}

/* The environment then points to the copies. A variable that occurred twice or has no '=' cannot be restored. */
static void environment_restore(const struct process_state *state)
{
    clearenv();
    for (size_t i = 0; state->variables[i]; i++)
        putenv(state->variables[i]);
}

/* ---- the whole state */

static bool process_state_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool owns_output;

void process_state_own_output(void)
{
    int file = memfd_create("output", MFD_CLOEXEC);
    owns_output = file >= 0 && dup2(file, STDOUT_FILENO) == STDOUT_FILENO;
    if (file >= 0)
        close(file);
}

struct process_state *process_state_new(void)
{
    struct process_state *state = calloc(1, sizeof *state);
    if (!state)
        return NULL;
    orphans_adopt();
    forks_watch();
    state->mode = mode_now();
    sigprocmask(SIG_SETMASK, NULL, &state->mask);
    for (int i = 1; i <= ALL_SIGNALS; i++)
        sigaction(i, NULL, &state->handlers[i]);
    state->priority = getpriority(PRIO_PROCESS, 0);
    for (int i = 0; i < LIMITS; i++)
        getrlimit((__rlimit_resource_t)i, &state->limits[i]);
    state->owns_output = owns_output;
    snprintf(state->locale, sizeof state->locale, "%s", setlocale(LC_ALL, NULL));
    state->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    state->umask = umask(0);
    umask(state->umask);
    for (int i = 0; i < STREAMS; i++) {
        state->streams[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        if (fstat(i, &state->stream_stats[i]) != 0)
            state->stream_stats[i] = (struct stat){0};
    }
    if (!environment_note(state) || state->folder < 0 || fstat(state->folder, &state->folder_stat) != 0) {
        process_state_free(state);
        return NULL;
    }
    return state;
}

void process_state_free(struct process_state *state)
{
    if (!state)
        return;
    if (state->folder >= 0)
        close(state->folder);
    for (int i = 0; i < STREAMS; i++)
        if (state->streams[i] >= 0)
            close(state->streams[i]);
    for (size_t i = 0; state->variables && state->variables[i]; i++) {
        bool in_use = false; /* the environment refers to it, since putenv() */
        for (char **variable = environ; variable && *variable; variable++)
            in_use |= *variable == state->variables[i];
        if (!in_use)
            free(state->variables[i]);
    }
    free(state->variables);
    free(state);
}

void process_state_note_helpers(struct process_state *state)
{
    state->helper_count = orphans_find(NULL, 0, state->helpers, HELPERS_MAX);
}

/* The differences from the record. */
struct differences {
    char text[200];
    bool lost; /* at least one could not be restored */
};

static void process_state_add(struct differences *found, const char *what, bool restored)
{
    size_t used = strlen(found->text);
    snprintf(found->text + used, sizeof found->text - used, "%s%s%s", used ? ", " : "", what,
             restored ? "" : " (for good)");
    found->lost |= !restored;
}

/* Returns the flags of a handler, without the flag that the C library adds to every handler it installs. */
static int flags_of(const struct sigaction *action)
{
    enum { RESTORER = 0x04000000 };
    return action->sa_flags & ~RESTORER;
}

static bool handlers_differ(struct process_state *state, int last)
{
    bool differ = false;
    for (int i = 1; i <= last; i++) {
        struct sigaction now, *was = &state->handlers[i];
        if (sigaction(i, NULL, &now) != 0 || (now.sa_sigaction == was->sa_sigaction && flags_of(&now) == flags_of(was)))
            continue;
        sigaction(i, was, NULL);
        differ = true;
    }
    return differ;
}

static void check_streams(struct process_state *state, struct differences *found)
{
    for (int i = 0; i < STREAMS; i++) {
        struct stat now;
        if (state->streams[i] < 0 || (fstat(i, &now) == 0 && process_state_same_file(&now, &state->stream_stats[i])))
            continue;
        bool intact = fstat(state->streams[i], &now) == 0 && process_state_same_file(&now, &state->stream_stats[i]);
        process_state_add(found, stream_names[i], intact && dup2(state->streams[i], i) == i);
    }
}

/* Compares signal by signal: sigset_t may contain unused bits. */
static bool mask_differs(const struct process_state *state)
{
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    for (int i = 1; i <= SIGNALS; i++)
        if (sigismember(&now, i) != sigismember(&state->mask, i)) {
            sigprocmask(SIG_SETMASK, &state->mask, NULL);
            return true;
        }
    return false;
}

/* A lower priority and lower hard limits cannot be raised again. */
static void process_state_check_limits(const struct process_state *state, struct differences *found)
{
    if (getpriority(PRIO_PROCESS, 0) != state->priority)
        process_state_add(found, "the priority", setpriority(PRIO_PROCESS, 0, state->priority) == 0);
    for (int i = 0; i < LIMITS; i++) {
        struct rlimit now;
        if (getrlimit((__rlimit_resource_t)i, &now) == 0 && memcmp(&now, &state->limits[i], sizeof now) != 0)
            process_state_add(found, "a resource limit", setrlimit((__rlimit_resource_t)i, &state->limits[i]) == 0);
    }
}

/* Returns true if the device printed text, which may still be in the buffer. Discards it. */
static bool process_state_printed(const struct process_state *state)
{
    struct stat output;
    if (!state->owns_output)
        return false;
    bool pending = __fpending(stdout) > 0;
    if (pending)
        __fpurge(stdout);
    bool written = fstat(STDOUT_FILENO, &output) == 0 &&
                   process_state_same_file(&output, &state->stream_stats[STDOUT_FILENO]) && output.st_size > 0;
    if (written && ftruncate(STDOUT_FILENO, 0) == 0)
        lseek(STDOUT_FILENO, 0, SEEK_SET);
    return pending || written;
}

static void check_process(struct process_state *state, bool whole, struct differences *found)
{
    struct stat folder;
    if (mode_now() != state->mode) {
        mode_set(state->mode);
        process_state_add(found, "the floating-point mode", true);
    }
    if (handlers_differ(state, whole ? ALL_SIGNALS : SIGNALS))
        process_state_add(found, "signal handlers", true);
    if (mask_differs(state))
        process_state_add(found, "the signal mask", true);
    if (strcmp(setlocale(LC_ALL, NULL), state->locale) != 0)
        process_state_add(found, "the locale", setlocale(LC_ALL, state->locale) != NULL);
    if (uselocale((locale_t)0) != LC_GLOBAL_LOCALE)
        process_state_add(found, "the locale of the thread", uselocale(LC_GLOBAL_LOCALE) != (locale_t)0);
    if (whole)
        process_state_check_limits(state, found);
    if (stat(".", &folder) != 0 || !process_state_same_file(&folder, &state->folder_stat))
        process_state_add(found, "the working directory", fchdir(state->folder) == 0);
    if (umask(state->umask) != state->umask)
        process_state_add(found, "the umask", true);
    if (environment_now() != state->environment) {
        environment_restore(state);
        state->environment = environment_now();
        process_state_add(found, "the environment", true);
    }
    check_streams(state, found);
}

enum process_state_change process_state_check(struct process_state *state, bool whole, char *text, size_t size)
{
    struct differences found = {0};
    char orphan[64];
    check_process(state, whole, &found);
    unsigned forked = forks_take();
    int orphans = orphans_kill(state->helpers, state->helper_count, orphan, sizeof orphan);
    forked += forks_take(); /* counts children that other children forked until they were killed */
    snprintf(text, size, "%s%s%s", *found.text ? "changed " : "", found.text,
             *found.text ? ", which belongs to the process" : "");
    size_t used = strlen(text);
    if (forked > 0)
        snprintf(text + used, size - used, "%sforked %u %s that did not become another program", used ? ", and " : "",
                 forked, forked == 1 ? "child" : "children");
    used = strlen(text);
    if (orphans > 0)
        snprintf(text + used, size - used, "%sleft the process '%s' behind", used ? ", and " : "", orphan);
    used = strlen(text);
    if (process_state_printed(state))
        snprintf(text + used, size - used, "%sprinted to standard output", used ? ", and " : "");
    if (found.lost)
        return PROCESS_STATE_LOST;
    return *text ? PROCESS_STATE_RESTORED : PROCESS_STATE_UNCHANGED;
}
