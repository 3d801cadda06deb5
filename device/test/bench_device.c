/* bench_device.c: measures a device's kernels on large tensors: bench_device [LIBRARY] [ARGUMENTS] [EDGE]
 *
 * Each operator runs on tensors of EDGE x EDGE FLOAT32 elements (default: 512; 16384 for a GPU) with random indices.
 * The program prints the least device time of three dispatches, by the device's own clock, in milliseconds, and the
 * host time of that dispatch; for one operator also the times of four items in a dispatch, where a device can transfer
 * one item while another one runs. An idle GPU has a low clock: give the Vulkan device `repeat=400`, so that the
 * dispatch that counts follows others. bench_torch.py measures the same operators with PyTorch. */
#include "device/test/bench_open.h"
#include "device/test/random.h"

#include <stdlib.h>
#include <time.h>

enum { DISPATCHES = 3, OPERANDS = 3, MOST_ITEMS = 4 };

struct tensor {
    DML_TENSOR_DESC desc;
    DML_BUFFER_TENSOR_DESC buffer;
    UINT sizes[2];
    void *data;
};

static const assay_device_api *api;
static assay_device *device;

static uint64_t element_count(const struct tensor *t)
{
    return (uint64_t)t->sizes[0] * t->sizes[1];
}

/* Makes a packed tensor of two dimensions, zeroed. Ends the program if there is no memory. */
static struct tensor *make_tensor(DML_TENSOR_DATA_TYPE type, UINT rows, UINT columns)
{
    struct tensor *t = calloc(1, sizeof *t);
    uint64_t bytes = (uint64_t)rows * columns * (type == DML_TENSOR_DATA_TYPE_INT64 ? 8 : 4);
    bytes = (bytes + 63) / 64 * 64;
    if (!t || !(t->data = aligned_alloc(64, bytes)))
        exit(1);
    memset(t->data, 0, bytes);
    t->sizes[0] = rows;
    t->sizes[1] = columns;
    t->buffer = (DML_BUFFER_TENSOR_DESC){
        .DataType = type,
        .DimensionCount = 2,
        .Sizes = t->sizes,
        .TotalTensorSizeInBytes =
            ((uint64_t)rows * columns * (type == DML_TENSOR_DATA_TYPE_INT64 ? 8 : 4) + 3) / 4 * 4};
    t->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &t->buffer};
    return t;
}

static void free_tensor(struct tensor *t)
{
    free(t->data);
    free(t);
}

static struct tensor *make_indices(UINT rows, UINT columns, uint64_t below)
{
    struct tensor *t = make_tensor(DML_TENSOR_DATA_TYPE_INT64, rows, columns);
    for (uint64_t i = 0; i < element_count(t); i++)
        ((int64_t *)t->data)[i] = (int64_t)(random_number() % below);
    return t;
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int fill_bindings(struct tensor *const *tensors, assay_binding *bindings)
{
    int count = 0;
    for (; count < OPERANDS && tensors[count]; count++)
        bindings[count] =
            (assay_binding){.base = tensors[count]->data, .size = tensors[count]->buffer.TotalTensorSizeInBytes};
    return count;
}

/* Dispatches `count` items at once, which have the same inputs. `inputs` and the outputs of each item end with null if
 * there are fewer than OPERANDS. */
static void measure_items(const char *name, DML_OPERATOR_TYPE type, const void *desc, struct tensor *const *inputs,
                          uint32_t count, struct tensor *const *const *outputs)
{
    const DML_OPERATOR_DESC description = {type, desc};
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding in[OPERANDS], out[MOST_ITEMS][OPERANDS];
    assay_dispatch_item items[MOST_ITEMS];
    double least = 0, host = 0;
    HRESULT status = api->create_operator(device, &description, &op);
    if (SUCCEEDED(status))
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (assay_dispatch_item){.compiled = compiled, .inputs = in, .outputs = out[i]};
        items[i].input_count = (uint32_t)fill_bindings(inputs, in);
        items[i].output_count = (uint32_t)fill_bindings(outputs[i], out[i]);
    }
    for (int i = 0; i < DISPATCHES && SUCCEEDED(status); i++) {
        assay_dispatch_result results[MOST_ITEMS];
        double start = milliseconds();
        status = api->dispatch(device, items, count, results);
        double took = milliseconds() - start, ms = 0;
        for (uint32_t k = 0; k < count && SUCCEEDED(status); k++) {
            ms += 1e-6 * (double)results[k].device_ns;
            status = results[k].status;
        }
        if (i == 0 || ms < least || (ms == least && took < host)) {
            least = ms;
            host = took;
        }
    }
    if (FAILED(status))
        printf("%-32s failed: %s\n", name, api->message(device));
    else
        printf("%-32s device %9.3f ms  host %9.1f ms\n", name, least, host);
    fflush(stdout);
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
}

static void measure_operator(const char *name, DML_OPERATOR_TYPE type, const void *desc, struct tensor *const *inputs,
                             struct tensor *const *outputs)
{
    measure_items(name, type, desc, inputs, 1, &outputs);
}

