/* This file evaluates the lists of expr.h. */
#include "harness/spec/expr.h"

#include <string.h>

/* The parameters of every function in `appends`; not all functions use all of them. */
#define LIST_OPERANDS                                                                                                  \
    __attribute__((unused)) const struct expr *nodes, const struct expr *node, const struct opdesc *desc, int element, \
        struct expr_list *out

typedef bool append_function(LIST_OPERANDS);

/* The functions that append the list of a node to another list, by operation. */
static append_function *const appends[EXPR_SCALAR + 1];

static bool expr_list_append(const struct expr *nodes, int at, const struct opdesc *desc, int element,
                             struct expr_list *out)
{
    return appends[nodes[at].op](nodes, &nodes[at], desc, element, out);
}

/* Appends sizes `from` to `to` - 1 of a tensor. */
static bool append_sizes(const struct opdesc_tensor *t, int64_t from, int64_t to, struct expr_list *out)
{
    int64_t *end = out->items + out->count;
    if (!t->present || !t->has_sizes || from < 0 || to < from || to > t->dims || to - from > EXPR_MAX_LIST - out->count)
        return false;
    for (int64_t i = from; i < to; i++)
        *end++ = t->sizes[i];
    out->count += (int)(to - from);
    return true;
}

static bool append_same(int64_t value, int64_t count, struct expr_list *out)
{
    int64_t *end = out->items + out->count;
    if (count < 0 || count > EXPR_MAX_LIST - out->count)
        return false;
    for (int64_t i = 0; i < count; i++)
        *end++ = value;
    out->count += (int)count;
    return true;
}

static bool append_list(const struct expr_list *list, struct expr_list *out)
{
    if (list->count > EXPR_MAX_LIST - out->count)
        return false;
    memcpy(out->items + out->count, list->items, (size_t)list->count * sizeof *list->items);
    out->count += list->count;
    return true;
}

static bool list_of_entries(const struct opdesc *desc, int field, struct expr_list *out)
{
    if (!opdesc_present(desc, field))
        return false;
    out->count = (int)opdesc_count(desc, field);
    for (int i = 0; i < out->count; i++)
        out->items[i] = opdesc_entry(desc, field, (unsigned)i);
    return true;
}

/* Makes a list of `count` zeros, but entry `one` is 1 if the list has such an entry. */
static bool list_of_unit(int64_t count, int one, struct expr_list *out)
{
    if (count < 0 || count > EXPR_MAX_LIST)
        return false;
    out->count = (int)count;
    for (int i = 0; i < out->count; i++)
        out->items[i] = i == one && i < OPDESC_MAX_DIMENSIONS;
    return true;
}

static bool list_of_elements(const struct expr *nodes, const struct expr *node, const struct opdesc *desc,
                             struct expr_list *out)
{
    out->count = (int)opdesc_count(desc, node->field);
    for (int i = 0; i < out->count; i++)
        if (!expr_number_of(nodes, node->a, desc, i, &out->items[i]))
            return false;
    return true;
}

static bool list_slice(struct expr_list *list, int64_t from, int64_t to)
{
    if (from < 0 || to < from || to > list->count)
        return false;
    for (int64_t i = from; i < to; i++)
        list->items[i - from] = list->items[i];
    list->count = (int)(to - from);
    return true;
}

static bool list_fit(struct expr_list *list, int64_t length)
{
    if (length < 0 || length > EXPR_MAX_LIST)
        return false;
    int count = (int)length, shift = count - list->count;
    memmove(list->items + (shift > 0 ? shift : 0), list->items - (shift < 0 ? shift : 0),
            (size_t)(shift > 0 ? list->count : count) * sizeof *list->items);
    for (int i = 0; i < shift; i++)
        list->items[i] = 1;
    list->count = count;
    return true;
}

/* Replaces the entry at number `at`, or the entries at all numbers of list `at`. */
static bool list_replace(const struct expr *nodes, int at, const struct opdesc *desc, int element, int64_t by,
                         struct expr_list *out)
{
    struct expr_list places;
    places.count = 1;
    if (!(expr_is_list(&nodes[at]) ? expr_list_of(nodes, at, desc, element, &places)
                                   : expr_number_of(nodes, at, desc, element, &places.items[0])))
        return false;
    for (int i = 0; i < places.count; i++) {
        if (places.items[i] < 0 || places.items[i] >= out->count)
            return false;
        out->items[places.items[i]] = by;
    }
    return true;
}

/* Replaces the sizes in a list by their weights: the growth of a row-major number along each dimension. */
static bool list_weights(struct expr_list *list)
{
    int64_t weight = 1;
    for (int i = list->count - 1; i >= 0; i--) {
        int64_t size = list->items[i];
        list->items[i] = weight;
        if (i > 0 && __builtin_mul_overflow(weight, size, &weight))
            return false;
    }
    return true;
}

/* Evaluates an operand of arithmetic entry by entry. A number gets `*step` 0, so that its one entry stands for all. */
static bool list_operand(const struct expr *nodes, int at, const struct opdesc *desc, int element,
                         struct expr_list *out, int *step)
{
    *step = expr_is_list(&nodes[at]);
    out->items[0] = 0;
    return *step ? expr_list_of(nodes, at, desc, element, out)
                 : expr_number_of(nodes, at, desc, element, &out->items[0]);
}

