/* adam.c: ADAM_OPTIMIZER in double. All inputs of an element are read before its outputs are written, as these may have
 * the memory of any input. */
#include "device/common/number.h"
#include "device/reference/pick.h"

#include <math.h>

enum { PARAMETERS, FIRST, SECOND, GRADIENT, STEP, INPUTS, NO_DIMENSION = DESCRIPTOR_MAX_DIMENSIONS };

void pick_adam(const struct descriptor *d, const char *const *in, char *const *out)
{
    const DML_ADAM_OPTIMIZER_OPERATOR_DESC *desc = &d->desc.adam;
    const double first = (double)desc->Beta1, second = (double)desc->Beta2, epsilon = (double)desc->Epsilon;
    const double step = number_real(d->inputs[STEP].type, in[STEP]);
    const double rate = (double)desc->LearningRate * sqrt(1 - pow(second, step)) / (1 - pow(first, step));
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do {
        double x[INPUTS], results[3];
        for (uint32_t i = 0; i < STEP; i++)
            x[i] = number_real(d->inputs[i].type, in[i] + pick_place(&d->inputs[i], at));
        results[FIRST] = first * x[FIRST] + (1 - first) * x[GRADIENT];
        results[SECOND] = second * x[SECOND] + (1 - second) * x[GRADIENT] * x[GRADIENT];
        results[PARAMETERS] = x[PARAMETERS] - rate * results[FIRST] / (sqrt(results[SECOND]) + epsilon);
        for (uint32_t i = 0; i < 3; i++)
            number_store_real(d->outputs[i].type, results[i], out[i] + pick_place(&d->outputs[i], at));
    } while (pick_next(&d->outputs[0], NO_DIMENSION, at));
}
