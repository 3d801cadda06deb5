/* The refuting part of solve.h: proves, case by case, that no description meets a request.
 *
 * Each parameter and rank that the request leaves open gets every value of its interval in turn, until the intervals
 * contradict each other or every number is known. Then the entries that rules on lists compare are known, and so are
 * the sizes that must be 1. A tensor whose sizes are all 1 has no gaps, no other order and no dimension to
 * broadcast. */
#include "harness/solve/solve.h"

#include "harness/describe/field_kind.h"

#include <string.h>

enum {
    REFUTE_BRANCH = 16,   /* most values of an interval to try one by one */
    REFUTE_STEPS = 20000, /* calls of solve_narrow_with() before giving up */
    REFUTE_PASSES = 8
};

struct refuting {
    const struct spec *spec;
    const struct solve_request *request;
    struct solve_pin pins[SPEC_MAX_PARAMETERS + 2 * OPDESC_MAX_FIELDS];
    int pin_count, steps;
    const struct solve_interval *in;
    bool one[OPDESC_MAX_FIELDS][OPDESC_MAX_DIMENSIONS]; /* the size must be 1 */
    int ones[OPDESC_MAX_FIELDS];   /* at least so many sizes of the tensor are 1, in any dimensions */
    bool given[OPDESC_MAX_FIELDS]; /* the request implies the tensor, or the first tensor of the array */
    int type[OPDESC_MAX_FIELDS];   /* DML_TENSOR_DATA_TYPE of that tensor, 0: unknown */
    bool changed;
};

/* The facts about an entry of a list. */
struct entry {
    bool *one; /* the element of refuting.one, if the entry is a known size; else null */
    bool is_one;
};

struct entries {
    int count; /* -1: unknown or undefined */
    struct entry items[EXPR_MAX_LIST];
};

static DML_FEATURE_LEVEL level_of(const struct refuting *r)
{
    return r->spec->levels[r->request->table].level;
}

static bool exactly(const struct refuting *r, int node, int64_t *value)
{
    *value = r->in[node].low;
    return r->in[node].low == r->in[node].high;
}

/* Returns the rank that the condition requires of every tensor of an array; -1: none, or unknown. */
static int rank_by(const struct refuting *r, const struct atom *every, int field)
{
    const struct spec *spec = r->spec;
    int64_t rank;
    if (every->kind != ATOM_EVERY || every->when >= 0 || every->array != field)
        return -1;
    for (int i = 0; i < every->part_count; i++) {
        const struct atom *a = &spec->atoms[every->parts[i]];
        if (a->kind == ATOM_BETWEEN && a->when < 0 && a->low >= 0 && a->low == a->high &&
            spec->nodes[a->x].op == EXPR_DIMS && spec->nodes[a->x].value == EXPR_CURRENT && exactly(r, a->low, &rank))
            return (int)rank;
    }
    return -1;
}

static int rank_of_every(const struct refuting *r, int field)
{
    const struct spec *spec = r->spec;
    int rank = -1;
    for (int i = 0; i < spec->rule_count && rank < 0; i++)
        for (int j = 0; j < spec->rules[i].atom_count && rank < 0; j++)
            if (rule_applies(&spec->rules[i], level_of(r)))
                rank = rank_by(r, &spec->atoms[spec->rules[i].first_atom + j], field);
    return rank;
}

/* Returns the rank of a tensor, or of the first one of an array; -1: unknown. */
static int solve_refute_rank_of(const struct refuting *r, int field)
{
    int64_t rank;
    if (exactly(r, r->spec->dims_nodes[field], &rank))
        return (int)rank;
    return field_kinds[r->spec->fields[field].kind].is_array ? rank_of_every(r, field) : -1;
}

/* Returns the number at `node` as an entry. */
static struct entry solve_refute_entry_of(struct refuting *r, int node)
{
    const struct expr *n = &r->spec->nodes[node];
    struct entry entry = {.is_one = r->in[node].high == 1};
    int64_t index;
    int rank = n->op == EXPR_SIZE ? solve_refute_rank_of(r, n->field) : -1;
    if (rank >= 0 && exactly(r, n->a, &index) && index >= -rank && index < rank) {
        entry.one = &r->one[n->field][index < 0 ? index + rank : index];
        entry.is_one |= *entry.one;
    }
    return entry;
}

