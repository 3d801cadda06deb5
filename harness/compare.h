/* compare.h: an output against what was expected, bit for bit. */
#ifndef COMPARE_H
#define COMPARE_H

#include "harness/opdesc.h"
#include "harness/record.h"

enum agreement {
    AGREES,
    AGREES_SOFTLY, /* but for what copying may change: the payload of a NaN, a FLOAT32 denormal flushed to zero */
    DIFFERS
};

struct comparison {
    enum agreement agreement;
    uint64_t compared, wrong,
        unwritten;      /* elements; unwritten: of the wrong ones, those that hold the complement of what
                                          * was expected, with which outputs are filled beforehand */
    uint64_t checksum;  /* of the elements that are not the expected bits, soft or wrong; 0: none */
    struct wrong first; /* the first element that is not equal; its tensor is left to the caller */
};

/* Compares the first `count` elements in row-major order of the logical coordinates; what lies between is not looked
 * at. Both have the layout of `t`. */
void compare_output(const struct opdesc_tensor *t, const uint8_t *expected, const uint8_t *got, uint64_t count,
                    struct comparison *out);

#endif
