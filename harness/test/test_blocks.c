/* A formula has the same values in blocks, bit for bit, as element by element: results and tolerances of operators. */
#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/case/element_bits.h"
#include "harness/formula/evaluate_blocks.h"
#include "harness/formula/operands.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static double elements[OPDESC_MAX_TENSORS][BLOCK_ELEMENTS];
static const double *inputs[OPDESC_MAX_TENSORS];

/* Fills all elements with special values, denormals and random bits of the inputs' types. */
static void make_elements(const struct testcase *c)
{
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        inputs[i] = elements[i];
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        for (int n = 0; n < BLOCK_ELEMENTS; n++) {
            const unsigned type = c->desc->items[i].tensor.data_type;
            const uint64_t random = random_at((uint64_t)i + 1, (uint64_t)n);
            uint64_t bits = random;
            if (n % 4 == 0)
                bits = bits_of_special(type, random);
            else if (n % 4 == 1)
                bits = bits_of_some_denormal(type, random, random);
            else if (n % 4 == 2)
                bits = bits_of_small(type, random);
            elements[i][n] = datatype_to_double(type, &bits);
        }
}

/* Returns the number of elements at which the block's values are other ones. */
static int count_other(const struct formula *formula, const struct formula_reals *of, const double *values,
                       const double *results)
{
    int other = 0;
    for (int n = 0; n < BLOCK_ELEMENTS; n++) {
        struct formula_reals reals = *of;
        for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
            reals.elements[i] = elements[i][n];
        reals.result = results ? results[n] : 0;
        const double value = formula_real(formula, &reals);
        other += isnan(value) ? !isnan(values[n]) : memcmp(&value, &values[n], sizeof value) != 0;
    }
    return other;
}

struct tally {
    int formulas, other;
};

static void compare_formula(const struct formula *formula, const struct formula_reals *of, const double *results,
                            double *values, struct tally *tally)
{
    struct formula_blocks *blocks = formula_blocks_new(formula, of);
    if (!blocks)
        return;
    memcpy(values, formula_blocks_run(blocks, inputs, results, BLOCK_ELEMENTS), BLOCK_ELEMENTS * sizeof *values);
    tally->other += count_other(formula, of, values, results);
    tally->formulas++;
    formula_blocks_free(blocks);
}

static void compare_case(const struct testcase *c, struct tally *tally)
{
    make_elements(c);
    for (int r = 0; r < c->spec->result_count; r++) {
        const struct spec_result *result = &c->spec->results[r];
        const unsigned type = OPDESC_TENSOR(c->desc, result->field)->data_type;
        const struct tolerance *bounds = &result->tolerances[type];
        struct formula_reals reals;
        struct formula_integers integers;
        double values[BLOCK_ELEMENTS] = {0}, unused[BLOCK_ELEMENTS];
        operands_of(c->spec, c->desc, type, &reals, &integers);
        compare_formula(&result->value, &reals, NULL, values, tally);
        compare_formula(&bounds->soft, &reals, values, unused, tally);
        compare_formula(&bounds->must, &reals, values, unused, tally);
    }
}

int main(void)
{
    struct error error = {0};
    const char *patterns[] = {"*.choices.*", "*.elements.*", "*.situations.*"};
    const struct plan_filter filter = {
        .patterns = patterns, .pattern_count = 3, .may_miss = true, .cache = kept_plan()};
    if (!ok(kept_specs(&specs, &error) == 0 && plan_make(&plan, &specs, "cases", &filter, &error) == 0,
            "cases of all operators %s", error.text))
        return tap_done();
    for (int op = 0; op < specs.count; op++) {
        struct tally tally = {0};
        int cases = 0;
        for (size_t i = 0; i < plan.count && cases < 8; i++)
            if (plan.cases[i].spec == &specs.specs[op] && spec_is_elementwise(&specs.specs[op]) && i % 3 == 0) {
                compare_case(&plan.cases[i], &tally);
                cases++;
            }
        if (cases > 0)
            ok(tally.formulas >= cases && tally.other == 0, "%s: %d of its formulas have %d other values",
               specs.specs[op].name, tally.formulas, tally.other);
    }
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
