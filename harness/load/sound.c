#include "harness/load/sound.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"
#include "harness/spec/result.h"
#include "harness/load/sound_internal.h"

#include <math.h>
#include <string.h>

/* ---- the catalogue */

static bool enum_is_sound(const struct pool *pool, const struct spec_enum *one)
{
    if (one->count < 1 || !HOLDS(pool, one->constants, one->count) || !pool_holds_text(pool, one->name))
        return false;
    for (int i = 0; i < one->count; i++)
        if (!pool_holds_text(pool, one->constants[i].name) || !is_level_or_none(one->constants[i].from) ||
            one->constants[i].value > CATALOGUE_MAX_CONSTANT)
            return false;
    return true;
}

/* Returns true if the constants are those of an enumeration of the catalogue. */
static bool is_enum(const struct catalogue *catalogue, const struct spec_enum *constants)
{
    uintptr_t at = (uintptr_t)constants - (uintptr_t)catalogue->enums;
    return at / sizeof *constants < (size_t)catalogue->enum_count && at % sizeof *constants == 0;
}

/* Returns true if member `at` of a struct refers only to earlier members, as reading and drawing values require. `end`
 * is the end of the previous member, and becomes the end of this one. */
static bool member_is_sound(const struct pool *pool, const struct catalogue *catalogue, const struct spec_field *fields,
                            int at, size_t *end)
{
    const struct spec_field *field = &fields[at];
    if (!pool_holds_text(pool, field->name) || !is_index((int64_t)field->kind, 0, FIELD_KINDS) ||
        !is_level_or_none(field->optional) || field->offset != field_place(field->kind, end))
        return false;
    bool counted = field_kinds[field->kind].is_array, typed = field->kind == FIELD_SCALAR;
    return (counted ? is_index(field->count_field, 0, at) && fields[field->count_field].kind == FIELD_UINT
                    : field->count_field == -1) &&
           (typed ? is_index(field->typed_by, 0, at) && fields[field->typed_by].kind == FIELD_ENUM
                  : field->typed_by == -1) &&
           (field->kind == FIELD_ENUM ? is_enum(catalogue, field->constants) : !field->constants);
}

static bool layout_is_sound(const struct pool *pool, const struct catalogue *catalogue,
                            const struct spec_layout *layout)
{
    size_t end = 0;
    if (!pool_holds_text(pool, layout->name) || !pool_holds_text(pool, layout->struct_name) ||
        !level_name(layout->since) || !is_index(layout->field_count, 1, OPDESC_MAX_FIELDS + 1) ||
        !HOLDS(pool, layout->fields, layout->field_count))
        return false;
    for (int i = 0; i < layout->field_count; i++)
        if (!member_is_sound(pool, catalogue, layout->fields, i, &end))
            return false;
    return true;
}

/* Checks an operator of one's own, whose layout is sound: its number is above all earlier ones, no other operator has
 * its name, and its names can be written as C. */
static bool own_is_sound(const struct catalogue *catalogue, int at)
{
    const struct spec_layout *layout = &catalogue->operators[at].layout;
    const int64_t number = (int64_t)layout->type;
    if (number < CATALOGUE_OWN || number > CATALOGUE_OWN_LAST || !catalogue_is_name(layout->name, true) ||
        strcmp(layout->struct_name, layout->name) != 0 || dml_operator_find(layout->name) != DML_OPERATOR_INVALID)
        return false;
    for (int i = 0; i < at; i++)
        if (strcmp(catalogue->operators[i].layout.name, layout->name) == 0 ||
            (int64_t)catalogue->operators[i].layout.type >= number)
            return false;
    bool has_output = false;
    for (int i = 0; i < layout->field_count; i++) {
        has_output |= field_is_output(&layout->fields[i]);
        if (!catalogue_is_name(layout->fields[i].name, false))
            return false;
        for (int j = 0; j < i; j++)
            if (strcmp(layout->fields[j].name, layout->fields[i].name) == 0)
                return false;
    }
    return has_output;
}

