/* field_vary.c: other values of a description's members: equal, ordinary, wild and simpler ones. */
#include "harness/describe/field_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const uint32_t odd_numbers[] = {0, 1, 2, 3, 4, 7, 8, 255, 256, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};

/* Returns random bits of a width, mostly few of them 1. Each draw is a statement: within one expression, compilers
 * choose the order. */
static uint64_t few_bits(struct random *random, unsigned width)
{
    uint64_t bits = random_next(random);
    bits = width == 64 ? bits : (uint32_t)bits;
    return bits >> random_below(random, width);
}

/* Returns a number that programs often handle wrongly, or random bits, mostly few of them 1. */
static uint32_t wild_bits(struct random *random)
{
    if (random_below(random, 2))
        return odd_numbers[random_below(random, sizeof odd_numbers / sizeof *odd_numbers)];
    return (uint32_t)few_bits(random, 32);
}

static float wild_float(struct random *random)
{
    static const float values[] = {0.0f,   -0.0f,  1.0f,    -1.0f, 0.5f,     2.0f,     1e-3f,
                                   1e-38f, 1e-45f, 3.4e38f, NAN,   INFINITY, -INFINITY};
    uint32_t bits = (uint32_t)random_next(random);
    float value;
    memcpy(&value, &bits, sizeof value);
    return random_below(random, 4) ? values[random_below(random, sizeof values / sizeof *values)] : value;
}

/* Returns a small number that sums and products keep exact. */
static float plain_float(struct random *random)
{
    return (float)((int)random_below(random, 33) - 16) / 4;
}

/* Returns a number of ordinary size with all bits of its fraction. */
static float full_float(struct random *random)
{
    int exponent = (int)random_below(random, 6) - 3;
    float value = ldexpf(1 + (float)random_below(random, 1 << 23) / (1 << 23), exponent);
    return random_below(random, 2) ? value : -value;
}

static uint64_t weight_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (!isfinite(value) || value != truncf(value))
        return 2000;
    if (bits == 0)
        return 0;
    return value == 1.0f ? 1 : 2 + (uint64_t)fmodf(fabsf(value), 1000);
}

/* Sets the float to a simpler one, in way number `way`. Returns false if there is no such way. */
static bool simplify_float(float *value, unsigned way)
{
    static const float simple[] = {0.0f, 1.0f, 2.0f};
    if (way >= 4)
        return false;
    if (way < 3)
        *value = simple[way];
    else if (isfinite(*value))
        *value = truncf(*value);
    return true;
}

bool field_simplify_number(int64_t *number, unsigned way)
{
    int64_t old = *number, size = old < 0 ? -old : old;
    if (way < 3)
        *number = way;
    else if (way == 3)
        *number = size;
    else if (way < 4 + 32)
        *number = old - (old < 0 ? -1 : 1) * (size >> (way - 4 + 1));
    else
        return false;
    return true;
}

static uint64_t weight_of_number(int64_t number)
{
    return number < 0 ? (uint64_t)-number * 2 + 1 : (uint64_t)number;
}

/* ---- tensors: the solver draws them, and fuzzing has ways of its own for their members */

static bool same_tensor(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    size_t bytes = a->dims * sizeof *a->sizes;
    if (!a->present || !b->present)
        return a->present == b->present;
    return a->has_sizes == b->has_sizes && a->has_strides == b->has_strides && a->type == b->type &&
           a->data_type == b->data_type && a->flags == b->flags && a->dims == b->dims && a->alignment == b->alignment &&
           a->total == b->total && (!a->has_sizes || memcmp(a->sizes, b->sizes, bytes) == 0) &&
           (!a->has_strides || memcmp(a->strides, b->strides, bytes) == 0);
}

bool field_same_tensor(const struct field_ref *a, const struct field_ref *b)
{
    return a->desc ? same_tensor(&field_items(a)->tensor, &field_items(b)->tensor) : field_given(a) == field_given(b);
}

