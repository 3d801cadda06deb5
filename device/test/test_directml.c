/* test_directml.c: the device directml through the stand-ins of device/test/standin/, which check its calls.
 *
 *     test_directml PATH-OF-THE-DEVICE.so */
#include "device/device.h"
#include "tools/tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 40, SUM_ELEMENTS = 24, RUNS = 5 };

/* The functions of standin.h that tests call. */
static long (*directml_live)(void);
static const char *(*directml_trouble)(void);
static void (*directml_forget_trouble)(void);
static void (*directml_fail)(const char *method, long number, HRESULT result);

static const assay_device_api *directml;
static char standin_folder[600];

static int find_standin(const char *path)
{
    static const char *const names[] = {"standin_live", "standin_first_trouble", "standin_forget_trouble",
                                        "standin_fail"};
    void *functions[] = {&directml_live, &directml_trouble, &directml_forget_trouble, &directml_fail};
    char library[700];
    const char *named = getenv("ASSAY_DEVICES");
    snprintf(standin_folder, sizeof standin_folder, "%s/../standin", named ? named : "build/devices");
    snprintf(library, sizeof library, "%s/libd3d12.so", standin_folder);
    void *standin = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *device = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const assay_device_api *(*entry)(uint32_t);
    void *symbol = device ? dlsym(device, "assay_device_entry") : NULL;
    if (!ok(standin && symbol, "the stand-in and the device can be loaded"))
        return 0;
    memcpy(&entry, &symbol, sizeof entry);
    directml = entry(ASSAY_DEVICE_ABI);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        symbol = dlsym(standin, names[i]);
        if (!symbol)
            return ok(0, "the stand-in has %s", names[i]);
        memcpy(functions[i], &symbol, sizeof symbol);
    }
    return ok(directml != NULL, "the device has the interface");
}

static HRESULT open_directml(const char *options, assay_device **device, char message[512])
{
    char arguments[800];
    snprintf(arguments, sizeof arguments, "libraries=%s%s%s", standin_folder, *options ? "," : "", options);
    const assay_device_config config = {sizeof config, arguments};
    *device = NULL;
    *message = 0;
    return directml->create_device(&config, device, message, 512);
}

/* Checks that everything is released, and that the stand-in has found nothing. */
static void check_end(const char *what)
{
    long live = directml_live();
    ok(!*directml_trouble(), "%s: the stand-in finds nothing wrong%s%s", what, *directml_trouble() ? ": " : "",
       directml_trouble());
    ok(live == 0, "  and %ld objects are left", live);
    directml_forget_trouble();
}

/* ---- opening */

static void check_opening(const char *options, HRESULT expected, const char *text)
{
    assay_device *device;
    char message[512];
    HRESULT result = open_directml(options, &device, message);
    assay_device_info info = {.size = sizeof info};
    if (device)
        directml->describe(device, &info);
    ok(result == expected && strstr(device ? info.name : message, text), "options \"%s\": %s (%s)", options, text,
       device ? info.name : message);
    directml->destroy_device(device);
}

static void test_opening(void)
{
    check_opening("", S_OK, "Stand-in GPU");
    check_opening("adapter=1", S_OK, "Stand-in NPU");
    check_opening("adapter=npu", S_OK, "Stand-in NPU");
    check_opening("adapter=nosuch", DXGI_ERROR_UNSUPPORTED, "0: Stand-in GPU, 1: Stand-in NPU");
    check_opening("validation", S_OK, "Stand-in GPU");
    check_opening("validation=2", E_INVALIDARG, "needs 0 or 1");
    check_opening("level=3_0", E_INVALIDARG, "unknown option \"level\"");
    check_opening("adapter=", E_INVALIDARG, "a part of an adapter's name");
    check_opening("libraries=/nowhere", DXGI_ERROR_UNSUPPORTED, "/nowhere/libdxcore.so");
    setenv("STANDIN_ADAPTERS", "0", 1);
    check_opening("", DXGI_ERROR_UNSUPPORTED, "/dev/dxg");
    unsetenv("STANDIN_ADAPTERS");
    check_end("opening");
}

static void test_answers(void)
{
    assay_device *device;
    char message[512];
    assay_device_info info = {.size = sizeof info};
    ok(open_directml("", &device, message) == S_OK, "the device opens");
    directml->describe(device, &info);
    ok(info.feature_level == DML_FEATURE_LEVEL_6_4, "it has the highest feature level that DirectML supports");
    ok(info.max_tensor_bytes == 1u << 30, "a tensor may be as large as a resource: a quarter of the memory");
    ok(directml->supports_data_type(device, DML_TENSOR_DATA_TYPE_INT4) != 0, "it has the data types of DirectML");
    ok(directml->supports_data_type(device, (DML_TENSOR_DATA_TYPE)14) == 0, "  and no others");
    directml->destroy_device(device);
    check_end("answers");
}

