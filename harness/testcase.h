/* testcase.h: one planned case: a description, what to put into its tensors, and what is expected of the device. */
#ifndef TESTCASE_H
#define TESTCASE_H

#include "harness/solve.h"
#include "harness/spec.h"

#include <stddef.h>

enum expectation {
    EXPECT_RESULTS,  /* accepted, and its outputs as the reference device's, or as given */
    EXPECT_ACCEPTED, /* accepted; too large to run, or inputs that are OWNED_BY_DML */
    EXPECT_EITHER,   /* accepted or rejected: the documents leave it open, and which it was is recorded */
    EXPECT_REJECTED  /* rejected, because it breaks `rule` */
};

/* What the elements of an input are. */
enum fill {
    FILL_ORDINARY, /* any bits, but for floats neither NaN, infinity nor denormal */
    FILL_SPARSE,   /* the same, half of them zero (both zeros, for floats) */
    FILL_SPECIAL,  /* zeros of both signs, infinities, NaNs; the extremes of integer types */
    FILL_DENORMAL, /* floats: smallest and largest denormals between ordinary values */
    FILL_ZERO,
    FILL_ONE,
    FILL_COUNTING, /* 0, 1, 2, … in row-major order */
    FILL_DISTINCT, /* no two elements of the data inputs alike, none zero */
    FILL_PATTERNS, /* the same as bits: 65,536 halves are all that there are */
    /* Inputs that are looked at for zeros, zero but for: */
    FILL_NONZERO_FIRST, /* the first element, */
    FILL_NONZERO_MIDDLE,
    FILL_NONZERO_LAST,
    FILL_NONZERO_ALTERNATING, /* every other one, */
    FILL_NONZERO_EDGES_32,    /* the last one of each chunk of 32, and the first two of the next */
    FILL_NONZERO_EDGES_64,
    FILL_NONZERO_EDGES_256,
    FILL_NONZERO_EDGES_1024,
    FILL_COUNT
};

/* Which indices an index tensor holds; in range but for the last three, where about half of the tuples are not. */
enum index_fill {
    INDEX_ANY,        /* anywhere, half of them negative where that is allowed */
    INDEX_POSITIVE,   /* 0 and up only */
    INDEX_NEGATIVE,   /* below 0 only */
    INDEX_FIRST,      /* 0, or its negative form, wherever indices need not be distinct */
    INDEX_LAST,       /* the last position, likewise */
    INDEX_EACH,       /* one position after the other, likewise */
    INDEX_DUPLICATES, /* several for each target that is to be distinct */
    INDEX_ABOVE,      /* just past the end */
    INDEX_BELOW,      /* just before the first of the negative ones */
    INDEX_FAR,        /* at the ends of the type, beyond 32 bits, with the highest bit set */
    INDEX_FILL_COUNT
};

extern const char *const fill_names[FILL_COUNT + 1];
extern const char *const index_fill_names[INDEX_FILL_COUNT + 1];

/* Elements given one by one, row-major over the logical coordinates; an output may give fewer than it has. */
struct literal {
    const void *data; /* null: none */
    uint32_t count;   /* elements */
};

struct testcase {
    const char *name;
    const char *strategy;
    const struct spec *spec;
    const struct opdesc *desc;      /* has room for the spec's fields only */
    const struct literal *literals; /* one per field of the spec, or null */
    int table;                      /* feature level, index in spec->levels */
    int rule;                       /* what it tests: index in spec->rules, -1: the operator as a whole */
    enum expectation expect;
    enum fill fill;
    enum index_fill index_fill;
    bool negative; /* indices may be negative: a signed type, at a level that has negative indices */
    bool soft;     /* a deviation is a warning */
    bool again;    /* what was compiled is dispatched twice, the second time with other contents and bindings */
};

/* Whether the case gives values that its outputs must have. */
bool testcase_has_outputs(const struct testcase *c);

/* Bytes of the part of an opdesc that a spec uses. */
size_t testcase_desc_size(const struct spec *spec);

/* The data types of a description, one a group of tensors that have the same, of the groups that may have several:
 * "float32-int64". Writes to `text` and returns it. */
enum { TESTCASE_TYPES_SIZE = 80 };
const char *testcase_types(const struct spec *spec, const struct opdesc *desc, char text[TESTCASE_TYPES_SIZE]);

/* Whether two descriptions of the operator say the same. */
bool testcase_same_desc(const struct spec *spec, const struct opdesc *a, const struct opdesc *b);

/* A case in one piece, to be sent to a worker, and back. `encode` returns the size, and writes if it is at most `room`.
 * `decode` points into `from`, which is aligned to 16 and stays; false: not a case. */
size_t testcase_encode(const struct testcase *c, const struct spec *specs, uint64_t seed, void *to, size_t room);
bool testcase_decode(const void *from, size_t size, const struct spec *specs, int spec_count, struct testcase *c,
                     struct literal literals[OPDESC_MAX_FIELDS], uint64_t *seed);

#endif
