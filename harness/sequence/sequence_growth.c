/* sequence_growth.c: judges the resources that the process uses while the same calls are made again and again. The
 * usage must level off.
 *
 * The device's process makes the calls, without the judge; the judge measures between rounds. A measure that grows
 * in two rounds is suspected, and tried further, in rounds that become longer: caches are full some time, and
 * garbage is collected some time, at the latest when the process holds three times as much as at first. Only a
 * measure that has grown beyond that, and by as much a call in every round, is a failure. So a device that frees its
 * objects costs a few milliseconds, and so does a device that does not. All times are those of the device's process:
 * on a busy machine the search takes longer, and finds the same. */
#include "harness/sequence/sequence_internal.h"

#include <stdio.h>

enum {
    SLOW_NS = 2000000,     /* a device that takes longer for the calls makes them once before its usage counts, */
    WARM_UP = 4,           /* other devices make them so many times more */
    LEAST = 2,             /* repeats of the first rounds, */
    MOST = 32,             /* at most, */
    ROUND_NS = 2000000,    /* in about this time */
    LONGEST_NS = 250000000 /* no round is longer */
};
/* The last round starts after FEW_NS, or after MANY_NS, if a measure has grown by a part of the growth that is a
 * failure. */
static const uint64_t FEW_NS = 1500000000, MANY_NS = 8000000000;
enum { PART = 8 };
/* A collector such as Lua's runs when memory has doubled, and memory still grows while it runs. */
enum { GARBAGE = 2 };

#if defined(ASSAY_SANITIZED)
enum { SEES_PAGES = 0 }; /* this allocator keeps freed memory, to find uses of it */
#else
enum { SEES_PAGES = 1 };
#endif

/* A measure of the usage, which can grow. */
struct measure {
    const char *what;
    uint64_t (*of)(const struct step_usage *usage);
    uint64_t suspect; /* growth of a round of MOST repeats; proportionally less if it has fewer, */
    uint64_t least;   /* but at least this */
    uint64_t enough;  /* growth since the first round that is a failure, */
    /* The growth must also be at least GARBAGE times this part of the first usage; null: 0. */
    uint64_t (*collected)(const struct step_usage *usage);
    uint64_t late; /* growth that is a failure when the time is up */
    bool pages;
};

static uint64_t bytes_of(const struct step_usage *u)
{
    return u->bytes;
}

static uint64_t private_of(const struct step_usage *u)
{
    return u->private_kib;
}

static uint64_t space_of(const struct step_usage *u)
{
    return u->space_kib;
}

static uint64_t mappings_of(const struct step_usage *u)
{
    return u->mappings;
}

static uint64_t files_of(const struct step_usage *u)
{
    return u->files;
}

static uint64_t threads_of(const struct step_usage *u)
{
    return u->threads;
}

