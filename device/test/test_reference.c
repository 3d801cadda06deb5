/* test_reference.c: the calls of the reference device, including calls that must fail. */
#include "device/device.h"
#include "tools/tap.h"

#include <string.h>

enum { MOST = 12, GUARD = 16 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

static const assay_device_api *api;
static assay_device *device;

/* A packed tensor of elements of 4 bytes, between guards. */
struct grid {
    UINT sizes[2];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    uint32_t memory[GUARD + MOST + GUARD];
};

/* Sets the elements. Null: to a pattern, as the guards. */
static void grid_fill(struct grid *grid, const void *values)
{
    memset(grid->memory, 0x77, sizeof grid->memory);
    if (values)
        memcpy(grid->memory + GUARD, values, grid->buffer.TotalTensorSizeInBytes);
}

static void grid_make(struct grid *grid, DML_TENSOR_DATA_TYPE type, UINT rows, UINT columns, const void *values)
{
    *grid = (struct grid){.sizes = {rows, columns}};
    grid->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type,
                                            .DimensionCount = 2,
                                            .Sizes = grid->sizes,
                                            .TotalTensorSizeInBytes = (UINT64)rows * columns * 4};
    grid->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &grid->buffer};
    grid_fill(grid, values);
}

/* Tells whether the grid has these elements, and its guards are as they were. */
static int grid_holds(const struct grid *grid, const void *values)
{
    struct grid expected = *grid;
    grid_fill(&expected, values);
    return memcmp(grid->memory, expected.memory, sizeof expected.memory) == 0;
}

static assay_binding grid_binding(struct grid *grid)
{
    return (assay_binding){grid->memory, sizeof(uint32_t) * GUARD, grid->buffer.TotalTensorSizeInBytes};
}

static HRESULT open_reference_device(const char *arguments, assay_device **out, char *message, size_t message_size)
{
    assay_device_config config = {sizeof config, arguments};
    return api->create_device(&config, out, message, message_size);
}

static void test_device(void)
{
    static const char *const wrong[] = {"level=2_2",     "level=",      "level",    "levels=2_1", "leve=2_1",
                                        "threads=0",     "threads=257", "threads=", "threads=2x", "threads",
                                        "level=2_1,x=1", "=",           ","};
    assay_device_info info;
    assay_device *other = device;
    char message[256];

    ok(assay_device_entry(ASSAY_DEVICE_ABI + 1) == NULL, "another ABI gets null");
    ok(api->abi == ASSAY_DEVICE_ABI && api->size == sizeof *api, "ABI and size");
    memset(&info, 0xAA, sizeof info);
    info.size = sizeof info;
    ok(api->describe(device, &info) == S_OK && info.feature_level == DML_FEATURE_LEVEL_6_4, "highest level by default");
    ok(!strcmp(info.name, "reference") && !strcmp(info.version, "1") && info.max_batch == 128 && !info.driver[0] &&
           info.size == sizeof info && !info.max_tensor_bytes,
       "the device describes itself");
    memset(&info, 0xAA, sizeof info);
    info.size = offsetof(assay_device_info, max_batch);
    ok(api->describe(device, &info) == S_OK && info.max_batch == 0xAAAAAAAA,
       "describe() writes nothing past the given size");

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        other = device;
        message[0] = 0;
        ok(open_reference_device(wrong[i], &other, message, sizeof message) == E_INVALIDARG && !other &&
               strstr(message, !strncmp(wrong[i], "threads", 7) ? "threads" : "level"),
           "arguments \"%s\" are refused: %s", wrong[i], message);
    }
    ok(open_reference_device("level=2_1", &other, message, sizeof message) == S_OK && other && !message[0],
       "level=2_1");
    info.size = sizeof info;
    ok(api->describe(other, &info) == S_OK && info.feature_level == DML_FEATURE_LEVEL_2_1,
       "  the device has level 2_1");
    api->destroy_device(other);
    api->destroy_device(NULL);
    api->destroy_operator(device, NULL);
    api->destroy_compiled(device, NULL);
    for (int type = -1; type < 20; type++)
        if (!api->supports_data_type(device, (DML_TENSOR_DATA_TYPE)type) != !(type >= 1 && type <= 13))
            ok(0, "type %d", type);
}

