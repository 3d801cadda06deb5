/* test_execution_modes.c: the modes that the Vulkan device asks of a driver, from those that the driver offers. */
#include "device/vulkan/execution_modes.h"
#include "tools/tap.h"

#include <string.h>

enum {
    EXTENSION = 10,
    ENTRY_POINT = 15,
    EXECUTION_MODE = 16,
    CAPABILITY = 17,
    SUBGROUPS = 61,
    CONTROL_FLOW = 4421,
    PRESERVE = 4459,
    SPECIALS = 4461,
    TO_EVEN = 4462
};

/* A module: a header, a capability, the entry point 7 with no name and no interface, an instruction. */
static const uint32_t module[] = {
    0x07230203, 0x10500, 0, 9, 0, 2u << 16 | CAPABILITY, 1, 4u << 16 | ENTRY_POINT, 5, 7, 0, 1u << 16 | 253};
enum { WORDS = sizeof module / sizeof *module };

/* Counts the instructions with these first operands in the code. */
static int count(const uint32_t *code, size_t words, uint32_t op, const uint32_t *operands, size_t operand_count)
{
    int found = 0;
    for (size_t at = 5; at < words; at += code[at] >> 16)
        found += (code[at] & 0xffff) == op && code[at] >> 16 > operand_count &&
                 !memcmp(&code[at + 1], operands, operand_count * sizeof *operands);
    return found;
}

/* Tells whether the code has each mode of this width just once, or not at all, and its capability before the entry
 * point. */
static int has_mode_once(const uint32_t *code, size_t words, uint32_t mode, uint32_t bits)
{
    const uint32_t capability = mode + 5; /* all three have numbers that far apart */
    int modes = count(code, words, EXECUTION_MODE, (const uint32_t[]){7, mode, bits}, 3);
    return modes == 1 && count(code, words, CAPABILITY, &capability, 1) == 1;
}

int main(void)
{
    uint32_t code[WORDS + EXECUTION_MODES_WORDS];
    VkPhysicalDeviceFloatControlsProperties driver = {
        .denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
        .roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
        .shaderSignedZeroInfNanPreserveFloat16 = VK_TRUE,
        .shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE,
        .shaderDenormPreserveFloat16 = VK_TRUE,
        .shaderRoundingModeRTEFloat16 = VK_TRUE,
        .shaderRoundingModeRTEFloat32 = VK_TRUE,
    };
    VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR subgroups = {0};
    unsigned all = execution_modes_of(&driver, &subgroups);
    ok(all == (MODE_PRESERVES_SPECIALS | MODE_ROUNDS_TO_EVEN | MODE_CONVERTS_HALVES),
       "a driver that flushes denormals of 32 bits may convert FLOAT16 all the same");
    size_t words = execution_modes_add(all, module, WORDS, code);
    ok(words == WORDS + 3 * 2 + 5 * 4, "  it is asked for three capabilities and five modes");
    ok(has_mode_once(code, words, PRESERVE, 16) && has_mode_once(code, words, SPECIALS, 16) &&
           has_mode_once(code, words, TO_EVEN, 16),
       "  all modes for 16 bits");
    ok(!has_mode_once(code, words, PRESERVE, 32) && has_mode_once(code, words, SPECIALS, 32) &&
           has_mode_once(code, words, TO_EVEN, 32),
       "  and the modes that it offers for 32");

    driver.shaderDenormPreserveFloat16 = VK_FALSE;
    all = execution_modes_of(&driver, &subgroups);
    ok(!(all & MODE_CONVERTS_HALVES), "a driver that flushes denormals of 16 bits, like lavapipe, may not");
    words = execution_modes_add(all, module, WORDS, code);
    ok(!has_mode_once(code, words, SPECIALS, 16) && !has_mode_once(code, words, TO_EVEN, 16) &&
           has_mode_once(code, words, TO_EVEN, 32),
       "  it is asked for nothing of 16 bits");

    driver.shaderDenormPreserveFloat16 = VK_TRUE;
    driver.shaderRoundingModeRTEFloat16 = VK_FALSE;
    ok(!(execution_modes_of(&driver, &subgroups) & MODE_CONVERTS_HALVES), "nor may one that rounds them as it likes");
    driver.shaderRoundingModeRTEFloat16 = VK_TRUE;
    driver.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
    ok(!(execution_modes_of(&driver, &subgroups) & MODE_CONVERTS_HALVES), "nor one that rounds 16 and 64 bits alike");
    ok(execution_modes_add(0, module, WORDS, code) == WORDS && !memcmp(code, module, sizeof module),
       "where nothing is offered, the code stays as it is");

    subgroups.shaderSubgroupUniformControlFlow = VK_TRUE;
    ok(execution_modes_of(&driver, &subgroups) & MODE_RECONVERGES, "a driver may promise that subgroups meet again");
    ok(execution_modes_add(MODE_RECONVERGES, module, WORDS, code) == WORDS && !memcmp(code, module, sizeof module),
       "  it need not where the code uses no subgroups");
    uint32_t of_subgroups[WORDS];
    memcpy(of_subgroups, module, sizeof module);
    of_subgroups[6] = SUBGROUPS;
    words = execution_modes_add(MODE_RECONVERGES, of_subgroups, WORDS, code);
    ok(words == WORDS + 11 + 3, "  where it does, it is asked for the extension and the mode");
    ok(code[7] == (11u << 16 | EXTENSION) && !strcmp((const char *)&code[8], "SPV_KHR_subgroup_uniform_control_flow"),
       "  the extension is behind the capabilities");
    ok(count(code, words, EXECUTION_MODE, (const uint32_t[]){7, CONTROL_FLOW}, 2) == 1, "  the mode is there once");
    return tap_done();
}
