#include "harness/base/datatype.h"
#include "harness/spec/field_kind.h"
#include "harness/spec/load_internal.h"

#include <string.h>

static int group_of(struct loader *l, const char *name)
{
    for (int i = 0; i < l->spec->group_count; i++)
        if (strcmp(l->spec->groups[i], name) == 0)
            return i;
    if (l->spec->group_count == SPEC_MAX_GROUPS)
        return -1;
    l->spec->groups[l->spec->group_count] = name;
    return l->spec->group_count++;
}

int compile_fields(struct loader *l, int op)
{
    struct spec *spec = l->spec;
    lua_getfield(l->L, op, "fields");
    size_t count = lua_rawlen(l->L, -1);
    if (count == 0 || count > OPDESC_MAX_FIELDS)
        return loader_fail(l, "expected 1 to %d fields, found %zu", OPDESC_MAX_FIELDS, count);
    spec->fields = pool_alloc(&l->set->pool, count * sizeof *spec->fields);
    for (size_t i = 0; i < count; i++) {
        struct spec_field *field = &spec->fields[i];
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        const char *kind = loader_text(l, -1, "field_kind"), *group = loader_text(l, -1, "group");
        l->line = loader_integer(l, -1, "line");
        field->name = loader_text(l, -1, "name");
        lua_pop(l->L, 1);
        while (field->kind < FIELD_KINDS && strcmp(field_kinds[field->kind].word, kind) != 0)
            field->kind++;
        if (field->kind == FIELD_KINDS)
            return loader_fail(l, "field '%s': '%s' is not a kind of field", field->name, kind);
        if (spec_find_field(spec, field->name) >= 0)
            return loader_fail(l, "field '%s' occurs twice", field->name);
        spec->field_count++;
        spec->input_count += field_is_input(field);
        spec->output_count += field_is_output(field);
        if (field_is_tensor(field) == !*group)
            return loader_fail(l, "field '%s': %s", field->name,
                               *group ? "an attribute has no type group"
                                      : "expected a type group, as in input(\"A\", \"data\")");
        if (*group && (field->group = group_of(l, group)) < 0)
            return loader_fail(l, "more than %d type groups", SPEC_MAX_GROUPS);
    }
    lua_pop(l->L, 1);
    struct opdesc blank;
    const char *wrong = spec_lay_out(spec, &blank);
    if (wrong)
        return loader_fail(l, "%s", wrong);
    spec->blank = pool_copy(&l->set->pool, &blank, blank.size);
    return 0;
}

/* Compiles the list of data type names at the top of the stack. */
static int compile_types(struct loader *l, const char *group, uint32_t *out)
{
    *out = 0;
    for (size_t i = 1; i <= lua_rawlen(l->L, -1); i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i);
        const char *name = lua_tostring(l->L, -1);
        int type = name ? datatype_find(name) : -1;
        if (type <= 0)
            return loader_fail(l, "%s: '%s' is not a data type", group, name ? name : "(not a string)");
        *out |= 1u << type;
        lua_pop(l->L, 1);
    }
    return *out ? 0 : loader_fail(l, "%s: expected a list of data types", group);
}

/* Compiles the number or pair {low, high} at the top of the stack. */
static int compile_range(struct loader *l, struct spec_range *out)
{
    lua_Integer low, high;
    if (lua_istable(l->L, -1)) {
        lua_rawgeti(l->L, -1, 1);
        lua_rawgeti(l->L, -2, 2);
        low = lua_tointeger(l->L, -2);
        high = lua_tointeger(l->L, -1);
        lua_pop(l->L, 2);
    } else {
        low = high = lua_tointeger(l->L, -1);
    }
    *out = (struct spec_range){(uint32_t)low, (uint32_t)high};
    if (low < 1 || high < low || high > DML_TENSOR_DIMENSION_COUNT_MAX1)
        return loader_fail(l, "dims: expected a count from 1 to %d, or {lowest, highest}",
                           DML_TENSOR_DIMENSION_COUNT_MAX1);
    return 0;
}

