/* test_softmax.c: SOFTMAX, LOG_SOFTMAX and HARDMAX of a device, with and without Axes: examples of the operator cards,
 * special values, slices of all lengths, layouts and axes, and descriptions that break a rule.
 *
 *     test_softmax [PATH-OF-THE-DEVICE.so [ARGUMENTS-OF-THE-DEVICE]]
 *
 * Without a path, the device is the reference device. */
#include "device/test/test_lines.h"

enum { RANDOM_CASES = 200 };
enum result { PART, LOGARITHM, FIRST, RESULTS };

#define NANF ((double)NAN)
#define INFF ((double)INFINITY)

static const char *const names[RESULTS] = {"SOFTMAX", "LOG_SOFTMAX", "HARDMAX"};

struct task {
    enum result result;
    DML_TENSOR_DATA_TYPE type;
    int has_axes; /* otherwise along the last dimension */
    uint32_t rank, axis_count;
    UINT sizes[RANK], axes[RANK];
    int packed;
};

static HRESULT run_softmax(const struct task *task, const struct box *in, const struct box *out)
{
    static const DML_OPERATOR_TYPE single[] = {DML_OPERATOR_ACTIVATION_SOFTMAX, DML_OPERATOR_ACTIVATION_LOG_SOFTMAX,
                                               DML_OPERATOR_ACTIVATION_HARDMAX},
                                   several[] = {DML_OPERATOR_ACTIVATION_SOFTMAX1, DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1,
                                                DML_OPERATOR_ACTIVATION_HARDMAX1};
    /* the others have the same fields, or the first of them */
    const DML_ACTIVATION_SOFTMAX1_OPERATOR_DESC desc = {&in->desc, &out->desc, task->axis_count, task->axes};
    return run_lines((task->has_axes ? several : single)[task->result], &desc, in, out);
}

/* ---- the expected results */

/* The intermediate results of a slice, stored at the number of its first element in the tensor. */
struct slice {
    double most, sum, errors;
    uint64_t count, first;
};

static int is_axis(const struct task *task, uint32_t d)
{
    int found = !task->has_axes && d + 1 == task->rank;
    for (uint32_t i = 0; task->has_axes && i < task->axis_count; i++)
        found |= task->axes[i] == d;
    return found;
}

/* Finds the first element of the slice of each element. */
static void find_steps(const struct task *task, uint64_t steps[RANK])
{
    uint64_t step = 1;
    for (uint32_t d = task->rank; d-- > 0; step *= task->sizes[d])
        steps[d] = is_axis(task, d) ? 0 : step;
}

static struct slice *find_slices(const struct task *task, const struct box *in)
{
    struct slice *slices = calloc(in->count, sizeof *slices);
    uint64_t steps[RANK], of = 0;
    UINT at[RANK] = {0};
    if (!slices)
        exit(1);
    find_steps(task, steps);
    for (uint64_t i = 0; i < in->count; i++, of = next_offset(task->rank, task->sizes, steps, at, of)) {
        struct slice *s = &slices[of];
        double x = number_real(task->type, box_element(in, i));
        if (s->count == 0 || isnan(s->most) || x > s->most) {
            s->most = x;
            s->first = i;
        }
        s->count++;
    }
    for (uint64_t i = 0; i < in->count; i++, of = next_offset(task->rank, task->sizes, steps, at, of)) {
        struct slice *s = &slices[of]; /* after the last element, the first is next */
        double t = number_real(task->type, box_element(in, i)) - s->most, power = exp(t);
        s->sum += power;
        s->errors += power > 0 ? power * (8 + 4 * fabs(t)) : 0;
    }
    return slices;
}

/* Sets the result of element `i`, and the greatest difference of a device that computes in FLOAT32. */
static double expect_result(const struct task *task, const struct slice *s, uint64_t i, double x, double *allowed)
{
    double t = x - s->most, steps = (double)s->count + 4 + s->errors / s->sum;
    double value = i == s->first, error = 0;
    if (task->result == PART) {
        value = exp(t) / s->sum;
        error = value > 0 ? value * (8 + 4 * fabs(t) + steps) * 0x1p-24 : 0;
    } else if (task->result == LOGARITHM) {
        value = t - log(s->sum);
        error = isfinite(value) ? (steps + 8 * fmax(1, log(s->sum)) + 2 * (fabs(t) + fabs(value))) * 0x1p-24 : 0;
    }
    *allowed = task->result == FIRST ? 0 : error + allowance(task->type, 0, value, 0) + 0x1p-126;
    return value;
}

