/* This file compiles the conditions of rules. */
#include "harness/load/load_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The operands x, low and high that each kind of condition needs: "n" a number, "l" a list, "e" either, "r" FLOATs, "o"
 * a FLOAT or a scalar, a capital: may be absent, "-": must be absent. `set` and `parts` are true if the condition needs
 * them. */
static const struct {
    const char *name, *operands;
    bool set, parts;
} kinds[] = {
    [ATOM_BETWEEN] = {"between", "nNN", false, false}, [ATOM_EACH] = {"each", "lEE", false, false},
    [ATOM_EQUAL] = {"equal", "ll-", false, false},     [ATOM_ONE_OF] = {"one_of", "eN-", true, false},
    [ATOM_MEMBER] = {"member", "el-", false, false},   [ATOM_DISTINCT] = {"distinct", "l--", false, false},
    [ATOM_DIVIDES] = {"divides", "ee-", false, false}, [ATOM_BROADCASTS] = {"broadcasts", "ll-", false, false},
    [ATOM_ANY] = {"any_of", "---", false, true},       [ATOM_ALL] = {"all_of", "---", false, true},
    [ATOM_EVERY] = {"every", "---", false, true},      [ATOM_ORDERED] = {"ordered", "oo-", false, false},
    [ATOM_REALS] = {"reals", "r--", false, false},
};

static bool operand_fits(const struct loader *l, int node, char wanted)
{
    if (wanted == '-' || node < 0)
        return node < 0 && (wanted == '-' || wanted < 'a');
    return loader_is_kind(l, node, (char)(wanted | 0x20));
}

static bool atom_is_whole(const struct loader *l, const struct atom *a)
{
    const char *operands = kinds[a->kind].operands;
    return operand_fits(l, a->x, operands[0]) && operand_fits(l, a->low, operands[1]) &&
           operand_fits(l, a->high, operands[2]) && (a->set_count > 0) == kinds[a->kind].set &&
           (a->part_count > 0) == kinds[a->kind].parts && (!a->powers || a->low >= 0) &&
           ((a->kind != ATOM_BETWEEN && a->kind != ATOM_EACH) || a->low >= 0 || a->high >= 0);
}

static void compile_set(struct loader *l, struct atom *a)
{
    lua_getfield(l->L, -1, "set");
    a->set_count = lua_istable(l->L, -1) ? (int)lua_rawlen(l->L, -1) : 0;
    int64_t *set = a->set_count ? pool_alloc(&l->set->pool, (size_t)a->set_count * sizeof *set) : NULL;
    for (int i = 0; i < a->set_count; i++) {
        lua_rawgeti(l->L, -1, i + 1);
        set[i] = lua_tointeger(l->L, -1);
        lua_pop(l->L, 1);
    }
    a->set = set;
    lua_pop(l->L, 1);
}

/* Returns the limit in field `key` of the table at the top of the stack, or `none`. */
static double compile_real(struct loader *l, const char *key, double none)
{
    lua_getfield(l->L, -1, key);
    double value = lua_isnil(l->L, -1) ? none : lua_tonumber(l->L, -1);
    lua_pop(l->L, 1);
    return value;
}

static void compile_reals(struct loader *l, struct real_range *out)
{
    out->low = compile_real(l, "least", -INFINITY);
    out->high = compile_real(l, "most", INFINITY);
    out->above_low = loader_true(l, -1, "above");
    out->below_high = loader_true(l, -1, "below");
}

static int compile_array(struct loader *l, struct atom *a)
{
    int64_t element;
    const char *name = loader_text(l, -1, "array");
    a->array = loader_find_field(l, name, &element);
    if (a->array >= 0 && element != EXPR_CURRENT)
        return loader_fail(l, "every: expected an array, not '%s'", name);
    return a->array < 0 ? EXIT_HARNESS : 0;
}

static int compile_atom(struct loader *l, int *out);

