/* naive_map.c: operators that compute each element from those at the same coordinates. What an operator computes is in
 * the reference device's table; here are the walk, the reading of operands, and what bugs make of them. Operators that
 * quantise are the reference device's: only the places of their tensors can be wrong. */
#include "device/mutants/naive_number.h"
#include "device/reference/quantise.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

/* ---- attributes */

/* A limit beyond all integers. */
#define NO_LIMIT ((number_integer)1 << 100)

static number_integer naive_map_nearest(FLOAT limit, number_integer truncated)
{
    return fabsf(limit) < 0x1p31f ? (number_integer)lrintf(limit) : truncated;
}

static void round_limits(const struct descriptor *d, struct map *map)
{
    if (d->type == DML_OPERATOR_ELEMENT_WISE_CLIP || d->type == DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD) {
        int clips = d->type == DML_OPERATOR_ELEMENT_WISE_CLIP;
        map->least_whole = naive_map_nearest(clips ? d->desc.clip.Min : d->desc.clip_grad.Min, map->least_whole);
        map->most_whole = naive_map_nearest(clips ? d->desc.clip.Max : d->desc.clip_grad.Max, map->most_whole);
    } else if (d->type == DML_OPERATOR_ELEMENT_WISE_THRESHOLD) {
        map->least_whole = naive_map_nearest(d->desc.threshold.Min, map->least_whole);
    }
}

static void forget_attributes(const struct descriptor *d, struct map *map)
{
    map->mode = 0;
    map->least = d->type == DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW ? 1 : -HUGE_VAL;
    map->least_whole = d->type == DML_OPERATOR_FILL_VALUE_CONSTANT ? 0 : -NO_LIMIT;
    map->most = HUGE_VAL;
    map->most_whole = NO_LIMIT;
}

static void swap_limits(struct map *map)
{
    double least = map->least;
    number_integer least_whole = map->least_whole;
    map->least = map->most;
    map->least_whole = map->most_whole;
    map->most = least;
    map->most_whole = least_whole;
}

static void misread_scale_bias(enum bug bug, struct map *map)
{
    double scale = map->scale;
    if (bug == BUG_SCALE_BIAS_IGNORED || bug == BUG_SCALE_IGNORED)
        map->scale = 1;
    if (bug == BUG_SCALE_BIAS_IGNORED || bug == BUG_BIAS_IGNORED)
        map->bias = 0;
    if (bug == BUG_SCALE_BIAS_SWAPPED) {
        map->scale = map->bias;
        map->bias = scale;
    }
}

static void misread_attributes(enum bug bug, const struct descriptor *d, struct map *map)
{
    misread_scale_bias(bug, map);
    if (bug == BUG_ATTRIBUTES_IGNORED)
        forget_attributes(d, map);
    if (bug == BUG_LIMITS_SWAPPED)
        swap_limits(map);
    if (bug == BUG_LIMITS_ROUNDED)
        round_limits(d, map);
    if (bug == BUG_MODE_NEXT)
        map->mode = (map->mode + 1) % 3;
}

/* ---- operands */

static DML_TENSOR_DATA_TYPE with_sign(DML_TENSOR_DATA_TYPE type, int is_signed)
{
    static const DML_TENSOR_DATA_TYPE pairs[][2] = {{DML_TENSOR_DATA_TYPE_UINT8, DML_TENSOR_DATA_TYPE_INT8},
                                                    {DML_TENSOR_DATA_TYPE_UINT16, DML_TENSOR_DATA_TYPE_INT16},
                                                    {DML_TENSOR_DATA_TYPE_UINT32, DML_TENSOR_DATA_TYPE_INT32},
                                                    {DML_TENSOR_DATA_TYPE_UINT64, DML_TENSOR_DATA_TYPE_INT64}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][!is_signed] == type)
            return pairs[i][is_signed];
    return type;
}

/* The type that an operand is read as. */
static DML_TENSOR_DATA_TYPE naive_map_read_as(enum bug bug, DML_TENSOR_DATA_TYPE type)
{
    return bug == BUG_UNSIGNED_AS_SIGNED || bug == BUG_SIGNED_AS_UNSIGNED
               ? with_sign(type, bug == BUG_UNSIGNED_AS_SIGNED)
               : type;
}

static double naive_map_scaled(enum bug bug, const struct map *map, double x)
{
    if (!map->has_scale_bias || bug == BUG_SCALE_BIAS_AFTER)
        return x;
    return bug == BUG_SCALE_AFTER_BIAS ? (x + map->bias) * map->scale : x * map->scale + map->bias;
}

static number_integer scaled_whole(enum bug bug, const struct map *map, number_integer x)
{
    number_integer scale = (number_integer)map->scale, bias = (number_integer)map->bias;
    if (!map->has_scale_bias || bug == BUG_SCALE_BIAS_AFTER)
        return x;
    return bug == BUG_SCALE_AFTER_BIAS ? (x + bias) * scale : x * scale + bias;
}

/* ---- an element */

/* `number`: of the element, in row-major order. */
static void compute_whole(const struct naive *n, const struct map *map, uint64_t number, uint8_t (*elements)[8],
                          uint8_t *output)
{
    number_integer x[MAP_MAX_INPUTS] = {(number_integer)number};
    for (uint32_t i = 0; i < map->input_count; i++) {
        DML_TENSOR_DATA_TYPE type = naive_map_read_as(n->bug, map->inputs[i].type);
        int bits = map->kernel->bits && !map->has_scale_bias && type == map->inputs[i].type;
        x[i] = bits ? (number_integer)number_bits(type, elements[i]) : number_whole(type, elements[i]);
    }
    x[0] = scaled_whole(n->bug, map, x[0]);
    number_integer result = naive_whole(n, map, x);
    if (n->bug == BUG_SCALE_BIAS_AFTER && map->has_scale_bias)
        result = result * (number_integer)map->scale + (number_integer)map->bias;
    naive_store_whole(n, map->output.type, result, output);
}

