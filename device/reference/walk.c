/* walk.c: builds a loop nest, merges its loops, and runs it block by block. */
#include "device/reference/walk.h"

/* The bytes of the far tensor that one pass over a tile of columns should touch: they fit a third-level cache, and
 * strips stay wide enough to stream the other tensors. */
static const uint64_t tile_bytes = 8 << 20;
static const uint64_t line_bytes = 64;

void walk_begin(struct walk *walk, enum walk_direction direction, uint32_t width, DML_TENSOR_DATA_TYPE index_type)
{
    walk->direction = direction;
    walk->width = width;
    walk->index_type = index_type;
    walk->coordinate_count = walk->loop_count = 0;
}

/* Adds a loop, or merges it with the loop around it if that steps evenly through all tensors. */
void walk_add_loop(struct walk *walk, uint64_t size, uint64_t near, uint64_t index, uint64_t far)
{
    struct walk_loop *outer;

    if (size == 1)
        return;
    outer = walk->loop_count ? &walk->loops[walk->loop_count - 1] : NULL;
    if (outer && outer->stride.near == near * size && outer->stride.index == index * size &&
        outer->stride.far == far * size) {
        outer->size *= size;
        outer->stride = (struct walk_place){near, index, far};
    } else
        walk->loops[walk->loop_count++] = (struct walk_loop){size, {near, index, far}};
}

void walk_add_coordinate(struct walk *walk, uint64_t size, uint64_t stride, uint64_t index)
{
    walk->coordinates[walk->coordinate_count++] = (struct walk_coordinate){size, stride, index};
}

static struct walk_loop take_innermost(struct walk *walk)
{
    return walk->loop_count ? walk->loops[--walk->loop_count] : (struct walk_loop){1, {0, 0, 0}};
}

/* Moves a run as one element if it has no gaps in either tensor and is as long as a machine word. */
static void walk_widen(struct walk *walk)
{
    uint64_t bytes = walk->run.size * walk->width;
    if (walk->run.size > 1 && walk->run.stride.near == walk->width && walk->run.stride.far == walk->width &&
        (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16)) {
        walk->width = (uint32_t)bytes;
        walk->run = (struct walk_loop){1, {0, 0, 0}};
    }
}

/* If each row picks from anywhere along the axis and columns are adjacent, walking down a narrow strip of columns
 * touches each far cache line many times while it is cached. Rows keep their order within a column, so the last of two
 * updates of an element still wins. */
static void walk_choose_tile(struct walk *walk)
{
    uint64_t line = line_bytes / walk->width, strip;

    walk->tile = walk->columns.size;
    if (walk->coordinate_count != 1 || walk->run.size != 1 || walk->rows.size == 1 || walk->rows.stride.far != 0 ||
        walk->columns.stride.far != walk->width || walk->columns.stride.index == 0)
        return;
    strip = tile_bytes / (walk->coordinates[0].size * walk->width) / line * line;
    if (strip < line)
        strip = line;
    if (strip < walk->columns.size)
        walk->tile = strip;
}

void walk_prepare(struct walk *walk)
{
    struct walk_loop innermost = take_innermost(walk);

    if (innermost.stride.index == 0) {
        walk->run = innermost;
        walk->columns = take_innermost(walk);
    } else {
        walk->run = (struct walk_loop){1, {0, 0, 0}};
        walk->columns = innermost;
    }
    walk->rows = take_innermost(walk);
    walk_widen(walk);
    walk_choose_tile(walk);
    walk_kernels_choose(walk);
}

void walk_elements(struct walk *walk, enum walk_direction direction, const struct tensor *near,
                   const struct tensor *indices, const struct tensor *far, uint32_t axis)
{
    uint64_t bytes = near->element_size, index_bytes = indices->element_size;

    walk_begin(walk, direction, near->element_size, indices->type);
    for (uint32_t i = 0; i < near->rank; i++)
        walk_add_loop(walk, near->sizes[i], near->strides[i] * bytes, indices->strides[i] * index_bytes,
                      i == axis ? 0 : far->strides[i] * bytes);
    walk_add_coordinate(walk, far->sizes[axis], far->strides[axis] * bytes, 0);
    walk_prepare(walk);
}

