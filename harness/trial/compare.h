/* compare.h: compares an output with the expected one, bit for bit. */
#ifndef TRIAL_COMPARE_H
#define TRIAL_COMPARE_H

#include "harness/case/given.h"
#include "harness/spec/opdesc.h"
#include "harness/trial/verdict.h"

enum agreement {
    AGREES,
    AGREES_SOFTLY, /* except for changes by copying: the payload of a NaN, a FLOAT32 denormal flushed to zero */
    DIFFERS
};

/* The contents of an output before the dispatch: random bytes or a pattern, which do not depend on the expected output;
 * or the bytes of an input that shares the memory. */
struct prefill {
    enum {
        PREFILL_RANDOM,
        PREFILL_INVERTED, /* no bit equals that of PREFILL_RANDOM with the same key */
        PREFILL_ONES,     /* 0xFF: NaN or -1, for devices that compute with the old contents */
        PREFILL_INPUT     /* the bytes of `input`, which may well equal the expected output */
    } pattern;
    uint64_t key;
    const uint8_t *input;
};

/* Fills `size` bytes of an output. */
void compare_prefill(const struct prefill *prefill, uint8_t *output, uint64_t size);

/* Returns the bits of an element of the prefill: by width and index, as in datatype.h. */
uint64_t compare_prefill_element(const struct prefill *prefill, unsigned width, uint64_t index);

/* Writes down a wrong element: its coordinates, and both values with their bits. */
void compare_note(const struct opdesc_tensor *t, const uint32_t *coordinates, uint64_t expected, uint64_t got,
                  struct wrong *out);

struct comparison {
    enum agreement agreement;
    uint64_t compared, wrong, unwritten; /* elements; unwritten: the wrong ones that still hold the prefill */
    uint64_t open;                       /* elements that differ from the expected one where an alternative does, too */
    uint64_t unmatched;                  /* the open ones that equal no alternative */
    uint64_t checksum; /* the checksum of the elements that differ and are not open, soft or wrong; 0: none */
    /* The first wrong element; if none, the first soft one; if none, the first open one. The caller sets its tensor. */
    struct wrong first;
    /* The members below are for outputs with formulas (computed.h). */
    uint64_t soft;            /* elements between the soft and the must bound, or with a soft alternative */
    int soft_rule;            /* the behaviour with the first soft alternative; -1: none */
    const char *soft_outcome; /* the alternative of that behaviour */
    const char *outcome;      /* the outcome that the elements show for the tested behaviour; "": none */
    struct largest_error error;
    char error_place[VERDICT_PLACE_SIZE]; /* as in struct symptoms, without the tensor */
};

/* Compares the first `count` elements, in row-major order of the logical coordinates. Ignores the gaps between them.
 * Both outputs have the layout of `t`. `prefill`: the old contents of `got`; null: nothing is known. */
void compare_output(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *expected,
                    const uint8_t *got, uint64_t count, struct comparison *out);

/* Does the same, but elements that are near by `tolerance` (null: none) agree. */
void compare_output_near(const struct opdesc_tensor *t, const struct prefill *prefill,
                         const struct given_tolerance *tolerance, const uint8_t *expected, const uint8_t *got,
                         uint64_t count, struct comparison *out);

/* Tells if the first `count` elements still hold the prefill. A small output may be right by chance. Returns TOUCHED if
 * there are no elements. */
enum untouched { TOUCHED, PERHAPS_UNTOUCHED, UNTOUCHED };
enum untouched compare_untouched(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *got,
                                 uint64_t count);

/* Compares as compare_output() does, but an element is open where one of the `alternatives`, outputs of the same
 * layout, differs from the expected one. An open element that differs counts as open, not as wrong. */
void compare_output_open(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *expected,
                         const uint8_t *got, uint64_t count, const uint8_t *const alternatives[], int alternative_count,
                         struct comparison *out);

#endif
