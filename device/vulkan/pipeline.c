#include "device/vulkan/pipeline.h"

#include "device/vulkan/execution_modes.h"
#include "device/vulkan/specialise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders/cumulate_real_32_0.spv.h"
#include "shaders/cumulate_real_32_1.spv.h"
#include "shaders/cumulate_real_32_2.spv.h"
#include "shaders/cumulate_real_subgroups_32_0.spv.h"
#include "shaders/cumulate_real_subgroups_32_1.spv.h"
#include "shaders/cumulate_whole_32_0.spv.h"
#include "shaders/cumulate_whole_32_1.spv.h"
#include "shaders/cumulate_whole_32_2.spv.h"
#include "shaders/cumulate_whole_subgroups_32_0.spv.h"
#include "shaders/cumulate_whole_subgroups_32_1.spv.h"
#include "shaders/cumulate_whole_64_1.spv.h"
#include "shaders/fold_8_0.spv.h"
#include "shaders/fold_8_1.spv.h"
#include "shaders/fold_16_0.spv.h"
#include "shaders/fold_16_1.spv.h"
#include "shaders/fold_32_0.spv.h"
#include "shaders/fold_32_1.spv.h"
#include "shaders/fold_64_0.spv.h"
#include "shaders/fold_64_1.spv.h"
#include "shaders/map_composite_32_0.spv.h"
#include "shaders/map_composite_32_1.spv.h"
#include "shaders/map_composite_32_2.spv.h"
#include "shaders/map_function_32_0.spv.h"
#include "shaders/map_function_32_1.spv.h"
#include "shaders/map_function_32_2.spv.h"
#include "shaders/map_int_32_0.spv.h"
#include "shaders/map_int_32_1.spv.h"
#include "shaders/map_int_32_2.spv.h"
#include "shaders/map_int_64_1.spv.h"
#include "shaders/map_real_32_0.spv.h"
#include "shaders/map_real_32_1.spv.h"
#include "shaders/map_real_32_2.spv.h"
#include "shaders/map_real_64_1.spv.h"
#include "shaders/map_uint_32_0.spv.h"
#include "shaders/map_uint_32_1.spv.h"
#include "shaders/map_uint_32_2.spv.h"
#include "shaders/map_uint_64_1.spv.h"
#include "shaders/move_8_0.spv.h"
#include "shaders/move_8_1.spv.h"
#include "shaders/move_16_0.spv.h"
#include "shaders/move_16_1.spv.h"
#include "shaders/move_32_0.spv.h"
#include "shaders/move_32_1.spv.h"
#include "shaders/move_32_2.spv.h"
#include "shaders/move_64_0.spv.h"
#include "shaders/move_64_1.spv.h"
#include "shaders/move_128_0.spv.h"
#include "shaders/move_128_1.spv.h"
#include "shaders/move_256_1.spv.h"
#include "shaders/scatter_rows_128_0.spv.h"
#include "shaders/scatter_rows_128_1.spv.h"
#include "shaders/nonzero_count_8_0.spv.h"
#include "shaders/nonzero_count_8_1.spv.h"
#include "shaders/nonzero_count_8_2.spv.h"
#include "shaders/nonzero_count_16_0.spv.h"
#include "shaders/nonzero_count_16_1.spv.h"
#include "shaders/nonzero_count_16_2.spv.h"
#include "shaders/nonzero_count_32_0.spv.h"
#include "shaders/nonzero_count_32_1.spv.h"
#include "shaders/nonzero_count_32_2.spv.h"
#include "shaders/nonzero_write_8_0.spv.h"
#include "shaders/nonzero_write_8_1.spv.h"
#include "shaders/nonzero_write_8_2.spv.h"
#include "shaders/nonzero_write_16_0.spv.h"
#include "shaders/nonzero_write_16_1.spv.h"
#include "shaders/nonzero_write_16_2.spv.h"
#include "shaders/nonzero_write_32_0.spv.h"
#include "shaders/nonzero_write_32_1.spv.h"
#include "shaders/nonzero_write_32_2.spv.h"
#include "shaders/normalize_32_0.spv.h"
#include "shaders/normalize_32_1.spv.h"
#include "shaders/normalize_32_2.spv.h"
#include "shaders/philox_0.spv.h"
#include "shaders/philox_1.spv.h"
#include "shaders/pick_8_0.spv.h"
#include "shaders/pick_8_1.spv.h"
#include "shaders/pick_16_0.spv.h"
#include "shaders/pick_16_1.spv.h"
#include "shaders/pick_32_0.spv.h"
#include "shaders/pick_32_1.spv.h"
#include "shaders/pick_64_0.spv.h"
#include "shaders/pick_64_1.spv.h"
#include "shaders/pooling_32_0.spv.h"
#include "shaders/pooling_32_1.spv.h"
#include "shaders/products_32_0.spv.h"
#include "shaders/products_32_1.spv.h"
#include "shaders/range_32_0.spv.h"
#include "shaders/range_32_1.spv.h"
#include "shaders/reduce_real_32_0.spv.h"
#include "shaders/reduce_real_32_1.spv.h"
#include "shaders/reduce_real_32_2.spv.h"
#include "shaders/reduce_whole_32_0.spv.h"
#include "shaders/reduce_whole_32_1.spv.h"
#include "shaders/reduce_whole_32_2.spv.h"
#include "shaders/reduce_whole_64_1.spv.h"
#include "shaders/align_32_0.spv.h"
#include "shaders/align_32_1.spv.h"
#include "shaders/align_gradient_32_0.spv.h"
#include "shaders/align_gradient_32_1.spv.h"
#include "shaders/region_32_0.spv.h"
#include "shaders/region_32_1.spv.h"
#include "shaders/attention_32_0.spv.h"
#include "shaders/attention_32_1.spv.h"
#include "shaders/recurrence_32_0.spv.h"
#include "shaders/recurrence_32_1.spv.h"
#include "shaders/resample_32_0.spv.h"
#include "shaders/resample_32_1.spv.h"
#include "shaders/response_32_0.spv.h"
#include "shaders/response_32_1.spv.h"
#include "shaders/adam_32_0.spv.h"
#include "shaders/adam_32_1.spv.h"
#include "shaders/scan_0.spv.h"
#include "shaders/scan_1.spv.h"
#include "shaders/softmax_32_0.spv.h"
#include "shaders/softmax_32_1.spv.h"
#include "shaders/softmax_32_2.spv.h"
#include "shaders/top_k_8_0.spv.h"
#include "shaders/top_k_8_1.spv.h"
#include "shaders/top_k_16_0.spv.h"
#include "shaders/top_k_16_1.spv.h"
#include "shaders/top_k_32_0.spv.h"
#include "shaders/top_k_32_1.spv.h"
#include "shaders/top_k_64_0.spv.h"
#include "shaders/top_k_64_1.spv.h"
#include "shaders/top_k_rows_32_2.spv.h"
#include "shaders/top_k_short_8_0.spv.h"
#include "shaders/top_k_short_8_1.spv.h"
#include "shaders/top_k_short_16_0.spv.h"
#include "shaders/top_k_short_16_1.spv.h"
#include "shaders/top_k_short_32_0.spv.h"
#include "shaders/top_k_short_32_1.spv.h"
#include "shaders/top_k_short_64_0.spv.h"
#include "shaders/top_k_short_64_1.spv.h"
#include "shaders/unfold_32_0.spv.h"
#include "shaders/unfold_32_1.spv.h"

