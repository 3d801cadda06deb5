#include "harness/results/expect_cover.h"

#include "harness/plan/case_name.h"
#include "harness/results/expect_cover_internal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ATTRIBUTES = CASE_PARAMETERS + 2, /* the parts of a name, those after the parameters as one */
    VALUES_MAX = 24,                  /* generalisations of one attribute of a name */
    NAME_SIZE = 1024,
    REJECTED_MAX = 256,
    SEEDS = 12,     /* failing cases whose patterns compete for the next line, */
    FEW = 8,        /* while a line matches more than so many; then one case is as good as another */
    EXACT_MAX = 8,  /* rules with at most so many lines keep their exact lines */
    MIXED_SHARE = 3 /* lines that also expect a pass must save so many lines each */
};

/* A set of cases, one bit each. */
typedef uint64_t *set;

/* A value of an attribute, "float32-*", and the cases that have it. */
struct value {
    const char *text;
    set cases;
};

struct values {
    struct value *items;
    size_t count, capacity;
};

/* The name of a case, cut into attributes; "" where it has none. */
struct parts {
    const char *text[ATTRIBUTES];
};

struct finder {
    struct pool *pool;
    const struct plan *plan;
    const uint32_t *wanted;
    const char *const *rules;
    size_t words;
    struct parts *parts; /* by case */
    struct values values[ATTRIBUTES];
    set failing, free, passing; /* sets of all cases; `passing` has the passes that the next pattern may match */
    set allowed, left;          /* the cases that the next pattern may match, and those still to be matched */
    const char *rejected[REJECTED_MAX]; /* patterns whose text matches more than their values tell */
    size_t rejected_count;
    bool mixed;
};

bool expect_cover_fails(uint32_t wanted)
{
    return wanted != COVER_FORBIDDEN && !(wanted & (COVER_UNKNOWN | COVER_PASSES | COVER_FREE));
}

/* ---- sets */

static set new_set(const struct finder *f)
{
    return pool_alloc(f->pool, (f->words + 1) * sizeof(uint64_t));
}

static bool expect_cover_has(const uint64_t *s, size_t i)
{
    return s[i / 64] >> (i % 64) & 1;
}

static void expect_cover_put(set s, size_t i)
{
    s[i / 64] |= (uint64_t)1 << (i % 64);
}

/* Adds up bits without the processor's instruction, which not every machine has. */
static unsigned count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

