/* The properties that separate the failing cases of a group from the others: parts of their names, and contents. */
#include "harness/run/causes_internal.h"

#include "harness/plan/case_name.h"
#include "harness/plan/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The keys are the parts of a name. But each parameter is a key of its own, and the second data type has the place of
 * all parameters. */
enum { INDEX_TYPE = CASE_PARAMETERS, PARAMETER = CASE_PARTS, KEYS = PARAMETER + 26 };

enum {
    NAMED_MAX = 3, /* values of a key that a group may have for the key to be named */
    CHOSEN_MAX = 4 /* keys that are named */
};

/* The names of all cases, taken apart once: for each key and case a hash of the value, 0 if the case has none. */
struct cause_names {
    struct cause_case *cases;
    size_t count;
    uint64_t *hashes[KEYS];
};

static void causes_separate_split(const char *name, struct case_text out[KEYS])
{
    const struct case_name cut = case_name_parse(name);
    const struct case_text types = cut.parts[CASE_TYPES], parameters = cut.parts[CASE_PARAMETERS];
    const char *dash = types.length > 0 ? memchr(types.text, '-', types.length) : NULL;
    memset(out, 0, KEYS * sizeof *out);
    memcpy(out, cut.parts, sizeof cut.parts);
    out[INDEX_TYPE] = (struct case_text){0};
    if (dash) {
        out[CASE_TYPES].length = (size_t)(dash - types.text);
        out[INDEX_TYPE] = (struct case_text){dash + 1, (size_t)(types.text + types.length - dash) - 1};
    }
    for (size_t at = 0, length; at < parameters.length; at += length) {
        length = case_name_parameter(parameters.text + at);
        out[PARAMETER + parameters.text[at] - 'a'] = (struct case_text){parameters.text + at, length};
    }
}

static uint64_t causes_separate_hash_of(const struct case_text *value)
{
    return value->text ? XXH3_64bits(value->text, value->length) | 1 : 0;
}

struct cause_names *causes_names_new(struct cause_case *cases, size_t count)
{
    struct cause_names *names = calloc(1, sizeof *names);
    uint64_t *hashes = calloc(count + 1, KEYS * sizeof *hashes);
    struct case_text values[KEYS];
    if (!names || !hashes) {
        free(names);
        free(hashes);
        return NULL;
    }
    *names = (struct cause_names){.cases = cases, .count = count};
    for (int k = 0; k < KEYS; k++)
        names->hashes[k] = hashes + (size_t)k * count;
    for (size_t i = 0; i < count; i++) {
        causes_separate_split(cases[i].name, values);
        for (int k = 0; k < KEYS; k++)
            names->hashes[k][i] = causes_separate_hash_of(&values[k]);
    }
    return names;
}

void causes_names_free(struct cause_names *names)
{
    if (names)
        free(names->hashes[0]);
    free(names);
}

/* The values of one key. */
struct column {
    uint64_t named[NAMED_MAX];  /* the values that the cases of the group have */
    size_t named_by[NAMED_MAX]; /* a case for each value */
    int count;
    bool usable; /* the group has few values, and other cases have others */
    bool chosen;
};

/* Returns true if a value is one of the group's. */
static bool causes_separate_has(const struct column *column, uint64_t value)
{
    bool found = false;
    for (int i = 0; i < column->count; i++)
        found |= column->named[i] == value;
    return found && value;
}

/* A group's cases, and the other cases that have all properties chosen so far. */
struct separation {
    const struct cause_names *names;
    struct column columns[KEYS];
    size_t *members, *others;
    size_t member_count, other_count;
    uint64_t seed;
};

static void causes_separate_collect(struct separation *s)
{
    for (int k = 0; k < KEYS; k++) {
        struct column *column = &s->columns[k];
        column->usable = true;
        for (size_t i = 0; i < s->member_count && column->usable; i++) {
            uint64_t value = s->names->hashes[k][s->members[i]];
            if (causes_separate_has(column, value))
                continue;
            column->usable = value && column->count < NAMED_MAX;
            if (column->usable) {
                column->named_by[column->count] = s->members[i];
                column->named[column->count++] = value;
            }
        }
    }
}

/* ---- splitting */

/* The cases with a value of a property: those of the group, and all that ran. */
struct share {
    uint64_t value;
    size_t failed, ran;
};

