/* opdesc.h: an operator description as data: a value for each field of its documented struct. Rules check it,
 * generators make it, and marshal.h converts it to the documented C structs. It can hold descriptions that are not
 * legal: null pointers, sizes of 0, too many dimensions. */
#ifndef SPEC_OPDESC_H
#define SPEC_OPDESC_H

#include "device/dml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    OPDESC_MAX_FIELDS = 32,
    OPDESC_MAX_DIMENSIONS = 10, /* more than DML_TENSOR_DIMENSION_COUNT_MAX1, for descriptions that break that limit */
    OPDESC_MAX_ITEMS = 72,
    OPDESC_MAX_TENSORS = 68,
    OPDESC_MAX_LIST = 24,      /* most entries of an array of numbers */
    OPDESC_MAX_ARRAY = 64,     /* most elements of an array of tensors */
    OPDESC_MAX_NESTED = 8,     /* most elements of an array of operator descriptions */
    OPDESC_NESTED_FIELDS = 12, /* most values that a nested description keeps; later members are 0 */
    OPDESC_NO_FIELD = 255
};

/* A tensor: a DML_TENSOR_DESC and its DML_BUFFER_TENSOR_DESC. */
struct opdesc_tensor {
    bool present;     /* the DML_TENSOR_DESC pointer is not null; an element of an array: its Desc is not null */
    bool has_sizes;   /* the Sizes pointer is not null */
    bool has_strides; /* the Strides pointer is not null */
    uint32_t type;    /* DML_TENSOR_TYPE */
    uint32_t data_type;
    uint32_t flags;
    uint32_t dims; /* DimensionCount, at most OPDESC_MAX_DIMENSIONS */
    uint32_t alignment;
    uint64_t total; /* TotalTensorSizeInBytes */
    uint32_t sizes[OPDESC_MAX_DIMENSIONS];
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
};

/* The value of a field that is not a tensor. Each kind of field has its own member. */
union opdesc_value {
    int64_t number; /* UINT, INT, BOOL, enumeration */
    float real;     /* FLOAT */
    struct {
        float scale, bias;
    } scale_bias;
    uint8_t bytes[8];  /* DML_SCALAR_UNION */
    uint32_t words[2]; /* SIZE_2D within a nested description; elsewhere it is an item */
    struct opdesc_place {
        uint8_t item;        /* the first item of the field; never changes */
        uint8_t room;        /* the most elements or entries that the field can have */
        uint8_t count_field; /* the UINT with the number of elements or entries; OPDESC_NO_FIELD: there are always
                              * `room` */
        bool is_signed;      /* the entries are INTs */
    } place;                 /* for kinds with items: tensors, arrays, SIZE_2D, operator descriptions */
};

/* An operator description within another: a fused activation, or an element of an array of activations. */
struct opdesc_nested {
    uint32_t type;  /* DML_OPERATOR_TYPE, or any other number */
    uint32_t given; /* bit n: member n is a pointer that is not null, or no pointer */
    bool has_desc;  /* its Desc is not null */
    union opdesc_value values[OPDESC_NESTED_FIELDS];
};

/* A description: a value for each field. Tensors, arrays and nested descriptions are items: each field has room for its
 * most items, at a place that opdesc_init() sets and that depends on the operator alone. Tensors come first, in the
 * order of the fields. Only the first `size` bytes are in use: opdesc_copy() copies those. An array has as many
 * elements as its count field says, but no more than it has room for. */
struct opdesc {
    uint16_t op;   /* index of the operator's spec in its spec_set */
    uint16_t size; /* size of the part in use, in bytes */
    uint8_t field_count;
    uint8_t item_count;
    uint8_t tensor_count; /* number of items that are tensors, including all that arrays have room for */
    uint32_t given;       /* bit n: field n is a pointer that is not null, or no pointer. A tensor has its own flag */
    union opdesc_value values[OPDESC_MAX_FIELDS];
    union opdesc_item {
        struct opdesc_tensor tensor;
        uint32_t list[OPDESC_MAX_LIST]; /* UINTs; the bits of INTs or FLOATs */
        struct opdesc_nested nested;
    } items[OPDESC_MAX_ITEMS];
};

