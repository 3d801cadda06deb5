/* descriptor_moves.c: the rules of operators that move elements, unless a table has them. */
#include "device/common/descriptor_internal.h"

#include <string.h>

/* Reads an array of `rank` numbers. The description says that the array has `count`. */
static int read_list(const struct reader *reader, const char *name, const void *from, const char *count_name,
                     uint32_t count, uint32_t rank, uint32_t *to)
{
    if (count != rank)
        return REJECT(reader, "%s is %u; the tensors have %u dimensions.", count_name, count, rank);
    if (!from)
        return REJECT(reader, "%s is null.", name);
    memcpy(to, from, rank * sizeof *to);
    return 1;
}

static int check_size(const struct reader *reader, const char *tensor, uint32_t dimension, uint32_t size,
                      uint64_t wanted)
{
    if (size == wanted)
        return 1;
    return REJECT(reader, "%s.Sizes[%u] is %u; it must be %llu.", tensor, dimension, size, (unsigned long long)wanted);
}

int descriptor_check_slice(const struct reader *reader, struct descriptor *d)
{
    const DML_SLICE_OPERATOR_DESC *slice = &d->desc.slice;
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];
    uint32_t count = slice->DimensionCount, rank = input->rank;

    if (!read_list(reader, "Offsets", slice->Offsets, "DimensionCount", count, rank, d->lists[0]) ||
        !read_list(reader, "Sizes", slice->Sizes, "DimensionCount", count, rank, d->lists[1]) ||
        !read_list(reader, "Strides", slice->Strides, "DimensionCount", count, rank, d->lists[2]))
        return 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t size = d->lists[1][i], last;
        if (!check_size(reader, "OutputTensor", i, output->sizes[i], size))
            return 0;
        if (d->lists[2][i] == 0)
            return REJECT(reader, "Strides[%u] is 0; it must be at least 1.", i);
        last = d->lists[0][i] + d->lists[2][i] * (size - 1); /* below 2^64 */
        if (last >= input->sizes[i])
            return REJECT(reader, "The last element in dimension %u would be number %llu; the input has %u.", i,
                          (unsigned long long)last, input->sizes[i]);
    }
    return 1;
}

/* Checks the windows of `whole`: `part` has an element for each step of the window. The three structs are alike. */
static int check_windows(const struct reader *reader, struct descriptor *d, const struct tensor *whole,
                         const struct tensor *part)
{
    const DML_SLICE1_OPERATOR_DESC *slice = &d->desc.slice1;
    uint32_t count = slice->DimensionCount, rank = whole->rank;

    if (!read_list(reader, "InputWindowOffsets", slice->InputWindowOffsets, "DimensionCount", count, rank,
                   d->lists[0]) ||
        !read_list(reader, "InputWindowSizes", slice->InputWindowSizes, "DimensionCount", count, rank, d->lists[1]) ||
        !read_list(reader, "InputWindowStrides", slice->InputWindowStrides, "DimensionCount", count, rank, d->lists[2]))
        return 0;
    for (uint32_t i = 0; i < rank; i++) {
        uint64_t offset = d->lists[0][i], window = d->lists[1][i], most;
        int64_t stride = (int32_t)d->lists[2][i];
        if (window == 0)
            return REJECT(reader, "InputWindowSizes[%u] is 0; a window must have an element.", i);
        if (offset + window > whole->sizes[i])
            return REJECT(reader, "The window in dimension %u ends at %llu; there are %u elements.", i,
                          (unsigned long long)(offset + window), whole->sizes[i]);
        if (stride == 0)
            return REJECT(reader, "InputWindowStrides[%u] is 0.", i);
        most = 1 + (window - 1) / (uint64_t)(stride < 0 ? -stride : stride);
        if (part->sizes[i] > most)
            return REJECT(reader, "The window in dimension %u has %llu elements at these strides; the tensor has %u.",
                          i, (unsigned long long)most, part->sizes[i]);
    }
    return 1;
}

