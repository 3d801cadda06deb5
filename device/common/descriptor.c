/* descriptor.c: reads a description and checks it against the tables of the catalogue. The other descriptor_*.c files
 * have the rules that no table has. */
#include "device/common/descriptor_internal.h"

#include "device/common/overlap.h"

#include <stdio.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LAST_OPERATOR = DML_OPERATOR_UNFOLD };

static const uint64_t max_elements = UINT32_MAX;

/* ---- one tensor */

static int is_output_field(const struct catalogue_field *field)
{
    return field->kind == CATALOGUE_OUTPUT || field->kind == CATALOGUE_OUTPUTS;
}

INLINE int read_type(const struct reader *reader, const struct catalogue_field *field, const char *name,
                     const DML_BUFFER_TENSOR_DESC *buffer)
{
    const struct catalogue_support *support = reader->support;
    uint32_t type = (uint32_t)buffer->DataType;
    uint32_t flags = (uint32_t)buffer->Flags;

    if (type >= TYPE_TOTAL || !(support->types >> type & 1))
        return REJECT(reader, "%s.DataType is %s; %s at feature level %s takes %s.", name,
                      descriptor_text_of_type(reader, type), reader->op->name,
                      descriptor_text_of_level(reader, reader->level),
                      descriptor_text_of_types(reader, support->types));
    if (flags & ~(uint32_t)DML_TENSOR_FLAG_OWNED_BY_DML)
        return REJECT(reader, "%s.Flags is 0x%x; only OWNED_BY_DML (0x1) is defined.", name, flags);
    if (flags && is_output_field(field))
        return REJECT(reader, "%s.Flags is OWNED_BY_DML, which is for inputs only.", name);
    if (buffer->DimensionCount < support->min_rank || buffer->DimensionCount > support->max_rank)
        return REJECT(reader, "%s.DimensionCount is %u; %s at feature level %s takes %u to %u.", name,
                      buffer->DimensionCount, reader->op->name, descriptor_text_of_level(reader, reader->level),
                      support->min_rank, support->max_rank);
    return 1;
}

/* Rejects sizes: either one of them is out of range, or they have too many elements. The message names the case. */
static int reject_sizes(const struct reader *reader, const char *name, const uint32_t *sizes, uint32_t rank)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank && count <= max_elements; i++) {
        if (sizes[i] == 0)
            return REJECT(reader, "%s.Sizes[%u] is 0; every size must be at least 1.", name, i);
        count *= sizes[i]; /* no overflow: both factors are below 2^32 */
    }
    return REJECT(reader, "%s.Sizes are %s, more than the 2^32-1 elements that a tensor may have.", name,
                  descriptor_text_of_sizes(reader, sizes, rank));
}

/* Reads the sizes of a tensor, and sets its strides to packed ones. */
INLINE int read_sizes(const struct reader *reader, const char *name, const uint32_t *sizes, struct tensor *tensor)
{
    uint64_t count = 1, counts = 0; /* `counts`: bits of all counts */
    if (!sizes)
        return REJECT(reader, "%s.Sizes is null.", name);
    for (size_t i = tensor->rank; i-- > 0;) {
        const uint32_t size = sizes[i];
        tensor->sizes[i] = size;
        tensor->strides[i] = (uint32_t)count;
        count *= size; /* no overflow unless there are too many already */
        counts |= count;
    }
    tensor->count = count;
    return (count != 0 && counts <= max_elements) || reject_sizes(reader, name, sizes, tensor->rank);
}

/* Tells whether an output's elements share no memory. The message names the first stride, from the smallest up, that
 * does not step over the extent of the smaller ones. */
