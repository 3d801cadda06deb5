/* descriptor.c: the rules of the operator pages and the rulings, as one pass over a description.
 *
 * What differs between operators only in names and numbers is in the tables at the top; what a page says in words is in
 * one check function for each family. */
#include "device/common/descriptor.h"

#include "device/common/overlap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_FIELDS = 4, MAX_ATTRIBUTES = 3, LAST_OPERATOR = DML_OPERATOR_UNFOLD };

static const uint64_t max_elements = UINT32_MAX;

/* What a tensor is for: decides which column of the support tables holds for it. */
enum kind { KIND_DATA, KIND_INDICES, KIND_COUNT, KIND_COORDINATES, KIND_TOTAL };

struct support {
    uint16_t types; /* one bit for each DML_TENSOR_DATA_TYPE */
    uint8_t min_rank, max_rank;
};

/* One "Tensor support" table: holds from `level` on, until a newer one does. */
struct table {
    DML_FEATURE_LEVEL level;
    struct support support[KIND_TOTAL];
};

struct field {
    const char *name;
    uint16_t offset; /* of the tensor pointer in the operator's struct */
    uint8_t is_output;
    uint8_t kind;
};

struct attribute {
    const char *name;
    uint16_t offset;      /* of the UINT in the operator's struct */
    uint16_t destination; /* of the member in struct descriptor */
};

struct reader;

struct rules {
    const char *name;
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL introduced;
    const struct table *tables; /* newest first; the oldest reaches back to the introduction */
    uint32_t field_count, attribute_count;
    struct field fields[MAX_FIELDS];
    struct attribute attributes[MAX_ATTRIBUTES];
    int (*check)(const struct reader *reader, const struct descriptor *descriptor);
};

struct reader {
    const struct rules *rules;
    const struct table *table;
    DML_FEATURE_LEVEL level;
    struct tensor *tensors[MAX_FIELDS]; /* in the order of the fields */
    char *message;
    size_t message_size;
};

#define TYPE(name) (1u << DML_TENSOR_DATA_TYPE_##name)
#define TYPES_FLOAT (TYPE(FLOAT32) | TYPE(FLOAT16))
#define TYPES_TO_32 (TYPES_FLOAT | TYPE(INT32) | TYPE(INT16) | TYPE(INT8) | TYPE(UINT32) | TYPE(UINT16) | TYPE(UINT8))
#define TYPES_TO_64 (TYPES_TO_32 | TYPE(FLOAT64) | TYPE(INT64) | TYPE(UINT64))
#define TYPES_INDEX (TYPE(INT64) | TYPE(INT32) | TYPE(UINT64) | TYPE(UINT32))

/* The six copying operators share these: a level at which one of them has no table of its own is a level before its
 * introduction, or one whose table repeats the older one. SCATTER_ELEMENTS starts at 2_0 with the table headed 1_0. */
static const struct table copy_tables[] = {
    {DML_FEATURE_LEVEL_4_1, {[KIND_DATA] = {TYPES_TO_64, 1, 8}, [KIND_INDICES] = {TYPES_INDEX, 1, 8}}},
    {DML_FEATURE_LEVEL_3_0, {[KIND_DATA] = {TYPES_TO_32, 1, 8}, [KIND_INDICES] = {TYPES_INDEX, 1, 8}}},
    {DML_FEATURE_LEVEL_2_1, {[KIND_DATA] = {TYPES_TO_32, 4, 4}, [KIND_INDICES] = {TYPE(UINT32), 4, 4}}},
    {DML_FEATURE_LEVEL_1_0, {[KIND_DATA] = {TYPES_FLOAT, 4, 4}, [KIND_INDICES] = {TYPE(UINT32), 4, 4}}},
};

