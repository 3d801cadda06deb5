/* sequence_parts.h: the state of a judge's work on a sequence of calls (sequence.h), in memory of the harness. When the
 * sequence has ended the device's process, the harness passes this state to the next worker, so that the calls are
 * shrunk to the fewest that end the process. */
#ifndef SEQUENCE_SEQUENCE_PARTS_H
#define SEQUENCE_SEQUENCE_PARTS_H

#include "harness/base/shrink.h"
#include "harness/sequence/lifecycle.h"

#include <stdint.h>

/* The next step of a sequence of calls that has ended the device's process. */
enum sequence_stage {
    SEQUENCE_JUDGED, /* it has not: the judge makes the calls of the case */
    SEQUENCE_WHOLE,  /* all calls are made in a new process, in the time of a case */
    SEQUENCE_PART,   /* a part of the calls is tried in a new process */
    SEQUENCE_AGAIN,  /* the calls that are left are made in the time of a case */
    SEQUENCE_SHRUNK,
    SEQUENCE_SURVIVED, /* all calls together do not end a new process */
    SEQUENCE_SLOW      /* the calls that are left only take long: they do not hang for the time of a case */
};

/* A description that is drawn at random: an operator, as an index in the specs, and the number of the draw. */
struct sequence_draw {
    uint16_t op, number;
};

struct sequence_parts {
    struct sequence_draw drawn[LIFECYCLE_DESCS]; /* the descriptions that have been tried */
    uint8_t tried;                               /* descriptions that have been tried alone, */
    uint8_t usable;                              /* bit n: description n is right alone */
    uint8_t rounds;   /* the number of times that the calls of the case have been made since, or begun */
    uint8_t stage;    /* enum sequence_stage; after SEQUENCE_JUDGED, the members above stay the same */
    uint8_t hangs;    /* the process was late */
    uint8_t survived; /* the calls that were tried did not end the process */
    struct shrink shrink;
};

#endif
