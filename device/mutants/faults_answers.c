/* faults_answers.c: wrong answers to descriptions, and wrong statuses. rules.c ignores single rules. */
#include "device/mutants/faults.h"

#include "harness/base/datatype.h"

#include <stdio.h>

static HRESULT lose_device(const struct strike *s)
{
    (void)s;
    return DXGI_ERROR_DEVICE_REMOVED;
}

static HRESULT fail_dispatch(const struct strike *s)
{
    (void)s;
    return E_FAIL;
}

/* Fails if an index is out of range, as frameworks do that check indices. */
static HRESULT fail_out_of_range(const struct strike *s)
{
    const struct descriptor *d = s->descriptor;
    const struct tensor *far = &d->inputs[0], *indices = &d->inputs[1];
    const struct naive n = {.d = d, .item = s->item};
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    int by_axis = d->type == DML_OPERATOR_GATHER || d->type == DML_OPERATOR_GATHER_ELEMENTS ||
                  d->type == DML_OPERATOR_SCATTER_ELEMENTS;
    if (d->input_count < 2)
        return S_OK;
    struct memory memory = naive_input(&n, 1);
    do {
        uint32_t first = far->rank - d->input_dimension_count + d->batch_dimension_count;
        int64_t size = far->sizes[by_axis ? d->axis : first + at[indices->rank - 1]];
        int64_t value = datatype_to_integer(indices->type, naive_at(&memory, at));
        if (value >= size || value < (datatype_of(indices->type)->is_signed ? -size : 0))
            return E_FAIL;
    } while (naive_step(indices, at));
    return S_OK;
}

static HRESULT crash_create(HRESULT right, const struct descriptor *d)
{
    (void)d;
    fputs("about to touch a null pointer\n", stderr);
    *(volatile int *)NULL = 1;
    return right;
}

static HRESULT crash_reject(HRESULT right, const struct descriptor *d)
{
    return FAILED(right) ? crash_create(right, d) : right;
}

static HRESULT reject_all(HRESULT right, const struct descriptor *d)
{
    (void)right;
    (void)d;
    return E_INVALIDARG;
}

static HRESULT reject_late(HRESULT right)
{
    (void)right;
    return E_INVALIDARG;
}

static HRESULT support_nothing(HRESULT right, const struct descriptor *d)
{
    (void)right;
    (void)d;
    return DXGI_ERROR_UNSUPPORTED;
}

static HRESULT other_error(HRESULT right, const struct descriptor *d)
{
    (void)d;
    return FAILED(right) ? E_FAIL : right;
}

static HRESULT accept_all(HRESULT right, const struct descriptor *d)
{
    (void)d;
    return FAILED(right) ? S_FALSE : right;
}

/* ---- legal descriptions rejected because of one tensor */

static HRESULT reject_if(HRESULT right, const struct descriptor *d, int (*match)(const struct tensor *tensor))
{
    int any = 0;
    if (FAILED(right))
        return right;
    for (uint32_t i = 0; i < d->input_count; i++)
        any |= match(&d->inputs[i]);
    for (uint32_t i = 0; i < d->output_count; i++)
        any |= match(&d->outputs[i]);
    return any ? E_INVALIDARG : right;
}

static uint64_t extent_of(const struct tensor *t)
{
    uint64_t extent = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        extent += (t->sizes[i] - 1ull) * t->strides[i];
    return extent;
}

static int is_above_2_gib(const struct tensor *t)
{
    return t->bytes > INT32_MAX;
}

static int is_wide(const struct tensor *t)
{
    return t->element_size == 8;
}

static int has_gaps(const struct tensor *t)
{
    return extent_of(t) > t->count;
}

static int is_permuted(const struct tensor *t)
{
    return !t->packed && extent_of(t) == t->count;
}

static int is_broadcast(const struct tensor *t)
{
    return extent_of(t) < t->count;
}

static int is_ragged(const struct tensor *t)
{
    return t->bytes % 4 != 0;
}

static int has_slack(const struct tensor *t)
{
    return t->bytes > (extent_of(t) * t->element_size + 3) / 4 * 4;
}

static int is_above_rank_5(const struct tensor *t)
{
    return t->rank > 5;
}

/* Tells whether a stride of a dimension of size 1, which is never used, reaches past the end. */
static int has_idle_stride(const struct tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] == 1 && (uint64_t)t->strides[i] * t->element_size > t->bytes)
            return 1;
    return 0;
}

/* Tells whether the tensor is too small by a wrong formula: the largest size times stride. */
static int ends_early(const struct tensor *t)
{
    uint64_t max = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->sizes[i] > 1 && (uint64_t)t->sizes[i] * t->strides[i] > max)
            max = (uint64_t)t->sizes[i] * t->strides[i];
    return max * t->element_size > t->bytes;
}

/* Crashes in a corner that no case reaches: only a search does. */
static HRESULT crash_corner(HRESULT right, const struct descriptor *d)
{
    const struct tensor *t = &d->inputs[0];
    if (SUCCEEDED(right) && t->type == DML_TENSOR_DATA_TYPE_UINT16 && t->rank == 6 && t->alignment == 16)
        return crash_create(right, d);
    return right;
}

