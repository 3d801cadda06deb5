/* sequence_parts.h: the state of a judge's work on a sequence of calls (sequence.h), in memory of the harness. When
 * the sequence has ended the device's process, the harness passes this state to the next worker, so that the calls
 * are shrunk to the fewest that end the process: each worker tries a part of the calls in a new process. The next
 * part depends on the answers alone, so only the answers are kept. */
#ifndef SEQUENCE_SEQUENCE_PARTS_H
#define SEQUENCE_SEQUENCE_PARTS_H

#include <stdint.h>

enum { SEQUENCE_PARTS = 400 };
struct sequence_parts {
    uint8_t tried;         /* descriptions that have been tried alone, */
    uint8_t usable;        /* bit n: description n is right alone */
    uint8_t rounds;        /* the number of times that the calls of the case have been made since, or begun */
    uint8_t shrinking;     /* the harness asks for the next part; the members above stay the same, */
    uint8_t hangs;         /* and the process was late: all calls, and the last part, have the time of a case */
    uint16_t end;          /* the number of parts that are tried at most, besides that last one */
    uint16_t answer_count; /* the number of tried parts */
    uint8_t answers[SEQUENCE_PARTS + 1]; /* 1: the part ended the process in the same way */
    uint8_t survived;                    /* the judge: the part that was tried did not end the process */
    uint8_t whole_time;                  /* the judge: this part has the time of a case */
};

#endif
