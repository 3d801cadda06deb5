#include "harness/formula/branches.h"
#include "harness/formula/folding_internal.h"

#include <stdlib.h>
#include <string.h>

/* Finds the coordinates of the input as a linear function: evaluates them at each unit. */
static bool find_coordinates(const struct spec *spec, const struct opdesc *desc, int list, const struct one_fold *f,
                             struct source *s)
{
    struct expr_list at;
    uint32_t dims = s->tensor->dims;
    if (!expr_list_of(spec->nodes, list, desc, EXPR_ORIGIN, &at) || at.count != (int)dims)
        return false;
    for (uint32_t d = 0; d < dims; d++)
        s->origin[d] = at.items[d];
    const uint32_t counts[EXPR_UNITS] = {f->place_dims, f->step_dims, f->found_dims};
    int64_t(*const by[EXPR_UNITS])[D] = {s->by_place, s->by_step, s->by_found};
    for (int kind = 0; kind < EXPR_UNITS; kind++)
        for (uint32_t i = 0; i < counts[kind]; i++) {
            int unit = expr_unit((enum expr_unit)kind, (int)i);
            if (!expr_list_of(spec->nodes, list, desc, unit, &at) || at.count != (int)dims)
                return false;
            for (uint32_t d = 0; d < dims; d++)
                by[kind][d][i] = at.items[d] - s->origin[d];
        }
    return true;
}

static bool prepare_source(const struct spec *spec, const struct opdesc *desc, const struct one_fold *f, int tensor,
                           const uint8_t *const tensors[], struct source *s)
{
    uint32_t strides[D];
    memset(s, 0, sizeof *s);
    s->item = f->fold->tensors[tensor].item;
    s->tensor = &desc->items[s->item].tensor;
    s->memory = tensors[s->item];
    s->type = s->tensor->data_type;
    s->width = datatype_of(s->type)->bits;
    if (!s->tensor->present || !s->memory)
        return false;
    opdesc_strides(s->tensor, strides);
    for (uint32_t d = 0; d < s->tensor->dims; d++)
        s->strides[d] = strides[d];
    return find_coordinates(spec, desc, f->fold->tensors[tensor].at, f, s);
}

static bool is_fold_input(const struct spec_fold *fold, int item)
{
    for (int t = 0; t < fold->tensor_count; t++)
        if (fold->tensors[t].item == item)
            return true;
    return false;
}

/* Returns true if the formula depends only on the fold's only input, so that the same elements have the same fold. */
static bool is_of_input(const struct spec_fold *fold)
{
    for (int i = 0; i < fold->value.count; i++) {
        const struct formula_node *node = &fold->value.nodes[i];
        if (node->op == FORMULA_FOLD || node->op == FORMULA_ELSEWHERE || node->op == FORMULA_NUMBER ||
            node->op == FORMULA_OUTPUT || (node->op == FORMULA_ELEMENT && node->field != fold->tensors[0].item))
            return false;
    }
    return fold->tensor_count == 1;
}

/* Returns true if the formula is the product of the fold's two inputs, in either order. */
static bool is_product(const struct spec_fold *fold)
{
    const struct formula_node *nodes = fold->value.nodes;
    return fold->value.count == 3 && fold->tensor_count == 2 && nodes[0].op == FORMULA_ELEMENT &&
           nodes[1].op == FORMULA_ELEMENT && nodes[2].op == FORMULA_MUL && nodes[2].a != nodes[2].b &&
           is_fold_input(fold, nodes[0].field) && is_fold_input(fold, nodes[1].field);
}

