/* These mistakes are about attributes: a number of the description is taken for another number, or for the number of
 * another attribute. */
#include "harness/trial/explain_internal.h"

#include "harness/check/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if an expression reads sizes of a tensor. */
static bool reads_sizes(const struct expr *nodes, int node)
{
    return node >= 0 &&
           (nodes[node].op == EXPR_SIZE || nodes[node].op == EXPR_SIZES || reads_sizes(nodes, nodes[node].a) ||
            reads_sizes(nodes, nodes[node].b) || reads_sizes(nodes, nodes[node].c));
}

static bool is_about_sizes(const struct spec *spec, int atom)
{
    const struct atom *a = &spec->atoms[atom];
    bool reads =
        reads_sizes(spec->nodes, a->x) || reads_sizes(spec->nodes, a->low) || reads_sizes(spec->nodes, a->high);
    for (int i = 0; i < a->part_count && !reads; i++)
        reads = is_about_sizes(spec, a->parts[i]);
    return reads;
}

/* Returns true if the description breaks the rule only because tensors have other sizes. */
static bool breaks_by_sizes(const struct spec *spec, const struct rule *rule, const struct opdesc *desc, int table)
{
    for (int i = rule->first_atom; i < rule->first_atom + rule->atom_count; i++)
        if (atom_check(spec, i, desc, table) == BROKEN && !is_about_sizes(spec, i))
            return false;
    return true;
}

/* Returns true if outputs can be predicted for the changed description. A device that misreads an attribute still uses
 * tensors of the right sizes, so formulas need a description that is legal but for sizes. The reference device rejects
 * other descriptions itself. */
static bool can_predict(const struct explainer *x, const struct opdesc *desc)
{
    enum { MOST = 4 };
    int broken[MOST], count;
    if (!trial_is_computed(x->t))
        return true;
    count = rules_check(x->spec, desc, x->spec->levels[x->t->c.table].level, broken, MOST);
    for (int i = 0; i < count; i++)
        if (i == MOST || !breaks_by_sizes(x->spec, &x->spec->rules[broken[i]], desc, x->t->c.table))
            return false;
    return true;
}