static const struct table nonzero_tables[] = {
    {DML_FEATURE_LEVEL_4_0,
     {[KIND_DATA] = {TYPES_TO_32, 1, 8},
      [KIND_COUNT] = {TYPE(UINT32), 1, 8},
      [KIND_COORDINATES] = {TYPE(UINT32), 2, 8}}},
    {DML_FEATURE_LEVEL_3_0,
     {[KIND_DATA] = {TYPES_TO_32, 4, 5},
      [KIND_COUNT] = {TYPE(UINT32), 4, 5},
      [KIND_COORDINATES] = {TYPE(UINT32), 4, 5}}},
};

static int check_gather(const struct reader *reader, const struct descriptor *descriptor);
static int check_elements(const struct reader *reader, const struct descriptor *descriptor);
static int check_nd(const struct reader *reader, const struct descriptor *descriptor);
static int check_nonzero(const struct reader *reader, const struct descriptor *descriptor);

/* The third field (an output of a gather, the updates of a scatter) always has the shape that the indices call for. */
enum { FIELD_INPUT, FIELD_INDICES, FIELD_SHAPED, FIELD_SCATTER_OUTPUT };

/* clang-format off */
#define AT(owner, name) #name, offsetof(DML_##owner##_OPERATOR_DESC, name)
#define GATHER_FIELDS(owner)                                                                 \
    {AT(owner, InputTensor), 0, KIND_DATA}, {AT(owner, IndicesTensor), 0, KIND_INDICES},     \
    {AT(owner, OutputTensor), 1, KIND_DATA}
#define SCATTER_FIELDS(owner)                                                                \
    {AT(owner, InputTensor), 0, KIND_DATA}, {AT(owner, IndicesTensor), 0, KIND_INDICES},     \
    {AT(owner, UpdatesTensor), 0, KIND_DATA}, {AT(owner, OutputTensor), 1, KIND_DATA}
#define AXIS(owner) {AT(owner, Axis), offsetof(struct descriptor, axis)}
#define INPUT_COUNT(owner) {AT(owner, InputDimensionCount), offsetof(struct descriptor, input_dimension_count)}
#define INDICES_COUNT(owner) {AT(owner, IndicesDimensionCount), offsetof(struct descriptor, indices_dimension_count)}

static const struct rules all_rules[] = {
    {"GATHER", DML_OPERATOR_GATHER, DML_FEATURE_LEVEL_1_0, copy_tables, 3, 2,
     {GATHER_FIELDS(GATHER)},
     {AXIS(GATHER), {AT(GATHER, IndexDimensions), offsetof(struct descriptor, index_dimensions)}},
     check_gather},
    {"GATHER_ELEMENTS", DML_OPERATOR_GATHER_ELEMENTS, DML_FEATURE_LEVEL_2_1, copy_tables, 3, 1,
     {GATHER_FIELDS(GATHER_ELEMENTS)},
     {AXIS(GATHER_ELEMENTS)},
     check_elements},
    {"GATHER_ND", DML_OPERATOR_GATHER_ND, DML_FEATURE_LEVEL_2_1, copy_tables, 3, 2,
     {GATHER_FIELDS(GATHER_ND)},
     {INPUT_COUNT(GATHER_ND), INDICES_COUNT(GATHER_ND)},
     check_nd},
    {"GATHER_ND1", DML_OPERATOR_GATHER_ND1, DML_FEATURE_LEVEL_3_0, copy_tables, 3, 3,
     {GATHER_FIELDS(GATHER_ND1)},
     {INPUT_COUNT(GATHER_ND1), INDICES_COUNT(GATHER_ND1),
      {AT(GATHER_ND1, BatchDimensionCount), offsetof(struct descriptor, batch_dimension_count)}},
     check_nd},
    {"SCATTER_ELEMENTS", DML_OPERATOR_SCATTER_ELEMENTS, DML_FEATURE_LEVEL_2_0, copy_tables, 4, 1,
     {SCATTER_FIELDS(SCATTER_ELEMENTS)},
     {AXIS(SCATTER_ELEMENTS)},
     check_elements},
    {"SCATTER_ND", DML_OPERATOR_SCATTER_ND, DML_FEATURE_LEVEL_2_1, copy_tables, 4, 2,
     {SCATTER_FIELDS(SCATTER_ND)},
     {INPUT_COUNT(SCATTER_ND), INDICES_COUNT(SCATTER_ND)},
     check_nd},
    {"NONZERO_COORDINATES", DML_OPERATOR_NONZERO_COORDINATES, DML_FEATURE_LEVEL_3_0, nonzero_tables, 3, 0,
     {{AT(NONZERO_COORDINATES, InputTensor), 0, KIND_DATA},
      {AT(NONZERO_COORDINATES, OutputCountTensor), 1, KIND_COUNT},
      {AT(NONZERO_COORDINATES, OutputCoordinatesTensor), 1, KIND_COORDINATES}},
     {{0}},
     check_nonzero},
};
/* clang-format on */

