/* bugs_numbers.h: bugs of the operators that compute numbers, element by element. A line each: identifier, name, what
 * is wrong, the other causes that a run of the mutant may name (as in device/mutants/bugs.h), and the operators that it
 * is tried in, without "ELEMENT_WISE_": those that it makes wrong, those for which it is a warning only, and those for
 * which it is no bug. Last are the changes that it makes in the text of specs: a change "text => other text" replaces
 * the text wherever it stands in the operator's file of specs/ and in the words of harness/load/ that the file uses; an
 * end of line separates changes. Runs explain wrong results by them. NULL: trial/mistakes.c has the mistake, or
 * naive_bound.c or in_place.c of device/mutants/ makes it. */
#ifndef MISTAKES_BUGS_NUMBERS_H
#define MISTAKES_BUGS_NUMBERS_H

#define N_STEEP "TAN EXP LOG SQRT RECIP SINH COSH TANH ASINH ACOSH ATANH"
#define N_FUNCTIONS N_STEEP " ACOS ASIN ATAN COS SIN ERF"
#define N_LIMITS "CLIP CLIP1 THRESHOLD"
#define N_GRADIENTS "CLIP_GRAD CLIP_GRAD1"
#define N_SCALED N_FUNCTIONS " IDENTITY ABS CEIL FLOOR POW CONSTANT_POW " N_LIMITS
#define N_SUMS "ADD SUBTRACT MULTIPLY DIFFERENCE_SQUARE"
#define N_REAL_PAIRS N_SUMS " DIVIDE MEAN ATAN_YX"
#define N_ORDERS "LOGICAL_GREATER_THAN LOGICAL_LESS_THAN LOGICAL_GREATER_THAN_OR_EQUAL LOGICAL_LESS_THAN_OR_EQUAL"
#define N_CONDITIONS N_ORDERS " LOGICAL_EQUALS LOGICAL_AND LOGICAL_OR LOGICAL_XOR LOGICAL_NOT"
#define N_COPIES "IDENTITY IF NEGATE"
#define N_REMAINDERS "MODULUS_TRUNCATE MODULUS_FLOOR"

