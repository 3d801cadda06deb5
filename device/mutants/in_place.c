/* in_place.c: bugs of an input that has the memory of the output. Elsewhere these are right. */
#include "device/mutants/in_place.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <stdlib.h>
#include <string.h>

/* Elements that replace those of the output. */
struct moving {
    const uint8_t *from; /* null: zeros */
    uint8_t *to;
    unsigned width;
    uint64_t past;     /* only elements before this number are replaced */
    uint64_t previous; /* the element of `from` before this one */
};

static bool move_same(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct moving *m = context;
    (void)coordinates;
    if (number < m->past)
        element_put(m->width, m->to, offset, m->from ? element_get(m->width, m->from, offset) : 0);
    return true;
}

static bool move_previous(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct moving *m = context;
    (void)coordinates;
    if (number > 0)
        element_put(m->width, m->to, offset, m->previous);
    m->previous = element_get(m->width, m->from, offset);
    return true;
}

/* Returns the first tensor that is an output, or an input. */
static int in_place_first(const struct reading *reading, bool output)
{
    int i = 0;
    while (field_is_output(spec_tensor_field(reading->right, i)) != output)
        i++;
    return i;
}

bool in_place_run(const struct reading *reading, uint8_t *const tensors[], enum bug bug)
{
    enum { MOST = 1000 }; /* rounds, until the pairs of a row of so many elements are stored */
    int first = in_place_first(reading, false), output = in_place_first(reading, true);
    const struct opdesc_tensor *input = &reading->desc.items[first].tensor, *t = &reading->desc.items[output].tensor;
    uint64_t count = (uint64_t)opdesc_elements(t);
    uint8_t *old = malloc(t->total), *results = malloc(t->total), *out = tensors[output];
    struct moving moving = {.to = out, .width = datatype_of(t->data_type)->bits, .past = count};
    bool complete = old && results;
    if (complete) {
        moving.from = bug == BUG_IN_PLACE_COPIED ? tensors[first] : NULL;
        if (bug == BUG_IN_PLACE_CLEARED ||
            (bug == BUG_IN_PLACE_COPIED && input->data_type == t->data_type && input->total == t->total))
            elements_each(t, move_same, &moving);
        memcpy(old, out, t->total);
        complete = formulas_compute(reading, false, tensors);
    }
    moving.from = results;
    if (complete && bug == BUG_IN_PLACE_TAIL && count > 4 && count % 4 != 0) { /* the last four are computed again */
        memcpy(results, out, t->total);
        complete = formulas_compute(reading, false, tensors);
        moving.past = count - 4;
        elements_each(t, move_same, &moving);
    }
    bool moved = bug == BUG_IN_PLACE_PAIRS;
    for (int i = 0; complete && moved && i < MOST; i++) { /* each element is computed from the result before it */
        memcpy(results, out, t->total);
        memcpy(out, old, t->total);
        elements_each(t, move_previous, &moving);
        complete = formulas_compute(reading, false, tensors);
        moved = memcmp(results, out, t->total) != 0;
    }
    free(old);
    free(results);
    return complete;
}
