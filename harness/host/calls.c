#include "harness/host/calls.h"

#include "harness/base/clock.h"

#include <stdio.h>
#include <string.h>

static void ask_message(const struct plugin *p, char message[CALL_MESSAGE])
{
    const char *text = p->api->message(p->device);
    snprintf(message, CALL_MESSAGE, "%s", text ? text : "");
}

void calls_create(const struct plugin *p, const DML_OPERATOR_DESC *desc, DML_EXECUTION_FLAGS flags, void *memory,
                  size_t size, struct call_objects *objects, struct call_answer *answer)
{
    uint64_t start = clock_ns();
    *objects = (struct call_objects){NULL, NULL};
    answer->compiling = 0;
    answer->result = p->api->create_operator(p->device, desc, &objects->op);
    answer->has_result = objects->op != NULL;
    memset(memory, 0xEE, size);
    if (SUCCEEDED(answer->result) && objects->op) {
        answer->compiling = 1;
        answer->result = p->api->compile_operator(p->device, objects->op, flags, &objects->compiled);
        answer->has_result = objects->compiled != NULL;
    }
    answer->ns = clock_ns() - start;
    *answer->message = '\0';
    if (SUCCEEDED(answer->result))
        return;
    ask_message(p, answer->message);
    objects->compiled = NULL; /* the caller never destroys an object that a failed call returned */
    if (!answer->compiling)
        objects->op = NULL;
}

HRESULT calls_dispatch(const struct plugin *p, const assay_dispatch_item *items, uint32_t count,
                       assay_dispatch_result *results, char message[CALL_MESSAGE])
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < count; i++) {
        results[i].status = E_FAIL;
        results[i].reserved = 0;
        results[i].device_ns = 0;
        *results[i].message = '\0';
    }
    HRESULT status = p->api->dispatch(p->device, items, count, results);
    for (uint32_t i = 0; i < count && SUCCEEDED(status); i++)
        failed += FAILED(results[i].status);
    *message = '\0';
    if (FAILED(status) || failed == 1)
        ask_message(p, message);
    return status;
}

static void measure_by_dispatch(const struct plugin *p, const assay_dispatch_item *item, uint32_t count,
                                struct call_measured *out)
{
    uint64_t start = clock_ns();
    out->by_dispatch = 1;
    for (uint32_t i = 0; i < count && SUCCEEDED(out->result.status); i++) {
        HRESULT status = calls_dispatch(p, item, 1, &out->result, out->message);
        out->device_ns[i] = out->result.device_ns;
        if (FAILED(status))
            out->result.status = status;
    }
    out->host_ns = clock_ns() - start;
}

void calls_measure(const struct plugin *p, const assay_dispatch_item *item, uint32_t count, struct call_measured *out)
{
    assay_measurement measurement = {.size = sizeof measurement, .count = count, .device_ns = out->device_ns};
    memset(out, 0, sizeof *out);
    out->result.status = plugin_measures(p) ? p->api->measure(p->device, item, &measurement) : DXGI_ERROR_UNSUPPORTED;
    if (out->result.status == DXGI_ERROR_UNSUPPORTED) {
        memset(out, 0, sizeof *out);
        measure_by_dispatch(p, item, count, out);
        return;
    }
    out->host_ns = measurement.host_ns;
    memcpy(out->state, measurement.state, sizeof out->state);
    if (FAILED(out->result.status))
        ask_message(p, out->message);
}

uint64_t calls_destroy(const struct plugin *p, struct call_objects *objects)
{
    uint64_t start = clock_ns();
    if (objects->compiled)
        p->api->destroy_compiled(p->device, objects->compiled);
    if (objects->op)
        p->api->destroy_operator(p->device, objects->op);
    *objects = (struct call_objects){NULL, NULL};
    return clock_ns() - start;
}
