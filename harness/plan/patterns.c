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

/* Returns the longest run of a pattern without wildcards, which the caller frees. Null: out of memory. */
static char *longest_run(const char *pattern)
{
    const char *best = pattern;
    size_t length = 0;
    while (*pattern) {
        size_t run = strcspn(pattern, "*?");
        if (run > length) {
            best = pattern;
            length = run;
        }
        pattern += run + (pattern[run] != '\0');
    }
    return strndup(best, length);
}

static bool add_glob(struct patterns *p, uint32_t at)
{
    char *run = longest_run(p->items[at]);
    p->runs[p->glob_count] = run;
    p->globs[p->glob_count] = at;
    p->glob_count += run != NULL;
    return run;
}

bool patterns_index(struct patterns *p, const char *const *items, size_t count)
{
    *p = (struct patterns){.items = items,
                           .count = count,
                           .literals = calloc(count + 1, sizeof *p->literals),
                           .globs = calloc(count + 1, sizeof *p->globs),
                           .runs = calloc(count + 1, sizeof *p->runs)};
    if (!p->literals || !p->globs || !p->runs)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!items[i])
            continue;
        if (!is_literal(items[i])) {
            if (!add_glob(p, (uint32_t)i))
                return false;
            continue;
        }
        p->literals[p->literal_count++] = (uint32_t)i;
        p->parts |= parts_bit(items[i], strlen(items[i]));
    }
    if (p->literal_count > 0)
        qsort_r(p->literals, p->literal_count, sizeof *p->literals, patterns_by_text, (void *)(uintptr_t)items);
    return true;
}

void patterns_free(struct patterns *p)
{
    for (size_t i = 0; i < p->glob_count; i++)
        free(p->runs[i]);
    free(p->runs);
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

/* Most names lack the pattern's longest run, and strstr() finds that out far sooner than the pattern. */
static bool glob_matches(const struct patterns *p, size_t place, const char *name)
{
    return strstr(name, p->runs[place]) && plan_matches(p->items[p->globs[place]], name);
}

uint32_t patterns_last(const struct patterns *p, const char *name)
{
    uint32_t best = 0;
    for (struct front front = {0}; next_front(p, name, &front);) {
        size_t end = upper(p, name, front.length);
        if (end > 0 && compare_front(literal(p, end - 1), name, front.length) == 0 && p->literals[end - 1] + 1 > best)
            best = p->literals[end - 1] + 1;
    }
    for (size_t i = p->glob_count; i > 0 && p->globs[i - 1] + 1 > best; i--)
        if (glob_matches(p, i - 1, name))
            return p->globs[i - 1] + 1;
    return best;
}

/* Other threads may be marking, too. */
static bool case_patterns_mark(bool *hit, uint32_t at)
{
    __atomic_store_n(&hit[at], true, __ATOMIC_RELAXED);
    return true;
}

bool patterns_mark(const struct patterns *p, const char *name, bool *hit)
{
    bool any = false;
    for (struct front front = {0}; next_front(p, name, &front);)
        for (size_t i = upper(p, name, front.length);
             i > 0 && compare_front(literal(p, i - 1), name, front.length) == 0; i--)
            any = case_patterns_mark(hit, p->literals[i - 1]);
    for (size_t i = 0; i < p->glob_count; i++)
        if (glob_matches(p, i, name))
            any = case_patterns_mark(hit, p->globs[i]);
    return any;
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
        if (plan_may_match(p->items[p->globs[i]], start))
            return true;
    return false;
}