static int compile_level_dims(struct loader *l, struct spec_level *level)
{
    struct spec_range all = {0};
    bool per_tensor = lua_istable(l->L, -1) && lua_rawlen(l->L, -1) == 0;
    if (!per_tensor && compile_range(l, &all))
        return EXIT_HARNESS;
    for (int i = 0; i < l->spec->field_count; i++) {
        if (!field_is_tensor(&l->spec->fields[i]))
            continue;
        level->dims[i] = all;
        if (per_tensor) {
            lua_getfield(l->L, -1, l->spec->fields[i].name);
            if (lua_isnil(l->L, -1))
                return loader_fail(l, "dims: nothing for %s", l->spec->fields[i].name);
            if (compile_range(l, &level->dims[i]))
                return EXIT_HARNESS;
            lua_pop(l->L, 1);
        }
    }
    return 0;
}

/* Compiles an entry of a level's table: its key is at -2, its value at -1. */
static int compile_level_entry(struct loader *l, struct spec_level *level)
{
    const char *key = lua_tostring(l->L, -2);
    if (strcmp(key, "page") == 0) {
        level->pages = loader_text(l, -3, "page");
        return 0;
    }
    if (strcmp(key, "ruling") == 0) {
        level->ruling = loader_text(l, -3, "ruling");
        return 0;
    }
    if (strcmp(key, "dims") == 0)
        return compile_level_dims(l, level);
    for (int i = 0; i < l->spec->group_count; i++)
        if (strcmp(l->spec->groups[i], key) == 0)
            return lua_istable(l->L, -1) ? compile_types(l, key, &level->types[i])
                                         : loader_fail(l, "%s: expected a list", key);
    return loader_fail(l, "levels: '%s' is neither dims, page, ruling nor a type group", key);
}

/* A level inherits what it does not mention from the level below. */
static int compile_level(struct loader *l, int levels, DML_FEATURE_LEVEL number)
{
    struct spec *spec = l->spec;
    lua_getfield(l->L, levels, level_name(number));
    if (lua_isnil(l->L, -1)) {
        lua_pop(l->L, 1);
        return 0;
    }
    if (!lua_istable(l->L, -1))
        return loader_fail(l, "levels: %s: expected a table", level_name(number));
    struct spec_level *level = &spec->levels[spec->level_count];
    if (spec->level_count > 0)
        *level = level[-1];
    level->level = number;
    level->name = level_name(number);
    level->pages = level->ruling = pool_string(&l->set->pool, "");
    lua_pushnil(l->L);
    while (lua_next(l->L, -2)) {
        if (lua_type(l->L, -2) != LUA_TSTRING)
            return loader_fail(l, "levels: %s: expected names", level->name);
        if (compile_level_entry(l, level))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    for (int i = 0; i < spec->group_count; i++)
        if (!level->types[i])
            return loader_fail(l, "levels: %s: no data types for '%s'", level->name, spec->groups[i]);
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && level->dims[i].low == 0)
            return loader_fail(l, "levels: %s: no dims", level->name);
    spec->level_count++;
    lua_pop(l->L, 1);
    return 0;
}

int compile_levels(struct loader *l, int op)
{
    lua_getfield(l->L, op, "levels");
    int levels = lua_gettop(l->L), named = 0;
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        if (compile_level(l, levels, level_all[i]))
            return EXIT_HARNESS;
    lua_pushnil(l->L);
    while (lua_next(l->L, levels)) {
        named++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    if (named != l->spec->level_count)
        return loader_fail(l, "levels: some key is not a feature level such as \"3_0\"");
    if (named == 0)
        return loader_fail(l, "levels: expected at least one");
    const char *since = loader_text(l, op, "since");
    l->spec->since = *since ? level_find(since) : l->spec->levels[0].level;
    if (!l->spec->since)
        return loader_fail(l, "since: '%s' is not a feature level", since);
    return 0;
}