enum {
    VALUES_MAX = 64,  /* of a property */
    APART_LEAST = 3,  /* cases with the values that fail */
    OTHERS_LEAST = 2, /* cases of the group with other values */
};

/* Nearly all cases with the value fail. */
static bool is_saturated(const struct share *share)
{
    return share->failed >= APART_LEAST && share->failed * 10 >= share->ran * 9;
}

static struct share *share_of(struct share *shares, int *count, uint64_t value)
{
    int i = 0;
    while (i < *count && shares[i].value != value)
        i++;
    if (i == VALUES_MAX)
        return NULL;
    if (i == *count)
        shares[(*count)++] = (struct share){.value = value};
    return &shares[i];
}

/* Counts the cases of the operator by their value of a property; without violations, whose outputs nobody compares.
 * Returns the number of values; 0: too many. */
static int count_shares(const struct cause_names *names, int key, const size_t *members, size_t count,
                        struct share *shares)
{
    const uint64_t operator= names->hashes[CASE_OPERATOR][members[0]];
    int values = 0;
    for (size_t i = 0, next = 0; i < names->count; i++) {
        bool failed = next < count && members[next] == i;
        next += failed;
        if (!failed &&
            (!names->cases[i].ran || names->hashes[CASE_OPERATOR][i] != operator|| names->hashes[CASE_ENDING][i]))
            continue;
        struct share *share = share_of(shares, &values, names->hashes[key][i]);
        if (!share)
            return 0;
        share->failed += failed;
        share->ran++;
    }
    return values;
}

size_t causes_split(const struct cause_names *names, const size_t *members, size_t count, bool *apart)
{
    size_t best = 0;
    for (int key = CASE_TYPES; key < KEYS && count >= APART_LEAST + OTHERS_LEAST; key++) {
        struct share shares[VALUES_MAX];
        size_t inside = 0, outside_ran = 0;
        int values = key == CASE_ENDING ? 0 : count_shares(names, key, members, count, shares);
        for (int v = 0; v < values; v++) {
            inside += is_saturated(&shares[v]) ? shares[v].failed : 0;
            outside_ran += is_saturated(&shares[v]) ? 0 : shares[v].ran;
        }
        if (inside <= best || inside + OTHERS_LEAST > count || (count - inside) * 4 > outside_ran)
            continue;
        best = inside;
        for (size_t i = 0; i < count; i++)
            apart[i] = is_saturated(share_of(shares, &values, names->hashes[key][members[i]]));
    }
    return best;
}

/* ---- describing */

static void causes_separate_append(char *text, size_t size, const char *format, const struct case_text *value,
                                   bool upper)
{
    size_t used = strlen(text);
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)value->length, value->text);
    for (char *at = copy; *at && upper; at++)
        *at = (char)toupper((unsigned char)*at);
    snprintf(text + used, size - used, format, copy);
}

static void name_column(const struct separation *s, int key, char *text, size_t size)
{
    static const char *const before[KEYS] = {[CASE_STRATEGY] = "strategy ",
                                             [CASE_LABEL] = "label ",
                                             [CASE_LEVEL] = "level ",
                                             [INDEX_TYPE] = "indices ",
                                             [CASE_STRIDES] = "strides "};
    const struct column *column = &s->columns[key];
    struct case_text values[KEYS];
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", before[key] ? before[key] : "");
    for (int i = 0; i < column->count; i++) {
        causes_separate_split(s->names->cases[column->named_by[i]].name, values);
        causes_separate_append(text, size, i ? " or %s" : "%s", &values[key],
                               key == CASE_OPERATOR || key == CASE_TYPES || key == INDEX_TYPE);
    }
}

/* The contents of a case that is too large to look at: the case may have any content. */
static const uint32_t UNKNOWN = ~(uint32_t)0;

/* Finds the contents of a case, once. */
static uint32_t contents_of(struct cause_case *c, uint64_t seed)
{
    if (!c->scanned) {
        c->scanned = true;
        if (!c->testcase || !causes_contents(c->testcase, plan_case_seed(seed, c->name), &c->contents))
            c->contents = UNKNOWN;
    }
    return c->contents;
}

