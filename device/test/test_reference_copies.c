/* test_reference_copies.c: gathers and scatters of the reference device against a naive model, on random strided shapes
 * with arbitrary indices, in guarded memory. */
#include "device/test/test_reference.h"

/* Draws sizes of GATHER: `taken` dimensions of indices replace one of the input. */
static void random_blocks(struct trial *t, UINT *input, UINT *indices, UINT *shaped)
{
    UINT content[2 * MAX_RANK], length = 0, rank = t->rank;

    t->axis = random_below(rank);
    t->taken = random_below(rank + 1);
    for (UINT i = 0; i < rank; i++)
        indices[i] = i < rank - t->taken ? 1 : random_size();
    for (UINT i = 0; i < rank; i++)
        input[i] = random_size();
    for (UINT i = 0; i + 1 < t->taken; i++) { /* leading sizes that do not fit are 1 */
        seen.dropped++;
        if (i < t->axis)
            input[i] = 1;
        else
            indices[rank - t->taken + i - t->axis] = 1;
    }
    for (UINT i = 0; i < t->axis; i++)
        content[length++] = input[i];
    for (UINT i = rank - t->taken; i < rank; i++)
        content[length++] = indices[i];
    for (UINT i = t->axis + 1; i < rank; i++)
        content[length++] = input[i];
    for (UINT i = 0; i < rank; i++)
        shaped[i] = i + length >= rank ? content[length - rank + i] : 1;
}

static void random_tuples(struct trial *t, UINT *input, UINT *indices, UINT *shaped)
{
    UINT rank = t->rank, k, tail, lead;

    do {
        t->p = 1 + random_below(rank);
        t->q = 1 + random_below(rank);
        t->b = 0;
        if (t->type == DML_OPERATOR_GATHER_ND1)
            t->b = random_below(t->p < t->q ? t->p : t->q);
        k = 1 + random_below(t->p - t->b);
        tail = t->p - t->b - k;
        lead = t->q - 1;
    } while (lead + tail > rank);
    seen.tuples += k > 1;
    seen.batches += t->b > 0;
    for (UINT i = 0; i < rank; i++) {
        input[i] = i < rank - t->p ? 1 : random_size();
        indices[i] = i < rank - t->q ? 1 : random_size();
        shaped[i] = 1;
    }
    indices[rank - 1] = k;
    for (UINT i = 0; i < t->b; i++)
        indices[rank - t->q + i] = input[rank - t->p + i];
    for (UINT i = 0; i < lead; i++)
        shaped[rank - tail - lead + i] = indices[rank - t->q + i];
    for (UINT i = rank - tail; i < rank; i++)
        shaped[i] = input[i];
}

static void random_trial(struct trial *t, DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data, DML_TENSOR_DATA_TYPE index)
{
    UINT input[MAX_RANK], indices[MAX_RANK], shaped[MAX_RANK];

    memset(t, 0, sizeof *t);
    t->type = type;
    t->rank = 1 + random_below(MAX_RANK);
    seen.ranks[t->rank]++;
    if (type == DML_OPERATOR_GATHER)
        random_blocks(t, input, indices, shaped);
    else if (type == DML_OPERATOR_GATHER_ELEMENTS || type == DML_OPERATOR_SCATTER_ELEMENTS) {
        t->axis = random_below(t->rank);
        for (UINT i = 0; i < t->rank; i++)
            input[i] = random_size();
        memcpy(indices, input, sizeof indices);
        indices[t->axis] = t->rank < 3 && random_below(4) == 0 ? 250 + random_below(300) : random_size();
        memcpy(shaped, indices, sizeof shaped);
    } else
        random_tuples(t, input, indices, shaped);
    make_grid(&t->input, data, t->rank, input, 0);
    make_grid(&t->indices, index, t->rank, indices, 0);
    make_grid(&t->shaped, data, t->rank, shaped, !is_scatter(type));
    make_grid(&t->output, data, t->rank, input, 1);
    for (UINT i = 0; i < t->rank; i++)
        seen.broadcast += input[i] > 1 && t->input.strides[i] == 0;
    seen.padded += t->shaped.bytes > grid_count(&t->shaped) * t->shaped.element_size + 3;
}

/* Sets some indices of every kind; the rest of the memory stays random. */
static void random_indices(struct trial *t)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     (uint64_t)-1,
                                     (uint64_t)-2,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     0x100000000u,
                                     0x100000001u,
                                     INT64_MAX,
                                     1ull << 63,
                                     (uint64_t)-3,
                                     3,
                                     4};
    UINT at[MAX_RANK] = {0}, wild = random_below(3);

    do {
        uint64_t value = random_below(5);
        UINT kind = random_below(10);
        if (kind < 3)
            value = 0 - (uint64_t)random_below(5);
        if (wild && kind > 7)
            value = edges[random_below(sizeof edges / sizeof edges[0])];
        if (wild == 2 && kind == 7)
            value = random_bits();
        memcpy(t->indices.data + grid_place(&t->indices, at), &value, t->indices.element_size);
    } while (next_of(&t->indices, at));
}

