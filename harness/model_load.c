#include "harness/model.h"

#include "harness/datatype.h"
#include "harness/initial.h"
#include "harness/opdesc_json.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const uint64_t buffer_most = (uint64_t)4 << 30;

/* ---- resources */

static int read_size(const struct place *place, const char *key, uint64_t *out, struct error *error)
{
    struct place member = place_member(place, key);
    int64_t number;
    int result = member.value ? place_integer(&member, 0, (int64_t)buffer_most, &number, error) : 0;
    if (result == 0 && member.value)
        *out = (uint64_t)number;
    return result;
}

static int read_values(const struct place *place, struct model_buffer *buffer, struct error *error)
{
    struct place type = place_member(place, "initialValuesDataType"), values = place_member(place, "initialValues");
    struct initial initial;
    const char *kind = json_string_value(values.value);
    unsigned wanted = DML_TENSOR_DATA_TYPE_UNKNOWN;
    int result = type.value ? initial_type(&type, &wanted, error) : 0;
    if (result)
        return result;
    if (kind)
        return place_error(&values, error, "%s values are not done here: give the buffer a size and values", kind);
    result = initial_read(&values, wanted, &initial, error);
    if (result == 0) {
        buffer->type = initial.type;
        buffer->initial = initial.data;
        buffer->initial_size = initial.size;
    }
    return result;
}

static int read_buffer(const struct place *place, struct model_buffer *buffer, struct error *error)
{
    struct place kind = place_member(place, "type");
    const char *name;
    int result = place_object(place, error);
    if (result == 0 && kind.value)
        result = place_text(&kind, &name, error);
    if (result == 0 && kind.value && strcasecmp(name, "buffer") != 0)
        return place_error(&kind, error, "expected a buffer, found '%s'", name);
    if (result == 0)
        result = read_values(place, buffer, error);
    if (result)
        return result;
    buffer->size = (buffer->initial_size + 3) / 4 * 4;
    result = read_size(place, "sizeInBytes", &buffer->size, error);
    if (result == 0)
        result = read_size(place, "initialValuesOffsetInBytes", &buffer->initial_offset, error);
    if (result == 0 &&
        (buffer->initial_size > buffer->size || buffer->initial_offset > buffer->size - buffer->initial_size))
        return place_error(place, error, "its initial values, %llu bytes from byte %llu on, do not fit into %llu bytes",
                           (unsigned long long)buffer->initial_size, (unsigned long long)buffer->initial_offset,
                           (unsigned long long)buffer->size);
    return result;
}

/* ---- dispatchables */

static int read_flags(const struct place *place, DML_EXECUTION_FLAGS *out, struct error *error)
{
    static const char *const names[] = {"NONE", "ALLOW_HALF_PRECISION_COMPUTATION", "DISABLE_META_COMMANDS",
                                        "DESCRIPTORS_VOLATILE", NULL};
    struct place flags = place_member(place, "executionFlags");
    size_t count = json_is_array(flags.value) ? json_array_size(flags.value) : flags.value ? 1 : 0;
    int result = 0, flag, all = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct place entry = json_is_array(flags.value) ? place_entry(&flags, i) : flags;
        result = place_choice(&entry, "DML_EXECUTION_FLAG_", names, &flag, error);
        if (result == 0 && flag > 0)
            all |= 1 << (flag - 1);
    }
    *out = (DML_EXECUTION_FLAGS)all;
    return result;
}