static int check_elements(const struct task *task, const struct box *in, const struct box *out)
{
    struct slice *slices = find_slices(task, in);
    uint64_t steps[RANK], of = 0;
    UINT at[RANK] = {0};
    int good = 1;
    find_steps(task, steps);
    for (uint64_t i = 0; i < in->count && good; i++, of = next_offset(task->rank, task->sizes, steps, at, of)) {
        const struct slice *s = &slices[of];
        double allowed, value = expect_result(task, s, i, number_real(task->type, box_element(in, i)), &allowed);
        double got = number_real(task->type, box_element(out, i));
        good = sum_is_near(task->type, got, value, allowed);
        if (!good)
            note("element %llu of %llu, in a slice of %llu: %.9g, not %.9g", (unsigned long long)i,
                 (unsigned long long)in->count, (unsigned long long)s->count, got, value);
    }
    free(slices);
    return good;
}

/* ---- random elements */

/* Fills a tensor with ordinary elements, or few different ones; some of the slices are far from 0. */
static void fill_softmax(const struct task *task, const struct box *box)
{
    int few = lines_below(3) == 0, far = lines_below(3) == 0;
    for (uint64_t i = 0; i < box->count; i++) {
        double x = few ? (double)lines_below(4) : (double)(lines_draw() >> 11) * 0x1p-49 - 8;
        number_store_real(task->type, x + (far ? 200 : 0), box_element(box, i));
    }
}

static int check_softmax(const struct task *task)
{
    struct box in, out;
    line_box_init(&in, task->type, task->rank, task->sizes, task->packed, 1);
    line_box_init(&out, task->type, task->rank, task->sizes, task->packed, 0);
    fill_softmax(task, &in);
    HRESULT status = run_softmax(task, &in, &out);
    int good = status == S_OK && check_elements(task, &in, &out);
    if (status != S_OK)
        note("0x%08x %s", (unsigned)status, api->message(device));
    if (good && !gaps_hold(&out)) {
        note("a gap of the output was written");
        good = 0;
    }
    for (uint32_t d = 0; d < task->rank && !good; d++)
        note("%s, type %d: size %u%s, strides %u %u", names[task->result], (int)task->type, task->sizes[d],
             is_axis(task, d) ? " of the slice" : "", in.strides[d], out.strides[d]);
    box_free(&in);
    box_free(&out);
    return good;
}

static DML_TENSOR_DATA_TYPE draw_float_type(void)
{
    return lines_below(2) ? TYPE(FLOAT32) : TYPE(FLOAT16);
}

/* Draws some of the dimensions, in any order. */
static void draw_axes(struct task *task)
{
    task->axis_count = 1 + lines_below(task->rank);
    for (uint32_t d = 0; d < task->rank; d++) {
        uint32_t other = lines_below(d + 1);
        task->axes[d] = task->axes[other];
        task->axes[other] = d;
    }
}

static void test_random_slices(enum result result)
{
    int good = 1;
    for (int i = 0; i < RANDOM_CASES && good; i++) {
        struct task task = {
            .result = result, .type = draw_float_type(), .packed = lines_below(3) == 0, .has_axes = i % 2};
        task.rank = draw_sizes(task.sizes, i % 8 == 7 ? 20000 : 700);
        for (uint32_t d = 0; d + 2 < task.rank && !task.has_axes; d++)
            task.sizes[d] = 1;
        if (task.has_axes)
            draw_axes(&task);
        good = check_softmax(&task);
    }
    ok(good, "%s of tensors of all layouts", names[result]);
}

