/* Steering: sets a part of a description so that a number, or every entry of a list, gets into its range.
 *
 * The wanted ranges go down from a node to its operands, each time undoing one operation with the present values of the
 * other operands, until they reach a part that can be set. If either operand could be set, the left one is: specs have
 * on the left the number that follows from the rest. A concatenation is not steered, since neither part has
 * precedence. */
#include "harness/solve/solve_internal.h"

#include <string.h>

static const int64_t unlimited =
    INT64_MAX / 4; /* sums of two do not overflow; an entry with both of these limits is free */

static const struct solve_interval anything = {-(INT64_MAX / 4), INT64_MAX / 4};

static int64_t solve_steer_clamp(int64_t x, int64_t low, int64_t high)
{
    if (x < low)
        return low;
    return x > high ? high : x;
}

static struct solve_interval interval(int64_t low, int64_t high)
{
    return (struct solve_interval){solve_steer_clamp(low, -unlimited, unlimited),
                                   solve_steer_clamp(high, -unlimited, unlimited)};
}

/* Returns the product, clamped to the limits. */
static int64_t solve_steer_times(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? unlimited : -unlimited;
    return solve_steer_clamp(product, -unlimited, unlimited);
}

static bool is_free(const struct solve_interval *wanted)
{
    return wanted->low <= -unlimited && wanted->high >= unlimited;
}

/* ---- parts that can be set */

/* The values that a part may get. */
struct place {
    struct solve_interval own; /* the values that its type and the rules allow */
    int64_t value;             /* the present value */
};

/* Sets place->value to a value of the range: the present one if it is in the range, else a drawn one, or the nearest.
 * Returns false if the place cannot have such a value: it gets as near as it can, so that another part may do the
 * rest. */
static bool solve_steer_choose(struct solver *s, struct place *place, struct solve_interval wanted)
{
    int64_t low = solve_steer_clamp(wanted.low, place->own.low, place->own.high),
            high = solve_steer_clamp(wanted.high, place->own.low, place->own.high);
    if (wanted.low > wanted.high || place->own.low > place->own.high)
        return false;
    if (place->value >= wanted.low && place->value <= wanted.high)
        return true;
    if (s->request && high > low && high - low < SOLVE_NARROW)
        place->value = low + random_below(s->random, (uint32_t)(high - low) + 1);
    else
        place->value = solve_steer_clamp(place->value, low, high);
    return place->value >= wanted.low && place->value <= wanted.high;
}

static struct solve_interval both(struct solve_interval a, struct solve_interval b)
{
    return interval(a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high);
}

static bool steer_number(struct solver *s, int node, struct solve_interval wanted)
{
    const struct expr *n = &s->spec->nodes[node];
    bool is_signed = n->op == EXPR_ATTR && n->value == EXPR_SIGNED;
    struct place place = {.own = is_signed ? interval(INT32_MIN, INT32_MAX)
                                           : interval(n->op == EXPR_SIZE || n->op == EXPR_DIMS, UINT32_MAX)};
    if (!expr_number_of(s->spec->nodes, node, s->desc, s->element, &place.value))
        return false;
    if (solver_is_pinned(s, node))
        return place.value >= wanted.low && place.value <= wanted.high;
    if (s->in)
        place.own = both(place.own, s->in[node]);
    bool good = solve_steer_choose(s, &place, wanted);
    return expr_assign_of(s->spec->nodes, node, s->desc, s->element, place.value) && good;
}

/* Steers sizes, an array or a slice of either. */
static bool steer_entries(struct solver *s, int node, const struct solve_ranges *wanted)
{
    const struct expr *n = &s->spec->nodes[node], *list = n->op == EXPR_SLICE ? &s->spec->nodes[n->a] : n;
    bool is_signed = list->op == EXPR_ENTRIES && s->spec->fields[list->field].kind == FIELD_INTS;
    int count = 0;
    uint32_t *entries = solve_list(s->spec, node, s->desc, s->element, &count);
    bool good = entries && count == wanted->count && !solver_is_pinned(s, node);
    for (int i = 0, last = good ? count : 0; i < last; i++) {
        struct place place = {.own = is_signed ? interval(INT32_MIN, INT32_MAX) : interval(0, UINT32_MAX),
                              .value = is_signed ? (int32_t)entries[i] : (int64_t)entries[i]};
        if (is_free(&wanted->at[i]))
            continue;
        if (list->op == EXPR_SIZES && wanted->at[i].high >= 1) /* a size becomes 0 only if it must */
            place.own.low = 1;
        if (s->in && list->op == EXPR_ENTRIES)
            place.own = both(place.own, s->in[list - s->spec->nodes]);
        good &= solve_steer_choose(s, &place, wanted->at[i]);
        entries[i] = (uint32_t)place.value;
    }
    return good;
}

