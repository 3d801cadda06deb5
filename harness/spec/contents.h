/* contents.h: kinds of input contents, with the words that specs, strategies and case files use for them. */
#ifndef SPEC_CONTENTS_H
#define SPEC_CONTENTS_H

/* Elements of an input. */
enum fill {
    FILL_ORDINARY,        /* random bits, floats without NaNs, infinities and denormals; an operator that computes gets
                           * the domain in its spec, or floats from -1024 to 1024 and any integers */
    FILL_SPARSE,          /* as FILL_ORDINARY, but half of the elements are zero; floats have zeros of both signs */
    FILL_SPECIAL,         /* zeros of both signs, infinities, NaNs; the extremes of integer types */
    FILL_DENORMAL,        /* floats: smallest and largest denormals between ordinary values */
    FILL_SIGNALLING_NANS, /* floats: every element is a signalling NaN with a random payload */
    FILL_DENORMALS,       /* floats: every element is a denormal: the smallest, the largest or a random one */
    FILL_ZERO,
    FILL_ONE,
    FILL_COUNTING, /* 0, 1, 2, … in row-major order */
    FILL_DISTINCT, /* all elements of all data inputs differ, and none is zero */
    FILL_PATTERNS, /* the elements count in bits: 65,536 of them have every FLOAT16 pattern, or every pair of bytes */
    FILL_EACH,     /* the bits of all inputs together count up from the case's `first`: every combination in turn */
    /* The next four are for operators that compute. */
    FILL_DYADIC, /* multiples of 1/4 up to 5.5, or integers up to 11: results are exact */
    FILL_UNITS,  /* 1 and -1, and a few times 2: sums and products of long rows are exact in any order */
    FILL_PEAKS, /* 1, but each row of the longest dimension has one 2 and one 0, at its ends or next to a tile's edge */
    FILL_ANY_INTEGERS, /* floats are ordinary, integers have any value, whatever the domain is */
    /* The next fourteen are contents of the first input; the others are ordinary. */
    FILL_SPIKES,     /* 0, but each of the longest rows has one 24, at its ends or next to a tile's edge */
    FILL_CONSTANT,   /* all elements are one ordinary number */
    FILL_OFFSET,     /* 200 plus eighths, so that differences are small; integers lie from 100 to 107 */
    FILL_NOT_FINITE, /* floats: ordinary, but each of the longest rows has a NaN or an infinity where spikes are */
    FILL_FAR_BELOW,  /* -10000 and slightly above, of integers of 8 bits -100; unsigned integers lie from 0 to 7 */
    FILL_FAR_ABOVE,  /* 10000 and slightly above, of 8 bits 100 */
    FILL_MASKED,     /* ordinary, but half of the elements are -10000, of 8 bits -100; unsigned integers 0 */
    FILL_MASKED_OUT, /* the same, but floats are minus infinity instead */
    FILL_HUGE,       /* ordinary, but each of the longest rows has one element far above all others where spikes are */
    FILL_CLOSE,      /* 1 and less than 1/1000 above it; integers are 7 and 8 */
    FILL_SMALL,      /* multiples of 2^-14 between -7 * 2^-14 and 7 * 2^-14; integers from -1 to 1 */
    FILL_HUNDRED,    /* multiples of 1/8 between -110 and 110, where powers of e are at the limits of the types */
    FILL_LEAST,      /* floats: minus infinity; integers: the least of the type */
    FILL_GREATEST,   /* floats: infinity; integers: the greatest of the type */
    /* The next three are contents of all inputs. */
    FILL_PAIRS,   /* special values of the types, limits of the output's type, attributes: every combination in turn */
    FILL_CHOICE,  /* elements for which the behaviour under test leaves a choice */
    FILL_SETTLED, /* special values for which no behaviour leaves a choice */
    /* The rest are zero except for the elements that their names say. */
    FILL_NONZERO_FIRST,
    FILL_NONZERO_MIDDLE,
    FILL_NONZERO_LAST,
    FILL_NONZERO_ALTERNATING, /* every other element */
    FILL_NONZERO_EDGES_32,    /* the last element of each chunk of 32, and the first two of the next */
    FILL_NONZERO_EDGES_64,
    FILL_NONZERO_EDGES_256,
    FILL_NONZERO_EDGES_1024,
    FILL_COUNT
};

/* The elements of an index tensor. Indices are in range, except that the last three kinds put one tuple and about half
 * of the others out of range. Where coordinates share memory, a position is the first or last one of the smallest of
 * their dimensions. */
enum index_fill {
    INDEX_ANY,        /* random, half of them negative where that is allowed */
    INDEX_POSITIVE,   /* no index is below 0 */
    INDEX_NEGATIVE,   /* every index is below 0 */
    INDEX_FIRST,      /* 0, or its negative form, unless indices must be distinct */
    INDEX_LAST,       /* the last position, unless indices must be distinct */
    INDEX_EACH,       /* each position in turn, unless indices must be distinct */
    INDEX_DESCENDING, /* the last position, the one before it, and so on; no index is below 0 */
    INDEX_DUPLICATES, /* several indices have one target although indices should be distinct */
    INDEX_ABOVE,      /* just past the end */
    INDEX_BELOW,      /* just below the lowest negative index */
    INDEX_FAR,        /* at the ends of the type, beyond 32 bits, with the highest bit set */
    INDEX_FILL_COUNT
};

/* The words are in the order of the enums and end with null. */
extern const char *const fill_names[FILL_COUNT + 1];
extern const char *const index_fill_names[INDEX_FILL_COUNT + 1];

#endif