static void compute_real(const struct naive *n, const struct map *map, uint64_t number, uint8_t (*elements)[8],
                         uint8_t *output)
{
    double x[MAP_MAX_INPUTS] = {(double)number};
    for (uint32_t i = 0; i < map->input_count; i++)
        x[i] = number_real(naive_map_read_as(n->bug, map->inputs[i].type), elements[i]);
    x[0] = naive_map_scaled(n->bug, map, x[0]);
    double result = naive_real(n, map, x);
    if (n->bug == BUG_SCALE_BIAS_AFTER && map->has_scale_bias)
        result = result * map->scale + map->bias;
    naive_store_real(n, map->output.type, result, output);
}

/* Returns true if integers, or bits, are computed. */
static int is_whole(const struct map *map)
{
    return map->in_integers || (map->kernel->bits && !map->has_scale_bias) || !map->kernel->real;
}

/* Takes all strides of a broadcast operand as 0. */
static void flatten(const struct naive *n, struct memory *memory)
{
    int broadcast = 0;
    for (uint32_t i = 0; i < memory->tensor->rank; i++)
        broadcast |= memory->tensor->sizes[i] > 1 && memory->strides[i] == 0;
    if (n->bug == BUG_BROADCAST_FIRST && broadcast)
        memset(memory->strides, 0, sizeof memory->strides);
}

int naive_maps(DML_OPERATOR_TYPE type)
{
    return map_kernel_of(type) != NULL;
}

int naive_quantises(DML_OPERATOR_TYPE type)
{
    return quantise_kernel_of(type) != NULL;
}

void naive_quantise(const struct naive *n)
{
    struct quantise quantise = {0};
    const void *inputs[DESCRIPTOR_MAX_INPUTS] = {NULL};
    void *outputs[DESCRIPTOR_MAX_OUTPUTS] = {NULL};
    quantise_init(&quantise, n->d);
    for (uint32_t i = 0; i < n->d->input_count; i++)
        inputs[i] = n->d->inputs[i].rank > 0 ? naive_input(n, i).data : NULL;
    for (uint32_t i = 0; i < n->d->output_count; i++)
        outputs[i] = naive_output(n, i).data;
    quantise_run(&quantise, inputs, outputs);
}

/* ---- an input in the memory of the output */

/* Writes to the output before the first element is read, if a bug does. */
static void write_early(const struct naive *n, const struct map *map, const struct memory *inputs,
                        const struct memory *output)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    if (n->bug != BUG_IN_PLACE_CLEARED && (n->bug != BUG_IN_PLACE_COPIED || map->inputs[0].type != map->output.type))
        return;
    do {
        uint8_t *to = naive_at(output, at);
        if (n->bug == BUG_IN_PLACE_CLEARED)
            memset(to, 0, output->tensor->element_size);
        else
            memmove(to, naive_at(&inputs[0], at), output->tensor->element_size);
    } while (naive_step(output->tensor, at));
}

/* Stores the result at `at` to the next element, too. */
static void write_next(const struct naive *n, const struct memory *output, const uint32_t *at)
{
    uint32_t next[DESCRIPTOR_MAX_DIMENSIONS];
    memcpy(next, at, sizeof next);
    if (n->bug == BUG_IN_PLACE_PAIRS && naive_step(output->tensor, next))
        memcpy(naive_at(output, next), naive_at(output, at), output->tensor->element_size);
}

/* Computes the element at `at`, whose number is `number`. */
static void compute_at(const struct naive *n, const struct map *map, uint64_t number, const uint32_t *at,
                       const struct memory *inputs, const struct memory *output)
{
    uint8_t elements[MAP_MAX_INPUTS][8] = {{0}};
    for (uint32_t i = 0; i < map->input_count; i++)
        naive_move(map->inputs[i].type, elements[i], naive_at(&inputs[i], at));
    if (is_whole(map))
        compute_whole(n, map, number, elements, naive_at(output, at));
    else
        compute_real(n, map, number, elements, naive_at(output, at));
    write_next(n, output, at);
}

/* Returns true if the element is computed once more at the end: the last four are, if they are no full four. */
static int is_computed_twice(const struct naive *n, const struct tensor *t, uint64_t number)
{
    return n->bug == BUG_IN_PLACE_TAIL && t->count > 4 && t->count % 4 != 0 && number >= t->count - 4;
}

void naive_map(const struct naive *n)
{
    struct map map = {0};
    struct memory inputs[MAP_MAX_INPUTS], output = naive_output(n, 0);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    map_init(&map, n->d);
    map.kernel = naive_kernel(n, &map);
    misread_attributes(n->bug, n->d, &map);
    for (uint32_t i = 0; i < map.input_count; i++) {
        inputs[i] = naive_input(n, i);
        flatten(n, &inputs[i]);
    }
    write_early(n, &map, inputs, &output);
    for (int pass = 0; pass < 2; pass++) {
        uint64_t number = 0;
        do {
            uint64_t own = number++;
            if (naive_skips(n, output.tensor, own, at) || (pass > 0 && !is_computed_twice(n, output.tensor, own)))
                continue;
            compute_at(n, &map, own, at, inputs, &output);
        } while (naive_step(output.tensor, at));
        if (n->bug != BUG_IN_PLACE_TAIL)
            break;
    }
}
