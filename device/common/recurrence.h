/* recurrence.h: the parts of a recurrent network, in the same form for RNN, GRU and LSTM. */
#ifndef RECURRENCE_H
#define RECURRENCE_H

#include "device/common/descriptor.h"

/* The tensors, whose numbers differ from operator to operator. */
enum recurrence_role {
    RECURRENCE_INPUT,
    RECURRENCE_WEIGHT,
    RECURRENCE_WEIGHT_OF_STATE,
    RECURRENCE_BIAS,
    RECURRENCE_HIDDEN, /* the initial state */
    RECURRENCE_LENGTHS,
    RECURRENCE_CELL, /* the initial cell */
    RECURRENCE_PEEPHOLE,
    RECURRENCE_INPUTS
};

enum { RECURRENCE_RANK = 4 };

enum recurrence_result { RECURRENCE_SEQUENCE, RECURRENCE_SINGLE, RECURRENCE_CELL_SINGLE, RECURRENCE_OUTPUTS };

struct recurrence {
    uint32_t gates, activations; /* of one direction */
    uint32_t direction_count;
    int first_backward;                       /* the first direction reads the sequence from its end */
    uint32_t time, batch, input_size, hidden; /* sizes */
    DML_RECURRENT_NETWORK_DIRECTION direction;
    int linear_before_reset;               /* GRU */
    int clips, couples;                    /* LSTM: UseClipThreshold, CoupleInputForget */
    FLOAT threshold;                       /* LSTM: ClipThreshold */
    uint32_t activation_count;             /* ActivationDescCount */
    const DML_OPERATOR_DESC *descriptions; /* ActivationDescs: valid only while the description is checked */
};

/* Returns true if the operator is a recurrent network. */
int recurrence_computes(DML_OPERATOR_TYPE type);

/* Fills in `out`. The description need not be legal, but its tensors have 4 dimensions. */
void recurrence_init(struct recurrence *out, const struct descriptor *descriptor);

/* Return a tensor; null if it is absent, or the operator has none of this kind. */
const struct tensor *recurrence_input(const struct descriptor *descriptor, enum recurrence_role role);
const struct tensor *recurrence_output(const struct descriptor *descriptor, enum recurrence_result result);

/* Returns the tensor's number among the inputs. */
uint32_t recurrence_number(const struct descriptor *descriptor, enum recurrence_role role);

#endif
