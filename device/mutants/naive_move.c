/* naive_move.c: operators that move elements to places that attributes alone decide. For each element of an output,
 * this finds the element of an input that it copies. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

/* The origin of an output element: element `at` of input `input`; -1: `fill`. */
struct origin {
    int input;
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t fill;
    int is_lost; /* a bug writes nothing here */
};

static int64_t clamped(int64_t place, int64_t size)
{
    if (place < 0)
        return 0;
    return place < size ? place : size - 1;
}

/* ---- slices */

static int64_t stride_of(const struct naive *n, uint32_t i)
{
    uint32_t bits = n->d->lists[2][n->bug == BUG_STEPS_FIRST ? 0 : i];
    int64_t stride = n->d->type == DML_OPERATOR_SLICE ? (int64_t)bits : (int64_t)(int32_t)bits;
    if (n->bug == BUG_STEPS_IGNORED)
        return 1;
    return n->bug == BUG_STEPS_POSITIVE && stride < 0 ? -stride : stride;
}

/* The place in the whole of element c of the part, which has `size` elements. */
static int64_t place_in_window(const struct naive *n, const struct tensor *whole, uint32_t i, int64_t c, int64_t size)
{
    int64_t offset = n->bug == BUG_OFFSETS_IGNORED ? 0 : n->d->lists[0][i], stride = stride_of(n, i);
    if (stride >= 0)
        return offset + stride * c;
    if (n->bug == BUG_STEPS_ALIGNED)
        return offset - stride * (size - 1 - c);
    if (n->bug == BUG_WINDOW_FROM_END)
        return whole->sizes[i] - 1 + stride * c;
    return offset + n->d->lists[1][i] - 1 + stride * c;
}

static void find_slice(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *whole = &n->d->inputs[0], *part = &n->d->outputs[0];
    for (uint32_t i = 0; i < whole->rank; i++)
        origin->at[i] = (uint32_t)clamped(place_in_window(n, whole, i, at[i], part->sizes[i]), whole->sizes[i]);
}

/* The windows are even, so their first two places say where all are. */
static void find_gradient(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *part = &n->d->inputs[0], *whole = &n->d->outputs[0];
    for (uint32_t i = 0; i < whole->rank; i++) {
        int64_t first = place_in_window(n, whole, i, 0, part->sizes[i]);
        int64_t leap = place_in_window(n, whole, i, 1, part->sizes[i]) - first, way = at[i] - first;
        if (way % leap != 0 || way / leap < 0 || way / leap >= part->sizes[i]) {
            origin->input = -1;
            origin->is_lost = n->bug == BUG_GRADIENT_KEPT;
            return;
        }
        origin->at[i] = (uint32_t)(way / leap);
    }
}

/* ---- parts */

/* The part that has place `*along` of the axis, which becomes a place in the part. */
static uint32_t part_of(const struct naive *n, const struct tensor *parts, uint32_t count, uint32_t *along)
{
    uint32_t part = 0, first = parts[0].sizes[n->d->axis];
    if (n->bug == BUG_PARTS_EQUAL) {
        part = *along / first < count ? *along / first : count - 1;
        *along = (uint32_t)clamped((int64_t)*along - (int64_t)part * first, parts[part].sizes[n->d->axis]);
        return part;
    }
    while (*along >= parts[part].sizes[n->d->axis])
        *along -= parts[part++].sizes[n->d->axis];
    return part;
}

/* The element with row-major number `number` of the parts, one after the other. */
static uint32_t part_in_memory(const struct tensor *parts, uint64_t number, uint32_t *at)
{
    uint32_t part = 0;
    while (number >= parts[part].count)
        number -= parts[part++].count;
    for (uint32_t i = parts[part].rank; i-- > 0; number /= parts[part].sizes[i])
        at[i] = (uint32_t)(number % parts[part].sizes[i]);
    return part;
}

static uint64_t naive_move_number_of(const struct tensor *tensor, const uint32_t *at)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        number = number * tensor->sizes[i] + at[i];
    return number;
}

