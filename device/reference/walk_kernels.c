/* walk_kernels.c: the inner loops of a walk, one for each element width and index type.
 *
 * With one index for each element, one loop does all. Tuples and runs take two passes over a block: one finds the
 * offsets, one moves the elements. So neither depends on the other's types. */
#include "device/reference/walk.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t load_index(const char *at, DML_TENSOR_DATA_TYPE type)
{
    int64_t signed_long;
    uint64_t unsigned_long;
    int32_t signed_int;
    uint32_t unsigned_int;

    switch (type) {
    case DML_TENSOR_DATA_TYPE_INT64:
        memcpy(&signed_long, at, sizeof signed_long);
        return (uint64_t)signed_long;
    case DML_TENSOR_DATA_TYPE_UINT64:
        memcpy(&unsigned_long, at, sizeof unsigned_long);
        return unsigned_long;
    case DML_TENSOR_DATA_TYPE_INT32:
        memcpy(&signed_int, at, sizeof signed_int);
        return (uint64_t)signed_int;
    default:
        memcpy(&unsigned_int, at, sizeof unsigned_int);
        return unsigned_int;
    }
}

INLINE int index_is_signed(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_INT64 || type == DML_TENSOR_DATA_TYPE_INT32;
}

INLINE uint64_t index_bytes(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_INT64 || type == DML_TENSOR_DATA_TYPE_UINT64 ? 8 : 4;
}

/* Brings `index` into the dimension; returns 0 if the update is to be ignored. Negative indices take no branch, since
 * they may be mixed with others at random; indices out of range take one, since they are rare. */
INLINE int resolve_index(uint64_t *index, uint64_t size, DML_TENSOR_DATA_TYPE type, enum walk_direction direction)
{
    if (index_is_signed(type))
        *index += (int64_t)*index < 0 ? size : 0;
    if (__builtin_expect(*index >= size, 0)) {
        if (direction == WALK_SCATTER)
            return 0;
        *index = index_is_signed(type) && (int64_t)*index < 0 ? 0 : size - 1;
    }
    return 1;
}

/* Moves elements. The arguments from `type` on are constants: each use becomes a loop of its own. */
INLINE void move_elements(const struct walk *walk, char *to, const char *from, const char *indices, uint64_t rows,
                          uint64_t columns, DML_TENSOR_DATA_TYPE type, enum walk_direction direction, size_t width,
                          struct walk_place column)
{
    uint64_t size = walk->coordinates[0].size, stride = walk->coordinates[0].stride;

    for (uint64_t r = 0; r < rows; r++) {
        const char *row = indices + r * walk->rows.stride.index;
        uint64_t row_near = r * walk->rows.stride.near, row_far = r * walk->rows.stride.far;
        for (uint64_t c = 0; c < columns; c++) {
            uint64_t index = load_index(row + c * column.index, type);
            uint64_t near = row_near + c * column.near, far = row_far + c * column.far;
            if (!resolve_index(&index, size, type, direction))
                continue;
            far += index * stride;
            memcpy(to + (direction == WALK_GATHER ? near : far), from + (direction == WALK_GATHER ? far : near), width);
        }
    }
}

#define DEFINE_ELEMENTS(direction, constant, name, type, width)                                                        \
    static void direction##_##name##_##width(const struct walk *walk, char *to, const char *from, const char *indices, \
                                             uint64_t rows, uint64_t columns)                                          \
    {                                                                                                                  \
        struct walk_place packed = {width, index_bytes(type), 0}, column = walk->columns.stride;                       \
        if (column.near == packed.near && column.index == packed.index && column.far == packed.far)                    \
            move_elements(walk, to, from, indices, rows, columns, type, constant, width, packed);                      \
        else                                                                                                           \
            move_elements(walk, to, from, indices, rows, columns, type, constant, width, column);                      \
    }
#define DEFINE_WIDTHS(direction, constant, name, type)                                                                 \
    DEFINE_ELEMENTS(direction, constant, name, type, 1)                                                                \
    DEFINE_ELEMENTS(direction, constant, name, type, 2)                                                                \
    DEFINE_ELEMENTS(direction, constant, name, type, 4)                                                                \
    DEFINE_ELEMENTS(direction, constant, name, type, 8)                                                                \
    DEFINE_ELEMENTS(direction, constant, name, type, 16)
