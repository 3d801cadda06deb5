/* The repairing half of the solver: each rule sets its subject from the rest of the description. */
#include "harness/spec/solve_internal.h"

#include "harness/spec/check.h"

static bool is_pinned(const struct solver *s, int node)
{
    if (node == s->pinned)
        return true;
    for (int i = 0; s->request && i < s->spec->parameter_count; i++)
        if (s->request->parameters[i] >= 0 && node == s->spec->parameters[i].node)
            return true;
    return false;
}

uint32_t *solve_list(const struct spec *spec, int node, struct opdesc *desc, int *count)
{
    const struct expr *n = &spec->nodes[node];
    int64_t from = 0, to;
    const struct expr *sizes = n->op == EXPR_SLICE ? &spec->nodes[n->a] : n;
    if (sizes->op != EXPR_SIZES)
        return NULL;
    struct opdesc_tensor *t = OPDESC_TENSOR(desc, sizes->field);
    to = t->dims;
    if (n->op == EXPR_SLICE &&
        (!expr_number(spec->nodes, n->b, desc, &from) || !expr_number(spec->nodes, n->c, desc, &to)))
        return NULL;
    if (from < 0 || to < from || to > t->dims)
        return NULL;
    *count = (int)(to - from);
    return t->sizes + from;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

bool solve_bounds(const struct spec *spec, int atom, const struct opdesc *desc, int64_t *low, int64_t *high)
{
    const struct atom *a = &spec->atoms[atom];
    *low = 0;
    *high = a->x >= 0 && spec->nodes[a->x].op == EXPR_TOTAL ? INT64_MAX : UINT32_MAX;
    return (a->low < 0 || expr_number(spec->nodes, a->low, desc, low)) &&
           (a->high < 0 || expr_number(spec->nodes, a->high, desc, high));
}

/* Narrows the bounds of one condition to what all rules and the request together allow, unless the two contradict. */
static void narrow_bounds(const struct solve_interval *in, int64_t *low, int64_t *high)
{
    if (in->low > *high || in->high < *low)
        return;
    *low = in->low > *low ? in->low : *low;
    *high = in->high < *high ? in->high : *high;
}

static void repair_between(struct solver *s, int atom)
{
    const struct atom *a = &s->spec->atoms[atom];
    int64_t low, high, x;
    if (!expr_assignable(&s->spec->nodes[a->x]) || is_pinned(s, a->x) ||
        !solve_bounds(s->spec, atom, s->desc, &low, &high) || !expr_number(s->spec->nodes, a->x, s->desc, &x) ||
        high < low)
        return;
    if (s->in && s->request->limit_atom != atom)
        narrow_bounds(&s->in[a->x], &low, &high);
    bool narrow = (s->in || (a->low >= 0 && a->high >= 0)) && high - low < 64;
    if (s->request && s->request->limit_atom == atom)
        x = s->request->limit_high ? high : low;
    else if (s->request && narrow && high > low)
        x = low + random_below(s->random, (uint32_t)(high - low) + 1);
    else
        x = clamp(x, low, high);
    expr_assign(s->spec->nodes, a->x, s->desc, x);
}

static void repair_each(struct solver *s, int atom)
{
    const struct atom *a = &s->spec->atoms[atom];
    int count = 0;
    int64_t low, high;
    uint32_t *sizes = solve_list(s->spec, a->x, s->desc, &count);
    if (!sizes || !solve_bounds(s->spec, atom, s->desc, &low, &high))
        return;
    for (int i = 0; i < count; i++)
        sizes[i] = (uint32_t)clamp(sizes[i], low, high);
}

static void repair_equal(struct solver *s, const struct atom *a)
{
    int count = 0;
    struct expr_list wanted;
    uint32_t *sizes = solve_list(s->spec, a->x, s->desc, &count);
    if (!sizes || !expr_list(s->spec->nodes, a->low, s->desc, &wanted) || wanted.count != count)
        return;
    for (int i = 0; i < count; i++)
        sizes[i] = (uint32_t)wanted.items[i];
}

static void repair_table(struct solver *s, const struct atom *a)
{
    const struct expr *node = &s->spec->nodes[a->x];
    const struct spec_level *level = &s->spec->levels[s->table];
    struct opdesc_tensor *t = OPDESC_TENSOR(s->desc, node->field);
    if (is_pinned(s, a->x))
        return;
    if (a->kind == ATOM_DIMS)
        opdesc_resize(t, (uint32_t)clamp(t->dims, level->dims[node->field].low, level->dims[node->field].high));
    else if (t->data_type >= 32 || !(level->types[s->spec->fields[node->field].group] >> t->data_type & 1))
        t->data_type = (uint32_t)__builtin_ctz(level->types[s->spec->fields[node->field].group]);
}

static void repair_atom(struct solver *s, int atom)
{
    const struct atom *a = &s->spec->atoms[atom];
    if (a->when >= 0 && atom_check(s->spec, a->when, s->desc, s->table) != HOLDS)
        return;
    switch (a->kind) {
    case ATOM_BETWEEN:
        repair_between(s, atom);
        break;
    case ATOM_EACH:
        repair_each(s, atom);
        break;
    case ATOM_EQUAL:
        repair_equal(s, a);
        break;
    case ATOM_ONE_OF:
        if (!is_pinned(s, a->x) && atom_check(s->spec, atom, s->desc, s->table) == BROKEN)
            expr_assign(s->spec->nodes, a->x, s->desc, a->set[0]);
        break;
    case ATOM_TYPES:
    case ATOM_DIMS:
        repair_table(s, a);
        break;
    case ATOM_SINCE:
        break;
    }
}

/* Whether a repair can change anything. The solver draws (`drawn`) the storage of tensors as the rules want it. */
static bool can_repair(const struct spec *spec, const struct atom *a, bool drawn)
{
    if (a->kind == ATOM_SINCE || (a->kind == ATOM_BETWEEN && !expr_assignable(&spec->nodes[a->x])))
        return false;
    switch (spec->nodes[a->x].op) {
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_TOTAL:
        return !drawn;
    default:
        return true;
    }
}

void solver_list_atoms(struct solver *s)
{
    for (int i = 0; i < s->spec->rule_count; i++) {
        const struct rule *rule = &s->spec->rules[i];
        if (i == s->except || !rule_applies(rule, s->level))
            continue;
        for (int j = rule->first_atom; j < rule->first_atom + rule->atom_count; j++)
            if (can_repair(s->spec, &s->spec->atoms[j], s->request != NULL))
                s->atoms[s->atom_count++] = j;
    }
}

void solver_repair(struct solver *s)
{
    for (int i = 0; i < s->atom_count; i++)
        repair_atom(s, s->atoms[i]);
}

void solve_repair(const struct spec *spec, int table, int except, int pinned, struct opdesc *desc)
{
    struct solver s = {.spec = spec, .table = table, .except = except, .pinned = pinned, .desc = desc};
    s.level = spec->levels[table].level;
    solver_list_atoms(&s);
    solver_repair(&s);
}

void solve_totals(const struct spec *spec, struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++) {
        struct opdesc_tensor *t = OPDESC_TENSOR(desc, i);
        if (field_is_tensor(&spec->fields[i])) {
            t->has_strides = false;
            t->total = (uint64_t)opdesc_implied(t);
        }
    }
}
