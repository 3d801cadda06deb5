/* Reads models of DxDispatch. */
#include "harness/exchange/dxmodel.h"

#include "harness/base/paths.h"
#include "harness/case/testcase.h"
#include "harness/base/datatype.h"
#include "harness/base/npy.h"
#include "harness/describe/field_kind.h"
#include "harness/base/json_elements.h"
#include "harness/describe/desc_json.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint64_t max_buffer = (uint64_t)4 << 30;

/* ---- resources */

static int read_size(const struct json_cursor *cursor, const char *key, uint64_t *out, struct error *error)
{
    struct json_cursor member = json_cursor_member(cursor, key);
    int64_t number;
    int result = member.value ? json_cursor_integer(&member, 0, (int64_t)max_buffer, &number, error) : 0;
    if (result == 0 && member.value)
        *out = (uint64_t)number;
    return result;
}

static int dxmodel_load_read_values(struct pool *pool, const struct json_cursor *cursor, struct dxmodel_buffer *buffer,
                                    struct error *error)
{
    struct json_cursor type = json_cursor_member(cursor, "initialValuesDataType"),
                       values = json_cursor_member(cursor, "initialValues"),
                       source = json_cursor_member(&values, "sourcePath");
    struct json_elements initial;
    char path[PATHS_SIZE];
    const char *kind = json_cursor_is_number(&values) ? NULL : json_string_value(values.value);
    unsigned wanted = DML_TENSOR_DATA_TYPE_UNKNOWN;
    int result = type.value ? json_data_type_read(&type, &wanted, error) : 0;
    if (result)
        return result;
    if (kind)
        return json_cursor_error(&values, error, "%s values are not supported: give the buffer a size and values",
                                 kind);
    result = json_elements_read(&values, wanted, NULL, &initial, error);
    if (result == 0) {
        buffer->type = initial.type;
        buffer->initial = initial.data;
        buffer->initial_size = initial.size;
        buffer->initial_count = initial.count;
        if (source.value && json_cursor_path(&source, json_string_value(source.value), path, sizeof path, error) == 0)
            buffer->source = pool_string(pool, path);
    }
    return result;
}

static int read_buffer(struct pool *pool, const struct json_cursor *cursor, struct dxmodel_buffer *buffer,
                       struct error *error)
{
    struct json_cursor kind = json_cursor_member(cursor, "type");
    const char *name;
    int result = json_cursor_object(cursor, error);
    if (result == 0 && kind.value)
        result = json_cursor_text(&kind, &name, error);
    if (result == 0 && kind.value && strcasecmp(name, "buffer") != 0)
        return json_cursor_error(&kind, error, "expected a buffer, found '%s'", name);
    if (result == 0)
        result = dxmodel_load_read_values(pool, cursor, buffer, error);
    if (result)
        return result;
    buffer->size = (buffer->initial_size + 3) / 4 * 4;
    result = read_size(cursor, "sizeInBytes", &buffer->size, error);
    if (result == 0)
        result = read_size(cursor, "initialValuesOffsetInBytes", &buffer->initial_offset, error);
    if (result == 0 &&
        (buffer->initial_size > buffer->size || buffer->initial_offset > buffer->size - buffer->initial_size))
        return json_cursor_error(cursor, error,
                                 "its initial values, %llu bytes from byte %llu on, do not fit into %llu bytes",
                                 (unsigned long long)buffer->initial_size, (unsigned long long)buffer->initial_offset,
                                 (unsigned long long)buffer->size);
    return result;
}

/* ---- dispatchables */

static int dxmodel_load_read_flags(const struct json_cursor *cursor, DML_EXECUTION_FLAGS *out, struct error *error)
{
    static const char *const names[] = {"NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS",
                                        "DESCRIPTORS_VOLATILE", NULL};
    struct json_cursor flags = json_cursor_member(cursor, "executionFlags");
    size_t count = flags.value ? 1 : 0;
    if (json_is_array(flags.value))
        count = json_array_size(flags.value);
    int result = 0, flag, all = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct json_cursor entry = json_is_array(flags.value) ? json_cursor_entry(&flags, i) : flags;
        result = json_cursor_choice(&entry, "DML_EXECUTION_FLAG_", names, &flag, error);
        if (result == 0 && flag > 0)
            all |= 1 << (flag - 1);
    }
    *out = (DML_EXECUTION_FLAGS)all;
    return result;
}

