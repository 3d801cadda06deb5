/* The repairing half of the solver: each rule sets its subject from the rest of the description. */
#include "harness/solve/solve_internal.h"

#include "harness/check/check.h"
#include "harness/check/ordered.h"

#include <math.h>
#include <string.h>

bool solver_is_pinned(const struct solver *s, int node)
{
    if (node == s->pinned)
        return true;
    for (int i = 0; s->request && i < s->spec->parameter_count; i++)
        if (s->request->parameters[i] >= 0 && node == s->spec->parameters[i].node)
            return true;
    for (int i = 0; s->request && i < s->spec->field_count; i++)
        if (s->request->constant_fields >> i & 1 && node == s->spec->number_nodes[i])
            return true;
    return false;
}

uint32_t *solve_list(const struct spec *spec, int node, struct opdesc *desc, int element, int *count)
{
    const struct expr *n = &spec->nodes[node], *whole = n->op == EXPR_SLICE ? &spec->nodes[n->a] : n;
    uint32_t *entries;
    int64_t from = 0, past;
    if (whole->op == EXPR_SIZES) {
        struct opdesc_tensor *t = expr_tensor_to_set(whole, desc, element);
        if (!t)
            return NULL;
        past = t->dims;
        entries = t->sizes;
    } else if (whole->op == EXPR_ENTRIES) {
        unsigned room;
        entries = opdesc_list(desc, whole->field, &room);
        past = room;
    } else {
        return NULL;
    }
    int64_t most = past;
    if (n->op == EXPR_SLICE && (!expr_number_of(spec->nodes, n->b, desc, element, &from) ||
                                !expr_number_of(spec->nodes, n->c, desc, element, &past)))
        return NULL;
    if (from < 0 || past < from || past > most)
        return NULL;
    *count = (int)(past - from);
    return entries + from;
}

void solve_set_real(const struct expr *node, struct opdesc *desc, int at, float value)
{
    if (node->op == EXPR_REAL && node->value != EXPR_NO_ARRAY)
        desc->items[desc->values[node->field].place.item].nested.values[node->value - 1].real = value;
    else if (node->op == EXPR_REAL)
        desc->values[node->field].real = value;
    else
        memcpy(&OPDESC_ELEMENT(desc, node->field, 0)->list[at], &value, sizeof value);
}

static int64_t solve_repair_clamp(int64_t x, int64_t low, int64_t high)
{
    if (x < low)
        return low;
    return x > high ? high : x;
}

bool solve_bounds_of(const struct spec *spec, int atom, const struct opdesc *desc, int element, int64_t *low,
                     int64_t *high)
{
    const struct atom *a = &spec->atoms[atom];
    *low = 0;
    *high = a->x >= 0 && spec->nodes[a->x].op == EXPR_TOTAL ? INT64_MAX : UINT32_MAX;
    return (a->low < 0 || expr_number_of(spec->nodes, a->low, desc, element, low)) &&
           (a->high < 0 || expr_number_of(spec->nodes, a->high, desc, element, high));
}

bool solve_bounds(const struct spec *spec, int atom, const struct opdesc *desc, int64_t *low, int64_t *high)
{
    return solve_bounds_of(spec, atom, desc, 0, low, high);
}

/* Narrows the bounds of one condition to the interval that all rules and the request together allow, unless the two
 * contradict. */
static void narrow_bounds(const struct solve_interval *in, int64_t *low, int64_t *high)
{
    if (in->low > *high || in->high < *low)
        return;
    *low = in->low > *low ? in->low : *low;
    *high = in->high < *high ? in->high : *high;
}

