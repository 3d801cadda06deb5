/* bridge.c: the functions of device.h. */
#include "device/bridge/describe.h"
#include "device/bridge/message.h"
#include "device/bridge/bridge_options.h"
#include "device/common/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct assay_device {
    struct peer peer;
    struct message_hello hello;
    char message[640];
    struct peer_bytes *parts; /* parts of a request; kept for the next one */
    size_t part_room;         /* number of parts that there is room for */
    char *scratch;            /* memory for copies of tensors: the peer's, if it shares memory */
    size_t scratch_size;      /* bytes of it that are allocated here */
};

struct assay_operator {
    struct descriptor descriptor;
    json_t *json; /* the operator in the format of requests */
};

struct assay_compiled {
    struct descriptor descriptor;
    json_t *json;
};

static HRESULT lost(assay_device *device)
{
    snprintf(device->message, sizeof device->message, "%s", device->peer.problem);
    return DXGI_ERROR_DEVICE_REMOVED;
}

/* ---- the device */

static void bridge_destroy_device(assay_device *device)
{
    if (!device)
        return;
    peer_stop(&device->peer);
    free(device->parts);
    if (!device->hello.memory)
        free(device->scratch);
    free(device);
}

static int greet(assay_device *device)
{
    uint64_t data_size = 0;
    struct peer *peer = &device->peer;
    if (!message_send(peer, "hello", NULL, NULL, NULL, 0))
        return 0;
    json_t *answer = message_receive(peer, &data_size);
    if (!answer)
        return 0;
    int good = message_read_hello(peer, answer, &device->hello);
    json_decref(answer);
    if (good && data_size != 0)
        return peer_lose(peer, "the peer's answer to hello announces %llu bytes of data; it must have none",
                         (unsigned long long)data_size);
    return good && peer_is_quiet(peer);
}

static HRESULT bridge_create_device(const assay_device_config *config, assay_device **out, char *message,
                                    size_t message_size)
{
    struct options options;
    *out = NULL;
    HRESULT result = bridge_options_read(config->arguments, &options, message, message_size);
    if (FAILED(result))
        return result;
    assay_device *device = calloc(1, sizeof *device);
    if (!device)
        return E_OUTOFMEMORY;
    if (!peer_start(&device->peer, options.command, options.timeout) || !greet(device)) {
        snprintf(message, message_size, "%s", device->peer.problem);
        bridge_destroy_device(device);
        return DXGI_ERROR_UNSUPPORTED;
    }
    *out = device;
    return S_OK;
}

static HRESULT bridge_describe(assay_device *device, assay_device_info *info)
{
    assay_device_info full = device->hello.info;
    full.size = info->size;
    memcpy(info, &full, info->size < sizeof full ? info->size : sizeof full);
    return S_OK;
}

static BOOL bridge_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    return (uint32_t)type < 32 && device->hello.data_types >> type & 1;
}

static BOOL bridge_supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    return message_has_operator(&device->hello, type);
}

/* ---- operators */

/* Returns true for every operator: the caller has asked the peer before. */
static int bridge_computes(DML_OPERATOR_TYPE type)
{
    (void)type;
    return 1;
}

/* Creates an operator. The bridge validates for every peer: at the level that the peer declares, or else at the newest.
 * It does not validate operators that the peer lacks, so that a missing operator cannot pass a case. */
static HRESULT bridge_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    struct descriptor descriptor;
    DML_FEATURE_LEVEL level = device->hello.info.feature_level;
    *out = NULL;
    device->message[0] = 0;
    if (*device->peer.problem)
        return lost(device);
    if (!message_has_operator(&device->hello, desc->Type)) {
        snprintf(device->message, sizeof device->message, "the peer does not have this operator");
        return DXGI_ERROR_UNSUPPORTED;
    }
    HRESULT result = descriptor_read(desc, level ? level : DML_FEATURE_LEVEL_6_4, bridge_computes, &descriptor,
                                     device->message, sizeof device->message);
    if (FAILED(result))
        return result;
    if (!message_takes(&device->hello, &descriptor, device->message, sizeof device->message))
        return DXGI_ERROR_UNSUPPORTED;
    assay_operator *op = malloc(sizeof *op);
    json_t *json = op ? describe_operator(desc, &descriptor, !device->hello.strides) : NULL;
    if (!json) {
        free(op);
        return E_OUTOFMEMORY;
    }
    op->descriptor = descriptor;
    op->json = json;
    *out = op;
    return S_OK;
}

