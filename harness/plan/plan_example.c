/* op:example: worked examples of the documents, and descriptions that a search found. */
#include "harness/plan/plan_internal.h"

#include "harness/base/datatype.h"
#include "harness/describe/field_kind.h"
#include "harness/describe/field_text.h"
#include "harness/check/check.h"
#include "harness/describe/desc_text.h"

#include <stdio.h>
#include <string.h>

static int example_error(lua_State *L, const char *id, const char *what)
{
    lua_pushfstring(L, "example \"%s\": %s", id, what);
    return -1;
}

/* Reads the list at the top of the stack as elements of the type. */
static bool plan_example_read_values(lua_State *L, struct pool *pool, uint32_t type, struct literal *out)
{
    unsigned width = datatype_of(type)->bits;
    size_t count = lua_rawlen(L, -1);
    char *data = pool_alloc(pool, elements_bytes(width, count));
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (lua_isinteger(L, -1))
            datatype_from_integer(type, lua_tointeger(L, -1), &bits);
        else if (lua_isnumber(L, -1))
            datatype_from_double(type, lua_tonumber(L, -1), &bits);
        else
            return false;
        element_put(width, data, i, bits);
        lua_pop(L, 1);
    }
    *out = (struct literal){.data = data, .count = (uint32_t)count};
    return true;
}

/* Reads the strides of the tensor at the top of the stack, if it has any. */
static bool read_strides(lua_State *L, struct opdesc_tensor *t)
{
    lua_getfield(L, -1, "strides");
    t->has_strides = !lua_isnil(L, -1);
    bool good = !t->has_strides || (lua_istable(L, -1) && lua_rawlen(L, -1) == t->dims);
    for (uint32_t i = 0; good && t->has_strides && i < t->dims; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        good = lua_isinteger(L, -1) && lua_tointeger(L, -1) >= 0 && lua_tointeger(L, -1) <= UINT32_MAX;
        t->strides[i] = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return good;
}

/* Reads a tensor, { type, sizes, values, strides = }, at the top of the stack. The values are in row-major order,
 * whatever the strides. Returns the mistake in it, or null. */
static const char *read_tensor(lua_State *L, struct pool *pool, struct opdesc_tensor *t, struct literal *literal)
{
    *t = (struct opdesc_tensor){.present = true, .has_sizes = true, .type = DML_TENSOR_TYPE_BUFFER};
    lua_rawgeti(L, -1, 1);
    const char *word = lua_tostring(L, -1);
    int type = word ? datatype_find(word) : -1;
    if (type <= 0)
        return pool_format(pool, "needs its data type as the first entry, not '%s'", word ? word : "");
    lua_pop(L, 1);
    t->data_type = (uint32_t)type;
    lua_rawgeti(L, -1, 2);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > OPDESC_MAX_DIMENSIONS)
        return "needs its sizes as the second entry";
    t->dims = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t i = 0; i < t->dims; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        t->sizes[i] = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (!read_strides(L, t))
        return "has strides that are not one number for each size";
    t->total = (uint64_t)opdesc_implied(t);
    lua_rawgeti(L, -1, 3);
    bool good = lua_isnil(L, -1) || (lua_istable(L, -1) && plan_example_read_values(L, pool, t->data_type, literal));
    lua_pop(L, 1);
    if (literal->count > opdesc_elements(t))
        return "has more values than elements";
    return good ? NULL : "can have only its values as the third entry";
}

/* Writes the Lua value at the top of the stack as desc_text.h has it; a text stays as it is. */
static void value_text(lua_State *L, struct text_writer *out)
{
    if (lua_isnil(L, -1))
        text_put(out, "null");
    else if (lua_isboolean(L, -1))
        text_put(out, "%d", lua_toboolean(L, -1));
    else if (lua_isinteger(L, -1))
        text_put(out, "%lld", (long long)lua_tointeger(L, -1));
    else if (lua_type(L, -1) == LUA_TNUMBER)
        text_put(out, "%.9g", (double)(float)lua_tonumber(L, -1));
    else if (lua_isstring(L, -1))
        text_put(out, "%s", lua_tostring(L, -1));
    else if (lua_istable(L, -1)) {
        for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, -1); i++) {
            text_put(out, "%s", i > 1 ? "," : "[");
            if (lua_rawgeti(L, -1, i) != LUA_TTABLE)
                value_text(L, out);
            lua_pop(L, 1);
        }
        text_put(out, lua_rawlen(L, -1) ? "]" : "[]");
    }
}

/* Reads a field that is no tensor from the top of the stack: a number, a boolean, a list of numbers, or the text that
 * desc_text.h has for its kind. Returns the mistake in it, or null. */
static const char *read_value(lua_State *L, const struct field_ref *ref)
{
    char text[1024] = "";
    struct text_writer out = {text, sizeof text, 0};
    const char *at = text;
    if (lua_isnil(L, -1) && !ref->fields[ref->at].optional)
        return "is missing";
    value_text(L, &out);
    return out.used < sizeof text && field_kind(ref)->parse(ref, &at) && !*at ? NULL : "does not have such a value";
}

/* Reads a tensor field from the top of the stack; for an array, a list of tensors, whose number is the count. Returns
 * the mistake in it, or null. */
