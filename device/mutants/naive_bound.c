/* naive_bound.c: asks the judge itself where its bounds are. */
#include "device/mutants/naive_bound.h"

#include "harness/base/datatype.h"
#include "harness/trial/computed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns true if the first element of the output may be `bits`. */
static bool is_accepted(const struct computed_output *output, uint8_t *got, size_t bytes, uint64_t bits)
{
    struct comparison found;
    memcpy(got, &bits, bytes);
    computed_compare(output, &found);
    return found.wrong == 0;
}

/* The bits of the value of the same sign that is furthest from zero. */
static uint64_t furthest(unsigned type, uint64_t bits)
{
    const struct datatype *t = datatype_of(type);
    uint64_t sign = (uint64_t)1 << (t->bits - 1), infinity = 0;
    if (t->is_float) {
        datatype_from_double(type, HUGE_VAL, &infinity);
        return (bits & sign) | (infinity - 1);
    }
    return t->is_signed && bits < sign ? sign - 1 : sign | (sign - 1);
}

static void move_first(const struct computed_output *output, uint8_t *got, uint8_t *to, bool beyond)
{
    unsigned type = output->desc->items[output->item].tensor.data_type;
    size_t bytes = datatype_of(type)->bits / 8;
    uint64_t accepted = datatype_bits(type, output->expected), wrong = furthest(type, accepted);
    double value = datatype_to_double(type, output->expected);
    if (!isfinite(value) || accepted >= wrong || is_accepted(output, got, bytes, wrong))
        return;
    while (wrong - accepted > 1) {
        uint64_t middle = accepted + (wrong - accepted) / 2;
        if (is_accepted(output, got, bytes, middle))
            accepted = middle;
        else
            wrong = middle;
    }
    memcpy(to, beyond ? &wrong : &accepted, bytes);
}

void bounds_strike(const struct spec *spec, const struct opdesc *desc, const assay_dispatch_item *item, bool half,
                   bool beyond)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {NULL};
    size_t size = item->outputs[0].size, inputs = 0;
    uint8_t *expected = malloc(size), *got = malloc(size), *to = NULL;
    struct computed_output output = {
        .spec = spec, .desc = desc, .expected = expected, .got = got, .rule = -1, .half = half};
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        bool is_output = field_is_output(spec_tensor_field(spec, i));
        const assay_binding *binding = is_output ? &item->outputs[0] : &item->inputs[inputs++];
        tensors[i] = (uint8_t *)binding->base + binding->offset;
        if (is_output) {
            output.item = i;
            to = tensors[i];
            tensors[i] = expected;
        }
    }
    output.tensors = (const uint8_t *const *)tensors;
    bool kept = true; /* the inputs: not those whose memory the outputs have been written to */
    for (size_t i = 0; i < inputs; i++)
        kept &= item->inputs[i].base != item->outputs[0].base || item->inputs[i].size == 0;
    if (expected && got && to && kept) {
        memset(expected, 0, size);
        computed_run(spec, desc, tensors);
        memcpy(got, expected, size);
        move_first(&output, got, to, beyond);
    }
    free(expected);
    free(got);
}
