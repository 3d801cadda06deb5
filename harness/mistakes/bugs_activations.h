/* bugs_activations.h: bugs of activations, as operators and fused. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_ACTIVATIONS_H
#define MISTAKES_BUGS_ACTIVATIONS_H

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
#define ACTIVATION_BUGS(FORMULA) \
    FORMULA(ACTIVATION_SWAPPED, "activation-swapped", "the two attributes change places", "attributes-swapped", A_OF_TWO " ELEMENT_WISE_ADD1", "", "", \
            "local functions, names = {}, {} => local two = { LINEAR = \"Alpha Beta\", HARD_SIGMOID = \"Alpha Beta\", HARD_SWISH = \"Alpha Beta\", SCALED_TANH = \"Alpha Beta\", PARAMETRIC_SOFTPLUS = \"Alpha Beta\", SHRINK = \"Bias Threshold\", SCALED_ELU = \"Alpha Gamma\" } local function swapped(name, get) local a, b = string.match(two[string.sub(name, 12)] or \"\", \"(%a+) (%a+)\") return function(n) return get(n == a and b or n == b and a or n) end end local functions, names = {}, {}\n" \
            "f.value(x, get) => f.value(x, swapped(name, get))\n" \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(words.within(value, family.error), swapped(name, words.member))") \
    FORMULA(ACTIVATION_ONES, "activation-ones", "attributes count as 1", "attribute-ignored", A_OF_ONE " " A_OF_TWO " ELEMENT_WISE_ADD1", "", "", \
            "f.value(x, get) => f.value(x, function() return 1 end)\n" \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(words.within(value, family.error), function() return 1 end)") \
    FORMULA(ACTIVATION_MIRRORED, "activation-mirrored", "the branches for what is below 0 and for the rest change places", "condition-wrong operands-swapped", \
           "ACTIVATION_LEAKY_RELU ACTIVATION_PARAMETERIZED_RELU ACTIVATION_ELU ACTIVATION_SCALED_ELU ACTIVATION_RELU_GRAD", "", "", \
            "words.choose(words.ge(x, 0), x, => words.choose(words.lt(x, 0), x,\n" \
            "words.choose(words.gt(x, 0), get \"Gamma\" * x, => words.choose(words.le(x, 0), get \"Gamma\" * x,\n" \
            "choose(ge(x, 0), x, slope * x) => choose(lt(x, 0), x, slope * x)\n" \
            "choose(gt(x, 0), gradient, 0) => choose(gt(x, 0), 0, gradient)") \
    FORMULA(ACTIVATION_INCLUSIVE, "activation-inclusive", "what is at the threshold itself passes", "misplaced condition-wrong", \
           "ACTIVATION_THRESHOLDED_RELU ACTIVATION_RELU_GRAD ACTIVATION_SHRINK", "", "", \
            "words.choose(words.gt(x, get \"Alpha\"), x, 0) => words.choose(words.ge(x, get \"Alpha\"), x, 0)\n" \
            "words.choose(words.gt(x, threshold), x - bias, words.choose(words.lt(x, -threshold), x + bias, 0)) => words.choose(words.ge(x, threshold), x - bias, words.choose(words.le(x, -threshold), x + bias, 0))\n" \
            "choose(gt(x, 0), gradient, 0) => choose(ge(x, 0), gradient, 0)\n" \
            "choose(integer, rounded(name), attribute(name)) => choose(integer, rounded(name) + 1, attribute(name))") \
    FORMULA(ACTIVATION_ONE_LOST, "activation-one-lost", "a 1 that is added or subtracted in the formula is missing", "step-missing constant-wrong step-wrong", \
           "ACTIVATION_ELU ACTIVATION_CELU ACTIVATION_SCALED_ELU ACTIVATION_SIGMOID ACTIVATION_SOFTPLUS " \
           "ACTIVATION_PARAMETRIC_SOFTPLUS ACTIVATION_GELU ACTIVATION_SOFTSIGN ACTIVATION_SWISH", "", "", \
            "words.expm1( => words.exp(\n" \
            "return 1 / (1 + words.exp(-t)) end => return words.exp(t) end\n" \
            "return words.max(t, 0) + words.log1p(words.exp(-words.abs(t))) end => return t + 0 end\n" \
            "(1 + words.erf( => (words.erf(\n" \
            "x / (1 + words.abs(x)) => x / words.abs(x)") \
    FORMULA(ACTIVATION_NO_TOP, "activation-no-top", "the upper limit is missing", "step-missing", \
           "ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_CELU", "", "", \
            "words.max(0, words.min(line(x, get), 1)) => words.max(0, line(x, get))\n" \
            "words.min(0, get \"Alpha\" * words.expm1(x / get \"Alpha\")) => get \"Alpha\" * words.expm1(x / get \"Alpha\")") \
    FORMULA(ACTIVATION_NO_BOTTOM, "activation-no-bottom", "the lower limit is missing", "misplaced step-missing", \
           "ACTIVATION_HARD_SIGMOID ACTIVATION_HARD_SWISH ACTIVATION_RELU", "", "", \
            "words.max(0, words.min(line(x, get), 1)) => words.min(line(x, get), 1)\n" \
            "return words.max(0, x) end => return x + 0 end") \
    FORMULA(ACTIVATION_LITERAL, "activation-literal", "the page's formula is computed as it stands, in FLOAT32", "", \
           "ACTIVATION_TANH ACTIVATION_SCALED_TANH", "ACTIVATION_SOFTPLUS ACTIVATION_PARAMETRIC_SOFTPLUS", "", \
            "local functions, names = {}, {} => local function limited(p) return words.choose(words.gt(p, 0x1.fffffep127), words.inf, p) end local functions, names = {}, {}\n" \
            "return words.tanh(x) end => local p = limited(words.exp(-2 * x)) return (1 - p) / (1 + p) end\n" \
            "return get \"Alpha\" * words.tanh(get \"Beta\" * x) end => local p = limited(words.exp(-2 * get \"Beta\" * x)) return get \"Alpha\" * ((1 - p) / (1 + p)) end\n" \
            "return words.max(t, 0) + words.log1p(words.exp(-words.abs(t))) end => return words.log(1 + limited(words.exp(t))) end") \
    FORMULA(ACTIVATION_STRAIGHT, "activation-straight", "a curve is its tangent at 0, within its limits", "", \
           "ACTIVATION_SIGMOID ACTIVATION_TANH ACTIVATION_SCALED_TANH ACTIVATION_GELU ACTIVATION_SWISH", "", "", \
            "return 1 / (1 + words.exp(-t)) end => return words.max(0, words.min(0.25 * t + 0.5, 1)) end\n" \
            "words.tanh( => straight(\n" \
            "words.erf(x / 2 ^ 0.5) => straight(2 / math.pi ^ 0.5 * x / 2 ^ 0.5)\n" \
            "local functions, names = {}, {} => local function straight(t) return words.max(-1, words.min(t, 1)) end local functions, names = {}, {}") \
    FORMULA(ACTIVATION_BY_TANH, "activation-by-tanh", "GELU is approximated by tanh", "", "", "ACTIVATION_GELU", "", \
            "words.erf(x / 2 ^ 0.5) => words.tanh((2 / math.pi) ^ 0.5 * (x + 0.044715 * x * x * x))") \
    FORMULA(ACTIVATION_OUTSIDE, "activation-outside", "a factor of the argument multiplies the result", "step-order", \
           "ACTIVATION_SWISH ACTIVATION_SCALED_TANH ACTIVATION_PARAMETRIC_SOFTPLUS", "", "", \
            "x * logistic(get \"SigmoidInputScale\" * x) end => get \"SigmoidInputScale\" * x * logistic(x) end\n" \
            "words.tanh(get \"Beta\" * x) => get \"Beta\" * words.tanh(x)\n" \
            "get \"Alpha\" * soft_plus(get \"Beta\" * x) end => get \"Alpha\" * get \"Beta\" * soft_plus(x) end") \
    FORMULA(ACTIVATION_UNDIVIDED, "activation-undivided", "a division by an attribute is missing", "step-missing", \
           "ACTIVATION_SOFTPLUS ACTIVATION_CELU", "", "", \
            "soft_plus(get \"Steepness\" * x) / get \"Steepness\" end => soft_plus(get \"Steepness\" * x) end\n" \
            "words.expm1(x / get \"Alpha\") => words.expm1(x)") \
    FORMULA(ACTIVATION_ONE_SIDED, "activation-one-sided", "Bias is subtracted below the negative threshold, too", "step-missing step-wrong condition-wrong", \
           "ACTIVATION_SHRINK", "", "", \
            "x + bias, 0)) => x - bias, 0))") \
    FORMULA(ACTIVATION_FIRST, "activation-first", "the fused activation is applied to the first operand", "step-order", "ADD1", "", "", \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(family.first, words.member) + family.second\n" \
            "fused_results { sum, => fused_results { sum, first = a, second = b,") \
    FORMULA(ACTIVATION_SECOND, "activation-second", "the fused activation is applied to the second operand", "step-order", "ADD1", "", "", \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(family.second, words.member) + family.first\n" \
            "fused_results { sum, => fused_results { sum, first = a, second = b,") \
    FORMULA(ACTIVATION_NONE, "activation-none", "the fused activation is ignored", "optional-ignored", "ADD1", "", "", \
            "functions[name].value(words.within(value, family.error), words.member) => words.within(value, family.error)")
/* clang-format on */

#endif
