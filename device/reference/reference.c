/* reference.c: the functions of device.h. */
#include "device/common/pool.h"
#include "device/device.h"
#include "device/reference/kernel.h"
#include "device/reference/parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 256 };

struct assay_device {
    DML_FEATURE_LEVEL level;
    uint32_t threads;
    struct pool *pool; /* null: one thread computes everything */
    /* The objects that were destroyed last, kept for the next ones: both are large, and a search makes a million of
     * each a second. */
    assay_operator *spare_operator;
    assay_compiled *spare_compiled;
    int rejects; /* the last call that failed rejected a description: message() makes its text from `why` */
    struct rejection why;
    char message[512];
};

struct assay_operator {
    struct descriptor descriptor;
};

/* The share of one thread. */
struct part {
    struct kernel kernel;
    uint64_t inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS]; /* bytes of the tensors before the part */
};

struct assay_compiled {
    uint32_t input_count, output_count;
    uint64_t input_bytes[DESCRIPTOR_MAX_INPUTS], output_bytes[DESCRIPTOR_MAX_OUTPUTS];
    struct kernel kernel; /* computes the whole operator */
    uint32_t part_count;
    struct part *parts; /* null: one thread computes the operator */
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

__attribute__((format(printf, 3, 4))) static HRESULT reference_fail(assay_device *device, HRESULT result,
                                                                    const char *format, ...)
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

static int find_level(const char *text, size_t length, DML_FEATURE_LEVEL *level)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        if (same_text(text, length, levels[i].name)) {
            *level = levels[i].level;
            return 1;
        }
    return 0;
}

static int read_threads(const char *text, size_t length, uint32_t *threads)
{
    uint32_t number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || number > MAX_THREADS)
            return 0;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    *threads = number;
    return number >= 1 && number <= MAX_THREADS;
}

/* Reads one `key=value` of the arguments. */
static HRESULT reference_read_argument(assay_device *device, const char *text, size_t length)
{
    const char *equals = memchr(text, '=', length);
    size_t key_length = equals ? (size_t)(equals - text) : length;
    size_t value_length = equals ? length - key_length - 1 : 0;
    int shown = (int)(length < 64 ? length : 64);

    if (equals && same_text(text, key_length, "level")) {
        if (find_level(equals + 1, value_length, &device->level))
            return S_OK;
        return reference_fail(device, E_INVALIDARG,
                              "\"%.*s\" is not a feature level; these are: 1_0, 2_0, 2_1, 3_0, 3_1, 4_0, 4_1, 5_0, "
                              "5_1, 5_2, 6_0, 6_1, 6_2, 6_3, 6_4",
                              shown, text);
    }
    if (equals && same_text(text, key_length, "threads")) {
        if (read_threads(equals + 1, value_length, &device->threads))
            return S_OK;
        return reference_fail(device, E_INVALIDARG, "the option threads needs a number from 1 to %d, not \"%.*s\"",
                              MAX_THREADS, (int)(value_length < 64 ? value_length : 64), equals + 1);
    }
    return reference_fail(device, E_INVALIDARG,
                          "the reference device has no option \"%.*s\"; the options are level and threads", shown,
                          text);
}

static HRESULT reference_read_arguments(assay_device *device, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, ",");
        HRESULT result = reference_read_argument(device, text, length);
        if (FAILED(result))
            return result;
        text += length + (text[length] == ',');
    }
    return S_OK;
}

static HRESULT reference_create_device(const assay_device_config *config, assay_device **out, char *message,
                                       size_t message_size)
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
    device->threads = 1;
    if (config && config->size >= offsetof(assay_device_config, arguments) + sizeof config->arguments &&
        config->arguments)
        arguments = config->arguments;
    result = reference_read_arguments(device, arguments);
    if (SUCCEEDED(result) && device->threads > 1) {
        device->pool = pool_new(device->threads);
        if (!device->pool)
            result = reference_fail(device, E_OUTOFMEMORY, "%u threads cannot be started", device->threads);
    }
    if (FAILED(result)) {
        if (message)
            snprintf(message, message_size, "%s", device->message);
        free(device);
        return result;
    }
    *out = device;
    return S_OK;
}

static void reference_destroy_device(assay_device *device)
{
    if (!device)
        return;
    pool_free(device->pool);
    free(device->spare_operator);
    free(device->spare_compiled);
    free(device);
}

static HRESULT reference_describe(assay_device *device, assay_device_info *info)
{
    assay_device_info mine = {.feature_level = device->level, .name = "reference", .version = "1", .max_batch = 128};

    mine.size = info->size;
    memcpy(info, &mine, info->size < sizeof mine ? info->size : sizeof mine);
    return S_OK;
}

