#include "harness/describe/field_kind.h"

#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_internal.h"

#include <string.h>

#define POINTER .bytes = sizeof(void *), .alignment = _Alignof(void *), .is_pointer = true
#define NUMBER(type) .bytes = sizeof(type), .alignment = _Alignof(type)
#define MARSHAL(write, read) .marshal = field_marshal_##write, .unmarshal = field_unmarshal_##read
#define TEXT(out, in) .print = field_print_##out, .parse = field_parse_##in
#define JSON(out, in) .to_json = field_to_json_##out, .from_json = field_from_json_##in
#define VARY(equal, wild) .same = field_same_##equal, .mutate = field_mutate_##wild
#define SIMPLER(kind) .simplify = field_simplify_##kind, .weigh = field_weigh_##kind
#define DRAW(kind) .draw = field_draw_##kind
#define IN_C(kind) .initialise_c = field_initialise_c_##kind
#define DECLARED(kind) .declare_c = field_declare_c_##kind
#define TENSOR                                                                                                         \
    .c_type = "const DML_TENSOR_DESC *", .example = "a tensor, such as FLOAT32[2,3]", POINTER, .items = 1, .room = 1,  \
    MARSHAL(tensor, tensor), TEXT(tensor, tensor), JSON(tensor, tensor), VARY(tensor, tensor), SIMPLER(tensor),        \
    DECLARED(tensor), IN_C(tensor)
#define TENSORS                                                                                                        \
    .c_type = "const DML_TENSOR_DESC *", .example = "as many tensors as the count says, such as [FLOAT32[2,3]]",       \
    POINTER, .is_array = true, .items = OPDESC_MAX_ARRAY, .room = OPDESC_MAX_ARRAY, MARSHAL(tensors, tensors),         \
    TEXT(tensors, tensors), JSON(tensors, tensors), VARY(tensors, tensors), SIMPLER(tensor), DRAW(pointer),            \
    DECLARED(tensors), IN_C(list)
#define LIST POINTER, .is_array = true, .items = 1, .room = OPDESC_MAX_LIST, MARSHAL(list, list)

const struct field_kind_traits field_kinds[FIELD_KINDS] = {
    [FIELD_INPUT] = {"input", TENSOR},
    [FIELD_OUTPUT] = {"output", TENSOR},
    [FIELD_INPUTS] = {"inputs", TENSORS},
    [FIELD_OUTPUTS] = {"outputs", TENSORS},
    [FIELD_UINT] = {"uint", "UINT ", "a number", NUMBER(UINT), .is_number = true, MARSHAL(uint, uint), TEXT(uint, uint),
                    JSON(uint, uint), VARY(uint, uint), DRAW(uint), SIMPLER(uint), IN_C(uint),
                    .push = field_push_number},
    [FIELD_INT] = {"int", "INT ", "a number", NUMBER(INT), .is_number = true, MARSHAL(uint, int), TEXT(uint, int),
                   JSON(uint, int), VARY(uint, int), DRAW(int), SIMPLER(uint), IN_C(int), .push = field_push_number},
    [FIELD_FLOAT] = {"float", "FLOAT ", "a number, such as 0.5 or 0x7fc00000", NUMBER(FLOAT), MARSHAL(float, float),
                     TEXT(float, float), JSON(float, float), VARY(float, float), DRAW(float), SIMPLER(float),
                     IN_C(float), .push = field_push_float},
    [FIELD_BOOL] = {"bool", "BOOL ", "0 or 1", NUMBER(BOOL), .is_number = true, MARSHAL(uint, uint), TEXT(uint, uint),
                    JSON(bool, bool), VARY(uint, uint), DRAW(bool), SIMPLER(uint), IN_C(int), .push = field_push_bool},
    [FIELD_ENUM] = {"enum", "%s ", "a constant or a number", NUMBER(UINT), .is_number = true, MARSHAL(uint, uint),
                    TEXT(enum, enum), JSON(enum, enum), VARY(uint, enum), DRAW(enum), SIMPLER(uint), IN_C(enum),
                    .push = field_push_enum},
    [FIELD_UINTS] = {"uints", "const UINT *", "as many numbers as the count says, such as [1,2]", LIST,
                     TEXT(list, list), JSON(list, list), VARY(list, list), DRAW(list), SIMPLER(list), DECLARED(list),
                     IN_C(list), .push = field_push_list},
    [FIELD_INTS] = {"ints", "const INT *", "as many numbers as the count says, such as [1,-2]", LIST, TEXT(list, list),
                    JSON(list, list), VARY(list, list), DRAW(list), SIMPLER(list), DECLARED(list), IN_C(list),
                    .push = field_push_list},
    [FIELD_FLOATS] = {"floats", "const FLOAT *", "as many numbers as the count says, such as [1,0.5]", LIST,
                      TEXT(floats, floats), JSON(floats, floats), VARY(list, floats), DRAW(floats), SIMPLER(floats),
                      DECLARED(floats), IN_C(list), .push = field_push_list},
    [FIELD_SCALE_BIAS] = {"scale_bias", "const DML_SCALE_BIAS *", "null, or scale and bias, such as [2,0.5]", POINTER,
                          MARSHAL(scale_bias, scale_bias), TEXT(scale_bias, scale_bias), JSON(scale_bias, scale_bias),
                          VARY(scale_bias, scale_bias), DRAW(scale_bias), SIMPLER(scale_bias), DECLARED(scale_bias),
                          IN_C(scale_bias), .push = field_push_scale_bias},
    [FIELD_SIZE_2D] = {"size_2d", "DML_SIZE_2D ", "width and height, such as [2,3]", NUMBER(DML_SIZE_2D), .items = 1,
                       .room = 2, MARSHAL(size_2d, size_2d), TEXT(size_2d, size_2d), JSON(size_2d, size_2d),
                       VARY(size_2d, size_2d), DRAW(size_2d), SIMPLER(size_2d), IN_C(size_2d),
                       .push = field_push_size_2d},
    [FIELD_SCALAR] = {"scalar", "DML_SCALAR_UNION ", "a value with its type, such as FLOAT32(0.5), or 0x and 16 digits",
                      NUMBER(DML_SCALAR_UNION), MARSHAL(scalar, scalar), TEXT(scalar, scalar), JSON(scalar, scalar),
                      VARY(scalar, scalar), DRAW(scalar), SIMPLER(scalar), IN_C(scalar), .push = field_push_scalar},
    [FIELD_OPERATOR] = {"operator", "const DML_OPERATOR_DESC *",
                        "null or an operator, such as ACTIVATION_ELU(Alpha=0.5)", POINTER, .items = 1, .room = 1,
                        MARSHAL(operators, operators), TEXT(operator, operator), JSON(operator, operator),
                        VARY(operators, operators), DRAW(pointer), SIMPLER(operators), DECLARED(operators), IN_C(list),
                        .push = field_push_operators},
    [FIELD_OPERATORS] = {"operators", "const DML_OPERATOR_DESC *",
                         "as many operators as the count says, such as [ACTIVATION_TANH()]", POINTER, .is_array = true,
                         .items = OPDESC_MAX_NESTED, .room = OPDESC_MAX_NESTED, MARSHAL(operators, operators),
                         TEXT(operators, operators), JSON(operators, operators), VARY(operators, operators),
                         DRAW(pointer), SIMPLER(operators), DECLARED(operators), IN_C(list),
                         .push = field_push_operators},
};

