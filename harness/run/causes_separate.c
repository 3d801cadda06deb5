/* The properties that separate the failing cases of a group from the others. A case name tells many of them:
 * "operator.strategy.label.flLEVEL.types.parameters.strides.rest". The others are the contents of the case. */
#include "harness/run/causes_internal.h"

#include "harness/case/plan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum key { OPERATOR, STRATEGY, LABEL, LEVEL, TYPE, INDEX_TYPE, STRIDES, REST, PARAMETER, KEYS = PARAMETER + 26 };

enum {
    NAMED_MAX = 3, /* values of a key that a group may have for the key to be named */
    CHOSEN_MAX = 4 /* keys that are named */
};

/* A piece of a case name. */
struct value {
    const char *text;
    int length;
};

/* The values of one key that the cases of a group have. */
struct values {
    struct value list[NAMED_MAX];
    int count;
};

static void split(const char *name, struct value out[KEYS])
{
    const char *level = strstr(name, ".fl");
    int part = 0;
    memset(out, 0, KEYS * sizeof *out);
    for (const char *at = name; *at; part++) {
        int length = (int)strcspn(at, ".");
        const struct value value = {at, length};
        const char *dash = memchr(at, '-', (size_t)length);
        bool after = level && at > level;
        if (part == 0) {
            out[OPERATOR] = value;
        } else if (part == 1) {
            out[STRATEGY] = value;
        } else if (!after) {
            out[LABEL] =
                out[LABEL].text ? (struct value){out[LABEL].text, (int)(at - out[LABEL].text) + length} : value;
        } else if (at == level + 1) {
            out[LEVEL] = (struct value){at + 2, length - 2};
        } else if (!out[TYPE].text && length > 3 && isdigit((unsigned char)at[length - 1]) &&
                   (strncmp(at, "float", 5) == 0 || strncmp(at, "int", 3) == 0 || strncmp(at, "uint", 4) == 0)) {
            out[TYPE] = (struct value){at, dash ? (int)(dash - at) : length};
            if (dash)
                out[INDEX_TYPE] = (struct value){dash + 1, (int)(at + length - dash) - 1};
        } else if (length > 1 && isdigit((unsigned char)at[1]) && !out[REST].text) {
            for (int i = 0; i < length;) {
                int digits = 1;
                while (i + digits < length && isdigit((unsigned char)at[i + digits]))
                    digits++;
                if (islower((unsigned char)at[i]))
                    out[PARAMETER + at[i] - 'a'] = (struct value){at + i, digits};
                i += digits;
            }
        } else if (!out[STRIDES].text && length <= 5) {
            out[STRIDES] = value;
        } else {
            out[REST] = value;
        }
        at += length;
        at += *at == '.';
    }
}

static int find_value(const struct values *values, const struct value *value)
{
    int i = 0;
    while (i < values->count && (values->list[i].length != value->length ||
                                 memcmp(values->list[i].text, value->text, (size_t)value->length) != 0))
        i++;
    return i;
}

/* What is known of one key. */
struct column {
    struct values named; /* of the cases in the group */
    bool usable;         /* the group has few values, and other cases have others */
    bool chosen;
};

/* Whether a case has one of the group's values. */
static bool has(const struct column *column, const struct value *value)
{
    return value->text && find_value(&column->named, value) < column->named.count;
}

static void collect(struct column *columns, const struct value *split_names, const bool *in, size_t count)
{
    for (int k = 0; k < KEYS; k++) {
        columns[k].usable = true;
        for (size_t i = 0; i < count && columns[k].usable; i++) {
            const struct value *value = &split_names[i * KEYS + (size_t)k];
            if (!in[i])
                continue;
            int at = value->text ? find_value(&columns[k].named, value) : NAMED_MAX;
            if (at == columns[k].named.count && at < NAMED_MAX)
                columns[k].named.list[columns[k].named.count++] = *value;
            else if (at >= columns[k].named.count)
                columns[k].usable = false;
        }
    }
}

static void append(char *text, size_t size, const char *format, const struct value *value, bool upper)
{
    size_t used = strlen(text);
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", value->length, value->text);
    for (char *at = copy; *at && upper; at++)
        *at = (char)toupper((unsigned char)*at);
    snprintf(text + used, size - used, format, copy);
}