static int read_dispatchable(const struct json_cursor *cursor, const struct spec_set *specs,
                             struct dxmodel_dispatchable *d, struct error *error)
{
    static const char *const others[] = {"hlsl", "onnx", "dmlSerializedGraph"};
    struct json_cursor type = json_cursor_member(cursor, "type"), bindings = json_cursor_member(cursor, "bindings");
    int result = json_cursor_object(cursor, error);
    const char *name = json_string_value(type.value);
    if (result)
        return result;
    for (size_t i = 0; name && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i]) == 0)
            return json_cursor_error(&type, error, "%s dispatchables are not supported, only DirectML's operators",
                                     others[i]);
    if (bindings.value)
        return json_cursor_error(&bindings, error,
                                 "bindings at initialisation are not supported, only those of a dispatch");
    result = desc_json_read(cursor, specs, &d->desc, error);
    if (result == 0)
        result = dxmodel_load_read_flags(cursor, &d->flags, error);
    if (result)
        return result;
    d->spec = &specs->specs[d->desc.op];
    for (int i = 0; i < d->spec->field_count; i++)
        if (field_is_tensor(&d->spec->fields[i]) && OPDESC_TENSOR(&d->desc, i)->total == 0)
            OPDESC_TENSOR(&d->desc, i)->total = (uint64_t)opdesc_implied(OPDESC_TENSOR(&d->desc, i));
    return 0;
}

/* ---- commands */

static int find_buffer(const struct dxmodel *model, const struct json_cursor *cursor, const char *key, int *out,
                       struct error *error)
{
    struct json_cursor member = key ? json_cursor_member(cursor, key) : *cursor;
    const char *name;
    int result = json_cursor_text(&member, &name, error);
    for (*out = 0; result == 0 && *out < model->buffer_count; ++*out)
        if (strcmp(model->buffers[*out].name, name) == 0)
            return 0;
    return result ? result : json_cursor_error(&member, error, "no resource is named '%s'", name);
}

/* Reads a binding: a name, or an object with the name and an offset in elements. */
static int read_binding(const struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_binding *out,
                        struct error *error)
{
    struct json_cursor source = *cursor;
    uint64_t bytes = 0, offset = 0;
    if (!json_is_object(source.value))
        return find_buffer(model, &source, NULL, &out->buffer, error);
    int result = find_buffer(model, &source, "name", &out->buffer, error);
    if (result == 0)
        result = read_size(&source, "elementOffset", &offset, error);
    if (result == 0)
        result = read_size(&source, "elementSizeInBytes", &bytes, error);
    if (result == 0 && bytes == 0)
        bytes = elements_bytes(datatype_of(model->buffers[out->buffer].type)->bits, 1);
    if (result == 0 && __builtin_mul_overflow(offset, bytes, &out->offset))
        result = json_cursor_error(&source, error, "its offset is too large");
    return result;
}

static int check_binding(const struct dxmodel *model, const struct dxmodel_dispatchable *d, int item,
                         const struct json_cursor *cursor, const struct dxmodel_binding *b, struct error *error)
{
    const struct dxmodel_buffer *buffer = &model->buffers[b->buffer];
    const struct opdesc_tensor *t = &d->desc.items[item].tensor;
    uint64_t left = b->offset < buffer->size ? buffer->size - b->offset : 0;
    uint32_t alignment = t->alignment > 16 ? t->alignment : 16;
    if (t->flags & DML_TENSOR_FLAG_OWNED_BY_DML)
        return json_cursor_error(cursor, error,
                                 "a tensor that is OWNED_BY_DML is bound at initialisation, which is not supported");
    if (t->present && left < t->total)
        return json_cursor_error(cursor, error, "'%s' has %llu bytes from byte %llu on, %s needs %llu", buffer->name,
                                 (unsigned long long)left, (unsigned long long)b->offset, d->spec->tensor_names[item],
                                 (unsigned long long)t->total);
    if (b->offset % alignment)
        return json_cursor_error(cursor, error, "byte %llu: expected an offset that is a multiple of %u",
                                 (unsigned long long)b->offset, alignment);
    return 0;
}

/* Returns true if two tensors share memory and one of them is an output. */
static bool shares_memory(const struct dxmodel_dispatchable *d, const struct dxmodel_command *command, int x, int y)
{
    const struct dxmodel_binding *a = &command->bindings[x], *b = &command->bindings[y];
    return a->buffer >= 0 && a->buffer == b->buffer && a->offset < b->offset + d->desc.items[y].tensor.total &&
           b->offset < a->offset + d->desc.items[x].tensor.total;
}

/* An output must not share memory with another tensor, but for an input that is bound in place. */
static int check_sharing(const struct dxmodel_dispatchable *d, const struct dxmodel_command *command,
                         const struct json_cursor *cursor, struct error *error)
{
    const struct spec *spec = d->spec;
    struct in_place in_place;
    const struct testcase c = {.spec = spec, .desc = &d->desc, .in_place = &in_place};
    memset(&in_place, -1, sizeof in_place);
    for (int out = -1; (out = spec_next_tensor(spec, &d->desc, out)) >= 0;)
        for (int i = -1; (i = spec_next_tensor(spec, &d->desc, i)) >= 0;) {
            if (i == out || !field_is_output(spec_tensor_field(spec, out)) || !shares_memory(d, command, out, i))
                continue;
            bool equal = command->bindings[i].offset == command->bindings[out].offset;
            in_place.output[i] = (int8_t)out;
            const char *fault = equal ? testcase_in_place_fault(&c) : "expected all or none of it";
            if (fault)
                return json_cursor_error(cursor, error, "%s shares memory with %s: %s", spec->tensor_names[out],
                                         spec->tensor_names[i], fault);
        }
    return 0;
}

