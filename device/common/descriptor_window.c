/* descriptor_window.c: the rules of operators with a window that moves over the spatial dimensions of an input: all but
 * its first two. */
#include "device/common/descriptor_internal.h"

#include "device/common/dot.h"

#include <string.h>

/* Returns the address of a member of the description; null if the operator has none of this name. */
static const void *member_of(const struct reader *reader, const struct descriptor *d, const char *name)
{
    for (uint32_t i = 0; i < reader->op->field_count; i++)
        if (strcmp(reader->op->fields[i].name, name) == 0)
            return d->desc.bytes + reader->op->fields[i].offset;
    return NULL;
}

static uint32_t number_of(const struct reader *reader, const struct descriptor *d, const char *name, uint32_t otherwise)
{
    const void *member = member_of(reader, d, name);
    if (member)
        memcpy(&otherwise, member, sizeof otherwise);
    return otherwise;
}

/* Reads an array with an entry for each spatial dimension. An operator without it has `otherwise` everywhere. */
static int read_spatial(const struct reader *reader, struct descriptor *d, const char *name, uint32_t least,
                        enum descriptor_list list, uint32_t otherwise)
{
    const uint32_t count = d->inputs[0].rank - 2;
    const void *member = member_of(reader, d, name), *from = NULL;
    if (member)
        memcpy(&from, member, sizeof from);
    if (member && !from)
        return REJECT(reader, "%s is null.", name);
    for (uint32_t i = 0; i < count; i++) {
        d->lists[list][i] = otherwise;
        if (from)
            memcpy(&d->lists[list][i], (const char *)from + i * sizeof(uint32_t), sizeof(uint32_t));
        if (d->lists[list][i] < least)
            return REJECT(reader, "%s[%u] is %u; it must be at least %u.", name, i, d->lists[list][i], least);
    }
    return 1;
}

/* Reads what all of these operators have, except the sizes of the window. */
static int read_moves(const struct reader *reader, struct descriptor *d)
{
    const uint32_t count = number_of(reader, d, "DimensionCount", 0), rank = d->inputs[0].rank;
    if (count != rank - 2)
        return REJECT(reader, "DimensionCount is %u; InputTensor has %u spatial dimensions.", count, rank - 2);
    return read_spatial(reader, d, "Strides", 1, WINDOW_STRIDES, 1) &&
           read_spatial(reader, d, "StartPadding", 0, WINDOW_START, 0) &&
           read_spatial(reader, d, "EndPadding", 0, WINDOW_END, 0) &&
           read_spatial(reader, d, "Dilations", 1, WINDOW_GAPS, 1);
}

/* Checks the spatial sizes of the tensor with an element for each window. `up`: a last window may go past the padded
 * input. `added`: to the sizes. */
static int check_places(const struct reader *reader, const struct descriptor *d, const struct tensor *input,
                        const struct tensor *output, int up, const uint32_t *added)
{
    for (uint32_t i = 0; i + 2 < input->rank; i++) {
        const uint64_t padded = (uint64_t)input->sizes[i + 2] + d->lists[WINDOW_START][i] + d->lists[WINDOW_END][i];
        const uint64_t reach = (uint64_t)d->lists[WINDOW_GAPS][i] * (d->lists[WINDOW_SIZES][i] - 1),
                       size = output->sizes[i + 2];
        uint64_t places, more;
        if (reach >= padded)
            return REJECT(reader, "The window covers %llu elements in dimension %u; the padded input has %llu.",
                          (unsigned long long)reach + 1, i, (unsigned long long)padded);
        places = (padded - reach - 1) / d->lists[WINDOW_STRIDES][i] + 1 + added[i];
        more = up && (padded - reach - 1) % d->lists[WINDOW_STRIDES][i] > 0;
        if (size < places || size > places + more)
            return REJECT(reader, "Sizes[%u] of the tensor of windows is %u; the window has %llu places.", i + 2,
                          output->sizes[i + 2], (unsigned long long)places);
    }
    return 1;
}

static int check_window_size(const struct reader *reader, const struct tensor *output, uint32_t dimension,
                             uint32_t size)
{
    return output->sizes[dimension] == size ||
           REJECT(reader, "Sizes[%u] of the tensor of windows is %u; it must be %u.", dimension,
                  output->sizes[dimension], size);
}

/* Checks that a BACKWARD convolution has an input with the sizes of a FORWARD one over the output. */
static int check_backward(const struct reader *reader, const struct descriptor *d, const uint32_t *more)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    for (uint32_t i = 0; i + 2 < input->rank; i++) {
        const uint64_t reach = (uint64_t)d->lists[WINDOW_GAPS][i] * (d->lists[WINDOW_SIZES][i] - 1);
        const uint64_t padded = (uint64_t)output->sizes[i + 2] + d->lists[WINDOW_START][i] + d->lists[WINDOW_END][i];
        if (padded < (uint64_t)more[i] + 1 || reach >= padded - more[i] ||
            (padded - more[i] - reach - 1) / d->lists[WINDOW_STRIDES][i] + 1 != input->sizes[i + 2])
            return REJECT(reader, "InputTensor.Sizes[%u] is %u, which no FORWARD over OutputTensor gives.", i + 2,
                          input->sizes[i + 2]);
    }
    return 1;
}

