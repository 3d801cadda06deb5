#include "harness/fuzz/rules.h"

#include "harness/describe/field_kind.h"
#include "harness/solve/solve.h"

/* Returns the parts that a node reads, without its operands. */
static fuzz_parts parts_of_leaf(const struct expr *n)
{
    fuzz_parts given = fuzz_part(n->field, FUZZ_GIVEN), dims = fuzz_part(n->field, FUZZ_DIMS),
               sizes = fuzz_part(n->field, FUZZ_SIZES), strides = fuzz_part(n->field, FUZZ_STRIDES),
               type = fuzz_part(n->field, FUZZ_DATA_TYPE);
    switch (n->op) {
    case EXPR_ATTR:
    case EXPR_GIVEN:
    case EXPR_OPERATOR:
    case EXPR_HAS_DESC:
    case EXPR_MEMBER_GIVEN:
    case EXPR_ENTRIES:
    case EXPR_MAP:
    case EXPR_REAL:
    case EXPR_REALS:
    case EXPR_SCALAR:
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
        return given;
    case EXPR_DIMS:
        return given | dims;
    case EXPR_DATA_TYPE:
    case EXPR_ELEMENT_BYTES:
        return given | type;
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
        return given | fuzz_part(n->field, FUZZ_FLAGS_AND_TYPE);
    case EXPR_ALIGNMENT:
        return given | fuzz_part(n->field, FUZZ_ALIGNMENT);
    case EXPR_TOTAL:
        return given | fuzz_part(n->field, FUZZ_TOTAL);
    case EXPR_SIZE:
    case EXPR_SIZES:
    case EXPR_ELEMENTS:
    case EXPR_EFFECTIVE_RANK:
        return given | dims | sizes;
    case EXPR_EXTENT:
    case EXPR_OVERLAP:
        return given | dims | sizes | strides;
    case EXPR_IMPLIED:
        return given | dims | sizes | strides | type;
    default:
        return 0; /* constants and operators */
    }
}

static fuzz_parts parts_of_node(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    const int operands[] = {n->a, n->b, n->c};
    fuzz_parts parts = parts_of_leaf(n);
    if (n->op == EXPR_SCALAR) /* its kind depends on its type */
        parts |= fuzz_part(spec->fields[n->field].typed_by, FUZZ_GIVEN);
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && operands[i] < node)
            parts |= parts_of_node(spec, operands[i]);
    return parts;
}

static fuzz_parts parts_of_atom(const struct spec *spec, int atom)
{
    const struct atom *a = &spec->atoms[atom];
    const int nodes[] = {a->x, a->low, a->high};
    fuzz_parts parts = a->when >= 0 ? parts_of_atom(spec, a->when) : 0;
    for (int i = 0; i < 3 && a->kind != ATOM_SINCE; i++)
        if (nodes[i] >= 0)
            parts |= parts_of_node(spec, nodes[i]);
    for (int i = 0; i < a->part_count; i++)
        parts |= parts_of_atom(spec, a->parts[i]);
    return parts;
}

/* Returns the parts that may change when the part of a description that a node names is set. */
static fuzz_parts parts_set_at(const struct fuzz_rules *rules, int node)
{
    const struct expr *n = &rules->spec->nodes[node];
    fuzz_parts sizes = fuzz_part(n->field, FUZZ_SIZES);
    switch (n->op) {
    case EXPR_DIMS:
    case EXPR_EFFECTIVE_RANK:
        return sizes | fuzz_part(n->field, FUZZ_DIMS) | fuzz_part(n->field, FUZZ_STRIDES);
    case EXPR_SIZE:
    case EXPR_SIZES:
        return sizes;
    case EXPR_DATA_TYPE:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_ALIGNMENT:
    case EXPR_TOTAL:
        return parts_of_leaf(n) & ~fuzz_part(n->field, FUZZ_GIVEN);
    case EXPR_ATTR:
        return rules->of_field[n->field];
    default:
        return parts_of_leaf(n);
    }
}

static fuzz_parts parts_set_in(const struct fuzz_rules *rules, int node)
{
    const struct expr *n = &rules->spec->nodes[node];
    const int operands[] = {n->a, n->b, n->c};
    fuzz_parts parts = rules->set_at[node];
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && operands[i] < node)
            parts |= parts_set_in(rules, operands[i]);
    return parts;
}

/* Returns the parts that a repair by an atom may set: those of its left side, or of both sides if both give way. */
static fuzz_parts parts_set_by(const struct fuzz_rules *rules, int atom)
{
    const struct atom *a = &rules->spec->atoms[atom];
    fuzz_parts parts = 0;
    if (a->kind != ATOM_SINCE && a->x >= 0)
        parts |= parts_set_in(rules, a->x);
    if ((a->kind == ATOM_DIVIDES || a->kind == ATOM_ORDERED) && a->low >= 0)
        parts |= parts_set_in(rules, a->low);
    for (int i = 0; i < a->part_count; i++)
        parts |= parts_set_by(rules, a->parts[i]);
    return parts;
}

/* Returns true if a repair by the atom leaves a description as it is for which the atom holds. */
static bool rules_is_settled(const struct spec *spec, int table, const struct atom *a)
{
    switch (a->kind) {
    case ATOM_TYPES: /* types beyond the table hold, too, but are replaced */
        return spec->levels[table].beyond[spec->fields[spec->nodes[a->x].field].group] == 0;
    case ATOM_BETWEEN:
        return spec->nodes[a->x].op != EXPR_OPERATOR; /* whose Desc gets set, too */
    case ATOM_EACH:
    case ATOM_EQUAL:
    case ATOM_ONE_OF:
    case ATOM_ANY:
    case ATOM_DIMS:
        return true;
    default: /* these are few */
        return false;
    }
}

