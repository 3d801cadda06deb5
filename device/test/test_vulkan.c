/* test_vulkan.c: the Vulkan device against a naive model, through the device interface alone.
 *
 *     test_vulkan PATH-OF-vulkan.so [ARGUMENTS-OF-THE-DEVICE [SEED [large|whole]]]
 *
 * With `large` it only has many large cases, of operators that read elements by indices of their own. With
 * `whole` it has more random cases. */
#include "device/device.h"
#include "device/test/test_vulkan_model.h"
#include "tools/tap.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

static const assay_device_api *api;

/* Creates an operator. The documented struct is one block of pointers and numbers. */
static HRESULT create_test(assay_device *device, struct test *test, assay_operator **out)
{
    const DML_TENSOR_DESC *in[3], *output = &test->outputs[0].desc;
    for (int i = 0; i < 3; i++)
        in[i] = &test->inputs[i].desc;
    DML_GATHER_OPERATOR_DESC gather = {in[0], in[1], output, test->axis, test->width};
    DML_GATHER_ELEMENTS_OPERATOR_DESC elements = {in[0], in[1], output, test->axis};
    DML_GATHER_ND_OPERATOR_DESC nd = {in[0], in[1], output, test->p, test->q};
    DML_GATHER_ND1_OPERATOR_DESC nd1 = {in[0], in[1], output, test->p, test->q, test->batch};
    DML_SCATTER_ELEMENTS_OPERATOR_DESC scatter = {in[0], in[1], in[2], output, test->axis};
    DML_SCATTER_ND_OPERATOR_DESC scatter_nd = {in[0], in[1], in[2], output, test->p, test->q};
    DML_NONZERO_COORDINATES_OPERATOR_DESC nonzero = {in[0], output, &test->outputs[1].desc};
    const void *desc = &nonzero;
    switch ((int)test->type) {
    case DML_OPERATOR_GATHER:
        desc = &gather;
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
        desc = &elements;
        break;
    case DML_OPERATOR_GATHER_ND:
        desc = &nd;
        break;
    case DML_OPERATOR_GATHER_ND1:
        desc = &nd1;
        break;
    case DML_OPERATOR_SCATTER_ELEMENTS:
        desc = &scatter;
        break;
    case DML_OPERATOR_SCATTER_ND:
        desc = &scatter_nd;
        break;
    default:
        break;
    }
    return api->create_operator(device, &(DML_OPERATOR_DESC){test->type, desc}, out);
}

/* Compiles. Returns 1 if the test is ready to run, 0 if it is unsupported, -1 if it was rejected, or after another
 * failure. */
static int compile_test(assay_device *device, struct test *test)
{
    assay_operator *op = NULL;
    HRESULT result = create_test(device, test, &op);
    if (SUCCEEDED(result))
        result = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &test->compiled);
    if (FAILED(result) && result != DXGI_ERROR_UNSUPPORTED)
        note("operator %d: 0x%08x %s", (int)test->type, (unsigned)result, api->message(device));
    api->destroy_operator(device, op);
    if (SUCCEEDED(result))
        return 1;
    return result == DXGI_ERROR_UNSUPPORTED ? 0 : -1;
}

