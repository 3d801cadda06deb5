/* walk.h: the one loop nest behind every gather and every scatter.
 *
 * Each of these operators walks the elements of one tensor, the near one, in row-major order: the output of a gather,
 * the updates of a scatter. For each element it accesses one element of another tensor, the far one: the input of a
 * gather, the output of a scatter. The far element's offset depends on the loop counters and on a tuple of indices:
 *
 *     far offset = sum of counter * far stride + sum over the tuple of index * that dimension's far stride
 *
 * Operators differ only in these strides. A walk without coordinates is a strided copy. */
#ifndef WALK_H
#define WALK_H

#include "device/common/descriptor.h"

enum {
    WALK_BLOCK = 1024, /* offsets found before elements are moved: few enough for the first-level cache */
    WALK_MAX_LOOPS = DESCRIPTOR_MAX_DIMENSIONS
};

/* The far offset of an update whose index is out of range. */
#define WALK_NOWHERE UINT64_MAX

enum walk_direction { WALK_GATHER, WALK_SCATTER };

/* Offsets of the current elements. Strides and offsets are in bytes. */
struct walk_place {
    uint64_t near, index, far;
};

struct walk_loop {
    uint64_t size;
    struct walk_place stride;
};

struct walk_coordinate {
    uint64_t size;   /* size of the far dimension that the index runs along */
    uint64_t stride; /* stride of that dimension */
    uint64_t index;  /* offset of this index in its tuple */
};

/* These functions run one block. `to`, `from` and `indices` point to its start. A block in two passes first finds the
 * far offsets of its elements (resolve), then moves the elements (move). */
struct walk;
typedef void walk_block(const struct walk *walk, char *to, const char *from, const char *indices, uint64_t rows,
                        uint64_t columns);
typedef void walk_resolve(const struct walk *walk, const char *indices, uint64_t rows, uint64_t columns, uint64_t *far);
typedef void walk_move(const struct walk *walk, char *to, const char *from, uint64_t rows, uint64_t columns,
                       const uint64_t *far);

struct walk {
    enum walk_direction direction;
    uint32_t width; /* bytes that move as one: an element, or a short run of them */
    uint32_t coordinate_count, loop_count;
    struct walk_coordinate coordinates[DESCRIPTOR_MAX_DIMENSIONS];
    struct walk_loop loops[WALK_MAX_LOOPS]; /* outermost first, without the three loops that walk_prepare() moves to: */
    struct walk_loop rows, columns, run;    /* all elements of a run share one tuple */
    uint64_t tile;                          /* columns in one pass over all other loops */
    DML_TENSOR_DATA_TYPE index_type;
    walk_block *block;
    walk_resolve *resolve; /* set if blocks take two passes */
    walk_move *move;
};

/* Build a walk: begin, add the loops, outermost first, and the coordinates in tuple order, then prepare. Strides are in
 * bytes. */
void walk_begin(struct walk *walk, enum walk_direction direction, uint32_t width, DML_TENSOR_DATA_TYPE index_type);
void walk_add_loop(struct walk *walk, uint64_t size, uint64_t near, uint64_t index, uint64_t far);
void walk_add_coordinate(struct walk *walk, uint64_t size, uint64_t stride, uint64_t index);
void walk_prepare(struct walk *walk);

/* Build a whole walk: element by element along an axis, or block by block by tuples. `near` has the shape that the
 * indices call for, `far` is the tensor that they index. */
void walk_elements(struct walk *walk, enum walk_direction direction, const struct tensor *near,
                   const struct tensor *indices, const struct tensor *far, uint32_t axis);
void walk_tuples(struct walk *walk, enum walk_direction direction, const struct tensor *near,
                 const struct tensor *indices, const struct tensor *far, const struct descriptor *descriptor);

/* Runs a walk. `to` is the near tensor of a gather, the far tensor of a scatter. `indices` is null without
 * coordinates. */
void walk_run(const struct walk *walk, void *to, const void *from, const void *indices);

/* Sets the three functions, for walk_prepare(). */
void walk_kernels_choose(struct walk *walk);

#endif