static void measure_device(UINT edge)
{
    UINT few = edge * (edge / 16);
    struct tensor *x = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, edge, edge);
    struct tensor *y = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, edge, edge);
    for (uint64_t i = 0; i < element_count(x); i++)
        ((uint32_t *)x->data)[i] = (uint32_t)random_number() & 0x3fffffff;
    struct tensor *indices = make_indices(edge, edge, edge);
    for (UINT axis = 2; axis-- > 0;) {
        const DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {&x->desc, &indices->desc, &y->desc, axis};
        measure_operator(axis ? "GATHER_ELEMENTS axis 1" : "GATHER_ELEMENTS axis 0", DML_OPERATOR_GATHER_ELEMENTS,
                         &desc, (struct tensor *[]){x, indices, NULL}, (struct tensor *[]){y, NULL});
    }
    free_tensor(indices);

    struct tensor *tuples = make_indices(few, 2, edge), *values = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, 1, few);
    const DML_GATHER_ND_OPERATOR_DESC elements = {&x->desc, &tuples->desc, &values->desc, 2, 2};
    measure_operator("GATHER_ND elements", DML_OPERATOR_GATHER_ND, &elements, (struct tensor *[]){x, tuples, NULL},
                     (struct tensor *[]){values, NULL});
    const DML_SCATTER_ND_OPERATOR_DESC updates = {&x->desc, &tuples->desc, &values->desc, &y->desc, 2, 2};
    measure_operator("SCATTER_ND elements", DML_OPERATOR_SCATTER_ND, &updates, (struct tensor *[]){x, tuples, values},
                     (struct tensor *[]){y, NULL});
    free_tensor(tuples);
    free_tensor(values);

    struct tensor *rows = make_indices(edge, 1, edge);
    const DML_GATHER_ND_OPERATOR_DESC gather_rows = {&x->desc, &rows->desc, &y->desc, 2, 2};
    measure_operator("GATHER_ND rows", DML_OPERATOR_GATHER_ND, &gather_rows, (struct tensor *[]){x, rows, NULL},
                     (struct tensor *[]){y, NULL});
    free_tensor(rows);
    struct tensor *one = make_indices(1, 1, edge), *row = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, 1, edge);
    const DML_SCATTER_ND_OPERATOR_DESC copy = {&x->desc, &one->desc, &row->desc, &y->desc, 2, 2};
    measure_operator("SCATTER_ND one row (a copy)", DML_OPERATOR_SCATTER_ND, &copy, (struct tensor *[]){x, one, row},
                     (struct tensor *[]){y, NULL});
    struct tensor *copies[MOST_ITEMS][2] = {{y}};
    for (int i = 1; i < MOST_ITEMS; i++)
        copies[i][0] = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, edge, edge);
    measure_items("  four of them in one dispatch", DML_OPERATOR_SCATTER_ND, &copy, (struct tensor *[]){x, one, row},
                  MOST_ITEMS, (struct tensor *const *const[]){copies[0], copies[1], copies[2], copies[3]});
    for (int i = 1; i < MOST_ITEMS; i++)
        free_tensor(copies[i][0]);
    free_tensor(one);
    free_tensor(row);
    free_tensor(x);
    free_tensor(y);

    UINT quarter = edge / 4;
    struct tensor *flags = make_tensor(DML_TENSOR_DATA_TYPE_FLOAT32, quarter, edge);
    struct tensor *count = make_tensor(DML_TENSOR_DATA_TYPE_UINT32, 1, 1);
    struct tensor *coordinates = make_tensor(DML_TENSOR_DATA_TYPE_UINT32, quarter * edge, 2);
    const DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&flags->desc, &count->desc, &coordinates->desc};
    for (int percent = 50; percent > 0; percent -= 49) {
        for (uint64_t i = 0; i < element_count(flags); i++)
            ((float *)flags->data)[i] = random_number() % 100 < (uint64_t)percent;
        measure_operator(percent == 50 ? "NONZERO_COORDINATES 50 %" : "NONZERO_COORDINATES 1 %",
                         DML_OPERATOR_NONZERO_COORDINATES, &desc, (struct tensor *[]){flags, NULL},
                         (struct tensor *[]){count, coordinates, NULL});
    }
    free_tensor(flags);
    free_tensor(count);
    free_tensor(coordinates);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "build/devices/reference.so";
    unsigned long edge = argc > 3 ? strtoul(argv[3], NULL, 10) : 512;
    if (edge < 64 || edge > 16384) {
        fprintf(stderr, "bench_device: expected an EDGE from 64 to 16384\n");
        return 2;
    }
    int status = bench_open("bench_device", path, argc > 2 ? argv[2] : "", &api, &device);
    if (status != 0)
        return status;
    assay_device_info info = {.size = sizeof info};
    api->describe(device, &info);
    printf("%s, %s; tensors of %lu x %lu\n", info.name, info.driver, edge, edge);
    measure_device((UINT)edge);
    api->destroy_device(device);
    return 0;
}
