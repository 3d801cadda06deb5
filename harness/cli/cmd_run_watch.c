/* Reports the state of a run: slow cases, and progress on SIGUSR1 and now and then. */
#include "harness/cli/cmd_run.h"

#include "harness/cli/cmd_progress.h"

#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t asked;
static struct cmd_progress run_progress;

static void run_watch_on_signal(int signal)
{
    (void)signal;
    asked = 1;
}

int cmd_run_listen(const char *when, struct error *error)
{
    struct sigaction action = {.sa_handler = run_watch_on_signal};
    sigaction(SIGUSR1, &action, NULL);
    return cmd_progress_open(&run_progress, when, error);
}

bool cmd_run_shows_live(void)
{
    return run_progress.live;
}

static void print_more(const struct runner_now *now, char *text, size_t size)
{
    *text = '\0';
    if (now->count > 1)
        snprintf(text, size, " and %u more", now->count - 1);
}

void cmd_run_say_slow(const char *device, const struct runner_now *now)
{
    char more[40];
    if (!now->case_name) {
        fprintf(stderr, "assay: SLOW: opening '%s', for %.1f s\n", device, (double)now->ns * 1e-9);
        return;
    }
    print_more(now, more, sizeof more);
    fprintf(stderr, "assay: SLOW: %s%s on '%s', for %.1f s\n", now->case_name, more, device, (double)now->ns * 1e-9);
}

void cmd_run_answer(const char *device, uint64_t done, uint64_t planned, const struct runner_now *now, unsigned count)
{
    char more[40];
    const bool all = asked;
    if (!cmd_progress_is_due(&run_progress) && !all)
        return;
    asked = 0;
    fprintf(stderr, "assay: device '%s': %llu of %llu cases\n", device, (unsigned long long)done,
            (unsigned long long)planned);
    for (unsigned i = 0; all && i < count; i++) {
        print_more(&now[i], more, sizeof more);
        fprintf(stderr, "assay: worker %u: %s%s, for %.1f s\n", i + 1, now[i].case_name, more,
                (double)now[i].ns * 1e-9);
    }
}