static int read_dispatchable(const struct place *place, const struct spec_set *specs, struct model_dispatchable *d,
                             struct error *error)
{
    static const char *const others[] = {"hlsl", "onnx", "dmlSerializedGraph"};
    struct place type = place_member(place, "type"), bindings = place_member(place, "bindings");
    int result = place_object(place, error);
    const char *name = json_string_value(type.value);
    if (result)
        return result;
    for (size_t i = 0; name && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(name, others[i]) == 0)
            return place_error(&type, error, "%s dispatchables are not done here, only DirectML's operators",
                               others[i]);
    if (bindings.value)
        return place_error(&bindings, error, "bindings at initialisation are not done here, only those of a dispatch");
    result = opdesc_json_read(place, specs, &d->desc, error);
    if (result == 0)
        result = read_flags(place, &d->flags, error);
    if (result)
        return result;
    d->spec = &specs->specs[d->desc.op];
    for (int i = 0; i < d->spec->field_count; i++)
        if (d->spec->fields[i].kind != FIELD_UINT && d->desc.fields[i].tensor.total == 0)
            d->desc.fields[i].tensor.total = (uint64_t)opdesc_implied(&d->desc.fields[i].tensor);
    return 0;
}

/* ---- commands */

static int find_buffer(const struct model *model, const struct place *place, const char *key, int *out,
                       struct error *error)
{
    struct place member = key ? place_member(place, key) : *place;
    const char *name;
    int result = place_text(&member, &name, error);
    for (*out = 0; result == 0 && *out < model->buffer_count; ++*out)
        if (strcmp(model->buffers[*out].name, name) == 0)
            return 0;
    return result ? result : place_error(&member, error, "no resource is named '%s'", name);
}

/* A name, or an object with the name and an offset in elements. */
static int read_binding(const struct model *model, const struct place *place, struct model_binding *out,
                        struct error *error)
{
    struct place source = *place;
    uint64_t bytes = 0, offset = 0;
    if (json_is_array(place->value) && json_array_size(place->value) == 1)
        source = place_entry(place, 0);
    else if (json_is_array(place->value))
        return place_error(place, error, "expected one resource: no operator here has arrays of tensors");
    if (!json_is_object(source.value))
        return find_buffer(model, &source, NULL, &out->buffer, error);
    int result = find_buffer(model, &source, "name", &out->buffer, error);
    if (result == 0)
        result = read_size(&source, "elementOffset", &offset, error);
    if (result == 0)
        result = read_size(&source, "elementSizeInBytes", &bytes, error);
    if (result == 0 && bytes == 0)
        bytes = datatype_of(model->buffers[out->buffer].type)->bits / 8;
    if (result == 0 && __builtin_mul_overflow(offset, bytes, &out->offset))
        result = place_error(&source, error, "its offset makes no sense");
    return result;
}

static int check_binding(const struct model *model, const struct model_dispatchable *d, int field,
                         const struct place *place, const struct model_binding *b, struct error *error)
{
    const struct model_buffer *buffer = &model->buffers[b->buffer];
    const struct opdesc_tensor *t = &d->desc.fields[field].tensor;
    uint64_t left = b->offset < buffer->size ? buffer->size - b->offset : 0;
    uint32_t alignment = t->alignment > 16 ? t->alignment : 16;
    if (t->flags & DML_TENSOR_FLAG_OWNED_BY_DML)
        return place_error(place, error,
                           "a tensor that is OWNED_BY_DML is bound at initialisation, which is not done here");
    if (t->present && left < t->total)
        return place_error(place, error, "'%s' has %llu bytes from byte %llu on, %s needs %llu", buffer->name,
                           (unsigned long long)left, (unsigned long long)b->offset, d->spec->fields[field].name,
                           (unsigned long long)t->total);
    if (b->offset % alignment)
        return place_error(place, error, "byte %llu: expected an offset that is a multiple of %u",
                           (unsigned long long)b->offset, alignment);
    return 0;
}

/* An output shares memory with nothing. */
static int check_sharing(const struct model_dispatchable *d, const struct model_command *command,
                         const struct place *place, struct error *error)
{
    for (int i = 0; i < d->spec->field_count; i++)
        for (int j = 0; j < d->spec->field_count; j++) {
            const struct model_binding *a = &command->bindings[i], *b = &command->bindings[j];
            if (i == j || d->spec->fields[i].kind != FIELD_OUTPUT || a->buffer < 0 || a->buffer != b->buffer)
                continue;
            if (a->offset < b->offset + d->desc.fields[j].tensor.total &&
                b->offset < a->offset + d->desc.fields[i].tensor.total)
                return place_error(place, error, "%s shares memory with %s, which no device here is given",
                                   d->spec->fields[i].name, d->spec->fields[j].name);
        }
    return 0;
}

