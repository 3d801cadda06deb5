#include "harness/check/ordered.h"

#include "harness/base/datatype.h"

#include <math.h>
#include <string.h>

/* An attribute as the bits of a number of a type. */
struct side {
    unsigned type; /* DML_TENSOR_DATA_TYPE; 0: none */
    uint64_t bits;
};

static struct side side_of(const struct spec *spec, int node, const struct opdesc *desc)
{
    const struct expr *n = &spec->nodes[node];
    const union opdesc_value *value = &desc->values[n->field];
    struct side side = {.type = DML_TENSOR_DATA_TYPE_FLOAT32};
    if (n->op == EXPR_SCALAR) {
        int64_t type = desc->values[spec->fields[n->field].typed_by].number;
        side.type = type > 0 && type < DATATYPE_COUNT && datatype_of((unsigned)type)->bits >= 8 ? (unsigned)type : 0;
    }
    const void *number = n->op == EXPR_SCALAR ? (const void *)value->bytes : &value->real;
    side.bits = side.type ? datatype_bits(side.type, number) : 0;
    return side;
}

static void set_side(const struct spec *spec, int node, const struct side *side, struct opdesc *desc)
{
    const struct expr *n = &spec->nodes[node];
    union opdesc_value *value = &desc->values[n->field];
    memcpy(n->op == EXPR_SCALAR ? (void *)value->bytes : &value->real, &side->bits, datatype_of(side->type)->bits / 8);
}

static bool ordered_is_nan(const struct side *side)
{
    return datatype_of(side->type)->is_float && isnan(datatype_to_double(side->type, &side->bits));
}

/* Reads both attributes. Returns false unless they have the same type. */
static bool read_sides(const struct spec *spec, const struct atom *atom, const struct opdesc *desc, struct side *a,
                       struct side *b)
{
    *a = side_of(spec, atom->x, desc);
    *b = side_of(spec, atom->low, desc);
    return a->type && a->type == b->type;
}

/* Returns a number below 0, 0 or above 0: a is below b, equal or above. */
static int spec_ordered_compare(const struct side *a, const struct side *b)
{
    const struct datatype *t = datatype_of(a->type);
    if (t->is_float) {
        double x = datatype_to_double(a->type, &a->bits), y = datatype_to_double(b->type, &b->bits);
        return (x > y) - (x < y);
    }
    if (t->is_signed) {
        int64_t x = datatype_to_integer(a->type, &a->bits), y = datatype_to_integer(b->type, &b->bits);
        return (x > y) - (x < y);
    }
    return (a->bits > b->bits) - (a->bits < b->bits);
}

/* Convert the bits to a rank that grows with the number, and back. */
static uint64_t ordered_rank_of(unsigned type, uint64_t bits)
{
    const struct datatype *t = datatype_of(type);
    uint64_t sign = (uint64_t)1 << (t->bits - 1), all = sign | (sign - 1);
    if (!t->is_float)
        return t->is_signed ? bits ^ sign : bits;
    return bits & sign ? ~bits & all : bits | sign;
}

static uint64_t ordered_bits_of(unsigned type, uint64_t rank)
{
    const struct datatype *t = datatype_of(type);
    uint64_t sign = (uint64_t)1 << (t->bits - 1), all = sign | (sign - 1);
    if (!t->is_float)
        return t->is_signed ? rank ^ sign : rank;
    return rank & sign ? rank & ~sign : ~rank & all;
}

/* Stores the next number above `from`, or below it. Returns false if there is none. */
static bool ordered_step(const struct side *from, bool up, struct side *out)
{
    uint64_t most =
        datatype_of(from->type)->bits < 64 ? ((uint64_t)1 << datatype_of(from->type)->bits) - 1 : UINT64_MAX;
    *out = *from;
    for (int i = 0; i < 2; i++) { /* a zero of the other sign is the same number, so it takes a second step */
        uint64_t rank = ordered_rank_of(out->type, out->bits);
        if (rank == (up ? most : 0))
            return false;
        out->bits = ordered_bits_of(out->type, up ? rank + 1 : rank - 1);
        if (ordered_is_nan(out))
            return false;
        if (spec_ordered_compare(out, from) != 0)
            return true;
    }
    return false;
}

bool ordered_compare(const struct spec *spec, const struct atom *atom, const struct opdesc *desc, int *order)
{
    struct side a, b;
    if (!read_sides(spec, atom, desc, &a, &b))
        return false;
    *order = ordered_is_nan(&a) || ordered_is_nan(&b) ? -1 : spec_ordered_compare(&a, &b);
    return true;
}

void ordered_equalise(const struct spec *spec, const struct atom *atom, struct opdesc *desc)
{
    struct side a, b;
    if (read_sides(spec, atom, desc, &a, &b))
        set_side(spec, atom->x, &b, desc);
}

void ordered_swap(const struct spec *spec, const struct atom *atom, struct opdesc *desc)
{
    struct side a, b;
    if (!read_sides(spec, atom, desc, &a, &b))
        return;
    set_side(spec, atom->x, &b, desc);
    set_side(spec, atom->low, &a, desc);
}

bool ordered_break(const struct spec *spec, const struct atom *atom, bool second, struct opdesc *desc)
{
    struct side a, b, out;
    if (!read_sides(spec, atom, desc, &a, &b) || ordered_is_nan(&a) || ordered_is_nan(&b) ||
        !ordered_step(second ? &a : &b, !second, &out))
        return false;
    set_side(spec, second ? atom->low : atom->x, &out, desc);
    return true;
}
