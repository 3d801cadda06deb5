#include "harness/plan/factor.h"

#include "harness/base/datatype.h"

static struct factor *add_factor(struct factor *factors, int *count, enum factor_kind kind, int which)
{
    struct factor *f = &factors[(*count)++];
    *f = (struct factor){.kind = kind, .which = which};
    return f;
}

int factors_list(const struct spec *spec, bool output_broadcast, struct factor factors[FACTORS_MAX])
{
    int count = 0;
    struct factor *f = add_factor(factors, &count, FACTOR_LEVEL, 0);
    for (int i = 0; i < spec->level_count; i++)
        f->values[f->count++] = i;
    for (int g = 0; g < spec->group_count; g++) {
        uint32_t types = 0;
        for (int i = 0; i < spec->level_count; i++)
            types |= spec->levels[i].types[g];
        f = add_factor(factors, &count, FACTOR_TYPE, g);
        for (int type = 0; type < DATATYPE_COUNT; type++)
            if (types >> type & 1)
                f->values[f->count++] = type;
    }
    for (int i = 0; i < spec->parameter_count; i++) {
        f = add_factor(factors, &count, FACTOR_PARAMETER, i);
        int most = spec->nodes[spec->parameters[i].node].op == EXPR_PRESENT ? 1 : DML_TENSOR_DIMENSION_COUNT_MAX1;
        for (int value = 0; value <= most; value++)
            f->values[f->count++] = value;
    }
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        f = add_factor(factors, &count, FACTOR_STRIDES, i);
        for (int class = 0; class < STRIDES_COUNT; class ++)
            if (class != STRIDES_BROADCAST || output_broadcast || field_is_input(&spec->fields[i]))
                f->values[f->count++] = class;
    }
    return count;
}

void factor_request(const struct factor *f, int value, struct solve_request *request)
{
    switch (f->kind) {
    case FACTOR_LEVEL:
        request->table = value;
        break;
    case FACTOR_TYPE:
        request->types[f->which] = value;
        break;
    case FACTOR_PARAMETER:
        request->parameters[f->which] = value;
        break;
    case FACTOR_STRIDES:
        request->strides[f->which] = (uint8_t)value;
        break;
    }
}

int factor_strides(const struct opdesc_tensor *t)
{
    struct opdesc_tensor packed = *t;
    uint32_t usual[OPDESC_MAX_DIMENSIONS];
    bool same = true, zero = false;
    if (!t->has_strides)
        return STRIDES_NULL;
    packed.has_strides = false;
    opdesc_strides(&packed, usual);
    for (uint32_t i = 0; i < t->dims; i++) { /* the stride of a dimension of size 1 does not matter */
        same &= t->sizes[i] == 1 || t->strides[i] == usual[i];
        zero |= t->sizes[i] > 1 && t->strides[i] == 0;
    }
    if (zero)
        return STRIDES_BROADCAST;
    if (same)
        return STRIDES_PACKED;
    if (opdesc_overlaps(t))
        return -1;
    return opdesc_extent(t) > opdesc_elements(t) ? STRIDES_PADDED : STRIDES_PERMUTED;
}

int64_t factor_read(const struct spec *spec, const struct factor *f, const struct opdesc *desc, int table)
{
    int64_t value = -1;
    switch (f->kind) {
    case FACTOR_LEVEL:
        return table;
    case FACTOR_TYPE:
        for (int i = 0; i < spec->field_count && value < 0; i++)
            if (field_is_tensor(&spec->fields[i]) && spec->fields[i].group == f->which)
                value = OPDESC_TENSOR(desc, i)->data_type;
        return value;
    case FACTOR_PARAMETER:
        return expr_number(spec->nodes, spec->parameters[f->which].node, desc, &value) ? value : -1;
    default:
        return factor_strides(OPDESC_TENSOR(desc, f->which));
    }
}
