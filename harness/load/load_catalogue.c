/* load_catalogue.c: compiles the table of specs/catalogue.lua, and the structs of one's own that spec files add. */
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
    const char *file; /* before messages; of a struct of one's own, with the line */
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
        lua_Integer value = lua_isinteger(r->L, -1) ? lua_tointeger(r->L, -1) : -1;
        if (value < 0 || value > CATALOGUE_MAX_CONSTANT)
            return wrong(r, "%s: %s: expected a value from 0 to %d", out->name, constant->name, CATALOGUE_MAX_CONSTANT);
        constant->value = (uint32_t)value;
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

/* Reads `optional` of the field at the top of the stack: a level, or true. Returns false if it is neither. */
static bool read_optional(lua_State *L, DML_FEATURE_LEVEL *out)
{
    int type = lua_getfield(L, -1, "optional");
    bool is_given = lua_toboolean(L, -1);
    *out = is_given ? DML_FEATURE_LEVEL_1_0 : 0;
    if (type == LUA_TSTRING)
        *out = level_find(lua_tostring(L, -1));
    lua_pop(L, 1);
    return !is_given || *out;
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
    else if (!read_optional(r->L, &field->optional) || (field->optional && !traits->is_pointer))
        needs = traits->is_pointer ? "as optional true or a feature level" : "no optional, since it is no pointer";
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

/* Reads the fields, and `in_place`, of the operator at the top of the stack. */
static int read_struct_members(struct reader *r, struct catalogue_entry *op)
{
    struct spec_layout *layout = &op->layout;
    size_t end = 0, count = lua_getfield(r->L, -1, "fields") == LUA_TTABLE ? lua_rawlen(r->L, -1) : 0;
    if (count == 0 || count > OPDESC_MAX_FIELDS)
        return wrong(r, "%s: expected 1 to %d fields, found %zu", layout->name, OPDESC_MAX_FIELDS, count);
    layout->fields = pool_alloc(r->pool, count * sizeof *layout->fields);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(r->L, -1, (lua_Integer)i + 1);
        if (load_catalogue_read_field(r, layout, &end))
            return EXIT_HARNESS;
        lua_pop(r->L, 1);
    }
    lua_pop(r->L, 1);
    return load_catalogue_read_in_place(r, op);
}

