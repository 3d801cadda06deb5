#include "harness/spec/expr.h"

#include "harness/base/datatype.h"

#include <string.h>

bool expr_is_list(const struct expr *node)
{
    return node->op >= EXPR_SIZES;
}

/* Size `a` of the node's tensor, or null. */
static const uint32_t *size_at(const struct expr *nodes, const struct expr *node, const struct opdesc *desc)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(desc, node->field);
    int64_t index;
    if (!t->present || !t->has_sizes || !expr_number(nodes, node->a, desc, &index))
        return NULL;
    if (index < 0)
        index += t->dims;
    return index >= 0 && index < t->dims ? &t->sizes[index] : NULL;
}

bool expr_number(const struct expr *nodes, int at, const struct opdesc *desc, int64_t *out)
{
    const struct expr *node = &nodes[at];
    const struct opdesc_tensor *t = OPDESC_TENSOR(desc, node->field);
    const uint32_t *size;
    int64_t a, b;
    switch (node->op) { /* one jump: a search spends most of its time here */
    case EXPR_CONST:
        *out = node->value;
        return true;
    case EXPR_ATTR:
        *out = desc->values[node->field].number;
        return true;
    case EXPR_PRESENT:
        *out = t->present;
        return true;
    case EXPR_DIMS:
        *out = t->dims;
        return t->present;
    case EXPR_DATA_TYPE:
        *out = t->data_type;
        return t->present;
    case EXPR_TENSOR_TYPE:
        *out = t->type;
        return t->present;
    case EXPR_FLAGS:
        *out = t->flags;
        return t->present;
    case EXPR_ALIGNMENT:
        *out = t->alignment;
        return t->present;
    case EXPR_TOTAL:
        *out = t->total > INT64_MAX ? INT64_MAX : (int64_t)t->total;
        return t->present;
    case EXPR_HAS_SIZES:
        *out = t->has_sizes;
        return t->present;
    case EXPR_ELEMENT_BYTES:
        *out = (datatype_of(t->data_type)->bits + 7) / 8;
        return t->present && *out > 0;
    case EXPR_ELEMENTS:
        *out = opdesc_elements(t);
        return t->present && t->has_sizes;
    case EXPR_EXTENT:
        *out = opdesc_extent(t);
        return t->present && t->has_sizes;
    case EXPR_IMPLIED:
        *out = opdesc_implied(t);
        return t->present && t->has_sizes && datatype_of(t->data_type)->bits > 0;
    case EXPR_EFFECTIVE_RANK:
        *out = opdesc_effective_rank(t);
        return t->present && t->has_sizes;
    case EXPR_OVERLAP:
        *out = opdesc_overlaps(t);
        return t->present && t->has_sizes;
    case EXPR_SIZE:
        size = size_at(nodes, node, desc);
        if (size)
            *out = *size;
        return size != NULL;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_MIN:
    case EXPR_MAX:
        if (!expr_number(nodes, node->a, desc, &a) || !expr_number(nodes, node->b, desc, &b))
            return false;
        if (node->op == EXPR_MIN || node->op == EXPR_MAX) {
            *out = (node->op == EXPR_MIN) == (a < b) ? a : b;
            return true;
        }
        return !(node->op == EXPR_ADD   ? __builtin_add_overflow(a, b, out)
                 : node->op == EXPR_SUB ? __builtin_sub_overflow(a, b, out)
                                        : __builtin_mul_overflow(a, b, out));
    default:
        return false;
    }
}

static bool list_of_sizes(const struct opdesc_tensor *t, struct expr_list *out)
{
    if (!t->present || !t->has_sizes)
        return false;
    out->count = (int)t->dims;
    for (uint32_t i = 0; i < t->dims; i++)
        out->items[i] = t->sizes[i];
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

bool expr_list(const struct expr *nodes, int at, const struct opdesc *desc, struct expr_list *out)
{
    const struct expr *node = &nodes[at];
    struct expr_list more;
    int64_t b, c;
    switch (node->op) {
    case EXPR_SIZES:
        return list_of_sizes(OPDESC_TENSOR(desc, node->field), out);
    case EXPR_SLICE:
        return expr_list(nodes, node->a, desc, out) && expr_number(nodes, node->b, desc, &b) &&
               expr_number(nodes, node->c, desc, &c) && list_slice(out, b, c);
    case EXPR_CONCAT:
        if (!expr_list(nodes, node->a, desc, out) || !expr_list(nodes, node->b, desc, &more) ||
            out->count + more.count > EXPR_MAX_LIST)
            return false;
        for (int i = 0; i < more.count; i++)
            out->items[out->count++] = more.items[i];
        return true;
    case EXPR_FIT:
        return expr_list(nodes, node->a, desc, out) && expr_number(nodes, node->b, desc, &b) && list_fit(out, b);
    case EXPR_REPLACE:
        if (!expr_list(nodes, node->a, desc, out) || !expr_number(nodes, node->b, desc, &b) ||
            !expr_number(nodes, node->c, desc, &c) || b < 0 || b >= out->count)
            return false;
        out->items[b] = c;
        return true;
    case EXPR_LIST:
        out->count = 1;
        return expr_number(nodes, node->a, desc, &out->items[0]);
    default:
        return false;
    }
}

bool expr_assignable(const struct expr *node)
{
    switch (node->op) {
    case EXPR_ATTR:
    case EXPR_DIMS:
    case EXPR_DATA_TYPE:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_ALIGNMENT:
    case EXPR_TOTAL:
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
    case EXPR_SIZE:
        return true;
    default:
        return false;
    }
}

bool expr_assign(const struct expr *nodes, int at, struct opdesc *desc, int64_t value)
{
    const struct expr *node = &nodes[at];
    struct opdesc_tensor *t = OPDESC_TENSOR(desc, node->field);
    uint32_t *place = NULL;
    switch (node->op) {
    case EXPR_ATTR:
        if (value < 0 || value > UINT32_MAX)
            return false;
        desc->values[node->field].number = value;
        return true;
    case EXPR_PRESENT:
        t->present = value != 0;
        return true;
    case EXPR_HAS_SIZES:
        t->has_sizes = value != 0;
        return true;
    case EXPR_TOTAL:
        if (value < 0)
            return false;
        t->total = (uint64_t)value;
        return true;
    case EXPR_DIMS:
        if (value < 0 || value > OPDESC_MAX_DIMENSIONS)
            return false;
        opdesc_resize(t, (uint32_t)value);
        return true;
    case EXPR_DATA_TYPE:
        place = &t->data_type;
        break;
    case EXPR_TENSOR_TYPE:
        place = &t->type;
        break;
    case EXPR_FLAGS:
        place = &t->flags;
        break;
    case EXPR_ALIGNMENT:
        place = &t->alignment;
        break;
    case EXPR_SIZE:
        place = (uint32_t *)(uintptr_t)size_at(nodes, node, desc); /* the cast is safe: `desc` is not const */
        break;
    default:
        return false;
    }
    if (!place || value < 0 || value > UINT32_MAX)
        return false;
    *place = (uint32_t)value;
    return true;
}