static const struct {
    const char *name;
    uint32_t size;
} types[] = {
    [DML_TENSOR_DATA_TYPE_UNKNOWN] = {"UNKNOWN", 0}, [DML_TENSOR_DATA_TYPE_FLOAT32] = {"FLOAT32", 4},
    [DML_TENSOR_DATA_TYPE_FLOAT16] = {"FLOAT16", 2}, [DML_TENSOR_DATA_TYPE_UINT32] = {"UINT32", 4},
    [DML_TENSOR_DATA_TYPE_UINT16] = {"UINT16", 2},   [DML_TENSOR_DATA_TYPE_UINT8] = {"UINT8", 1},
    [DML_TENSOR_DATA_TYPE_INT32] = {"INT32", 4},     [DML_TENSOR_DATA_TYPE_INT16] = {"INT16", 2},
    [DML_TENSOR_DATA_TYPE_INT8] = {"INT8", 1},       [DML_TENSOR_DATA_TYPE_FLOAT64] = {"FLOAT64", 8},
    [DML_TENSOR_DATA_TYPE_UINT64] = {"UINT64", 8},   [DML_TENSOR_DATA_TYPE_INT64] = {"INT64", 8},
    [DML_TENSOR_DATA_TYPE_UINT4] = {"UINT4", 0},     [DML_TENSOR_DATA_TYPE_INT4] = {"INT4", 0},
};

enum { TYPE_TOTAL = sizeof types / sizeof types[0] };

uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type)
{
    return (uint32_t)type < TYPE_TOTAL ? types[type].size : 0;
}

/* Messages. The text is made only when a rule is broken and somebody wants to read it. */

struct text {
    char at[160];
};

static struct text text_of_sizes(const uint32_t *sizes, uint32_t rank)
{
    struct text text = {"{"};
    size_t length = 1;
    for (uint32_t i = 0; i < rank; i++)
        length += (size_t)snprintf(text.at + length, sizeof text.at - length, "%s%u", i ? "," : "", sizes[i]);
    snprintf(text.at + length, sizeof text.at - length, "}");
    return text;
}

static struct text text_of_types(uint32_t mask)
{
    struct text text = {""};
    size_t length = 0;
    for (uint32_t i = 0; i < TYPE_TOTAL; i++)
        if (mask >> i & 1)
            length +=
                (size_t)snprintf(text.at + length, sizeof text.at - length, "%s%s", length ? ", " : "", types[i].name);
    return text;
}

static struct text text_of_level(DML_FEATURE_LEVEL level)
{
    struct text text;
    snprintf(text.at, sizeof text.at, "%u_%u", (unsigned)level >> 12, (unsigned)level >> 8 & 15);
    return text;
}

static struct text text_of_type(uint32_t type)
{
    struct text text;
    if (type < TYPE_TOTAL)
        snprintf(text.at, sizeof text.at, "%s", types[type].name);
    else
        snprintf(text.at, sizeof text.at, "%u, which is no type", type);
    return text;
}

__attribute__((cold, format(printf, 2, 3))) static int explain(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->message, reader->message_size, format, arguments);
    va_end(arguments);
    return 0;
}