/* Reads the operator at the top of the stack. */
static int load_catalogue_read_operator(struct reader *r)
{
    struct catalogue_entry *op = &r->out->operators[r->out->count];
    struct spec_layout *layout = &op->layout;
    const char *name = text_in(r->L, "name"), *since = text_in(r->L, "since"), *desc = text_in(r->L, "struct"),
               *page_since = text_in(r->L, "page_since");
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
    if (read_struct_members(r, op))
        return EXIT_HARNESS;
    r->out->documented = ++r->out->count;
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

/* ---- operators of one's own */

/* Adds the enumerations of the struct at the top of the stack. The array moves, so fields get its new addresses. */
static int add_own_enums(struct reader *r)
{
    const struct spec_enum *old = r->out->enums;
    int old_count = r->out->enum_count;
    if (lua_getfield(r->L, -1, "enums") == LUA_TNIL) {
        lua_pop(r->L, 1);
        return 0;
    }
    lua_pop(r->L, 1);
    r->out->enum_count = 0;
    if (read_enums(r))
        return EXIT_HARNESS;
    const struct spec_enum *added = r->out->enums;
    int added_count = r->out->enum_count;
    for (int i = 0; i < added_count; i++) {
        bool good = catalogue_is_name(added[i].name, false) && strncmp(added[i].name, "DML_", 4) != 0;
        for (int c = 0; c < added[i].count; c++)
            good &= catalogue_is_name(added[i].constants[c].name, false);
        if (!good)
            return wrong(r, "enums: %s: expected names in C, without DML_", added[i].name);
    }
    r->out->enums = pool_alloc(r->pool, (size_t)(old_count + added_count + 1) * sizeof *old);
    memcpy(r->out->enums, old, (size_t)old_count * sizeof *old);
    memcpy(r->out->enums + old_count, added, (size_t)added_count * sizeof *added);
    r->out->enum_count = old_count + added_count;
    qsort(r->out->enums, (size_t)r->out->enum_count, sizeof *r->out->enums, load_catalogue_by_name);
    for (int i = 1; i < r->out->enum_count; i++)
        if (strcmp(r->out->enums[i - 1].name, r->out->enums[i].name) == 0)
            return wrong(r, "enums: %s is there already", r->out->enums[i].name);
    for (int i = 0; i < r->out->count; i++)
        for (int f = 0; f < r->out->operators[i].layout.field_count; f++) {
            struct spec_field *field = &r->out->operators[i].layout.fields[f];
            if (field->constants)
                field->constants = bsearch(field->constants, r->out->enums, (size_t)r->out->enum_count,
                                           sizeof *r->out->enums, load_catalogue_by_name);
        }
    return 0;
}

/* Checks the number and the name of an operator of one's own. */
static int check_identity(struct reader *r, const char *name, lua_Integer number)
{
    if (!catalogue_is_name(name, true) || strncmp(name, "DML_", 4) == 0)
        return wrong(r, "%s: expected a name in capital letters, without DML_", name);
    if (dml_operator_find(name) != DML_OPERATOR_INVALID)
        return wrong(r, "%s: the name is that of a documented operator", name);
    if (strcmp(name, "INTERFACE") == 0 || catalogue_named(r->out, name))
        return wrong(r, "%s: the name is taken", name);
    if (number < CATALOGUE_OWN || number > CATALOGUE_OWN_LAST)
        return wrong(r, "%s: number: expected %d to %d: lower ones are DirectML's", name, CATALOGUE_OWN,
                     CATALOGUE_OWN_LAST);
    const struct catalogue_entry *other = catalogue_entry(r->out, (uint32_t)number);
    if (other)
        return wrong(r, "%s: number: %s has %d", name, other->layout.name, (int)number);
    if (r->out->count - r->out->documented >= CATALOGUE_MAX_OWN)
        return wrong(r, "%s: more than %d operators of one's own", name, CATALOGUE_MAX_OWN);
    return 0;
}

/* Checks that the levels of the struct at the top of the stack are feature levels and ascend. */
static int check_own_levels(struct reader *r, const struct spec_layout *layout)
{
    DML_FEATURE_LEVEL before = 0;
    size_t count = lua_getfield(r->L, -1, "levels") == LUA_TTABLE ? lua_rawlen(r->L, -1) : 0;
    for (size_t i = 1; i <= count; i++) {
        const char *name = lua_rawgeti(r->L, -1, (lua_Integer)i) == LUA_TTABLE ? text_at(r->L, 1) : NULL;
        DML_FEATURE_LEVEL level = name ? level_find(name) : 0;
        if (!level || level < before)
            return wrong(r, "%s: levels: expected feature levels such as \"1_0\", ascending", layout->name);
        before = level;
        lua_pop(r->L, 1);
    }
    lua_pop(r->L, 1);
    return count ? 0 : wrong(r, "%s: levels: expected { { \"1_0\", TENSOR = { types, count }, … }, … }", layout->name);
}

/* Checks that names of members are identifiers, all different, and that there is an output. */
static int check_own_members(struct reader *r, const struct spec_layout *layout)
{
    bool has_output = false;
    for (int i = 0; i < layout->field_count; i++) {
        if (!catalogue_is_name(layout->fields[i].name, false))
            return wrong(r, "%s: fields: '%s' is not a name of a member in C", layout->name, layout->fields[i].name);
        for (int j = 0; j < i; j++)
            if (strcmp(layout->fields[j].name, layout->fields[i].name) == 0)
                return wrong(r, "%s: fields: %s occurs twice", layout->name, layout->fields[i].name);
        has_output |= field_is_output(&layout->fields[i]);
    }
    return has_output ? 0 : wrong(r, "%s: fields: expected an output", layout->name);
}

/* Puts an entry among those of one's own, by its number. */
static void insert_own(struct reader *r, const struct catalogue_entry *entry)
{
    struct catalogue *out = r->out;
    int at = out->count, own = out->count - out->documented;
    if ((own & (own - 1)) == 0) { /* the array is full: the next one has room for twice as many */
        struct catalogue_entry *more = pool_alloc(r->pool, (size_t)(out->count + own + 1) * sizeof *more);
        memcpy(more, out->operators, (size_t)out->count * sizeof *more);
        out->operators = more;
    }
    while (at > out->documented && out->operators[at - 1].layout.type > entry->layout.type)
        at--;
    memmove(&out->operators[at + 1], &out->operators[at], (size_t)(out->count - at) * sizeof *out->operators);
    out->operators[at] = *entry;
    out->count++;
}

static int compile_own(struct reader *r)
{
    struct catalogue_entry entry = {0};
    const char *name = text_in(r->L, "name");
    lua_getfield(r->L, -1, "number");
    lua_Integer number = lua_isinteger(r->L, -1) ? lua_tointeger(r->L, -1) : 0;
    lua_pop(r->L, 1);
    if (check_identity(r, name ? name : "", number) || add_own_enums(r))
        return EXIT_HARNESS;
    entry.layout.name = entry.layout.struct_name = pool_string(r->pool, name);
    entry.layout.type = (DML_OPERATOR_TYPE)number;
    if (read_struct_members(r, &entry) || check_own_members(r, &entry.layout) || check_own_levels(r, &entry.layout))
        return EXIT_HARNESS;
    entry.level_count = count_levels(r->L);
    lua_getfield(r->L, -1, "levels");
    lua_rawgeti(r->L, -1, 1);
    entry.layout.since = level_find(text_at(r->L, 1));
    lua_pop(r->L, 2);
    insert_own(r, &entry);
    return 0;
}

/* add_struct(struct, where): adds a struct to the catalogue. Returns a message if something is wrong with it. */
static int add_struct(lua_State *L)
{
    struct error error = {0};
    const char *where = lua_tostring(L, 2);
    lua_getfield(L, LUA_REGISTRYINDEX, "assay.loader");
    struct loader *l = lua_touserdata(L, -1);
    if (!l || !where || !lua_istable(L, 1)) {
        lua_pushstring(L, "struct: expected a table, while the specs are read");
        return 1;
    }
    struct reader r = {l->set->catalogue, L, &l->set->pool, where, &error};
    lua_pushvalue(L, 1);
    if (compile_own(&r) == 0)
        return 0;
    lua_pushstring(L, error.text);
    return 1;
}

void loader_open_structs(struct loader *l)
{
    lua_pushlightuserdata(l->L, l);
    lua_setfield(l->L, LUA_REGISTRYINDEX, "assay.loader");
    lua_pushcfunction(l->L, add_struct);
}

void loader_close_structs(struct loader *l)
{
    lua_pushnil(l->L);
    lua_setfield(l->L, LUA_REGISTRYINDEX, "assay.loader");
}
