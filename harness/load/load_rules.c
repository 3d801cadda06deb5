#include "harness/load/load_internal.h"

#include "harness/describe/field_kind.h"
#include "harness/spec/outcome.h"

#include <stdio.h>
#include <string.h>

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
                               "%s: '%s' is not an outcome; known: accepted kept flushed flushed-half quieted "
                               "canonical clamped wrapped truncated signed ignored zero last first each error other",
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

int compile_behaviour(struct loader *l)
{
    return compile_rule(l, true);
}

static int store_atom(struct spec *spec, struct atom atom)
{
    spec->atoms[spec->atom_count] = atom;
    return spec->atom_count++;
}

/* Adds the condition that a tensor which may be null is given. Returns -1 for another tensor. */
static int add_given(struct loader *l, int field)
{
    struct expr present = {.op = EXPR_PRESENT, .field = (uint8_t)field, .a = -1, .b = -1, .c = -1};
    struct expr one = {.op = EXPR_CONST, .value = 1, .a = -1, .b = -1, .c = -1};
    int16_t x, limit;
    if (!l->spec->fields[field].optional)
        return -1;
    loader_add_node(l, present, &x); /* these calls cannot fail: the nodes are the first ones */
    loader_add_node(l, one, &limit);
    return store_atom(
        l->spec, (struct atom){.kind = ATOM_BETWEEN,
                               .x = x,
                               .low = limit,
                               .high = limit,
                               .when = -1,
                               .text = pool_format(&l->set->pool, "%s must be given", l->spec->fields[field].name)});
}

/* Returns the condition that a property of a tensor, or of every element of an array, is in the table. */
static struct atom table_atom(struct loader *l, enum atom_kind kind, int field)
{
    struct spec *spec = l->spec;
    const char *what = kind == ATOM_TYPES ? "DataType" : "DimensionCount";
    bool array = field_kinds[spec->fields[field].kind].is_array;
    struct expr node = {.op = kind == ATOM_TYPES ? EXPR_DATA_TYPE : EXPR_DIMS, .field = (uint8_t)field};
    struct atom a = {.kind = kind, .low = -1, .high = -1, .when = add_given(l, field)};
    int16_t x;
    node.a = node.b = node.c = -1;
    node.value = array ? EXPR_CURRENT : EXPR_NO_ARRAY;
    loader_add_node(l, node, &x);
    a.x = x;
    a.text =
        pool_format(&l->set->pool, "%s%s.%s must be in the table", spec->fields[field].name, array ? "[i]" : "", what);
    if (!array)
        return a;
    int16_t part = (int16_t)store_atom(spec, a);
    return (struct atom){.kind = ATOM_EVERY,
                         .x = -1,
                         .low = -1,
                         .high = -1,
                         .when = -1,
                         .array = field,
                         .part_count = 1,
                         .parts = pool_copy(&l->set->pool, &part, sizeof part),
                         .text = a.text};
}

static void add_table_rule(struct loader *l, enum atom_kind kind)
{
    struct spec *spec = l->spec;
    struct atom own[OPDESC_MAX_FIELDS];
    struct pool *pool = &l->set->pool;
    const char *nothing = pool_string(pool, "");
    struct rule rule = {.id = pool_string(pool, kind == ATOM_TYPES ? "data-types" : "dimension-counts"),
                        .ruling = pool_string(pool, kind == ATOM_TYPES ? "B1" : "B1, B11"),
                        .untested = nothing,
                        .pages = nothing};
    rule.text = pool_format(pool, "the %s of every tensor must be in the table of the feature level",
                            kind == ATOM_TYPES ? "DataType" : "DimensionCount");
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]))
            own[rule.atom_count++] = table_atom(l, kind, i);
    rule.first_atom = spec->atom_count;
    for (int i = 0; i < rule.atom_count; i++)
        store_atom(spec, own[i]);
    spec->rules[spec->rule_count++] = rule;
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
    since.pages = pool_format(&l->set->pool, "%s%s", catalogue_page_prefix((uint32_t)spec->type), spec->page);
    store_atom(spec, (struct atom){.kind = ATOM_SINCE, .x = -1, .low = -1, .high = -1, .when = -1, .text = since.text});
    spec->rules[spec->rule_count++] = since;
    add_table_rule(l, ATOM_TYPES);
    add_table_rule(l, ATOM_DIMS);
}

int compile_rules(struct loader *l, int op)
{
    lua_getfield(l->L, op, "rules");
    lua_getfield(l->L, op, "behaviours");
    size_t rules = lua_rawlen(l->L, -2), behaviours = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->spec->nodes = l->nodes;
    l->spec->atoms = l->atoms;
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
