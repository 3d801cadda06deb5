/* gather.c: builds the walks of the gathers. */
#include "device/reference/gather.h"

/* GATHER's output has the input's dimensions before the axis, then the last dimensions of the indices, then the input's
 * dimensions after the axis, aligned right. Excess dimensions on the left have size 1 and need no loop. */
static void init_blocks(struct walk *walk, const struct descriptor *descriptor)
{
    const struct tensor *input = &descriptor->inputs[0], *indices = &descriptor->inputs[1];
    const struct tensor *output = &descriptor->outputs[0];
    uint32_t rank = input->rank, axis = descriptor->axis, taken = descriptor->index_dimensions;
    uint64_t bytes = input->element_size, index_bytes = indices->element_size;

    walk_begin(walk, WALK_GATHER, input->element_size, indices->type);
    for (uint32_t i = taken ? taken - 1 : 0; i < rank - 1 + taken; i++) {
        uint32_t o = i + 1 - taken;
        uint64_t near = output->strides[o] * bytes;
        if (i < axis)
            walk_add_loop(walk, output->sizes[o], near, 0, input->strides[i] * bytes);
        else if (i < axis + taken)
            walk_add_loop(walk, output->sizes[o], near, indices->strides[rank - taken + i - axis] * index_bytes, 0);
        else
            walk_add_loop(walk, output->sizes[o], near, 0, input->strides[i + 1 - taken] * bytes);
    }
    walk_add_coordinate(walk, input->sizes[axis], input->strides[axis] * bytes, 0);
    walk_prepare(walk);
}

void gather_init(struct gather *gather, const struct descriptor *descriptor)
{
    const struct tensor *input = &descriptor->inputs[0], *indices = &descriptor->inputs[1];
    const struct tensor *output = &descriptor->outputs[0];

    if (descriptor->type == DML_OPERATOR_GATHER)
        init_blocks(&gather->walk, descriptor);
    else if (descriptor->type == DML_OPERATOR_GATHER_ELEMENTS)
        walk_elements(&gather->walk, WALK_GATHER, output, indices, input, descriptor->axis);
    else
        walk_tuples(&gather->walk, WALK_GATHER, output, indices, input, descriptor);
}

void gather_run(const struct gather *gather, const void *input, const void *indices, void *output)
{
    walk_run(&gather->walk, output, input, indices);
}
