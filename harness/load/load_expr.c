/* This file compiles expressions: it converts the prelude's trees to nodes, with one node for equal trees. */
#include "harness/describe/field_kind.h"
#include "harness/load/load_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum expr_op op;
    enum { OF_NOTHING, OF_TENSOR, OF_NUMBER, OF_ENTRIES, OF_POINTER, OF_OPERATOR, OF_MEMBER, OF_ARRAY } of;
    const char *operands; /* in order: "n" a number, "l" a list, "e" either; of two "e" at least one is a list */
} operations[] = {
    {"const", EXPR_CONST, OF_NOTHING, ""},
    {"attr", EXPR_ATTR, OF_NUMBER, ""},
    {"dims", EXPR_DIMS, OF_TENSOR, ""},
    {"data_type", EXPR_DATA_TYPE, OF_TENSOR, ""},
    {"tensor_type", EXPR_TENSOR_TYPE, OF_TENSOR, ""},
    {"flags", EXPR_FLAGS, OF_TENSOR, ""},
    {"alignment", EXPR_ALIGNMENT, OF_TENSOR, ""},
    {"total", EXPR_TOTAL, OF_TENSOR, ""},
    {"present", EXPR_PRESENT, OF_POINTER, ""},
    {"operator_type", EXPR_OPERATOR, OF_OPERATOR, ""},
    {"has_desc", EXPR_HAS_DESC, OF_OPERATOR, ""},
    {"member_given", EXPR_MEMBER_GIVEN, OF_OPERATOR, "n"},
    {"member_float", EXPR_REAL, OF_MEMBER, ""},
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
    {"div", EXPR_DIV, OF_NOTHING, "nn"},
    {"div_up", EXPR_DIV_UP, OF_NOTHING, "nn"},
    {"mod", EXPR_MOD, OF_NOTHING, "nn"},
    {"is", EXPR_IS, OF_NOTHING, "nn"},
    {"abs", EXPR_ABS, OF_NOTHING, "n"},
    {"sum", EXPR_SUM, OF_NOTHING, "l"},
    {"product", EXPR_PRODUCT, OF_NOTHING, "l"},
    {"length", EXPR_LENGTH, OF_NOTHING, "l"},
    {"entry", EXPR_ENTRY, OF_NOTHING, "ln"},
    {"otherwise", EXPR_OTHERWISE, OF_NOTHING, "nn"},
    {"sizes", EXPR_SIZES, OF_TENSOR, ""},
    {"entries", EXPR_ENTRIES, OF_ENTRIES, ""},
    {"map", EXPR_MAP, OF_ARRAY, "n"},
    {"slice", EXPR_SLICE, OF_NOTHING, "lnn"},
    {"concat", EXPR_CONCAT, OF_NOTHING, "ll"},
    {"fit", EXPR_FIT, OF_NOTHING, "ln"},
    {"replace", EXPR_REPLACE, OF_NOTHING, "len"},
    {"list", EXPR_LIST, OF_NOTHING, "n"},
    {"filled", EXPR_FILLED, OF_NOTHING, "nn"},
    {"place", EXPR_PLACE, OF_TENSOR, ""},
    {"weights", EXPR_WEIGHTS, OF_NOTHING, "l"},
    {"step", EXPR_STEP, OF_NOTHING, "l"},
    {"divided", EXPR_DIVIDED, OF_NOTHING, "lll"},
    {"gathered", EXPR_GATHERED, OF_TENSOR, "l"},
    {"add_each", EXPR_ADD_EACH, OF_NOTHING, "ee"},
    {"sub_each", EXPR_SUB_EACH, OF_NOTHING, "ee"},
    {"mul_each", EXPR_MUL_EACH, OF_NOTHING, "ee"},
    {"min_each", EXPR_MIN_EACH, OF_NOTHING, "ee"},
    {"max_each", EXPR_MAX_EACH, OF_NOTHING, "ee"},
    {"div_each", EXPR_DIV_EACH, OF_NOTHING, "ee"},
    {"div_up_each", EXPR_DIV_UP_EACH, OF_NOTHING, "ee"},
    {"mod_each", EXPR_MOD_EACH, OF_NOTHING, "ee"},
    {"is_each", EXPR_IS_EACH, OF_NOTHING, "ee"},
    {"abs_each", EXPR_ABS_EACH, OF_NOTHING, "l"},
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

/* Splits "InputTensors[2]" or "InputTensors[i]" into the name and the expr.value of the element. */
static int64_t split_element(const char *text, char *name, size_t size)
{
    size_t length = strcspn(text, "[");
    snprintf(name, size, "%.*s", (int)length, text);
    if (!text[length])
        return EXPR_NO_ARRAY;
    return text[length + 1] == 'i' ? EXPR_CURRENT : atoi(text + length + 1) + 1;
}

int loader_find_field(struct loader *l, const char *text, int64_t *element)
{
    char name[64];
    *element = split_element(text, name, sizeof name);
    int field = spec_find_field(l->spec, name);
    if (field < 0)
        return loader_fail(l, "no field is named '%s'", name), -1;
    bool array = field_kinds[l->spec->fields[field].kind].is_array && l->spec->fields[field].kind != FIELD_UINTS &&
                 l->spec->fields[field].kind != FIELD_INTS && l->spec->fields[field].kind != FIELD_FLOATS;
    if (*element != EXPR_NO_ARRAY && !array)
        return loader_fail(l, "'%s' is not an array of tensors or operators", name), -1;
    return field;
}

/* Sets the field of a node. Some operations become another one, by the kind of the field. */
static int compile_field(struct loader *l, int of, struct expr *node)
{
    const char *name = loader_text(l, -1, "field");
    int stage = node->op == EXPR_PLACE || node->op == EXPR_GATHERED ? spec_find_stage(l->spec, name) : -1;
    if (stage >= 0) {
        node->field = (uint8_t)spec_stage_field(l->spec, stage);
        node->value = EXPR_NO_ARRAY;
        return 0;
    }
    int field = loader_find_field(l, name, &node->value);
    if (field < 0)
        return EXIT_HARNESS;
    enum field_kind kind = l->spec->fields[field].kind;
    bool tensor = field_is_tensor(&l->spec->fields[field]), fits = false;
    node->field = (uint8_t)field;
    switch (of) {
    case OF_TENSOR:
        fits = node->op == EXPR_GATHERED ? kind == FIELD_INPUT : tensor;
        break;
    case OF_NUMBER:
        fits = (kind >= FIELD_UINT && kind <= FIELD_ENUM) || kind == FIELD_SCALAR;
        if (kind == FIELD_FLOAT)
            node->op = EXPR_REAL;
        if (kind == FIELD_SCALAR)
            node->op = EXPR_SCALAR;
        node->value = kind == FIELD_INT ? EXPR_SIGNED : 0;
        break;
    case OF_ENTRIES:
        fits = (kind >= FIELD_UINTS && kind <= FIELD_FLOATS) || kind == FIELD_SIZE_2D;
        node->op = kind == FIELD_FLOATS ? EXPR_REALS : node->op;
        break;
    case OF_POINTER:
        fits = field_kinds[kind].is_pointer;
        node->op = tensor && !(field_kinds[kind].is_array && node->value == EXPR_NO_ARRAY) ? EXPR_PRESENT : EXPR_GIVEN;
        break;
    case OF_OPERATOR:
        fits = kind == FIELD_OPERATOR || kind == FIELD_OPERATORS;
        break;
    case OF_MEMBER:
        fits = kind == FIELD_OPERATOR;
        node->value = loader_integer(l, -1, "value") + 1;
        if (node->value < 1 || node->value > OPDESC_NESTED_FIELDS)
            return loader_fail(l, "member_float: expected a member from 0 to %d", OPDESC_NESTED_FIELDS - 1);
        break;
    default:
        fits = kind == FIELD_INPUTS || kind == FIELD_OUTPUTS || kind == FIELD_OPERATORS;
    }
    static const char *const expected[] = {
        [OF_TENSOR] = "a tensor",
        [OF_NUMBER] = "a number",
        [OF_ENTRIES] = "an array of numbers",
        [OF_POINTER] = "a pointer",
        [OF_OPERATOR] = "an operator",
        [OF_MEMBER] = "an operator",
        [OF_ARRAY] = "an array of tensors or operators",
    };
    return fits ? 0 : loader_fail(l, "'%s' is not %s", name, expected[of]);
}

bool loader_is_kind(const struct loader *l, int node, char kind)
{
    if (node < 0)
        return false;
    const struct expr *n = &l->spec->nodes[node];
    bool real = n->op == EXPR_REAL || n->op == EXPR_REALS, scalar = n->op == EXPR_SCALAR;
    if (kind == 'o')
        return scalar || (n->op == EXPR_REAL && n->value == EXPR_NO_ARRAY);
    return kind == 'r' ? real : !real && !scalar && (kind == 'e' || expr_is_list(n) == (kind == 'l'));
}

int loader_add_node(struct loader *l, struct expr node, int16_t *out)
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
        if (!loader_is_kind(l, operands[i], kinds[i]))
            return loader_fail(l, "%s: expected %s", name, kinds[i] == 'l' ? "a list" : "a number");
    if (kinds[0] == 'e' && !loader_is_kind(l, node->a, 'l') && !loader_is_kind(l, node->b, 'l'))
        return loader_fail(l, "%s: expected a list", name);
    return 0;
}