/* Returns false if it set no part; so do the functions below. */
static bool repair_between(struct solver *s, int atom)
{
    const struct atom *a = &s->spec->atoms[atom];
    int64_t low, high, x;
    if (!expr_assignable(&s->spec->nodes[a->x]) || solver_is_pinned(s, a->x) ||
        !solve_bounds_of(s->spec, atom, s->desc, s->element, &low, &high) ||
        !expr_number_of(s->spec->nodes, a->x, s->desc, s->element, &x) || high < low)
        return false;
    if (!s->request && x >= low && x <= high && s->spec->nodes[a->x].op != EXPR_OPERATOR) /* EXPR_OPERATOR also sets
                                                                                           * Desc */
        return false;
    if (s->in && s->request->limit_atom != atom)
        narrow_bounds(&s->in[a->x], &low, &high);
    bool narrow = (s->in || (a->low >= 0 && a->high >= 0)) && high - low < SOLVE_NARROW;
    if (s->request && s->request->limit_atom == atom)
        x = s->request->limit_high ? high : low;
    else if (s->request && narrow && high > low)
        x = low + random_below(s->random, (uint32_t)(high - low) + 1);
    else
        x = solve_repair_clamp(x, low, high);
    expr_assign_of(s->spec->nodes, a->x, s->desc, s->element, x);
    return true;
}

/* Reads the value of a node; a number becomes a list of one entry. `stride` is 0 if that stands for any entry. */
static bool solve_repair_read_operand(const struct solver *s, int node, struct expr_list *out, int *stride)
{
    *stride = expr_is_list(&s->spec->nodes[node]);
    out->count = 1;
    return *stride ? expr_list_of(s->spec->nodes, node, s->desc, s->element, out)
                   : expr_number_of(s->spec->nodes, node, s->desc, s->element, &out->items[0]);
}

/* Steers a number, or each entry of a list, between its limits. */
static bool repair_limits(struct solver *s, const struct atom *a)
{
    struct solve_ranges ranges;
    struct expr_list x, low, high;
    int of_x, of_low = 0, of_high = 0;
    low.items[0] = INT64_MIN;
    high.items[0] = INT64_MAX;
    if (!solve_repair_read_operand(s, a->x, &x, &of_x) ||
        (a->low >= 0 && !solve_repair_read_operand(s, a->low, &low, &of_low)) ||
        (a->high >= 0 && !solve_repair_read_operand(s, a->high, &high, &of_high)) || (of_low && low.count != x.count) ||
        (of_high && high.count != x.count))
        return false;
    int within = 0;
    while (within < x.count && x.items[within] >= low.items[of_low * within] &&
           x.items[within] <= high.items[of_high * within])
        within++;
    if (within == x.count)
        return false;
    ranges.count = x.count;
    for (int i = 0; i < x.count; i++)
        ranges.at[i] = (struct solve_interval){low.items[of_low * i], high.items[of_high * i]};
    solver_steer(s, a->x, &ranges);
    return true;
}

static bool repair_equal(struct solver *s, const struct atom *a)
{
    struct solve_ranges ranges;
    struct expr_list wanted, x;
    if (!expr_list_of(s->spec->nodes, a->low, s->desc, s->element, &wanted))
        return false;
    if (expr_list_of(s->spec->nodes, a->x, s->desc, s->element, &x) && x.count == wanted.count &&
        memcmp(x.items, wanted.items, (size_t)x.count * sizeof *x.items) == 0)
        return false;
    ranges.count = wanted.count;
    for (int i = 0; i < wanted.count; i++)
        ranges.at[i] = (struct solve_interval){wanted.items[i], wanted.items[i]};
    solver_steer(s, a->x, &ranges);
    return true;
}

/* Returns the index of one of `count` choices: drawn, or the first. */
static int pick(struct solver *s, int count)
{
    return s->request && count > 1 ? (int)random_below(s->random, (uint32_t)count) : 0;
}

/* Steers each entry of x that is none of the `count` values to one of them. */
static void repair_choice(struct solver *s, const struct atom *a, const int64_t *values, int count)
{
    struct solve_ranges ranges;
    struct expr_list x;
    int of_x;
    if (count == 0 || !solve_repair_read_operand(s, a->x, &x, &of_x))
        return;
    ranges.count = x.count;
    for (int i = 0; i < x.count; i++) {
        int at = 0;
        while (at < count && values[at] != x.items[i])
            at++;
        int64_t value = x.items[i];
        if (at == count)
            value = values[a->powers ? 0 : pick(s, count)];
        ranges.at[i] = (struct solve_interval){value, value};
    }
    solver_steer(s, a->x, &ranges);
}