/* Decides if the fold grows, and allocates its marks. */
static void find_growth(struct one_fold *f)
{
    enum { MOST = 1 << 29 /* most bytes of marks */ };
    struct growth *g = &f->growth;
    struct source *s = &f->sources[0];
    if (f->fold->found >= 0 || f->loop_count != 1 || f->loop_sizes[0] <= FOLDING_STRIDE || f->fold->kind > FOLD_MAX ||
        !is_of_input(f->fold))
        return;
    int moved = -1;
    for (uint32_t d = 0; d < s->tensor->dims; d++)
        if (s->by_step[d][f->loops[0]] != 0) {
            if (moved >= 0)
                return;
            moved = (int)d;
        }
    if (moved < 0 || llabs(s->by_step[moved][f->loops[0]]) != 1 || f->loop_sizes[0] < (int64_t)s->tensor->sizes[moved])
        return;
    int along = -1;
    for (uint32_t p = 0; p < f->place_dims; p++)
        if (s->by_place[moved][p] != 0) {
            if (along >= 0 || s->by_place[moved][p] != 1)
                return;
            along = (int)p;
        }
    for (uint32_t d = 0; along >= 0 && d < s->tensor->dims; d++)
        if ((int)d != moved && s->by_place[d][along] != 0)
            return;
    if (along < 0)
        return;
    g->along = (uint32_t)along;
    g->input = moved;
    g->direction = s->by_step[moved][f->loops[0]];
    g->count = s->tensor->sizes[moved];
    g->lanes = 1;
    for (uint32_t p = 0; p < f->place_dims; p++)
        g->lanes *= (int)p == along ? 1 : f->output_sizes[p];
    g->per_lane = (uint64_t)g->count / FOLDING_STRIDE + 1;
    g->block_mark = UINT64_MAX;
    if (g->lanes * g->per_lane > MOST / sizeof *g->marks)
        return;
    g->marks = malloc(g->lanes * g->per_lane * sizeof *g->marks);
    g->built = calloc(g->lanes, sizeof *g->built);
    g->block = malloc(FOLDING_STRIDE * sizeof *g->block);
    g->is_there = g->marks && g->built && g->block;
}

/* Finds the dimensions of the output on whose coordinate the fold depends. `folding` has the earlier folds. */
static uint32_t find_matters(const struct folding *folding, const struct one_fold *f)
{
    const struct spec_fold *fold = f->fold;
    uint32_t matters = 0, all = (1u << f->place_dims) - 1;
    for (int i = 0; i < f->source_count; i++)
        for (uint32_t d = 0; d < f->sources[i].tensor->dims; d++)
            for (uint32_t p = 0; p < f->place_dims; p++)
                matters |= f->sources[i].by_place[d][p] != 0 ? 1u << p : 0;
    for (int i = 0; i < fold->value.count; i++) {
        const struct formula_node *node = &fold->value.nodes[i];
        bool own = node->op == FORMULA_ELEMENT && is_fold_input(fold, node->field);
        if (node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT)
            matters |= folding->folds[node->field].matters;
        if (node->op == FORMULA_NUMBER || node->op == FORMULA_COORDINATE || node->op == FORMULA_OUTPUT ||
            node->op == FORMULA_ELSEWHERE || (node->op == FORMULA_ELEMENT && !own))
            matters = all;
    }
    return f->fold->found >= 0 ? all : matters;
}

/* Returns true if the fold depends on attributes. The answer for earlier folds is known. */
static bool find_attributes(const struct folding *folding, const struct one_fold *f)
{
    bool found = false;
    for (int i = 0; i < f->fold->value.count; i++) {
        const struct formula_node *node = &f->fold->value.nodes[i];
        found |= (node->op >= FORMULA_MEMBER && node->op <= FORMULA_FLOORED) || node->op == FORMULA_ENTRY ||
                 node->op == FORMULA_NESTED;
        if (node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT)
            found |= folding->folds[node->field].has_attributes;
    }
    for (int i = 0; i < f->fold->other_count; i++)
        found |= folding->folds[f->fold->others[i].fold].has_attributes;
    return found;
}

/* Returns true if the fold reads elements of the tensor `output`. The answer for earlier folds is known. */
static bool find_recurrence(const struct folding *folding, const struct one_fold *f, int output)
{
    bool found = f->gathers && f->gathering.item == output;
    for (int i = 0; i < f->source_count; i++)
        found |= f->sources[i].item == output;
    for (int i = 0; i < f->fold->value.count; i++) {
        const struct formula_node *node = &f->fold->value.nodes[i];
        if (node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT)
            found |= folding->folds[node->field].recurs;
    }
    for (int i = 0; i < f->fold->other_count; i++)
        found |= folding->folds[f->fold->others[i].fold].recurs;
    return found;
}

