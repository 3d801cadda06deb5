/* pipeline.h: the compute pipelines, created on first use and kept. No pipeline depends on a shape: some dozens of them
 * serve every operator. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "device/vulkan/options.h"
#include "device/vulkan/texels.h"
#include "device/vulkan/vk.h"

enum pipeline_kernel {
    PIPELINE_MOVE,
    PIPELINE_SCATTER_ROWS,
    PIPELINE_FOLD,
    PIPELINE_NONZERO_COUNT,
    PIPELINE_NONZERO_WRITE,
    PIPELINE_SCAN,
    PIPELINE_RANGE,
    PIPELINE_PICK,
    PIPELINE_PHILOX,
    PIPELINE_TOP_K,
    PIPELINE_TOP_K_SHORT,
    PIPELINE_TOP_K_ROWS,
    PIPELINE_UNFOLD,
    PIPELINE_NORMALIZE,
    PIPELINE_RESPONSE,
    PIPELINE_MAP_FUNCTION, /* element-wise operators on floats only; of several steps; on real numbers; on integers */
    PIPELINE_MAP_COMPOSITE,
    PIPELINE_MAP_REAL,
    PIPELINE_MAP_INT,
    PIPELINE_MAP_UINT,
    PIPELINE_REDUCE_REAL, /* sums and products of floats; of integers, and extremes of all types */
    PIPELINE_REDUCE_WHOLE,
    PIPELINE_SOFTMAX,
    PIPELINE_CUMULATE_REAL,
    PIPELINE_CUMULATE_REAL_FOURS,
    PIPELINE_CUMULATE_WHOLE,
    PIPELINE_CUMULATE_WHOLE_FOURS
};

enum { PIPELINE_SPECIALS = 12, PIPELINE_SLOTS = 2048, PIPELINE_TILE = 2048 };

/* Identifies a pipeline. `specials` are the kernel's specialization constants from number 1 on: see its source. Number
 * 0 is the size of a workgroup: that of the traits or, if the last of `specials` is not 0, 2 to the power of that.
 * Number PIPELINE_SPECIALS + 1 is whether the driver converts FLOAT16: see reals.glsl. */
struct pipeline_key {
    uint16_t
        width; /* bits of an element, of maps and reductions of a number; 0 for PIPELINE_SCAN and PIPELINE_PHILOX */
    uint8_t kernel;
    uint8_t texels; /* reads operands as texels: see shaders/texels.glsl */
    uint8_t specials[PIPELINE_SPECIALS];
};

/* Moves that keep the memory busy in different ways. */
enum pipeline_move {
    PIPELINE_COPY,   /* no indices, and more than the copy command is good for; an element for each invocation */
    PIPELINE_TUPLES, /* several indices for each element */
    PIPELINE_WIDE,   /* elements of 128 bits or more */
    PIPELINE_NARROW, /* any other */
    PIPELINE_MAP,    /* of element-wise operators */
    PIPELINE_MOVES
};

/* What a plan needs to know about the device. */
struct pipeline_traits {
    uint32_t group_size;         /* invocations in a workgroup */
    uint32_t subgroups_in_group; /* subgroups in a workgroup, about */
    uint32_t groups_at_least;    /* workgroups to fill before an invocation moves more than one element */
    struct {
        uint8_t together;      /* elements that an invocation should have in flight */
        uint32_t max_elements; /* elements that one invocation should move at most */
    } move[PIPELINE_MOVES];
    uint32_t cache_bytes; /* what indices should reach over at a time, so that it stays in the cache; 0: no limit */
    uint8_t run;          /* adjacent elements that an invocation scans for non-zero ones; 0: 128 bits' worth */
    uint8_t kept;         /* elements of a slice that an invocation keeps in registers at most, over 8; 1: none */
    uint8_t summed;       /* elements that an invocation of a reduction takes at least, if there are so many */
    uint16_t rounds;      /* of loops that an invocation may have in all; 0: any number */
    uint8_t large_log;    /* log2 of the invocations of a workgroup that shares what would be too many rounds */
    uint16_t tile;        /* elements of a sequence that TOP_K selects from in a workgroup, at least */
    uint8_t scans;        /* a subgroup takes a line of a cumulative operator alone, if there are enough */
    uint8_t copies;       /* a kernel copies large tensors faster than vkCmdCopyBuffer */
    uint16_t widest;      /* bits of the widest element that a plan may use */
    uint64_t texel_bytes; /* of the largest tensor that a kernel may read as texels; 0: none */
    uint64_t word_bytes;  /* the same of texels that are words */
    uint8_t has_int64, has_float64; /* kernels may compute with 64-bit numbers */
};

struct pipelines {
    struct vk *vk;
    struct pipeline_traits traits;
    VkPipelineLayout layout;
    uint32_t count;
    struct {
        struct pipeline_key key;
        VkPipeline pipeline; /* null: the slot is free */
    } slots[PIPELINE_SLOTS];
};

/* `is_processor`: plan as for a processor. */
HRESULT pipelines_init(struct pipelines *pipelines, struct vk *vk, const struct options *options,
                       const struct texels *texels, int is_processor, char *message, size_t message_size);
void pipelines_destroy(struct pipelines *pipelines);

/* The pipeline for `key`, which stays owned by `pipelines`. Fails as Vulkan fails; with VK_ERROR_FEATURE_NOT_PRESENT if
 * the device lacks what the kernel needs. */
VkResult pipelines_get(struct pipelines *pipelines, const struct pipeline_key *key, VkPipeline *out);
#endif
