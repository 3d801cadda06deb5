/* sound_rules.c: checks the expressions, conditions and rules that another process left. */
#include "harness/describe/field_kind.h"
#include "harness/load/sound_internal.h"
#include "harness/solve/solve.h"
#include "harness/spec/contents.h"

/* ---- expressions */

bool sound_is_node(const struct spec *spec, int node, int end, char kind)
{
    if (node < 0)
        return node == -1 && (kind == '-' || kind < 'a');
    if (kind == '-' || node >= end)
        return false;
    const struct expr *n = &spec->nodes[node];
    bool real = n->op == EXPR_REAL || n->op == EXPR_REALS, scalar = n->op == EXPR_SCALAR;
    char wanted = (char)(kind | 0x20);
    if (wanted == 'o')
        return scalar || (n->op == EXPR_REAL && n->value == EXPR_NO_ARRAY);
    return wanted == 'r' ? real : !real && !scalar && (wanted == 'e' || expr_is_list(n) == (wanted == 'l'));
}

/* Returns true if a field is of one of the kinds from `first` to `last`. */
static bool is_of_kind(const struct spec *spec, int field, enum field_kind first, enum field_kind last)
{
    return is_index(field, 0, spec->field_count) && spec->fields[field].kind >= first &&
           spec->fields[field].kind <= last;
}

static bool is_array_of_parts(const struct spec *spec, int field)
{
    return is_of_kind(spec, field, FIELD_INPUTS, FIELD_OUTPUTS) ||
           is_of_kind(spec, field, FIELD_OPERATORS, FIELD_OPERATORS);
}

/* Returns false if the node's value names an element, but the field is no array of tensors or operators. */
static bool element_is_sound(const struct spec *spec, const struct expr *node)
{
    return node->value == EXPR_NO_ARRAY || (is_array_of_parts(spec, node->field) && node->value >= EXPR_CURRENT);
}

/* Returns the kinds of operands that the operation needs, as in sound_is_node(); null: there is no such operation.
 * `field_fits` becomes true if the field is of the kind that it needs. */
