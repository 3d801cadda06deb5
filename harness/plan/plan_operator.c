/* The table `op` that a strategy gets: the fields that describe an operator, and the methods that ask for cases. The
 * methods have the planner as their upvalue. */
#include "harness/plan/plan_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"

#include <lauxlib.h>
#include <stdio.h>

/* ---- methods */

static struct planner *planner_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* Returns true or false to the strategy, or raises the message that is on the stack with the strategy's line. */
static int finish_method(lua_State *L, int result)
{
    if (result < 0) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
        return lua_error(L);
    }
    lua_pushboolean(L, result > 0);
    return 1;
}

/* op:emit { … } */
static int method_emit(lua_State *L)
{
    struct planner *p = planner_of(L);
    struct case_request request;
    request_read(L, p, &request);
    return finish_method(L, planner_emit(p, L, &request, NULL));
}

/* op:vary { … } */
static int method_vary(lua_State *L)
{
    struct planner *p = planner_of(L);
    struct case_request request;
    request_read(L, p, &request);
    return finish_method(L, planner_vary(p, L, &request));
}

/* op:violate(level, rule) */
static int method_violate(lua_State *L)
{
    struct planner *p = planner_of(L);
    struct case_request request = {.rule = -1};
    solve_request_init(&request.solve);
    request.solve.table = request_table(L, p, luaL_checkstring(L, 2));
    int rule = spec_find_rule(&p->specs->specs[p->op], luaL_checkstring(L, 3));
    if (rule < 0)
        return luaL_error(L, "violate: no rule '%s'", lua_tostring(L, 3));
    return finish_method(L, planner_violate(p, L, &request, rule));
}

/* op:corners(rule, strength) */
static int method_corners(lua_State *L)
{
    struct planner *p = planner_of(L);
    int rule = spec_find_rule(&p->specs->specs[p->op], luaL_checkstring(L, 2));
    int strength = (int)luaL_checkinteger(L, 3);
    luaL_argcheck(L, strength >= 1 && strength <= 3, 3, "expected 1, 2 or 3");
    if (rule < 0)
        return luaL_error(L, "corners: no rule '%s'", lua_tostring(L, 2));
    return finish_method(L, planner_corners(p, L, rule, strength));
}

/* op:example(example) */
static int method_example(lua_State *L)
{
    luaL_checktype(L, 2, LUA_TTABLE);
    return finish_method(L, planner_example(planner_of(L), L, 2));
}

/* op:cover(strength) */
static int method_cover(lua_State *L)
{
    int strength = (int)luaL_checkinteger(L, 2);
    luaL_argcheck(L, strength == 2 || strength == 3, 2, "expected 2 or 3");
    return finish_method(L, planner_cover(planner_of(L), L, strength));
}

/* ---- fields */

static void set_text(lua_State *L, const char *key, const char *value)
{
    lua_pushstring(L, value);
    lua_setfield(L, -2, key);
}

static void push_types(lua_State *L, uint32_t types)
{
    int count = 0;
    lua_newtable(L);
    for (int type = 0; type < DATATYPE_COUNT; type++)
        if (types >> type & 1) {
            lua_pushstring(L, datatype_of((unsigned)type)->name);
            lua_rawseti(L, -2, ++count);
        }
}

/* { name =, types = { group = { … } } } for each feature level, lowest first. */
static void push_levels(lua_State *L, const struct spec *spec)
{
    lua_newtable(L);
    for (int i = 0; i < spec->level_count; i++) {
        lua_newtable(L);
        set_text(L, "name", spec->levels[i].name);
        lua_newtable(L);
        for (int g = 0; g < spec->group_count; g++) {
            push_types(L, spec->levels[i].types[g]);
            lua_setfield(L, -2, spec->groups[g]);
        }
        lua_setfield(L, -2, "types");
        lua_rawseti(L, -2, i + 1);
    }
}

/* Returns the number of the highest feature level at which descriptions are checked against the rule; 0: never. */
static int last_level(const struct spec *spec, const struct rule *rule)
{
    int last = spec->level_count;
    while (last > 0 && !rule_applies(rule, spec->levels[last - 1].level))
        last--;
    return last;
}

