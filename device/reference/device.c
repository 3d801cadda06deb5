/* device.c: the functions of device.h. */
#include "device/device.h"
#include "device/reference/fold.h"
#include "device/reference/gather.h"
#include "device/reference/map.h"
#include "device/reference/move.h"
#include "device/reference/nonzero.h"
#include "device/reference/normalise.h"
#include "device/reference/pick.h"
#include "device/reference/quantise.h"
#include "device/reference/response.h"
#include "device/reference/scatter.h"
#include "device/reference/softmax.h"
#include "device/reference/stream.h"
#include "device/reference/unfold.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct assay_device {
    DML_FEATURE_LEVEL level;
    /* What was destroyed last, kept for the next one: both are large, and a search makes a million of each a second. */
    assay_operator *spare_operator;
    assay_compiled *spare_compiled;
    int rejects; /* the last call that failed rejected a description: `why` says what message() returns */
    struct rejection why;
    char message[512];
};

struct assay_operator {
    struct descriptor descriptor;
};

struct assay_compiled {
    DML_OPERATOR_TYPE type;
    uint32_t input_count, output_count;
    uint64_t input_bytes[DESCRIPTOR_MAX_INPUTS], output_bytes[DESCRIPTOR_MAX_OUTPUTS];
    union {
        struct gather gather;
        struct scatter scatter;
        struct nonzero nonzero;
        struct map map;
        struct quantise quantise;
        struct fold fold;
        struct softmax softmax;
        struct descriptor move;
        struct descriptor picked;
        struct descriptor unfold;
        struct descriptor response;
    };
};

static const struct {
    const char *name;
    DML_FEATURE_LEVEL level;
} levels[] = {
    {"1_0", DML_FEATURE_LEVEL_1_0}, {"2_0", DML_FEATURE_LEVEL_2_0}, {"2_1", DML_FEATURE_LEVEL_2_1},
    {"3_0", DML_FEATURE_LEVEL_3_0}, {"3_1", DML_FEATURE_LEVEL_3_1}, {"4_0", DML_FEATURE_LEVEL_4_0},
    {"4_1", DML_FEATURE_LEVEL_4_1}, {"5_0", DML_FEATURE_LEVEL_5_0}, {"5_1", DML_FEATURE_LEVEL_5_1},
    {"5_2", DML_FEATURE_LEVEL_5_2}, {"6_0", DML_FEATURE_LEVEL_6_0}, {"6_1", DML_FEATURE_LEVEL_6_1},
    {"6_2", DML_FEATURE_LEVEL_6_2}, {"6_3", DML_FEATURE_LEVEL_6_3}, {"6_4", DML_FEATURE_LEVEL_6_4},
};

__attribute__((format(printf, 3, 4))) static HRESULT fail(assay_device *device, HRESULT result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->message, sizeof device->message, format, arguments);
    va_end(arguments);
    device->rejects = 0;
    return result;
}

static int same_text(const char *text, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(text, other, length) == 0;
}

/* Reads one `key=value` of the arguments. */
static HRESULT read_argument(assay_device *device, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t key_length = equals ? (size_t)(equals - text) : length;
    int shown = (int)(length < 64 ? length : 64);

    if (!same_text(text, key_length, "level") || !equals)
        return fail(device, E_INVALIDARG, "the reference device has no option \"%.*s\"; its only option is level=LEVEL",
                    shown, text);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (same_text(equals + 1, length - key_length - 1, levels[i].name)) {
            device->level = levels[i].level;
            return S_OK;
        }
    return fail(device, E_INVALIDARG,
                "\"%.*s\" is not a feature level; these are: 1_0, 2_0, 2_1, 3_0, 3_1, 4_0, 4_1, 5_0, 5_1, 5_2, 6_0, "
                "6_1, 6_2, 6_3, 6_4",
                shown, text);
}

static HRESULT read_arguments(assay_device *device, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, ",");
        HRESULT result = read_argument(device, text, length);
        if (FAILED(result))
            return result;
        text += length + (text[length] == ',');
    }
    return S_OK;
}

