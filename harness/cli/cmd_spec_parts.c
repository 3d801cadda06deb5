#include "harness/cli/cmd_spec_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The characters from which on a part that is used twice gets a name, and the exact result is y. */
enum { LONG_TEXT = 24, LONG_RESULT = 12 };

static bool is_condition(const struct spec_part *part)
{
    return (part->op >= FORMULA_LT && part->op <= FORMULA_NOT) || part->op == FORMULA_IS_NAN ||
           part->op == FORMULA_IS_INF || part->op == FORMULA_IS_FLOAT || part->op == FORMULA_PRESENT ||
           part->op == FORMULA_INEXACT;
}

static bool spec_parts_is_constant(const struct spec_parts *parts, int at, double value)
{
    return at >= 0 && parts->parts[at].op == FORMULA_CONST && parts->parts[at].value == value;
}

static bool is_same_part(const struct spec_part *x, const struct spec_part *y)
{
    return x->op == y->op && x->field == y->field && x->steps == y->steps && x->a == y->a && x->b == y->b &&
           x->c == y->c && memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

/* Returns the index of an equal part, or of a new one. */
static int intern_part(struct spec_parts *parts, struct spec_part part)
{
    for (int i = 0; i < parts->count; i++)
        if (is_same_part(&parts->parts[i], &part))
            return i;
    if (parts->count == parts->room) {
        parts->room = parts->room ? 2 * parts->room : 64;
        parts->parts = realloc(parts->parts, (size_t)parts->room * sizeof *parts->parts);
        if (!parts->parts)
            abort();
    }
    parts->parts[parts->count] = part;
    return parts->count++;
}

/* Returns the operand that the part is the same as, such as x of x * 1; -1: none. */
static int same_as_operand(const struct spec_parts *parts, const struct spec_part *part)
{
    switch ((enum formula_op)part->op) {
    case FORMULA_ADD:
        return spec_parts_is_constant(parts, part->b, 0) ? part->a : -1;
    case FORMULA_MUL:
        if (spec_parts_is_constant(parts, part->b, 0))
            return part->b;
        return spec_parts_is_constant(parts, part->b, 1) ? part->a : -1;
    case FORMULA_MIN:
    case FORMULA_MAX:
        return part->a == part->b ? part->a : -1;
    case FORMULA_IF:
        return part->b == part->c ? part->b : -1;
    default:
        return -1;
    }
}

/* Rewrites a part more plainly: x != x as "x is NaN", a choice between a condition and 0 as "both conditions hold". */
static struct spec_part plain_part(struct spec_parts *parts, struct spec_part part)
{
    const bool same = part.a == part.b && part.a >= 0;
    if (part.op == FORMULA_NE && same)
        return (struct spec_part){.op = FORMULA_IS_NAN, .a = part.a, .b = -1, .c = -1, .steps = part.steps};
    if (part.op == FORMULA_EQ && same) {
        part.op = FORMULA_NE;
        part.a = intern_part(parts, plain_part(parts, part));
        return (struct spec_part){.op = FORMULA_NOT, .a = part.a, .b = -1, .c = -1, .steps = part.steps};
    }
    if (part.op == FORMULA_IF && spec_parts_is_constant(parts, part.c, 0) && is_condition(&parts->parts[part.b])) {
        part.op = FORMULA_AND;
        part.c = -1;
    }
    return part;
}

static int add_formula_at(struct spec_parts *parts, const struct formula *formula, int steps);

/* Returns the part that is the value of a fold. */
static int add_fold(struct spec_parts *parts, int fold)
{
    struct spec_part part = {.op = FORMULA_FOLD, .field = (uint8_t)fold, .b = -1, .c = -1, .value = FOLD_VALUE};
    part.a = add_formula_at(parts, &parts->result->folds[fold].value, fold + 1);
    return intern_part(parts, part);
}

static bool is_of_steps(const struct spec_parts *parts, const struct formula_node *node, int steps)
{
    const struct spec_fold *fold = steps ? &parts->result->folds[steps - 1] : NULL;
    for (int i = 0; fold && node->op == FORMULA_ELEMENT && i < fold->tensor_count; i++)
        if (fold->tensors[i].item == node->field)
            return true;
    return fold && node->op == FORMULA_ELSEWHERE;
}

/* Adds a node, whose operands are the parts `operands`. `steps`: as in struct spec_part, of the formula. */
static int add_part(struct spec_parts *parts, const struct formula_node *node, const int operands[3], int steps)
{
    struct spec_part part = {.op = node->op,
                             .field = node->field,
                             .a = operands[0],
                             .b = operands[1],
                             .c = operands[2],
                             .value = node->value};
    if (is_of_steps(parts, node, steps))
        part.steps = (uint8_t)steps;
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && parts->parts[operands[i]].steps)
            part.steps = parts->parts[operands[i]].steps;
    if (node->op == FORMULA_FOLD && node->value == FOLD_VALUE)
        return add_fold(parts, node->field);
    if (node->op == FORMULA_FOLD)
        part.a = add_fold(parts, node->field);
    if (node->op == FORMULA_INEXACT)
        part.b = add_fold(parts, node->field);
    if (node->op == FORMULA_ELSEWHERE)
        part.a = add_fold(parts, parts->result->folds[steps - 1].others[node->field].fold);
    int same = same_as_operand(parts, &part);
    return same >= 0 ? same : intern_part(parts, plain_part(parts, part));
}

