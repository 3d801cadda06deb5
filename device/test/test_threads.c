/* test_threads.c: the reference device computes the same bits on one thread and on three, for tensors that are large
 * enough to be divided: an operator or more of each family, and each dimension where a cut could be wrong. */
#include "device/device.h"
#include "device/reference/kernel.h"
#include "device/reference/parts.h"
#include "device/test/random.h"
#include "tools/tap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RANK = 4, MOST_TENSORS = 8, THREADS = 3, LEAST_BYTES = 1 << 20 };

#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define U32 DML_TENSOR_DATA_TYPE_UINT32
#define I32 DML_TENSOR_DATA_TYPE_INT32
#define U8 DML_TENSOR_DATA_TYPE_UINT8
#define OP(name) DML_OPERATOR_##name

static const assay_device_api *api;
static assay_device *alone, *together;

struct box {
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC desc;
    UINT sizes[RANK];
    char *memory, *copy; /* copy: contents of an output on one thread */
};

static struct box inputs[MOST_TENSORS], outputs[MOST_TENSORS];
static uint32_t input_count, output_count;

static uint64_t box_elements(const struct box *box)
{
    uint64_t count = 1;
    for (UINT i = 0; i < box->buffer.DimensionCount; i++)
        count *= box->sizes[i];
    return count;
}

/* Makes a tensor. `n` of 0: it has three dimensions. */
static const DML_TENSOR_DESC *make_box(struct box *box, DML_TENSOR_DATA_TYPE type, UINT n, UINT c, UINT h, UINT w)
{
    const UINT sizes[RANK] = {n, c, h, w}, rank = n > 0 ? RANK : RANK - 1;
    memcpy(box->sizes, sizes + RANK - rank, rank * sizeof *sizes);
    box->buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type, .DimensionCount = rank, .Sizes = box->sizes};
    const uint64_t bytes = (box_elements(box) * (type == U8 ? 1 : 4) + 3) / 4 * 4;
    box->buffer.TotalTensorSizeInBytes = bytes;
    box->desc = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &box->buffer};
    box->memory = malloc(bytes);
    box->copy = malloc(bytes);
    if (!box->memory || !box->copy)
        exit(1);
    memset(box->memory, 7, bytes);
    return &box->desc;
}

/* Makes the input with this number: its numbers are from -8 to 8, or from 0 to 99. */
static const DML_TENSOR_DESC *in(uint32_t number, DML_TENSOR_DATA_TYPE type, UINT n, UINT c, UINT h, UINT w)
{
    struct box *box = &inputs[number];
    input_count = number < input_count ? input_count : number + 1;
    const DML_TENSOR_DESC *desc = make_box(box, type, n, c, h, w);
    for (uint64_t i = 0; i < box_elements(box); i++) {
        const uint64_t drawn = random_number();
        const float real = (float)(drawn >> 40) * 0x1p-20f - 8;
        const uint32_t whole = (uint32_t)(drawn % 100);
        if (type == U8)
            box->memory[i] = (char)whole;
        else if (type == F32)
            memcpy(box->memory + 4 * i, &real, 4);
        else
            memcpy(box->memory + 4 * i, &whole, 4);
    }
    return desc;
}

static const DML_TENSOR_DESC *out(uint32_t number, DML_TENSOR_DATA_TYPE type, UINT n, UINT c, UINT h, UINT w)
{
    output_count = number < output_count ? output_count : number + 1;
    return make_box(&outputs[number], type, n, c, h, w);
}

static void drop_box(struct box *boxes, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++) {
        free(boxes[i].memory);
        free(boxes[i].copy);
    }
    *count = 0;
}

