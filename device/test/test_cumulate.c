/* test_cumulate.c: CUMULATIVE_SUMMATION and CUMULATIVE_PRODUCT of a device: the worked examples of the operator cards,
 * special values, all types, directions and layouts, and lines that are cut in tiles.
 *
 *     test_cumulate [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device, and gets fewer large tensors. */
#include "device/test/test_lines.h"

enum { RANDOM_CASES = 120 };

struct task {
    DML_OPERATOR_TYPE kind;
    DML_TENSOR_DATA_TYPE type;
    uint32_t rank, axis;
    UINT sizes[RANK];
    int is_back, is_exclusive, packed;
};

static HRESULT run_cumulation(const struct task *task, const struct box *in, const struct box *out)
{
    const DML_CUMULATIVE_SUMMATION_OPERATOR_DESC desc = {
        /* the product has the same fields */
        &in->desc, &out->desc, task->axis,
        task->is_back ? DML_AXIS_DIRECTION_DECREASING : DML_AXIS_DIRECTION_INCREASING, task->is_exclusive};
    return run_lines(task->kind, &desc, in, out);
}

static int is_product(const struct task *task)
{
    return task->kind == DML_OPERATOR_CUMULATIVE_PRODUCT;
}

static void fill_cumulation(const struct task *task, const struct box *box)
{
    for (uint64_t i = 0; i < box->count; i++) {
        uint64_t bits = lines_draw();
        double unit = (double)(bits >> 11) * 0x1p-53;
        double factor = (bits & 1 ? -1 : 1) * (1 + (unit - 0.5) / 256);
        if (number_is_float(task->type))
            number_store_real(task->type, is_product(task) ? factor : 4 * unit - 2, box_element(box, i));
        else
            number_store_whole(task->type, (int64_t)(is_product(task) ? bits | 1 : bits), box_element(box, i));
    }
}

/* Checks a line of the output, whose elements are `step` apart. */
static int check_line(const struct task *task, const struct box *in, const struct box *out, uint64_t first,
                      uint64_t step)
{
    uint32_t n = task->sizes[task->axis], element_size = in->width;
    int product = is_product(task), is_float = number_is_float(task->type);
    double real = product, size = 0;
    uint64_t whole = (uint64_t)product;
    for (uint32_t k = 0; k < n; k++) {
        uint64_t i = first + (task->is_back ? n - 1 - k : k) * step;
        const void *x = box_element(in, i), *got = box_element(out, i);
        double next = is_float ? number_real(task->type, x) : 0, before = real, size_before = size;
        uint64_t bits = is_float ? 0 : (uint64_t)number_whole(task->type, x), whole_before = whole;
        real = product ? real * next : real + next;
        size += fabs(next);
        whole = product ? whole * bits : whole + bits;
        double value = task->is_exclusive ? before : real;
        uint64_t whole_value = task->is_exclusive ? whole_before : whole;
        double sizes = task->is_exclusive ? size_before : size;
        double allowed =
            product ? allowance_of_product(task->type, k + 1.0, value) : allowance(task->type, k + 1.0, value, sizes);
        int good = is_float ? sum_is_near(task->type, number_real(task->type, got), value, allowed)
                            : memcmp(got, &whole_value, element_size) == 0;
        if (!good) {
            note("element %llu, place %u of a line of %u: %.9g, not %.9g", (unsigned long long)i, k, n,
                 number_real(task->type, got), is_float ? value : (double)whole_value);
            return 0;
        }
    }
    return 1;
}

static int check_cumulation(const struct task *task)
{
    struct box in, out;
    uint64_t step = 1;
    line_box_init(&in, task->type, task->rank, task->sizes, task->packed, 1);
    line_box_init(&out, task->type, task->rank, task->sizes, task->packed, 0);
    fill_cumulation(task, &in);
    HRESULT status = run_cumulation(task, &in, &out);
    int good = status == S_OK;
    if (!good)
        note("0x%08x %s", (unsigned)status, api->message(device));
    for (uint32_t d = task->rank; d-- > task->axis + 1;)
        step *= task->sizes[d];
    for (uint64_t i = 0; good && i < in.count; i += step * (task->sizes[task->axis] - 1))
        for (uint64_t end = i + step; good && i < end; i++)
            good = check_line(task, &in, &out, i, step);
    if (good && !gaps_hold(&out)) {
        note("a gap of the output was written");
        good = 0;
    }
    if (!good) {
        note("%s, type %d, axis %u%s%s%s", is_product(task) ? "product" : "sum", (int)task->type, task->axis,
             task->is_back ? ", decreasing" : "", task->is_exclusive ? ", exclusive" : "",
             task->packed ? ", packed" : "");
        for (uint32_t d = 0; d < task->rank; d++)
            note("size %u strides %u %u", task->sizes[d], in.strides[d], out.strides[d]);
    }
    box_free(&in);
    box_free(&out);
    return good;
}

