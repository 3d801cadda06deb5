/* bugs_normalise.h: bugs of normalisations and their gradients. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_NORMALISE_H
#define MISTAKES_BUGS_NORMALISE_H

#define NM_SLICES "MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 MEAN_VARIANCE_NORMALIZATION2"
#define NM_STATISTICS NM_SLICES " BATCH_NORMALIZATION_TRAINING"
#define NM_HOSTS NM_STATISTICS " BATCH_NORMALIZATION"
#define NM_GRADIENTS "BATCH_NORMALIZATION_GRAD BATCH_NORMALIZATION_TRAINING_GRAD"
#define NM_SUMS NM_STATISTICS " LP_NORMALIZATION " NM_GRADIENTS

/* clang-format off */
#define NORMALISE_BUGS(FORMULA) \
    /* statistics */ \
    FORMULA(NORMAL_OUTPUT_UNBIASED, "normal-output-unbiased", "OutputVarianceTensor is divided by one less than the number of elements", "constant-wrong", "BATCH_NORMALIZATION_TRAINING", "", "", \
            "result \"OutputVarianceTensor\" { of_variance.variance, => result \"OutputVarianceTensor\" { of_variance.variance * of_variance.count / max(1, of_variance.count - 1),") \
    FORMULA(NORMAL_UNBIASED, "normal-unbiased", "the sum of squares is divided by one less than the number of elements", "constant-wrong", \
           NM_STATISTICS, "", "", \
            "/ count, \"variance\") => / (count - 1), \"variance\")") \
    FORMULA(NORMAL_NOT_CENTRED, "normal-not-centred", "the variance is the mean of the squares", "step-missing", \
           "MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 BATCH_NORMALIZATION_TRAINING", "", "", \
            "(x - mean) * (x - mean) => x * x") \
    FORMULA(NORMAL_AXES, "normal-axes", "slices are over one dimension less", "fold-missed dimension-ignored attribute-misread", NM_SUMS, "", "", \
            "local function over_axes(own) => local function over_axes(own) own = replace(own, D - 1, 0)\n" \
            "local kept = ceil_div(sizes(tensor) - 1, sizes(tensor)) => local kept = replace(ceil_div(sizes(tensor) - 1, sizes(tensor)), 0, 1)\n" \
            "local rows = replace(filled(1, D), Axis, size(\"InputTensor\", Axis)) => local rows = filled(1, D)\n" \
            "local kept = replace(filled(1, D), Axis, 0) => local kept = filled(1, D)") \
    FORMULA(NORMAL_AXES_ALL, "normal-axes-all", "slices are over all dimensions", "attribute-misread dimension-ignored", NM_SUMS, "", "", \
            "local function over_axes(own) => local function over_axes(own) own = filled(1, D)\n" \
            "local kept = ceil_div(sizes(tensor) - 1, sizes(tensor)) => local kept = filled(0, D)\n" \
            "local rows = replace(filled(1, D), Axis, size(\"InputTensor\", Axis)) => local rows = sizes \"InputTensor\"\n" \
            "local kept = replace(filled(1, D), Axis, 0) => local kept = filled(0, D)") \
    FORMULA(NORMAL_TAIL_DROPPED, "normal-tail-dropped", "the elements of a slice after the last full four are not in the sums", "fold-missed", \
           NM_SUMS, "", "", NULL) \
    FORMULA(NORMAL_LAST_DROPPED, "normal-last-dropped", "of slices of more than 32 elements, the last one is not in the sums", "fold-missed", \
           NM_SUMS, "", "", NULL) \
    FORMULA(NORMAL_IN_HALF, "normal-in-half", "sums of FLOAT16 are kept in FLOAT16", "", "", \
           NM_STATISTICS " LP_NORMALIZATION BATCH_NORMALIZATION_GRAD", "", NULL) \
    FORMULA(NORMAL_ONE_PASS, "normal-one-pass", "the variance is the mean of the squares, in FLOAT32, without the mean's square", "", \
           "", "", NM_STATISTICS, \
            "named(fold(\"sum\", (x - mean) * (x - mean)) / count, \"variance\") => named(single(single(fold(\"sum\", x * x) / count) - single(mean) * single(mean)), \"variance\")\n" \
            "local function sum_of(...) => local function single(number) return number * 0x20000001 - (number * 0x20000001 - number) end local function sum_of(...)") \
    /* the root */ \
    FORMULA(NORMAL_EPSILON_OUTSIDE, "normal-epsilon-outside", "Epsilon is added to the root", "step-order", \
           NM_HOSTS " " NM_GRADIENTS, "", "", \
            "named(words.sqrt(under), \"root\") => named(words.sqrt(variance) + exact, \"root\")") \
    FORMULA(NORMAL_EPSILON_IGNORED, "normal-epsilon-ignored", "Epsilon is ignored", "attribute-ignored step-missing", \
           NM_HOSTS " " NM_GRADIENTS " LP_NORMALIZATION", "", "", \
            "named(variance + exact, \"stabilised\") => named(variance + 0, \"stabilised\")\n" \
            "max(norm, epsilon)) => norm)") \
    FORMULA(NORMAL_ROOTLESS, "normal-rootless", "what divides is not the root, but its square", "step-missing", \
           NM_HOSTS " " NM_GRADIENTS " LP_NORMALIZATION", "", "", \
            "named(words.sqrt(under), \"root\") => named(under + 0, \"root\")\n" \
            "choose(is_first, magnitudes, sqrt(squares)), \"norm\" => choose(is_first, magnitudes, squares), \"norm\"") \
    FORMULA(NORMAL_SWITCHES, "normal-switches", "mean and variance always count", "attribute-misread condition-wrong", NM_SLICES, "", "", \
            "return ne(attribute(name), 0) end => return eq(0, 0) end") \
    FORMULA(NORMAL_ABOUT_MEAN, "normal-about-mean", "without UseMean, the variance is still about the mean", "attribute-misread condition-wrong constant-wrong", \
           "MEAN_VARIANCE_NORMALIZATION2", "", "", \
            "(x - mean) * (x - mean) => (x - sum / count) * (x - sum / count)") \
    FORMULA(NORMAL_P, "normal-p", "P of 1 and of 2 change places", "attribute-misread", "LP_NORMALIZATION", "", "", \
            "eq(attribute \"P\", 1) => eq(attribute \"P\", 2)") \
    FORMULA(NORMAL_SWAPPED, "normal-swapped", "mean and variance change places", "misplaced operands-swapped outputs-swapped", \
           "BATCH_NORMALIZATION BATCH_NORMALIZATION_TRAINING " NM_GRADIENTS, "", "", \
            "local mean, variance = element => local variance, mean = element\n" \
            "result \"OutputMeanTensor\" { of_mean.mean, => result \"OutputMeanTensor\" { of_mean.variance,\n" \
            "result \"OutputVarianceTensor\" { of_variance.variance, => result \"OutputVarianceTensor\" { of_variance.mean,") \
    /* scale and bias */ \
    FORMULA(NORMAL_CHANNEL, "normal-channel", "scale and bias count from the last channel", "dimension-reversed", \
           NM_HOSTS " " NM_GRADIENTS, "", "", \
            "local scale = choose(present \"ScaleTensor\", element \"ScaleTensor\", 1) => local function last_first(name, output) local own = sizes(name) - 1 return over { sizes = filled(1, D), fold = \"sum\", element(name), at = { [name] = own - place(output) * ceil_div(own, sizes(name)) } } end local scale = choose(present \"ScaleTensor\", last_first(\"ScaleTensor\", \"OutputTensor\"), 1)\n" \
            "local bias = choose(present \"BiasTensor\", element \"BiasTensor\", 0) => local bias = choose(present \"BiasTensor\", last_first(\"BiasTensor\", \"OutputTensor\"), 0)\n" \
            "local scale, bias = element \"ScaleTensor\", element \"BiasTensor\" => local function last_first(name, output) local own = sizes(name) - 1 return over { sizes = filled(1, D), fold = \"sum\", element(name), at = { [name] = own - place(output) * ceil_div(own, sizes(name)) } } end\n" \
            "local function given() => local function given() local scale, bias = last_first(\"ScaleTensor\", \"OutputTensor\"), last_first(\"BiasTensor\", \"OutputTensor\")\n" \
            "local function training() => local function training() local scale, bias = last_first(\"ScaleTensor\", \"OutputTensor\"), last_first(\"BiasTensor\", \"OutputTensor\")\n" \
            "local function of_given() => local function of_given() local scale = last_first(\"ScaleTensor\", \"OutputGradientTensor\")\n" \
            "local function of_batch() => local function of_batch() local scale = last_first(\"ScaleTensor\", \"OutputGradientTensor\")") \
    FORMULA(NORMAL_SCALE_IGNORED, "normal-scale-ignored", "the scale counts as 1, and SOFTSIGN of an infinity is 1 or -1", "optional-ignored step-missing", NM_HOSTS " " NM_GRADIENTS, "", "", \
            "choose(present \"ScaleTensor\", element \"ScaleTensor\", 1) => 1\n" \
            "scale, bias = element \"ScaleTensor\", element \"BiasTensor\" => scale, bias = 1, element \"BiasTensor\"\n" \
            "return x / (1 + words.abs(x)) end => return words.choose(words.is_inf(x), words.choose(words.lt(x, 0), -1, 1), x / (1 + words.abs(x))) end") \
    FORMULA(NORMAL_BIAS_IGNORED, "normal-bias-ignored", "the bias counts as 0", "input-as-zero optional-ignored step-missing", NM_HOSTS, "", "", \
            "choose(present \"BiasTensor\", element \"BiasTensor\", 0) => 0\n" \
            "scale, bias = element \"ScaleTensor\", element \"BiasTensor\" => scale, bias = element \"ScaleTensor\", 0") \
    FORMULA(NORMAL_BIAS_FIRST, "normal-bias-first", "the bias is added before the scale multiplies", "operand-twice input-as-zero step-order", NM_HOSTS, "", "", \
            "sum_of(scale * centre / root, bias, of.added) => sum_of(scale * (centre / root + bias), of.added)\n" \
            "scale * (x - mean) / by.root + bias, \"normalised\" => scale * ((x - mean) / by.root + bias), \"normalised\"") \
    FORMULA(NORMAL_SCALE_BIAS_SWAPPED, "normal-scale-bias-swapped", "scale and bias change places", "operands-swapped step-missing", NM_HOSTS, "", "", \
            "scale = scale, bias = bias, => scale = bias, bias = scale,\n" \
            "scale * (x - mean) / by.root + bias, \"normalised\" => bias * (x - mean) / by.root + scale, \"normalised\"") \
    FORMULA(NORMAL_ADDED_LOST, "normal-added-lost", "FusedAddTensor is ignored", "optional-ignored input-as-zero step-missing", "BATCH_NORMALIZATION_TRAINING", "", "", \
            "added = choose(present \"FusedAddTensor\", element \"FusedAddTensor\", 0) => added = 0") \
    FORMULA(NORMAL_ADDED_LAST, "normal-added-last", "FusedAddTensor is added after the activation", "step-order", \
           "BATCH_NORMALIZATION_TRAINING", "", "", \
            "added = choose(present \"FusedAddTensor\", element \"FusedAddTensor\", 0), => \n" \
            "fused_results { normal.value, => fused_results { normal.value, added = choose(present \"FusedAddTensor\", element \"FusedAddTensor\", 0),\n" \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(words.within(value, family.error), words.member) + (family.added or 0)\n" \
            "local plain = { value, => local plain = { value + (family.added or 0),") \
    FORMULA(NORMAL_EPSILON_STORED, "normal-epsilon-stored", "OutputVarianceTensor has Epsilon, too", "", \
           "BATCH_NORMALIZATION_TRAINING", "", "", \
            "{ of_variance.variance, => { of_variance.variance + attribute \"Epsilon\",") \
    /* the fused activation */ \
    FORMULA(NORMAL_ACTIVATION_NONE, "normal-activation-none", "the fused activation is ignored", "optional-ignored", NM_HOSTS, "", "", \
            "functions[name].value(words.within(value, family.error), words.member) => words.within(value, family.error)") \
    FORMULA(NORMAL_ACTIVATION_SWAPPED, "normal-activation-swapped", "the attributes of the fused activation change places", "attributes-swapped", \
           NM_HOSTS, "", "", \
            "local functions, names = {}, {} => local two = { LINEAR = \"Alpha Beta\", HARD_SIGMOID = \"Alpha Beta\", HARD_SWISH = \"Alpha Beta\", SCALED_TANH = \"Alpha Beta\", PARAMETRIC_SOFTPLUS = \"Alpha Beta\", SHRINK = \"Bias Threshold\", SCALED_ELU = \"Alpha Gamma\" } local function swapped(name, get) local a, b = string.match(two[string.sub(name, 12)] or \"\", \"(%a+) (%a+)\") return function(n) return get(n == a and b or n == b and a or n) end end local functions, names = {}, {}\n" \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(words.within(value, family.error), swapped(name, words.member))") \
    FORMULA(NORMAL_ACTIVATION_EARLY, "normal-activation-early", "the bias is added after the activation", "step-order", NM_HOSTS, "", "", \
            "sum_of(scale * centre / root, bias, of.added) => sum_of(scale * centre / root, of.added)\n" \
            "scale * (x - mean) / by.root + bias, \"normalised\" => scale * (x - mean) / by.root, \"normalised\"\n" \
            "field = \"FusedActivation\", => field = \"FusedActivation\", after = bias,\n" \
            "functions[name].value(words.within(value, family.error), words.member) => functions[name].value(words.within(value, family.error), words.member) + family.after\n" \
            "local plain = { value, => local plain = { value + family.after,") \
    /* gradients */ \
    FORMULA(NORMAL_GRADIENT_MEAN, "normal-gradient-mean", "the mean of the gradient is not subtracted", "step-missing", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "", \
            "(gradient - of.total / of.count - centre => (gradient - centre") \
    FORMULA(NORMAL_GRADIENT_SPREAD, "normal-gradient-spread", "the gradient lacks what comes through the variance", "step-missing", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "", \
            " - centre * (product / of.count) / by.under => ") \
    FORMULA(NORMAL_GRADIENT_SIGN, "normal-gradient-sign", "what comes through the variance is added", "operands-swapped step-order step-wrong", \
           "BATCH_NORMALIZATION_TRAINING_GRAD", "", "", \
            "- centre * (product => + centre * (product") \
    FORMULA(NORMAL_GRADIENT_CONSTANT, "normal-gradient-constant", "mean and variance are the other kind: constants, or of the input", "", \
           NM_GRADIENTS, "", "", \
            "* (gradient - of.total / of.count - centre * (product / of.count) / by.under) => * gradient\n" \
            "gradient = function(by, _, output) => gradient = function(by, of, output)\n" \
            "local value = gradient * scale / by.root => local value = scale / by.root * (gradient - of.total / of.count - (x - mean) * (of.product / of.count) / by.under)") \
    FORMULA(NORMAL_GRADIENT_UNDIVIDED, "normal-gradient-undivided", "the gradient of the scale is not divided by the root", "step-missing", \
           NM_GRADIENTS, "", "", \
            "of.product / by.root, function(u, e) => of.product, function(u, e)") \
    FORMULA(NORMAL_GRADIENT_UNCENTRED, "normal-gradient-uncentred", "the gradient of the scale is of what is not centred", "step-missing", \
           NM_GRADIENTS, "", "", \
            "of.product / by.root, function(u, e) => (of.product + mean * of.total) / by.root, function(u, e)") \
    FORMULA(NORMAL_GRADIENT_AVERAGED, "normal-gradient-averaged", "the gradients of scale and bias are means", "", \
           NM_GRADIENTS, "", "", \
            "of.product / by.root, function(u, e) => of.product / by.root / of.count, function(u, e)\n" \
            "result_of(outputs[3], sums.total, => result_of(outputs[3], sums.total / sums.count,") \
    FORMULA(NORMAL_CLOSE, "normal-close", "a deviation below 1/1000 is taken as 0", "", NM_STATISTICS, "", "", \
            "/ count, \"variance\") => / count, \"variance\") variance = words.choose(words.lt(variance, 0x1p-20), 0, variance)") \
    FORMULA(NORMAL_GRADIENTS_SWAPPED, "normal-gradients-swapped", "the gradients of scale and bias change places", "misplaced outputs-swapped", \
           NM_GRADIENTS, "", "", \
            "of.product / by.root, function(u, e) => of.total, function(u, e)\n" \
            "result_of(outputs[3], sums.total, => result_of(outputs[3], sums.product / by.root,")
/* clang-format on */

#endif
