/* test_reference_nonzero.c: NONZERO_COORDINATES of the reference device against a naive scan. */
#include "device/test/test_reference.h"

static void expect_row(struct grid *coordinates, UINT row, const UINT *at, UINT rank)
{
    UINT n = coordinates->sizes[coordinates->rank - 1], place[MAX_RANK] = {0};
    for (UINT i = 0; i < n; i++) {
        place[coordinates->rank - 2] = row;
        place[coordinates->rank - 1] = i;
        memcpy(coordinates->before + GUARD + grid_place(coordinates, place), &at[rank - n + i], sizeof *at);
    }
}

static int grid_is_nonzero(const struct grid *input, const UINT *at)
{
    const unsigned char *from = input->data + grid_place(input, at);
    unsigned char any = 0;
    for (size_t i = 0; i < input->element_size; i++) {
        int top = i + 1 == input->element_size;
        int is_float = input->buffer.DataType == TYPE(FLOAT32) || input->buffer.DataType == TYPE(FLOAT16);
        any |= top && is_float ? from[i] & 0x7F : from[i]; /* all bits but the sign */
    }
    return any != 0;
}

static int run_nonzero(struct grid *input, struct grid *count, struct grid *coordinates, UINT *found)
{
    DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&input->tensor, &count->tensor, &coordinates->tensor};
    struct grid *inputs[] = {input}, *outputs[] = {count, coordinates};
    UINT at[MAX_RANK] = {0};
    HRESULT result;

    *found = 0;
    grid_keep(input);
    grid_keep(count);
    grid_keep(coordinates);
    do
        if (grid_is_nonzero(input, at))
            expect_row(coordinates, (*found)++, at, input->rank);
    while (next_of(input, at));
    memcpy(count->before + GUARD, found, sizeof *found);
    result = execute(DML_OPERATOR_NONZERO_COORDINATES, &desc, inputs, 1, outputs, 2);
    if (result != S_OK || !is_kept(input) || !is_kept(count) || !is_kept(coordinates)) {
        note("0x%08x rank %u N %u: kept %d %d %d", (unsigned)result, input->rank,
             coordinates->sizes[coordinates->rank - 1], is_kept(input), is_kept(count), is_kept(coordinates));
        return 0;
    }
    return 1;
}

static int one_nonzero(DML_TENSOR_DATA_TYPE type, UINT *found)
{
    struct grid input, count, coordinates;
    UINT rank = 1 + random_below(MAX_RANK), sizes[MAX_RANK], ones[MAX_RANK], shape[MAX_RANK], first = 0;
    UINT leading = random_below(3) ? 0 : random_below(rank + 1), total = 1, density = random_below(4), out, good;

    for (UINT i = 0; i < rank; i++) {
        ones[i] = shape[i] = 1;
        if (i < leading)
            sizes[i] = 1;
        else
            sizes[i] = rank < 3 && random_below(2) ? 50 + random_below(100) : random_size();
        total *= sizes[i];
    }
    while (first < rank && sizes[first] == 1)
        first++;
    out = rank < 2 ? 2 : rank;
    shape[0] = 1;
    shape[out - 2] = total;
    shape[out - 1] = rank - (first == rank ? rank - 1 : first);
    shape[out - 1] += random_below(rank - shape[out - 1] + 1);
    make_grid(&input, type, rank, sizes, 0);
    make_grid(&count, TYPE(UINT32), 1 + random_below(rank), ones, 1);
    make_grid(&coordinates, TYPE(UINT32), out, shape, 1);
    for (size_t i = 0; i < input.bytes; i++)
        if (density < 3 && random_below(4) >= density)
            input.data[i] = i % input.element_size + 1 == input.element_size ? input.data[i] & 0x80 : 0;
    good = (UINT)run_nonzero(&input, &count, &coordinates, found);
    grid_drop(&input);
    grid_drop(&count);
    grid_drop(&coordinates);
    return (int)good;
}

static void test_nonzero_random(void)
{
    static const DML_TENSOR_DATA_TYPE types[] = {TYPE(FLOAT32), TYPE(FLOAT16), TYPE(UINT32), TYPE(UINT16),
                                                 TYPE(UINT8),   TYPE(INT32),   TYPE(INT16),  TYPE(INT8)};
    for (int i = 0; i < 8; i++) {
        int good = 0, some = 0, none = 0;
        for (int trial = 0; trial < 5 * TRIALS; trial++) {
            UINT found;
            good += one_nonzero(types[i], &found);
            some += found > 1;
            none += found == 0;
        }
        ok(good == 5 * TRIALS && some > 100 && none > 0, "nonzero of type %d: %d of %d, %d with rows, %d without",
           types[i], good, 5 * TRIALS, some, none);
    }
}

static void test_nonzero_values(void)
{
    static const uint32_t words[] = {0,          0x80000000, 1,          0x80000001, 0x7F800000, 0xFF800000,
                                     0x7FC00000, 0xFFC00000, 0x7F800001, 0x007FFFFF, 0x3F800000, 0};
    static const uint16_t halves[] = {0, 0x8000, 1, 0x8001, 0x7C00, 0xFC00, 0x7E00, 0xFE00, 0x7C01, 0x3FF, 0x3C00, 0};
    static const uint32_t of_float[] = {2, 3, 4, 5, 6, 7, 8, 9, 10}, of_integer[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    for (int i = 0; i < 4; i++) {
        static const DML_TENSOR_DATA_TYPE types[] = {TYPE(FLOAT32), TYPE(FLOAT16), TYPE(INT32), TYPE(UINT16)};
        struct grid input, count, rows;
        DML_NONZERO_COORDINATES_OPERATOR_DESC desc = {&input.tensor, &count.tensor, &rows.tensor};
        struct grid *inputs[] = {&input}, *outputs[] = {&count, &rows};
        uint32_t expected = i < 2 ? 9 : 10, got;

        make_flat(&input, types[i], 1, 12);
        make_flat(&count, TYPE(UINT32), 1, 1);
        make_flat(&rows, TYPE(UINT32), 12, 1);
        memcpy(input.data, size_of_type(types[i]) == 4 ? (const void *)words : (const void *)halves, input.bytes);
        ok(execute(DML_OPERATOR_NONZERO_COORDINATES, &desc, inputs, 1, outputs, 2) == S_OK, "special values run");
        memcpy(&got, count.data, sizeof got);
        ok(got == expected && !memcmp(rows.data, i < 2 ? of_float : of_integer, 4 * expected),
           "type %d: zeros of both signs, NaN, infinities, denormals: %u", types[i], got);
        grid_drop(&input);
        grid_drop(&count);
        grid_drop(&rows);
    }
}

int main(void)
{
    if (!open_reference())
        return tap_done();
    test_nonzero_values();
    test_nonzero_random();
    api->destroy_device(device);
    return tap_done();
}
