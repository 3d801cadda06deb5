/* test_many_items.c: one dispatch of many items, which a device may run in several batches, of small tensors and of
 * tensors that take long to transfer: each item has its own result, also beside an item with a bad binding.
 *
 *     test_many_items [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_open.h"

#include <stdlib.h>

enum { ITEMS = 600, SMALL = 5, LARGE = 9 << 20 /* elements: 36 MiB */ };

static const assay_device_api *api;
static assay_device *device;

/* C = A + B of `count` UINT32 elements. */
struct sum {
    uint32_t count;
    uint32_t *a, *b, *c;
    assay_compiled *compiled;
    assay_binding in[2], out[1];
};

static void make_sum(struct sum *sum, uint32_t count, uint32_t seed)
{
    const UINT sizes[1] = {count};
    const DML_BUFFER_TENSOR_DESC buffer = {.DataType = DML_TENSOR_DATA_TYPE_UINT32,
                                           .DimensionCount = 1,
                                           .Sizes = sizes,
                                           .TotalTensorSizeInBytes = 4ull * count};
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer};
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {&tensor, &tensor, &tensor};
    assay_operator *op = NULL;
    *sum = (struct sum){.count = count};
    sum->a = malloc(4ull * count);
    sum->b = malloc(4ull * count);
    sum->c = calloc(count, 4);
    if (!sum->a || !sum->b || !sum->c)
        exit(1);
    for (uint32_t i = 0; i < count; i++) {
        sum->a[i] = i * 2654435761u + seed;
        sum->b[i] = seed << 16 ^ i;
    }
    sum->in[0] = (assay_binding){.base = sum->a, .size = 4ull * count};
    sum->in[1] = (assay_binding){.base = sum->b, .size = 4ull * count};
    sum->out[0] = (assay_binding){.base = sum->c, .size = 4ull * count};
    if (api->create_operator(device, &(DML_OPERATOR_DESC){DML_OPERATOR_ELEMENT_WISE_ADD, &desc}, &op) == S_OK)
        api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &sum->compiled);
    api->destroy_operator(device, op);
}

static int sum_is_right(const struct sum *sum)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        if (sum->c[i] != sum->a[i] + sum->b[i])
            return 0;
    }
    return 1;
}

static void destroy(struct sum *sum)
{
    api->destroy_compiled(device, sum->compiled);
    free(sum->a);
    free(sum->b);
    free(sum->c);
}

static assay_dispatch_item item_of(struct sum *sum)
{
    return (assay_dispatch_item){
        .compiled = sum->compiled, .inputs = sum->in, .outputs = sum->out, .input_count = 2, .output_count = 1};
}

/* Dispatches all sums at once. Number `bad` has an input that is too small; -1: none has. */
static void check_sums(struct sum *sums, uint32_t count, int bad, const char *what)
{
    static assay_dispatch_item items[ITEMS];
    static assay_dispatch_result results[ITEMS];
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; i++) {
        items[i] = item_of(&sums[i]);
        memset(sums[i].c, 0, 4ull * sums[i].count);
    }
    if (bad >= 0)
        sums[bad].in[1].size = 3;
    HRESULT status = api->dispatch(device, items, count, results);
    for (uint32_t i = 0; i < count; i++) {
        if ((int)i != bad)
            wrong += results[i].status != S_OK || !sum_is_right(&sums[i]);
    }
    ok(status == S_OK && !wrong, "%s: %u items, %u wrong, status 0x%08x", what, count, wrong, (unsigned)status);
    if (bad >= 0)
        ok(FAILED(results[bad].status), "  but the one with a small binding fails");
    if (bad >= 0)
        sums[bad].in[1].size = 4ull * sums[bad].count;
}

int main(int argc, char **argv)
{
    static struct sum sums[ITEMS];
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    for (uint32_t i = 0; i < ITEMS; i++)
        make_sum(&sums[i], SMALL + i % 7, i);
    check_sums(sums, ITEMS, -1, "small tensors");
    check_sums(sums, ITEMS, 300, "small tensors, one binding bad");
    for (uint32_t i = 0; i < 9; i += 2) { /* large ones between small ones */
        destroy(&sums[i]);
        make_sum(&sums[i], LARGE + i, i);
    }
    check_sums(sums, 9, -1, "large tensors between small ones");
    check_sums(sums, 9, 4, "large tensors, one binding bad");
    check_sums(sums + 3, 1, -1, "one small item after that");
    for (uint32_t i = 0; i < ITEMS; i++)
        destroy(&sums[i]);
    api->destroy_device(device);
    return tap_done();
}
