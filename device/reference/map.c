#include "device/reference/map.h"

#include "device/reference/row.h"

#include <string.h>

static double scalar_real(DML_TENSOR_DATA_TYPE type, const DML_SCALAR_UNION *value)
{
    return number_real(type, value->Bytes);
}

/* Converts an attribute: FLOAT attributes count in the type of the output: integers truncate and saturate, FLOAT16
 * rounds. */
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

static void map_read_attributes(struct map *map, const struct descriptor *descriptor)
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
    case DML_OPERATOR_ACTIVATION_SHRINK: /* integers are not computed in their own type, which may have no sign */
        map->least_whole = number_truncated((double)descriptor->activation_attributes[0]);
        map->most_whole = number_truncated((double)descriptor->activation_attributes[1]);
        break;
    default:
        break;
    }
}

/* Returns true if a scale or a bias leaves the scaling of integers exact. */
static int is_exact_factor(double value)
{
    return value >= -0x1p31 && value <= 0x1p31 && value == (double)(int64_t)value;
}

/* Adds the next loop inwards. */
static void map_add_loop(struct map *map, const struct map_loop *loop)
{
    struct map_loop *outer = map->loop_count > 0 ? &map->loops[map->loop_count - 1] : NULL;
    int is_even = outer && outer->output == loop->output * (int64_t)loop->size;
    for (uint32_t i = 0; is_even && i < map->input_count; i++)
        is_even = outer->inputs[i] == loop->inputs[i] * (int64_t)loop->size;
    if (is_even) {
        uint64_t size = outer->size * loop->size;
        *outer = *loop;
        outer->size = size;
    } else {
        map->loops[map->loop_count++] = *loop;
    }
}

static void map_make_loops(struct map *map)
{
    map->loop_count = 0;
    for (uint32_t d = 0; d < map->output.rank; d++) {
        struct map_loop loop = {map->output.sizes[d], (int64_t)map->output.strides[d] * map->output.element_size, {0}};
        for (uint32_t i = 0; i < map->input_count; i++)
            loop.inputs[i] = (int64_t)map->inputs[i].strides[d] * map->inputs[i].element_size;
        if (loop.size != 1)
            map_add_loop(map, &loop);
    }
    if (map->loop_count == 0)
        map->loops[map->loop_count++] = (struct map_loop){1, 0, {0}};
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
        map->kernel->whole && (!map->has_scale_bias || (is_exact_factor(map->scale) && is_exact_factor(map->bias)));
    map->copies = !map->has_scale_bias && (descriptor->type == DML_OPERATOR_ELEMENT_WISE_IDENTITY ||
                                           descriptor->type == DML_OPERATOR_ACTIVATION_IDENTITY);
    map_read_attributes(map, descriptor);
    activation_init(&map->activation, descriptor);
    map_make_loops(map);
}

/* Elements along a loop; the first one has this row-major number. */
struct row {
    const struct map_loop *loop;
    uint64_t number, count;
    const char *inputs[MAP_MAX_INPUTS];
    char *output;
};

static void run_reals(const struct map *map, const struct row *row)
{
    _Alignas(64) double memory[MAP_MAX_INPUTS][ROW_BLOCK], result[ROW_BLOCK];
    const double *x[MAP_MAX_INPUTS];
    for (uint32_t i = 0; i < MAP_MAX_INPUTS; i++) /* a kernel may load an input that it does not use */
        x[i] = memory[i < map->input_count ? i : 0];
    for (uint32_t i = 0; i < map->input_count; i++)
        row_load(map->inputs[i].type, row->inputs[i], row->loop->inputs[i], row->count, memory[i]);
    for (uint64_t i = 0; map->input_count == 0 && i < row->count; i++)
        memory[0][i] = (double)(row->number + i);
    for (uint64_t i = 0; map->has_scale_bias && i < row->count; i++)
        memory[0][i] = memory[0][i] * map->scale + map->bias;
    map->kernel->reals(map, x, row->count, result);
    row_store(&map->output, result, row->count, row->output, row->loop->output);
}

