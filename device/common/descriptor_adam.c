/* descriptor_adam.c: the rules of ADAM_OPTIMIZER that no table has. */
#include "device/common/descriptor_internal.h"

static int check_beta(const struct reader *reader, const char *name, FLOAT beta)
{
    if (beta >= 0 && beta < 1)
        return 1;
    return REJECT(reader, "%s is %g; it must be at least 0 and below 1.", name, (double)beta);
}

int descriptor_check_adam(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *step = &d->inputs[4];
    if (step->count != 1)
        return REJECT(reader, "TrainingStepTensor.Sizes are %s; all must be 1.",
                      descriptor_text_of_sizes(reader, step->sizes, step->rank));
    return check_beta(reader, "Beta1", d->desc.adam.Beta1) && check_beta(reader, "Beta2", d->desc.adam.Beta2);
}