int descriptor_check_slice1(const struct reader *reader, struct descriptor *d)
{
    return check_windows(reader, d, &d->inputs[0], &d->outputs[0]);
}

int descriptor_check_slice_grad(const struct reader *reader, struct descriptor *d)
{
    return check_windows(reader, d, &d->outputs[0], &d->inputs[0]);
}

/* Checks that the parts lie one after the other along the axis of the whole. */
static int check_parts(const struct reader *reader, const struct tensor *whole, const struct tensor *parts,
                       uint32_t count, uint32_t axis)
{
    uint64_t sum = 0;
    if (count == 0)
        return REJECT(reader, "There must be at least one tensor in the array.");
    if (!descriptor_check_within(reader, "Axis", axis, 0, whole->rank - 1))
        return 0;
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < whole->rank; i++)
            if (i != axis && parts[k].sizes[i] != whole->sizes[i])
                return REJECT(reader, "Sizes[%u] of tensor %u of the array is %u; away from Axis it must be %u.", i, k,
                              parts[k].sizes[i], whole->sizes[i]);
        sum += parts[k].sizes[axis];
    }
    if (sum != whole->sizes[axis])
        return REJECT(reader, "The sizes of the array along Axis add up to %llu; they must add up to %u.",
                      (unsigned long long)sum, whole->sizes[axis]);
    return 1;
}

int descriptor_check_split(const struct reader *reader, struct descriptor *d)
{
    d->axis = d->desc.split.Axis;
    return check_parts(reader, &d->inputs[0], d->outputs, d->output_count, d->axis);
}

int descriptor_check_join(const struct reader *reader, struct descriptor *d)
{
    d->axis = d->desc.join.Axis;
    return check_parts(reader, &d->outputs[0], d->inputs, d->input_count, d->axis);
}

int descriptor_check_tile(const struct reader *reader, struct descriptor *d)
{
    const DML_TILE_OPERATOR_DESC *tile = &d->desc.tile;
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];

    if (!read_list(reader, "Repeats", tile->Repeats, "RepeatsCount", tile->RepeatsCount, input->rank, d->lists[0]))
        return 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        if (d->lists[0][i] == 0)
            return REJECT(reader, "Repeats[%u] is 0; it must be at least 1.", i);
        if (!check_size(reader, "OutputTensor", i, output->sizes[i], (uint64_t)input->sizes[i] * d->lists[0][i]))
            return 0;
    }
    return 1;
}

static DML_PADDING_MODE highest_mode(DML_FEATURE_LEVEL level)
{
    if (level >= DML_FEATURE_LEVEL_6_4)
        return DML_PADDING_MODE_WRAP;
    return level >= DML_FEATURE_LEVEL_3_0 ? DML_PADDING_MODE_SYMMETRIC : DML_PADDING_MODE_REFLECTION;
}

static int check_padding(const struct reader *reader, struct descriptor *d, DML_PADDING_MODE mode, uint32_t count,
                         const UINT *starts, const UINT *ends)
{
    const struct tensor *input = &d->inputs[0], *output = &d->outputs[0];

    if (!descriptor_check_within(reader, "PaddingMode", (uint32_t)mode, 0, (uint32_t)highest_mode(reader->level)) ||
        !read_list(reader, "StartPadding", starts, "DimensionCount", count, input->rank, d->lists[0]) ||
        !read_list(reader, "EndPadding", ends, "DimensionCount", count, input->rank, d->lists[1]))
        return 0;
    for (uint32_t i = 0; i < input->rank; i++) {
        uint32_t size = input->sizes[i], before = d->lists[0][i], after = d->lists[1][i];
        if (!check_size(reader, "OutputTensor", i, output->sizes[i], (uint64_t)size + before + after))
            return 0;
        if (mode == DML_PADDING_MODE_REFLECTION && size == 1 && (before || after))
            return REJECT(reader, "InputTensor.Sizes[%u] is 1; a reflection needs at least 2.", i);
        if (mode == DML_PADDING_MODE_WRAP && (before > size || after > size))
            return REJECT(reader, "Dimension %u is padded by more than its %u elements, but wraps only once.", i, size);
    }
    return 1;
}

