#include "harness/load/load_formula.h"

#include "generated/load/formula.lua.h"
#include "harness/base/dml_names.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"

#include <math.h>
#include <string.h>

int formula_add_words(struct script *script, struct error *error)
{
    lua_State *L = script_state(script);
    lua_pushvalue(L, -1);
    if (script_prelude(script, "load/formula.lua", load_formula_lua, 1, 1, error))
        return EXIT_HARNESS;
    lua_pushnil(L);
    while (lua_next(L, -2)) { /* the stack holds the words of the prelude, the words of formulas, name, value */
        lua_pushvalue(L, -2);
        lua_insert(L, -2);
        lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    return 0;
}

/* The state of compiling a formula. */
struct compiling {
    struct loader *l;
    uint32_t activation; /* the type of fused activation that the formula is for */
    struct formula_node nodes[FORMULA_MAX_NODES];
    int count;
};

static int compile_node(struct compiling *c, int16_t *out);

static int compile_child(struct compiling *c, const char *key, int16_t *out)
{
    lua_getfield(c->l->L, -1, key);
    int result = compile_node(c, out);
    lua_pop(c->l->L, 1);
    return result;
}

/* Finds the item of a tensor that an operand names: an input or an output, or an element of an array, as in
 * "Tensors[0]". */
static int compile_item(struct loader *l, enum formula_op op, const char *name, uint8_t *out)
{
    int64_t at;
    int stage = op == FORMULA_ELEMENT ? spec_find_stage(l->spec, name) : -1;
    if (stage >= 0) {
        *out = (uint8_t)spec_stage_item(l->spec, stage);
        return 0;
    }
    int field = loader_find_field(l, name, &at);
    if (field < 0)
        return EXIT_HARNESS;
    bool output = op == FORMULA_OUTPUT, single = at == EXPR_NO_ARRAY;
    enum field_kind wanted = single ? FIELD_INPUT : FIELD_INPUTS;
    if (output)
        wanted = FIELD_OUTPUT;
    bool any = op == FORMULA_SPACING_OF && field_is_tensor(&l->spec->fields[field]);
    if (l->spec->fields[field].kind != wanted && !any)
        return loader_fail(l, "%s: '%s' is not an %s", formula_ops[op].word, name, output ? "output" : "input");
    if (!single && (at < 1 || at > l->spec->blank->values[field].place.room))
        return loader_fail(l, "%s: '%s' is beyond the elements of its array", formula_ops[op].word, name);
    *out = (uint8_t)(spec_item(l->spec, field) + (single ? 0 : at - 1));
    return 0;
}

/* Finds a FLOAT of an activation. */
static int compile_member(struct loader *l, uint32_t activation, const char *name, uint8_t *out)
{
    const struct spec_layout *layout = catalogue_layout(l->spec->catalogue, activation);
    for (int i = 0; layout && i < layout->field_count && i < OPDESC_NESTED_FIELDS; i++)
        if (strcmp(layout->fields[i].name, name) == 0 && layout->fields[i].kind == FIELD_FLOAT) {
            *out = (uint8_t)i;
            return 0;
        }
    return loader_fail(l, "member: the activation has no FLOAT '%s'", name);
}

/* Finds what an operand names of the descriptions in an array: their Type, -1, or a FLOAT of an activation. */
static int compile_nested(struct loader *l, double *out)
{
    const char *activation = loader_text(l, -1, "activation"), *name = loader_text(l, -1, "member");
    int type = *activation ? (int)dml_operator_find(activation) : 0;
    uint8_t member = 0;
    *out = -1;
    if (!*activation)
        return 0;
    if (type <= 0)
        return loader_fail(l, "member_of: '%s' is no operator", activation);
    if (compile_member(l, (uint32_t)type, name, &member))
        return EXIT_HARNESS;
    *out = member;
    return 0;
}

/* Finds the field that an operand names. It must be of the operand's kind. */
static int compile_operand_field(struct compiling *c, enum formula_op op, uint8_t *out)
{
    struct loader *l = c->l;
    const char *name = loader_text(l, -1, "field");
    if (op == FORMULA_MEMBER)
        return compile_member(l, c->activation, name, out);
    if (op <= FORMULA_GREATEST_OF)
        return compile_item(l, op, name, out);
    int field = spec_find_field(l->spec, name);
    if (field < 0)
        return loader_fail(l, "no field is named '%s'", name);
    const struct spec_field *f = &l->spec->fields[field];
    if (op == FORMULA_IS_FLOAT && f->kind != FIELD_INPUT && f->kind != FIELD_OUTPUT)
        return loader_fail(l, "is_float: '%s' is not a tensor", name);
    bool is_pair = f->kind == FIELD_SCALE_BIAS;
    bool is_number = field_kinds[f->kind].is_number || f->kind == FIELD_FLOAT || f->kind == FIELD_SCALAR;
    if ((op == FORMULA_ATTRIBUTE && !is_number && !is_pair) ||
        ((op == FORMULA_CAST || op == FORMULA_TRUNCATED || op == FORMULA_FLOORED) && !is_number))
        return loader_fail(l, "%s: '%s' is not a number", formula_ops[op].word, name);
    if (op == FORMULA_ENTRY && f->kind != FIELD_FLOATS)
        return loader_fail(l, "entry: '%s' is no array of FLOATs", name);
    if (op == FORMULA_NESTED && f->kind != FIELD_OPERATORS)
        return loader_fail(l, "'%s' is no array of operator descriptions", name);
    if (op == FORMULA_BIAS && !is_pair)
        return loader_fail(l, "bias: '%s' is no DML_SCALE_BIAS", name);
    *out = (uint8_t)field;
    return 0;
}

/* Stores the index of an equal node, or of a new one. */
static int load_formula_add_node(struct compiling *c, const struct formula_node *node, int16_t *out)
{
    for (int i = 0; i < c->count; i++)
        if (memcmp(&c->nodes[i], node, sizeof *node) == 0) {
            *out = (int16_t)i;
            return 0;
        }
    if (c->count == FORMULA_MAX_NODES)
        return loader_fail(c->l, "more than %d operations in a formula", FORMULA_MAX_NODES);
    *out = (int16_t)c->count;
    c->nodes[c->count++] = *node;
    return 0;
}

/* If the spec names the formula at the top of the stack, and no fold contains it, compiles it for the result, too. */
static int compile_named(struct loader *l)
{
    const char *name = loader_text(l, -1, "name");
    struct spec_result *result = l->result;
    if (!*name || !result || l->fold)
        return 0;
    for (int i = 0; i < result->named_count; i++)
        if (strcmp(result->named[i].name, name) == 0)
            return 0;
    if (result->named_count == RESULT_MAX_NAMED)
        return loader_fail(l, "named: more than %d names in one result", RESULT_MAX_NAMED);
    struct spec_named *named = &result->named[result->named_count++];
    named->name = name; /* the formula names itself, too */
    return compile_formula(l, &named->formula);
}

static int compile_node(struct compiling *c, int16_t *out);

/* Compiles the formula that the node at the top of the stack has for the activation of the result. */
static int compile_by_activation(struct compiling *c, int16_t *out)
{
    struct loader *l = c->l;
    lua_getfield(l->L, -1, "formulas");
    const char *name = c->activation ? dml_operator_name((DML_OPERATOR_TYPE)c->activation) : "";
    if (!lua_istable(l->L, -1))
        return loader_fail(l, "by_activation: expected a formula for each activation");
    lua_getfield(l->L, -1, name);
    if (lua_isnil(l->L, -1))
        return loader_fail(l, "by_activation: no formula for %s", name);
    l->depth++;
    int result = compile_node(c, out);
    l->depth--;
    lua_pop(l->L, 2);
    return result;
}

/* Compiles the node at the top of the stack. */
static int compile_node(struct compiling *c, int16_t *out)
{
    struct loader *l = c->l;
    struct formula_node node;
    int op = 0, result = 0;
    memset(&node, 0, sizeof node); /* the padding must be zero, too, since nodes are compared whole */
    if (!lua_istable(l->L, -1) || !lua_checkstack(l->L, 8))
        return loader_fail(l, "expected a formula");
    if (l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "a formula within more than %d others", LOADER_MAX_DEPTH);
    *out = (int16_t)loader_recall(l, c);
    if (*out >= 0)
        return 0;
    if (compile_named(l))
        return EXIT_HARNESS;
    lua_getfield(l->L, -1, "op");
    const char *name = lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    bool by_activation = strcmp(name, "by_activation") == 0;
    while (op < FORMULA_OPS && strcmp(formula_ops[op].word, name) != 0)
        op++;
    lua_pop(l->L, 1);
    if (by_activation)
        return compile_by_activation(c, out);
    if (op == FORMULA_OPS)
        return loader_fail(l, "expected a formula");
    node.op = (uint8_t)op;
    if (op >= FORMULA_ELEMENT && op <= FORMULA_PRESENT)
        result = compile_operand_field(c, (enum formula_op)op, &node.field);
    if (op == FORMULA_FOLD || op == FORMULA_INEXACT) {
        lua_getfield(l->L, -1, "fold");
        l->depth++;
        result = compile_fold(l, &node.field);
        l->depth--;
        lua_pop(l->L, 1);
    }
    if (op == FORMULA_ELSEWHERE)
        result = compile_elsewhere(l, &node.field);
    lua_getfield(l->L, -1, "value");
    const bool is_part = op == FORMULA_FOLD || op == FORMULA_ELSEWHERE;
    const bool numbered = op == FORMULA_CONST || op == FORMULA_TERM || op == FORMULA_COORDINATE || is_part;
    node.value = numbered ? lua_tonumber(l->L, -1) : 0;
    lua_pop(l->L, 1);
    if (!result && op == FORMULA_NESTED)
        result = compile_nested(l, &node.value);
    if (!result && is_part && !(node.value >= 0 && node.value < FOLD_PARTS))
        result = loader_fail(l, "part: expected a number below %d", FOLD_PARTS);
    if (!result && op == FORMULA_TERM && !(node.value >= 0 && node.value < FORMULA_MAX_TERMS))
        result = loader_fail(l, "term: expected a number below %d", FORMULA_MAX_TERMS);
    if (!result && op == FORMULA_COORDINATE && !(node.value >= 1 && node.value <= OPDESC_MAX_DIMENSIONS))
        result = loader_fail(l, "coordinate: expected a number from -%d to -1", OPDESC_MAX_DIMENSIONS);
    int16_t *const operands[] = {&node.a, &node.b, &node.c};
    static const char *const keys[] = {"a", "b", "c"};
    l->depth++;
    for (int i = 0; i < formula_ops[op].operands && !result; i++)
        result = compile_child(c, keys[i], operands[i]);
    l->depth--;
    result = result ? result : load_formula_add_node(c, &node, out);
    if (!result)
        loader_remember(l, c, *out);
    return result;
}

static const char *constant_text(struct loader *l, double value)
{
    if (isnan(value))
        return pool_string(&l->set->pool, "NaN");
    if (isinf(value))
        return pool_string(&l->set->pool, value > 0 ? "infinity" : "-infinity");
    return pool_format(&l->set->pool, "%.9g", value);
}

int compile_formula(struct loader *l, struct formula *out)
{
    struct compiling c = {.l = l, .activation = l->activation};
    int16_t root;
    *out = (struct formula){0};
    if (lua_type(l->L, -1) == LUA_TNUMBER) {
        struct formula_node constant = {.op = FORMULA_CONST, .value = lua_tonumber(l->L, -1)};
        *out = (struct formula){.nodes = pool_copy(&l->set->pool, &constant, sizeof constant),
                                .count = 1,
                                .text = constant_text(l, constant.value)};
        return 0;
    }
    if (compile_node(&c, &root))
        return EXIT_HARNESS;
    loader_forget(l, &c);
    out->count = root + 1; /* operands come first, so the root is the last node that the formula needs */
    out->nodes = pool_copy(&l->set->pool, c.nodes, (size_t)out->count * sizeof *c.nodes);
    out->text = loader_text(l, -1, "text");
    return 0;
}

/* Compiles field `key` of the table at the top of the stack, if there is one. */
static int compile_formula_key(struct loader *l, const char *key, struct formula *out)
{
    lua_getfield(l->L, -1, key);
    int result = lua_isnil(l->L, -1) ? 0 : compile_formula(l, out);
    lua_pop(l->L, 1);
    return result;
}

/* Compiles the tolerance at the top of the stack: one formula, or { soft =, must = }. */
static int compile_tolerance(struct loader *l, struct tolerance *out)
{
    lua_getfield(l->L, -1, "op");
    bool pair = lua_isnil(l->L, -1);
    lua_pop(l->L, 1);
    if (!pair) {
        int result = compile_formula(l, &out->must);
        out->soft = out->must;
        return result;
    }
    if (compile_formula_key(l, "soft", &out->soft) || compile_formula_key(l, "must", &out->must))
        return EXIT_HARNESS;
    return out->must.count ? 0 : loader_fail(l, "expected a formula, or { soft =, must = }");
}

static int compile_tolerances(struct loader *l, struct spec_result *out)
{
    for (int type = 1; type < DATATYPE_COUNT; type++) {
        bool is_float = datatype_of((unsigned)type)->is_float;
        int result = 0;
        lua_getfield(l->L, -1, is_float ? datatype_of((unsigned)type)->name : "integers");
        if (lua_istable(l->L, -1))
            result = compile_tolerance(l, &out->tolerances[type]);
        else if (!lua_isnil(l->L, -1) && !(result = compile_formula(l, &out->tolerances[type].must)))
            out->tolerances[type].soft = out->tolerances[type].must;
        lua_pop(l->L, 1);
        if (result)
            return result;
    }
    return 0;
}

static int compile_word(struct loader *l, const char *key, const char *const words[], int count, int *out)
{
    const char *word = loader_text(l, -1, key);
    *out = 0;
    if (!*word)
        return 0;
    for (; *out < count; ++*out)
        if (strcmp(words[*out], word) == 0)
            return 0;
    return loader_fail(l, "%s: '%s' is not one of its words", key, word);
}

/* Returns true if a tensor may have a type of this kind at some level. */
static bool may_have(const struct spec *spec, int field, bool is_float)
{
    for (int i = 0; i < spec->level_count; i++)
        for (unsigned type = 1; type < DATATYPE_COUNT; type++)
            if (datatype_of(type)->is_float == is_float && spec->levels[i].types[spec->fields[field].group] >> type & 1)
                return true;
    return false;
}

/* Refuses operations that the formula's numbers do not have: real numbers, integers or both. */
static int check_numbers(struct loader *l, const struct spec_result *result)
{
    bool reals = false, integers = result->chosen_by < 0; /* the types of a constant may be fewer than the table's */
    for (int i = 0; i < l->spec->field_count; i++)
        if (field_is_input(&l->spec->fields[i]) || i == result->field) {
            reals |= may_have(l->spec, i, true);
            integers &= may_have(l->spec, i, false);
        }
    for (int i = 0; i < result->value.count; i++) {
        const struct formula_traits *op = &formula_ops[result->value.nodes[i].op];
        if ((result->bits || integers) && !op->of_integers)
            return loader_fail(l, "'%s' has no meaning for integers", op->word);
        if (!result->bits && reals && !op->of_reals)
            return loader_fail(l, "'%s' has no meaning for real numbers", op->word);
    }
    return 0;
}

/* Compiles `by`, the field with a fused activation, and `activation`, the name of the operator there. */
static int compile_activation(struct loader *l, int *by, uint32_t *activation)
{
    const char *field = loader_text(l, -1, "by"), *name = loader_text(l, -1, "activation");
    int type = *name ? (int)dml_operator_find(name) : 0;
    *by = *field ? spec_find_field(l->spec, field) : -1;
    *activation = type > 0 ? (uint32_t)type : 0;
    if (*field && (*by < 0 || l->spec->fields[*by].kind != FIELD_OPERATOR))
        return loader_fail(l, "by: '%s' is no operator description", field);
    if (*name && (type <= 0 || *by < 0))
        return loader_fail(l, "activation: '%s' is no operator, or `by` does not name a field", name);
    return 0;
}

/* Compiles `given = { "Function", "SUM", … }`: the enumeration and its constants that a result, or a behaviour, is
 * for. */
static int compile_given(struct loader *l, int *field, uint32_t *constants)
{
    int result = 0;
    int64_t value;
    *field = -1;
    *constants = UINT32_MAX;
    lua_getfield(l->L, -1, "given");
    for (size_t i = 1; !result && lua_istable(l->L, -1) && i <= lua_rawlen(l->L, -1); i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i);
        const char *name = lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
        if (i == 1) {
            *field = spec_find_field(l->spec, name);
            *constants = 0;
            if (*field < 0 || l->spec->fields[*field].kind != FIELD_ENUM)
                result = loader_fail(l, "given: '%s' is no enumeration", name);
        } else if (!spec_constant_find(l->spec->fields[*field].constants, name, &value) || value < 0 || value > 31) {
            result = loader_fail(l, "given: '%s' is no constant of %s", name, l->spec->fields[*field].name);
        } else {
            *constants |= (uint32_t)1 << value;
        }
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return result;
}

/* Makes the formulas compiled from now on belong to the result. */
static void begin_result(struct loader *l, struct spec_result *result)
{
    l->result = result;
    loader_forget(l, result);
}

/* Compiles the result at the top of the stack. */
static int compile_result(struct loader *l, struct spec_result *out)
{
    static const char *const zeros[] = {"either", "signed"};
    static const char *const overflows[] = {
        [OVERFLOW_BY_WIDTH] = "by width", [OVERFLOW_WRAPS] = "wraps", [OVERFLOW_OPEN] = "open"};
    int word, result;
    if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), "result") != 0)
        return loader_fail(l, "results: expected result \"OUTPUT\" { FORMULA, … }");
    const char *name = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    l->part = pool_format(&l->set->pool, "result \"%s\"", name);
    out->field = spec_find_field(l->spec, name);
    if (out->field < 0 || !field_is_output(&l->spec->fields[out->field]))
        return loader_fail(l, "'%s' is not an output", name);
    if (compile_activation(l, &out->by, &out->activation) || compile_given(l, &out->chosen_by, &out->chosen))
        return EXIT_HARNESS;
    l->activation = out->activation;
    begin_result(l, out);
    out->bits = loader_true(l, -1, "bits");
    if (compile_word(l, "zeros", zeros, 2, &word))
        return EXIT_HARNESS;
    out->signed_zeros = word == 1;
    if (compile_word(l, "overflow", overflows, 3, &word))
        return EXIT_HARNESS;
    out->overflow = (enum result_overflow)word;
    result = lua_getfield(l->L, -1, "domain") == LUA_TNIL ? 0 : compile_domain(l, "result", &out->domain);
    lua_pop(l->L, 1);
    lua_rawgeti(l->L, -1, 1);
    result = result ? result : compile_formula(l, &out->value);
    lua_pop(l->L, 1);
    if (result || check_numbers(l, out) || compile_tolerances(l, out))
        return EXIT_HARNESS;
    l->result = NULL;
    l->part = "";
    return 0;
}