/* Runs an operator. `in_place`: the first output has the memory of the first input. */
static HRESULT run_on_device(assay_device *device, const DML_OPERATOR_DESC *desc, int in_place)
{
    assay_binding in_bindings[MOST_TENSORS], out_bindings[MOST_TENSORS];
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_dispatch_result result = {.status = E_FAIL};
    for (uint32_t i = 0; i < input_count; i++)
        in_bindings[i] = (assay_binding){inputs[i].memory, 0, inputs[i].buffer.TotalTensorSizeInBytes};
    for (uint32_t i = 0; i < output_count; i++)
        out_bindings[i] = (assay_binding){outputs[i].memory, 0, outputs[i].buffer.TotalTensorSizeInBytes};
    if (in_place) {
        memcpy(outputs[0].memory, inputs[0].memory, outputs[0].buffer.TotalTensorSizeInBytes);
        in_bindings[0] = out_bindings[0];
    }
    HRESULT status = api->create_operator(device, desc, &op);
    if (SUCCEEDED(status))
        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    const assay_dispatch_item item = {compiled, in_bindings, out_bindings, input_count, output_count};
    if (SUCCEEDED(status))
        status = api->dispatch(device, &item, 1, &result);
    if (FAILED(status))
        note("0x%08x %s", (unsigned)status, api->message(device));
    api->destroy_compiled(device, compiled);
    api->destroy_operator(device, op);
    return SUCCEEDED(status) ? result.status : status;
}

static uint32_t places_of(const DML_OPERATOR_DESC *desc)
{
    static struct descriptor descriptor;
    static struct parts_cut cut;
    static struct rejection why;
    if (FAILED(descriptor_validate(desc, DML_FEATURE_LEVEL_6_4, kernel_computes, &descriptor, &why)))
        return 0;
    parts_cut(&descriptor, THREADS, &cut);
    return cut.size;
}

static int same_bits(const DML_OPERATOR_DESC *desc, int in_place)
{
    int same = run_on_device(alone, desc, in_place) == S_OK;
    for (uint32_t i = 0; i < output_count; i++) {
        const uint64_t bytes = outputs[i].buffer.TotalTensorSizeInBytes;
        memcpy(outputs[i].copy, outputs[i].memory, bytes);
        memset(outputs[i].memory, 7, bytes);
    }
    same = same && run_on_device(together, desc, in_place) == S_OK;
    for (uint32_t i = 0; i < output_count; i++)
        same &= memcmp(outputs[i].memory, outputs[i].copy, outputs[i].buffer.TotalTensorSizeInBytes) == 0;
    return same;
}

/* Checks an operator. `places`: size of the dimension along which it should be cut; 1: it should not be cut. */
static void check_cut(const char *what, DML_OPERATOR_TYPE type, const void *fields, uint32_t places)
{
    const DML_OPERATOR_DESC desc = {type, fields};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < input_count; i++)
        bytes += inputs[i].buffer.TotalTensorSizeInBytes;
    for (uint32_t i = 0; i < output_count; i++)
        bytes += outputs[i].buffer.TotalTensorSizeInBytes;
    const uint32_t found = places_of(&desc);
    ok(bytes >= LEAST_BYTES && (found ? found : 1) == places, "%s: is cut along %u places, not %u", what, places,
       found);
    ok(same_bits(&desc, 0), "%s: the same bits", what);
    drop_box(inputs, &input_count);
    drop_box(outputs, &output_count);
}

#define CHECK(what, name, places, ...)                                                                                 \
    do {                                                                                                               \
        const DML_##name##_OPERATOR_DESC fields = {__VA_ARGS__};                                                       \
        check_cut(what, OP(name), &fields, places);                                                                    \
    } while (0)

/* ---- families */

static void test_maps(void)
{
    const DML_SCALAR_UNION zero = {.Float32 = 0}, step = {.Float32 = 0.5f};
    CHECK("copy", ELEMENT_WISE_IDENTITY, 700, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), NULL);
    CHECK("few large places", ELEMENT_WISE_IDENTITY, 400, in(0, F32, 2, 2, 400, 300), out(0, F32, 2, 2, 400, 300),
          NULL);
    CHECK("one row", ELEMENT_WISE_SQRT, 300000, in(0, F32, 1, 1, 1, 300000), out(0, F32, 1, 1, 1, 300000), NULL);
    CHECK("two operands", ELEMENT_WISE_ADD, 700, in(0, F32, 1, 1, 700, 500), in(1, F32, 1, 1, 700, 500),
          out(0, F32, 1, 1, 700, 500));
    CHECK("a sequence", FILL_VALUE_SEQUENCE, 1, out(0, F32, 1, 1, 700, 500), F32, zero, step);
    CHECK("scales and zero points", ELEMENT_WISE_QUANTIZE_LINEAR, 700, in(0, F32, 1, 1, 700, 500),
          in(1, F32, 1, 1, 700, 500), in(2, U8, 1, 1, 700, 500), out(0, U8, 1, 1, 700, 500));
}

