/* descriptor_shapes.c: the rules between the tensors of one operator, as its page states them: one function for each
 * family of operators. */
#include "device/common/descriptor_internal.h"

#include <string.h>

/* Returns the name of a field by its number in the operator's list of fields. */
static const char *name_of(const struct reader *reader, uint32_t field)
{
    return reader->op->fields[field].name;
}

static int check_sizes(const struct reader *reader, uint32_t field, const uint32_t *expected)
{
    const struct tensor *tensor = reader->tensors[field];
    if (memcmp(tensor->sizes, expected, tensor->rank * sizeof *expected) == 0)
        return 1;
    return REJECT(reader, "%s.Sizes are %s; the other tensors call for %s.", name_of(reader, field),
                  descriptor_text_of_sizes(reader, tensor->sizes, tensor->rank),
                  descriptor_text_of_sizes(reader, expected, tensor->rank));
}

/* Checks that the first `ignored` sizes are 1: the operator ignores them. */
static int check_ignored(const struct reader *reader, uint32_t field, uint32_t ignored, const char *attribute)
{
    const struct tensor *tensor = reader->tensors[field];
    for (uint32_t i = 0; i < ignored; i++)
        if (tensor->sizes[i] != 1)
            return REJECT(reader, "%s.Sizes[%u] is %u; %s ignores it, so it must be 1.", name_of(reader, field), i,
                          tensor->sizes[i], attribute);
    return 1;
}

int descriptor_check_within(const struct reader *reader, const char *attribute, uint32_t value, uint32_t least,
                            uint32_t max)
{
    if (value < least || value > max)
        return REJECT(reader, "%s is %u; it must be from %u to %u.", attribute, value, least, max);
    return 1;
}

static void read_index_attributes(struct descriptor *d)
{
    const union descriptor_struct *desc = &d->desc;
    switch (d->type) {
    case DML_OPERATOR_GATHER:
        d->axis = desc->gather.Axis;
        d->index_dimensions = desc->gather.IndexDimensions;
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
        d->axis = desc->gather_elements.Axis;
        break;
    case DML_OPERATOR_SCATTER_ELEMENTS:
        d->axis = desc->scatter_elements.Axis;
        break;
    case DML_OPERATOR_GATHER_ND:
        d->input_dimension_count = desc->gather_nd.InputDimensionCount;
        d->indices_dimension_count = desc->gather_nd.IndicesDimensionCount;
        break;
    case DML_OPERATOR_GATHER_ND1:
        d->input_dimension_count = desc->gather_nd1.InputDimensionCount;
        d->indices_dimension_count = desc->gather_nd1.IndicesDimensionCount;
        d->batch_dimension_count = desc->gather_nd1.BatchDimensionCount;
        break;
    default:
        d->input_dimension_count = desc->scatter_nd.InputDimensionCount;
        d->indices_dimension_count = desc->scatter_nd.IndicesDimensionCount;
    }
}

/* The output's sizes are {input sizes before Axis, last IndexDimensions sizes of the indices, input sizes after Axis},
 * aligned right. If those are more than DimensionCount, the excess sizes on the left must be 1. */
int descriptor_check_gather(const struct reader *reader, struct descriptor *d)
{
    read_index_attributes(d);
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];
    uint32_t rank = input->rank, axis = d->axis, taken = d->index_dimensions;
    uint32_t expected[DESCRIPTOR_MAX_DIMENSIONS] = {1};

    if (!descriptor_check_within(reader, "Axis", axis, 0, rank - 1) ||
        !descriptor_check_within(reader, "IndexDimensions", taken, 0, rank) ||
        !check_ignored(reader, FIELD_INDICES, rank - taken, "IndexDimensions"))
        return 0;
    for (uint32_t i = 0; i < rank - 1 + taken; i++) {
        int from_indices = i >= axis && i < axis + taken;
        uint32_t dimension = i < axis ? i : i + 1 - taken;
        if (from_indices)
            dimension = rank - taken + i - axis;
        uint32_t size = from_indices ? indices->sizes[dimension] : input->sizes[dimension];
        if (i + 1 >= taken)
            expected[i + 1 - taken] = size;
        else if (size != 1)
            return REJECT(
                reader, "%s.Sizes[%u] is %u; the output would need %u dimensions and has %u, so it must be 1.",
                name_of(reader, from_indices ? FIELD_INDICES : FIELD_INPUT), dimension, size, rank - 1 + taken, rank);
    }
    return check_sizes(reader, FIELD_SHAPED, expected);
}