void walk_tuples(struct walk *walk, enum walk_direction direction, const struct tensor *near,
                 const struct tensor *indices, const struct tensor *far, const struct descriptor *descriptor)
{
    uint64_t bytes = near->element_size, index_bytes = indices->element_size;
    uint32_t rank = near->rank, batch = descriptor->batch_dimension_count, length = indices->sizes[rank - 1];
    uint32_t lead = descriptor->indices_dimension_count - 1;
    uint32_t far_first = rank - descriptor->input_dimension_count;
    uint32_t tail_first = far_first + batch + length; /* dimensions that both tensors share: both end at the right */
    uint32_t lead_first = tail_first - lead;

    walk_begin(walk, direction, near->element_size, indices->type);
    for (uint32_t i = 0; i < lead; i++)
        walk_add_loop(walk, near->sizes[lead_first + i], near->strides[lead_first + i] * bytes,
                      indices->strides[rank - 1 - lead + i] * index_bytes,
                      i < batch ? far->strides[far_first + i] * bytes : 0);
    for (uint32_t i = tail_first; i < rank; i++)
        walk_add_loop(walk, near->sizes[i], near->strides[i] * bytes, 0, far->strides[i] * bytes);
    for (uint32_t i = 0; i < length; i++)
        walk_add_coordinate(walk, far->sizes[far_first + batch + i], far->strides[far_first + batch + i] * bytes,
                            i * indices->strides[rank - 1] * index_bytes);
    walk_prepare(walk);
}

static struct walk_place step_place(struct walk_place at, const struct walk_loop *loop, uint64_t count)
{
    at.near += loop->stride.near * count;
    at.index += loop->stride.index * count;
    at.far += loop->stride.far * count;
    return at;
}

struct run {
    const struct walk *walk;
    char *to;
    const char *from, *indices;
    uint64_t columns; /* columns of this pass */
};

/* Runs the two inner loops, a block at a time. A block has several rows only if it has all of their columns: that keeps
 * the order. */
static void run_rows(const struct run *run, struct walk_place at)
{
    const struct walk *walk = run->walk;
    uint64_t wide = run->columns < WALK_BLOCK ? run->columns : WALK_BLOCK, high = WALK_BLOCK / wide;

    for (uint64_t row = 0; row < walk->rows.size; row += high) {
        uint64_t rows = walk->rows.size - row < high ? walk->rows.size - row : high;
        for (uint64_t column = 0; column < run->columns; column += wide) {
            uint64_t columns = run->columns - column < wide ? run->columns - column : wide;
            struct walk_place block = step_place(step_place(at, &walk->rows, row), &walk->columns, column);
            if (walk->direction == WALK_GATHER)
                walk->block(walk, run->to + block.near, run->from + block.far, run->indices + block.index, rows,
                            columns);
            else
                walk->block(walk, run->to + block.far, run->from + block.near, run->indices + block.index, rows,
                            columns);
        }
    }
}

static void run_loops(const struct run *run, struct walk_place at)
{
    const struct walk *walk = run->walk;
    uint64_t counters[WALK_MAX_LOOPS] = {0};

    for (;;) {
        uint32_t i = walk->loop_count;
        run_rows(run, at);
        for (; i > 0; i--) {
            const struct walk_loop *loop = &walk->loops[i - 1];
            at = step_place(at, loop, 1);
            if (++counters[i - 1] < loop->size)
                break;
            counters[i - 1] = 0;
            at = step_place(at, loop, 0 - loop->size); /* the loop wraps around: it steps back */
        }
        if (i == 0)
            return;
    }
}

void walk_run(const struct walk *walk, void *to, const void *from, const void *indices)
{
    static const char none;
    struct run run = {walk, to, from, indices ? indices : &none, 0};

    for (uint64_t column = 0; column < walk->columns.size; column += walk->tile) {
        struct walk_place start = {0, 0, 0};
        run.columns = walk->columns.size - column < walk->tile ? walk->columns.size - column : walk->tile;
        run_loops(&run, step_place(start, &walk->columns, column));
    }
}
