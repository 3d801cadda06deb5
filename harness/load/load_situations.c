/* This file compiles situations: what some case must be in. */
#include "harness/load/load_internal.h"
#include "harness/solve/solve.h"
#include "harness/spec/contents.h"

#include <string.h>

/* Compiles the entry of `strides` whose name and value are at the top of the stack. */
static int compile_stride(struct loader *l, struct spec_situation *out)
{
    const char *name = lua_type(l->L, -2) == LUA_TSTRING ? lua_tostring(l->L, -2) : "";
    const char *class = lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    int field = spec_find_field(l->spec, name), i = 0;
    while (stride_names[i] && strcmp(stride_names[i], class) != 0)
        i++;
    if (field < 0 || !field_is_tensor(&l->spec->fields[field]) || !stride_names[i])
        return loader_fail(l, "strides: expected { TENSOR = \"packed\", \"padded\", \"permuted\" or \"broadcast\" }");
    out->strides[field] = (uint8_t)i;
    return 0;
}

/* Compiles the entry of `values` whose name and value are at the top of the stack. */
static int compile_value(struct loader *l, struct spec_situation *out)
{
    const char *name = lua_type(l->L, -2) == LUA_TSTRING ? lua_tostring(l->L, -2) : "";
    int field = spec_find_field(l->spec, name);
    enum field_kind kind = field < 0 ? FIELD_INPUT : l->spec->fields[field].kind;
    if ((kind != FIELD_FLOAT && kind != FIELD_SCALAR) || lua_type(l->L, -1) != LUA_TNUMBER)
        return loader_fail(l, "values: expected numbers of FLOATs and scalars");
    out->value_fields |= 1u << field;
    out->values[field] = lua_tonumber(l->L, -1);
    return 0;
}

/* Compiles each entry of the table in field `key` of the table at the top of the stack. */
static int compile_table(struct loader *l, const char *key, struct spec_situation *out,
                         int (*compile)(struct loader *l, struct spec_situation *out))
{
    lua_getfield(l->L, -1, key);
    if (!lua_isnil(l->L, -1) && !lua_istable(l->L, -1))
        return loader_fail(l, "%s: expected a table", key);
    if (lua_istable(l->L, -1))
        for (lua_pushnil(l->L); lua_next(l->L, -2); lua_pop(l->L, 1))
            if (compile(l, out))
                return EXIT_HARNESS;
    lua_pop(l->L, 1);
    return 0;
}

/* Compiles the situation at the top of the stack. */
static int compile_situation(struct loader *l, struct spec_situation *out)
{
    struct rule *when = &out->when;
    const char *nothing = pool_string(&l->set->pool, "");
    when->id = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    l->part = pool_format(&l->set->pool, "situation \"%s\"", when->id);
    when->text = loader_text(l, -1, "text");
    when->pages = when->ruling = when->untested = nothing;
    if (spec_find_situation(l->spec, when->id) >= 0)
        return loader_fail(l, "the name is used twice");
    if (!*when->text)
        return loader_fail(l, "expected text");
    if (compile_contents(l, "", &when->evidence))
        return EXIT_HARNESS;
    if (when->evidence.index_fills >> INDEX_DUPLICATES || when->evidence.fills >> FILL_CHOICE & 1)
        return loader_fail(l, "contents that a behaviour leaves open belong to the cases of that behaviour");
    if (compile_atoms(l, when) || compile_table(l, "strides", out, compile_stride) ||
        compile_table(l, "values", out, compile_value))
        return EXIT_HARNESS;
    out->pairs = loader_true(l, -1, "pairs");
    out->each_level = loader_true(l, -1, "each_level");
    l->part = "";
    return 0;
}

int compile_situations(struct loader *l, int op)
{
    struct spec *spec = l->spec;
    lua_getfield(l->L, op, "situations");
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    spec->situations = pool_alloc(&l->set->pool, (count + 1) * sizeof *spec->situations);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_situation(l, &spec->situations[i]))
            return EXIT_HARNESS;
        spec->situation_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}