#define DEFINE_TYPES(direction, constant)                                                                              \
    DEFINE_WIDTHS(direction, constant, int32, DML_TENSOR_DATA_TYPE_INT32)                                              \
    DEFINE_WIDTHS(direction, constant, uint32, DML_TENSOR_DATA_TYPE_UINT32)                                            \
    DEFINE_WIDTHS(direction, constant, int64, DML_TENSOR_DATA_TYPE_INT64)                                              \
    DEFINE_WIDTHS(direction, constant, uint64, DML_TENSOR_DATA_TYPE_UINT64)

DEFINE_TYPES(gather, WALK_GATHER)
DEFINE_TYPES(scatter, WALK_SCATTER)

/* Finds the far offsets for one coordinate of each tuple in a block, and adds them to the offsets in `far` unless it is
 * the `first`. */
INLINE void resolve_coordinate(const struct walk *walk, const struct walk_coordinate *coordinate, const char *indices,
                               uint64_t rows, uint64_t columns, uint64_t *far, DML_TENSOR_DATA_TYPE type,
                               enum walk_direction direction, int first)
{
    struct walk_place column = walk->columns.stride;
    uint64_t size = coordinate->size, stride = coordinate->stride;

    for (uint64_t r = 0; r < rows; r++, far += columns) {
        const char *row = indices + coordinate->index + r * walk->rows.stride.index;
        uint64_t row_far = r * walk->rows.stride.far;
        for (uint64_t c = 0; c < columns; c++) {
            uint64_t base = first ? row_far + c * column.far : far[c];
            uint64_t index = load_index(row + c * column.index, type);
            if (!resolve_index(&index, size, type, direction))
                far[c] = WALK_NOWHERE;
            else if (direction == WALK_GATHER || base != WALK_NOWHERE)
                far[c] = base + index * stride;
        }
    }
}

#define DEFINE_RESOLVE(direction, constant, name, type)                                                                \
    static void direction##_places_##name(const struct walk *walk, const char *indices, uint64_t rows,                 \
                                          uint64_t columns, uint64_t *far)                                             \
    {                                                                                                                  \
        resolve_coordinate(walk, walk->coordinates, indices, rows, columns, far, type, constant, 1);                   \
        for (uint32_t k = 1; k < walk->coordinate_count; k++)                                                          \
            resolve_coordinate(walk, walk->coordinates + k, indices, rows, columns, far, type, constant, 0);           \
    }

DEFINE_RESOLVE(gather, WALK_GATHER, int32, DML_TENSOR_DATA_TYPE_INT32)
DEFINE_RESOLVE(gather, WALK_GATHER, uint32, DML_TENSOR_DATA_TYPE_UINT32)
DEFINE_RESOLVE(gather, WALK_GATHER, int64, DML_TENSOR_DATA_TYPE_INT64)
DEFINE_RESOLVE(gather, WALK_GATHER, uint64, DML_TENSOR_DATA_TYPE_UINT64)
DEFINE_RESOLVE(scatter, WALK_SCATTER, int32, DML_TENSOR_DATA_TYPE_INT32)
DEFINE_RESOLVE(scatter, WALK_SCATTER, uint32, DML_TENSOR_DATA_TYPE_UINT32)
DEFINE_RESOLVE(scatter, WALK_SCATTER, int64, DML_TENSOR_DATA_TYPE_INT64)
DEFINE_RESOLVE(scatter, WALK_SCATTER, uint64, DML_TENSOR_DATA_TYPE_UINT64)

/* Finds offsets without indices: the walk is a copy. */
static void resolve_plain(const struct walk *walk, const char *indices, uint64_t rows, uint64_t columns, uint64_t *far)
{
    (void)indices;
    for (uint64_t r = 0, i = 0; r < rows; r++)
        for (uint64_t c = 0; c < columns; c++, i++)
            far[i] = r * walk->rows.stride.far + c * walk->columns.stride.far;
}

/* Moves runs. Scattered tuples spend their time in cache misses: the less work there is between two misses, the more
 * misses are in flight at once. Hence a separate loop for single elements. */