static void field_vary_mutate_tensor(struct opdesc_tensor *t, struct random *random)
{
    uint32_t bits = (uint32_t)few_bits(random, 32), d = random_below(random, OPDESC_MAX_DIMENSIONS);
    switch (random_below(random, 11)) {
    case 0:
        t->present = false;
        break;
    case 1:
        t->has_sizes = false;
        break;
    case 2:
        t->has_strides = !t->has_strides;
        break;
    case 3:
        t->type = bits;
        break;
    case 4:
        t->data_type = bits;
        break;
    case 5:
        t->flags = bits;
        break;
    case 6:
        t->dims = random_below(random, OPDESC_MAX_DIMENSIONS + 1);
        break;
    case 7:
        t->alignment = bits;
        break;
    case 8:
        t->total = few_bits(random, 64);
        break;
    case 9:
        t->sizes[d] = bits;
        break;
    default:
        t->strides[d] = bits;
    }
}

void field_mutate_tensor(const struct field_ref *ref, struct random *random)
{
    if (ref->desc)
        field_vary_mutate_tensor(&field_items(ref)->tensor, random);
    else
        field_give(ref, random_below(random, 2));
}

/* ---- pointers and arrays */

static bool both_or_neither(const struct field_ref *a, const struct field_ref *b)
{
    return field_given(a) == field_given(b) && (!a->desc || !field_given(a) || field_count(a) == field_count(b));
}

/* Returns an element for a mutation: mostly one that the device sees. */
static unsigned field_vary_any_element(const struct field_ref *ref, struct random *random)
{
    unsigned count = field_count(ref);
    return random_below(random, count ? count : field_value(ref)->place.room);
}

/* Makes the pointer null or not null, now and then. */
static bool mutate_pointer(const struct field_ref *ref, struct random *random)
{
    if (ref->desc && field_given(ref) && random_below(random, 4))
        return false;
    field_give(ref, !field_given(ref));
    return !ref->desc || random_below(random, 2);
}

bool field_same_tensors(const struct field_ref *a, const struct field_ref *b)
{
    bool same = both_or_neither(a, b);
    for (unsigned i = 0; same && a->desc && field_given(a) && i < field_count(a); i++)
        same = same_tensor(&field_items(a)[i].tensor, &field_items(b)[i].tensor);
    return same;
}

void field_mutate_tensors(const struct field_ref *ref, struct random *random)
{
    if (!mutate_pointer(ref, random))
        field_vary_mutate_tensor(&field_items(ref)[field_vary_any_element(ref, random)].tensor, random);
}

void field_draw_pointer(const struct field_ref *ref, struct random *random)
{
    (void)random;
    field_give(ref, field_kind(ref)->is_array);
}

void field_draw_list(const struct field_ref *ref, struct random *random)
{
    field_give(ref, true);
    for (unsigned i = 0; ref->desc && i < DML_TENSOR_DIMENSION_COUNT_MAX1; i++)
        field_items(ref)->list[i] = random_below(random, 5) - (field_value(ref)->place.is_signed ? 2 : 0);
}

/* fuzz/fuzz_shrink.c simplifies and weighs tensors, since it knows their purpose; a nested description keeps only
 * whether a tensor is given. */
bool field_simplify_tensor(const struct field_ref *ref, unsigned way)
{
    if (way > 0)
        return false;
    if (!ref->desc)
        field_give(ref, false);
    else if (field_kind(ref)->is_array)
        field_give(ref, true);
    return true;
}

uint64_t field_weigh_tensor(const struct field_ref *ref)
{
    return ref->desc ? field_kind(ref)->is_array && !field_given(ref) : field_given(ref);
}

bool field_same_list(const struct field_ref *a, const struct field_ref *b)
{
    return both_or_neither(a, b) &&
           (!a->desc || !field_given(a) ||
            memcmp(field_items(a)->list, field_items(b)->list, field_count(a) * sizeof *field_items(a)->list) == 0);
}

void field_mutate_list(const struct field_ref *ref, struct random *random)
{
    if (!mutate_pointer(ref, random))
        field_items(ref)->list[field_vary_any_element(ref, random)] = wild_bits(random);
}

/* Simplifies one entry in every way, then the next. */
bool field_simplify_list(const struct field_ref *ref, unsigned way)
{
    enum { WAYS = 36 };
    unsigned count = ref->desc ? field_count(ref) : 0, entry = (way - 1) / WAYS;
    if (way == 0) {
        field_give(ref, ref->desc != NULL);
        return true;
    }
    if (entry >= count)
        return false;
    int64_t number = opdesc_entry(ref->desc, ref->at, entry);
    field_simplify_number(&number, (way - 1) % WAYS);
    field_items(ref)->list[entry] = (uint32_t)number;
    return true;
}

