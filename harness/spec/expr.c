#include "harness/spec/expr.h"

#include "harness/base/datatype.h"

#include <string.h>

/* The parameters of every function in expr_computes; not all functions use all of them. */
#define OPERANDS                                                                                                       \
    __attribute__((unused)) const struct expr *nodes, const struct expr *node, const struct opdesc *desc,              \
        __attribute__((unused)) int element, int64_t *out

bool expr_is_arithmetic(const struct expr *node)
{
    return (node->op >= EXPR_ADD && node->op <= EXPR_ABS) || (node->op >= EXPR_ADD_EACH && node->op <= EXPR_ABS_EACH);
}

/* ---- arithmetic */

int64_t expr_floor(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t expr_ceiling(int64_t a, int64_t b)
{
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

static bool expr_divide(enum expr_op op, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    if (op == EXPR_DIV_UP)
        *out = expr_ceiling(a, b);
    else
        *out = op == EXPR_DIV ? expr_floor(a, b) : a - b * expr_floor(a, b);
    return true;
}

bool expr_apply(enum expr_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op >= EXPR_ADD_EACH ? op - EXPR_ADD_EACH + EXPR_ADD : op) {
    case EXPR_ADD:
        return !__builtin_add_overflow(a, b, out);
    case EXPR_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case EXPR_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case EXPR_MIN:
        *out = a < b ? a : b;
        return true;
    case EXPR_MAX:
        *out = a > b ? a : b;
        return true;
    case EXPR_DIV:
        return expr_divide(EXPR_DIV, a, b, out);
    case EXPR_DIV_UP:
        return expr_divide(EXPR_DIV_UP, a, b, out);
    case EXPR_MOD:
        return expr_divide(EXPR_MOD, a, b, out);
    case EXPR_IS:
        *out = a == b;
        return true;
    case EXPR_ABS:
        return a < 0 ? !__builtin_sub_overflow(0, a, out) : (*out = a, true);
    default:
        return false;
    }
}

/* Returns the product, limited to 2^62 in size, so that limits can still be compared with it. */
static int64_t multiplied(int64_t a, int64_t b)
{
    const int64_t most = (int64_t)1 << 62;
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? most : -most;
    if (product < -most)
        return -most;
    return product > most ? most : product;
}

/* Computes a number from a list: EXPR_SUM, EXPR_PRODUCT, EXPR_LENGTH or EXPR_ENTRY. */
static bool reduce(OPERANDS)
{
    struct expr_list list;
    int64_t index;
    if (!expr_list_of(nodes, node->a, desc, element, &list))
        return false;
    if (node->op == EXPR_LENGTH) {
        *out = list.count;
        return true;
    }
    if (node->op == EXPR_ENTRY) {
        if (!expr_number_of(nodes, node->b, desc, element, &index))
            return false;
        index += index < 0 ? list.count : 0;
        if (index < 0 || index >= list.count)
            return false;
        *out = list.items[index];
        return true;
    }
    *out = node->op == EXPR_PRODUCT;
    for (int i = 0; i < list.count; i++)
        if (node->op == EXPR_PRODUCT)
            *out = multiplied(*out, list.items[i]);
        else if (!expr_apply(EXPR_ADD, *out, list.items[i], out))
            return false;
    return true;
}

/* ---- numbers */

const struct opdesc_tensor expr_no_tensor;

/* Returns the operator description that a node names; null if its array has no such element. */
static const struct opdesc_nested *nested_of(const struct expr *node, const struct opdesc *desc, int element)
{
    int64_t at = 0;
    if (node->value != EXPR_NO_ARRAY)
        at = node->value == EXPR_CURRENT ? element : node->value - 1;
    return at < (int64_t)opdesc_count(desc, node->field) ? opdesc_nested(desc, node->field, (unsigned)at) : NULL;
}

/* Returns size `a` of the node's tensor; null if the tensor has none. */
static const uint32_t *size_at(const struct expr *nodes, const struct expr *node, const struct opdesc *desc,
                               int element)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    int64_t index;
    if (!t->present || !t->has_sizes || !expr_number_of(nodes, node->a, desc, element, &index))
        return NULL;
    if (index < 0)
        index += t->dims;
    return index >= 0 && index < t->dims ? &t->sizes[index] : NULL;
}

static bool is_of_tensor(const struct expr *node)
{
    return node->op >= EXPR_DIMS && node->op <= EXPR_OVERLAP;
}

