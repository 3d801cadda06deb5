/* The narrowing part of solve.h: the interval of each number over all descriptions that meet the request.
 *
 * An interval starts as the requested value, or as the range that the level's table and the kind of number allow.
 * Conditions narrow it: from the operands of a sum to the sum, from one side of a comparison to the other, and from a
 * sum back to its operands. An empty interval refutes the request. A request that is not refuted may still be
 * impossible. */
#include "harness/solve/solve.h"

enum { NARROW_PASSES = 8 };

static const int64_t unbounded = (int64_t)1 << 48; /* sums and differences of a few of these do not overflow */

struct narrowing {
    const struct spec *spec;
    const struct solve_request *request;
    struct solve_interval *in; /* one interval for each node */
    bool changed, empty;
};

static int64_t solve_narrow_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns the interval of a number before any rule narrows it. */
static struct solve_interval start_of(const struct narrowing *n, const struct expr *node)
{
    const struct spec_level *level = &n->spec->levels[n->request->table];
    switch (node->op) {
    case EXPR_CONST:
        return (struct solve_interval){node->value, node->value};
    case EXPR_ATTR:
        return node->value == EXPR_SIGNED ? (struct solve_interval){INT32_MIN, INT32_MAX}
                                          : (struct solve_interval){0, UINT32_MAX};
    case EXPR_ENTRIES:
        return n->spec->fields[node->field].kind == FIELD_INTS ? (struct solve_interval){INT32_MIN, INT32_MAX}
                                                               : (struct solve_interval){0, UINT32_MAX};
    case EXPR_DIMS:
        return (struct solve_interval){level->dims[node->field].low, level->dims[node->field].high};
    case EXPR_EFFECTIVE_RANK:
        return (struct solve_interval){0, level->dims[node->field].high};
    case EXPR_SIZE:
    case EXPR_ELEMENTS:
        return (struct solve_interval){1, UINT32_MAX};
    case EXPR_ABS:
    case EXPR_LENGTH:
        return (struct solve_interval){0, unbounded};
    case EXPR_IS:
        return (struct solve_interval){0, 1};
    case EXPR_PRESENT: /* a tensor of which the request says something is given */
        return (struct solve_interval){
            n->request->strides[node->field] > STRIDES_NULL || n->request->fixed.field == node->field, 1};
    case EXPR_OVERLAP:
        return n->request->strides[node->field] == STRIDES_BROADCAST ? (struct solve_interval){1, 1}
                                                                     : (struct solve_interval){0, 0};
    default:
        return (struct solve_interval){-unbounded, unbounded};
    }
}

static void solve_narrow_node(struct narrowing *n, int node, int64_t low, int64_t high)
{
    struct solve_interval *in = &n->in[node];
    if (low <= in->low && high >= in->high)
        return;
    *in = (struct solve_interval){greatest(low, in->low), solve_narrow_least(high, in->high)};
    n->changed = true;
    n->empty |= in->low > in->high;
}

static int64_t bounded(int64_t x)
{
    return greatest(-unbounded, solve_narrow_least(x, unbounded));
}

/* Returns the product, limited to bounded numbers. */
static int64_t solve_narrow_times(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? unbounded : -unbounded;
    return bounded(product);
}

static void narrow_product(struct narrowing *n, int node, struct solve_interval a, struct solve_interval b)
{
    int64_t ends[] = {solve_narrow_times(a.low, b.low), solve_narrow_times(a.low, b.high),
                      solve_narrow_times(a.high, b.low), solve_narrow_times(a.high, b.high)};
    solve_narrow_node(n, node,
                      solve_narrow_least(solve_narrow_least(ends[0], ends[1]), solve_narrow_least(ends[2], ends[3])),
                      greatest(greatest(ends[0], ends[1]), greatest(ends[2], ends[3])));
}

/* Narrows a quotient whose divisor is above 0. */
static void narrow_quotient(struct narrowing *n, int node, struct solve_interval a, struct solve_interval b)
{
    int64_t (*round)(int64_t, int64_t) = n->spec->nodes[node].op == EXPR_DIV ? expr_floor : expr_ceiling;
    if (b.low > 0)
        solve_narrow_node(n, node, round(a.low, a.low < 0 ? b.low : b.high),
                          round(a.high, a.high < 0 ? b.high : b.low));
}

