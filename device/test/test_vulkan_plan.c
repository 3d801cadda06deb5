/* test_vulkan_plan.c: the kernels that the Vulkan device plans for large tensors. The results are right either way, so
 * no other test would notice if a plan fell back to a slower way. */
#include "device/vulkan/plan_internal.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { TENSORS = 4, RANK = 8 };
#define F32 DML_TENSOR_DATA_TYPE_FLOAT32
#define U32 DML_TENSOR_DATA_TYPE_UINT32

static struct {
    UINT sizes[RANK], strides[RANK];
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
} boxes[TENSORS];

static struct plan plan;

/* Traits like those of an H100, and of lavapipe with vectors of 256 bits. */
static struct pipeline_traits gpu, processor;

static struct pipeline_traits traits_of(VkDriverId driver, uint32_t subgroup, uint64_t texels, int is_processor)
{
    struct vk vk = {.subgroup_size = subgroup, .has_int64 = 1, .has_subgroups = 1, .has_8bit = 1, .has_16bit = 1};
    const struct options options = {.cache_kib = 0};
    const struct texels reach = {.reach = {texels, texels, texels / 8}};
    vk.driver.driverID = driver;
    vk.properties.limits.maxComputeWorkGroupInvocations = 1024;
    vk.properties.limits.maxComputeSharedMemorySize = 48 << 10;
    return pipeline_traits_of(&vk, &options, &reach, is_processor);
}

/* Makes a packed tensor, or one with strides: sizes and strides as "8192,2048". */
static void box(int at, DML_TENSOR_DATA_TYPE type, const char *sizes, const char *strides)
{
    DML_BUFFER_TENSOR_DESC *buffer = &boxes[at].buffer;
    UINT64 last = 0, step = 1;
    *buffer = (DML_BUFFER_TENSOR_DESC){.DataType = type, .Sizes = boxes[at].sizes};
    while (*sizes) {
        char *end;
        boxes[at].sizes[buffer->DimensionCount++] = (UINT)strtoul(sizes, &end, 10);
        sizes = end + (*end == ',');
    }
    for (UINT d = 0; strides && d < buffer->DimensionCount; d++) {
        char *end;
        boxes[at].strides[d] = (UINT)strtoul(strides, &end, 10);
        strides = end + (*end == ',');
        buffer->Strides = boxes[at].strides;
    }
    for (UINT d = buffer->DimensionCount; d-- > 0; step *= boxes[at].sizes[d])
        last += (boxes[at].sizes[d] - 1) * (buffer->Strides ? boxes[at].strides[d] : step);
    buffer->TotalTensorSizeInBytes = 4 * (last + 1);
    boxes[at].tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, buffer};
}

static int computes_all(DML_OPERATOR_TYPE type)
{
    (void)type;
    return 1;
}

static void make_plan(DML_OPERATOR_TYPE type, const void *desc, const struct pipeline_traits *traits)
{
    static struct descriptor descriptor;
    char message[400] = "";
    const DML_OPERATOR_DESC op = {type, desc};
    HRESULT result = descriptor_read(&op, DML_FEATURE_LEVEL_6_4, computes_all, &descriptor, message, sizeof message);
    plan.launch_count = 0;
    if (ok(result == S_OK, "operator %d is legal %s", (int)type, message))
        vulkan_plan_make(&descriptor, traits, &plan);
}

static const struct plan_launch *launch_at(uint32_t at)
{
    static const struct plan_launch none = {.pipeline = {.kernel = UINT8_MAX}};
    return at < plan.launch_count ? &plan.launches[at] : &none;
}

static int is_kernel(uint32_t at, enum pipeline_kernel kernel)
{
    return !launch_at(at)->is_copy && launch_at(at)->pipeline.kernel == kernel;
}

/* ---- SCATTER_ND: rows by notes */

static void scatter_rows(const struct pipeline_traits *traits, const char *rows, const char *updates,
                         const char *strides)
{
    box(0, F32, "8192,2048", NULL);
    box(1, U32, rows, NULL);
    box(2, F32, updates, strides);
    box(3, F32, "8192,2048", NULL);
    const DML_SCATTER_ND_OPERATOR_DESC desc = {
        &boxes[0].tensor, &boxes[1].tensor, &boxes[2].tensor, &boxes[3].tensor, 2, 2};
    make_plan(DML_OPERATOR_SCATTER_ND, &desc, traits);
}

/* Tells whether the whole input is copied before the updates. */
static int copies_first(void)
{
    return plan.launch_count == 2 && !is_kernel(0, PIPELINE_SCATTER_ROWS) && is_kernel(1, PIPELINE_MOVE) &&
           launch_at(1)->parameters.move.slice == 0 && launch_at(0)->pass < launch_at(1)->pass;
}