static enum prediction run_description(struct explainer *x, const struct opdesc *desc)
{
    if (!can_predict(x, desc))
        return PREDICTS_NOTHING;
    bool done = trial_is_computed(x->t) ? explain_run_formulas(x, x->spec, desc, NULL) : explain_run_as(x, desc);
    return done ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* ---- integers */

static bool is_integer_attribute(const struct explainer *x, int field)
{
    enum field_kind kind = x->spec->fields[field].kind;
    return kind == FIELD_UINT || kind == FIELD_BOOL || kind == FIELD_ENUM;
}

/* A site is one attribute, taken for one small number or constant. */
enum prediction mistake_numbers(struct explainer *x, const struct mistake *m, int site)
{
    enum { NUMBERS = 12 }; /* an operator's attribute takes so many constants at most: those of a function */
    struct opdesc desc;
    int field = -1, which = site / NUMBERS;
    (void)m;
    do
        field++;
    while (field < x->spec->field_count && (!is_integer_attribute(x, field) || which-- > 0));
    if (field == x->spec->field_count)
        return PREDICTS_NO_SITE;
    if (site % NUMBERS == opdesc_scalar(x->t->c.desc, field))
        return PREDICTS_NOTHING;
    opdesc_copy(&desc, x->t->c.desc);
    desc.values[field].number = site % NUMBERS;
    return run_description(x, &desc);
}

/* ---- real numbers */

enum { REALS_MAX = 32 };

/* Finds the FLOATs of a description: attributes, Scale and Bias, and members of the fused activation. Returns their
 * number. */
static int find_reals(const struct explainer *x, struct opdesc *desc, float *reals[REALS_MAX])
{
    int count = 0;
    for (int i = 0; i < x->spec->field_count && count + OPDESC_NESTED_FIELDS < REALS_MAX; i++) {
        enum field_kind kind = x->spec->fields[i].kind;
        if (kind == FIELD_FLOAT) {
            reals[count++] = &desc->values[i].real;
        } else if (kind == FIELD_SCALE_BIAS && opdesc_present(desc, i)) {
            reals[count++] = &desc->values[i].scale_bias.scale;
            reals[count++] = &desc->values[i].scale_bias.bias;
        } else if (kind == FIELD_OPERATOR && opdesc_present(desc, i)) {
            for (int n = 0; n < 2; n++)
                reals[count++] = &OPDESC_ELEMENT(desc, i, 0)->nested.values[n].real;
        }
    }
    return count;
}

/* A device that does not read attributes takes them for these numbers: each alone, or two at a time. */
static const float usual[] = {0, 1, 0.01f, 0.2f, 0.5f, 0.75f, 2, 1e-5f, 0.1f};
static const float usual_pairs[][2] = {{0.2f, 0.5f}, {1.0f / 6, 0.5f}, {1.6732632f, 1.0507009f},
                                       {1, 1},       {0, 0},           {1, 0}};

/* The sites are each attribute with each usual number, then all attributes with each usual pair. */
enum prediction mistake_reals(struct explainer *x, const struct mistake *m, int site)
{
    enum { USUAL = sizeof usual / sizeof *usual, PAIRS = sizeof usual_pairs / sizeof *usual_pairs };
    struct opdesc desc;
    float *reals[REALS_MAX];
    (void)m;
    opdesc_copy(&desc, x->t->c.desc);
    int count = find_reals(x, &desc, reals), pair = site - count * USUAL;
    if (count == 0 || pair >= (count > 1 ? PAIRS : 0))
        return PREDICTS_NO_SITE;
    for (int i = 0; i < count && pair >= 0; i++)
        *reals[i] = usual_pairs[pair][i % 2];
    if (pair < 0)
        *reals[site / USUAL] = usual[site % USUAL];
    return run_description(x, &desc);
}

/* The only site is all attributes. */
enum prediction mistake_rounds(struct explainer *x, const struct mistake *m, int site)
{
    struct opdesc desc;
    float *reals[REALS_MAX];
    bool changed = false;
    opdesc_copy(&desc, x->t->c.desc);
    int count = find_reals(x, &desc, reals);
    if (count == 0 || site > 0)
        return PREDICTS_NO_SITE;
    for (int i = 0; i < count; i++) {
        float rounded = m->as.round(*reals[i]);
        changed |= rounded != *reals[i] && !isnan(rounded);
        *reals[i] = rounded;
    }
    return changed ? run_description(x, &desc) : PREDICTS_NOTHING;
}

/* A site is a pair of attributes, which change places. */
enum prediction mistake_trades(struct explainer *x, const struct mistake *m, int site)
{
    struct opdesc desc;
    float *reals[REALS_MAX];
    (void)m;
    opdesc_copy(&desc, x->t->c.desc);
    int count = find_reals(x, &desc, reals);
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            if (site-- > 0)
                continue;
            float kept = *reals[a];
            *reals[a] = *reals[b];
            *reals[b] = kept;
            return run_description(x, &desc);
        }
    return PREDICTS_NO_SITE;
}

/* ---- arrays of numbers */

static bool is_list(const struct explainer *x, int field)
{
    enum field_kind kind = x->spec->fields[field].kind;
    return kind == FIELD_UINTS || kind == FIELD_INTS || kind == FIELD_FLOATS;
}

/* Returns the field with the number of elements of a list; -1: the number is fixed. */
static int count_field(const struct explainer *x, int field)
{
    return x->spec->fields[field].count_field;
}

/* Sets the number of entries of a list. Returns false if that number is fixed, too large or the old one, or if other
 * arrays have the same number of entries. */
static bool set_count(const struct explainer *x, struct opdesc *desc, int field, unsigned count)
{
    int of = count_field(x, field);
    for (int i = 0; i < x->spec->field_count; i++)
        if (i != field && x->spec->fields[i].count_field == of)
            return false;
    if (of < 0 || count > desc->values[field].place.room || count == opdesc_count(desc, field))
        return false;
    desc->values[of].number = count;
    return true;
}

