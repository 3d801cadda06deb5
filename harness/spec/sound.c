#include "harness/spec/sound.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/field_kind.h"
#include "harness/spec/result.h"

#include <stdalign.h>
#include <string.h>

/* The number of entries that an array of the pool can have at most; more than any spec needs. */
enum { COUNT_MAX = 1 << 20 };

#define HOLDS(pool, array, count)                                                                                      \
    ((count) >= 0 && (count) <= COUNT_MAX &&                                                                           \
     pool_holds(pool, array, (size_t)(count) * sizeof *(array), alignof(__typeof__(*(array)))))

/* Whether an index is below `count`, and not below `lowest`: 0, or -1 for one that may be absent. */
static bool is_index(int64_t index, int lowest, int count)
{
    return index >= lowest && index < count;
}

static bool constants_are_sound(const struct pool *pool, const struct spec_enum *constants)
{
    if (!constants)
        return true;
    if (!HOLDS(pool, constants, 1) || !pool_holds_text(pool, constants->name) ||
        !HOLDS(pool, constants->constants, constants->count))
        return false;
    for (int i = 0; i < constants->count; i++)
        if (!pool_holds_text(pool, constants->constants[i].name))
            return false;
    return true;
}

/* Whether the blank description and the places in it are what the fields make them. */
static bool blank_is_sound(const struct pool *pool, struct spec *spec)
{
    struct opdesc blank;
    if (spec_lay_out(spec, &blank) || !pool_holds(pool, spec->blank, blank.size, alignof(struct opdesc)))
        return false;
    blank.op = spec->blank->op;
    return memcmp(&blank, spec->blank, blank.size) == 0;
}

static bool fields_are_sound(const struct pool *pool, const struct spec *spec)
{
    int inputs = 0, outputs = 0;
    if (spec->field_count < 1 || spec->field_count > OPDESC_MAX_FIELDS ||
        !HOLDS(pool, spec->fields, spec->field_count) || !is_index(spec->group_count, 0, SPEC_MAX_GROUPS + 1))
        return false;
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        if (!pool_holds_text(pool, field->name) || !is_index((int64_t)field->kind, 0, FIELD_KINDS) ||
            (field_is_tensor(field) && !is_index(field->group, 0, spec->group_count)) ||
            !is_index(field->count_field, -1, spec->field_count) || !is_index(field->typed_by, -1, spec->field_count) ||
            !constants_are_sound(pool, field->constants))
            return false;
        inputs += field_is_input(field);
        outputs += field_is_output(field);
    }
    for (int i = 0; i < spec->group_count; i++) {
        bool used = false;
        for (int j = 0; j < spec->field_count; j++)
            used |= field_is_tensor(&spec->fields[j]) && spec->fields[j].group == i;
        if (!used || !pool_holds_text(pool, spec->groups[i]))
            return false;
    }
    return spec->input_count == inputs && spec->output_count == outputs;
}

static bool is_tensor(const struct spec *spec, int64_t field)
{
    return is_index(field, 0, spec->field_count) && field_is_tensor(&spec->fields[field]);
}

static bool levels_are_sound(const struct pool *pool, struct spec *spec)
{
    if (!is_index(spec->level_count, 1, SPEC_MAX_LEVELS + 1) || !level_name(spec->since) ||
        (spec->page_since && !level_name(spec->page_since)))
        return false;
    for (int i = 0; i < spec->level_count; i++) {
        struct spec_level *level = &spec->levels[i];
        level->name = level_name(level->level);
        if (!level->name || !pool_holds_text(pool, level->pages) || !pool_holds_text(pool, level->ruling))
            return false;
        for (int g = 0; g < spec->group_count; g++)
            if (level->types[g] == 0 || level->types[g] >> DATATYPE_COUNT != 0)
                return false;
        for (int f = 0; f < spec->field_count; f++)
            if (is_tensor(spec, f) && (level->dims[f].low < 1 || level->dims[f].high < level->dims[f].low ||
                                       level->dims[f].high > DML_TENSOR_DIMENSION_COUNT_MAX1))
                return false;
    }
    return true;
}

/* ---- expressions and conditions */

/* Whether a node before `end` exists and is a number 'n' or a list 'l'; -: there need not be one. */
static bool is_node(const struct spec *spec, int node, int end, char kind)
{
    return kind == '-' ? is_index(node, -1, end)
                       : is_index(node, 0, end) && expr_is_list(&spec->nodes[node]) == (kind == 'l');
}

