/* harms.c: crashes, hangs, exits, floods, forks, closed descriptors, handlers, unwinding. Each is a few lines that a
 * device could have by mistake, or on purpose. */
#include "device/mutants/harms.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <unwind.h>

static volatile int forever = 1;

static void harm_crash(void)
{
    *(volatile int *)NULL = 1;
}

static void harm_hang(void)
{
    while (forever)
        pause();
}

static void harm_exit(void)
{
    exit(0);
}

/* Floods every descriptor: the bytes that reach the judge are no answer. */
static void harm_flood(void)
{
    static char noise[4096];
    memset(noise, 'x', sizeof noise);
    for (int i = 0; i < 1000; i++)
        for (int file = 1; file < 8; file++)
            if (send(file, noise, sizeof noise, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && file < 3 &&
                write(file, noise, sizeof noise) < 0)
                return;
}

/* Forks twice. The child goes on like the parent: it returns from the call, too. */
static void harm_fork(void)
{
    if (fork() < 0 || fork() < 0)
        abort();
}

static void harm_close(void)
{
    close_range(0, ~0u, 0);
}

static void ignore(int signal)
{
    (void)signal;
}

static void harm_handle(void)
{
    signal(SIGSEGV, ignore);
}

/* Pauses in a signal handler. The instruction that crashes is tried again at once; without a pause this would take a
 * processor. */
static void pause_and_ignore(int signal)
{
    (void)signal;
    usleep(1000);
}

/* Crashes and handles its own crash, for ever. */
static void harm_swallow(void)
{
    signal(SIGSEGV, pause_and_ignore);
    harm_crash();
}

static jmp_buf left;

__attribute__((noinline)) static void mark(void)
{
    if (setjmp(left) != 0)
        abort(); /* the frame is gone: an abort is as good as any other effect */
}

static void harm_jump(void)
{
    mark();
    longjmp(left, 1);
}

static void harm_end_thread(void)
{
    pthread_exit(NULL);
}

/* Throws an exception of C++ that nobody catches, through the frames of the program. */
static void harm_throw(void)
{
    static struct _Unwind_Exception exception;
    _Unwind_RaiseException(&exception);
    abort();
}

const struct harm harms[] = {{"crash", harm_crash},           {"hang", harm_hang},       {"exit", harm_exit},
                             {"flood", harm_flood},           {"fork", harm_fork},       {"close", harm_close},
                             {"handle", harm_handle},         {"swallow", harm_swallow}, {"jump", harm_jump},
                             {"end-thread", harm_end_thread}, {"throw", harm_throw},     {NULL, NULL}};

const char *const harm_calls[HARM_CALLS] = {"load", "open", "create", "compile", "dispatch", "destroy", "close"};

const struct harm *harm_find(const char *name)
{
    for (const struct harm *harm = harms; harm->name; harm++)
        if (strcmp(harm->name, name) == 0)
            return harm;
    return NULL;
}

enum harm_call harm_call_find(const char *name)
{
    int call = 0;
    while (call < HARM_CALLS && strcmp(harm_calls[call], name) != 0)
        call++;
    return (enum harm_call)call;
}

/* Strikes before there is a device: only the process's arguments tell the harm: NAME:harm=HARM,in=load. */
__attribute__((constructor)) static void strike_while_loaded(int argc, char **argv)
{
    char name[32] = "";
    const char *harm = argc > 1 && strstr(argv[1], "in=load") ? strstr(argv[1], "harm=") : NULL;
    if (!harm || sscanf(harm, "harm=%31[a-z-]", name) != 1 || !harm_find(name))
        return;
    harm_find(name)->strike();
}
