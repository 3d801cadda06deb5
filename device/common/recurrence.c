#include "device/common/recurrence.h"

enum { NONE = DESCRIPTOR_MAX_INPUTS };

/* Gates and activations of a network, and the numbers of its inputs by role. */
static const struct kind {
    DML_OPERATOR_TYPE type;
    uint32_t gates, activations;
    uint8_t inputs[RECURRENCE_INPUTS];
} kinds[] = {
    {DML_OPERATOR_RNN, 1, 1, {0, 1, 2, 3, 4, 5, NONE, NONE}},
    {DML_OPERATOR_GRU, 3, 2, {0, 1, 2, 3, 4, 5, NONE, NONE}},
    {DML_OPERATOR_LSTM, 4, 3, {0, 1, 2, 3, 4, 6, 5, 7}},
};

static const struct kind *recurrence_kind_of(DML_OPERATOR_TYPE type)
{
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return &kinds[i];
    return 0;
}

int recurrence_computes(DML_OPERATOR_TYPE type)
{
    return recurrence_kind_of(type) != 0;
}

/* The attributes that all networks have, in structs of their own. */
#define ATTRIBUTES(desc)                                                                                               \
    (out->direction = (desc).Direction, out->activation_count = (desc).ActivationDescCount,                            \
     out->descriptions = (desc).ActivationDescs)

void recurrence_init(struct recurrence *out, const struct descriptor *d)
{
    const struct kind *kind = recurrence_kind_of(d->type);
    const struct tensor *x = &d->inputs[0], *r = &d->inputs[2];
    *out = (struct recurrence){.gates = kind->gates,
                               .activations = kind->activations,
                               .time = x->sizes[1],
                               .batch = x->sizes[2],
                               .input_size = x->sizes[3],
                               .hidden = r->sizes[3]};
    switch (d->type) {
    case DML_OPERATOR_GRU:
        ATTRIBUTES(d->desc.gru);
        out->linear_before_reset = d->desc.gru.LinearBeforeReset != 0;
        break;
    case DML_OPERATOR_LSTM:
        ATTRIBUTES(d->desc.lstm);
        out->clips = d->desc.lstm.UseClipThreshold != 0;
        out->couples = d->desc.lstm.CoupleInputForget != 0;
        out->threshold = d->desc.lstm.ClipThreshold;
        break;
    default:
        ATTRIBUTES(d->desc.rnn);
    }
    out->direction_count = out->direction == DML_RECURRENT_NETWORK_DIRECTION_BIDIRECTIONAL ? 2 : 1;
    out->first_backward = out->direction == DML_RECURRENT_NETWORK_DIRECTION_BACKWARD;
}

uint32_t recurrence_number(const struct descriptor *d, enum recurrence_role role)
{
    return recurrence_kind_of(d->type)->inputs[role];
}

const struct tensor *recurrence_input(const struct descriptor *d, enum recurrence_role role)
{
    const uint32_t number = recurrence_number(d, role);
    return number == NONE || d->inputs[number].rank == 0 ? 0 : &d->inputs[number];
}

const struct tensor *recurrence_output(const struct descriptor *d, enum recurrence_result result)
{
    return result >= d->output_count || d->outputs[result].rank == 0 ? 0 : &d->outputs[result];
}
