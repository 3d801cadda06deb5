/* scatter.c: builds the two walks of a scatter: the copy of the input, and the updates. */
#include "device/reference/scatter.h"

static void init_copy(struct walk *walk, const struct tensor *input, const struct tensor *output)
{
    uint64_t bytes = input->element_size;

    walk_begin(walk, WALK_GATHER, input->element_size, DML_TENSOR_DATA_TYPE_UNKNOWN);
    for (uint32_t i = 0; i < input->rank; i++)
        walk_add_loop(walk, input->sizes[i], output->strides[i] * bytes, 0, input->strides[i] * bytes);
    walk_prepare(walk);
}

void scatter_init(struct scatter *scatter, const struct descriptor *descriptor)
{
    const struct tensor *input = &descriptor->inputs[0], *indices = &descriptor->inputs[1];
    const struct tensor *updates = &descriptor->inputs[2], *output = &descriptor->outputs[0];

    init_copy(&scatter->copy, input, output);
    if (descriptor->type == DML_OPERATOR_SCATTER_ELEMENTS)
        walk_elements(&scatter->updates, WALK_SCATTER, updates, indices, output, descriptor->axis);
    else
        walk_tuples(&scatter->updates, WALK_SCATTER, updates, indices, output, descriptor);
}

void scatter_run(const struct scatter *scatter, const void *input, const void *indices, const void *updates,
                 void *output)
{
    walk_run(&scatter->copy, output, input, NULL);
    walk_run(&scatter->updates, output, updates, indices);
}