static bool catalogue_is_sound(const struct pool *pool, const struct catalogue *catalogue)
{
    if (!HOLDS(pool, catalogue, 1) || !HOLDS(pool, catalogue->operators, catalogue->count) ||
        !HOLDS(pool, catalogue->enums, catalogue->enum_count) ||
        !is_index(catalogue->documented, 0, catalogue->count + 1) ||
        !is_index(catalogue->count - catalogue->documented, 0, CATALOGUE_MAX_OWN + 1))
        return false;
    for (int i = 0; i < catalogue->enum_count; i++)
        if (!enum_is_sound(pool, &catalogue->enums[i]))
            return false;
    for (int i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *op = &catalogue->operators[i];
        bool is_own = i >= catalogue->documented;
        if (!layout_is_sound(pool, catalogue, &op->layout) ||
            (is_own ? !own_is_sound(catalogue, i) : (int)op->layout.type != i + 1) ||
            !is_level_or_none(op->page_since) || !is_index(op->level_count, 1, SPEC_MAX_LEVELS + 1) ||
            op->in_place >> op->layout.field_count)
            return false;
        for (int f = 0; f < op->layout.field_count; f++)
            if (op->in_place >> f & 1 && !field_is_input(&op->layout.fields[f]))
                return false;
    }
    return true;
}

/* ---- fields and levels of a spec */

/* Returns true if the blank description and its places are those that the fields make. */
static bool blank_is_sound(const struct pool *pool, struct spec *spec)
{
    struct opdesc blank;
    if (spec_lay_out(spec, &blank) || !pool_holds(pool, spec->blank, blank.size, alignof(struct opdesc)))
        return false;
    for (int item = 0; item < blank.tensor_count; item++)
        if (!pool_holds_text(pool, spec->tensor_names[item]))
            return false;
    blank.op = spec->blank->op;
    return memcmp(&blank, spec->blank, blank.size) == 0;
}

/* Returns true if a field equals the catalogue's, except for its type group. */
static bool is_same_field(const struct spec_field *a, const struct spec_field *b)
{
    return a->name == b->name && a->kind == b->kind && a->offset == b->offset && a->optional == b->optional &&
           a->count_field == b->count_field && a->typed_by == b->typed_by && a->constants == b->constants;
}

static bool groups_are_sound(const struct pool *pool, const struct spec *spec)
{
    for (int i = 0; i < spec->group_count; i++) {
        bool used = false;
        for (int j = 0; j < spec->field_count; j++)
            used |= field_is_tensor(&spec->fields[j]) && spec->fields[j].group == i;
        if (!used || !pool_holds_text(pool, spec->groups[i]))
            return false;
    }
    return true;
}

/* Checks the fields. The catalogue must have been checked. */
static bool fields_are_sound(const struct pool *pool, const struct catalogue *catalogue, const struct spec *spec)
{
    const struct catalogue_entry *entry = catalogue_entry(catalogue, (uint32_t)spec->type);
    const struct spec_layout *layout = entry ? &entry->layout : NULL;
    int inputs = 0, outputs = 0;
    if (!layout || strcmp(spec->name, layout->name) != 0 || spec->catalogue != catalogue ||
        spec->field_count != layout->field_count || spec->since != layout->since ||
        spec->page_since != entry->page_since || !HOLDS(pool, spec->fields, spec->field_count) ||
        !is_index(spec->group_count, 0, SPEC_MAX_GROUPS + 1))
        return false;
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        if (!is_same_field(field, &layout->fields[i]) ||
            (field_is_tensor(field) && !is_index(field->group, 0, spec->group_count)))
            return false;
        inputs += field_is_input(field);
        outputs += field_is_output(field);
    }
    return groups_are_sound(pool, spec) && spec->input_count == inputs && spec->output_count == outputs;
}

static bool levels_are_sound(const struct pool *pool, struct spec *spec)
{
    if (!is_index(spec->level_count, 1, SPEC_MAX_LEVELS + 1))
        return false;
    for (int i = 0; i < spec->level_count; i++) {
        struct spec_level *level = &spec->levels[i];
        level->name = level_name(level->level);
        if (!level->name || !pool_holds_text(pool, level->pages) || !pool_holds_text(pool, level->ruling))
            return false;
        for (int g = 0; g < spec->group_count; g++)
            if (level->types[g] == 0 || (level->types[g] | level->beyond[g]) >> DATATYPE_COUNT != 0)
                return false;
        for (int f = 0; f < spec->field_count; f++)
            if (sound_is_tensor(spec, f) && (level->dims[f].low < 1 || level->dims[f].high < level->dims[f].low ||
                                             level->dims[f].high > DML_TENSOR_DIMENSION_COUNT_MAX1))
                return false;
    }
    return true;
}