static void test_lengths(enum result result)
{
    static const UINT lengths[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 255, 257, 1000, 1025, 4097, 65537};
    int good = 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            struct task task = {.result = result,
                                .type = draw_float_type(),
                                .has_axes = 1,
                                .packed = 1,
                                .rank = 3,
                                .axis_count = 1,
                                .sizes = {3, 2, 3},
                                .axes = {axis}};
            task.sizes[axis] = lengths[i];
            good &= check_softmax(&task);
            task.has_axes = 0;
            task.sizes[0] = 1;
            good &= check_softmax(&task);
        }
    ok(good, "%s of slices of 1 to 65537 elements, along each dimension", names[result]);
    struct task longest = {.result = result,
                           .type = TYPE(FLOAT32),
                           .has_axes = 1,
                           .rank = 4,
                           .axis_count = 2,
                           .sizes = {40, 5003, 2, 7},
                           .axes = {3, 1}};
    ok(check_softmax(&longest), "%s of slices over two dimensions that are not next to each other", names[result]);
    longest = (struct task){.result = result, .type = TYPE(FLOAT16), .packed = 1, .rank = 2, .sizes = {2, 1500007}};
    ok(check_softmax(&longest), "%s of slices of 1500007 elements", names[result]);
}

/* ---- examples and special values */

static const struct example {
    enum result result;
    int has_axes;
    uint32_t rank, axis_count;
    UINT sizes[4], axes[2];
    double x[8], y[8];
} examples[] = {
    {FIRST, 1, 3, 1, {2, 2, 2}, {1}, {12, 0, -101, 11, 3, 234, 0, -101}, {1, 0, 0, 1, 1, 1, 0, 0}},
    {FIRST, 1, 3, 1, {2, 2, 2}, {0}, {12, 0, -101, 11, 3, 234, 0, -101}, {1, 0, 0, 1, 0, 1, 1, 0}},
    {FIRST, 1, 3, 2, {2, 2, 2}, {0, 2}, {12, 0, -101, 11, 3, 234, 0, -101}, {0, 0, 0, 1, 0, 1, 0, 0}},
    {FIRST, 1, 3, 2, {2, 2, 2}, {2, 0}, {12, 0, -101, 11, 3, 234, 0, -101}, {0, 0, 0, 1, 0, 1, 0, 0}},
    {LOGARITHM,
     1,
     3,
     1,
     {2, 2, 2},
     {1},
     {12, 0, -101, 11, 3, 234, 0, -101},
     {0, -11.0000167, -113, -0.0000167015613, -0.0485873516, 0, -3.04858735, -335}},
    {LOGARITHM,
     1,
     3,
     1,
     {2, 2, 2},
     {0},
     {12, 0, -101, 11, 3, 234, 0, -101},
     {-0.000123402190, -234, -101, 0, -9.0001234, 0, 0, -112}},
    {LOGARITHM,
     1,
     3,
     2,
     {2, 2, 2},
     {0, 2},
     {12, 0, -101, 11, 3, 234, 0, -101},
     {-222, -234, -112.000017, -0.0000167015613, -231, 0, -11.0000167, -112.000017}},
    {PART,
     0,
     4,
     0,
     {1, 1, 2, 4},
     {0},
     {0, 1, 2, 3, 10000, 10001, 10002, 10003},
     {0.0320586, 0.08714432, 0.2368828, 0.6439143, 0.0320586, 0.08714432, 0.2368828, 0.6439143}},
    {LOGARITHM,
     0,
     4,
     0,
     {1, 1, 2, 4},
     {0},
     {0, 1, 2, 3, 10000, 10001, 10002, 10003},
     {-3.44018970, -2.44018970, -1.44018970, -0.440189699, -3.44018970, -2.44018970, -1.44018970, -0.440189699}},
    {FIRST, 0, 2, 0, {2, 4}, {0}, {1, 3, 3, 2, 5, 5, 5, 5}, {0, 1, 0, 0, 1, 0, 0, 0}},
    {PART, 1, 2, 2, {2, 2}, {0, 1}, {1, 2, 3, 4}, {0.0320586, 0.08714432, 0.2368828, 0.6439143}},
    /* Minus infinity has a share of 0; a slice of minus infinities alone, or with NaNs or plus infinity, has NaNs as
     * shares. */
    {PART, 0, 1, 0, {3}, {0}, {1, -INFF, 1}, {0.5, 0, 0.5}},
    {LOGARITHM, 0, 1, 0, {3}, {0}, {1, -INFF, -INFF}, {0, -INFF, -INFF}},
    {FIRST, 0, 1, 0, {3}, {0}, {-INFF, -INFF, -INFF}, {1, 0, 0}},
    {FIRST, 0, 1, 0, {3}, {0}, {-0.0, 0.0, -1}, {1, 0, 0}},
    {PART, 0, 1, 0, {3}, {0}, {1, NANF, 1}, {NANF, NANF, NANF}},
    {PART, 0, 1, 0, {2}, {0}, {-INFF, -INFF}, {NANF, NANF}},
    {LOGARITHM, 0, 1, 0, {3}, {0}, {1, INFF, 1}, {NANF, NANF, NANF}},
};