static int check_convolved_channels(const struct reader *reader, const struct descriptor *d,
                                    const struct tensor *filter)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    const uint64_t groups = d->window.groups, backward = (uint64_t)d->window.backward;
    const uint32_t *outer = backward ? input->sizes : output->sizes, *inner = backward ? output->sizes : input->sizes;
    if (groups == 0 || input->sizes[1] % groups || output->sizes[1] % groups)
        return REJECT(reader, "GroupCount is %u; it must divide the %u and %u channels.", d->window.groups,
                      input->sizes[1], output->sizes[1]);
    return (filter->sizes[0] == outer[1] && filter->sizes[1] * groups == inner[1]) ||
           REJECT(reader, "FilterTensor.Sizes are %s; the channels and groups call for {%u, %u, ...}.",
                  descriptor_text_of_sizes(reader, filter->sizes, filter->rank), outer[1],
                  (unsigned)(inner[1] / groups));
}

/* Checks the rules of all convolutions. `bias` may be null. `more`: what is added to the sizes of the output. */
static int check_convolved(const struct reader *reader, struct descriptor *d, const struct tensor *filter,
                           const struct tensor *bias, const uint32_t *more)
{
    const struct tensor *input = &d->inputs[0];
    for (uint32_t i = 2; i < input->rank; i++)
        d->lists[WINDOW_SIZES][i - 2] = filter->sizes[i];
    d->window.groups = number_of(reader, d, "GroupCount", 1);
    for (uint32_t i = 0; bias && i < bias->rank; i++)
        if (bias->sizes[i] != (i == 1 ? d->outputs[0].sizes[1] : 1))
            return REJECT(reader, "BiasTensor.Sizes[%u] is %u; only dimension 1 has the output's channels.", i,
                          bias->sizes[i]);
    return read_moves(reader, d) && check_window_size(reader, &d->outputs[0], 0, input->sizes[0]) &&
           check_convolved_channels(reader, d, filter) &&
           (d->window.backward ? check_backward(reader, d, more)
                               : check_places(reader, d, input, &d->outputs[0], 0, more));
}

int descriptor_check_convolution(const struct reader *reader, struct descriptor *d)
{
    const DML_CONVOLUTION_OPERATOR_DESC *desc = &d->desc.convolution;
    uint32_t more[DESCRIPTOR_MAX_DIMENSIONS];
    if (!descriptor_check_within(reader, "Mode", (uint32_t)desc->Mode, 0, DML_CONVOLUTION_MODE_CROSS_CORRELATION) ||
        !descriptor_check_within(reader, "Direction", (uint32_t)desc->Direction, 0,
                                 DML_CONVOLUTION_DIRECTION_BACKWARD) ||
        !read_spatial(reader, d, "OutputPadding", 0, WINDOW_SIZES, 0))
        return 0;
    memcpy(more, d->lists[WINDOW_SIZES], sizeof more);
    d->window.backward = desc->Direction == DML_CONVOLUTION_DIRECTION_BACKWARD;
    d->window.flipped = desc->Mode == DML_CONVOLUTION_MODE_CONVOLUTION;
    return check_convolved(reader, d, &d->inputs[1], &d->inputs[2], more);
}

int descriptor_check_integer_convolution(const struct reader *reader, struct descriptor *d)
{
    static const uint32_t none[DESCRIPTOR_MAX_DIMENSIONS];
    const uint8_t *inputs = dot_inputs_of(d->type);
    const uint32_t rank = d->inputs[0].rank;
    if (!check_convolved(reader, d, &d->inputs[inputs[DOT_B]],
                         inputs[DOT_C] == DOT_ABSENT ? NULL : &d->inputs[inputs[DOT_C]], none))
        return 0;
    for (uint32_t k = DOT_A_ZERO; k < DOT_ROLES; k++) {
        const int of_filter = k == DOT_B_ZERO || k == DOT_B_SCALE;
        const struct tensor *tensor = inputs[k] == DOT_ABSENT ? NULL : &d->inputs[inputs[k]];
        uint32_t from_end = 0;
        if (of_filter && tensor && tensor->rank == rank)
            from_end = rank - 1;
        else if (of_filter && tensor && tensor->rank == 1)
            from_end = 1;
        if (tensor && !descriptor_check_parameter(reader, tensor, inputs[k], from_end, d->outputs[0].sizes[1]))
            return 0;
    }
    return 1;
}

/* Checks a pooling or its gradient. Windows move over `input`; `output` has an element for each. */
static int check_pooled(const struct reader *reader, struct descriptor *d, const struct tensor *input,
                        const struct tensor *output)
{
    static const uint32_t none[DESCRIPTOR_MAX_DIMENSIONS];
    d->window.includes_padding = number_of(reader, d, "IncludePadding", 0) != 0;
    d->window.power = number_of(reader, d, "P", 1);
    if (d->window.power == 0)
        return REJECT(reader, "P is %u; it must be at least 1.", 0u);
    return read_moves(reader, d) && read_spatial(reader, d, "WindowSize", 1, WINDOW_SIZES, 1) &&
           check_window_size(reader, output, 0, input->sizes[0]) &&
           check_window_size(reader, output, 1, input->sizes[1]) && check_places(reader, d, input, output, 1, none);
}

int descriptor_check_pooling(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0];
    for (uint32_t i = 1; i < d->input_count; i++) /* scales and zero points */
        if (!descriptor_check_parameter(reader, &d->inputs[i], i, input->rank - 1, input->sizes[1]))
            return 0;
    return check_pooled(reader, d, input, &d->outputs[0]);
}

int descriptor_check_pooling_gradient(const struct reader *reader, struct descriptor *d)
{
    return check_pooled(reader, d, &d->outputs[0], &d->inputs[d->input_count - 1]);
}
