/* load_catalogue.c: compiles the table of specs/catalogue.lua. */
#include "harness/base/dml_names.h"
#include "harness/describe/field_kind.h"
#include "harness/load/load_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of reading one catalogue. */
struct reader {
    struct catalogue *out;
    lua_State *L;
    struct pool *pool;
    const char *file;
    struct error *error;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *r, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(r->error, EXIT_HARNESS, "%s: %s", r->file, text);
}

/* Returns the text in field `key` of the table at the top of the stack, null if there is none. It is valid as long as
 * the table. */
static const char *text_in(lua_State *L, const char *key)
{
    const char *text = lua_getfield(L, -1, key) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

/* Does the same for entry `at`. */
static const char *text_at(lua_State *L, int at)
{
    const char *text = lua_rawgeti(L, -1, at) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1);
    return text;
}

/* ---- enumerations */

static int load_catalogue_by_name(const void *a, const void *b)
{
    return strcmp(((const struct spec_enum *)a)->name, ((const struct spec_enum *)b)->name);
}

/* Reads the constants at the top of the stack. */
static int load_catalogue_read_enum(struct reader *r, struct spec_enum *out)
{
    size_t count = lua_istable(r->L, -1) ? lua_rawlen(r->L, -1) : 0;
    out->constants = pool_alloc(r->pool, (count + 1) * sizeof *out->constants);
    for (size_t i = 0; i < count; i++) {
        struct spec_constant *constant = &out->constants[i];
        if (lua_rawgeti(r->L, -1, (lua_Integer)i + 1) != LUA_TTABLE || !text_at(r->L, 1))
            return wrong(r, "%s: expected { \"NAME\", value }", out->name);
        constant->name = pool_string(r->pool, text_at(r->L, 1));
        lua_rawgeti(r->L, -1, 2);
        constant->value = (uint32_t)lua_tointeger(r->L, -1);
        lua_pop(r->L, 1);
        const char *from = text_in(r->L, "from");
        constant->from = from ? level_find(from) : 0;
        if (from && !constant->from)
            return wrong(r, "%s: '%s' is not a feature level", out->name, from);
        out->count++;
        lua_pop(r->L, 1);
    }
    return count ? 0 : wrong(r, "%s: expected constants", out->name);
}

static int read_enums(struct reader *r)
{
    size_t capacity = 0;
    int top = lua_gettop(r->L);
    lua_getfield(r->L, -1, "enums");
    if (!lua_istable(r->L, -1))
        lua_newtable(r->L);
    for (lua_pushnil(r->L); lua_next(r->L, -2); lua_pop(r->L, 1))
        capacity++;
    r->out->enums = pool_alloc(r->pool, (capacity + 1) * sizeof *r->out->enums);
    for (lua_pushnil(r->L); lua_next(r->L, -2); lua_pop(r->L, 1)) {
        struct spec_enum *one = &r->out->enums[r->out->enum_count++];
        if (lua_type(r->L, -2) != LUA_TSTRING)
            return wrong(r, "enums: expected names");
        one->name = pool_string(r->pool, lua_tostring(r->L, -2));
        if (load_catalogue_read_enum(r, one))
            return EXIT_HARNESS;
    }
    qsort(r->out->enums, (size_t)r->out->enum_count, sizeof *r->out->enums, load_catalogue_by_name);
    lua_settop(r->L, top);
    return 0;
}

/* ---- operators */

