/* The wrong elements of a case are observed here: they show some mistakes themselves, and have places in common. */
#include "harness/trial/explain_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"
#include "harness/trial/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An observation sums up the wrong elements of an output. */
struct observation {
    struct explainer *x;
    const struct opdesc_tensor *t;
    const uint8_t *expected, *got;
    uint64_t defined, elements;
    unsigned width; /* the width of an element, in bits */
    struct prefill prefill;
    uint64_t wrong, compared; /* the numbers of elements so far */
    /* each is true as long as it holds for all wrong elements */
    bool unwritten, zero, nan, truth, mixed_or, mixed_xor, mixed_bytes, one_bit, last_row, row_end;
    bool single, twofold;                  /* integers look as if they were rounded to FLOAT32, to FLOAT64 */
    unsigned single_bits, twofold_bits;    /* the bits that such roundings took from them */
    uint64_t bit;                          /* the bit in which the first wrong element differs */
    uint64_t first_number, last_number;    /* the numbers of the first and last wrong elements */
    uint32_t fixed[OPDESC_MAX_DIMENSIONS]; /* the coordinates of the first wrong element */
    bool differs[OPDESC_MAX_DIMENSIONS];   /* the dimensions in which another wrong element has another coordinate */
};

/* Returns `now` with each byte that is zero replaced by that byte of `before`. */
static uint64_t over(uint64_t before, uint64_t now)
{
    uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 8)
        out |= ((now >> shift & 0xff) ? now : before) & (uint64_t)0xff << shift;
    return out;
}

/* Returns the number of low bits that a float of so many bits takes from the integer `right`, if `got` can be it
 * after a few roundings; 0: it cannot. */
static unsigned bits_rounded(const struct datatype *type, uint64_t got, uint64_t right, unsigned precision)
{
    enum { ROUNDINGS = 4 }; /* bits of the error of several roundings */
    const unsigned shift = 64 - type->bits;
    const bool negative = type->is_signed && got >> (type->bits - 1) & 1;
    const uint64_t size = negative ? 0 - (uint64_t)((int64_t)(got << shift) >> shift) : got;
    const uint64_t difference = (got - right) << shift, away = difference >> 63 ? 0 - difference : difference;
    const unsigned width = size ? 64 - (unsigned)__builtin_clzll(size) : 0,
                   lost = width > precision ? width - precision : 0;
    const bool is_float = (size & (((uint64_t)1 << lost) - 1)) == 0;
    return is_float && away >> shift >> (lost + ROUNDINGS) == 0 ? lost : 0;
}

/* Returns true for the integers that devices make of a float beyond the type: its ends, and 0. */
static bool is_of_wide_float(const struct datatype *type, uint64_t bits)
{
    const uint64_t sign = (uint64_t)1 << (type->bits - 1);
    return bits == 0 || bits == sign || bits == sign - 1 || bits == sign - 1 + sign;
}

static void observe_rounding(struct observation *o, uint64_t got, uint64_t right)
{
    const struct datatype *type = datatype_of(o->t->data_type);
    if (is_of_wide_float(type, got)) /* it shows no mistake, and is no argument against this one */
        return;
    const unsigned single = bits_rounded(type, got, right, 24), twofold = bits_rounded(type, got, right, 53);
    o->single &= single > 0;
    o->single_bits += single;
    o->twofold &= twofold > 0;
    o->twofold_bits += twofold;
}

static bool observe(void *context, uint64_t number, const uint32_t *c, uint64_t offset)
{
    struct observation *o = context;
    if (number >= o->defined)
        return false;
    o->compared++;
    uint64_t a = element_get(o->width, o->got, offset), b = element_get(o->width, o->expected, offset);
    if (a == b)
        return true;
    uint64_t before = compare_prefill_element(&o->prefill, o->width, offset);
    if (o->wrong++ == 0) {
        o->first_number = number;
        o->bit = a ^ b;
        memcpy(o->fixed, c, o->t->dims * sizeof *c);
    }
    o->last_number = number;
    o->unwritten &= a == before;
    o->zero &= a == 0;
    o->truth &= a < 2 && b < 2;
    o->nan &= datatype_is_nan(o->t->data_type, a);
    o->mixed_or &= a == (b | before);
    o->mixed_xor &= a == (b ^ before);
    o->mixed_bytes &= a == over(before, b);
    o->one_bit &= (a ^ b) == o->bit && (o->bit & (o->bit - 1)) == 0;
    o->last_row &= o->t->dims < 2 || c[o->t->dims - 2] + 1 == o->t->sizes[o->t->dims - 2];
    o->row_end &= c[o->t->dims - 1] + 1 == o->t->sizes[o->t->dims - 1];
    for (uint32_t d = 0; d < o->t->dims; d++)
        o->differs[d] |= c[d] != o->fixed[d];
    if (o->single || o->twofold)
        observe_rounding(o, a, b);
    return true;
}