static bool node_is_sound(const struct spec *spec, int at)
{
    const struct expr *node = &spec->nodes[at];
    const char *operands = "---"; /* of a, b and c */
    bool field = true;
    switch ((enum expr_op)node->op) {
    case EXPR_CONST:
        break;
    case EXPR_ATTR:
        field = is_index(node->field, 0, spec->field_count) && !is_tensor(spec, node->field);
        break;
    case EXPR_SIZE:
        operands = "n--";
        field = is_tensor(spec, node->field);
        break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_MIN:
    case EXPR_MAX:
        operands = "nn-";
        break;
    case EXPR_SLICE:
    case EXPR_REPLACE:
        operands = "lnn";
        break;
    case EXPR_CONCAT:
        operands = "ll-";
        break;
    case EXPR_FIT:
        operands = "ln-";
        break;
    case EXPR_LIST:
        operands = "n--";
        break;
    default:
        field = node->op < EXPR_LIST && is_tensor(spec, node->field);
    }
    return field && is_node(spec, node->a, at, operands[0]) && is_node(spec, node->b, at, operands[1]) &&
           is_node(spec, node->c, at, operands[2]);
}

static bool atom_is_sound(const struct pool *pool, const struct spec *spec, int at)
{
    const struct atom *a = &spec->atoms[at];
    int end = spec->node_count;
    const char *operands = "n--"; /* x, low, high */
    switch (a->kind) {
    case ATOM_BETWEEN:
        operands = a->low < 0 ? (a->high < 0 ? "n--" : "n-n") : a->high < 0 ? "nn-" : "nnn";
        break;
    case ATOM_EACH:
        operands = "lnn";
        break;
    case ATOM_EQUAL:
        operands = "ll-";
        break;
    case ATOM_SINCE:
        operands = "---";
        break;
    case ATOM_ONE_OF:
        operands = a->powers ? "nn-" : "n--";
        break;
    case ATOM_TYPES:
    case ATOM_DIMS:
        if (!is_node(spec, a->x, end, 'n') || !is_tensor(spec, spec->nodes[a->x].field))
            return false;
        break;
    default:
        return false;
    }
    return is_node(spec, a->x, end, operands[0]) && is_node(spec, a->low, end, operands[1]) &&
           is_node(spec, a->high, end, operands[2]) && is_index(a->when, -1, spec->atom_count) &&
           is_index(a->set_count, 0, (int)(sizeof a->set / sizeof *a->set) + 1) && pool_holds_text(pool, a->text);
}

/* Whether no condition depends on itself. */
static bool conditions_end(const struct spec *spec)
{
    for (int i = 0; i < spec->atom_count; i++) {
        int steps = 0;
        for (int at = i; at >= 0; at = spec->atoms[at].when)
            if (steps++ > spec->atom_count)
                return false;
    }
    return true;
}

static bool rule_is_sound(const struct pool *pool, const struct spec *spec, const struct rule *rule)
{
    return pool_holds_text(pool, rule->id) && pool_holds_text(pool, rule->text) && pool_holds_text(pool, rule->pages) &&
           pool_holds_text(pool, rule->ruling) && pool_holds_text(pool, rule->untested) &&
           is_index((int64_t)rule->strength, 0, STRENGTH_OPEN + 1) &&
           is_index(rule->first_atom, 0, spec->atom_count + 1) &&
           is_index(rule->atom_count, 0, spec->atom_count - rule->first_atom + 1);
}

static bool rules_are_sound(const struct pool *pool, const struct spec *spec)
{
    if (!is_index(spec->node_count, 0, SPEC_MAX_NODES + 1) || !is_index(spec->atom_count, 0, SPEC_MAX_ATOMS + 1) ||
        !HOLDS(pool, spec->nodes, spec->node_count) || !HOLDS(pool, spec->atoms, spec->atom_count) ||
        !HOLDS(pool, spec->rules, spec->rule_count))
        return false;
    for (int i = 0; i < spec->node_count; i++)
        if (!node_is_sound(spec, i))
            return false;
    for (int i = 0; i < spec->atom_count; i++)
        if (!atom_is_sound(pool, spec, i))
            return false;
    for (int i = 0; i < spec->rule_count; i++)
        if (!rule_is_sound(pool, spec, &spec->rules[i]))
            return false;
    return conditions_end(spec);
}

/* ---- what is made of them */

static bool bounds_are_sound(const struct pool *pool, const struct spec *spec)
{
    int end = spec->node_count;
    for (int i = 0; i < spec->level_count; i++) {
        const struct spec_bounds *bounds = &spec->bounds[i];
        if (!HOLDS(pool, bounds->items, bounds->count))
            return false;
        for (int j = 0; j < bounds->count; j++)
            if (!is_index(bounds->items[j].low, -1, end) || !is_index(bounds->items[j].x, 0, end) ||
                !is_index(bounds->items[j].high, -1, end))
                return false;
    }
    if (!HOLDS(pool, spec->sums, spec->sum_count))
        return false;
    for (int i = 0; i < spec->sum_count; i++)
        if (!is_index(spec->sums[i], 0, end))
            return false;
    for (int i = 0; i < spec->field_count; i++)
        if (is_tensor(spec, i) && !is_index(spec->dims_nodes[i], 0, end))
            return false;
    return true;
}