static int check_overlap(const struct reader *reader, const char *name, const struct tensor *tensor)
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
            return REJECT(reader, "%s.Strides[%u] is 0 on a size of %u; an output cannot broadcast.", name, i,
                          tensor->sizes[i]);
        if (tensor->strides[i] <= reach) {
            int overlap = overlap_check(tensor->rank, tensor->sizes, tensor->strides);
            if (overlap < 0)
                return REJECT(reader, "%s.Strides cannot be checked: out of memory.", name);
            return !overlap ||
                   REJECT(reader,
                          "%s.Strides[%u] is %u, within the %llu elements that smaller strides span; elements of an "
                          "output must not overlap.",
                          name, i, tensor->strides[i], (unsigned long long)reach + 1);
        }
        reach += (tensor->sizes[i] - 1ull) * tensor->strides[i];
    }
    return 1;
}

/* Replaces the packed strides by those of the description, if it has any. */
INLINE int read_strides(const struct reader *reader, const struct catalogue_field *field, const char *name,
                        const uint32_t *strides, struct tensor *tensor, uint64_t *extent)
{
    tensor->packed = 1;
    *extent = tensor->count;
    if (!strides)
        return 1;
    *extent = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t packed = tensor->strides[i];
        tensor->strides[i] = strides[i];
        if (tensor->sizes[i] == 1) /* its stride is never used */
            continue;
        tensor->packed &= strides[i] == packed;
        *extent += (tensor->sizes[i] - 1ull) * strides[i]; /* no overflow: below 2^32 + (2^32-2)(2^32-1) */
        if (*extent > max_elements)
            return REJECT(reader, "%s.Strides are %s, which reach beyond the 2^32-1 elements that a tensor may have.",
                          name, descriptor_text_of_sizes(reader, strides, tensor->rank));
    }
    return !is_output_field(field) || check_overlap(reader, name, tensor);
}

INLINE int read_buffer(const struct reader *reader, const struct catalogue_field *field, const char *name,
                       const DML_BUFFER_TENSOR_DESC *buffer, struct tensor *tensor)
{
    uint64_t extent, least;
    uint32_t alignment = buffer->GuaranteedBaseOffsetAlignment;

    if (!read_type(reader, field, name, buffer))
        return 0;
    tensor->type = buffer->DataType;
    tensor->element_bits = descriptor_types[buffer->DataType].bits;
    tensor->element_size = tensor->element_bits / 8;
    tensor->rank = buffer->DimensionCount;
    tensor->bytes = buffer->TotalTensorSizeInBytes;
    tensor->alignment = alignment;
    tensor->owned = ((uint32_t)buffer->Flags & DML_TENSOR_FLAG_OWNED_BY_DML) != 0;
    if (!read_sizes(reader, name, buffer->Sizes, tensor) ||
        !read_strides(reader, field, name, buffer->Strides, tensor, &extent))
        return 0;

    least = (extent * tensor->element_bits + 31) / 32 * 4; /* no overflow: below 2^32 elements of 64 bits */
    if (tensor->bytes < least)
        return REJECT(reader, "%s.TotalTensorSizeInBytes is %llu; its sizes and strides need at least %llu.", name,
                      (unsigned long long)tensor->bytes, (unsigned long long)least);
    if (alignment && ((alignment & (alignment - 1)) || alignment < tensor->element_size))
        return REJECT(reader,
                      "%s.GuaranteedBaseOffsetAlignment is %u; it must be 0 or a power of two of at least the "
                      "element's %u bytes.",
                      name, alignment, tensor->element_size);
    return 1;
}

INLINE int read_tensor_desc(const struct reader *reader, const struct catalogue_field *field, const char *name,
                            const DML_TENSOR_DESC *desc, struct tensor *tensor)
{
    if (!desc)
        return REJECT(reader, "%s is null; %s requires it.", name, reader->op->name);
    if (desc->Type != DML_TENSOR_TYPE_BUFFER)
        return REJECT(reader, "%s.Type is %u; it must be BUFFER (1).", name, (unsigned)desc->Type);
    if (!desc->Desc)
        return REJECT(reader, "%s.Desc is null.", name);
    return read_buffer(reader, field, name, desc->Desc, tensor);
}