static void push_rules(lua_State *L, const struct spec *spec)
{
    lua_newtable(L);
    for (int i = 0; i < spec->rule_count; i++) {
        lua_newtable(L);
        set_text(L, "id", spec->rules[i].id);
        set_text(L, "strength", strength_name(spec->rules[i].strength));
        lua_pushboolean(L, spec->rules[i].behaviour);
        lua_setfield(L, -2, "behaviour");
        lua_pushboolean(L, spec_find_choice(spec, i) != NULL);
        lua_setfield(L, -2, "choice");
        lua_pushinteger(L, last_level(spec, &spec->rules[i]));
        lua_setfield(L, -2, "last");
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_tensors(lua_State *L, const struct spec *spec)
{
    int count = 0;
    lua_newtable(L);
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        lua_newtable(L);
        set_text(L, "name", spec->fields[i].name);
        set_text(L, "kind", field_is_input(&spec->fields[i]) ? "input" : "output");
        set_text(L, "group", spec->groups[spec->fields[i].group]);
        lua_pushboolean(L, fill_is_index(spec, i));
        lua_setfield(L, -2, "index");
        lua_rawseti(L, -2, ++count);
    }
}

/* op:possible { … }: true if a description meets the request, whatever the filter wants. */
static int method_possible(lua_State *L)
{
    const struct planner *p = lua_touserdata(L, lua_upvalueindex(1));
    struct case_request request;
    struct opdesc desc;
    request_read(L, p, &request);
    lua_pushboolean(
        L, solve_satisfy(&p->specs->specs[p->op], (unsigned)p->op, &request.solve, random_hash("possible", 0), &desc));
    return 1;
}

static void push_words(lua_State *L, const char *key, const char *const names[], uint64_t set)
{
    int count = 0;
    lua_newtable(L);
    for (int i = 0; names[i]; i++)
        if (set >> i & 1) {
            lua_pushstring(L, names[i]);
            lua_rawseti(L, -2, ++count);
        }
    lua_setfield(L, -2, key);
}

/* { id =, fills = { … }, indices = { … }, pairs =, each_level = } for each situation. */
static void push_situations(lua_State *L, const struct spec *spec)
{
    lua_newtable(L);
    for (int i = 0; i < spec->situation_count; i++) {
        const struct rule *when = &spec->situations[i].when;
        lua_newtable(L);
        set_text(L, "id", when->id);
        push_words(L, "fills", fill_names, when->evidence.fills);
        push_words(L, "indices", index_fill_names, when->evidence.index_fills);
        lua_pushboolean(L, spec->situations[i].pairs);
        lua_setfield(L, -2, "pairs");
        lua_pushboolean(L, spec->situations[i].each_level);
        lua_setfield(L, -2, "each_level");
        lua_rawseti(L, -2, i + 1);
    }
}

/* { NAME = { "CONSTANT", … } } for each attribute that is an enumeration, but for the types of others. */
static void push_enumerations(lua_State *L, const struct spec *spec)
{
    DML_FEATURE_LEVEL highest = spec->levels[spec->level_count - 1].level;
    lua_newtable(L);
    for (int i = 0; i < spec->field_count; i++) {
        bool is_type = false;
        int count = 0;
        for (int j = 0; j < spec->field_count; j++)
            is_type |= spec->fields[j].typed_by == i;
        if (spec->fields[i].kind != FIELD_ENUM || is_type)
            continue;
        lua_newtable(L);
        for (int k = 0; k < spec->fields[i].constants->count; k++)
            if (spec->fields[i].constants->constants[k].from <= highest) {
                lua_pushstring(L, spec->fields[i].constants->constants[k].name);
                lua_rawseti(L, -2, ++count);
            }
        lua_setfield(L, -2, spec->fields[i].name);
    }
}

/* { rule =, atom =, high =, label =, most = } for each bound of an attribute or a size that a description can reach.
 * `most`: the highest value of a size, if it is a constant. */
static void push_limits(lua_State *L, const struct spec *spec)
{
    char label[128];
    int count = 0;
    lua_newtable(L);
    for (int r = 0; r < spec->rule_count; r++)
        for (int i = 0; i < spec->rules[r].atom_count; i++) {
            const struct atom *a = &spec->atoms[spec->rules[r].first_atom + i];
            if (a->kind != ATOM_BETWEEN || a->low == a->high || a->x < 0)
                continue;
            enum expr_op op = spec->nodes[a->x].op;
            for (int high = 0; (op == EXPR_ATTR || op == EXPR_SIZE) && high < 2; high++) {
                if ((high ? a->high : a->low) < 0)
                    continue;
                lua_newtable(L);
                set_text(L, "rule", spec->rules[r].id);
                lua_pushinteger(L, spec->rules[r].first_atom + i);
                lua_setfield(L, -2, "atom");
                lua_pushboolean(L, high);
                lua_setfield(L, -2, "high");
                if (op == EXPR_SIZE && a->high >= 0 && spec->nodes[a->high].op == EXPR_CONST) {
                    lua_pushinteger(L, spec->nodes[a->high].value);
                    lua_setfield(L, -2, "most");
                }
                snprintf(label, sizeof label, "%s-%d-%s", spec->rules[r].id, i + 1, high ? "highest" : "lowest");
                set_text(L, "label", label);
                lua_rawseti(L, -2, ++count);
            }
        }
}

/* A list of { ATTRIBUTE = "CONSTANT" }, for each constant with a result made of extremes; { { } } if all are. */
static void push_extremes(lua_State *L, const struct spec *spec)
{
    int count = 0;
    lua_newtable(L);
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        const struct spec_enum *constants = result->chosen_by < 0 ? NULL : spec->fields[result->chosen_by].constants;
        if (!spec_result_is_extreme(result))
            continue;
        for (int k = 0; k < (constants ? constants->count : 1); k++) {
            if (constants && !(result->chosen >> constants->constants[k].value & 1))
                continue;
            lua_newtable(L);
            if (constants)
                set_text(L, spec->fields[result->chosen_by].name, constants->constants[k].name);
            lua_rawseti(L, -2, ++count);
        }
    }
}

