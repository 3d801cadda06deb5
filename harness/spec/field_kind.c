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

const char *spec_lay_out(struct spec *spec, struct opdesc *blank)
{
    *blank = (struct opdesc){.field_count = (uint8_t)spec->field_count};
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < spec->field_count; i++) {
            const struct spec_field *field = &spec->fields[i];
            const struct field_kind_traits *kind = &field_kinds[field->kind];
            if (kind->items == 0 || field_is_tensor(field) != (pass == 0))
                continue;
            blank->values[i].place =
                (struct opdesc_place){.item = blank->item_count,
                                      .room = kind->room,
                                      .count_field = kind->is_array ? (uint8_t)field->count_field : OPDESC_NO_FIELD,
                                      .is_signed = field->kind == FIELD_INTS};
            for (int n = 0; n < kind->items; n++) {
                if (blank->item_count == OPDESC_MAX_ITEMS)
                    return "too many tensors and arrays";
                if (blank->tensor_count == OPDESC_MAX_TENSORS)
                    return "too many tensors";
                if (field_is_tensor(field))
                    spec->tensor_fields[blank->item_count] = (uint8_t)i;
                blank->item_count++;
                blank->tensor_count += field_is_tensor(field);
            }
        }
    for (int i = 0; i < spec->field_count; i++)
        if (!field_kinds[spec->fields[i].kind].is_pointer)
            blank->given |= 1u << i;
    blank->size = (uint16_t)(offsetof(struct opdesc, items) + blank->item_count * sizeof *blank->items);
    return NULL;
}