/* Returns true if the rows have FLOAT32 elements next to each other, which need not be scaled. */
static int map_has_singles(const struct map *map, const struct map_loop *loop)
{
    const DML_TENSOR_DATA_TYPE type = DML_TENSOR_DATA_TYPE_FLOAT32;
    int has = map->input_count > 0 && !map->has_scale_bias && map->output.type == type && loop->output == 4;
    for (uint32_t i = 0; i < map->input_count; i++)
        has &= map->inputs[i].type == type && loop->inputs[i] == 4;
    return has;
}

/* Computes the same as run_reals(), without rows of doubles on the way. */
static void run_singles(const struct map *map, const struct row *row)
{
    _Alignas(64) float result[ROW_BLOCK];
    const char *x[MAP_MAX_INPUTS];
    for (uint32_t i = 0; i < MAP_MAX_INPUTS; i++)
        x[i] = row->inputs[i < map->input_count ? i : 0];
    map->kernel->singles(map, x, row->count, result);
    row_copy(&map->output, (const char *)result, row->count, row->output);
}

static void run_wholes(const struct map *map, const struct row *row)
{
    _Alignas(64) number_integer memory[MAP_MAX_INPUTS][ROW_BLOCK], result[ROW_BLOCK];
    const number_integer *x[MAP_MAX_INPUTS];
    for (uint32_t i = 0; i < MAP_MAX_INPUTS; i++)
        x[i] = memory[i < map->input_count ? i : 0];
    for (uint32_t i = 0; i < map->input_count; i++)
        if (map->kernel->bits && !map->has_scale_bias)
            row_load_bits(map->inputs[i].type, row->inputs[i], row->loop->inputs[i], row->count, memory[i]);
        else
            row_load_whole(map->inputs[i].type, row->inputs[i], row->loop->inputs[i], row->count, memory[i]);
    for (uint64_t i = 0; map->input_count == 0 && i < row->count; i++)
        memory[0][i] = (number_integer)(row->number + i);
    for (uint64_t i = 0; map->has_scale_bias && i < row->count; i++)
        memory[0][i] = memory[0][i] * (number_integer)map->scale + (number_integer)map->bias;
    map->kernel->wholes(map, x, row->count, result);
    row_store_whole(&map->output, result, row->count, row->output, row->loop->output);
}

/* Runs a row, a block at a time: each element of the inputs is read before the same offset of the output is written. */
static void run_row(const struct map *map, struct row row)
{
    const int in_integers = map->in_integers || (map->kernel->bits && !map->has_scale_bias);
    const uint32_t bytes = map->output.element_size;
    const int singles = map_has_singles(map, row.loop);
    if (map->copies && row.loop->output == bytes && row.loop->inputs[0] == bytes) {
        row_copy(&map->output, row.inputs[0], row.loop->size, row.output); /* the memory may be the same, in place */
        return;
    }
    for (uint64_t left = row.loop->size; left > 0; left -= row.count) {
        row.count = row_block(&map->output, left);
        if (in_integers)
            run_wholes(map, &row);
        else if (singles)
            run_singles(map, &row);
        else
            run_reals(map, &row);
        row.number += row.count;
        row.output += (int64_t)row.count * row.loop->output;
        for (uint32_t i = 0; i < map->input_count; i++)
            row.inputs[i] += (int64_t)row.count * row.loop->inputs[i];
    }
}

static void step_row(struct row *row, const struct map *map, const struct map_loop *loop, int64_t count)
{
    row->output += count * loop->output;
    for (uint32_t i = 0; i < map->input_count; i++)
        row->inputs[i] += count * loop->inputs[i];
}

void map_run(const struct map *map, const void *const *inputs, void *output)
{
    const uint32_t outer = map->loop_count - 1;
    uint64_t counters[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    struct row row = {.loop = &map->loops[outer], .output = output};
    uint32_t d;
    for (uint32_t i = 0; i < map->input_count; i++)
        row.inputs[i] = inputs[i];
    do {
        run_row(map, row);
        row.number += row.loop->size;
        for (d = outer; d-- > 0;) {
            const struct map_loop *loop = &map->loops[d];
            step_row(&row, map, loop, 1);
            if (++counters[d] < loop->size)
                break;
            step_row(&row, map, loop, -(int64_t)loop->size);
            counters[d] = 0;
        }
    } while (d < outer);
}