uint64_t field_weigh_list(const struct field_ref *ref)
{
    uint64_t weight = field_given(ref) == (ref->desc != NULL) ? 0 : UINT32_MAX;
    for (unsigned i = 0; ref->desc && i < field_count(ref); i++)
        weight += weight_of_number(opdesc_entry(ref->desc, ref->at, i));
    return weight;
}

void field_draw_floats(const struct field_ref *ref, struct random *random)
{
    field_give(ref, true);
    for (unsigned i = 0; ref->desc && i < field_value(ref)->place.room; i++) {
        float value = plain_float(random);
        memcpy(&field_items(ref)->list[i], &value, sizeof value);
    }
}

void field_mutate_floats(const struct field_ref *ref, struct random *random)
{
    if (mutate_pointer(ref, random))
        return;
    float value = wild_float(random);
    memcpy(&field_items(ref)->list[field_vary_any_element(ref, random)], &value, sizeof value);
}

bool field_simplify_floats(const struct field_ref *ref, unsigned way)
{
    enum { WAYS = 4 };
    unsigned count = ref->desc ? field_count(ref) : 0, entry = way / WAYS;
    float value;
    if (way == 0)
        field_give(ref, ref->desc != NULL);
    if (entry >= count)
        return way == 0;
    memcpy(&value, &field_items(ref)->list[entry], sizeof value);
    simplify_float(&value, way % WAYS);
    memcpy(&field_items(ref)->list[entry], &value, sizeof value);
    return true;
}

uint64_t field_weigh_floats(const struct field_ref *ref)
{
    uint64_t weight = field_given(ref) == (ref->desc != NULL) ? 0 : UINT32_MAX;
    for (unsigned i = 0; ref->desc && i < field_count(ref); i++) {
        float value;
        memcpy(&value, &field_items(ref)->list[i], sizeof value);
        weight += weight_of_float(value);
    }
    return weight;
}

/* ---- numbers */

bool field_same_uint(const struct field_ref *a, const struct field_ref *b)
{
    return field_value(a)->number == field_value(b)->number;
}

void field_draw_uint(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->number = random_below(random, 10);
}

void field_draw_int(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->number = (int64_t)random_below(random, 10) - 5;
}

void field_mutate_uint(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->number = wild_bits(random);
}

void field_mutate_int(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->number = (int32_t)wild_bits(random);
}

bool field_simplify_uint(const struct field_ref *ref, unsigned way)
{
    return field_simplify_number(&field_value(ref)->number, way);
}

uint64_t field_weigh_uint(const struct field_ref *ref)
{
    return weight_of_number(field_value(ref)->number);
}

void field_draw_bool(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->number = random_below(random, 2);
}

/* Draws one of the constants that are as old as the enumeration. */
void field_draw_enum(const struct field_ref *ref, struct random *random)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    int old = 0;
    while (old < constants->count && !constants->constants[old].from)
        old++;
    field_value(ref)->number = old ? constants->constants[random_below(random, (uint32_t)old)].value : 0;
}

void field_mutate_enum(const struct field_ref *ref, struct random *random)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    if (random_below(random, 2))
        field_mutate_uint(ref, random);
    else /* the number after the last constant is no constant */
        field_value(ref)->number = random_below(random, (uint32_t)constants->count + 1);
}

bool field_same_float(const struct field_ref *a, const struct field_ref *b)
{
    return memcmp(&field_value(a)->real, &field_value(b)->real, sizeof(float)) == 0;
}

void field_draw_float(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->real = plain_float(random);
}

void field_mutate_float(const struct field_ref *ref, struct random *random)
{
    field_value(ref)->real = wild_float(random);
}

bool field_simplify_float(const struct field_ref *ref, unsigned way)
{
    return simplify_float(&field_value(ref)->real, way);
}

uint64_t field_weigh_float(const struct field_ref *ref)
{
    return weight_of_float(field_value(ref)->real);
}

