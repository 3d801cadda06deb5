#include "harness/run/bisect.h"

#include <stdlib.h>
#include <string.h>

struct search {
    uint32_t *cases; /* candidates at the front, cases found at the end */
    size_t left;     /* number of candidates */
    size_t size;     /* of `cases` */
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