static void put_for_parts(struct fuzz_atoms by_part[FUZZ_PARTS], fuzz_parts parts, int atom)
{
    for (; parts; parts &= parts - 1)
        fuzz_atoms_put(&by_part[__builtin_ctzll(parts)], atom);
}

/* Returns true if the condition says that a tensor, not in an array, is as large as its sizes and strides imply. */
static bool is_total(const struct spec *spec, const struct atom *a)
{
    if (a->kind != ATOM_BETWEEN || a->x < 0 || a->low < 0 || a->high >= 0)
        return false;
    const struct expr *x = &spec->nodes[a->x], *low = &spec->nodes[a->low];
    return x->op == EXPR_TOTAL && low->op == EXPR_IMPLIED && x->field == low->field && x->value == EXPR_NO_ARRAY &&
           low->value == EXPR_NO_ARRAY;
}

/* Adds an atom of the spec. False: there is no room. */
static bool rules_add_atom(struct fuzz_rules *rules, int rule, int atom)
{
    const struct atom *a = &rules->spec->atoms[atom];
    int index = rules->count;
    if (index == FUZZ_ATOMS)
        return false;
    rules->atoms[index] = atom;
    rules->rule[index] = (uint8_t)rule;
    rules->count++;
    if (is_total(rules->spec, a))
        rules->total_atom[rules->spec->nodes[a->x].field] = (int16_t)index;
    if (rules->table >= 0 && a->repairable) {
        const bool settled = rules_is_settled(rules->spec, rules->table, a);
        put_for_parts(rules->repairers, settled ? parts_of_atom(rules->spec, atom) : UINT64_MAX, index);
        if (settled)
            fuzz_atoms_put(&rules->settled, index);
        rules->writes[index] = parts_set_by(rules, atom);
        if (rules->writes[index])
            fuzz_atoms_put(&rules->writers, index);
    }
    if (a->kind != ATOM_SINCE &&
        !levels_include(a->from, a->before,
                        rules->table < 0 ? rules->spec->since : rules->spec->levels[rules->table].level))
        return true; /* it always holds */
    put_for_parts(rules->readers, parts_of_atom(rules->spec, atom), index);
    return true;
}

static void list_parts(struct fuzz_rules *rules)
{
    const struct spec *spec = rules->spec;
    for (int i = 0; i < spec->field_count; i++) {
        const bool is_tensor = field_is_tensor(&spec->fields[i]);
        for (int which = 0; which < (is_tensor ? FUZZ_PARTS_OF_FIELD : 1); which++)
            rules->of_field[i] |= fuzz_part(i, (enum fuzz_part)which);
    }
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].count_field >= 0)
            rules->of_field[spec->fields[i].count_field] |= rules->of_field[i];
}

bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level)
{
    *rules = (struct fuzz_rules){.spec = spec, .level = level, .table = spec_table(spec, level)};
    rules->rule_count = spec_legality_rules(spec);
    if (rules->rule_count > FUZZ_RULES)
        return false;
    list_parts(rules);
    for (int i = 0; i < spec->field_count; i++)
        rules->total_atom[i] = -1;
    for (int i = 0; i < spec->node_count; i++)
        rules->set_at[i] = parts_set_at(rules, i);
    for (int i = 0; i < spec->atom_count; i++) {
        const struct atom *a = &spec->atoms[i];
        rules->leaves[i] = a->kind == ATOM_SINCE || a->x < 0 ? -1 : (int16_t)solve_leaf(spec, a->x);
    }
    for (int i = 0; i < rules->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        rules->first_atom[i] = (uint16_t)rules->count;
        if (!rule_applies(rule, level))
            continue;
        rules->all |= 1ull << i;
        rules->open |= rule->strength == STRENGTH_OPEN ? 1ull << i : 0;
        rules->soft |= rule->strength == STRENGTH_SOFT ? 1ull << i : 0;
        rules->atom_count[i] = (uint16_t)rule->atom_count;
        for (int j = 0; j < rule->atom_count; j++)
            if (!rules_add_atom(rules, i, rule->first_atom + j))
                return false;
    }
    return true;
}

bool fuzz_can_break(const struct fuzz_rules *rules, int rule)
{
    const struct rule *r = &rules->spec->rules[rule];
    const struct atom *a = &rules->spec->atoms[r->first_atom];
    bool at_level = false;
    for (int i = 0; i < r->atom_count; i++)
        at_level |= levels_include(a[i].from, a[i].before, rules->level);
    return rules->all >> rule & 1 && at_level && (a->kind != ATOM_SINCE || rules->table < 0);
}

int fuzz_blame(const struct fuzz_rules *rules, fuzz_broken broken)
{
    fuzz_broken hard = broken & ~rules->open & ~rules->soft, soft = broken & rules->soft;
    if (hard)
        return __builtin_ctzll(hard);
    return soft ? __builtin_ctzll(soft) : -1;
}

int fuzz_count(const struct fuzz_rules *rules, fuzz_broken broken)
{
    fuzz_broken rest = broken & ~rules->open;
    int count = 0;
    for (int i = 0; i < FUZZ_MAX_BROKEN; i++, rest &= rest - 1) /* does not end earlier: chance decides how many */
        count += rest != 0;
    return count;
}