/* ---- nodes of the fields */

/* Returns true if intervals of two operands bound the number. */
static bool is_sum(const struct expr *node)
{
    return node->op >= EXPR_ADD && node->op <= EXPR_DIV_UP;
}

/* Returns true if a node exists and is the operation of the field. */
static bool is_node_of(const struct spec *spec, int node, enum expr_op op, int field)
{
    return is_index(node, 0, spec->node_count) && spec->nodes[node].op == op && spec->nodes[node].field == field;
}

static bool bounds_are_sound(const struct pool *pool, const struct spec *spec)
{
    int end = spec->node_count;
    for (int i = 0; i < spec->level_count; i++) {
        const struct spec_bounds *bounds = &spec->bounds[i];
        if (!HOLDS(pool, bounds->items, bounds->count))
            return false;
        for (int j = 0; j < bounds->count; j++)
            if (!sound_is_node(spec, bounds->items[j].low, end, 'N') || !is_index(bounds->items[j].x, 0, end) ||
                !sound_is_node(spec, bounds->items[j].high, end, 'N'))
                return false;
        if (bounds->single >> spec->field_count != 0)
            return false;
    }
    if (!HOLDS(pool, spec->sums, spec->sum_count))
        return false;
    for (int i = 0; i < spec->sum_count; i++)
        if (!is_index(spec->sums[i], 0, end) || !is_sum(&spec->nodes[spec->sums[i]]))
            return false;
    for (int i = 0; i < spec->field_count; i++)
        if ((sound_is_tensor(spec, i)
                 ? !is_node_of(spec, spec->dims_nodes[i], EXPR_DIMS, i)
                 : spec->number_nodes[i] != -1 && !is_node_of(spec, spec->number_nodes[i], EXPR_ATTR, i)))
            return false;
    return true;
}

static bool parts_are_sound(const struct pool *pool, const struct spec *spec)
{
    if (!HOLDS(pool, spec->indices, spec->index_count) || !HOLDS(pool, spec->grids, spec->grid_count) ||
        !HOLDS(pool, spec->examples, spec->example_count) ||
        !is_index(spec->parameter_count, 0, SPEC_MAX_PARAMETERS + 1) || spec->sparse >> spec->field_count != 0)
        return false;
    for (int i = 0; i < spec->index_count; i++)
        if (!sound_is_tensor(spec, spec->indices[i].field) ||
            !sound_is_node(spec, spec->indices[i].into, spec->node_count, 'l') ||
            !is_index(spec->indices[i].along, -1, spec->node_count))
            return false;
    for (int i = 0; i < spec->grid_count; i++)
        if (!sound_is_tensor(spec, spec->grids[i].field) ||
            !sound_is_node(spec, spec->grids[i].from, spec->node_count, 'l') ||
            !sound_is_node(spec, spec->grids[i].to, spec->node_count, 'l') ||
            !sound_is_node(spec, spec->grids[i].parts, spec->node_count, 'l') || spec->grids[i].spans < 0)
            return false;
    for (int i = 0; i < spec->example_count; i++)
        if (!pool_holds_text(pool, spec->examples[i].id) || !pool_holds_text(pool, spec->examples[i].pages) ||
            !pool_holds_text(pool, spec->examples[i].ruling))
            return false;
    for (int i = 0; i < spec->parameter_count; i++)
        if (!pool_holds_text(pool, spec->parameters[i].name) ||
            !is_index(spec->parameters[i].node, 0, spec->node_count) ||
            !expr_assignable(&spec->nodes[spec->parameters[i].node]))
            return false;
    if (spec->slice != -1 && !sound_is_node(spec, spec->slice, spec->node_count, 'n'))
        return false;
    const struct spec_selection *selection = &spec->selection;
    if (selection->positions >= 0 &&
        (!sound_is_tensor(spec, selection->positions) || !sound_is_tensor(spec, selection->values) ||
         !sound_is_tensor(spec, selection->of) || !sound_is_node(spec, selection->along, spec->node_count, 'n') ||
         !sound_is_node(spec, selection->descending, spec->node_count, 'n')))
        return false;
    return spec->rows.field < 0 ||
           (sound_is_tensor(spec, spec->rows.field) && sound_is_tensor(spec, spec->rows.count_field));
}

