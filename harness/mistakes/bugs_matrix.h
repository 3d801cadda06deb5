/* bugs_matrix.h: bugs of products of matrices of integers, and of ADAM_OPTIMIZER. A line each, as in
 * bugs_numbers.h. */
#ifndef MISTAKES_BUGS_MATRIX_H
#define MISTAKES_BUGS_MATRIX_H

#define X_SCALED "MATRIX_MULTIPLY_INTEGER_TO_FLOAT QUANTIZED_LINEAR_MATRIX_MULTIPLY"
#define X_QUANTISED "QUANTIZED_LINEAR_MATRIX_MULTIPLY QUANTIZED_LINEAR_CONVOLUTION"
#define X_INTEGERS "MATRIX_MULTIPLY_INTEGER " X_SCALED

/* clang-format off */
#define MATRIX_BUGS(FORMULA) \
    FORMULA(MATRIX_LAST_DROPPED, "matrix-last-dropped", "the last product of each sum is left out", "fold-missed", X_INTEGERS, "", "", \
            "integers = over { sizes = concat(size(A, -1)), => integers = over { sizes = concat(greatest(size(A, -1) - 1, 1)),") \
    FORMULA(MATRIX_TAIL_DROPPED, "matrix-tail-dropped", "the products after the last full four are left out", "fold-missed", X_INTEGERS, "", "", \
            "integers = over { sizes = concat(size(A, -1)), => integers = over { sizes = concat(greatest(size(A, -1) // 4 * 4, 1)),") \
    FORMULA(MATRIX_FIRST_BATCH, "matrix-first-batch", "all matrices are multiplied by the first one of B", "dimension-ignored misplaced", X_INTEGERS, "", "", \
            "[B] = concat(batch, entry => [B] = concat(batch * 0, entry") \
    /* products of integers */ \
    FORMULA(MATRIX_FIRST_ZERO, "matrix-first-zero", "AZeroPointTensor is ignored", "optional-ignored input-as-zero step-missing", X_INTEGERS, "", "", \
            "(a - element(before)) * => a *") \
    FORMULA(MATRIX_SECOND_ZERO, "matrix-second-zero", "BZeroPointTensor is ignored", "optional-ignored input-as-zero step-missing", X_INTEGERS, "", "", \
            "* (b - element(beside)), => * b,") \
    FORMULA(MATRIX_ZERO_ADDED, "matrix-zero-added", "zero points are added", "step-order step-wrong", X_INTEGERS, "", "", \
            "(a - element(before)) * (b - element(beside)) => (a + element(before)) * (b + element(beside))") \
    FORMULA(MATRIX_FIRST_SCALE, "matrix-first-scale", "AScaleTensor counts as 1", "step-missing", X_SCALED, "", "", \
            "local scale = element \"AScaleTensor\" * element \"BScaleTensor\" => local scale = element \"BScaleTensor\"\n" \
            "scales = { element \"AScaleTensor\", => scales = { eq(1, 1),") \
    FORMULA(MATRIX_SECOND_SCALE, "matrix-second-scale", "BScaleTensor counts as 1", "step-missing", X_SCALED, "", "", \
            "local scale = element \"AScaleTensor\" * element \"BScaleTensor\" => local scale = element \"AScaleTensor\"\n" \
            "element \"BScaleTensor\" }, step = => eq(1, 1) }, step =") \
    FORMULA(MATRIX_BIAS_LOST, "matrix-bias-lost", "BiasTensor is ignored", "optional-ignored input-as-zero step-missing", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "", "", \
            "value = integers * scale + bias => value = integers * scale") \
    FORMULA(MATRIX_BIAS_SCALED, "matrix-bias-scaled", "Bias is added before the scales multiply", "step-order", "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", "", "", \
            "value = integers * scale + bias => value = (integers + bias) * scale") \
    FORMULA(MATRIX_TRUNCATED, "matrix-truncated", "the quotient is rounded toward zero", "step-wrong step-missing", X_QUANTISED, "", "", \
            "saturate(words.round_even(words.within( => saturate(words.trunc(words.within(") \
    FORMULA(MATRIX_ZERO_FIRST, "matrix-zero-first", "OutputZeroPoint is added after the number is clamped, and wraps", "step-order", X_QUANTISED, "", "", \
            "abs(quotient)))) + family.zero_point), => abs(quotient))))) + family.zero_point,") \
    FORMULA(MATRIX_ZERO_CLAMPED, "matrix-zero-clamped", "the number is clamped before OutputZeroPoint is added, and again", "step-order step-missing", X_QUANTISED, "", "", \
            "return words.saturate(words.round_even(words.within( => return words.saturate(words.saturate(words.round_even(words.within(\n" \
            "abs(quotient)))) + family.zero_point), => abs(quotient))))) + family.zero_point),") \
    FORMULA(MATRIX_ZERO_LOST, "matrix-zero-lost", "OutputZeroPointTensor is ignored", "optional-ignored input-as-zero step-missing", X_QUANTISED, "", "", \
            "abs(quotient)))) + family.zero_point), => abs(quotient))))),") \
    FORMULA(MATRIX_STEP_LOST, "matrix-step-lost", "OutputScaleTensor counts as 1", "step-missing", X_QUANTISED, "", "", \
            "sum * scales / step, \"quotient\" => sum * scales, \"quotient\"") \
    /* ADAM_OPTIMIZER */ \
    FORMULA(ADAM_UNCORRECTED, "adam-uncorrected", "the moments are not corrected for their start at 0", "step-missing", "ADAM_OPTIMIZER", "", "", \
            "(sqrt(rest_second) / rest_first) => 1") \
    FORMULA(ADAM_STEP_BEFORE, "adam-step-before", "the step counts as one less", "", "ADAM_OPTIMIZER", "", "", \
            "pow(first, t), 1 - pow(second, t) => pow(first, t - 1), 1 - pow(second, t - 1)") \
    FORMULA(ADAM_STEP_AFTER, "adam-step-after", "the step counts as one more", "", "ADAM_OPTIMIZER", "", "", \
            "pow(first, t), 1 - pow(second, t) => pow(first, t + 1), 1 - pow(second, t + 1)") \
    FORMULA(ADAM_BETAS, "adam-betas", "Beta1 and Beta2 change places", "attributes-swapped", "ADAM_OPTIMIZER", "", "", \
            "attribute \"Beta1\", attribute \"Beta2\", => attribute \"Beta2\", attribute \"Beta1\",") \
    FORMULA(ADAM_EPSILON_INSIDE, "adam-epsilon-inside", "Epsilon is added to V', not to its root", "step-order", "ADAM_OPTIMIZER", "", "", \
            "(sqrt(square) + epsilon), \"change\" => sqrt(square + epsilon), \"change\"") \
    FORMULA(ADAM_EPSILON_LOST, "adam-epsilon-lost", "Epsilon is ignored", "attribute-ignored step-missing", "ADAM_OPTIMIZER", "", "", \
            "(sqrt(square) + epsilon), \"change\" => sqrt(square), \"change\"") \
    FORMULA(ADAM_EPSILON_CORRECTED, "adam-epsilon-corrected", "Epsilon is added after V' is corrected, as in PyTorch", "step-order", "ADAM_OPTIMIZER", "", "", \
            "(sqrt(square) + epsilon), \"change\" => (sqrt(square) + epsilon * sqrt(rest_second)), \"change\"") \
    FORMULA(ADAM_OLD_MOMENT, "adam-old-moment", "the parameters follow from the moment before the step", "operand-twice", "ADAM_OPTIMIZER", "", "", \
            "corrected * moment / => corrected * m /") \
    FORMULA(ADAM_OLD_SQUARE, "adam-old-square", "the parameters follow from the second moment before the step", "", "ADAM_OPTIMIZER", "", "", \
            "(sqrt(square) + epsilon), \"change\" => (sqrt(v) + epsilon), \"change\"") \
    FORMULA(ADAM_GRADIENT_PLAIN, "adam-gradient-plain", "the gradient is not squared", "step-missing", "ADAM_OPTIMIZER", "", "", \
            "(1 - second) * d * d, \"V'\" => (1 - second) * d, \"V'\"") \
    FORMULA(ADAM_MOMENT_WHOLE, "adam-moment-whole", "the gradient is added to the moments whole", "step-missing", "ADAM_OPTIMIZER", "", "", \
            "moment = named(first * m + (1 - first) * d => moment = named(first * m + d\n" \
            "square = named(second * v + (1 - second) * d * d => square = named(second * v + d * d") \
    FORMULA(ADAM_ASCENDS, "adam-ascends", "the change is added", "step-wrong operands-swapped step-order", "ADAM_OPTIMIZER", "", "", \
            "result_of(out_x, x - change => result_of(out_x, x + change") \
    FORMULA(ADAM_RATE_LOST, "adam-rate-lost", "LearningRate counts as 1", "attribute-ignored step-missing", "ADAM_OPTIMIZER", "", "", \
            "corrected = named(rate * (sqrt => corrected = named((sqrt")
/* clang-format on */

#endif