/* Compiles the stage at the top of the stack: the next one of l->spec, which has room for it. */
static int compile_stage(struct loader *l)
{
    struct spec *spec = l->spec;
    struct spec_stage *stage = &spec->stages[spec->stage_count];
    if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), "stage") != 0)
        return loader_fail(l, "stages: expected stage \"NAME\" { FORMULA, sizes = LIST }");
    const char *name = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    l->part = pool_format(&l->set->pool, "stage \"%s\"", name);
    if (spec_find_field(spec, name) >= 0 || spec_find_stage(spec, name) >= 0)
        return loader_fail(l, "'%s' is already a field or a stage", name);
    if (spec->stage_count == SPEC_MAX_STAGES || spec_stage_item(spec, spec->stage_count) >= OPDESC_MAX_TENSORS ||
        spec_stage_field(spec, spec->stage_count) >= OPDESC_MAX_FIELDS)
        return loader_fail(l, "more stages than an operator can have");
    if (compile_operand(l, "sizes", &stage->sizes))
        return EXIT_HARNESS;
    if (!loader_is_kind(l, stage->sizes, 'l'))
        return loader_fail(l, "sizes: expected a list");
    stage->name = name;
    stage->result.field = spec_stage_field(spec, spec->stage_count);
    stage->result.by = stage->result.chosen_by = -1;
    stage->result.chosen = UINT32_MAX;
    spec->stage_count++; /* the formula may have folds of the stage itself */
    begin_result(l, &stage->result);
    lua_rawgeti(l->L, -1, 1);
    int result = compile_formula(l, &stage->result.value);
    lua_pop(l->L, 1);
    for (int i = 0; !result && i < stage->result.value.count; i++) {
        const struct formula_traits *op = &formula_ops[stage->result.value.nodes[i].op];
        if (!op->of_reals || stage->result.value.nodes[i].op == FORMULA_OUTPUT)
            return loader_fail(l, "'%s' has no meaning in a stage", op->word);
    }
    l->result = NULL;
    l->part = "";
    return result;
}