static bool parts_are_sound(const struct pool *pool, const struct spec *spec)
{
    if (!HOLDS(pool, spec->indices, spec->index_count) || !HOLDS(pool, spec->examples, spec->example_count) ||
        !is_index(spec->parameter_count, 0, SPEC_MAX_PARAMETERS + 1) || spec->sparse >> spec->field_count != 0)
        return false;
    for (int i = 0; i < spec->index_count; i++)
        if (!is_tensor(spec, spec->indices[i].field) || !is_node(spec, spec->indices[i].into, spec->node_count, 'l') ||
            !is_index(spec->indices[i].along, -1, spec->node_count))
            return false;
    for (int i = 0; i < spec->example_count; i++)
        if (!pool_holds_text(pool, spec->examples[i].id) || !pool_holds_text(pool, spec->examples[i].pages) ||
            !pool_holds_text(pool, spec->examples[i].ruling))
            return false;
    for (int i = 0; i < spec->parameter_count; i++)
        if (!pool_holds_text(pool, spec->parameters[i].name) ||
            !is_index(spec->parameters[i].node, 0, spec->node_count) ||
            !expr_assignable(&spec->nodes[spec->parameters[i].node]))
            return false;
    return spec->rows.field < 0 || (is_tensor(spec, spec->rows.field) && is_tensor(spec, spec->rows.count_field));
}

/* ---- formulas */

static bool formula_is_sound(const struct pool *pool, const struct spec *spec, const struct formula *formula)
{
    if (formula->count == 0)
        return true;
    if (formula->count > FORMULA_MAX_NODES || !HOLDS(pool, formula->nodes, formula->count) ||
        !pool_holds_text(pool, formula->text))
        return false;
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int16_t operands[] = {node->a, node->b, node->c};
        if (node->op >= FORMULA_OPS || !is_index(node->field, 0, spec->field_count) ||
            (node->op == FORMULA_TERM && !(node->value >= 0 && node->value < FORMULA_MAX_TERMS)))
            return false;
        for (int n = 0; n < formula_ops[node->op].operands; n++)
            if (!is_index(operands[n], 0, i))
                return false;
    }
    return true;
}

static bool choice_is_sound(const struct pool *pool, const struct spec *spec, const struct spec_choice *choice)
{
    bool sound = is_index(choice->rule, 0, spec->rule_count) &&
                 is_index(choice->count, 0, RESULT_MAX_ALTERNATIVES + 1) && formula_is_sound(pool, spec, &choice->when);
    for (int i = 0; sound && i < choice->count; i++)
        sound = pool_holds_text(pool, choice->alternatives[i].outcome) &&
                formula_is_sound(pool, spec, &choice->alternatives[i].value);
    return sound;
}

static bool results_are_sound(const struct pool *pool, const struct spec *spec)
{
    if (!HOLDS(pool, spec->results, spec->result_count))
        return false;
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        bool sound = is_tensor(spec, result->field) && formula_is_sound(pool, spec, &result->value) &&
                     is_index((int64_t)result->overflow, 0, OVERFLOW_OPEN + 1) &&
                     is_index(result->choice_count, 0, RESULT_MAX_CHOICES + 1);
        for (int type = 0; sound && type < DATATYPE_COUNT; type++)
            sound = formula_is_sound(pool, spec, &result->tolerances[type].soft) &&
                    formula_is_sound(pool, spec, &result->tolerances[type].must);
        for (int c = 0; sound && c < result->choice_count; c++)
            sound = choice_is_sound(pool, spec, &result->choices[c]);
        if (!sound)
            return false;
    }
    return true;
}

static bool spec_is_sound(const struct pool *pool, struct spec *spec)
{
    return pool_holds_text(pool, spec->name) && pool_holds_text(pool, spec->lower) &&
           pool_holds_text(pool, spec->file) && pool_holds_text(pool, spec->page) && dml_operator_name(spec->type) &&
           pool_holds_text(pool, spec->sentences.page) && pool_holds_text(pool, spec->sentences.informative) &&
           is_index(spec->sentences.first, 0, SPEC_MAX_SENTENCES + 1) &&
           is_index(spec->sentences.last, 0, SPEC_MAX_SENTENCES + 1) && fields_are_sound(pool, spec) &&
           blank_is_sound(pool, spec) && !spec->catalogue && levels_are_sound(pool, spec) &&
           rules_are_sound(pool, spec) && bounds_are_sound(pool, spec) && parts_are_sound(pool, spec) &&
           results_are_sound(pool, spec);
}

bool spec_set_is_sound(struct spec_set *set)
{
    const struct pool *pool = &set->pool;
    if (!HOLDS(pool, set->specs, set->count) || !HOLDS(pool, set->rulings, set->ruling_count))
        return false;
    for (int i = 0; i < set->count; i++)
        if (!spec_is_sound(pool, &set->specs[i]) || set->specs[i].blank->op != i)
            return false;
    for (int i = 0; i < set->ruling_count; i++)
        if (!pool_holds_text(pool, set->rulings[i].id) || !pool_holds_text(pool, set->rulings[i].text) ||
            !pool_holds_text(pool, set->rulings[i].unused))
            return false;
    return true;
}
