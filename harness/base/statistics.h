/* statistics.h: whether two sets of measurements differ. No assumption is made about how measurements are distributed:
 * times are skewed, with outliers on one side. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

/* The median of `count` values; 0 of none. */
double statistics_median(const double *values, size_t count);

/* Up to this many values in both sets together, the Mann-Whitney test is exact. */
enum { STATISTICS_EXACT_MAX = 40 };

/* Two-sided p-value of the Mann-Whitney (Wilcoxon rank-sum) test: how probable it is, when both sets come from the same
 * distribution, that their ranks lie as far apart as they do. Equal values share their mean rank. Exact, by counting all
 * ways to split the values, ties as they are, up to STATISTICS_EXACT_MAX; approximate beyond. 1 where a set is empty. */
double statistics_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count);

/* The same by the normal distribution, corrected for ties and continuity: fast, and too cautious in the far tail. */
double statistics_mann_whitney_approximate(const double *x, size_t x_count, const double *y, size_t y_count);

/* The least p-value that sets of these sizes can have. */
double statistics_mann_whitney_least(size_t x_count, size_t y_count);

/* Makes of `count` p-values, in place, the false discovery rates of Benjamini and Hochberg: among all tests whose value
 * then is at most q, a share of q is expected to be false alarms. */
void statistics_false_discovery(double *p, size_t count);

#endif