/* ---- formulas */

/* Returns true if a formula may name the elements of an item: a tensor, or a stage. */
static bool has_elements(const struct spec *spec, int item)
{
    return is_index(item, 0, spec->blank->tensor_count) ||
           is_index(item, spec_stage_item(spec, 0), spec_stage_item(spec, spec->stage_count));
}

/* Checks a formula. `folds` and `others` are the numbers of folds that it may name, of its place and of other
 * places. */
static bool formula_in_fold_is_sound(const struct pool *pool, const struct spec *spec, const struct formula *formula,
                                     int folds, int others)
{
    if (formula->count == 0)
        return true;
    if (formula->count > FORMULA_MAX_NODES || !HOLDS(pool, formula->nodes, formula->count) ||
        !pool_holds_text(pool, formula->text))
        return false;
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int16_t operands[] = {node->a, node->b, node->c};
        int fields = spec->field_count;
        if (node->op >= FORMULA_ELEMENT && node->op <= FORMULA_GREATEST_OF)
            fields = spec->blank->tensor_count;
        else if (node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT)
            fields = folds;
        else if (node->op == FORMULA_ELSEWHERE)
            fields = others;
        else if (node->op == FORMULA_MEMBER)
            fields = OPDESC_NESTED_FIELDS;
        bool named = node->op == FORMULA_ELEMENT ? has_elements(spec, node->field) : is_index(node->field, 0, fields);
        if (node->op >= FORMULA_OPS || !named ||
            ((node->op == FORMULA_FOLD || node->op == FORMULA_ELSEWHERE) &&
             !(node->value >= 0 && node->value < FOLD_PARTS)) ||
            (node->op == FORMULA_ENTRY && spec->fields[node->field].kind != FIELD_FLOATS) ||
            (node->op == FORMULA_NESTED && (spec->fields[node->field].kind != FIELD_OPERATORS ||
                                            !(node->value >= -1 && node->value < OPDESC_NESTED_FIELDS))) ||
            (node->op == FORMULA_TERM && !(node->value >= 0 && node->value < FORMULA_MAX_TERMS)) ||
            (node->op == FORMULA_COORDINATE && !(node->value >= 1 && node->value <= OPDESC_MAX_DIMENSIONS)))
            return false;
        for (int n = 0; n < formula_ops[node->op].operands; n++)
            if (!is_index(operands[n], 0, i))
                return false;
    }
    return true;
}

static bool formula_is_sound(const struct pool *pool, const struct spec *spec, const struct formula *formula, int folds)
{
    return formula_in_fold_is_sound(pool, spec, formula, folds, 0);
}

static bool fold_is_sound(const struct pool *pool, const struct spec *spec, const struct spec_fold *fold, int before)
{
    bool sound = is_index((int64_t)fold->kind, 0, FOLD_KINDS) &&
                 sound_is_node(spec, fold->sizes, spec->node_count, 'l') &&
                 (fold->last == -1 || sound_is_node(spec, fold->last, spec->node_count, 'n')) &&
                 (fold->found == -1 ||
                  (sound_is_node(spec, fold->found, spec->node_count, 'l') &&
                   (spec->nodes[fold->found].op == EXPR_DIVIDED || spec->nodes[fold->found].op == EXPR_GATHERED))) &&
                 is_index(fold->tensor_count, 1, FOLD_MAX_TENSORS + 1);
    for (int i = 0; sound && i < fold->tensor_count; i++)
        sound = has_elements(spec, fold->tensors[i].item) &&
                sound_is_node(spec, fold->tensors[i].at, spec->node_count, 'l');
    sound = sound && is_index(fold->other_count, 0, FORMULA_MAX_OTHERS + 1);
    for (int i = 0; sound && i < fold->other_count; i++)
        sound =
            is_index(fold->others[i].fold, 0, before) && sound_is_node(spec, fold->others[i].at, spec->node_count, 'l');
    return sound && formula_in_fold_is_sound(pool, spec, &fold->value, before, fold->other_count);
}

