/* descriptor.c: reads a description and checks the rules of each tensor by itself. descriptor_tables.c has the
 * operators as data, descriptor_shapes.c the rules between tensors. */
#include "device/common/descriptor_internal.h"

#include "device/common/overlap.h"

#include <string.h>

enum { LAST_OPERATOR = DML_OPERATOR_UNFOLD };

static const uint64_t max_elements = UINT32_MAX;

/* ---- one tensor */

static int read_type(const struct reader *reader, const struct field *field, const DML_BUFFER_TENSOR_DESC *buffer)
{
    const struct support *support = &reader->table->support[field->kind];
    uint32_t type = (uint32_t)buffer->DataType;
    uint32_t flags = (uint32_t)buffer->Flags;

    if (type >= TYPE_TOTAL || !(support->types >> type & 1))
        return REJECT(reader, "%s.DataType is %s; %s at feature level %s takes %s.", field->name,
                      descriptor_text_of_type(type).at, reader->rules->name, descriptor_text_of_level(reader->level).at,
                      descriptor_text_of_types(support->types).at);
    if (flags & ~(uint32_t)DML_TENSOR_FLAG_OWNED_BY_DML)
        return REJECT(reader, "%s.Flags is 0x%x; only OWNED_BY_DML (0x1) is defined.", field->name, flags);
    if (flags && field->is_output)
        return REJECT(reader, "%s.Flags is OWNED_BY_DML, which is for inputs only.", field->name);
    if (buffer->DimensionCount < support->min_rank || buffer->DimensionCount > support->max_rank)
        return REJECT(reader, "%s.DimensionCount is %u; %s at feature level %s takes %u to %u.", field->name,
                      buffer->DimensionCount, reader->rules->name, descriptor_text_of_level(reader->level).at,
                      support->min_rank, support->max_rank);
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
                          descriptor_text_of_sizes(sizes, tensor->rank).at);
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
        if (tensor->sizes[i] == 1) /* its stride is never used */
            continue;
        tensor->packed &= strides[i] == packed[i];
        *extent += (tensor->sizes[i] - 1ull) * strides[i]; /* no overflow: below 2^32 + (2^32-2)(2^32-1) */
        if (*extent > max_elements)
            return REJECT(reader, "%s.Strides are %s, which reach beyond the 2^32-1 elements that a tensor may have.",
                          field->name, descriptor_text_of_sizes(strides, tensor->rank).at);
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
    tensor->element_size = descriptor_types[buffer->DataType].size;
    tensor->rank = buffer->DimensionCount;
    tensor->bytes = buffer->TotalTensorSizeInBytes;
    tensor->alignment = alignment;
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

/* ---- the description */

/* Fills in the attributes and the tensors, and checks each tensor by itself. */
static int read_fields(struct reader *reader, const char *desc, struct descriptor *out)
{
    const struct operator_rules *rules = reader->rules;

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
    reader.rules = descriptor_find_rules(desc->Type);
    if (!reader.rules) {
        REJECT(&reader, "Operator type %u is not implemented here.", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    if (level < reader.rules->introduced) {
        REJECT(&reader, "%s was introduced at feature level %s; this device has %s.", reader.rules->name,
               descriptor_text_of_level(reader.rules->introduced).at, descriptor_text_of_level(level).at);
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
