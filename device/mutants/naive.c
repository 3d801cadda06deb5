/* naive.c: places of elements, the order of elements, indices. */
#include "device/mutants/naive.h"

#include "harness/base/datatype.h"

#include <string.h>

#define INFO_HARD(identifier, name, what, issue, cause)                                                                \
    [BUG_##identifier] = {name, what, issue, cause, BUG_HARD, {NULL}, NULL},
#define INFO_SOFT(identifier, name, what, issue, cause)                                                                \
    [BUG_##identifier] = {name, what, issue, cause, BUG_SOFT, {NULL}, NULL},
#define INFO_OPEN(identifier, name, what, issue, cause)                                                                \
    [BUG_##identifier] = {name, what, issue, cause, BUG_OPEN, {NULL}, NULL},
#define INFO_NUMBER(identifier, name, what, cause, hard, soft, open)                                                   \
    [BUG_##identifier] = {name, what, "", cause, BUG_HARD, {hard, soft, open}, NULL},
#define INFO_FORMULA(identifier, name, what, cause, hard, soft, open, changes)                                         \
    [BUG_##identifier] = {name, what, "", cause, BUG_HARD, {hard, soft, open}, changes},
const struct bug_info bug_infos[BUG_COUNT] = {
    [BUG_NONE] = {"none", "nothing is wrong", "", "", BUG_HARD, {NULL}, NULL},
    BUGS(INFO_HARD, INFO_SOFT, INFO_OPEN) NUMBER_BUGS(INFO_FORMULA) MOVE_BUGS(INFO_NUMBER) PICK_BUGS(INFO_NUMBER)
        UNFOLD_BUGS(INFO_FORMULA) ACTIVATION_BUGS(INFO_FORMULA) SOFTMAX_BUGS(INFO_FORMULA) NORMALISE_BUGS(INFO_FORMULA)
            RESPONSE_BUGS(INFO_FORMULA) WINDOW_BUGS(INFO_FORMULA) PRODUCT_BUGS(INFO_FORMULA) MATRIX_BUGS(INFO_FORMULA)
                QUANTISE_BUGS(INFO_FORMULA) RESAMPLE_BUGS(INFO_FORMULA) REGION_BUGS(INFO_FORMULA)
                    RECURRENCE_BUGS(INFO_FORMULA) ATTENTION_BUGS(INFO_FORMULA)};

/* ---- places */

static void pack(const struct tensor *t, uint32_t strides[DESCRIPTOR_MAX_DIMENSIONS])
{
    uint64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0; stride *= t->sizes[i])
        strides[i] = (uint32_t)stride;
}

static int naive_is_broadcast(const struct tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1 && t->strides[i] == 0)
            return 1;
    return 0;
}

static int is_dense(const struct tensor *t)
{
    uint64_t extent = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        extent += (t->sizes[i] - 1ull) * t->strides[i];
    return extent == t->count;
}

static void choose_strides(const struct naive *n, struct memory *m)
{
    static const enum bug packed[] = {BUG_INPUT_PACKED, BUG_INDICES_PACKED, BUG_UPDATES_PACKED, BUG_OUTPUT_PACKED};
    const struct tensor *t = m->tensor;
    uint32_t own[DESCRIPTOR_MAX_DIMENSIONS];
    pack(t, own);
    memcpy(m->strides, t->strides, sizeof m->strides);
    if (n->bug == packed[m->role] || (n->bug == BUG_BROADCAST_PACKED && naive_is_broadcast(t)) ||
        (n->bug == BUG_DENSE_PACKED && is_dense(t)))
        memcpy(m->strides, own, sizeof m->strides);
    for (uint32_t i = 0; i < t->rank && n->bug == BUG_STRIDE_16_BITS; i++)
        m->strides[i] &= 0xffff;
    if (n->bug == BUG_ROWS_256 && t->alignment == 256 && t->packed && t->rank > 1) {
        uint32_t row = 256 / t->element_size;
        for (uint32_t i = 0; i + 1 < t->rank; i++)
            m->strides[i] = own[i] / own[t->rank - 2] * ((own[t->rank - 2] + row - 1) / row * row);
    }
    if (n->bug == BUG_TUPLE_ADJACENT && n->d->input_dimension_count > 0 && m->role == ROLE_INDICES &&
        m->strides[t->rank - 1] == 0)
        m->strides[t->rank - 1] = 1;
}

static struct memory naive_bind(const struct naive *n, const assay_binding *binding, const struct tensor *tensor,
                                enum role role)
{
    int forget = n->bug == (role == ROLE_OUTPUT ? BUG_OFFSET_OUTPUT : BUG_OFFSET_INPUT);
    struct memory memory = {
        .tensor = tensor, .data = (uint8_t *)binding->base + (forget ? 0 : binding->offset), .role = role};
    choose_strides(n, &memory);
    return memory;
}

struct memory naive_input(const struct naive *n, uint32_t number)
{
    return naive_bind(n, &n->item->inputs[number], &n->d->inputs[number],
                      number < ROLE_UPDATES ? (enum role)number : ROLE_UPDATES);
}

struct memory naive_output(const struct naive *n, uint32_t number)
{
    return naive_bind(n, &n->item->outputs[number], &n->d->outputs[number], ROLE_OUTPUT);
}

uint8_t *naive_at(const struct memory *m, const uint32_t *at)
{
    const struct tensor *t = m->tensor;
    uint64_t place = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        place += (uint64_t)at[i] * m->strides[i];
    return m->data + place * t->element_size;
}

/* ---- the order of elements, and which are skipped */

int naive_step(const struct tensor *t, uint32_t *at)
{
    uint32_t i = t->rank;
    while (i > 0 && ++at[i - 1] == t->sizes[i - 1])
        at[--i] = 0;
    return i > 0;
}

static int has_last_of(const struct tensor *t, const uint32_t *at, uint32_t size)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] == size && at[i] == size - 1)
            return 1;
    return 0;
}

