#include "device/vulkan/traits.h"

#include <string.h>

/* Returns log2 of a large workgroup whose invocations each need some shared memory: see shaders/top_k.comp. */
static uint8_t choose_large_log(const VkPhysicalDeviceLimits *limits)
{
    const uint32_t each = 40; /* bytes for each invocation, with its share of the workgroup's */
    uint8_t log = 9;
    while (1u << log > limits->maxComputeWorkGroupInvocations || each << log > limits->maxComputeSharedMemorySize)
        log--;
    return log;
}

struct pipeline_traits pipeline_traits_of(const struct vk *vk, const struct options *options,
                                          const struct texels *texels, int is_processor)
{
    int is_lavapipe = vk->driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
    uint32_t subgroup = vk->subgroup_size ? vk->subgroup_size : 1;
    uint32_t group = is_processor ? subgroup : 512; /* a processor runs one subgroup after the other, each to its end */
    if (group > vk->properties.limits.maxComputeWorkGroupInvocations)
        group = vk->properties.limits.maxComputeWorkGroupInvocations;
    struct pipeline_traits traits = {
        .group_size = group,
        .subgroups_in_group = subgroup < group ? group / subgroup : 1,
        .groups_at_least = is_processor ? 256 : 2048,
        .run = is_processor ? 32 : 0,
        .widest = is_processor && vk->has_int64 ? 256 : 128,
        .cache_bytes = is_processor ? 0 : 8 << 20,
        .kept = is_processor ? 1 : 16,
        .added = is_processor ? 0 : 8192,
        .summed = is_processor ? 8 : 32,
        .rounds = is_lavapipe ? 60000 : 0, /* lavapipe ends loops after 65535 rounds in all */
        .large_log = choose_large_log(&vk->properties.limits),
        .tile = is_processor ? 8192 : 2048,
        .scans = !is_processor && vk->has_subgroups,
        .copies = !is_processor,
        .texel_bytes = texels->reach[TEXELS_FOURS],
        .store_bytes = texels->reach[TEXELS_STORED],
        .word_bytes = texels->reach[TEXELS_WORDS],
        .has_int64 = vk->has_int64 != 0,
        .has_float64 = vk->has_float64 != 0,
    };
    if (options->cache_kib)
        traits.cache_bytes = options->cache_kib << 10;
    /* Measured on lavapipe; on an H200 and an H100, by device/test/bench_device.c and the shapes of cases/bench. */
    static const struct traits_of_move on_processor[] = {{2, 0, 512},
                                                         {2, 0, 512},
                                                         {1, 0, 512},
                                                         {2, 0, 512},
                                                         {1, 0, 512}},
                                       on_gpu[] = {{1, 0, 1}, {1, 0, 1}, {4, 6, 4}, {8, 0, 16}, {4, 0, 32}};
    memcpy(traits.move, is_processor ? on_processor : on_gpu, sizeof traits.move);
    return traits;
}
