/* pipeline.h: the compute pipelines, created on first use and kept. No pipeline depends on a shape: a few serve each
 * operator and data type. */
#ifndef PIPELINE_H
#define PIPELINE_H

#include "device/vulkan/traits.h"

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
    PIPELINE_POOLING,
    PIPELINE_RESAMPLE,
    PIPELINE_REGION,
    PIPELINE_ALIGN,
    PIPELINE_ALIGN_GRADIENT,
    PIPELINE_RECURRENCE,
    PIPELINE_ATTENTION,
    PIPELINE_PRODUCTS,
    PIPELINE_ADAM,
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

enum { PIPELINE_SPECIALS = 12, PIPELINE_TILE = 2048 };

/* The kernel reads operands as texels; and it stores to a buffer, not at an address. See shaders/texels.glsl. */
enum { PIPELINE_TEXELS = 1, PIPELINE_STORES = 2 };

/* Identifies a pipeline. `specials` are the kernel's specialization constants from number 1 on: see its source.
 * Constant 0 is the size of a workgroup: the traits' or, if the last of `specials` is not 0, 2 to the power of that.
 * Constant PIPELINE_SPECIALS + 1 is 1 if the driver converts FLOAT16: see reals.glsl. The next one is 1 if `texels` has
 * PIPELINE_STORES. */
struct pipeline_key {
    uint16_t
        width; /* bits of an element, of maps and reductions of a number; 0 for PIPELINE_SCAN and PIPELINE_PHILOX */
    uint8_t kernel;
    uint8_t texels; /* PIPELINE_TEXELS, PIPELINE_STORES */
    uint8_t specials[PIPELINE_SPECIALS];
};

struct pipelines {
    struct vk *vk;
    struct pipeline_traits traits;
    VkPipelineLayout layout;
    uint32_t count, capacity; /* capacity: a power of 2, or 0 */
    struct pipeline_slot {
        struct pipeline_key key;
        VkPipeline pipeline; /* null: the slot is free */
    } * slots;               /* a hash table, at most half full */
};

/* Prepares the cache of pipelines. `is_processor`: plan as for a processor. */
HRESULT pipelines_init(struct pipelines *pipelines, struct vk *vk, const struct options *options,
                       const struct texels *texels, int is_processor, char *message, size_t message_size);
void pipelines_destroy(struct pipelines *pipelines);

/* Returns the pipeline for `key`, which `pipelines` owns. Fails as Vulkan fails; with VK_ERROR_FEATURE_NOT_PRESENT if
 * the device lacks a feature that the kernel needs. */
VkResult pipelines_get(struct pipelines *pipelines, const struct pipeline_key *key, VkPipeline *out);
#endif
