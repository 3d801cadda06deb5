/* The contents of the inputs of a case, as far as they may separate failing cases from others. */
#include "harness/run/causes_internal.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"

#include <math.h>
#include <stdlib.h>

enum content {
    MINUS_ZERO,
    DENORMAL,
    SIGNALLING_NAN,
    NOT_A_NUMBER,
    INFINITE,
    NEGATIVE,
    NEGATIVE_INDEX,
    INDEX_OUT_OF_RANGE,
    STRIDED,
    BROADCAST
};

static const char *const names[CAUSES_CONTENTS] = {
    [MINUS_ZERO] = "-0.0",
    [DENORMAL] = "denormals",
    [SIGNALLING_NAN] = "signalling NaNs",
    [NOT_A_NUMBER] = "NaNs",
    [INFINITE] = "infinities",
    [NEGATIVE] = "negative numbers",
    [NEGATIVE_INDEX] = "negative indices",
    [INDEX_OUT_OF_RANGE] = "indices out of range",
    [STRIDED] = "strides",
    [BROADCAST] = "strides of 0",
};

const char *causes_content_name(int content)
{
    return names[content];
}

/* The context of add_element(): one tensor. */
struct scan {
    const struct opdesc_tensor *t;
    const uint8_t *memory;
    uint64_t infinity; /* bits of the type's infinity */
    uint32_t found;
};

static bool causes_contents_add_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct scan *s = context;
    unsigned type = s->t->data_type;
    const struct datatype *info = datatype_of(type);
    uint64_t bits = element_get(info->bits, s->memory, offset), sign = (uint64_t)1 << (info->bits - 1);
    (void)number, (void)coordinates;
    if (!info->is_float) {
        s->found |= (uint32_t)(info->is_signed && (bits & sign)) << NEGATIVE;
        return true;
    }
    uint64_t quiet = (s->infinity & (0 - s->infinity)) >> 1; /* the highest bit of the fraction */
    bool nan = datatype_is_nan(type, bits);
    s->found |= (uint32_t)(bits == sign) << MINUS_ZERO | (uint32_t)datatype_is_denormal(type, bits) << DENORMAL |
                (uint32_t)nan << NOT_A_NUMBER | (uint32_t)(nan && !(bits & quiet)) << SIGNALLING_NAN |
                (uint32_t)((bits & ~sign) == s->infinity) << INFINITE | (uint32_t)(!nan && bits > sign) << NEGATIVE;
    return true;
}

static void add_index(void *context, const struct index_place *place)
{
    uint32_t *found = context;
    *found |= (uint32_t)(place->value < 0 && datatype_of(place->data_type)->is_signed) << NEGATIVE_INDEX |
              (uint32_t)!place->in_range << INDEX_OUT_OF_RANGE;
}

static uint32_t of_tensor(const struct testcase *c, uint64_t seed, int item)
{
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    struct scan scan = {.t = t};
    uint8_t *memory = malloc(t->total + 8);
    if (!memory)
        return 0;
    fill_input(c, seed, item, memory, t->total);
    scan.memory = memory;
    if (fill_is_index(c->spec, item)) {
        indices_each(c, item, memory, add_index, &scan.found);
    } else {
        if (datatype_of(t->data_type)->is_float)
            datatype_from_double(t->data_type, HUGE_VAL, &scan.infinity);
        elements_each(t, causes_contents_add_element, &scan);
    }
    free(memory);
    return scan.found;
}

static uint32_t of_strides(const struct opdesc_tensor *t)
{
    bool broadcast = false;
    for (uint32_t d = 0; d < t->dims && t->has_strides; d++)
        broadcast |= t->sizes[d] > 1 && t->strides[d] == 0;
    return (uint32_t)t->has_strides << STRIDED | (uint32_t)broadcast << BROADCAST;
}

bool causes_contents(const struct testcase *c, uint64_t seed, uint32_t *out)
{
    enum { BYTES_MAX = 4 << 20 };
    uint64_t bytes = 0;
    *out = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        bytes += field_is_input(spec_tensor_field(c->spec, i)) ? c->desc->items[i].tensor.total : 0;
    if (!testcase_may_run(c) || bytes > BYTES_MAX)
        return false;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        bool input = field_is_input(spec_tensor_field(c->spec, i));
        *out |= of_strides(&c->desc->items[i].tensor);
        for (int dispatch = 0; dispatch <= c->dispatch_twice && input; dispatch++)
            *out |= of_tensor(c, seed + (uint64_t)dispatch, i);
    }
    return true;
}
