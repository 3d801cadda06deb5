/* move.c: each operator is a fill of the whole output, if it needs one, and then loop nests that copy: one for each
 * tensor of an array. A loop steps evenly through both tensors, or folds its counter into the input. */
#include "device/reference/move.h"

#include "device/common/number.h"

#include <string.h>

enum { MAX_LOOPS = DESCRIPTOR_MAX_DIMENSIONS };

/* The ways in which a loop replaces a coordinate outside the input by one inside. */
enum fold { FOLD_NONE, FOLD_EDGE, FOLD_REFLECTION, FOLD_SYMMETRIC, FOLD_WRAP };

/* A loop of a copy. Steps are in bytes. With a fold, a counter c reads element fold(c - before) of `extent`
 * elements. */
struct loop {
    uint64_t size;
    int64_t to, from;
    enum fold fold;
    int64_t before, extent;
};

struct copy {
    uint32_t width; /* bytes of an element */
    uint32_t loop_count;
    int64_t to, from;             /* offsets of the first element, in bytes */
    struct loop loops[MAX_LOOPS]; /* outermost first */
};

/* ---- running a copy */

static int64_t remainder_of(int64_t a, int64_t b)
{
    return (a % b + b) % b;
}

static int64_t fold(enum fold how, int64_t place, int64_t extent)
{
    switch (how) {
    case FOLD_EDGE:
        if (place < 0)
            return 0;
        return place < extent ? place : extent - 1;
    case FOLD_REFLECTION: /* the edge is not repeated */
        place = extent == 1 ? 0 : remainder_of(place, 2 * extent - 2);
        return place < extent ? place : 2 * extent - 2 - place;
    case FOLD_SYMMETRIC:
        place = remainder_of(place, 2 * extent);
        return place < extent ? place : 2 * extent - 1 - place;
    case FOLD_WRAP:
        return remainder_of(place, extent);
    default:
        return place;
    }
}

static int64_t source(const struct loop *loop, uint64_t counter)
{
    return loop->fold == FOLD_NONE ? (int64_t)counter * loop->from
                                   : fold(loop->fold, (int64_t)counter - loop->before, loop->extent) * loop->from;
}

/* Runs the innermost loop; `width` is a constant in each of its uses. */
static inline __attribute__((always_inline)) void run_of_width(const struct loop *loop, char *to, const char *from,
                                                               size_t width)
{
    if (loop->fold == FOLD_NONE)
        for (uint64_t i = 0; i < loop->size; i++)
            memcpy(to + (int64_t)i * loop->to, from + (int64_t)i * loop->from, width);
    else
        for (uint64_t i = 0; i < loop->size; i++)
            memcpy(to + (int64_t)i * loop->to, from + source(loop, i), width);
}

static void run_loop(const struct loop *loop, char *to, const char *from, uint32_t width)
{
    if (loop->fold == FOLD_NONE && loop->to == width && loop->from == width)
        memcpy(to, from, loop->size * width);
    else if (width == 8)
        run_of_width(loop, to, from, 8);
    else if (width == 4)
        run_of_width(loop, to, from, 4);
    else if (width == 2)
        run_of_width(loop, to, from, 2);
    else
        run_of_width(loop, to, from, 1);
}

static void run_copy(const struct copy *copy, char *to, const char *from)
{
    static const struct loop once = {.size = 1};
    uint32_t outer = copy->loop_count ? copy->loop_count - 1 : 0;
    const struct loop *inner = copy->loop_count ? &copy->loops[outer] : &once;
    uint64_t counters[MAX_LOOPS] = {0};

    for (;;) {
        int64_t t = copy->to, f = copy->from;
        uint32_t i = outer;
        for (uint32_t k = 0; k < outer; k++) {
            t += (int64_t)counters[k] * copy->loops[k].to;
            f += source(&copy->loops[k], counters[k]);
        }
        run_loop(inner, to + t, from + f, copy->width);
        while (i > 0 && ++counters[i - 1] == copy->loops[i - 1].size)
            counters[--i] = 0;
        if (i == 0)
            return;
    }
}

/* ---- building copies */

static void copy_add_loop(struct copy *copy, uint64_t size, int64_t to, int64_t from)
{
    if (size > 1)
        copy->loops[copy->loop_count++] = (struct loop){.size = size, .to = to, .from = from};
}

static int64_t step_bytes(const struct tensor *tensor, uint32_t dimension)
{
    return (int64_t)tensor->strides[dimension] * tensor->element_size;
}