int descriptor_check_elements(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];

    read_index_attributes(d);
    if (!descriptor_check_within(reader, "Axis", d->axis, 0, input->rank - 1))
        return 0;
    for (uint32_t i = 0; i < input->rank; i++)
        if (i != d->axis && indices->sizes[i] != input->sizes[i])
            return REJECT(reader, "IndicesTensor.Sizes[%u] is %u; away from Axis it must be InputTensor's %u.", i,
                          indices->sizes[i], input->sizes[i]);
    return check_sizes(reader, FIELD_SHAPED, indices->sizes) &&
           (!reader->tensors[FIELD_SCATTER_OUTPUT] || check_sizes(reader, FIELD_SCATTER_OUTPUT, input->sizes));
}

/* Checks the ND operators. p, q, b and k are P, Q, B and K of the rulings. The shaped tensor's sizes are {1…, the
 * indices' sizes without the tuple's, the last P-B-K sizes of the input}. */
int descriptor_check_nd(const struct reader *reader, struct descriptor *d)
{
    read_index_attributes(d);
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];
    uint32_t rank = input->rank, p = d->input_dimension_count, q = d->indices_dimension_count;
    uint32_t b = d->batch_dimension_count, k, tail, lead, expected[DESCRIPTOR_MAX_DIMENSIONS];

    if (!descriptor_check_within(reader, "InputDimensionCount", p, 1, rank) ||
        !descriptor_check_within(reader, "IndicesDimensionCount", q, 1, rank) ||
        !descriptor_check_within(reader, "BatchDimensionCount", b, 0, (p < q ? p : q) - 1) ||
        !check_ignored(reader, FIELD_INPUT, rank - p, "InputDimensionCount") ||
        !check_ignored(reader, FIELD_INDICES, rank - q, "IndicesDimensionCount"))
        return 0;
    for (uint32_t i = 0; i < b; i++)
        if (input->sizes[rank - p + i] != indices->sizes[rank - q + i])
            return REJECT(reader, "IndicesTensor.Sizes[%u] is %u; as batch dimension %u it must be InputTensor's %u.",
                          rank - q + i, indices->sizes[rank - q + i], i, input->sizes[rank - p + i]);
    k = indices->sizes[rank - 1];
    if (k > p - b)
        return REJECT(reader, "IndicesTensor.Sizes[%u] makes tuples of %u coordinates; the input has %u to index.",
                      rank - 1, k, p - b);
    tail = p - b - k;
    lead = q - 1;
    if (lead + tail > rank)
        return REJECT(reader, "%s would need %u dimensions (%u of the indices, %u of the input) and has %u.",
                      name_of(reader, FIELD_SHAPED), lead + tail, lead, tail, rank);
    for (uint32_t i = 0; i < rank - lead - tail; i++)
        expected[i] = 1;
    memcpy(expected + rank - lead - tail, indices->sizes + rank - q, lead * sizeof *expected);
    memcpy(expected + rank - tail, input->sizes + rank - tail, tail * sizeof *expected);
    return check_sizes(reader, FIELD_SHAPED, expected) &&
           (!reader->tensors[FIELD_SCATTER_OUTPUT] || check_sizes(reader, FIELD_SCATTER_OUTPUT, input->sizes));
}

int descriptor_check_nonzero(const struct reader *reader, struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *count = &d->outputs[0], *coordinates = &d->outputs[1];
    uint32_t rank = coordinates->rank, leading_ones = 0, least;

    if (count->count != 1)
        return REJECT(reader, "OutputCountTensor.Sizes are %s; all must be 1.",
                      descriptor_text_of_sizes(reader, count->sizes, count->rank));
    for (uint32_t i = 0; i + 2 < rank; i++)
        if (coordinates->sizes[i] != 1)
            return REJECT(reader, "OutputCoordinatesTensor.Sizes[%u] is %u; all before the last two must be 1.", i,
                          coordinates->sizes[i]);
    if (coordinates->sizes[rank - 2] != input->count)
        return REJECT(reader, "OutputCoordinatesTensor.Sizes[%u] is %u; it must be the input's %llu elements.",
                      rank - 2, coordinates->sizes[rank - 2], (unsigned long long)input->count);
    while (leading_ones < input->rank && input->sizes[leading_ones] == 1)
        leading_ones++;
    least = leading_ones < input->rank ? input->rank - leading_ones : 1;
    if (coordinates->sizes[rank - 1] < least || coordinates->sizes[rank - 1] > input->rank)
        return REJECT(reader, "OutputCoordinatesTensor.Sizes[%u] is %u; for this input it must be from %u to %u.",
                      rank - 1, coordinates->sizes[rank - 1], least, input->rank);
    return 1;
}
