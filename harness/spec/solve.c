#include "harness/spec/solve.h"

#include "harness/spec/check.h"
#include "harness/base/random.h"

#include <string.h>

const char stride_letters[] = "nkgtb";
const char *const stride_names[] = {"null", "packed", "padded", "permuted", "broadcast", NULL};

enum {
    SOLVE_TRIES = 200,
    SOLVE_LARGEST = 7,
    SOLVE_SMALL = 3,
    SOLVE_MAX_ELEMENTS = 4096,
    SOLVE_DOUBT = 12,      /* failed tries that make a proof worth looking for */
    SOLVE_FIXED_TRIES = 64 /* in which a size that is asked for must come out once: else a rule always sets it */
};

/* One attempt. */
struct solver {
    const struct spec *spec;
    const struct solve_request *request; /* null: repair only, nothing is drawn */
    struct random *random;
    const struct solve_interval *in; /* per node, or null: not known */
    int table;
    DML_FEATURE_LEVEL level;
    int except; /* rule to leave alone, -1: none */
    int pinned; /* node to leave alone, -1: none */
    struct opdesc *desc;
    int atoms[SPEC_MAX_ATOMS]; /* those whose subjects can be set, in order */
    int atom_count;
};

void solve_request_init(struct solve_request *request)
{
    *request = (struct solve_request){.limit_atom = -1, .fixed = {.field = -1}, .leading = {.field = -1}};
    for (int i = 0; i < SPEC_MAX_PARAMETERS; i++)
        request->parameters[i] = -1;
}

static bool is_pinned(const struct solver *s, int node)
{
    if (node == s->pinned)
        return true;
    for (int i = 0; s->request && i < s->spec->parameter_count; i++)
        if (s->request->parameters[i] >= 0 && node == s->spec->parameters[i].node)
            return true;
    return false;
}

