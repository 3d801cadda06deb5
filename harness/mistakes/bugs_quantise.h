/* bugs_quantise.h: bugs of quantisations and dequantisations, element by element. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_QUANTISE_H
#define MISTAKES_BUGS_QUANTISE_H

#define T_BLOCKS "QUANTIZE DEQUANTIZE"
#define T_POINTS T_BLOCKS " QUANTIZE_LINEAR DEQUANTIZE_LINEAR"
#define T_ROUNDED "QUANTIZE_LINEAR QUANTIZED_LINEAR_ADD QUANTIZE"
#define T_TO_INTEGERS T_ROUNDED " DYNAMIC_QUANTIZE_LINEAR"

/* clang-format off */
#define QUANTISE_BUGS(FORMULA) \
    FORMULA(QUANTISE_ZERO_WRAPS, "quantise-zero-wraps", "the number is clamped before the zero point is added, and wraps", "quantise-zero-clamped step-order step-missing", T_TO_INTEGERS, "", "", \
            "return saturate(round_even(within(quotient, error)) + zero_point) => return saturate(round_even(within(quotient, error))) + zero_point") \
    FORMULA(QUANTISE_ZERO_CLAMPED, "quantise-zero-clamped", "the number is clamped before the zero point is added, and again", "step-order step-missing", T_TO_INTEGERS, "", "", \
            "return saturate(round_even(within(quotient, error)) + zero_point) => return saturate(saturate(round_even(within(quotient, error))) + zero_point)") \
    FORMULA(QUANTISE_HALVES_AWAY, "quantise-halves-away", "halves are rounded away from 0", "step-wrong", "", T_ROUNDED, "", \
            "return saturate(round_even(within(quotient => return saturate(round_away(within(quotient") \
    FORMULA(BLOCK_MODULO, "block-modulo", "the block of an element is its coordinate modulo the number of blocks", "misplaced", T_BLOCKS, "", "", NULL) \
    FORMULA(QUANTISE_ZERO_NIBBLE, "quantise-zero-nibble", "only the lowest 4 bits of a zero point are read", "sign-confused", T_POINTS, "", "", \
            "element \"ZeroPointTensor\" => (element \"ZeroPointTensor\" - 16 * floor(element \"ZeroPointTensor\" / 16))\n" \
            "element \"QuantizationTensors[1]\" => (element \"QuantizationTensors[1]\" - 16 * floor(element \"QuantizationTensors[1]\" / 16))") \
    FORMULA(QUANTISE_ZERO_7_BITS, "quantise-zero-7-bits", "only the lowest 7 bits of a zero point are read", "", T_POINTS, "", "", \
            "element \"ZeroPointTensor\" => (element \"ZeroPointTensor\" - 128 * floor(element \"ZeroPointTensor\" / 128))\n" \
            "element \"QuantizationTensors[1]\" => (element \"QuantizationTensors[1]\" - 128 * floor(element \"QuantizationTensors[1]\" / 128))") \
    FORMULA(QUANTISE_RANGE_254, "quantise-range-254", "the range of the type counts as 254", "constant-wrong", "DYNAMIC_QUANTIZE_LINEAR", "", "", \
            "local scale = (most - least) / 255 => local scale = (most - least) / 254") \
    FORMULA(QUANTISE_RANGE_256, "quantise-range-256", "the range of the type counts as 256", "constant-wrong", "DYNAMIC_QUANTIZE_LINEAR", "", "", \
            "local scale = (most - least) / 255 => local scale = (most - least) / 256")
/* clang-format on */

#endif