static bool choice_is_sound(const struct pool *pool, const struct spec *spec, const struct spec_choice *choice,
                            int folds)
{
    bool sound = is_index(choice->rule, 0, spec->rule_count) &&
                 is_index(choice->count, 0, RESULT_MAX_ALTERNATIVES + 1) &&
                 formula_is_sound(pool, spec, &choice->when, folds);
    for (int i = 0; sound && i < choice->count; i++)
        sound = pool_holds_text(pool, choice->alternatives[i].outcome) &&
                formula_is_sound(pool, spec, &choice->alternatives[i].value, folds);
    return sound;
}

static bool results_are_sound(const struct pool *pool, const struct spec *spec)
{
    if (!HOLDS(pool, spec->results, spec->result_count))
        return false;
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        bool sound = sound_is_tensor(spec, result->field) && is_index(result->by, -1, spec->field_count) &&
                     (result->by < 0 || spec->fields[result->by].kind == FIELD_OPERATOR) &&
                     is_index(result->chosen_by, -1, spec->field_count) &&
                     (!result->domain.given || (isfinite(result->domain.low) && isfinite(result->domain.high) &&
                                                result->domain.low <= result->domain.high)) &&
                     is_index(result->fold_count, 0, FORMULA_MAX_FOLDS + 1) &&
                     formula_is_sound(pool, spec, &result->value, result->fold_count) &&
                     is_index((int64_t)result->overflow, 0, OVERFLOW_OPEN + 1) &&
                     is_index(result->choice_count, 0, RESULT_MAX_CHOICES + 1);
        for (int type = 0; sound && type < DATATYPE_COUNT; type++)
            sound = formula_is_sound(pool, spec, &result->tolerances[type].soft, result->fold_count) &&
                    formula_is_sound(pool, spec, &result->tolerances[type].must, result->fold_count);
        for (int f = 0; sound && f < result->fold_count; f++)
            sound = fold_is_sound(pool, spec, &result->folds[f], f);
        for (int c = 0; sound && c < result->choice_count; c++)
            sound = choice_is_sound(pool, spec, &result->choices[c], result->fold_count);
        sound = sound && is_index(result->named_count, 0, RESULT_MAX_NAMED + 1);
        for (int n = 0; sound && n < result->named_count; n++)
            sound = pool_holds_text(pool, result->named[n].name) &&
                    formula_is_sound(pool, spec, &result->named[n].formula, result->fold_count);
        if (!sound)
            return false;
    }
    return true;
}

/* Checks the number of stages, which rules, formulas and folds name. */
static bool stage_count_is_sound(const struct pool *pool, const struct spec *spec)
{
    return is_index(spec->stage_count, 0, SPEC_MAX_STAGES + 1) && HOLDS(pool, spec->stages, spec->stage_count) &&
           spec_stage_item(spec, spec->stage_count) <= OPDESC_MAX_ITEMS &&
           (spec->stage_count == 0 || (spec_stage_item(spec, spec->stage_count) <= OPDESC_MAX_TENSORS &&
                                       spec_stage_field(spec, spec->stage_count) <= OPDESC_MAX_FIELDS));
}

static bool stages_are_sound(const struct pool *pool, const struct spec *spec)
{
    for (int i = 0; i < spec->stage_count; i++) {
        const struct spec_stage *stage = &spec->stages[i];
        const struct spec_result *result = &stage->result;
        bool sound = pool_holds_text(pool, stage->name) && sound_is_node(spec, stage->sizes, spec->node_count, 'l') &&
                     result->field == spec_stage_field(spec, i) && result->by == -1 && result->chosen_by == -1 &&
                     !result->bits && result->choice_count == 0 && result->value.count > 0 &&
                     is_index(result->fold_count, 0, FORMULA_MAX_FOLDS + 1) &&
                     is_index(result->named_count, 0, RESULT_MAX_NAMED + 1) &&
                     formula_is_sound(pool, spec, &result->value, result->fold_count);
        for (int f = 0; sound && f < result->fold_count; f++)
            sound = fold_is_sound(pool, spec, &result->folds[f], f);
        for (int n = 0; sound && n < result->named_count; n++)
            sound = pool_holds_text(pool, result->named[n].name) &&
                    formula_is_sound(pool, spec, &result->named[n].formula, result->fold_count);
        for (int type = 0; sound && type < DATATYPE_COUNT; type++)
            sound = result->tolerances[type].soft.count == 0 && result->tolerances[type].must.count == 0;
        if (!sound)
            return false;
    }
    return true;
}