static void naive_move_keep_inside(const struct tensor *tensor, uint32_t *at)
{
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (at[i] >= tensor->sizes[i])
            at[i] = tensor->sizes[i] - 1;
}

static void find_joined(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *parts = n->d->inputs;
    memcpy(origin->at, at, sizeof origin->at);
    if (n->bug == BUG_PARTS_FIRST_AXIS) {
        origin->input = (int)part_in_memory(parts, naive_move_number_of(&n->d->outputs[0], at), origin->at);
        return;
    }
    uint32_t part = part_of(n, parts, n->d->input_count, &origin->at[n->d->axis]);
    if (n->bug == BUG_PARTS_OF_EIGHT)
        part %= 8;
    origin->input = (int)part;
    naive_move_keep_inside(&parts[part], origin->at);
}

static void find_split(const struct naive *n, uint32_t output, const uint32_t *at, struct origin *origin)
{
    const struct tensor *parts = n->d->outputs, *whole = &n->d->inputs[0];
    uint64_t before = 0, number = naive_move_number_of(&parts[output], at);
    if (n->bug == BUG_PARTS_OF_EIGHT)
        output %= 8;
    for (uint32_t k = 0; k < output; k++) {
        before += parts[n->bug == BUG_PARTS_EQUAL ? 0 : k].sizes[n->d->axis];
        number += parts[k].count;
    }
    memcpy(origin->at, at, sizeof origin->at);
    origin->at[n->d->axis] = (uint32_t)clamped((int64_t)(before + at[n->d->axis]), whole->sizes[n->d->axis]);
    if (n->bug == BUG_PARTS_FIRST_AXIS)
        part_in_memory(whole, number % whole->count, origin->at);
}

/* ---- tiles and paddings */

static void find_tile(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *input = &n->d->inputs[0];
    for (uint32_t i = 0; i < input->rank; i++) {
        int repeats = n->bug == BUG_TILE_ELEMENTS || (n->bug == BUG_TILE_LAST_ONLY && i + 2 < input->rank);
        origin->at[i] = repeats ? at[i] / n->d->lists[0][i] : at[i] % input->sizes[i];
        if (n->bug == BUG_TILE_OF_SIXTEEN && i + 1 == input->rank && at[i] >= 16 * input->sizes[i])
            origin->at[i] = 0;
    }
}

static uint32_t mode_of(const struct naive *n)
{
    uint32_t mode = (uint32_t)(n->d->type == DML_OPERATOR_PADDING1 ? n->d->desc.padding1.PaddingMode
                                                                   : n->d->desc.padding.PaddingMode);
    if (n->bug == BUG_PADDING_MODE_NEXT)
        mode = mode == DML_PADDING_MODE_WRAP ? DML_PADDING_MODE_EDGE : mode + 1;
    return mode;
}

/* The mirror image of a place outside. `twice`: 1 if the element at the end has an image, too; else 0. */
static int64_t image_of(int64_t place, int64_t size, int64_t twice)
{
    return place < 0 ? -place - twice : 2 * size - 2 + twice - place;
}

/* Steps from the place toward the tensor, turning at its ends, until it is inside. */
static int64_t walked(const struct naive *n, uint32_t mode, int64_t place, int64_t size)
{
    int64_t twice = mode == DML_PADDING_MODE_SYMMETRIC || n->bug == BUG_PADDING_EDGE_TWICE;
    if (mode == DML_PADDING_MODE_EDGE || size == 1)
        return clamped(place, size);
    if (mode == DML_PADDING_MODE_WRAP)
        return (place % size + size) % size;
    if (n->bug == BUG_PADDING_ONCE)
        return clamped(place < 0 || place >= size ? image_of(place, size, twice) : place, size);
    place %= 2 * (twice ? size : size - 1); /* a whole period changes nothing */
    while (place < 0 || place >= size)
        place = image_of(place, size, twice);
    return place;
}