static void draw_task(struct task *task)
{
    static const DML_TENSOR_DATA_TYPE types[] = {TYPE(FLOAT32), TYPE(FLOAT16), TYPE(INT32),
                                                 TYPE(UINT32),  TYPE(INT64),   TYPE(UINT64)};
    task->type = types[lines_below(6)];
    task->is_back = (int)lines_below(2);
    task->is_exclusive = (int)lines_below(2);
}

static void test_random_lines(DML_OPERATOR_TYPE type)
{
    int good = 1;
    for (int i = 0; i < RANDOM_CASES && good; i++) {
        struct task task = {.kind = type, .packed = lines_below(3) == 0};
        draw_task(&task);
        task.rank = draw_sizes(task.sizes, i % 8 == 7 ? 60000 : 700);
        task.axis = lines_below(task.rank);
        good = check_cumulation(&task);
    }
    ok(good, "%s of tensors of all layouts", type == DML_OPERATOR_CUMULATIVE_PRODUCT ? "products" : "sums");
}

static void test_tiled_lines(DML_OPERATOR_TYPE type)
{
    static const struct {
        uint32_t rank, axis;
        UINT sizes[3];
    } shapes[] = {{1, 0, {400009}},     {2, 1, {3, 300001}}, {2, 0, {300001, 3}},   {2, 1, {50021, 3}},
                  {2, 0, {517, 1031}},  {2, 1, {1031, 517}}, {3, 1, {5, 40009, 3}}, {3, 1, {31, 257, 63}},
                  {2, 0, {20011, 65}},  {2, 0, {3, 70001}},  {2, 1, {517, 1040}},   {2, 1, {131, 9008}},
                  {3, 2, {3, 211, 112}}};
    int good = 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct task task = {.kind = type, .packed = 1, .rank = shapes[i].rank, .axis = shapes[i].axis};
        memcpy(task.sizes, shapes[i].sizes, sizeof shapes[i].sizes);
        for (int round = 0; round < (takes_all ? 3 : 1); round++) {
            draw_task(&task);
            good &= check_cumulation(&task);
        }
    }
    ok(good, "%s of large tensors", type == DML_OPERATOR_CUMULATIVE_PRODUCT ? "products" : "sums");
}

/* Tests many lines of elements of 32 bits side by side, which a subgroup of a GPU takes alone: in fours, and with a
 * remainder; a line may end within the elements in flight. */
static void test_runs(DML_OPERATOR_TYPE type)
{
    static const DML_TENSOR_DATA_TYPE types[] = {TYPE(FLOAT32), TYPE(INT32), TYPE(UINT32)};
    static const UINT lengths[] = {256, 1028, 258};
    int good = 1;
    for (int i = 0; i < 18; i += takes_all ? 1 : 5) {
        struct task task = {.kind = type,
                            .type = types[i % 3],
                            .rank = 2,
                            .axis = 1,
                            .sizes = {2053, lengths[i / 6]},
                            .is_exclusive = i / 3 % 2,
                            .packed = 1};
        good &= check_cumulation(&task);
    }
    ok(good, "%s of many lines", type == DML_OPERATOR_CUMULATIVE_PRODUCT ? "products" : "sums");
}

/* Tests lines of more rounds than lavapipe has for a workgroup of one vector. */
static void test_long(void)
{
    struct task task = {.kind = DML_OPERATOR_CUMULATIVE_SUMMATION,
                        .type = TYPE(INT32),
                        .rank = 2,
                        .axis = 1,
                        .sizes = {65, 500001},
                        .packed = 1};
    ok(check_cumulation(&task), "sums of 65 lines of half a million elements");
}

/* ---- examples and special values */

#define NANF ((double)NAN)
#define INFF ((double)INFINITY)
#define PRODUCT DML_OPERATOR_CUMULATIVE_PRODUCT
#define SUM DML_OPERATOR_CUMULATIVE_SUMMATION