/* The sizes that a list node names, if it is `sizes T` or a slice of it; null otherwise. */
static uint32_t *list_place(const struct spec *spec, int node, struct opdesc *desc, int *count)
{
    const struct expr *n = &spec->nodes[node];
    int64_t from = 0, to;
    const struct expr *sizes = n->op == EXPR_SLICE ? &spec->nodes[n->a] : n;
    if (sizes->op != EXPR_SIZES)
        return NULL;
    struct opdesc_tensor *t = &desc->fields[sizes->field].tensor;
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

/* Bounds as numbers; absent ones are the widest. False: undefined. */
static bool bounds_of(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int64_t *low,
                      int64_t *high)
{
    *low = 0;
    *high = a->x >= 0 && spec->nodes[a->x].op == EXPR_TOTAL ? INT64_MAX : UINT32_MAX;
    return (a->low < 0 || expr_number(spec->nodes, a->low, desc, low)) &&
           (a->high < 0 || expr_number(spec->nodes, a->high, desc, high));
}

/* What no rule says here, but all of them and the request together. */
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
    if (!expr_assignable(&s->spec->nodes[a->x]) || is_pinned(s, a->x) || !bounds_of(s->spec, a, s->desc, &low, &high) ||
        !expr_number(s->spec->nodes, a->x, s->desc, &x) || high < low)
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

static void repair_each(struct solver *s, const struct atom *a)
{
    int count = 0;
    int64_t low, high;
    uint32_t *sizes = list_place(s->spec, a->x, s->desc, &count);
    if (!sizes || !bounds_of(s->spec, a, s->desc, &low, &high))
        return;
    for (int i = 0; i < count; i++)
        sizes[i] = (uint32_t)clamp(sizes[i], low, high);
}

static void repair_equal(struct solver *s, const struct atom *a)
{
    int count = 0;
    struct expr_list wanted;
    uint32_t *sizes = list_place(s->spec, a->x, s->desc, &count);
    if (!sizes || !expr_list(s->spec->nodes, a->low, s->desc, &wanted) || wanted.count != count)
        return;
    for (int i = 0; i < count; i++)
        sizes[i] = (uint32_t)wanted.items[i];
}

static void repair_table(struct solver *s, const struct atom *a)
{
    const struct expr *node = &s->spec->nodes[a->x];
    const struct spec_level *level = &s->spec->levels[s->table];
    struct opdesc_tensor *t = &s->desc->fields[node->field].tensor;
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
        repair_each(s, a);
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

/* Whether repairing can change anything: what is drawn (`drawn`) is stored as it should be. */
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

static void list_atoms(struct solver *s)
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

/* Each rule that applies sets its subject, in the order of the spec. */
static void repair(struct solver *s)
{
    for (int i = 0; i < s->atom_count; i++)
        repair_atom(s, s->atoms[i]);
}

/* ---- filling in at random */

/* Where the size that is asked for is, or null: the tensor is another, or has too few dimensions. */
static uint32_t *fixed_size(const struct solver *s, struct opdesc_tensor *t)
{
    const struct solve_size *fixed = &s->request->fixed;
    if (fixed->field < 0 || t != &s->desc->fields[fixed->field].tensor || (uint32_t)fixed->from_last >= t->dims)
        return NULL;
    return &t->sizes[t->dims - 1 - (uint32_t)fixed->from_last];
}

static bool fixed_holds(const struct solver *s)
{
    if (s->request->fixed.field < 0)
        return true;
    const uint32_t *at = fixed_size(s, &s->desc->fields[s->request->fixed.field].tensor);
    return at && *at == s->request->fixed.size;
}

/* How many leading sizes are to be 1, -1: whatever comes. */
static int leading_ones(const struct solver *s, const struct opdesc_tensor *t)
{
    const struct solve_leading *leading = &s->request->leading;
    return leading->field >= 0 && t == &s->desc->fields[leading->field].tensor ? leading->ones : -1;
}

static bool leading_holds(const struct solver *s)
{
    const struct solve_leading *leading = &s->request->leading;
    if (leading->field < 0)
        return true;
    const struct opdesc_tensor *t = &s->desc->fields[leading->field].tensor;
    return opdesc_effective_rank(t) + (uint32_t)leading->ones == t->dims;
}

static void draw_sizes(struct solver *s, struct opdesc_tensor *t)
{
    int64_t budget = s->request->max_elements ? s->request->max_elements : SOLVE_MAX_ELEMENTS;
    uint32_t largest = s->request->largest ? s->request->largest : SOLVE_LARGEST;
    if (largest > SOLVE_SMALL && random_below(s->random, 4) == 0)
        largest = SOLVE_SMALL; /* some tensors leave room for the others */
    uint32_t leading = random_below(s->random, 2) ? 0 : random_below(s->random, t->dims + 1);
    uint32_t *fixed = fixed_size(s, t), alone = UINT32_MAX; /* no size of 1 */
    if (leading_ones(s, t) >= 0)
        alone = leading = (uint32_t)leading_ones(s, t);
    if (fixed)
        budget /= s->request->fixed.size;
    t->has_sizes = true;
    for (uint32_t n = t->dims; n-- > 0;) { /* from the right: trailing dimensions get the larger share */
        uint32_t size = n < leading ? 1 : 1 + random_below(s->random, largest);
        size = n == alone && size == 1 ? 2 : size;
        t->sizes[n] = size <= budget ? size : 1;
        budget /= t->sizes[n];
        if (fixed == &t->sizes[n])
            *fixed = s->request->fixed.size;
    }
}

static void draw_tensor(struct solver *s, int field)
{
    const struct solve_interval dims = s->in[s->spec->dims_nodes[field]];
    struct opdesc_tensor *t = &s->desc->fields[field].tensor;
    *t = (struct opdesc_tensor){.present = true, .type = DML_TENSOR_TYPE_BUFFER, .alignment = s->request->alignment};
    if (s->request->owned && s->spec->fields[field].kind == FIELD_INPUT)
        t->flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    t->dims = (uint32_t)dims.low + random_below(s->random, (uint32_t)(dims.high - dims.low) + 1);
    draw_sizes(s, t);
}

static void draw_types(struct solver *s)
{
    for (int g = 0; g < s->spec->group_count; g++) {
        uint32_t mask = s->spec->levels[s->table].types[g];
        uint32_t skip = random_below(s->random, (uint32_t)__builtin_popcount(mask));
        for (; skip > 0; skip--)
            mask &= mask - 1;
        uint32_t type = s->request->types[g] ? (uint32_t)s->request->types[g] : (uint32_t)__builtin_ctz(mask);
        for (int i = 0; i < s->spec->field_count; i++)
            if (field_is_tensor(&s->spec->fields[i]) && s->spec->fields[i].group == g)
                s->desc->fields[i].tensor.data_type = type;
    }
}

static void draw(struct solver *s)
{
    for (int i = 0; i < s->spec->field_count; i++) {
        if (!field_is_tensor(&s->spec->fields[i]))
            s->desc->fields[i].number = 0;
        else
            draw_tensor(s, i);
    }
    draw_types(s);
}

static void set_parameters(struct solver *s)
{
    for (int i = 0; i < s->spec->parameter_count; i++)
        if (s->request->parameters[i] >= 0)
            expr_assign(s->spec->nodes, s->spec->parameters[i].node, s->desc, s->request->parameters[i]);
}

static bool parameters_hold(const struct solver *s)
{
    for (int i = 0; i < s->spec->parameter_count; i++) {
        int64_t value;
        if (s->request->parameters[i] >= 0 &&
            (!expr_number(s->spec->nodes, s->spec->parameters[i].node, s->desc, &value) ||
             value != s->request->parameters[i]))
            return false;
    }
    return true;
}

/* ---- strides */

/* A dimension of an index tensor along which equal indices would name one target twice, or mix up a tuple. */
static bool must_vary(const struct spec *spec, int field, const struct opdesc *desc, uint32_t dimension)
{
    for (int i = 0; i < spec->index_count; i++) {
        const struct spec_index *index = &spec->indices[i];
        int64_t along;
        if (index->field != field)
            continue;
        if (index->tuple && dimension + 1 == desc->fields[field].tensor.dims)
            return true;
        if (index->distinct &&
            (index->along < 0 || !expr_number(spec->nodes, index->along, desc, &along) || along == dimension))
            return true;
    }
    return false;
}

/* Packs the dimensions in the order given, innermost first, with `gap` elements drawn between them. */
static void pack(struct solver *s, struct opdesc_tensor *t, const uint32_t *order, uint32_t gap)
{
    uint64_t next = gap ? 1 + random_below(s->random, gap) : 1;
    for (uint32_t i = 0; i < t->dims; i++) {
        uint32_t d = order[i];
        t->strides[d] = (uint32_t)next;
        next = next * t->sizes[d] + (gap ? random_below(s->random, gap + 1) : 0);
        if (next > UINT32_MAX)
            next = UINT32_MAX;
    }
}

static void free_unit_strides(struct solver *s, struct opdesc_tensor *t)
{
    for (uint32_t i = 0; i < t->dims; i++) /* the stride of a size of 1 says nothing: any value is legal */
        if (t->sizes[i] == 1 && random_below(s->random, 4) == 0)
            t->strides[i] = random_below(s->random, 1000);
}

static bool set_strides(struct solver *s, int field)
{
    struct opdesc_tensor *t = &s->desc->fields[field].tensor;
    enum stride_class class = s->request->strides[field];
    uint32_t order[OPDESC_MAX_DIMENSIONS], zeroed = 0;
    t->has_strides = class != STRIDES_NULL;
    for (uint32_t i = 0; i < t->dims; i++)
        order[i] = t->dims - 1 - i;
    if (class == STRIDES_PERMUTED)
        for (uint32_t i = t->dims; i > 1; i--) {
            uint32_t j = random_below(s->random, i), swap = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swap;
        }
    pack(s, t, order, class == STRIDES_PADDED ? 3 : 0);
    if (class == STRIDES_BROADCAST) {
        struct opdesc_tensor kept = *t;
        for (uint32_t i = 0; i < t->dims; i++)
            if (t->sizes[i] > 1 && !must_vary(s->spec, field, s->desc, i) && random_below(s->random, 2)) {
                kept.sizes[i] = 1;
                zeroed |= 1u << i;
            }
        pack(s, &kept, order, 0);
        for (uint32_t i = 0; i < t->dims; i++)
            t->strides[i] = zeroed >> i & 1 ? 0 : kept.strides[i];
    }
    struct opdesc_tensor packed = *t;
    packed.has_strides = false;
    uint32_t usual[OPDESC_MAX_DIMENSIONS];
    opdesc_strides(&packed, usual);
    bool moved = false;
    for (uint32_t i = 0; i < t->dims; i++)
        moved |= t->sizes[i] > 1 && t->strides[i] != usual[i];
    if (t->has_strides)
        free_unit_strides(s, t);
    return class <= STRIDES_PACKED || (moved && (class != STRIDES_PADDED || opdesc_extent(t) > opdesc_elements(t)));
}

/* What follows from sizes and types: strides by class, the least total size. */
static bool finish(struct solver *s)
{
    bool good = true;
    for (int i = 0; i < s->spec->field_count; i++) {
        struct opdesc_tensor *t = &s->desc->fields[i].tensor;
        if (!field_is_tensor(&s->spec->fields[i]))
            continue;
        if (s->request)
            good &= set_strides(s, i);
        t->total = (uint64_t)opdesc_implied(t) + (s->request ? s->request->slack : 0);
    }
    return good;
}

bool solve_indices_fit(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->index_count; i++) {
        const struct spec_index *index = &spec->indices[i];
        const struct opdesc_tensor *t = &desc->fields[index->field].tensor;
        struct expr_list into;
        int64_t room = 1, along, wanted = opdesc_elements(t);
        if (!index->distinct)
            continue;
        if (!expr_list(spec->nodes, index->into, desc, &into))
            return false;
        for (int k = 0; k < into.count; k++)
            if (__builtin_mul_overflow(room, into.items[k], &room))
                room = INT64_MAX;
        if (index->along >= 0 && expr_number(spec->nodes, index->along, desc, &along) && along >= 0 && along < t->dims)
            wanted = t->sizes[along];
        else if (index->tuple && t->sizes[t->dims - 1] > 0)
            wanted /= t->sizes[t->dims - 1];
        if (wanted > room)
            return false;
    }
    return true;
}

/* Indices into one place say little: all are right. */
static bool has_room(const struct solver *s)
{
    for (int i = 0; i < s->spec->index_count; i++) {
        struct expr_list into;
        int64_t room = 1;
        if (!expr_list(s->spec->nodes, s->spec->indices[i].into, s->desc, &into))
            return false;
        for (int k = 0; k < into.count; k++)
            room *= into.items[k]; /* of sizes within the limit on elements */
        if (room < s->request->room)
            return false;
    }
    return true;
}

static bool small_enough(const struct solver *s)
{
    int64_t max = s->request->max_elements ? s->request->max_elements : SOLVE_MAX_ELEMENTS;
    for (int i = 0; i < s->spec->field_count; i++)
        if (field_is_tensor(&s->spec->fields[i]) && opdesc_elements(&s->desc->fields[i].tensor) > max)
            return false;
    return true;
}

/* Whether the subject that was to be at its limit is. */
static bool limit_holds(const struct solver *s)
{
    if (s->request->limit_atom < 0)
        return true;
    const struct atom *a = &s->spec->atoms[s->request->limit_atom];
    int64_t low, high, x;
    return bounds_of(s->spec, a, s->desc, &low, &high) && expr_number(s->spec->nodes, a->x, s->desc, &x) &&
           x == (s->request->limit_high ? high : low);
}

bool solve_satisfy(const struct spec *spec, unsigned op, const struct solve_request *request, uint64_t seed,
                   struct opdesc *out)
{
    struct random random = {.key = seed};
    struct solve_interval in[SPEC_MAX_NODES];
    struct solver s = {
        .spec = spec, .request = request, .random = &random, .in = in, .except = -1, .pinned = -1, .desc = out};
    s.table = request->table;
    s.level = spec->levels[s.table].level;
    if (!solve_narrow(spec, request, in))
        return false;
    list_atoms(&s);
    memset(out, 0, sizeof *out);
    out->op = op;
    bool fixed = false; /* the size that is asked for has come out */
    int max = request->tries ? request->tries : SOLVE_TRIES;
    for (int tries = 0; tries < max; tries++) {
        if ((tries == SOLVE_DOUBT && solve_refute(spec, request)) || (tries == SOLVE_FIXED_TRIES && !fixed))
            return false;
        draw(&s);
        set_parameters(&s);
        repair(&s);
        set_parameters(&s);
        s.request = NULL; /* once more, and nothing is drawn */
        s.in = NULL;
        repair(&s);
        s.request = request;
        s.in = in;
        bool finished = finish(&s);
        fixed |= fixed_holds(&s);
        if (finished && parameters_hold(&s) && limit_holds(&s) && fixed_holds(&s) && leading_holds(&s) &&
            small_enough(&s) && has_room(&s) && solve_indices_fit(spec, out) &&
            rules_check(spec, out, s.level, NULL, 0) == 0)
            return true;
    }
    return false;
}

void solve_repair(const struct spec *spec, int table, int except, int pinned, struct opdesc *desc)
{
    struct solver s = {.spec = spec, .table = table, .except = except, .pinned = pinned, .desc = desc};
    s.level = spec->levels[table].level;
    list_atoms(&s);
    repair(&s);
}

void solve_totals(const struct spec *spec, struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++) {
        struct opdesc_tensor *t = &desc->fields[i].tensor;
        if (field_is_tensor(&spec->fields[i])) {
            t->has_strides = false;
            t->total = (uint64_t)opdesc_implied(t);
        }
    }
}

bool solve_bounds(const struct spec *spec, int atom, const struct opdesc *desc, int64_t *low, int64_t *high)
{
    return bounds_of(spec, &spec->atoms[atom], desc, low, high);
}

uint32_t *solve_list(const struct spec *spec, int node, struct opdesc *desc, int *count)
{
    return list_place(spec, node, desc, count);
}