/* ---- operators: C = A + B, of UINT32 */

struct sum_operator {
    UINT sizes[1];
    DML_BUFFER_TENSOR_DESC buffers[3];
    DML_TENSOR_DESC tensors[3];
    DML_ELEMENT_WISE_ADD_OPERATOR_DESC add;
    DML_OPERATOR_DESC desc;
};

/* DirectML owns the last `owned` inputs. */
static void describe_sum(struct sum_operator *sum, uint32_t count, UINT alignment, int owned)
{
    sum->sizes[0] = count;
    for (int i = 0; i < 3; i++) {
        sum->buffers[i] = (DML_BUFFER_TENSOR_DESC){.DataType = DML_TENSOR_DATA_TYPE_UINT32,
                                                   .DimensionCount = 1,
                                                   .Sizes = sum->sizes,
                                                   .TotalTensorSizeInBytes = 4ull * count,
                                                   .GuaranteedBaseOffsetAlignment = alignment};
        sum->tensors[i] = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &sum->buffers[i]};
    }
    for (int i = 2 - owned; i < 2; i++)
        sum->buffers[i].Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    sum->add = (DML_ELEMENT_WISE_ADD_OPERATOR_DESC){&sum->tensors[0], &sum->tensors[1], &sum->tensors[2]};
    sum->desc = (DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_ADD, &sum->add};
}

/* Creates and compiles a sum. Returns the first failure. */
static HRESULT compile_sum(assay_device *device, uint32_t count, UINT alignment, int owned, DML_EXECUTION_FLAGS flags,
                           assay_compiled **compiled)
{
    struct sum_operator sum;
    assay_operator *op = NULL;
    *compiled = NULL;
    describe_sum(&sum, count, alignment, owned);
    HRESULT result = directml->create_operator(device, &sum.desc, &op);
    if (result == S_OK)
        result = directml->compile_operator(device, op, flags, compiled);
    directml->destroy_operator(device, op);
    return result;
}

/* The tensors of the sums: those of an odd sum are in place. */
struct directml_sums {
    uint32_t a[SUMS][SUM_ELEMENTS], b[SUMS][SUM_ELEMENTS], c[SUMS][SUM_ELEMENTS];
    assay_binding in[SUMS][2], out[SUMS][1];
    assay_dispatch_item items[SUMS];
    assay_dispatch_result results[SUMS];
};

static void set_sums(struct directml_sums *sums, assay_compiled *compiled)
{
    const uint64_t bytes = sizeof sums->a[0];
    for (uint32_t i = 0; i < SUMS; i++) {
        for (uint32_t k = 0; k < SUM_ELEMENTS; k++) {
            sums->a[i][k] = 1000 * i + k;
            sums->b[i][k] = sums->c[i][k] = 7 * k;
        }
        sums->in[i][0] = (assay_binding){sums->a[i], 0, bytes};
        sums->in[i][1] = (assay_binding){i % 2 ? sums->c[i] : sums->b[i], 0, bytes};
        sums->out[i][0] = (assay_binding){sums->c[i], 0, bytes};
        sums->items[i] = (assay_dispatch_item){compiled, sums->in[i], sums->out[i], 2, 1};
    }
}

static int sums_are_right(const struct directml_sums *sums, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < SUM_ELEMENTS; k++)
            if (sums->c[i][k] != 1000 * i + 8 * k)
                return 0;
    return 1;
}

