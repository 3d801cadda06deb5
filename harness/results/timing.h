/* timing.h: decides from samples if a case became slower or faster. Times have the same unit on both sides. */
#ifndef RESULTS_TIMING_H
#define RESULTS_TIMING_H

#include <stddef.h>

enum timing_verdict { TIMING_UNTESTED, TIMING_SAME, TIMING_SLOWER, TIMING_FASTER, TIMING_VERDICTS };

/* "untested", "same", "slower", "faster". */
const char *timing_verdict_name(enum timing_verdict verdict);

enum { TIMING_MIN_SAMPLES = 5 }; /* per side; fewer samples are not tested */

struct timing {
    double before, after; /* medians */
    double ratio;         /* after / before: the Hodges-Lehmann median over all pairs of samples; the ratio of the
                           * medians where the test finds nothing or there are too many pairs */
    double p;             /* p-value of the two-sided Mann-Whitney test */
    double q;             /* false discovery rate of `p` among all tests made together */
    size_t before_count, after_count;
    enum timing_verdict verdict;
};

/* A difference counts from a factor of 1 + `effect`, at a false discovery rate of at most `rate`. */
struct timing_limits {
    double effect, rate;
};

/* Tests two sets of samples. Sets all members; q is 1, and the verdict TIMING_UNTESTED if there are too few samples,
 * else TIMING_SAME until timing_judge(). */
void timing_test(const double *before, size_t before_count, const double *after, size_t after_count,
                 struct timing *out);

/* Sets q and the verdict of tests made together. */
void timing_judge(struct timing *timings, size_t count, const struct timing_limits *limits);

/* Returns the number of repeats needed to find a single difference among `count` tests. */
unsigned timing_repeats_needed(size_t count, double rate);

#endif