/* The registry has, at the owner's address, a table of the indices. */
int loader_recall(struct loader *l, const void *owner)
{
    int index = -1;
    if (lua_rawgetp(l->L, LUA_REGISTRYINDEX, owner) == LUA_TTABLE) {
        lua_pushvalue(l->L, -2);
        index = lua_rawget(l->L, -2) == LUA_TNUMBER ? (int)lua_tointeger(l->L, -1) : -1;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return index;
}

void loader_remember(struct loader *l, const void *owner, int index)
{
    if (lua_rawgetp(l->L, LUA_REGISTRYINDEX, owner) == LUA_TNIL) {
        lua_pop(l->L, 1);
        lua_newtable(l->L);
        lua_pushvalue(l->L, -1);
        lua_rawsetp(l->L, LUA_REGISTRYINDEX, owner);
    }
    lua_pushvalue(l->L, -2);
    lua_pushinteger(l->L, index);
    lua_rawset(l->L, -3);
    lua_pop(l->L, 1);
}

void loader_forget(struct loader *l, const void *owner)
{
    lua_pushnil(l->L);
    lua_rawsetp(l->L, LUA_REGISTRYINDEX, owner);
}

int compile_expression(struct loader *l, int16_t *out)
{
    struct expr node = {.a = -1, .b = -1, .c = -1};
    size_t i = 0;
    if (!lua_istable(l->L, -1) || !lua_checkstack(l->L, 8))
        return loader_fail(l, "expected an expression");
    if (l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "an expression within more than %d others", LOADER_MAX_DEPTH);
    *out = (int16_t)loader_recall(l, l->spec);
    if (*out >= 0)
        return 0;
    lua_getfield(l->L, -1, "op");
    const char *name = lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    while (i < sizeof operations / sizeof *operations && strcmp(operations[i].name, name) != 0)
        i++;
    int result = 0;
    if (i == sizeof operations / sizeof *operations)
        result = loader_fail(l, "expected an expression");
    lua_pop(l->L, 1);
    if (result)
        return result;
    node.op = (uint8_t)operations[i].op;
    lua_getfield(l->L, -1, "value");
    node.value = lua_tointeger(l->L, -1);
    lua_pop(l->L, 1);
    if (operations[i].of != OF_NOTHING && compile_field(l, (int)operations[i].of, &node))
        return EXIT_HARNESS;
    if (compile_operands(l, operations[i].name, operations[i].operands, &node))
        return EXIT_HARNESS;
    result = loader_add_node(l, node, out);
    if (!result)
        loader_remember(l, l->spec, *out);
    return result;
}