/* Copies every element of the part of `to`, or of `from`, that has the sizes `sizes` and begins at the first element of
 * the copy. */
static void copy_part(const struct copy *start, const struct tensor *to, const struct tensor *from,
                      const uint32_t *sizes, void *target, const void *origin)
{
    struct copy copy = *start;
    copy.width = to->element_size;
    for (uint32_t i = 0; i < to->rank; i++)
        copy_add_loop(&copy, sizes[i], step_bytes(to, i), step_bytes(from, i));
    run_copy(&copy, target, origin);
}

/* Writes one element everywhere. */
static void fill_target(const struct tensor *tensor, const void *element, void *target)
{
    struct copy copy = {.width = tensor->element_size};
    for (uint32_t i = 0; i < tensor->rank; i++)
        copy_add_loop(&copy, tensor->sizes[i], step_bytes(tensor, i), 0);
    run_copy(&copy, target, element);
}

static void slice(const struct descriptor *d, const void *input, void *output)
{
    const struct tensor *from = &d->inputs[0], *to = &d->outputs[0];
    struct copy copy = {.width = to->element_size};
    for (uint32_t i = 0; i < to->rank; i++) {
        copy.from += d->lists[0][i] * step_bytes(from, i);
        copy_add_loop(&copy, to->sizes[i], step_bytes(to, i), d->lists[2][i] * step_bytes(from, i));
    }
    run_copy(&copy, output, input);
}

/* Copies between the windows of `whole` and the elements of `part`. `is_gradient`: the windows are written. */
static void copy_windows(const struct descriptor *d, const struct tensor *whole, const struct tensor *part,
                         int is_gradient, const void *input, void *output)
{
    struct copy copy = {.width = whole->element_size};
    int64_t *start = is_gradient ? &copy.to : &copy.from;
    for (uint32_t i = 0; i < whole->rank; i++) {
        int64_t stride = (int32_t)d->lists[2][i], window = d->lists[1][i];
        int64_t first = d->lists[0][i] + (stride < 0 ? window - 1 : 0), leap = stride * step_bytes(whole, i);
        *start += first * step_bytes(whole, i);
        copy_add_loop(&copy, part->sizes[i], is_gradient ? leap : step_bytes(part, i),
                      is_gradient ? step_bytes(part, i) : leap);
    }
    run_copy(&copy, output, input);
}

static void slice_gradient(const struct descriptor *d, const void *input, void *output)
{
    static const uint64_t zero;
    fill_target(&d->outputs[0], &zero, output);
    copy_windows(d, &d->outputs[0], &d->inputs[0], 1, input, output);
}

static void split(const struct descriptor *d, const void *input, void *const *outputs)
{
    struct copy copy = {0};
    for (uint32_t k = 0; k < d->output_count; k++) {
        copy_part(&copy, &d->outputs[k], &d->inputs[0], d->outputs[k].sizes, outputs[k], input);
        copy.from += d->outputs[k].sizes[d->axis] * step_bytes(&d->inputs[0], d->axis);
    }
}

static void join(const struct descriptor *d, const void *const *inputs, void *output)
{
    struct copy copy = {0};
    for (uint32_t k = 0; k < d->input_count; k++) {
        copy_part(&copy, &d->outputs[0], &d->inputs[k], d->inputs[k].sizes, output, inputs[k]);
        copy.to += d->inputs[k].sizes[d->axis] * step_bytes(&d->outputs[0], d->axis);
    }
}

/* Copies so that every output element is the input element at its coordinates minus `before`, folded. */
static void copy_folded(const struct descriptor *d, enum fold how, const uint32_t *before, const void *input,
                        void *output)
{
    const struct tensor *from = &d->inputs[0], *to = &d->outputs[0];
    struct copy copy = {.width = to->element_size};
    for (uint32_t i = 0; i < to->rank; i++) {
        uint32_t loop = copy.loop_count;
        copy_add_loop(&copy, to->sizes[i], step_bytes(to, i), step_bytes(from, i));
        if (copy.loop_count > loop && to->sizes[i] > from->sizes[i]) {
            copy.loops[loop].fold = how;
            copy.loops[loop].before = before[i];
            copy.loops[loop].extent = from->sizes[i];
        }
    }
    run_copy(&copy, output, input);
}