/* Counts the levels in `levels` of the table at the top of the stack: successive entries may be tables of one level. */
static int count_levels(lua_State *L)
{
    int count = 0;
    const char *last = "";
    bool is_table = lua_getfield(L, -1, "levels") == LUA_TTABLE;
    for (size_t i = 1; is_table && i <= lua_rawlen(L, -1); i++) {
        const char *level = "";
        if (lua_rawgeti(L, -1, (lua_Integer)i) == LUA_TTABLE)
            level = text_at(L, 1) ? text_at(L, 1) : "";
        count += *level && strcmp(level, last) != 0;
        last = *level ? level : last;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return count;
}

/* Returns the index of the field named in `key` of the table at the top of the stack; -1: there is no key; -2: no such
 * field comes before. */
static int field_in(struct reader *r, const struct spec_layout *layout, const char *key)
{
    const char *name = text_in(r->L, key);
    for (int i = 0; name && i < layout->field_count; i++)
        if (strcmp(layout->fields[i].name, name) == 0)
            return i;
    return name ? -2 : -1;
}

static DML_FEATURE_LEVEL optional_of(lua_State *L)
{
    DML_FEATURE_LEVEL level = 0;
    if (lua_getfield(L, -1, "optional") == LUA_TSTRING)
        level = level_find(lua_tostring(L, -1));
    else if (lua_toboolean(L, -1))
        level = DML_FEATURE_LEVEL_1_0;
    lua_pop(L, 1);
    return level;
}

/* Reads the field at the top of the stack; `end` is the end of the previous member. */
static int load_catalogue_read_field(struct reader *r, struct spec_layout *layout, size_t *end)
{
    struct spec_field *field = &layout->fields[layout->field_count];
    const char *kind = lua_istable(r->L, -1) ? text_at(r->L, 1) : NULL, *name = kind ? text_at(r->L, 2) : NULL;
    if (!name)
        return wrong(r, "%s: expected fields { \"kind\", \"name\" }", layout->name);
    field->name = pool_string(r->pool, name);
    while (field->kind < FIELD_KINDS && strcmp(field_kinds[field->kind].word, kind) != 0)
        field->kind++;
    if (field->kind == FIELD_KINDS)
        return wrong(r, "%s: %s: '%s' is not a kind of field", layout->name, field->name, kind);
    const struct field_kind_traits *traits = &field_kinds[field->kind];
    field->optional = optional_of(r->L);
    field->count_field = (int16_t)field_in(r, layout, "count");
    field->typed_by = (int16_t)field_in(r, layout, "typed_by");
    const struct spec_enum wanted = {.name = text_in(r->L, "type")};
    if (wanted.name)
        field->constants =
            bsearch(&wanted, r->out->enums, (size_t)r->out->enum_count, sizeof *r->out->enums, load_catalogue_by_name);
    const char *needs = NULL;
    if (traits->is_array ? field->count_field < 0 || layout->fields[field->count_field].kind != FIELD_UINT
                         : field->count_field != -1)
        needs = traits->is_array ? "the count of elements, a uint field before it" : "no count";
    else if (field->kind == FIELD_SCALAR ? field->typed_by < 0 || layout->fields[field->typed_by].kind != FIELD_ENUM
                                         : field->typed_by != -1)
        needs = field->kind == FIELD_SCALAR ? "typed_by, an enum field before it" : "no typed_by";
    else if ((field->kind == FIELD_ENUM) != (field->constants != NULL))
        needs = field->kind == FIELD_ENUM ? "a type that is in enums" : "no type";
    if (needs)
        return wrong(r, "%s: %s: a field of kind %s needs %s", layout->name, field->name, kind, needs);
    field->offset = field_place(field->kind, end);
    layout->field_count++;
    return 0;
}

/* Returns "GATHER" for "DML_GATHER_OPERATOR_DESC". */
static const char *struct_name(struct reader *r, const char *name)
{
    static const char begin[] = "DML_", end[] = "_OPERATOR_DESC";
    size_t length = strlen(name), edges = strlen(begin) + strlen(end);
    return length > edges ? pool_format(r->pool, "%.*s", (int)(length - edges), name + strlen(begin)) : "";
}

/* Adds an input that may have the memory of an output. */
static int add_in_place(struct reader *r, struct catalogue_entry *op, const char *name)
{
    int field = 0;
    while (field < op->layout.field_count && (!name || strcmp(op->layout.fields[field].name, name) != 0))
        field++;
    if (field == op->layout.field_count || !field_is_input(&op->layout.fields[field]))
        return wrong(r, "%s: in_place: no input is named '%s'", op->layout.name, name ? name : "");
    op->in_place |= 1u << field;
    return 0;
}

/* Reads `in_place` of the operator at the top of the stack: true, "several" or names of inputs; "open" means none. */
static int load_catalogue_read_in_place(struct reader *r, struct catalogue_entry *op)
{
    int type = lua_getfield(r->L, -1, "in_place"), result = 0;
    const char *word = type == LUA_TSTRING ? lua_tostring(r->L, -1) : "";
    op->in_place_together = strcmp(word, "several") == 0;
    if (type == LUA_TBOOLEAN || op->in_place_together)
        for (int i = 0; i < op->layout.field_count; i++)
            op->in_place |= field_is_input(&op->layout.fields[i]) ? 1u << i : 0;
    else if (type == LUA_TTABLE)
        for (lua_Integer i = 1; result == 0 && i <= (lua_Integer)lua_rawlen(r->L, -1); i++) {
            lua_rawgeti(r->L, -1, i);
            result = add_in_place(r, op, lua_tostring(r->L, -1));
            lua_pop(r->L, 1);
        }
    else if (type != LUA_TNIL && strcmp(word, "open") != 0)
        result = wrong(r, "%s: in_place: expected true, \"several\", \"open\" or names of inputs", op->layout.name);
    lua_pop(r->L, 1);
    return result;
}

/* Reads the operator at the top of the stack. */
static int load_catalogue_read_operator(struct reader *r)
{
    struct catalogue_entry *op = &r->out->operators[r->out->count];
    struct spec_layout *layout = &op->layout;
    const char *name = text_in(r->L, "name"), *since = text_in(r->L, "since"), *desc = text_in(r->L, "struct"),
               *page_since = text_in(r->L, "page_since");
    size_t end = 0;
    if (!name || !since)
        return wrong(r, "operator %d: expected { name = \"…\", since = \"1_0\", … }", r->out->count + 1);
    layout->name = pool_string(r->pool, name);
    layout->struct_name = desc ? struct_name(r, desc) : layout->name;
    layout->type = dml_operator_find(name);
    layout->since = level_find(since);
    op->level_count = count_levels(r->L);
    op->page_since = page_since ? level_find(page_since) : 0;
    if ((int)layout->type != r->out->count + 1 || !layout->since || op->level_count == 0)
        return wrong(r, "%s: expected operator %d, with a level that introduced it and levels", name,
                     r->out->count + 1);
    size_t count = lua_getfield(r->L, -1, "fields") == LUA_TTABLE ? lua_rawlen(r->L, -1) : 0;
    if (count == 0 || count > OPDESC_MAX_FIELDS)
        return wrong(r, "%s: expected 1 to %d fields, found %zu", name, OPDESC_MAX_FIELDS, count);
    layout->fields = pool_alloc(r->pool, count * sizeof *layout->fields);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(r->L, -1, (lua_Integer)i + 1);
        if (load_catalogue_read_field(r, layout, &end))
            return EXIT_HARNESS;
        lua_pop(r->L, 1);
    }
    lua_pop(r->L, 1);
    if (load_catalogue_read_in_place(r, op))
        return EXIT_HARNESS;
    r->out->count++;
    return 0;
}

int compile_catalogue(struct loader *l, const char *file)
{
    struct catalogue *out = l->set->catalogue = pool_alloc(&l->set->pool, sizeof *out);
    struct reader r = {out, l->L, &l->set->pool, file, l->error};
    lua_State *L = l->L;
    if (!lua_istable(L, -1) || lua_getfield(L, -1, "operators") != LUA_TTABLE)
        return wrong(&r, "expected { operators = { { name = \"…\", since = \"1_0\", fields = { … } }, … } }");
    size_t count = lua_rawlen(L, -1);
    lua_pop(L, 1);
    if (read_enums(&r))
        return EXIT_HARNESS;
    lua_getfield(L, -1, "operators");
    out->operators = pool_alloc(r.pool, (count + 1) * sizeof *out->operators);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (!lua_istable(L, -1))
            return wrong(&r, "operator %zu: expected a table", i + 1);
        if (load_catalogue_read_operator(&r))
            return EXIT_HARNESS;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return 0;
}