/* Computes a number from an operator description within this one. */
static bool number_of_nested(OPERANDS)
{
    const struct opdesc_nested *nested = nested_of(node, desc, element);
    int64_t member;
    if (!nested || !opdesc_present(desc, node->field))
        return false;
    switch (node->op) {
    case EXPR_OPERATOR:
        *out = nested->type;
        return true;
    case EXPR_HAS_DESC:
        *out = nested->has_desc;
        return true;
    default: /* EXPR_MEMBER_GIVEN */
        if (!expr_number_of(nodes, node->a, desc, element, &member) || member < 0 || member > 31)
            return false;
        *out = nested->given >> member & 1;
        return true;
    }
}

static bool expr_is_given(OPERANDS)
{
    *out = opdesc_present(desc, node->field);
    return true;
}

/* A null array has no elements that could be present: the value is undefined. */
static bool is_present(OPERANDS)
{
    *out = expr_tensor(node, desc, element)->present;
    return node->value == EXPR_NO_ARRAY || opdesc_present(desc, node->field);
}

static bool has_sizes(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = t->has_sizes;
    return t->present;
}

static bool expr_total(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = t->total > INT64_MAX ? INT64_MAX : (int64_t)t->total;
    return t->present;
}

/* Reads a member of a tensor that is a uint32_t. */
static bool member(OPERANDS)
{
    static const uint8_t members[] = {offsetof(struct opdesc_tensor, dims), offsetof(struct opdesc_tensor, data_type),
                                      offsetof(struct opdesc_tensor, type), offsetof(struct opdesc_tensor, flags),
                                      offsetof(struct opdesc_tensor, alignment)};
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    uint32_t number;
    memcpy(&number, (const char *)t + members[node->op - EXPR_DIMS], sizeof number);
    *out = number;
    return t->present;
}

static bool element_bytes(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = (int64_t)elements_bytes(datatype_of(t->data_type)->bits, 1);
    return t->present && *out > 0;
}

static bool elements(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = opdesc_elements(t);
    return t->present && t->has_sizes;
}

static bool extent(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = opdesc_extent(t);
    return t->present && t->has_sizes;
}

static bool implied(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = opdesc_implied(t);
    return t->present && t->has_sizes && datatype_of(t->data_type)->bits > 0;
}

static bool effective_rank(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    *out = opdesc_effective_rank(t);
    return t->present && t->has_sizes;
}

static bool overlap(OPERANDS)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    if (!t->present || !t->has_sizes)
        return false;
    *out = opdesc_overlaps(t);
    return true;
}

static bool number_of_size(OPERANDS)
{
    const uint32_t *size = size_at(nodes, node, desc, element);
    if (size)
        *out = *size;
    return size != NULL;
}

static bool apply(OPERANDS)
{
    int64_t a, b = 0;
    return expr_number_of(nodes, node->a, desc, element, &a) &&
           (node->op == EXPR_ABS || expr_number_of(nodes, node->b, desc, element, &b)) &&
           expr_apply(node->op, a, b, out);
}

static bool expr_add(OPERANDS)
{
    int64_t b;
    return expr_number_of(nodes, node->a, desc, element, out) && expr_number_of(nodes, node->b, desc, element, &b) &&
           !__builtin_add_overflow(*out, b, out);
}

static bool subtract(OPERANDS)
{
    int64_t b;
    return expr_number_of(nodes, node->a, desc, element, out) && expr_number_of(nodes, node->b, desc, element, &b) &&
           !__builtin_sub_overflow(*out, b, out);
}

static bool expr_otherwise(OPERANDS)
{
    return expr_number_of(nodes, node->a, desc, element, out) || expr_number_of(nodes, node->b, desc, element, out);
}

static bool undefined(OPERANDS)
{
    (void)node, (void)desc, (void)out;
    return false;
}

/* Every operation needs a line: there is no default. */
expr_compute *const expr_computes[EXPR_SCALAR + 1] = {
    [EXPR_CONST] = undefined, /* expr_number_of() reads these itself */
    [EXPR_ATTR] = undefined,
    [EXPR_GIVEN] = expr_is_given,
    [EXPR_OPERATOR] = number_of_nested,
    [EXPR_HAS_DESC] = number_of_nested,
    [EXPR_MEMBER_GIVEN] = number_of_nested,
    [EXPR_DIMS] = member,
    [EXPR_DATA_TYPE] = member,
    [EXPR_TENSOR_TYPE] = member,
    [EXPR_FLAGS] = member,
    [EXPR_ALIGNMENT] = member,
    [EXPR_TOTAL] = expr_total,
    [EXPR_PRESENT] = is_present,
    [EXPR_HAS_SIZES] = has_sizes,
    [EXPR_SIZE] = number_of_size,
    [EXPR_ELEMENTS] = elements,
    [EXPR_EXTENT] = extent,
    [EXPR_IMPLIED] = implied,
    [EXPR_ELEMENT_BYTES] = element_bytes,
    [EXPR_EFFECTIVE_RANK] = effective_rank,
    [EXPR_OVERLAP] = overlap,
    [EXPR_ADD] = expr_add,
    [EXPR_SUB] = subtract,
    [EXPR_MUL... EXPR_ABS] = apply,
    [EXPR_SUM] = reduce,
    [EXPR_PRODUCT] = reduce,
    [EXPR_LENGTH] = reduce,
    [EXPR_ENTRY] = reduce,
    [EXPR_OTHERWISE] = expr_otherwise,
    [EXPR_SIZES... EXPR_SCALAR] = undefined, /* lists and FLOATs */
};

