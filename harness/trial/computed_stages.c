/* Evaluates the stages of a description, and keeps their elements: judging and explaining a case evaluate a stage once
 * for all dispatches, outputs and mistakes, unless a mistake changes that stage or one before it. */
#include "harness/trial/computed_internal.h"

#include "harness/spec/elements.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

/* The elements of a stage of one description with one content of its inputs. */
struct filled {
    struct filled *next; /* the one that was used before */
    XXH128_hash_t key;
    int users;     /* struct stages that point to `memory` */
    uint64_t size; /* of the elements, in bytes */
    double *memory;
};

/* The elements that are kept, with the last used ones first. */
static _Thread_local struct filled *kept;

enum {
    KEPT_BYTES = 64 << 20, /* enough for the largest cases: their outputs and passes all need the stages */
    KEPT_COUNT = 64
};

static void filled_free(struct filled *f)
{
    free(f->memory);
    free(f);
}

/* Frees the elements that nobody uses and that are not worth keeping. */
static void kept_trim(void)
{
    uint64_t bytes = 0;
    int count = 0;
    for (struct filled **at = &kept; *at;) {
        struct filled *f = *at;
        bool is_kept = count < KEPT_COUNT && bytes + f->size <= KEPT_BYTES;
        bytes += is_kept ? f->size : 0;
        count += is_kept;
        if (is_kept || f->users > 0) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        filled_free(f);
    }
}

/* Hashes what all stages depend on: the operator, the description, the inputs. The operator's expressions stand for the
 * operator, since a copy with another formula shares them. */
static void hash_case(XXH3_state_t *state, const struct spec *spec, const struct opdesc *desc,
                      const uint8_t *const tensors[])
{
    XXH3_128bits_reset(state);
    XXH3_128bits_update(state, &spec->nodes, sizeof spec->nodes);
    XXH3_128bits_update(state, spec->nodes, (size_t)spec->node_count * sizeof *spec->nodes);
    XXH3_128bits_update(state, desc, desc->size);
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && tensors[i] && field_is_input(spec_tensor_field(spec, i)))
            XXH3_128bits_update(state, tensors[i], desc->items[i].tensor.total);
}

static void hash_formula(XXH3_state_t *state, const struct formula *formula)
{
    XXH3_128bits_update(state, formula->nodes, (size_t)formula->count * sizeof *formula->nodes);
}

/* Hashes the formulas of a stage. */
static void hash_stage(XXH3_state_t *state, const struct spec_result *result)
{
    hash_formula(state, &result->value);
    for (int n = 0; n < result->fold_count; n++) {
        XXH3_128bits_update(state, &result->folds[n].kind, sizeof result->folds[n].kind);
        hash_formula(state, &result->folds[n].value);
    }
}

/* Takes the elements with the key out of those that are kept. Returns null if there are none. */
static struct filled *kept_take(XXH128_hash_t key)
{
    struct filled **at = &kept;
    while (*at && !XXH128_isEqual((*at)->key, key))
        at = &(*at)->next;
    struct filled *found = *at;
    if (found)
        *at = found->next;
    return found;
}

static void kept_put(struct filled *f)
{
    f->next = kept;
    kept = f;
}

/* Gives the tensor of a stage its sizes. Returns false if they have no value, or the stage has too many elements. */
static bool stage_sizes(const struct spec *spec, const struct opdesc *desc, int stage, struct opdesc_tensor *t)
{
    enum { MOST = 1 << 27 /* most elements */ };
    struct expr_list sizes;
    uint64_t count = 1;
    *t = (struct opdesc_tensor){.has_sizes = true, .data_type = DML_TENSOR_DATA_TYPE_FLOAT64};
    if (!expr_list(spec->nodes, spec->stages[stage].sizes, desc, &sizes) || sizes.count > OPDESC_MAX_DIMENSIONS)
        return false;
    t->dims = (uint32_t)sizes.count;
    for (int d = 0; d < sizes.count; d++) {
        if (sizes.items[d] < 1 || sizes.items[d] > MOST || (count *= (uint64_t)sizes.items[d]) > MOST)
            return false;
        t->sizes[d] = (uint32_t)sizes.items[d];
    }
    return true;
}