static int compile_parts(struct loader *l, struct atom *a)
{
    lua_getfield(l->L, -1, "parts");
    a->part_count = lua_istable(l->L, -1) ? (int)lua_rawlen(l->L, -1) : 0;
    int16_t *parts = a->part_count ? pool_alloc(&l->set->pool, (size_t)a->part_count * sizeof *parts) : NULL;
    for (int i = 0; i < a->part_count; i++) {
        int at = -1;
        lua_rawgeti(l->L, -1, i + 1);
        if (compile_atom(l, &at))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
        parts[i] = (int16_t)at;
    }
    a->parts = parts;
    lua_pop(l->L, 1);
    return 0;
}

int compile_level_bound(struct loader *l, const char *key, DML_FEATURE_LEVEL *out)
{
    const char *name = loader_text(l, -1, key);
    *out = 0;
    if (*name && !(*out = level_find(name)))
        return loader_fail(l, "'%s' is not a feature level such as \"3_0\"", name);
    return 0;
}

/* Compiles the condition in field `when` of the table at the top of the stack. */
static int compile_when(struct loader *l, int *out)
{
    int result = 0;
    *out = -1;
    lua_getfield(l->L, -1, "when");
    if (!lua_isnil(l->L, -1))
        result = compile_atom(l, out);
    lua_pop(l->L, 1);
    return result;
}

/* Compiles the condition at the top of the stack. Conditions that it depends on are stored before it. */
static int compile_atom(struct loader *l, int *out)
{
    struct atom a = {.when = -1};
    int16_t x, low, high;
    int k = 0;
    if (!lua_istable(l->L, -1) || !lua_checkstack(l->L, 8) || l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "expected conditions");
    const char *kind = loader_text(l, -1, "kind");
    while (k <= ATOM_REALS && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k > ATOM_REALS)
        return loader_fail(l, "expected conditions");
    a.kind = (enum atom_kind)k;
    a.text = loader_text(l, -1, "text");
    a.powers = loader_true(l, -1, "powers");
    l->depth++;
    if (compile_when(l, &a.when) || compile_parts(l, &a) || compile_operand(l, "x", &x) ||
        compile_operand(l, "low", &low) || compile_operand(l, "high", &high) ||
        compile_level_bound(l, "from", &a.from) || compile_level_bound(l, "before", &a.before))
        return EXIT_HARNESS;
    l->depth--;
    if (a.kind == ATOM_EVERY && compile_array(l, &a))
        return EXIT_HARNESS;
    compile_reals(l, &a.reals);
    compile_set(l, &a);
    a.x = x;
    a.low = low;
    a.high = high;
    if (a.kind == ATOM_REALS && !loader_is_kind(l, a.x, 'r'))
        return loader_fail(l, "only FLOATs can be compared with a number such as 1.0");
    if (!atom_is_whole(l, &a))
        return loader_fail(l, "%s: a part is missing or of the wrong kind", kind);
    if (l->spec->atom_count == SPEC_MAX_ATOMS)
        return loader_fail(l, "more than %d conditions in one operator", SPEC_MAX_ATOMS);
    *out = l->spec->atom_count;
    l->spec->atoms[l->spec->atom_count++] = a;
    return 0;
}

/* Compiles all conditions of the rule before its own atoms, then moves these to the end, so that they are
 * consecutive. */
int compile_atoms(struct loader *l, struct rule *rule)
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
    if (result == 0 && own && l->spec->atom_count + count <= SPEC_MAX_ATOMS) {
        rule->first_atom = l->spec->atom_count;
        rule->atom_count = count;
        memcpy(&l->spec->atoms[rule->first_atom], own, (size_t)count * sizeof *own);
        l->spec->atom_count += count;
    } else if (result == 0) {
        result = loader_fail(l, "more than %d conditions in one operator", SPEC_MAX_ATOMS);
    }
    free(own);
    return result;
}
