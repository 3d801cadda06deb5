/* sampled.h: a test that repeats something for all cases or operators does it for a sample, in seconds. Its argument
 * `whole` makes it do all, as long/test_whole.sh does. */
#ifndef TEST_SAMPLED_H
#define TEST_SAMPLED_H

#include "harness/case/testcase.h"

#include <string.h>

static bool sampled_whole;

/* A sample takes one operator of so many: operators of one family follow each other. */
enum { SAMPLED_OPERATORS = 5 };

/* Reads the arguments of main(). */
static inline void sampled_begin(int argc, char **argv)
{
    sampled_whole = argc > 1 && strcmp(argv[1], "whole") == 0;
}

/* Returns true if the test takes the operator of this number. */
static inline bool sample_takes_operator(int number)
{
    return sampled_whole || number % SAMPLED_OPERATORS == 2;
}

/* A test keeps its place in the plan, which has the cases of a strategy for an operator one after the other. */
struct sample {
    const struct spec *spec;
    const char *strategy;
    size_t number, next, after;
};

/* Returns true if the test takes this case. A sample has the cases 1, 2, 3, 5, 8, 13 and so on of each strategy for
 * each operator: some are odd and some are even, because violations and their twins take turns. */
static inline bool sample_takes(struct sample *s, const struct testcase *c)
{
    if (c->spec != s->spec || strcmp(c->strategy, s->strategy) != 0)
        *s = (struct sample){c->spec, c->strategy, 0, 1, 2};
    if (++s->number < s->next)
        return sampled_whole;
    size_t sum = s->next + s->after;
    s->next = s->after;
    s->after = sum;
    return true;
}

#endif