static const struct example {
    DML_OPERATOR_TYPE kind;
    uint32_t rank, axis;
    UINT sizes[4];
    int is_back, is_exclusive;
    double x[12], y[12];
} examples[] = {
    {SUM, 4, 3, {1, 1, 3, 4}, 0, 0, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4}, {2, 3, 6, 11, 3, 11, 18, 21, 9, 15, 17, 21}},
    {SUM, 4, 3, {1, 1, 3, 4}, 0, 1, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4}, {0, 2, 3, 6, 0, 3, 11, 18, 0, 9, 15, 17}},
    {SUM, 4, 3, {1, 1, 3, 4}, 1, 0, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4}, {11, 9, 8, 5, 21, 18, 10, 3, 21, 12, 6, 4}},
    {SUM, 4, 2, {1, 1, 3, 4}, 0, 0, {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4}, {2, 1, 3, 5, 5, 9, 10, 8, 14, 15, 12, 12}},
    {PRODUCT,
     4,
     3,
     {1, 1, 3, 4},
     0,
     0,
     {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4},
     {2, 2, 6, 30, 3, 24, 168, 504, 9, 54, 108, 432}},
    {PRODUCT,
     4,
     3,
     {1, 1, 3, 4},
     0,
     1,
     {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4},
     {1, 2, 2, 6, 1, 3, 24, 168, 1, 9, 54, 108}},
    {PRODUCT,
     4,
     3,
     {1, 1, 3, 4},
     1,
     0,
     {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4},
     {30, 15, 15, 5, 504, 168, 21, 3, 432, 48, 8, 4}},
    {PRODUCT,
     4,
     2,
     {1, 1, 3, 4},
     0,
     0,
     {2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4},
     {2, 1, 3, 5, 6, 8, 21, 15, 54, 48, 42, 60}},
    {SUM, 1, 0, {4}, 1, 1, {2, 3, 4, 5}, {12, 9, 5, 0}},
    {PRODUCT, 1, 0, {4}, 1, 1, {2, 3, 4, 5}, {60, 20, 5, 1}},
    /* An element that is left out does not matter, and an element that takes part stays in. */
    {SUM, 1, 0, {4}, 0, 1, {2, 3, 4, NANF}, {0, 2, 5, 9}},
    {SUM, 1, 0, {4}, 0, 0, {2, NANF, 4, 5}, {2, NANF, NANF, NANF}},
    {SUM, 1, 0, {4}, 1, 0, {2, NANF, 4, 5}, {NANF, NANF, 9, 5}},
    {SUM, 1, 0, {4}, 0, 0, {2, INFF, -INFF, 5}, {2, INFF, NANF, NANF}},
    {PRODUCT, 1, 0, {4}, 0, 0, {2, 0, INFF, 5}, {2, 0, NANF, NANF}},
    {PRODUCT, 1, 0, {4}, 0, 1, {2, INFF, 4, 0}, {1, 2, INFF, INFF}},
};

static void test_cumulation_examples(DML_TENSOR_DATA_TYPE type)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        struct task task = {.kind = e->kind,
                            .type = type,
                            .rank = e->rank,
                            .axis = e->axis,
                            .is_back = e->is_back,
                            .is_exclusive = e->is_exclusive};
        struct box in, out;
        line_box_init(&in, type, e->rank, e->sizes, 1, 0);
        line_box_init(&out, type, e->rank, e->sizes, 1, 0);
        for (uint64_t k = 0; k < in.count; k++)
            number_store_real(type, e->x[k], box_element(&in, k));
        HRESULT status = run_cumulation(&task, &in, &out);
        int good = status == S_OK;
        for (uint64_t k = 0; k < in.count && good; k++)
            good = sum_is_near(type, number_real(type, box_element(&out, k)), e->y[k], 0);
        ok(good, "example %zu, type %d", i, (int)type);
        box_free(&in);
        box_free(&out);
    }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    if (!api->supports_operator(device, SUM)) {
        skip_rest("the device does not compute CUMULATIVE_SUMMATION");
    } else {
        test_cumulation_examples(TYPE(FLOAT32));
        test_cumulation_examples(TYPE(FLOAT16));
        test_random_lines(SUM);
        test_random_lines(PRODUCT);
        test_tiled_lines(SUM);
        test_tiled_lines(PRODUCT);
        test_runs(SUM);
        test_runs(PRODUCT);
        if (takes_all)
            test_long();
    }
    api->destroy_device(device);
    return tap_done();
}