/* ---- the description */

static void read_scale_bias(const struct catalogue_field *field, const char *desc, struct descriptor *out)
{
    const DML_SCALE_BIAS *scale_bias;
    memcpy(&scale_bias, desc + field->offset, sizeof scale_bias);
    out->has_scale_bias = scale_bias != NULL;
    if (scale_bias)
        out->scale_bias = *scale_bias;
}

/* Reads a member that is an array of tensors. Another member has its length. */
__attribute__((noinline)) static int read_tensors(struct reader *reader, uint32_t number, const char *desc,
                                                  struct descriptor *out)
{
    const struct catalogue_field *field = &reader->op->fields[number];
    uint32_t *count = is_output_field(field) ? &out->output_count : &out->input_count, length;
    uint32_t room = (is_output_field(field) ? DESCRIPTOR_MAX_OUTPUTS : DESCRIPTOR_MAX_INPUTS) - *count;
    struct tensor *tensors = (is_output_field(field) ? out->outputs : out->inputs) + *count;
    const DML_TENSOR_DESC *from;
    memcpy(&from, desc + field->offset, sizeof from);
    memcpy(&length, desc + reader->op->fields[field->count].offset, sizeof length);
    if (length > room)
        return REJECT(reader, "%s is %u; at most %u tensors are possible here.", reader->op->fields[field->count].name,
                      length, room);
    if (!from && length > 0)
        return REJECT(reader, "%s is null; it must have %u tensors.", field->name, length);
    reader->counts[number] = length;
    reader->tensors[number] = length > 0 ? tensors : NULL;
    *count += length;
    const char *name = reader->why ? reader->why->element : field->name;
    for (uint32_t i = 0; i < length; i++) {
        if (read_tensor_desc(reader, field, name, &from[i], &tensors[i]))
            continue;
        if (reader->why) /* the rejection keeps a pointer to this name, but nobody has read the sentence yet */
            snprintf(reader->why->element, sizeof reader->why->element, "%s[%u]", field->name, i);
        return 0;
    }
    return 1;
}

/* Reads a member that is a tensor. */
INLINE int read_one_tensor(struct reader *reader, uint32_t number, const char *desc, struct descriptor *out)
{
    const struct catalogue_field *field = &reader->op->fields[number];
    struct tensor *tensor =
        field->kind == CATALOGUE_OUTPUT ? &out->outputs[out->output_count++] : &out->inputs[out->input_count++];
    const DML_TENSOR_DESC *from;
    memcpy(&from, desc + field->offset, sizeof from);
    if (!from && field->optional && reader->level >= field->optional) {
        *tensor = (struct tensor){.packed = 1};
        return 1;
    }
    reader->tensors[number] = tensor;
    reader->counts[number] = 1;
    return read_tensor_desc(reader, field, field->name, from, tensor);
}

static int read_activation(const struct reader *reader, const struct catalogue_field *field, const char *desc,
                           struct descriptor *out)
{
    const DML_OPERATOR_DESC *activation;
    memcpy(&activation, desc + field->offset, sizeof activation);
    return descriptor_read_activation(reader, field, activation, out);
}

/* Reads a member, and checks a tensor by itself. The operator's own check reads members of other kinds. */
static int read_field(struct reader *reader, uint32_t number, const char *desc, struct descriptor *out)
{
    const struct catalogue_field *field = &reader->op->fields[number];
    reader->tensors[number] = NULL;
    if (field->kind == CATALOGUE_NUMBER)
        return 1;
    reader->support = &reader->table->supports[number];
    if (field->kind <= CATALOGUE_OUTPUT) /* most members are single tensors */
        return read_one_tensor(reader, number, desc, out);
    if (field->kind == CATALOGUE_INPUTS || field->kind == CATALOGUE_OUTPUTS)
        return read_tensors(reader, number, desc, out);
    if (field->kind == CATALOGUE_OPERATOR)
        return read_activation(reader, field, desc, out);
    if (field->kind == CATALOGUE_SCALE_BIAS)
        read_scale_bias(field, desc, out);
    return 1;
}