static int compile_stages(struct loader *l, int op)
{
    lua_getfield(l->L, op, "stages");
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->spec->stages = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->stages);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_stage(l))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

/* Compiles `gives` of the behaviour at the top of the stack: a table of alternatives, or "anything", which no soft
 * behaviour may have: a result that is none of its outcomes fails. */
static int compile_alternatives(struct loader *l, struct spec_choice *choice)
{
    int result = 0;
    lua_getfield(l->L, -1, "gives");
    if (lua_type(l->L, -1) == LUA_TSTRING && strcmp(lua_tostring(l->L, -1), "anything") == 0)
        choice->anything = true;
    if (choice->anything && choice->soft)
        result = loader_fail(l, "gives: expected { outcome = FORMULA, … }; only open behaviours have \"anything\"");
    else if (!choice->anything && !lua_istable(l->L, -1))
        result = loader_fail(l, "gives: expected { outcome = FORMULA, … } or \"anything\"");
    for (size_t i = 1; !result && !choice->anything && i <= lua_rawlen(l->L, -1); i++) {
        if (choice->count == RESULT_MAX_ALTERNATIVES)
            return loader_fail(l, "gives: more than %d outcomes", RESULT_MAX_ALTERNATIVES);
        lua_rawgeti(l->L, -1, (lua_Integer)i); /* { outcome, formula } */
        if (!lua_istable(l->L, -1))
            return loader_fail(l, "gives: expected pairs { \"outcome\", FORMULA }");
        lua_rawgeti(l->L, -1, 1);
        const char *outcome = lua_tostring(l->L, -1);
        if (!outcome)
            return loader_fail(l, "gives: expected pairs { \"outcome\", FORMULA }");
        choice->alternatives[choice->count].outcome = pool_string(&l->set->pool, outcome);
        lua_pop(l->L, 1);
        lua_rawgeti(l->L, -1, 2);
        result = compile_formula(l, &choice->alternatives[choice->count++].value);
        lua_pop(l->L, 2);
    }
    lua_pop(l->L, 1);
    return result;
}

