/* statistics.h: decides whether two sets of measurements differ, whatever their distribution: times are skewed, with
 * outliers on one side. */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

/* Returns the median of `count` values; 0 if there are none. */
double statistics_median(const double *values, size_t count);

/* Stores the quartiles of `count` values, of which the second is the median; a quartile between two values is
 * interpolated. Without values, stores zeros. */
void statistics_quartiles(const double *values, size_t count, double quartiles[3]);

/* Returns the number of values that lie outside the first and third quartile by more than 1.5 times the distance
 * between these two. */
size_t statistics_outliers(const double *values, size_t count, const double quartiles[3]);

/* The Mann-Whitney test is exact for up to this many values in both sets together. */
enum { STATISTICS_EXACT_MAX = 40 };

/* Returns the two-sided p-value of the Mann-Whitney (Wilcoxon rank-sum) test: the probability that two sets from the
 * same distribution have ranks at least as far apart as these. Equal values share their mean rank. The p-value is
 * exact, by counting all ways to split the values with their ties, up to STATISTICS_EXACT_MAX values, and approximate
 * above that. It is 1 if a set is empty. */
double statistics_mann_whitney(const double *x, size_t x_count, const double *y, size_t y_count);

/* Returns the same by the normal approximation, corrected for ties and continuity: it is fast, and too cautious in the
 * far tail. */
double statistics_mann_whitney_approximate(const double *x, size_t x_count, const double *y, size_t y_count);

/* Returns the smallest p-value that sets of these sizes can have. */
double statistics_mann_whitney_least(size_t x_count, size_t y_count);

/* Replaces `count` p-values with the false discovery rates of Benjamini and Hochberg: among all tests with a rate of at
 * most q, the expected share of false alarms is at most q. */
void statistics_false_discovery(double *p, size_t count);

#endif