static assay_dispatch_item bind(struct test *test)
{
    for (uint32_t i = 0; i < 3; i++) {
        test->in[i] = (assay_binding){test->inputs[i].base, test->inputs[i].offset, test->inputs[i].bytes};
        if (i < test->input_count)
            array_remember(&test->inputs[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        test->out[i] = (assay_binding){test->outputs[i].base, test->outputs[i].offset, test->outputs[i].bytes};
        if (i < test->output_count)
            array_remember(&test->outputs[i]);
    }
    return (assay_dispatch_item){test->compiled, test->in, test->out, test->input_count, test->output_count};
}

/* Returns the fault in the memory after a dispatch; null: none. */
static const char *inspect(struct test *test)
{
    for (uint32_t i = 0; i < test->input_count; i++) {
        struct array *a = &test->inputs[i];
        if (memcmp(a->base, a->before, a->offset + a->bytes + EDGE))
            return "an input was written";
    }
    for (uint32_t i = 0; i < test->output_count; i++) {
        struct array *a = &test->outputs[i];
        if (memcmp(a->base, a->before, a->offset) || memcmp(a->data + a->bytes, a->before + a->offset + a->bytes, EDGE))
            return "bytes outside an output were written";
        if (memcmp(a->data, test->expected[i], a->bytes))
            return i ? "the coordinates differ" : "the output differs";
    }
    return NULL;
}

static void test_free(struct test *test)
{
    for (int i = 0; i < 3; i++)
        array_free(&test->inputs[i]);
    for (int i = 0; i < 2; i++) {
        array_free(&test->outputs[i]);
        free(test->expected[i]);
    }
}

static void explain(const struct test *test, const char *what)
{
    char sizes[128] = "";
    size_t at = 0;
    for (uint32_t d = 0; d < test->inputs[0].rank; d++)
        at += (size_t)snprintf(sizes + at, sizeof sizes - at, " %u", test->inputs[0].sizes[d]);
    note("operator %d types %d %d sizes%s axis %u width %u p %u q %u batch %u: %s", (int)test->type,
         (int)test->inputs[0].type, (int)test->inputs[1].type, sizes, test->axis, test->width, test->p, test->q,
         test->batch, what);
}

/* Makes `count` cases of an operator, dispatches them in batches and compares. `density` is for NONZERO_COORDINATES. */
static void check_cases(assay_device *device, DML_OPERATOR_TYPE type, const char *name, uint32_t count, uint64_t max,
                        uint32_t density)
{
    enum { MOST = 48 };
    uint32_t wrong = 0, unsupported = 0;
    for (uint32_t done = 0; done < count;) {
        struct test *tests = calloc(MOST, sizeof *tests);
        assay_dispatch_item items[MOST];
        assay_dispatch_result results[MOST];
        struct test *run[MOST];
        uint32_t n = 1 + model_below(max > 100000 ? 4 : MOST), ready = 0;
        for (uint32_t i = 0; i < n; i++, done++) {
            tests[i].type = type;
            if (type == DML_OPERATOR_NONZERO_COORDINATES)
                make_nonzero_test(&tests[i], max, density > 100 ? model_below(101) : density);
            else
                make_moves(&tests[i], max);
            int status = compile_test(device, &tests[i]);
            unsupported += status == 0;
            wrong += status < 0;
            if (status < 0)
                explain(&tests[i], "refused");
            if (status == 1) {
                run[ready] = &tests[i];
                items[ready++] = bind(&tests[i]);
            }
        }
        HRESULT result = api->dispatch(device, items, ready, results);
        for (uint32_t i = 0; i < ready; i++) {
            const char *fault = FAILED(result) || FAILED(results[i].status) ? api->message(device) : inspect(run[i]);
            if (fault && wrong++ < 5)
                explain(run[i], fault);
            api->destroy_compiled(device, run[i]->compiled);
        }
        for (uint32_t i = 0; i < n; i++)
            test_free(&tests[i]);
        free(tests);
    }
    ok(!wrong, "%s: %u cases of up to %llu elements, %u wrong, %u unsupported", name, count, (unsigned long long)max,
       wrong, unsupported);
}

static bool whole; /* more random cases, in long/test_vulkan_large.sh */

static void check_operators(assay_device *device)
{
    static const struct {
        DML_OPERATOR_TYPE type;
        const char *name;
    } operators[] = {{DML_OPERATOR_GATHER, "GATHER"},
                     {DML_OPERATOR_GATHER_ELEMENTS, "GATHER_ELEMENTS"},
                     {DML_OPERATOR_GATHER_ND, "GATHER_ND"},
                     {DML_OPERATOR_GATHER_ND1, "GATHER_ND1"},
                     {DML_OPERATOR_SCATTER_ELEMENTS, "SCATTER_ELEMENTS"},
                     {DML_OPERATOR_SCATTER_ND, "SCATTER_ND"},
                     {DML_OPERATOR_NONZERO_COORDINATES, "NONZERO_COORDINATES"}};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        check_cases(device, operators[i].type, operators[i].name, whole ? 400 : 50, 600, 101);
        check_cases(device, operators[i].type, operators[i].name, whole ? 16 : 4, 300000, 101);
    }
}

/* Tests several million elements in one tensor, with every density, including all and none. */
static void check_large_nonzero(assay_device *device)
{
    static const uint32_t densities[] = {0, 1, 50, 100};
    for (size_t i = 0; i < sizeof densities / sizeof *densities; i++) {
        struct test test = {.type = DML_OPERATOR_NONZERO_COORDINATES};
        struct array *x = &test.inputs[0], *count = &test.outputs[0], *rows = &test.outputs[1];
        assay_dispatch_result result = {.status = E_FAIL};
        test.input_count = 1;
        test.output_count = 2;
        *x = (struct array){.rank = 2, .sizes = {1500, 3001}};
        array_make(x, DML_TENSOR_DATA_TYPE_FLOAT32, PACKED);
        for (uint64_t k = 0; k + 4 <= x->bytes; k += 4) {
            uint32_t value = pick_value(densities[i]);
            memcpy(x->data + k, &value, sizeof value);
        }
        *count = (struct array){.rank = 1, .sizes = {1}};
        *rows = (struct array){.rank = 2, .sizes = {(uint32_t)x->count, 2}};
        array_make(count, DML_TENSOR_DATA_TYPE_UINT32, PACKED);
        array_make(rows, DML_TENSOR_DATA_TYPE_UINT32, PACKED);
        test.expected[0] = malloc(count->bytes);
        test.expected[1] = malloc(rows->bytes);
        expect_nonzero(&test);
        const char *fault = "cannot be compiled";
        if (compile_test(device, &test) == 1) {
            assay_dispatch_item item = bind(&test);
            fault = FAILED(api->dispatch(device, &item, 1, &result)) ? api->message(device) : inspect(&test);
            api->destroy_compiled(device, test.compiled);
        }
        ok(!fault, "NONZERO_COORDINATES of 4.5 million elements, %u in 100 non-zero%s%s", densities[i],
           fault ? ": " : "", fault ? fault : "");
        test_free(&test);
    }
}

/* Tests updates that all go to one element: it must equal one of them. */
static void check_duplicates(assay_device *device)
{
    enum { COUNT = 20000 };
    struct test test = {.type = DML_OPERATOR_SCATTER_ELEMENTS, .input_count = 3, .output_count = 1};
    for (int i = 0; i < 3; i++)
        test.inputs[i] = (struct array){.rank = 1, .sizes = {i ? COUNT : 2}};
    test.outputs[0] = (struct array){.rank = 1, .sizes = {2}};
    for (int i = 0; i < 3; i++)
        array_make(&test.inputs[i], i == 1 ? DML_TENSOR_DATA_TYPE_UINT32 : DML_TENSOR_DATA_TYPE_UINT64, PACKED);
    array_make(&test.outputs[0], DML_TENSOR_DATA_TYPE_UINT64, PACKED);
    memset(test.inputs[0].data, 0, test.inputs[0].bytes);
    memset(test.inputs[1].data, 0, test.inputs[1].bytes);
    for (uint64_t i = 0; i < COUNT; i++)
        memcpy(test.inputs[2].data + i * 8, &(uint64_t){(i + 7) * 0x100000001u}, 8);
    int status = compile_test(device, &test);
    if (status == 1) {
        assay_dispatch_result result;
        assay_dispatch_item item = bind(&test);
        uint64_t got[2];
        api->dispatch(device, &item, 1, &result);
        memcpy(got, test.outputs[0].data, sizeof got);
        ok(SUCCEEDED(result.status) && got[0] >> 32 == (uint32_t)got[0] && got[0] && !got[1],
           "duplicate targets of a scatter: one update is there, whole");
        api->destroy_compiled(device, test.compiled);
    } else {
        ok(status == 0, "duplicate targets of a scatter # SKIP %s", api->message(device));
    }
    test_free(&test);
}

static HRESULT open_vulkan(const char *arguments, assay_device **out, char *text, size_t size)
{
    assay_device_config config = {sizeof config, arguments};
    return api->create_device(&config, out, text, size);
}

static void check_refusal(const char *arguments, HRESULT expected)
{
    char text[512] = "";
    assay_device *device = NULL;
    HRESULT result = open_vulkan(arguments, &device, text, sizeof text);
    ok(result == expected && !device && text[0], "\"%s\" is rejected: %s", arguments, text);
    if (device)
        api->destroy_device(device);
}

/* Checks the message if there is no driver, in another process, since the loader reads the environment. */
static void check_no_driver(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char text[512] = "";
        assay_device *device = NULL;
        setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
        setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
        HRESULT result = open_vulkan("", &device, text, sizeof text);
        _exit(result == DXGI_ERROR_UNSUPPORTED && !device && text[0] ? 0 : 1);
    }
    int status = 1;
    ok(child > 0 && waitpid(child, &status, 0) == child && status == 0,
       "without a driver the device is unsupported, with a message");
}