static BOOL reference_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device;
    return descriptor_element_bits(type) != 0;
}

static BOOL reference_supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    (void)device;
    return kernel_computes(type);
}

static HRESULT reference_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    assay_operator *op = device->spare_operator;
    HRESULT result;

    if (!out)
        return reference_fail(device, E_POINTER, "The pointer for the operator is null.");
    *out = NULL;
    if (!op)
        op = malloc(sizeof *op);
    if (!op)
        return reference_fail(device, E_OUTOFMEMORY, "No memory for the operator.");
    result = descriptor_validate(desc, device->level, kernel_computes, &op->descriptor, &device->why);
    device->rejects |= FAILED(result);
    device->spare_operator = SUCCEEDED(result) ? NULL : op;
    *out = SUCCEEDED(result) ? op : NULL;
    return result;
}

static void reference_destroy_operator(assay_device *device, assay_operator *op)
{
    if (op && !device->spare_operator)
        device->spare_operator = op;
    else
        free(op);
}

/* Returns true if an item is worth several threads: fewer bytes are computed before another thread has begun. */
static int is_large(const assay_compiled *compiled)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < compiled->input_count; i++)
        bytes += compiled->input_bytes[i];
    for (uint32_t i = 0; i < compiled->output_count; i++)
        bytes += compiled->output_bytes[i];
    return bytes >= 1 << 20;
}

/* Divides an operator among the threads. Without memory for parts, one thread computes it. */
static void divide_among_threads(assay_compiled *compiled, const struct descriptor *descriptor, uint32_t threads)
{
    struct parts_cut cut;
    parts_cut(descriptor, threads, &cut);
    if (cut.size < 2)
        return;
    compiled->part_count = cut.size < threads ? cut.size : threads;
    compiled->parts = malloc(compiled->part_count * sizeof *compiled->parts);
    struct parts_part *taken = malloc(sizeof *taken);
    for (uint32_t i = 0; compiled->parts && taken && i < compiled->part_count; i++) {
        struct part *part = &compiled->parts[i];
        parts_take(descriptor, &cut, i, compiled->part_count, taken);
        kernel_init(&part->kernel, &taken->descriptor);
        memcpy(part->inputs, taken->inputs, sizeof part->inputs);
        memcpy(part->outputs, taken->outputs, sizeof part->outputs);
    }
    if (!taken) {
        free(compiled->parts);
        compiled->parts = NULL;
    }
    free(taken);
}

static void compile_kernels(assay_compiled *compiled, const struct descriptor *descriptor, uint32_t threads)
{
    compiled->input_count = descriptor->input_count;
    compiled->output_count = descriptor->output_count;
    for (uint32_t i = 0; i < descriptor->input_count; i++)
        compiled->input_bytes[i] = descriptor->inputs[i].bytes;
    for (uint32_t i = 0; i < descriptor->output_count; i++)
        compiled->output_bytes[i] = descriptor->outputs[i].bytes;
    kernel_init(&compiled->kernel, descriptor);
    compiled->parts = NULL;
    if (threads > 1 && is_large(compiled))
        divide_among_threads(compiled, descriptor, threads);
}

static HRESULT reference_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                          assay_compiled **out)
{
    uint32_t known = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION | DML_EXECUTION_FLAG_DISABLE_META_COMMANDS |
                     DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;

    if (!out)
        return reference_fail(device, E_POINTER, "The pointer for the compiled operator is null.");
    *out = NULL;
    if (!op)
        return reference_fail(device, E_INVALIDARG, "The operator to compile is null.");
    if ((uint32_t)flags & ~known) /* the known flags change nothing in operators that only copy */
        return reference_fail(device, E_INVALIDARG, "Execution flags are 0x%x; only 0x%x are defined.", (unsigned)flags,
                              known);
    *out = device->spare_compiled ? device->spare_compiled : malloc(sizeof **out);
    if (!*out)
        return reference_fail(device, E_OUTOFMEMORY, "No memory for the compiled operator.");
    device->spare_compiled = NULL;
    compile_kernels(*out, &op->descriptor, device->threads);
    return S_OK;
}

static void reference_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    if (compiled)
        free(compiled->parts);
    if (compiled && !device->spare_compiled)
        device->spare_compiled = compiled;
    else
        free(compiled);
}