static void test_adding(const char *options, UINT alignment)
{
    static struct directml_sums sums;
    assay_device *device;
    assay_compiled *compiled, *owned;
    char message[512];
    ok(open_directml(options, &device, message) == S_OK, "the device opens: \"%s\"", options);
    ok(compile_sum(device, SUM_ELEMENTS, alignment, 0, DML_EXECUTION_FLAG_NONE, &compiled) == S_OK,
       "an operator is compiled and initialised, alignment %u", alignment);
    ok(compile_sum(device, SUM_ELEMENTS, alignment, 1, DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE, &owned) == S_OK,
       "  also with a tensor that DirectML owns");
    assay_compiled *apart;
    ok(compile_sum(device, SUM_ELEMENTS, 1u << 30, 2, DML_EXECUTION_FLAG_NONE, &apart) == S_OK,
       "  also with two such tensors at multiples of 1 GiB");
    directml->destroy_compiled(device, apart);
    set_sums(&sums, compiled);
    ok(directml->dispatch(device, sums.items, SUMS, sums.results) == S_OK && sums_are_right(&sums, SUMS),
       "several batches of items, also in place, have right outputs");
    ok(sums.results[0].device_ns > 0, "  and times by the device's clock");

    uint64_t ns[RUNS] = {0};
    assay_measurement measurement = {.size = sizeof measurement, .count = RUNS, .device_ns = ns};
    set_sums(&sums, compiled);
    ok(directml->measure(device, sums.items, &measurement) == S_OK && sums_are_right(&sums, 1),
       "an item is measured, and its outputs are right");
    ok(measurement.host_ns > 0 && ns[0] > 0 && ns[RUNS - 1] > 0, "  with a time of each run");
    measurement.count = 1u << 20;
    ok(directml->measure(device, sums.items, &measurement) == DXGI_ERROR_UNSUPPORTED,
       "  and of more runs than there are timestamps, not at all");

    set_sums(&sums, compiled);
    sums.in[1][0].size -= 4;
    sums.items[2].compiled = owned;
    ok(directml->dispatch(device, sums.items, 4, sums.results) == S_OK && sums.results[0].status == S_OK &&
           sums.results[1].status == E_INVALIDARG && sums.results[2].status == E_INVALIDARG &&
           sums.results[3].status == S_OK,
       "an item with a wrong binding fails alone");
    ok(strstr(sums.results[1].message, "smaller than its tensor") && strstr(sums.results[2].message, "owns"),
       "  and the messages say why");
    directml->destroy_compiled(device, compiled);
    directml->destroy_compiled(device, owned);
    directml->destroy_device(device);
    check_end("dispatches");
}

static void test_rejection(void)
{
    assay_device *device;
    char message[512];
    struct sum_operator sum;
    assay_operator *op = NULL;
    describe_sum(&sum, 4, 0, 0);
    sum.buffers[2].DataType = DML_TENSOR_DATA_TYPE_INT8;
    open_directml("validation", &device, message);
    ok(directml->create_operator(device, &sum.desc, &op) == E_INVALIDARG && !op, "DirectML rejects a description");
    ok(strstr(directml->message(device), "CreateOperator") && strstr(directml->message(device), "DataType"),
       "  and the message is that of the debug layer: %s", directml->message(device));
    directml->destroy_device(device);
    check_end("a rejection");
}

/* ---- errors on request: everything that can fail does, once */

struct failing_call {
    const char *method;
    HRESULT result, expected;
    const char *text; /* in the message, or of the item */
};

/* Opens, compiles, dispatches and measures, up to the first failure. Returns it, and its message. */
static HRESULT go_through(assay_device **device, char message[512])
{
    static struct directml_sums sums;
    assay_compiled *compiled = NULL;
    uint64_t ns[RUNS] = {0};
    assay_measurement measurement = {.size = sizeof measurement, .count = RUNS, .device_ns = ns};
    HRESULT result = open_directml("", device, message);
    if (result != S_OK)
        return result;
    result = compile_sum(*device, SUM_ELEMENTS, 0, 1, DML_EXECUTION_FLAG_NONE, &compiled);
    directml->destroy_compiled(*device, compiled);
    compiled = NULL;
    if (result == S_OK)
        result = compile_sum(*device, SUM_ELEMENTS, 0, 0, DML_EXECUTION_FLAG_NONE, &compiled);
    set_sums(&sums, compiled);
    if (result == S_OK)
        result = directml->dispatch(*device, sums.items, 1, sums.results);
    snprintf(message, 512, "%s", directml->message(*device));
    if (result == S_OK && sums.results[0].status != S_OK) {
        result = sums.results[0].status;
        snprintf(message, 512, "%s", sums.results[0].message);
    }
    if (result == S_OK) {
        result = directml->measure(*device, sums.items, &measurement);
        snprintf(message, 512, "%s", directml->message(*device));
    }
    directml->destroy_compiled(*device, compiled);
    return result;
}

