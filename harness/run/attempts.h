/* attempts.h: combines several attempts at one case, and finds cases that are flaky or not deterministic. */
#ifndef RUN_ATTEMPTS_H
#define RUN_ATTEMPTS_H

#include "harness/run/record.h"

enum { ATTEMPTS_TOLD = 32 /* the endings of so many attempts are kept: more than a message has room for */ };

/* The attempts at one case; zeroed before the first. */
struct attempts {
    unsigned count;
    uint32_t statuses;              /* bit n: enum status n */
    uint64_t checksum;              /* the checksum of the first outputs that were compared; 0: none yet */
    unsigned from;                  /* the attempt with that checksum */
    unsigned differing;             /* the first attempt with another checksum; 0: none */
    unsigned failed;                /* the first attempt that failed; 0: none */
    uint8_t endings[ATTEMPTS_TOLD]; /* enum status of the first attempts */
    char failure[512];              /* message of the first that failed */
    char message[1024];             /* the message of the last record, if attempts_add() replaces it */
};

/* Adds one attempt; call for all attempts at a case in order. Numbers the record. If the record is the last one, sets
 * the members that depend on all attempts: `statuses` and `flaky`; the record gets STATUS_FAIL if the outputs of
 * attempts differ although its rule leaves no choice. Its message may then point into `attempts`. */
void attempts_add(struct attempts *attempts, struct record *record);

/* The values of --flaky, ended by null. The option decides if a flaky case makes its run fail. */
extern const char *const attempts_flaky_words[];

#endif