static const char *read_tensors(struct planner *p, lua_State *L, const struct field_ref *ref, struct literal *literals)
{
    const struct spec *spec = &p->specs->specs[p->op];
    const struct spec_field *field = &ref->fields[ref->at];
    bool is_array = field_kind(ref)->is_array;
    int first = spec_item(spec, ref->at), count = is_array ? (int)field_count(ref) : 1;
    if (lua_isnil(L, -1) && field->optional)
        return NULL;
    if (!lua_istable(L, -1))
        return lua_isnil(L, -1) ? "is missing" : "is no tensor";
    if (is_array && (int)lua_rawlen(L, -1) != count)
        return "has another number of tensors than its count says";
    field_give(ref, is_array || field_given(ref));
    for (int i = 0; i < count; i++) {
        struct opdesc_tensor *t = &ref->desc->items[first + i].tensor;
        struct literal *literal = &literals[first + i];
        if (is_array && lua_rawgeti(L, -1, i + 1) != LUA_TTABLE)
            return "is an array, which must be a list of tensors";
        const char *wrong = read_tensor(L, &p->plan->pool, t, literal);
        if (wrong)
            return wrong;
        if (literal->data && ref->at != spec->rows.field && literal->count != opdesc_elements(t))
            return "must have all its values or none";
        if (is_array)
            lua_pop(L, 1);
    }
    return NULL;
}

/* Reads the description: the example's fields, or the line of text in `description`. Returns the mistake in it, or
 * null. */
static const char *read_example(struct planner *p, lua_State *L, int example, struct opdesc *desc,
                                struct literal *literals)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (lua_getfield(L, example, "description") == LUA_TSTRING)
        return desc_text_parse(p->specs, lua_tostring(L, -1), desc, NULL) || desc->op != (unsigned)p->op
                   ? "its description is not one of this operator"
                   : NULL;
    lua_pop(L, 1);
    for (struct field_ref ref = field_ref(spec, desc, 0); ref.at < spec->field_count; ref.at++) {
        lua_getfield(L, example, spec->fields[ref.at].name);
        const char *wrong =
            field_is_tensor(&spec->fields[ref.at]) ? read_tensors(p, L, &ref, literals) : read_value(L, &ref);
        if (wrong)
            return pool_format(&p->plan->pool, "the field %s %s", spec->fields[ref.at].name, wrong);
        lua_pop(L, 1);
    }
    return NULL;
}

/* Returns true if the description breaks no rule, or open rules only, which allow it. */
static bool plan_example_is_allowed(const struct spec *spec, const struct opdesc *desc, int table)
{
    int broken[SPEC_MAX_ATOMS], count = rules_check(spec, desc, spec->levels[table].level, broken, SPEC_MAX_ATOMS);
    bool allowed = true;
    for (int i = 0; i < count && allowed; i++)
        allowed = spec->rules[broken[i]].strength == STRENGTH_OPEN;
    return allowed;
}

/* Chooses the feature level: the first at which an example is allowed, or the last for a rejected one. Returns the
 * mistake in the example, or null. */
static const char *plan_example_choose_level(const struct spec *spec, const struct opdesc *desc, const char *rejected,
                                             struct case_request *request)
{
    int broken[2] = {-1, -1};
    for (int table = 0; !rejected && table < spec->level_count; table++)
        if (plan_example_is_allowed(spec, desc, table)) {
            request->solve.table = table;
            return NULL;
        }
    request->solve.table = spec->level_count - 1;
    int count = rules_check(spec, desc, spec->levels[request->solve.table].level, broken, 2);
    if (!rejected)
        return spec->rules[broken[0]].text;
    request->rule = spec_find_rule(spec, rejected);
    if (request->rule < 0 || count != 1 || broken[0] != request->rule)
        return "it must break the rule that 'rejected' names, and no other";
    return NULL;
}

/* Returns the index in `words` of the text of a member; -1 if the member is absent. Sets `wrong` if the text is not one
 * of them. */
static int plan_example_read_word(lua_State *L, int example, const char *key, const char *const *words,
                                  const char **wrong)
{
    lua_getfield(L, example, key);
    const char *word = lua_tostring(L, -1);
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    *wrong = word ? "its fill or indices are not known" : *wrong;
    return -1;
}

int planner_example(struct planner *p, lua_State *L, int example)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct literal *literals = pool_alloc(&p->plan->pool, OPDESC_MAX_TENSORS * sizeof *literals);
    struct case_request request = {.rule = -1};
    struct opdesc desc;
    char name[CASE_NAME_SIZE];
    spec_blank(spec, &desc);
    solve_request_init(&request.solve);
    lua_getfield(L, example, "id");
    snprintf(request.label, sizeof request.label, "%s", lua_tostring(L, -1) ? lua_tostring(L, -1) : "");
    lua_getfield(L, example, "rejected");
    const char *rejected = lua_tostring(L, -1);
    const char *wrong = read_example(p, L, example, &desc, literals);
    int fill = plan_example_read_word(L, example, "fill", fill_names, &wrong);
    int indices = plan_example_read_word(L, example, "indices", index_fill_names, &wrong);
    request.fill = fill < 0 ? FILL_ORDINARY : (enum fill)fill;
    request.fill_given = fill >= 0;
    request.index_fill = indices < 0 ? INDEX_ANY : (enum index_fill)indices;
    if (!wrong)
        wrong = plan_example_choose_level(spec, &desc, rejected, &request);
    if (wrong)
        return example_error(L, request.label, wrong);
    struct testcase c = planner_make_case(p, &request, &desc);
    planner_default_fill(p, &request, &c);
    c.literals = literals;
    if (rejected) {
        c.expect = EXPECT_REJECTED;
        c.soft = spec->rules[request.rule].strength == STRENGTH_SOFT;
    }
    planner_name(p, &request, &desc, "", name);
    return planner_add(p, L, name, c, &desc);
}
