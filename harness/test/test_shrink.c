/* Shrinking by delta debugging: minimality, the number of tests, determinism. */
#include "harness/base/shrink.h"
#include "harness/base/random.h"
#include "tools/tap.h"

#include <string.h>

enum { PARTS = 200, ROUNDS = 200, MOST = 1000000 };

/* A predicate: the needed parts, or a hash of the kept parts, decide about the failure. */
struct predicate {
    uint32_t count;
    bool needed[PARTS];
    uint64_t hash; /* not 0: a hash of the kept parts decides, and the needed parts do not matter */
};

static bool fails(const struct predicate *p, const struct shrink *s)
{
    uint64_t hash = p->hash;
    bool all = true, whole = true;
    for (uint32_t i = 0; i < p->count; i++) {
        bool kept = s->parts[i] == SHRINK_KEPT;
        hash = random_mix(hash + kept + 1);
        all &= kept || !p->needed[i];
        whole &= kept;
    }
    return p->hash ? whole || hash % 3 == 0 : all;
}

static struct predicate draw(struct random *random, bool hashed)
{
    struct predicate p = {.count = 1 + random_below(random, PARTS)};
    p.hash = hashed ? random_next(random) | 1 : 0;
    uint32_t needed = random_below(random, 2) ? random_below(random, 8) : random_below(random, PARTS);
    for (uint32_t i = 0; i < needed; i++)
        p.needed[random_below(random, p.count)] = true;
    return p;
}

static uint32_t kept_of(const struct shrink *s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++)
        kept += s->parts[i] == SHRINK_KEPT;
    return kept;
}

static void run(const struct predicate *p, struct shrink *s, uint32_t together, uint32_t most)
{
    shrink_start(s, p->count, together, most);
    while (shrink_next(s))
        shrink_answer(s, fails(p, s));
}

/* Returns true if the result fails, and does not without any single part. */
static bool is_minimal(const struct predicate *p, struct shrink *s)
{
    bool minimal = fails(p, s);
    for (uint32_t i = 0; i < p->count && minimal; i++)
        if (s->parts[i] == SHRINK_KEPT) {
            s->parts[i] = SHRINK_OUT;
            minimal = !fails(p, s);
            s->parts[i] = SHRINK_KEPT;
        }
    return minimal;
}

/* Returns a bound of the tests if `needed` parts decide: most candidates of a pass hold one of them, or were tried
 * together with one in the pass before. */
static uint32_t bound_of(uint32_t count, uint32_t needed)
{
    uint32_t passes = 2;
    for (uint32_t size = count; size > 1; size /= 2)
        passes++;
    return 4 * (needed + 1) * passes;
}

static void is_int(int got, int expected, const char *what)
{
    if (!ok(got == expected, "%s", what))
        note("got %d, expected %d", got, expected);
}

static void test_needed_parts(void)
{
    struct random random = {.key = 1};
    int minimal = 0, few = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct predicate p = draw(&random, false);
        struct shrink s;
        run(&p, &s, p.count / 2, MOST);
        bool exact = true;
        uint32_t needed = 0;
        for (uint32_t part = 0; part < p.count; part++) {
            exact &= (s.parts[part] == SHRINK_KEPT) == p.needed[part];
            needed += p.needed[part];
        }
        minimal += exact;
        few += s.tests <= bound_of(p.count, needed);
    }
    is_int(minimal, ROUNDS, "exactly the needed parts are left");
    is_int(few, ROUNDS, "after few tests");
}

static void test_any_predicate(void)
{
    struct random random = {.key = 2};
    int minimal = 0, bounded = 0, together = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct predicate p = draw(&random, true);
        struct shrink s;
        run(&p, &s, i & 1 ? p.count / 2 : 1, MOST);
        minimal += is_minimal(&p, &s);
        bounded += s.tests <= p.count * (p.count + 3);
        together += s.together == 1;
    }
    is_int(minimal, ROUNDS, "no single part can be left out, whatever the predicate");
    is_int(bounded, ROUNDS, "the tests are at most the square of the parts");
    is_int(together, ROUNDS, "the last pass tries the parts one by one");
}

/* Another process goes on with a copy of the state after each step. */
static void test_resumed(void)
{
    struct random random = {.key = 3};
    int same = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct predicate p = draw(&random, i & 1);
        struct shrink whole, here, there;
        run(&p, &whole, p.count / 2, MOST);
        shrink_start(&here, p.count, p.count / 2, MOST);
        while (shrink_next(&here)) {
            memcpy(&there, &here, sizeof there);
            shrink_answer(&there, fails(&p, &here));
            memcpy(&here, &there, sizeof here);
        }
        same += memcmp(&whole, &here, sizeof here) == 0;
    }
    is_int(same, ROUNDS, "the steps of several processes choose the same parts as those of one");
}

static void test_limit(void)
{
    struct random random = {.key = 4};
    int kept = 0, failing = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const struct predicate p = draw(&random, i & 1);
        struct shrink s;
        run(&p, &s, p.count / 2, (uint32_t)i % 20);
        kept += s.tests <= (uint32_t)i % 20;
        failing += fails(&p, &s);
    }
    is_int(kept, ROUNDS, "the limit of the tests is kept");
    is_int(failing, ROUNDS, "a result that the limit cuts short fails, too");
}

/* The caller leaves out the parts that have no effect without an earlier part, and they are not tried. */
static void test_idle_parts(void)
{
    struct predicate p = {.count = 100, .needed[0] = true};
    struct shrink s;
    int tried = 0;
    shrink_start(&s, p.count, 1, MOST);
    memset(s.parts + 50, SHRINK_OUT, 50);
    while (shrink_next(&s)) {
        for (int i = 50; i < 100; i++)
            tried += s.parts[i] == SHRINK_TRIED;
        shrink_answer(&s, fails(&p, &s));
    }
    is_int(tried, 0, "parts that the caller has left out are not tried");
    is_int((int)s.tests, 50, "the others are tried once each");
    is_int((int)kept_of(&s), 1, "and the needed part is left");
    shrink_start(&s, 0, 0, MOST);
    ok(!shrink_next(&s), "without parts there is no candidate");
}

int main(void)
{
    test_needed_parts();
    test_any_predicate();
    test_resumed();
    test_limit();
    test_idle_parts();
    return tap_done();
}