static void test_dispatch(void)
{
    static const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, gathered[] = {9, 2, 7, 12, 1, 2, 7, 8};
    static const uint32_t places[] = {2, 0, 1, 2, 0, 0, 1, 1};
    struct grid input, indices, output;
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {&input.tensor, &indices.tensor, &output.tensor, 7};
    DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_GATHER_ELEMENTS, &desc};
    assay_operator *made = (assay_operator *)&input;
    assay_compiled *compiled = NULL;
    assay_dispatch_result results[8];

    grid_make(&input, TYPE(FLOAT32), 3, 4, x);
    grid_make(&indices, TYPE(UINT32), 2, 4, places);
    grid_make(&output, TYPE(FLOAT32), 2, 4, NULL);
    ok(api->create_operator(device, &operator_desc, &made) == E_INVALIDARG && !made &&
           !strcmp(api->message(device), "Axis is 7; it must be from 0 to 1."),
       "a refusal: %s", api->message(device));
    desc.Axis = 0;
    ok(api->create_operator(device, &operator_desc, &made) == S_OK && made, "an operator is created");
    ok(api->compile_operator(device, made, (DML_EXECUTION_FLAGS)8, &compiled) == E_INVALIDARG && !compiled,
       "an unknown execution flag");
    ok(api->compile_operator(device, made, (DML_EXECUTION_FLAGS)7, &compiled) == S_OK && compiled,
       "all defined flags are accepted");
    api->destroy_operator(device, made);
    assay_binding in[] = {grid_binding(&input), grid_binding(&indices)}, out[] = {grid_binding(&output)};
    assay_binding bad_in[] = {in[0], in[1]}, bad_out[] = {out[0]}, null_in[] = {in[0], in[1]};
    bad_in[1].size--;
    bad_out[0].size--;
    null_in[0].base = NULL;
    {
        assay_dispatch_item items[8] = {
            {compiled, in, out, 1, 1},     {compiled, in, out, 2, 0},      {compiled, bad_in, out, 2, 1},
            {compiled, in, bad_out, 2, 1}, {compiled, null_in, out, 2, 1}, {compiled, NULL, out, 2, 1},
            {NULL, in, out, 2, 1},         {compiled, in, out, 2, 1},
        };
        memset(results, 0xAA, sizeof results);
        ok(api->dispatch(device, items, 7, results) == S_OK && grid_holds(&output, NULL),
           "seven items that cannot run");
        for (int i = 0; i < 7; i++)
            ok(results[i].status == E_INVALIDARG && results[i].device_ns == 0, "item %d is rejected", i);
        ok(api->message(device)[0] != 0, "%s", api->message(device));
        ok(api->dispatch(device, items, 8, results) == S_OK && results[7].status == S_OK && results[7].device_ns > 0 &&
               grid_holds(&output, gathered),
           "the good one among them runs");
    }
    api->destroy_compiled(device, compiled);
}

/* Makes y = scale x + bias of four numbers, by a new operator. */
static assay_compiled *make_identity(struct grid *x, struct grid *y, const DML_SCALE_BIAS *scale_bias)
{
    DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC desc = {&x->tensor, &y->tensor, scale_bias};
    DML_OPERATOR_DESC operator_desc = {DML_OPERATOR_ELEMENT_WISE_IDENTITY, &desc};
    assay_operator *made = NULL;
    assay_compiled *compiled = NULL;
    if (api->create_operator(device, &operator_desc, &made) == S_OK)
        api->compile_operator(device, made, DML_EXECUTION_FLAG_NONE, &compiled);
    api->destroy_operator(device, made);
    return compiled;
}

static int computes_expected(assay_compiled *compiled, struct grid *x, struct grid *y, const float *expected)
{
    assay_binding in = grid_binding(x), out = grid_binding(y);
    assay_dispatch_item item = {compiled, &in, &out, 1, 1};
    assay_dispatch_result result;
    grid_fill(y, NULL);
    return compiled && api->dispatch(device, &item, 1, &result) == S_OK && result.status == S_OK &&
           grid_holds(y, expected);
}

/* Destroyed objects are reused: the next object must have no trace of the last one, and two objects must not share
 * memory. */
static void test_spares(void)
{
    static const float numbers[] = {1, 2, 3, 4}, scaled[] = {12, 14, 16, 18}, negated[] = {-1, -2, -3, -4};
    static const DML_SCALE_BIAS twice_plus_ten = {2, 10}, minus = {-1, 0};
    struct grid x, y, wrong;
    assay_compiled *first, *second, *third;

    grid_make(&x, TYPE(FLOAT32), 2, 2, numbers);
    grid_make(&y, TYPE(FLOAT32), 2, 2, NULL);
    grid_make(&wrong, TYPE(FLOAT32), 2, 3, NULL);
    first = make_identity(&x, &y, &twice_plus_ten);
    ok(computes_expected(first, &x, &y, scaled), "an operator with a scale and a bias");
    api->destroy_compiled(device, first);
    ok(!make_identity(&x, &wrong, &twice_plus_ten), "  a description that is rejected");
    first = make_identity(&x, &y, NULL);
    second = make_identity(&x, &y, &minus);
    third = make_identity(&x, &y, &twice_plus_ten);
    ok(first != second && first != third && second != third, "  three operators at once");
    ok(computes_expected(first, &x, &y, numbers), "  the first has no trace of the destroyed one");
    ok(computes_expected(second, &x, &y, negated) && computes_expected(third, &x, &y, scaled), "  nor of later ones");
    api->destroy_compiled(device, second);
    api->destroy_compiled(device, third);
    ok(computes_expected(first, &x, &y, numbers), "  it computes the same when the others are destroyed");
    second = make_identity(&x, &y, &minus);
    ok(computes_expected(first, &x, &y, numbers) && computes_expected(second, &x, &y, negated),
       "  and another one is made");
    api->destroy_compiled(device, first);
    api->destroy_compiled(device, second);
}

int main(void)
{
    char message[256];
    api = assay_device_entry(ASSAY_DEVICE_ABI);
    if (!ok(api != NULL, "the device implements this ABI") ||
        !ok(open_reference_device("", &device, message, sizeof message) == S_OK && device,
            "a device opens without arguments"))
        return tap_done();
    test_device();
    test_dispatch();
    test_spares();
    api->destroy_device(device);
    return tap_done();
}