static void test_folds(void)
{
    static const UINT axes[] = {0, 1, 2, 3};
    CHECK("sums of rows", REDUCE, 700, DML_REDUCE_FUNCTION_SUM, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 1),
          1, axes + 3);
    CHECK("sums of columns", REDUCE, 500, DML_REDUCE_FUNCTION_SUM, in(0, F32, 1, 1, 700, 500),
          out(0, F32, 1, 1, 1, 500), 1, axes + 2);
    CHECK("a sum of all", REDUCE, 1, DML_REDUCE_FUNCTION_SUM, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 1, 1), 4,
          axes);
    CHECK("greatest places", ARGMAX, 500, in(0, F32, 1, 1, 700, 500), out(0, U32, 1, 1, 1, 500), 1, axes + 2,
          DML_AXIS_DIRECTION_INCREASING);
    CHECK("running sums of rows", CUMULATIVE_SUMMATION, 700, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), 3,
          DML_AXIS_DIRECTION_DECREASING, 1);
    CHECK("running products of columns", CUMULATIVE_PRODUCT, 500, in(0, F32, 1, 1, 700, 500),
          out(0, F32, 1, 1, 700, 500), 2, DML_AXIS_DIRECTION_INCREASING, 0);
}

static void test_normalisations(void)
{
    static const UINT axes[] = {1, 2, 3};
    CHECK("SOFTMAX of rows", ACTIVATION_SOFTMAX1, 700, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), 1,
          axes + 2);
    CHECK("SOFTMAX of columns", ACTIVATION_SOFTMAX1, 500, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), 1,
          axes + 1);
    CHECK("HARDMAX of pictures", ACTIVATION_HARDMAX1, 60, in(0, F32, 60, 3, 50, 40), out(0, F32, 60, 3, 50, 40), 3,
          axes);
    CHECK("rows of mean 0", MEAN_VARIANCE_NORMALIZATION1, 700, in(0, F32, 1, 1, 700, 500), in(1, F32, 1, 1, 1, 500),
          in(2, F32, 1, 1, 1, 500), out(0, F32, 1, 1, 700, 500), 1, axes + 2, 1, 1e-5f, NULL);
    CHECK("pictures of mean 0", MEAN_VARIANCE_NORMALIZATION, 50, in(0, F32, 2, 50, 60, 40), in(1, F32, 1, 50, 1, 1),
          in(2, F32, 1, 50, 1, 1), out(0, F32, 2, 50, 60, 40), 0, 1, 1e-5f, NULL);
    CHECK("columns of norm 1", LP_NORMALIZATION, 500, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), 2, 1e-5f,
          2);
    CHECK("batches", BATCH_NORMALIZATION, 50, in(0, F32, 2, 50, 60, 40), in(1, F32, 1, 50, 1, 1),
          in(2, F32, 1, 50, 1, 1), in(3, F32, 1, 50, 1, 1), in(4, F32, 1, 50, 1, 1), out(0, F32, 2, 50, 60, 40), 1, 100,
          NULL);
    CHECK("batches with statistics", BATCH_NORMALIZATION_TRAINING, 50, in(0, F32, 20, 50, 20, 12),
          in(1, F32, 1, 50, 1, 1), in(2, F32, 1, 50, 1, 1), in(3, F32, 20, 50, 20, 12), out(0, F32, 20, 50, 20, 12),
          out(1, F32, 1, 50, 1, 1), out(2, F32, 1, 50, 1, 1), 1e-5f, NULL);
    CHECK("their gradients", BATCH_NORMALIZATION_GRAD, 50, in(0, F32, 20, 50, 20, 12), in(1, F32, 20, 50, 20, 12),
          in(2, F32, 1, 50, 1, 1), in(3, F32, 1, 50, 1, 1), in(4, F32, 1, 50, 1, 1), out(0, F32, 20, 50, 20, 12),
          out(1, F32, 1, 50, 1, 1), out(2, F32, 1, 50, 1, 1), 100);
    CHECK("responses of channels", LOCAL_RESPONSE_NORMALIZATION, 60, in(0, F32, 60, 8, 30, 20),
          out(0, F32, 60, 8, 30, 20), 1, 5, 0.1f, 0.75f, 1);
}

