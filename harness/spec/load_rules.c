#include "harness/spec/load_internal.h"

#include "harness/spec/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum expr_op op;
    enum { OF_NOTHING, OF_TENSOR, OF_ATTRIBUTE } of;
    const char *operands; /* "n" a number, "l" a list, in order */
} operations[] = {
    {"const", EXPR_CONST, OF_NOTHING, ""},
    {"attr", EXPR_ATTR, OF_ATTRIBUTE, ""},
    {"dims", EXPR_DIMS, OF_TENSOR, ""},
    {"data_type", EXPR_DATA_TYPE, OF_TENSOR, ""},
    {"tensor_type", EXPR_TENSOR_TYPE, OF_TENSOR, ""},
    {"flags", EXPR_FLAGS, OF_TENSOR, ""},
    {"alignment", EXPR_ALIGNMENT, OF_TENSOR, ""},
    {"total", EXPR_TOTAL, OF_TENSOR, ""},
    {"present", EXPR_PRESENT, OF_TENSOR, ""},
    {"has_sizes", EXPR_HAS_SIZES, OF_TENSOR, ""},
    {"size", EXPR_SIZE, OF_TENSOR, "n"},
    {"elements", EXPR_ELEMENTS, OF_TENSOR, ""},
    {"extent", EXPR_EXTENT, OF_TENSOR, ""},
    {"implied", EXPR_IMPLIED, OF_TENSOR, ""},
    {"element_bytes", EXPR_ELEMENT_BYTES, OF_TENSOR, ""},
    {"effective_rank", EXPR_EFFECTIVE_RANK, OF_TENSOR, ""},
    {"overlap", EXPR_OVERLAP, OF_TENSOR, ""},
    {"add", EXPR_ADD, OF_NOTHING, "nn"},
    {"sub", EXPR_SUB, OF_NOTHING, "nn"},
    {"mul", EXPR_MUL, OF_NOTHING, "nn"},
    {"min", EXPR_MIN, OF_NOTHING, "nn"},
    {"max", EXPR_MAX, OF_NOTHING, "nn"},
    {"sizes", EXPR_SIZES, OF_TENSOR, ""},
    {"slice", EXPR_SLICE, OF_NOTHING, "lnn"},
    {"concat", EXPR_CONCAT, OF_NOTHING, "ll"},
    {"fit", EXPR_FIT, OF_NOTHING, "ln"},
    {"replace", EXPR_REPLACE, OF_NOTHING, "lnn"},
    {"list", EXPR_LIST, OF_NOTHING, "n"},
};

int compile_operand(struct loader *l, const char *key, int16_t *out)
{
    int result = 0;
    *out = -1;
    lua_getfield(l->L, -1, key);
    if (!lua_isnil(l->L, -1))
        result = compile_expression(l, out);
    lua_pop(l->L, 1);
    return result;
}

static int compile_field_name(struct loader *l, bool tensor, uint8_t *out)
{
    const char *name = loader_text(l, -2, "field");
    int field = spec_find_field(l->spec, name);
    if (field < 0)
        return loader_fail(l, "no field is named '%s'", name);
    if (field_is_tensor(&l->spec->fields[field]) != tensor)
        return loader_fail(l, "'%s' is %s tensor", name, tensor ? "not a" : "a");
    *out = (uint8_t)field;
    return 0;
}

/* Whether the node exists and is of a kind: 'n' a number, 'l' a list. */
static bool is_kind(const struct loader *l, int node, char kind)
{
    return node >= 0 && expr_is_list(&l->spec->nodes[node]) == (kind == 'l');
}

/* Stores the index of an equal node, or of a new one. */
static int add_node(struct loader *l, struct expr node, int16_t *out)
{
    struct spec *spec = l->spec;
    for (int i = 0; i < spec->node_count; i++) {
        const struct expr *n = &spec->nodes[i];
        if (n->op == node.op && n->field == node.field && n->value == node.value && n->a == node.a && n->b == node.b &&
            n->c == node.c) {
            *out = (int16_t)i;
            return 0;
        }
    }
    if (spec->node_count == SPEC_MAX_NODES)
        return loader_fail(l, "more than %d different expressions in one operator", SPEC_MAX_NODES);
    *out = (int16_t)spec->node_count;
    spec->nodes[spec->node_count++] = node;
    return 0;
}