/* Returns the number of dimensions of the first tensor. */
static uint32_t dimensions_of(const struct explainer *x)
{
    int i = explain_next(x, -1);
    return i < 0 ? 0 : explain_tensor(x, i)->dims;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Returns what a device takes an entry of FLOATs for. */
static float misread_float(enum mistake_list kind, float value)
{
    switch (kind) {
    case LIST_ONES:
        return 1;
    case LIST_ABSOLUTE:
        return fabsf(value);
    case LIST_NEGATED:
        return -value;
    case LIST_INVERTED:
        return 1 / value;
    case LIST_NEXT:
        return value + 0.5f;
    case LIST_BEFORE:
        return value - 0.5f;
    case LIST_FLOORED:
        return floorf(value);
    default:
        return value;
    }
}

/* Returns what a device takes an entry of integers for. */
static uint32_t misread_integer(enum mistake_list kind, uint32_t value)
{
    switch (kind) {
    case LIST_ONES:
        return 1;
    case LIST_ABSOLUTE:
        return (uint32_t)abs((int32_t)value);
    case LIST_NEGATED:
        return 0 - value;
    case LIST_NEXT:
        return value + 1;
    case LIST_BEFORE:
        return value - 1;
    default:
        return value;
    }
}

static bool misread_list(const struct explainer *x, enum mistake_list kind, struct opdesc *desc, int field, int other)
{
    uint32_t *list = OPDESC_ELEMENT(desc, field, 0)->list, before[OPDESC_MAX_LIST];
    unsigned count = opdesc_count(desc, field);
    uint32_t dims = dimensions_of(x);
    const bool reals = x->spec->fields[field].kind == FIELD_FLOATS;
    memcpy(before, list, count * sizeof *list);
    for (unsigned i = 0; i < count; i++)
        switch (kind) {
        case LIST_REVERSED:
            list[i] = before[count - 1 - i];
            break;
        case LIST_FIRST:
            list[i] = before[0];
            break;
        case LIST_LAST:
            list[i] = before[count - 1];
            break;
        case LIST_ZEROS:
            list[i] = 0;
            break;
        case LIST_TRADED:
            if (opdesc_count(desc, other) != count)
                return false;
            list[i] = OPDESC_ELEMENT(desc, other, 0)->list[i];
            OPDESC_ELEMENT(desc, other, 0)->list[i] = before[i];
            break;
        default:
            list[i] = reals ? bits_of(misread_float(kind, float_of(before[i]))) : misread_integer(kind, before[i]);
            break;
        }
    if (kind == LIST_ONLY_FIRST || kind == LIST_ONLY_LAST || kind == LIST_LAST_DIMENSION) {
        if (kind == LIST_ONLY_FIRST)
            list[0] = before[0];
        else if (kind == LIST_ONLY_LAST)
            list[0] = before[count - 1];
        else
            list[0] = dims - 1;
        return !reals && (set_count(x, desc, field, 1) || (kind == LIST_LAST_DIMENSION && count == 1));
    }
    for (unsigned i = 0; i < count; i++)
        if (x->spec->fields[field].kind == FIELD_UINTS && list[i] > INT32_MAX) /* below 0: a loop would not end */
            return false;
    for (uint32_t d = 0; d < dims && kind == LIST_ALL_DIMENSIONS; d++)
        list[d] = d;
    return kind != LIST_ALL_DIMENSIONS || (!reals && set_count(x, desc, field, dims));
}

/* Returns true if two lists can change places. */
static bool lists_can_trade(const struct explainer *x, int a, int b)
{
    return is_list(x, b) && (x->spec->fields[a].kind == FIELD_FLOATS) == (x->spec->fields[b].kind == FIELD_FLOATS);
}

/* A site is a list; for lists that change places, a pair of lists. */
enum prediction mistake_lists(struct explainer *x, const struct mistake *m, int site)
{
    struct opdesc desc;
    enum mistake_list kind = (enum mistake_list)m->as.number;
    for (int field = 0; field < x->spec->field_count; field++)
        for (int other = kind == LIST_TRADED ? field + 1 : x->spec->field_count - 1; other < x->spec->field_count;
             other++) {
            if (!is_list(x, field) || (kind == LIST_TRADED && !lists_can_trade(x, field, other)) || site-- > 0)
                continue;
            opdesc_copy(&desc, x->t->c.desc);
            if (!opdesc_present(&desc, field) || opdesc_count(&desc, field) == 0 ||
                (kind == LIST_TRADED && !opdesc_present(&desc, other)) || !misread_list(x, kind, &desc, field, other))
                return PREDICTS_NOTHING;
            return run_description(x, &desc);
        }
    return PREDICTS_NO_SITE;
}