static void repair_member(struct solver *s, const struct atom *a)
{
    struct expr_list set;
    if (expr_list_of(s->spec->nodes, a->low, s->desc, s->element, &set))
        repair_choice(s, a, set.items, set.count);
}

static bool contains(const struct expr_list *list, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (list->items[i] == value)
            return true;
    return false;
}

/* Steers entries that repeat an earlier one to the least number that does not occur. That is below the limit of the
 * entries, too, if there are no more entries than it allows. */
static void repair_distinct(struct solver *s, const struct atom *a)
{
    struct solve_ranges ranges;
    struct expr_list x;
    if (!expr_list_of(s->spec->nodes, a->x, s->desc, s->element, &x))
        return;
    ranges.count = x.count;
    for (int i = 0; i < x.count; i++) {
        int64_t value = x.items[i];
        if (contains(&x, i, value))
            for (value = 0; contains(&x, x.count, value);)
                value++;
        x.items[i] = value;
        ranges.at[i] = (struct solve_interval){value, value};
    }
    solver_steer(s, a->x, &ranges);
}

/* Returns the largest divisor of `x` that is at most `most`. */
static int64_t divisor_below(int64_t x, int64_t most)
{
    int64_t divisor = most < x ? most : x;
    while (divisor > 1 && x % divisor != 0)
        divisor--;
    return divisor;
}

/* Steers x to the nearest multiple; if x cannot be set, steers the divisor to a divisor of x. */
static void repair_divides(struct solver *s, const struct atom *a)
{
    struct solve_ranges ranges;
    struct expr_list x, by;
    int of_x, of_by;
    if (!solve_repair_read_operand(s, a->x, &x, &of_x) || !solve_repair_read_operand(s, a->low, &by, &of_by) ||
        (of_x && of_by && x.count != by.count))
        return;
    ranges.count = of_x ? x.count : by.count;
    for (int i = 0; i < ranges.count; i++) {
        int64_t value = x.items[of_x * i], divisor = by.items[of_by * i];
        if (divisor < 1 || value < 0)
            return;
        int64_t times = value / divisor > 0 ? value / divisor : 1;
        ranges.at[i] = (struct solve_interval){times * divisor, times * divisor};
    }
    if ((of_x || !of_by) && solver_steer(s, a->x, &ranges))
        return;
    for (int i = 0; i < ranges.count; i++) {
        int64_t divisor = divisor_below(x.items[of_x * i], by.items[of_by * i] < 4096 ? by.items[of_by * i] : 4096);
        ranges.at[i] = (struct solve_interval){divisor, divisor};
    }
    ranges.count = of_by ? by.count : 1;
    solver_steer(s, a->low, &ranges);
}

/* Steers each size that is neither 1 nor equal to the other size to one of both. */
static void repair_broadcasts(struct solver *s, const struct atom *a)
{
    struct solve_ranges ranges;
    struct expr_list x, to;
    if (!expr_list_of(s->spec->nodes, a->x, s->desc, s->element, &x) ||
        !expr_list_of(s->spec->nodes, a->low, s->desc, s->element, &to) || x.count != to.count)
        return;
    ranges.count = x.count;
    for (int i = 0; i < x.count; i++) {
        int64_t value = x.items[i];
        if (value != 1 && value != to.items[i])
            value = pick(s, 2) ? 1 : to.items[i];
        ranges.at[i] = (struct solve_interval){value, value};
    }
    solver_steer(s, a->x, &ranges);
}

static void repair_table(struct solver *s, const struct atom *a)
{
    const struct expr *node = &s->spec->nodes[a->x];
    const struct spec_level *level = &s->spec->levels[s->table];
    struct opdesc_tensor *t = expr_tensor_to_set(node, s->desc, s->element);
    if (!t || solver_is_pinned(s, a->x))
        return;
    if (a->kind == ATOM_DIMS)
        opdesc_resize(
            t, (uint32_t)solve_repair_clamp(t->dims, level->dims[node->field].low, level->dims[node->field].high));
    else if (t->data_type >= 32 || !(level->types[s->spec->fields[node->field].group] >> t->data_type & 1))
        t->data_type = (uint32_t)__builtin_ctz(level->types[s->spec->fields[node->field].group]);
}

