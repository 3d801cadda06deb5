#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"
#include "harness/load/load_internal.h"

#include <string.h>

/* Makes spec->blank and the names of its tensors. */
static int load_tables_lay_out(struct loader *l)
{
    struct spec *spec = l->spec;
    struct opdesc blank;
    const char *wrong = spec_lay_out(spec, &blank);
    if (wrong)
        return loader_fail(l, "%s", wrong);
    spec->blank = pool_copy(&l->set->pool, &blank, blank.size);
    for (int item = 0; item < blank.tensor_count; item++) {
        int at = spec->tensor_fields[item];
        const struct spec_field *field = &spec->fields[at];
        spec->tensor_names[item] = field_kinds[field->kind].is_array
                                       ? pool_format(&l->set->pool, "%s[%d]", field->name, item - spec_item(spec, at))
                                       : field->name;
    }
    return 0;
}

/* The catalogue has the fields; the operator's table has the type groups, in the same order. */
int compile_fields(struct loader *l, int op)
{
    struct spec *spec = l->spec;
    const struct catalogue_entry *entry = catalogue_entry(l->set->catalogue, spec->type);
    const struct spec_layout *layout = &entry->layout;
    spec->catalogue = l->set->catalogue;
    spec->since = layout->since;
    spec->page_since = entry->page_since;
    spec->fields = pool_copy(&l->set->pool, layout->fields, (size_t)layout->field_count * sizeof *layout->fields);
    spec->field_count = layout->field_count;
    lua_getfield(l->L, op, "fields");
    for (int i = 0; i < spec->field_count; i++) {
        struct spec_field *field = &spec->fields[i];
        spec->input_count += field_is_input(field);
        spec->output_count += field_is_output(field);
        lua_rawgeti(l->L, -1, i + 1);
        field->group = loader_integer(l, -1, "group") - 1;
        lua_pop(l->L, 1);
    }
    lua_getfield(l->L, op, "groups");
    spec->group_count = (int)lua_rawlen(l->L, -1);
    if (spec->group_count > SPEC_MAX_GROUPS)
        return loader_fail(l, "more than %d type groups", SPEC_MAX_GROUPS);
    for (int i = 0; i < spec->group_count; i++) {
        lua_rawgeti(l->L, -1, i + 1);
        spec->groups[i] = pool_string(&l->set->pool, lua_tostring(l->L, -1));
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 2);
    return load_tables_lay_out(l);
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

/* Compiles the row of a tensor at the top of the stack: the lowest and highest DimensionCount. */
static int compile_row(struct loader *l, const char *name, struct spec_range *out)
{
    lua_Integer low = 0, high = 0;
    if (lua_istable(l->L, -1)) {
        lua_rawgeti(l->L, -1, 1);
        lua_rawgeti(l->L, -2, 2);
        low = lua_tointeger(l->L, -2);
        high = lua_tointeger(l->L, -1);
        lua_pop(l->L, 2);
    }
    *out = (struct spec_range){(uint32_t)low, (uint32_t)high};
    if (low < 1 || high < low || high > DML_TENSOR_DIMENSION_COUNT_MAX1)
        return loader_fail(l, "levels: %s: expected dimension counts from 1 to %d", name,
                           DML_TENSOR_DIMENSION_COUNT_MAX1);
    return 0;
}

/* Compiles the level at the top of the stack. */
static int compile_level(struct loader *l, struct spec_level *level)
{
    const struct spec *spec = l->spec;
    const char *name = loader_text(l, -1, "name");
    level->level = level_find(name);
    level->name = level_name(level->level);
    if (!level->level)
        return loader_fail(l, "levels: '%s' is not a feature level such as \"3_0\"", name);
    level->pages = loader_text(l, -1, "page");
    level->ruling = loader_text(l, -1, "ruling");
    lua_getfield(l->L, -1, "types");
    for (int i = 0; i < spec->group_count; i++) {
        lua_rawgeti(l->L, -1, i + 1);
        if (compile_types(l, spec->groups[i], &level->types[i]))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_getfield(l->L, -2, "rows");
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        lua_getfield(l->L, -1, spec->fields[i].name);
        if (compile_row(l, spec->fields[i].name, &level->dims[i]))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 2);
    return 0;
}

int compile_levels(struct loader *l, int op)
{
    lua_getfield(l->L, op, "levels");
    size_t count = lua_rawlen(l->L, -1);
    if (count == 0 || count > SPEC_MAX_LEVELS)
        return loader_fail(l, "levels: expected 1 to %d", SPEC_MAX_LEVELS);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_level(l, &l->spec->levels[i]))
            return EXIT_HARNESS;
        l->spec->level_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

/* Compiles the entry at the top of the stack: { strength, TENSOR, …, types =, from =, before = }. */
static int compile_beyond_entry(struct loader *l)
{
    struct spec *spec = l->spec;
    DML_FEATURE_LEVEL from, before;
    uint32_t types;
    if (compile_level_bound(l, "from", &from) || compile_level_bound(l, "before", &before))
        return EXIT_HARNESS;
    lua_getfield(l->L, -1, "types");
    if (!lua_istable(l->L, -1) || compile_types(l, "beyond", &types))
        return loader_fail(l, "beyond: expected types");
    lua_pop(l->L, 1);
    for (lua_Integer i = 2; i <= (lua_Integer)lua_rawlen(l->L, -1); i++) {
        lua_rawgeti(l->L, -1, i);
        int field = lua_isstring(l->L, -1) ? spec_find_field(spec, lua_tostring(l->L, -1)) : -1;
        lua_pop(l->L, 1);
        if (field < 0 || !field_is_tensor(&spec->fields[field]))
            return loader_fail(l, "beyond: expected names of tensors");
        for (int n = 0; n < spec->level_count; n++)
            if (levels_include(from, before, spec->levels[n].level))
                spec->levels[n].beyond[spec->fields[field].group] |= types;
    }
    return 0;
}

int compile_beyond(struct loader *l, int op)
{
    lua_getfield(l->L, op, "beyond");
    for (size_t i = 0; lua_istable(l->L, -1) && i < lua_rawlen(l->L, -1); i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_beyond_entry(l))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

/* Gives the level a table of its own: a copy of the table of the level below. */
static void add_break(struct spec *spec, DML_FEATURE_LEVEL level)
{
    int at = 0;
    while (at < spec->level_count && spec->levels[at].level < level)
        at++;
    if (at == 0 || (at < spec->level_count && spec->levels[at].level == level))
        return;
    memmove(&spec->levels[at + 1], &spec->levels[at], (size_t)(spec->level_count - at) * sizeof *spec->levels);
    spec->levels[at] = spec->levels[at - 1];
    spec->levels[at].level = level;
    spec->levels[at].name = level_name(level);
    spec->level_count++;
}

void compile_level_breaks(struct spec *spec)
{
    for (int i = 0; i < spec->rule_count; i++)
        if (!spec->rules[i].behaviour) {
            add_break(spec, spec->rules[i].from);
            add_break(spec, spec->rules[i].before);
        }
    for (int i = 0; i < spec->atom_count; i++) {
        add_break(spec, spec->atoms[i].from);
        add_break(spec, spec->atoms[i].before);
    }
}