/* True if a bug takes the value of the padding as 0. */
static int is_lost_value(const struct naive *n, uint64_t bits)
{
    unsigned type = (unsigned)n->d->outputs[0].type;
    double value = datatype_of(type)->is_float ? datatype_to_double(type, &bits) : 1;
    return (n->bug == BUG_PADDING_NAN && isnan(value)) ||
           (n->bug == BUG_PADDING_MINUS_ZERO && value == 0 && signbit(value));
}

static uint64_t padding_value(const struct naive *n)
{
    DML_TENSOR_DATA_TYPE type = n->d->outputs[0].type;
    uint64_t bits = 0;
    if (n->bug == BUG_PADDING_ZERO)
        return 0;
    if (n->d->type == DML_OPERATOR_PADDING1) {
        memcpy(&bits, n->d->desc.padding1.PaddingValue.Bytes, n->d->outputs[0].element_size);
        if (is_lost_value(n, bits))
            return 0;
        if (n->bug == BUG_PADDING_AS_FLOAT) {
            float value = n->d->desc.padding1.PaddingValue.Float32;
            bits = 0;
            datatype_from_double(type, fabsf(value) < 1e6f ? (double)value : 0, &bits);
        }
        return bits;
    }
    double value = (double)n->d->desc.padding.PaddingValue;
    int is_float = datatype_of((unsigned)type)->is_float;
    if (!is_float)
        value = n->bug == BUG_PADDING_ROUNDED ? round(value) : trunc(value);
    if (!is_float && value >= 0x1p63)
        bits = value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
    else if (is_float || (value >= -0x1p63 && value < 0x1p63))
        datatype_from_double(type, value, &bits);
    return bits;
}

static void find_padded(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *input = &n->d->inputs[0];
    const uint32_t *before = n->d->lists[n->bug == BUG_PADDING_SWAPPED ? 1 : 0];
    uint32_t mode = mode_of(n);
    for (uint32_t i = 0; i < input->rank; i++) {
        int64_t place = (int64_t)at[i] - before[i], size = input->sizes[i];
        if (n->bug == BUG_PADDING_SIX && input->rank >= 6 && i == 0 && place < 0)
            place = 0;
        if (mode == DML_PADDING_MODE_CONSTANT && (place < 0 || place >= size)) {
            origin->input = -1;
            origin->fill = padding_value(n);
            return;
        }
        origin->at[i] = (uint32_t)(mode == DML_PADDING_MODE_CONSTANT ? place : walked(n, mode, place, size));
    }
}

/* ---- blocks */

static int is_to_space(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_DEPTH_TO_SPACE || type == DML_OPERATOR_DEPTH_TO_SPACE1;
}

static int is_depth_first(const struct naive *n)
{
    uint32_t block = n->d->desc.space_to_depth1.BlockSize;
    if (n->bug == BUG_BLOCKS_OF_THREE && block >= 3 && n->d->outputs[0].sizes[1] > 1)
        return 1;
    int has_order = n->d->type == DML_OPERATOR_DEPTH_TO_SPACE1 || n->d->type == DML_OPERATOR_SPACE_TO_DEPTH1;
    int first = !has_order || n->d->desc.space_to_depth1.Order == DML_DEPTH_SPACE_ORDER_DEPTH_COLUMN_ROW;
    return n->bug == BUG_BLOCK_ORDER_OTHER ? !first : first;
}

/* Into `deep`: the coordinates in the deep tensor of those in the flat one. */
static void to_deep(const struct naive *n, uint32_t block, uint32_t channels, const uint32_t *flat, uint32_t *deep)
{
    uint32_t y = flat[2] % block, x = flat[3] % block;
    uint32_t place = n->bug == BUG_BLOCKS_TRANSPOSED ? x * block + y : y * block + x;
    deep[0] = flat[0];
    deep[1] = is_depth_first(n) ? place * channels + flat[1] : flat[1] * block * block + place;
    deep[2] = flat[2] / block;
    deep[3] = flat[3] / block;
}