/* Returns a number of the range in place of `x`: one drawn from the limits and numbers that programs use, or the
 * nearest. */
static float real_within(struct solver *s, const struct atom *a, float x)
{
    const struct real_range *range = &a->reals;
    const float choices[] = {(float)range->low,     (float)range->high,    1, 0.5f,
                             (float)range->low + 1, (float)range->high - 1};
    int count = sizeof choices / sizeof *choices, first = pick(s, count);
    for (int i = 0; i < count && s->request; i++) {
        float choice = choices[(first + i) % count];
        if (isfinite(choice) && atom_allows(a, choice))
            return choice;
    }
    x = (double)x >= range->low ? fminf(x, (float)range->high) : (float)range->low; /* a NaN becomes the lower limit */
    if (!atom_allows(a, x))
        x = nextafterf(x, x == (float)range->low ? INFINITY : -INFINITY);
    return x;
}

static void repair_reals(struct solver *s, const struct atom *a)
{
    const struct expr *n = &s->spec->nodes[a->x];
    struct expr_reals x;
    if (!expr_reals(s->spec->nodes, a->x, s->desc, &x))
        return;
    bool draws = s->request && !s->spec->domains[n->field].given; /* some change, so that limits occur */
    for (int i = 0; i < x.count; i++)
        if (!atom_allows(a, x.items[i]) || (draws && random_below(s->random, 8) == 0))
            solve_set_real(n, s->desc, i, real_within(s, a, x.items[i]));
}

/* Makes attributes equal, which is the nearest way to order them; while descriptions are drawn, mostly exchanges
 * them. */
static void repair_ordered(struct solver *s, const struct atom *a)
{
    bool draws = s->request && random_below(s->random, 8) == 0;
    int order;
    bool broken = ordered_compare(s->spec, a, s->desc, &order) && order > 0;
    if (draws || (broken && !s->request))
        ordered_equalise(s->spec, a, s->desc);
    else if (broken)
        ordered_swap(s->spec, a, s->desc);
}

static void repair_every(struct solver *s, const struct atom *a)
{
    for (s->element = 0; s->element < (int)opdesc_count(s->desc, a->array); s->element++)
        for (int i = 0; i < a->part_count; i++)
            solver_repair_atom(s, a->parts[i]);
    s->element = 0;
}

bool solver_repair_atom(struct solver *s, int atom)
{
    const struct atom *a = &s->spec->atoms[atom];
    bool set = true;
    if (!levels_include(a->from, a->before, s->level) ||
        (a->when >= 0 && atom_check_of(s->spec, a->when, s->desc, s->table, s->element) != HOLDS))
        return false;
    switch (a->kind) {
    case ATOM_BETWEEN:
        return expr_assignable(&s->spec->nodes[a->x]) ? repair_between(s, atom) : repair_limits(s, a);
    case ATOM_EACH:
        return repair_limits(s, a);
    case ATOM_EQUAL:
        return repair_equal(s, a);
    case ATOM_ONE_OF:
        set = !solver_is_pinned(s, a->x) && atom_check_of(s->spec, atom, s->desc, s->table, s->element) == BROKEN;
        if (set)
            repair_choice(s, a, a->set, a->set_count);
        break;
    case ATOM_MEMBER:
        repair_member(s, a);
        break;
    case ATOM_DISTINCT:
        repair_distinct(s, a);
        break;
    case ATOM_DIVIDES:
        repair_divides(s, a);
        break;
    case ATOM_BROADCASTS:
        repair_broadcasts(s, a);
        break;
    case ATOM_ANY:
        return atom_check_of(s->spec, atom, s->desc, s->table, s->element) == BROKEN &&
               solver_repair_atom(s, a->parts[pick(s, a->part_count)]);
    case ATOM_ALL:
        for (int i = 0; i < a->part_count; i++)
            solver_repair_atom(s, a->parts[i]);
        break;
    case ATOM_EVERY:
        repair_every(s, a);
        break;
    case ATOM_ORDERED:
        repair_ordered(s, a);
        break;
    case ATOM_REALS:
        repair_reals(s, a);
        break;
    case ATOM_TYPES:
    case ATOM_DIMS:
        repair_table(s, a);
        break;
    case ATOM_SINCE:
        return false;
    }
    return set;
}

