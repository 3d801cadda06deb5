/* Contents of index tensors with any strides: an index that should be in range is, for every coordinate that shares its
 * memory. */
#include "harness/base/random.h"
#include "harness/case/fill.h"
#include "harness/case/index_targets.h"
#include "harness/check/check.h"
#include "harness/trial/plugin.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;

struct seen {
    uint64_t indices, out, at_zero, at_end, negative;
};

static void test_indices_look(void *context, const struct index_place *place)
{
    struct seen *seen = context;
    seen->indices++;
    seen->out += !place->in_range;
    seen->at_zero += place->value == 0 || place->value == -place->size;
    seen->at_end += place->value == place->size - 1 || place->value == -1;
    seen->negative += place->value < 0;
}

static struct seen test_indices_fill(const struct testcase *c, int field, uint64_t seed)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(c->desc, field);
    uint8_t *memory = malloc(t->total);
    struct seen seen = {0};
    fill_input(c, seed, field, memory, t->total);
    indices_each(c, field, memory, test_indices_look, &seen);
    free(memory);
    return seen;
}

/* Returns the number of tuples of the filled tensor that have the most frequent target. */
static uint32_t repeats(const struct testcase *c, int field, uint64_t seed)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(c->desc, field);
    uint8_t *memory = malloc(t->total);
    struct index_targets targets = {0};
    fill_input(c, seed, field, memory, t->total);
    indices_each(c, field, memory, index_targets_collect, &targets);
    index_targets_rank(&targets);
    uint32_t max = targets.max;
    index_targets_free(&targets);
    free(memory);
    return max;
}

/* The description of a stranger's fuzz finding: both coordinates of the one tuple are in one cell. */
static void test_tuple_in_one_cell(void)
{
    struct opdesc desc;
    const struct spec *spec = &specs.specs[spec_set_find(&specs, "GATHER_ND")];
    spec_blank(spec, &desc);
    const struct opdesc_tensor plain = {.present = true,
                                        .has_sizes = true,
                                        .type = DML_TENSOR_TYPE_BUFFER,
                                        .data_type = DML_TENSOR_DATA_TYPE_FLOAT32,
                                        .dims = 2,
                                        .total = 8,
                                        .sizes = {1, 2}};
    *OPDESC_TENSOR(&desc, 0) = *OPDESC_TENSOR(&desc, 1) = *OPDESC_TENSOR(&desc, 2) = plain;
    OPDESC_TENSOR(&desc, 1)->data_type = DML_TENSOR_DATA_TYPE_UINT32;
    OPDESC_TENSOR(&desc, 1)->has_strides = true;
    OPDESC_TENSOR(&desc, 1)->total = 4;
    OPDESC_TENSOR(&desc, 2)->sizes[1] = 1;
    OPDESC_TENSOR(&desc, 2)->total = 4;
    desc.values[3].number = desc.values[4].number = 2;
    ok(rules_check(spec, &desc, DML_FEATURE_LEVEL_6_4, NULL, 0) == 0, "two coordinates may share memory");
    for (int indices = 0; indices <= INDEX_DESCENDING; indices++) {
        struct testcase c = {.spec = spec, .desc = &desc, .rule = -1, .index_fill = (enum index_fill)indices};
        ok(test_indices_fill(&c, 1, 1).out == 0, "  indices '%s': in range for both", index_fill_names[indices]);
    }
    for (int indices = INDEX_DUPLICATES; indices < INDEX_FILL_COUNT; indices++) {
        struct testcase c = {.spec = spec, .desc = &desc, .rule = -1, .index_fill = (enum index_fill)indices};
        ok(!indices_possible(&c), "  indices '%s': not possible", index_fill_names[indices]);
    }
}