/* The other way round. */
static void to_flat(const struct naive *n, uint32_t block, uint32_t channels, const uint32_t *deep, uint32_t *flat)
{
    uint32_t area = block * block, place = is_depth_first(n) ? deep[1] / channels : deep[1] % area;
    uint32_t y = place / block, x = place % block;
    flat[0] = deep[0];
    flat[1] = is_depth_first(n) ? deep[1] % channels : deep[1] / area;
    flat[2] = deep[2] * block + (n->bug == BUG_BLOCKS_TRANSPOSED ? x : y);
    flat[3] = deep[3] * block + (n->bug == BUG_BLOCKS_TRANSPOSED ? y : x);
}

static void naive_move_find_block(const struct naive *n, const uint32_t *at, struct origin *origin)
{
    const struct tensor *output = &n->d->outputs[0], *input = &n->d->inputs[0];
    uint32_t block = n->d->desc.space_to_depth1.BlockSize;
    uint32_t channels = is_to_space(n->d->type) ? output->sizes[1] : input->sizes[1];
    if (n->bug == BUG_BLOCKS_OF_TWO && block == 4) {
        block = 2;
        channels *= 4;
    }
    if (is_to_space(n->d->type))
        to_deep(n, block, channels, at, origin->at);
    else
        to_flat(n, block, channels, at, origin->at);
    naive_move_keep_inside(input, origin->at);
}

/* ---- running */

static void naive_move_find(const struct naive *n, uint32_t output, const uint32_t *at, struct origin *origin)
{
    switch ((int)n->d->type) {
    case DML_OPERATOR_SLICE:
    case DML_OPERATOR_SLICE1:
        find_slice(n, at, origin);
        break;
    case DML_OPERATOR_SLICE_GRAD:
        find_gradient(n, at, origin);
        break;
    case DML_OPERATOR_JOIN:
        find_joined(n, at, origin);
        break;
    case DML_OPERATOR_SPLIT:
        find_split(n, output, at, origin);
        break;
    case DML_OPERATOR_TILE:
        find_tile(n, at, origin);
        break;
    case DML_OPERATOR_PADDING:
    case DML_OPERATOR_PADDING1:
        find_padded(n, at, origin);
        break;
    default:
        naive_move_find_block(n, at, origin);
    }
}

/* A part in memory. A bug takes the strides of the first one for all, where that stays inside. */
static struct memory naive_move_bind(const struct naive *n, struct memory memory, const struct memory *first)
{
    uint64_t extent = 1;
    for (uint32_t i = 0; i < memory.tensor->rank; i++)
        extent += (memory.tensor->sizes[i] - 1ull) * first->strides[i];
    if (n->bug == BUG_PART_STRIDES_FIRST && extent * memory.tensor->element_size <= memory.tensor->bytes)
        memcpy(memory.strides, first->strides, sizeof memory.strides);
    return memory;
}

static void write_output(const struct naive *n, uint32_t number)
{
    struct memory first_out = naive_output(n, 0), first_in = naive_input(n, 0);
    struct memory output = naive_move_bind(n, naive_output(n, number), &first_out);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t element = 0;
    do {
        struct origin origin = {0};
        naive_move_find(n, number, at, &origin);
        if (origin.is_lost || naive_skips(n, output.tensor, element++, at))
            continue;
        uint8_t *to = naive_at(&output, at);
        if (origin.input < 0) {
            memcpy(to, &origin.fill, output.tensor->element_size);
        } else {
            struct memory input = naive_move_bind(n, naive_input(n, (uint32_t)origin.input), &first_in);
            naive_move(output.tensor->type, to, naive_at(&input, origin.at));
        }
    } while (naive_step(output.tensor, at));
}

void naive_shift(const struct naive *n)
{
    for (uint32_t i = 0; i < n->d->output_count; i++)
        write_output(n, i);
}