static bool domains_are_sound(const struct spec *spec)
{
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++) {
        const struct spec_domain *domain = &spec->domains[i];
        if (domain->given && !(i < spec->field_count && field_fits_domain(&spec->fields[i], domain)))
            return false;
    }
    return true;
}

static bool spec_is_sound(const struct pool *pool, const struct catalogue *catalogue, struct spec *spec)
{
    return pool_holds_text(pool, spec->name) && pool_holds_text(pool, spec->lower) &&
           pool_holds_text(pool, spec->file) && pool_holds_text(pool, spec->page) &&
           pool_holds_text(pool, spec->sentences.page) && pool_holds_text(pool, spec->sentences.informative) &&
           is_index(spec->sentences.first, 0, SPEC_MAX_SENTENCES + 1) &&
           is_index(spec->sentences.last, 0, SPEC_MAX_SENTENCES + 1) && fields_are_sound(pool, catalogue, spec) &&
           blank_is_sound(pool, spec) && levels_are_sound(pool, spec) && stage_count_is_sound(pool, spec) &&
           sound_rules(pool, spec) && stages_are_sound(pool, spec) && bounds_are_sound(pool, spec) &&
           parts_are_sound(pool, spec) && results_are_sound(pool, spec) && domains_are_sound(spec);
}

/* Checks the interface: it has behaviours, and otherwise only a name. */
static bool interface_is_sound(const struct spec_set *set)
{
    const struct pool *pool = &set->pool;
    struct spec *spec = set->interface;
    if (!spec)
        return set->sentence_count == 0;
    if (!HOLDS(pool, set->sentences, set->sentence_count))
        return false;
    for (int i = 0; i < set->sentence_count; i++)
        if (!pool_holds_text(pool, set->sentences[i].id) || !pool_holds_text(pool, set->sentences[i].text) ||
            !pool_holds_text(pool, set->sentences[i].exempt))
            return false;
    return spec == &set->specs[set->count] && pool_holds_text(pool, spec->name) && pool_holds_text(pool, spec->lower) &&
           pool_holds_text(pool, spec->file) && pool_holds_text(pool, spec->page) &&
           pool_holds_text(pool, spec->sentences.page) && pool_holds_text(pool, spec->sentences.informative) &&
           spec->type == DML_OPERATOR_INVALID && spec->catalogue == set->catalogue && spec->field_count == 0 &&
           spec->group_count == 0 && spec->node_count == 0 && spec->atom_count == 0 && spec->level_count == 1 &&
           spec->index_count == 0 && spec->result_count == 0 && spec->stage_count == 0 && spec->example_count == 0 &&
           spec->situation_count == 0 && spec->parameter_count == 0 && spec->sparse == 0 && spec->slice == -1 &&
           spec->rows.field < 0 && spec->selection.positions < 0 && blank_is_sound(pool, spec) &&
           spec->blank->op == set->count && levels_are_sound(pool, spec) && sound_rules(pool, spec);
}

bool spec_set_is_sound(struct spec_set *set)
{
    const struct pool *pool = &set->pool;
    if (!catalogue_is_sound(pool, set->catalogue) || !HOLDS(pool, set->specs, spec_set_size(set)) ||
        (set->ruling_count && !HOLDS(pool, set->rulings, set->ruling_count)) || !interface_is_sound(set))
        return false;
    for (int i = 0; i < set->count; i++)
        if (!spec_is_sound(pool, set->catalogue, &set->specs[i]) || set->specs[i].blank->op != i)
            return false;
    for (int i = 0; i < set->ruling_count; i++)
        if (!pool_holds_text(pool, set->rulings[i].id) || !pool_holds_text(pool, set->rulings[i].text) ||
            !pool_holds_text(pool, set->rulings[i].unused))
            return false;
    return true;
}
