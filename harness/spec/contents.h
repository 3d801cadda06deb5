/* contents.h: what the inputs of a case may hold, as words that specs, strategies and case files use. */
#ifndef SPEC_CONTENTS_H
#define SPEC_CONTENTS_H

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

#endif