static void list_entries(struct refuting *r, int node, struct entries *out);

static void slice_entries(struct refuting *r, const struct expr *n, struct entries *out)
{
    int64_t from, to;
    list_entries(r, n->a, out);
    if (out->count < 0)
        return;
    if (!exactly(r, n->b, &from) || !exactly(r, n->c, &to) || from < 0 || to < from || to > out->count) {
        out->count = -1;
        return;
    }
    memmove(out->items, out->items + from, (size_t)(to - from) * sizeof *out->items);
    out->count = (int)(to - from);
}

static void concat_entries(struct refuting *r, const struct expr *n, struct entries *out)
{
    struct entries more;
    list_entries(r, n->a, out);
    list_entries(r, n->b, &more);
    if (out->count < 0 || more.count < 0 || out->count + more.count > EXPR_MAX_LIST) {
        out->count = -1;
        return;
    }
    memcpy(out->items + out->count, more.items, (size_t)more.count * sizeof *more.items);
    out->count += more.count;
}

static void fit_entries(struct refuting *r, const struct expr *n, struct entries *out)
{
    struct entries whole;
    int64_t length;
    list_entries(r, n->a, &whole);
    out->count = -1;
    if (whole.count < 0 || !exactly(r, n->b, &length) || length < 0 || length > EXPR_MAX_LIST)
        return;
    out->count = (int)length;
    for (int i = 0; i < out->count; i++) {
        int from = i - out->count + whole.count;
        out->items[i] = from < 0 ? (struct entry){.is_one = true} : whole.items[from];
    }
}

static void filled_entries(struct refuting *r, const struct expr *n, struct entries *out)
{
    int64_t length;
    out->count = -1;
    if (!exactly(r, n->b, &length) || length < 0 || length > EXPR_MAX_LIST)
        return;
    out->count = (int)length;
    for (int i = 0; i < out->count; i++)
        out->items[i] = solve_refute_entry_of(r, n->a);
}

static void list_entries(struct refuting *r, int node, struct entries *out)
{
    const struct expr *n = &r->spec->nodes[node];
    int64_t index;
    out->count = -1;
    switch (n->op) {
    case EXPR_SIZES:
        out->count = solve_refute_rank_of(r, n->field);
        for (int i = 0; i < out->count; i++)
            out->items[i] = (struct entry){.one = &r->one[n->field][i], .is_one = r->one[n->field][i]};
        break;
    case EXPR_SLICE:
        slice_entries(r, n, out);
        break;
    case EXPR_CONCAT:
        concat_entries(r, n, out);
        break;
    case EXPR_FIT:
        fit_entries(r, n, out);
        break;
    case EXPR_FILLED:
        filled_entries(r, n, out);
        break;
    case EXPR_REPLACE:
        list_entries(r, n->a, out);
        if (!exactly(r, n->b, &index) || index < 0 || index >= out->count)
            out->count = -1;
        else
            out->items[index] = solve_refute_entry_of(r, n->c);
        break;
    case EXPR_LIST:
        out->count = 1;
        out->items[0] = solve_refute_entry_of(r, n->a);
        break;
    default:
        break;
    }
}

/* ---- requests for tensors */

/* A tensor is given if the request names its strides or type. The requested type of a group is that of its first
 * tensor. */
static void take_request(struct refuting *r)
{
    const struct spec *spec = r->spec;
    uint32_t led = 0; /* groups whose first tensor was seen */
    for (int i = 0; i < spec->field_count; i++) {
        const struct spec_field *field = &spec->fields[i];
        if (!field_is_tensor(field))
            continue;
        bool leads = !(led >> field->group & 1);
        led |= 1u << field->group;
        r->type[i] = leads ? r->request->types[field->group] : 0;
        r->given[i] = r->type[i] != 0 || r->request->strides[i] > STRIDES_NULL;
    }
}

