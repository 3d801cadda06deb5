#include "device/reference/kernel.h"

#include "device/common/attention.h"
#include "device/common/recurrence.h"
#include "device/reference/attending.h"
#include "device/reference/move.h"
#include "device/reference/normalise.h"
#include "device/reference/pick.h"
#include "device/reference/pooling.h"
#include "device/reference/products.h"
#include "device/reference/recurrent.h"
#include "device/reference/region.h"
#include "device/reference/resample.h"
#include "device/reference/response.h"
#include "device/reference/stream.h"
#include "device/reference/unfold.h"

int kernel_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || descriptor_is_move(type) || map_kernel_of(type) || quantise_kernel_of(type) ||
           fold_computes(type) || softmax_computes(type) || unfold_computes(type) || pick_kernel_of(type) ||
           normalise_kernel_of(type) || response_kernel_of(type) || pooling_kernel_of(type) || products_compute(type) ||
           resample_computes(type) || region_computes(type) || recurrence_computes(type) || attention_computes(type);
}

void kernel_init(struct kernel *kernel, const struct descriptor *descriptor)
{
    const DML_OPERATOR_TYPE type = kernel->type = descriptor->type;
    if (type == DML_OPERATOR_NONZERO_COORDINATES)
        nonzero_init(&kernel->nonzero, descriptor);
    else if (type == DML_OPERATOR_SCATTER_ELEMENTS || type == DML_OPERATOR_SCATTER_ND)
        scatter_init(&kernel->scatter, descriptor);
    else if (descriptor_is_indexed(type))
        gather_init(&kernel->gather, descriptor);
    else if (map_kernel_of(type))
        map_init(&kernel->map, descriptor);
    else if (quantise_kernel_of(type))
        quantise_init(&kernel->quantise, descriptor);
    else if (fold_computes(type))
        fold_init(&kernel->fold, descriptor);
    else if (softmax_computes(type))
        softmax_init(&kernel->softmax, descriptor);
    else
        descriptor_copy(&kernel->other, descriptor);
}

void kernel_run(const struct kernel *kernel, const void *const *in, void *const *out)
{
    const DML_OPERATOR_TYPE type = kernel->type;
    if (map_kernel_of(type))
        map_run(&kernel->map, in, out[0]);
    else if (quantise_kernel_of(type))
        quantise_run(&kernel->quantise, in, out);
    else if (fold_computes(type))
        fold_run(&kernel->fold, in[0], out[0]);
    else if (softmax_computes(type))
        softmax_run(&kernel->softmax, in[0], out[0]);
    else if (descriptor_is_move(type))
        move_run(&kernel->other, in, out);
    else if (unfold_computes(type))
        unfold_run(&kernel->other, in[0], out[0]);
    else if (pick_kernel_of(type))
        pick_kernel_of(type)(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (normalise_kernel_of(type))
        normalise_kernel_of(type)(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (response_kernel_of(type))
        response_kernel_of(type)(&kernel->other, (const char *const *)in, out[0]);
    else if (pooling_kernel_of(type))
        pooling_kernel_of(type)(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (products_compute(type))
        products_run(&kernel->other, (const char *const *)in, out[0]);
    else if (resample_computes(type))
        resample_run(&kernel->other, in[0], out[0]);
    else if (region_computes(type))
        region_run(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (recurrence_computes(type))
        recurrent_run(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (attention_computes(type))
        attention_run(&kernel->other, (const char *const *)in, (char *const *)out);
    else if (type == DML_OPERATOR_NONZERO_COORDINATES)
        nonzero_run(&kernel->nonzero, in[0], out[0], out[1]);
    else if (type == DML_OPERATOR_SCATTER_ELEMENTS || type == DML_OPERATOR_SCATTER_ND)
        scatter_run(&kernel->scatter, in[0], in[1], in[2], out[0]);
    else
        gather_run(&kernel->gather, in[0], in[1], out[0]);
    stream_end();
}