uint16_t field_place(enum field_kind kind, size_t *end)
{
    size_t alignment = field_kinds[kind].alignment, offset = (*end + alignment - 1) & ~(alignment - 1);
    *end = offset + field_kinds[kind].bytes;
    return (uint16_t)offset;
}

const char *spec_lay_out(struct spec *spec, struct opdesc *blank)
{
    *blank = (struct opdesc){.field_count = (uint8_t)spec->field_count};
    memset(spec->tensor_fields, 0, sizeof spec->tensor_fields);
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
                if (field_is_tensor(field) && blank->tensor_count == OPDESC_MAX_TENSORS)
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

struct field_ref field_ref(const struct spec *spec, const struct opdesc *desc, int at)
{
    /* The cast is safe: functions that change a value are called for descriptions that are not const. */
    struct opdesc *changeable = (struct opdesc *)(uintptr_t)desc;
    return (struct field_ref){.catalogue = spec->catalogue,
                              .fields = spec->fields,
                              .at = at,
                              .values = changeable->values,
                              .given = &changeable->given,
                              .desc = changeable};
}

struct field_ref field_ref_nested(const struct field_ref *outer, const struct spec_layout *layout,
                                  const struct opdesc_nested *nested, int at)
{
    struct opdesc_nested *changeable = (struct opdesc_nested *)(uintptr_t)nested; /* This cast is safe, too. */
    return (struct field_ref){.catalogue = outer->catalogue,
                              .fields = layout->fields,
                              .at = at,
                              .values = changeable->values,
                              .given = &changeable->given};
}

union opdesc_item *field_items(const struct field_ref *ref)
{
    return &ref->desc->items[field_value(ref)->place.item];
}

unsigned field_count(const struct field_ref *ref)
{
    return opdesc_count(ref->desc, ref->at);
}

bool field_fits(const struct field_ref *ref, size_t found)
{
    const struct opdesc_place *place = &field_value(ref)->place;
    int64_t count = place->count_field == OPDESC_NO_FIELD ? place->room : ref->values[place->count_field].number;
    return found <= place->room && (count > place->room || (int64_t)found == count);
}

uint32_t *field_size_2d(const struct field_ref *ref)
{
    return ref->desc ? field_items(ref)->list : field_value(ref)->words;
}

const struct spec_layout *field_nested_layout(const struct field_ref *ref, const struct opdesc_nested *nested)
{
    return nested->has_desc ? catalogue_layout(ref->catalogue, nested->type) : NULL;
}

int field_nested_count(const struct spec_layout *layout)
{
    return layout->field_count < OPDESC_NESTED_FIELDS ? layout->field_count : OPDESC_NESTED_FIELDS;
}

unsigned field_scalar_type(const struct field_ref *ref)
{
    int typed_by = ref->fields[ref->at].typed_by;
    int64_t type = typed_by >= 0 ? ref->values[typed_by].number : 0;
    return type > 0 && type < DATATYPE_COUNT && datatype_of((unsigned)type)->bits >= 8 ? (unsigned)type : 0;
}