static void expect_cover_take(set s, size_t i)
{
    s[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static size_t count_both(const struct finder *f, const uint64_t *a, const uint64_t *b)
{
    size_t count = 0;
    for (size_t i = 0; i < f->words; i++)
        if (a[i] & b[i])
            count += count_bits(a[i] & b[i]);
    return count;
}

static bool expect_cover_is_within(const struct finder *f, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < f->words; i++)
        if (a[i] & ~b[i])
            return false;
    return true;
}

static void intersect(const struct finder *f, set to, const uint64_t *a, const uint64_t *b)
{
    for (size_t i = 0; i < f->words; i++)
        to[i] = a[i] & b[i];
}

/* ---- names */

/* Cuts a name into its attributes. The last one is all that follows the parameters. */
static void cut_name(struct pool *pool, const char *name, struct parts *parts)
{
    const struct case_name cut = case_name_parse(name);
    for (int a = 0; a < ATTRIBUTES; a++) {
        struct case_name only = {0};
        char text[CASE_NAME_SIZE];
        for (int p = a; p == a || (a == ATTRIBUTES - 1 && p < CASE_PARTS); p++)
            only.parts[p] = cut.parts[p];
        case_name_write(&only, text);
        parts->text[a] = pool_string(pool, text);
    }
}

/* ---- generalisations */

static size_t add_text(struct pool *pool, const char *texts[VALUES_MAX], size_t count, const char *format, int length,
                       const char *text)
{
    if (count < VALUES_MAX)
        texts[count++] = pool_format(pool, format, length, text);
    return count;
}

/* Stores the generalisations of a part, the part itself first, "*" last. Returns their number. */
static size_t generalise(struct finder *f, int attribute, const char *part, const char *texts[VALUES_MAX])
{
    size_t count = add_text(f->pool, texts, 0, "%.*s", (int)strlen(part), part);
    const char *dash = strrchr(part, '-');
    if (!*part)
        return attribute >= CASE_LABEL ? add_text(f->pool, texts, count, "%.*s", 1, "*") : count;
    for (const char *c = part; attribute == CASE_LABEL && *c && count < VALUES_MAX - 1; c++)
        if (strchr("-.", *c))
            count = add_text(f->pool, texts, count, "%.*s*", (int)(c + 1 - part), part);
    if (attribute == CASE_TYPES && dash) {
        count = add_text(f->pool, texts, count, "%.*s*", (int)(dash + 1 - part), part);
        count = add_text(f->pool, texts, count, "*%.*s", (int)strlen(dash), dash);
    }
    for (const char *c = part; attribute == CASE_PARAMETERS && *c && count < VALUES_MAX - 1;) {
        size_t length = case_name_parameter(c);
        count = add_text(f->pool, texts, count, "*%.*s*", (int)length, c);
        c += length;
    }
    return add_text(f->pool, texts, count, "%.*s", 1, "*");
}

/* Returns true if a part has a value that generalise() made: '*' stands for any text. */
static bool part_matches(const char *value, const char *part)
{
    return strcmp(value, part) == 0 || (strchr(value, '*') && plan_matches(value, part));
}

static const struct value *find_value(struct finder *f, int attribute, const char *text)
{
    struct values *values = &f->values[attribute];
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].text, text) == 0)
            return &values->items[i];
    if (values->count == values->capacity) {
        struct value *old = values->items;
        values->capacity = values->capacity ? 2 * values->capacity : 64;
        values->items = pool_alloc(f->pool, values->capacity * sizeof *values->items);
        if (old)
            memcpy(values->items, old, values->count * sizeof *old);
    }
    struct value *value = &values->items[values->count++];
    *value = (struct value){.text = pool_string(f->pool, text), .cases = new_set(f)};
    for (size_t i = 0; i < f->plan->count; i++)
        if (part_matches(text, f->parts[i].text[attribute]))
            expect_cover_put(value->cases, i);
    return value;
}

/* ---- patterns */

/* Joins the values: "*" for several in a row; a pattern without wildcards matches front parts of names. */
static void expect_cover_print_pattern(const struct value *const chosen[ATTRIBUTES], char *pattern)
{
    size_t used = 0;
    int last = ATTRIBUTES - 1;
    *pattern = '\0';
    while (last >= 0 && (!*chosen[last]->text || strcmp(chosen[last]->text, "*") == 0))
        last--;
    for (int i = 0; i <= last; i++) {
        const char *text = chosen[i]->text;
        bool repeats = *text == '*' && !text[1] && used && pattern[used - 1] == '*';
        if (*text && !repeats)
            used += (size_t)snprintf(pattern + used, NAME_SIZE - used, "%s%s", used ? "." : "", text);
    }
    bool open = false;
    for (int i = last + 1; i < ATTRIBUTES; i++)
        open |= *chosen[i]->text == '*';
    if (!used)
        strcpy(pattern, "*");
    else if (open && strchr(pattern, '*') && pattern[used - 1] != '*')
        snprintf(pattern + used, NAME_SIZE - used, ".*");
}

static size_t count_stars(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '*';
    return count;
}

struct candidate {
    char pattern[NAME_SIZE];
    set matched; /* cases that the pattern's text matches in the whole plan */
    size_t gain; /* cases that are still to be matched */
};

static bool may_match(const struct finder *f, const uint64_t *matched)
{
    size_t failing = count_both(f, matched, f->failing);
    return expect_cover_is_within(f, matched, f->allowed) && count_both(f, matched, f->free) <= failing &&
           (!f->mixed || count_both(f, matched, f->passing) <= failing);
}

/* Returns true if the pattern is better than the best one so far. Among patterns of equal gain the one with fewer
 * wildcards is better, then the longer one. */
