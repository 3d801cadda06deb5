/* execution_modes.h: asks the driver for the semantics that shaders rely on, as far as it offers them: floats by IEEE
 * 754, and subgroups whose invocations meet again after a branch. */
#ifndef EXECUTION_MODES_H
#define EXECUTION_MODES_H

#include "device/vulkan/vk.h"

/* Semantics that drivers may offer. The shaders are right without MODE_PRESERVES_… and MODE_ROUNDS_TO_EVEN: flushed
 * denormals and other roundings then follow the documents' soft rules. */
enum {
    MODE_PRESERVES_DENORMALS = 1,
    MODE_PRESERVES_SPECIALS = 2, /* signs of zeros, infinities, NaNs */
    MODE_ROUNDS_TO_EVEN = 4,
    MODE_CONVERTS_HALVES = 8, /* conversions between FLOAT16 and FLOAT32 have the three semantics above */
    MODE_RECONVERGES = 16,    /* after a branch that some invocations of a subgroup take, all of them go on together */
    EXECUTION_MODES_WORDS = 3 * 2 + 6 * 4 + 11 + 3 /* words of SPIR-V that execution_modes_add() adds at most */
};

/* Returns the modes that the driver offers for floats of 32 and of 16 bits, without demands on 64-bit floats, and for
 * subgroups. */
unsigned execution_modes_of(const VkPhysicalDeviceFloatControlsProperties *floats,
                            const VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR *subgroups);

/* Copies SPIR-V code with one entry point, and adds the execution modes, their capabilities and their extension;
 * MODE_RECONVERGES only where the code uses subgroups. `out` has room for EXECUTION_MODES_WORDS more words than
 * `words`. Returns the number of words. */
size_t execution_modes_add(unsigned modes, const uint32_t *code, size_t words, uint32_t *out);

#endif
