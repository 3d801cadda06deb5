/* The search for the cases that make a case fail, with simulated conditions. */
#include "harness/run/bisect.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { CASES_MAX = 1000, MANY = 100000 };

struct world {
    uint32_t culprits[8]; /* the case fails after all of these in this order */
    int count;
    uint32_t healer;   /* the case that undoes those before it; CASES_MAX: none */
    size_t tries, ran; /* cases that all tries have run */
    int error_at;      /* the try that fails with an error; 0: none */
    uint32_t found[8];
    int found_count;
};

static int test_bisect_try(void *context, const uint32_t *before, size_t count, bool *fails, struct error *error)
{
    struct world *w = context;
    int met = 0;
    w->ran += count;
    if (++w->tries == (size_t)w->error_at)
        return error_set(error, EXIT_INCOMPLETE, "interrupted");
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && before[i] <= before[i - 1])
            ok(0, "tried in order");
        if (before[i] == w->healer)
            met = 0;
        if (met < w->count && before[i] == w->culprits[met])
            met++;
    }
    *fails = met == w->count;
    return 0;
}

static void test_bisect_found(void *context, uint32_t one)
{
    struct world *w = context;
    w->found[w->found_count++] = one;
}

static void test(const char *what, struct world world, size_t size, size_t max)
{
    uint32_t before[CASES_MAX];
    struct error error = {0};
    size_t count = size;
    for (uint32_t i = 0; i < size; i++)
        before[i] = i;
    int result = bisect(before, &count, test_bisect_try, test_bisect_found, &world, &error);
    bool same = count == (size_t)world.count && memcmp(before, world.culprits, count * sizeof *before) == 0;
    if (!ok(result == 0 && same && world.tries <= max, "%s: found in %zu tries, at most %zu", what, world.tries, max))
        note("%zu found, the first %u", count, count ? before[0] : 0);
    bool reported = world.found_count == world.count;
    for (int i = 0; i < world.found_count && reported; i++)
        reported = world.found[i] == world.culprits[world.count - 1 - i];
    ok(reported, "  and found() gets each one, the last one first");
}

int main(void)
{
    test("the only one", (struct world){.culprits = {0}, .count = 1, .healer = CASES_MAX}, 1, 1);
    test("the first of many", (struct world){.culprits = {0}, .count = 1, .healer = CASES_MAX}, CASES_MAX, 11);
    test("the last of many", (struct world){.culprits = {CASES_MAX - 1}, .count = 1, .healer = CASES_MAX}, CASES_MAX,
         11);
    test("one in the middle", (struct world){.culprits = {517}, .count = 1, .healer = CASES_MAX}, CASES_MAX, 11);
    test("two far apart", (struct world){.culprits = {3, 990}, .count = 2, .healer = CASES_MAX}, CASES_MAX, 22);
    test("two neighbours", (struct world){.culprits = {500, 501}, .count = 2, .healer = CASES_MAX}, CASES_MAX, 22);
    test("both ends", (struct world){.culprits = {0, CASES_MAX - 1}, .count = 2, .healer = CASES_MAX}, CASES_MAX, 22);
    test("five", (struct world){.culprits = {1, 2, 400, 401, 800}, .count = 5, .healer = CASES_MAX}, CASES_MAX, 55);
    test("all", (struct world){.culprits = {0, 1, 2, 3}, .count = 4, .healer = CASES_MAX}, 4, 12);
    test("after one that undoes those before it", (struct world){.culprits = {700, 800}, .count = 2, .healer = 600},
         CASES_MAX, 22);

    struct world large = {.culprits = {30123, 98765}, .count = 2, .healer = MANY};
    uint32_t *many = malloc(MANY * sizeof *many);
    size_t left = MANY;
    for (uint32_t i = 0; many && i < MANY; i++)
        many[i] = i;
    ok(many && bisect(many, &left, test_bisect_try, NULL, &large, NULL) == 0 && left == 2 && many[0] == 30123 &&
           many[1] == 98765,
       "two of a whole plan");
    ok(large.ran < 7 * (size_t)MANY, "  in tries that run %zu cases, less than seven plans", large.ran);
    free(many);

    struct world broken = {.culprits = {3, 990}, .count = 2, .healer = CASES_MAX, .error_at = 5};
    struct error error = {0};
    uint32_t before[CASES_MAX];
    size_t count = CASES_MAX;
    for (uint32_t i = 0; i < CASES_MAX; i++)
        before[i] = i;
    ok(bisect(before, &count, test_bisect_try, NULL, &broken, &error) == EXIT_INCOMPLETE && broken.tries == 5,
       "an error ends the search");
    return tap_done();
}