/* Prepares the coordinates that a division or a gathering finds. Returns false if they have no value. */
static bool prepare_found(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                          struct one_fold *f)
{
    f->gathers = spec->nodes[f->fold->found].op == EXPR_GATHERED;
    bool good = f->gathers ? gathering_prepare(spec, desc, f->fold->found, tensors, f->place_dims, f->loop_count,
                                               f->loop_sizes, f->loops, &f->gathering)
                           : division_prepare(spec, desc, f->fold->found, f->place_dims, f->loop_count, f->loop_sizes,
                                              f->loops, &f->division);
    f->found_dims = f->gathers ? f->gathering.count : f->division.count;
    return good;
}

static void folding_prepare_formula(const struct spec *spec, const struct opdesc *desc, int output,
                                    const uint8_t *const tensors[], const struct folding *folding, struct one_fold *f)
{
    struct expr_list sizes;
    int64_t last = 0;
    const struct opdesc_tensor *out = &desc->items[output].tensor;
    f->place_dims = out->dims;
    memcpy(f->output_sizes, out->sizes, out->dims * sizeof *out->sizes);
    if (!expr_list(spec->nodes, f->fold->sizes, desc, &sizes) || sizes.count > D)
        return;
    f->step_dims = (uint32_t)sizes.count;
    for (uint32_t d = 0; d < f->step_dims; d++) {
        if (sizes.items[d] < 1)
            return;
        if (sizes.items[d] == 1)
            continue;
        f->loop_sizes[f->loop_count] = sizes.items[d];
        f->loops[f->loop_count++] = d;
    }
    if (f->loop_count == 0) {
        f->loop_sizes[0] = 1;
        f->loop_count = 1;
    }
    if (f->fold->found >= 0 && !prepare_found(spec, desc, tensors, f))
        return;
    f->last = f->fold->last >= 0 && expr_number(spec->nodes, f->fold->last, desc, &last) && last != 0;
    for (int i = 0; i < f->fold->tensor_count; i++)
        if (!prepare_source(spec, desc, f, i, tensors, &f->sources[f->source_count++]))
            return;
    for (int i = 0; i < f->fold->other_count; i++)
        if (!elsewhere_prepare(spec, desc, f->fold->others[i].at, f->output_sizes, f->place_dims, f->place_dims,
                               f->loop_count, f->loop_sizes, f->loops, &f->others[i]))
            return;
    f->relays = f->fold->value.count == 1 && f->fold->value.nodes[0].op == FORMULA_ELSEWHERE;
    f->plain = f->fold->value.count == 1 && f->fold->value.nodes[0].op == FORMULA_ELEMENT && is_of_input(f->fold);
    f->reads = f->fold->kind == FOLD_SUM && f->loop_count == 1 && f->loop_sizes[0] == 1;
    f->multiplies = is_product(f->fold);
    f->usable = true;
    f->recurs = find_recurrence(folding, f, output);
    if (!f->recurs)
        find_growth(f);
}

/* Returns true if another fold asks for this one at places of its own. */
static bool is_asked(const struct spec_result *result, int fold)
{
    for (int i = 0; i < result->fold_count; i++)
        for (int n = 0; n < result->folds[i].other_count; n++)
            if (result->folds[i].others[n].fold == fold)
                return true;
    return false;
}

/* Returns the folds that a formula names: bit n is fold n. */
static uint32_t folds_of(const struct formula *formula)
{
    uint32_t folds = 0;
    for (int i = 0; i < formula->count; i++)
        if (formula->nodes[i].op == FORMULA_FOLD || formula->nodes[i].op == FORMULA_INEXACT)
            folds |= 1u << formula->nodes[i].field;
    return folds;
}

/* Returns these folds and all that they name, directly or not. */
static uint32_t named_by(const struct spec_result *result, uint32_t folds)
{
    for (int i = result->fold_count; i-- > 0;)
        folds |= folds >> i & 1 ? folds_of(&result->folds[i].value) : 0;
    return folds;
}

uint32_t folding_needed(const struct spec_result *result)
{
    return named_by(result, folds_of(&result->value));
}

uint32_t folding_evaluated(const struct spec_result *result)
{
    uint32_t folds = folds_of(&result->value);
    for (int i = result->fold_count; i-- > 0;) {
        folds |= folds >> i & 1 ? folds_of(&result->folds[i].value) : 0;
        for (int n = 0; folds >> i & 1 && n < result->folds[i].other_count; n++)
            folds |= 1u << result->folds[i].others[n].fold;
    }
    return folds;
}