/* ---- arithmetic undone */

/* Returns the quotients q of dividend >= 0 with low <= dividend / q <= high, rounded down. */
static struct solve_interval divisors(int64_t dividend, struct solve_interval wanted)
{
    if (dividend < 0 || wanted.high < 0)
        return interval(1, 0);
    return interval(wanted.high >= dividend ? 1 : dividend / (wanted.high + 1) + 1,
                    wanted.low <= 0 ? unlimited : dividend / wanted.low);
}

/* Returns the range of the left operand, now `a`, for which the result is in the range wanted; empty if none is
 * known. */
static struct solve_interval undo_left(enum expr_op op, int64_t a, int64_t b, struct solve_interval w)
{
    a = solve_steer_clamp(a, -unlimited, unlimited);
    b = solve_steer_clamp(b, -unlimited, unlimited);
    w = interval(w.low, w.high);
    switch (op) {
    case EXPR_ADD:
        return interval(w.low - b, w.high - b);
    case EXPR_SUB:
        return interval(w.low + b, w.high + b);
    case EXPR_MUL:
        if (b == 0)
            return w.low <= 0 && w.high >= 0 ? anything : interval(1, 0);
        return b > 0 ? interval(expr_ceiling(w.low, b), expr_floor(w.high, b))
                     : interval(expr_ceiling(w.high, b), expr_floor(w.low, b));
    case EXPR_DIV:
        return b > 0 ? interval(solve_steer_times(w.low, b), solve_steer_times(w.high, b) + b - 1) : interval(1, 0);
    case EXPR_DIV_UP:
        return b > 0 ? interval(solve_steer_times(w.low - 1, b) + 1, solve_steer_times(w.high, b)) : interval(1, 0);
    case EXPR_MOD: {
        if (b <= 0 || w.low >= b || w.high < 0)
            return interval(1, 0);
        int64_t rest = a - b * expr_floor(a, b), wanted = solve_steer_clamp(rest, w.low, w.high);
        return interval(a - rest + wanted, a - rest + wanted);
    }
    case EXPR_MIN:
        if (b < w.low)
            return interval(1, 0);
        return interval(w.low, b <= w.high ? unlimited : w.high);
    case EXPR_MAX:
        if (b > w.high)
            return interval(1, 0);
        return interval(b >= w.low ? -unlimited : w.low, w.high);
    case EXPR_ABS:
        return a < 0 ? interval(-w.high, -solve_steer_clamp(w.low, 0, unlimited))
                     : interval(solve_steer_clamp(w.low, 0, unlimited), w.high);
    case EXPR_IS:
        if (w.low <= 0)
            return anything;
        return w.low == 1 ? interval(b, b) : interval(1, 0);
    default:
        return interval(1, 0);
    }
}

/* Does the same for the right operand, now `b`. */
static struct solve_interval undo_right(enum expr_op op, int64_t a, int64_t b, struct solve_interval w)
{
    a = solve_steer_clamp(a, -unlimited, unlimited);
    w = interval(w.low, w.high);
    switch (op) {
    case EXPR_SUB:
        return interval(a - w.high, a - w.low);
    case EXPR_DIV:
        return divisors(a, w);
    case EXPR_DIV_UP:
    case EXPR_MOD:
        return interval(1, 0);
    default: /* the operation is commutative */
        return undo_left(op, b, a, w);
    }
}

/* Reads the value of an operand; a number becomes a list of one entry. */
static bool solve_steer_value_of(const struct solver *s, int node, struct expr_list *out)
{
    out->count = 1;
    return expr_is_list(&s->spec->nodes[node])
               ? expr_list_of(s->spec->nodes, node, s->desc, s->element, out)
               : expr_number_of(s->spec->nodes, node, s->desc, s->element, &out->items[0]);
}

/* Steers one operand of arithmetic. If it is a number and the result a list, all entries limit it. */
static bool steer_operand(struct solver *s, const struct expr *n, bool right, const struct solve_ranges *wanted)
{
    enum expr_op op = n->op >= EXPR_ADD_EACH ? n->op - EXPR_ADD_EACH + EXPR_ADD : n->op;
    int self = right ? n->b : n->a, other = right ? n->a : n->b;
    struct expr_list mine, others;
    others.items[0] = 0;
    if (!solver_steerable(s->spec, self) || !solve_steer_value_of(s, self, &mine) ||
        (other >= 0 && !solve_steer_value_of(s, other, &others)))
        return false;
    bool single = !expr_is_list(&s->spec->nodes[self]),
         single_other = other < 0 || !expr_is_list(&s->spec->nodes[other]);
    struct solve_ranges ranges;
    ranges.count = single ? 1 : wanted->count;
    ranges.at[0] = anything;
    if ((!single && mine.count != wanted->count) || (!single_other && others.count != wanted->count))
        return false;
    for (int i = 0; i < wanted->count; i++) {
        int64_t x = mine.items[single ? 0 : i], y = others.items[single_other ? 0 : i];
        struct solve_interval range = anything;
        if (!is_free(&wanted->at[i]))
            range = right ? undo_right(op, y, x, wanted->at[i]) : undo_left(op, x, y, wanted->at[i]);
        if (single)
            range = both(range, ranges.at[0]);
        if (range.low > range.high)
            return false;
        ranges.at[single ? 0 : i] = range;
    }
    return solver_steer(s, self, &ranges);
}