static const char *sound_rules_operands_of(const struct spec *spec, const struct expr *node, bool *field_fits)
{
    int field = node->field;
    *field_fits = true;
    switch ((enum expr_op)node->op) {
    case EXPR_CONST:
        return "---";
    case EXPR_ATTR:
        *field_fits = is_of_kind(spec, field, FIELD_UINT, FIELD_ENUM) && spec->fields[field].kind != FIELD_FLOAT;
        return "---";
    case EXPR_GIVEN:
        *field_fits = is_index(field, 0, spec->field_count) && field_kinds[spec->fields[field].kind].is_pointer &&
                      (!sound_is_tensor(spec, field) || field_kinds[spec->fields[field].kind].is_array);
        return "---";
    case EXPR_OPERATOR:
    case EXPR_HAS_DESC:
    case EXPR_MEMBER_GIVEN:
        *field_fits = is_of_kind(spec, field, FIELD_OPERATOR, FIELD_OPERATORS) && element_is_sound(spec, node);
        return node->op == EXPR_MEMBER_GIVEN ? "n--" : "---";
    case EXPR_DIMS:
    case EXPR_DATA_TYPE:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_ALIGNMENT:
    case EXPR_TOTAL:
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
    case EXPR_ELEMENTS:
    case EXPR_EXTENT:
    case EXPR_IMPLIED:
    case EXPR_ELEMENT_BYTES:
    case EXPR_EFFECTIVE_RANK:
    case EXPR_OVERLAP:
    case EXPR_SIZES:
    case EXPR_SIZE:
        *field_fits = sound_is_tensor(spec, field) && element_is_sound(spec, node);
        return node->op == EXPR_SIZE ? "n--" : "---";
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_DIV:
    case EXPR_DIV_UP:
    case EXPR_MOD:
    case EXPR_IS:
    case EXPR_OTHERWISE:
    case EXPR_FILLED:
        return "nn-";
    case EXPR_ABS:
    case EXPR_LIST:
        return "n--";
    case EXPR_SUM:
    case EXPR_PRODUCT:
    case EXPR_LENGTH:
    case EXPR_ABS_EACH:
        return "l--";
    case EXPR_ENTRY:
    case EXPR_FIT:
        return "ln-";
    case EXPR_ENTRIES:
        *field_fits =
            is_of_kind(spec, field, FIELD_UINTS, FIELD_INTS) || is_of_kind(spec, field, FIELD_SIZE_2D, FIELD_SIZE_2D);
        return "---";
    case EXPR_PLACE:
        *field_fits = is_of_kind(spec, field, FIELD_INPUT, FIELD_OUTPUT) ||
                      is_index(field, spec->field_count, spec->field_count + spec->stage_count);
        return "---";
    case EXPR_GATHERED:
        *field_fits = is_of_kind(spec, field, FIELD_INPUT, FIELD_INPUT) ||
                      is_index(field, spec->field_count, spec->field_count + spec->stage_count);
        return "l--";
    case EXPR_STEP:
    case EXPR_WEIGHTS:
        return "l--";
    case EXPR_DIVIDED:
        return "lll";
    case EXPR_MAP:
        *field_fits = is_array_of_parts(spec, field);
        return "n--";
    case EXPR_SLICE:
        return "lnn";
    case EXPR_REPLACE:
        return "len";
    case EXPR_CONCAT:
        return "ll-";
    case EXPR_ADD_EACH:
    case EXPR_SUB_EACH:
    case EXPR_MUL_EACH:
    case EXPR_MIN_EACH:
    case EXPR_MAX_EACH:
    case EXPR_DIV_EACH:
    case EXPR_DIV_UP_EACH:
    case EXPR_MOD_EACH:
    case EXPR_IS_EACH:
        return "ee-";
    case EXPR_REAL:
        *field_fits = node->value == EXPR_NO_ARRAY ? is_of_kind(spec, field, FIELD_FLOAT, FIELD_FLOAT)
                                                   : is_of_kind(spec, field, FIELD_OPERATOR, FIELD_OPERATOR) &&
                                                         is_index(node->value, 1, OPDESC_NESTED_FIELDS + 1);
        return "---";
    case EXPR_REALS:
        *field_fits = is_of_kind(spec, field, FIELD_FLOATS, FIELD_FLOATS);
        return "---";
    case EXPR_SCALAR:
        *field_fits = is_of_kind(spec, field, FIELD_SCALAR, FIELD_SCALAR);
        return "---";
    }
    return NULL;
}

static bool node_is_sound(const struct spec *spec, int at)
{
    const struct expr *node = &spec->nodes[at];
    bool field_fits;
    const char *operands = sound_rules_operands_of(spec, node, &field_fits);
    return operands && field_fits && sound_is_node(spec, node->a, at, operands[0]) &&
           sound_is_node(spec, node->b, at, operands[1]) && sound_is_node(spec, node->c, at, operands[2]) &&
           (*operands != 'e' || sound_is_node(spec, node->a, at, 'l') || sound_is_node(spec, node->b, at, 'l'));
}

/* ---- conditions */

/* The parts of each kind of condition: x, low and high as in sound_is_node(), a set of values, parts. */
static const struct {
    const char *operands;
    bool set, parts;
} atom_kinds[] = {
    [ATOM_BETWEEN] = {"nNN", false, false}, [ATOM_EACH] = {"lEE", false, false},
    [ATOM_EQUAL] = {"ll-", false, false},   [ATOM_ONE_OF] = {"eN-", true, false},
    [ATOM_MEMBER] = {"el-", false, false},  [ATOM_DISTINCT] = {"l--", false, false},
    [ATOM_DIVIDES] = {"ee-", false, false}, [ATOM_BROADCASTS] = {"ll-", false, false},
    [ATOM_ANY] = {"---", false, true},      [ATOM_ALL] = {"---", false, true},
    [ATOM_EVERY] = {"---", false, true},    [ATOM_ORDERED] = {"oo-", false, false},
    [ATOM_REALS] = {"r--", false, false},   [ATOM_SINCE] = {"---", false, false},
    [ATOM_TYPES] = {"n--", false, false},   [ATOM_DIMS] = {"n--", false, false},
};