bool field_same_scale_bias(const struct field_ref *a, const struct field_ref *b)
{
    return field_given(a) == field_given(b) &&
           (!field_given(a) ||
            memcmp(&field_value(a)->scale_bias, &field_value(b)->scale_bias, sizeof field_value(a)->scale_bias) == 0);
}

/* Draws null in half of the cases; otherwise whole numbers, other numbers that sums and products keep exact, or any
 * numbers. */
void field_draw_scale_bias(const struct field_ref *ref, struct random *random)
{
    unsigned way = random_below(random, 8);
    field_give(ref, way < 4);
    field_value(ref)->scale_bias.scale = way == 0 ? truncf(plain_float(random)) : plain_float(random);
    field_value(ref)->scale_bias.bias = way == 0 ? truncf(plain_float(random)) : plain_float(random);
    if (way == 2 || way == 3) {
        field_value(ref)->scale_bias.scale = full_float(random);
        field_value(ref)->scale_bias.bias = full_float(random);
    }
}

void field_mutate_scale_bias(const struct field_ref *ref, struct random *random)
{
    field_give(ref, random_below(random, 4));
    if (random_below(random, 2))
        field_value(ref)->scale_bias.scale = wild_float(random);
    else
        field_value(ref)->scale_bias.bias = wild_float(random);
}

bool field_simplify_scale_bias(const struct field_ref *ref, unsigned way)
{
    if (way == 0)
        field_give(ref, false);
    else if (way < 5)
        return simplify_float(&field_value(ref)->scale_bias.scale, way - 1);
    else
        return simplify_float(&field_value(ref)->scale_bias.bias, way - 5);
    return true;
}

uint64_t field_weigh_scale_bias(const struct field_ref *ref)
{
    return !field_given(ref) ? 0
                             : 1 + weight_of_float(field_value(ref)->scale_bias.scale) +
                                   weight_of_float(field_value(ref)->scale_bias.bias);
}

bool field_same_size_2d(const struct field_ref *a, const struct field_ref *b)
{
    return memcmp(field_size_2d(a), field_size_2d(b), sizeof(DML_SIZE_2D)) == 0;
}

void field_draw_size_2d(const struct field_ref *ref, struct random *random)
{
    for (int i = 0; i < 2; i++)
        field_size_2d(ref)[i] = 1 + random_below(random, 3);
}

void field_mutate_size_2d(const struct field_ref *ref, struct random *random)
{
    field_size_2d(ref)[random_below(random, 2)] = wild_bits(random);
}

bool field_simplify_size_2d(const struct field_ref *ref, unsigned way)
{
    enum { WAYS = 36 };
    if (way >= 2 * WAYS)
        return false;
    int64_t number = field_size_2d(ref)[way / WAYS];
    field_simplify_number(&number, way % WAYS);
    field_size_2d(ref)[way / WAYS] = (uint32_t)number;
    return true;
}

uint64_t field_weigh_size_2d(const struct field_ref *ref)
{
    return (uint64_t)field_size_2d(ref)[0] + field_size_2d(ref)[1];
}

bool field_same_scalar(const struct field_ref *a, const struct field_ref *b)
{
    return memcmp(field_value(a)->bytes, field_value(b)->bytes, sizeof field_value(a)->bytes) == 0;
}

void field_draw_scalar(const struct field_ref *ref, struct random *random)
{
    unsigned type = field_scalar_type(ref);
    float value = plain_float(random);
    memset(field_value(ref)->bytes, 0, sizeof field_value(ref)->bytes);
    if (type)
        datatype_from_double(type, datatype_of(type)->is_float ? (double)value : (double)(int)fabsf(value),
                             field_value(ref)->bytes);
}

void field_mutate_scalar(const struct field_ref *ref, struct random *random)
{
    uint64_t bits = few_bits(random, 64);
    memcpy(field_value(ref)->bytes, &bits, sizeof bits);
}

bool field_simplify_scalar(const struct field_ref *ref, unsigned way)
{
    unsigned type = field_scalar_type(ref);
    if (way < 2) {
        memset(field_value(ref)->bytes, 0, sizeof field_value(ref)->bytes);
        if (way == 1 && type)
            datatype_from_integer(type, 1, field_value(ref)->bytes);
        return true;
    }
    if (way >= 2 + 8)
        return false;
    field_value(ref)->bytes[way - 2] = 0;
    return true;
}