/* Returns the known type that a node reads; 0 if it reads something else, or the type is unknown. */
static int solve_refute_type_of(const struct refuting *r, int node)
{
    const struct expr *n = &r->spec->nodes[node];
    bool first = n->op == EXPR_DATA_TYPE && (n->value == EXPR_NO_ARRAY || n->value == 1);
    return first ? r->type[n->field] : 0;
}

/* Returns the least number at `node`: an array whose first tensor is given has at least one element. */
static int64_t least_of(const struct refuting *r, int node)
{
    const struct expr *n = &r->spec->nodes[node];
    int64_t least = r->in[node].low;
    for (int i = 0; i < r->spec->field_count && n->op == EXPR_ATTR; i++)
        if (r->given[i] && r->spec->fields[i].count_field == n->field && least < 1)
            least = 1;
    return least;
}

static bool solve_refute_has_value(const struct atom *a, int64_t value)
{
    bool has = false;
    for (int i = 0; i < a->set_count; i++)
        has |= a->set[i] == value;
    return has;
}

/* Returns true, with `value` set, if the number at `node` is known. */
static bool solve_refute_is_known(const struct refuting *r, int node, int64_t *value)
{
    *value = solve_refute_type_of(r, node);
    return *value != 0 || exactly(r, node, value);
}

static bool solve_refute_is_outside(const struct refuting *r, const struct atom *a)
{
    return (a->low >= 0 && r->in[a->x].high < r->in[a->low].low) ||
           (a->high >= 0 && r->in[a->x].low > r->in[a->high].high);
}

/* Returns true if the condition certainly holds in every description that meets the request. */
static bool solve_refute_holds(const struct refuting *r, int atom)
{
    const struct atom *a = &r->spec->atoms[atom];
    const struct expr *x = a->x >= 0 ? &r->spec->nodes[a->x] : NULL;
    bool all = a->part_count > 0, some = false;
    int64_t other;
    switch (a->kind) {
    case ATOM_BETWEEN:
        if (solve_refute_type_of(r, a->x))
            return a->low >= 0 && a->low == a->high && solve_refute_is_known(r, a->low, &other) &&
                   solve_refute_type_of(r, a->x) == other;
        if ((x->op == EXPR_PRESENT && x->value == EXPR_NO_ARRAY) || x->op == EXPR_GIVEN)
            return (r->given[x->field] || r->in[a->x].low == 1) && (a->low < 0 || r->in[a->low].high == 1);
        return (a->low < 0 || least_of(r, a->x) >= r->in[a->low].high) &&
               (a->high < 0 || r->in[a->x].high <= r->in[a->high].low);
    case ATOM_ONE_OF:
        return !expr_is_list(x) && solve_refute_is_known(r, a->x, &other) && solve_refute_has_value(a, other);
    case ATOM_ALL:
        for (int i = 0; i < a->part_count; i++)
            all &= solve_refute_holds(r, a->parts[i]);
        return all;
    case ATOM_ANY:
        for (int i = 0; i < a->part_count; i++)
            some |= solve_refute_holds(r, a->parts[i]);
        return some;
    default:
        return false;
    }
}

static bool solve_refute_applies(const struct refuting *r, const struct atom *a)
{
    return levels_include(a->from, a->before, level_of(r)) && (a->when < 0 || solve_refute_holds(r, a->when));
}

/* Returns true if the condition on types, or on tensors that are given, certainly fails in every description that meets
 * the request. */
static bool solve_refute_fails(const struct refuting *r, int atom)
{
    const struct atom *a = &r->spec->atoms[atom];
    int64_t other;
    bool all = a->part_count > 0, some = false;
    switch (a->kind) {
    case ATOM_BETWEEN:
        if (r->spec->nodes[a->x].op == EXPR_PRESENT)
            return solve_refute_is_outside(r, a);
        return solve_refute_type_of(r, a->x) && a->low >= 0 && a->low == a->high &&
               solve_refute_is_known(r, a->low, &other) && solve_refute_type_of(r, a->x) != other;
    case ATOM_ONE_OF:
        return !expr_is_list(&r->spec->nodes[a->x]) && solve_refute_is_known(r, a->x, &other) && !a->powers &&
               !solve_refute_has_value(a, other);
    case ATOM_ANY:
    case ATOM_ALL:
        for (int i = 0; i < a->part_count; i++) {
            bool part = solve_refute_fails(r, a->parts[i]);
            all &= part;
            some |= part;
        }
        return a->kind == ATOM_ANY ? all : some;
    default:
        return false;
    }
}