/* ---- lists undone */

/* Makes ranges for the whole list that a node takes entries from: all are free. */
static bool whole(const struct solver *s, int node, struct solve_ranges *out)
{
    struct expr_list list;
    if (!expr_list_of(s->spec->nodes, node, s->desc, s->element, &list))
        return false;
    out->count = list.count;
    for (int i = 0; i < list.count; i++)
        out->at[i] = anything;
    return true;
}

static bool steer_slice(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    struct solve_ranges ranges;
    int64_t from, past;
    if (!whole(s, n->a, &ranges) || !expr_number_of(s->spec->nodes, n->b, s->desc, s->element, &from) ||
        !expr_number_of(s->spec->nodes, n->c, s->desc, s->element, &past) || from < 0 || past > ranges.count ||
        past - from != wanted->count)
        return false;
    for (int i = 0; i < wanted->count; i++)
        ranges.at[from + i] = wanted->at[i];
    return solver_steer(s, n->a, &ranges);
}

static bool steer_entry(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    struct solve_ranges ranges;
    int64_t at;
    if (!whole(s, n->a, &ranges) || !expr_number_of(s->spec->nodes, n->b, s->desc, s->element, &at))
        return false;
    at += at < 0 ? ranges.count : 0;
    if (at < 0 || at >= ranges.count)
        return false;
    ranges.at[at] = wanted->at[0];
    return solver_steer(s, n->a, &ranges);
}

static bool steer_fit(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    struct solve_ranges ranges;
    if (!whole(s, n->a, &ranges))
        return false;
    for (int i = 0; i < ranges.count; i++) {
        int from = i - ranges.count + wanted->count;
        if (from >= 0)
            ranges.at[i] = wanted->at[from];
    }
    return solver_steer(s, n->a, &ranges);
}

/* Steers the entries that are not replaced. */
static bool steer_replace(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    struct solve_ranges ranges;
    struct expr_list places;
    if (!solve_steer_value_of(s, n->b, &places))
        return false;
    ranges.count = wanted->count;
    memcpy(ranges.at, wanted->at, (size_t)wanted->count * sizeof *wanted->at);
    for (int i = 0; i < places.count; i++)
        if (places.items[i] >= 0 && places.items[i] < ranges.count)
            ranges.at[places.items[i]] = anything;
    return solver_steer(s, n->a, &ranges);
}

/* Steers the number that all entries have. */
static bool steer_filled(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    struct solve_ranges ranges;
    ranges.count = 1;
    ranges.at[0] = anything;
    for (int i = 0; i < wanted->count; i++) {
        ranges.at[0].low = solve_steer_clamp(ranges.at[0].low, wanted->at[i].low, unlimited);
        ranges.at[0].high = solve_steer_clamp(ranges.at[0].high, -unlimited, wanted->at[i].high);
    }
    return solver_steer(s, n->a, &ranges);
}

/* Steers a sum or product: the last entry that can be set makes up for the rest. */
static bool steer_reduced(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    enum expr_op op = n->op == EXPR_SUM ? EXPR_ADD : EXPR_MUL;
    struct expr_list list;
    if (!expr_list_of(s->spec->nodes, n->a, s->desc, s->element, &list))
        return false;
    for (int i = list.count; i-- > 0;) {
        struct solve_ranges ranges;
        ranges.count = list.count;
        int64_t rest = op == EXPR_MUL;
        bool known = true;
        for (int j = 0; j < list.count; j++) {
            ranges.at[j] = anything;
            known &= j == i || expr_apply(op, rest, list.items[j], &rest);
        }
        ranges.at[i] = undo_left(op, list.items[i], rest, wanted->at[0]);
        if (known && ranges.at[i].low <= ranges.at[i].high && solver_steer(s, n->a, &ranges))
            return true;
    }
    return false;
}

