/* execution_modes.h: asks the driver for what shaders rely on, as far as it offers that: floats as IEEE 754 has them,
 * and subgroups whose invocations meet again after a branch. */
#ifndef EXECUTION_MODES_H
#define EXECUTION_MODES_H

#include "device/vulkan/vk.h"

/* What drivers may offer. The shaders are right without MODE_PRESERVES_… and MODE_ROUNDS_TO_EVEN: what is flushed then
 * follows the documents' soft rules. */
enum {
    MODE_PRESERVES_DENORMALS = 1,
    MODE_PRESERVES_SPECIALS = 2, /* signs of zeros, infinities, NaNs */
    MODE_ROUNDS_TO_EVEN = 4,
    MODE_CONVERTS_HALVES = 8, /* conversions between FLOAT16 and FLOAT32 do all of that */
    MODE_RECONVERGES = 16,    /* after a branch that some invocations of a subgroup take, all of them go on together */
    EXECUTION_MODES_WORDS = 3 * 2 + 6 * 4 + 11 + 3 /* of SPIR-V, that execution_modes_add() adds at most */
};

/* What the driver offers for floats of 32 and of 16 bits, without demands on those of 64, and for subgroups. */
unsigned execution_modes_of(const VkPhysicalDeviceFloatControlsProperties *floats,
                            const VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR *subgroups);

/* Copies SPIR-V code with one entry point, and adds the execution modes, their capabilities and their extension;
 * MODE_RECONVERGES only where the code uses subgroups. `out` has room for EXECUTION_MODES_WORDS more words than
 * `words`. Returns the number of words. */
size_t execution_modes_add(unsigned modes, const uint32_t *code, size_t words, uint32_t *out);

#endif
