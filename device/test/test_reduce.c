/* test_reduce.c: REDUCE, ARGMIN and ARGMAX of a device: the worked examples of the operator cards, special values, and
 * all functions on tensors of all shapes and layouts, compared with sums of this program.
 *
 *     test_reduce [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_lines.h"

enum { FUNCTIONS = DML_REDUCE_FUNCTION_SUM_SQUARE + 1, RANDOM_CASES = 20 };

#define F(name) DML_REDUCE_FUNCTION_##name

static const char *const names[FUNCTIONS] = {"ARGMAX",      "ARGMIN", "AVERAGE", "L1",       "L2",  "LOG_SUM",
                                             "LOG_SUM_EXP", "MAX",    "MIN",     "MULTIPLY", "SUM", "SUM_SQUARE"};

/* Returns the types of a function's input. */
static uint32_t function_types(DML_REDUCE_FUNCTION function)
{
    const uint32_t floats = 1u << TYPE(FLOAT32) | 1u << TYPE(FLOAT16);
    const uint32_t wide = 1u << TYPE(INT32) | 1u << TYPE(UINT32) | 1u << TYPE(INT64) | 1u << TYPE(UINT64);
    const uint32_t narrow = 1u << TYPE(INT16) | 1u << TYPE(UINT16) | 1u << TYPE(INT8) | 1u << TYPE(UINT8);
    switch (function) {
    case F(AVERAGE):
    case F(L2):
    case F(LOG_SUM):
    case F(LOG_SUM_EXP):
        return floats;
    case F(L1):
    case F(SUM):
    case F(MULTIPLY):
    case F(SUM_SQUARE):
        return floats | wide;
    default:
        return floats | wide | narrow;
    }
}

/* ---- expected results */

/* The sums over the elements of one result. */
struct sums {
    double n, sum, size, product, most, exponentials;
    uint64_t whole; /* sum of integers, modulo 2^64 */
    number_integer best;
    double best_real;
    uint64_t best_index, index;
};

static void sums_add_real(struct sums *s, DML_REDUCE_FUNCTION function, double x)
{
    double term = function == F(L1) ? fabs(x) : x;
    if (function == F(L2) || function == F(SUM_SQUARE))
        term = x * x;
    s->sum += term;
    s->size += fabs(term);
    s->product = s->n == 0 ? x : s->product * x;
    if (function == F(LOG_SUM_EXP)) {
        double most = s->n == 0 || x > s->most ? x : s->most;
        s->exponentials = (s->n == 0 ? 0 : s->exponentials * exp(s->most - most)) + exp(x - most);
        s->most = most;
    }
}

static void sums_add_whole(struct sums *s, DML_REDUCE_FUNCTION function, number_integer x)
{
    uint64_t bits = (uint64_t)x;
    if (function == F(L1))
        s->whole += x < 0 ? 0 - bits : bits;
    else if (function == F(SUM_SQUARE))
        s->whole += bits * bits;
    else if (function == F(MULTIPLY))
        s->whole = s->n == 0 ? bits : s->whole * bits;
    else
        s->whole += bits;
}

static void sums_add(struct sums *s, DML_REDUCE_FUNCTION function, int prefers_last, DML_TENSOR_DATA_TYPE type,
                     const void *at)
{
    int is_float = number_is_float(type), is_least = function == F(MIN) || function == F(ARGMIN);
    double real = is_float ? number_real(type, at) : 0;
    number_integer whole = is_float ? 0 : number_whole(type, at);
    int order = is_float ? (real > s->best_real) - (real < s->best_real) : (whole > s->best) - (whole < s->best);
    if (is_float)
        sums_add_real(s, function, real);
    else
        sums_add_whole(s, function, whole);
    if (s->n == 0 || (is_least ? -order : order) > 0 || (order == 0 && prefers_last)) {
        s->best = whole;
        s->best_real = real;
        s->best_index = s->index;
    }
    s->index++;
    s->n++;
}

