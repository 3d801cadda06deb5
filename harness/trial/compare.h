/* compare.h: an output against what was expected, bit for bit. */
#ifndef TRIAL_COMPARE_H
#define TRIAL_COMPARE_H

#include "harness/spec/opdesc.h"
#include "harness/trial/verdict.h"

enum agreement {
    AGREES,
    AGREES_SOFTLY, /* but for what copying may change: the payload of a NaN, a FLOAT32 denormal flushed to zero */
    DIFFERS
};

/* What outputs hold before they are written: no byte is the one that is expected there, so that what is not written is
 * wrong, in whatever small part. */
enum poison {
    POISON_COMPLEMENT, /* of what is expected: no bit is right */
    POISON_ONES        /* NaN and -1, which neither adding nor multiplying by zero makes go away */
};

void compare_poison(enum poison poison, const uint8_t *expected, uint8_t *output, uint64_t size);

struct comparison {
    enum agreement agreement;
    uint64_t compared, wrong, unwritten; /* elements; unwritten: of the wrong ones, those that still are poison */
    uint64_t open,      /* elements that differ where alternatives do too: the documents do not settle them; */
        unmatched;      /* of these, those that are none of the alternatives */
    uint64_t checksum;  /* of the settled elements that are not the expected bits, soft or wrong; 0: none */
    struct wrong first; /* the first element that is not equal; its tensor is left to the caller */
};

/* Compares the first `count` elements in row-major order of the logical coordinates; what lies between is not looked
 * at. Both have the layout of `t`. */
void compare_output(const struct opdesc_tensor *t, enum poison poison, const uint8_t *expected, const uint8_t *got,
                    uint64_t count, struct comparison *out);

/* The same where some elements are open: those where one of the `alternatives`, outputs of the same layout, is not as
 * expected. What differs there is counted as open, not as wrong; it is shown as the first if nothing is wrong. */
void compare_output_open(const struct opdesc_tensor *t, enum poison poison, const uint8_t *expected, const uint8_t *got,
                         uint64_t count, const uint8_t *const alternatives[], int alternative_count,
                         struct comparison *out);

#endif