static int one_trial(DML_OPERATOR_TYPE type, DML_TENSOR_DATA_TYPE data, DML_TENSOR_DATA_TYPE index)
{
    struct trial t;
    HRESULT result;
    int good;

    random_trial(&t, type, data, index);
    random_indices(&t);
    grid_keep(&t.input);
    grid_keep(&t.indices);
    grid_keep(&t.shaped);
    grid_keep(&t.output);
    expect_trial(&t);
    result = run_trial(&t);
    good = result == S_OK && is_kept(&t.input) && is_kept(&t.indices) && is_kept(&t.shaped) && is_kept(&t.output);
    if (!good)
        note("0x%08x rank %u axis %u taken %u P %u Q %u B %u: kept %d %d %d %d", (unsigned)result, t.rank, t.axis,
             t.taken, t.p, t.q, t.b, is_kept(&t.input), is_kept(&t.indices), is_kept(&t.shaped), is_kept(&t.output));
    grid_drop(&t.input);
    grid_drop(&t.indices);
    grid_drop(&t.shaped);
    grid_drop(&t.output);
    return good;
}

static void test_random_copies(void)
{
    static const DML_OPERATOR_TYPE types[] = {DML_OPERATOR_GATHER,           DML_OPERATOR_GATHER_ELEMENTS,
                                              DML_OPERATOR_GATHER_ND,        DML_OPERATOR_GATHER_ND1,
                                              DML_OPERATOR_SCATTER_ELEMENTS, DML_OPERATOR_SCATTER_ND};
    static const DML_TENSOR_DATA_TYPE data[] = {TYPE(UINT8), TYPE(FLOAT16), TYPE(FLOAT32), TYPE(FLOAT64)};
    static const DML_TENSOR_DATA_TYPE index[] = {TYPE(INT32), TYPE(UINT32), TYPE(INT64), TYPE(UINT64)};

    for (int o = 0; o < 6; o++)
        for (int d = 0; d < 4; d++)
            for (int x = 0; x < 4; x++) {
                int good = 0;
                for (int i = 0; i < TRIALS; i++)
                    good += one_trial(types[o], data[d], index[x]);
                ok(good == TRIALS, "operator %d, %zu-byte elements, index type %d: %d of %d", types[o],
                   size_of_type(data[d]), index[x], good, TRIALS);
            }
    for (int rank = 1; rank <= MAX_RANK; rank++)
        ok(seen.ranks[rank] > 100, "%d trials of rank %d", seen.ranks[rank], rank);
    ok(seen.negative > 1000 && seen.above > 1000 && seen.below > 1000 && seen.alias > 100,
       "indices: %d negative, %d above, %d below, %d that alias in 32 bits", seen.negative, seen.above, seen.below,
       seen.alias);
    ok(seen.broadcast > 1000 && seen.padded > 1000, "%d broadcast dimensions, %d padded tensors", seen.broadcast,
       seen.padded);
    ok(seen.tuples > 100 && seen.batches > 100 && seen.dropped > 100, "%d tuples, %d batches, %d dropped dimensions",
       seen.tuples, seen.batches, seen.dropped);
}

/* Tests tensors large enough for strips of columns, with many updates of one element: the last must win. */
static void test_strips(DML_OPERATOR_TYPE type)
{
    struct trial t = {.type = type, .rank = 2, .axis = 0};
    HRESULT result;

    make_flat(&t.input, TYPE(FLOAT64), 2000, 700);
    make_flat(&t.indices, TYPE(INT32), 900, 700);
    make_flat(&t.shaped, TYPE(FLOAT64), 900, 700);
    make_flat(&t.output, TYPE(FLOAT64), 2000, 700);
    for (size_t i = 0; i < 900 * 700; i++) {
        int32_t value = (int32_t)random_below(i % 2 ? 2100 : 50) - 25;
        memcpy(t.indices.data + i * sizeof value, &value, sizeof value);
    }
    grid_keep(&t.shaped);
    grid_keep(&t.output);
    expect_trial(&t);
    result = run_trial(&t);
    ok(result == S_OK && is_kept(&t.shaped) && is_kept(&t.output), "operator %d in strips of columns", type);
    grid_drop(&t.input);
    grid_drop(&t.indices);
    grid_drop(&t.shaped);
    grid_drop(&t.output);
}

int main(void)
{
    if (!open_reference())
        return tap_done();
    test_strips(DML_OPERATOR_GATHER_ELEMENTS);
    test_strips(DML_OPERATOR_SCATTER_ELEMENTS);
    test_random_copies();
    api->destroy_device(device);
    return tap_done();
}