static bool expect_cover_is_better(size_t gain, const char *pattern, const struct candidate *best)
{
    size_t stars = count_stars(pattern), best_stars = count_stars(best->pattern);
    if (gain != best->gain)
        return gain > best->gain;
    return stars != best_stars ? stars < best_stars : strlen(pattern) > strlen(best->pattern);
}

/* Finds the cases that the text of the best pattern matches in the whole plan: '*' also matches dots. False: it matches
 * a case that it must not match. */
static bool match_best(const struct finder *f, struct candidate *best)
{
    memset(best->matched, 0, f->words * sizeof *best->matched);
    for (size_t i = 0; i < f->plan->count; i++)
        if (plan_matches(best->pattern, f->plan->cases[i].name))
            expect_cover_put(best->matched, i);
    return may_match(f, best->matched) && count_both(f, best->matched, f->left) > 0;
}

/* Checks the best pattern as match_best() does. A pattern without a wildcard also matches names that continue it after
 * a dot. If it must not match them, '?' takes the place of its first letter: a pattern with a wildcard matches whole
 * names. */
static bool verify_best(struct finder *f, struct candidate *best)
{
    if (match_best(f, best))
        return true;
    if (f->rejected_count < REJECTED_MAX)
        f->rejected[f->rejected_count++] = pool_string(f->pool, best->pattern);
    if (strchr(best->pattern, '*'))
        return false;
    *best->pattern = '?';
    return match_best(f, best);
}

static void consider(struct finder *f, const struct value *const chosen[ATTRIBUTES], const uint64_t *cases,
                     struct candidate *best)
{
    char pattern[NAME_SIZE];
    size_t gain = count_both(f, cases, f->left);
    if (gain < best->gain || gain == 0 || !may_match(f, cases))
        return;
    expect_cover_print_pattern(chosen, pattern);
    if (!expect_cover_is_better(gain, pattern, best))
        return;
    for (size_t i = 0; i < f->rejected_count; i++)
        if (strcmp(f->rejected[i], pattern) == 0)
            return;
    strcpy(best->pattern, pattern);
    best->gain = gain;
}

struct choice {
    const struct value *values[ATTRIBUTES][VALUES_MAX];
    size_t counts[ATTRIBUTES];
    set cases[ATTRIBUTES + 1]; /* the cases that have the first n chosen values */
    set same[ATTRIBUTES + 1];  /* whose names have all but the first n parts of the seed */
    const struct value *chosen[ATTRIBUTES];
};

/* Returns true if the pattern that leaves the other parts as they are matches only cases that it may match; otherwise
 * no pattern does. */
static bool most_specific_is_allowed(const struct finder *f, const uint64_t *so_far, const uint64_t *same)
{
    for (size_t i = 0; i < f->words; i++)
        if (so_far[i] & same[i] & ~f->allowed[i])
            return false;
    return true;
}

/* Tries all combinations of generalisations, the most general ones first. */
static void expect_cover_try_all(struct finder *f, struct choice *c, int attribute, struct candidate *best)
{
    if (attribute == ATTRIBUTES) {
        consider(f, c->chosen, c->cases[ATTRIBUTES], best);
        return;
    }
    for (size_t i = c->counts[attribute]; i-- > 0;) {
        const uint64_t *so_far = c->cases[attribute + 1];
        c->chosen[attribute] = c->values[attribute][i];
        intersect(f, c->cases[attribute + 1], c->cases[attribute], c->chosen[attribute]->cases);
        if (most_specific_is_allowed(f, so_far, c->same[attribute + 1]) && count_both(f, so_far, f->left) >= best->gain)
            expect_cover_try_all(f, c, attribute + 1, best);
    }
}

