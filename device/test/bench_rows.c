/* bench_rows.c: measures devices on one long row: bench_rows [LIBRARY [ARGUMENTS [MEBI]]]
 *
 * The operators are a sum of MEBI x 2^20 FLOAT32 elements to one (default: 64), their running sums, and the first 100
 * of a quarter as many. Without a library, the devices are the reference device and the Vulkan device on lavapipe. The
 * program prints the median time of five dispatches by the clock of the host, in milliseconds, and beside it that of a
 * C loop on one core that reads, or reads and writes, the same bytes. */
#include "device/test/bench_open.h"

#include <stdlib.h>
#include <time.h>

enum { DISPATCHES = 5, CHOSEN = 100 };

static const assay_device_api *api;
static assay_device *device;
static float *in_data, *out_data;
static UINT row;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[DISPATCHES])
{
    qsort(times, DISPATCHES, sizeof *times, compare);
    return times[DISPATCHES / 2];
}

/* Returns the sum of the words: one core cannot read memory faster. */
static uint64_t read_all(uint64_t bytes)
{
    uint64_t sums[8] = {0}, sum = 0, word;
    for (uint64_t i = 0; i + 64 <= bytes; i += 64)
        for (int k = 0; k < 8; k++) {
            memcpy(&word, (const char *)in_data + i + 8 * (uint64_t)k, 8);
            sums[k] += word;
        }
    for (int k = 0; k < 8; k++)
        sum += sums[k];
    return sum;
}

/* Adds up the elements in order, as each sum must: without tiles, no loop is faster. */
static float add_in_order(uint64_t count)
{
    float sum = 0;
    for (uint64_t i = 0; i < count; i++)
        out_data[i] = sum += in_data[i];
    return sum;
}

static double limit_of(uint64_t count, int writes)
{
    static volatile double kept; /* keeps compilers from removing the loops */
    double times[DISPATCHES];
    for (int i = 0; i < DISPATCHES; i++) {
        double begin = now_ms();
        kept = writes ? (double)add_in_order(count) : (double)read_all(count * sizeof *in_data);
        times[i] = now_ms() - begin;
    }
    (void)kept;
    return median(times);
}

static void measure_row(const char *name, DML_OPERATOR_TYPE type, const void *desc, const assay_binding *outputs,
                        uint32_t output_count, UINT count, int writes)
{
    const DML_OPERATOR_DESC description = {type, desc};
    const assay_binding input = {in_data, 0, (uint64_t)count * sizeof *in_data};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    double times[DISPATCHES];
    HRESULT status = api->create_operator(device, &description, &op);
    if (SUCCEEDED(status))
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    assay_dispatch_item item = {
        .compiled = compiled, .inputs = &input, .outputs = outputs, .input_count = 1, .output_count = output_count};
    for (int i = 0; i < DISPATCHES && SUCCEEDED(status); i++) {
        assay_dispatch_result result = {.status = E_FAIL};
        double begin = now_ms();
        status = api->dispatch(device, &item, 1, &result);
        times[i] = now_ms() - begin;
        if (SUCCEEDED(status))
            status = result.status;
    }
    if (FAILED(status))
        printf("  %-24s failed: %s\n", name, api->message(device));
    else
        printf("  %-24s %10.1f ms; a C loop %8.1f ms\n", name, median(times), limit_of(count, writes));
    fflush(stdout);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
}

static DML_TENSOR_DESC describe_row(DML_BUFFER_TENSOR_DESC *buffer, DML_TENSOR_DATA_TYPE type, const UINT *size)
{
    *buffer = (DML_BUFFER_TENSOR_DESC){
        .DataType = type, .DimensionCount = 1, .Sizes = size, .TotalTensorSizeInBytes = *size * 4ull};
    return (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, buffer};
}

static void measure_rows(void)
{
    const UINT one = 1, axis = 0, quarter = row / 4, chosen = CHOSEN;
    DML_BUFFER_TENSOR_DESC buffers[5];
    const DML_TENSOR_DESC all = describe_row(&buffers[0], DML_TENSOR_DATA_TYPE_FLOAT32, &row),
                          sum = describe_row(&buffers[1], DML_TENSOR_DATA_TYPE_FLOAT32, &one),
                          some = describe_row(&buffers[2], DML_TENSOR_DATA_TYPE_FLOAT32, &quarter),
                          values = describe_row(&buffers[3], DML_TENSOR_DATA_TYPE_FLOAT32, &chosen),
                          indices = describe_row(&buffers[4], DML_TENSOR_DATA_TYPE_UINT32, &chosen);
    const DML_REDUCE_OPERATOR_DESC reduce = {DML_REDUCE_FUNCTION_SUM, &all, &sum, 1, &axis};
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC scan = {&all, &all, 0, DML_AXIS_DIRECTION_INCREASING, 0};
    const DML_TOP_K_OPERATOR_DESC top = {&some, &values, &indices, 0, CHOSEN};
    const assay_binding whole = {out_data, 0, 4ull * row}, first = {out_data, 0, 4},
                        two[] = {{out_data, 0, 4ull * CHOSEN}, {out_data + CHOSEN, 0, 4ull * CHOSEN}};
    measure_row("sum of a row to one", DML_OPERATOR_REDUCE, &reduce, &first, 1, row, 0);
    measure_row("running sums of a row", DML_OPERATOR_CUMULATIVE_SUMMATION, &scan, &whole, 1, row, 1);
    measure_row("first 100 of a quarter", DML_OPERATOR_TOP_K, &top, two, 2, quarter, 0);
}

static int run_bench(const char *path, const char *arguments)
{
    int status = bench_open("bench_rows", path, arguments, &api, &device);
    if (status != 0)
        return status;
    assay_device_info info = {.size = sizeof info};
    api->describe(device, &info);
    printf("%s, %s; rows of %u Mi\n", info.name, info.driver, row >> 20);
    measure_rows();
    api->destroy_device(device);
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long mebi = argc > 3 ? strtoul(argv[3], NULL, 10) : 64;
    if (mebi < 1 || mebi > 512) {
        fprintf(stderr, "bench_rows: expected MEBI from 1 to 512\n");
        return 2;
    }
    row = (UINT)mebi << 20;
    in_data = malloc(sizeof *in_data * row);
    out_data = malloc(sizeof *out_data * row);
    if (!in_data || !out_data)
        return 1;
    uint32_t random = 1;
    for (UINT i = 0; i < row; i++) {
        random = random * 1664525u + 1013904223u;
        in_data[i] = (float)(int32_t)random * 0x1p-31f;
        out_data[i] = 0;
    }
    const char *arguments = argc > 2 ? argv[2] : "";
    int status = run_bench(argc > 1 ? argv[1] : "build/devices/reference.so", arguments);
    if (status == 0 && argc == 1)
        status = run_bench("build/devices/vulkan.so", "device=llvmpipe");
    free(in_data);
    free(out_data);
    return status;
}