static HRESULT create_device(const assay_device_config *config, assay_device **out, char *message, size_t message_size)
{
    const char *arguments = "";
    assay_device *device;
    HRESULT result;

    if (message && message_size)
        message[0] = 0;
    if (!out)
        return E_POINTER;
    *out = NULL;
    device = calloc(1, sizeof *device);
    if (!device)
        return E_OUTOFMEMORY;
    device->level = DML_FEATURE_LEVEL_6_4;
    if (config && config->size >= offsetof(assay_device_config, arguments) + sizeof config->arguments &&
        config->arguments)
        arguments = config->arguments;
    result = read_arguments(device, arguments);
    if (FAILED(result)) {
        if (message)
            snprintf(message, message_size, "%s", device->message);
        free(device);
        return result;
    }
    *out = device;
    return S_OK;
}

static void destroy_device(assay_device *device)
{
    if (!device)
        return;
    free(device->spare_operator);
    free(device->spare_compiled);
    free(device);
}

static HRESULT describe(assay_device *device, assay_device_info *info)
{
    assay_device_info mine = {.feature_level = device->level, .name = "reference", .version = "1", .max_batch = 64};

    mine.size = info->size;
    memcpy(info, &mine, info->size < sizeof mine ? info->size : sizeof mine);
    return S_OK;
}

static BOOL supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device;
    return descriptor_element_bits(type) != 0;
}

static int computes(DML_OPERATOR_TYPE type)
{
    return descriptor_is_indexed(type) || descriptor_is_move(type) || map_kernel_of(type) || quantise_kernel_of(type) ||
           fold_computes(type) || softmax_computes(type) || unfold_computes(type) || pick_kernel_of(type) ||
           normalise_kernel_of(type) || response_kernel_of(type);
}

static BOOL supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    (void)device;
    return computes(type);
}

static HRESULT create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    assay_operator *op = device->spare_operator;
    HRESULT result;

    if (!out)
        return fail(device, E_POINTER, "The pointer for the operator is null.");
    *out = NULL;
    if (!op)
        op = malloc(sizeof *op);
    if (!op)
        return fail(device, E_OUTOFMEMORY, "No memory for the operator.");
    result = descriptor_validate(desc, device->level, computes, &op->descriptor, &device->why);
    device->rejects |= FAILED(result);
    device->spare_operator = SUCCEEDED(result) ? NULL : op;
    *out = SUCCEEDED(result) ? op : NULL;
    return result;
}

static void destroy_operator(assay_device *device, assay_operator *op)
{
    if (op && !device->spare_operator)
        device->spare_operator = op;
    else
        free(op);
}

static void compile(assay_compiled *compiled, const struct descriptor *descriptor)
{
    compiled->type = descriptor->type;
    compiled->input_count = descriptor->input_count;
    compiled->output_count = descriptor->output_count;
    for (uint32_t i = 0; i < descriptor->input_count; i++)
        compiled->input_bytes[i] = descriptor->inputs[i].bytes;
    for (uint32_t i = 0; i < descriptor->output_count; i++)
        compiled->output_bytes[i] = descriptor->outputs[i].bytes;

    if (map_kernel_of(descriptor->type))
        map_init(&compiled->map, descriptor);
    else if (quantise_kernel_of(descriptor->type))
        quantise_init(&compiled->quantise, descriptor);
    else if (fold_computes(descriptor->type))
        fold_init(&compiled->fold, descriptor);
    else if (softmax_computes(descriptor->type))
        softmax_init(&compiled->softmax, descriptor);
    else if (descriptor_is_move(descriptor->type))
        descriptor_copy(&compiled->move, descriptor);
    else if (unfold_computes(descriptor->type))
        descriptor_copy(&compiled->unfold, descriptor);
    else if (pick_kernel_of(descriptor->type) || normalise_kernel_of(descriptor->type))
        descriptor_copy(&compiled->picked, descriptor);
    else if (response_kernel_of(descriptor->type))
        descriptor_copy(&compiled->response, descriptor);
    else if (descriptor->type == DML_OPERATOR_NONZERO_COORDINATES)
        nonzero_init(&compiled->nonzero, descriptor);
    else if (descriptor->type == DML_OPERATOR_SCATTER_ELEMENTS || descriptor->type == DML_OPERATOR_SCATTER_ND)
        scatter_init(&compiled->scatter, descriptor);
    else
        gather_init(&compiled->gather, descriptor);
}