/* Narrows the factor `node` of a product in the interval x, if all are above 0. */
static void narrow_factor(struct narrowing *n, int node, struct solve_interval other, struct solve_interval x)
{
    if (other.low > 0 && n->in[node].low >= 0 && x.low >= 0)
        solve_narrow_node(n, node, expr_ceiling(x.low, other.high), x.high / other.low);
}

/* Narrows the result by its operands. After an interval became empty, its ends say nothing: a divisor may end at 0. */
static void narrow_up(struct narrowing *n, int node)
{
    if (n->empty)
        return;
    const struct expr *e = &n->spec->nodes[node];
    const struct solve_interval a = n->in[e->a], b = n->in[e->b];
    switch (e->op) {
    case EXPR_ADD:
        solve_narrow_node(n, node, a.low + b.low, a.high + b.high);
        break;
    case EXPR_SUB:
        solve_narrow_node(n, node, a.low - b.high, a.high - b.low);
        break;
    case EXPR_MIN:
        solve_narrow_node(n, node, solve_narrow_least(a.low, b.low), solve_narrow_least(a.high, b.high));
        break;
    case EXPR_MAX:
        solve_narrow_node(n, node, greatest(a.low, b.low), greatest(a.high, b.high));
        break;
    case EXPR_MUL:
        narrow_product(n, node, a, b);
        break;
    case EXPR_DIV:
    case EXPR_DIV_UP:
        narrow_quotient(n, node, a, b);
        break;
    default:
        break;
    }
}

/* Narrows the operands by their result, unless an interval is empty. */
static void narrow_down(struct narrowing *n, int node)
{
    if (n->empty)
        return;
    const struct expr *e = &n->spec->nodes[node];
    const struct solve_interval a = n->in[e->a], b = n->in[e->b], x = n->in[node];
    switch (e->op) {
    case EXPR_ADD:
        solve_narrow_node(n, e->a, x.low - b.high, x.high - b.low);
        solve_narrow_node(n, e->b, x.low - a.high, x.high - a.low);
        break;
    case EXPR_SUB:
        solve_narrow_node(n, e->a, x.low + b.low, x.high + b.high);
        solve_narrow_node(n, e->b, a.low - x.high, a.high - x.low);
        break;
    case EXPR_MIN:
        solve_narrow_node(n, e->a, x.low, unbounded);
        solve_narrow_node(n, e->b, x.low, unbounded);
        break;
    case EXPR_MAX:
        solve_narrow_node(n, e->a, -unbounded, x.high);
        solve_narrow_node(n, e->b, -unbounded, x.high);
        break;
    case EXPR_MUL:
        narrow_factor(n, e->a, b, x);
        narrow_factor(n, e->b, a, x);
        break;
    case EXPR_DIV: /* floor(a / b) >= x means a >= x * b */
        if (b.low > 0)
            solve_narrow_node(n, e->a, solve_narrow_times(x.low, x.low < 0 ? b.high : b.low),
                              bounded(solve_narrow_times(x.high + 1, x.high < 0 ? b.low : b.high) - 1));
        break;
    case EXPR_DIV_UP: /* ceil(a / b) <= x means a <= x * b */
        if (b.low > 0)
            solve_narrow_node(n, e->a, bounded(solve_narrow_times(x.low - 1, x.low < 1 ? b.high : b.low) + 1),
                              solve_narrow_times(x.high, x.high < 0 ? b.low : b.high));
        break;
    default:
        break;
    }
}

/* An array may have no entries: its limits say nothing of each other, and do not make an interval empty. */
static void narrow_entries(struct narrowing *n, const struct spec_bound *bound)
{
    struct solve_interval *in = &n->in[bound->x];
    if (bound->low >= 0)
        in->low = solve_narrow_least(greatest(in->low, n->in[bound->low].low), in->high);
    if (bound->high >= 0)
        in->high = greatest(solve_narrow_least(in->high, n->in[bound->high].high), in->low);
}

static void require_order(struct narrowing *n, int low, int high)
{
    solve_narrow_node(n, high, n->in[low].low, unbounded);
    solve_narrow_node(n, low, -unbounded, n->in[high].high);
}

