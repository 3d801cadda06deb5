#include "harness/plan/patterns.h"

#include "harness/plan/case_name.h"
#include "harness/plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 63 };

/* A trailing dot belongs to no front part of a name. */
static bool is_literal(const char *pattern)
{
    size_t length = strlen(pattern);
    return length > 0 && pattern[length - 1] != '.' && !strpbrk(pattern, "*?");
}

static uint64_t parts_bit(const char *text, size_t length)
{
    unsigned dots = 0;
    for (size_t i = 0; i < length; i++)
        dots += text[i] == '.' && dots < PARTS_MAX;
    return UINT64_C(1) << dots;
}

/* For qsort_r(); `context` is the array of patterns. */
static int patterns_by_text(const void *a, const void *b, void *context)
{
    const char *const *items = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(items[x], items[y]);
    if (order == 0)
        order = x < y ? -1 : 1;
    return order;
}

enum { TALLIES = 1 << 16 };

/* Returns the place of a run's count, which a few other runs may share. */
static size_t tally_of(const char *run, size_t length)
{
    uint32_t hash = 2166136261;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)run[i]) * 16777619;
    return (hash ^ hash >> 16) % TALLIES;
}

/* Moves `*at` to the next run of a pattern and returns the length of the run; 0: there is none. */
static size_t next_run(const char **at)
{
    *at += strspn(*at, "*?");
    return strcspn(*at, "*?");
}

static void tally_runs(uint32_t *tallies, const char *pattern)
{
    for (size_t length; (length = next_run(&pattern)) > 0; pattern += length)
        tallies[tally_of(pattern, length)]++;
}

/* Returns the run of a pattern that the fewest patterns have, the longest of these. The caller frees it. Null: out of
 * memory. */
static char *rarest_run(const uint32_t *tallies, const char *pattern)
{
    const char *best = pattern;
    size_t best_length = 0;
    uint32_t fewest = UINT32_MAX;
    for (size_t length; (length = next_run(&pattern)) > 0; pattern += length) {
        uint32_t tally = tallies[tally_of(pattern, length)];
        if (tally > fewest || (tally == fewest && length <= best_length))
            continue;
        best = pattern;
        best_length = length;
        fewest = tally;
    }
    return strndup(best, best_length);
}

static int globs_by_run(const void *a, const void *b)
{
    const struct patterns_glob *x = a, *y = b;
    int order = strcmp(x->run, y->run);
    if (order == 0)
        order = x->at > y->at ? -1 : 1;
    return order;
}

static bool index_globs(struct patterns *p)
{
    uint32_t *tallies = p->glob_count > 0 ? calloc(TALLIES, sizeof *tallies) : NULL;
    bool good = tallies || p->glob_count == 0;
    for (size_t i = 0; i < p->glob_count && good; i++)
        tally_runs(tallies, p->items[p->globs[i].at]);
    for (size_t i = 0; i < p->glob_count && good; i++)
        good = (p->globs[i].run = rarest_run(tallies, p->items[p->globs[i].at])) != NULL;
    free(tallies);
    if (good && p->glob_count > 0)
        qsort(p->globs, p->glob_count, sizeof *p->globs, globs_by_run);
    for (size_t i = 0, byte = 0; good && byte <= 256; byte++) {
        while (i < p->glob_count && (unsigned char)*p->globs[i].run < byte)
            i++;
        p->begin[byte] = i;
    }
    return good;
}

bool patterns_index(struct patterns *p, const char *const *items, size_t count)
{
    *p = (struct patterns){.items = items,
                           .count = count,
                           .literals = calloc(count + 1, sizeof *p->literals),
                           .globs = calloc(count + 1, sizeof *p->globs)};
    if (!p->literals || !p->globs)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!items[i])
            continue;
        if (!is_literal(items[i])) {
            p->globs[p->glob_count++].at = (uint32_t)i;
            continue;
        }
        p->literals[p->literal_count++] = (uint32_t)i;
        p->parts |= parts_bit(items[i], strlen(items[i]));
    }
    if (p->literal_count > 0)
        qsort_r(p->literals, p->literal_count, sizeof *p->literals, patterns_by_text, (void *)(uintptr_t)items);
    return index_globs(p);
}

void patterns_free(struct patterns *p)
{
    for (size_t i = 0; i < p->glob_count; i++)
        free(p->globs[i].run);
    free(p->literals);
    free(p->globs);
    *p = (struct patterns){0};
}

/* Compares a pattern with the first `length` bytes of a name. */
static int compare_front(const char *pattern, const char *name, size_t length)
{
    int order = strncmp(pattern, name, length);
    return order ? order : pattern[length] != '\0';
}

static const char *literal(const struct patterns *p, size_t place)
{
    return p->items[p->literals[place]];
}