static void bridge_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    if (op)
        json_decref(op->json);
    free(op);
}

static void bridge_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    if (compiled)
        json_decref(compiled->json);
    free(compiled);
}

/* Sends a compile request, which asks whether the peer can run the operator. */
static HRESULT compile_on_peer(assay_device *device, const assay_compiled *compiled)
{
    HRESULT status = E_FAIL;
    uint64_t data_size = 0, device_ns;
    const char *text = "";
    struct peer *peer = &device->peer;
    json_t *answer = NULL;
    if (message_send(peer, "compile", "operator", json_incref(compiled->json), NULL, 0))
        answer = message_receive(peer, &data_size);
    if (answer && message_read_status(peer, answer, &status, &device_ns, &text)) {
        snprintf(device->message, sizeof device->message, "%s", text);
        if (data_size != 0)
            peer_lose(peer, "the peer's answer to compile announces %llu bytes of data; it must have none",
                      (unsigned long long)data_size);
        peer_is_quiet(peer);
    }
    json_decref(answer);
    return *peer->problem ? lost(device) : status;
}

/* Returns the operator with the flags that it is compiled with, in the format of requests; without flags, it has no
 * such member. Returns null if there is no memory. */
static json_t *with_flags(json_t *operator, DML_EXECUTION_FLAGS flags)
{
    static const struct {
        DML_EXECUTION_FLAGS flag;
        const char *name;
    } names[] = {{DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, "ALLOW_HALF_PRECISION_COMPUTATION"},
                 {DML_EXECUTION_FLAG_DISABLE_META_COMMANDS, "DISABLE_META_COMMANDS"},
                 {DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE, "DESCRIPTORS_VOLATILE"}};
    if (flags == DML_EXECUTION_FLAG_NONE)
        return json_incref(operator);
    json_t *copy = json_copy(operator), *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].flag)
            json_array_append_new(list, json_string(names[i].name));
    if (copy && json_object_set_new(copy, "ExecutionFlags", list) == 0)
        return copy;
    json_decref(copy);
    return NULL;
}

static HRESULT bridge_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                       assay_compiled **out)
{
    *out = NULL;
    device->message[0] = 0;
    if (*device->peer.problem)
        return lost(device);
    assay_compiled *compiled = malloc(sizeof *compiled);
    if (!compiled)
        return E_OUTOFMEMORY;
    compiled->descriptor = op->descriptor;
    compiled->json = with_flags(op->json, flags);
    if (!compiled->json) {
        free(compiled);
        return E_OUTOFMEMORY;
    }
    HRESULT result = device->hello.compile ? compile_on_peer(device, compiled) : S_OK;
    if (FAILED(result))
        bridge_destroy_compiled(device, compiled);
    else
        *out = compiled;
    return result;
}

/* ---- dispatch */

/* Tells whether the binding has room for the tensor. An absent tensor needs none. */
static int binding_holds(const assay_binding *binding, const struct tensor *tensor)
{
    return tensor->rank == 0 || (binding->base && binding->size >= tensor->bytes);
}

static int bridge_is_bound(const assay_dispatch_item *item)
{
    const struct descriptor *d = item->compiled ? &item->compiled->descriptor : NULL;
    if (!d || item->input_count != d->input_count || item->output_count != d->output_count)
        return 0;
    for (uint32_t i = 0; i < d->input_count; i++)
        if (!binding_holds(&item->inputs[i], &d->inputs[i]))
            return 0;
    for (uint32_t i = 0; i < d->output_count; i++)
        if (!binding_holds(&item->outputs[i], &d->outputs[i]))
            return 0;
    return 1;
}

static void *bridge_address(const assay_binding *binding)
{
    return (char *)binding->base + binding->offset;
}

/* Tells whether the tensor is sent as a packed copy; sent_bytes() returns the number of bytes sent. */
static int is_repacked(const assay_device *device, const struct tensor *tensor)
{
    return !device->hello.strides && !tensor->packed;
}