/* ---- values from elsewhere */

enum { VALUES_MAX = 1 << 18, ELEMENTS_MAX = 1 << 24 };

/* The list holds the values of the data inputs. It is sorted once all are collected. */
struct values {
    const struct opdesc_tensor *t; /* the input being read */
    const uint8_t *memory;
    uint64_t *list;
    size_t count, room;
};

static bool add_value(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct values *v = context;
    (void)number, (void)coordinates;
    if (v->count == v->room)
        return false;
    v->list[v->count++] = element_get(datatype_of(v->t->data_type)->bits, v->memory, offset);
    return true;
}

static int explain_observe_by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* check_value() gets this as its context. */
struct checking {
    const struct observation *o;
    const struct values *values;
    bool all; /* every wrong element holds a value of an input */
};

static bool check_value(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct checking *c = context;
    const struct observation *o = c->o;
    (void)coordinates;
    if (number >= o->defined)
        return false;
    uint64_t bits = element_get(o->width, o->got, offset);
    if (bits == element_get(o->width, o->expected, offset))
        return true;
    c->all = bsearch(&bits, c->values->list, c->values->count, sizeof bits, explain_observe_by_value) != NULL;
    return c->all;
}

/* Returns true if the wrong elements are too many for all of them to be among so many values by chance. */
static bool is_unlikely(const struct observation *o, uint64_t values)
{
    double chance = 1, one = (double)values / (double)((uint64_t)1 << (o->width < 32 ? o->width : 32));
    for (uint64_t i = 0; i < o->wrong && chance > 0.001 && one < 1; i++)
        chance *= one;
    return chance <= 0.001;
}

/* Returns true if each wrong element of an operator that copies is another element of an input. */
static bool is_misplaced(const struct observation *o)
{
    const struct explainer *x = o->x;
    struct values values = {.list = NULL};
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->inputs[i] && !fill_is_index(x->spec, i))
            values.room += (size_t)opdesc_elements(explain_tensor(x, i));
    if (x->rows || values.room > VALUES_MAX || o->wrong == 0)
        return false;
    values.list = malloc(values.room * sizeof *values.list);
    if (!values.list)
        return false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->inputs[i] && !fill_is_index(x->spec, i)) {
            values.t = explain_tensor(x, i);
            values.memory = x->inputs[i];
            elements_each(values.t, add_value, &values);
        }
    qsort(values.list, values.count, sizeof *values.list, explain_observe_by_value);
    size_t distinct = 0;
    for (size_t i = 0; i < values.count; i++)
        if (distinct == 0 || values.list[distinct - 1] != values.list[i])
            values.list[distinct++] = values.list[i];
    values.count = distinct;
    struct checking checking = {.o = o, .values = &values, .all = is_unlikely(o, distinct)};
    if (checking.all)
        elements_each(o->t, check_value, &checking);
    free(values.list);
    return checking.all;
}

/* ---- places that wrong elements share */

