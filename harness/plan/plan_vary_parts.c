/* The ways in which op:vary() changes a part of a description. */
#include "harness/plan/plan_vary_internal.h"

#include "harness/base/datatype.h"
#include "harness/describe/field_kind.h"

#include <string.h>

enum { VARY_TRIES = 48 /* values drawn for a field */ };

static struct opdesc_tensor *vary_tensor(const struct varying *v, struct opdesc *desc)
{
    if (!field_is_tensor(&v->spec->fields[v->field]) || opdesc_count(desc, v->field) == 0)
        return NULL;
    struct opdesc_tensor *t = OPDESC_TENSOR(desc, v->field);
    return t->present ? t : NULL;
}

/* Returns true if the strides place some element elsewhere than packed strides do. */
static bool vary_moved(const struct opdesc_tensor *t)
{
    struct opdesc_tensor packed = *t;
    uint32_t usual[OPDESC_MAX_DIMENSIONS];
    bool moved = false;
    packed.has_strides = false;
    opdesc_strides(&packed, usual);
    for (uint32_t i = 0; i < t->dims; i++)
        moved |= t->sizes[i] > 1 && t->strides[i] != usual[i];
    return moved;
}

/* First the dimensions change places in memory, then elements move apart. Without inputs, outputs may have one value
 * everywhere, whose places only gaps show. */
static bool vary_strides(struct varying *v, int try, struct opdesc *desc)
{
    struct opdesc_tensor *t = vary_tensor(v, desc);
    try += v->spec->input_count == 0;
    uint32_t step = try == 0 ? 1 : 2;
    if (!t || try > 1)
        return false;
    for (uint32_t i = 0; i < t->dims; i++) {
        uint32_t d = try == 0 ? i : t->dims - 1 - i;
        t->strides[d] = step;
        step *= t->sizes[d];
    }
    t->has_strides = vary_moved(t);
    t->total = (uint64_t)opdesc_implied(t);
    return true;
}

/* Returns the order in which types are tried: wider ones, those of the same width, narrower ones. */
static int vary_width_rank(unsigned width, unsigned of_base)
{
    int other = width == of_base ? 1 : 2;
    return width > of_base ? 0 : other;
}

/* Gives all tensors of the field's group another type. The first field of a group stands for all. */
static bool vary_type(struct varying *v, int try, struct opdesc *desc)
{
    const struct opdesc_tensor *t = vary_tensor(v, desc);
    int group = v->spec->fields[v->field].group, type = 0;
    for (int i = 0; i < v->field; i++)
        if (field_is_tensor(&v->spec->fields[i]) && v->spec->fields[i].group == group)
            return false;
    if (!t)
        return false;
    const uint32_t types = v->spec->levels[v->request->solve.table].types[group] & ~(1u << t->data_type);
    const unsigned width = datatype_of(t->data_type)->bits;
    for (int rank = 0, skip = try; rank < 3 && !type; rank++)
        for (int other = 0; other < DATATYPE_COUNT && !type; other++)
            if (types >> other & 1 && vary_width_rank(datatype_of((unsigned)other)->bits, width) == rank && skip-- == 0)
                type = other;
    if (!type)
        return false;
    for (int i = -1; (i = spec_next_tensor(v->spec, desc, i)) >= 0;)
        if (spec_tensor_field(v->spec, i)->group == group)
            desc->items[i].tensor.data_type = (uint32_t)type;
    return true;
}

/* First each size grows by one, then each becomes 1, or the last size of the first tensor: a size may have to be 1 or
 * that of another tensor. */
static bool vary_size(struct varying *v, int try, struct opdesc *desc)
{
    struct opdesc_tensor *t = vary_tensor(v, desc);
    const struct opdesc_tensor *first = &v->base.items[spec_next_tensor(v->spec, &v->base, -1)].tensor;
    const int dims = t ? (int)t->dims : 0;
    if (try >= 3 * dims)
        return false;
    uint32_t *size = &t->sizes[dims - 1 - try % dims];
    const uint32_t others[] = {*size + 1, 1, first->dims > 0 ? first->sizes[first->dims - 1] : 1};
    *size = others[try / dims];
    return true;
}

static bool vary_rank(struct varying *v, int try, struct opdesc *desc)
{
    struct opdesc_tensor *t = vary_tensor(v, desc);
    if (!t || try > 1 || t->dims == (try ? 1 : DML_TENSOR_DIMENSION_COUNT_MAX1))
        return false;
    opdesc_resize(t, try ? t->dims - 1 : t->dims + 1);
    return true;
}