static void try_seed(struct finder *f, struct choice *c, size_t seed, struct candidate *best)
{
    for (int a = 0; a < ATTRIBUTES; a++) {
        const char *texts[VALUES_MAX];
        c->counts[a] = generalise(f, a, f->parts[seed].text[a], texts);
        for (size_t i = 0; i < c->counts[a]; i++)
            find_value(f, a, texts[i]);
        for (size_t i = 0; i < c->counts[a]; i++)
            c->values[a][i] = find_value(f, a, texts[i]);
    }
    memset(c->cases[0], 0xff, f->words * sizeof(uint64_t));
    memset(c->same[ATTRIBUTES], 0xff, f->words * sizeof(uint64_t));
    for (int a = ATTRIBUTES; a-- > 0;)
        intersect(f, c->same[a], c->same[a + 1], c->values[a][0]->cases);
    expect_cover_try_all(f, c, 0, best);
}

/* ---- covers */

static void expect_cover_add_line(struct finder *f, struct expect_cover *cover, const char *pattern,
                                  const uint64_t *matched)
{
    struct expect_cover_line line = {.pattern = pool_string(&cover->pool, pattern), .first = SIZE_MAX};
    for (size_t i = 0; i < f->plan->count; i++) {
        if (!expect_cover_has(matched, i))
            continue;
        bool fails = expect_cover_has(f->failing, i);
        line.first = fails && line.first == SIZE_MAX ? i : line.first;
        line.failing += fails;
        line.passing += (f->wanted[i] & COVER_PASSES) != 0;
        line.statuses |= f->wanted[i] & ~(uint32_t)(COVER_PASSES | COVER_FREE);
    }
    cover->lines[cover->count++] = line;
}

/* Covers `left` greedily: adds the pattern that matches most of it, until nothing is left. */
static void cover_left(struct finder *f, struct choice *choice, struct expect_cover *cover)
{
    struct candidate best = {.matched = new_set(f)};
    f->rejected_count = 0;
    for (size_t left; (left = count_both(f, f->left, f->left)) > 0;) {
        size_t step = best.gain > FEW || !*best.pattern ? left / SEEDS + 1 : left, seen = 0;
        best.gain = 0;
        *best.pattern = '\0';
        for (size_t i = 0; i < f->plan->count; i++)
            if (expect_cover_has(f->left, i) && seen++ % step == 0)
                try_seed(f, choice, i, &best);
        if (best.gain == 0) {
            if (step == 1)
                return; /* no pattern can tell these from cases that pass */
            *best.pattern = '\0';
            for (size_t i = 0, seen_again = 0; i < f->plan->count; i++)
                if (expect_cover_has(f->left, i) && seen_again++ % step == 0)
                    expect_cover_take(f->left, i);
            continue;
        }
        if (!verify_best(f, &best)) {
            if (f->rejected_count == REJECTED_MAX)
                return;
            continue;
        }
        expect_cover_add_line(f, cover, best.pattern, best.matched);
        for (size_t w = 0; w < f->words; w++)
            f->left[w] &= ~best.matched[w];
    }
}

static const char *rule_of(const struct finder *f, size_t index)
{
    return f->rules && f->rules[index] ? f->rules[index] : "";
}

/* Covers the remaining failures with patterns that match cases of equal statuses and no case that passes. */
static void cover_exactly(struct finder *f, struct choice *choice, const uint64_t *uncovered,
                          struct expect_cover *cover)
{
    set done = new_set(f);
    f->mixed = false;
    for (size_t i = 0; i < f->plan->count; i++) {
        if (!expect_cover_has(uncovered, i) || expect_cover_has(done, i))
            continue;
        memset(f->left, 0, f->words * sizeof *f->left);
        memcpy(f->allowed, f->free, f->words * sizeof *f->allowed);
        for (size_t j = 0; j < f->plan->count; j++) {
            if (!expect_cover_has(f->failing, j) || f->wanted[j] != f->wanted[i])
                continue;
            expect_cover_put(f->allowed, j);
            if (expect_cover_has(uncovered, j)) {
                expect_cover_put(f->left, j);
                expect_cover_put(done, j);
            }
        }
        cover_left(f, choice, cover);
    }
}