/* Returns true if a condition contradicts the requested types, or the tensors that are given. */
static bool types_refuted(const struct refuting *r)
{
    const struct spec *spec = r->spec;
    bool refuted = false;
    for (int i = 0; i < spec->rule_count; i++)
        for (int j = 0; j < spec->rules[i].atom_count && rule_applies(&spec->rules[i], level_of(r)); j++) {
            int atom = spec->rules[i].first_atom + j;
            refuted |= solve_refute_fails(r, atom) && solve_refute_applies(r, &spec->atoms[atom]);
        }
    return refuted;
}

/* Returns true if the first tensor of an array shares memory with itself, as requested, although no tensor of the array
 * may. */
static bool overlap_refuted(const struct refuting *r, const struct atom *every)
{
    bool refuted = false;
    for (int i = 0; every->kind == ATOM_EVERY && r->given[every->array] && i < every->part_count; i++) {
        const struct atom *a = &r->spec->atoms[every->parts[i]];
        refuted |= a->kind == ATOM_BETWEEN && r->spec->nodes[a->x].op == EXPR_OVERLAP &&
                   r->spec->nodes[a->x].field == every->array && solve_refute_applies(r, a) &&
                   solve_refute_is_outside(r, a);
    }
    return refuted;
}

/* Returns true if a number is outside of the limits of a condition with a premise, such as that a tensor is given.
 * Conditions without one have narrowed the intervals already. */
static bool numbers_refuted(const struct refuting *r)
{
    const struct spec *spec = r->spec;
    for (int i = 0; i < spec->rule_count; i++)
        for (int j = 0; j < spec->rules[i].atom_count && rule_applies(&spec->rules[i], level_of(r)); j++) {
            const struct atom *a = &spec->atoms[spec->rules[i].first_atom + j];
            if (!solve_refute_applies(r, a))
                continue;
            if (overlap_refuted(r, a) || (a->kind == ATOM_BETWEEN && a->when >= 0 && solve_refute_is_outside(r, a)))
                return true;
        }
    return false;
}

/* ---- sizes that must be 1 */

static void must_be_one(struct refuting *r, struct entry *entry)
{
    if (entry->one && !*entry->one)
        r->changed = *entry->one = true;
    entry->is_one = true;
}

/* Returns true if a rule says that no two entries of a list are equal. */
static bool is_distinct(const struct refuting *r, int list)
{
    const struct spec *spec = r->spec;
    for (int i = 0; i < spec->rule_count; i++)
        for (int j = 0; j < spec->rules[i].atom_count && rule_applies(&spec->rules[i], level_of(r)); j++) {
            const struct atom *a = &spec->atoms[spec->rules[i].first_atom + j];
            if (a->kind == ATOM_DISTINCT && a->x == list && a->when < 0)
                return true;
        }
    return false;
}

/* Counts the sizes of 1 of a tensor whose sizes are those of another tensor, except 1 at the places that an array of
 * distinct numbers lists. */
static void count_ones(struct refuting *r, const struct atom *a)
{
    const struct expr *x = &r->spec->nodes[a->x], *replaced = &r->spec->nodes[a->low];
    const struct expr *places = replaced->op == EXPR_REPLACE ? &r->spec->nodes[replaced->b] : NULL;
    int64_t count, one;
    if (x->op != EXPR_SIZES || !places || places->op != EXPR_ENTRIES || !exactly(r, replaced->c, &one) || one != 1)
        return;
    int field = r->spec->fields[places->field].count_field;
    int node = field >= 0 ? r->spec->number_nodes[field] : -1;
    if (node >= 0 && exactly(r, node, &count) && is_distinct(r, replaced->b))
        r->ones[x->field] = (int)count;
}

/* Returns how many sizes of a tensor are 1 if the condition holds, with `field` set to the tensor; 0 if that is
 * unknown. */
