/* bugs_normalise.h: bugs of normalisations and their gradients. A line each, as in bugs_numbers.h. naive_normalise.c
 * implements them. */
#ifndef BUGS_NORMALISE_H
#define BUGS_NORMALISE_H

#define NM_SLICES "MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 MEAN_VARIANCE_NORMALIZATION2"
#define NM_STATISTICS NM_SLICES " BATCH_NORMALIZATION_TRAINING"
#define NM_HOSTS NM_STATISTICS " BATCH_NORMALIZATION"
#define NM_GRADIENTS "BATCH_NORMALIZATION_GRAD BATCH_NORMALIZATION_TRAINING_GRAD"
#define NM_SUMS NM_STATISTICS " LP_NORMALIZATION " NM_GRADIENTS

/* clang-format off */
#define NORMALISE_BUGS(NUMBER) \
    /* statistics */ \
    NUMBER(NORMAL_UNBIASED, "normal-unbiased", "the sum of squares is divided by one less than the number of elements", "constant-wrong", \
           NM_STATISTICS, "", "") \
    NUMBER(NORMAL_NOT_CENTRED, "normal-not-centred", "the variance is the mean of the squares", "step-missing", \
           "MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 BATCH_NORMALIZATION_TRAINING", "", "") \
    NUMBER(NORMAL_AXES, "normal-axes", "slices are over one dimension less", "fold-missed dimension-ignored attribute-misread", NM_SUMS, "", "") \
    NUMBER(NORMAL_AXES_ALL, "normal-axes-all", "slices are over all dimensions", "attribute-misread dimension-ignored", NM_SUMS, "", "") \
    NUMBER(NORMAL_TAIL_DROPPED, "normal-tail-dropped", "the elements of a slice after the last full four are not in the sums", "fold-missed", \
           NM_SUMS, "", "") \
    NUMBER(NORMAL_LAST_DROPPED, "normal-last-dropped", "of slices of more than 32 elements, the last one is not in the sums", "fold-missed", \
           NM_SUMS, "", "") \
    NUMBER(NORMAL_IN_HALF, "normal-in-half", "sums of FLOAT16 are kept in FLOAT16", "", "", \
           NM_STATISTICS " LP_NORMALIZATION BATCH_NORMALIZATION_GRAD", "") \
    NUMBER(NORMAL_ONE_PASS, "normal-one-pass", "the variance is the mean of the squares, in FLOAT32, without the mean's square", "", \
           "", "", NM_STATISTICS) \
    /* the root */ \
    NUMBER(NORMAL_EPSILON_OUTSIDE, "normal-epsilon-outside", "Epsilon is added to the root", "step-order", \
           NM_HOSTS " " NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_EPSILON_IGNORED, "normal-epsilon-ignored", "Epsilon is ignored", "attribute-ignored step-missing", \
           NM_HOSTS " " NM_GRADIENTS " LP_NORMALIZATION", "", "") \
    NUMBER(NORMAL_ROOTLESS, "normal-rootless", "what divides is not the root, but its square", "step-missing", \
           NM_HOSTS " " NM_GRADIENTS " LP_NORMALIZATION", "", "") \
    NUMBER(NORMAL_SWITCHES, "normal-switches", "mean and variance always count", "attribute-misread condition-wrong", NM_SLICES, "", "") \
    NUMBER(NORMAL_ABOUT_MEAN, "normal-about-mean", "without UseMean, the variance is still about the mean", "attribute-misread condition-wrong constant-wrong", \
           "MEAN_VARIANCE_NORMALIZATION2", "", "") \
    NUMBER(NORMAL_P, "normal-p", "P of 1 and of 2 change places", "attribute-misread", "LP_NORMALIZATION", "", "") \
    NUMBER(NORMAL_SWAPPED, "normal-swapped", "mean and variance change places", "misplaced operands-swapped outputs-swapped", \
           "BATCH_NORMALIZATION BATCH_NORMALIZATION_TRAINING " NM_GRADIENTS, "", "") \
    /* scale and bias */ \
    NUMBER(NORMAL_CHANNEL, "normal-channel", "scale and bias are those of the next channel", "", \
           NM_HOSTS " " NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_SCALE_IGNORED, "normal-scale-ignored", "the scale counts as 1", "optional-ignored step-missing", NM_HOSTS " " NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_BIAS_IGNORED, "normal-bias-ignored", "the bias counts as 0", "input-as-zero optional-ignored step-missing", NM_HOSTS, "", "") \
    NUMBER(NORMAL_BIAS_FIRST, "normal-bias-first", "the bias is added before the scale multiplies", "operand-twice input-as-zero step-order", NM_HOSTS, "", "") \
    NUMBER(NORMAL_SCALE_BIAS_SWAPPED, "normal-scale-bias-swapped", "scale and bias change places", "operands-swapped step-missing", NM_HOSTS, "", "") \
    NUMBER(NORMAL_ADDED_LOST, "normal-added-lost", "FusedAddTensor is ignored", "optional-ignored input-as-zero step-missing", "BATCH_NORMALIZATION_TRAINING", "", "") \
    NUMBER(NORMAL_ADDED_LAST, "normal-added-last", "FusedAddTensor is added after the activation", "step-order", \
           "BATCH_NORMALIZATION_TRAINING", "", "") \
    NUMBER(NORMAL_EPSILON_STORED, "normal-epsilon-stored", "OutputVarianceTensor has Epsilon, too", "", \
           "BATCH_NORMALIZATION_TRAINING", "", "") \
    /* the fused activation */ \
    NUMBER(NORMAL_ACTIVATION_NONE, "normal-activation-none", "the fused activation is ignored", "optional-ignored", NM_HOSTS, "", "") \
    NUMBER(NORMAL_ACTIVATION_SWAPPED, "normal-activation-swapped", "the attributes of the fused activation change places", "attributes-swapped", \
           NM_HOSTS, "", "") \
    NUMBER(NORMAL_ACTIVATION_EARLY, "normal-activation-early", "the bias is added after the activation", "step-order", NM_HOSTS, "", "") \
    /* gradients */ \
    NUMBER(NORMAL_GRADIENT_MEAN, "normal-gradient-mean", "the mean of the gradient is not subtracted", "step-missing", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "") \
    NUMBER(NORMAL_GRADIENT_SPREAD, "normal-gradient-spread", "the gradient lacks what comes through the variance", "step-missing", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "") \
    NUMBER(NORMAL_GRADIENT_SIGN, "normal-gradient-sign", "what comes through the variance is added", "operands-swapped step-order step-wrong", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "") \
    NUMBER(NORMAL_GRADIENT_CONSTANT, "normal-gradient-constant", "mean and variance are the other kind: constants, or of the input", "", \
           NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_GRADIENT_UNDIVIDED, "normal-gradient-undivided", "the gradient of the scale is not divided by the root", "step-missing", \
           NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_GRADIENT_UNCENTRED, "normal-gradient-uncentred", "the gradient of the scale is of what is not centred", "step-missing", \
           NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_GRADIENT_AVERAGED, "normal-gradient-averaged", "the gradients of scale and bias are means", "", \
           NM_GRADIENTS, "", "") \
    NUMBER(NORMAL_GRADIENTS_SWAPPED, "normal-gradients-swapped", "the gradients of scale and bias change places", "misplaced outputs-swapped", \
           NM_GRADIENTS, "", "")
/* clang-format on */

#endif
