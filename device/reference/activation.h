/* activation.h: the functions that ACTIVATION_* operators apply to an element, and that other operators fuse. */
#ifndef ACTIVATION_H
#define ACTIVATION_H

#include "device/common/descriptor.h"

struct activation;

/* `a` and `b`: the attributes in the order of the operator's struct; 0 if it has fewer. */
typedef double activation_function(double x, double a, double b);

struct activation {
    activation_function *function; /* null: the identity */
    double a, b;
};

/* Returns the function of an operator; null if there is no such activation, or it needs more than one element. */
activation_function *activation_function_of(DML_OPERATOR_TYPE type);

/* Takes the FusedActivation, or the activation that the operator is, if there is one. */
void activation_init(struct activation *activation, const struct descriptor *descriptor);

double activation_of(const struct activation *activation, double x);

#endif