static HRESULT compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                assay_compiled **out)
{
    uint32_t known = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION | DML_EXECUTION_FLAG_DISABLE_META_COMMANDS |
                     DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;

    if (!out)
        return fail(device, E_POINTER, "The pointer for the compiled operator is null.");
    *out = NULL;
    if (!op)
        return fail(device, E_INVALIDARG, "The operator to compile is null.");
    if ((uint32_t)flags & ~known) /* the known flags change nothing in operators that only copy */
        return fail(device, E_INVALIDARG, "Execution flags are 0x%x; only 0x%x are defined.", (unsigned)flags, known);
    *out = device->spare_compiled ? device->spare_compiled : malloc(sizeof **out);
    if (!*out)
        return fail(device, E_OUTOFMEMORY, "No memory for the compiled operator.");
    device->spare_compiled = NULL;
    compile(*out, &op->descriptor);
    return S_OK;
}

static void destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    if (compiled && !device->spare_compiled)
        device->spare_compiled = compiled;
    else
        free(compiled);
}

static HRESULT check_bindings(assay_device *device, const char *kind, const assay_binding *bindings, uint32_t count,
                              uint32_t expected, const uint64_t *bytes)
{
    if (count != expected || !bindings)
        return fail(device, E_INVALIDARG, "There are %u %s bindings; the operator needs %u.", bindings ? count : 0,
                    kind, expected);
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == 0) /* an optional tensor that is absent */
            continue;
        if (!bindings[i].base)
            return fail(device, E_INVALIDARG, "The binding of %s %u is null.", kind, i);
        if (bindings[i].size < bytes[i])
            return fail(device, E_INVALIDARG, "The binding of %s %u has %llu bytes; the tensor has %llu.", kind, i,
                        (unsigned long long)bindings[i].size, (unsigned long long)bytes[i]);
    }
    return S_OK;
}

static HRESULT check_item(assay_device *device, const assay_dispatch_item *item)
{
    const assay_compiled *compiled = item->compiled;
    HRESULT result;

    if (!compiled)
        return fail(device, E_INVALIDARG, "The compiled operator to run is null.");
    result =
        check_bindings(device, "input", item->inputs, item->input_count, compiled->input_count, compiled->input_bytes);
    if (FAILED(result))
        return result;
    return check_bindings(device, "output", item->outputs, item->output_count, compiled->output_count,
                          compiled->output_bytes);
}

static void *address(const assay_binding *binding)
{
    return (char *)binding->base + binding->offset;
}

static void run_map(const struct map *map, const assay_binding *in, const assay_binding *out)
{
    const void *inputs[MAP_MAX_INPUTS] = {NULL};
    for (uint32_t i = 0; i < map->input_count; i++)
        inputs[i] = address(&in[i]);
    map_run(map, inputs, address(out));
}

static void run_quantise(const struct quantise *quantise, const assay_binding *in, const assay_binding *out)
{
    const void *inputs[DESCRIPTOR_MAX_INPUTS] = {NULL};
    void *outputs[DESCRIPTOR_MAX_OUTPUTS] = {NULL};
    for (uint32_t i = 0; i < quantise->input_count; i++)
        inputs[i] = quantise->inputs[i].rank > 0 ? address(&in[i]) : NULL;
    for (uint32_t i = 0; i < quantise->output_count; i++)
        outputs[i] = address(&out[i]);
    quantise_run(quantise, inputs, outputs);
}

static void run_move(const struct descriptor *move, const assay_binding *in, const assay_binding *out)
{
    const void *inputs[DESCRIPTOR_MAX_INPUTS] = {NULL};
    void *outputs[DESCRIPTOR_MAX_OUTPUTS] = {NULL};
    for (uint32_t i = 0; i < move->input_count; i++)
        inputs[i] = address(&in[i]);
    for (uint32_t i = 0; i < move->output_count; i++)
        outputs[i] = address(&out[i]);
    move_run(move, inputs, outputs);
}

static void run_picked(const struct descriptor *picked, const assay_binding *in, const assay_binding *out)
{
    const char *inputs[DESCRIPTOR_MAX_INPUTS] = {NULL};
    char *outputs[DESCRIPTOR_MAX_OUTPUTS] = {NULL};
    for (uint32_t i = 0; i < picked->input_count; i++)
        inputs[i] = picked->inputs[i].rank > 0 ? address(&in[i]) : NULL;
    for (uint32_t i = 0; i < picked->output_count; i++)
        outputs[i] = picked->outputs[i].rank > 0 ? address(&out[i]) : NULL;
    if (pick_kernel_of(picked->type))
        pick_kernel_of(picked->type)(picked, inputs, outputs);
    else
        normalise_kernel_of(picked->type)(picked, inputs, outputs);
}

