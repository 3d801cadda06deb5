/* attempts.h: what several attempts at one case say together: that it is flaky, or not deterministic. */
#ifndef RUN_ATTEMPTS_H
#define RUN_ATTEMPTS_H

#include "harness/run/record.h"

/* Of one case; zeroed before the first attempt. */
struct attempts {
    unsigned count;
    uint32_t statuses;  /* bit n: enum status n */
    uint64_t checksum;  /* of the first outputs that were compared; 0: none yet */
    unsigned from;      /* the attempt that it is of */
    unsigned differing; /* the first attempt with another one; 0: none */
    unsigned failed;    /* the first attempt that failed; 0: none */
    char failure[512];  /* what was said of it */
    char endings[128];  /* "fail, pass" */
    char message[1024]; /* of the last record, where it is ours */
};

/* Takes the attempts in turn. Numbers the record; in the last one sets what is known of all: its statuses, whether it is
 * flaky, and, where outputs differ between attempts whose rule leaves no choice, the status fail. Its message may then
 * lie in `attempts`. */
void attempts_add(struct attempts *attempts, struct record *record);

#endif
