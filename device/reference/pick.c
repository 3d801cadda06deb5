/* pick.c: diagonals, reversed subsequences, one-hot vectors, unpooling, written from the operator cards. */
#include "device/reference/pick.h"

#include "device/common/number.h"

#include <string.h>

enum { NO_AXIS = DESCRIPTOR_MAX_DIMENSIONS };

int pick_next(const struct tensor *t, uint32_t axis, uint32_t *at)
{
    for (uint32_t d = t->rank; d-- > 0;) {
        if (d == axis)
            continue;
        if (++at[d] < t->sizes[d])
            return 1;
        at[d] = 0;
    }
    return 0;
}

uint64_t pick_place(const struct tensor *t, const uint32_t *at)
{
    uint64_t place = 0;
    for (uint32_t d = 0; d < t->rank; d++)
        place += (uint64_t)at[d] * t->strides[d];
    return place * t->element_size;
}

static void put_zero(char *at, uint32_t size)
{
    memset(at, 0, size);
}

/* ---- diagonals */

/* Fills diagonals. DIAGONAL_MATRIX fills the elements whose column - row is from `begin` to before `end`. If `begin` is
 * above `end`, DIAGONAL_MATRIX1 fills those from `begin` on and those before `end`. */
static void fill_diagonals(const struct descriptor *d, const char *in, char *out, int64_t begin, int64_t end,
                           const void *value)
{
    const struct tensor *output = &d->outputs[0];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, size = output->element_size;
    do {
        int64_t apart = (int64_t)at[output->rank - 1] - (int64_t)at[output->rank - 2];
        int after = apart >= begin, before = apart < end;
        char *to = out + pick_place(output, at);
        if (begin <= end ? after && before : after || before)
            memcpy(to, value, size);
        else if (in)
            memcpy(to, in + pick_place(&d->inputs[0], at), size);
        else
            put_zero(to, size);
    } while (pick_next(output, NO_AXIS, at));
}

static void diagonal(const struct descriptor *d, const char *const *in, char *const *out)
{
    unsigned char value[8];
    (void)in;
    number_store_real(d->outputs[0].type, (double)d->desc.diagonal.Value, value);
    fill_diagonals(d, NULL, out[0], d->desc.diagonal.Offset, (int64_t)d->desc.diagonal.Offset + 1, value);
}

static void diagonal1(const struct descriptor *d, const char *const *in, char *const *out)
{
    const DML_DIAGONAL_MATRIX1_OPERATOR_DESC *desc = &d->desc.diagonal1;
    fill_diagonals(d, in[0], out[0], desc->DiagonalFillBegin, desc->DiagonalFillEnd, desc->Value.Bytes);
}

/* ---- subsequences */

static void reverse(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *input = &d->inputs[0], *lengths = &d->inputs[1], *output = &d->outputs[0];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, axis = d->axis, size = input->sizes[axis];
    uint64_t step = (uint64_t)input->strides[axis] * input->element_size;
    uint64_t out_step = (uint64_t)output->strides[axis] * output->element_size;
    do {
        uint64_t length = number_bits(lengths->type, in[1] + pick_place(lengths, at));
        const char *from = in[0] + pick_place(input, at);
        char *to = out[0] + pick_place(output, at);
        if (length > size)
            length = size;
        for (uint64_t i = 0; i < size; i++)
            memcpy(to + i * out_step, from + (i < length ? length - 1 - i : i) * step, input->element_size);
    } while (pick_next(input, axis, at));
}

/* ---- one-hot vectors */

/* Returns the position that an index names among `size` positions; `size` if it is out of range. */
static uint64_t position(DML_TENSOR_DATA_TYPE type, const char *at, uint32_t size)
{
    number_integer index = number_whole(type, at);
    if (index < 0)
        index += size;
    return index >= 0 && index < size ? (uint64_t)index : size;
}

static void one_hot(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *indices = &d->inputs[0], *values = &d->inputs[1], *output = &d->outputs[0];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, axis = d->axis, size = output->sizes[axis];
    uint32_t second[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t step = (uint64_t)output->strides[axis] * output->element_size;
    const char *off = in[1], *on;
    pick_next(values, NO_AXIS, second);
    on = in[1] + pick_place(values, second);
    do {
        uint64_t marked = position(indices->type, in[0] + pick_place(indices, at), size);
        char *to = out[0] + pick_place(output, at);
        for (uint64_t i = 0; i < size; i++)
            memcpy(to + i * step, i == marked ? on : off, output->element_size);
    } while (pick_next(output, axis, at));
}

/* ---- unpooling */

static void unpool(const struct descriptor *d, const char *const *in, char *const *out)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1], *output = &d->outputs[0];
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, to[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    do
        put_zero(out[0] + pick_place(output, to), output->element_size);
    while (pick_next(output, NO_AXIS, to));
    do {
        uint64_t number = number_bits(indices->type, in[1] + pick_place(indices, at));
        if (number >= output->count) /* the index names no element */
            continue;
        for (uint32_t i = output->rank; i-- > 0; number /= output->sizes[i])
            to[i] = (uint32_t)(number % output->sizes[i]);
        memcpy(out[0] + pick_place(output, to), in[0] + pick_place(input, at), output->element_size);
    } while (pick_next(input, NO_AXIS, at));
}

pick_kernel *pick_kernel_of(DML_OPERATOR_TYPE type)
{
    static pick_kernel *const kernels[] = {
        [DML_OPERATOR_DIAGONAL_MATRIX] = diagonal,
        [DML_OPERATOR_DIAGONAL_MATRIX1] = diagonal1,
        [DML_OPERATOR_REVERSE_SUBSEQUENCES] = reverse,
        [DML_OPERATOR_ONE_HOT] = one_hot,
        [DML_OPERATOR_MAX_UNPOOLING] = unpool,
        [DML_OPERATOR_RANDOM_GENERATOR] = pick_random,
        [DML_OPERATOR_TOP_K] = pick_top_k,
        [DML_OPERATOR_TOP_K1] = pick_top_k,
        [DML_OPERATOR_ADAM_OPTIMIZER] = pick_adam,
    };
    return (size_t)type < sizeof kernels / sizeof *kernels ? kernels[type] : NULL;
}
