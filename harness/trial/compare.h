/* compare.h: compares an output with the expected one, bit for bit. */
#ifndef TRIAL_COMPARE_H
#define TRIAL_COMPARE_H

#include "harness/spec/opdesc.h"
#include "harness/trial/verdict.h"

enum agreement {
    AGREES,
    AGREES_SOFTLY, /* except for what copying may change: the payload of a NaN, a FLOAT32 denormal flushed to zero */
    DIFFERS
};

/* What outputs hold before the dispatch. No byte equals the expected one, so that every byte that is not written is
 * wrong. */
enum poison {
    POISON_COMPLEMENT, /* the complement of the expected bytes: no bit is right */
    POISON_ONES        /* 0xFF, or 0x7F where that is expected: NaN or -1, for devices that compute with it */
};

/* Fills `size` bytes of an output with poison. */
void compare_poison(enum poison poison, const uint8_t *expected, uint8_t *output, uint64_t size);

/* Writes down a wrong element: its coordinates, and both values with their bits. */
void compare_note(const struct opdesc_tensor *t, const uint32_t *coordinates, const uint8_t *expected,
                  const uint8_t *got, struct wrong *out);

struct comparison {
    enum agreement agreement;
    uint64_t compared, wrong, unwritten; /* elements; unwritten: the wrong ones that still hold poison */
    uint64_t open;                       /* elements that differ from the expected one where an alternative does, too */
    uint64_t unmatched;                  /* the open ones that equal no alternative */
    uint64_t checksum;                   /* of the elements that differ and are not open, soft or wrong; 0: none */
    struct wrong
        first; /* the first wrong element; if none, the first soft one; if none, the first open one. The caller sets
                           its tensor */
};

/* Compares the first `count` elements, in row-major order of the logical coordinates. Ignores the gaps between them.
 * Both have the layout of `t`. */
void compare_output(const struct opdesc_tensor *t, enum poison poison, const uint8_t *expected, const uint8_t *got,
                    uint64_t count, struct comparison *out);

/* Does the same, but an element is open where one of the `alternatives`, outputs of the same layout, differs from the
 * expected one. An open element that differs counts as open, not as wrong. */
void compare_output_open(const struct opdesc_tensor *t, enum poison poison, const uint8_t *expected, const uint8_t *got,
                         uint64_t count, const uint8_t *const alternatives[], int alternative_count,
                         struct comparison *out);

#endif
