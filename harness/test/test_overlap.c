/* Checks that the harness and the devices agree, each in its own way, on strides that make elements share memory. Both
 * are compared with listing every offset of small tensors, with each other on larger ones, and with answers worked out
 * by hand on tensors that nobody can list. */
#include "device/common/overlap.h"
#include "harness/base/random.h"
#include "harness/spec/opdesc.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LISTED = 1 << 16 };

static struct opdesc_tensor test_overlap_tensor_of(uint32_t dims, const uint32_t *sizes, const uint32_t *strides)
{
    struct opdesc_tensor t = {.present = true, .has_sizes = true, .has_strides = true, .dims = dims};
    for (uint32_t i = 0; i < dims; i++) {
        t.sizes[i] = sizes[i];
        t.strides[i] = strides[i];
    }
    return t;
}

/* Lists all offsets, which must be below MAX_LISTED. */
static bool listed_overlap(const struct opdesc_tensor *t)
{
    static unsigned char used[MAX_LISTED];
    uint32_t at[OPDESC_MAX_DIMENSIONS] = {0}, offset = 0;
    bool overlap = false, more = true;
    memset(used, 0, (size_t)opdesc_extent(t));
    while (more && !overlap) {
        overlap = used[offset];
        used[offset] = 1;
        more = false;
        for (uint32_t i = 0; i < t->dims && !more; i++) {
            more = ++at[i] < t->sizes[i];
            offset += t->strides[i];
            if (!more) {
                offset -= t->sizes[i] * t->strides[i];
                at[i] = 0;
            }
        }
    }
    return overlap;
}

static void test_overlap_print(const struct opdesc_tensor *t, int expected)
{
    char text[256] = "";
    for (uint32_t i = 0; i < t->dims; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " %u*%u", t->sizes[i], t->strides[i]);
    note("size*stride%s: expected %d, harness %d, devices %d", text, expected, opdesc_overlaps(t),
         overlap_check(t->dims, t->sizes, t->strides));
}

static bool both_say(const struct opdesc_tensor *t, bool expected)
{
    if (opdesc_overlaps(t) == expected && overlap_check(t->dims, t->sizes, t->strides) == expected)
        return true;
    test_overlap_print(t, expected);
    return false;
}

/* All tensors of `dims` dimensions with sizes below `size_end` and strides below `stride_end`. */
static void test_all(uint32_t dims, uint32_t size_end, uint32_t stride_end)
{
    struct opdesc_tensor t = test_overlap_tensor_of(0, NULL, NULL);
    unsigned long tensors = 0, overlaps = 0, wrong = 0, all = 1;
    t.dims = dims;
    for (uint32_t i = 0; i < dims; i++)
        all *= (size_end - 1ul) * stride_end;
    for (unsigned long n = 0; n < all && wrong < 5; n++) {
        unsigned long rest = n;
        for (uint32_t i = 0; i < dims; i++) {
            t.sizes[i] = 1 + (uint32_t)(rest % (size_end - 1));
            rest /= size_end - 1;
            t.strides[i] = (uint32_t)(rest % stride_end);
            rest /= stride_end;
        }
        bool expected = listed_overlap(&t);
        wrong += !both_say(&t, expected);
        overlaps += expected;
        tensors++;
    }
    ok(wrong == 0, "all %lu tensors with %u sizes below %u, strides below %u: %lu overlap", tensors, dims, size_end,
       stride_end, overlaps);
}