static void test_indexed(void)
{
    CHECK("GATHER: before the axis", GATHER, 100, in(0, F32, 1, 100, 100, 30), in(1, U32, 1, 1, 1, 90),
          out(0, F32, 1, 100, 90, 30), 2, 1);
    CHECK("GATHER: by indices", GATHER, 90, in(0, F32, 1, 1, 100, 3000), in(1, U32, 1, 1, 1, 90),
          out(0, F32, 1, 1, 90, 3000), 2, 1);
    CHECK("GATHER: after the axis", GATHER, 3000, in(0, F32, 1, 1, 100, 3000), in(1, U32, 1, 1, 1, 1),
          out(0, F32, 1, 1, 1, 3000), 2, 1);
    CHECK("GATHER_ELEMENTS", GATHER_ELEMENTS, 500, in(0, F32, 1, 1, 100, 500), in(1, U32, 1, 1, 700, 500),
          out(0, F32, 1, 1, 700, 500), 2);
    CHECK("GATHER_ND", GATHER_ND, 200000, in(0, F32, 1, 1, 100, 100), in(1, U32, 1, 1, 200000, 2),
          out(0, F32, 1, 1, 1, 200000), 2, 2);
    CHECK("GATHER_ND1: a batch", GATHER_ND1, 60, in(0, F32, 1, 60, 100, 50), in(1, U32, 1, 60, 90, 1),
          out(0, F32, 1, 60, 90, 50), 3, 3, 1);
    CHECK("SCATTER_ELEMENTS", SCATTER_ELEMENTS, 500, in(0, F32, 1, 1, 100, 500), in(1, U32, 1, 1, 700, 500),
          in(2, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 100, 500), 2);
    CHECK("SCATTER_ND", SCATTER_ND, 1, in(0, F32, 1, 1, 1, 300000), in(1, U32, 1, 1, 90, 1), in(2, F32, 1, 1, 1, 90),
          out(0, F32, 1, 1, 1, 300000), 1, 2);
    CHECK("NONZERO_COORDINATES", NONZERO_COORDINATES, 1, in(0, U32, 1, 1, 300, 500), out(0, U32, 1, 1, 1, 1),
          out(1, U32, 1, 1, 150000, 2));
}

static void test_moves(void)
{
    static const UINT none[RANK], sizes[] = {1, 1, 700, 500}, ones[] = {1, 1, 1, 1}, twice[] = {1, 1, 1, 2};
    static const INT turned[] = {1, 1, -1, 1}, steps[] = {1, 1, 1, 2};
    CHECK("SLICE1: a dimension that is turned", SLICE1, 500, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500),
          RANK, none, sizes, turned);
    CHECK("SLICE_GRAD: rows", SLICE_GRAD, 700, in(0, F32, 1, 1, 700, 250), out(0, F32, 1, 1, 700, 500), RANK, none,
          sizes, steps);
    CHECK("PADDING: rows", PADDING, 700, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 502),
          DML_PADDING_MODE_CONSTANT, 3, RANK, (const UINT[]){0, 0, 0, 1}, (const UINT[]){0, 0, 0, 1});
    CHECK("PADDING: one place to many", PADDING, 700, in(0, F32, 1, 1, 1, 700), out(0, F32, 1, 1, 900, 700),
          DML_PADDING_MODE_CONSTANT, 3, RANK, (const UINT[]){0, 0, 450, 0}, (const UINT[]){0, 0, 449, 0});
    CHECK("TILE: rows", TILE, 700, in(0, F32, 1, 1, 700, 250), out(0, F32, 1, 1, 700, 500), RANK, twice);
    CHECK("TILE: one place to many", TILE, 600, in(0, F32, 1, 1, 1, 500), out(0, F32, 1, 1, 600, 500), RANK,
          (const UINT[]){1, 1, 600, 1});
    CHECK("DEPTH_TO_SPACE", DEPTH_TO_SPACE, 60, in(0, F32, 60, 8, 30, 20), out(0, F32, 60, 2, 60, 40), 2);
    const DML_TENSOR_DESC joined[] = {*in(0, F32, 1, 1, 200, 500), *in(1, F32, 1, 1, 500, 500)};
    CHECK("JOIN", JOIN, 500, 2, joined, out(0, F32, 1, 1, 700, 500), 2);
    const DML_TENSOR_DESC parted[] = {*out(0, F32, 1, 1, 200, 500), *out(1, F32, 1, 1, 500, 500)};
    CHECK("SPLIT", SPLIT, 500, in(0, F32, 1, 1, 700, 500), 2, parted, 2);
    CHECK("UNFOLD", UNFOLD, 60, in(0, F32, 60, 2, 40, 30), out(0, F32, 0, 60, 8, 39 * 29), 2, (const UINT[]){2, 2},
          ones, ones, none, none);
}

