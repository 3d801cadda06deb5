#include "harness/run/bisect.h"

#include <stdlib.h>
#include <string.h>

struct search {
    uint32_t *cases;   /* those that are left, in front, and those that it takes, at the end */
    size_t left, size; /* how many are left; where the end is */
    size_t taken;
    uint32_t *tried; /* room for as many */
    bisect_try try;
    void *context;
    struct error *error;
};

/* After the first `count` of those left, and what is taken. */
static int try_front(struct search *s, size_t count, bool *fails)
{
    memcpy(s->tried, s->cases, count * sizeof *s->tried);
    memcpy(s->tried + count, s->cases + s->size - s->taken, s->taken * sizeof *s->tried);
    return s->try(s->context, s->tried, count + s->taken, fails, s->error);
}

/* The length of the shortest front part that is enough. */
static int find_shortest(struct search *s, size_t *length)
{
    size_t passes = 0, fails = s->left;
    int result = 0;
    while (result == 0 && fails - passes > 1) {
        size_t middle = passes + (fails - passes) / 2;
        bool failed = false;
        result = try_front(s, middle, &failed);
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
        result = try_front(&s, 0, &enough);
    }
    memmove(before, before + s.size - s.taken, s.taken * sizeof *before);
    *count = s.taken;
    free(s.tried);
    return result;
}
