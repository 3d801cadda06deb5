/* plan.h: turns a validated operator into kernel launches that lack only the addresses. */
#ifndef PLAN_H
#define PLAN_H

#include "device/common/dot.h"
#include "device/common/attention.h"
#include "device/common/recurrence.h"
#include "device/vulkan/pipeline.h"

enum plan_operand {
    PLAN_INPUT,                                       /* plus the number of the input */
    PLAN_OUTPUT = PLAN_INPUT + DESCRIPTOR_MAX_INPUTS, /* plus the number of the output */
    PLAN_SCRATCH = PLAN_OUTPUT + DESCRIPTOR_MAX_OUTPUTS,
    PLAN_OPERANDS
};

enum { PLAN_DIMENSIONS = 8, PLAN_LAUNCHES = 64, PLAN_ADDRESSES = 12, PLAN_STRIDES = 4 };

enum { PLAN_QUAD = 16 }; /* bytes that kernels move at a time at best */

enum { PLAN_MAP_INPUTS = 3, PLAN_MAP_SCALARS = 6, PLAN_MAP_DIMENSIONS = 2 * PLAN_DIMENSIONS };

/* The structures below have the layout of the shaders' parameter blocks, member by member. */
struct plan_dimension {
    uint32_t size;
    uint32_t magic, shift1, shift2; /* divide by size: see divide() in shaders/common.glsl */
    uint32_t stride[PLAN_STRIDES];  /* elements */
};

/* A dimension that indices go along; its stride in elements, or in rows. */
struct plan_axis {
    uint32_t size, stride;
};

struct plan_move {
    uint64_t source, indices, target, base, slices;
    uint32_t count, group_size, sign, axes, index_step, source_start, target_start, slice;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
    struct plan_axis axis_of[PLAN_DIMENSIONS];
};

struct plan_rows {
    uint64_t source, indices, updates, target, notes;
    uint32_t count, group_size, update_count, sign, axes, unused;
    struct plan_dimension row;
    struct plan_axis axis_of[PLAN_DIMENSIONS];
};

struct plan_fold {
    uint64_t source, target;
    uint32_t count, group_size;
    uint32_t value[2];
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
};

struct plan_nonzero {
    uint64_t source, source_quads, tiles, groups, total, rows;
    uint32_t count, mask, row_stride, column_stride, group_tiles;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
};

struct plan_scan {
    uint64_t numbers, upper, total;
    uint32_t count, unused;
};

struct plan_range {
    uint64_t source, ranges, scale, zero_point;
    uint32_t count, unused;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
};

struct plan_pick {
    uint64_t source, indices, target;
    uint32_t count, group_size, sign, size, step, given;
    int32_t begin, end;
    uint32_t value[2];
    struct plan_dimension dimensions[PLAN_DIMENSIONS], places[PLAN_DIMENSIONS];
};

struct plan_random {
    uint64_t state, numbers, next_state;
    uint32_t count, group_size, state_stride, next_stride, given, unused;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
};

struct plan_top_k {
    uint64_t source, values, indices, scratch, given;
    uint32_t sequences, size, k, groups, source_step, value_step, index_step;
    uint32_t kind, descending, wide, digits, tile, found_size, unused;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
};

/* A spatial dimension: see shaders/unfold.comp. */
struct plan_spatial {
    struct plan_dimension size, outer, inner, divisor;
    uint32_t padding;
};

struct plan_unfold {
    uint64_t source, target;
    uint32_t count, group_size, rank, unused;
    struct plan_dimension batch, channel;
    struct plan_spatial spatials[PLAN_DIMENSIONS - 2];
};

enum { PLAN_WINDOW_RANK = 5, PLAN_CHANNEL_VALUES = 4 };

/* The window along a spatial dimension: see shaders/pooling.comp. */
struct plan_window {
    uint32_t size, window, stride, gap, padding;
};

struct plan_pooling {
    uint64_t source, target, numbers, channels[PLAN_CHANNEL_VALUES];
    uint32_t count, group_size, plane, power, includes_padding, given, steps[PLAN_CHANNEL_VALUES];
    struct plan_dimension dimensions[PLAN_WINDOW_RANK];
    struct plan_window spatials[PLAN_WINDOW_RANK - 2];
};

enum { PLAN_RESAMPLE_RANK = 5 };