static int matches_real(const struct sums *s, DML_REDUCE_FUNCTION function, DML_TENSOR_DATA_TYPE type, double got)
{
    double n = s->n, product = s->product, mean = s->sum / n, root = sqrt(s->sum), ulp = 0x1p-23;
    switch (function) {
    case F(MAX):
    case F(MIN):
        return got == s->best_real;
    case F(AVERAGE):
        return sum_is_near(type, got, mean, allowance(type, n, mean, s->size / n) + 2 * ulp * fabs(mean));
    case F(L2):
        return sum_is_near(type, got, root, allowance(type, n + 4, root, root) + 2 * ulp * root);
    case F(LOG_SUM):
        return sum_is_near(type, got, log(s->sum),
                           allowance(type, n + 1, log(s->sum), s->size / fabs(s->sum)) + 3 * ulp * fabs(log(s->sum)) +
                               0x1p-21);
    case F(LOG_SUM_EXP): {
        double value = s->most + log(s->exponentials);
        return sum_is_near(type, got, value, allowance(type, n + 8, value, 4) + 3 * ulp * fabs(value) + 0x1p-21);
    }
    case F(MULTIPLY):
        return sum_is_near(type, got, product, allowance_of_product(type, n, product));
    default:
        return sum_is_near(type, got, s->sum, allowance(type, n, s->sum, s->size));
    }
}

static int matches(const struct sums *s, DML_REDUCE_FUNCTION function, DML_TENSOR_DATA_TYPE type, const void *at)
{
    unsigned char expected[8] = {0};
    if (function == F(ARGMIN) || function == F(ARGMAX))
        number_store_whole(type, (number_integer)s->best_index, expected);
    else if (number_is_float(type))
        return matches_real(s, function, type, number_real(type, at));
    else
        number_store_whole(type, function == F(MIN) || function == F(MAX) ? s->best : (number_integer)s->whole,
                           expected);
    return memcmp(expected, at, descriptor_element_size(type)) == 0;
}

/* ---- one case */

struct task {
    DML_REDUCE_FUNCTION function;
    int is_arg, prefers_last; /* computed by ARGMIN or ARGMAX, rather than REDUCE */
    DML_TENSOR_DATA_TYPE type, target_type;
    uint32_t rank, axes; /* a bit for each reduced axis */
    UINT sizes[RANK];
    int packed;
};

static HRESULT run_reduction(const struct task *task, const struct box *in, const struct box *out)
{
    UINT axes[RANK], count = 0;
    for (uint32_t d = task->rank; d-- > 0;) { /* the order of axes is free */
        if (task->axes >> d & 1)
            axes[count++] = d;
    }
    const DML_REDUCE_OPERATOR_DESC reduce = {task->function, &in->desc, &out->desc, count, axes};
    const DML_ARGMIN_OPERATOR_DESC arg = {&in->desc, &out->desc, count, axes,
                                          task->prefers_last ? DML_AXIS_DIRECTION_DECREASING
                                                             : DML_AXIS_DIRECTION_INCREASING};
    if (!task->is_arg)
        return run_lines(DML_OPERATOR_REDUCE, &reduce, in, out);
    return run_lines(task->function == F(ARGMIN) ? DML_OPERATOR_ARGMIN : DML_OPERATOR_ARGMAX, &arg, in, out);
}

/* Fills a tensor with numbers whose sums and products stay in range; for extremes, with few different ones, so that
 * there are ties. */
static void fill_reduction(const struct task *task, const struct box *box)
{
    int is_order = task->function == F(MIN) || task->function == F(MAX) || task->function == F(ARGMIN) ||
                   task->function == F(ARGMAX);
    uint32_t kinds = lines_below(2) ? 5 : 1u << 24;
    for (uint64_t i = 0; i < box->count; i++) {
        uint64_t bits = lines_draw();
        double unit = (double)(bits >> 11) * 0x1p-53;
        if (!number_is_float(task->type)) {
            number_store_whole(task->type, is_order && kinds == 5 ? (number_integer)(bits % 5) - 2 : (int64_t)bits,
                               box_element(box, i));
            continue;
        }
        double x = is_order ? (double)(bits % kinds) - kinds / 2 : 4 * unit - 2;
        if (task->function == F(MULTIPLY))
            x = (bits & 1 ? -1 : 1) * (1 + (unit - 0.5) / 256);
        else if (task->function == F(LOG_SUM))
            x = unit + 0.01;
        else if (task->function == F(LOG_SUM_EXP))
            x = 160 * unit - 80;
        number_store_real(task->type, x, box_element(box, i));
    }
}