/* The measures that say most about the reason come first. */
static const struct measure measures[] = {
    {"threads", threads_of, 8, 2, 48, NULL, 16, false},
    {"files", files_of, 8, 2, 128, files_of, 16, false},
    {"mappings", mappings_of, 8, 2, 128, NULL, 16, false},
    {"bytes of memory", bytes_of, 512, 64, 4 << 20, bytes_of, UINT64_MAX, false},
    {"KiB of memory", private_of, 64, 32, 8 << 10, private_of, UINT64_MAX, true},
    {"KiB of address space", space_of, 128, 64, 64 << 10, private_of, UINT64_MAX, true},
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* The course of one measure. */
struct course {
    bool suspected;
    uint64_t first, last; /* the values after the warm-up and after the last round */
    uint64_t base;        /* the growth that a collector of garbage may allow before it runs */
    double rate;          /* growth a repeat, in the round that grew least */
};

static void sequence_growth_blame(struct sequence *s, const struct measure *m, const struct course *course,
                                  uint32_t times)
{
    s->failure = (struct sequence_failure){.failed = true, .status = STATUS_FAIL, .promise = PROMISE_FREES};
    snprintf(s->failure.text, sizeof s->failure.text,
             "the process has %llu %s more after the same calls have been made %u times: they are not freed",
             (unsigned long long)(course->last - course->first), m->what, times);
}

/* Updates the courses by a round. Returns the number of measures that are still suspected. */
static int sequence_growth_look(const struct sequence *s, struct course courses[MEASURES], uint32_t times)
{
    int suspected = 0;
    for (int i = 0; i < MEASURES; i++) {
        const struct measure *m = &measures[i];
        struct course *c = &courses[i];
        uint64_t now = m->of(&s->usage), grown = now > c->last ? now - c->last : 0;
        uint64_t least = m->suspect * times / MOST > m->least ? m->suspect * times / MOST : m->least;
        double rate = (double)grown / times;
        c->suspected &= grown >= least && rate >= c->rate * 0.75 && (SEES_PAGES || !m->pages);
        c->rate = c->rate > 0 && c->rate < rate ? c->rate : rate;
        c->last = now;
        suspected += c->suspected;
    }
    return suspected;
}

/* Returns true if a suspected measure is on the way to a failure. */
static bool goes_on(const struct course courses[MEASURES])
{
    for (int i = 0; i < MEASURES; i++) {
        const struct course *c = &courses[i];
        uint64_t grown = c->last > c->first ? c->last - c->first : 0;
        if (c->suspected && grown >= measures[i].enough / PART && grown >= c->base / PART)
            return true;
    }
    return false;
}

/* Returns the first suspected measure that has grown enough for a failure; -1 if there is none. If `late`, when the
 * time is up, a measure that counts single objects need not have grown as much. */
static int find_guilty(const struct course courses[MEASURES], bool late)
{
    for (int i = 0; i < MEASURES; i++) {
        const struct measure *m = &measures[i];
        const struct course *c = &courses[i];
        uint64_t grown = c->last > c->first ? c->last - c->first : 0;
        if (c->suspected && ((grown >= m->enough && grown >= c->base) || (late && grown >= m->late)))
            return i;
    }
    return -1;
}

/* Makes the first calls. Returns the time that the calls take; 0 if one failed. */
static uint64_t sequence_growth_warm_up(struct sequence *s)
{
    if (!sequence_repeat(s, 1))
        return 0;
    uint64_t each = s->repeat_ns + 1;
    if (each > SLOW_NS)
        return each;
    return sequence_repeat(s, WARM_UP) ? (s->repeat_ns + 1 - each) / WARM_UP + 1 : 0;
}

/* Returns the least number of repeats: devices that start a program may take seconds for one. */
static uint32_t least_times(uint64_t each)
{
    return each > LONGEST_NS ? 1 : LEAST;
}

static uint32_t first_times(uint64_t each)
{
    if (ROUND_NS / each < LEAST)
        return least_times(each);
    return ROUND_NS / each > MOST ? MOST : (uint32_t)(ROUND_NS / each);
}

static uint32_t more_times(uint32_t times, uint64_t each)
{
    if (times * 2 * each < LONGEST_NS)
        return times * 2;
    return LONGEST_NS / each < LEAST ? least_times(each) : (uint32_t)(LONGEST_NS / each);
}

static void fail_again(struct sequence *s)
{
    s->failure = (struct sequence_failure){.failed = true, .status = STATUS_FAIL, .promise = PROMISE_INDEPENDENT};
    snprintf(s->failure.text, sizeof s->failure.text, "a call failed when the same calls were made again and again");
}

static void judge_rounds(struct sequence *s)
{
    struct course courses[MEASURES];
    uint64_t each = sequence_growth_warm_up(s);
    uint32_t all = 0, times = each ? first_times(each) : 0;
    bool good = each > 0, late = false;
    int suspected = MEASURES, guilty = -1;
    for (int i = 0; i < MEASURES; i++)
        courses[i] = (struct course){.suspected = true,
                                     .first = measures[i].of(&s->usage),
                                     .last = measures[i].of(&s->usage),
                                     .base = measures[i].collected ? GARBAGE * measures[i].collected(&s->usage) : 0};
    for (int round = 0; good && suspected > 0 && guilty < 0 && !late; round++) {
        late = s->repeat_ns > FEW_NS && (s->repeat_ns > MANY_NS || !goes_on(courses));
        good = sequence_repeat(s, times);
        all += times;
        suspected = sequence_growth_look(s, courses, times);
        guilty = round < 2 ? -1 : find_guilty(courses, late || !good);
        times = round > 0 ? more_times(times, each) : times;
    }
    if (guilty >= 0)
        sequence_growth_blame(s, &measures[guilty], &courses[guilty], all);
    else if (!good)
        fail_again(s);
}

void sequence_grow(struct sequence *s)
{
    if (s->usable[1]) /* one operator alone has been judged */
        sequence_run(s);
    if (s->failure.failed)
        return;
    bool fits = sequence_lay_out(s);
    if (fits && s->repeat_count > 0) /* without repeats, no operator works */
        judge_rounds(s);
    else if (!fits)
        s->failure = (struct sequence_failure){.failed = true,
                                               .status = STATUS_HARNESS_ERROR,
                                               .text = "the calls and their tensors are too many to be repeated"};
    arena_reset(s->x->setup->arena);
    link_clear(s->x->link);
}