INLINE void move_runs(const struct walk *walk, char *to, const char *from, uint64_t rows, uint64_t columns,
                      const uint64_t *far, enum walk_direction direction, size_t width)
{
    const struct walk_loop run = walk->run;
    uint64_t column_near = walk->columns.stride.near;
    uint64_t to_stride = direction == WALK_GATHER ? run.stride.near : run.stride.far;
    uint64_t from_stride = direction == WALK_GATHER ? run.stride.far : run.stride.near;
    int together = to_stride == width && from_stride == width;

    for (uint64_t r = 0; r < rows; r++, far += columns) {
        uint64_t near = r * walk->rows.stride.near;
        if (run.size == 1)
            for (uint64_t c = 0; c < columns; c++, near += column_near) {
                if (direction == WALK_GATHER)
                    memcpy(to + near, from + far[c], width);
                else if (far[c] != WALK_NOWHERE)
                    memcpy(to + far[c], from + near, width);
            }
        else
            for (uint64_t c = 0; c < columns; c++, near += column_near) {
                uint64_t to_place = direction == WALK_GATHER ? near : far[c];
                uint64_t from_place = direction == WALK_GATHER ? far[c] : near;
                if (direction == WALK_SCATTER && far[c] == WALK_NOWHERE)
                    continue;
                if (together)
                    memcpy(to + to_place, from + from_place, run.size * width);
                else
                    for (uint64_t i = 0; i < run.size; i++)
                        memcpy(to + to_place + i * to_stride, from + from_place + i * from_stride, width);
            }
    }
}

#define DEFINE_MOVE(direction, constant, width)                                                                        \
    static void direction##_runs_##width(const struct walk *walk, char *to, const char *from, uint64_t rows,           \
                                         uint64_t columns, const uint64_t *far)                                        \
    {                                                                                                                  \
        move_runs(walk, to, from, rows, columns, far, constant, width);                                                \
    }

DEFINE_MOVE(gather, WALK_GATHER, 1)
DEFINE_MOVE(gather, WALK_GATHER, 2)
DEFINE_MOVE(gather, WALK_GATHER, 4)
DEFINE_MOVE(gather, WALK_GATHER, 8)
DEFINE_MOVE(gather, WALK_GATHER, 16)
DEFINE_MOVE(scatter, WALK_SCATTER, 1)
DEFINE_MOVE(scatter, WALK_SCATTER, 2)
DEFINE_MOVE(scatter, WALK_SCATTER, 4)
DEFINE_MOVE(scatter, WALK_SCATTER, 8)
DEFINE_MOVE(scatter, WALK_SCATTER, 16)

static void in_two_passes(const struct walk *walk, char *to, const char *from, const char *indices, uint64_t rows,
                          uint64_t columns)
{
    uint64_t far[WALK_BLOCK];

    walk->resolve(walk, indices, rows, columns, far);
    walk->move(walk, to, from, rows, columns, far);
}

/* clang-format off */
#define WIDTHS(name) {name##_1, name##_2, name##_4, name##_8, name##_16}
#define TYPES(name)                                                                                                    \
    [DML_TENSOR_DATA_TYPE_INT32] = name##int32, [DML_TENSOR_DATA_TYPE_UINT32] = name##uint32,                          \
    [DML_TENSOR_DATA_TYPE_INT64] = name##int64, [DML_TENSOR_DATA_TYPE_UINT64] = name##uint64
#define TYPES_AND_WIDTHS(name)                                                                                         \
    [DML_TENSOR_DATA_TYPE_INT32] = WIDTHS(name##_int32), [DML_TENSOR_DATA_TYPE_UINT32] = WIDTHS(name##_uint32),        \
    [DML_TENSOR_DATA_TYPE_INT64] = WIDTHS(name##_int64), [DML_TENSOR_DATA_TYPE_UINT64] = WIDTHS(name##_uint64)
/* clang-format on */

void walk_kernels_choose(struct walk *walk)
{
    enum { WIDTH_TOTAL = 5, TYPE_TOTAL = DML_TENSOR_DATA_TYPE_INT64 + 1 };
    static walk_block *const blocks[][TYPE_TOTAL][WIDTH_TOTAL] = {
        [WALK_GATHER] = {TYPES_AND_WIDTHS(gather)},
        [WALK_SCATTER] = {TYPES_AND_WIDTHS(scatter)},
    };
    static walk_resolve *const resolves[][TYPE_TOTAL] = {
        [WALK_GATHER] = {TYPES(gather_places_)},
        [WALK_SCATTER] = {TYPES(scatter_places_)},
    };
    static walk_move *const moves[][WIDTH_TOTAL] = {
        [WALK_GATHER] = WIDTHS(gather_runs),
        [WALK_SCATTER] = WIDTHS(scatter_runs),
    };
    int width = __builtin_ctz(walk->width);

    if (walk->coordinate_count == 1 && walk->run.size == 1) {
        walk->block = blocks[walk->direction][walk->index_type][width];
        return;
    }
    walk->block = in_two_passes;
    walk->resolve = walk->coordinate_count ? resolves[walk->direction][walk->index_type] : resolve_plain;
    walk->move = moves[walk->direction][width];
}