/* Returns true if the behaviour at the top of the stack is about the result: about its output (`of`, or the only
 * output), about its fused activation (`activation`, or all), and about some of its constants. */
static bool is_about(struct loader *l, const struct spec_result *result, uint32_t constants)
{
    const char *name = loader_text(l, -1, "of"), *activation = loader_text(l, -1, "activation");
    int field = *name ? spec_find_field(l->spec, name) : l->spec->results[0].field;
    for (int i = 0; !*name && i < l->spec->result_count; i++)
        if (l->spec->results[i].field != field)
            return false;
    return result->field == field && (result->chosen & constants) &&
           (!*activation || (result->activation && (int)result->activation == (int)dml_operator_find(activation)));
}

/* Adds the choice of the behaviour at the top of the stack to a result. */
static int add_choice(struct loader *l, struct spec_result *of, int rule)
{
    if (of->choice_count == RESULT_MAX_CHOICES)
        return loader_fail(l, "more than %d choices about one output", RESULT_MAX_CHOICES);
    struct spec_choice *choice = &of->choices[of->choice_count++];
    choice->rule = rule;
    choice->soft = l->spec->rules[rule].strength == STRENGTH_SOFT;
    l->activation = of->activation;
    begin_result(l, of);
    if (compile_formula_key(l, "when", &choice->when) || compile_alternatives(l, choice))
        return EXIT_HARNESS;
    l->result = NULL;
    return 0;
}

