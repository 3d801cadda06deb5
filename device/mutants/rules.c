/* rules.c: uses the harness's specs, rules and marshalling. */
#include "device/mutants/rules.h"

#include "device/mutants/forgets.h"
#include "device/mutants/formulas.h"
#include "harness/check/check.h"
#include "harness/base/datatype.h"
#include "harness/load/image.h"
#include "harness/describe/marshal.h"
#include "harness/check/ordered.h"
#include "harness/base/words.h"
#include "harness/base/paths.h"

#include <stdlib.h>
#include <string.h>

struct rules {
    struct spec_set specs;
    const struct spec *spec;
    int rule, part; /* -1: all parts */
    bool ignore;
    int type, index; /* the corner: DML_TENSOR_DATA_TYPE, 0: any */
    uint32_t rank;   /* 0: any */
};

static struct rules *load_specs(char *message, size_t size)
{
    struct rules *rules = calloc(1, sizeof *rules);
    struct error error = {0};
    char folder[PATHS_SIZE];
    if (!rules)
        return NULL;
    if (paths_folder("specs", formulas_folder(), folder, &error) || spec_set_open(&rules->specs, folder, &error)) {
        snprintf(message, size, "%s", error.text);
        free(rules);
        return NULL;
    }
    return rules;
}

static void no_rule(const struct spec_set *set, int spec, const char *op, const char *id, char *message, size_t size)
{
    const char *names[256];
    size_t count = 0;
    if (spec < 0)
        for (int i = 0; i < set->count && count < 256; i++)
            names[count++] = set->specs[i].name;
    for (int i = 0; spec >= 0 && i < set->specs[spec].rule_count && count < 256; i++)
        names[count++] = set->specs[spec].rules[i].id;
    const char *near = words_nearest(spec < 0 ? op : id, names, count);
    snprintf(message, size, "no rule is named '%s/%s'; %s%s%sexpected OPERATOR/RULE", op, id,
             near ? "did you mean " : "", near ? near : "", near ? "? " : "");
}

struct rules *rules_open(bool ignore, const char *name, char *message, size_t size)
{
    struct rules *rules = load_specs(message, size);
    char text[128], *rest = text;
    if (!rules)
        return NULL;
    snprintf(text, sizeof text, "%s", name);
    const char *op = strsep(&rest, "/"), *id = strsep(&rest, "/"), *part = strsep(&rest, "/");
    int spec = spec_set_find(&rules->specs, op);
    if (spec >= 0 && id) {
        rules->spec = &rules->specs.specs[spec];
        rules->rule = spec_find_rule(rules->spec, id);
        rules->part = part ? atoi(part) - 1 : -1;
        rules->ignore = ignore;
    }
    if (spec >= 0 && id && rules->rule >= 0 && rules->part < rules->spec->rules[rules->rule].atom_count)
        return rules;
    no_rule(&rules->specs, spec, op, id ? id : "", message, size);
    rules_close(rules);
    return NULL;
}

void rules_close(struct rules *rules)
{
    if (rules)
        spec_set_free(&rules->specs);
    free(rules);
}

bool rules_narrow(struct rules *rules, const char *key, const char *value)
{
    if (strcmp(key, "rank") == 0)
        return (rules->rank = (uint32_t)atoi(value)) > 0;
    int type = datatype_find(value);
    *(strcmp(key, "type") == 0 ? &rules->type : &rules->index) = type;
    return type > 0;
}

/* Tells whether the description is in the corner. */
static bool is_in_corner(const struct rules *r, const struct opdesc *desc)
{
    const struct opdesc_tensor *first = OPDESC_TENSOR(desc, 0);
    if ((r->type && first->data_type != (uint32_t)r->type) || (r->rank && first->dims != r->rank))
        return false;
    return !r->index || (r->spec->index_count > 0 &&
                         OPDESC_TENSOR(desc, r->spec->indices[0].field)->data_type == (uint32_t)r->index);
}

/* ---- ignored rules */

