#include "harness/run/bisect.h"

#include <stdlib.h>
#include <string.h>

struct search {
    uint32_t *cases; /* candidates at the front, cases found at the end */
    size_t left;     /* number of candidates */
    size_t size;     /* the size of `cases` */
    size_t taken;    /* number found */
    uint32_t *tried; /* buffer of the same size */
    bisect_try try;
    void *context;
    struct error *error;
};

/* Tries the first `count` candidates followed by the cases found. */
static int try_prefix(struct search *s, size_t count, bool *fails)
{
    memcpy(s->tried, s->cases, count * sizeof *s->tried);
    memcpy(s->tried + count, s->cases + s->size - s->taken, s->taken * sizeof *s->tried);
    return s->try(s->context, s->tried, count + s->taken, fails, s->error);
}

/* Finds the length of the shortest prefix that makes the case fail, by binary search. */
static int find_shortest(struct search *s, size_t *length)
{
    size_t passes = 0, fails = s->left;
    int result = 0;
    while (result == 0 && fails - passes > 1) {
        size_t middle = passes + (fails - passes) / 2;
        bool failed = false;
        result = try_prefix(s, middle, &failed);
        if (failed)
            fails = middle;
        else
            passes = middle;
    }
    *length = fails;
    return result;
}

/* Leaves out blocks of cases without which the case still fails: halves, then quarters, and so on. What follows then
 * tries thousands of cases at a time, not a whole plan. */
static int leave_out_blocks(struct search *s)
{
    enum { FEW = 2048 };
    int result = 0;
    for (size_t block = s->left / 2; result == 0 && s->left > FEW && block > 0; block /= 2) {
        for (size_t at = 0; result == 0 && s->left > FEW && at < s->left;) {
            size_t without = s->left - at < block ? s->left - at : block;
            bool fails = false;
            memcpy(s->tried, s->cases, at * sizeof *s->tried);
            memcpy(s->tried + at, s->cases + at + without, (s->left - at - without) * sizeof *s->tried);
            result = s->try(s->context, s->tried, s->left - without, &fails, s->error);
            if (fails) {
                s->left -= without;
                memcpy(s->cases, s->tried, s->left * sizeof *s->cases);
            } else
                at += without;
        }
    }
    return result;
}

int bisect(uint32_t *before, size_t *count, bisect_try try, void (*found)(void *context, uint32_t one), void *context,
           struct error *error)
{
    struct search s = {.cases = before,
                       .left = *count,
                       .size = *count,
                       .tried = malloc((*count + 1) * sizeof *s.tried),
                       .try = try,
                       .context = context,
                       .error = error};
    int result = s.tried ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    bool enough = false;
    if (result == 0)
        result = leave_out_blocks(&s);
    while (result == 0 && !enough && s.left > 0) {
        size_t length;
        result = find_shortest(&s, &length);
        if (result)
            break;
        uint32_t one = s.cases[length - 1];
        s.left = length - 1;
        s.taken++;
        s.cases[s.size - s.taken] = one;
        if (found)
            found(context, one);
        result = try_prefix(&s, 0, &enough);
    }
    memmove(before, before + s.size - s.taken, s.taken * sizeof *before);
    *count = s.taken;
    free(s.tried);
    return result;
}
