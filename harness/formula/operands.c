#include "harness/formula/operands.h"

#include "harness/base/datatype.h"
#include "harness/describe/field_kind.h"

#include <math.h>

static formula_integer whole_part(double value)
{
    return isnan(value) ? 0 : (formula_integer)trunc(fmin(fmax(value, -0x1p100), 0x1p100));
}

/* Returns true if the whole part differs; an infinity counts as whole, since its large limit serves. */
static bool has_fraction(double value)
{
    return trunc(value) != value;
}

static void operands_set(struct formula_reals *reals, struct formula_integers *integers, int field, double value)
{
    reals->attributes[field] = value;
    reals->real_attributes |= (uint64_t)1 << field;
    integers->attributes[field] = whole_part(value);
    integers->fractions |= (uint64_t)has_fraction(value) << field;
    integers->negatives |= (uint64_t)(value < 0) << field;
    integers->nans |= (uint64_t)(isnan(value) != 0) << field;
}

static void set_scale_bias(const struct opdesc *desc, int field, struct formula_reals *reals,
                           struct formula_integers *integers)
{
    double bias = (double)desc->values[field].scale_bias.bias;
    operands_set(reals, integers, field, (double)desc->values[field].scale_bias.scale);
    reals->biases[field] = bias;
    integers->biases[field] = whole_part(bias);
    integers->fractions |= (uint64_t)has_fraction(bias) << field;
}

/* Returns true if the tensor's elements are real numbers; for an array, if those of its first tensor are. */
static bool operands_is_float(const struct opdesc *desc, int field)
{
    return datatype_of(OPDESC_TENSOR(desc, field)->data_type)->is_float;
}

static void operands_set_scalar(const struct opdesc *desc, int field, unsigned type, struct formula_reals *reals,
                                struct formula_integers *integers)
{
    const uint8_t *bytes = desc->values[field].bytes;
    const struct datatype *t = datatype_of(type);
    if (t->bits < 8)
        return;
    reals->attributes[field] = datatype_to_double(type, bytes);
    reals->real_attributes |= (uint64_t)t->is_float << field;
    integers->attributes[field] =
        t->is_signed && !t->is_float ? datatype_to_integer(type, bytes) : (formula_integer)datatype_bits(type, bytes);
}

/* Sets the FLOATs of the fused activation. Its layout names these members; others are 0. */
static void set_members(const struct spec *spec, const struct opdesc *desc, int field, struct formula_reals *reals)
{
    struct field_ref ref = field_ref(spec, desc, field);
    const struct opdesc_nested *nested = opdesc_nested(desc, field, 0);
    const struct spec_layout *layout = opdesc_present(desc, field) ? field_nested_layout(&ref, nested) : NULL;
    for (int i = 0; i < OPDESC_NESTED_FIELDS; i++)
        reals->members[i] = layout && i < field_nested_count(layout) && layout->fields[i].kind == FIELD_FLOAT
                                ? (double)nested->values[i].real
                                : 0;
}

void operands_of(const struct spec *spec, const struct opdesc *desc, unsigned type, struct formula_reals *reals,
                 struct formula_integers *integers)
{
    uint64_t present = 0, floats = 0;
    reals->type = integers->type = type;
    reals->desc = desc;
    reals->attributes_halved = false;
    integers->shift = 0;
    reals->real_attributes = integers->fractions = integers->nans = integers->negatives = 0;
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        bool given = field_is_tensor(field) ? OPDESC_TENSOR(desc, i)->present : opdesc_present(desc, i);
        present |= (uint64_t)given << i;
        floats |= (uint64_t)(field_is_tensor(field) && operands_is_float(desc, i)) << i;
        switch (field->kind) {
        case FIELD_FLOAT:
            operands_set(reals, integers, i, (double)desc->values[i].real);
            break;
        case FIELD_SCALE_BIAS:
            set_scale_bias(desc, i, reals, integers);
            break;
        case FIELD_SCALAR:
            operands_set_scalar(desc, i, (unsigned)desc->values[field->typed_by].number, reals, integers);
            break;
        case FIELD_OPERATOR:
            set_members(spec, desc, i, reals);
            break;
        case FIELD_UINT:
        case FIELD_INT:
        case FIELD_BOOL:
        case FIELD_ENUM:
            reals->attributes[i] = (double)desc->values[i].number;
            integers->attributes[i] = desc->values[i].number;
            break;
        default: /* the field is no number */
            break;
        }
    }
    for (int i = 0; i < desc->tensor_count; i++)
        reals->types[i] =
            desc->items[i].tensor.data_type < DATATYPE_COUNT ? (uint8_t)desc->items[i].tensor.data_type : 0;
    reals->present = integers->present = present;
    reals->floats = integers->floats = floats;
}