/* Tells whether a type can represent the number, except for its fraction. No document says which value a rounded
 * FLOAT16 has, so a number must be small there. */
static int check_value(const struct reader *reader, DML_TENSOR_DATA_TYPE type, float value)
{
    static const struct {
        double least, below;
    } limits[TYPE_TOTAL] = {
        [DML_TENSOR_DATA_TYPE_UINT8] = {0, 0x1p8},        [DML_TENSOR_DATA_TYPE_INT8] = {-0x1p7, 0x1p7},
        [DML_TENSOR_DATA_TYPE_UINT16] = {0, 0x1p16},      [DML_TENSOR_DATA_TYPE_INT16] = {-0x1p15, 0x1p15},
        [DML_TENSOR_DATA_TYPE_UINT32] = {0, 0x1p32},      [DML_TENSOR_DATA_TYPE_INT32] = {-0x1p31, 0x1p31},
        [DML_TENSOR_DATA_TYPE_UINT64] = {0, 0x1p64},      [DML_TENSOR_DATA_TYPE_INT64] = {-0x1p63, 0x1p63},
        [DML_TENSOR_DATA_TYPE_FLOAT16] = {-2048, 2048.5},
    };
    if (limits[type].below == 0 || ((double)value >= limits[type].least && (double)value < limits[type].below))
        return 1;
    return REJECT(reader, "PaddingValue is %g, which %s cannot hold.", (double)value, descriptor_types[type].name);
}

int descriptor_check_padding(const struct reader *reader, struct descriptor *d)
{
    const DML_PADDING_OPERATOR_DESC *padding = &d->desc.padding;
    if (padding->PaddingMode == DML_PADDING_MODE_CONSTANT &&
        !check_value(reader, d->outputs[0].type, padding->PaddingValue))
        return 0;
    return check_padding(reader, d, padding->PaddingMode, padding->DimensionCount, padding->StartPadding,
                         padding->EndPadding);
}

int descriptor_check_padding1(const struct reader *reader, struct descriptor *d)
{
    const DML_PADDING1_OPERATOR_DESC *padding = &d->desc.padding1;
    if (padding->PaddingValueDataType != d->outputs[0].type)
        return REJECT(reader, "PaddingValueDataType is %s; it must be the output's %s.",
                      descriptor_text_of_type(reader, (uint32_t)padding->PaddingValueDataType),
                      descriptor_types[d->outputs[0].type].name);
    return check_padding(reader, d, padding->PaddingMode, padding->DimensionCount, padding->StartPadding,
                         padding->EndPadding);
}

int descriptor_check_blocks(const struct reader *reader, struct descriptor *d)
{
    int to_space = d->type == DML_OPERATOR_DEPTH_TO_SPACE || d->type == DML_OPERATOR_DEPTH_TO_SPACE1;
    int has_order = d->type == DML_OPERATOR_DEPTH_TO_SPACE1 || d->type == DML_OPERATOR_SPACE_TO_DEPTH1;
    const struct tensor *deep = to_space ? &d->inputs[0] : &d->outputs[0];
    const struct tensor *flat = to_space ? &d->outputs[0] : &d->inputs[0];
    const char *output = reader->op->fields[1].name;
    uint64_t block = d->desc.space_to_depth1.BlockSize, square = block * block;

    if (block == 0)
        return REJECT(reader, "BlockSize is 0; it must be at least 1.");
    if (has_order && !descriptor_check_within(reader, "Order", (uint32_t)d->desc.space_to_depth1.Order, 0, 1))
        return 0;
    if (to_space && deep->sizes[1] % square != 0)
        return REJECT(reader, "InputTensor.Sizes[1] is %u; it must be a multiple of %llu.", deep->sizes[1],
                      (unsigned long long)square);
    for (uint32_t i = 2; i < 4 && !to_space; i++)
        if (flat->sizes[i] % block != 0)
            return REJECT(reader, "InputTensor.Sizes[%u] is %u; it must be a multiple of %llu.", i, flat->sizes[i],
                          (unsigned long long)block);
    if (to_space)
        return check_size(reader, output, 0, flat->sizes[0], deep->sizes[0]) &&
               check_size(reader, output, 1, flat->sizes[1], deep->sizes[1] / square) &&
               check_size(reader, output, 2, flat->sizes[2], deep->sizes[2] * block) &&
               check_size(reader, output, 3, flat->sizes[3], deep->sizes[3] * block);
    return check_size(reader, output, 0, deep->sizes[0], flat->sizes[0]) &&
           check_size(reader, output, 1, deep->sizes[1], flat->sizes[1] * square) &&
           check_size(reader, output, 2, deep->sizes[2], flat->sizes[2] / block) &&
           check_size(reader, output, 3, deep->sizes[3], flat->sizes[3] / block);
}