/* See shaders/resample.comp. */
struct plan_resample_parts {
    uint32_t first_place, places, parts, more;
};

struct plan_resample {
    uint64_t source, target;
    uint32_t count, group_size;
    struct plan_dimension dimensions[PLAN_RESAMPLE_RANK], whole_scales[PLAN_RESAMPLE_RANK];
    uint32_t sizes[PLAN_RESAMPLE_RANK], counts[PLAN_RESAMPLE_RANK];
    float scales[PLAN_RESAMPLE_RANK], input_offsets[PLAN_RESAMPLE_RANK], output_offsets[PLAN_RESAMPLE_RANK];
    struct plan_resample_parts cut;
};

enum { PLAN_REGION_RANK = 4 };

/* See shaders/region.comp. */
struct plan_region {
    uint64_t source, regions, target;
    uint32_t count, group_size;
    struct plan_dimension dimensions[PLAN_REGION_RANK];
    uint32_t sizes[PLAN_REGION_RANK], region_stride, entry_stride;
    float scale;
    uint32_t unused;
};

/* The samples of regions: see shaders/samples.glsl. */
struct plan_samples {
    uint32_t sizes[PLAN_REGION_RANK], region_stride, entry_stride, batch_stride, fewest, most;
    float scales[2], input_offset, output_offset;
};

/* See shaders/align.comp. */
struct plan_align {
    uint64_t source, regions, batches, target;
    uint32_t count, group_size;
    struct plan_dimension dimensions[PLAN_REGION_RANK];
    struct plan_samples samples;
    float outside;
};

/* See shaders/align_gradient.comp. */
struct plan_align_gradient {
    uint64_t source, regions, batches, target, gradient;
    uint32_t count, group_size;
    struct plan_dimension dimensions[PLAN_REGION_RANK], made[PLAN_REGION_RANK];
    struct plan_samples samples;
    uint32_t unused;
};

/* See shaders/recurrence.comp. */
struct plan_recurrence {
    uint64_t inputs[RECURRENCE_INPUTS], outputs[RECURRENCE_OUTPUTS], scratch;
    uint32_t count, batch, time, input_size, hidden, activations, first_backward, begin, past, given, kept, linear,
        clips, couples;
    float threshold;
    uint32_t strides[RECURRENCE_INPUTS + RECURRENCE_OUTPUTS][RECURRENCE_RANK];
    uint32_t kinds[DESCRIPTOR_MAX_ACTIVATIONS];
    float attributes[DESCRIPTOR_MAX_ACTIVATIONS][DESCRIPTOR_MAX_ATTRIBUTES];
};

enum { PLAN_ATTENTION_TENSORS = 11 };

/* See shaders/attention.comp. */
struct plan_attention {
    uint64_t query, key, value, bias, past_key, past_value, relative, mask, target, scratch;
    uint32_t count, mode, queries, past, rows, heads, key_heads, shared_by, head_size, value_size, mask_type;
    uint32_t mask_starts, given;
    float scale, filter;
    uint32_t first[PLAN_ATTENTION_TENSORS], batches[PLAN_ATTENTION_TENSORS], in_heads[PLAN_ATTENTION_TENSORS];
    uint32_t in_rows[PLAN_ATTENTION_TENSORS], columns[PLAN_ATTENTION_TENSORS];
};

/* See shaders/products.comp. */
struct plan_products {
    uint64_t operands[DOT_ROLES], target;
    uint32_t count, group_size, channels, channel_a, channel_b, flipped, backward, unused;
    float alpha, beta, first, second;
    uint32_t axes[DOT_ROLES], steps[DOT_ROLES];
    struct plan_dimension dimensions[DOT_RANK], group;
    struct dot_window windows[DOT_SPATIAL];
};

/* See shaders/response.comp. */
struct plan_response {
    uint64_t source, gradient, bases, target;
    uint32_t count, group_size, before[4], after[4];
    float alpha, beta, bias, factor, channel_bias[DESCRIPTOR_MAX_CHANNELS];
    uint32_t crosses;
    struct plan_dimension dimensions[4];
};

struct plan_map {
    uint64_t inputs[PLAN_MAP_INPUTS], target, scalars[PLAN_MAP_SCALARS];
    uint32_t count, group_size;
    uint32_t least[2], most[2], scale[2], bias[2]; /* attributes, converted to the kernel's numbers */
    uint32_t is_scaled, mode, given;
    struct plan_dimension dimensions[PLAN_MAP_DIMENSIONS]; /* only those that the kernel walks are uploaded */
};