bool expr_reals(const struct expr *nodes, int at, const struct opdesc *desc, struct expr_reals *out)
{
    const struct expr *node = &nodes[at];
    if (node->op == EXPR_REAL) {
        out->count = 1;
        if (node->value == EXPR_NO_ARRAY)
            out->items[0] = desc->values[node->field].real;
        else
            out->items[0] = opdesc_nested(desc, node->field, 0)->values[node->value - 1].real;
        return node->value == EXPR_NO_ARRAY || opdesc_present(desc, node->field);
    }
    if (node->op != EXPR_REALS || !opdesc_present(desc, node->field))
        return false;
    out->count = (int)opdesc_count(desc, node->field);
    memcpy(out->items, OPDESC_ELEMENT(desc, node->field, 0)->list, (size_t)out->count * sizeof *out->items);
    return true;
}

/* ---- parts that can be set */

/* The casts of parts of `desc` below are safe, since `desc` is not const. */
struct opdesc_tensor *expr_tensor_to_set(const struct expr *node, struct opdesc *desc, int element)
{
    const struct opdesc_tensor *t = expr_tensor(node, desc, element);
    return t == &expr_no_tensor ? NULL : (struct opdesc_tensor *)(uintptr_t)t;
}

static bool assign_to_tensor(const struct expr *nodes, const struct expr *node, struct opdesc *desc, int element,
                             int64_t value)
{
    struct opdesc_tensor *t = expr_tensor_to_set(node, desc, element);
    uint32_t *place = NULL;
    if (!t || value < 0)
        return false;
    switch (node->op) {
    case EXPR_PRESENT:
        t->present = value != 0;
        return true;
    case EXPR_HAS_SIZES:
        t->has_sizes = value != 0;
        return true;
    case EXPR_TOTAL:
        t->total = (uint64_t)value;
        return true;
    case EXPR_DIMS:
        if (value > OPDESC_MAX_DIMENSIONS)
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
        place = (uint32_t *)(uintptr_t)size_at(nodes, node, desc, element);
        break;
    default:
        break;
    }
    if (!place || value > UINT32_MAX)
        return false;
    *place = (uint32_t)value;
    return true;
}

bool expr_assign_of(const struct expr *nodes, int at, struct opdesc *desc, int element, int64_t value)
{
    const struct expr *node = &nodes[at];
    struct opdesc_nested *nested;
    int64_t member;
    switch (node->op) {
    case EXPR_ATTR:
        if (value < (node->value == EXPR_SIGNED ? INT32_MIN : 0) ||
            value > (node->value == EXPR_SIGNED ? INT32_MAX : UINT32_MAX))
            return false;
        desc->values[node->field].number = value;
        return true;
    case EXPR_GIVEN:
        desc->given = (desc->given & ~(1u << node->field)) | (uint32_t)(value != 0) << node->field;
        return true;
    case EXPR_OPERATOR:
        nested = (struct opdesc_nested *)(uintptr_t)nested_of(node, desc, element);
        if (!nested || value < 0 || value > UINT32_MAX)
            return false;
        nested->type = (uint32_t)value;
        nested->has_desc = true;
        return true;
    case EXPR_HAS_DESC:
        nested = (struct opdesc_nested *)(uintptr_t)nested_of(node, desc, element);
        if (nested)
            nested->has_desc = value != 0;
        return nested != NULL;
    case EXPR_MEMBER_GIVEN:
        nested = (struct opdesc_nested *)(uintptr_t)nested_of(node, desc, element);
        if (!nested || !expr_number_of(nodes, node->a, desc, element, &member) || member < 0 || member > 31)
            return false;
        nested->given = (nested->given & ~(1u << member)) | (uint32_t)(value != 0) << member;
        return true;
    default:
        return is_of_tensor(node) && assign_to_tensor(nodes, node, desc, element, value);
    }
}