/* Tells whether `desc` breaks the rule, only in the part in question, and no other rule. */
static bool breaks_only(const struct rules *r, const struct opdesc *desc, DML_FEATURE_LEVEL level)
{
    int broken[2], table = spec_table(r->spec, level);
    const struct rule *rule = &r->spec->rules[r->rule];
    if (rules_check(r->spec, desc, level, broken, 2) != 1 || broken[0] != r->rule)
        return false;
    for (int i = 0; r->part >= 0 && i < rule->atom_count; i++)
        if (i != r->part && atom_check(r->spec, rule->first_atom + i, desc, table) == BROKEN)
            return false;
    return true;
}

/* ---- limits taken too low */

/* Tells whether a number equals an operand of a condition: a number, or the entry of a list at the same position. */
static bool equals(const struct spec *spec, int node, const struct opdesc *desc, int element, int position, int64_t x)
{
    struct expr_list list;
    int64_t number;
    if (node < 0)
        return false;
    if (!expr_is_list(&spec->nodes[node]))
        return expr_number_of(spec->nodes, node, desc, element, &number) && x == number;
    return expr_list_of(spec->nodes, node, desc, element, &list) && position < list.count && x == list.items[position];
}

static bool atom_has(const struct atom *a, int64_t value)
{
    bool found = false;
    for (int i = 0; i < a->set_count; i++)
        found |= a->set[i] == value;
    return found;
}

/* Tells whether a condition, or a condition on each element of an array, is a set for this number without the value. */
static bool atom_lacks(const struct spec *spec, int atom, int node, const struct opdesc *desc, int table, int element,
                       int64_t value)
{
    const struct atom *a = &spec->atoms[atom];
    for (int i = 0; a->kind == ATOM_EVERY && i < a->part_count; i++)
        if (atom_lacks(spec, a->parts[i], node, desc, table, element, value))
            return true;
    return a->kind == ATOM_ONE_OF && a->x == node && !a->powers && !atom_has(a, value) &&
           (a->when < 0 || atom_check_of(spec, a->when, desc, table, element) == HOLDS);
}

/* Tells whether all sets that the rules name for this number have the value. */
static bool is_allowed(const struct spec *spec, int node, const struct opdesc *desc, int table, int element,
                       int64_t value)
{
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        for (int j = 0; rule_applies(rule, spec->levels[table].level) && j < rule->atom_count; j++)
            if (atom_lacks(spec, rule->first_atom + j, node, desc, table, element, value))
                return false;
    }
    return true;
}

/* Returns the last value of a set that no other rule forbids. */
static int64_t last_of(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int table, int element)
{
    for (int i = a->set_count; i > 0; i--)
        if (is_allowed(spec, a->x, desc, table, element, a->set[i - 1]))
            return a->set[i - 1];
    return a->set[a->set_count - 1];
}

/* Tells whether one number, or one entry of a list, is the last that the condition allows. */
static bool entry_at_limit(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int table,
                           int element, int position, int64_t x)
{
    int field = a->x >= 0 ? spec->nodes[a->x].field : 0;
    switch (a->kind) {
    case ATOM_TYPES:
        return spec->levels[table].types[spec->fields[field].group] >> x == 1;
    case ATOM_DIMS:
        return x == spec->levels[table].dims[field].high;
    case ATOM_ONE_OF:
        return a->powers ? equals(spec, a->low, desc, element, position, x)
                         : x == last_of(spec, a, desc, table, element);
    case ATOM_EQUAL:
        return x > 1;
    case ATOM_EACH:
        return equals(spec, a->high, desc, element, position, x) || equals(spec, a->low, desc, element, position, x);
    case ATOM_BROADCASTS:
    case ATOM_DIVIDES:
        return x > 1 && equals(spec, a->low, desc, element, position, x);
    case ATOM_DISTINCT:
        return position > 0;
    case ATOM_MEMBER:
        return true;
    default:
        return equals(spec, a->high >= 0 ? a->high : a->low, desc, element, position, x);
    }
}

static bool reals_at_limit(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_reals x;
    bool reaches = false;
    if (!expr_reals(spec->nodes, a->x, desc, &x))
        return false;
    for (int i = 0; i < x.count; i++)
        reaches |= (double)x.items[i] == a->reals.low || (double)x.items[i] == a->reals.high || a->reals.above_low ||
                   a->reals.below_high;
    return reaches;
}

