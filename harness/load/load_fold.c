/* This file compiles folds: `over { … }`. */
#include "harness/load/load_formula.h"

#include <string.h>

/* Returns true if a list follows from the place or the step, perhaps by what a division or a gathering finds. */
static bool depends(const struct expr *nodes, int at)
{
    if (at < 0)
        return false;
    const struct expr *node = &nodes[at];
    return node->op == EXPR_PLACE || node->op == EXPR_STEP || node->op == EXPR_DIVIDED || node->op == EXPR_GATHERED ||
           depends(nodes, node->a) || depends(nodes, node->b) || depends(nodes, node->c);
}

/* Returns the EXPR_DIVIDED or EXPR_GATHERED that a list follows from, as a node; -1: none; -2: several. */
static int found_by(const struct expr *nodes, int at)
{
    if (at < 0)
        return -1;
    const struct expr *node = &nodes[at];
    int found = node->op == EXPR_DIVIDED || node->op == EXPR_GATHERED ? at : -1;
    const int operands[] = {node->a, node->b, node->c};
    for (int i = 0; i < 3; i++) {
        int one = found_by(nodes, operands[i]);
        if (found == -1)
            found = one;
        else if (one != -1 && one != found)
            found = -2;
    }
    return found;
}

/* Returns true if the value is linear in the lists of folds that it follows from: it may add them, and multiply them
 * with other values. */
static bool load_fold_is_linear(const struct expr *nodes, int at)
{
    if (!depends(nodes, at))
        return true;
    const struct expr *node = &nodes[at];
    switch (node->op) {
    case EXPR_PLACE:
    case EXPR_STEP:
        return true;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_ADD_EACH:
    case EXPR_SUB_EACH:
    case EXPR_CONCAT:
        return load_fold_is_linear(nodes, node->a) && load_fold_is_linear(nodes, node->b);
    case EXPR_MUL:
    case EXPR_MUL_EACH:
        return load_fold_is_linear(nodes, node->a) && load_fold_is_linear(nodes, node->b) &&
               !(depends(nodes, node->a) && depends(nodes, node->b));
    case EXPR_SUM:
    case EXPR_LIST:
        return load_fold_is_linear(nodes, node->a);
    case EXPR_ENTRY:
    case EXPR_FILLED:
        return load_fold_is_linear(nodes, node->a) && !depends(nodes, node->b);
    case EXPR_SLICE:
        return load_fold_is_linear(nodes, node->a) && !depends(nodes, node->b) && !depends(nodes, node->c);
    case EXPR_REPLACE:
        return load_fold_is_linear(nodes, node->a) && !depends(nodes, node->b) && load_fold_is_linear(nodes, node->c);
    case EXPR_DIVIDED:
        return load_fold_is_linear(nodes, node->a) && found_by(nodes, node->a) == -1 && !depends(nodes, node->b) &&
               !depends(nodes, node->c);
    case EXPR_GATHERED:
        return load_fold_is_linear(nodes, node->a) && found_by(nodes, node->a) == -1;
    default:
        return false;
    }
}

static int compile_at(struct loader *l, struct spec_fold *fold, const char *name)
{
    int field = spec_find_field(l->spec, name), stage = spec_find_stage(l->spec, name);
    int16_t at;
    if (stage < 0 && (field < 0 || l->spec->fields[field].kind != FIELD_INPUT))
        return loader_fail(l, "over: at: '%s' is no input", name);
    if (fold->tensor_count == FOLD_MAX_TENSORS)
        return loader_fail(l, "over: at: more than %d inputs", FOLD_MAX_TENSORS);
    if (compile_expression(l, &at))
        return EXIT_HARNESS;
    if (!loader_is_kind(l, at, 'l') || !load_fold_is_linear(l->spec->nodes, at))
        return loader_fail(l, "over: at: expected a list that is linear in place and step");
    int found = found_by(l->spec->nodes, at);
    if (found == -2 || (found >= 0 && fold->found >= 0 && found != fold->found))
        return loader_fail(l, "over: at: more than one division or gathering");
    fold->found = found >= 0 ? (int16_t)found : fold->found;
    fold->tensors[fold->tensor_count].item =
        (uint8_t)(stage >= 0 ? spec_stage_item(l->spec, stage) : spec_item(l->spec, field));
    fold->tensors[fold->tensor_count++].at = at;
    return 0;
}

static int compile_at_of(struct loader *l, struct spec_fold *fold, const char *name)
{
    lua_getfield(l->L, -1, name);
    int result = lua_isnil(l->L, -1) ? 0 : compile_at(l, fold, name);
    lua_pop(l->L, 1);
    return result;
}

/* Compiles `at` of the fold at the top of the stack: { INPUT = LIST, STAGE = LIST, … }. */
static int compile_places(struct loader *l, struct spec_fold *fold)
{
    lua_getfield(l->L, -1, "at");
    if (!lua_istable(l->L, -1))
        return loader_fail(l, "over: at: expected { INPUT = LIST, … }");
    for (int i = 0; i < l->spec->field_count; i++) /* in the order of the fields */
        if (compile_at_of(l, fold, l->spec->fields[i].name))
            return EXIT_HARNESS;
    for (int i = 0; i < l->spec->stage_count; i++)
        if (compile_at_of(l, fold, l->spec->stages[i].name))
            return EXIT_HARNESS;
    lua_pop(l->L, 1);
    return fold->tensor_count ? 0 : loader_fail(l, "over: at: expected { INPUT = LIST, … }");
}