/* Returns true if a number is a sum of others. If limits of such a number are not met, intervals decide what to
 * draw. */
static bool solve_repair_is_linear(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    if (n->op < EXPR_ADD || n->op > EXPR_ENTRY)
        return true;
    return (n->op == EXPR_ADD || n->op == EXPR_SUB || n->op == EXPR_MIN || n->op == EXPR_MAX) &&
           solve_repair_is_linear(spec, n->a) && solve_repair_is_linear(spec, n->b);
}

bool solver_can_repair(const struct spec *spec, const struct atom *a)
{
    if (a->kind == ATOM_SINCE)
        return false;
    if (a->x < 0 || a->kind == ATOM_REALS || a->kind == ATOM_ORDERED)
        return true;
    bool is_rank = spec->nodes[a->x].op == EXPR_EFFECTIVE_RANK;
    if (a->kind == ATOM_BETWEEN && !expr_assignable(&spec->nodes[a->x]) && !is_rank && a->low != a->high &&
        solve_repair_is_linear(spec, a->x))
        return false;
    return solver_steerable(spec, a->x) || (a->kind == ATOM_DIVIDES && solver_steerable(spec, a->low));
}

/* Returns true if a condition is about the storage of a tensor, which the solver draws as the rules want it. */
static bool solve_repair_is_drawn(const struct spec *spec, const struct atom *a)
{
    if (a->x < 0)
        return false;
    switch (spec->nodes[a->x].op) {
    case EXPR_PRESENT:
        return !spec->fields[spec->nodes[a->x].field].optional;
    case EXPR_HAS_SIZES:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_TOTAL:
        return true;
    default:
        return false;
    }
}

static void list_atoms_of(struct solver *s, const struct rule *rule)
{
    for (int i = rule->first_atom; i < rule->first_atom + rule->atom_count; i++)
        if (s->spec->atoms[i].repairable && !(s->request && solve_repair_is_drawn(s->spec, &s->spec->atoms[i])))
            s->atoms[s->atom_count++] = i;
}

/* The conditions of the request come after the rules of the tables, which set ranks, and before the others, which set
 * what follows. */
void solver_list_atoms(struct solver *s)
{
    for (int i = 0; i < s->spec->rule_count; i++) {
        const struct rule *rule = &s->spec->rules[i];
        if (i == RULES_OF_TABLES && s->request && s->request->also)
            list_atoms_of(s, s->request->also);
        if (i != s->except && rule_applies(rule, s->level))
            list_atoms_of(s, rule);
    }
}

void solver_repair(struct solver *s)
{
    for (int i = 0; i < s->atom_count; i++)
        solver_repair_atom(s, s->atoms[i]);
}

void solve_repair(const struct spec *spec, int table, int except, int pinned, struct opdesc *desc)
{
    struct solver s;
    solver_init(&s, spec, table, except, desc);
    s.pinned = pinned;
    solver_list_atoms(&s);
    solver_repair(&s);
}

bool solve_repair_atom(const struct spec *spec, int table, int atom, int pinned, struct opdesc *desc)
{
    struct solver s;
    solver_init(&s, spec, table, -1, desc);
    s.pinned = pinned;
    return solver_repair_atom(&s, atom);
}

void solve_totals(const struct spec *spec, struct opdesc *desc)
{
    for (int i = spec_next_tensor(spec, desc, -1); i >= 0; i = spec_next_tensor(spec, desc, i)) {
        struct opdesc_tensor *t = &desc->items[i].tensor;
        t->has_strides = false;
        t->total = (uint64_t)opdesc_implied(t);
    }
}