static bool at_limit(const struct spec *spec, int atom, const struct opdesc *desc, int table, int element);

static bool part_at_limit(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int table,
                          int element)
{
    int last = a->kind == ATOM_EVERY ? (int)opdesc_count(desc, a->array) : element + 1;
    for (int at = a->kind == ATOM_EVERY ? 0 : element; at < last; at++)
        for (int i = 0; i < a->part_count; i++)
            if (at_limit(spec, a->parts[i], desc, table, at))
                return true;
    return false;
}

static bool at_limit(const struct spec *spec, int atom, const struct opdesc *desc, int table, int element)
{
    const struct atom *a = &spec->atoms[atom];
    struct expr_list x = {.count = 1};
    int order;
    if (table < 0 || !levels_include(a->from, a->before, spec->levels[table].level) ||
        (a->when >= 0 && atom_check_of(spec, a->when, desc, table, element) != HOLDS))
        return false;
    if (a->part_count > 0)
        return part_at_limit(spec, a, desc, table, element);
    if (a->kind == ATOM_REALS)
        return reals_at_limit(spec, a, desc);
    if (a->kind == ATOM_ORDERED)
        return ordered_compare(spec, a, desc, &order) && order == 0;
    if (!(expr_is_list(&spec->nodes[a->x]) ? expr_list_of(spec->nodes, a->x, desc, element, &x)
                                           : expr_number_of(spec->nodes, a->x, desc, element, &x.items[0])))
        return false;
    for (int i = 0; i < x.count; i++)
        if (entry_at_limit(spec, a, desc, table, element, i, x.items[i]))
            return true;
    return false;
}

HRESULT rules_answer(const struct rules *r, DML_FEATURE_LEVEL level, const DML_OPERATOR_DESC *desc, HRESULT right)
{
    struct opdesc read;
    const struct rule *rule = &r->spec->rules[r->rule];
    if (!desc || !desc->Desc || desc->Type != r->spec->type || SUCCEEDED(right) == r->ignore)
        return right;
    marshal_read(r->spec, desc, &read);
    if (!is_in_corner(r, &read))
        return right;
    if (r->ignore)
        return breaks_only(r, &read, level) ? S_FALSE : right;
    for (int i = 0; rule_applies(rule, level) && i < rule->atom_count; i++)
        if ((r->part < 0 || r->part == i) &&
            (r->spec->atoms[rule->first_atom].kind == ATOM_SINCE
                 ? level == r->spec->since
                 : at_limit(r->spec, rule->first_atom + i, &read, spec_table(r->spec, level), 0)))
            return E_INVALIDARG;
    return right;
}

/* ---- the list */

/* Returns the last level at which one of the atoms applies, `part` or any of them; "": the newest. */
static const char *last_level(const struct spec *spec, const struct rule *rule, int part)
{
    const char *found = "";
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        for (int j = 0; j < rule->atom_count; j++) {
            const struct atom *a = &spec->atoms[rule->first_atom + j];
            if ((part < 0 || part == j) && (rule->before == 0 || level_all[i] < rule->before) &&
                levels_include(a->from, a->before, level_all[i]))
                found = i == SPEC_MAX_LEVELS - 1 ? "" : level_names[i];
        }
    return found;
}

/* Returns the level that the device must declare so that the rule can be broken, or its limit reached; "": any level.
 * Returns null if no level will do. */
static const char *level_of(const struct spec *spec, const struct rule *rule, bool ignore, int part)
{
    const char *found = NULL;
    if (spec->atoms[rule->first_atom].kind != ATOM_SINCE)
        return last_level(spec, rule, part);
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        if (level_all[i] < spec->since)
            found = level_names[i];
    return ignore ? found : level_name(spec->since);
}