static int compile_operands(struct loader *l, const char *name, const char *kinds, struct expr *node)
{
    l->depth++;
    if (compile_operand(l, "a", &node->a) || compile_operand(l, "b", &node->b) || compile_operand(l, "c", &node->c))
        return EXIT_HARNESS;
    l->depth--;
    const int16_t operands[] = {node->a, node->b, node->c};
    for (int i = 0; kinds[i]; i++)
        if (!is_kind(l, operands[i], kinds[i]))
            return loader_fail(l, "%s: expected %s", name, kinds[i] == 'l' ? "a list" : "a number");
    return 0;
}

int compile_expression(struct loader *l, int16_t *out)
{
    struct expr node = {.a = -1, .b = -1, .c = -1};
    size_t i = 0;
    if (!lua_istable(l->L, -1) || !lua_checkstack(l->L, 8))
        return loader_fail(l, "expected an expression");
    if (l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "an expression within more than %d others", LOADER_MAX_DEPTH);
    lua_getfield(l->L, -1, "op");
    const char *name = lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    while (i < sizeof operations / sizeof *operations && strcmp(operations[i].name, name) != 0)
        i++;
    int result = 0;
    if (i == sizeof operations / sizeof *operations)
        result = loader_fail(l, "expected an expression");
    else if (operations[i].of != OF_NOTHING)
        result = compile_field_name(l, operations[i].of == OF_TENSOR, &node.field);
    lua_pop(l->L, 1);
    if (result)
        return result;
    node.op = (uint8_t)operations[i].op;
    lua_getfield(l->L, -1, "value");
    node.value = lua_tointeger(l->L, -1);
    lua_pop(l->L, 1);
    if (compile_operands(l, operations[i].name, operations[i].operands, &node))
        return EXIT_HARNESS;
    return add_node(l, node, out);
}

/* ---- rules */