static void test_picks(void)
{
    CHECK("diagonals", DIAGONAL_MATRIX, 60, out(0, F32, 1, 60, 100, 100), 1, 3);
    CHECK("reversed columns", REVERSE_SUBSEQUENCES, 500, in(0, F32, 1, 1, 700, 500), in(1, U32, 1, 1, 1, 500),
          out(0, F32, 1, 1, 700, 500), 2);
    CHECK("one-hot rows", ONE_HOT, 3000, in(0, U32, 1, 1, 3000, 1), in(1, F32, 1, 1, 1, 2),
          out(0, F32, 1, 1, 3000, 100), 3);
    CHECK("as many values as places", ONE_HOT, 2, in(0, U32, 1, 1, 2, 1), in(1, F32, 1, 1, 2, 1),
          out(0, F32, 1, 1, 2, 150000), 3);
    CHECK("the first of rows", TOP_K, 700, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 9),
          out(1, U32, 1, 1, 700, 9), 3, 9);
    CHECK("all of columns", TOP_K, 500, in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500),
          out(1, U32, 1, 1, 700, 500), 2, 700);
    CHECK("unpooling", MAX_UNPOOLING, 1, in(0, F32, 1, 1, 3, 3), in(1, U32, 1, 1, 3, 3), out(0, F32, 1, 1, 700, 500));
    CHECK("random numbers", RANDOM_GENERATOR, 1, in(0, U32, 1, 1, 1, 6), out(0, U32, 1, 1, 700, 500),
          out(1, U32, 1, 1, 1, 6), DML_RANDOM_GENERATOR_TYPE_PHILOX_4X32_10);
}

static void test_in_place(void)
{
    static const UINT axis = 3;
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC fields = {in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500), 1,
                                                          &axis};
    const DML_OPERATOR_DESC desc = {OP(ACTIVATION_SOFTMAX1), &fields};
    ok(same_bits(&desc, 1), "in place: the same bits");
    drop_box(inputs, &input_count);
    drop_box(outputs, &output_count);
}

/* Returns how often threads other than the first one have begun to wait. */
static unsigned long waits(void)
{
    unsigned long sum = 0, number;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        char path[64], line[128];
        if (task->d_name[0] == '.' || atol(task->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/status", task->d_name);
        FILE *file = fopen(path, "r");
        while (file && fgets(line, sizeof line, file))
            if (sscanf(line, "voluntary_ctxt_switches: %lu", &number) == 1)
                sum += number;
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sum;
}

/* Checks that threads work: without them the bits would be the same, too. A thread that has worked waits again, some
 * time later. */
static void test_work(void)
{
    const DML_ACTIVATION_RELU_OPERATOR_DESC fields = {in(0, F32, 1, 1, 700, 500), out(0, F32, 1, 1, 700, 500)};
    const DML_OPERATOR_DESC desc = {OP(ACTIVATION_RELU), &fields};
    const unsigned long before = waits();
    int good = run_on_device(together, &desc, 0) == S_OK, worked = 0;
    for (int ms = 0; ms < 5000 && !worked; ms++) {
        worked = waits() >= before + THREADS - 1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    ok(good && worked, "threads other than the first one work");
    drop_box(inputs, &input_count);
    drop_box(outputs, &output_count);
}

int main(void)
{
    const assay_device_config one = {sizeof one, "threads=1"}, three = {sizeof three, "level=6_4,threads=3"};
    api = assay_device_entry(ASSAY_DEVICE_ABI);
    if (!ok(api->create_device(&one, &alone, NULL, 0) == S_OK && api->create_device(&three, &together, NULL, 0) == S_OK,
            "devices of one thread and of three"))
        return tap_done();
    test_work();
    test_maps();
    test_folds();
    test_normalisations();
    test_indexed();
    test_moves();
    test_picks();
    test_in_place();
    api->destroy_device(alone);
    api->destroy_device(together);
    return tap_done();
}
