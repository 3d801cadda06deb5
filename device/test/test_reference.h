/* test_reference.h: tensors in guarded memory, a naive model of the copying operators, and the device under test. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "device/device.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RANK = 8, GUARD = 64, TRIALS = 120 };

#define TYPE(name) DML_TENSOR_DATA_TYPE_##name

static const assay_device_api *api;
static assay_device *device;

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static inline uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline UINT random_below(UINT limit)
{
    return (UINT)((random_bits() >> 20) % limit);
}

/* A tensor in memory of its own: a guard, elements with gaps between them, and after outputs another guard. Inputs end
 * where their memory ends, so that the address sanitizer notices reads past it. */
struct grid {
    DML_BUFFER_TENSOR_DESC buffer;
    DML_TENSOR_DESC tensor;
    UINT rank, sizes[MAX_RANK], strides[MAX_RANK];
    size_t element_size, bytes, total;     /* total: including the guards */
    unsigned char *memory, *before, *data; /* `before`: the initial, then the expected contents of `memory` */
};

static inline size_t size_of_type(DML_TENSOR_DATA_TYPE type)
{
    static const unsigned char sizes[] = {0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8};
    return sizes[type];
}

static inline UINT64 grid_count(const struct grid *grid)
{
    UINT64 count = 1;
    for (UINT i = 0; i < grid->rank; i++)
        count *= grid->sizes[i];
    return count;
}