/* Returns the number of literals that sort up to the first `length` bytes of the name, those included. */
static size_t upper(const struct patterns *p, const char *name, size_t length)
{
    size_t low = 0, high = p->literal_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_front(literal(p, middle), name, length) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A front part of a name: "gather_nd", "gather_nd.indices", … */
struct front {
    size_t length;
    unsigned dots; /* in it, PARTS_MAX at most */
};

/* Moves on to the name's next front part that a literal may be. False: there is none. */
static bool next_front(const struct patterns *p, const char *name, struct front *front)
{
    while (p->literal_count > 0 && (front->length == 0 || name[front->length] != '\0')) {
        front->dots += front->length > 0 && front->dots < PARTS_MAX;
        front->length = case_name_next_front(name, front->length);
        if (p->parts >> front->dots == 0)
            return false;
        if (p->parts >> front->dots & 1)
            return true;
    }
    return false;
}

/* The globs whose runs begin with the text up to a place of the name. */
struct range {
    size_t from, to, depth; /* depth: the length of that text */
};

/* Returns the first glob of the range whose run has at least `byte` at the range's depth. */
static size_t lower(const struct patterns *p, const struct range *range, unsigned byte)
{
    size_t low = range->from, high = range->to;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((unsigned char)p->globs[middle].run[range->depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the globs with a run of the range's text alone, and narrows the range to those with more and this next byte
 * of the name. */
static struct range take_whole_runs(const struct patterns *p, struct range *range, unsigned char next)
{
    struct range whole = {range->from, lower(p, range, 1), range->depth};
    range->from = whole.to;
    *range = (struct range){lower(p, range, next), lower(p, range, next + 1u), range->depth + 1};
    return whole;
}

/* Calls `visit` with each group of globs that have the same run, if the name contains that run. */
static void visit_globs(const struct patterns *p, const char *name,
                        void (*visit)(void *context, const struct patterns *p, size_t from, size_t to), void *context)
{
    if (p->begin[1] > 0)
        visit(context, p, 0, p->begin[1]); /* globs of wildcards alone */
    for (const char *at = name; p->glob_count > 0 && *at; at++) {
        unsigned char byte = (unsigned char)*at;
        struct range range = {p->begin[byte], p->begin[byte + 1], 1};
        while (range.from < range.to) {
            struct range whole = take_whole_runs(p, &range, (unsigned char)at[range.depth]);
            if (whole.from < whole.to)
                visit(context, p, whole.from, whole.to);
        }
    }
}

struct finding {
    const char *name;
    uint32_t best;
};

static void find_last_glob(void *context, const struct patterns *p, size_t from, size_t to)
{
    struct finding *finding = context;
    for (size_t i = from; i < to && p->globs[i].at + 1 > finding->best; i++)
        if (plan_matches(p->items[p->globs[i].at], finding->name))
            finding->best = p->globs[i].at + 1;
}

uint32_t patterns_last(const struct patterns *p, const char *name)
{
    struct finding last = {.name = name};
    for (struct front front = {0}; next_front(p, name, &front);) {
        size_t end = upper(p, name, front.length);
        if (end > 0 && compare_front(literal(p, end - 1), name, front.length) == 0 &&
            p->literals[end - 1] + 1 > last.best)
            last.best = p->literals[end - 1] + 1;
    }
    visit_globs(p, name, find_last_glob, &last);
    return last.best;
}

struct marking {
    const char *name;
    bool *hit, any;
};

/* Other threads may be marking, too. */
static void case_patterns_mark(struct marking *marking, uint32_t at)
{
    __atomic_store_n(&marking->hit[at], true, __ATOMIC_RELAXED);
    marking->any = true;
}

static void mark_globs(void *context, const struct patterns *p, size_t from, size_t to)
{
    struct marking *marking = context;
    for (size_t i = from; i < to; i++)
        if (plan_matches(p->items[p->globs[i].at], marking->name))
            case_patterns_mark(marking, p->globs[i].at);
}

bool patterns_mark(const struct patterns *p, const char *name, bool *hit)
{
    struct marking marking = {name, hit, false};
    for (struct front front = {0}; next_front(p, name, &front);)
        for (size_t i = upper(p, name, front.length);
             i > 0 && compare_front(literal(p, i - 1), name, front.length) == 0; i--)
            case_patterns_mark(&marking, p->literals[i - 1]);
    visit_globs(p, name, mark_globs, &marking);
    return marking.any;
}

bool patterns_may_match(const struct patterns *p, const char *start)
{
    size_t length = strlen(start);
    size_t after = upper(p, start, length);
    if (patterns_last(p, start) > 0)
        return true;
    while (after < p->literal_count && strncmp(literal(p, after), start, length) == 0) { /* "a-b" sorts before "a.b" */
        if (literal(p, after)[length] == '.')
            return true;
        after++;
    }
    for (size_t i = 0; i < p->glob_count; i++)
        if (plan_may_match(p->items[p->globs[i].at], start))
            return true;
    return false;
}
