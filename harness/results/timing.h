/* timing.h: whether something takes longer or less long than before. */
#ifndef RESULTS_TIMING_H
#define RESULTS_TIMING_H

#include <stddef.h>

enum timing_verdict { TIMING_UNTESTED, TIMING_SAME, TIMING_SLOWER, TIMING_FASTER, TIMING_VERDICTS };

/* "untested", "same", "slower", "faster". */
const char *timing_verdict_name(enum timing_verdict verdict);

enum { TIMING_MIN_SAMPLES = 5 }; /* a side; with fewer nothing is tested */

struct timing {
    double before, after; /* medians */
    double ratio;         /* the median of all after / before: how much longer it takes (Hodges-Lehmann); where there is
                           * nothing to be found, or samples are very many, that of the medians */
    double p;             /* of the Mann-Whitney test, two-sided */
    double q;             /* the false discovery rate that it stands for among all that were tested together */
    size_t before_count, after_count;
    enum timing_verdict verdict;
};

/* What is slower or faster: what differs by a factor of 1 + effect or more, at a false discovery rate of `rate`. */
struct timing_limits {
    double effect, rate;
};

/* Fills in all but q; the verdict is TIMING_UNTESTED where samples are too few, else TIMING_SAME as yet. */
void timing_test(const double *before, size_t before_count, const double *after, size_t after_count,
                 struct timing *out);

/* Fills in q and verdict of what was tested together. */
void timing_judge(struct timing *timings, size_t count, const struct timing_limits *limits);

/* How many repeats it takes to find a single one that differs among `count`. */
unsigned timing_repeats_needed(size_t count, double rate);

#endif
