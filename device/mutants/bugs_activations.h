/* bugs_activations.h: bugs of activations, as operators and fused. A line each, as in bugs_numbers.h.
 * naive_activation.c implements them. */
#ifndef BUGS_ACTIVATIONS_H
#define BUGS_ACTIVATIONS_H

#define A_OF_ONE                                                                                                       \
    "ACTIVATION_LEAKY_RELU ACTIVATION_THRESHOLDED_RELU ACTIVATION_ELU ACTIVATION_CELU ACTIVATION_SOFTPLUS "            \
    "ACTIVATION_SWISH"
#define A_OF_TWO                                                                                                       \
    "ACTIVATION_LINEAR ACTIVATION_SHRINK ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_SCALED_ELU "         \
    "ACTIVATION_SCALED_TANH ACTIVATION_PARAMETRIC_SOFTPLUS"
#define A_OF_NONE                                                                                                      \
    "ACTIVATION_IDENTITY ACTIVATION_RELU ACTIVATION_SOFTSIGN ACTIVATION_SIGMOID ACTIVATION_TANH ACTIVATION_GELU"
#define A_GRADUAL                                                                                                      \
    "ACTIVATION_ELU ACTIVATION_SCALED_ELU ACTIVATION_SIGMOID ACTIVATION_TANH ACTIVATION_SCALED_TANH "                  \
    "ACTIVATION_SOFTPLUS ACTIVATION_PARAMETRIC_SOFTPLUS ACTIVATION_GELU ACTIVATION_SWISH ACTIVATION_SOFTSIGN"
#define A_ALL A_OF_NONE " " A_OF_ONE " " A_OF_TWO " ACTIVATION_PARAMETERIZED_RELU ACTIVATION_RELU_GRAD"

/* clang-format off */
#define ACTIVATION_BUGS(NUMBER) \
    NUMBER(ACTIVATION_SWAPPED, "activation-swapped", "the two attributes change places", "attributes-swapped", A_OF_TWO " ELEMENT_WISE_ADD1", "", "") \
    NUMBER(ACTIVATION_ONES, "activation-ones", "attributes count as 1", "attribute-ignored", A_OF_ONE " " A_OF_TWO " ELEMENT_WISE_ADD1", "", "") \
    NUMBER(ACTIVATION_MIRRORED, "activation-mirrored", "the branches for what is below 0 and for the rest change places", "condition-wrong operands-swapped", \
           "ACTIVATION_LEAKY_RELU ACTIVATION_PARAMETERIZED_RELU ACTIVATION_ELU ACTIVATION_SCALED_ELU ACTIVATION_RELU_GRAD", "", "") \
    NUMBER(ACTIVATION_INCLUSIVE, "activation-inclusive", "what is at the threshold itself passes", "misplaced condition-wrong", \
           "ACTIVATION_THRESHOLDED_RELU ACTIVATION_RELU_GRAD ACTIVATION_SHRINK", "", "") \
    NUMBER(ACTIVATION_ONE_LOST, "activation-one-lost", "a 1 that is added or subtracted in the formula is missing", "step-missing constant-wrong step-wrong", \
           "ACTIVATION_ELU ACTIVATION_CELU ACTIVATION_SCALED_ELU ACTIVATION_SIGMOID ACTIVATION_SOFTPLUS " \
           "ACTIVATION_PARAMETRIC_SOFTPLUS ACTIVATION_GELU ACTIVATION_SOFTSIGN ACTIVATION_SWISH", "", "") \
    NUMBER(ACTIVATION_NO_TOP, "activation-no-top", "the upper limit is missing", "step-missing", \
           "ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_CELU", "", "") \
    NUMBER(ACTIVATION_NO_BOTTOM, "activation-no-bottom", "the lower limit is missing", "misplaced step-missing", \
           "ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_RELU", "", "") \
    NUMBER(ACTIVATION_LITERAL, "activation-literal", "the page's formula is computed as it stands, in FLOAT32", "", \
           "ACTIVATION_TANH ACTIVATION_SCALED_TANH", "ACTIVATION_SOFTPLUS ACTIVATION_PARAMETRIC_SOFTPLUS", "") \
    NUMBER(ACTIVATION_STRAIGHT, "activation-straight", "a curve is its tangent at 0, within its limits", "", \
           "ACTIVATION_SIGMOID ACTIVATION_TANH ACTIVATION_SCALED_TANH ACTIVATION_GELU ACTIVATION_SWISH", "", "") \
    NUMBER(ACTIVATION_BY_TANH, "activation-by-tanh", "GELU is approximated by tanh", "", "", "ACTIVATION_GELU", "") \
    NUMBER(ACTIVATION_OUTSIDE, "activation-outside", "a factor of the argument multiplies the result", "step-order", \
           "ACTIVATION_SWISH ACTIVATION_SCALED_TANH ACTIVATION_PARAMETRIC_SOFTPLUS", "", "") \
    NUMBER(ACTIVATION_UNDIVIDED, "activation-undivided", "a division by an attribute is missing", "step-missing", \
           "ACTIVATION_SOFTPLUS ACTIVATION_CELU", "", "") \
    NUMBER(ACTIVATION_ONE_SIDED, "activation-one-sided", "Bias is subtracted below the negative threshold, too", "step-missing step-wrong condition-wrong", \
           "ACTIVATION_SHRINK", "", "") \
    NUMBER(ACTIVATION_FIRST, "activation-first", "the fused activation is applied to the first operand", "step-order", "ELEMENT_WISE_ADD1", "", "") \
    NUMBER(ACTIVATION_NONE, "activation-none", "the fused activation is ignored", "optional-ignored", "ELEMENT_WISE_ADD1", "", "")
/* clang-format on */

#endif