/* Always 0, so that a check can return it. A macro, so that no text is made where nobody reads it. */
#define REJECT(reader, ...) ((reader)->message ? explain(reader, __VA_ARGS__) : 0)

/* One tensor. */

static int read_type(const struct reader *reader, const struct field *field, const DML_BUFFER_TENSOR_DESC *buffer)
{
    const struct support *support = &reader->table->support[field->kind];
    uint32_t type = (uint32_t)buffer->DataType;
    uint32_t flags = (uint32_t)buffer->Flags;

    if (type >= TYPE_TOTAL || !(support->types >> type & 1))
        return REJECT(reader, "%s.DataType is %s; %s at feature level %s takes %s.", field->name, text_of_type(type).at,
                      reader->rules->name, text_of_level(reader->level).at, text_of_types(support->types).at);
    if (flags & ~(uint32_t)DML_TENSOR_FLAG_OWNED_BY_DML)
        return REJECT(reader, "%s.Flags is 0x%x; only OWNED_BY_DML (0x1) is defined.", field->name, flags);
    if (flags && field->is_output)
        return REJECT(reader, "%s.Flags is OWNED_BY_DML, which is for inputs only.", field->name);
    if (buffer->DimensionCount < support->min_rank || buffer->DimensionCount > support->max_rank)
        return REJECT(reader, "%s.DimensionCount is %u; %s at feature level %s takes %u to %u.", field->name,
                      buffer->DimensionCount, reader->rules->name, text_of_level(reader->level).at, support->min_rank,
                      support->max_rank);
    return 1;
}

static int read_sizes(const struct reader *reader, const struct field *field, const uint32_t *sizes,
                      struct tensor *tensor)
{
    if (!sizes)
        return REJECT(reader, "%s.Sizes is null.", field->name);
    tensor->count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (sizes[i] == 0)
            return REJECT(reader, "%s.Sizes[%u] is 0; every size must be at least 1.", field->name, i);
        tensor->sizes[i] = sizes[i];
        tensor->count *= sizes[i]; /* no overflow: both factors are below 2^32 */
        if (tensor->count > max_elements)
            return REJECT(reader, "%s.Sizes are %s, more than the 2^32-1 elements that a tensor may have.", field->name,
                          text_of_sizes(sizes, tensor->rank).at);
    }
    return 1;
}

static void pack_strides(const struct tensor *tensor, uint32_t *strides)
{
    uint32_t stride = 1;
    for (uint32_t i = tensor->rank; i-- > 0;) {
        strides[i] = stride;
        stride *= tensor->sizes[i]; /* at most `count`, which fits */
    }
}

/* Elements of an output must not share memory. The message names the first stride, from the smallest up, that does not
 * step over all that the smaller ones reach. */
