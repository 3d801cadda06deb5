#include "harness/spec/field_kind.h"

#define POINTER .bytes = sizeof(void *), .alignment = _Alignof(void *), .is_pointer = true
#define NUMBER(type) .bytes = sizeof(type), .alignment = _Alignof(type)

const struct field_kind_traits field_kinds[FIELD_KINDS] = {
    [FIELD_INPUT] = {"input", POINTER, .items = 1, .room = 1},
    [FIELD_OUTPUT] = {"output", POINTER, .items = 1, .room = 1},
    [FIELD_INPUTS] = {"inputs", POINTER, .is_array = true, .items = OPDESC_MAX_ARRAY, .room = OPDESC_MAX_ARRAY},
    [FIELD_OUTPUTS] = {"outputs", POINTER, .is_array = true, .items = OPDESC_MAX_ARRAY, .room = OPDESC_MAX_ARRAY},
    [FIELD_UINT] = {"uint", NUMBER(UINT)},
    [FIELD_INT] = {"int", NUMBER(INT)},
    [FIELD_FLOAT] = {"float", NUMBER(FLOAT)},
    [FIELD_BOOL] = {"bool", NUMBER(BOOL)},
    [FIELD_ENUM] = {"enum", NUMBER(UINT)},
    [FIELD_UINTS] = {"uints", POINTER, .is_array = true, .items = 1, .room = OPDESC_MAX_LIST},
    [FIELD_INTS] = {"ints", POINTER, .is_array = true, .items = 1, .room = OPDESC_MAX_LIST},
    [FIELD_FLOATS] = {"floats", POINTER, .is_array = true, .items = 1, .room = OPDESC_MAX_LIST},
    [FIELD_SCALE_BIAS] = {"scale_bias", POINTER},
    [FIELD_SIZE_2D] = {"size_2d", NUMBER(DML_SIZE_2D), .items = 1, .room = 2},
    [FIELD_SCALAR] = {"scalar", NUMBER(DML_SCALAR_UNION)},
    [FIELD_OPERATOR] = {"operator", POINTER, .items = 1, .room = 1},
    [FIELD_OPERATORS] = {"operators", POINTER, .is_array = true, .items = OPDESC_MAX_NESTED, .room = OPDESC_MAX_NESTED},
};