static bool is_same(const struct spec_fold *a, const struct spec_fold *b)
{
    bool same = a->kind == b->kind && a->signed_zeros == b->signed_zeros && a->sizes == b->sizes &&
                a->last == b->last && a->tensor_count == b->tensor_count && a->other_count == b->other_count &&
                a->value.count == b->value.count;
    for (int i = 0; same && i < a->tensor_count; i++)
        same = a->tensors[i].item == b->tensors[i].item && a->tensors[i].at == b->tensors[i].at;
    for (int i = 0; same && i < a->other_count; i++)
        same = a->others[i].fold == b->others[i].fold && a->others[i].at == b->others[i].at;
    return same && memcmp(a->value.nodes, b->value.nodes, (size_t)a->value.count * sizeof *a->value.nodes) == 0;
}

static int compile_kind(struct loader *l, enum fold_kind *out)
{
    static const char *const kinds[] = {"sum", "product", "min", "max", "place_of_min", "place_of_max"};
    const char *word = loader_text(l, -1, "fold");
    for (int i = 0; i < FOLD_KINDS; i++)
        if (strcmp(kinds[i], word) == 0) {
            *out = (enum fold_kind)i;
            return 0;
        }
    return loader_fail(l, "over: fold: '%s' is no kind of fold", word);
}

int compile_fold(struct loader *l, uint8_t *out)
{
    struct spec_fold fold;
    memset(&fold, 0, sizeof fold);
    fold.found = -1;
    if (!l->result || !lua_istable(l->L, -1) || !lua_checkstack(l->L, 8))
        return loader_fail(l, "over: only a result or a behaviour may have a fold");
    if (l->depth > LOADER_MAX_DEPTH)
        return loader_fail(l, "a fold within more than %d others", LOADER_MAX_DEPTH);
    int index = loader_recall(l, l->result);
    *out = (uint8_t)index;
    if (index >= 0)
        return 0;
    if (compile_kind(l, &fold.kind) || compile_operand(l, "sizes", &fold.sizes) ||
        compile_operand(l, "last", &fold.last) || compile_places(l, &fold))
        return EXIT_HARNESS;
    if (!loader_is_kind(l, fold.sizes, 'l') || depends(l->spec->nodes, fold.sizes) ||
        (fold.last >= 0 && (!loader_is_kind(l, fold.last, 'n') || depends(l->spec->nodes, fold.last))))
        return loader_fail(l, "over: sizes must be a list, and last a number");
    fold.signed_zeros = loader_true(l, -1, "signed_zeros");
    lua_rawgeti(l->L, -1, 1);
    struct spec_fold *outer = l->fold;
    l->fold = &fold;
    l->depth++;
    int result = compile_formula(l, &fold.value);
    l->depth--;
    l->fold = outer;
    lua_pop(l->L, 1);
    if (result)
        return result;
    *out = 0;
    while (*out < l->result->fold_count && !is_same(&l->result->folds[*out], &fold))
        ++*out;
    if (*out == FORMULA_MAX_FOLDS)
        return loader_fail(l, "more than %d different folds in one result", FORMULA_MAX_FOLDS);
    if (*out == l->result->fold_count)
        l->result->folds[l->result->fold_count++] = fold;
    loader_remember(l, l->result, *out);
    return 0;
}

/* Returns true if the fold is the same wherever its inputs' elements are the same: then another place can use it. It
 * may name such folds. */
static bool is_of_inputs(const struct spec_result *result, const struct spec_fold *fold)
{
    for (int i = 0; i < fold->value.count; i++) {
        const struct formula_node *node = &fold->value.nodes[i];
        bool own = node->op != FORMULA_ELEMENT;
        for (int t = 0; t < fold->tensor_count; t++)
            own |= node->field == fold->tensors[t].item;
        if (!own || node->op == FORMULA_OUTPUT || node->op == FORMULA_NUMBER || node->op == FORMULA_COORDINATE ||
            (node->op == FORMULA_FOLD && node->value == FOLD_OWN) ||
            ((node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT) &&
             !is_of_inputs(result, &result->folds[node->field])))
            return false;
    }
    return true;
}

int compile_elsewhere(struct loader *l, uint8_t *out)
{
    uint8_t fold;
    int16_t at;
    if (!l->fold)
        return loader_fail(l, "elsewhere: only the formula of a fold has other places");
    lua_getfield(l->L, -1, "fold");
    l->depth++;
    int result = compile_fold(l, &fold);
    l->depth--;
    lua_pop(l->L, 1);
    if (result)
        return result;
    if (!is_of_inputs(l->result, &l->result->folds[fold]))
        return loader_fail(l, "elsewhere: expected a fold that follows from its inputs alone");
    lua_getfield(l->L, -1, "at");
    if (compile_expression(l, &at))
        return EXIT_HARNESS;
    lua_pop(l->L, 1);
    if (!loader_is_kind(l, at, 'l') || !load_fold_is_linear(l->spec->nodes, at) || found_by(l->spec->nodes, at) != -1)
        return loader_fail(l, "elsewhere: expected a list that is linear in place and step");
    for (*out = 0; *out < l->fold->other_count; ++*out)
        if (l->fold->others[*out].fold == fold && l->fold->others[*out].at == at)
            return 0;
    if (*out == FORMULA_MAX_OTHERS)
        return loader_fail(l, "elsewhere: more than %d in one fold", FORMULA_MAX_OTHERS);
    l->fold->others[*out].fold = fold;
    l->fold->others[l->fold->other_count++].at = at;
    return 0;
}
