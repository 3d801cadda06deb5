/* descriptor_recurrence.c: the rules of recurrent networks. */
#include "device/common/descriptor_internal.h"

#include "device/common/recurrence.h"

static int has_sizes(const struct reader *reader, const char *name, const struct tensor *tensor, uint64_t first,
                     uint64_t second, uint64_t third, uint64_t fourth)
{
    const uint64_t sizes[RECURRENCE_RANK] = {first, second, third, fourth};
    for (uint32_t i = 0; tensor && i < RECURRENCE_RANK; i++)
        if (tensor->sizes[i] != sizes[i])
            return REJECT(reader, "%s.Sizes[%u] is %u; the other tensors call for %llu.", name, i, tensor->sizes[i],
                          (unsigned long long)sizes[i]);
    return 1;
}

static int check_inputs(const struct reader *reader, const struct descriptor *d, const struct recurrence *r)
{
    const uint64_t k = r->direction_count, h = r->hidden, rows = r->gates * h;
    return has_sizes(reader, "InputTensor", &d->inputs[0], 1, r->time, r->batch, r->input_size) &&
           has_sizes(reader, "WeightTensor", recurrence_input(d, RECURRENCE_WEIGHT), 1, k, rows, r->input_size) &&
           has_sizes(reader, "RecurrenceTensor", recurrence_input(d, RECURRENCE_WEIGHT_OF_STATE), 1, k, rows, h) &&
           has_sizes(reader, "BiasTensor", recurrence_input(d, RECURRENCE_BIAS), 1, 1, k, 2 * rows) &&
           has_sizes(reader, "HiddenInitTensor", recurrence_input(d, RECURRENCE_HIDDEN), 1, k, r->batch, h) &&
           has_sizes(reader, "CellMemInitTensor", recurrence_input(d, RECURRENCE_CELL), 1, k, r->batch, h) &&
           has_sizes(reader, "SequenceLengthsTensor", recurrence_input(d, RECURRENCE_LENGTHS), 1, 1, 1, r->batch) &&
           has_sizes(reader, "PeepholeTensor", recurrence_input(d, RECURRENCE_PEEPHOLE), 1, 1, k, 3 * h);
}

static int check_outputs(const struct reader *reader, const struct descriptor *d, const struct recurrence *r)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < d->output_count; i++)
        given += d->outputs[i].rank > 0;
    if (!given)
        return REJECT(reader, "%s has no output.", reader->op->name);
    return has_sizes(reader, "OutputSequenceTensor", recurrence_output(d, RECURRENCE_SEQUENCE), r->time,
                     r->direction_count, r->batch, r->hidden) &&
           has_sizes(reader, "OutputSingleTensor", recurrence_output(d, RECURRENCE_SINGLE), 1, r->direction_count,
                     r->batch, r->hidden) &&
           has_sizes(reader, "OutputCellSingleTensor", recurrence_output(d, RECURRENCE_CELL_SINGLE), 1,
                     r->direction_count, r->batch, r->hidden);
}

int descriptor_check_recurrence(const struct reader *reader, struct descriptor *d)
{
    struct recurrence r;
    recurrence_init(&r, d);
    if (!descriptor_check_within(reader, "Direction", (uint32_t)r.direction, 0,
                                 DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL) ||
        !check_inputs(reader, d, &r) || !check_outputs(reader, d, &r))
        return 0;
    for (uint32_t i = 0; i < d->input_count; i++)
        if (d->inputs[i].rank > 0 && d->inputs[i].owned)
            return REJECT(reader, "Input %u has the flag OWNED_BY_DML, which %s does not allow.", i, reader->op->name);
    if (r.clips && !(r.threshold >= 0))
        return REJECT(reader, "ClipThreshold is %g; it must be at least 0.", (double)r.threshold);
    if (r.activation_count != r.activations * r.direction_count)
        return REJECT(reader, "ActivationDescCount is %u; this direction calls for %u.", r.activation_count,
                      r.activations * r.direction_count);
    return descriptor_read_activations(reader, r.descriptions, r.activation_count, d);
}