static void test_softmax_examples(DML_TENSOR_DATA_TYPE type)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        struct task task = {
            .result = e->result, .type = type, .has_axes = e->has_axes, .rank = e->rank, .axis_count = e->axis_count};
        struct box in, out;
        memcpy(task.sizes, e->sizes, sizeof e->sizes);
        memcpy(task.axes, e->axes, sizeof e->axes);
        line_box_init(&in, type, e->rank, e->sizes, 1, 0);
        line_box_init(&out, type, e->rank, e->sizes, 1, 0);
        for (uint64_t k = 0; k < in.count; k++)
            number_store_real(type, e->x[k], box_element(&in, k));
        int exact = type == TYPE(FLOAT32) || e->x[4] < 10000; /* FLOAT16 has no 10001 */
        int good = run_softmax(&task, &in, &out) == S_OK;
        for (uint64_t k = 0; k < in.count && good && exact; k++)
            good = sum_is_near(type, number_real(type, box_element(&out, k)), e->y[k],
                               fabs(e->y[k]) * (type == TYPE(FLOAT16) ? 0x1p-10 : 0x1p-20) + 0x1p-24);
        ok(good, "example %zu, type %d", i, (int)type);
        box_free(&in);
        box_free(&out);
    }
}

/* ---- rules */

static void test_rules(void)
{
    static const struct {
        const char *what;
        int has_axes, good;
        uint32_t axis_count;
        UINT sizes[3], axes[3];
    } tries[] = {
        {"a last axis", 1, 1, 1, {2, 3, 4}, {2}},
        {"all axes, backwards", 1, 1, 3, {2, 3, 4}, {2, 1, 0}},
        {"an axis that does not exist", 1, 0, 1, {2, 3, 4}, {3}},
        {"an axis twice", 1, 0, 2, {2, 3, 4}, {1, 1}},
        {"no axis", 1, 0, 0, {2, 3, 4}, {0}},
        {"more axes than dimensions", 1, 0, 4, {2, 3, 4}, {0, 1, 2}},
        {"a leading size of 1", 0, 1, 0, {1, 3, 4}, {0}},
        {"three sizes above 1", 0, 0, 0, {2, 3, 4}, {0}},
        {"a trailing size of 1, which counts", 0, 0, 0, {2, 3, 1}, {0}},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        for (int result = 0; result < RESULTS; result++) {
            struct task task = {.result = (enum result)result,
                                .type = TYPE(FLOAT32),
                                .has_axes = tries[i].has_axes,
                                .rank = 3,
                                .axis_count = tries[i].axis_count};
            struct box in, out;
            memcpy(task.sizes, tries[i].sizes, sizeof tries[i].sizes);
            memcpy(task.axes, tries[i].axes, sizeof tries[i].axes);
            line_box_init(&in, task.type, 3, task.sizes, 1, 0);
            line_box_init(&out, task.type, 3, task.sizes, 1, 0);
            memset(in.data, 0, in.buffer.TotalTensorSizeInBytes);
            ok(run_softmax(&task, &in, &out) == (tries[i].good ? S_OK : E_INVALIDARG), "%s%s: %s", names[result],
               task.has_axes ? "1" : "", tries[i].what);
            box_free(&in);
            box_free(&out);
        }
}

int main(int argc, char **argv)
{
    if (!open_by_arguments(argc, argv, &api, &device))
        return tap_done();
    if (!api->supports_operator(device, DML_OPERATOR_ACTIVATION_SOFTMAX)) {
        skip_rest("the device does not compute ACTIVATION_SOFTMAX");
    } else {
        test_softmax_examples(TYPE(FLOAT32));
        test_softmax_examples(TYPE(FLOAT16));
        test_rules();
        for (int result = 0; result < RESULTS; result++) {
            test_random_slices((enum result)result);
            test_lengths((enum result)result);
        }
    }
    api->destroy_device(device);
    return tap_done();
}