/* Checks UNFOLD and FOLD. The picture is {N, C, ...}, the columns are {N, C * elements of a window, positions of the
 * window}. The lists are: windows, strides, dilations, padding before and after. */
int descriptor_check_unfold(const struct reader *reader, struct descriptor *d)
{
    const DML_UNFOLD_OPERATOR_DESC *unfold = &d->desc.unfold;
    int folds = d->type == DML_OPERATOR_FOLD;
    const struct tensor *picture = folds ? &d->outputs[0] : &d->inputs[0];
    const struct tensor *columns = folds ? &d->inputs[0] : &d->outputs[0];
    const char *name = folds ? "InputTensor" : "OutputTensor";
    const struct {
        const char *name;
        const UINT *from;
    } lists[] = {{"WindowSizes", unfold->WindowSizes},
                 {"Strides", unfold->Strides},
                 {"Dilations", unfold->Dilations},
                 {"StartPadding", unfold->StartPadding},
                 {"EndPadding", unfold->EndPadding}};
    const uint32_t count = unfold->DimensionCount;
    uint64_t rows = picture->sizes[1], places = 1; /* both stop growing above 2^32 */

    if (!descriptor_check_within(reader, "DimensionCount", count, 1, DESCRIPTOR_MAX_DIMENSIONS - 2))
        return 0;
    if (picture->rank != count + 2 || columns->rank != 3)
        return REJECT(reader, "The tensors have %u and %u dimensions; a DimensionCount of %u calls for %u and 3.",
                      picture->rank, columns->rank, count, count + 2);
    for (uint32_t k = 0; k < sizeof lists / sizeof *lists; k++)
        if (!read_list(reader, lists[k].name, lists[k].from, "DimensionCount", count, count, d->lists[k]))
            return 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t window = d->lists[0][i], stride = d->lists[1][i], gap = d->lists[2][i];
        uint64_t padded = (uint64_t)picture->sizes[i + 2] + d->lists[3][i] + d->lists[4][i], fitting;
        for (uint32_t k = 0; k < 3; k++)
            if (d->lists[k][i] == 0)
                return REJECT(reader, "%s[%u] is 0; it must be at least 1.", lists[k].name, i);
        if (gap * (window - 1) >= padded) /* below 2^64 */
            return REJECT(reader, "The window covers %llu elements in dimension %u; the padded picture has %llu.",
                          (unsigned long long)(gap * (window - 1)) + 1, i, (unsigned long long)padded);
        fitting = (padded - gap * (window - 1) - 1) / stride + 1;
        fitting = fitting > UINT32_MAX ? (uint64_t)UINT32_MAX + 1 : fitting;
        rows = rows > UINT32_MAX ? rows : rows * window;
        places = places > UINT32_MAX ? places : places * fitting;
    }
    return check_size(reader, name, 0, columns->sizes[0], picture->sizes[0]) &&
           check_size(reader, name, 1, columns->sizes[1], rows) &&
           check_size(reader, name, 2, columns->sizes[2], places);
}