/* Returns true if all results are as expected. */
static int check_reduction(const struct task *task)
{
    struct box in, out;
    UINT sizes[RANK], at[RANK] = {0};
    uint64_t strides[RANK], step = 1, to = 0;
    for (uint32_t d = task->rank; d-- > 0; step *= sizes[d]) {
        sizes[d] = task->axes >> d & 1 ? 1 : task->sizes[d];
        strides[d] = task->axes >> d & 1 ? 0 : step;
    }
    line_box_init(&in, task->type, task->rank, task->sizes, task->packed, 1);
    line_box_init(&out, task->target_type, task->rank, sizes, task->packed, 0);
    fill_reduction(task, &in);
    struct sums *sums = calloc(out.count, sizeof *sums);
    if (!sums)
        exit(1);
    for (uint64_t i = 0; i < in.count; i++, to = next_offset(task->rank, task->sizes, strides, at, to))
        sums_add(&sums[to], task->function, task->prefers_last, task->type, box_element(&in, i));
    HRESULT status = run_reduction(task, &in, &out);
    int good = status == S_OK;
    if (!good)
        note("0x%08x %s", (unsigned)status, api->message(device));
    for (uint64_t i = 0; good && i < out.count; i++) {
        good = matches(&sums[i], task->function, task->target_type, box_element(&out, i));
        if (!good)
            note("element %llu of %llu is %.9g; n %g sum %.9g best %.9g index %llu", (unsigned long long)i,
                 (unsigned long long)out.count, number_real(task->target_type, box_element(&out, i)), sums[i].n,
                 sums[i].sum, sums[i].best_real, (unsigned long long)sums[i].best_index);
    }
    if (good && !gaps_hold(&out)) {
        note("a gap of the output was written");
        good = 0;
    }
    if (!good) {
        note("%s%s, type %d to %d, axes 0x%x, %s", task->is_arg ? "operator " : "", names[task->function],
             (int)task->type, (int)task->target_type, task->axes, task->packed ? "packed" : "strided");
        for (uint32_t d = 0; d < task->rank; d++)
            note("size %u strides %u %u", task->sizes[d], in.strides[d], out.strides[d]);
    }
    free(sums);
    box_free(&in);
    box_free(&out);
    return good;
}

static DML_TENSOR_DATA_TYPE draw_reduced_type(uint32_t types)
{
    uint32_t type;
    do
        type = lines_below(16);
    while (!(types >> type & 1));
    return (DML_TENSOR_DATA_TYPE)type;
}

static void draw_types(struct task *task, DML_REDUCE_FUNCTION function)
{
    const uint32_t indices = 1u << TYPE(INT32) | 1u << TYPE(UINT32) | 1u << TYPE(INT64) | 1u << TYPE(UINT64);
    int is_index = function == F(ARGMIN) || function == F(ARGMAX);
    task->function = function;
    task->is_arg = is_index && lines_below(2);
    task->prefers_last = task->is_arg && lines_below(2);
    task->type = draw_reduced_type(function_types(function));
    task->target_type = is_index ? draw_reduced_type(indices) : task->type;
}

static void test_random_reductions(DML_REDUCE_FUNCTION function)
{
    int good = 1;
    for (int i = 0; i < RANDOM_CASES && good; i++) {
        struct task task = {.packed = lines_below(3) == 0};
        draw_types(&task, function);
        task.rank = draw_sizes(task.sizes, i % 8 == 7 ? 60000 : 700);
        task.axes = 1 + lines_below((1u << task.rank) - 1);
        good = check_reduction(&task);
    }
    ok(good, "%s of tensors of all layouts", names[function]);
}