static bool list_apply(const struct expr *nodes, const struct expr *node, const struct opdesc *desc, int element,
                       struct expr_list *out)
{
    struct expr_list b;
    int of_a, of_b = 0;
    if (!list_operand(nodes, node->a, desc, element, out, &of_a) ||
        (node->b >= 0 && !list_operand(nodes, node->b, desc, element, &b, &of_b)) ||
        (of_a && of_b && out->count != b.count))
        return false;
    out->count = of_b ? b.count : out->count;
    int64_t first = out->items[0];
    for (int i = 0; i < out->count; i++) {
        int64_t right = 0;
        if (node->b >= 0)
            right = b.items[of_b ? i : 0];
        if (!expr_apply(node->op, of_a ? out->items[i] : first, right, &out->items[i]))
            return false;
    }
    return true;
}

/* Makes a list of any kind that has no function of its own in `appends`. */
static bool make_list(LIST_OPERANDS)
{
    struct expr_list more;
    int64_t b, c;
    switch (node->op) {
    case EXPR_ENTRIES:
        return list_of_entries(desc, node->field, out);
    case EXPR_MAP:
        return list_of_elements(nodes, node, desc, out);
    case EXPR_SLICE:
        return expr_number_of(nodes, node->b, desc, element, &b) && expr_number_of(nodes, node->c, desc, element, &c) &&
               expr_list_of(nodes, node->a, desc, element, out) && list_slice(out, b, c);
    case EXPR_PLACE:
        return list_of_unit(OPDESC_TENSOR(desc, node->field)->dims, element - expr_unit(EXPR_UNIT_PLACE, 0), out);
    case EXPR_STEP:
        return expr_list_of(nodes, node->a, desc, 0, &more) &&
               list_of_unit(more.count, element - expr_unit(EXPR_UNIT_STEP, 0), out);
    case EXPR_DIVIDED:
        return expr_list_of(nodes, node->c, desc, 0, &more) &&
               list_of_unit(more.count, element - expr_unit(EXPR_UNIT_FOUND, 0), out);
    case EXPR_GATHERED: {
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, node->field);
        return t->dims > 0 && list_of_unit(t->sizes[t->dims - 1], element - expr_unit(EXPR_UNIT_FOUND, 0), out);
    }
    case EXPR_WEIGHTS:
        return expr_list_of(nodes, node->a, desc, element, out) && list_weights(out);
    case EXPR_FIT:
        return expr_list_of(nodes, node->a, desc, element, out) && expr_number_of(nodes, node->b, desc, element, &b) &&
               list_fit(out, b);
    case EXPR_REPLACE:
        return expr_list_of(nodes, node->a, desc, element, out) && expr_number_of(nodes, node->c, desc, element, &c) &&
               list_replace(nodes, node->b, desc, element, c, out);
    default:
        return list_apply(nodes, node, desc, element, out);
    }
}

/* Most lists consist of sizes, so these are appended without a list in between. */
static bool append_all_sizes(LIST_OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    return append_sizes(t, 0, t->dims, out);
}

static bool append_made(LIST_OPERANDS)
{
    struct expr_list more;
    if (out->count == 0)
        return make_list(nodes, node, desc, element, out);
    return make_list(nodes, node, desc, element, &more) && append_list(&more, out);
}

static bool append_slice(LIST_OPERANDS)
{
    int64_t from, to;
    if (nodes[node->a].op != EXPR_SIZES)
        return append_made(nodes, node, desc, element, out);
    return expr_number_of(nodes, node->b, desc, element, &from) && expr_number_of(nodes, node->c, desc, element, &to) &&
           append_sizes(expr_tensor(&nodes[node->a], desc, element), from, to, out);
}

static bool append_concat(LIST_OPERANDS)
{
    return expr_list_append(nodes, node->a, desc, element, out) && expr_list_append(nodes, node->b, desc, element, out);
}

static bool append_number(LIST_OPERANDS)
{
    int64_t value;
    return expr_number_of(nodes, node->a, desc, element, &value) && append_same(value, 1, out);
}

static bool append_filled(LIST_OPERANDS)
{
    int64_t value, count;
    return expr_number_of(nodes, node->a, desc, element, &value) &&
           expr_number_of(nodes, node->b, desc, element, &count) && append_same(value, count, out);
}

static append_function *const appends[EXPR_SCALAR + 1] = {
    [EXPR_CONST... EXPR_ENTRY] = append_made, /* undefined: these are no lists */
    [EXPR_SIZES] = append_all_sizes,
    [EXPR_ENTRIES] = append_made,
    [EXPR_MAP] = append_made,
    [EXPR_SLICE] = append_slice,
    [EXPR_CONCAT] = append_concat,
    [EXPR_FIT] = append_made,
    [EXPR_REPLACE] = append_made,
    [EXPR_LIST] = append_number,
    [EXPR_FILLED] = append_filled,
    [EXPR_WEIGHTS... EXPR_SCALAR] = append_made,
};

bool expr_list_of(const struct expr *nodes, int at, const struct opdesc *desc, int element, struct expr_list *out)
{
    out->count = 0;
    return expr_list_append(nodes, at, desc, element, out);
}
