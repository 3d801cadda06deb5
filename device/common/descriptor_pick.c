/* descriptor_pick.c: the rules of operators that pick elements by numbers, or draw random ones: diagonals,
 * subsequences, one-hot vectors, unpooling, the largest elements, random numbers. */
#include "device/common/descriptor_internal.h"

/* Checks that the sizes of tensor `a` are those of `b`, except that along `axis` they must be `along`. */
static int check_along(const struct reader *reader, const char *name, const struct tensor *a, const struct tensor *b,
                       uint32_t axis, uint32_t along)
{
    for (uint32_t i = 0; i < b->rank; i++) {
        uint32_t wanted = i == axis ? along : b->sizes[i];
        if (a->sizes[i] != wanted)
            return REJECT(reader, "%s.Sizes[%u] is %u; Axis %u calls for %u.", name, i, a->sizes[i], axis, wanted);
    }
    return 1;
}

int descriptor_check_diagonal1(const struct reader *reader, struct descriptor *d)
{
    uint32_t type = (uint32_t)d->desc.diagonal1.ValueDataType;
    if (type == (uint32_t)d->outputs[0].type)
        return 1;
    return REJECT(reader, "ValueDataType is %s; it must be the output's %s.", descriptor_text_of_type(reader, type),
                  descriptor_types[d->outputs[0].type].name);
}

int descriptor_check_reverse(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0];
    d->axis = d->desc.reverse.Axis;
    return descriptor_check_within(reader, "Axis", d->axis, 0, input->rank - 1) &&
           check_along(reader, "SequenceLengthsTensor", &d->inputs[1], input, d->axis, 1);
}

int descriptor_check_one_hot(const struct reader *reader, struct descriptor *d)
{
    d->axis = d->desc.one_hot.Axis;
    if (!descriptor_check_within(reader, "Axis", d->axis, 0, d->inputs[0].rank - 1) ||
        !check_along(reader, "IndicesTensor", &d->inputs[0], &d->outputs[0], d->axis, 1))
        return 0;
    if (d->inputs[1].count < 2)
        return REJECT(reader, "ValuesTensor has %u element; it must have at least two.", 1u);
    return 1;
}

int descriptor_check_unpooling(const struct reader *reader, struct descriptor *d)
{
    for (uint32_t i = 0; i < 2; i++)
        if (d->outputs[0].sizes[i] != d->inputs[0].sizes[i])
            return REJECT(reader, "OutputTensor.Sizes[%u] is %u; it must be InputTensor's %u.", i,
                          d->outputs[0].sizes[i], d->inputs[0].sizes[i]);
    return 1;
}

/* Checks the shape of a random generator's state: 6 words, and 1s before them. */
static int check_state(const struct reader *reader, const char *name, const struct tensor *state)
{
    for (uint32_t i = 0; i < state->rank; i++) {
        uint32_t wanted = i + 1 == state->rank ? 6 : 1;
        if (state->sizes[i] != wanted)
            return REJECT(reader, "%s.Sizes[%u] is %u; in a state it must be %u.", name, i, state->sizes[i], wanted);
    }
    return 1;
}

int descriptor_check_random(const struct reader *reader, struct descriptor *d)
{
    return descriptor_check_within(reader, "Type", (uint32_t)d->desc.random.Type, 0, 0) &&
           check_state(reader, "InputStateTensor", &d->inputs[0]) &&
           check_state(reader, "OutputStateTensor", &d->outputs[1]);
}

int descriptor_check_top_k(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0];
    int has_direction = d->type == DML_OPERATOR_TOP_K1;
    uint32_t k = has_direction ? d->desc.top_k1.K : d->desc.top_k.K;
    d->axis = has_direction ? d->desc.top_k1.Axis : d->desc.top_k.Axis;
    return descriptor_check_within(reader, "Axis", d->axis, 0, input->rank - 1) &&
           (!has_direction ||
            descriptor_check_within(reader, "AxisDirection", (uint32_t)d->desc.top_k1.AxisDirection, 0, 1)) &&
           descriptor_check_within(reader, "K", k, 1, input->sizes[d->axis]) &&
           check_along(reader, "OutputValueTensor", &d->outputs[0], input, d->axis, k) &&
           check_along(reader, "OutputIndexTensor", &d->outputs[1], input, d->axis, k);
}