/* Lays dimensions out in random order with random gaps; inputs may broadcast. */
static inline void lay_out_grid(struct grid *grid, int is_output)
{
    UINT order[MAX_RANK], next = 1;
    int packed = random_below(3) == 0;

    for (UINT i = 0; i < grid->rank; i++) {
        UINT j = packed ? i : random_below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (UINT i = grid->rank; i-- > 0;) {
        UINT d = order[i];
        next += packed ? 0 : random_below(3);
        grid->strides[d] = next;
        if (!is_output && !packed && random_below(6) == 0)
            grid->strides[d] = 0;
        else
            next *= grid->sizes[d];
        if (grid->sizes[d] == 1 && random_below(2))
            grid->strides[d] = (UINT)random_bits();
    }
}

static inline void allocate(struct grid *grid, size_t guard_after)
{
    grid->total = GUARD + grid->bytes + guard_after;
    grid->memory = malloc(grid->total);
    grid->before = malloc(grid->total);
    grid->data = grid->memory + GUARD;
    for (size_t i = 0; i < grid->total; i++)
        grid->memory[i] = (unsigned char)(random_bits() >> 30);
}

static inline void make_grid(struct grid *grid, DML_TENSOR_DATA_TYPE type, UINT rank, const UINT *sizes, int is_output)
{
    UINT64 last = 0;

    memset(grid, 0, sizeof *grid);
    grid->rank = rank;
    memcpy(grid->sizes, sizes, rank * sizeof *sizes);
    grid->element_size = size_of_type(type);
    lay_out_grid(grid, is_output);
    for (UINT i = 0; i < rank; i++)
        last += (sizes[i] - 1ull) * grid->strides[i];
    grid->bytes = ((last + 1) * grid->element_size + 3) / 4 * 4;
    grid->buffer =
        (DML_BUFFER_TENSOR_DESC){type, DML_TENSOR_FLAG_NONE, rank, grid->sizes, grid->strides, grid->bytes, 0};
    grid->tensor = (DML_TENSOR_DESC){DML_TENSOR_TYPE_BUFFER, &grid->buffer};
    allocate(grid, is_output ? GUARD : 0);
}

static inline void grid_keep(struct grid *grid)
{
    memcpy(grid->before, grid->memory, grid->total);
}

static inline int is_kept(const struct grid *grid)
{
    return memcmp(grid->before, grid->memory, grid->total) == 0;
}

static inline void grid_drop(struct grid *grid)
{
    free(grid->memory);
    free(grid->before);
}

static inline size_t grid_place(const struct grid *grid, const UINT *at)
{
    size_t place = 0;
    for (UINT i = 0; i < grid->rank; i++)
        place += (size_t)at[i] * (grid->sizes[i] == 1 ? 0 : grid->strides[i]);
    return place * grid->element_size;
}

/* Steps to the next coordinates in row-major order; returns 0 at the end. */
static inline int next_of(const struct grid *grid, UINT *at)
{
    for (UINT i = grid->rank; i-- > 0;) {
        if (++at[i] < grid->sizes[i])
            return 1;
        at[i] = 0;
    }
    return 0;
}

/* Makes a packed tensor of two dimensions. */
static inline void make_flat(struct grid *grid, DML_TENSOR_DATA_TYPE type, UINT rows, UINT columns)
{
    UINT sizes[] = {rows, columns};
    make_grid(grid, type, 2, sizes, 1);
    free(grid->memory);
    free(grid->before);
    grid->strides[0] = columns;
    grid->strides[1] = 1;
    grid->bytes = ((size_t)rows * columns * grid->element_size + 3) / 4 * 4;
    grid->buffer.Strides = NULL;
    grid->buffer.TotalTensorSizeInBytes = grid->bytes;
    allocate(grid, GUARD);
}

struct trial {
    DML_OPERATOR_TYPE type;
    UINT rank, axis, taken, p, q, b;
    struct grid input, indices, shaped, output; /* shaped: output of a gather, updates of a scatter */
};

/* Counts what the random trials have covered, so that they cannot pass by covering nothing. */
static struct {
    int ranks[MAX_RANK + 1], negative, above, below, alias, broadcast, padded, tuples, batches, dropped;
} seen;

static inline int is_scatter(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_SCATTER_ELEMENTS || type == DML_OPERATOR_SCATTER_ND;
}

/* Returns the position that an index names in a dimension of `size`; -1: a scatter ignores it. */
static inline long long settle(const struct trial *t, const UINT *at, UINT size)
{
    const unsigned char *from = t->indices.data + grid_place(&t->indices, at);
    DML_TENSOR_DATA_TYPE type = t->indices.buffer.DataType;
    __int128 index = 0;
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;

    memcpy(&u32, from, 4);
    memcpy(&i32, from, 4);
    if (type == TYPE(UINT32))
        index = u32;
    if (type == TYPE(INT32))
        index = i32;
    if (t->indices.element_size == 8) {
        memcpy(&i64, from, 8);
        memcpy(&u64, from, 8);
        index = type == TYPE(INT64) ? (__int128)i64 : (__int128)u64;
        seen.alias += index >= 4294967296 && (uint32_t)index < size;
    }
    seen.negative += index < 0 && index >= -(__int128)size;
    if (index < 0)
        index += size;
    seen.below += index < 0;
    seen.above += index >= size;
    if (index >= 0 && index < size)
        return (long long)index;
    if (is_scatter(t->type))
        return -1;
    return index < 0 ? 0 : (long long)size - 1;
}

/* Finds the element of the input (or output) that belongs to an element of the shaped tensor. Returns 0 if there is
 * none. */
static inline int locate_far(const struct trial *t, const UINT *shaped, UINT *far)
{
    UINT rank = t->rank, from[MAX_RANK] = {0}, k, tail, lead;
    long long place;

    memset(far, 0, MAX_RANK * sizeof *far);
    switch (t->type) {
    case DML_OPERATOR_GATHER_ELEMENTS:
    case DML_OPERATOR_SCATTER_ELEMENTS:
        memcpy(far, shaped, rank * sizeof *far);
        place = settle(t, shaped, t->input.sizes[t->axis]);
        far[t->axis] = (UINT)place;
        return place >= 0;
    case DML_OPERATOR_GATHER: {
        /* from the right: input after the axis, then indices, then input before the axis, until dimensions run out */
        int o = (int)rank - 1;
        for (UINT d = rank; d-- > t->axis + 1;)
            far[d] = shaped[o--];
        for (UINT d = 0; d < t->taken; d++, o--)
            from[rank - 1 - d] = o >= 0 ? shaped[o] : 0;
        for (UINT d = t->axis; d-- > 0; o--)
            far[d] = o >= 0 ? shaped[o] : 0;
        far[t->axis] = (UINT)settle(t, from, t->input.sizes[t->axis]);
        return 1;
    }
    default:
        k = t->indices.sizes[rank - 1];
        tail = t->p - t->b - k;
        lead = t->q - 1;
        for (UINT i = 0; i < lead; i++)
            from[rank - t->q + i] = shaped[rank - tail - lead + i];
        for (UINT i = 0; i < t->b; i++)
            far[rank - t->p + i] = from[rank - t->q + i];
        for (UINT i = 0; i < tail; i++)
            far[rank - tail + i] = shaped[rank - tail + i];
        for (UINT i = 0; i < k; i++) {
            from[rank - 1] = i;
            place = settle(t, from, t->input.sizes[rank - t->p + t->b + i]);
            if (place < 0)
                return 0;
            far[rank - t->p + t->b + i] = (UINT)place;
        }
        return 1;
    }
}

/* Sets the output's `before` to the expected contents, byte by byte. */
static inline void expect_trial(struct trial *t)
{
    struct grid *output = is_scatter(t->type) ? &t->output : &t->shaped;
    UINT at[MAX_RANK] = {0}, far[MAX_RANK];
    size_t size = t->input.element_size;

    if (is_scatter(t->type))
        do
            memcpy(output->before + GUARD + grid_place(output, at), t->input.data + grid_place(&t->input, at), size);
        while (next_of(output, at));
    do {
        if (!locate_far(t, at, far))
            continue;
        if (is_scatter(t->type))
            memcpy(output->before + GUARD + grid_place(output, far), t->shaped.data + grid_place(&t->shaped, at), size);
        else
            memcpy(output->before + GUARD + grid_place(output, at), t->input.data + grid_place(&t->input, far), size);
    } while (next_of(&t->shaped, at));
}

/* Creates, compiles and runs. Returns the last HRESULT. */
static inline HRESULT execute(DML_OPERATOR_TYPE type, const void *desc, struct grid *const *inputs, UINT input_count,
                              struct grid *const *outputs, UINT output_count)
{
    DML_OPERATOR_DESC operator_desc = {type, desc};
    assay_operator *made = NULL;
    assay_compiled *compiled = NULL;
    assay_binding in[3], out[2];
    assay_dispatch_item item = {NULL, in, out, input_count, output_count};
    assay_dispatch_result result = {.status = E_FAIL};
    HRESULT hr = api->create_operator(device, &operator_desc, &made);

    if (SUCCEEDED(hr))
        hr = api->compile_operator(device, made, DML_EXECUTION_FLAG_NONE, &compiled);
    api->destroy_operator(device, made);
    if (FAILED(hr)) {
        note("%s", api->message(device));
        return hr;
    }
    for (UINT i = 0; i < input_count; i++)
        in[i] = (assay_binding){inputs[i]->memory, GUARD, inputs[i]->bytes};
    for (UINT i = 0; i < output_count; i++)
        out[i] = (assay_binding){outputs[i]->memory, GUARD, outputs[i]->bytes};
    item.compiled = compiled;
    hr = api->dispatch(device, &item, 1, &result);
    api->destroy_compiled(device, compiled);
    if (FAILED(hr))
        return hr;
    return result.device_ns == 0 ? E_FAIL : result.status;
}

static inline HRESULT open_reference_device(const char *arguments, assay_device **out, char *message,
                                            size_t message_size)
{
    assay_device_config config = {sizeof config, arguments};
    return api->create_device(&config, out, message, message_size);
}

static inline HRESULT run_trial(struct trial *t)
{
    const DML_TENSOR_DESC *in = &t->input.tensor, *x = &t->indices.tensor, *s = &t->shaped.tensor;
    const DML_TENSOR_DESC *out = &t->output.tensor;
    struct grid *inputs[] = {&t->input, &t->indices, &t->shaped}, *scattered[] = {&t->output};
    struct grid *gathered[] = {&t->shaped};
    DML_GATHER_OPERATOR_DESC gather = {in, x, s, t->axis, t->taken};
    DML_GATHER_ELEMENTS_OPERATOR_DESC elements = {in, x, s, t->axis};
    DML_GATHER_ND_OPERATOR_DESC nd = {in, x, s, t->p, t->q};
    DML_GATHER_ND1_OPERATOR_DESC nd1 = {in, x, s, t->p, t->q, t->b};
    DML_SCATTER_OPERATOR_DESC scatter = {in, x, s, out, t->axis};
    DML_SCATTER_ND_OPERATOR_DESC scatter_nd = {in, x, s, out, t->p, t->q};
    const void *desc = &scatter_nd;
    switch ((int)t->type) {
    case DML_OPERATOR_GATHER:
        desc = &gather;
        break;
    case DML_OPERATOR_GATHER_ELEMENTS:
        desc = &elements;
        break;
    case DML_OPERATOR_GATHER_ND:
        desc = &nd;
        break;
    case DML_OPERATOR_GATHER_ND1:
        desc = &nd1;
        break;
    case DML_OPERATOR_SCATTER:
        desc = &scatter;
        break;
    default:
        break;
    }
    return is_scatter(t->type) ? execute(t->type, desc, inputs, 3, scattered, 1)
                               : execute(t->type, desc, inputs, 2, gathered, 1);
}

static inline UINT random_size(void)
{
    UINT kind = random_below(20);
    if (kind == 0)
        return 1;
    return kind == 1 ? 5 + random_below(9) : 1 + random_below(4);
}

/* Opens `device`. Returns 0 if that fails. */
static inline int open_reference(void)
{
    char message[256];

    api = assay_device_entry(ASSAY_DEVICE_ABI);
    return ok(api != NULL, "the device implements this ABI") &&
           ok(open_reference_device("", &device, message, sizeof message) == S_OK && device,
              "a device opens without arguments");
}

#endif