static inline void opdesc_copy(struct opdesc *to, const struct opdesc *from)
{
    memcpy(to, from, from->size);
}

/* The tensor of a field; the first one if the field is an array. This is a macro, so that it is const where `desc`
 * is. */
#define OPDESC_TENSOR(desc, field) (&(desc)->items[(desc)->values[field].place.item].tensor)

/* Element `at` of a field with items, a union opdesc_item. This is a macro for the same reason. */
#define OPDESC_ELEMENT(desc, field, at) (&(desc)->items[(desc)->values[field].place.item + (at)])

/* Returns the number of elements or entries of a field with items; 1 if it is no array. */
static inline unsigned opdesc_count(const struct opdesc *desc, int field)
{
    const struct opdesc_place *place = &desc->values[field].place;
    if (place->count_field == OPDESC_NO_FIELD)
        return place->room;
    int64_t count = desc->values[place->count_field].number;
    count = count > place->room ? place->room : count;
    return count < 0 ? 0 : (unsigned)count;
}

/* Returns true unless a field that is not a tensor is a null pointer. */
static inline bool opdesc_present(const struct opdesc *desc, int field)
{
    return desc->given >> field & 1;
}

/* Returns the number of a UINT, INT, BOOL or enumeration. */
static inline int64_t opdesc_scalar(const struct opdesc *desc, int field)
{
    return desc->values[field].number;
}

/* Returns the entries of an array of numbers, or Width and Height of a SIZE_2D, and stores their number. The caller may
 * read and write entries past the count, up to the room. */
static inline uint32_t *opdesc_list(struct opdesc *desc, int field, unsigned *count)
{
    *count = opdesc_count(desc, field);
    return desc->items[desc->values[field].place.item].list;
}

/* Returns entry `at` of an array of UINTs or INTs. */
static inline int64_t opdesc_entry(const struct opdesc *desc, int field, unsigned at)
{
    const struct opdesc_place *place = &desc->values[field].place;
    uint32_t bits = desc->items[place->item].list[at];
    return place->is_signed ? (int64_t)(int32_t)bits : (int64_t)bits;
}

/* Returns element `at` of an array of operator descriptions; `at` is 0 for a single one. */
static inline const struct opdesc_nested *opdesc_nested(const struct opdesc *desc, int field, unsigned at)
{
    return &desc->items[desc->values[field].place.item + at].nested;
}

/* These return exact numbers, or INT64_MAX if those are larger. Without Sizes the first three return 0, and the
 * effective rank is DimensionCount without leading sizes of 1. */
int64_t opdesc_elements(const struct opdesc_tensor *t); /* product of the sizes */
int64_t opdesc_extent(const struct opdesc_tensor *t);   /* elements of memory from the first to the last, inclusive */
int64_t opdesc_implied(const struct opdesc_tensor *t);  /* smallest legal TotalTensorSizeInBytes */
uint32_t opdesc_effective_rank(const struct opdesc_tensor *t);

/* Returns true if two coordinates of the tensor share an element; false for a tensor without strides or with a size of
 * 0. The answer is exact except beyond a bound that keeps the function fast. For the bound, dimensions whose stride
 * exceeds the highest offset of all smaller strides are removed, the largest stride first. If the remaining dimensions
 * have more than 2^22 coordinates without the largest one, or reach beyond 2^60 elements, the answer is true. Up to
 * three such dimensions within 2^32 - 1 elements never reach the bound. */
bool opdesc_overlaps(const struct opdesc_tensor *t);

/* Stores the strides in effect: the given ones, or packed row-major ones. */
void opdesc_strides(const struct opdesc_tensor *t, uint32_t strides[OPDESC_MAX_DIMENSIONS]);

/* Changes DimensionCount and keeps dimensions right-aligned: the function adds leading sizes of 1, or drops leading
 * sizes. */
void opdesc_resize(struct opdesc_tensor *t, uint32_t dims);

#endif