static int read_fields(struct reader *reader, const char *desc, struct descriptor *out)
{
    for (uint32_t i = 0; i < reader->op->field_count; i++)
        if (!read_field(reader, i, desc, out))
            return 0;
    return 1;
}

/* Tells whether a rule or table holds that depends on the value of an enumeration, field `where`. */
static int holds_here(const struct reader *reader, const char *desc, int where, uint32_t values)
{
    uint32_t value;
    if (where < 0)
        return 1;
    memcpy(&value, desc + reader->op->fields[where].offset, sizeof value);
    return value < 32 && (values >> value & 1);
}

/* Finds the newest table for the description. The enumeration that chooses between tables may have a value without a
 * table. */
static int find_table(struct reader *reader, const char *desc)
{
    const struct catalogue_table *tables = reader->op->tables;
    for (uint32_t i = 0; i < reader->op->table_count; i++)
        if (tables[i].level <= reader->level && holds_here(reader, desc, tables[i].where, tables[i].values)) {
            reader->table = &tables[i];
            return 1;
        }
    return REJECT(reader, "%s has no data types for this %s.", reader->op->name,
                  reader->op->fields[tables[0].where].name);
}

/* ---- tensors that must agree */

INLINE int agree(unsigned property, const struct tensor *a, const struct tensor *b)
{
    if (property == SAME_DataType)
        return b->type == a->type;
    return b->rank == a->rank &&
           (property == SAME_DimensionCount || memcmp(b->sizes, a->sizes, a->rank * sizeof *a->sizes) == 0);
}

/* Rejects a tensor `b` of field `other`. */
static int reject_difference(const struct reader *reader, unsigned property, uint32_t lead, uint32_t other,
                             const struct tensor *b)
{
    const struct tensor *a = reader->tensors[lead];
    const char *name = reader->op->fields[other].name, *lead_name = reader->op->fields[lead].name;
    if (property == SAME_DimensionCount)
        return REJECT(reader, "%s.DimensionCount is %u; it must be %s's %u.", name, b->rank, lead_name, a->rank);
    if (property == SAME_DataType)
        return REJECT(reader, "%s.DataType is %s; it must be %s's %s.", name, descriptor_types[b->type].name, lead_name,
                      descriptor_types[a->type].name);
    return REJECT(reader, "%s.Sizes are %s; they must be %s's %s.", name,
                  descriptor_text_of_sizes(reader, b->sizes, b->rank), lead_name,
                  descriptor_text_of_sizes(reader, a->sizes, a->rank));
}

/* Tells whether all tensors of some fields have a property of the first one. */
INLINE int check_property(const struct reader *reader, unsigned property, uint32_t fields)
{
    uint32_t rest = fields;
    while (rest && !reader->tensors[__builtin_ctz(rest)])
        rest &= rest - 1;
    if (!rest)
        return 1;
    const uint32_t lead = (uint32_t)__builtin_ctz(rest);
    const struct tensor *first = reader->tensors[lead];
    if (reader->counts[lead] == 1) /* the first tensor agrees with itself */
        rest &= rest - 1;
    for (; rest; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(rest);
        const struct tensor *tensors = reader->tensors[i];
        for (uint32_t k = tensors ? reader->counts[i] : 0; k > 0; k--, tensors++)
            if (!agree(property, first, tensors))
                return reject_difference(reader, property, lead, i, tensors);
    }
    return 1;
}

static int check_same(const struct reader *reader, const struct catalogue_same *same)
{
    const unsigned properties = same->properties;
    return (!(properties & SAME_DataType) || check_property(reader, SAME_DataType, same->fields)) &&
           (!(properties & SAME_DimensionCount) || check_property(reader, SAME_DimensionCount, same->fields)) &&
           (!(properties & SAME_Sizes) || check_property(reader, SAME_Sizes, same->fields));
}

