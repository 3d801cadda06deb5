/* plan_internal.h: declarations that the files that make plans share. */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "device/vulkan/nest.h"
#include "device/vulkan/plan.h"

/* Adds a launch, whose parameters are all 0. */
struct plan_launch *plan_add_launch(struct plan *plan, uint32_t pass, uint32_t address_count, size_t parameter_bytes);

void plan_set_address(struct plan_launch *launch, uint32_t i, enum plan_operand operand, uint64_t offset);

/* Returns the number from `least` to `most` that is nearest to `value`. */
static inline uint64_t plan_within(uint64_t value, uint64_t least, uint64_t most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

/* Returns the number of elements for each workgroup of a launch over `count` elements. */
uint32_t plan_group_size(const struct pipeline_traits *traits, uint64_t count, enum pipeline_move kind);

/* Does the same for a launch whose loops have `rounds` rounds for each element. */
uint32_t plan_group_of_rounds(const struct pipeline_traits *traits, uint64_t count, enum pipeline_move kind,
                              uint64_t rounds);

/* A move, except the space that it walks. */
struct move {
    uint32_t pass;
    enum plan_operand source, target;
    const struct tensor *indices; /* null: the move is a copy */
    int is_scatter;
    int is_backward; /* a stride of source or target is negative: modulo 2^32 */
    uint32_t width;  /* bits of an element */
    uint32_t slices; /* slices of the output: a workgroup copies each from the input, then scatters into it; 0: none */
    struct plan_move parameters;
};

/* Adds a loop of a move. */
void plan_add_loop(struct nest *nest, uint32_t size, uint32_t source, uint32_t indices, uint32_t target);

/* Adds the kernel of a move, or a copy command. */
void plan_add_move(struct plan *plan, const struct pipeline_traits *traits, struct move *move, struct nest *nest);

/* Adds a copy of the first input to the output, element by element. */
void plan_copy(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* Returns the number of tiles of PIPELINE_TILE that `count` elements take. */
uint32_t plan_tiles(uint32_t count);

/* ---- plan_map.c */

/* Adds the kernel of an element-wise operator, or a copy in pass 0. */
void plan_map(const struct descriptor *descriptor, const struct pipeline_traits *traits, uint32_t pass,
              struct plan *plan);

/* Returns true if there is a formula for a fused activation, or if none is fused. */
int plan_activates(DML_OPERATOR_TYPE type);

/* ---- plan_index.c */

/* Adds the kernels of an operator that gathers or scatters. */
void plan_index(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_rearrange.c */

/* Adds the kernels of an operator that moves elements to coordinates that attributes alone decide. */
void plan_rearrange(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_pick.c */

/* Adds the kernels of an operator that plan_pick_computes(). */
void plan_pick(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_top_k.c */

/* Returns the feature that TOP_K or TOP_K1 needs and the device lacks; null if it lacks none. */
const char *plan_top_k_lack(const struct descriptor *descriptor, const struct pipeline_traits *traits);

/* Adds the kernels of TOP_K or TOP_K1. */
void plan_top_k(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_unfold.c */

/* Adds the kernel of UNFOLD or FOLD. */
void plan_unfold(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_normalise.c */

/* Adds the kernel of a normalisation or of its gradients. */
void plan_normalise(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_response.c */

/* Adds the kernels of an operator that plan_response_computes(). */
void plan_response(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_window.c */

/* Adds the kernel of an operator that plan_window_computes(). */
void plan_window(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_products.c */

/* Adds the kernel of an operator that plan_products_compute(). */
void plan_products(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_adam.c */

/* Adds the kernel of ADAM_OPTIMIZER. */
void plan_adam(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_resample.c */

/* Adds the kernels of an operator that plan_resample_computes(). */
void plan_resample(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_region.c */

/* Adds the kernel of an operator that plan_region_computes(). */
void plan_region(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_recurrence.c */

/* Adds the kernels of an operator that attention_computes(). */
void plan_attention(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* Adds the kernel of an operator that recurrence_computes(). */
void plan_recurrence(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_range.c */

/* Adds the kernels that write scale and zero point of DYNAMIC_QUANTIZE_LINEAR, in passes from 0 on. Returns the next
 * pass. */
uint32_t plan_range(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_reduce.c: REDUCE, ARGMIN, ARGMAX */

void plan_reduce(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* One level of a reduction: lines of elements, each cut into tiles, to one result for each tile. */
struct plan_level {
    const struct nest *lines, *places; /* strides of the source, then of the target; `places` has no target */
    DML_REDUCE_FUNCTION function;
    DML_TENSOR_DATA_TYPE type, target_type; /* UNKNOWN: a partial result for each tile */
    int is_float;                           /* the operator's input is of floats */
    uint32_t number_size;                   /* bytes of the kernel's numbers */
    uint32_t first;                         /* offset of the first element in the source */
    uint32_t total;                         /* elements that contribute to a result */
    uint32_t prefers_last;                  /* among equal elements, the last index counts */
    struct plan_grid grid;
    uint64_t texel_bytes; /* bytes of the largest tensor that a kernel may read as texels */
    uint64_t bytes;       /* bytes of the source */
    uint32_t across;      /* adjacent lines that an invocation takes, which count as one in `lines`; 0: one line */
};

/* Adds a level in the pass `pass`. The caller sets its addresses. */
struct plan_launch *plan_add_level(const struct plan_level *level, uint32_t pass, struct plan *plan);

/* log2 of the number of neighbours that one memory access can serve. */
enum { PLAN_WIDEST = 5 };

/* Chooses how a workgroup shares `lines` of `places` each, where an invocation takes at least `each` places at a time,
 * and at most 2^`widest` neighbours take adjacent lines. The tile is to be chosen. */
struct plan_grid plan_choose_grid(const struct nest *lines, const struct nest *places, uint32_t each, uint32_t widest,
                                  const struct pipeline_traits *traits);

/* Returns log2 of the adjacent slices of `length` that neighbours should take: so few that a workgroup can keep all
 * elements of them, unless that leaves less than memory moves at once. `count`: elements of all slices. */
uint32_t plan_widest(const struct pipeline_traits *traits, uint64_t count, uint32_t length);

/* Returns the elements of a slice of `length` that each invocation should have: so few that the slice has a subgroup,
 * and that they can be kept. `count`: elements of all slices. `otherwise`: the result if no elements are kept. */
uint32_t plan_each(const struct pipeline_traits *traits, uint64_t count, uint32_t length, uint32_t otherwise);

/* Returns the elements of a slice that an invocation keeps in registers, if 2^places_log invocations share the slice;
 * 1: it keeps none. The result is one of few numbers, as each makes a pipeline of its own. `count`: elements of all
 * slices. */
uint32_t plan_kept(const struct pipeline_traits *traits, uint64_t count, uint32_t length, uint32_t places_log);

/* Returns log2 of the invocations of a workgroup that keeps slices, 2^lanes_log for each: few, as all wait at its
 * barriers. */
uint32_t plan_small_log(uint32_t lanes_log);

/* Returns the most elements of a slice that an invocation takes: longer slices are cut into tiles. On a GPU it takes
 * fewer, but as many as it can keep, if slices of `count` elements in all, not cut, make fewer workgroups than
 * `groups`. */
uint32_t plan_most(const struct pipeline_traits *traits, uint64_t count, uint32_t groups);

/* Returns the layout of slices for a kernel whose invocations keep elements. 0: any; 1: one dimension; 4: one
 * dimension, and four elements at a time are adjacent, at multiples of 4, in the source and in the target. */
uint8_t plan_row(const struct nest *lines, const struct nest *places, uint32_t kept);

/* Has a launch read the operands of some addresses, a bit each, as texels, and store to that of address `target`, which
 * has `bytes`, as a buffer, if it is not too large. */
void plan_set_texels(struct plan_launch *launch, uint32_t operands, uint32_t target, uint64_t bytes,
                     const struct pipeline_traits *traits);

/* Tells whether a workgroup should take a slice alone, eight adjacent elements in each of its invocations at a time,
 * and read them as texels. `bytes`: size of the largest tensor. */
int plan_takes_rows(const struct pipeline_traits *traits, const struct nest *lines, const struct nest *places,
                    uint64_t bytes);

/* ---- plan_softmax.c */

/* Adds the kernel of an operator that plan_softmax_computes(). */
void plan_softmax(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

/* ---- plan_cumulate.c: CUMULATIVE_SUMMATION, CUMULATIVE_PRODUCT */

void plan_cumulate(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan);

#endif