/* Strides near those of a packed layout in a random order, each `spread` times as far apart. */
static struct opdesc_tensor random_tensor(struct random *r, uint32_t dims, uint32_t max_size, uint32_t slack,
                                          uint32_t spread)
{
    struct opdesc_tensor t = test_overlap_tensor_of(0, NULL, NULL);
    uint32_t order[OPDESC_MAX_DIMENSIONS], stride = 1;
    t.dims = dims;
    for (uint32_t i = 0; i < dims; i++) {
        uint32_t at = random_below(r, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < dims; i++) {
        t.sizes[order[i]] = 1 + random_below(r, max_size);
        t.strides[order[i]] = 1 + stride / 2 + random_below(r, slack + stride / 2 + 1);
        stride *= t.sizes[order[i]] * spread;
    }
    return t;
}

static void test_listed(uint32_t dims, uint32_t max_size, uint32_t slack)
{
    struct random r = {.key = dims};
    unsigned tensors = 0, overlaps = 0, tangled = 0, wrong = 0;
    while (tensors < 4000 && wrong < 5) {
        struct opdesc_tensor t = random_tensor(&r, dims, max_size, slack, 1);
        if (opdesc_extent(&t) > MAX_LISTED)
            continue;
        bool expected = listed_overlap(&t);
        wrong += !both_say(&t, expected);
        overlaps += expected;
        tangled += !expected;
        tensors++;
    }
    ok(wrong == 0 && overlaps > 100 && tangled > 100, "%u random tensors of %u dimensions: %u overlap", tensors, dims,
       overlaps);
}

static void test_larger(uint32_t dims, uint32_t max_size, uint32_t spread)
{
    struct random r = {.key = dims};
    unsigned tensors = 0, overlaps = 0, wrong = 0;
    while (tensors < 300 && wrong < 5) {
        struct opdesc_tensor t = random_tensor(&r, dims, max_size, 1000, spread);
        if (opdesc_extent(&t) > UINT32_MAX)
            continue;
        bool overlap = opdesc_overlaps(&t);
        wrong += !both_say(&t, overlap);
        overlaps += overlap;
        tensors++;
    }
    ok(wrong == 0 && overlaps > 20 && overlaps < tensors - 20,
       "%u tensors of %u dimensions, sizes up to %u: both find the same %u that overlap", tensors, dims, max_size,
       overlaps);
}

static void test_known(const char *what, bool expected, uint32_t dims, const uint32_t *sizes, const uint32_t *strides)
{
    struct opdesc_tensor t = test_overlap_tensor_of(dims, sizes, strides);
    ok(both_say(&t, expected), "%s: %s", what, expected ? "overlap" : "distinct");
}

#define TEST_KNOWN(what, expected, dims, ...)                                                                          \
    test_known(what, expected, dims, ((const uint32_t[2][dims]){__VA_ARGS__})[0],                                      \
               ((const uint32_t[2][dims]){__VA_ARGS__})[1])

int main(void)
{
    TEST_KNOWN("strides 2 and 3 on sizes 3 and 2", false, 2, {3, 2}, {2, 3});
    TEST_KNOWN("one element more", true, 2, {4, 3}, {2, 3});
    TEST_KNOWN("a stride of 0 on a size of 2", true, 2, {2, 3}, {0, 1});
    TEST_KNOWN("a stride of 0 on a size of 1", false, 2, {1, 3}, {0, 1});
    TEST_KNOWN("2^20 places, just apart", false, 2, {(1 << 18) + 1, 2}, {2, (1 << 19) - 1});
    TEST_KNOWN("the same with an even stride", true, 2, {(1 << 18) + 1, 2}, {2, (1 << 19) - 2});
    TEST_KNOWN("2^20 + 2 places", false, 2, {(1 << 18) + 2, 2}, {2, (1 << 19) - 1});
    TEST_KNOWN("rows that interleave", false, 2, {2, 4}, {1, 2});
    TEST_KNOWN("2^32 - 2 offsets, coprime strides", false, 2, {65536, 32768}, {32769, 65537});
    TEST_KNOWN("the same strides, both sizes just large enough to meet", true, 2, {65538, 32770}, {32769, 65537});
    TEST_KNOWN("2^28 steps of 4, and remainders 1, 2 and 3", false, 3, {1 << 28, 2, 2}, {4, (1 << 29) + 1, 2});
    TEST_KNOWN("the same, remainders 1 and 1", true, 3, {1 << 28, 2, 2}, {4, (1 << 29) + 1, 1});
    TEST_KNOWN("more than 2^32 - 1 elements, nested", false, 2, {16, 16}, {1 << 24, 1 << 28});
    test_all(2, 7, 13);
    test_all(3, 5, 9);
    test_listed(4, 6, 8);
    test_listed(5, 4, 30);
    test_listed(8, 3, 20);
    test_larger(3, 200, 4);
    test_larger(4, 60, 3);
    test_larger(8, 6, 2);
    struct opdesc_tensor none = test_overlap_tensor_of(2, (const uint32_t[]){0, 2}, (const uint32_t[]){1, 0});
    ok(!opdesc_overlaps(&none), "no elements, no overlap");
    return tap_done();
}