/* Returns true if the coordinates of an element, found by multiplying its number (plus `add`) by the reciprocals of the
 * sizes in FLOAT32, are wrong. */
static int reciprocal_fails(const struct tensor *t, uint64_t number, const uint32_t *at, float add)
{
    for (uint32_t i = t->rank; i-- > 1;) {
        uint64_t quotient = (uint64_t)(((float)number + add) * (1.0f / (float)t->sizes[i]));
        if (number - quotient * t->sizes[i] != at[i])
            return 1;
        number = quotient;
    }
    return 0;
}

int naive_skips(const struct naive *n, const struct tensor *t, uint64_t number, const uint32_t *at)
{
    uint64_t words = 4 / (t->element_size < 4 ? t->element_size : 4);
    switch (n->bug) {
    case BUG_GROUPS_16:
        return number >= 65535 * 16;
    case BUG_GROUPS_64:
        return number >= 65535 * 64;
    case BUG_GROUPS_256:
        return number >= 65535 * 256;
    case BUG_THREADS_16_BITS:
        return t->count > 0xffff && number >= (t->count & 0xffff);
    case BUG_SIZE_41:
        return has_last_of(t, at, 41);
    case BUG_SIZE_100:
        return has_last_of(t, at, 100);
    case BUG_RECIPROCAL:
        return reciprocal_fails(t, number, at, 0);
    case BUG_RECIPROCAL_HALF:
        return reciprocal_fails(t, number, at, 0.5f);
    case BUG_WORDS_OF_TWO: /* the border is within a word */
        return t->element_size == 2 && t->count >= 2048 && t->count / 2 % 2 == 1 && number + 1 == t->count / 2;
    case BUG_ROWS_65535:
        return number / t->sizes[t->rank - 1] >= 65535;
    case BUG_WORD_TAIL:
        return number >= t->count / words * words;
    default:
        return 0;
    }
}

/* ---- elements */

void naive_move(DML_TENSOR_DATA_TYPE type, uint8_t *to, const uint8_t *from)
{
    memcpy(to, from, datatype_of(type)->bits / 8);
}

int naive_is_zero(DML_TENSOR_DATA_TYPE type, const uint8_t *at)
{
    const struct datatype *t = datatype_of(type);
    uint64_t bits = datatype_bits(type, at), sign = 1ull << (t->bits - 1);
    return (t->is_float ? bits & ~sign : bits) == 0;
}

/* ---- indices */

/* The index as a signed number; if negative, it counts from the end. */
static int64_t naive_read_index(const struct naive *n, const struct memory *indices, const uint32_t *at)
{
    DML_TENSOR_DATA_TYPE type = indices->tensor->type;
    const uint8_t *from = naive_at(indices, at);
    uint64_t bits = datatype_bits(type, from);
    if (n->bug == BUG_INDEX_SIGNED && type == DML_TENSOR_DATA_TYPE_UINT32)
        return (int32_t)bits;
    if (type == DML_TENSOR_DATA_TYPE_UINT32 || type == DML_TENSOR_DATA_TYPE_UINT64)
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    return datatype_to_integer(type, from);
}

/* The position of a negative index. */
static int64_t count_back(const struct naive *n, const struct naive_index *index, int64_t value, int64_t size)
{
    const struct tensor *far = index->far, *indices = index->indices->tensor;
    switch (n->bug) {
    case BUG_NEGATIVE_PLUS_FIRST:
        return value + far->sizes[0];
    case BUG_NEGATIVE_PLUS_INDICES:
        return value + indices->sizes[index->dimension];
    default:
        return value + size;
    }
}

int64_t naive_index(const struct naive *n, const struct naive_index *index, const uint32_t *at)
{
    int64_t size = index->far->sizes[index->dimension], value = naive_read_index(n, index->indices, at);
    if (value < 0)
        value = count_back(n, index, value, size);
    if (value >= 0 && value < size)
        return value;
    if ((n->bug == BUG_GATHER_ZERO || n->bug == BUG_GATHER_FOREIGN) && index->gather)
        return -1;
    if (!index->gather && n->bug != BUG_SCATTER_CLAMPS)
        return -1;
    return value < 0 ? 0 : size - 1;
}

/* ---- running */

int naive_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || descriptor_is_move(type) || type == DML_OPERATOR_UNFOLD || naive_picks(type);
}

void naive_run(const struct descriptor *descriptor, const assay_dispatch_item *item, enum bug bug)
{
    struct naive n = {.d = descriptor, .item = item, .bug = bug};
    if (descriptor->type == DML_OPERATOR_NONZERO_COORDINATES)
        naive_nonzero(&n);
    else if (descriptor->type == DML_OPERATOR_SCATTER_ELEMENTS || descriptor->type == DML_OPERATOR_SCATTER_ND)
        naive_scatter(&n);
    else if (descriptor_is_move(descriptor->type))
        naive_shift(&n);
    else if (descriptor->type == DML_OPERATOR_UNFOLD)
        naive_unfold(&n);
    else if (naive_picks(descriptor->type))
        naive_pick(&n);
    else
        naive_gather(&n);
}
