/* test_reference.c: the calls of the reference device, including calls that must fail, and the worked examples of the
 * pages. */
#include "device/test/test_reference.h"

struct example {
    DML_OPERATOR_TYPE type;
    UINT rank, axis, taken, p, q, b;
    UINT input_sizes[4], indices_sizes[4], shaped_sizes[4];
    float input[16];
    int32_t indices[8];
    float updates[8], expected[16];
};

static void fill_grid(struct grid *grid, const void *values)
{
    UINT at[MAX_RANK] = {0};
    const unsigned char *next = values;
    do {
        memcpy(grid->data + grid_place(grid, at), next, grid->element_size);
        next += grid->element_size;
    } while (next_of(grid, at));
}

static int grid_holds(const struct grid *grid, const void *values)
{
    UINT at[MAX_RANK] = {0};
    const unsigned char *next = values;
    do {
        if (memcmp(grid->data + grid_place(grid, at), next, grid->element_size) != 0)
            return 0;
        next += grid->element_size;
    } while (next_of(grid, at));
    return 1;
}

/* Tests the worked examples of the pages, as the rulings correct them. */
static void test_page_examples(void)
{
    static const struct example examples[] = {
        {DML_OPERATOR_GATHER_ELEMENTS,
         2,
         0,
         0,
         0,
         0,
         0,
         {3, 3},
         {2, 3},
         {2, 3},
         {1, 2, 3, 4, 5, 6, 7, 8, 9},
         {1, 2, 0, 2, 0, 0},
         {0},
         {4, 8, 3, 7, 2, 3}},
        {DML_OPERATOR_GATHER_ND, 2, 0, 0, 2, 2, 0, {2, 2}, {2, 1}, {2, 2}, {0, 1, 2, 3}, {1, 0}, {0}, {2, 3, 0, 1}},
        {DML_OPERATOR_GATHER_ND,
         4,
         0,
         0,
         3,
         2,
         0,
         {1, 2, 2, 2},
         {1, 1, 2, 2},
         {1, 1, 2, 2},
         {0, 1, 2, 3, 4, 5, 6, 7},
         {0, 1, 1, 0},
         {0},
         {2, 3, 4, 5}},
        {DML_OPERATOR_GATHER_ND1,
         3,
         0,
         0,
         3,
         2,
         1,
         {2, 2, 2},
         {1, 2, 1},
         {1, 2, 2},
         {0, 1, 2, 3, 4, 5, 6, 7},
         {1, 0},
         {0},
         {2, 3, 4, 5}},
        {DML_OPERATOR_GATHER,
         2,
         1,
         1,
         0,
         0,
         0,
         {3, 2},
         {1, 2},
         {3, 2},
         {1, 2, 3, 4, 5, 6},
         {1, -2},
         {0},
         {2, 1, 4, 3, 6, 5}},
        {DML_OPERATOR_GATHER, 2, 1, 0, 0, 0, 0, {3, 2}, {1, 1}, {1, 3}, {1, 2, 3, 4, 5, 6}, {-1}, {0}, {2, 4, 6}},
        {DML_OPERATOR_SCATTER_ND,
         2,
         0,
         0,
         1,
         2,
         0,
         {1, 8},
         {4, 1},
         {1, 4},
         {1, 2, 3, 4, 5, 6, 7, 8},
         {4, 3, 1, 7},
         {9, 10, 11, 12},
         {1, 11, 3, 10, 9, 6, 7, 12}},
        {DML_OPERATOR_SCATTER_ELEMENTS,
         2,
         0,
         0,
         0,
         0,
         0,
         {3, 3},
         {2, 3},
         {2, 3},
         {0},
         {1, 0, 2, 0, 2, 1},
         {1, 1.1f, 1.2f, 2, 2.1f, 2.2f},
         {2, 1.1f, 0, 1, 0, 2.2f, 0, 2.1f, 1.2f}},
        {DML_OPERATOR_SCATTER_ELEMENTS,
         1,
         0,
         0,
         0,
         0,
         0,
         {5},
         {4},
         {4},
         {1, 2, 3, 4, 5},
         {3, -2, 1, 9},
         {5, 7, 6, 8},
         {1, 6, 3, 7, 5}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        for (int layout = 0; layout < 8; layout++) {
            const struct example *e = &examples[i];
            struct trial t = {
                .type = e->type, .rank = e->rank, .axis = e->axis, .taken = e->taken, .p = e->p, .q = e->q, .b = e->b};
            HRESULT result;
            make_grid(&t.input, TYPE(FLOAT32), e->rank, e->input_sizes, 1);
            make_grid(&t.indices, TYPE(INT32), e->rank, e->indices_sizes, 1);
            make_grid(&t.shaped, TYPE(FLOAT32), e->rank, e->shaped_sizes, 1);
            make_grid(&t.output, TYPE(FLOAT32), e->rank, e->input_sizes, 1);
            fill_grid(&t.input, e->input);
            fill_grid(&t.indices, e->indices);
            if (is_scatter(e->type))
                fill_grid(&t.shaped, e->updates);
            result = run_trial(&t);
            ok(result == S_OK && grid_holds(is_scatter(e->type) ? &t.output : &t.shaped, e->expected),
               "example %zu of operator %d, layout %d", i, e->type, layout);
            grid_drop(&t.input);
            grid_drop(&t.indices);
            grid_drop(&t.shaped);
            grid_drop(&t.output);
        }
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
    struct trial t = {.type = DML_OPERATOR_GATHER_ELEMENTS, .rank = 2, .axis = 0};
    DML_GATHER_ELEMENTS_OPERATOR_DESC desc = {&t.input.tensor, &t.indices.tensor, &t.shaped.tensor, 7};
    DML_OPERATOR_DESC operator_desc = {t.type, &desc};
    assay_operator *made = (assay_operator *)&t;
    assay_compiled *compiled = NULL;
    assay_binding in[2], out[1], bad_in[2], bad_out[1], null_in[2];
    assay_dispatch_result results[8];

    make_flat(&t.input, TYPE(FLOAT32), 3, 4);
    make_flat(&t.indices, TYPE(UINT32), 2, 4);
    make_flat(&t.shaped, TYPE(FLOAT32), 2, 4);
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
    in[0] = bad_in[0] = null_in[0] = (assay_binding){t.input.memory, GUARD, t.input.bytes};
    in[1] = bad_in[1] = null_in[1] = (assay_binding){t.indices.memory, GUARD, t.indices.bytes};
    out[0] = bad_out[0] = (assay_binding){t.shaped.memory, GUARD, t.shaped.bytes};
    bad_in[1].size--;
    bad_out[0].size--;
    null_in[0].base = NULL;
    {
        assay_dispatch_item items[8] = {
            {compiled, in, out, 1, 1},     {compiled, in, out, 2, 0},      {compiled, bad_in, out, 2, 1},
            {compiled, in, bad_out, 2, 1}, {compiled, null_in, out, 2, 1}, {compiled, NULL, out, 2, 1},
            {NULL, in, out, 2, 1},         {compiled, in, out, 2, 1},
        };
        grid_keep(&t.shaped);
        memset(results, 0xAA, sizeof results);
        ok(api->dispatch(device, items, 7, results) == S_OK && is_kept(&t.shaped), "seven items that cannot run");
        for (int i = 0; i < 7; i++)
            ok(results[i].status == E_INVALIDARG && results[i].device_ns == 0, "item %d is rejected", i);
        ok(api->message(device)[0] != 0, "%s", api->message(device));
        expect_trial(&t);
        ok(api->dispatch(device, items, 8, results) == S_OK && results[7].status == S_OK && results[7].device_ns > 0 &&
               is_kept(&t.shaped),
           "the good one among them runs");
    }
    api->destroy_compiled(device, compiled);
    grid_drop(&t.input);
    grid_drop(&t.indices);
    grid_drop(&t.shaped);
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
    assay_binding in = {x->memory, GUARD, x->bytes}, out = {y->memory, GUARD, y->bytes};
    assay_dispatch_item item = {compiled, &in, &out, 1, 1};
    assay_dispatch_result result;
    memset(y->data, 0, y->bytes);
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

    make_flat(&x, TYPE(FLOAT32), 2, 2);
    make_flat(&y, TYPE(FLOAT32), 2, 2);
    make_flat(&wrong, TYPE(FLOAT32), 2, 3);
    fill_grid(&x, numbers);
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
    grid_drop(&x);
    grid_drop(&y);
    grid_drop(&wrong);
}

int main(void)
{
    if (!open_reference())
        return tap_done();
    test_device();
    test_dispatch();
    test_spares();
    test_page_examples();
    api->destroy_device(device);
    return tap_done();
}