static int check_overlap(const struct reader *reader, const struct field *field, const struct tensor *tensor)
{
    uint32_t order[DESCRIPTOR_MAX_DIMENSIONS], length = 0;
    uint64_t reach = 0;

    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t at = length;
        if (tensor->sizes[i] == 1)
            continue;
        for (; at > 0 && tensor->strides[order[at - 1]] > tensor->strides[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
        length++;
    }
    for (uint32_t k = 0; k < length; k++) {
        uint32_t i = order[k];
        if (tensor->strides[i] == 0)
            return REJECT(reader, "%s.Strides[%u] is 0 on a size of %u; an output cannot broadcast.", field->name, i,
                          tensor->sizes[i]);
        if (tensor->strides[i] <= reach) {
            int overlap = overlap_check(tensor->rank, tensor->sizes, tensor->strides);
            if (overlap < 0)
                return REJECT(reader, "%s.Strides cannot be checked: out of memory.", field->name);
            return !overlap ||
                   REJECT(reader,
                          "%s.Strides[%u] is %u, within the %llu elements that smaller strides span; elements of an "
                          "output must not overlap.",
                          field->name, i, tensor->strides[i], (unsigned long long)reach + 1);
        }
        reach += (tensor->sizes[i] - 1ull) * tensor->strides[i];
    }
    return 1;
}

static int read_strides(const struct reader *reader, const struct field *field, const uint32_t *strides,
                        struct tensor *tensor, uint64_t *extent)
{
    uint32_t packed[DESCRIPTOR_MAX_DIMENSIONS];

    tensor->packed = 1;
    *extent = tensor->count;
    if (!strides) {
        pack_strides(tensor, tensor->strides);
        return 1;
    }
    pack_strides(tensor, packed);
    *extent = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        tensor->strides[i] = strides[i];
        if (tensor->sizes[i] == 1) /* its stride is never stepped */
            continue;
        tensor->packed &= strides[i] == packed[i];
        *extent += (tensor->sizes[i] - 1ull) * strides[i]; /* no overflow: below 2^32 + (2^32-2)(2^32-1) */
        if (*extent > max_elements)
            return REJECT(reader, "%s.Strides are %s, which reach beyond the 2^32-1 elements that a tensor may have.",
                          field->name, text_of_sizes(strides, tensor->rank).at);
    }
    return !field->is_output || check_overlap(reader, field, tensor);
}

static int read_buffer(const struct reader *reader, const struct field *field, const DML_BUFFER_TENSOR_DESC *buffer,
                       struct tensor *tensor)
{
    uint64_t extent, least;
    uint32_t alignment = buffer->GuaranteedBaseOffsetAlignment;

    if (!read_type(reader, field, buffer))
        return 0;
    tensor->type = buffer->DataType;
    tensor->element_size = descriptor_element_size(buffer->DataType);
    tensor->rank = buffer->DimensionCount;
    tensor->bytes = buffer->TotalTensorSizeInBytes;
    if (!read_sizes(reader, field, buffer->Sizes, tensor) ||
        !read_strides(reader, field, buffer->Strides, tensor, &extent))
        return 0;

    least = (extent * tensor->element_size + 3) & ~3ull;
    if (tensor->bytes < least)
        return REJECT(reader, "%s.TotalTensorSizeInBytes is %llu; its sizes and strides need at least %llu.",
                      field->name, (unsigned long long)tensor->bytes, (unsigned long long)least);
    if (alignment && ((alignment & (alignment - 1)) || alignment < tensor->element_size))
        return REJECT(reader,
                      "%s.GuaranteedBaseOffsetAlignment is %u; it must be 0 or a power of two of at least the "
                      "element's %u bytes.",
                      field->name, alignment, tensor->element_size);
    return 1;
}

static int read_tensor(const struct reader *reader, const struct field *field, const DML_TENSOR_DESC *desc,
                       struct tensor *tensor)
{
    if (!desc)
        return REJECT(reader, "%s is null; %s requires it.", field->name, reader->rules->name);
    if (desc->Type != DML_TENSOR_TYPE_BUFFER)
        return REJECT(reader, "%s.Type is %u; it must be BUFFER (1).", field->name, (unsigned)desc->Type);
    if (!desc->Desc)
        return REJECT(reader, "%s.Desc is null.", field->name);
    return read_buffer(reader, field, desc->Desc, tensor);
}

/* Rules between tensors. `field` numbers are places in the operator's list of fields. */

static const char *name_of(const struct reader *reader, uint32_t field)
{
    return reader->rules->fields[field].name;
}

static int check_same_rank(const struct reader *reader)
{
    uint32_t rank = reader->tensors[FIELD_INPUT]->rank;
    for (uint32_t i = 1; i < reader->rules->field_count; i++)
        if (reader->tensors[i]->rank != rank)
            return REJECT(reader, "%s.DimensionCount is %u; it must be InputTensor's %u.", name_of(reader, i),
                          reader->tensors[i]->rank, rank);
    return 1;
}