/* Reads the resources of a tensor, or of an array of tensors, which DxDispatch may have as an array, too. */
static int read_field_bindings(const struct dxmodel *model, const struct dxmodel_dispatchable *d, int field,
                               const struct json_cursor *cursor, struct dxmodel_binding *bindings, struct error *error)
{
    size_t count = opdesc_count(&d->desc, field), first = (size_t)spec_item(d->spec, field);
    bool is_array = json_is_array(cursor->value);
    if (count != (is_array ? json_array_size(cursor->value) : 1))
        return json_cursor_error(cursor, error, "expected %zu resource%s, one for each tensor", count,
                                 count == 1 ? "" : "s");
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct json_cursor one = is_array ? json_cursor_entry(cursor, i) : *cursor;
        result = read_binding(model, &one, &bindings[first + i], error);
        if (result == 0)
            result = check_binding(model, d, (int)(first + i), &one, &bindings[first + i], error);
    }
    return result;
}

static int read_bindings(const struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_command *command,
                         struct error *error)
{
    const struct dxmodel_dispatchable *d = &model->dispatchables[command->dispatchable];
    struct json_cursor bindings = json_cursor_member(cursor, "bindings");
    const char *known[OPDESC_MAX_FIELDS + 1] = {NULL};
    int result = json_cursor_object(&bindings, error), count = 0;
    for (int i = 0; i < d->spec->field_count; i++)
        if (field_is_tensor(&d->spec->fields[i]))
            known[count++] = d->spec->fields[i].name;
    if (result == 0)
        result = json_cursor_known(&bindings, known, error);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        command->bindings[i].buffer = -1;
    for (int i = 0; i < d->spec->field_count && result == 0; i++) {
        struct json_cursor binding = json_cursor_member(&bindings, d->spec->fields[i].name);
        if (!field_is_tensor(&d->spec->fields[i]) || opdesc_count(&d->desc, i) == 0 ||
            (!binding.value && !OPDESC_TENSOR(&d->desc, i)->present))
            continue;
        if (!binding.value)
            return json_cursor_error(&binding, error, "nothing is bound to the tensor");
        result = read_field_bindings(model, d, i, &binding, command->bindings, error);
    }
    return result ? result : check_sharing(d, command, &bindings, error);
}

static int read_dispatch(const struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_command *command,
                         struct error *error)
{
    struct json_cursor member = json_cursor_member(cursor, "dispatchable");
    const char *name;
    int result = json_cursor_text(&member, &name, error), i = 0;
    if (result)
        return result;
    while (i < model->dispatchable_count && strcmp(model->dispatchables[i].name, name) != 0)
        i++;
    if (i == model->dispatchable_count)
        return json_cursor_error(&member, error, "no dispatchable is named '%s'", name);
    command->dispatchable = i;
    return read_bindings(model, cursor, command, error);
}

static int read_print(const struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_command *command,
                      struct error *error)
{
    struct json_cursor verbose = json_cursor_member(cursor, "verbose");
    int result = find_buffer(model, cursor, "resource", &command->buffer, error);
    if (result == 0 && verbose.value && !json_is_boolean(verbose.value))
        result = json_cursor_error(&verbose, error, "expected true or false");
    command->verbose = json_is_true(verbose.value);
    if (result == 0 && model->buffers[command->buffer].type == DML_TENSOR_DATA_TYPE_UNKNOWN)
        result = json_cursor_error(cursor, error, "values of several types cannot be printed");
    return result;
}

static bool is_image(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".jpg") == 0);
}