static void explain_observe_describe(const struct observation *o, const char *name, char *text, size_t size)
{
    char where[64] = "";
    const char *what = "";
    uint32_t last = o->t->dims - 1;
    if (o->unwritten)
        what = "never written";
    else if (o->zero)
        what = "zero";
    if (o->wrong == o->compared)
        snprintf(where, sizeof where, "all elements");
    else if (o->wrong == 1 && o->first_number == 0)
        snprintf(where, sizeof where, "the first element");
    else if (o->wrong == 1 && o->first_number + 1 == o->elements)
        snprintf(where, sizeof where, "the last element");
    else if (o->wrong == o->compared - o->first_number)
        snprintf(where, sizeof where, "all elements from number %llu on", (unsigned long long)o->first_number);
    else if (o->last_row && o->t->dims > 1 && o->t->sizes[last - 1] > 1)
        snprintf(where, sizeof where, "elements of the last row");
    else if (o->row_end && o->t->sizes[last] > 1)
        snprintf(where, sizeof where, "last elements of rows");
    for (uint32_t d = 0; d < o->t->dims && !*where && o->wrong > 1; d++)
        if (!o->differs[d] && o->t->sizes[d] > 1)
            snprintf(where, sizeof where, "elements with coordinate %u of dimension %u", o->fixed[d], d);
    if (*where || *what)
        snprintf(text, size, "%s: %s%s%s", name, *where ? where : "all wrong elements", *what ? ", " : "", what);
}

/* Returns true if another mistake is as likely: results of 0 and 1 differ in one bit, and a few numbers may. */
static bool is_one_bit_by_chance(const struct observation *o)
{
    enum { ENOUGH = 8 };
    return trial_is_computed(o->x->t) && (o->truth || o->wrong < ENOUGH);
}

/* Returns true if the wrong elements are integers that went through a float, in any order of sums and products. Many
 * elements, or large ones, are no floats by chance. */
static bool is_rounded(const struct observation *o)
{
    enum { ENOUGH = 6 };
    return (o->single && o->single_bits >= ENOUGH) || (o->twofold && o->twofold_bits >= ENOUGH);
}

void explain_observe(struct explainer *x, char *shared, size_t size)
{
    bool rounded = true;
    bool unwritten = true, zero = true, nan = true, one_bit = true, mixed = true, misplaced = true, any = false;
    uint64_t bit = 0, wrong = 0;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!explain_is_output(x, i) || opdesc_elements(explain_tensor(x, i)) > ELEMENTS_MAX)
            continue;
        struct observation o = {.x = x, .t = explain_tensor(x, i), .expected = x->expected[i], .got = x->got[i]};
        o.unwritten = o.zero = o.nan = o.truth = o.mixed_or = o.mixed_xor = o.mixed_bytes = o.one_bit = o.last_row =
            o.row_end = true;
        o.single = o.twofold = !datatype_of(o.t->data_type)->is_float && datatype_of(o.t->data_type)->bits >= 32;
        o.defined = trial_defined_elements(x->t, i);
        o.elements = (uint64_t)opdesc_elements(o.t);
        o.width = datatype_of(o.t->data_type)->bits;
        o.prefill = trial_prefill(x->t, i);
        elements_each(o.t, observe, &o);
        if (o.wrong == 0)
            continue;
        if (!any)
            explain_observe_describe(&o, x->spec->tensor_names[i], shared, size);
        any = true;
        unwritten &= o.unwritten;
        zero &= o.zero;
        nan &= o.nan;
        mixed &= o.mixed_or || o.mixed_xor || o.mixed_bytes;
        wrong += o.wrong;
        /* Positions show neither mistake: neighbours differ in one bit, and an input holds other numbers. */
        bool places = selection_applies(x->spec) && spec_is(x->spec, i, x->spec->selection.positions);
        one_bit &= !places && o.one_bit && (bit == 0 || bit == o.bit) && !is_one_bit_by_chance(&o);
        bit = o.bit;
        rounded = rounded && !places && is_rounded(&o);
        misplaced = misplaced && !places && is_misplaced(&o);
    }
    x->t->symptoms.diagnosis.wrong_elements = wrong < UINT32_MAX ? (uint32_t)wrong : UINT32_MAX;
    if (!any)
        return;
    explain_note(x, EXPLAIN_NOT_WRITTEN, unwritten);
    explain_note(x, EXPLAIN_ZEROS, zero);
    explain_note(x, EXPLAIN_NANS, nan);
    explain_note(x, EXPLAIN_INTEGER_AS_FLOAT, rounded);
    explain_note(x, EXPLAIN_ONE_BIT, one_bit);
    explain_note(x, EXPLAIN_PREVIOUS_MIXED, mixed);
    /* A computed element may equal an element elsewhere by chance. */
    explain_note(x, EXPLAIN_MISPLACED, misplaced && !trial_is_computed(x->t));
}