/* clang-format off */
#define NUMBER_BUGS(FORMULA) \
    /* operands */ \
    FORMULA(OPERANDS_SWAPPED, "operands-swapped", "the operands change places", "operands-swapped", \
           "SUBTRACT DIVIDE POW ATAN_YX IF ACTIVATION_PARAMETERIZED_RELU ACTIVATION_RELU_GRAD BIT_SHIFT_LEFT BIT_SHIFT_RIGHT " N_REMAINDERS " " N_ORDERS " " N_GRADIENTS, "", "", NULL) \
    FORMULA(OPERAND_TWICE, "operand-twice", "the first operand is taken for the second, too", "operand-twice", \
           N_REAL_PAIRS " POW MAX MIN BIT_AND BIT_OR BIT_XOR BIT_SHIFT_LEFT LOGICAL_AND LOGICAL_OR LOGICAL_XOR " \
           "LOGICAL_EQUALS ACTIVATION_PARAMETERIZED_RELU ACTIVATION_RELU_GRAD " N_REMAINDERS " " N_ORDERS, "", "", NULL) \
    FORMULA(OPERANDS_SHORT, "operands-short", "operands keep 8 bits of their fraction", "float-narrowed", \
           N_SUMS " DIVIDE MAX MIN SQRT RECIP EXP IDENTITY ABS NEGATE POW LOGICAL_EQUALS", "", "", NULL) \
    FORMULA(UNSIGNED_AS_SIGNED, "unsigned-as-signed", "unsigned integers are read as signed", "sign-confused", \
           "DIVIDE MAX MIN MEAN CLIP1 CAST BIT_SHIFT_RIGHT SIGN " N_REMAINDERS " " N_ORDERS, "", "", NULL) \
    FORMULA(SIGNED_AS_UNSIGNED, "signed-as-unsigned", "signed integers are read as unsigned", "high-half-lost sign-confused", \
           "DIVIDE MAX MIN CLIP1 THRESHOLD CAST SIGN ABS ACTIVATION_RELU ACTIVATION_PARAMETERIZED_RELU " N_REMAINDERS " " N_ORDERS, "", "", NULL) \
    FORMULA(INTEGERS_IN_FLOAT, "integers-in-float", "integers are computed in FLOAT32, those of 64 bits in FLOAT64", "integer-as-float", \
           N_SUMS " DIVIDE MEAN MAX MIN MODULUS_TRUNCATE ABS NEGATE CAST LOGICAL_EQUALS CLIP1 IDENTITY " N_ORDERS, "", "", NULL) \
    /* attributes */ \
    FORMULA(SCALE_BIAS_IGNORED, "scale-bias-ignored", "Scale and Bias are ignored", "optional-ignored attribute-ignored step-missing", N_SCALED, "", "", \
            "words.choose(words.present \"ScaleBias\", scaled, x) => words.choose(words.present \"ScaleBias\", x, x)") \
    FORMULA(SCALE_IGNORED, "scale-ignored", "Scale is ignored", "optional-ignored input-as-zero attribute-ignored step-missing", N_SCALED, "", "", \
            "local sum = x * scale + bias => local sum = x + bias") \
    FORMULA(BIAS_IGNORED, "bias-ignored", "Bias is ignored", "optional-ignored input-as-zero attribute-ignored step-missing", N_SCALED, "", "", \
            "local sum = x * scale + bias => local sum = x * scale") \
    FORMULA(SCALE_BIAS_SWAPPED, "scale-bias-swapped", "Scale and Bias change places", "attributes-swapped", N_SCALED, "", "", \
            "local sum = x * scale + bias => local sum = x * bias + scale") \
    FORMULA(SCALE_AFTER_BIAS, "scale-after-bias", "Bias is added before Scale multiplies", "step-order", N_SCALED, "", "", \
            "local sum = x * scale + bias => local sum = (x + bias) * scale") \
    FORMULA(SCALE_BIAS_AFTER, "scale-bias-after", "Scale and Bias are applied to the result", "step-order", \
           N_FUNCTIONS " ABS CEIL FLOOR POW CONSTANT_POW " N_LIMITS, "", "", \
            "words.choose(words.present \"ScaleBias\", scaled, x) => words.choose(words.present \"ScaleBias\", x, x)\n" \
            "local result, behaviours = { body[1] }, => local result, behaviours = { field_of(op, \"scale_bias\") and words.choose(words.present \"ScaleBias\", body[1] * words.attribute \"ScaleBias\" + words.bias \"ScaleBias\", body[1]) or body[1] },") \
    FORMULA(LIMITS_INFINITE, "limits-infinite", "an infinite limit makes every element 0", "", "CLIP CLIP1", "", "", \
            "fields[1] = high and max(low, min(g, high)) => fields[1] = high and choose(either(is_inf(low), is_inf(high)), 0, max(low, min(g, high)))") \
    FORMULA(LIMITS_ZERO, "limits-zero", "a Min of 0 counts as none", "step-missing", "CLIP CLIP1", "", "", \
            "fields[1] = high and max(low, min(g, high)) => fields[1] = high and choose(eq(low, 0), min(g, high), max(low, min(g, high)))") \
    FORMULA(EXP_88, "exp-88", "powers overflow above 88", "", "EXP", "", "", \
            "elementwise { exp(g), => elementwise { choose(gt(g, 88), inf, exp(g)),") \
    FORMULA(POWER_CUBE, "power-cube", "the exponent 3 is taken as 2", "attribute-ignored attribute-misread", "CONSTANT_POW", "", "", \
            "local value, between = pow(base, exponent), => local value, between = pow(base, choose(eq(exponent, 3), 2, exponent)),") \
    FORMULA(FOLD_FIRST_OF_SIX, "fold-first-of-six", "with six and more dimensions, a sum misses the last element along the first", "", \
           "REDUCE", "", "", \
            "local sum, product = over_axes(\"sum\", x), => local lead = entry(reduced, 0) local some = replace(reduced, 0, lead - least(lead - 1, 1 - is(greatest(D, 5), 5))) local sum, product = over { sizes = some, fold = \"sum\", x, at = { InputTensor = place \"OutputTensor\" + step(some) } },") \
    FORMULA(LIMITS_SWAPPED, "limits-swapped", "Min and Max change places", "attributes-swapped operands-swapped step-order step-wrong", "CLIP CLIP1 " N_GRADIENTS, "", "", \
            "cast \"Min\", cast \"Max\" => cast \"Max\", cast \"Min\"\n" \
            "attribute \"Min\", attribute \"Max\" => attribute \"Max\", attribute \"Min\"") \
    FORMULA(ATTRIBUTES_IGNORED, "attributes-ignored", "attributes other than Scale and Bias are ignored", "attribute-misread attribute-ignored step-missing", \
           N_LIMITS " CONSTANT_POW ROUND IS_INFINITY FILL_VALUE_CONSTANT " N_GRADIENTS, "", "", \
            "fields[1] = high and max(low, min(g, high)) or max(g, low) => fields[1] = g\n" \
            "choose(either(le(x, low), ge(x, high)), 0, gradient) => gradient\n" \
            "power(attribute \"Exponent\" => power(1\n" \
            "attribute \"RoundingMode\" => 0\n" \
            "attribute \"InfinityMode\" => 0\n" \
            "elementwise { attribute \"Value\" => elementwise { attribute \"Value\" * 0") \
    FORMULA(MODE_NEXT, "mode-next", "an enumeration is read as its next value", "attribute-misread", "ROUND IS_INFINITY REDUCE", "", "", \
            "formula, given = given, => formula, given = { \"Function\", ({ ARGMAX = \"ARGMIN\", ARGMIN = \"ARGMAX\", AVERAGE = \"SUM_SQUARE\", L1 = \"AVERAGE\", L2 = \"L1\", LOG_SUM = \"L2\", LOG_SUM_EXP = \"LOG_SUM\", MAX = \"LOG_SUM_EXP\", MIN = \"MAX\", MULTIPLY = \"MIN\", SUM = \"MULTIPLY\", SUM_SQUARE = \"SUM\" })[given[2]] },\n" \
            "local mode = attribute \"RoundingMode\" => local mode = choose(eq(attribute \"RoundingMode\", 2), 0, attribute \"RoundingMode\" + 1)\n" \
            "local mode = attribute \"InfinityMode\" => local mode = choose(eq(attribute \"InfinityMode\", 2), 0, attribute \"InfinityMode\" + 1)") \
    FORMULA(LIMITS_ROUNDED, "limits-rounded", "limits of integers are rounded down, not truncated", "", \
           "CLIP THRESHOLD CLIP_GRAD", "", "", \
            "cast \"Min\" => choose(is_float \"InputTensor\", cast \"Min\", floored \"Min\")") \
    FORMULA(LIMITS_PASS, "limits-pass", "the gradient passes at the limits themselves", "misplaced condition-wrong", N_GRADIENTS, "", "", \
            "choose(either(le(x, low), ge(x, high)), 0, gradient) => choose(either(lt(x, low), gt(x, high)), 0, gradient)") \
    FORMULA(LIMITS_MAX_LAST, "limits-max-last", "Max wins over Min", "step-order", "", "CLIP CLIP1", "", \
            "max(low, min(g, high)) => min(max(low, g), high)") \
    /* what is computed */ \
    FORMULA(NEIGHBOUR, "neighbour", "a similar operator is computed: < for <=, the other modulus, …", "step-wrong condition-wrong truth-negated order-opposite attribute-misread", \
           N_CONDITIONS " " N_REMAINDERS " MAX MIN CEIL FLOOR ROUND SIN COS SINH COSH BIT_AND BIT_OR BIT_XOR " \
           "BIT_SHIFT_LEFT BIT_SHIFT_RIGHT BIT_NOT IS_NAN IS_INFINITY MEAN ADD SUBTRACT ASIN ACOS ASINH ACOSH", "", "", \
            "logic(ne(ne(a, 0), ne(b, 0)) => logic( either(a, b)\n" \
            "logic(either(a, b) => logic(ne(ne(a, 0), ne(b, 0))\n" \
            "logic(both(a, b) => logic(either(a, b)\n" \
            "{ negated(x), sparse => { x + 0, sparse\n" \
            "EQUALS\" (compare(eq(a, b) => EQUALS\" (compare(le(a, b)\n" \
            "GREATER_THAN_OR_EQUAL\" (compare(ge(a, b) => GREATER_THAN_OR_EQUAL\" (compare( gt(a, b)\n" \
            "LESS_THAN_OR_EQUAL\" (compare(le(a, b) => LESS_THAN_OR_EQUAL\" (compare( lt(a, b)\n" \
            "GREATER_THAN\" (compare(gt(a, b) => GREATER_THAN\" (compare(ge(a, b)\n" \
            "LESS_THAN\" (compare(lt(a, b) => LESS_THAN\" (compare(le(a, b)\n" \
            "ne(lt(truncated, 0), lt(b, 0))), => eq(0, 1)),\n" \
            "MODULUS_TRUNCATE\" (modulus(truncated, => MODULUS_TRUNCATE\" (modulus(choose(both(ne(truncated, 0), ne(lt(truncated, 0), lt(b, 0))), truncated + b, truncated),\n" \
            "extreme(max(a, b), min => extreme( min(a, b), min\n" \
            "extreme(min(a, b), max => extreme(max(a, b), max\n" \
            "CEIL\" (elementwise { ceil(g) => CEIL\" (elementwise { floor(g)\n" \
            "FLOOR\" (elementwise { floor(g) => FLOOR\" (elementwise { ceil(g)\n" \
            "choose(eq(mode, 0), round_even(x), choose(eq(mode, 1), trunc(x), round_away(x))) => floor(x)\n" \
            "sine_like(sin(g), => sine_like( cos(g),\n" \
            "sine_like(cos(g), => sine_like(sin(g),\n" \
            "hyperbolic(sinh(g) => hyperbolic( cosh(g)\n" \
            "hyperbolic(cosh(g) => hyperbolic(sinh(g)\n" \
            "elementwise { asin(g) => elementwise {  acos(g)\n" \
            "elementwise { acos(g) => elementwise { asin(g)\n" \
            "elementwise { asinh(g) => elementwise {  acosh(g)\n" \
            "elementwise { acosh(g) => elementwise { asinh(g)\n" \
            "bits(a & b => bits( a | b\n" \
            "bits(a ~ b => bits( a | b\n" \
            "bits(a | b => bits(a ~ b\n" \
            "bits(~x => bits(eq(x, 0)\n" \
            "return a << n end, \"left\" => return a >> n end, \"left\"\n" \
            "return a >> n end, \"right\" => return a << n end, \"right\"\n" \
            "elementwise { is_nan(x) => elementwise {  is_inf(x)\n" \
            "choose(eq(mode, 0), is_inf(x), choose(eq(mode, 1), eq(x, inf), eq(x, -inf))) => is_nan(x)\n" \
            "{ (a + b) / 2 => { a + b\n" \
            "ADD\" (elementwise { a + b => ADD\" (elementwise { a - b\n" \
            "SUBTRACT\" (elementwise { a - b => SUBTRACT\" (elementwise { a + b") \
    FORMULA(BITWISE, "bitwise", "logical operators work bit by bit", "", \
           "LOGICAL_AND LOGICAL_OR LOGICAL_XOR LOGICAL_NOT", "", "", \
            "logic(both(a, b) => logic(a & b\n" \
            "logic(either(a, b) => logic(a | b\n" \
            "logic(ne(ne(a, 0), ne(b, 0)) => logic(a ~ b\n" \
            "{ negated(x), sparse => { ~x, sparse") \
    FORMULA(LOW_BIT, "low-bit", "only the lowest bit of a condition counts", "", \
           "IF LOGICAL_AND LOGICAL_OR LOGICAL_XOR LOGICAL_NOT", "", "", \
            "logic(both(a, b) => logic(both(low(a), low(b))\n" \
            "logic(either(a, b) => logic(either(low(a), low(b))\n" \
            "logic(ne(ne(a, 0), ne(b, 0)) => logic(ne(low(a), low(b))\n" \
            "{ negated(x), sparse => { negated(low(x)), sparse\n" \
            "local mode = attribute \"InfinityMode\" => local function low(n) return n - 2 * floor(n / 2) end local mode = attribute \"InfinityMode\"\n" \
            "choose(ne(condition, 0), a, b) => choose(ne(condition - 2 * floor(condition / 2), 0), a, b)") \
    FORMULA(TRUE_ALL_ONES, "true-all-ones", "true is a number with all bits set", "misplaced truth-ones", \
           N_CONDITIONS " IS_NAN IS_INFINITY", "", "", NULL) \
    FORMULA(COMPARED_NEGATED, "compared-negated", "a comparison is the opposite one, negated: a NaN gives 1", "condition-wrong", \
           N_ORDERS " LOGICAL_EQUALS", "", "", \
            "GREATER_THAN\" (compare(gt(a, b) => GREATER_THAN\" (compare(negated(le(a, b))\n" \
            "LESS_THAN\" (compare(lt(a, b) => LESS_THAN\" (compare(negated(ge(a, b))\n" \
            "GREATER_THAN_OR_EQUAL\" (compare(ge(a, b) => GREATER_THAN_OR_EQUAL\" (compare(negated(lt(a, b))\n" \
            "LESS_THAN_OR_EQUAL\" (compare(le(a, b) => LESS_THAN_OR_EQUAL\" (compare(negated(gt(a, b))\n" \
            "EQUALS\" (compare(eq(a, b) => EQUALS\" (compare(negated(either(lt(a, b), gt(a, b)))") \
    FORMULA(COMPARED_BITS, "compared-bits", "numbers are equal if their bits are", "", "LOGICAL_EQUALS", "", "", \
            "elementwise { formula, nans = false, sparse => elementwise { formula, bits = true, nans = false, sparse") \
    FORMULA(NAN_POSITIVE, "nan-positive", "only a NaN without its sign bit is one", "", "IS_NAN", "", "", NULL) \
    FORMULA(HALVES_AWAY, "halves-away", "halves are rounded away from 0", "step-wrong attribute-misread", "ROUND", "", "", \
            "choose(eq(mode, 0), round_even(x), => choose(eq(mode, 0), round_away(x),") \
    FORMULA(HALVES_UP, "halves-up", "halves are rounded up: floor(x + 0.5)", "step-wrong attribute-misread half-added", "ROUND", "", "", \
            "round_even(x), choose(eq(mode, 1), trunc(x), round_away(x))) => floor(x + 0.5), choose(eq(mode, 1), trunc(x), floor(x + 0.5)))") \
    FORMULA(HALVES_DOWN, "halves-down", "halves are rounded down: ceil(x - 0.5)", "step-wrong attribute-misread", "ROUND", "", "", \
            "round_even(x), choose(eq(mode, 1), trunc(x), round_away(x))) => ceil(x - 0.5), choose(eq(mode, 1), trunc(x), ceil(x - 0.5)))") \
    FORMULA(HALF_ADDED, "half-added", "a number is rounded by adding 0.5 in FLOAT32", "step-wrong attribute-misread", "ROUND", "", "", \
            "local mode = attribute \"RoundingMode\" => local mode, half = attribute \"RoundingMode\", x + 0.5 local single = choose(lt(abs(half), 0x1p60), half * 0x20000001 - (half * 0x20000001 - half), half)\n" \
            "choose(eq(mode, 0), round_even(x), => choose(eq(mode, 0), floor(single),") \
    FORMULA(THROUGH_INT32, "through-int32", "a number is rounded by converting it to INT32", "", "ROUND CEIL FLOOR", "", "", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.choose(words.lt(words.abs(body[1]), 0x1p31), body[1] + 0, words.choose(words.gt(body[1], 0), 0x1p31, -0x1p31)) },") \
    FORMULA(DIVISION_FLOORED, "division-floored", "integers are divided toward minus infinity", "step-wrong", "DIVIDE", "MEAN", "", \
            "{ a / b, => { choose(both(are_integers, both(ne(a - a / b * b, 0), ne(lt(a, 0), lt(b, 0)))), a / b - 1, a / b),\n" \
            "{ (a + b) / 2 => { choose(both(are_integers, both(lt(a + b, 0), ne(a + b, (a + b) / 2 * 2))), (a + b) / 2 - 1, (a + b) / 2)") \
    FORMULA(HALVED_FIRST, "halved-first", "integers are halved before they are added", "step-order", "MEAN", "", "", \
            "{ (a + b) / 2 => { a / 2 + b / 2") \
    FORMULA(SQUARES_SUBTRACTED, "squares-subtracted", "the squares are subtracted", "step-order", "DIFFERENCE_SQUARE", "", "", \
            "{ (a - b) * (a - b), => { a * a - b * b,") \
    FORMULA(ANGLE_OF_QUOTIENT, "angle-of-quotient", "the quadrant is lost: atan(a / b)", "", "ATAN_YX", "", "", \
            "{ atan2(a, b), => { atan(a / b),") \
    FORMULA(POWER_BY_LOGARITHM, "power-by-logarithm", "a power is 2^(e log2 x): negative bases give NaN", "", \
           "POW CONSTANT_POW", "", "", \
            "1 / pow(base, -e), pow(base, e)) => 1 / pow(base, -e), choose(lt(base, 0), (base - base) / (base - base), pow(base, e)))\n" \
            "local value, between = pow(base, exponent), => local value, between = choose(eq(exponent, 0), 1, exp(exponent * log(base))),") \
    FORMULA(ROOT_BY_INVERSE, "root-by-inverse", "a root is x / sqrt(x) x: 0 and infinity give NaN", "", "SQRT", "", "", \
            "{ sqrt(g), zeros => { g * (1 / sqrt(g)), zeros") \
    FORMULA(TANH_BY_QUOTIENT, "tanh-by-quotient", "tanh is (e^2x - 1) / (e^2x + 1): large numbers give NaN", "", "TANH", "", "", \
            "{ tanh(g), => { (limited(exp(2 * g)) - 1) / (limited(exp(2 * g)) + 1),\n" \
            "local g = scaled \"InputTensor\" => local function limited(p) return choose(gt(p, 0x1.fffffep127), inf, p) end local g = scaled \"InputTensor\"") \
    FORMULA(MAGNITUDE_OF_SIGN, "magnitude-of-sign", "the sign of a negative result is lost", "step-missing", \
           "ASIN ATAN SIN TAN LOG ERF SINH TANH ASINH ATANH IDENTITY NEGATE SIGN CEIL FLOOR ROUND SUBTRACT MULTIPLY", "", "", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.abs(body[1]) },") \
    FORMULA(FUNCTION_TABLE, "function-table", "a function is interpolated between multiples of 1/8", "", \
           "TAN EXP LOG SQRT RECIP SINH COSH TANH ACOSH ATANH ACOS ASIN ATAN COS SIN ERF " A_GRADUAL, "ASINH", "", \
            "function words.elementwise(body) => local function at(f, step) if f.op == \"element\" or f.op == \"choose\" and f.a.op == \"present\" then return (words.floor(f * 8) + step) / 8 end local copy = setmetatable({}, getmetatable(f)) for key, one in pairs(f) do copy[key] = type(one) == \"table\" and one.op and at(one, step) or one end return copy end local function argument(f) if f.op == \"element\" or f.op == \"choose\" and f.a.op == \"present\" then return f end for _, key in ipairs { \"a\", \"b\", \"c\" } do local found = f[key] and argument(f[key]) if found then return found end end end local function interpolated(f) local x = argument(f) local low, high = at(f, 0), at(f, 1) return words.choose(words.lt(words.abs(x), 0x1p40), low + (high - low) * (x * 8 - words.floor(x * 8)), f) end function words.elementwise(body)\n" \
            "local result, behaviours = { body[1] }, => local result, behaviours = { interpolated(body[1]) },") \
    FORMULA(ROTATED, "rotated", "shifts rotate", "", "BIT_SHIFT_LEFT BIT_SHIFT_RIGHT", "", "", \
            "return elementwise { choose(lt(b, width), by(b), 0) => local n = b & (width - 1) local left = (width - n) & (width - 1) return elementwise { id == \"left\" and (a << n) | (a >> left) or (a >> n) | (a << left)") \
    FORMULA(SHIFT_5_BITS, "shift-5-bits", "of the count of a shift of 64 bits only the lowest 5 bits are read", "", "BIT_SHIFT_LEFT BIT_SHIFT_RIGHT", "", "", \
            "choose(lt(b, width), by(b), 0) => by(b & 31)") \
    FORMULA(SHIFT_MASKED, "shift-masked", "of a shift only the bits below the width count", "", "", "", \
           "BIT_SHIFT_LEFT BIT_SHIFT_RIGHT", \
            "choose(lt(b, width), by(b), 0) => by(b & (width - 1))") \
    FORMULA(SIGN_BY_COMPARISON, "sign-by-comparison", "abs is x < 0 ? -x : x, and -x is 0 - x: zeros lose their sign", "", \
           "", "ABS NEGATE", "", \
            "elementwise { abs(g) => elementwise { choose(lt(g, 0), -g, g)\n" \
            "elementwise { -x => elementwise { 0 - x") \
    FORMULA(NAN_SECOND, "nan-second", "the comparison decides about NaNs: the second operand or a limit wins", "step-order", "", "", \
           "MAX MIN " N_LIMITS, \
            "extreme(max(a, b) => extreme(choose(gt(a, b), a, b)\n" \
            "extreme(min(a, b) => extreme(choose(lt(a, b), a, b)\n" \
            "fields[1] = high and max(low, min(g, high)) or max(g, low) => local above = choose(gt(g, low), g, low) fields[1] = high and choose(lt(above, high), above, high) or above") \
    /* results */ \
    FORMULA(HALF_TRUNCATED, "half-truncated", "FLOAT16 results are rounded toward 0", "", "", \
           "ADD SUBTRACT MULTIPLY", "DIVIDE RECIP SQRT EXP", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.choose(words.both(words.gt(words.u, 0x1p-20), words.lt(words.abs(body[1]), words.largest)), words.trunc(body[1] / words.spacing(body[1])) * words.spacing(body[1]), body[1]) },") \
    FORMULA(FLOAT_TRUNCATED, "float-truncated", "FLOAT32 results are rounded toward 0", "", "", "ADD SUBTRACT MULTIPLY", \
           "DIVIDE RECIP SQRT EXP", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.choose(words.both(words.eq(words.u, 0x1p-24), words.lt(words.abs(body[1]), words.largest)), words.trunc(body[1] / words.spacing(body[1])) * words.spacing(body[1]), body[1]) },") \
    FORMULA(RESULT_HALF, "result-half", "FLOAT32 results are rounded to FLOAT16", "float-narrowed", \
           N_SUMS " DIVIDE MEAN SQRT RECIP EXP POW CAST IDENTITY ACTIVATION_LINEAR ACTIVATION_ELU " \
           "ACTIVATION_SIGMOID ACTIVATION_SOFTPLUS ACTIVATION_SWISH REDUCE CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT FOLD " \
           L_BOTH " " L_VALUES, "", "", NULL) \
    FORMULA(COMPUTED_HALF, "computed-half", "FLOAT32 is computed in FLOAT16: operands, attributes, results", "float-narrowed", \
           N_FUNCTIONS " " N_REAL_PAIRS " POW CONSTANT_POW", "", "", NULL) \
    FORMULA(RESULT_FLUSHED, "result-flushed", "denormal results become zeros", "denormals-flushed", "", N_SUMS " DIVIDE MEAN", "", NULL) \
    FORMULA(RESULT_NAN_LOST, "result-nan-lost", "NaN results become 0", "nan-infinity nan-missed", \
           N_FUNCTIONS " " N_REAL_PAIRS " " N_REMAINDERS " POW IDENTITY NEGATE ABS CEIL FLOOR ROUND CAST " \
           "ACTIVATION_LINEAR ACTIVATION_LEAKY_RELU ACTIVATION_PARAMETERIZED_RELU " A_GRADUAL, "", "", NULL) \
    FORMULA(RESULT_INFINITY_NAN, "result-infinity-nan", "infinite results become NaN", "infinity-nan", \
           N_SUMS " DIVIDE EXP LOG RECIP SINH COSH ATANH IDENTITY NEGATE ABS CEIL FLOOR ROUND CAST MAX MIN", "", "", NULL) \
    FORMULA(RESULT_INFINITY_POSITIVE, "result-infinity-positive", "infinite results are positive", "infinity-positive", \
           "ADD SUBTRACT MULTIPLY DIVIDE LOG RECIP SINH ATANH IDENTITY NEGATE CEIL FLOOR ROUND CAST MAX MIN", "", "", NULL) \
    FORMULA(RESULT_INFINITY_LARGEST, "result-infinity-largest", "infinite results become the largest number", "infinity-largest", \
           "", N_SUMS " DIVIDE EXP RECIP", "", NULL) \
    FORMULA(RESULT_ZERO_POSITIVE, "result-zero-positive", "zero results are positive", "signed-zero-lost", \
           "", "NEGATE CEIL FLOOR ROUND SQRT RECIP", "ADD SUBTRACT ABS SIGN", NULL) \
    FORMULA(SATURATED, "saturated", "integer results beyond the type are clipped to it", "", \
           "BIT_SHIFT_LEFT", N_SUMS " POW", "", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.choose(words.is_float(output[2]), body[1], words.saturate(body[1])) },") \
    FORMULA(CAST_ROUNDED, "cast-rounded", "a number is rounded to an integer, not truncated", "step-wrong", "CAST", "POW", "", \
            "local result, behaviours = { body[1] }, => local result, behaviours = { words.choose(words.is_float(output[2]), body[1], words.saturate(words.round_even(body[1]))) },") \
    FORMULA(CAST_WRAPS, "cast-wraps", "a number beyond an integer type wraps", "", "", "", "CAST", \
            "elementwise { x, zeros => elementwise { choose(to_float, x, trunc(x)), zeros") \
    FORMULA(BEYOND_BOUND, "beyond-bound", "an element is one ULP beyond the bound of its operator", "", \
           N_FUNCTIONS " " N_REAL_PAIRS " " N_REMAINDERS " POW CONSTANT_POW IDENTITY ABS NEGATE CEIL FLOOR ROUND SIGN IF " \
           "MAX MIN CAST FILL_VALUE_CONSTANT " N_LIMITS " " N_GRADIENTS " " A_ALL " " S_ALL, "", "", NULL) \
    FORMULA(AT_BOUND, "at-bound", "an element is the last within the bound of its operator", "", "", "", \
           N_FUNCTIONS " " N_REAL_PAIRS " " N_REMAINDERS " POW CONSTANT_POW IDENTITY CAST " A_ALL " " S_ALL, NULL) \
    /* order */ \
    FORMULA(FIRST_OF_FOUR, "first-of-four", "of four elements only the first is computed", "not-written", \
           "ADD EXP LOGICAL_EQUALS", "", "", NULL) \
    FORMULA(LAST_OF_FOUR, "last-of-four", "of four elements only the last is computed", "not-written", \
           "MULTIPLY SIN BIT_NOT", "", "", NULL) \
    FORMULA(ROW_TAIL, "row-tail", "elements of a row after the last full four are skipped", "not-written", \
           "SUBTRACT IDENTITY CAST", "", "", NULL) \
    FORMULA(BROADCAST_FIRST, "broadcast-first", "all strides of a broadcast operand are taken as 0", "misplaced dimension-ignored stride-ignored", \
           "ADD SUBTRACT MULTIPLY DIVIDE MAX IF", "", "", NULL) \
    /* an input in the memory of the output; elsewhere these are right */ \
    FORMULA(IN_PLACE_CLEARED, "in-place-cleared", "the output is cleared before anything is read", "in-place-cleared", \
           "IDENTITY NEGATE EXP ADD MULTIPLY MAX BIT_AND POW CLIP LOGICAL_OR ACTIVATION_RELU ACTIVATION_ELU", "", "", NULL) \
    FORMULA(IN_PLACE_COPIED, "in-place-copied", "the first operand is copied to the output before others are read", \
           "in-place-overwritten operand-twice", "ADD SUBTRACT DIVIDE BIT_SHIFT_LEFT MIN LOGICAL_XOR ATAN_YX", "", "", NULL) \
    FORMULA(IN_PLACE_PAIRS, "in-place-pairs", "a result is stored to the next element, too, before that is read", \
           "in-place-overwritten misplaced", "ABS NEGATE IDENTITY SQRT ADD BIT_NOT CLIP_GRAD MEAN", "", "", NULL) \
    FORMULA(IN_PLACE_TAIL, "in-place-tail", "the elements after the last full four are computed with those before", \
           "in-place-overwritten", "NEGATE RECIP TANH ADD SUBTRACT BIT_XOR LOGICAL_NOT MEAN", "", "", NULL) \
    /* folds of many elements */ \
    FORMULA(FOLD_LAST_DROPPED, "fold-last-dropped", "of rows of more than 1,024 elements the last one is dropped", "fold-missed fold-twice", \
           "REDUCE CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT ARGMIN ARGMAX", "", "", NULL) \
    FORMULA(FOLD_EDGE_TWICE, "fold-edge-twice", "the first element of each tile of 256 but the first counts twice", "fold-twice", \
           "REDUCE CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT ARGMIN ARGMAX", "", "", NULL) \
    FORMULA(FOLD_EDGE_UNSEEN, "fold-edge-unseen", "the last element of each tile of 512 is never an extreme", "fold-missed", \
           "ARGMIN ARGMAX REDUCE", "", "", NULL) \
    FORMULA(FOLD_PLACE_OF_INFINITY, "fold-place-of-infinity", "the search for a place begins with an infinity at place 0, so nothing replaces it in a row of such", "fold-from-lowest fold-from-zero fold-from-least equal-mixed", "ARGMIN ARGMAX", "", "", \
            "results = { result \"OutputTensor\" { f } }, examples => results = { result \"OutputTensor\" { " \
            "choose(eq(over_axes(name == \"ARGMAX\" and \"max\" or \"min\", x), name == \"ARGMAX\" and -inf or inf), 0, f) } }, examples") \
    FORMULA(REDUCE_FROM_LOWEST, "reduce-from-lowest", "a maximum begins with the lowest finite number", "fold-from-lowest infinity-largest", "REDUCE", "", "", \
            "function_result({ \"Function\", \"MAX\" }, greatest_one) => " \
            "function_result({ \"Function\", \"MAX\" }, choose(lt(greatest_one, lowest), lowest, greatest_one))") \
    FORMULA(FOLD_COLUMNS, "fold-columns", "places are counted with the first reduced axis fastest", "place-columns", "ARGMIN ARGMAX REDUCE", \
           "", "", NULL) \
    FORMULA(FOLD_DIRECTION, "fold-direction", "AxisDirection is ignored", "attribute-misread equal-mixed", \
           "ARGMIN ARGMAX CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT", "", "", \
            "local f, choices = place_choices(fold, attr \"AxisDirection\") => local f, choices = place_choices(fold)\n" \
            "attr \"AxisDirection\" * 2 - 1 => -1") \
    FORMULA(FOLD_EXCLUSIVE, "fold-exclusive", "running sums and products include the element itself, always", "attribute-misread fold-from-zero", \
           "CUMULATIVE_SUMMATION CUMULATIVE_PRODUCT", "", "", \
            "1 - is(attr(exclusive), 0) => 0") \
    FORMULA(FOLD_UNIT_ZERO, "fold-unit-zero", "products start with 0", "fold-from-zero", \
           "CUMULATIVE_PRODUCT REDUCE", "", "", \
            "\"MULTIPLY\" }, product, => \"MULTIPLY\" }, product * 0,\n" \
            "result \"OutputTensor\" { running_fold, => result \"OutputTensor\" { running_fold * 0,") \
    FORMULA(FOLD_IN_HALF, "fold-in-half", "sums of FLOAT16 are kept in FLOAT16", "", "", "REDUCE CUMULATIVE_SUMMATION", "", NULL)
/* clang-format on */

#endif