static void name_column(int key, const struct column *column, char *text, size_t size)
{
    static const char *const before[PARAMETER] = {
        [OPERATOR] = "", [STRATEGY] = "strategy ",  [LABEL] = "label ",     [LEVEL] = "level ",
        [TYPE] = "",     [INDEX_TYPE] = "indices ", [STRIDES] = "strides ", [REST] = ""};
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", key < PARAMETER ? before[key] : "");
    for (int i = 0; i < column->named.count; i++)
        append(text, size, i ? " or %s" : "%s", &column->named.list[i],
               key == OPERATOR || key == TYPE || key == INDEX_TYPE);
}

/* The contents of a case that is too large to look at: it may have any. */
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

/* The contents that all cases of the group have. */
static uint32_t common_contents(struct cause_case *cases, const bool *in, size_t count, uint64_t seed)
{
    uint32_t common = UNKNOWN;
    for (size_t i = 0; i < count && common; i++)
        if (in[i])
            common &= contents_of(&cases[i], seed);
    return common == UNKNOWN ? 0 : common & (((uint32_t)1 << CAUSES_CONTENTS) - 1);
}

/* Takes the content that leaves the fewest other cases of those whose contents are known, if that is at most half of
 * them. Returns it; -1: none. */
static int choose_content(struct cause_case *cases, uint32_t common, const bool *in, bool *left, size_t count,
                          uint64_t seed)
{
    size_t remaining[CAUSES_CONTENTS] = {0}, now = 0;
    int best = -1;
    for (size_t i = 0; i < count; i++) {
        uint32_t contents = left[i] && !in[i] ? contents_of(&cases[i], seed) : UNKNOWN;
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
    for (size_t i = 0; i < count; i++)
        left[i] = left[i] && (in[i] || contents_of(&cases[i], seed) >> best & 1);
    return best;
}

/* Takes the key that leaves the fewest other cases. False: none leaves clearly fewer. */
static bool choose(struct column *columns, const struct value *split_names, const bool *in, bool *left, size_t count)
{
    size_t best_count = 0, now = 0;
    int best = -1;
    for (size_t i = 0; i < count; i++)
        now += left[i] && !in[i];
    best_count = now;
    for (int k = 0; k < KEYS; k++) {
        size_t remaining = 0;
        if (!columns[k].usable || columns[k].chosen || columns[k].named.count == 0)
            continue;
        for (size_t i = 0; i < count; i++)
            remaining += left[i] && !in[i] && has(&columns[k], &split_names[i * KEYS + (size_t)k]);
        if (remaining < best_count) {
            best_count = remaining;
            best = k;
        }
    }
    if (best < 0 || (best_count > 0 && best_count > now - now / 8))
        return false;
    columns[best].chosen = true;
    for (size_t i = 0; i < count; i++)
        left[i] = left[i] && has(&columns[best], &split_names[i * KEYS + (size_t)best]);
    return true;
}

void causes_separate(struct cause_group *group, struct cause_case *cases, const bool *in, size_t count, uint64_t seed)
{
    struct value *names = calloc(count * KEYS, sizeof *names);
    struct column *columns = calloc(KEYS, sizeof *columns);
    bool *left = calloc(count, sizeof *left);
    int chosen = 0, content = -1;
    if (names && columns && left) {
        for (size_t i = 0; i < count; i++) {
            split(cases[i].name, &names[i * KEYS]);
            left[i] = cases[i].ran || in[i];
        }
        uint32_t common = common_contents(cases, in, count, seed);
        if (common)
            content = choose_content(cases, common, in, left, count, seed);
        collect(columns, names, in, count);
        while (chosen < CHOSEN_MAX && choose(columns, names, in, left, count))
            chosen++;
        for (int k = 0; k < KEYS; k++)
            if (columns[k].chosen)
                name_column(k, &columns[k], group->where, sizeof group->where);
        size_t used = strlen(group->where), unknown = 0;
        for (size_t i = 0; i < count; i++)
            unknown += in[i] && cases[i].scanned && cases[i].contents == UNKNOWN;
        if (content >= 0)
            used += (size_t)snprintf(group->where + used, sizeof group->where - used, "%swith %s", used ? ", " : "",
                                     causes_content_name(content));
        if (content >= 0 && unknown > 0 && used < sizeof group->where)
            snprintf(group->where + used, sizeof group->where - used, " (%zu too large to look at)", unknown);
        for (size_t i = 0; i < count && (chosen > 0 || content >= 0); i++)
            group->such += left[i];
    }
    free(names);
    free(columns);
    free(left);
}