/* A tensor that is given becomes a null pointer; another pointer is given or becomes null. */
static bool vary_given(struct varying *v, int try, struct opdesc *desc)
{
    const struct spec_field *field = &v->spec->fields[v->field];
    struct opdesc_tensor *t = vary_tensor(v, desc);
    const struct field_ref ref = field_ref(v->spec, desc, v->field);
    if (t && field->optional && !field_kind(&ref)->is_array && try == 0) {
        t->present = false;
        return true;
    }
    if (field_is_tensor(field) || !field_kind(&ref)->is_pointer || field_kind(&ref)->is_array)
        return false;
    bool given = field_given(&ref);
    if (given)
        field_give(&ref, false);
    else
        field_kind(&ref)->draw(&ref, &v->random);
    return try < (given ? 1 : VARY_TRIES);
}

static bool vary_value(struct varying *v, int try, struct opdesc *desc)
{
    const struct field_ref ref = field_ref(v->spec, desc, v->field);
    if (field_is_tensor(&v->spec->fields[v->field]) || v->spec->fields[v->field].kind == FIELD_SCALE_BIAS)
        return false;
    field_kind(&ref)->draw(&ref, &v->random);
    return try < VARY_TRIES;
}

/* Another value of a number with a fraction: a single one may lie on the same side of all elements. */
static bool vary_value_again(struct varying *v, int try, struct opdesc *desc)
{
    enum field_kind kind = v->spec->fields[v->field].kind;
    return (kind == FIELD_FLOAT || kind == FIELD_SCALAR) && vary_value(v, try, desc);
}

static float *vary_scale_bias(struct varying *v, struct opdesc *desc, bool bias)
{
    const struct field_ref ref = field_ref(v->spec, desc, v->field);
    if (v->spec->fields[v->field].kind != FIELD_SCALE_BIAS || !field_given(&ref))
        return NULL;
    return bias ? &field_value(&ref)->scale_bias.bias : &field_value(&ref)->scale_bias.scale;
}

static bool vary_scale(struct varying *v, int try, struct opdesc *desc)
{
    float *scale = vary_scale_bias(v, desc, false);
    if (scale)
        *scale = *scale * 2 + 1;
    return scale && try == 0;
}

static bool vary_bias(struct varying *v, int try, struct opdesc *desc)
{
    float *bias = vary_scale_bias(v, desc, true);
    if (bias)
        *bias += 2;
    return bias && try == 0;
}

/* Changes one FLOAT of an activation, fused or in an array: a try for each FLOAT. */
static bool vary_activation_member(struct varying *v, int try, struct opdesc *desc)
{
    const enum field_kind kind = v->spec->fields[v->field].kind;
    if ((kind != FIELD_OPERATOR && kind != FIELD_OPERATORS) || !opdesc_present(desc, v->field))
        return false;
    const struct field_ref ref = field_ref(v->spec, desc, v->field);
    int floats = 0;
    for (unsigned at = 0; at < opdesc_count(desc, v->field); at++) {
        struct opdesc_nested *nested = &OPDESC_ELEMENT(desc, v->field, at)->nested;
        const struct spec_layout *layout = field_nested_layout(&ref, nested);
        for (int i = 0; layout && i < field_nested_count(layout); i++)
            if (layout->fields[i].kind == FIELD_FLOAT && floats++ == try) {
                nested->values[i].real += 0.75f;
                return true;
            }
    }
    return false;
}

/* Another operator for the last activation of an array: a try for each operator. Its members keep their values. */
static bool vary_activation_type(struct varying *v, int try, struct opdesc *desc)
{
    if (v->spec->fields[v->field].kind != FIELD_OPERATORS || try >= DML_OPERATOR_UNFOLD)
        return false;
    const unsigned count = opdesc_count(desc, v->field);
    if (count == 0)
        return false;
    OPDESC_ELEMENT(desc, v->field, count - 1)->nested.type = (uint32_t)try + 1;
    return true;
}

const struct vary_part vary_parts[] = {{"-strides", vary_strides, false, true},
                                       {"-type", vary_type, true, false},
                                       {"-size", vary_size, true, false},
                                       {"-rank", vary_rank, true, false},
                                       {"-given", vary_given, true, true},
                                       {"", vary_value, true, true},
                                       {"-again", vary_value_again, true, true},
                                       {"-scale", vary_scale, false, true},
                                       {"-bias", vary_bias, false, true},
                                       {"-member", vary_activation_member, false, true},
                                       {"-activation", vary_activation_type, false, true}};
const int vary_part_count = sizeof vary_parts / sizeof *vary_parts;