/* Tells whether the tensor has a copy in device->scratch. */
static int is_copied(const assay_device *device, const struct tensor *tensor)
{
    return device->hello.memory || is_repacked(device, tensor);
}

static size_t sent_bytes(const assay_device *device, const struct tensor *tensor)
{
    return (size_t)(device->hello.strides ? tensor->bytes : layout_packed_bytes(tensor));
}

/* Makes `size` bytes of device->scratch. Returns 0 if there is no memory. */
static int make_scratch(assay_device *device, size_t size)
{
    if (device->hello.memory) {
        device->scratch = peer_memory(&device->peer, size);
        return device->scratch != NULL;
    }
    if (size > device->scratch_size) {
        free(device->scratch);
        device->scratch = malloc(size);
        device->scratch_size = device->scratch ? size : 0;
    }
    return size <= device->scratch_size;
}

/* Makes room for the parts of the bound items, and for copies of their tensors. Returns 0 if there is no memory. */
static int make_room_for_parts(assay_device *device, const assay_dispatch_item *items, uint32_t count)
{
    size_t parts = 0, scratch = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct descriptor *d = bridge_is_bound(&items[i]) ? &items[i].compiled->descriptor : NULL;
        for (uint32_t j = 0; d && j < d->input_count + d->output_count; j++, parts++) {
            const struct tensor *t = j < d->input_count ? &d->inputs[j] : &d->outputs[j - d->input_count];
            scratch += is_copied(device, t) ? sent_bytes(device, t) : 0;
        }
    }
    if (parts > device->part_room) {
        free(device->parts);
        device->parts = malloc(parts * sizeof *device->parts);
        device->part_room = device->parts ? parts : 0;
    }
    return parts <= device->part_room && make_scratch(device, scratch);
}

static void add_part(assay_device *device, const struct tensor *tensor, const assay_binding *binding, size_t *count,
                     size_t *scratch)
{
    struct peer_bytes *part = &device->parts[(*count)++];
    *part = (struct peer_bytes){.at = bridge_address(binding), .size = sent_bytes(device, tensor)};
    if (!is_copied(device, tensor))
        return;
    char *copy = device->scratch + *scratch;
    if (is_repacked(device, tensor))
        layout_pack(tensor, part->at, copy);
    else
        memcpy(copy, part->at, part->size);
    part->at = copy;
    *scratch += part->size;
}

/* Sends one request with all bound items: for each the inputs, then the current contents of the outputs. A peer that
 * shares memory finds them there, one after the other. */
static int send_items(assay_device *device, const assay_dispatch_item *items, uint32_t count)
{
    json_t *list = json_array();
    size_t parts = 0, scratch = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!bridge_is_bound(&items[i]))
            continue;
        const assay_compiled *compiled = items[i].compiled;
        json_array_append(list, compiled->json);
        for (uint32_t j = 0; j < items[i].input_count; j++)
            add_part(device, &compiled->descriptor.inputs[j], &items[i].inputs[j], &parts, &scratch);
        for (uint32_t j = 0; j < items[i].output_count; j++)
            add_part(device, &compiled->descriptor.outputs[j], &items[i].outputs[j], &parts, &scratch);
    }
    return message_send(&device->peer, "dispatch", "items", list, device->parts, device->hello.memory ? 0 : parts);
}

/* Reads the statuses. Returns the number of bytes of outputs that should follow. */
static uint64_t read_results(assay_device *device, json_t *answer, const assay_dispatch_item *items, uint32_t count,
                             assay_dispatch_result *out)
{
    struct peer *peer = &device->peer;
    json_t *list = json_object_get(answer, "results");
    uint64_t bytes = 0;
    size_t bound = 0, next = 0;
    for (uint32_t i = 0; i < count; i++)
        bound += bridge_is_bound(&items[i]) != 0;
    if (json_array_size(list) != bound) /* 0 if the answer is not a list */
        peer_lose(peer, "the peer's answer has %zu results for %zu items", json_array_size(list), bound);
    for (uint32_t i = 0; i < count && !*peer->problem; i++) {
        const char *text;
        if (!bridge_is_bound(&items[i]))
            continue;
        out[i] = (assay_dispatch_result){0};
        if (!message_read_status(peer, json_array_get(list, next++), &out[i].status, &out[i].device_ns, &text))
            return 0;
        for (uint32_t j = 0; SUCCEEDED(out[i].status) && !device->hello.memory && j < items[i].output_count; j++)
            bytes += sent_bytes(device, &items[i].compiled->descriptor.outputs[j]);
        if (FAILED(out[i].status))
            snprintf(out[i].message, sizeof out[i].message, "%s", text);
    }
    return bytes;
}