/* Covers the failures of one rule with patterns that may match passes of this rule. */
static void cover_mixed(struct finder *f, struct choice *choice, const char *rule, struct expect_cover *cover)
{
    f->mixed = true;
    memset(f->left, 0, f->words * sizeof *f->left);
    memset(f->passing, 0, f->words * sizeof *f->passing);
    for (size_t i = 0; i < f->plan->count; i++) {
        bool tests = strcmp(rule_of(f, i), rule) == 0;
        if (tests && expect_cover_has(f->failing, i))
            expect_cover_put(f->left, i);
        if (tests && (f->wanted[i] & COVER_PASSES) != 0)
            expect_cover_put(f->passing, i);
    }
    for (size_t w = 0; w < f->words; w++)
        f->allowed[w] = f->free[w] | f->failing[w] | f->passing[w];
    cover_left(f, choice, cover);
}

/* Returns the index of a rule whose lines have not been looked at and are more than EXACT_MAX; SIZE_MAX: none. */
static size_t find_long_rule(const struct finder *f, const struct expect_cover *cover, const bool *seen, size_t *lines)
{
    for (size_t i = 0; i < cover->count; i++) {
        if (seen[cover->lines[i].first])
            continue;
        *lines = 0;
        for (size_t j = 0; j < cover->count; j++)
            *lines += strcmp(rule_of(f, cover->lines[j].first), rule_of(f, cover->lines[i].first)) == 0;
        if (*lines > EXACT_MAX)
            return cover->lines[i].first;
    }
    return SIZE_MAX;
}

/* Removes the cases that the lines match from a set. */
static void remove_covered(const struct finder *f, const struct expect_cover *cover, set cases)
{
    for (size_t i = 0; i < f->plan->count; i++)
        for (size_t j = 0; j < cover->count && expect_cover_has(cases, i); j++)
            if (plan_matches(cover->lines[j].pattern, f->plan->cases[i].name))
                expect_cover_take(cases, i);
}

static void replace_lines(struct finder *f, struct choice *choice, const char *rule, const struct expect_cover *mixed,
                          struct expect_cover *cover)
{
    size_t kept = 0;
    for (size_t i = 0; i < cover->count; i++)
        if (strcmp(rule_of(f, cover->lines[i].first), rule) != 0)
            cover->lines[kept++] = cover->lines[i];
    cover->count = kept;
    for (size_t i = 0; i < mixed->count; i++)
        cover->lines[cover->count++] = mixed->lines[i];
    set uncovered = new_set(f); /* failures of other rules that the replaced lines matched */
    memcpy(uncovered, f->failing, f->words * sizeof *uncovered);
    remove_covered(f, cover, uncovered);
    cover_exactly(f, choice, uncovered, cover);
}

static void shorten(struct finder *f, struct choice *choice, struct expect_cover *cover)
{
    bool *seen = pool_alloc(f->pool, f->plan->count + 1);
    size_t lines;
    for (size_t first; (first = find_long_rule(f, cover, seen, &lines)) != SIZE_MAX;) {
        const char *rule = rule_of(f, first);
        struct expect_cover mixed = {.lines = pool_alloc(f->pool, (f->plan->count + 1) * sizeof *mixed.lines)};
        for (size_t i = 0; i < f->plan->count; i++)
            seen[i] |= strcmp(rule_of(f, i), rule) == 0;
        cover_mixed(f, choice, rule, &mixed);
        for (size_t i = 0; i < mixed.count; i++)
            mixed.lines[i].pattern = pool_string(&cover->pool, mixed.lines[i].pattern);
        if (mixed.count * MIXED_SHARE <= lines)
            replace_lines(f, choice, rule, &mixed, cover);
        pool_clear(&mixed.pool);
    }
}