static int ones_under(struct refuting *r, int atom, int *field)
{
    const struct atom *a = &r->spec->atoms[atom];
    struct entries y;
    int most = 0;
    for (int i = 0; a->kind == ATOM_ALL && i < a->part_count && most == 0; i++)
        most = ones_under(r, a->parts[i], field);
    if (a->kind == ATOM_ALL)
        return most;
    if (a->kind != ATOM_EQUAL || r->spec->nodes[a->x].op != EXPR_SIZES)
        return 0;
    *field = r->spec->nodes[a->x].field;
    list_entries(r, a->low, &y);
    for (int i = 0; i < y.count; i++)
        most += y.items[i].is_one;
    return most;
}

/* Counts the sizes of 1 that a tensor has whichever part of the condition holds. */
static void count_ones_of_any(struct refuting *r, const struct atom *a)
{
    int field = -1, least = DML_TENSOR_DIMENSION_COUNT_MAX1;
    for (int i = 0; i < a->part_count; i++) {
        int other = -1, count = ones_under(r, a->parts[i], &other);
        least = count < least ? count : least;
        if (count == 0 || (i > 0 && other != field))
            return;
        field = other;
    }
    if (field >= 0 && least > r->ones[field])
        r->ones[field] = least;
}

static void apply_atom(struct refuting *r, const struct atom *a)
{
    struct entries x, y;
    if (a->kind == ATOM_ANY && solve_refute_applies(r, a))
        count_ones_of_any(r, a);
    if ((a->kind != ATOM_EACH && a->kind != ATOM_EQUAL) || !solve_refute_applies(r, a))
        return;
    list_entries(r, a->x, &x);
    if (a->kind == ATOM_EACH) {
        for (int i = 0; i < x.count && a->high >= 0 && r->in[a->high].high == 1; i++)
            must_be_one(r, &x.items[i]);
        return;
    }
    count_ones(r, a);
    list_entries(r, a->low, &y);
    for (int i = 0; i < x.count && x.count == y.count; i++)
        if (x.items[i].is_one || y.items[i].is_one) {
            must_be_one(r, &x.items[i]);
            must_be_one(r, &y.items[i]);
        }
}

static void apply_rule(struct refuting *r, const struct rule *rule)
{
    for (int i = 0; i < rule->atom_count; i++)
        apply_atom(r, &r->spec->atoms[rule->first_atom + i]);
}

/* The sizes before those that the effective rank counts are 1. */
static void apply_effective_rank(struct refuting *r, int node)
{
    int field = r->spec->nodes[node].field, rank = solve_refute_rank_of(r, field);
    for (int i = 0; i < rank - r->in[node].high; i++) {
        struct entry entry = {.one = &r->one[field][i]};
        must_be_one(r, &entry);
    }
}

/* Finds the sizes that must be 1 by numbers and rules on lists. Returns false on a contradiction: one of them must be
 * larger. */
static bool find_ones(struct refuting *r)
{
    const struct spec *spec = r->spec;
    memset(r->one, 0, sizeof r->one);
    memset(r->ones, 0, sizeof r->ones);
    r->changed = true;
    for (int pass = 0; pass < REFUTE_PASSES && r->changed; pass++) {
        r->changed = false;
        for (int i = 0; i < spec->node_count; i++) {
            if (spec->nodes[i].op == EXPR_EFFECTIVE_RANK)
                apply_effective_rank(r, i);
            if (spec->nodes[i].op != EXPR_SIZE)
                continue;
            struct entry entry = solve_refute_entry_of(r, i);
            if (entry.is_one)
                must_be_one(r, &entry);
            if (entry.is_one && r->in[i].low > 1)
                return false;
        }
        for (int i = 0; i < spec->rule_count; i++)
            if (rule_applies(&spec->rules[i], level_of(r)))
                apply_rule(r, &spec->rules[i]);
    }
    return true;
}

/* Returns true if indices must differ along a dimension: equal ones would repeat a target or mix up a tuple. */
static bool must_differ(const struct refuting *r, int field, int dimension, int rank)
{
    for (int i = 0; i < r->spec->index_count; i++) {
        const struct spec_index *index = &r->spec->indices[i];
        int64_t along;
        if (index->field != field)
            continue;
        if (index->tuple && dimension == rank - 1 && (index->distinct || !r->request->shared_tuples))
            return true;
        if (index->distinct && (index->along < 0 || (exactly(r, index->along, &along) && along == dimension)))
            return true;
    }
    return false;
}