static void test_scatter_nd(void)
{
    scatter_rows(&gpu, "4096,1", "4096,2048", NULL);
    ok(plan.launch_count == 2 && is_kernel(0, PIPELINE_SCATTER_ROWS) && is_kernel(1, PIPELINE_SCATTER_ROWS),
       "  many rows: each is written once");
    ok(launch_at(1)->pipeline.specials[1] == 1 && launch_at(1)->parameters.rows.count == 8192 * 512,
       "  by an invocation for every 16 bytes");
    scatter_rows(&gpu, "256,1", "256,2048", NULL);
    ok(copies_first(), "  few rows: the input is copied first");
    scatter_rows(&gpu, "4096,1", "4096,2048", "4096,1");
    ok(copies_first(), "  so it is if the updates have gaps");
    scatter_rows(&processor, "4096,1", "4096,2048", NULL);
    ok(copies_first(), "  and on a processor");
}

/* ---- SCATTER_ELEMENTS: slices that a workgroup copies itself */

static void scatter_elements(const struct pipeline_traits *traits, const char *input, const char *indices)
{
    box(0, F32, input, NULL);
    box(1, U32, indices, NULL);
    box(2, F32, indices, NULL);
    box(3, F32, input, NULL);
    const DML_SCATTER_ELEMENTS_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[2].tensor,
                                                     &boxes[3].tensor, 1};
    make_plan(DML_OPERATOR_SCATTER_ELEMENTS, &desc, traits);
}

static void test_scatter_elements(void)
{
    scatter_elements(&gpu, "8192,2048", "8192,64");
    ok(plan.launch_count == 1 && is_kernel(0, PIPELINE_MOVE) && launch_at(0)->parameters.move.slice == 512,
       "  slices of 8 KiB: a workgroup copies each and updates it");
    ok(launch_at(0)->groups == 8192, "  as many workgroups as slices");
    scatter_elements(&gpu, "1024,32768", "1024,64");
    ok(copies_first(), "  slices of 128 KiB: the input is copied first");
    scatter_elements(&gpu, "65536,64", "65536,8");
    ok(copies_first(), "  so it is with slices of 256 bytes");
    scatter_elements(&gpu, "8192,2048", "8192,4352");
    ok(copies_first(), "  with more than twice as many updates as elements");
    scatter_elements(&processor, "8192,2048", "8192,64");
    ok(copies_first(), "  and on a processor");
}

/* ---- GATHER: rows in strips */

static void gather(const struct pipeline_traits *traits, const char *input, const char *output)
{
    box(0, F32, input, NULL);
    box(1, U32, "1,8192", NULL);
    box(2, F32, output, NULL);
    const DML_GATHER_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[2].tensor, 0, 1};
    make_plan(DML_OPERATOR_GATHER, &desc, traits);
}

/* Tells whether the kernel's loops have these sizes, the innermost first. */
static int has_loops(uint32_t first, uint32_t second, uint32_t third)
{
    const struct plan_dimension *d = launch_at(0)->parameters.move.dimensions;
    return plan.launch_count == 1 && is_kernel(0, PIPELINE_MOVE) && d[0].size == first && d[1].size == second &&
           launch_at(0)->pipeline.specials[0] == (third ? 3 : 2) && (!third || d[2].size == third);
}

static void test_gather_plan(void)
{
    gather(&gpu, "32000,4096", "8192,4096");
    ok(has_loops(64, 8192, 16), "  rows of 16 KiB are gathered KiB by KiB");
    gather(&gpu, "32000,256", "8192,256");
    ok(has_loops(64, 8192, 0), "  rows of a KiB are not cut");
    gather(&processor, "32000,4096", "8192,4096");
    ok(launch_at(0)->parameters.move.dimensions[1].size == 8192, "  nor are any on a processor");
}

/* ---- buffers that a processor stores to */

static int stores(const char *sizes)
{
    for (int i = 0; i < 3; i++)
        box(i, F32, sizes, NULL);
    const DML_ELEMENT_WISE_ADD_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[2].tensor};
    make_plan(DML_OPERATOR_ELEMENT_WISE_ADD, &desc, &processor);
    return is_kernel(0, PIPELINE_MAP_REAL) ? launch_at(0)->pipeline.texels : -1;
}

static void test_stores(void)
{
    ok(stores("4096,4096") == (PIPELINE_TEXELS | PIPELINE_STORES) && launch_at(0)->texels == (3 | 1 << 3) &&
           launch_at(0)->address[launch_at(0)->target].operand == PLAN_OUTPUT,
       "  sums on a processor: from texels to a buffer");
    ok(stores("16384,4096") == PIPELINE_TEXELS && launch_at(0)->texels == 3, "  to addresses that no buffer reaches");
}