static void check_description(assay_device *device)
{
    assay_device_info info = {.size = sizeof info};
    HRESULT result = api->describe(device, &info);
    ok(result == S_OK && info.name[0] && info.max_batch > 1 && info.max_tensor_bytes,
       "it describes itself: %s, %s, %llu bytes, batches of %u", info.name, info.driver,
       (unsigned long long)info.max_tensor_bytes, info.max_batch);
    ok(api->supports_data_type(device, DML_TENSOR_DATA_TYPE_FLOAT32) &&
           api->supports_data_type(device, DML_TENSOR_DATA_TYPE_UINT4) &&
           !api->supports_data_type(device, DML_TENSOR_DATA_TYPE_UNKNOWN),
       "it has types of 32 and of 4 bits, but none that is unknown");
}

static void check_bad_bindings(assay_device *device)
{
    struct test test = {.type = DML_OPERATOR_GATHER_ELEMENTS};
    do {
        test_free(&test);
        test = (struct test){.type = DML_OPERATOR_GATHER_ELEMENTS};
        make_moves(&test, 100);
    } while (compile_test(device, &test) != 1);
    assay_dispatch_item items[3] = {bind(&test), bind(&test), {0}};
    assay_dispatch_result results[3];
    items[0].input_count = 1;
    HRESULT result = api->dispatch(device, items, 3, results);
    ok(result == S_OK && results[0].status == E_INVALIDARG && results[1].status == S_OK && !inspect(&test) &&
           results[2].status == E_INVALIDARG,
       "a wrong item fails alone");
    api->destroy_compiled(device, test.compiled);
    test_free(&test);
}