static int check_all_same(const struct reader *reader, const char *desc)
{
    for (uint32_t i = 0; i < reader->op->same_count; i++) {
        const struct catalogue_same *same = &reader->op->same[i];
        if ((same->before == 0 || reader->level < same->before) &&
            holds_here(reader, desc, same->where, same->values) && !check_same(reader, same))
            return 0;
    }
    return 1;
}

/* Clears the members that not every operator sets. The tensors are most of the struct, and each is set whole. Compilers
 * clear a few hundred bytes at once by an instruction that starts slowly, so the lists are cleared one by one. */
static void clear(struct descriptor *out)
{
    memset(out, 0, offsetof(struct descriptor, inputs));
    memset(&out->axis, 0, offsetof(struct descriptor, lists) - offsetof(struct descriptor, axis));
    for (uint32_t i = 0; i < DESCRIPTOR_MAX_LISTS; i++)
        memset(out->lists[i], 0, sizeof out->lists[i]);
    memset(&out->response, 0, offsetof(struct descriptor, desc) - offsetof(struct descriptor, response));
}

HRESULT descriptor_validate(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, descriptor_computes *computes,
                            struct descriptor *out, struct rejection *why)
{
    struct reader reader; /* read_fields() sets its arrays */
    descriptor_check *check;

    reader.level = level;
    reader.why = why;
    if (why)
        why->text_count = 0;
    if (!desc) {
        REJECT(&reader, "The operator description is null.");
        return E_INVALIDARG;
    }
    reader.op = catalogue_find((uint32_t)desc->Type);
    if ((uint32_t)desc->Type >= CATALOGUE_FIRST_OWN) {
        REJECT(&reader, "Operator type %u is none of DirectML's; it is not implemented here.", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    if (!reader.op) {
        REJECT(&reader, "Operator type %u does not exist; types go from 1 to %d.", (unsigned)desc->Type, LAST_OPERATOR);
        return E_INVALIDARG;
    }
    check = descriptor_check_of(desc->Type);
    if (!check || !computes(desc->Type)) {
        REJECT(&reader, "Operator type %u is not implemented here.", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    if (level < reader.op->since) {
        REJECT(&reader, "%s was introduced at feature level %s; this device has %s.", reader.op->name,
               descriptor_text_of_level(&reader, reader.op->since), descriptor_text_of_level(&reader, level));
        return E_INVALIDARG;
    }
    if (!desc->Desc) {
        REJECT(&reader, "The description of %s has a null Desc.", reader.op->name);
        return E_INVALIDARG;
    }
    if (!find_table(&reader, desc->Desc))
        return E_INVALIDARG;

    clear(out);
    out->type = desc->Type;
    memcpy(&out->desc, desc->Desc, reader.op->size);
    if (!read_fields(&reader, desc->Desc, out) || !check_all_same(&reader, desc->Desc) || !check(&reader, out))
        return E_INVALIDARG;
    return S_OK;
}

HRESULT descriptor_read(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, descriptor_computes *computes,
                        struct descriptor *out, char *message, size_t message_size)
{
    struct rejection why;
    int explains = message && message_size > 0;
    HRESULT result = descriptor_validate(desc, level, computes, out, explains ? &why : NULL);
    if (FAILED(result) && explains)
        descriptor_message(&why, message, message_size);
    return result;
}

void descriptor_copy(struct descriptor *to, const struct descriptor *from)
{
    memcpy(to, from, offsetof(struct descriptor, inputs));
    memcpy(to->inputs, from->inputs, from->input_count * sizeof *from->inputs);
    memcpy(to->outputs, from->outputs, from->output_count * sizeof *from->outputs);
    memcpy(&to->axis, &from->axis, sizeof *from - offsetof(struct descriptor, axis));
}