/* ---- REDUCE: columns side by side */

static int across_of(const struct pipeline_traits *traits, DML_REDUCE_FUNCTION function, UINT axis)
{
    box(0, F32, "8192,4096", NULL);
    box(1, F32, axis == 0 ? "1,4096" : "8192,1", NULL);
    const DML_REDUCE_OPERATOR_DESC desc = {function, &boxes[0].tensor, &boxes[1].tensor, 1, &axis};
    make_plan(DML_OPERATOR_REDUCE, &desc, traits);
    return is_kernel(0, PIPELINE_REDUCE_REAL) ? launch_at(0)->pipeline.specials[5] : -1;
}

static int reads_fours(const struct pipeline_traits *traits, const char *sizes, const char *sums)
{
    static const UINT axis = 1;
    box(0, F32, sizes, NULL);
    box(1, F32, sums, NULL);
    const DML_REDUCE_OPERATOR_DESC desc = {DML_REDUCE_FUNCTION_SUM, &boxes[0].tensor, &boxes[1].tensor, 1, &axis};
    make_plan(DML_OPERATOR_REDUCE, &desc, traits);
    return launch_at(0)->pipeline.specials[6];
}

static void test_reduce(void)
{
    ok(reads_fours(&gpu, "8192,4096", "8192,1") && !launch_at(0)->texels, "  sums of rows: fours from memory");
    ok(reads_fours(&processor, "8192,4096", "8192,1") && launch_at(0)->texels, "  on a processor, from texels");
    ok(!reads_fours(&gpu, "8192,4095", "8192,1"), "  but not sums of rows that begin between fours");
    ok(across_of(&gpu, DML_REDUCE_FUNCTION_SUM, 0) == 4, "  sums of columns: an invocation takes four");
    ok(across_of(&gpu, DML_REDUCE_FUNCTION_L2, 0) == 4, "  other functions, too");
    ok(across_of(&gpu, DML_REDUCE_FUNCTION_LOG_SUM_EXP, 0) == 1, "  but not the sum of powers");
    ok(across_of(&gpu, DML_REDUCE_FUNCTION_SUM, 1) == 1, "  of a row, an invocation takes one element");
    ok(across_of(&processor, DML_REDUCE_FUNCTION_SUM, 0) == 16, "  columns on a processor: sixteen");
    ok(plan.launch_count == 2 && launch_at(0)->groups == 64,
       "  whose workgroups take 4,096 elements of a column at most");
}

/* ---- TILE: a move */

static void test_tile(void)
{
    static const UINT repeats[] = {2, 3, 1, 1, 2, 2, 2, 2};
    box(0, F32, "1024,512", NULL);
    box(1, F32, "2048,1536", NULL);
    DML_TILE_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, 2, repeats};
    make_plan(DML_OPERATOR_TILE, &desc, &gpu);
    ok(plan.launch_count == 1 && is_kernel(0, PIPELINE_MOVE) && launch_at(0)->pipeline.width == 128,
       "  a move, 16 bytes at a time");
    box(0, F32, "2,2,2,2,2,2,2,2", NULL);
    box(1, F32, "4,6,2,2,4,4,4,4", NULL);
    desc.RepeatsCount = RANK;
    make_plan(DML_OPERATOR_TILE, &desc, &gpu);
    ok(plan.launch_count == 1 && is_kernel(0, PIPELINE_FOLD), "  with too many loops, coordinates are folded");
}

/* ---- NONZERO_COORDINATES: counts that each workgroup adds up */

static uint32_t nonzero_launches(const struct pipeline_traits *traits, const char *sizes, const char *rows)
{
    box(0, F32, sizes, NULL);
    box(1, U32, "1", NULL);
    box(2, U32, rows, NULL);
    const DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, &boxes[2].tensor};
    make_plan(DML_OPERATOR_NONZERO_COORDINATES, &desc, traits);
    return plan.launch_count;
}

static void test_nonzero_plan(void)
{
    ok(nonzero_launches(&gpu, "2048", "2048,1") == 1, "  a tile: one launch");
    ok(nonzero_launches(&gpu, "2049", "2049,1") == 2, "  two tiles: their counts, and the rows");
    ok(nonzero_launches(&gpu, "268435456", "268435456,1") == 2 && launch_at(0)->groups == gpu.added,
       "  few workgroups add up the counts before their own");
    ok(nonzero_launches(&gpu, "268435457", "268435457,1") == 5, "  the counts of more workgroups are scanned");
    ok(nonzero_launches(&processor, "2049", "2049,1") == 3, "  as they are on a processor");
}