static void check_failing_call(const struct failing_call *call, long number)
{
    assay_device *device = NULL;
    char message[512];
    directml_fail(call->method, number, call->result);
    HRESULT result = go_through(&device, message);
    directml_fail(NULL, 0, S_OK);
    ok(result == call->expected && strstr(message, call->text), "%s, call %ld, fails with 0x%08x: 0x%08x, %s",
       call->method, number, (unsigned)call->result, (unsigned)result, message);
    if (device && result == DXGI_ERROR_DEVICE_REMOVED) {
        assay_compiled *compiled;
        ok(compile_sum(device, 4, 0, 0, DML_EXECUTION_FLAG_NONE, &compiled) == DXGI_ERROR_DEVICE_REMOVED && !compiled,
           "  and the device stays lost");
    }
    directml->destroy_device(device);
    check_end(call->method);
}

static void test_errors(void)
{
    static const struct failing_call opening[] = {
        {"DXCoreCreateAdapterFactory", E_OUTOFMEMORY, DXGI_ERROR_UNSUPPORTED, "DXCore cannot list"},
        {"CreateAdapterList", E_OUTOFMEMORY, DXGI_ERROR_UNSUPPORTED, "DXCore cannot list"},
        {"D3D12CreateDevice", DXGI_ERROR_UNSUPPORTED, DXGI_ERROR_UNSUPPORTED, "Direct3D 12 cannot open"},
        {"CreateCommandQueue", E_OUTOFMEMORY, E_OUTOFMEMORY, "Direct3D 12 cannot open"},
        {"CreateCommandAllocator", E_OUTOFMEMORY, E_OUTOFMEMORY, "Direct3D 12 cannot open"},
        {"CreateCommandList", E_OUTOFMEMORY, E_OUTOFMEMORY, "Direct3D 12 cannot open"},
        {"CreateFence", E_OUTOFMEMORY, E_OUTOFMEMORY, "Direct3D 12 cannot open"},
        {"DMLCreateDevice1", DXGI_ERROR_UNSUPPORTED, DXGI_ERROR_UNSUPPORTED, "DirectML cannot be opened"},
        {"DMLCreateDevice1", E_NOTIMPL, E_FAIL, "E_NOTIMPL"},
        {"CheckFeatureSupport", E_INVALIDARG, E_INVALIDARG, "DirectML cannot be opened"},
        {"CreateCommandRecorder", E_OUTOFMEMORY, E_OUTOFMEMORY, "DirectML cannot be opened"},
        {"CreateQueryHeap", E_OUTOFMEMORY, E_OUTOFMEMORY, "DirectML cannot be opened"},
        {"GetTimestampFrequency", E_FAIL, E_FAIL, "DirectML cannot be opened"},
    };
    static const char *const later[] = {"CreateOperator",
                                        "CompileOperator",
                                        "CreateOperatorInitializer",
                                        "CreateDescriptorHeap",
                                        "CreateBindingTable",
                                        "ResetTable",
                                        "CreateCommittedResource",
                                        "Map",
                                        "ResetAllocator",
                                        "ResetList",
                                        "Close",
                                        "Signal",
                                        "SetEventOnCompletion"};
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++)
        check_failing_call(&opening[i], 1);
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        /* The first call of a list's Close() is part of opening, and so are buffers for timestamps. */
        long number = !strcmp(later[i], "Close") || !strcmp(later[i], "CreateCommittedResource") ? 2 : 1;
        const struct failing_call full = {later[i], E_OUTOFMEMORY, E_OUTOFMEMORY, "E_OUTOFMEMORY"};
        const struct failing_call lost = {later[i], DXGI_ERROR_DEVICE_REMOVED, DXGI_ERROR_DEVICE_REMOVED,
                                          "removed its device"};
        check_failing_call(&full, number);
        check_failing_call(&lost, number);
    }
    /* Buffers of the dispatch, and calls of measure(). A method without a result removes DirectML's device. */
    check_failing_call(&(struct failing_call){"CreateCommittedResource", E_OUTOFMEMORY, E_OUTOFMEMORY, "cannot run"},
                       7);
    check_failing_call(&(struct failing_call){"SetEventOnCompletion", E_FAIL, E_FAIL, "measuring"}, 5);
    const struct failing_call record = {"RecordDispatch", E_FAIL, DXGI_ERROR_DEVICE_REMOVED,
                                        "DirectML removed its device"};
    for (long number = 1; number <= 3 + RUNS; number++) /* two initialisations, a dispatch, and runs of measure() */
        check_failing_call(&record, number);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        skip_rest("the device directml is not here: Debian's directx-headers-dev was missing when assay was built");
    else if (find_standin(argv[1])) {
        test_opening();
        test_answers();
        test_adding("", 0);
        test_adding("adapter=npu,validation", 256);
        test_rejection();
        test_errors();
    }
    return tap_done();
}
