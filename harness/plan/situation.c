#include "harness/plan/situation.h"

#include "harness/base/datatype.h"
#include "harness/plan/factor.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

#include <math.h>
#include <string.h>

/* Writes the bits of a FLOAT or a scalar that is the number, and returns how many bytes it has. 0: the scalar cannot be
 * the number. */
static size_t bytes_of_value(const struct field_ref *ref, double number, unsigned char bytes[8])
{
    float real = (float)number;
    unsigned type = ref->fields[ref->at].kind == FIELD_FLOAT ? DML_TENSOR_DATA_TYPE_FLOAT32 : field_scalar_type(ref);
    memset(bytes, 0, 8);
    if (ref->fields[ref->at].kind == FIELD_FLOAT)
        memcpy(bytes, &real, sizeof real);
    else if (type && (datatype_of(type)->is_float || (fabs(number) < 0x1p31 && trunc(number) == number)))
        datatype_from_double(type, number, bytes);
    else
        return 0;
    return datatype_of(type)->bits / 8;
}

static const void *stored_value(const struct field_ref *ref)
{
    const union opdesc_value *value = field_value(ref);
    return ref->fields[ref->at].kind == FIELD_FLOAT ? (const void *)&value->real : value->bytes;
}

static bool is_nan_value(const struct field_ref *ref)
{
    unsigned type = ref->fields[ref->at].kind == FIELD_FLOAT ? DML_TENSOR_DATA_TYPE_FLOAT32 : field_scalar_type(ref);
    return type && datatype_of(type)->is_float && isnan(datatype_to_double(type, stored_value(ref)));
}

static bool values_hold(const struct spec_situation *situation, const struct testcase *c)
{
    unsigned char wanted[8];
    for (int i = 0; i < c->spec->field_count; i++) {
        const struct field_ref ref = field_ref(c->spec, c->desc, i);
        if (!(situation->value_fields >> i & 1))
            continue;
        if (isnan(situation->values[i]) && is_nan_value(&ref))
            continue;
        size_t bytes = bytes_of_value(&ref, situation->values[i], wanted);
        if (bytes == 0 || isnan(situation->values[i]) || memcmp(stored_value(&ref), wanted, bytes) != 0)
            return false;
    }
    return true;
}

static bool strides_hold(const struct spec_situation *situation, const struct testcase *c)
{
    for (int i = 0; i < c->spec->field_count; i++)
        if (situation->strides[i] != STRIDES_NULL &&
            (!OPDESC_TENSOR(c->desc, i)->present ||
             factor_strides(OPDESC_TENSOR(c->desc, i)) != (int)situation->strides[i]))
            return false;
    return true;
}

bool situation_holds(const struct spec_situation *situation, const struct testcase *c)
{
    const struct evidence *contents = &situation->when.evidence;
    return (c->expect == EXPECT_RESULTS || c->expect == EXPECT_EITHER) &&
           (!contents->fills || contents->fills >> c->fill & 1) &&
           (!contents->index_fills || contents->index_fills >> c->index_fill & 1) && strides_hold(situation, c) &&
           values_hold(situation, c) && conditions_check(c->spec, &situation->when, c->desc, c->table) == HOLDS;
}

void situation_request(const struct spec_situation *situation, struct solve_request *request)
{
    request->also = &situation->when;
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
        if (situation->strides[i] != STRIDES_NULL)
            request->strides[i] = situation->strides[i];
}

void situation_set_values(const struct spec *spec, const struct spec_situation *situation, struct opdesc *desc)
{
    unsigned char bytes[8];
    for (int i = 0; i < spec->field_count; i++) {
        const struct field_ref ref = field_ref(spec, desc, i);
        size_t size = situation->value_fields >> i & 1 ? bytes_of_value(&ref, situation->values[i], bytes) : 0;
        if (size > 0)
            memcpy((void *)(uintptr_t)stored_value(&ref), bytes, size);
    }
}
