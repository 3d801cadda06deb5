/* Reads the table that a strategy passes to op:emit into a struct case_request. */
#include "harness/plan/plan_internal.h"

#include "harness/base/datatype.h"
#include "harness/plan/situation.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

int request_table(lua_State *L, const struct planner *p, const char *level)
{
    const struct spec *spec = &p->specs->specs[p->op];
    for (int i = 0; i < spec->level_count; i++)
        if (strcmp(spec->levels[i].name, level) == 0)
            return i;
    return luaL_error(L, "%s has no table of level '%s'", spec->name, level);
}

/* The next four read the value at the top of the stack; `what` names it in the message. They raise a Lua error if the
 * value has another type. */
static const char *text_value(lua_State *L, const char *what)
{
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "%s: expected a text, found a %s", what, luaL_typename(L, -1));
    return lua_tostring(L, -1);
}

static int64_t integer_value(lua_State *L, const char *what, int64_t low, int64_t high)
{
    int64_t value = lua_tointeger(L, -1);
    if (!lua_isinteger(L, -1) || value < low || value > high)
        luaL_error(L, "%s: expected an integer from %I to %I", what, (LUAI_UACINT)low, (LUAI_UACINT)high);
    return value;
}

static bool boolean_value(lua_State *L, const char *what)
{
    if (!lua_isboolean(L, -1))
        luaL_error(L, "%s: expected true or false, found a %s", what, luaL_typename(L, -1));
    return lua_toboolean(L, -1);
}

static int choice(lua_State *L, const char *what, const char *const names[])
{
    const char *name = text_value(L, what);
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return luaL_error(L, "%s: '%s' is not known", what, name);
}

/* Calls `read` for each entry of the table at the top of the stack, with the entry's value at the top. */
static void each_entry(lua_State *L, const struct planner *p, struct case_request *request, const char *what,
                       void (*read)(lua_State *L, const struct planner *p, struct case_request *request,
                                    const char *key))
{
    if (!lua_istable(L, -1))
        luaL_error(L, "%s: expected a table", what);
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            luaL_error(L, "%s: expected names and values", what);
        read(L, p, request, lua_tostring(L, -2));
        lua_pop(L, 1);
    }
}

static void request_type(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int g = 0;
    while (g < spec->group_count && strcmp(spec->groups[g], key) != 0)
        g++;
    if (g == spec->group_count)
        luaL_error(L, "types: %s has no group '%s'", spec->name, key);
    request->solve.types[g] = datatype_find(text_value(L, "types"));
    if (request->solve.types[g] <= 0)
        luaL_error(L, "types: '%s' is not a data type", lua_tostring(L, -1));
}

static void request_parameter(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int i = 0;
    while (i < spec->parameter_count && strcmp(spec->parameters[i].name, key) != 0)
        i++;
    if (i == spec->parameter_count)
        luaL_error(L, "parameters: %s has no '%s'", spec->name, key);
    request->solve.parameters[i] = integer_value(L, "parameters", 0, UINT32_MAX);
}

/* Returns the index of a tensor of the operator. `what` is the member of the request that names it. */
static int plan_request_tensor_of(lua_State *L, const struct planner *p, const char *what, const char *name)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int field = spec_find_field(spec, name);
    if (field < 0 || !field_is_tensor(&spec->fields[field]))
        return luaL_error(L, "%s: %s has no tensor '%s'", what, spec->name, name);
    return field;
}

static void request_stride(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    request->solve.strides[plan_request_tensor_of(L, p, "strides", key)] = (uint8_t)choice(L, "strides", stride_names);
}

/* An entry of size = { tensor = NAME, from_last = N, size = N }. */
static void request_size(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    if (strcmp(key, "from_last") == 0) {
        request->solve.fixed.from_last =
            (int)integer_value(L, "size: from_last", 0, DML_TENSOR_DIMENSION_COUNT_MAX1 - 1);
    } else if (strcmp(key, "size") == 0) {
        request->solve.fixed.size = (uint32_t)integer_value(L, "size: size", 1, UINT32_MAX);
    } else if (strcmp(key, "elements") == 0) {
        request->solve.fixed.elements = integer_value(L, "size: elements", 1, UINT32_MAX);
    } else if (strcmp(key, "beside") == 0) {
        request->solve.fixed.beside = (uint32_t)integer_value(L, "size: beside", 1, UINT32_MAX);
    } else if (strcmp(key, "shown") == 0) {
        request->solve.fixed.shown = plan_request_tensor_of(L, p, "size: shown", text_value(L, "size: shown"));
    } else if (strcmp(key, "tensor") == 0) {
        request->solve.fixed.field = plan_request_tensor_of(L, p, "size", text_value(L, "size: tensor"));
    } else {
        luaL_error(L, "size: '%s' is not known; known: tensor from_last size beside elements shown", key);
    }
}

