#include "harness/cli/cmd_progress.h"

#include "harness/base/clock.h"
#include "harness/base/words.h"
#include "harness/results/reporters.h"

#include <string.h>
#include <unistd.h>

/* CI services end a job that is silent for ten minutes. */
#define QUIET_NS UINT64_C(30000000000)
#define OFTEN_NS UINT64_C(5000000000)

int cmd_progress_open(struct cmd_progress *progress, const char *when, struct error *error)
{
    const bool terminal = isatty(STDERR_FILENO);
    when = when ? when : "auto";
    *progress = (struct cmd_progress){.live = terminal && strcmp(when, "auto") == 0};
    if (strcmp(when, "always") == 0)
        progress->line_ns = OFTEN_NS;
    else if (strcmp(when, "auto") == 0 && !terminal)
        progress->line_ns = QUIET_NS;
    progress->next_ns = clock_ns() + progress->line_ns;
    return words_check(color_words, 3, "--progress", when, error);
}

bool cmd_progress_is_due(struct cmd_progress *progress)
{
    const uint64_t now = clock_ns();
    if (progress->line_ns == 0 || now < progress->next_ns)
        return false;
    progress->next_ns = now + progress->line_ns;
    return true;
}