static HRESULT check_bindings(assay_device *device, const char *kind, const assay_binding *bindings, uint32_t count,
                              uint32_t expected, const uint64_t *bytes)
{
    if (count != expected || !bindings)
        return reference_fail(device, E_INVALIDARG, "There are %u %s bindings; the operator needs %u.",
                              bindings ? count : 0, kind, expected);
    for (uint32_t i = 0; i < count; i++) {
        if (bytes[i] == 0) /* an optional tensor that is absent */
            continue;
        if (!bindings[i].base)
            return reference_fail(device, E_INVALIDARG, "The binding of %s %u is null.", kind, i);
        if (bindings[i].size < bytes[i])
            return reference_fail(device, E_INVALIDARG, "The binding of %s %u has %llu bytes; the tensor has %llu.",
                                  kind, i, (unsigned long long)bindings[i].size, (unsigned long long)bytes[i]);
    }
    return S_OK;
}

static HRESULT check_item(assay_device *device, const assay_dispatch_item *item)
{
    const assay_compiled *compiled = item->compiled;
    HRESULT result;

    if (!compiled)
        return reference_fail(device, E_INVALIDARG, "The compiled operator to run is null.");
    result =
        check_bindings(device, "input", item->inputs, item->input_count, compiled->input_count, compiled->input_bytes);
    if (FAILED(result))
        return result;
    return check_bindings(device, "output", item->outputs, item->output_count, compiled->output_count,
                          compiled->output_bytes);
}

static void *reference_address(const assay_binding *binding, const uint64_t *before, uint32_t i)
{
    return (char *)binding->base + binding->offset + (before ? before[i] : 0);
}

/* Runs a kernel on an item. `inputs`, `outputs`: bytes of the tensors before the kernel's part; null: 0. */
static void run_kernel(const struct kernel *kernel, const assay_dispatch_item *item, const uint64_t *inputs,
                       const uint64_t *outputs)
{
    const assay_compiled *compiled = item->compiled;
    const void *in[DESCRIPTOR_MAX_INPUTS];
    void *out[DESCRIPTOR_MAX_OUTPUTS];
    for (uint32_t i = 0; i < compiled->input_count; i++)
        in[i] = compiled->input_bytes[i] > 0 ? reference_address(&item->inputs[i], inputs, i) : NULL;
    for (uint32_t i = 0; i < compiled->output_count; i++)
        out[i] = compiled->output_bytes[i] > 0 ? reference_address(&item->outputs[i], outputs, i) : NULL;
    kernel_run(kernel, in, out);
}

static void run_part(void *context, uint32_t number)
{
    const assay_dispatch_item *item = context;
    const struct part *part = &item->compiled->parts[number];
    run_kernel(&part->kernel, item, part->inputs, part->outputs);
}

static void reference_run_item(assay_device *device, const assay_dispatch_item *item)
{
    assay_dispatch_item copy = *item;
    if (item->compiled->parts)
        pool_run(device->pool, item->compiled->part_count, run_part, &copy);
    else
        run_kernel(&item->compiled->kernel, item, NULL, NULL);
}

static uint64_t reference_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Runs an item. Returns the nanoseconds that it took, at least 1: 0 means that there is no clock. */
static uint64_t run_timed(assay_device *device, const assay_dispatch_item *item)
{
    uint64_t start = reference_now();
    reference_run_item(device, item);
    uint64_t took = reference_now() - start;
    return took ? took : 1;
}

static HRESULT reference_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                  assay_dispatch_result *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (assay_dispatch_result){.status = check_item(device, &items[i])};
        if (FAILED(out[i].status)) {
            snprintf(out[i].message, sizeof out[i].message, "%.*s", (int)sizeof out[i].message - 1, device->message);
        } else {
            out[i].device_ns = run_timed(device, &items[i]);
        }
    }
    return S_OK;
}

/* Measures an item. Tensors are in the device's memory already, so nothing is moved; the device's clock is the
 * host's. */
static HRESULT reference_measure(assay_device *device, const assay_dispatch_item *item, assay_measurement *measurement)
{
    HRESULT result = check_item(device, item);
    uint64_t start = reference_now();
    for (uint32_t i = 0; i < measurement->count && SUCCEEDED(result); i++)
        measurement->device_ns[i] = run_timed(device, item);
    measurement->host_ns = reference_now() - start;
    return result;
}

static const char *reference_message(assay_device *device)
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
        .create_device = reference_create_device,
        .destroy_device = reference_destroy_device,
        .describe = reference_describe,
        .supports_data_type = reference_supports_data_type,
        .create_operator = reference_create_operator,
        .destroy_operator = reference_destroy_operator,
        .compile_operator = reference_compile_operator,
        .destroy_compiled = reference_destroy_compiled,
        .dispatch = reference_dispatch,
        .message = reference_message,
        .supports_operator = reference_supports_operator,
        .measure = reference_measure,
    };
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