uint64_t field_weigh_scalar(const struct field_ref *ref)
{
    uint64_t bits;
    memcpy(&bits, field_value(ref)->bytes, sizeof bits);
    return (uint64_t)__builtin_popcountll(bits);
}

/* ---- descriptions within a description */

static bool same_nested(const struct field_ref *a, const struct field_ref *b, unsigned at)
{
    const struct opdesc_nested *x = &field_items(a)[at].nested, *y = &field_items(b)[at].nested;
    const struct spec_layout *layout = field_nested_layout(a, x);
    bool same = x->type == y->type && x->has_desc == y->has_desc;
    for (int i = 0; same && layout && i < field_nested_count(layout); i++) {
        struct field_ref in_x = field_ref_nested(a, layout, x, i), in_y = field_ref_nested(b, layout, y, i);
        same = field_kind(&in_x)->same(&in_x, &in_y);
    }
    return same;
}

bool field_same_operators(const struct field_ref *a, const struct field_ref *b)
{
    bool same = both_or_neither(a, b);
    for (unsigned i = 0; same && a->desc && field_given(a) && i < field_count(a); i++)
        same = same_nested(a, b, i);
    return same;
}

/* Returns an operator that can be nested, as activations can: its fields are tensors first, then only FLOATs. Returns
 * any type if there is none. */
static uint32_t draw_plain_operator(const struct field_ref *ref, struct random *random)
{
    enum { TRIES = 16, TENSORS = 2, BEYOND = 3 };
    uint32_t type = 0;
    for (int try = 0; try < TRIES; try++) {
        type = random_below(random, DML_OPERATOR_UNFOLD + BEYOND);
        const struct spec_layout *layout = catalogue_layout(ref->catalogue, type);
        bool plain = layout && layout->field_count >= TENSORS;
        for (int i = 0; plain && i < layout->field_count; i++)
            plain = i < TENSORS ? field_is_tensor(&layout->fields[i]) : layout->fields[i].kind == FIELD_FLOAT;
        if (plain)
            break;
    }
    return type;
}

void field_mutate_operators(const struct field_ref *ref, struct random *random)
{
    if (mutate_pointer(ref, random))
        return;
    struct opdesc_nested *nested = &field_items(ref)[field_vary_any_element(ref, random)].nested;
    const struct spec_layout *layout = field_nested_layout(ref, nested);
    switch (random_below(random, 4)) {
    case 0: /* another operator; its members keep their values, which mean other things now */
        nested->type =
            random_below(random, 4) ? draw_plain_operator(ref, random) : random_below(random, DML_OPERATOR_UNFOLD + 3);
        nested->has_desc = true;
        break;
    case 1:
        nested->type = random_below(random, 2) ? wild_bits(random) : nested->type;
        nested->has_desc = random_below(random, 4);
        break;
    default:
        if (layout) {
            struct field_ref member =
                field_ref_nested(ref, layout, nested, (int)random_below(random, (uint32_t)field_nested_count(layout)));
            field_kind(&member)->mutate(&member, random);
        }
    }
}

/* Simplifies the elements in turn: first to a null pointer where that is possible, then to a lower type, then member by
 * member. */
bool field_simplify_operators(const struct field_ref *ref, unsigned way)
{
    enum { WAYS = 40, MEMBERS = (1 + OPDESC_NESTED_FIELDS) * WAYS };
    if (!ref->desc) {
        field_give(ref, false);
        return way == 0;
    }
    unsigned element = way / (MEMBERS + 2), rest = way % (MEMBERS + 2);
    if (element >= field_count(ref))
        return false;
    struct opdesc_nested *nested = &field_items(ref)[element].nested;
    const struct spec_layout *layout = field_nested_layout(ref, nested);
    if (rest == 0) {
        field_give(ref, field_kind(ref)->is_array);
    } else if (rest == 1) {
        nested->has_desc = true;
    } else if (rest - 2 < WAYS) {
        int64_t type = nested->type;
        field_simplify_number(&type, rest - 2);
        nested->type = (uint32_t)type;
    } else if (layout && (int)((rest - 2) / WAYS) - 1 < field_nested_count(layout)) {
        struct field_ref member = field_ref_nested(ref, layout, nested, (int)((rest - 2) / WAYS) - 1);
        field_kind(&member)->simplify(&member, (rest - 2) % WAYS);
    }
    return true;
}