/* Each shader exists twice, for devices without and with 64-bit integers, or for devices with them only; some shaders
 * exist once more, for texels. */
#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        {name##_0_spv, name##_1_spv},                                                                                  \
        {                                                                                                              \
            sizeof name##_0_spv, sizeof name##_1_spv                                                                   \
        }                                                                                                              \
    }

#define CODE_INT64(name)                                                                                               \
    {                                                                                                                  \
        {NULL, name##_1_spv},                                                                                          \
        {                                                                                                              \
            0, sizeof name##_1_spv                                                                                     \
        }                                                                                                              \
    }

#define CODE_TEXELS(name)                                                                                              \
    {                                                                                                                  \
        {name##_0_spv, name##_1_spv, name##_2_spv},                                                                    \
        {                                                                                                              \
            sizeof name##_0_spv, sizeof name##_1_spv, sizeof name##_2_spv                                              \
        }                                                                                                              \
    }

#define CODE_TEXELS_ALONE(name)                                                                                        \
    {                                                                                                                  \
        {NULL, NULL, name##_2_spv},                                                                                    \
        {                                                                                                              \
            0, 0, sizeof name##_2_spv                                                                                  \
        }                                                                                                              \
    }

/* Features that a shader may need besides 64-bit integers. */
enum {
    NEEDS_8BIT = 1,
    NEEDS_16BIT = 2,
    NEEDS_SUBGROUPS = 4,
    NEEDS_FLOAT64 = 8,
    NEEDS_SMALL = NEEDS_8BIT | NEEDS_16BIT
};

/* If several shaders have the same kernel and width, the first one counts whose features the device has. */
static const struct shader {
    uint8_t kernel;
    uint16_t width;
    unsigned needs;
    struct {
        const uint32_t *words[3];
        size_t bytes[3];
    } code;
} shaders[] = {
    {PIPELINE_MOVE, 8, NEEDS_8BIT, CODE(move_8)},
    {PIPELINE_MOVE, 16, NEEDS_16BIT, CODE(move_16)},
    {PIPELINE_MOVE, 32, 0, CODE_TEXELS(move_32)},
    {PIPELINE_MOVE, 64, 0, CODE(move_64)},
    {PIPELINE_MOVE, 128, 0, CODE(move_128)},
    {PIPELINE_MOVE, 256, 0, CODE_INT64(move_256)},
    {PIPELINE_SCATTER_ROWS, 128, 0, CODE(scatter_rows_128)},
    {PIPELINE_FOLD, 8, NEEDS_8BIT, CODE(fold_8)},
    {PIPELINE_FOLD, 16, NEEDS_16BIT, CODE(fold_16)},
    {PIPELINE_FOLD, 32, 0, CODE(fold_32)},
    {PIPELINE_FOLD, 64, 0, CODE(fold_64)},
    {PIPELINE_NONZERO_COUNT, 8, NEEDS_SUBGROUPS | NEEDS_8BIT, CODE_TEXELS(nonzero_count_8)},
    {PIPELINE_NONZERO_COUNT, 16, NEEDS_SUBGROUPS | NEEDS_16BIT, CODE_TEXELS(nonzero_count_16)},
    {PIPELINE_NONZERO_COUNT, 32, NEEDS_SUBGROUPS, CODE_TEXELS(nonzero_count_32)},
    {PIPELINE_NONZERO_WRITE, 8, NEEDS_SUBGROUPS | NEEDS_8BIT, CODE_TEXELS(nonzero_write_8)},
    {PIPELINE_NONZERO_WRITE, 16, NEEDS_SUBGROUPS | NEEDS_16BIT, CODE_TEXELS(nonzero_write_16)},
    {PIPELINE_NONZERO_WRITE, 32, NEEDS_SUBGROUPS, CODE_TEXELS(nonzero_write_32)},
    {PIPELINE_SCAN, 0, NEEDS_SUBGROUPS, CODE(scan)},
    {PIPELINE_RANGE, 32, NEEDS_SUBGROUPS | NEEDS_SMALL, CODE(range_32)},
    {PIPELINE_PICK, 8, NEEDS_8BIT, CODE(pick_8)},
    {PIPELINE_PICK, 16, NEEDS_16BIT, CODE(pick_16)},
    {PIPELINE_PICK, 32, 0, CODE(pick_32)},
    {PIPELINE_PICK, 64, 0, CODE(pick_64)},
    {PIPELINE_PHILOX, 0, 0, CODE(philox)},
    {PIPELINE_TOP_K, 8, NEEDS_8BIT, CODE(top_k_8)},
    {PIPELINE_TOP_K, 16, NEEDS_16BIT, CODE(top_k_16)},
    {PIPELINE_TOP_K, 32, 0, CODE(top_k_32)},
    {PIPELINE_TOP_K, 64, 0, CODE(top_k_64)},
    {PIPELINE_TOP_K_SHORT, 8, NEEDS_8BIT, CODE(top_k_short_8)},
    {PIPELINE_TOP_K_SHORT, 16, NEEDS_16BIT, CODE(top_k_short_16)},
    {PIPELINE_TOP_K_SHORT, 32, 0, CODE(top_k_short_32)},
    {PIPELINE_TOP_K_SHORT, 64, 0, CODE(top_k_short_64)},
    {PIPELINE_TOP_K_ROWS, 32, NEEDS_SUBGROUPS, CODE_TEXELS_ALONE(top_k_rows_32)},
    {PIPELINE_UNFOLD, 32, 0, CODE(unfold_32)},
    {PIPELINE_NORMALIZE, 32, NEEDS_SMALL, CODE_TEXELS(normalize_32)},
    {PIPELINE_RESPONSE, 32, NEEDS_SMALL, CODE(response_32)},
    {PIPELINE_POOLING, 32, NEEDS_SMALL, CODE(pooling_32)},
    {PIPELINE_RECURRENCE, 32, NEEDS_SMALL, CODE(recurrence_32)},
    {PIPELINE_ATTENTION, 32, NEEDS_SMALL, CODE(attention_32)},
    {PIPELINE_RESAMPLE, 32, NEEDS_SMALL, CODE(resample_32)},
    {PIPELINE_REGION, 32, NEEDS_SMALL, CODE(region_32)},
    {PIPELINE_ALIGN, 32, NEEDS_SMALL, CODE(align_32)},
    {PIPELINE_ALIGN_GRADIENT, 32, NEEDS_SMALL, CODE(align_gradient_32)},
    {PIPELINE_PRODUCTS, 32, NEEDS_SMALL, CODE(products_32)},
    {PIPELINE_ADAM, 32, NEEDS_SMALL, CODE(adam_32)},
    {PIPELINE_MAP_FUNCTION, 32, NEEDS_SMALL, CODE_TEXELS(map_function_32)},
    {PIPELINE_MAP_COMPOSITE, 32, NEEDS_SMALL, CODE_TEXELS(map_composite_32)},
    {PIPELINE_MAP_REAL, 32, NEEDS_SMALL, CODE_TEXELS(map_real_32)},
    {PIPELINE_MAP_REAL, 64, NEEDS_SMALL | NEEDS_FLOAT64, CODE_INT64(map_real_64)},
    {PIPELINE_MAP_INT, 32, NEEDS_SMALL, CODE_TEXELS(map_int_32)},
    {PIPELINE_MAP_INT, 64, NEEDS_SMALL, CODE_INT64(map_int_64)},
    {PIPELINE_MAP_UINT, 32, NEEDS_SMALL, CODE_TEXELS(map_uint_32)},
    {PIPELINE_MAP_UINT, 64, NEEDS_SMALL, CODE_INT64(map_uint_64)},
    {PIPELINE_REDUCE_REAL, 32, NEEDS_SMALL, CODE_TEXELS(reduce_real_32)},
    {PIPELINE_REDUCE_WHOLE, 32, NEEDS_SMALL, CODE_TEXELS(reduce_whole_32)},
    {PIPELINE_REDUCE_WHOLE, 64, NEEDS_SMALL, CODE_INT64(reduce_whole_64)},
    {PIPELINE_SOFTMAX, 32, NEEDS_SMALL, CODE_TEXELS(softmax_32)},
    {PIPELINE_CUMULATE_REAL, 32, NEEDS_SMALL, CODE_TEXELS(cumulate_real_32)},
    {PIPELINE_CUMULATE_REAL_FOURS, 32, NEEDS_SMALL | NEEDS_SUBGROUPS, CODE(cumulate_real_subgroups_32)},
    {PIPELINE_CUMULATE_WHOLE_FOURS, 32, NEEDS_SMALL | NEEDS_SUBGROUPS, CODE(cumulate_whole_subgroups_32)},
    {PIPELINE_CUMULATE_WHOLE, 32, NEEDS_SMALL, CODE_TEXELS(cumulate_whole_32)},
    {PIPELINE_CUMULATE_WHOLE, 64, NEEDS_SMALL, CODE_INT64(cumulate_whole_64)},
};

HRESULT pipelines_init(struct pipelines *pipelines, struct vk *vk, const struct options *options,
                       const struct texels *texels, int is_processor, char *message, size_t message_size)
{
    memset(pipelines, 0, sizeof *pipelines);
    pipelines->vk = vk;
    pipelines->traits = pipeline_traits_of(vk, options, texels, is_processor);
    VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = sizeof(VkDeviceAddress)};
    VkDescriptorSetLayout sets[TEXELS_SETS];
    for (int i = 0; i < TEXELS_SETS; i++)
        sets[i] = texels->layout;
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = texels->layout ? TEXELS_SETS : 0,
                                       .pSetLayouts = sets,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkResult result = vk->vkCreatePipelineLayout(vk->device, &info, NULL, &pipelines->layout);
    if (result < 0)
        snprintf(message, message_size, "the pipeline layout cannot be created: %s", vk_text(result));
    return vk_hresult(result);
}

void pipelines_destroy(struct pipelines *pipelines)
{
    struct vk *vk = pipelines->vk;
    if (!vk)
        return;
    for (uint32_t i = 0; i < pipelines->capacity; i++)
        vk->vkDestroyPipeline(vk->device, pipelines->slots[i].pipeline, NULL);
    free(pipelines->slots);
    vk->vkDestroyPipelineLayout(vk->device, pipelines->layout, NULL);
    memset(pipelines, 0, sizeof *pipelines);
}

/* Returns the index of a shader's code for a pipeline. */
static uint32_t code_of(const struct vk *vk, const struct pipeline_key *key)
{
    if (key->texels)
        return 2;
    return vk->has_int64 ? 1 : 0;
}

static const struct shader *find_shader(const struct vk *vk, const struct pipeline_key *key)
{
    unsigned has = (vk->has_8bit ? NEEDS_8BIT : 0) | (vk->has_16bit ? NEEDS_16BIT : 0) |
                   (vk->has_subgroups ? NEEDS_SUBGROUPS : 0) | (vk->has_float64 ? NEEDS_FLOAT64 : 0);
    for (size_t i = 0; i < sizeof shaders / sizeof *shaders; i++) {
        const struct shader *shader = &shaders[i];
        if (shader->kernel == key->kernel && shader->width == key->width && !(shader->needs & ~has) &&
            shader->code.words[code_of(vk, key)])
            return shader;
    }
    return NULL;
}

static VkResult make_module(struct vk *vk, const struct shader *shader, uint32_t number, const uint32_t *values,
                            uint32_t count, VkShaderModule *out)
{
    size_t words = shader->code.bytes[number] / sizeof(uint32_t);
    uint32_t *special = malloc((2 * words + EXECUTION_MODES_WORDS) * sizeof *special);
    if (!special)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t *code = special + words;
    words = specialise(shader->code.words[number], words, values, count, special);
    words = words ? execution_modes_add(vk->modes, special, words, code) : 0;
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = words * sizeof *code, .pCode = code};
    VkResult result = words ? vk->vkCreateShaderModule(vk->device, &info, NULL, out) : VK_ERROR_OUT_OF_HOST_MEMORY;
    free(special);
    return result;
}

static VkResult make_pipeline(struct pipelines *pipelines, const struct pipeline_key *key, VkPipeline *out)
{
    enum { COUNT = PIPELINE_SPECIALS + 3 };
    struct vk *vk = pipelines->vk;
    const struct shader *shader = find_shader(vk, key);
    if (!shader)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    const uint8_t group_log = key->specials[PIPELINE_SPECIALS - 1];
    uint32_t values[COUNT] = {group_log ? 1u << group_log : pipelines->traits.group_size,
                              [COUNT - 2] = (vk->modes & MODE_CONVERTS_HALVES) != 0,
                              [COUNT - 1] = (key->texels & PIPELINE_STORES) != 0};
    for (uint32_t i = 1; i < PIPELINE_SPECIALS; i++)
        values[i] = key->specials[i - 1];
    VkShaderModule module = NULL;
    VkResult result = make_module(vk, shader, code_of(vk, key), values, COUNT, &module);
    if (result < 0)
        return result;
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .module = module,
                                                  .pName = "main"},
                                        .layout = pipelines->layout};
    result = vk->vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, out);
    vk->vkDestroyShaderModule(vk->device, module, NULL);
    return result;
}