/* Tests shapes that are cut in tiles, have many short lines, or lines side by side in fours. */
static void test_shapes(DML_REDUCE_FUNCTION function)
{
    static const struct {
        uint32_t rank, axes;
        UINT sizes[4];
    } shapes[] = {{1, 1, {300007}},         {2, 2, {3, 70001}},        {2, 1, {70001, 3}},    {2, 2, {50021, 3}},
                  {2, 1, {517, 1031}},      {2, 2, {1031, 517}},       {3, 5, {301, 3, 257}}, {3, 2, {31, 257, 63}},
                  {4, 10, {7, 65, 33, 31}}, {4, 13, {129, 3, 61, 17}}, {2, 2, {70001, 1}},    {2, 1, {3, 70001}},
                  {1, 1, {300008}},         {2, 2, {1031, 516}},       {2, 1, {517, 1040}},   {2, 1, {2069, 36}},
                  {3, 2, {31, 257, 64}},    {3, 5, {301, 4, 257}},     {3, 6, {516, 12, 28}}, {3, 1, {261, 17, 128}}};
    int good = 1;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct task task = {.packed = 1, .rank = shapes[i].rank, .axes = shapes[i].axes};
        memcpy(task.sizes, shapes[i].sizes, sizeof shapes[i].sizes);
        draw_types(&task, function);
        good &= check_reduction(&task);
    }
    ok(good, "%s of large tensors", names[function]);
}

/* ---- examples and special values */

#define NANF ((double)NAN)
#define INFF ((double)INFINITY)

static const struct example {
    DML_REDUCE_FUNCTION function;
    uint32_t n;
    double x[5], y;
    double tolerance;
} examples[] = {
    {F(SUM), 3, {1, 2, 3}, 6, 0},
    {F(L1), 3, {1, -2, 3}, 6, 0},
    {F(SUM_SQUARE), 3, {1, 2, 3}, 14, 0},
    {F(L2), 3, {3, 0, 4}, 5, 0},
    {F(L2), 3, {1, 2, 3}, 3.741657387, 1e-6},
    {F(AVERAGE), 3, {3, 0, 4}, 2.333333333, 3e-7},
    {F(MULTIPLY), 3, {2, 4, 2}, 16, 0},
    {F(LOG_SUM), 3, {2, 4, 2}, 2.079441542, 5e-7},
    {F(LOG_SUM), 2, {1, -1}, -INFF, 0},
    {F(LOG_SUM), 2, {1, -2}, NANF, 0},
    {F(LOG_SUM_EXP), 3, {1, 2, 3}, 3.407605964, 1e-6},
    {F(LOG_SUM_EXP), 2, {1000, 1000}, 1000.693147, 1e-4},
    {F(LOG_SUM_EXP), 2, {-1000, -1000}, -999.306853, 1e-4},
    {F(LOG_SUM_EXP), 3, {-INFF, -INFF, -INFF}, -INFF, 0},
    {F(LOG_SUM_EXP), 3, {-INFF, 2, -INFF}, 2, 0},
    {F(LOG_SUM_EXP), 4, {INFF, 2, -INFF, INFF}, INFF, 0},
    {F(LOG_SUM_EXP), 4, {INFF, 2, NANF, INFF}, NANF, 0},
    {F(LOG_SUM_EXP), 3, {-INFF, NANF, -INFF}, NANF, 0},
    {F(SUM), 3, {INFF, 1, 2}, INFF, 0},
    {F(SUM), 3, {INFF, 1, -INFF}, NANF, 0},
    {F(SUM), 3, {1, NANF, 2}, NANF, 0},
    {F(L1), 3, {1, NANF, 2}, NANF, 0},
    {F(L2), 3, {1, NANF, 2}, NANF, 0},
    {F(AVERAGE), 3, {1, NANF, 2}, NANF, 0},
    {F(SUM_SQUARE), 3, {1, NANF, 2}, NANF, 0},
    {F(MULTIPLY), 3, {INFF, 0, 2}, NANF, 0},
    {F(MULTIPLY), 3, {1, 0, NANF}, NANF, 0},
    {F(MAX), 4, {-INFF, NANF, -3, -5}, -3, 0},
    {F(MIN), 4, {INFF, NANF, 3, 5}, 3, 0},
    {F(MAX), 2, {-INFF, -INFF}, -INFF, 0},
    {F(MIN), 2, {INFF, INFF}, INFF, 0},
    {F(MAX), 2, {NANF, NANF}, NANF, 0},
    {F(MIN), 2, {NANF, NANF}, NANF, 0},
    {F(ARGMAX), 4, {NANF, -INFF, 3, 3}, 2, 0},
    {F(ARGMIN), 4, {NANF, INFF, INFF, NANF}, 1, 0},
    {F(ARGMIN), 4, {1, 0.0, -0.0, 2}, 1, 0},
    {F(ARGMAX), 4, {-1, -0.0, 0.0, -2}, 1, 0},
    {F(ARGMIN), 5, {1, 2, 3, 2, 1}, 0, 0},
    {F(ARGMAX), 5, {3, 2, 1, 2, 3}, 0, 0},
};