/* A missing array outweighs any elements, so that an array with wild elements can be simplified. */
uint64_t field_weigh_operators(const struct field_ref *ref)
{
    const bool array = ref->desc && field_kind(ref)->is_array;
    uint64_t weight = 0;
    if (field_given(ref) != array)
        weight = array ? (uint64_t)1 << 40 : 1;
    for (unsigned i = 0; ref->desc && field_given(ref) && i < field_count(ref); i++) {
        const struct opdesc_nested *nested = &field_items(ref)[i].nested;
        const struct spec_layout *layout = field_nested_layout(ref, nested);
        weight += nested->type + !nested->has_desc;
        for (int j = 0; layout && j < field_nested_count(layout); j++) {
            struct field_ref member = field_ref_nested(ref, layout, nested, j);
            weight += field_kind(&member)->weigh(&member);
        }
    }
    return weight;
}

/* ---- domains */

bool field_has_domain(enum field_kind kind)
{
    return kind == FIELD_UINT || kind == FIELD_INT || kind == FIELD_FLOAT || kind == FIELD_UINTS ||
           kind == FIELD_INTS || kind == FIELD_FLOATS;
}

bool field_fits_domain(const struct spec_field *field, const struct spec_domain *domain)
{
    bool reals = field->kind == FIELD_FLOAT || field->kind == FIELD_FLOATS, one = domain->low <= domain->high;
    bool is_signed = field->kind == FIELD_INT || field->kind == FIELD_INTS;
    double least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    if (!isfinite(domain->low) || !isfinite(domain->high) || !one)
        return false;
    if (domain->has_usual && !(domain->usual >= domain->low && domain->usual <= domain->high))
        return false;
    if (field_is_input(field))
        return !domain->has_usual;
    if (reals)
        return fabs(domain->low) <= FLT_MAX && fabs(domain->high) <= FLT_MAX;
    return field_has_domain(field->kind) && ceil(domain->low) <= floor(domain->high) && domain->low >= least &&
           domain->high <= most && (!domain->has_usual || trunc(domain->usual) == domain->usual);
}

/* Draws an integer of the domain. */
static int64_t whole_of(const struct spec_domain *domain, struct random *random)
{
    int64_t low = (int64_t)ceil(domain->low), high = (int64_t)floor(domain->high);
    if (domain->has_usual && random_below(random, 2))
        return (int64_t)domain->usual;
    return low + (int64_t)random_below(random, (uint32_t)(high - low) + 1);
}

/* Draws a FLOAT of the domain, one of 17 places: magnitudes are evenly spread if all have one sign. */
static float real_of(const struct spec_domain *domain, struct random *random)
{
    double low = domain->low, high = domain->high, place = random_below(random, 17) / 16.0;
    if (domain->has_usual && random_below(random, 2))
        return (float)domain->usual;
    double value = low * high > 0 ? low * pow(high / low, place) : low + (high - low) * place;
    return (float)fmin(fmax(value, low), high);
}

void field_draw(const struct field_ref *ref, const struct spec_domain *domain, struct random *random)
{
    enum field_kind kind = ref->fields[ref->at].kind;
    field_kind(ref)->draw(ref, random);
    if (!domain->given)
        return;
    bool reals = kind == FIELD_FLOATS;
    if (kind == FIELD_FLOAT)
        field_value(ref)->real = real_of(domain, random);
    else if (kind == FIELD_UINT || kind == FIELD_INT)
        field_value(ref)->number = whole_of(domain, random);
    else
        for (unsigned i = 0; i < field_value(ref)->place.room; i++) {
            float value = reals ? real_of(domain, random) : 0;
            uint32_t bits = reals ? 0 : (uint32_t)whole_of(domain, random);
            if (reals)
                memcpy(&bits, &value, sizeof bits);
            field_items(ref)->list[i] = bits;
        }
}