/* Makes a stage an item of the description, and gives it memory unless it has that; new elements are NaNs. Leaves the
 * stage absent if its sizes have no value. Returns true if its elements must be computed. */
static bool stage_prepare(const struct spec *spec, const struct opdesc *desc, int stage, struct stages *s)
{
    int item = spec_stage_item(spec, stage), field = spec_stage_field(spec, stage);
    struct opdesc_tensor *t = &s->desc.items[item].tensor;
    struct filled *f = s->filled[stage];
    bool is_new = !f->memory;
    s->desc.values[field].place = (struct opdesc_place){.item = (uint8_t)item, .room = 1};
    s->tensors[item] = NULL;
    if (!stage_sizes(spec, desc, stage, t))
        return false;
    const uint64_t count = (uint64_t)opdesc_elements(t);
    if (is_new) {
        f->memory = malloc(count * sizeof *f->memory);
        f->size = count * sizeof *f->memory;
        for (uint64_t i = 0; f->memory && i < count; i++)
            f->memory[i] = (double)NAN;
    }
    t->present = f->memory;
    s->tensors[item] = (const uint8_t *)f->memory;
    return is_new && f->memory;
}

uint64_t computed_stage_elements(const struct spec *spec, const struct opdesc *desc, int from)
{
    uint64_t count = 0;
    struct opdesc_tensor t;
    for (int i = from; i < spec->stage_count; i++)
        count += stage_sizes(spec, desc, i, &t) ? (uint64_t)opdesc_elements(&t) : 0;
    return count;
}

/* The walk over the elements of a stage, and the branches that each takes. */
struct staging {
    struct walk walk;
    struct branches branches;
    double *memory;         /* the stage's elements, for stage_element() */
    bool *used;             /* the nodes that elements use, for use_element() */
    uint32_t folds;         /* the folds that elements use */
    struct settled settled; /* the nodes of the last element */
};

static bool stage_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct staging *s = context;
    computed_go_to(&s->walk, number, coordinates);
    s->memory[offset] = branches_real(&s->branches, &s->walk.operands.reals);
    return true;
}

static bool use_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct staging *s = context;
    const struct formula *formula = &s->walk.result->value;
    (void)offset;
    computed_go_to(&s->walk, number, coordinates);
    branches_evaluate(&s->branches, &s->walk.operands.reals, s->settled.values);
    s->folds |= branches_mark(formula, &s->settled);
    for (int i = 0; i < formula->count; i++)
        s->used[i] |= s->settled.used[i];
    return true;
}

static void stage_walk(const struct spec *spec, int stage, const struct stages *s, const struct folding_slip *slip,
                       struct staging *staging, elements_visit visit)
{
    computed_start_with(&staging->walk, spec, &s->desc, &spec->stages[stage].result, spec_stage_item(spec, stage),
                        s->tensors, true);
    computed_slip(&staging->walk, slip);
    branches_prepare(&staging->branches, staging->walk.result, &staging->walk.operands.reals);
    staging->walk.branches = &staging->branches;
    elements_each(staging->walk.output, visit, staging);
    computed_end(&staging->walk);
}

static void stage_fill(const struct spec *spec, int stage, struct stages *s, const struct folding_slip *slip)
{
    struct staging staging; /* it is large, and most of it has no value at first */
    staging.memory = s->filled[stage]->memory;
    stage_walk(spec, stage, s, slip, &staging, stage_element);
}

/* Returns the stage whose rows give the coordinates of a fold's elements: bit n is stage n; 0: there is none. */
static uint32_t stage_gathered(const struct spec *spec, const struct spec_fold *fold)
{
    const struct expr *node = fold->found >= 0 ? &spec->nodes[fold->found] : NULL;
    const bool is_stage = node && node->op == EXPR_GATHERED && node->field >= spec->field_count;
    return is_stage ? 1u << (node->field - spec->field_count) : 0;
}

/* Returns the stages that a result's own formula names: bit n is stage n. The folds that it names may ask for others:
 * then it may need all stages. */
