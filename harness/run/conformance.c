#include "harness/run/conformance.h"

#include "harness/base/dml_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 5 };

/* The signs that the records of an operator at a level have shown. */
enum conformance_sign { SIGN_PASSED, SIGN_UNSUPPORTED, SIGN_FAILED };

const char *conformance_name(enum conformance_state state)
{
    static const char *const names[CONFORMANCE_STATES] = {[CONFORMANCE_NO_CASES] = "without cases",
                                                          [CONFORMANCE_MISSING] = "missing",
                                                          [CONFORMANCE_PARTIAL] = "partly supported",
                                                          [CONFORMANCE_FAILING] = "failing",
                                                          [CONFORMANCE_COMPLETE] = "complete"};
    return names[state];
}

static int level_index(const char *name)
{
    int i = 0;
    while (i < SPEC_MAX_LEVELS && strcmp(level_names[i], name) != 0)
        i++;
    return i;
}

/* Adds the documented operators. */
static bool conformance_add_operators(struct conformance *c)
{
    DML_OPERATOR_TYPE type = DML_OPERATOR_INVALID;
    while ((type = dml_operator_next(type)) != DML_OPERATOR_INVALID)
        c->count++;
    c->operators = calloc((size_t)c->count, sizeof *c->operators);
    c->failed = !c->operators;
    for (int i = 0; i < c->count && !c->failed; i++) {
        type = dml_operator_next(type);
        c->operators[i] =
            (struct conformance_operator){.name = dml_operator_name(type), .since = dml_operator_since(type)};
    }
    return !c->failed;
}

/* Returns null if no operator of that name is documented, or memory ran out. Records of an operator come together. */
static struct conformance_operator *conformance_find_operator(struct conformance *c, const char *name)
{
    if (!c->operators && (dml_operator_find(name) == DML_OPERATOR_INVALID || !conformance_add_operators(c)))
        return NULL;
    if (strcmp(c->operators[c->last].name, name) == 0)
        return &c->operators[c->last];
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->operators[i].name, name) == 0)
            return &c->operators[c->last = i];
    return NULL;
}

static unsigned conformance_sign_of(const struct record *record)
{
    if (record->flaky || status_is_failure(record->verdict.status) || record->verdict.status == STATUS_INCOMPLETE)
        return 1u << SIGN_FAILED;
    if (record->verdict.status == STATUS_UNSUPPORTED)
        return 1u << SIGN_UNSUPPORTED;
    return record->verdict.status == STATUS_SKIP ? 0 : 1u << SIGN_PASSED;
}

void conformance_add(struct conformance *c, const struct record *record)
{
    struct conformance_operator *found = c->failed ? NULL : conformance_find_operator(c, record->operator_name);
    int level = level_index(record->feature_level);
    if (found && level < SPEC_MAX_LEVELS)
        found->seen[level] |= (uint8_t)conformance_sign_of(record);
}

void conformance_free(struct conformance *c)
{
    free(c->operators);
    *c = (struct conformance){0};
}

enum conformance_state conformance_of(const struct conformance *c, int op, int level)
{
    unsigned seen = 0;
    for (int i = 0; i <= level; i++)
        seen |= c->operators[op].seen[i];
    if (seen >> SIGN_FAILED & 1)
        return CONFORMANCE_FAILING;
    if (seen >> SIGN_UNSUPPORTED & 1)
        return seen >> SIGN_PASSED & 1 ? CONFORMANCE_PARTIAL : CONFORMANCE_MISSING;
    return seen ? CONFORMANCE_COMPLETE : CONFORMANCE_NO_CASES;
}

static bool exists(const struct conformance *c, int op, int level)
{
    return c->operators[op].since <= level_all[level];
}

void conformance_count(const struct conformance *c, int level, int counts[CONFORMANCE_STATES])
{
    memset(counts, 0, CONFORMANCE_STATES * sizeof *counts);
    for (int op = 0; op < c->count; op++)
        if (exists(c, op, level))
            counts[conformance_of(c, op, level)]++;
}

int conformance_operators(const struct conformance *c, int level)
{
    int count = 0;
    for (int op = 0; op < c->count; op++)
        count += exists(c, op, level);
    return count;
}