static int read_bindings(const struct model *model, const struct place *place, struct model_command *command,
                         struct error *error)
{
    const struct model_dispatchable *d = &model->dispatchables[command->dispatchable];
    struct place bindings = place_member(place, "bindings");
    const char *known[OPDESC_MAX_FIELDS + 1] = {NULL};
    int result = place_object(&bindings, error), count = 0;
    for (int i = 0; i < d->spec->field_count; i++)
        if (d->spec->fields[i].kind != FIELD_UINT)
            known[count++] = d->spec->fields[i].name;
    if (result == 0)
        result = place_known(&bindings, known, error);
    for (int i = 0; i < d->spec->field_count && result == 0; i++) {
        struct place binding = place_member(&bindings, d->spec->fields[i].name);
        command->bindings[i].buffer = -1;
        if (d->spec->fields[i].kind == FIELD_UINT)
            continue;
        if (!binding.value && !d->desc.fields[i].tensor.present)
            continue;
        if (!binding.value)
            return place_error(&binding, error, "nothing is bound to the tensor");
        result = read_binding(model, &binding, &command->bindings[i], error);
        if (result == 0)
            result = check_binding(model, d, i, &binding, &command->bindings[i], error);
    }
    return result ? result : check_sharing(d, command, &bindings, error);
}

static int read_dispatch(const struct model *model, const struct place *place, struct model_command *command,
                         struct error *error)
{
    struct place member = place_member(place, "dispatchable");
    const char *name;
    int result = place_text(&member, &name, error), i = 0;
    if (result)
        return result;
    while (i < model->dispatchable_count && strcmp(model->dispatchables[i].name, name) != 0)
        i++;
    if (i == model->dispatchable_count)
        return place_error(&member, error, "no dispatchable is named '%s'", name);
    command->dispatchable = i;
    return read_bindings(model, place, command, error);
}

static int read_print(const struct model *model, const struct place *place, struct model_command *command,
                      struct error *error)
{
    struct place verbose = place_member(place, "verbose");
    int result = find_buffer(model, place, "resource", &command->buffer, error);
    if (result == 0 && verbose.value && !json_is_boolean(verbose.value))
        result = place_error(&verbose, error, "expected true or false");
    command->verbose = json_is_true(verbose.value);
    if (result == 0 && datatype_of(model->buffers[command->buffer].type)->bits < 8)
        result = place_error(place, error, "values of several types cannot be printed");
    return result;
}

static bool is_image(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcasecmp(dot, ".png") == 0 || strcasecmp(dot, ".jpg") == 0);
}

static int read_write(struct model *model, const struct place *place, struct model_command *command,
                      struct error *error)
{
    struct place path = place_member(place, "targetPath"), dimensions = place_member(place, "dimensions");
    const char *text = NULL;
    uint64_t bytes;
    int result = find_buffer(model, place, "resource", &command->buffer, error);
    if (result == 0)
        result = place_text(&path, &text, error);
    if (result == 0 && is_image(text))
        result = place_error(&path, error, "images are not written here: write .npy");
    if (result == 0 && dimensions.value)
        result = place_array(&dimensions, error);
    if (result)
        return result;
    command->path = pool_string(&model->pool, text);
    command->dims = (uint32_t)json_array_size(dimensions.value);
    if (command->dims > sizeof command->sizes / sizeof *command->sizes)
        return place_error(&dimensions, error, "expected at most 32 dimensions");
    bytes = datatype_of(model->buffers[command->buffer].type)->bits / 8;
    for (uint32_t i = 0; i < command->dims && result == 0; i++) {
        struct place entry = place_entry(&dimensions, i);
        int64_t size = 0;
        result = place_integer(&entry, 1, UINT32_MAX, &size, error);
        command->sizes[i] = (uint32_t)size;
        if (__builtin_mul_overflow(bytes, (uint64_t)size, &bytes))
            bytes = UINT64_MAX;
    }
    if (result == 0 && command->dims > 0 && bytes > model->buffers[command->buffer].size)
        result =
            place_error(&dimensions, error, "'%s' has fewer elements than that", model->buffers[command->buffer].name);
    return result;
}

