/* Finds the elements that the formulas of one element read, by evaluating them once more. */
#include "harness/trial/computed_internal.h"

#include "harness/spec/elements.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 1 << 20 /* of all tensors and stages: larger cases take too long */ };

static bool reads_is_stage(const struct spec *spec, int item)
{
    return item >= spec_stage_item(spec, 0);
}

/* Returns the next item that is a tensor or a stage; -1 if there is none. */
static int reads_next(const struct spec *spec, const struct opdesc *desc, int item)
{
    int next = reads_is_stage(spec, item) ? -1 : spec_next_tensor(spec, desc, item);
    if (next < 0)
        next = reads_is_stage(spec, item) ? item + 1 : spec_stage_item(spec, 0);
    return next < spec_stage_item(spec, spec->stage_count) ? next : -1;
}

/* Returns the number of elements from the first to the last one in memory. */
static uint64_t reads_extent(const struct opdesc_tensor *t)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    uint64_t last = 0;
    opdesc_strides(t, strides);
    for (uint32_t d = 0; d < t->dims; d++)
        last += (uint64_t)(t->sizes[d] - 1) * strides[d];
    return last + 1;
}

bool computed_reads_prepare(const struct spec *spec, const struct opdesc *desc, struct computed_reads *out)
{
    uint64_t all = 0;
    memset(out, 0, sizeof *out);
    for (int i = -1; (i = reads_next(spec, desc, i)) >= 0;) {
        if (!desc->items[i].tensor.present)
            continue;
        out->counts[i] = reads_extent(&desc->items[i].tensor);
        all += out->counts[i];
        if (all > MOST_ELEMENTS || !(out->marks[i] = calloc(out->counts[i], sizeof *out->marks[i])))
            return false;
    }
    return true;
}

void computed_reads_free(struct computed_reads *reads)
{
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(reads->marks[i]);
    memset(reads, 0, sizeof *reads);
}

/* The walk over the elements of an output or a stage that are read. */
struct reads_walk {
    struct computed_reads *reads;
    bool *done; /* the elements whose formulas have been evaluated */
    int item;
    struct walk walk;
    bool grows; /* an element was evaluated */
};

static void reads_mark(void *context, int item, int64_t offset)
{
    struct computed_reads *reads = context;
    if (reads->marks[item] && offset >= 0 && (uint64_t)offset < reads->counts[item])
        reads->marks[item][offset] = true;
}

/* Marks all elements of the tensors whose extremes a formula needs. */
static void reads_mark_extremes(struct reads_walk *r)
{
    const struct formula *formula = &r->walk.result->value;
    for (int n = 0; n < formula->count; n++) {
        const struct formula_node *node = &formula->nodes[n];
        if ((node->op == FORMULA_LEAST_OF || node->op == FORMULA_GREATEST_OF) && r->reads->marks[node->field])
            memset(r->reads->marks[node->field], true, r->reads->counts[node->field] * sizeof(bool));
    }
}

static bool reads_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct reads_walk *r = context;
    if (!r->reads->marks[r->item][offset] || r->done[offset])
        return true;
    r->done[offset] = r->grows = true;
    computed_go_to(&r->walk, number, coordinates);
    for (int i = 0; i < r->walk.count; i++)
        reads_mark(r->reads, r->walk.cursors[i].item,
                   (int64_t)computed_offset_at(&r->walk, &r->walk.cursors[i], coordinates));
    reads_mark_extremes(r);
    return true;
}

/* Marks what the marked elements of an output or a stage read. Returns true if there was one to evaluate. */
static bool reads_follow(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[], int item,
                         struct computed_reads *reads, bool *done)
{
    const bool is_stage = reads_is_stage(spec, item);
    const struct spec_result *result =
        is_stage ? &spec->stages[item - spec_stage_item(spec, 0)].result : computed_result_of(spec, desc, item);
    struct folding_witness witness = {reads_mark, reads};
    struct reads_walk r = {.reads = reads, .done = done, .item = item};
    struct branches branches;
    computed_start_with(&r.walk, spec, desc, result, item, tensors, true);
    if (is_stage) {
        branches_prepare(&branches, result, &r.walk.operands.reals);
        r.walk.branches = &branches;
    }
    if (r.walk.folding)
        folding_set_witness(r.walk.folding, &witness);
    elements_each(r.walk.output, reads_element, &r);
    computed_end(&r.walk);
    return r.grows;
}

bool computed_reads_find(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[], int output,
                         const uint32_t *coordinates, struct computed_reads *out)
{
    struct computed_reads done = {0};
    struct stages *stages = computed_stages_open(spec, desc, tensors, computed_stages_needed(spec, desc), NULL);
    const struct opdesc *all = stages ? &stages->desc : desc;
    const uint8_t *const *memory = stages ? stages->tensors : tensors;
    bool fits = computed_reads_prepare(spec, all, out) && computed_reads_prepare(spec, all, &done);
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    uint64_t offset = 0;
    opdesc_strides(&desc->items[output].tensor, strides);
    for (uint32_t d = 0; d < desc->items[output].tensor.dims; d++)
        offset += (uint64_t)coordinates[d] * strides[d];
    if (fits)
        reads_mark(out, output, (int64_t)offset);
    for (bool grows = fits; grows;) {
        grows = false;
        for (int i = -1; (i = reads_next(spec, all, i)) >= 0;) {
            bool is_input = !reads_is_stage(spec, i) && field_is_input(spec_tensor_field(spec, i));
            if (out->marks[i] && memory[i] && !is_input)
                grows |= reads_follow(spec, all, memory, i, out, done.marks[i]);
        }
    }
    computed_reads_free(&done);
    computed_stages_close(stages);
    return fits;
}