/* Removes lines all of whose failing cases other lines match. */
static void drop_redundant(struct finder *f, struct expect_cover *cover)
{
    set *matched = pool_alloc(f->pool, (cover->count + 1) * sizeof *matched);
    uint32_t *times = pool_alloc(f->pool, (f->plan->count + 1) * sizeof *times);
    for (size_t i = 0; i < cover->count; i++) {
        matched[i] = new_set(f);
        for (size_t j = 0; j < f->plan->count; j++)
            if (expect_cover_has(f->failing, j) && plan_matches(cover->lines[i].pattern, f->plan->cases[j].name)) {
                expect_cover_put(matched[i], j);
                times[j]++;
            }
    }
    for (size_t i = cover->count; i-- > 0;) {
        bool needed = false;
        for (size_t j = 0; j < f->plan->count; j++)
            needed |= expect_cover_has(matched[i], j) && times[j] == 1;
        for (size_t j = 0; j < f->plan->count && !needed; j++)
            times[j] -= expect_cover_has(matched[i], j);
        if (needed)
            continue;
        memmove(&cover->lines[i], &cover->lines[i + 1], (cover->count - i - 1) * sizeof *cover->lines);
        cover->count--;
    }
}

static int by_rule(const void *a, const void *b, void *context)
{
    const struct expect_cover_line *x = a, *y = b;
    int order = strcmp(rule_of(context, x->first), rule_of(context, y->first));
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Finds lines about rules that take the place of several lines about names. The failures of the new lines then need no
 * pattern, and further patterns do not match them. */
static void cover_rules(struct finder *f, const char *const *broken, const struct expect_cover *names,
                        struct expect_cover *rules)
{
    bool *covered = pool_alloc(f->pool, f->plan->count + 1);
    rules->lines = pool_alloc(&rules->pool, (f->plan->count + 1) * sizeof *rules->lines);
    if (broken)
        expect_cover_by_rule(f->plan, f->wanted, f->rules, broken, names, rules, covered);
    for (size_t i = 0; i < f->plan->count; i++)
        if (covered[i])
            expect_cover_take(f->failing, i);
}

void expect_cover_make(struct expect_cover *cover, const struct plan *plan, const uint32_t *wanted,
                       const char *const *rules, const char *const *broken)
{
    struct expect_cover by_rules = {0};
    struct pool pool = {0};
    struct finder f = {.pool = &pool, .plan = plan, .wanted = wanted, .rules = rules, .words = (plan->count + 63) / 64};
    struct choice *choice = pool_alloc(&pool, sizeof *choice);
    *cover = (struct expect_cover){0};
    cover->lines = pool_alloc(&cover->pool, (plan->count + 1) * sizeof *cover->lines);
    f.failing = new_set(&f);
    f.free = new_set(&f);
    f.passing = new_set(&f);
    f.allowed = new_set(&f);
    f.left = new_set(&f);
    for (int i = 0; i <= ATTRIBUTES; i++) {
        choice->cases[i] = new_set(&f);
        choice->same[i] = new_set(&f);
    }
    size_t failing = 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (wanted[i] == COVER_FREE)
            expect_cover_put(f.free, i);
        else if (expect_cover_fails(wanted[i]))
            expect_cover_put(f.failing, i);
        failing += expect_cover_has(f.failing, i);
    }
    if (failing > 0) {
        f.parts = pool_alloc(&pool, (plan->count + 1) * sizeof *f.parts);
        for (size_t i = 0; i < plan->count; i++)
            cut_name(&pool, plan->cases[i].name, &f.parts[i]);
        cover_exactly(&f, choice, f.failing, cover);
        cover_rules(&f, broken, cover, &by_rules);
        drop_redundant(&f, cover);
        shorten(&f, choice, cover);
        drop_redundant(&f, cover);
        for (size_t i = 0; i < by_rules.count; i++) {
            struct expect_cover_line *line = &cover->lines[cover->count++];
            *line = by_rules.lines[i];
            line->pattern = pool_string(&cover->pool, line->pattern);
            line->broken = pool_string(&cover->pool, line->broken);
        }
        qsort_r(cover->lines, cover->count, sizeof *cover->lines, by_rule, &f);
    }
    pool_clear(&by_rules.pool);
    pool_clear(&pool);
}

void expect_cover_free(struct expect_cover *cover)
{
    pool_clear(&cover->pool);
    *cover = (struct expect_cover){0};
}
