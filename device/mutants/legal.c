/* legal.c: the list of the right devices, and the arithmetic in which they differ. */
#include "device/mutants/legal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums in FLOAT32 */

static double add_forwards(double *terms, int64_t count)
{
    float sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += (float)terms[i];
    return (double)sum;
}

static double add_backwards(double *terms, int64_t count)
{
    float sum = 0;
    for (int64_t i = count; i-- > 0;)
        sum += (float)terms[i];
    return (double)sum;
}

static double add_pairs(double *terms, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        terms[i] = (double)(float)terms[i];
    for (int64_t width = 1; width < count; width *= 2)
        for (int64_t i = 0; i + width < count; i += 2 * width)
            terms[i] = (double)((float)terms[i] + (float)terms[i + width]);
    return terms[0];
}

enum { LANES_MAX = 16 };

static double add_in_lanes(const double *terms, int64_t count, int lanes)
{
    float sums[LANES_MAX] = {0}, sum = 0;
    for (int64_t i = 0; i < count; i++)
        sums[i % lanes] += (float)terms[i];
    for (int i = 0; i < lanes; i++)
        sum += sums[i];
    return (double)sum;
}

static double add_4_lanes(double *terms, int64_t count)
{
    return add_in_lanes(terms, count, 4);
}

static double add_16_lanes(double *terms, int64_t count)
{
    return add_in_lanes(terms, count, LANES_MAX);
}

/* A term that is a product of two FLOAT32 is exact in FLOAT64; the one rounding from there to FLOAT32 may differ from
 * that of a fused operation, but only where both are as near. */
static double add_fused(double *terms, int64_t count)
{
    float sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum = (float)((double)sum + terms[i]);
    return (double)sum;
}

/* ---- elements */

static uint64_t sign_of(unsigned type)
{
    return (uint64_t)1 << (datatype_of(type)->bits - 1);
}

static uint64_t flush_single(unsigned type, uint64_t bits)
{
    bool flushes = type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, bits);
    return flushes ? bits & sign_of(type) : bits;
}

static uint64_t flush_any(unsigned type, uint64_t bits)
{
    return datatype_is_denormal(type, bits) ? bits & sign_of(type) : bits;
}

static uint64_t flush_to_plus_zero(unsigned type, uint64_t bits)
{
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, bits) ? 0 : bits;
}

static uint64_t quiet_nan(unsigned type, uint64_t sign_and_payload)
{
    uint64_t infinity = 0, nan = 0;
    datatype_from_double(type, HUGE_VAL, &infinity);
    datatype_from_double(type, (double)NAN, &nan);
    return ((nan | infinity) & ~sign_of(type)) | sign_and_payload;
}

static uint64_t plain_nan(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? quiet_nan(type, 0) : bits;
}

static uint64_t other_nan(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? quiet_nan(type, sign_of(type) | 0x155) : bits;
}

struct rewriting {
    unsigned type;
    uint8_t *memory;
    legal_rewrite *rewrite;
};

static bool legal_rewrite_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct rewriting *r = context;
    unsigned width = datatype_of(r->type)->bits;
    (void)number, (void)coordinates;
    element_put(width, r->memory, offset, r->rewrite(r->type, element_get(width, r->memory, offset)));
    return true;
}

static void legal_rewrite_tensor(const struct opdesc_tensor *tensor, void *memory, legal_rewrite *rewrite)
{
    struct rewriting rewriting = {.type = tensor->data_type, .memory = memory, .rewrite = rewrite};
    if (rewrite && memory && datatype_of(tensor->data_type)->is_float)
        elements_each(tensor, legal_rewrite_element, &rewriting);
}

static uint8_t *legal_memory_of(const assay_binding *binding)
{
    return binding->base ? (uint8_t *)binding->base + binding->offset : NULL;
}