/* ---- SOFTMAX: columns that invocations keep */

static void try_softmax(const char *sizes, UINT axis)
{
    box(0, F32, sizes, NULL);
    box(1, F32, sizes, NULL);
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {&boxes[0].tensor, &boxes[1].tensor, 1, &axis};
    make_plan(DML_OPERATOR_ACTIVATION_SOFTMAX1, &desc, &gpu);
}

static void test_softmax(void)
{
    try_softmax("1024,16384", 0);
    const struct plan_softmax *p = &launch_at(0)->parameters.softmax;
    ok(plan.launch_count == 1 && is_kernel(0, PIPELINE_SOFTMAX) && launch_at(0)->pipeline.specials[3] == gpu.kept,
       "  columns are kept");
    ok(p->grid.lines_adjacent && p->grid.lines_log == 3, "  eight adjacent ones of 1,024 elements by a workgroup");
    try_softmax("512,32768", 0);
    ok(launch_at(0)->pipeline.specials[3] == gpu.kept && p->grid.lines_adjacent && p->grid.lines_log == 4,
       "  and sixteen of 512");
    try_softmax("4096,4096", 0);
    ok(plan.launch_count == 2 && p->grid.lines_log == PLAN_WIDEST && p->tiles == 16,
       "  longer ones would be fewer than memory moves at once: these are cut into %u tiles", p->tiles);
    ok(launch_at(0)->pipeline.specials[3] == gpu.kept && launch_at(1)->pipeline.specials[3] == 1,
       "  whose elements are kept, except in the last stage");
    try_softmax("32768,512", 0);
    ok(p->grid.lines_log == PLAN_WIDEST, "  columns that are too long to keep: %d", 1 << p->grid.lines_log);
    ok(plan.launch_count == 2 && p->tiles > 64, "  they are cut into %u tiles, for more workgroups", p->tiles);
    try_softmax("8,128256", 1);
    ok(plan.launch_count == 2 && p->tiles == 16, "  few long rows are cut, too, into %u tiles", p->tiles);
    try_softmax("512,32000", 1);
    ok(plan.launch_count == 1, "  but not many");
    try_softmax("32768,1024", 1);
    ok(p->grid.lines_log == 1 && launch_at(0)->pipeline.specials[PIPELINE_SPECIALS - 1] == 7,
       "  two short rows have a workgroup of 128");
    try_softmax("32768,1025", 1);
    ok(plan.launch_count == 1 && launch_at(0)->pipeline.specials[3] > 1,
       "  rows are kept where some invocations have an element more than others");
}

/* ---- normalisations: tiles where slices are few */

static void normalise_axis(const struct pipeline_traits *traits, const char *sizes, UINT axis)
{
    box(0, F32, sizes, NULL);
    box(1, F32, sizes, NULL);
    const DML_MEAN_VARIANCE_NORMALIZATION1_OPERATOR_DESC desc = {
        &boxes[0].tensor, NULL, NULL, &boxes[1].tensor, 1, &axis, 1, 1e-5F, NULL};
    make_plan(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &desc, traits);
}

static void try_normalisation(const struct pipeline_traits *traits, const char *sizes)
{
    normalise_axis(traits, sizes, 1);
}

static void test_normalise(void)
{
    const struct plan_normalise *p = &launch_at(0)->parameters.normalise;
    try_normalisation(&gpu, "32,40960");
    ok(plan.launch_count == 3 && launch_at(0)->groups == 160, "  32 long slices: 160 workgroups sum up their tiles");
    try_normalisation(&gpu, "4096,4096");
    ok(plan.launch_count == 1 && launch_at(0)->pipeline.specials[4] == gpu.kept,
       "  slices whose elements are kept are whole");
    ok(p->lines_log == 0 && launch_at(0)->pipeline.specials[PIPELINE_SPECIALS - 1] == p->lanes_log,
       "  each has a workgroup of %d", 1 << p->lanes_log);
    try_normalisation(&gpu, "4096,4100");
    ok(launch_at(0)->pipeline.specials[4] > 1, "  slices of which some invocations have an element more are kept, too");
    try_normalisation(&gpu, "2048,16384");
    ok(plan.launch_count == 1, "  many slices are whole, too");
    try_normalisation(&gpu, "300,50000");
    ok(plan.launch_count == 3, "  300 slices of 50,000 are cut, too");
    try_normalisation(&gpu, "2,40000");
    ok(plan.launch_count == 3 && launch_at(0)->parameters.normalise.tile == 8192,
       "  no tile has fewer elements than invocations can keep");
    try_normalisation(&gpu, "2,30000");
    ok(plan.launch_count == 1, "  slices of few elements in all are whole");
    normalise_axis(&gpu, "1024,16384", 0);
    ok(plan.launch_count == 1 && p->lines_adjacent && p->lines_log == 3 &&
           launch_at(0)->pipeline.specials[4] == gpu.kept,
       "  of columns, neighbours take adjacent ones: eight of 1,024");
    normalise_axis(&gpu, "4096,4096", 0);
    ok(plan.launch_count == 3 && p->lines_adjacent && p->lines_log == PLAN_WIDEST && p->tiles == 16 &&
           launch_at(2)->pipeline.specials[4] == gpu.kept,
       "  longer ones are cut into tiles, whose elements are kept");
    normalise_axis(&processor, "4096,4096", 0);
    ok(plan.launch_count == 1 && !p->lines_adjacent, "  not on a processor");
    try_normalisation(&processor, "8,131072");
    ok(plan.launch_count == 3 && launch_at(0)->parameters.normalise.tile == 8192,
       "  on a processor, tiles have 8,192 elements");
}