static uint32_t hash_of(const struct pipeline_key *key)
{
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t low, high;
    _Static_assert(sizeof *key == sizeof low + sizeof high, "a key has no gaps");
    memcpy(&low, key, sizeof low);
    memcpy(&high, (const char *)key + sizeof low, sizeof high);
    return (uint32_t)((low * odd ^ high) * odd >> 40);
}

/* Returns the slot that has the key, or the free one for it. */
static struct pipeline_slot *slot_of(const struct pipelines *pipelines, const struct pipeline_key *key)
{
    uint32_t slot = hash_of(key) & (pipelines->capacity - 1);
    while (pipelines->slots[slot].pipeline && memcmp(&pipelines->slots[slot].key, key, sizeof *key) != 0)
        slot = (slot + 1) & (pipelines->capacity - 1);
    return &pipelines->slots[slot];
}

/* Makes room for one more pipeline. Returns 0 if there is no memory. */
static int make_room(struct pipelines *pipelines)
{
    const struct pipelines old = *pipelines;
    if (old.count < old.capacity / 2)
        return 1;
    pipelines->capacity = old.capacity ? 2 * old.capacity : 256;
    pipelines->slots = calloc(pipelines->capacity, sizeof *pipelines->slots);
    if (!pipelines->slots) {
        *pipelines = old;
        return 0;
    }
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].pipeline)
            *slot_of(pipelines, &old.slots[i].key) = old.slots[i];
    free(old.slots);
    return 1;
}

VkResult pipelines_get(struct pipelines *pipelines, const struct pipeline_key *key, VkPipeline *out)
{
    if (!make_room(pipelines))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct pipeline_slot *slot = slot_of(pipelines, key);
    if (!slot->pipeline) {
        VkPipeline made = NULL;
        VkResult result = make_pipeline(pipelines, key, &made);
        if (result < 0)
            return result;
        pipelines->count++;
        *slot = (struct pipeline_slot){*key, made};
    }
    *out = slot->pipeline;
    return VK_SUCCESS;
}
