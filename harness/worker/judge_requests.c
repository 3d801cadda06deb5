/* judge_requests.c: the judge's requests to the device's process, and its checks of the answers. The judge believes
 * only answers that an honest process could give: results of calls, sentences, and times that the harness's own clock
 * does not contradict. */
#include "harness/worker/judge_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void judge_enter(struct judge *j, enum stage stage, size_t index)
{
    progress_enter(j->progress, stage, index);
}

_Noreturn void judge_give_up(struct judge *j, const char *why)
{
    snprintf(j->progress->fault, sizeof j->progress->fault, "%s", why);
    judge_enter(j, STAGE_HARMED, 0);
    _exit(EXIT_HARNESS);
}

void judge_on_forged(void *context)
{
    judge_give_up(context, "sent answers that it was not asked for");
}

/* The harness finds out how the device's process ended, then closes the socket. */
void judge_on_gone(void *context)
{
    char byte;
    (void)context;
    while (wire_read(WIRE_SOCKET, &byte, sizeof byte))
        ;
    _exit(EXIT_HARNESS);
}

void judge_ask(struct judge *j, enum host_call call, uint32_t count)
{
    link_wait_check(&j->link);
    atomic_store(&j->progress->call_count, count);
    atomic_store(&j->progress->call, call);
    link_send(&j->link, call, count, true);
}

void judge_wait(struct judge *j)
{
    enum profile_stage before = profile_enter(PROFILE_DEVICE);
    link_wait(&j->link);
    atomic_store(&j->progress->call, 0);
    profile_enter(before);
}

void judge_copy_text(char *to, size_t size, const char *from, size_t from_size)
{
    snprintf(to, size, "%.*s", (int)strnlen(from, from_size), from);
}

uint64_t judge_claimed(uint64_t *limit, uint64_t ns)
{
    uint64_t taken = ns < *limit ? ns : *limit;
    *limit -= taken;
    return taken;
}

void *judge_copy_to_exchange(struct judge *j, const void *from, size_t size)
{
    void *to = link_take(&j->link, size);
    if (to)
        memcpy(to, from, size);
    return to;
}

/* ---- blame for other deeds of the device */

static void blame_all(struct judge *j, uint32_t count, enum promise broken, const char *what, const char *when)
{
    for (uint32_t i = 0; i < count; i++) {
        trial_blame(&j->trials[i], broken, "%s, while %s", what, when);
        j->trials[i].rerun_alone = true;
    }
}

/* Returns the promise that a device breaks whose change process_state_check() describes with this text. */
static enum promise broken_by(const char *changed)
{
    static const struct {
        const char *start;
        enum promise promise;
    } starts[] = {{"printed", PROMISE_OUTPUT}, {"forked", PROMISE_FORK}, {"left", PROMISE_PROGRAMS}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(changed, starts[i].start, strlen(starts[i].start)) == 0)
            return starts[i].promise;
    return PROMISE_PROCESS_STATE;
}

void judge_check(struct judge *j, uint32_t count, const char *when)
{
    char text[sizeof j->link.exchange->changed];
    struct sandbox_notice *notice = &j->progress->notice;
    enum profile_stage before = profile_enter(PROFILE_WATCH);
    link_wait_check(&j->link);
    profile_enter(before);
    if (atomic_load(&notice->pending)) {
        snprintf(text, sizeof text, "%.250s, which was denied", notice->text);
        blame_all(j, count, PROMISE_SANDBOX, text, when);
        atomic_store(&notice->pending, 0);
    }
    judge_copy_text(text, sizeof text, j->link.exchange->changed, sizeof j->link.exchange->changed);
    if (*text)
        blame_all(j, count, broken_by(text), text, when);
}