static void take_outputs(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                         const assay_dispatch_result *results)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; SUCCEEDED(results[i].status) && j < items[i].output_count; j++) {
            const struct tensor *tensor = &items[i].compiled->descriptor.outputs[j];
            void *bound = bridge_address(&items[i].outputs[j]);
            int repacked = is_repacked(device, tensor);
            if (!peer_take(&device->peer, repacked ? device->scratch : bound, sent_bytes(device, tensor)))
                return;
            if (repacked)
                layout_unpack(tensor, device->scratch, bound);
        }
}

/* Copies the outputs of items that succeeded from the memory that the peer shares. */
static void copy_outputs(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                         const assay_dispatch_result *results)
{
    const char *at = device->scratch;
    for (uint32_t i = 0; i < count; i++) {
        const struct descriptor *d = bridge_is_bound(&items[i]) ? &items[i].compiled->descriptor : NULL;
        for (uint32_t j = 0; d && j < d->input_count; j++)
            at += sent_bytes(device, &d->inputs[j]);
        for (uint32_t j = 0; d && j < d->output_count; j++) {
            void *bound = bridge_address(&items[i].outputs[j]);
            size_t size = sent_bytes(device, &d->outputs[j]);
            if (SUCCEEDED(results[i].status) && is_repacked(device, &d->outputs[j]))
                layout_unpack(&d->outputs[j], at, bound);
            else if (SUCCEEDED(results[i].status))
                memcpy(bound, at, size);
            at += size;
        }
    }
}

static void run_on_peer(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                        assay_dispatch_result *out)
{
    struct peer *peer = &device->peer;
    uint64_t data_size = 0;
    json_t *answer = send_items(device, items, count) ? message_receive(peer, &data_size) : NULL;
    if (!answer)
        return;
    uint64_t bytes = read_results(device, answer, items, count, out);
    json_decref(answer);
    if (!*peer->problem && bytes != data_size)
        peer_lose(peer, "the peer's answer announces %llu bytes of outputs, expected %llu",
                  (unsigned long long)data_size, (unsigned long long)bytes);
    if (!*peer->problem && device->hello.memory)
        copy_outputs(device, items, count, out);
    else if (!*peer->problem)
        take_outputs(device, items, count, out);
    peer_is_quiet(peer);
}

static HRESULT bridge_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                               assay_dispatch_result *out)
{
    int roomy = make_room_for_parts(device, items, count);
    device->message[0] = 0;
    for (uint32_t i = 0; i < count; i++)
        out[i] =
            bridge_is_bound(&items[i])
                ? (assay_dispatch_result){.status = E_OUTOFMEMORY, .message = "no memory for a request to the peer"}
                : (assay_dispatch_result){.status = E_INVALIDARG, .message = "a binding is missing or too small"};
    if (roomy && !*device->peer.problem)
        run_on_peer(device, items, count, out);
    if (!*device->peer.problem)
        return S_OK;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (assay_dispatch_result){.status = DXGI_ERROR_DEVICE_REMOVED};
    return lost(device);
}

static const char *bridge_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api api = {
    .abi = ASSAY_DEVICE_ABI,
    .size = sizeof(assay_device_api),
    .create_device = bridge_create_device,
    .destroy_device = bridge_destroy_device,
    .describe = bridge_describe,
    .supports_data_type = bridge_supports_data_type,
    .create_operator = bridge_create_operator,
    .destroy_operator = bridge_destroy_operator,
    .compile_operator = bridge_compile_operator,
    .destroy_compiled = bridge_destroy_compiled,
    .dispatch = bridge_dispatch,
    .message = bridge_message,
    .supports_operator = bridge_supports_operator,
};

const assay_device_api *assay_device_entry(uint32_t abi)
{
    return abi == ASSAY_DEVICE_ABI ? &api : NULL;
}