/* Makes one pass in each direction: operands come before the nodes that use them. */
static void narrow_once(struct narrowing *n)
{
    const struct spec *spec = n->spec;
    const struct spec_bounds *bounds = &spec->bounds[n->request->table];
    for (int i = 0; i < spec->sum_count; i++)
        narrow_up(n, spec->sums[i]);
    for (int i = 0; i < bounds->count; i++) {
        const struct spec_bound *bound = &bounds->items[i];
        if (spec->nodes[bound->x].op == EXPR_ENTRIES) {
            narrow_entries(n, bound);
            continue;
        }
        if (bound->low >= 0)
            require_order(n, bound->low, bound->x);
        if (bound->high >= 0)
            require_order(n, bound->x, bound->high);
    }
    for (int i = spec->sum_count; i-- > 0;)
        narrow_down(n, spec->sums[i]);
}

/* Narrows the nodes of the requested size, which count from the end as the request does. A size that follows from a
 * number of elements depends on the other sizes, and narrows nothing. */
static void narrow_fixed_size(struct narrowing *n)
{
    bool given = n->request->fixed.field >= 0 && n->request->fixed.size > 0;
    for (int i = 0; i < n->spec->node_count && given; i++) {
        const struct expr *node = &n->spec->nodes[i];
        if (node->op == EXPR_SIZE && node->field == n->request->fixed.field &&
            n->spec->nodes[node->a].op == EXPR_CONST &&
            n->spec->nodes[node->a].value == -1 - (int64_t)n->request->fixed.from_last)
            solve_narrow_node(n, i, n->request->fixed.size, n->request->fixed.size);
    }
}

/* Narrows the effective rank by the requested number of leading sizes of 1. */
static void narrow_leading(struct narrowing *n)
{
    const struct solve_leading *leading = &n->request->leading;
    if (leading->field < 0)
        return;
    const struct solve_interval dims = n->in[n->spec->dims_nodes[leading->field]];
    for (int i = 0; i < n->spec->node_count; i++)
        if (n->spec->nodes[i].op == EXPR_EFFECTIVE_RANK && n->spec->nodes[i].field == leading->field)
            solve_narrow_node(n, i, dims.low - leading->ones, dims.high - leading->ones);
}

/* Returns false if a tensor certainly cannot have strides of the requested class. */
static bool strides_possible(const struct narrowing *n, int field)
{
    const struct spec *spec = n->spec;
    enum stride_class class = n->request->strides[field];
    if (class <= STRIDES_PACKED)
        return true;
    if (spec->bounds[n->request->table].single >> field & 1)
        return false;
    if (class == STRIDES_PERMUTED && n->in[spec->dims_nodes[field]].high < 2)
        return false;
    for (int i = 0; i < spec->index_count && class == STRIDES_BROADCAST; i++)
        if (spec->indices[i].field == field && spec->indices[i].distinct && spec->indices[i].along < 0)
            return false;
    return true;
}

bool solve_narrow_with(const struct spec *spec, const struct solve_request *request, const struct solve_pin *pins,
                       int pin_count, struct solve_interval *in)
{
    struct narrowing n = {.spec = spec, .request = request, .in = in, .changed = true};
    for (int g = 0; g < spec->group_count; g++)
        if (request->types[g] && !(spec->levels[request->table].types[g] >> request->types[g] & 1))
            return false;
    for (int i = 0; i < spec->node_count; i++)
        in[i] = start_of(&n, &spec->nodes[i]);
    for (int i = 0; i < spec->parameter_count; i++)
        if (request->parameters[i] >= 0)
            solve_narrow_node(&n, spec->parameters[i].node, request->parameters[i], request->parameters[i]);
    for (int i = 0; i < pin_count; i++)
        solve_narrow_node(&n, pins[i].node, pins[i].value, pins[i].value);
    narrow_fixed_size(&n);
    for (int pass = 0; pass < NARROW_PASSES && n.changed && !n.empty; pass++) {
        n.changed = false;
        narrow_leading(&n);
        narrow_once(&n);
    }
    for (int i = 0; i < spec->field_count && !n.empty; i++)
        if (field_is_tensor(&spec->fields[i]) && !strides_possible(&n, i))
            return false;
    return !n.empty;
}

bool solve_narrow(const struct spec *spec, const struct solve_request *request, struct solve_interval *in)
{
    return solve_narrow_with(spec, request, NULL, 0, in);
}
