#include "device/reference/map.h"

static double scalar_real(DML_TENSOR_DATA_TYPE type, const DML_SCALAR_UNION *value)
{
    return number_real(type, value->Bytes);
}

/* FLOAT attributes count in the type of the output: integers truncate and saturate, FLOAT16 rounds. */
static void cast(DML_TENSOR_DATA_TYPE type, FLOAT value, double *real, number_integer *whole)
{
    unsigned char element[8];
    number_store_real(type, (double)value, element);
    *real = number_real(type, element);
    *whole = number_whole(type, element);
}

static void read_scalars(struct map *map, DML_TENSOR_DATA_TYPE type, const DML_SCALAR_UNION *least,
                         const DML_SCALAR_UNION *most)
{
    map->least = scalar_real(type, least);
    map->least_whole =
        number_is_float(type) ? (number_integer)number_bits(type, least->Bytes) : number_whole(type, least->Bytes);
    if (!most)
        return;
    map->most = scalar_real(type, most);
    map->most_whole = number_whole(type, most->Bytes);
}

static void read_floats(struct map *map, DML_TENSOR_DATA_TYPE type, FLOAT least, FLOAT most)
{
    cast(type, least, &map->least, &map->least_whole);
    cast(type, most, &map->most, &map->most_whole);
}

static void read_attributes(struct map *map, const struct descriptor *descriptor)
{
    const union descriptor_struct *desc = &descriptor->desc;
    DML_TENSOR_DATA_TYPE type = map->output.type;
    switch (descriptor->type) {
    case DML_OPERATOR_ELEMENT_WISE_CLIP:
        read_floats(map, type, desc->clip.Min, desc->clip.Max);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD:
        read_floats(map, type, desc->clip_grad.Min, desc->clip_grad.Max);
        break;
    case DML_OPERATOR_ELEMENT_WISE_THRESHOLD:
        read_floats(map, type, desc->threshold.Min, 0);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW:
        map->least = (double)desc->constant_pow.Exponent;
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP1:
        read_scalars(map, type, &desc->clip1.Min, &desc->clip1.Max);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1:
        read_scalars(map, type, &desc->clip_grad1.Min, &desc->clip_grad1.Max);
        break;
    case DML_OPERATOR_FILL_VALUE_CONSTANT:
        read_scalars(map, type, &desc->fill_constant.Value, NULL);
        break;
    case DML_OPERATOR_FILL_VALUE_SEQUENCE:
        read_scalars(map, type, &desc->fill_sequence.ValueStart, &desc->fill_sequence.ValueDelta);
        break;
    case DML_OPERATOR_ELEMENT_WISE_ROUND:
        map->mode = (uint32_t)desc->round.RoundingMode;
        break;
    case DML_OPERATOR_ELEMENT_WISE_IS_INFINITY:
        map->mode = (uint32_t)desc->is_infinity.InfinityMode;
        break;
    case DML_OPERATOR_ACTIVATION_SHRINK: /* of integers: not in their type, which may have no sign */
        map->least_whole = number_truncated((double)descriptor->activation_attributes[0]);
        map->most_whole = number_truncated((double)descriptor->activation_attributes[1]);
        break;
    default:
        break;
    }
}

/* Integers are scaled exactly by such numbers. */
static int is_small_integer(double value)
{
    return value >= -0x1p31 && value <= 0x1p31 && value == (double)(int64_t)value;
}

void map_init(struct map *map, const struct descriptor *descriptor)
{
    map->kernel = map_kernel_of(descriptor->type);
    map->input_count = descriptor->input_count;
    map->output = descriptor->outputs[0];
    map->in_integers = !number_is_float(map->output.type);
    for (uint32_t i = 0; i < map->input_count; i++) {
        map->inputs[i] = descriptor->inputs[i];
        map->in_integers &= !number_is_float(map->inputs[i].type);
    }
    map->has_scale_bias = descriptor->has_scale_bias;
    map->scale = (double)descriptor->scale_bias.Scale;
    map->bias = (double)descriptor->scale_bias.Bias;
    map->in_integers &=
        map->kernel->whole && (!map->has_scale_bias || (is_small_integer(map->scale) && is_small_integer(map->bias)));
    read_attributes(map, descriptor);
    activation_init(&map->activation, descriptor);
}

static void run_element(const struct map *map, uint64_t number, const char *const *inputs, char *output)
{
    if (map->in_integers || (map->kernel->bits && !map->has_scale_bias)) {
        number_integer x[MAP_MAX_INPUTS] = {(number_integer)number};
        for (uint32_t i = 0; i < map->input_count; i++)
            x[i] = map->kernel->bits && !map->has_scale_bias
                       ? (number_integer)number_bits(map->inputs[i].type, inputs[i])
                       : number_whole(map->inputs[i].type, inputs[i]);
        if (map->has_scale_bias)
            x[0] = x[0] * (number_integer)map->scale + (number_integer)map->bias;
        number_store_whole(map->output.type, map->kernel->whole(map, x), output);
    } else {
        double x[MAP_MAX_INPUTS] = {(double)number};
        for (uint32_t i = 0; i < map->input_count; i++)
            x[i] = number_real(map->inputs[i].type, inputs[i]);
        if (map->has_scale_bias)
            x[0] = x[0] * map->scale + map->bias;
        number_store_real(map->output.type, map->kernel->real(map, x), output);
    }
}

void map_run(const struct map *map, const void *const *inputs, void *output)
{
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    const char *from[MAP_MAX_INPUTS];
    char *to = output;
    for (uint32_t i = 0; i < map->input_count; i++)
        from[i] = inputs[i];
    for (uint64_t n = 0; n < map->output.count; n++) {
        run_element(map, n, from, to);
        for (uint32_t d = map->output.rank; d-- > 0;) {
            const struct tensor *out = &map->output;
            int64_t back = ++coordinates[d] < out->sizes[d] ? -1 : (int64_t)out->sizes[d] - 1;
            to -= back * (int64_t)out->strides[d] * (int64_t)out->element_size;
            for (uint32_t i = 0; i < map->input_count; i++)
                from[i] -= back * (int64_t)map->inputs[i].strides[d] * (int64_t)map->inputs[i].element_size;
            if (back < 0)
                break;
            coordinates[d] = 0;
        }
    }
}