/* Entries NAME = N of slack, apart, least and most. */
static void request_slack(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    request->solve.slack[plan_request_tensor_of(L, p, "slack", key)] =
        (uint32_t)integer_value(L, "slack", 0, UINT32_MAX);
}

static void request_apart(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    request->solve.apart[plan_request_tensor_of(L, p, "apart", key)] =
        (uint32_t)integer_value(L, "apart", 1, UINT32_MAX);
}

static void request_least(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    request->solve.least[plan_request_tensor_of(L, p, "least", key)] = integer_value(L, "least", 1, UINT32_MAX);
}

static void request_most(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    request->solve.most[plan_request_tensor_of(L, p, "most", key)] = integer_value(L, "most", 1, UINT32_MAX);
}

/* An entry of leading = { tensor = NAME, ones = N }. */
static void request_leading(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    if (strcmp(key, "ones") == 0) {
        request->solve.leading.ones = (int)integer_value(L, "leading: ones", 0, DML_TENSOR_DIMENSION_COUNT_MAX1);
    } else if (strcmp(key, "tensor") == 0) {
        request->solve.leading.field = plan_request_tensor_of(L, p, "leading", text_value(L, "leading: tensor"));
    } else {
        luaL_error(L, "leading: '%s' is not known; known: tensor ones", key);
    }
}

/* An entry NAME = CONSTANT of attributes. */
static void request_attribute(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int field = spec_find_field(spec, key);
    const char *name = text_value(L, "attributes");
    if (field < 0 || spec->fields[field].kind != FIELD_ENUM)
        luaL_error(L, "attributes: %s has no enumeration '%s'", spec->name, key);
    if (!spec_constant_find(spec->fields[field].constants, name, &request->solve.constants[field]))
        luaL_error(L, "attributes: %s has no constant '%s'", key, name);
    request->solve.constant_fields |= 1u << field;
}

/* An entry INPUT = OUTPUT of in_place. */
static void request_in_place(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    int input = plan_request_tensor_of(L, p, "in_place", key),
        output = plan_request_tensor_of(L, p, "in_place", text_value(L, "in_place"));
    const struct spec_field *fields = p->specs->specs[p->op].fields;
    if (!field_is_input(&fields[input]) || !field_is_output(&fields[output]))
        luaL_error(L, "in_place: expected { INPUT = OUTPUT }");
    request->in_place[input] = (uint8_t)(output + 1);
}

/* An entry of op.limits. */
static void request_limit(lua_State *L, const struct planner *p, struct case_request *request)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (!lua_istable(L, -1))
        luaL_error(L, "limit: expected one of op.limits");
    lua_getfield(L, -1, "high");
    request->solve.limit_high = lua_toboolean(L, -1);
    lua_pop(L, 1);
    lua_getfield(L, -1, "atom");
    request->solve.limit_atom = (int)integer_value(L, "limit: atom", 0, spec->atom_count - 1);
    lua_pop(L, 1);
    if (spec->atoms[request->solve.limit_atom].kind != ATOM_BETWEEN)
        luaL_error(L, "limit: expected one of op.limits");
}

static void request_rule(lua_State *L, const struct planner *p, struct case_request *request)
{
    request->rule = spec_find_rule(&p->specs->specs[p->op], text_value(L, "tests"));
    if (request->rule < 0)
        luaL_error(L, "tests: %s has no rule or behaviour '%s'", p->specs->specs[p->op].name, lua_tostring(L, -1));
}

static void plan_request_situation(lua_State *L, const struct planner *p, struct case_request *request)
{
    const struct spec *spec = &p->specs->specs[p->op];
    int at = spec_find_situation(spec, text_value(L, "situation"));
    if (at < 0)
        luaL_error(L, "situation: %s has no situation '%s'", spec->name, lua_tostring(L, -1));
    request->situation = &spec->situations[at];
    situation_request(request->situation, &request->solve);
}