/* Steers the number of each element of an array to the range of its entry. */
static bool steer_map(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    int kept = s->element;
    bool good = wanted->count == (int)opdesc_count(s->desc, n->field);
    for (int i = 0; good && i < wanted->count; i++) {
        struct solve_ranges range;
        range.count = 1;
        range.at[0] = wanted->at[i];
        s->element = i;
        good = is_free(&wanted->at[i]) || solver_steer(s, n->a, &range);
    }
    s->element = kept;
    return good;
}

/* Makes leading sizes 1, or one of them 2. */
static bool steer_effective_rank(struct solver *s, const struct expr *n, struct solve_interval wanted)
{
    struct opdesc_tensor *t = expr_tensor_to_set(n, s->desc, s->element);
    if (!t || !t->has_sizes || wanted.low > wanted.high)
        return false;
    int64_t rank = opdesc_effective_rank(t), target = solve_steer_clamp(rank, wanted.low, wanted.high);
    bool grows = target > t->dims;
    if (target < 0 || target > OPDESC_MAX_DIMENSIONS || (grows && solver_is_pinned(s, s->spec->dims_nodes[n->field])))
        return false;
    if (grows) {
        opdesc_resize(t, (uint32_t)target);
        t->has_strides = false;
    }
    for (uint32_t i = 0; i < t->dims && i < t->dims - (uint32_t)target; i++)
        t->sizes[i] = 1;
    if (target > rank)
        t->sizes[t->dims - (uint32_t)target] = 2;
    return true;
}

/* Steers the number that counts. */
static bool steer_otherwise(struct solver *s, const struct expr *n, const struct solve_ranges *wanted)
{
    int64_t value;
    bool is_first = expr_number_of(s->spec->nodes, n->a, s->desc, s->element, &value);
    return solver_steer(s, is_first ? n->a : n->b, wanted);
}

/* Returns true if the list is part of a description. */
static bool solve_steer_is_stored(const struct expr *node)
{
    return node->op == EXPR_SIZES || node->op == EXPR_ENTRIES;
}

bool solver_steer(struct solver *s, int node, const struct solve_ranges *wanted)
{
    const struct expr *n = &s->spec->nodes[node];
    if (expr_assignable(n))
        return steer_number(s, node, wanted->at[0]);
    if (expr_is_arithmetic(n))
        return steer_operand(s, n, false, wanted) || (n->b >= 0 && steer_operand(s, n, true, wanted));
    switch (n->op) {
    case EXPR_SIZES:
    case EXPR_ENTRIES:
        return steer_entries(s, node, wanted);
    case EXPR_SLICE:
        return solve_steer_is_stored(&s->spec->nodes[n->a]) ? steer_entries(s, node, wanted)
                                                            : steer_slice(s, n, wanted);
    case EXPR_MAP:
        return steer_map(s, n, wanted);
    case EXPR_EFFECTIVE_RANK:
        return steer_effective_rank(s, n, wanted->at[0]);
    case EXPR_ENTRY:
        return steer_entry(s, n, wanted);
    case EXPR_OTHERWISE:
        return steer_otherwise(s, n, wanted);
    case EXPR_FIT:
        return steer_fit(s, n, wanted);
    case EXPR_REPLACE:
        return steer_replace(s, n, wanted);
    case EXPR_LIST:
        return solver_steer(s, n->a, wanted);
    case EXPR_FILLED:
        return steer_filled(s, n, wanted);
    case EXPR_SUM:
    case EXPR_PRODUCT:
        return steer_reduced(s, n, wanted);
    default:
        return false;
    }
}

bool solver_steerable(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    if (expr_assignable(n) || solve_steer_is_stored(n) || n->op == EXPR_EFFECTIVE_RANK)
        return true;
    if (expr_is_arithmetic(n) || n->op == EXPR_OTHERWISE)
        return solver_steerable(spec, n->a) || (n->b >= 0 && solver_steerable(spec, n->b));
    switch (n->op) {
    case EXPR_SLICE:
    case EXPR_ENTRY:
    case EXPR_FIT:
    case EXPR_REPLACE:
    case EXPR_LIST:
    case EXPR_FILLED:
    case EXPR_SUM:
    case EXPR_PRODUCT:
    case EXPR_MAP:
        return solver_steerable(spec, n->a);
    default:
        return false;
    }
}

int solve_leaf(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    if (!solver_steerable(spec, node))
        return -1;
    while (!expr_assignable(n) && !solve_steer_is_stored(n) && n->op != EXPR_EFFECTIVE_RANK &&
           !(n->op == EXPR_SLICE && solve_steer_is_stored(&spec->nodes[n->a]))) {
        node = solver_steerable(spec, n->a) ? n->a : n->b;
        n = &spec->nodes[node];
    }
    return node;
}