static int add_formula_at(struct spec_parts *parts, const struct formula *formula, int steps)
{
    int at[FORMULA_MAX_NODES];
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int16_t nodes[] = {node->a, node->b, node->c};
        int operands[] = {-1, -1, -1};
        for (int n = 0; n < formula_ops[node->op].operands; n++)
            operands[n] = at[nodes[n]];
        at[i] = add_part(parts, node, operands, steps);
    }
    return formula->count ? at[formula->count - 1] : -1;
}

static void use_part(struct spec_parts *parts, int at)
{
    struct spec_part *part = &parts->parts[at];
    const int operands[] = {part->a, part->b, part->c};
    if (part->uses++)
        return;
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0)
            use_part(parts, operands[i]);
    if (part->op == FORMULA_IF)
        parts->parts[part->c].chained++;
}

int spec_parts_add(struct spec_parts *parts, const struct formula *formula)
{
    int at = add_formula_at(parts, formula, 0);
    if (at < 0 || parts->parts[at].is_root)
        return at;
    use_part(parts, at);
    parts->parts[at].is_root = true;
    return at;
}

/* ---- names */

static void take_names_of_spec(struct spec_parts *parts)
{
    for (int i = 0; i < parts->result->named_count; i++) {
        const struct spec_named *named = &parts->result->named[i];
        parts->parts[add_formula_at(parts, &named->formula, 0)].name = named->name;
    }
}

static const char automatic[] = "t0"; /* stands for a name with a number until the order of names is known */

static bool needs_name(const struct spec_part *part, size_t length)
{
    const int inside = part->uses - part->is_root;
    if (part->op == FORMULA_IF)
        return inside > 0 && !(inside == 1 && part->chained == 1 && !part->is_root);
    return part->uses > 1 && part->a >= 0 && strlen(part->text) >= length;
}

static void choose_names(struct spec_parts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        struct spec_part *part = &parts->parts[i];
        spec_part_write(parts, i);
        bool is_result = i == parts->value;
        if (!part->name && part->uses && needs_name(part, is_result ? LONG_RESULT : LONG_TEXT))
            part->name = is_result ? "y" : automatic;
    }
}

static bool is_taken(const struct spec_parts *parts, const char *name)
{
    for (int i = 0; i < parts->count; i++)
        if (parts->parts[i].name && strcmp(parts->parts[i].name, name) == 0)
            return true;
    return false;
}

static const char *new_name(struct spec_parts *parts, const struct spec_part *part)
{
    static const char *const folds[] = {"sum", "product", "least", "greatest", "place", "place"};
    const bool is_fold = part->op == FORMULA_FOLD && part->value == FOLD_VALUE;
    const char *stem = is_fold ? folds[parts->result->folds[part->field].kind] : "t";
    for (int n = is_fold ? 0 : 1;; n++) {
        const char *name = n ? pool_format(&parts->pool, "%s%d", stem, n + is_fold) : stem;
        if (!is_taken(parts, name))
            return name;
    }
}

static void list_named(struct spec_parts *parts, int at)
{
    struct spec_part *part = &parts->parts[at];
    if (part->name == automatic)
        part->name = new_name(parts, part);
    for (int i = 0; i < parts->listed_count; i++)
        if (parts->listed[i] == at)
            return;
    parts->listed[parts->listed_count++] = at;
}

/* Lists the parts with a name that the text of a part has. */
static void list_names_in(struct spec_parts *parts, int at)
{
    const struct spec_part *part = &parts->parts[at];
    const int operands[] = {part->a, part->b, part->c};
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && parts->parts[operands[i]].name)
            list_named(parts, operands[i]);
        else if (operands[i] >= 0)
            list_names_in(parts, operands[i]);
}

void spec_parts_name(struct spec_parts *parts)
{
    take_names_of_spec(parts);
    choose_names(parts);
    parts->listed = pool_alloc(&parts->pool, ((size_t)parts->count + 1) * sizeof *parts->listed);
    for (int i = 0; i < parts->count; i++)
        if (parts->parts[i].is_root && i != parts->value && parts->parts[i].name)
            list_named(parts, i);
        else if (parts->parts[i].is_root)
            list_names_in(parts, i);
    for (int i = 0; i < parts->listed_count; i++)
        list_names_in(parts, parts->listed[i]);
    for (int i = 0; i < parts->count; i++)
        spec_part_write(parts, i);
}

void spec_parts_free(struct spec_parts *parts)
{
    free(parts->parts);
    pool_clear(&parts->pool);
}