static void pad(const struct descriptor *d, const void *input, void *output)
{
    static const enum fold folds[] = {
        [DML_PADDING_MODE_EDGE] = FOLD_EDGE,
        [DML_PADDING_MODE_REFLECTION] = FOLD_REFLECTION,
        [DML_PADDING_MODE_SYMMETRIC] = FOLD_SYMMETRIC,
        [DML_PADDING_MODE_WRAP] = FOLD_WRAP,
    };
    const struct tensor *from = &d->inputs[0], *to = &d->outputs[0];
    int is_typed = d->type == DML_OPERATOR_PADDING1;
    DML_PADDING_MODE mode = is_typed ? d->desc.padding1.PaddingMode : d->desc.padding.PaddingMode;
    struct copy copy = {0};
    unsigned char value[8] = {0};

    if (mode != DML_PADDING_MODE_CONSTANT) {
        copy_folded(d, folds[mode], d->lists[0], input, output);
        return;
    }
    if (is_typed)
        memcpy(value, d->desc.padding1.PaddingValue.Bytes, sizeof value);
    else
        number_store_real(to->type, (double)d->desc.padding.PaddingValue, value);
    fill_target(to, value, output);
    for (uint32_t i = 0; i < to->rank; i++)
        copy.to += d->lists[0][i] * step_bytes(to, i);
    copy_part(&copy, to, from, from->sizes, output, input);
}

/* Moves blocks: channel (y * B + x) * C + k of the deep tensor, or (k * B + y) * B + x, is row y, column x in the
 * blocks of channel k of the flat one. */
static void move_blocks(const struct descriptor *d, const void *input, void *output)
{
    int to_space = d->type == DML_OPERATOR_DEPTH_TO_SPACE || d->type == DML_OPERATOR_DEPTH_TO_SPACE1;
    int has_order = d->type == DML_OPERATOR_DEPTH_TO_SPACE1 || d->type == DML_OPERATOR_SPACE_TO_DEPTH1;
    const struct tensor *deep = to_space ? &d->inputs[0] : &d->outputs[0];
    const struct tensor *flat = to_space ? &d->outputs[0] : &d->inputs[0];
    int64_t block = d->desc.space_to_depth1.BlockSize, channel = step_bytes(deep, 1);
    int depth_last = has_order && d->desc.space_to_depth1.Order == DML_DEPTH_SPACE_ORDER_COLUMN_ROW_DEPTH;
    int64_t of_x = depth_last ? channel : flat->sizes[1] * channel,
            of_k = depth_last ? block * block * channel : channel;
    const struct {
        uint64_t size;
        int64_t flat, deep;
    } loops[] = {
        {flat->sizes[0], step_bytes(flat, 0), step_bytes(deep, 0)},
        {flat->sizes[1], step_bytes(flat, 1), of_k},
        {deep->sizes[2], block * step_bytes(flat, 2), step_bytes(deep, 2)},
        {(uint64_t)block, step_bytes(flat, 2), block * of_x},
        {deep->sizes[3], block * step_bytes(flat, 3), step_bytes(deep, 3)},
        {(uint64_t)block, step_bytes(flat, 3), of_x},
    };
    struct copy copy = {.width = deep->element_size};
    for (uint32_t i = 0; i < sizeof loops / sizeof *loops; i++)
        copy_add_loop(&copy, loops[i].size, to_space ? loops[i].flat : loops[i].deep,
                      to_space ? loops[i].deep : loops[i].flat);
    run_copy(&copy, output, input);
}

void move_run(const struct descriptor *d, const void *const *inputs, void *const *outputs)
{
    static const uint32_t nothing[DESCRIPTOR_MAX_DIMENSIONS];

    switch ((int)d->type) {
    case DML_OPERATOR_SLICE:
        slice(d, inputs[0], outputs[0]);
        break;
    case DML_OPERATOR_SLICE1:
        copy_windows(d, &d->inputs[0], &d->outputs[0], 0, inputs[0], outputs[0]);
        break;
    case DML_OPERATOR_SLICE_GRAD:
        slice_gradient(d, inputs[0], outputs[0]);
        break;
    case DML_OPERATOR_SPLIT:
        split(d, inputs[0], outputs);
        break;
    case DML_OPERATOR_JOIN:
        join(d, inputs, outputs[0]);
        break;
    case DML_OPERATOR_TILE:
        copy_folded(d, FOLD_WRAP, nothing, inputs[0], outputs[0]);
        break;
    case DML_OPERATOR_PADDING:
    case DML_OPERATOR_PADDING1:
        pad(d, inputs[0], outputs[0]);
        break;
    default:
        move_blocks(d, inputs[0], outputs[0]);
    }
}
