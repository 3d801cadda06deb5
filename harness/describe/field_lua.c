/* field_lua.c: members of a description as Lua values, for meanings. */
#include "harness/describe/field_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/catalogue.h"

#include <lauxlib.h>
#include <string.h>

void field_push_number(const struct field_ref *ref, lua_State *L)
{
    lua_pushinteger(L, field_value(ref)->number);
}

void field_push_bool(const struct field_ref *ref, lua_State *L)
{
    lua_pushboolean(L, field_value(ref)->number != 0);
}

void field_push_enum(const struct field_ref *ref, lua_State *L)
{
    const char *name = spec_constant_name(ref->fields[ref->at].constants, field_value(ref)->number);
    if (name)
        lua_pushstring(L, name);
    else
        field_push_number(ref, L);
}

void field_push_float(const struct field_ref *ref, lua_State *L)
{
    lua_pushnumber(L, (lua_Number)field_value(ref)->real);
}

void field_push_scalar(const struct field_ref *ref, lua_State *L)
{
    unsigned type = field_scalar_type(ref);
    if (type && datatype_of(type)->is_float)
        lua_pushnumber(L, datatype_to_double(type, field_value(ref)->bytes));
    else if (type)
        lua_pushinteger(L, datatype_to_integer(type, field_value(ref)->bytes));
    else
        lua_pushnil(L);
}

void field_push_list(const struct field_ref *ref, lua_State *L)
{
    if (!ref->desc || !field_given(ref)) {
        lua_pushnil(L);
        return;
    }
    lua_newtable(L);
    for (unsigned i = 0; i < field_count(ref); i++) {
        float real;
        memcpy(&real, &field_items(ref)->list[i], sizeof real);
        if (ref->fields[ref->at].kind == FIELD_FLOATS)
            lua_pushnumber(L, (lua_Number)real);
        else
            lua_pushinteger(L, opdesc_entry(ref->desc, ref->at, i));
        lua_rawseti(L, -2, (lua_Integer)i);
    }
}

void field_push_scale_bias(const struct field_ref *ref, lua_State *L)
{
    if (!field_given(ref)) {
        lua_pushnil(L);
        return;
    }
    lua_newtable(L);
    lua_pushnumber(L, (lua_Number)field_value(ref)->scale_bias.scale);
    lua_setfield(L, -2, "Scale");
    lua_pushnumber(L, (lua_Number)field_value(ref)->scale_bias.bias);
    lua_setfield(L, -2, "Bias");
}

void field_push_size_2d(const struct field_ref *ref, lua_State *L)
{
    lua_newtable(L);
    lua_pushinteger(L, field_size_2d(ref)[0]);
    lua_setfield(L, -2, "Width");
    lua_pushinteger(L, field_size_2d(ref)[1]);
    lua_setfield(L, -2, "Height");
}

static void push_nested(const struct field_ref *outer, const struct opdesc_nested *nested, lua_State *L)
{
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    const char *name = dml_operator_name((DML_OPERATOR_TYPE)nested->type);
    lua_newtable(L);
    lua_pushstring(L, name ? name : "");
    lua_setfield(L, -2, "Type");
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        const struct field_ref ref = field_ref_nested(outer, layout, nested, i);
        if (field_is_tensor(&layout->fields[i]))
            continue; /* nested tensors are those of the outer operator */
        field_kind(&ref)->push(&ref, L);
        lua_setfield(L, -2, layout->fields[i].name);
    }
}

void field_push_operators(const struct field_ref *ref, lua_State *L)
{
    if (!ref->desc || !field_given(ref)) {
        lua_pushnil(L);
        return;
    }
    if (!field_kind(ref)->is_array) {
        push_nested(ref, &field_items(ref)->nested, L);
        return;
    }
    lua_newtable(L);
    for (unsigned i = 0; i < field_count(ref); i++) {
        push_nested(ref, &field_items(ref)[i].nested, L);
        lua_rawseti(L, -2, (lua_Integer)i);
    }
}
