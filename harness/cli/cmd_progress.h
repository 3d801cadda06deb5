/* cmd_progress.h: the progress that a long command tells on standard error. */
#ifndef CLI_CMD_PROGRESS_H
#define CLI_CMD_PROGRESS_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct cmd_progress {
    bool live;        /* one line, which is overwritten */
    uint64_t line_ns; /* nanoseconds from one line of progress to the next; 0: none */
    uint64_t next_ns; /* the clock when the next line is due */
};

#define CMD_PROGRESS_OPTION(type)                                                                                      \
    {                                                                                                                  \
        0, "progress", "WHEN", OPTION_STRING, offsetof(type, progress),                                                \
            "when to tell progress on standard error: auto is a line that changes on a terminal, and elsewhere a "     \
            "line every "                                                                                              \
            "30 s, so that CI sees a live command; always is a line every 5 s (default: auto)"                         \
    }

/* Reads the value of --progress; null is "auto". EXIT_USAGE: another word. */
int cmd_progress_open(struct cmd_progress *progress, const char *when, struct error *error);

/* Returns true, once for each period, if a line is due. */
bool cmd_progress_is_due(struct cmd_progress *progress);

#endif
