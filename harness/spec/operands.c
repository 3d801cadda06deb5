#include "harness/spec/operands.h"

#include "harness/base/datatype.h"
#include "harness/spec/field_kind.h"

#include <math.h>

static formula_integer truncated(double value)
{
    const double limit = 0x1p100;
    return isnan(value) ? 0 : (formula_integer)fmin(fmax(trunc(value), -limit), limit);
}

/* Infinities count as integers: as bounds they are as good as any large number. */
static bool is_whole(double value)
{
    return trunc(value) == value;
}

static void set_real(int field, double value, struct formula_reals *reals, struct formula_integers *integers)
{
    reals->attributes[field] = value;
    integers->attributes[field] = truncated(value);
    integers->fractions |= (uint64_t)!is_whole(value) << field;
}

static void set_number(int field, int64_t value, struct formula_reals *reals, struct formula_integers *integers)
{
    reals->attributes[field] = (double)value;
    integers->attributes[field] = value;
}

/* A DML_SCALAR_UNION is read as its data type says; one without a known type is 0. */
static void set_scalar(const struct spec *spec, const struct opdesc *desc, int field, struct formula_reals *reals,
                       struct formula_integers *integers)
{
    struct field_ref ref = field_ref(spec, desc, field);
    unsigned type = field_scalar_type(&ref);
    const uint8_t *bytes = desc->values[field].bytes;
    const struct datatype *t = datatype_of(type);
    if (t->bits < 8)
        set_number(field, 0, reals, integers);
    else if (t->is_float)
        set_real(field, datatype_to_double(type, bytes), reals, integers);
    else
        set_number(field, datatype_to_integer(type, bytes), reals, integers);
    uint64_t large;
    memcpy(&large, bytes, sizeof large);
    if (type == DML_TENSOR_DATA_TYPE_UINT64) { /* beyond int64_t */
        reals->attributes[field] = (double)large;
        integers->attributes[field] = large;
    }
}

static void set_scale_bias(const struct opdesc *desc, int field, struct formula_reals *reals,
                           struct formula_integers *integers)
{
    reals->scale = (double)desc->values[field].scale_bias.scale;
    reals->bias = (double)desc->values[field].scale_bias.bias;
    integers->scale = truncated(reals->scale);
    integers->bias = truncated(reals->bias);
    integers->fractions |= (uint64_t) !(is_whole(reals->scale) && is_whole(reals->bias)) << field;
}

static void set_tensor(const struct spec *spec, const struct opdesc *desc, int field, struct formula_reals *reals)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(desc, field);
    bool given = field_kinds[spec->fields[field].kind].is_array ? opdesc_present(desc, field) : t->present;
    reals->present |= (uint64_t)given << field;
    reals->floats |= (uint64_t)(t->data_type < DATATYPE_COUNT && datatype_of(t->data_type)->is_float) << field;
}

/* FLOATs of the fused activation. Its layout says which members those are; others are 0. */
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
    reals->type = integers->type = type;
    reals->shift = 0;
    reals->present = reals->floats = integers->fractions = 0;
    for (int i = 0; i < spec->field_count; i++) {
        enum field_kind kind = spec->fields[i].kind;
        if (field_is_tensor(&spec->fields[i])) {
            set_tensor(spec, desc, i, reals);
            continue;
        }
        reals->present |= (uint64_t)opdesc_present(desc, i) << i;
        if (kind == FIELD_SCALAR)
            set_scalar(spec, desc, i, reals, integers);
        else if (kind == FIELD_OPERATOR)
            set_members(spec, desc, i, reals);
        else if (kind == FIELD_SCALE_BIAS)
            set_scale_bias(desc, i, reals, integers);
        else if (kind == FIELD_FLOAT)
            set_real(i, (double)desc->values[i].real, reals, integers);
        else if (field_kinds[kind].is_number)
            set_number(i, desc->values[i].number, reals, integers);
    }
    integers->present = reals->present;
    integers->floats = reals->floats;
}