/* The shares of workgroups in lines of elements: see shaders/lanes.glsl. */
struct plan_grid {
    uint32_t line_count, line_groups, lines_log, places_log, lines_adjacent, tile, line_length, line_rank;
};

struct plan_reduce {
    uint64_t source, source_seconds, target, target_seconds;
    struct plan_grid grid;
    uint32_t first, place_rank, total, prefers_last;
    struct plan_dimension line_dimensions[PLAN_DIMENSIONS], place_dimensions[PLAN_DIMENSIONS];
};

struct plan_softmax {
    uint64_t source, target, tile_keys, tile_firsts, tile_sums;
    struct plan_grid grid;
    uint32_t place_rank, tiles;
    struct plan_dimension line_dimensions[PLAN_DIMENSIONS], place_dimensions[PLAN_DIMENSIONS];
};

struct plan_cumulate {
    uint64_t source, target, before;
    struct plan_grid grid;
    uint32_t source_first, source_step, target_first, target_step, is_tiled, unused;
    struct plan_dimension line_dimensions[PLAN_DIMENSIONS];
};

/* A dimension with twice as many strides. */
struct plan_wide {
    struct plan_dimension first;
    uint32_t more[PLAN_STRIDES];
};

/* See shaders/adam.comp. */
struct plan_adam {
    uint64_t operands[7], training_step;
    uint32_t count, group_size;
    float learning_rate, beta1, beta2, epsilon;
    struct plan_wide dimensions[PLAN_DIMENSIONS];
};

struct plan_normalise {
    uint64_t operands[2 * PLAN_STRIDES], tile_sums, tile_products;
    uint32_t line_count, count, lanes_log, lines_log, lines_adjacent, given, centred, divided;
    float epsilon, a, b;
    uint32_t line_rank, place_rank, tile, tiles;
    struct plan_wide lines[PLAN_DIMENSIONS], places[PLAN_DIMENSIONS];
};

/* One launch. Launches of one pass do not depend on each other; those of a later pass depend on all earlier passes. */
struct plan_launch {
    uint32_t pass;
    uint32_t is_copy; /* no kernel: copies `copy_bytes` from the operand of address 0 to that of address 1 */
    uint64_t copy_bytes;
    struct pipeline_key pipeline;
    uint32_t groups; /* workgroups */
    uint32_t parameter_bytes;
    uint32_t address_count; /* the parameters begin with this many addresses */
    uint32_t texels;        /* a bit for each address that counts bytes from the beginning of a buffer of texels */
    uint32_t target;        /* with PIPELINE_STORES: number of the address that is stored to */
    struct {
        enum plan_operand operand;
        uint64_t offset; /* bytes */
    } address[PLAN_ADDRESSES];
    union {
        struct plan_move move;
        struct plan_rows rows;
        struct plan_fold fold;
        struct plan_nonzero nonzero;
        struct plan_scan scan;
        struct plan_range range;
        struct plan_pick pick;
        struct plan_random random;
        struct plan_top_k top_k;
        struct plan_unfold unfold;
        struct plan_response response;
        struct plan_pooling pooling;
        struct plan_resample resample;
        struct plan_region region;
        struct plan_align align;
        struct plan_align_gradient align_gradient;
        struct plan_products products;
        struct plan_recurrence recurrence;
        struct plan_attention attention;
        struct plan_adam adam;
        struct plan_map map;
        struct plan_reduce reduce;
        struct plan_softmax softmax;
        struct plan_cumulate cumulate;
        struct plan_normalise normalise;
        uint64_t addresses[PLAN_ADDRESSES];
    } parameters;
};

struct plan {
    uint32_t input_count, output_count;
    uint64_t bytes[PLAN_OPERANDS];   /* bytes of each operand; 0: the operand is not used */
    uint64_t written[PLAN_OPERANDS]; /* the launches always write every byte of an output up to here */
    uint32_t launch_count;
    struct plan_launch launches[PLAN_LAUNCHES];
};

/* Fills in `out`. Does not check that the device has the pipelines that the plan names. */
void vulkan_plan_make(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *out);
#endif