static int read_command(struct model *model, const struct place *place, struct model_command *command,
                        struct error *error)
{
    struct place type = place_member(place, "type");
    const char *name;
    int result = place_object(place, error);
    if (result == 0)
        result = place_text(&type, &name, error);
    if (result)
        return result;
    if (strcasecmp(name, "dispatch") == 0) {
        command->kind = MODEL_DISPATCH;
        return read_dispatch(model, place, command, error);
    }
    if (strcasecmp(name, "print") == 0) {
        command->kind = MODEL_PRINT;
        return read_print(model, place, command, error);
    }
    if (strcasecmp(name, "writeFile") == 0) {
        command->kind = MODEL_WRITE;
        return read_write(model, place, command, error);
    }
    return place_error(&type, error, "no command is named '%s'; there are dispatch, print and writeFile", name);
}

/* ---- all of it */

static int read_resources(struct model *model, const struct place *all, struct error *error)
{
    const char *name;
    json_t *value;
    int result = place_object(all, error);
    model->buffers = pool_alloc(&model->pool, (json_object_size(all->value) + 1) * sizeof *model->buffers);
    json_object_foreach((json_t *)(uintptr_t)all->value, name, value)
    {
        struct place place = place_member(all, name);
        struct model_buffer *buffer = &model->buffers[model->buffer_count];
        if (result)
            break;
        result = read_buffer(&place, buffer, error);
        buffer->name = pool_string(&model->pool, name);
        model->buffer_count++;
    }
    return result;
}

static int read_dispatchables(struct model *model, const struct place *all, const struct spec_set *specs,
                              struct error *error)
{
    const char *name;
    json_t *value;
    int result = place_object(all, error);
    model->dispatchables = pool_alloc(&model->pool, (json_object_size(all->value) + 1) * sizeof *model->dispatchables);
    json_object_foreach((json_t *)(uintptr_t)all->value, name, value)
    {
        struct place place = place_member(all, name);
        struct model_dispatchable *d = &model->dispatchables[model->dispatchable_count];
        if (result)
            break;
        result = read_dispatchable(&place, specs, d, error);
        d->name = pool_string(&model->pool, name);
        model->dispatchable_count++;
    }
    return result;
}

static int read_commands(struct model *model, const struct place *all, struct error *error)
{
    int result = place_array(all, error);
    model->commands = pool_alloc(&model->pool, (json_array_size(all->value) + 1) * sizeof *model->commands);
    for (size_t i = 0; i < json_array_size(all->value) && result == 0; i++) {
        struct place place = place_entry(all, i);
        result = read_command(model, &place, &model->commands[model->command_count++], error);
    }
    return result;
}

int model_load(struct model *model, const char *file, const struct spec_set *specs, struct error *error)
{
    struct place root;
    *model = (struct model){.file = file};
    int result = place_open(file, true, &root, error);
    if (result)
        return result;
    struct place resources = place_member(&root, "resources"), dispatchables = place_member(&root, "dispatchables"),
                 commands = place_member(&root, "commands");
    result = read_resources(model, &resources, error);
    if (result == 0)
        result = read_dispatchables(model, &dispatchables, specs, error);
    if (result == 0)
        result = read_commands(model, &commands, error);
    place_close(&root);
    return result;
}

void model_free(struct model *model)
{
    for (int i = 0; i < model->buffer_count; i++)
        free(model->buffers[i].initial);
    pool_clear(&model->pool);
}