static int read_write(struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_command *command,
                      struct error *error)
{
    struct json_cursor path = json_cursor_member(cursor, "targetPath"),
                       dimensions = json_cursor_member(cursor, "dimensions");
    const char *text = NULL;
    uint64_t bytes;
    int result = find_buffer(model, cursor, "resource", &command->buffer, error);
    if (result == 0)
        result = json_cursor_text(&path, &text, error);
    if (result == 0 && is_image(text))
        result = json_cursor_error(&path, error, "images are not supported: write a .npy file");
    if (result == 0 && dimensions.value)
        result = json_cursor_array(&dimensions, error);
    if (result)
        return result;
    command->path = pool_string(&model->pool, text);
    command->dims = (uint32_t)json_array_size(dimensions.value);
    if (command->dims > sizeof command->sizes / sizeof *command->sizes)
        return json_cursor_error(&dimensions, error, "expected at most 32 dimensions");
    bytes = elements_bytes(datatype_of(npy_type_of(model->buffers[command->buffer].type))->bits, 1);
    for (uint32_t i = 0; i < command->dims && result == 0; i++) {
        struct json_cursor entry = json_cursor_entry(&dimensions, i);
        int64_t size = 0;
        result = json_cursor_integer(&entry, 1, UINT32_MAX, &size, error);
        command->sizes[i] = (uint32_t)size;
        if (__builtin_mul_overflow(bytes, (uint64_t)size, &bytes))
            bytes = UINT64_MAX;
    }
    if (result == 0 && command->dims > 0 && bytes > model->buffers[command->buffer].size)
        result = json_cursor_error(&dimensions, error, "'%s' has fewer elements than that",
                                   model->buffers[command->buffer].name);
    return result;
}

static int read_command(struct dxmodel *model, const struct json_cursor *cursor, struct dxmodel_command *command,
                        struct error *error)
{
    struct json_cursor type = json_cursor_member(cursor, "type");
    const char *name;
    int result = json_cursor_object(cursor, error);
    if (result == 0)
        result = json_cursor_text(&type, &name, error);
    if (result)
        return result;
    if (strcasecmp(name, "dispatch") == 0) {
        command->kind = DXMODEL_DISPATCH;
        return read_dispatch(model, cursor, command, error);
    }
    if (strcasecmp(name, "print") == 0) {
        command->kind = DXMODEL_PRINT;
        return read_print(model, cursor, command, error);
    }
    if (strcasecmp(name, "writeFile") == 0) {
        command->kind = DXMODEL_WRITE;
        return read_write(model, cursor, command, error);
    }
    return json_cursor_error(&type, error, "no command is named '%s'; expected dispatch, print or writeFile", name);
}

/* ---- the file */

static int read_resources(struct dxmodel *model, const struct json_cursor *all, struct error *error)
{
    const char *name;
    json_t *value;
    int result = json_cursor_object(all, error);
    model->buffers = pool_alloc(&model->pool, (json_object_size(all->value) + 1) * sizeof *model->buffers);
    json_object_foreach((json_t *)(uintptr_t)all->value, name, value)
    {
        struct json_cursor cursor = json_cursor_member(all, name);
        struct dxmodel_buffer *buffer = &model->buffers[model->buffer_count];
        if (result)
            break;
        result = read_buffer(&model->pool, &cursor, buffer, error);
        buffer->name = pool_string(&model->pool, name);
        model->buffer_count++;
    }
    return result;
}

static int read_dispatchables(struct dxmodel *model, const struct json_cursor *all, const struct spec_set *specs,
                              struct error *error)
{
    const char *name;
    json_t *value;
    int result = json_cursor_object(all, error);
    model->dispatchables = pool_alloc(&model->pool, (json_object_size(all->value) + 1) * sizeof *model->dispatchables);
    json_object_foreach((json_t *)(uintptr_t)all->value, name, value)
    {
        struct json_cursor cursor = json_cursor_member(all, name);
        struct dxmodel_dispatchable *d = &model->dispatchables[model->dispatchable_count];
        if (result)
            break;
        result = read_dispatchable(&cursor, specs, d, error);
        d->name = pool_string(&model->pool, name);
        model->dispatchable_count++;
    }
    return result;
}

static int read_commands(struct dxmodel *model, const struct json_cursor *all, struct error *error)
{
    int result = json_cursor_array(all, error);
    model->commands = pool_alloc(&model->pool, (json_array_size(all->value) + 1) * sizeof *model->commands);
    for (size_t i = 0; i < json_array_size(all->value) && result == 0; i++) {
        struct json_cursor cursor = json_cursor_entry(all, i);
        result = read_command(model, &cursor, &model->commands[model->command_count++], error);
    }
    return result;
}

int dxmodel_load(struct dxmodel *model, const char *file, const struct spec_set *specs, struct error *error)
{
    struct json_cursor root;
    *model = (struct dxmodel){.file = file};
    int result = json_cursor_open(file, true, &root, error);
    if (result)
        return result;
    struct json_cursor resources = json_cursor_member(&root, "resources"),
                       dispatchables = json_cursor_member(&root, "dispatchables"),
                       commands = json_cursor_member(&root, "commands");
    result = read_resources(model, &resources, error);
    if (result == 0)
        result = read_dispatchables(model, &dispatchables, specs, error);
    if (result == 0)
        result = read_commands(model, &commands, error);
    json_cursor_close(&root);
    return result;
}

void dxmodel_free(struct dxmodel *model)
{
    for (int i = 0; i < model->buffer_count; i++)
        free(model->buffers[i].initial);
    pool_clear(&model->pool);
}