/* Lists a rule; `part` -1: all parts. */
static void list_rule(FILE *out, const struct spec *spec, const struct rule *rule, bool ignore, int part)
{
    static const char *const kinds[] = {"hard", "hard", "soft", "open"};
    const char *level = level_of(spec, rule, ignore, part);
    char number[16] = "";
    if (!level) /* an operator as old as the oldest level is never too new */
        return;
    if (part >= 0)
        snprintf(number, sizeof number, "/%d", part + 1);
    fprintf(out, "%s%s\t%s\t%s\t%s=%s/%s%s%s%s\t%s: %s\t\t\n", ignore ? "ignored" : "limit", part < 0 ? "" : "-part",
            ignore ? kinds[rule->strength] : "hard", spec->name, ignore ? "ignore" : "reject", spec->name, rule->id,
            number, *level ? ",level=" : "", level, ignore ? "not checked" : "rejected at its limit",
            part < 0 ? rule->text : spec->atoms[rule->first_atom + part].text);
}

static void list_rules(FILE *out, const struct spec *spec)
{
    for (const struct rule *rule = spec->rules; rule < spec->rules + spec->rule_count; rule++)
        for (int ignore = 1; ignore >= 0 && !rule->behaviour; ignore--)
            for (int part = -1; part < (rule->atom_count > 1 ? rule->atom_count : 0); part++)
                list_rule(out, spec, rule, ignore, part);
}

/* Corners in which independent implementations were wrong, or might be. Two further properties are found by cases of no
 * tier, three by the tier "deep". */
static const struct corner {
    const char *name, *where;
    bool deep;
} corners[] = {
    {"GATHER/axis-range", "type=FLOAT16,rank=8", false},
    {"GATHER/indices-leading-ones", "type=INT8,rank=6", false},
    {"GATHER_ELEMENTS/axis-range", "type=UINT16,rank=5", false},
    {"GATHER_ND/input-rank", "type=INT64,rank=7", false},
    {"GATHER_ND/input-leading-ones", "type=FLOAT64,rank=6", false},
    {"GATHER_ND1/batch-rank", "type=FLOAT32,rank=4", false},
    {"GATHER_ND1/indices-rank", "type=UINT8,rank=8", false},
    {"NONZERO_COORDINATES/rows-enough", "type=INT16,rank=8", false},
    {"NONZERO_COORDINATES/row-width", "type=UINT32,rank=1", false},
    {"SCATTER_ELEMENTS/same-type", "type=INT8,rank=3", false},
    {"SCATTER_ELEMENTS/total-size", "type=UINT64,rank=2", false},
    {"SCATTER_ND/tuple-size", "type=INT32,rank=5", false},
    {"SCATTER_ND/alignment", "type=FLOAT16,rank=1", false},
    {"GATHER/axis-range", "type=FLOAT16,rank=8,index=UINT64", true},
    {"GATHER_ND/tuple-size", "type=UINT32,rank=4,index=INT32", true},
    {"SCATTER_ELEMENTS/updates-sizes", "type=INT8,rank=6,index=INT64", true},
};

static void list_corners(FILE *out, const struct spec_set *specs)
{
    static const char *const kinds[] = {"hard", "hard", "soft", "open"};
    for (const struct corner *c = corners; c < corners + sizeof corners / sizeof *corners; c++) {
        char operator[64];
        snprintf(operator, sizeof operator, "%.*s", (int)strcspn(c->name, "/"), c->name);
        int op = spec_set_find(specs, operator),
            rule = op < 0 ? -1 : spec_find_rule(&specs->specs[op], strchr(c->name, '/') + 1);
        if (rule >= 0)
            fprintf(out, "%s\t%s\t%s\tignore=%s,%s\tnot checked in this corner\t\n", c->deep ? "deep" : "corner",
                    kinds[specs->specs[op].rules[rule].strength], operator, c->name, c->where);
    }
}

bool rules_list(FILE *out, char *message, size_t size)
{
    struct rules *rules = load_specs(message, size);
    if (!rules)
        return false;
    for (int i = 0; i < rules->specs.count; i++)
        list_rules(out, &rules->specs.specs[i]);
    list_corners(out, &rules->specs);
    forgets_list(out, &rules->specs);
    rules_close(rules);
    return true;
}
