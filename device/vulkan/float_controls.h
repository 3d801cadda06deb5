/* float_controls.h: asks the driver to treat floats as IEEE 754 has them, as far as it offers that. */
#ifndef FLOAT_CONTROLS_H
#define FLOAT_CONTROLS_H

#include "device/vulkan/vk.h"

/* What drivers may offer. The shaders are right without: what is flushed then follows the documents' soft rules. */
enum {
    FLOAT_PRESERVES_DENORMALS = 1,
    FLOAT_PRESERVES_SPECIALS = 2, /* signs of zeros, infinities, NaNs */
    FLOAT_ROUNDS_TO_EVEN = 4,
    FLOAT_CONVERTS_HALVES = 8,           /* conversions between FLOAT16 and FLOAT32 do all of that */
    FLOAT_CONTROLS_WORDS = 3 * 2 + 6 * 4 /* of SPIR-V, that float_controls_add() adds at most */
};

/* What the driver offers for floats of 32 and of 16 bits, without demands on those of 64. */
unsigned float_controls_of(const VkPhysicalDeviceFloatControlsProperties *properties);

/* Copies SPIR-V code with one entry point, and adds the execution modes and their capabilities. `out` has room for
 * FLOAT_CONTROLS_WORDS more words than `words`. Returns the number of words. */
size_t float_controls_add(unsigned controls, const uint32_t *code, size_t words, uint32_t *out);

#endif