/* ---- gradients of resampling: sums that take many rounds of loops, in parts */

static void try_gradient(const char *from, const char *strides, const char *to, FLOAT after)
{
    static const FLOAT ones[] = {1, 1, 1, 1}, zeros[RANK];
    const FLOAT offsets[] = {after, 0, 0, 0};
    box(0, F32, from, strides);
    box(1, F32, to, NULL);
    const DML_RESAMPLE_GRAD1_OPERATOR_DESC desc = {&boxes[0].tensor,
                                                   &boxes[1].tensor,
                                                   DML_INTERPOLATION_MODE_NEAREST_NEIGHBOR,
                                                   DML_AXIS_DIRECTION_INCREASING,
                                                   boxes[0].buffer.DimensionCount,
                                                   ones,
                                                   zeros,
                                                   offsets};
    make_plan(DML_OPERATOR_RESAMPLE_GRAD1, &desc, &processor);
}

/* Tells whether the plan has so many launches, one after the other, and at most so much scratch memory. */
static int has_stages(uint32_t count, uint64_t bytes)
{
    int is_right = plan.launch_count == count && plan.bytes[PLAN_SCRATCH] <= bytes;
    for (uint32_t i = 0; i < count; i++)
        is_right = is_right && is_kernel(i, PIPELINE_RESAMPLE) && launch_at(i)->pass == i;
    return is_right && launch_at(0)->address[0].operand == PLAN_INPUT &&
           launch_at(count - 1)->address[1].operand == PLAN_OUTPUT;
}

static void test_resample(void)
{
    const struct plan_resample_parts *p = &launch_at(0)->parameters.resample.cut;
    try_gradient("1,8,64,64", NULL, "1,8,64,60", 0);
    ok(has_stages(1, 0), "  few gradients for each element: one launch");
    try_gradient("2,2,59600", NULL, "1,1,1", 0);
    ok(has_stages(2, 256) && launch_at(0)->parameters.resample.count == p->parts * (1 + 2 * p->more),
       "  many: %u parts of the sum are made and added up", launch_at(0)->parameters.resample.count);
    try_gradient("300,1,200", NULL, "1,1,1", 0);
    ok(has_stages(2, 1024), "  along one dimension after the other, if that alone takes few enough rounds");
    try_gradient("65537,65535", "0,0", "1,1", 0);
    ok(has_stages(4, 16 << 20), "  in parts along both of two dimensions");
    try_gradient("4294967295", NULL, "1", 0);
    ok(has_stages(2, 1 << 20) && launch_at(0)->groups > 1024, "  up to 2^32 gradients: few parts");
    try_gradient("4000000,5", NULL, "1000000,5", 3000000);
    ok(has_stages(2, 24 << 20) && p->parts == 1 && p->more > 500,
       "  the first and the last element alone have several parts if they alone get many");
    try_gradient("60000,70000", "1,0", "2147483647,1", 0);
    ok(has_stages(3, 8 << 20), "  a dimension that grows comes last");
}

int main(void)
{
    gpu = traits_of(VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 0, 0);
    processor = traits_of(VK_DRIVER_ID_MESA_LLVMPIPE, 8, 1 << 30, 1);
    test_scatter_nd();
    test_scatter_elements();
    test_gather_plan();
    test_stores();
    test_reduce();
    test_tile();
    test_nonzero_plan();
    test_softmax();
    test_normalise();
    test_resample();
    return tap_done();
}