/* Returns the folds that a formula names, but for those in a branch that the description never takes. */
static uint32_t folds_used(const struct formula *formula, const struct formula_reals *reals)
{
    struct settled settled;
    branches_settle(formula, reals, false, &settled);
    return branches_mark(formula, &settled);
}

uint32_t folding_named_by(const struct spec_result *result, uint32_t folds, const struct formula_reals *reals)
{
    for (int i = result->fold_count; i-- > 0;)
        folds |= folds >> i & 1 ? folds_used(&result->folds[i].value, reals) : 0;
    return folds;
}

/* Returns the folds of the formulas, and all that those name, directly or not. */
static uint32_t used_by(const struct spec_result *result, const struct formula *const formulas[], int count,
                        const struct formula_reals *reals)
{
    uint32_t folds = 0;
    for (int i = 0; i < count; i++)
        folds |= folds_used(formulas[i], reals);
    return folding_named_by(result, folds, reals);
}

static void find_wanted(const struct spec_result *result, const struct formula_reals *reals,
                        uint32_t wanted[FOLDING_ALL + 1])
{
    const struct tolerance *bounds = &result->tolerances[reals->type];
    const struct formula *formulas[3 + RESULT_MAX_CHOICES * (1 + RESULT_MAX_ALTERNATIVES)] = {
        &result->value, &bounds->soft, &bounds->must};
    int count = 3;
    for (int i = 0; i < result->choice_count; i++) {
        formulas[count++] = &result->choices[i].when;
        for (int n = 0; n < result->choices[i].count; n++)
            formulas[count++] = &result->choices[i].alternatives[n].value;
    }
    wanted[FOLDING_VALUE] = used_by(result, formulas, 1, reals);
    wanted[FOLDING_NEAR] = used_by(result, formulas, 3, reals);
    wanted[FOLDING_ALL] = used_by(result, formulas, count, reals);
    wanted[FOLDING_REST] = wanted[FOLDING_ALL] & ~wanted[FOLDING_NEAR];
}

struct folding *folding_new(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result,
                            int output, const uint8_t *const tensors[], const struct formula_reals *reals,
                            uint32_t among)
{
    struct folding *folding = calloc(1, sizeof *folding + (size_t)result->fold_count * sizeof *folding->folds);
    for (int i = 0; folding && i < result->fold_count; i++) {
        folding->folds[folding->count].fold = &result->folds[i];
        struct one_fold *f = &folding->folds[folding->count];
        if (!(among >> i & 1)) {
            folding->count++;
            continue;
        }
        folding_prepare_formula(spec, desc, output, tensors, folding, f);
        f->matters = find_matters(folding, f);
        f->names = folds_of(&result->folds[i].value);
        f->has_attributes = find_attributes(folding, f);
        f->asked = is_asked(result, i);
        folding->count++;
    }
    if (folding)
        find_wanted(result, reals, folding->wanted);
    return folding;
}

int64_t folding_longest(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result)
{
    struct expr_list sizes;
    int64_t longest = 1;
    for (int i = 0; i < result->fold_count; i++) {
        int64_t steps = result->folds[i].kind == FOLD_SUM ? 1 : 2;
        if (!expr_list(spec->nodes, result->folds[i].sizes, desc, &sizes))
            continue;
        for (int d = 0; d < sizes.count; d++)
            steps = sizes.items[d] < 1 || steps > FOLDING_LONGEST / sizes.items[d] ? FOLDING_LONGEST
                                                                                   : steps * sizes.items[d];
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

void folding_set_slip(struct folding *folding, const struct folding_slip *slip)
{
    folding->slip = slip;
}

void folding_set_witness(struct folding *folding, const struct folding_witness *witness)
{
    folding->witness = witness;
    for (int i = 0; i < folding->count; i++)
        folding->folds[i].gathering.witness = witness;
}

void folding_free(struct folding *folding)
{
    for (int i = 0; folding && i < folding->count; i++) {
        free(folding->folds[i].growth.marks);
        free(folding->folds[i].growth.built);
        free(folding->folds[i].growth.block);
        for (int n = 0; n < READINGS; n++)
            memo_free(&folding->folds[i].memos[n]);
    }
    free(folding);
}
