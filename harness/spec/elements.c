#include "harness/spec/elements.h"

void elements_each(const struct opdesc_tensor *t, elements_visit visit, void *context)
{
    uint32_t coordinates[OPDESC_MAX_DIMENSIONS] = {0}, strides[OPDESC_MAX_DIMENSIONS];
    uint64_t offset = 0, number = 0;
    opdesc_strides(t, strides);
    for (;;) {
        if (!visit(context, number++, coordinates, offset))
            return;
        uint32_t d = t->dims;
        while (d-- > 0) {
            if (++coordinates[d] < t->sizes[d]) {
                offset += strides[d];
                break;
            }
            offset -= (uint64_t)(t->sizes[d] - 1) * strides[d];
            coordinates[d] = 0;
        }
        if (d == UINT32_MAX)
            return;
    }
}

/* The dimensions of a tensor without the dimensions of size 1 or stride 0; adjacent dimensions are merged where strides
 * allow. `sizes`, `strides` and `numbers` have at least one entry, even if `dims` is 0. */
struct layout {
    uint32_t dims;
    uint64_t sizes[OPDESC_MAX_DIMENSIONS], strides[OPDESC_MAX_DIMENSIONS];
    uint64_t numbers[OPDESC_MAX_DIMENSIONS]; /* distance in number between neighbours along the dimension */
    uint64_t first;                          /* number of the first element; where strides are 0, of the last one that
                                              * shares its memory */
};

static void fold(const struct opdesc_tensor *t, struct layout *out)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS], last = 0;
    uint64_t number = 1;
    opdesc_strides(t, strides);
    *out = (struct layout){.sizes = {1}, .numbers = {1}};
    for (uint32_t d = 0; d < t->dims; d++)
        number *= t->sizes[d];
    for (uint32_t d = 0; d < t->dims; d++) {
        number /= t->sizes[d];
        if (strides[d] == 0)
            out->first += (t->sizes[d] - 1) * number;
        if (t->sizes[d] == 1 || strides[d] == 0)
            continue;
        bool as_one = out->dims > 0 && out->strides[last] == (uint64_t)t->sizes[d] * strides[d] &&
                      out->numbers[last] == t->sizes[d] * number;
        last = as_one ? last : out->dims++;
        out->sizes[last] = as_one ? out->sizes[last] * t->sizes[d] : t->sizes[d];
        out->strides[last] = strides[d];
        out->numbers[last] = number;
    }
}

void elements_rows(const struct opdesc_tensor *t, elements_visit_row visit, void *context)
{
    struct layout layout;
    uint64_t at[OPDESC_MAX_DIMENSIONS] = {0};
    fold(t, &layout);
    uint32_t last = layout.dims ? layout.dims - 1 : 0;
    struct element_row row = {.number = layout.first,
                              .count = layout.sizes[last],
                              .step = layout.strides[last],
                              .apart = layout.numbers[last]};
    while (visit(context, &row)) {
        uint32_t d = last;
        while (d-- > 0) {
            row.offset += layout.strides[d];
            row.number += layout.numbers[d];
            if (++at[d] < layout.sizes[d])
                break;
            row.offset -= layout.sizes[d] * layout.strides[d];
            row.number -= layout.sizes[d] * layout.numbers[d];
            at[d] = 0;
        }
        if (d == UINT32_MAX)
            return;
    }
}
