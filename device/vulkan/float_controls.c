#include "device/vulkan/float_controls.h"

#include <string.h>

/* Numbers of the SPIR-V specification. */
enum { HEADER_WORDS = 5, OP_ENTRY_POINT = 15, OP_EXECUTION_MODE = 16, OP_CAPABILITY = 17 };

/* In the order of FLOAT_*: the capability, and the execution mode of the same name. */
static const struct {
    uint32_t capability, mode;
} numbers[] = {{4464, 4459}, {4466, 4461}, {4467, 4462}};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* Whether a mode applies to floats of so many bits. */
static int has_mode(unsigned controls, unsigned i, uint32_t bits)
{
    return (controls & (bits == 16 ? FLOAT_CONVERTS_HALVES : 1u << i)) != 0;
}

unsigned float_controls_of(const VkPhysicalDeviceFloatControlsProperties *properties)
{
    unsigned controls = 0;
    if (properties->shaderDenormPreserveFloat32 &&
        properties->denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
        controls |= FLOAT_PRESERVES_DENORMALS;
    if (properties->shaderSignedZeroInfNanPreserveFloat32)
        controls |= FLOAT_PRESERVES_SPECIALS;
    if (properties->shaderRoundingModeRTEFloat32 &&
        properties->roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
        controls |= FLOAT_ROUNDS_TO_EVEN;
    if (properties->shaderDenormPreserveFloat16 && properties->shaderSignedZeroInfNanPreserveFloat16 &&
        properties->shaderRoundingModeRTEFloat16 &&
        properties->denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL &&
        properties->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL)
        controls |= FLOAT_CONVERTS_HALVES;
    return controls;
}

static size_t add_capabilities(unsigned controls, uint32_t *out)
{
    size_t count = 0;
    for (unsigned i = 0; i < NUMBERS; i++)
        if (has_mode(controls, i, 16) || has_mode(controls, i, 32)) {
            out[count++] = 2u << 16 | OP_CAPABILITY;
            out[count++] = numbers[i].capability;
        }
    return count;
}

static size_t add_modes(unsigned controls, uint32_t entry_point, uint32_t *out)
{
    size_t count = 0;
    for (uint32_t bits = 16; bits <= 32; bits *= 2)
        for (unsigned i = 0; i < NUMBERS; i++)
            if (has_mode(controls, i, bits)) {
                const uint32_t mode[] = {4u << 16 | OP_EXECUTION_MODE, entry_point, numbers[i].mode, bits};
                memcpy(&out[count], mode, sizeof mode);
                count += 4;
            }
    return count;
}

size_t float_controls_add(unsigned controls, const uint32_t *code, size_t words, uint32_t *out)
{
    size_t count = HEADER_WORDS;
    memcpy(out, code, HEADER_WORDS * sizeof *code);
    count += add_capabilities(controls, &out[count]); /* the first instructions of a module */
    for (size_t at = HEADER_WORDS; at < words && code[at] >> 16; at += code[at] >> 16) {
        memcpy(&out[count], &code[at], (code[at] >> 16) * sizeof *code);
        count += code[at] >> 16;
        if ((code[at] & 0xffff) == OP_ENTRY_POINT)
            count += add_modes(controls, code[at + 2], &out[count]);
    }
    return count;
}