/* Tests plans for the other kind of device, with strips for a tiny cache, each batch run twice, through staging
 * buffers. */
static void check_tuned(const char *arguments, int large)
{
    static const char *const tunings[] = {"tuning=gpu,cache=1,repeat=2", "tuning=cpu,cache=64,staging=1"};
    for (size_t i = 0; i < sizeof tunings / sizeof *tunings; i++) {
        char all[512], text[512] = "";
        assay_device *device = NULL;
        snprintf(all, sizeof all, "%s%s%s", arguments, *arguments ? "," : "", tunings[i]);
        if (!ok(open_vulkan(all, &device, text, sizeof text) == S_OK, "a device with %s opens %s", tunings[i], text))
            continue;
        if (large) {
            check_cases(device, DML_OPERATOR_GATHER_ELEMENTS, "GATHER_ELEMENTS", 48, 300000, 101);
            check_cases(device, DML_OPERATOR_SCATTER_ELEMENTS, "SCATTER_ELEMENTS", 48, 300000, 101);
        } else {
            check_operators(device);
        }
        api->destroy_device(device);
    }
}

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!ok(library != NULL, "the library loads") || argc < 2)
        return tap_done();
    const assay_device_api *(*entry)(uint32_t);
    void *symbol = dlsym(library, "assay_device_entry");
    memcpy(&entry, &symbol, sizeof entry);
    api = entry ? entry(ASSAY_DEVICE_ABI) : NULL;
    if (!ok(api && !entry(ASSAY_DEVICE_ABI + 1), "it implements this version of the interface and no other"))
        return tap_done();
    if (argc > 3)
        seed = strtoull(argv[3], NULL, 0);
    if (argc > 4 && !strcmp(argv[4], "large")) {
        check_tuned(argv[2], 1);
        return tap_done();
    }
    whole = argc > 4 && !strcmp(argv[4], "whole");
    /* Most of the time is that of lavapipe's compiler. Here it optimises nothing; in the longer tests it does. */
    if (!whole)
        setenv("GALLIVM_PERF", "nopt", 0);
    check_no_driver();
    check_refusal("level=9_9", E_INVALIDARG);
    check_refusal("colour=red", E_INVALIDARG);
    check_refusal("device=", E_INVALIDARG);
    check_refusal("repeat=0", E_INVALIDARG);
    check_refusal("repeat=1001", E_INVALIDARG);
    check_refusal("repeat=2x", E_INVALIDARG);
    check_refusal("tuning=tpu", E_INVALIDARG);
    check_refusal("staging=2", E_INVALIDARG);
    check_refusal("cache=", E_INVALIDARG);
    check_refusal("device=no such device", DXGI_ERROR_UNSUPPORTED);
    char text[512] = "";
    assay_device *device = NULL;
    HRESULT result = open_vulkan(argc > 2 ? argv[2] : "", &device, text, sizeof text);
    if (result == DXGI_ERROR_UNSUPPORTED) {
        skip_rest("%s", text);
        return tap_done();
    }
    if (!ok(result == S_OK, "the device opens%s%s", text[0] ? ": " : "", text))
        return tap_done();
    check_description(device);
    check_bad_bindings(device);
    check_duplicates(device);
    check_operators(device);
    check_large_nonzero(device);
    api->destroy_device(device);
    check_tuned(argc > 2 ? argv[2] : "", 0);
    return tap_done();
}
