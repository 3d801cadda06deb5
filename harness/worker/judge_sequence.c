/* judge_sequence.c: judges a case of the interface. The functions of this file make the calls of sequence.h. */
#include "harness/worker/judge_process.h"

#include "harness/base/clock.h"
#include "harness/sequence/sequence.h"

#include <unistd.h>

static void make_steps(struct judge *j, enum host_call call, uint32_t count, enum promise promise)
{
    judge_enter(j, STAGE_CASE, 0);
    atomic_store(&j->progress->promise, promise);
    judge_ask(j, call, count);
    judge_wait(j);
    atomic_store(&j->progress->promise, PROMISE_NONE);
    judge_check(j, 1, call == HOST_STEPS ? "the calls were made" : "the calls were made again and again");
}

static void ask_steps(void *context, uint32_t count, enum promise promise)
{
    make_steps(context, HOST_STEPS, count, promise);
}

static void repeat_steps(void *context, uint32_t count, uint32_t times)
{
    struct judge *j = context;
    j->link.exchange->times = times;
    make_steps(j, HOST_REPEAT, count, PROMISE_FREES);
}

/* The next part of the calls needs a new process. */
static void end_survived(void *context)
{
    struct judge *j = context;
    j->progress->parts.survived = true;
    _exit(EXIT_AS_EXPECTED);
}

void judge_run_sequence(struct judge *j)
{
    const struct sequence_context context = {.setup = &j->setup,
                                             .link = &j->link,
                                             .specs = &j->specs,
                                             .arguments = j->arguments,
                                             .ask = ask_steps,
                                             .repeat = repeat_steps,
                                             .survived = end_survived,
                                             .parts = &j->progress->parts,
                                             .context = j};
    uint64_t start = clock_ns();
    struct trial *t = &j->trials[0];
    judge_enter(j, STAGE_CASE, 0);
    t->half = j->setup.half;
    j->setup.message = NULL;
    j->setup.unexplained = true;
    sequence_judge(&context, t);
    j->setup.unexplained = false;
    t->verdict.host_ns = clock_ns() - start;
    arena_reset(j->setup.arena);
}
