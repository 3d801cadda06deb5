/* These mistakes are about formulas: a step is left out, is another step, or is in the wrong place; folds leave out
 * elements. Each mistake is a copy of the operator with another formula, so every operator with a formula has them. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- folds */

static int64_t longest_fold(const struct explainer *x)
{
    int64_t longest = 1;
    for (int i = 0; i < x->spec->stage_count + x->spec->result_count; i++) {
        bool staged = i < x->spec->stage_count;
        const struct spec_result *result =
            staged ? &x->spec->stages[i].result : &x->spec->results[i - x->spec->stage_count];
        int64_t steps = folding_longest(x->spec, x->t->c.desc, result);
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

/* The only site is the slip itself; a slip with tiles has a site for each size of tiles, up to 1,024 elements or the
 * longest fold's number: larger tiles leave out all elements, or none. */
enum prediction mistake_slips(struct explainer *x, const struct mistake *m, int site)
{
    int64_t tile = m->more;
    if (!trial_is_computed(x->t) || !spec_folds(x->spec))
        return PREDICTS_NO_SITE;
    for (int i = 0; i < site; i++)
        tile *= 2;
    if (m->more == 0 ? site > 0 : tile > 1024 || (site > 0 && tile > longest_fold(x)))
        return PREDICTS_NO_SITE;
    const struct folding_slip slip = {.kind = (enum folding_slip_kind)m->as.number, .tile = tile};
    return explain_run_formulas(x, x->spec, x->t->c.desc, &slip) ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
}

/* ---- copies of formulas */

enum { ADDED_MAX = 48, NOT_HERE = -1 };

/* An editor copies a formula and changes it. */
struct editor {
    struct formula_node *nodes;     /* the copy */
    int count;                      /* the nodes of the copy so far */
    int16_t map[FORMULA_MAX_NODES]; /* the place of each node of the original in the copy */
    const struct formula *from;     /* the original */
};

static int add_node(struct editor *e, int op, int a, int b, int c)
{
    e->nodes[e->count] = (struct formula_node){.op = (uint8_t)op, .a = (int16_t)a, .b = (int16_t)b, .c = (int16_t)c};
    return e->count++;
}

static int add_constant(struct editor *e, double value)
{
    int node = add_node(e, FORMULA_CONST, 0, 0, 0);
    e->nodes[node].value = value;
    return node;
}

/* Copies a node of the original, whose operands have been copied. */
static int copy_node(struct editor *e, int n)
{
    const struct formula_node *node = &e->from->nodes[n];
    int operands = formula_ops[node->op].operands, copied = e->count++;
    e->nodes[copied] = *node;
    e->nodes[copied].a = operands > 0 ? e->map[node->a] : node->a;
    e->nodes[copied].b = operands > 1 ? e->map[node->b] : node->b;
    e->nodes[copied].c = operands > 2 ? e->map[node->c] : node->c;
    return copied;
}

/* Adds a node once more: a node that stands in the place of another one must be a node of its own, also the last node
 * of a formula. */
static int add_again(struct editor *e, int node)
{
    e->nodes[e->count] = e->nodes[node];
    return e->count++;
}

/* Returns the node of the original that `node` stands for: nodes that only give a tolerance are skipped. */
static int bare(const struct editor *e, int node)
{
    while (node >= 0 && e->from->nodes[node].op == FORMULA_WITHIN)
        node = e->from->nodes[node].a;
    return node;
}

/* Makes choice number `choice` of an edit at node `n` of the original, whose operands have been copied. Returns the
 * node that replaces it; NOT_HERE: the edit has no such choice. */
typedef int (*edit)(struct editor *e, int n, int choice);

static bool is_unary(int op)
{
    return formula_ops[op].operands == 1 && op != FORMULA_INEXACT && op != FORMULA_SPACING &&
           op != FORMULA_SPACING_OF && op != FORMULA_ENTRY && op != FORMULA_NESTED && op != FORMULA_IS_NAN &&
           op != FORMULA_IS_INF && op != FORMULA_NOT;
}

static bool edit_is_arithmetic(int op)
{
    return op == FORMULA_ADD || op == FORMULA_SUB || op == FORMULA_MUL || op == FORMULA_DIV || op == FORMULA_MIN ||
           op == FORMULA_MAX || op == FORMULA_POW;
}

static int edit_step_missing(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    int a = e->map[node->a], b = e->map[node->b];
    if (is_unary(node->op))
        return choice == 0 ? add_again(e, a) : NOT_HERE;
    if (!edit_is_arithmetic(node->op) && node->op != FORMULA_AND && node->op != FORMULA_OR)
        return NOT_HERE;
    if (choice == 0)
        return add_again(e, a);
    if (choice > 1 || node->op == FORMULA_POW)
        return NOT_HERE;
    if (node->op == FORMULA_DIV)
        return add_node(e, FORMULA_DIV, add_constant(e, 1), b, 0);
    return node->op == FORMULA_SUB ? add_node(e, FORMULA_NEG, b, 0, 0) : add_again(e, b);
}

/* The operations of a line are taken for each other. */
static const uint8_t neighbours[][6] = {
    {FORMULA_ADD, FORMULA_SUB},
    {FORMULA_MUL, FORMULA_DIV},
    {FORMULA_MIN, FORMULA_MAX},
    {FORMULA_FLOOR, FORMULA_CEIL, FORMULA_TRUNC, FORMULA_ROUND_EVEN, FORMULA_ROUND_AWAY},
    {FORMULA_SIN, FORMULA_COS, FORMULA_TAN},
    {FORMULA_SINH, FORMULA_COSH, FORMULA_TANH},
    {FORMULA_ASIN, FORMULA_ACOS, FORMULA_ATAN},
    {FORMULA_ASINH, FORMULA_ACOSH, FORMULA_ATANH},
    {FORMULA_AND, FORMULA_OR, FORMULA_NE},
    {FORMULA_BIT_AND, FORMULA_BIT_OR, FORMULA_BIT_XOR},
    {FORMULA_SHIFT_LEFT, FORMULA_SHIFT_RIGHT},
    {FORMULA_EXP, FORMULA_EXPM1},
    {FORMULA_LOG, FORMULA_LOG1P},
    {FORMULA_TANH, FORMULA_ERF},
};

static int find_neighbour(int op, int choice)
{
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++) {
        bool has = false;
        for (int n = 0; n < 6; n++)
            has |= neighbours[i][n] == op && op != 0;
        for (int n = 0; has && n < 6; n++)
            if (neighbours[i][n] && neighbours[i][n] != op && choice-- == 0)
                return neighbours[i][n];
    }
    return NOT_HERE;
}

/* Adds a function in another unit, with a factor of the argument or the result: degrees, the base 2 or the base 10; or
 * the reciprocal of the function. */
static int add_other_unit(struct editor *e, const struct formula_node *node, int choice)
{
    static const double of_argument[] = {0.017453292519943295, 57.29577951308232};
    static const double of_result[] = {1.4426950408889634, 0.4342944819032518, 57.29577951308232};
    int a = e->map[node->a];
    if (choice == 0)
        return add_node(e, FORMULA_DIV, add_constant(e, 1), add_node(e, node->op, a, 0, 0), 0);
    if (node->op >= FORMULA_SIN && node->op <= FORMULA_TAN && choice <= 2)
        return add_node(e, node->op, add_node(e, FORMULA_MUL, a, add_constant(e, of_argument[choice - 1]), 0), 0, 0);
    if (((node->op == FORMULA_LOG && choice <= 2) || (node->op >= FORMULA_ASIN && node->op <= FORMULA_ATAN2)) &&
        choice <= 3)
        return add_node(e, FORMULA_MUL, add_node(e, node->op, a, 0, 0), add_constant(e, of_result[choice - 1]), 0);
    if (node->op == FORMULA_EXP && choice == 1)
        return add_node(e, FORMULA_EXP, add_node(e, FORMULA_MUL, a, add_constant(e, 0.6931471805599453), 0), 0, 0);
    return NOT_HERE;
}

/* Adds a quotient of integers that is rounded down. */
static int add_floored(struct editor *e, int a, int b)
{
    int zero = add_constant(e, 0), quotient = add_node(e, FORMULA_DIV, a, b, 0);
    int rest = add_node(e, FORMULA_SUB, a, add_node(e, FORMULA_MUL, quotient, b, 0), 0);
    int signs = add_node(e, FORMULA_NE, add_node(e, FORMULA_LT, rest, zero, 0), add_node(e, FORMULA_LT, b, zero, 0), 0);
    return add_node(e, FORMULA_SUB, quotient,
                    add_node(e, FORMULA_AND, signs, add_node(e, FORMULA_NE, rest, zero, 0), 0), 0);
}

static int edit_step_wrong(struct editor *e, int n, int choice)
{
    static const uint8_t roundings[] = {FORMULA_ROUND_EVEN, FORMULA_ROUND_AWAY, FORMULA_FLOOR, FORMULA_CEIL};
    enum { NEIGHBOURS = 4, ROUNDINGS = 8 };
    const struct formula_node *node = &e->from->nodes[n];
    if (choice >= ROUNDINGS) /* the last step is rounded */
        return n + 1 == e->from->count && choice < ROUNDINGS + 4
                   ? add_node(e, roundings[choice - ROUNDINGS], copy_node(e, n), 0, 0)
                   : NOT_HERE;
    if (node->op == FORMULA_DIV && choice == NEIGHBOURS)
        return add_floored(e, e->map[node->a], e->map[node->b]);
    if (choice >= NEIGHBOURS)
        return is_unary(node->op) ? add_other_unit(e, node, choice - NEIGHBOURS) : NOT_HERE;
    int op = find_neighbour(node->op, choice);
    return op == NOT_HERE ? NOT_HERE : add_node(e, op, e->map[node->a], e->map[node->b], 0);
}

/* Lets a step and the step before it change places: f(p + q) becomes f(p) + q, (p * q) + r becomes (p + r) * q. */
static int edit_step_order(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    bool unary = is_unary(node->op);
    if (choice >= 4 || (!unary && !edit_is_arithmetic(node->op)))
        return NOT_HERE;
    int side = choice % 2, child = bare(e, side && !unary ? node->b : node->a);
    const struct formula_node *inner = &e->from->nodes[child];
    int p = e->map[inner->a], q = e->map[inner->b], a = e->map[node->a], b = e->map[node->b];
    bool inner_unary = is_unary(inner->op), inner_binary = edit_is_arithmetic(inner->op);
    if (unary && inner_binary && choice < 2) /* f(p + q) becomes f(p) + q or p + f(q) */
        return side ? add_node(e, inner->op, p, add_node(e, node->op, q, 0, 0), 0)
                    : add_node(e, inner->op, add_node(e, node->op, p, 0, 0), q, 0);
    if (unary && inner_unary && choice < 1)
        return add_node(e, inner->op, add_node(e, node->op, p, 0, 0), 0, 0);
    if (unary && inner_binary && choice < 4) { /* f((p * q) + r) becomes (f(p) * q) + r */
        const struct formula_node *deep = &e->from->nodes[bare(e, side ? inner->b : inner->a)];
        if (!edit_is_arithmetic(deep->op))
            return NOT_HERE;
        int first = add_node(e, deep->op, add_node(e, node->op, e->map[deep->a], 0, 0), e->map[deep->b], 0);
        return side ? add_node(e, inner->op, p, first, 0) : add_node(e, inner->op, first, q, 0);
    }
    if (unary)
        return NOT_HERE;
    if (inner_unary && choice < 2) /* f(p) + b becomes f(p + b) */
        return add_node(e, inner->op, side ? add_node(e, node->op, a, p, 0) : add_node(e, node->op, p, b, 0), 0, 0);
    if (inner_binary && choice < 2)
        return side ? add_node(e, inner->op, add_node(e, node->op, a, p, 0), q, 0)
                    : add_node(e, inner->op, add_node(e, node->op, p, b, 0), q, 0);
    if (inner_binary && choice < 4)
        return side ? add_node(e, inner->op, p, add_node(e, node->op, a, q, 0), 0)
                    : add_node(e, inner->op, p, add_node(e, node->op, q, b, 0), 0);
    return NOT_HERE;
}

static int edit_operands(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    bool ordered = node->op == FORMULA_SUB || node->op == FORMULA_DIV || node->op == FORMULA_POW ||
                   node->op == FORMULA_LT || node->op == FORMULA_LE || node->op == FORMULA_ATAN2 ||
                   node->op == FORMULA_SHIFT_LEFT || node->op == FORMULA_SHIFT_RIGHT;
    return ordered && choice == 0 ? add_node(e, node->op, e->map[node->b], e->map[node->a], 0) : NOT_HERE;
}

static int edit_branches(struct editor *e, int a, int b, int c, int choice)
{
    switch (choice) {
    case 0:
        return add_node(e, FORMULA_IF, a, c, b);
    case 1:
        return add_again(e, b);
    case 2:
        return add_again(e, c);
    default:
        return NOT_HERE;
    }
}

static int edit_inequality(struct editor *e, int op, int a, int b, int choice)
{
    switch (choice) {
    case 0:
        return add_node(e, op == FORMULA_LT ? FORMULA_LE : FORMULA_LT, a, b, 0);
    case 1:
        return add_node(e, FORMULA_NOT, add_node(e, op, a, b, 0), 0, 0);
    case 2: /* a comparison with a NaN holds */
        return add_node(e, FORMULA_NOT, add_node(e, op == FORMULA_LT ? FORMULA_LE : FORMULA_LT, b, a, 0), 0, 0);
    default:
        return NOT_HERE;
    }
}

static int edit_equality(struct editor *e, int op, int a, int b, int choice)
{
    switch (choice) {
    case 0:
        return add_node(e, op == FORMULA_EQ ? FORMULA_NE : FORMULA_EQ, a, b, 0);
    case 1:
        return add_node(e, FORMULA_EQ, a, add_constant(e, 1), 0);
    case 2:
        return add_node(e, FORMULA_LE, a, b, 0);
    default:
        return NOT_HERE;
    }
}

static int edit_condition(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    int a = e->map[node->a], b = e->map[node->b], c = e->map[node->c];
    switch (node->op) {
    case FORMULA_IF:
        return edit_branches(e, a, b, c, choice);
    case FORMULA_LT:
    case FORMULA_LE:
        return edit_inequality(e, node->op, a, b, choice);
    case FORMULA_EQ:
    case FORMULA_NE:
        return edit_equality(e, node->op, a, b, choice);
    case FORMULA_NOT:
        return choice == 0 ? add_again(e, a) : NOT_HERE;
    default:
        return NOT_HERE;
    }
}

static int edit_constant(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    double c = node->value, others[] = {c + 1, c - 1, 2 * c, c / 2, -c, 0};
    if (node->op == FORMULA_CONST && choice < 6)
        return add_constant(e, others[choice]);
    if (node->op != FORMULA_FOLD || node->value != FOLD_COUNT || choice > 2)
        return NOT_HERE;
    if (choice == 2)
        return add_constant(e, 1);
    e->nodes[e->count] = *node;
    int count = e->count++;
    return add_node(e, choice ? FORMULA_ADD : FORMULA_SUB, count, add_constant(e, 1), 0);
}

/* Adds a power in the range of FLOAT16 if `half` is set, otherwise of FLOAT32: a power above the range is infinite, a
 * power below it is 0. */
static int add_power_range(struct editor *e, int power, bool half)
{
    int most = add_constant(e, half ? 65504 : 0x1.fffffep127), least = add_constant(e, half ? 0x1p-24 : 0x1p-149);
    int high = add_node(e, FORMULA_IF, add_node(e, FORMULA_LT, most, power, 0), add_constant(e, HUGE_VAL), power);
    return add_node(e, FORMULA_IF, add_node(e, FORMULA_LT, power, least, 0), add_constant(e, 0), high);
}

/* Leaves out the subtraction of an extreme before powers, in FLOAT32, FLOAT16 or FLOAT64. It is made everywhere at
 * once. */
static int edit_unshifted(struct editor *e, int n, int choice)
{
    const struct formula_node *node = &e->from->nodes[n];
    if (node->op == FORMULA_SUB && e->from->nodes[node->b].op == FORMULA_FOLD)
        return add_again(e, e->map[node->a]);
    return node->op == FORMULA_EXP && choice < 2
               ? add_power_range(e, add_node(e, FORMULA_EXP, e->map[node->a], 0, 0), choice > 0)
               : NOT_HERE;
}

static const edit edits[] = {
    [EDIT_STEP_MISSING] = edit_step_missing,
    [EDIT_STEP_WRONG] = edit_step_wrong,
    [EDIT_STEP_ORDER] = edit_step_order,
    [EDIT_OPERANDS] = edit_operands,
    [EDIT_CONDITION] = edit_condition,
    [EDIT_CONSTANT] = edit_constant,
    [EDIT_EXTREME] = NULL,
    [EDIT_UNSHIFTED] = edit_unshifted,
};

/* Copies a formula, with `change` at node `at`, or at all nodes (-1). Returns false if the change can be made nowhere,
 * or if the copy has too many nodes. */
static bool copy_formula(struct editor *e, edit change, int at, int choice)
{
    bool changed = false;
    e->count = 0;
    for (int n = 0; n < e->from->count; n++) {
        int copied = (at < 0 || n == at) && e->count < FORMULA_MAX_NODES - ADDED_MAX ? change(e, n, choice) : NOT_HERE;
        changed |= copied != NOT_HERE;
        if (copied == NOT_HERE && n == at)
            return false;
        if (copied == NOT_HERE)
            copied = copy_node(e, n);
        e->map[n] = (int16_t)copied;
        if (e->count > FORMULA_MAX_NODES - 2 - ADDED_MAX / 2)
            return false;
    }
    if (e->map[e->from->count - 1] + 1 != e->count)
        add_again(e, e->map[e->from->count - 1]);
    return changed;
}

/* ---- copies of operators */

enum { FORMULAS_MAX = FORMULA_MAX_FOLDS + 1 };

/* The copy is an operator whose formulas are changed, with room for the nodes of one result. */
struct edited {
    struct spec spec;
    struct spec_stage stages[SPEC_MAX_STAGES];
    uint32_t stages_needed; /* bit n: outputs need stage n */
    struct formula_node nodes[FORMULAS_MAX][FORMULA_MAX_NODES];
    struct uses {
        bool known;
        uint32_t folds;
        bool nodes[FORMULA_MAX_NODES];
    } uses[SPEC_MAX_STAGES];      /* the folds of a stage, and the nodes of its value, that elements use */
    struct spec_result results[]; /* the results of the case's spec; one of them, or of the stages, is changed */
};

static struct edited *edited_of(struct explainer *x)
{
    size_t size = (size_t)x->spec->result_count * sizeof *x->spec->results;
    struct edited *edited = (struct edited *)x->edited;
    if (!edited) {
        edited = malloc(sizeof *edited + size);
        if (!edited)
            return NULL;
        memset(edited->uses, 0, sizeof edited->uses);
        edited->spec = *x->spec;
        memcpy(edited->results, x->spec->results, size);
        edited->spec.results = edited->results;
        if (x->spec->stage_count > 0) {
            memcpy(edited->stages, x->spec->stages, (size_t)x->spec->stage_count * sizeof *edited->stages);
            edited->spec.stages = edited->stages;
        }
        edited->stages_needed = computed_stages_needed(x->spec, x->t->c.desc);
        x->edited = &edited->spec;
    }
    return edited;
}

void mistake_free_edited(struct explainer *x)
{
    free(x->edited);
    x->edited = NULL;
}

static bool is_needed(const struct spec_result *result, int formula)
{
    return formula == 0 || (formula <= result->fold_count && folding_needed(result) >> (formula - 1) & 1);
}

static struct formula *formula_of(struct spec_result *result, int formula)
{
    return formula == 0 ? &result->value : &result->folds[formula - 1].value;
}

/* Makes a choice of the edit at a node of one formula of the result. Returns false if the node has no such choice. */
static bool edit_node(struct edited *edited, struct spec_result *result, int f, edit change, int n, int choice)
{
    struct formula *formula = formula_of(result, f);
    struct editor e = {.nodes = edited->nodes[f], .from = formula};
    if (change(&e, n, choice) == NOT_HERE || !copy_formula(&e, change, n, choice))
        return false;
    formula->nodes = e.nodes;
    formula->count = e.count;
    return true;
}

static bool has_powers(struct spec_result *result)
{
    for (int f = 0; f <= result->fold_count; f++)
        for (int n = 0; n < formula_of(result, f)->count; n++)
            if (formula_of(result, f)->nodes[n].op == FORMULA_EXP)
                return true;
    return false;
}

/* Leaves out the subtraction before powers in all formulas of the result. Returns false if it has no powers. */
static bool edit_unshifted_everywhere(struct edited *edited, struct spec_result *result, edit change, int choice)
{
    bool changed = false;
    for (int f = 0; f <= result->fold_count && has_powers(result); f++) {
        struct formula *formula = formula_of(result, f);
        struct editor e = {.nodes = edited->nodes[f], .from = formula};
        if (!is_needed(result, f) || !copy_formula(&e, change, -1, choice))
            continue;
        formula->nodes = e.nodes;
        formula->count = e.count;
        changed = true;
    }
    return changed;
}

static enum fold_kind opposite_extreme(enum fold_kind kind)
{
    switch (kind) {
    case FOLD_MIN:
        return FOLD_MAX;
    case FOLD_MAX:
        return FOLD_MIN;
    case FOLD_PLACE_OF_MIN:
        return FOLD_PLACE_OF_MAX;
    default:
        return FOLD_PLACE_OF_MIN;
    }
}

/* Takes the opposite extreme in a fold. Returns false if the fold finds no extreme. */
static bool edit_extreme(struct spec_fold *fold)
{
    if (fold->kind < FOLD_MIN)
        return false;
    fold->kind = opposite_extreme(fold->kind);
    return true;
}

enum {
    CHOICES = 12,          /* the most choices of an edit at one node */
    CHOICES_EVERYWHERE = 3 /* those of an edit that is made in all formulas of a result */
};

/* Returns the number of sites of a result: its folds, its choices, or the choices at its nodes. */
static int count_sites(struct spec_result *result, int64_t number)
{
    int count = 0;
    if (number == EDIT_EXTREME)
        return result->fold_count;
    if (number == EDIT_UNSHIFTED)
        return CHOICES_EVERYWHERE;
    for (int f = 0; f <= result->fold_count; f++)
        count += formula_of(result, f)->count * CHOICES;
    return count;
}

/* Makes the edit at a site of the result. `uses`: the parts that elements use; null: they use all. Returns false if it
 * cannot be made there. */
static bool edit_result(struct edited *edited, struct spec_result *result, const struct uses *uses, int64_t number,
                        int site)
{
    int f = 0;
    if (number == EDIT_EXTREME)
        return is_needed(result, site + 1) && edit_extreme(&result->folds[site]);
    if (number == EDIT_UNSHIFTED)
        return edit_unshifted_everywhere(edited, result, edits[number], site);
    for (; site >= formula_of(result, f)->count * CHOICES; f++)
        site -= formula_of(result, f)->count * CHOICES;
    const int n = site / CHOICES;
    if (!is_needed(result, f) || (uses && !(f == 0 ? uses->nodes[n] : uses->folds >> (f - 1) & 1)))
        return false;
    return edit_node(edited, result, f, edits[number], n, site % CHOICES);
}

/* Returns true if the formulas of a result take part in the case. The stages are numbered first, then the outputs. */
static bool takes_part(const struct explainer *x, int number, uint32_t stages_needed)
{
    const int stages = x->spec->stage_count;
    if (number < stages)
        return stages_needed >> number & 1;
    const struct spec_result *result = &x->spec->results[number - stages];
    return x->t->c.desc->items[spec_item(x->spec, result->field)].tensor.present &&
           spec_result_applies(result, x->t->c.desc);
}

/* Returns the parts of a stage that elements of the case use. */
static const struct uses *uses_of(struct explainer *x, struct edited *edited, int stage)
{
    struct uses *uses = &edited->uses[stage];
    if (!uses->known)
        uses->folds = computed_stage_uses(x->spec, x->t->c.desc, x->inputs, stage, uses->nodes);
    uses->known = true;
    return uses;
}

/* A site is a node in the formula or the folds of a stage or an output, with one of the edits that can be made there.
 * Outputs come first: their mistakes cost less to predict. */
enum prediction mistake_edits(struct explainer *x, const struct mistake *m, int site)
{
    const struct opdesc *desc = x->t->c.desc;
    const int stages = x->spec->stage_count, count = stages + x->spec->result_count;
    if (!trial_is_computed(x->t))
        return PREDICTS_NO_SITE;
    struct edited *edited = edited_of(x);
    for (int i = 0; edited && i < count; i++) {
        const int number = (i + stages) % count;
        const bool staged = number < stages;
        const struct spec_result *right = staged ? &x->spec->stages[number].result : &x->spec->results[number - stages];
        struct spec_result *result = staged ? &edited->stages[number].result : &edited->results[number - stages];
        const int sites = takes_part(x, number, edited->stages_needed) ? count_sites(result, m->as.number) : 0;
        if (site >= sites) {
            site -= sites;
            continue;
        }
        bool fits = edit_result(edited, result, staged ? uses_of(x, edited, number) : NULL, m->as.number, site) &&
                    explain_run_formulas(x, &edited->spec, desc, NULL);
        memcpy(result, right, sizeof *result);
        return fits ? PREDICTS_OUTPUTS : PREDICTS_NOTHING;
    }
    return PREDICTS_NO_SITE;
}
