/* judge_process.c: a worker that judges batches. The device runs in a process of its own, which link.h connects to this
 * one. */
#include "harness/worker/judge_process.h"

#include "harness/base/working.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void judge_works(void *context)
{
    const struct judge *j = context;
    progress_beat(j->progress);
}

/* Serves one message. Returns false if the harness is gone or the message is malformed. */
static bool judge_serve(struct judge *j)
{
    struct wire_header header;
    judge_enter(j, STAGE_IDLE, 0);
    profile_enter(PROFILE_WAIT);
    bool asked = wire_read(WIRE_SOCKET, &header, sizeof header);
    profile_enter(PROFILE_OTHER);
    if (!asked || header.type != WIRE_BATCH || header.count > EXCHANGE_CASES)
        return false;
    j->printed_before = output_size(STDERR_FILENO);
    j->measured.count = 0;
    j->setup.limit_ms = header.limit_ms;
    char *batch = aligned_alloc(16, header.size ? header.size : 16); /* the size is a multiple of 16 */
    bool good =
        batch && wire_read(WIRE_SOCKET, batch, header.size) && judge_decode(j, batch, header.size, header.count);
    bool interface = good && header.count == 1 && spec_is_interface(j->trials[0].c.spec);
    if (interface)
        judge_run_sequence(j);
    int items = good ? 0 : -1;
    if (good && !interface)
        items = judge_prepare(j, header.count);
    if (items >= 0) {
        if (!interface)
            judge_run_batch(j, header.count, (uint32_t)items);
        judge_enter(j, STAGE_REPORT, 0);
        good = judge_send_results(j, header.count);
    }
    free(batch);
    return good && items >= 0;
}

int worker_judge(const struct worker_config *config)
{
    struct error error = {0};
    size_t size;
    struct judge *j = calloc(1, sizeof *j);
    prctl(PR_SET_DUMPABLE, 0); /* the device's process cannot reach into this one, even without Landlock */
    if (!j || !(j->progress = progress_map(&size)))
        return EXIT_HARNESS;
    if (config->profile)
        profile_start(&j->progress->profile);
    profile_enter(PROFILE_PLAN);
    working_set(judge_works, j);
    signal(SIGINT, SIG_IGN); /* the harness handles Ctrl-C */
    judge_enter(j, STAGE_START, 0);
    j->link = (struct link){.socket = WIRE_DEVICE, .forged = judge_on_forged, .gone = judge_on_gone, .context = j};
    judge_start(j, config, &error);
    profile_enter(PROFILE_OTHER);
    if (progress_hello(&j->device, &error) && error.status == EXIT_AS_EXPECTED)
        while (judge_serve(j))
            ;
    judge_close_device(j);
    plugin_close(&j->reference);
    spec_set_free(&j->specs);
    arena_free(j->setup.arena);
    trial_memo_free(j->setup.memo);
    free(j);
    return (int)error.status;
}