static bool strides_refuted(const struct refuting *r, int field)
{
    enum stride_class class = r->request->strides[field];
    int rank = solve_refute_rank_of(r, field), wide = 0;
    if (class <= STRIDES_PACKED || rank < 0)
        return false;
    for (int i = 0; i < rank; i++)
        wide += !r->one[field][i] && !(class == STRIDES_BROADCAST && must_differ(r, field, i, rank));
    if (wide > rank - r->ones[field])
        wide = rank - r->ones[field];
    return wide < (class == STRIDES_PERMUTED ? 2 : 1);
}

static bool solve_refute_is_open(const struct refuting *r, int node)
{
    return node >= 0 && r->in[node].high > r->in[node].low && r->in[node].high - r->in[node].low < REFUTE_BRANCH;
}

/* Returns an enumeration, a rank or a parameter that is still open; -1: none. Enumerations come first, since they may
 * decide on types alone, and then the ranks of tensors whose strides the request names, since they may decide on
 * these. */
static int open_node(const struct refuting *r)
{
    const struct spec *spec = r->spec;
    for (int i = 0; i < spec->field_count; i++) {
        int node = spec->fields[i].kind == FIELD_ENUM ? spec->number_nodes[i] : -1;
        if (solve_refute_is_open(r, node))
            return node;
    }
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && r->request->strides[i] > STRIDES_PACKED &&
            solve_refute_is_open(r, spec->dims_nodes[i]))
            return spec->dims_nodes[i];
    for (int i = 0; i < spec->parameter_count + spec->node_count; i++) {
        int node = i < spec->parameter_count ? spec->parameters[i].node : i - spec->parameter_count;
        if (i >= spec->parameter_count && spec->nodes[node].op != EXPR_DIMS)
            continue;
        if (solve_refute_is_open(r, node))
            return node;
    }
    return -1;
}

static bool refute(struct refuting *r)
{
    struct solve_interval in[SPEC_MAX_NODES];
    if (++r->steps > REFUTE_STEPS)
        return false;
    if (!solve_narrow_with(r->spec, r->request, r->pins, r->pin_count, in))
        return true;
    r->in = in;
    if (types_refuted(r) || numbers_refuted(r) || !find_ones(r))
        return true;
    for (int i = 0; i < r->spec->field_count; i++)
        if (field_is_tensor(&r->spec->fields[i]) && strides_refuted(r, i))
            return true;
    int node = open_node(r);
    if (node < 0 || r->pin_count == (int)(sizeof r->pins / sizeof *r->pins))
        return false;
    bool refuted = true;
    r->pin_count++;
    for (int64_t value = in[node].low; value <= in[node].high && refuted; value++) {
        r->pins[r->pin_count - 1] = (struct solve_pin){node, value};
        refuted = refute(r);
    }
    r->pin_count--;
    return refuted;
}

/* Returns true if the request wants strides of a tensor that a parameter makes absent. */
static bool strides_of_nothing(const struct spec *spec, const struct solve_request *request)
{
    bool found = false;
    for (int i = 0; i < spec->parameter_count; i++) {
        const struct expr *node = &spec->nodes[spec->parameters[i].node];
        found |=
            node->op == EXPR_PRESENT && request->parameters[i] == 0 && request->strides[node->field] != STRIDES_NULL;
    }
    return found;
}

bool solve_refute(const struct spec *spec, const struct solve_request *request)
{
    struct refuting r = {.spec = spec, .request = request};
    take_request(&r);
    for (int i = 0; i < spec->field_count && r.pin_count < (int)(sizeof r.pins / sizeof *r.pins); i++)
        if (request->constant_fields >> i & 1 && spec->number_nodes[i] >= 0)
            r.pins[r.pin_count++] = (struct solve_pin){spec->number_nodes[i], request->constants[i]};
    return strides_of_nothing(spec, request) || refute(&r);
}
