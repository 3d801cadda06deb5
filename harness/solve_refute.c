/* The refuting half of solve.h: requests that no description meets, found without trying any.
 *
 * Each number that the rules speak of lies in an interval: what was asked for, what the level's table and the kind of
 * number allow. Conditions narrow the intervals; one that becomes empty, or a condition that cannot hold in them,
 * refutes the request. What is not refuted may still be impossible. */
#include "harness/solve.h"

enum { REFUTE_MAX_NUMBERS = 64, REFUTE_PASSES = 4 };

static const int64_t unbounded = (int64_t)1 << 48; /* sums and differences of a few of these do not overflow */

struct interval {
    int64_t low, high;
};

struct refutation {
    const struct spec *spec;
    const struct solve_request *request;
    struct {
        int node;
        struct interval in;
    } numbers[REFUTE_MAX_NUMBERS];
    int count;
    bool changed, refuted;
};

/* What is known of a number before any rule is looked at. */
static struct interval interval_of_kind(const struct refutation *r, int node)
{
    const struct expr *n = &r->spec->nodes[node];
    const struct spec_range *dims = &r->spec->levels[r->request->table].dims[n->field];
    for (int i = 0; i < r->spec->parameter_count; i++)
        if (r->request->parameters[i] >= 0 && expr_same(r->spec->nodes, node, r->spec->parameters[i].node))
            return (struct interval){r->request->parameters[i], r->request->parameters[i]};
    switch (n->op) {
    case EXPR_CONST:
        return (struct interval){n->value, n->value};
    case EXPR_ATTR:
        return (struct interval){0, UINT32_MAX};
    case EXPR_DIMS:
        return (struct interval){dims->low, dims->high};
    case EXPR_EFFECTIVE_RANK:
        return (struct interval){0, dims->high};
    case EXPR_SIZE:
    case EXPR_ELEMENTS:
        return (struct interval){1, UINT32_MAX};
    default:
        return (struct interval){-unbounded, unbounded};
    }
}

/* The interval of a number that is no arithmetic, to be read and narrowed; null: there are too many. */
static struct interval *number_at(struct refutation *r, int node)
{
    for (int i = 0; i < r->count; i++)
        if (expr_same(r->spec->nodes, r->numbers[i].node, node))
            return &r->numbers[i].in;
    if (r->count == REFUTE_MAX_NUMBERS)
        return NULL;
    r->numbers[r->count].node = node;
    r->numbers[r->count].in = interval_of_kind(r, node);
    return &r->numbers[r->count++].in;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greatest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool is_arithmetic(const struct expr *node)
{
    return node->op >= EXPR_ADD && node->op <= EXPR_MAX;
}

static struct interval evaluate(struct refutation *r, int node)
{
    const struct expr *n = &r->spec->nodes[node];
    struct interval all = {-unbounded, unbounded}, out = all;
    if (!is_arithmetic(n)) {
        const struct interval *number = number_at(r, node);
        return number ? *number : all;
    }
    struct interval a = evaluate(r, n->a), b = evaluate(r, n->b);
    switch (n->op) {
    case EXPR_ADD:
        out = (struct interval){a.low + b.low, a.high + b.high};
        break;
    case EXPR_SUB:
        out = (struct interval){a.low - b.high, a.high - b.low};
        break;
    case EXPR_MIN:
        out = (struct interval){least(a.low, b.low), least(a.high, b.high)};
        break;
    case EXPR_MAX:
        out = (struct interval){greatest(a.low, b.low), greatest(a.high, b.high)};
        break;
    default:
        break;
    }
    return (struct interval){greatest(out.low, -unbounded), least(out.high, unbounded)};
}

static void narrow(struct refutation *r, int node, int64_t low, int64_t high)
{
    struct interval *in = is_arithmetic(&r->spec->nodes[node]) ? NULL : number_at(r, node);
    if (!in)
        return;
    r->changed |= low > in->low || high < in->high;
    *in = (struct interval){greatest(low, in->low), least(high, in->high)};
    r->refuted |= in->low > in->high;
}

/* low <= high, both nodes. */
static void require_order(struct refutation *r, int low, int high)
{
    struct interval l = evaluate(r, low), h = evaluate(r, high);
    r->refuted |= l.low > h.high;
    narrow(r, high, l.low, unbounded);
    narrow(r, low, -unbounded, h.high);
}

/* Whether a condition must hold in any legal description: it is one of a rule itself. */
static bool is_required(const struct refutation *r, const struct atom *condition)
{
    const struct expr *nodes = r->spec->nodes;
    for (int i = 0; i < r->spec->rule_count; i++) {
        const struct rule *rule = &r->spec->rules[i];
        for (int j = 0; j < rule->atom_count; j++) {
            const struct atom *a = &r->spec->atoms[rule->first_atom + j];
            if (a->when < 0 && a->kind == condition->kind && expr_same(nodes, a->x, condition->x) &&
                expr_same(nodes, a->low, condition->low) && expr_same(nodes, a->high, condition->high))
                return rule_applies(rule, r->spec->levels[r->request->table].level);
        }
    }
    return false;
}

static void require_rule(struct refutation *r, const struct rule *rule)
{
    for (int i = 0; i < rule->atom_count; i++) {
        const struct atom *a = &r->spec->atoms[rule->first_atom + i];
        if (a->kind != ATOM_BETWEEN || (a->when >= 0 && !is_required(r, &r->spec->atoms[a->when])))
            continue;
        if (a->low >= 0)
            require_order(r, a->low, a->x);
        if (a->high >= 0)
            require_order(r, a->x, a->high);
    }
}

bool solve_refuted(const struct spec *spec, const struct solve_request *request)
{
    struct refutation r = {.spec = spec, .request = request, .changed = true};
    DML_FEATURE_LEVEL level = spec->levels[request->table].level;
    for (int g = 0; g < spec->group_count; g++)
        if (request->types[g] && !(spec->levels[request->table].types[g] >> request->types[g] & 1))
            return true;
    for (int i = 0; i < spec->parameter_count; i++) {
        const struct expr *node = &spec->nodes[spec->parameters[i].node];
        int64_t value = request->parameters[i];
        const struct spec_range *dims = &spec->levels[request->table].dims[node->field];
        if (value >= 0 && node->op == EXPR_DIMS && (value < dims->low || value > dims->high))
            return true;
        if (value == 0 && node->op == EXPR_SIZE)
            return true;
    }
    for (int pass = 0; pass < REFUTE_PASSES && r.changed && !r.refuted; pass++) {
        r.changed = false;
        for (int i = 0; i < spec->rule_count && !r.refuted; i++)
            if (rule_applies(&spec->rules[i], level))
                require_rule(&r, &spec->rules[i]);
    }
    return r.refuted;
}
