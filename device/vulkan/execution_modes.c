#include "device/vulkan/execution_modes.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

enum { HEADER_WORDS = 5 };

/* The capability and the execution mode of the same name, in the order of MODE_*. */
static const struct {
    uint32_t capability, mode;
} floats[] = {{SpvCapabilityDenormPreserve, SpvExecutionModeDenormPreserve},
              {SpvCapabilitySignedZeroInfNanPreserve, SpvExecutionModeSignedZeroInfNanPreserve},
              {SpvCapabilityRoundingModeRTE, SpvExecutionModeRoundingModeRTE}};
enum { FLOATS = sizeof floats / sizeof *floats };

/* Tells whether a mode applies to floats of so many bits. */
static int has_mode(unsigned modes, unsigned i, uint32_t bits)
{
    return (modes & (bits == 16 ? MODE_CONVERTS_HALVES : 1u << i)) != 0;
}

unsigned execution_modes_of(const VkPhysicalDeviceFloatControlsProperties *properties,
                            const VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR *subgroups)
{
    unsigned modes = subgroups->shaderSubgroupUniformControlFlow ? MODE_RECONVERGES : 0;
    if (properties->shaderDenormPreserveFloat32 &&
        properties->denormBehaviorIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
        modes |= MODE_PRESERVES_DENORMALS;
    if (properties->shaderSignedZeroInfNanPreserveFloat32)
        modes |= MODE_PRESERVES_SPECIALS;
    if (properties->shaderRoundingModeRTEFloat32 &&
        properties->roundingModeIndependence != VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE)
        modes |= MODE_ROUNDS_TO_EVEN;
    if (properties->shaderDenormPreserveFloat16 && properties->shaderSignedZeroInfNanPreserveFloat16 &&
        properties->shaderRoundingModeRTEFloat16 &&
        properties->denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL &&
        properties->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL)
        modes |= MODE_CONVERTS_HALVES;
    return modes;
}

static size_t add_capabilities(unsigned modes, uint32_t *out)
{
    size_t count = 0;
    for (unsigned i = 0; i < FLOATS; i++)
        if (has_mode(modes, i, 16) || has_mode(modes, i, 32)) {
            out[count++] = 2u << SpvWordCountShift | SpvOpCapability;
            out[count++] = floats[i].capability;
        }
    return count;
}

static size_t add_extension(uint32_t *out)
{
    static const char name[40] = "SPV_KHR_subgroup_uniform_control_flow"; /* whole words, the last one with a zero */
    out[0] = (1 + sizeof name / sizeof *out) << SpvWordCountShift | SpvOpExtension;
    memcpy(&out[1], name, sizeof name);
    return 1 + sizeof name / sizeof *out;
}

static size_t add_modes(unsigned modes, uint32_t entry_point, uint32_t *out)
{
    size_t count = 0;
    for (uint32_t bits = 16; bits <= 32; bits *= 2)
        for (unsigned i = 0; i < FLOATS; i++)
            if (has_mode(modes, i, bits)) {
                const uint32_t mode[] = {4u << SpvWordCountShift | SpvOpExecutionMode, entry_point, floats[i].mode,
                                         bits};
                memcpy(&out[count], mode, sizeof mode);
                count += 4;
            }
    if (modes & MODE_RECONVERGES) {
        const uint32_t mode[] = {3u << SpvWordCountShift | SpvOpExecutionMode, entry_point,
                                 SpvExecutionModeSubgroupUniformControlFlowKHR};
        memcpy(&out[count], mode, sizeof mode);
        count += 3;
    }
    return count;
}

/* Adds the modes. A module begins with its capabilities; then come its extensions, then, after some more instructions,
 * its entry point and modes. */
size_t execution_modes_add(unsigned modes, const uint32_t *code, size_t words, uint32_t *out)
{
    size_t count = HEADER_WORDS, at = HEADER_WORDS;
    int uses_subgroups = 0;
    memcpy(out, code, HEADER_WORDS * sizeof *code);
    count += add_capabilities(modes, &out[count]);
    for (; at + 1 < words && code[at] == (2u << SpvWordCountShift | SpvOpCapability); at += 2) {
        uses_subgroups |= code[at + 1] == SpvCapabilityGroupNonUniform;
        memcpy(&out[count], &code[at], 2 * sizeof *code);
        count += 2;
    }
    if (!uses_subgroups)
        modes &= ~(unsigned)MODE_RECONVERGES;
    if (modes & MODE_RECONVERGES)
        count += add_extension(&out[count]);
    for (; at < words && code[at] >> SpvWordCountShift; at += code[at] >> SpvWordCountShift) {
        memcpy(&out[count], &code[at], (code[at] >> SpvWordCountShift) * sizeof *code);
        count += code[at] >> SpvWordCountShift;
        if ((code[at] & SpvOpCodeMask) == SpvOpEntryPoint)
            count += add_modes(modes, code[at + 2], &out[count]);
    }
    return count;
}