static uint32_t stages_named(const struct spec *spec, const struct spec_result *result)
{
    const int first = spec_stage_item(spec, 0);
    const uint32_t needed = folding_needed(result);
    uint32_t found = 0;
    for (int i = -1; i < result->fold_count; i++) {
        if (i >= 0 && !(needed >> i & 1))
            continue;
        const struct spec_fold *fold = i < 0 ? NULL : &result->folds[i];
        const struct formula *formula = fold ? &fold->value : &result->value;
        if (fold && fold->other_count)
            return UINT32_MAX;
        found |= fold ? stage_gathered(spec, fold) : 0;
        for (int n = 0; fold && n < fold->tensor_count; n++)
            found |= fold->tensors[n].item >= first ? 1u << (fold->tensors[n].item - first) : 0;
        for (int n = 0; n < formula->count; n++) {
            const struct formula_node *node = &formula->nodes[n];
            if (node->op >= FORMULA_ELEMENT && node->op <= FORMULA_GREATEST_OF && node->field >= first)
                found |= 1u << (node->field - first);
        }
    }
    return found;
}

uint32_t computed_stages_needed(const struct spec *spec, const struct opdesc *desc)
{
    uint32_t needed = 0;
    for (int i = -1; spec->stage_count && (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && field_is_output(spec_tensor_field(spec, i)))
            needed |= stages_named(spec, computed_result_of(spec, desc, i));
    for (int i = spec->stage_count; i-- > 0;)
        needed |= needed >> i & 1 ? stages_named(spec, &spec->stages[i].result) : 0;
    return needed;
}

/* Returns true if a slip may change elements of the stages. */
static bool changes_stages(const struct folding_slip *slip, const struct spec *spec, const struct opdesc *desc)
{
    bool changes = slip->kind == SLIP_ORDER || slip->kind == SLIP_IN_FLOAT;
    for (int i = 0; i < spec->stage_count && !changes; i++)
        changes = folding_longest(spec, desc, &spec->stages[i].result) > 1;
    return changes;
}

/* Finds the elements of a stage with the key, or new memory for them, and keeps them unless a slip was made. */
static struct filled *filled_open(XXH128_hash_t key, bool is_kept)
{
    struct filled *f = is_kept ? kept_take(key) : NULL;
    if (!f)
        f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->users++;
    f->key = key;
    if (is_kept)
        kept_put(f);
    return f;
}

struct stages *computed_stages_open(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                                    uint32_t needed, const struct folding_slip *slip)
{
    struct stages *s = spec->stage_count ? malloc(sizeof *s) : NULL;
    XXH3_state_t state;
    if (!s)
        return NULL;
    memset(s->filled, 0, sizeof s->filled);
    slip = slip && changes_stages(slip, spec, desc) ? slip : NULL;
    s->slipped = slip;
    opdesc_copy(&s->desc, desc);
    memcpy(s->tensors, tensors, (size_t)desc->tensor_count * sizeof *tensors);
    if (!slip)
        hash_case(&state, spec, desc, tensors);
    for (int i = 0; i < spec->stage_count; i++) {
        s->desc.values[spec_stage_field(spec, i)] = (union opdesc_value){0};
        s->desc.items[spec_stage_item(spec, i)] = (union opdesc_item){0};
        s->tensors[spec_stage_item(spec, i)] = NULL;
        if (!slip)
            hash_stage(&state, &spec->stages[i].result);
        if (!(needed >> i & 1))
            continue;
        s->filled[i] = filled_open(slip ? (XXH128_hash_t){0} : XXH3_128bits_digest(&state), !slip);
        if (s->filled[i] && stage_prepare(spec, desc, i, s))
            stage_fill(spec, i, s, slip);
    }
    return s;
}

void computed_stages_close(struct stages *stages)
{
    if (!stages)
        return;
    for (int i = 0; i < SPEC_MAX_STAGES; i++) {
        struct filled *f = stages->filled[i];
        if (f && --f->users == 0 && stages->slipped)
            filled_free(f);
    }
    if (!stages->slipped)
        kept_trim();
    free(stages);
}

uint32_t computed_stage_uses(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                             int stage, bool used[FORMULA_MAX_NODES])
{
    struct stages *s = computed_stages_open(spec, desc, tensors, computed_stages_needed(spec, desc), NULL);
    struct staging staging = {.used = used};
    memset(staging.settled.known, true, sizeof staging.settled.known); /* each element has all values */
    if (s && s->tensors[spec_stage_item(spec, stage)])
        stage_walk(spec, stage, s, NULL, &staging, use_element);
    computed_stages_close(s);
    return staging.folds;
}