/* Returns the contents that all cases of the group have. */
static uint32_t common_contents(const struct separation *s)
{
    uint32_t common = UNKNOWN;
    for (size_t i = 0; i < s->member_count && common; i++)
        common &= contents_of(&s->names->cases[s->members[i]], s->seed);
    return common == UNKNOWN ? 0 : common & (((uint32_t)1 << CAUSES_CONTENTS) - 1);
}

/* Takes the content that leaves the fewest other cases of those whose contents are known, if that is at most half of
 * them. Returns it; -1: none. */
static int choose_content(struct separation *s, uint32_t common)
{
    size_t remaining[CAUSES_CONTENTS] = {0}, now = 0, kept = 0;
    int best = -1;
    for (size_t i = 0; i < s->other_count; i++) {
        uint32_t contents = contents_of(&s->names->cases[s->others[i]], s->seed);
        if (contents == UNKNOWN)
            continue;
        now++;
        for (int c = 0; c < CAUSES_CONTENTS; c++)
            remaining[c] += contents >> c & 1;
    }
    for (int c = 0; c < CAUSES_CONTENTS; c++)
        if (common >> c & 1 && (best < 0 || remaining[c] < remaining[best]))
            best = c;
    if (best < 0 || now == 0 || remaining[best] * 2 > now)
        return -1;
    for (size_t i = 0; i < s->other_count; i++)
        if (contents_of(&s->names->cases[s->others[i]], s->seed) >> best & 1)
            s->others[kept++] = s->others[i];
    s->other_count = kept;
    return best;
}

/* Takes the key that leaves the fewest other cases. False: none leaves clearly fewer. */
static bool causes_separate_choose(struct separation *s)
{
    size_t best_count = s->other_count, kept = 0;
    int best = -1;
    for (int k = 0; k < KEYS; k++) {
        const struct column *column = &s->columns[k];
        size_t remaining = 0;
        if (!column->usable || column->chosen || column->count == 0)
            continue;
        for (size_t i = 0; i < s->other_count; i++)
            remaining += causes_separate_has(column, s->names->hashes[k][s->others[i]]);
        if (remaining < best_count) {
            best_count = remaining;
            best = k;
        }
    }
    if (best < 0 || (best_count > 0 && best_count > s->other_count - s->other_count / 8))
        return false;
    s->columns[best].chosen = true;
    for (size_t i = 0; i < s->other_count; i++)
        if (causes_separate_has(&s->columns[best], s->names->hashes[best][s->others[i]]))
            s->others[kept++] = s->others[i];
    s->other_count = kept;
    return true;
}

static void causes_separate_describe(struct separation *s, struct cause_group *group)
{
    uint32_t common = common_contents(s);
    int chosen = 0, content = common ? choose_content(s, common) : -1;
    causes_separate_collect(s);
    while (chosen < CHOSEN_MAX && causes_separate_choose(s))
        chosen++;
    for (int k = 0; k < KEYS; k++)
        if (s->columns[k].chosen)
            name_column(s, k, group->where, sizeof group->where);
    size_t used = strlen(group->where), unknown = 0;
    for (size_t i = 0; i < s->member_count; i++) {
        const struct cause_case *c = &s->names->cases[s->members[i]];
        unknown += c->scanned && c->contents == UNKNOWN;
    }
    if (content >= 0)
        used += (size_t)snprintf(group->where + used, sizeof group->where - used, "%swith %s", used ? ", " : "",
                                 causes_content_name(content));
    if (content >= 0 && unknown > 0 && used < sizeof group->where)
        snprintf(group->where + used, sizeof group->where - used, " (%zu too large to look at)", unknown);
    if (chosen > 0 || content >= 0)
        group->such = s->member_count + s->other_count;
}

void causes_separate(struct cause_group *group, const struct cause_names *names, const bool *in, uint64_t seed)
{
    struct separation *s = calloc(1, sizeof *s);
    size_t *numbers = calloc(names->count + 1, 2 * sizeof *numbers);
    if (s && numbers) {
        *s = (struct separation){.names = names, .members = numbers, .others = numbers + names->count, .seed = seed};
        for (size_t i = 0; i < names->count; i++) {
            if (in[i])
                s->members[s->member_count++] = i;
            else if (names->cases[i].ran)
                s->others[s->other_count++] = i;
        }
        causes_separate_describe(s, group);
    }
    free(numbers);
    free(s);
}