static int compile_set(struct loader *l, struct atom *a)
{
    int max = (int)(sizeof a->set / sizeof *a->set);
    lua_getfield(l->L, -1, "set");
    a->set_count = lua_istable(l->L, -1) ? (int)lua_rawlen(l->L, -1) : 0;
    for (int i = 0; i < a->set_count && i < max; i++) {
        lua_rawgeti(l->L, -1, i + 1);
        a->set[i] = lua_tointeger(l->L, -1);
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return a->set_count > max ? loader_fail(l, "one_of: at most %d values", max) : 0;
}

/* Whether the atom has the operands that its kind needs. */
static bool atom_is_whole(const struct loader *l, const struct atom *a)
{
    switch (a->kind) {
    case ATOM_BETWEEN:
        return is_kind(l, a->x, 'n') && (a->low < 0 || is_kind(l, a->low, 'n')) &&
               (a->high < 0 || is_kind(l, a->high, 'n'));
    case ATOM_EACH:
        return is_kind(l, a->x, 'l') && is_kind(l, a->low, 'n') && is_kind(l, a->high, 'n');
    case ATOM_EQUAL:
        return is_kind(l, a->x, 'l') && is_kind(l, a->low, 'l');
    default:
        return is_kind(l, a->x, 'n') && a->set_count > 0 && (!a->powers || is_kind(l, a->low, 'n'));
    }
}

/* Compiles the atom at the top of the stack. Its condition is stored before it. */
static int compile_atom(struct loader *l, int *out)
{
    static const char *const kinds[] = {
        [ATOM_BETWEEN] = "between", [ATOM_EACH] = "each", [ATOM_EQUAL] = "equal", [ATOM_ONE_OF] = "one_of"};
    struct atom a = {.when = -1};
    int16_t x, low, high;
    int result = 0;
    if (!lua_istable(l->L, -1) || !lua_checkstack(l->L, 8) || l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "expected conditions");
    lua_getfield(l->L, -1, "when");
    l->depth++;
    if (!lua_isnil(l->L, -1))
        result = compile_atom(l, &a.when);
    l->depth--;
    lua_pop(l->L, 1);
    if (result)
        return result;
    a.text = loader_text(l, -1, "text");
    const char *kind = loader_text(l, -1, "kind");
    int k = 0;
    while (k <= ATOM_ONE_OF && strcmp(kinds[k], kind) != 0)
        k++;
    if (k > ATOM_ONE_OF)
        return loader_fail(l, "expected conditions");
    a.kind = (enum atom_kind)k;
    a.powers = loader_true(l, -1, "powers");
    if (compile_operand(l, "x", &x) || compile_operand(l, "low", &low) || compile_operand(l, "high", &high) ||
        compile_set(l, &a))
        return EXIT_HARNESS;
    a.x = x;
    a.low = low;
    a.high = high;
    if (!atom_is_whole(l, &a))
        return loader_fail(l, "%s: a part is missing or of the wrong kind", kind);
    if (l->spec->atom_count == l->atom_capacity)
        return loader_fail(l, "more than %d conditions in one operator", l->atom_capacity);
    *out = l->spec->atom_count;
    l->spec->atoms[l->spec->atom_count++] = a;
    return 0;
}

static int compile_level_bound(struct loader *l, const char *key, DML_FEATURE_LEVEL *out)
{
    const char *name = loader_text(l, -1, key);
    *out = 0;
    if (*name && !(*out = level_find(name)))
        return loader_fail(l, "'%s' is not a feature level such as \"3_0\"", name);
    return 0;
}

static int compile_strength(struct loader *l, struct rule *rule)
{
    const char *name = loader_text(l, -1, "strength");
    rule->strength = rule->behaviour ? STRENGTH_MUST : STRENGTH_REJECT;
    if (!*name)
        return 0;
    for (int s = STRENGTH_REJECT; s <= STRENGTH_OPEN; s++)
        if (strcmp(strength_name((enum strength)s), name) == 0) {
            rule->strength = (enum strength)s;
            return 0;
        }
    return loader_fail(l, "strength must be reject, must, soft or open, not '%s'", name);
}

/* Conditions are stored before their atoms. The rule's own atoms are then moved to the end, to be consecutive. */
static int compile_atoms(struct loader *l, struct rule *rule)
{
    lua_getfield(l->L, -1, "atoms");
    int count = (int)lua_rawlen(l->L, -1), result = 0;
    struct atom *own = calloc((size_t)count + 1, sizeof *own);
    for (int i = 0; i < count && result == 0 && own; i++) {
        int at;
        lua_rawgeti(l->L, -1, i + 1);
        result = compile_atom(l, &at);
        lua_pop(l->L, 1);
        if (result == 0)
            own[i] = l->spec->atoms[--l->spec->atom_count];
    }
    lua_pop(l->L, 1);
    if (result == 0 && own && l->spec->atom_count + count <= l->atom_capacity) {
        rule->first_atom = l->spec->atom_count;
        rule->atom_count = count;
        memcpy(&l->spec->atoms[rule->first_atom], own, (size_t)count * sizeof *own);
        l->spec->atom_count += count;
    } else if (result == 0) {
        result = loader_fail(l, "more than %d conditions in one operator", l->atom_capacity);
    }
    free(own);
    return result;
}

/* Compiles outcome words such as "clamped wrapped" to bits. */
static int compile_outcomes(struct loader *l, const char *key, uint64_t *out)
{
    const char *at = loader_text(l, -1, key);
    *out = 0;
    while (*(at += strspn(at, " "))) {
        char word[64];
        int length = (int)strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", length, at);
        enum outcome outcome = outcome_find(word);
        if (outcome == OUTCOME_COUNT)
            return loader_fail(l,
                               "%s: '%s' is not an outcome; known: accepted kept flushed quieted canonical clamped "
                               "wrapped truncated signed ignored zero last first each error other",
                               key, word);
        *out |= (uint64_t)1 << outcome;
        at += length;
    }
    return 0;
}

/* Compiles the rule or behaviour at the top of the stack. */
static int compile_rule(struct loader *l, bool behaviour)
{
    struct rule *rule = &l->spec->rules[l->spec->rule_count];
    rule->behaviour = behaviour;
    rule->id = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    l->part = pool_format(&l->set->pool, "%s \"%s\"", behaviour ? "behaviour" : "rule", rule->id);
    rule->text = loader_text(l, -1, "text");
    rule->pages = loader_text(l, -1, "page");
    rule->ruling = loader_text(l, -1, "ruling");
    rule->untested = loader_text(l, -1, "untested");
    rule->anywhere = loader_true(l, -1, "anywhere");
    rule->bounded = loader_true(l, -1, "bounded");
    if (spec_find_rule(l->spec, rule->id) >= 0)
        return loader_fail(l, "the name is used twice");
    if (!*rule->text)
        return loader_fail(l, "expected text or conditions");
    if (compile_strength(l, rule) || compile_level_bound(l, "from", &rule->from) ||
        compile_level_bound(l, "before", &rule->before) || compile_outcomes(l, "accepts", &rule->accepts) ||
        compile_outcomes(l, "reports", &rule->reports) ||
        (behaviour ? compile_evidence(l, &rule->evidence) : compile_atoms(l, rule)))
        return EXIT_HARNESS;
    l->spec->rule_count++;
    l->part = "";
    return 0;
}

/* Adds the rules that follow from the feature-level tables. They come first, since sizes depend on ranks. */
static void add_table_rules(struct loader *l)
{
    struct spec *spec = l->spec;
    struct pool *pool = &l->set->pool;
    const char *untested = spec->since == level_all[0] ? "there is no lower feature level" : "";
    struct rule since = {.id = pool_string(pool, "introduced"),
                         .ruling = pool_string(pool, "B2"),
                         .untested = pool_string(pool, untested),
                         .atom_count = 1,
                         .first_atom = spec->atom_count};
    since.text = pool_format(&l->set->pool, "the operator exists from feature level %s on", level_name(spec->since));
    since.pages = pool_format(&l->set->pool, "DML_%s", spec->page);
    spec->atoms[spec->atom_count++] =
        (struct atom){.kind = ATOM_SINCE, .x = -1, .low = -1, .high = -1, .when = -1, .text = since.text};
    spec->rules[spec->rule_count++] = since;
    for (int kind = ATOM_TYPES; kind <= ATOM_DIMS; kind++) {
        const char *nothing = pool_string(pool, "");
        struct rule rule = {.id = pool_string(pool, kind == ATOM_TYPES ? "data-types" : "dimension-counts"),
                            .ruling = pool_string(pool, kind == ATOM_TYPES ? "B1" : "B1, B11"),
                            .untested = nothing,
                            .pages = nothing};
        const char *what = kind == ATOM_TYPES ? "DataType" : "DimensionCount";
        rule.text =
            pool_format(&l->set->pool, "the %s of every tensor must be in the table of the feature level", what);
        rule.first_atom = spec->atom_count;
        for (int i = 0; i < spec->field_count; i++) {
            if (!field_is_tensor(&spec->fields[i]))
                continue;
            struct expr node = {.op = kind == ATOM_TYPES ? EXPR_DATA_TYPE : EXPR_DIMS, .field = (uint8_t)i};
            int16_t x;
            node.a = node.b = node.c = -1;
            add_node(l, node, &x); /* cannot fail: these are the first nodes */
            struct atom a = {.kind = (enum atom_kind)kind, .x = x, .low = -1, .high = -1, .when = -1};
            a.text = pool_format(&l->set->pool, "%s.%s must be in the table", spec->fields[i].name, what);
            spec->atoms[spec->atom_count++] = a;
            rule.atom_count++;
        }
        spec->rules[spec->rule_count++] = rule;
    }
}

int compile_rules(struct loader *l, int op)
{
    lua_getfield(l->L, op, "rules");
    lua_getfield(l->L, op, "behaviours");
    size_t rules = lua_rawlen(l->L, -2), behaviours = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->atom_capacity = SPEC_MAX_ATOMS;
    l->spec->nodes = pool_alloc(&l->set->pool, SPEC_MAX_NODES * sizeof *l->spec->nodes);
    l->spec->atoms = pool_alloc(&l->set->pool, (size_t)l->atom_capacity * sizeof *l->spec->atoms);
    l->spec->rules = pool_alloc(&l->set->pool, (rules + behaviours + 3) * sizeof *l->spec->rules);
    add_table_rules(l);
    int result = 0;
    for (size_t i = 0; i < rules + behaviours && result == 0; i++) {
        bool behaviour = i >= rules;
        lua_rawgeti(l->L, behaviour ? -1 : -2, (lua_Integer)(behaviour ? i - rules : i) + 1);
        if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), behaviour ? "behaviour" : "rule") != 0)
            result = loader_fail(l, "%s: entry %zu is not made by %s", behaviour ? "behaviours" : "rules",
                                 (behaviour ? i - rules : i) + 1, behaviour ? "behaviour" : "rule");
        else
            result = compile_rule(l, behaviour);
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 2);
    return result;
}