/* A list of { INPUT = "OUTPUT", … }: the ways in which inputs may have the memory of an output. */
static void push_in_place(lua_State *L, const struct spec *spec)
{
    const struct catalogue_entry *entry = catalogue_entry(spec->catalogue, (uint32_t)spec->type);
    int count = 0;
    lua_newtable(L);
    for (int out = 0; out < spec->field_count; out++) {
        int inputs = 0;
        if (!field_is_output(&spec->fields[out]) || field_kinds[spec->fields[out].kind].is_array)
            continue;
        for (int in = 0; in < spec->field_count; in++) {
            if (!(entry->in_place >> in & 1) || field_kinds[spec->fields[in].kind].is_array)
                continue;
            lua_newtable(L);
            set_text(L, spec->fields[in].name, spec->fields[out].name);
            lua_rawseti(L, -2, ++count);
            inputs++;
        }
        if (inputs < 2 || !entry->in_place_together)
            continue;
        lua_newtable(L); /* all of them at once */
        for (int in = 0; in < spec->field_count; in++)
            if (entry->in_place >> in & 1)
                set_text(L, spec->fields[in].name, spec->fields[out].name);
        lua_rawseti(L, -2, ++count);
    }
}

/* interface:sequence { label =, kind =, steps = } */
static int method_sequence(lua_State *L)
{
    struct planner *p = lua_touserdata(L, lua_upvalueindex(1));
    const struct spec *spec = p->specs->interface;
    struct testcase c = {.spec = spec, .desc = spec->blank, .rule = -1, .expect = EXPECT_RESULTS, .index_fill = 0};
    char name[CASE_NAME_SIZE];
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_getfield(L, 2, "label");
    lua_getfield(L, 2, "kind");
    lua_getfield(L, 2, "steps");
    planner_name_front(p, luaL_checkstring(L, -3), "", name);
    c.lifecycle.kind = (uint8_t)luaL_checkoption(L, -2, NULL, lifecycle_names);
    lua_Integer steps = luaL_checkinteger(L, -1);
    if (c.lifecycle.kind == LIFECYCLE_NONE || steps < 1 || steps > LIFECYCLE_STEPS / 2)
        return luaL_error(L, "sequence: expected { label =, kind =, steps = }, at most %d steps", LIFECYCLE_STEPS / 2);
    c.lifecycle.steps = (uint16_t)steps;
    if (planner_add(p, L, name, c, spec->blank) < 0)
        return lua_error(L);
    return 0;
}

void planner_push_interface(struct planner *p, lua_State *L)
{
    static const luaL_Reg methods[] = {{"sequence", method_sequence}, {NULL, NULL}};
    lua_newtable(L);
    lua_pushlightuserdata(L, p);
    luaL_setfuncs(L, methods, 1);
}

void planner_push_operator(struct planner *p, lua_State *L)
{
    static const luaL_Reg methods[] = {{"emit", method_emit},         {"vary", method_vary},
                                       {"violate", method_violate},   {"example", method_example},
                                       {"cover", method_cover},       {"corners", method_corners},
                                       {"possible", method_possible}, {NULL, NULL}};
    const struct spec *spec = &p->specs->specs[p->op];
    lua_newtable(L);
    lua_pushlightuserdata(L, p);
    luaL_setfuncs(L, methods, 1);
    set_text(L, "name", spec->name);
    push_levels(L, spec);
    lua_setfield(L, -2, "levels");
    push_rules(L, spec);
    lua_setfield(L, -2, "rules");
    push_tensors(L, spec);
    lua_setfield(L, -2, "tensors");
    push_limits(L, spec);
    lua_setfield(L, -2, "limits");
    push_enumerations(L, spec);
    lua_setfield(L, -2, "enumerations");
    push_in_place(L, spec);
    lua_setfield(L, -2, "in_place");
    lua_newtable(L);
    for (int i = 0; i < spec->parameter_count; i++) {
        lua_pushstring(L, spec->parameters[i].name);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "parameters");
    lua_pushboolean(L, spec->sparse != 0);
    lua_setfield(L, -2, "sparse");
    lua_pushboolean(L, spec->selection.positions >= 0);
    lua_setfield(L, -2, "selects");
    lua_pushboolean(L, spec->result_count > 0);
    lua_setfield(L, -2, "formula");
    lua_pushboolean(L, spec_is_plain(spec));
    lua_setfield(L, -2, "plain");
    lua_pushboolean(L, spec_folds(spec));
    lua_setfield(L, -2, "folds");
    lua_pushboolean(L, spec_is_elementwise(spec));
    lua_setfield(L, -2, "elementwise");
    lua_pushboolean(L, spec->slice >= 0);
    lua_setfield(L, -2, "slices");
    push_situations(L, spec);
    lua_setfield(L, -2, "situations");
    push_extremes(L, spec);
    lua_setfield(L, -2, "extremes");
    spec_push(p->specs, p->op);
    lua_getfield(L, -1, "examples");
    if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        lua_newtable(L);
    }
    lua_setfield(L, -3, "examples");
    lua_pop(L, 1);
}