/* Returns true if the condition has a set of values and parts exactly if its kind has them, and parts come before
 * it. */
static bool contents_are_sound(const struct pool *pool, const struct atom *a, int at)
{
    if (a->set_count != 0 ? !atom_kinds[a->kind].set || !HOLDS(pool, a->set, a->set_count) : atom_kinds[a->kind].set)
        return false;
    if (a->part_count != 0 ? !atom_kinds[a->kind].parts || !HOLDS(pool, a->parts, a->part_count)
                           : atom_kinds[a->kind].parts)
        return false;
    for (int i = 0; i < a->part_count; i++)
        if (!is_index(a->parts[i], 0, at))
            return false;
    return true;
}

static bool atom_is_sound(const struct pool *pool, const struct spec *spec, int at)
{
    const struct atom *a = &spec->atoms[at];
    int end = spec->node_count;
    if (!is_index((int64_t)a->kind, 0, ATOM_DIMS + 1))
        return false;
    const char *operands = atom_kinds[a->kind].operands;
    if (!sound_is_node(spec, a->x, end, operands[0]) || !sound_is_node(spec, a->low, end, operands[1]) ||
        !sound_is_node(spec, a->high, end, operands[2]) || !is_index(a->when, -1, at) ||
        !contents_are_sound(pool, a, at) || !pool_holds_text(pool, a->text) || !is_level_or_none(a->from) ||
        !is_level_or_none(a->before))
        return false;
    switch (a->kind) {
    case ATOM_ONE_OF:
        return !a->powers || a->low >= 0;
    case ATOM_EVERY:
        return is_array_of_parts(spec, a->array);
    case ATOM_TYPES:
        return spec->nodes[a->x].op == EXPR_DATA_TYPE;
    case ATOM_DIMS:
        return spec->nodes[a->x].op == EXPR_DIMS;
    default:
        return true;
    }
}

/* ---- rules */

static bool rule_is_sound(const struct pool *pool, const struct spec *spec, const struct rule *rule)
{
    return pool_holds_text(pool, rule->id) && pool_holds_text(pool, rule->text) && pool_holds_text(pool, rule->pages) &&
           pool_holds_text(pool, rule->ruling) && pool_holds_text(pool, rule->untested) &&
           is_index((int64_t)rule->strength, 0, STRENGTH_OPEN + 1) &&
           is_index(rule->first_atom, 0, spec->atom_count + 1) &&
           is_index(rule->atom_count, 0, spec->atom_count - rule->first_atom + 1);
}

/* A value must be that of a FLOAT or a scalar, and strides those of a tensor. */
static bool situation_is_sound(const struct pool *pool, const struct spec *spec, const struct spec_situation *situation)
{
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++) {
        bool valued = situation->value_fields >> i & 1, tensor = i < spec->field_count && sound_is_tensor(spec, i);
        if (situation->strides[i] >= STRIDES_COUNT || (situation->strides[i] > 0 && !tensor) ||
            (valued &&
             (i >= spec->field_count || (spec->fields[i].kind != FIELD_FLOAT && spec->fields[i].kind != FIELD_SCALAR))))
            return false;
    }
    return rule_is_sound(pool, spec, &situation->when) && situation->when.evidence.fills >> FILL_COUNT == 0 &&
           situation->when.evidence.index_fills >> INDEX_FILL_COUNT == 0;
}

bool sound_rules(const struct pool *pool, const struct spec *spec)
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
    if (spec->situation_count != 0 && !HOLDS(pool, spec->situations, spec->situation_count))
        return false; /* the interface has none */
    for (int i = 0; i < spec->situation_count; i++)
        if (!situation_is_sound(pool, spec, &spec->situations[i]))
            return false;
    return true;
}