static int check_same_type(const struct reader *reader)
{
    DML_TENSOR_DATA_TYPE type = reader->tensors[FIELD_INPUT]->type;
    for (uint32_t i = 1; i < reader->rules->field_count; i++)
        if (reader->rules->fields[i].kind == KIND_DATA && reader->tensors[i]->type != type)
            return REJECT(reader, "%s.DataType is %s; it must be InputTensor's %s.", name_of(reader, i),
                          types[reader->tensors[i]->type].name, types[type].name);
    return 1;
}

static int check_sizes(const struct reader *reader, uint32_t field, const uint32_t *expected)
{
    const struct tensor *tensor = reader->tensors[field];
    if (memcmp(tensor->sizes, expected, tensor->rank * sizeof *expected) == 0)
        return 1;
    return REJECT(reader, "%s.Sizes are %s; the other tensors call for %s.", name_of(reader, field),
                  text_of_sizes(tensor->sizes, tensor->rank).at, text_of_sizes(expected, tensor->rank).at);
}

/* The leading `ignored` sizes take no part in the operation, so they must be 1. */
static int check_ignored(const struct reader *reader, uint32_t field, uint32_t ignored, const char *attribute)
{
    const struct tensor *tensor = reader->tensors[field];
    for (uint32_t i = 0; i < ignored; i++)
        if (tensor->sizes[i] != 1)
            return REJECT(reader, "%s.Sizes[%u] is %u; %s leaves it out, so it must be 1.", name_of(reader, field), i,
                          tensor->sizes[i], attribute);
    return 1;
}

static int check_within(const struct reader *reader, const char *attribute, uint32_t value, uint32_t least,
                        uint32_t max)
{
    if (value < least || value > max)
        return REJECT(reader, "%s is %u; it must be from %u to %u.", attribute, value, least, max);
    return 1;
}

/* The output is {input sizes before Axis, last IndexDimensions sizes of the indices, input sizes after Axis} laid
 * against the right. Where that is more than DimensionCount sizes, those that stand out on the left must be 1. */
static int check_gather(const struct reader *reader, const struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];
    uint32_t rank = input->rank, axis = d->axis, taken = d->index_dimensions;
    uint32_t expected[DESCRIPTOR_MAX_DIMENSIONS] = {1};

    if (!check_same_rank(reader) || !check_same_type(reader) || !check_within(reader, "Axis", axis, 0, rank - 1) ||
        !check_within(reader, "IndexDimensions", taken, 0, rank) ||
        !check_ignored(reader, FIELD_INDICES, rank - taken, "IndexDimensions"))
        return 0;
    for (uint32_t i = 0; i < rank - 1 + taken; i++) {
        int from_indices = i >= axis && i < axis + taken;
        uint32_t dimension = i < axis ? i : from_indices ? rank - taken + i - axis : i + 1 - taken;
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

static int check_elements(const struct reader *reader, const struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];

    if (!check_same_rank(reader) || !check_same_type(reader) ||
        !check_within(reader, "Axis", d->axis, 0, input->rank - 1))
        return 0;
    for (uint32_t i = 0; i < input->rank; i++)
        if (i != d->axis && indices->sizes[i] != input->sizes[i])
            return REJECT(reader, "IndicesTensor.Sizes[%u] is %u; away from Axis it must be InputTensor's %u.", i,
                          indices->sizes[i], input->sizes[i]);
    return check_sizes(reader, FIELD_SHAPED, indices->sizes) &&
           (reader->rules->field_count <= FIELD_SCATTER_OUTPUT ||
            check_sizes(reader, FIELD_SCATTER_OUTPUT, input->sizes));
}

