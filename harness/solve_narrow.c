/* The narrowing half of solve.h: in which interval each number lies, if the request is to be met.
 *
 * An interval starts as what was asked for, or what the level's table and the kind of number allow. Conditions narrow
 * it: from the parts of a sum to the sum, from one side of a comparison to the other, and from a sum back to its parts.
 * An interval that becomes empty refutes the request. What is not refuted may still be impossible. */
#include "harness/solve.h"

enum { NARROW_PASSES = 8 };

static const int64_t unbounded = (int64_t)1 << 48; /* sums and differences of a few of these do not overflow */

struct narrowing {
    const struct spec *spec;
    const struct solve_request *request;
    struct solve_interval *in; /* per node */
    bool changed, empty;
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What is known of a number before any rule is looked at. */
static struct solve_interval start_of(const struct narrowing *n, const struct expr *node)
{
    const struct spec_level *level = &n->spec->levels[n->request->table];
    switch (node->op) {
    case EXPR_CONST:
        return (struct solve_interval){node->value, node->value};
    case EXPR_ATTR:
        return (struct solve_interval){0, UINT32_MAX};
    case EXPR_DIMS:
        return (struct solve_interval){level->dims[node->field].low, level->dims[node->field].high};
    case EXPR_EFFECTIVE_RANK:
        return (struct solve_interval){0, level->dims[node->field].high};
    case EXPR_SIZE:
    case EXPR_ELEMENTS:
        return (struct solve_interval){1, UINT32_MAX};
    case EXPR_OVERLAP:
        return n->request->strides[node->field] == STRIDES_BROADCAST ? (struct solve_interval){1, 1}
                                                                     : (struct solve_interval){0, 0};
    default:
        return (struct solve_interval){-unbounded, unbounded};
    }
}

static void narrow(struct narrowing *n, int node, int64_t low, int64_t high)
{
    struct solve_interval *in = &n->in[node];
    if (low <= in->low && high >= in->high)
        return;
    *in = (struct solve_interval){greatest(low, in->low), least(high, in->high)};
    n->changed = true;
    n->empty |= in->low > in->high;
}

/* Operands to result. */
static void narrow_up(struct narrowing *n, int node)
{
    const struct expr *e = &n->spec->nodes[node];
    const struct solve_interval a = n->in[e->a], b = n->in[e->b];
    switch (e->op) {
    case EXPR_ADD:
        narrow(n, node, a.low + b.low, a.high + b.high);
        break;
    case EXPR_SUB:
        narrow(n, node, a.low - b.high, a.high - b.low);
        break;
    case EXPR_MIN:
        narrow(n, node, least(a.low, b.low), least(a.high, b.high));
        break;
    case EXPR_MAX:
        narrow(n, node, greatest(a.low, b.low), greatest(a.high, b.high));
        break;
    default:
        break;
    }
}

/* Result to operands. */
static void narrow_down(struct narrowing *n, int node)
{
    const struct expr *e = &n->spec->nodes[node];
    const struct solve_interval a = n->in[e->a], b = n->in[e->b], x = n->in[node];
    switch (e->op) {
    case EXPR_ADD:
        narrow(n, e->a, x.low - b.high, x.high - b.low);
        narrow(n, e->b, x.low - a.high, x.high - a.low);
        break;
    case EXPR_SUB:
        narrow(n, e->a, x.low + b.low, x.high + b.high);
        narrow(n, e->b, a.low - x.high, a.high - x.low);
        break;
    case EXPR_MIN:
        narrow(n, e->a, x.low, unbounded);
        narrow(n, e->b, x.low, unbounded);
        break;
    case EXPR_MAX:
        narrow(n, e->a, -unbounded, x.high);
        narrow(n, e->b, -unbounded, x.high);
        break;
    default:
        break;
    }
}

static void require_order(struct narrowing *n, int low, int high)
{
    narrow(n, high, n->in[low].low, unbounded);
    narrow(n, low, -unbounded, n->in[high].high);
}

/* Whether a condition must hold in any legal description: a rule demands the same. */
static bool is_required(const struct narrowing *n, const struct atom *condition)
{
    for (int i = 0; i < n->spec->rule_count; i++) {
        const struct rule *rule = &n->spec->rules[i];
        if (!rule_applies(rule, n->spec->levels[n->request->table].level))
            continue;
        for (int j = 0; j < rule->atom_count; j++) {
            const struct atom *a = &n->spec->atoms[rule->first_atom + j];
            if (a->when < 0 && a->kind == ATOM_BETWEEN && condition->kind == ATOM_BETWEEN && a->x == condition->x &&
                a->low == condition->low && a->high == condition->high)
                return true;
        }
    }
    return false;
}

static void narrow_by_rule(struct narrowing *n, const struct rule *rule)
{
    for (int i = 0; i < rule->atom_count; i++) {
        const struct atom *a = &n->spec->atoms[rule->first_atom + i];
        if (a->kind != ATOM_BETWEEN || (a->when >= 0 && !is_required(n, &n->spec->atoms[a->when])))
            continue;
        if (a->low >= 0)
            require_order(n, a->low, a->x);
        if (a->high >= 0)
            require_order(n, a->x, a->high);
    }
}

static bool is_arithmetic(const struct expr *node)
{
    return node->op >= EXPR_ADD && node->op <= EXPR_MAX;
}

/* Operands stand before what is made of them. */
static void narrow_once(struct narrowing *n)
{
    const struct spec *spec = n->spec;
    for (int i = 0; i < spec->node_count; i++)
        if (is_arithmetic(&spec->nodes[i]))
            narrow_up(n, i);
    for (int i = 0; i < spec->rule_count; i++)
        if (rule_applies(&spec->rules[i], spec->levels[n->request->table].level))
            narrow_by_rule(n, &spec->rules[i]);
    for (int i = spec->node_count; i-- > 0;)
        if (is_arithmetic(&spec->nodes[i]))
            narrow_down(n, i);
}

/* The size that was asked for, where a rule speaks of it: counted from the end, as the request does. */
static void narrow_fixed_size(struct narrowing *n)
{
    for (int i = 0; i < n->spec->node_count && n->request->fixed.field >= 0; i++) {
        const struct expr *node = &n->spec->nodes[i];
        if (node->op == EXPR_SIZE && node->field == n->request->fixed.field &&
            n->spec->nodes[node->a].op == EXPR_CONST &&
            n->spec->nodes[node->a].value == -1 - (int64_t)n->request->fixed.from_last)
            narrow(n, i, n->request->fixed.size, n->request->fixed.size);
    }
}

/* Whether a rule leaves the tensor a single element. */
static bool is_scalar(const struct narrowing *n, int field)
{
    for (int i = 0; i < n->spec->rule_count; i++) {
        const struct rule *rule = &n->spec->rules[i];
        for (int j = 0; j < rule->atom_count; j++) {
            const struct atom *a = &n->spec->atoms[rule->first_atom + j];
            if (a->kind == ATOM_EACH && a->when < 0 && a->high >= 0 && n->in[a->high].high == 1 &&
                n->spec->nodes[a->x].op == EXPR_SIZES && n->spec->nodes[a->x].field == field &&
                rule_applies(rule, n->spec->levels[n->request->table].level))
                return true;
        }
    }
    return false;
}

/* Whether a tensor can have strides of the class that was asked for, as far as can be seen. */
static bool strides_possible(const struct narrowing *n, int field)
{
    const struct spec *spec = n->spec;
    enum stride_class class = n->request->strides[field];
    if (class <= STRIDES_PACKED)
        return true;
    if (is_scalar(n, field))
        return false;
    for (int i = 0; i < spec->node_count && class == STRIDES_PERMUTED; i++)
        if (spec->nodes[i].op == EXPR_DIMS && spec->nodes[i].field == field && n->in[i].high < 2)
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
            narrow(&n, spec->parameters[i].node, request->parameters[i], request->parameters[i]);
    for (int i = 0; i < pin_count; i++)
        narrow(&n, pins[i].node, pins[i].value, pins[i].value);
    narrow_fixed_size(&n);
    for (int pass = 0; pass < NARROW_PASSES && n.changed && !n.empty; pass++) {
        n.changed = false;
        narrow_once(&n);
    }
    for (int i = 0; i < spec->field_count && !n.empty; i++)
        if (spec->fields[i].kind != FIELD_UINT && !strides_possible(&n, i))
            return false;
    return !n.empty;
}

bool solve_narrow(const struct spec *spec, const struct solve_request *request, struct solve_interval *in)
{
    return solve_narrow_with(spec, request, NULL, 0, in);
}
