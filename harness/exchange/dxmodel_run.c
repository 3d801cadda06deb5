/* Runs a DxDispatch model on a device. */
#include "harness/base/clock.h"
#include "harness/exchange/dxmodel.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/describe/marshal.h"
#include "harness/base/npy.h"
#include "harness/base/paths.h"
#include "harness/base/text.h"
#include "harness/trial/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 2, 3))) static void enter(const struct dxmodel_run *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->where, run->where_size, format, arguments);
    va_end(arguments);
    fflush(stdout); /* so that output is not lost if the process dies */
}

/* Reports that a call failed: "… CreateOperator returned E_INVALIDARG (0x80070057): message". `own`: the message of the
 * item that failed; null or "": the device's message is used. */
static int dxmodel_run_refuse(const struct dxmodel_run *run, const char *what, const char *name, const char *call,
                              HRESULT status, const char *own, struct error *error)
{
    char text[32];
    const char *message = own && *own ? own : run->device->api->message(run->device->device);
    return error_set(error, EXIT_FAILURES, "ERROR %s '%s': %s returned %s (0x%08x)%s%s", what, name, call,
                     dml_error_name(status, text), (unsigned)status, message && *message ? ": " : "",
                     message ? message : "");
}

/* The alignment in bytes of every buffer. */
static uint32_t dxmodel_run_alignment_of(const struct dxmodel *model)
{
    uint32_t max = 16;
    for (int i = 0; i < model->dispatchable_count; i++) {
        const struct dxmodel_dispatchable *d = &model->dispatchables[i];
        for (int f = 0; f < d->spec->field_count; f++)
            if (field_is_tensor(&d->spec->fields[f]) && OPDESC_TENSOR(&d->desc, f)->alignment > max)
                max = OPDESC_TENSOR(&d->desc, f)->alignment;
    }
    return max < ARENA_MAX_ALIGNMENT && (max & (max - 1)) == 0 ? max : ARENA_MAX_ALIGNMENT;
}

static int create_buffers(struct dxmodel *model, const struct dxmodel_run *run, struct error *error)
{
    for (int i = 0; i < model->buffer_count; i++) {
        struct dxmodel_buffer *b = &model->buffers[i];
        struct arena_request request = {
            .size = b->size, .alignment = dxmodel_run_alignment_of(model), .name = b->name, .input = false};
        if (!arena_take(run->arena, &request, &b->block))
            return error_set(error, EXIT_HARNESS, "no memory for the %llu bytes of '%s'", (unsigned long long)b->size,
                             b->name);
        memset(b->block.write, 0, b->size);
        memcpy(b->block.write + b->initial_offset, b->initial, b->initial_size);
    }
    return 0;
}

static int create_operators(struct dxmodel *model, const struct dxmodel_run *run, struct error *error)
{
    const struct plugin *p = run->device;
    for (int i = 0; i < model->dispatchable_count; i++) {
        struct dxmodel_dispatchable *d = &model->dispatchables[i];
        struct marshal m;
        enter(run, "creating dispatchable '%s'", d->name);
        marshal_desc(d->spec, &d->desc, &m);
        HRESULT status = p->api->create_operator(p->device, &m.op, &d->op);
        if (FAILED(status))
            return dxmodel_run_refuse(run, "creating dispatchable", d->name, "CreateOperator", status, NULL, error);
    }
    for (int i = 0; i < model->dispatchable_count; i++) {
        struct dxmodel_dispatchable *d = &model->dispatchables[i];
        enter(run, "initializing '%s'", d->name);
        HRESULT status = p->api->compile_operator(p->device, d->op, d->flags, &d->compiled);
        if (FAILED(status))
            return dxmodel_run_refuse(run, "while initializing", d->name, "CompileOperator", status, NULL, error);
    }
    return 0;
}

/* ---- dispatch */

static int dxmodel_run_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double median_ms(uint64_t *samples, uint64_t count)
{
    qsort(samples, count, sizeof *samples, dxmodel_run_by_value);
    return (double)samples[count / 2] * 1e-6;
}

static int check_bounds(const struct dxmodel *model, const struct dxmodel_dispatchable *d, struct error *error)
{
    int64_t where;
    for (int i = 0; i < model->buffer_count; i++)
        if (!arena_intact(&model->buffers[i].block, &where))
            return error_set(error, EXIT_FAILURES, "dispatchable '%s': the device wrote %s the buffer '%s'", d->name,
                             where < 0 ? "before the start of" : "past the end of", model->buffers[i].name);
    return 0;
}