/* Compiles the choice of the behaviour at the top of the stack, if it has one. */
static int compile_choice(struct loader *l)
{
    int added = 0, field;
    uint32_t constants;
    lua_getfield(l->L, -1, "when");
    bool has = !lua_isnil(l->L, -1);
    lua_pop(l->L, 1);
    if (!has)
        return 0;
    const char *id = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    l->part = pool_format(&l->set->pool, "behaviour \"%s\"", id);
    if (compile_given(l, &field, &constants))
        return EXIT_HARNESS;
    for (int i = 0; i < l->spec->result_count; i++)
        if (is_about(l, &l->spec->results[i], constants)) {
            if (add_choice(l, &l->spec->results[i], spec_find_rule(l->spec, id)))
                return EXIT_HARNESS;
            added++;
        }
    if (added == 0)
        return loader_fail(l, "expected the output of the behaviour, as in of = \"OutputTensor\"");
    l->part = "";
    return 0;
}

/* Compiles each entry of the list in field `key` of the operator's table. */
static int compile_each(struct loader *l, int op, const char *key, bool results)
{
    lua_getfield(l->L, op, key);
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    if (results)
        l->spec->results = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->results);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (results ? compile_result(l, &l->spec->results[l->spec->result_count++]) : compile_choice(l))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

int compile_results(struct loader *l, int op)
{
    return compile_stages(l, op) || compile_each(l, op, "results", true) || compile_each(l, op, "behaviours", false)
               ? EXIT_HARNESS
               : 0;
}