static void test_reduction_examples(DML_TENSOR_DATA_TYPE type)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        int is_index = e->function == F(ARGMIN) || e->function == F(ARGMAX);
        struct task task = {.function = e->function,
                            .type = type,
                            .target_type = is_index ? TYPE(UINT32) : type,
                            .rank = 1,
                            .axes = 1,
                            .packed = 1};
        struct box in, out;
        line_box_init(&in, type, 1, (const UINT[]){e->n}, 1, 0);
        line_box_init(&out, task.target_type, 1, (const UINT[]){1}, 1, 0);
        for (uint32_t k = 0; k < e->n; k++)
            number_store_real(type, e->x[k], box_element(&in, k));
        HRESULT status = run_reduction(&task, &in, &out);
        double got = number_real(task.target_type, out.data);
        double allowed = e->tolerance + (type == TYPE(FLOAT16) ? fabs(e->y) * 0x1p-11 : 0);
        ok(status == S_OK && sum_is_near(type, got, e->y, allowed), "%s, example %zu, type %d: %.9g",
           names[e->function], i, (int)type, got);
        box_free(&in);
        box_free(&out);
    }
}

/* Tests indices. Several axes are numbered row-major; the direction decides among equal elements. */
static void test_extreme_indices(void)
{
    static const float x[12] = {5, 4, 6, 9, 8, 7, 1, 8, 2, 6, 7, 0}, ties[5] = {1, 2, 3, 2, 1};
    struct task task = {.function = F(ARGMIN), .is_arg = 1, .rank = 3, .axes = 5};
    struct box in, out;
    line_box_init(&in, TYPE(FLOAT32), 3, (const UINT[]){2, 2, 3}, 1, 0);
    line_box_init(&out, TYPE(INT64), 3, (const UINT[]){1, 2, 1}, 1, 0);
    memcpy(in.data, x, sizeof x);
    int64_t got[2] = {-1, -1};
    HRESULT status = run_reduction(&task, &in, &out);
    memcpy(got, out.data, sizeof got);
    ok(status == S_OK && got[0] == 3 && got[1] == 5, "ARGMIN over axes 0 and 2");
    box_free(&in);
    box_free(&out);
    task = (struct task){.function = F(ARGMIN), .is_arg = 1, .prefers_last = 1, .rank = 1, .axes = 1};
    line_box_init(&in, TYPE(FLOAT32), 1, (const UINT[]){5}, 1, 0);
    line_box_init(&out, TYPE(INT64), 1, (const UINT[]){1}, 1, 0);
    memcpy(in.data, ties, sizeof ties);
    status = run_reduction(&task, &in, &out);
    memcpy(got, out.data, sizeof *got);
    ok(status == S_OK && got[0] == 4, "ARGMIN of the last of equal elements");
    box_free(&in);
    box_free(&out);
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    if (!api->supports_operator(device, DML_OPERATOR_REDUCE)) {
        skip_rest("the device does not compute REDUCE");
    } else {
        test_reduction_examples(TYPE(FLOAT32));
        test_reduction_examples(TYPE(FLOAT16));
        test_extreme_indices();
        for (int function = 0; function < FUNCTIONS; function++) {
            test_random_reductions((DML_REDUCE_FUNCTION)function);
            test_shapes((DML_REDUCE_FUNCTION)function);
        }
    }
    api->destroy_device(device);
    return tap_done();
}