/* Gives an index tensor small random strides, so that most of its elements share memory. */
static void scramble(struct random *random, struct opdesc_tensor *t)
{
    opdesc_strides(t, t->strides);
    t->has_strides = true;
    for (uint32_t d = 0; d < t->dims; d++)
        if (random_below(random, 4))
            t->strides[d] = random_below(random, 4);
    t->total = (uint64_t)opdesc_implied(t);
}

static void test_random_strides(const struct spec *spec)
{
    struct random random = {.key = 7};
    struct solve_request request;
    uint64_t cases = 0, overlapping = 0, out = 0, wrong_sign = 0, wrong_first = 0, impossible = 0, repeated = 0,
             tried = 0, of_absent = 0;
    solve_request_init(&request);
    request.tries = 8;
    request.largest = 5;
    for (int i = 0; i < 3000; i++) {
        struct opdesc desc;
        int field = spec->indices[0].field;
        request.table = (int)random_below(&random, (uint32_t)spec->level_count);
        if (!solve_satisfy(spec, (unsigned)(spec - specs.specs), &request, random_next(&random), &desc))
            continue;
        if (!OPDESC_TENSOR(&desc, field)->present) {
            const struct testcase c = {.spec = spec, .desc = &desc, .rule = -1};
            struct seen seen = {0};
            indices_each(&c, field, NULL, test_indices_look, &seen);
            of_absent += seen.indices;
            continue;
        }
        scramble(&random, OPDESC_TENSOR(&desc, field));
        bool overlaps = opdesc_overlaps(OPDESC_TENSOR(&desc, field));
        bool is_signed = testcase_has_signed_indices(spec, &desc);
        cases++;
        overlapping += overlaps;
        for (int indices = 0; indices < INDEX_FILL_COUNT; indices++) {
            struct testcase c = {.spec = spec,
                                 .desc = &desc,
                                 .rule = -1,
                                 .index_fill = (enum index_fill)indices,
                                 .negative_indices = is_signed && random_below(&random, 2)};
            if (indices >= INDEX_DUPLICATES) {
                impossible += overlaps && indices_possible(&c);
                continue;
            }
            struct seen seen = test_indices_fill(&c, field, random_next(&random));
            out += seen.out;
            if (spec->indices[0].distinct && indices_possible(&c)) {
                tried += overlaps;
                repeated += repeats(&c, field, random_next(&random)) > 1;
            }
            if (indices == INDEX_NEGATIVE && c.negative_indices)
                wrong_sign += seen.indices - seen.negative;
            if (indices == INDEX_POSITIVE || indices == INDEX_DESCENDING || !c.negative_indices)
                wrong_sign += seen.negative;
            if (indices == INDEX_FIRST && !spec->indices[0].distinct)
                wrong_first += seen.indices - seen.at_zero;
        }
    }
    ok(cases > 500 && overlapping > cases / 10, "%s: %llu index tensors, %llu with shared memory", spec->name,
       (unsigned long long)cases, (unsigned long long)overlapping);
    ok(out == 0, "  no index of an in-range fill is out of range: %llu are", (unsigned long long)out);
    ok(wrong_sign == 0, "  each has the sign of its fill: %llu have not", (unsigned long long)wrong_sign);
    ok(wrong_first == 0, "  'first' is the first position for all: %llu are not", (unsigned long long)wrong_first);
    ok(repeated == 0, "  targets that must differ do, %llu times with shared memory: %llu times not",
       (unsigned long long)tried, (unsigned long long)repeated);
    ok(impossible == 0, "  repeated indices, and ones out of range, need memory of their own: %llu have none",
       (unsigned long long)impossible);
    ok(of_absent == 0, "  an absent tensor has no indices: %llu are found", (unsigned long long)of_absent);
}

int main(void)
{
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0, "set-up %s", error.text))
        return tap_done();
    test_tuple_in_one_cell();
    for (int op = 0; op < specs.count; op++)
        if (specs.specs[op].index_count > 0)
            test_random_strides(&specs.specs[op]);
    spec_set_free(&specs);
    return tap_done();
}