static void run_response(const struct descriptor *response, const assay_binding *in, const assay_binding *out)
{
    const char *inputs[DESCRIPTOR_MAX_INPUTS] = {NULL};
    for (uint32_t i = 0; i < response->input_count; i++)
        inputs[i] = address(&in[i]);
    response_kernel_of(response->type)(response, inputs, address(&out[0]));
}

static void run_item(const assay_dispatch_item *item)
{
    const assay_compiled *compiled = item->compiled;
    const assay_binding *in = item->inputs, *out = item->outputs;

    if (map_kernel_of(compiled->type))
        run_map(&compiled->map, in, &out[0]);
    else if (quantise_kernel_of(compiled->type))
        run_quantise(&compiled->quantise, in, out);
    else if (fold_computes(compiled->type))
        fold_run(&compiled->fold, address(&in[0]), address(&out[0]));
    else if (softmax_computes(compiled->type))
        softmax_run(&compiled->softmax, address(&in[0]), address(&out[0]));
    else if (descriptor_is_move(compiled->type))
        run_move(&compiled->move, in, out);
    else if (unfold_computes(compiled->type))
        unfold_run(&compiled->unfold, address(&in[0]), address(&out[0]));
    else if (pick_kernel_of(compiled->type) || normalise_kernel_of(compiled->type))
        run_picked(&compiled->picked, in, out);
    else if (response_kernel_of(compiled->type))
        run_response(&compiled->response, in, out);
    else if (compiled->type == DML_OPERATOR_NONZERO_COORDINATES)
        nonzero_run(&compiled->nonzero, address(&in[0]), address(&out[0]), address(&out[1]));
    else if (compiled->type == DML_OPERATOR_SCATTER_ELEMENTS || compiled->type == DML_OPERATOR_SCATTER_ND)
        scatter_run(&compiled->scatter, address(&in[0]), address(&in[1]), address(&in[2]), address(&out[0]));
    else
        gather_run(&compiled->gather, address(&in[0]), address(&in[1]), address(&out[0]));
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Runs an item. Returns the nanoseconds that it took, which are not 0: that means that there is no clock. */
static uint64_t run_timed(const assay_dispatch_item *item)
{
    uint64_t start = now();
    run_item(item);
    stream_end();
    uint64_t took = now() - start;
    return took ? took : 1;
}

static HRESULT dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (assay_dispatch_result){.status = check_item(device, &items[i])};
        if (FAILED(out[i].status)) {
            snprintf(out[i].message, sizeof out[i].message, "%.*s", (int)sizeof out[i].message - 1, device->message);
        } else {
            out[i].device_ns = run_timed(&items[i]);
        }
    }
    return S_OK;
}

/* Tensors are where the device computes, so nothing is moved; its clock is the host's. */
static HRESULT measure(assay_device *device, const assay_dispatch_item *item, assay_measurement *measurement)
{
    HRESULT result = check_item(device, item);
    uint64_t start = now();
    for (uint32_t i = 0; i < measurement->count && SUCCEEDED(result); i++)
        measurement->device_ns[i] = run_timed(item);
    measurement->host_ns = now() - start;
    return result;
}

static const char *message(assay_device *device)
{
    if (device->rejects)
        descriptor_message(&device->why, device->message, sizeof device->message);
    return device->message;
}

const assay_device_api *assay_device_entry(uint32_t abi)
{
    static const assay_device_api api = {
        .abi = ASSAY_DEVICE_ABI,
        .size = sizeof(assay_device_api),
        .create_device = create_device,
        .destroy_device = destroy_device,
        .describe = describe,
        .supports_data_type = supports_data_type,
        .create_operator = create_operator,
        .destroy_operator = destroy_operator,
        .compile_operator = compile_operator,
        .destroy_compiled = destroy_compiled,
        .dispatch = dispatch,
        .message = message,
        .supports_operator = supports_operator,
        .measure = measure,
    };
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