int conformance_top(DML_FEATURE_LEVEL declared)
{
    int i = SPEC_MAX_LEVELS - 1;
    while (i > 0 && declared && level_all[i] > declared)
        i--;
    return i;
}

int conformance_complete_up_to(const struct conformance *c, int top)
{
    int counts[CONFORMANCE_STATES], best = -1;
    for (int level = 0; level <= top; level++) {
        conformance_count(c, level, counts);
        if (counts[CONFORMANCE_COMPLETE] < conformance_operators(c, level))
            break;
        best = level;
    }
    return best;
}

/* Prints `count` operators in a state at a level, by name, at most `names` of them. */
static void conformance_print_names(const struct conformance *c, int level, enum conformance_state state, int count,
                                    int names, FILE *out)
{
    int shown = 0;
    for (int op = 0; op < c->count && shown < names; op++)
        if (exists(c, op, level) && conformance_of(c, op, level) == state)
            fprintf(out, "%s%s", shown++ ? ", " : ": ", c->operators[op].name);
    if (count > shown)
        fprintf(out, " and %d more", count - shown);
}

void conformance_print_level(const struct conformance *c, int level, int names, FILE *out)
{
    static const enum conformance_state named[] = {CONFORMANCE_FAILING, CONFORMANCE_MISSING, CONFORMANCE_PARTIAL,
                                                   CONFORMANCE_NO_CASES};
    int counts[CONFORMANCE_STATES];
    conformance_count(c, level, counts);
    fprintf(out, "%d of %d operators complete", counts[CONFORMANCE_COMPLETE], conformance_operators(c, level));
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (counts[named[i]]) {
            fprintf(out, "; %d %s", counts[named[i]], conformance_name(named[i]));
            conformance_print_names(c, level, named[i], counts[named[i]], names, out);
        }
}

void conformance_print(const struct conformance *c, DML_FEATURE_LEVEL declared, const char *indent, FILE *out)
{
    int top = conformance_top(declared), best;
    if (!c->operators || c->failed)
        return;
    best = conformance_complete_up_to(c, top);
    fprintf(out, "%sconformance at feature level %s: ", indent, level_names[top]);
    conformance_print_level(c, top, NAMES_MAX, out);
    if (best < 0)
        fprintf(out, "; no level is complete");
    else if (best < top)
        fprintf(out, "; complete up to %s", level_names[best]);
    putc('\n', out);
}

static void conformance_print_list(const struct conformance *c, int level, enum conformance_state state, FILE *out)
{
    static const char *const keys[CONFORMANCE_STATES] = {[CONFORMANCE_MISSING] = "missing",
                                                         [CONFORMANCE_PARTIAL] = "partial",
                                                         [CONFORMANCE_FAILING] = "failing",
                                                         [CONFORMANCE_NO_CASES] = "without_cases"};
    const char *comma = "";
    fprintf(out, ",\"%s\":[", keys[state]);
    for (int op = 0; op < c->count; op++)
        if (exists(c, op, level) && conformance_of(c, op, level) == state) {
            fprintf(out, "%s\"%s\"", comma, c->operators[op].name);
            comma = ",";
        }
    putc(']', out);
}

void conformance_print_json(const struct conformance *c, DML_FEATURE_LEVEL declared, FILE *out)
{
    putc('[', out);
    for (int level = 0; c->operators && !c->failed && level <= conformance_top(declared); level++) {
        int counts[CONFORMANCE_STATES];
        conformance_count(c, level, counts);
        fprintf(out, "%s{\"feature_level\":\"%s\",\"complete\":%d", level ? "," : "", level_names[level],
                counts[CONFORMANCE_COMPLETE]);
        conformance_print_list(c, level, CONFORMANCE_FAILING, out);
        conformance_print_list(c, level, CONFORMANCE_MISSING, out);
        conformance_print_list(c, level, CONFORMANCE_PARTIAL, out);
        conformance_print_list(c, level, CONFORMANCE_NO_CASES, out);
        putc('}', out);
    }
    putc(']', out);
}
