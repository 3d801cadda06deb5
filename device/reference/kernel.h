/* kernel.h: an operator, ready to run: the file that computes it, and that file's form of its description. */
#ifndef KERNEL_H
#define KERNEL_H

#include "device/reference/fold.h"
#include "device/reference/gather.h"
#include "device/reference/map.h"
#include "device/reference/nonzero.h"
#include "device/reference/quantise.h"
#include "device/reference/scatter.h"
#include "device/reference/softmax.h"

struct kernel {
    DML_OPERATOR_TYPE type;
    union {
        struct gather gather;
        struct scatter scatter;
        struct nonzero nonzero;
        struct map map;
        struct quantise quantise;
        struct fold fold;
        struct softmax softmax;
        struct descriptor other;
    };
};

/* Returns true if there is a kernel for the operator. */
int kernel_computes(DML_OPERATOR_TYPE type);

void kernel_init(struct kernel *kernel, const struct descriptor *descriptor);

/* Runs a kernel. Pointers are to the tensors' first elements, null for absent ones. */
void kernel_run(const struct kernel *kernel, const void *const *inputs, void *const *outputs);

#endif