static int has_high_alignment(const struct tensor *t)
{
    return t->alignment > 65536;
}

#define REJECTS(name, match)                                                                                           \
    static HRESULT name(HRESULT right, const struct descriptor *d)                                                     \
    {                                                                                                                  \
        return reject_if(right, d, match);                                                                             \
    }
REJECTS(reject_2_gib, is_above_2_gib)
REJECTS(reject_wide, is_wide)
REJECTS(reject_gaps, has_gaps)
REJECTS(reject_permuted, is_permuted)
REJECTS(reject_broadcast, is_broadcast)
REJECTS(reject_slack, has_slack)
REJECTS(reject_ragged, is_ragged)
REJECTS(reject_rank_6, is_above_rank_5)
REJECTS(reject_idle_stride, has_idle_stride)
REJECTS(reject_last_gap, ends_early)
REJECTS(reject_high_alignment, has_high_alignment)

const struct fault answer_faults[] = {
    {.name = "crash-create", .what = "a null pointer is written in create_operator", .on_create = crash_create},
    {.name = "crash-reject",
     .what = "a null pointer is written where a description is rejected",
     .issue = "tensorflow#62603",
     .on_create = crash_reject},
    {.name = "lose-device", .what = "dispatch returns DXGI_ERROR_DEVICE_REMOVED", .before = lose_device},
    {.name = "lose-and-say",
     .what = "dispatch returns DXGI_ERROR_DEVICE_REMOVED, with a message",
     .message = "the kernel of the queue hung",
     .before = lose_device},
    {.name = "fail-dispatch", .what = "dispatch returns E_FAIL", .before = fail_dispatch},
    {.name = "fail-out-of-range",
     .what = "dispatch returns E_FAIL if an index is out of range",
     .message = "index out of range",
     .before = fail_out_of_range},
    {.name = "say-anything",
     .what = "dispatch returns E_FAIL, with a message of bytes that terminals and parsers act on",
     .special = SPECIAL_TEXT,
     .before = fail_dispatch},
    {.name = "fail-and-log",
     .what = "dispatch returns E_FAIL, with a message that reads like a write outside a tensor",
     .message = "the kernel wrote a log",
     .before = fail_dispatch},
    {.name = "reject-all", .what = "every description is rejected", .on_create = reject_all},
    {.name = "reject-late", .what = "every description is rejected when compiled", .on_compile = reject_late},
    {.name = "support-nothing", .what = "create_operator returns DXGI_ERROR_UNSUPPORTED", .on_create = support_nothing},
    {.name = "deny-half", .what = "supports_data_type denies FLOAT16, which works", .special = SPECIAL_DENY},
    {.name = "other-error", .what = "rejections return E_FAIL", .kind = BUG_SOFT, .on_create = other_error},
    {.name = "accept-all", .what = "no description is rejected", .on_create = accept_all},
    {.name = "leak", .what = "at most 4096 operators can be created, destroyed ones included", .special = SPECIAL_LEAK},
    {.name = "null-operator",
     .what = "create_operator returns S_OK without an operator",
     .special = SPECIAL_NULL_OPERATOR},
    {.name = "null-compiled",
     .what = "compile_operator returns S_OK without a compiled operator",
     .special = SPECIAL_NULL_COMPILED},
    {.name = "reject-2-gib",
     .what = "tensors of 2 GiB or more are rejected",
     .issue = "TensorRT#1948",
     .on_create = reject_2_gib},
    {.name = "reject-wide",
     .what = "tensors of 64-bit elements are rejected",
     .issue = "DirectML#727",
     .on_create = reject_wide},
    {.name = "reject-gaps", .what = "tensors with gaps are rejected", .on_create = reject_gaps},
    {.name = "reject-permuted", .what = "permuted tensors are rejected", .on_create = reject_permuted},
    {.name = "reject-broadcast", .what = "broadcast tensors are rejected", .on_create = reject_broadcast},
    {.name = "reject-slack",
     .what = "a TotalTensorSizeInBytes above the minimum is rejected",
     .on_create = reject_slack},
    {.name = "reject-ragged",
     .what = "a TotalTensorSizeInBytes that is not a multiple of 4 is rejected",
     .kind = BUG_OPEN,
     .on_create = reject_ragged},
    {.name = "reject-rank-6", .what = "tensors of more than 5 dimensions are rejected", .on_create = reject_rank_6},
    {.name = "reject-idle-stride",
     .what = "strides of dimensions of size 1 count in the minimum size",
     .on_create = reject_idle_stride},
    {.name = "reject-high-alignment",
     .what = "a GuaranteedBaseOffsetAlignment above 65,536 is rejected",
     .on_create = reject_high_alignment},
    {.name = "crash-corner",
     .what = "a null pointer is written in create_operator for UINT16 of rank 6 with an alignment of 16",
     .on_create = crash_corner},
    {.name = "reject-last-gap",
     .what = "the gap after the last element counts in the minimum size",
     .issue = "iree-turbine#1300",
     .on_create = reject_last_gap},
};

const unsigned answer_fault_count = sizeof answer_faults / sizeof *answer_faults;