static void dxmodel_run_bind(const struct dxmodel *model, const struct dxmodel_command *c, assay_binding *inputs,
                             assay_binding *outputs, assay_dispatch_item *item)
{
    const struct dxmodel_dispatchable *d = &model->dispatchables[c->dispatchable];
    *item = (assay_dispatch_item){.compiled = d->compiled, .inputs = inputs, .outputs = outputs};
    for (int i = -1; (i = spec_next_tensor(d->spec, &d->desc, i)) >= 0;) {
        const struct dxmodel_binding *from = &c->bindings[i];
        assay_binding binding = {0};
        if (from->buffer >= 0) {
            const struct dxmodel_buffer *b = &model->buffers[from->buffer];
            binding = (assay_binding){.base = b->block.write, .offset = from->offset, .size = b->size - from->offset};
        }
        if (field_is_input(spec_tensor_field(d->spec, i)))
            inputs[item->input_count++] = binding;
        else
            outputs[item->output_count++] = binding;
    }
}

static int dxmodel_run_dispatch(const struct dxmodel *model, const struct dxmodel_run *run,
                                const struct dxmodel_command *c, struct error *error)
{
    const struct dxmodel_dispatchable *d = &model->dispatchables[c->dispatchable];
    const struct plugin *p = run->device;
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
    assay_dispatch_item item;
    uint64_t *host = calloc(run->iterations * 2, sizeof *host), *device = host + run->iterations;
    int result = host ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    dxmodel_run_bind(model, c, inputs, outputs, &item);
    for (uint64_t i = 0; i < run->iterations && result == 0; i++) {
        assay_dispatch_result done = {.status = E_FAIL};
        uint64_t start = clock_ns();
        HRESULT status = p->api->dispatch(p->device, &item, 1, &done);
        host[i] = clock_ns() - start;
        device[i] = done.device_ns;
        status = FAILED(status) ? status : done.status;
        done.message[sizeof done.message - 1] = '\0';
        if (FAILED(status))
            result = dxmodel_run_refuse(run, "dispatching", d->name, "dispatch", status, done.message, error);
        else
            result = check_bounds(model, d, error);
    }
    if (result == 0) {
        double on_device = median_ms(device, run->iterations);
        fprintf(run->out, "Dispatch '%s': %llu iterations, %.4f ms median (CPU)", d->name,
                (unsigned long long)run->iterations, median_ms(host, run->iterations));
        if (on_device > 0)
            fprintf(run->out, ", %.6f ms median (GPU)", on_device);
        fprintf(run->out, "\n");
    }
    free(host);
    return result;
}

/* ---- files */

static bool is_npy(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".npy") == 0;
}

static int dxmodel_run_write_file(const struct dxmodel *model, const struct dxmodel_run *run,
                                  const struct dxmodel_command *c, struct error *error)
{
    const struct dxmodel_buffer *b = &model->buffers[c->buffer];
    unsigned type = npy_type_of(b->type), width = datatype_of(type)->bits;
    uint32_t count = width ? (uint32_t)(b->size / elements_bytes(width, 1)) : 0;
    if (is_npy(c->path) && !width)
        return error_set(error, EXIT_HARNESS,
                         "writeFile: '%s' has values of several types, which a .npy file cannot hold", b->name);
    int wrong = ftruncate(c->spool, 0) != 0 || lseek(c->spool, 0, SEEK_SET) != 0;
    const uint32_t dims = c->dims ? c->dims : 1, *sizes = c->dims ? c->sizes : &count;
    if (!wrong && is_npy(c->path))
        wrong = npy_write(c->spool, type, dims, sizes, b->block.write, b->size);
    else if (!wrong)
        wrong = npy_store(c->spool, b->block.write, b->size);
    if (wrong)
        return error_set(error, EXIT_HARNESS, "writeFile: %s/%s: %m", run->folder, c->path);
    fprintf(run->out, "Resource '%s' written to '%s/%s'\n", b->name, run->folder, c->path);
    return 0;
}

/* ---- the model */

int dxmodel_execute(struct dxmodel *model, const struct dxmodel_run *run, struct error *error)
{
    static const char *const kinds[] = {"dispatch", "print", "writeFile"};
    const char *name = run->device->info.name;
    fputs("Running on '", run->out);
    text_print(run->out, name);
    fputs("'\n", run->out);
    int result = create_buffers(model, run, error);
    if (result == 0)
        result = create_operators(model, run, error);
    for (int i = 0; i < model->command_count && result == 0; i++) {
        const struct dxmodel_command *c = &model->commands[i];
        enter(run, "commands[%d] (%s)", i, kinds[c->kind]);
        if (c->kind == DXMODEL_DISPATCH)
            result = dxmodel_run_dispatch(model, run, c, error);
        else if (c->kind == DXMODEL_PRINT)
            dxmodel_print(run->out, &model->buffers[c->buffer], model->buffers[c->buffer].block.write, c->verbose);
        else
            result = dxmodel_run_write_file(model, run, c, error);
    }
    enter(run, "closing the device");
    for (int i = 0; i < model->dispatchable_count; i++) {
        run->device->api->destroy_compiled(run->device->device, model->dispatchables[i].compiled);
        run->device->api->destroy_operator(run->device->device, model->dispatchables[i].op);
    }
    return result;
}
