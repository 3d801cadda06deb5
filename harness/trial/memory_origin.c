#include "harness/trial/memory_origin.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/trial/trial_internal.h"

#include <stdlib.h>
#include <string.h>

/* The contents of all tensors, in pieces of the width of an element, in ascending order. */
struct contents {
    uint64_t *pieces;
    size_t count;
};

/* The elements that are counted. */
struct origin_search {
    const struct trial *t;
    int field;
    struct contents contents;
    unsigned width;   /* the width of an element, in bits */
    uint64_t defined; /* the number of defined elements */
    uint64_t foreign;
    struct wrong *first;
};

static int origin_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void add_pieces(struct contents *contents, const uint8_t *memory, uint64_t size, unsigned width)
{
    for (uint64_t i = 0; elements_bytes(width, i + 1) <= size; i++)
        contents->pieces[contents->count++] = element_get(width, memory, i);
}

/* Collects the inputs, gaps included, and the contents of the outputs before the dispatch. */
static bool origin_collect(const struct trial *t, unsigned width, struct contents *contents)
{
    uint64_t size = 8; /* a zero has a place, too */
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        size += t->c.desc->items[i].tensor.total;
    *contents = (struct contents){.pieces = malloc(size * 8 / width * sizeof *contents->pieces)};
    if (!contents->pieces)
        return false;
    contents->pieces[contents->count++] = 0;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        uint64_t total = t->c.desc->items[i].tensor.total;
        if (field_is_input(spec_tensor_field(t->c.spec, i)))
            add_pieces(contents, t->blocks[i].read, total, width);
        if (!field_is_output(spec_tensor_field(t->c.spec, i)))
            continue;
        uint8_t *before = malloc(total);
        const struct prefill prefill = trial_prefill(t, i);
        if (before) {
            compare_prefill(&prefill, before, total);
            add_pieces(contents, before, total, width);
        }
        free(before);
    }
    qsort(contents->pieces, contents->count, sizeof *contents->pieces, origin_by_value);
    return true;
}

static bool is_predicted(const struct origin_search *s, uint64_t offset, uint64_t bits)
{
    for (int i = 0; i < s->t->interpretations->count; i++)
        if (element_get(s->width, s->t->interpretations->list[i].outputs[s->field], offset) == bits)
            return true;
    return element_get(s->width, s->t->expected[s->field].write, offset) == bits;
}

static bool check_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct origin_search *s = context;
    const struct opdesc_tensor *tensor = &s->t->c.desc->items[s->field].tensor;
    if (number >= s->defined)
        return false;
    uint64_t bits = element_get(s->width, s->t->got[s->field].write, offset);
    if (is_predicted(s, offset, bits) ||
        bsearch(&bits, s->contents.pieces, s->contents.count, sizeof bits, origin_by_value))
        return true;
    if (s->foreign++ == 0)
        compare_note(tensor, coordinates, element_get(s->width, s->t->expected[s->field].write, offset), bits,
                     s->first);
    return true;
}

uint64_t origin_count_foreign(const struct trial *t, int field, struct wrong *first)
{
    const struct opdesc_tensor *tensor = &t->c.desc->items[field].tensor;
    struct origin_search s = {.t = t,
                              .field = field,
                              .width = datatype_of(tensor->data_type)->bits,
                              .defined = trial_defined_elements(t, field),
                              .first = first};
    if (!origin_collect(t, s.width, &s.contents))
        return 0;
    elements_each(tensor, check_element, &s);
    first->count = s.foreign;
    free(s.contents.pieces);
    return s.foreign;
}
