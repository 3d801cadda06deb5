/* plan.h: turns a validated operator into kernel launches that lack only the addresses. */
#ifndef PLAN_H
#define PLAN_H

#include "device/common/descriptor.h"
#include "device/vulkan/pipeline.h"

enum plan_operand {
    PLAN_INPUT,                                       /* + number */
    PLAN_OUTPUT = PLAN_INPUT + DESCRIPTOR_MAX_INPUTS, /* + number */
    PLAN_SCRATCH = PLAN_OUTPUT + DESCRIPTOR_MAX_OUTPUTS,
    PLAN_OPERANDS
};

enum { PLAN_DIMENSIONS = 8, PLAN_LAUNCHES = 5, PLAN_ADDRESSES = 10, PLAN_STRIDES = 4 };

enum { PLAN_MAP_INPUTS = 3, PLAN_MAP_SCALARS = 6, PLAN_MAP_DIMENSIONS = 2 * PLAN_DIMENSIONS };

/* The structures below have the layout of the shaders' parameter blocks, member by member. */
struct plan_dimension {
    uint32_t size;
    uint32_t magic, shift1, shift2; /* divide by size: see divide() in shaders/common.glsl */
    uint32_t stride[PLAN_STRIDES];  /* elements */
};

struct plan_move {
    uint64_t source, indices, target;
    uint32_t count, group_size, sign, axes, index_step, unused;
    struct plan_dimension dimensions[PLAN_DIMENSIONS];
    struct {
        uint32_t size, stride;
    } axis_of[PLAN_DIMENSIONS];
};

struct plan_nonzero {
    uint64_t source, source_quads, tiles, total, rows;
    uint32_t count, mask, row_stride, column_stride;
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

struct plan_map {
    uint64_t inputs[PLAN_MAP_INPUTS], target, scalars[PLAN_MAP_SCALARS];
    uint32_t count, group_size;
    uint32_t least[2], most[2], scale[2], bias[2]; /* attributes, as numbers that the kernel computes with */
    uint32_t is_scaled, mode, given;
    struct plan_dimension dimensions[PLAN_MAP_DIMENSIONS]; /* as many as the kernel walks are uploaded */
};

/* One launch. Launches of one pass do not depend on each other; those of a later pass depend on all earlier passes. */
struct plan_launch {
    uint32_t pass;
    uint32_t is_copy; /* no kernel: copies `copy_bytes` from operand of address 0 to that of address 1 */
    uint64_t copy_bytes;
    struct pipeline_key pipeline;
    uint32_t groups; /* workgroups */
    uint32_t parameter_bytes;
    uint32_t address_count; /* the parameters begin with this many addresses */
    struct {
        enum plan_operand operand;
        uint64_t offset; /* bytes */
    } address[PLAN_ADDRESSES];
    union {
        struct plan_move move;
        struct plan_nonzero nonzero;
        struct plan_scan scan;
        struct plan_range range;
        struct plan_map map;
        uint64_t addresses[PLAN_ADDRESSES];
    } parameters;
};

struct plan {
    uint32_t input_count, output_count;
    uint64_t bytes[PLAN_OPERANDS];   /* of each operand; 0: not used */
    uint64_t written[PLAN_OPERANDS]; /* the launches always write every byte of an output up to here */
    uint32_t launch_count;
    struct plan_launch launches[PLAN_LAUNCHES];
};

/* Fills in `out`. Does not check that the device has the pipelines that the plan names. */
void plan_make(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *out);
#endif
