/* bench_lines.c: measures a device's reductions and cumulative operators: bench_lines [LIBRARY] [ARGUMENTS] [MEBI]
 *
 * Each operator runs on MEBI x 2^20 elements (default: 1; 64 for a GPU) in several shapes. The program prints the least
 * device time of three dispatches, by the device's own clock, in milliseconds, and the bytes of input and output per
 * second. As for bench_device, give the Vulkan device `repeat=400`. bench_torch_lines.py measures the same with
 * PyTorch. */
#include "device/test/bench_open.h"

#include <stdlib.h>

enum { DISPATCHES = 3, RANK = 3 };

static const assay_device_api *api;
static assay_device *device;
static void *in_data, *out_data;

struct shape {
    const char *name;
    UINT sizes[RANK];
    uint32_t axes; /* a bit for each axis; cumulative operators have one axis */
};

static uint64_t describe_tensor(DML_BUFFER_TENSOR_DESC *buffer, DML_TENSOR_DATA_TYPE type, const UINT *sizes)
{
    uint64_t bytes = type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 2 : 4;
    for (int d = 0; d < RANK; d++)
        bytes *= sizes[d];
    *buffer = (DML_BUFFER_TENSOR_DESC){
        .DataType = type, .DimensionCount = RANK, .Sizes = sizes, .TotalTensorSizeInBytes = (bytes + 3) / 4 * 4};
    return buffer->TotalTensorSizeInBytes;
}

static void measure_lines(const char *name, const struct shape *shape, DML_OPERATOR_TYPE type, const void *desc,
                          uint64_t in_bytes, uint64_t out_bytes)
{
    const DML_OPERATOR_DESC description = {type, desc};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding in = {in_data, 0, in_bytes}, out = {out_data, 0, out_bytes};
    double least = 0;
    HRESULT status = api->create_operator(device, &description, &op);
    if (SUCCEEDED(status))
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    assay_dispatch_item item = {
        .compiled = compiled, .inputs = &in, .outputs = &out, .input_count = 1, .output_count = 1};
    for (int i = 0; i < DISPATCHES && SUCCEEDED(status); i++) {
        assay_dispatch_result result = {.status = E_FAIL};
        status = api->dispatch(device, &item, 1, &result);
        double ms = 1e-6 * (double)result.device_ns;
        if (SUCCEEDED(status))
            status = result.status;
        least = i == 0 || ms < least ? ms : least;
    }
    if (FAILED(status))
        printf("%-16s %-24s failed: %s\n", name, shape->name, api->message(device));
    else
        printf("%-16s %-24s %9.4f ms %8.1f GB/s\n", name, shape->name, least,
               1e-6 * (double)(in_bytes + out_bytes) / least);
    fflush(stdout);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
}

static void measure_reduce(const char *name, const struct shape *shape, DML_REDUCE_FUNCTION function,
                           DML_TENSOR_DATA_TYPE type)
{
    int is_index = function == DML_REDUCE_FUNCTION_ARGMAX;
    UINT sizes[RANK], axes[RANK], count = 0;
    DML_BUFFER_TENSOR_DESC in, out;
    for (UINT d = 0; d < RANK; d++) {
        sizes[d] = shape->axes >> d & 1 ? 1 : shape->sizes[d];
        if (shape->axes >> d & 1)
            axes[count++] = d;
    }
    uint64_t in_bytes = describe_tensor(&in, type, shape->sizes);
    uint64_t out_bytes = describe_tensor(&out, is_index ? DML_TENSOR_DATA_TYPE_UINT32 : type, sizes);
    const DML_TENSOR_DESC x = {DML_TENSOR_TYPE_BUFFER, &in}, y = {DML_TENSOR_TYPE_BUFFER, &out};
    const DML_REDUCE_OPERATOR_DESC desc = {function, &x, &y, count, axes};
    measure_lines(name, shape, DML_OPERATOR_REDUCE, &desc, in_bytes, out_bytes);
}

static void measure_cumulative(const char *name, const struct shape *shape, DML_TENSOR_DATA_TYPE type)
{
    DML_BUFFER_TENSOR_DESC buffer;
    UINT axis = 0;
    while (!(shape->axes >> axis & 1))
        axis++;
    uint64_t bytes = describe_tensor(&buffer, type, shape->sizes);
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc = {&tensor, &tensor, axis, DML_AXIS_DIRECTION_INCREASING, 0};
    measure_lines(name, shape, DML_OPERATOR_CUMULATIVE_SUMMATION, &desc, bytes, bytes);
}

static void measure_shapes(UINT mebi)
{
    const UINT all = mebi << 20, edge = mebi * 128;
    const struct shape shapes[] = {
        {"all to one", {1, 1, all}, 4},          {"rows of 8192", {1, edge, 8192}, 4},
        {"columns of 8192", {1, 8192, edge}, 2}, {"rows of 64", {1, all / 64, 64}, 4},
        {"rows of 4", {1, all / 4, 4}, 4},       {"channels of batches", {64, 256, all / 16384}, 5},
        {"three columns", {1, all / 3, 3}, 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        measure_reduce("SUM", &shapes[i], DML_REDUCE_FUNCTION_SUM, DML_TENSOR_DATA_TYPE_FLOAT32);
    for (size_t i = 0; i < 3; i++)
        measure_reduce("SUM of FLOAT16", &shapes[i], DML_REDUCE_FUNCTION_SUM, DML_TENSOR_DATA_TYPE_FLOAT16);
    for (size_t i = 0; i < 3; i++) {
        measure_reduce("MAX", &shapes[i], DML_REDUCE_FUNCTION_MAX, DML_TENSOR_DATA_TYPE_FLOAT32);
        measure_reduce("ARGMAX", &shapes[i], DML_REDUCE_FUNCTION_ARGMAX, DML_TENSOR_DATA_TYPE_FLOAT32);
        measure_reduce("LOG_SUM_EXP", &shapes[i], DML_REDUCE_FUNCTION_LOG_SUM_EXP, DML_TENSOR_DATA_TYPE_FLOAT32);
    }
    for (size_t i = 0; i < 5; i++)
        measure_cumulative("CUMULATIVE_SUM", &shapes[i], DML_TENSOR_DATA_TYPE_FLOAT32);
    measure_cumulative("of FLOAT16", &shapes[0], DML_TENSOR_DATA_TYPE_FLOAT16);
    measure_cumulative("of INT32", &shapes[0], DML_TENSOR_DATA_TYPE_INT32);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "build/devices/reference.so";
    unsigned long mebi = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    if (mebi < 1 || mebi > 512) {
        fprintf(stderr, "bench_lines: expected MEBI from 1 to 512\n");
        return 2;
    }
    int status = bench_open("bench_lines", path, argc > 2 ? argv[2] : "", &api, &device);
    if (status != 0)
        return status;
    in_data = calloc(mebi << 20, 4);
    out_data = calloc(mebi << 20, 4);
    if (!in_data || !out_data)
        return 1;
    measure_shapes((UINT)mebi);
    free(in_data);
    free(out_data);
    api->destroy_device(device);
    return 0;
}