bool legal_run(const struct legal *legal, const struct spec *spec, const struct opdesc *desc,
               const assay_dispatch_item *item, bool (*run)(void *context, const assay_dispatch_item *item),
               void *context)
{
    assay_binding inputs[OPDESC_MAX_TENSORS];
    assay_dispatch_item as_read = *item;
    bool complete = true;
    uint32_t input = 0, output = 0;
    for (int i = -1; legal->input && (i = spec_next_tensor(spec, desc, i)) >= 0;) { /* absent ones are bound, too */
        if (!field_is_input(spec_tensor_field(spec, i)))
            continue;
        inputs[input] = item->inputs[input];
        const uint8_t *memory = legal_memory_of(&inputs[input]);
        inputs[input].base = memory ? malloc(inputs[input].size) : NULL;
        inputs[input].offset = 0;
        complete &= !memory == !inputs[input].base;
        if (memory && inputs[input].base)
            memcpy(inputs[input].base, memory, inputs[input].size);
        legal_rewrite_tensor(&desc->items[i].tensor, inputs[input].base, legal->input);
        as_read.inputs = inputs;
        input++;
    }
    complete = complete && run(context, &as_read);
    while (input > 0)
        free(inputs[--input].base);
    for (int i = -1; complete && (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (field_is_output(spec_tensor_field(spec, i)))
            legal_rewrite_tensor(&desc->items[i].tensor, legal_memory_of(&item->outputs[output++]), legal->output);
    return complete;
}

/* ---- functions at a share of the bounds that the element-wise operators have by themselves */

/* Replaces a function of formula.lua by one whose error is a share of the bound of its operator, in FLOAT32 and in
 * FLOAT16. One ULP of a relative bound is left for the rounding of the result, whose ULP may be twice that of the exact
 * one. The bound of pow has another part with a logarithm, which formulas of integers cannot have. Nothing is added
 * where the bound is no number, or where the operand is infinite, since results are exact there. */
#define FUNCTIONS(sign, share)                                                                                         \
    "functions(2, \"min max pow atan2 within\") => functions(2, \"min max pow atan2 within\") "                        \
    "do local abs, max, exp = words.abs, words.max, words.exp "                                                        \
    "local function err(name, of) local exact = words[name] "                                                          \
    "words[name] = function(a, b) return of(exact(a, b), a, b) end end "                                               \
    "local function less(a) return (" sign ") * (" share ") end "                                                      \
    "local function part(a, single, half) "                                                                            \
    "local error = words.u * words.choose(words.gt(words.u, 0x1p-20), half - 1, single - 1) "                          \
    "return less(a) * words.choose(words.lt(error, 1), error, 0) end "                                                 \
    "local function exp_part(a) return part(a, max(32, 4 + 2 * abs(a)), 2 + abs(a)) end "                              \
    "err('exp', function(v, a) return v * (1 + exp_part(a)) end) "                                                     \
    "err('expm1', function(v, a) return v + words.min(exp(a), 1) * exp_part(a) end) "                                  \
    "err('pow', function(v, a, b) "                                                                                    \
    "local single = 6 * abs(b) + 32 "                                                                                  \
    "return v * (1 + part(a, single, 4 + single * 0x1p-12)) end) "                                                     \
    "err('sqrt', function(v, a) return v * (1 + part(a, 5, 3)) end) "                                                  \
    "for _, name in ipairs { 'log', 'log1p', 'tanh', 'erf' } do "                                                      \
    "err(name, function(v, a) return v + words.choose(words.is_inf(a), 0, less(a) / 1024) end) end end"

#define IN_FLOAT32                                                                                                     \
    {                                                                                                                  \
        .rounds = DML_TENSOR_DATA_TYPE_FLOAT32, .sum = add_forwards                                                    \
    }
#define BATCH_FOLDED "scale * (x - mean) / by.root + bias => scale / by.root * x + (bias - mean * (scale / by.root))\n"
#define FOLDED                                                                                                         \
    BATCH_FOLDED                                                                                                       \
    "sum_of(scale * centre / root, bias, of.added) => "                                                                \
    "scale / root * x + (sum_of(bias, of.added) or 0) - slice.mean * (scale / root)"

#define NORMALISED                                                                                                     \
    "BATCH_NORMALIZATION BATCH_NORMALIZATION_TRAINING MEAN_VARIANCE_NORMALIZATION MEAN_VARIANCE_NORMALIZATION1 "       \
    "MEAN_VARIANCE_NORMALIZATION2"

/* An element for which behaviours leave more results than there are variants gets none of the last ones. */
#define OPEN(number, from_0)                                                                                           \
    {                                                                                                                  \
        "open-" number, "number " number " of the results that open behaviours allow", .liberty = {                    \
            .choices = CHOICES_OPEN,                                                                                   \
            .turn = (from_0)                                                                                           \
        }                                                                                                              \
    }
#define SOFT(number, from_0)                                                                                           \
    {                                                                                                                  \
        "soft-" number, "number " number " of the results that soft behaviours allow", .liberty = {                    \
            .choices = CHOICES_SOFT,                                                                                   \
            .turn = (from_0)                                                                                           \
        }                                                                                                              \
    }

const struct legal legal_variants[] = {
    {"forwards", "sums are computed in FLOAT32, from the first element on", .liberty = {.sum = add_forwards}},
    {"reversed", "sums are computed in FLOAT32, from the last element on", .liberty = {.sum = add_backwards}},
    {"pairwise", "sums are computed in FLOAT32, as sums of pairs", .liberty = {.sum = add_pairs}},
    {"lanes-4", "sums are computed in FLOAT32, as four sums of every fourth element", .liberty = {.sum = add_4_lanes}},
    {"lanes-16", "sums are computed in FLOAT32, as sixteen sums", .liberty = {.sum = add_16_lanes}},
    {"fused", "sums are computed in FLOAT32, and products are added without a rounding", .liberty = {.sum = add_fused}},
    {"in-steps", "each operation rounds to FLOAT32", .liberty = IN_FLOAT32},
    {"flush-inputs", "FLOAT32 denormals are read as zeros", .input = flush_single, .copies = true},
    {"flush-outputs", "FLOAT32 denormals are written as zeros", .output = flush_single, .copies = true},
    {"flush-signs", "FLOAT32 denormals are written as +0", .output = flush_to_plus_zero},
    {"flush-zeros", "denormals of all types count as zeros", .input = flush_any, .operators = "NONZERO_COORDINATES"},
    {"flush-half", "denormals of all types are read and written as zeros", .input = flush_any, .output = flush_any},
    {"nan-plain", "every NaN is the same quiet one", .output = plain_nan, .copies = true},
    {"nan-other", "every NaN is negative and has a payload", .output = other_nan},
    {"functions-high", "functions are too large, by nine tenths of their bounds", .changes = FUNCTIONS("1", "0.9")},
    {"functions-low", "functions are too small, by nine tenths of their bounds", .changes = FUNCTIONS("-1", "0.9")},
    {"functions-both", "functions are too small below -1 and too large above, by nine tenths of their bounds",
     .changes = FUNCTIONS("words.choose(words.lt(a, -1), -1, 1)", "0.9")},
    {"functions-beyond", "functions are too large, by eleven tenths of their bounds", .changes = FUNCTIONS("1", "1.1"),
     .operators = "ELEMENT_WISE_EXP ELEMENT_WISE_LOG ELEMENT_WISE_POW ELEMENT_WISE_TANH ELEMENT_WISE_ERF",
     .wrong = true},
    {"cast-saturates", "a number beyond an integer type becomes the nearest of the type, a NaN 0",
     .changes =
         "operator \"CAST\" (elementwise { x, => operator \"CAST\" (elementwise { choose(is_float \"OutputTensor\", x, "
         "choose(is_nan(x), 0, saturate(x))),",
     .operators = "CAST"},
    {"cast-zero", "a number beyond an integer type becomes 0",
     .changes = "operator \"CAST\" (elementwise { x, => operator \"CAST\" (elementwise { choose(either(is_float "
                "\"OutputTensor\", fits(trunc(x))), x, 0),",
     .operators = "CAST"},
    {"folded", "normalised elements are a * x + b, in FLOAT32", .changes = FOLDED, .liberty = IN_FLOAT32,
     .operators = NORMALISED},
    OPEN("1", 0),
    OPEN("2", 1),
    OPEN("3", 2),
    OPEN("4", 3),
    SOFT("1", 0),
    SOFT("2", 1),
    SOFT("3", 2),
};
const unsigned legal_count = sizeof legal_variants / sizeof *legal_variants;

const struct legal *legal_find(const char *name)
{
    for (unsigned i = 0; i < legal_count; i++)
        if (strcmp(legal_variants[i].name, name) == 0)
            return &legal_variants[i];
    return NULL;
}

/* Returns true if a formula has a function whose error the variants of functions have. */
static bool legal_has_function(const struct formula *formula)
{
    bool has = false;
    for (int i = 0; i < formula->count; i++) {
        enum formula_op op = (enum formula_op)formula->nodes[i].op;
        has |= op == FORMULA_EXP || op == FORMULA_EXPM1 || op == FORMULA_LOG || op == FORMULA_LOG1P ||
               op == FORMULA_SQRT || op == FORMULA_POW || op == FORMULA_TANH || op == FORMULA_ERF;
    }
    return has;
}

static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool has_floats(const struct spec *spec)
{
    const uint32_t floats = 1u << DML_TENSOR_DATA_TYPE_FLOAT16 | 1u << DML_TENSOR_DATA_TYPE_FLOAT32;
    for (int level = 0; level < spec->level_count; level++)
        for (int group = 0; group < spec->group_count; group++)
            if (spec->levels[level].types[group] & floats)
                return true;
    return false;
}

bool legal_applies(const struct legal *legal, const struct spec *spec)
{
    const struct computed_liberty *liberty = &legal->liberty;
    if (legal->operators)
        return lists(legal->operators, spec->name);
    bool of_bits = strncmp(spec->name, "ELEMENT_WISE_BIT_", strlen("ELEMENT_WISE_BIT_")) == 0; /* whatever the type */
    bool rewrites = (legal->input || legal->output) && !of_bits && (legal->copies || computed_applies(spec));
    bool applies = rewrites && has_floats(spec);
    applies |= liberty->rounds && computed_applies(spec) && has_floats(spec);
    for (int r = 0; r < spec->result_count && computed_applies(spec); r++) {
        const struct spec_result *result = &spec->results[r];
        for (int i = 0; i < result->choice_count; i++)
            applies |= liberty->choices && result->choices[i].soft == (liberty->choices == CHOICES_SOFT);
        for (int i = 0; i < result->fold_count; i++)
            applies |= (liberty->sum && result->folds[i].kind == FOLD_SUM) ||
                       (legal->changes && legal_has_function(&result->folds[i].value));
        applies |= legal->changes && legal_has_function(&result->value);
    }
    return applies;
}