/* One entry of a request, with its value at the top of the stack. */
static void request_entry(lua_State *L, const struct planner *p, struct case_request *request, const char *key)
{
    if (strcmp(key, "label") == 0)
        snprintf(request->label, sizeof request->label, "%s", text_value(L, key));
    else if (strcmp(key, "level") == 0)
        request->solve.table = request_table(L, p, text_value(L, key));
    else if (strcmp(key, "types") == 0)
        each_entry(L, p, request, key, request_type);
    else if (strcmp(key, "parameters") == 0)
        each_entry(L, p, request, key, request_parameter);
    else if (strcmp(key, "attributes") == 0)
        each_entry(L, p, request, key, request_attribute);
    else if (strcmp(key, "strides") == 0)
        each_entry(L, p, request, key, request_stride);
    else if (strcmp(key, "size") == 0) {
        each_entry(L, p, request, key, request_size);
        if (request->solve.fixed.field < 0 || (request->solve.fixed.size == 0) == (request->solve.fixed.elements == 0))
            luaL_error(L, "size: expected { tensor = NAME, from_last = N, size = N } or elements = N instead of size");
    } else if (strcmp(key, "leading") == 0) {
        each_entry(L, p, request, key, request_leading);
        if (request->solve.leading.field < 0)
            luaL_error(L, "leading: expected { tensor = NAME, ones = N }");
    } else if (strcmp(key, "limit") == 0)
        request_limit(L, p, request);
    else if (strcmp(key, "tests") == 0)
        request_rule(L, p, request);
    else if (strcmp(key, "situation") == 0)
        plan_request_situation(L, p, request);
    else if (strcmp(key, "fill") == 0) {
        request->fill = (enum fill)choice(L, key, fill_names);
        request->fill_given = true;
    } else if (strcmp(key, "indices") == 0)
        request->index_fill = (enum index_fill)choice(L, key, index_fill_names);
    else if (strcmp(key, "slack") == 0 && lua_istable(L, -1))
        each_entry(L, p, request, key, request_slack);
    else if (strcmp(key, "slack") == 0)
        for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
            request->solve.slack[i] = (uint32_t)integer_value(L, key, 0, UINT32_MAX);
    else if (strcmp(key, "apart") == 0)
        each_entry(L, p, request, key, request_apart);
    else if (strcmp(key, "idle") == 0)
        request->solve.idle = (uint32_t)integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "least") == 0)
        each_entry(L, p, request, key, request_least);
    else if (strcmp(key, "most") == 0)
        each_entry(L, p, request, key, request_most);
    else if (strcmp(key, "bytes") == 0)
        request->solve.max_bytes = integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "alignment") == 0)
        request->solve.alignment = (uint32_t)integer_value(L, key, 0, UINT32_MAX);
    else if (strcmp(key, "shared_tuples") == 0)
        request->solve.shared_tuples = boolean_value(L, key);
    else if (strcmp(key, "owned") == 0)
        request->solve.owned = boolean_value(L, key);
    else if (strcmp(key, "in_place") == 0)
        each_entry(L, p, request, key, request_in_place);
    else if (strcmp(key, "again") == 0)
        request->dispatch_twice = boolean_value(L, key);
    else if (strcmp(key, "one_memory") == 0)
        request->one_memory = boolean_value(L, key);
    else if (strcmp(key, "grows") == 0)
        request->grows = boolean_value(L, key);
    else if (strcmp(key, "tries") == 0)
        request->solve.tries = (int)integer_value(L, key, 1, 100000);
    else if (strcmp(key, "largest") == 0)
        request->solve.largest = (uint32_t)integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "slice") == 0)
        request->solve.slice = integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "room") == 0)
        request->solve.room = integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "elements") == 0)
        request->solve.max_elements = integer_value(L, key, 1, UINT32_MAX);
    else if (strcmp(key, "work") == 0)
        request->solve.max_work = integer_value(L, key, 1, INT64_MAX);
    else
        luaL_error(
            L,
            "a case has no '%s'; known: label level types parameters attributes strides size leading limit tests "
            "situation fill indices slack apart idle least most bytes shared_tuples alignment owned in_place "
            "one_memory again grows largest room slice elements work tries",
            key);
}

void request_read(lua_State *L, const struct planner *p, struct case_request *request)
{
    *request = (struct case_request){.rule = -1};
    solve_request_init(&request->solve);
    lua_settop(L, 2);
    each_entry(L, p, request, "a case", request_entry);
}