/* P, Q, B and K as in the rulings; the shaped tensor is {1…, indices sizes without the tuple, last P-B-K input sizes}. */
static int check_nd(const struct reader *reader, const struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *indices = &d->inputs[1];
    uint32_t rank = input->rank, p = d->input_dimension_count, q = d->indices_dimension_count;
    uint32_t b = d->batch_dimension_count, k, tail, lead, expected[DESCRIPTOR_MAX_DIMENSIONS];

    if (!check_same_rank(reader) || !check_same_type(reader) ||
        !check_within(reader, "InputDimensionCount", p, 1, rank) ||
        !check_within(reader, "IndicesDimensionCount", q, 1, rank) ||
        !check_within(reader, "BatchDimensionCount", b, 0, (p < q ? p : q) - 1) ||
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
    return check_sizes(reader, FIELD_SHAPED, expected) && (reader->rules->field_count <= FIELD_SCATTER_OUTPUT ||
                                                           check_sizes(reader, FIELD_SCATTER_OUTPUT, input->sizes));
}

static int check_nonzero(const struct reader *reader, const struct descriptor *d)
{
    const struct tensor *input = &d->inputs[0], *count = &d->outputs[0], *coordinates = &d->outputs[1];
    uint32_t rank = coordinates->rank, leading_ones = 0, least;

    if (reader->table->level < DML_FEATURE_LEVEL_4_0 && !check_same_rank(reader))
        return 0;
    if (count->count != 1)
        return REJECT(reader, "OutputCountTensor.Sizes are %s; all must be 1.",
                      text_of_sizes(count->sizes, count->rank).at);
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

/* The whole. */

static const struct rules *find_rules(DML_OPERATOR_TYPE type)
{
    for (size_t i = 0; i < sizeof all_rules / sizeof all_rules[0]; i++)
        if (all_rules[i].type == type)
            return &all_rules[i];
    return NULL;
}

/* Fills in the attributes and the tensors, each held against its own rules. */
static int read_fields(struct reader *reader, const char *desc, struct descriptor *out)
{
    const struct rules *rules = reader->rules;

    for (uint32_t i = 0; i < rules->attribute_count; i++)
        memcpy((char *)out + rules->attributes[i].destination, desc + rules->attributes[i].offset, sizeof(UINT));
    for (uint32_t i = 0; i < rules->field_count; i++) {
        const struct field *field = &rules->fields[i];
        const DML_TENSOR_DESC *tensor;
        memcpy(&tensor, desc + field->offset, sizeof tensor);
        reader->tensors[i] = field->is_output ? &out->outputs[out->output_count++] : &out->inputs[out->input_count++];
        if (!read_tensor(reader, field, tensor, reader->tensors[i]))
            return 0;
    }
    return 1;
}

HRESULT descriptor_read(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, struct descriptor *out, char *message,
                        size_t message_size)
{
    struct reader reader = {.level = level, .message = message_size ? message : NULL, .message_size = message_size};

    if (!desc) {
        REJECT(&reader, "The operator description is null.");
        return E_INVALIDARG;
    }
    if (desc->Type <= DML_OPERATOR_INVALID || (uint32_t)desc->Type > LAST_OPERATOR) {
        REJECT(&reader, "Operator type %u does not exist; types go from 1 to %d.", (unsigned)desc->Type, LAST_OPERATOR);
        return E_INVALIDARG;
    }
    reader.rules = find_rules(desc->Type);
    if (!reader.rules) {
        REJECT(&reader, "Operator type %u is not implemented here.", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    if (level < reader.rules->introduced) {
        REJECT(&reader, "%s was introduced at feature level %s; this device has %s.", reader.rules->name,
               text_of_level(reader.rules->introduced).at, text_of_level(level).at);
        return E_INVALIDARG;
    }
    if (!desc->Desc) {
        REJECT(&reader, "The description of %s has a null Desc.", reader.rules->name);
        return E_INVALIDARG;
    }
    for (reader.table = reader.rules->tables; reader.table->level > level;)
        reader.table++;

    memset(out, 0, sizeof *out);
    out->type = desc->Type;
    if (!read_fields(&reader, desc->Desc, out) || !reader.rules->check(&reader, out))
        return E_INVALIDARG;
    return S_OK;
}
