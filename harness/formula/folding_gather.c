#include "harness/formula/folding_gather.h"

#include "harness/base/datatype.h"
#include "harness/formula/folding.h"

#include <math.h>

enum { D = OPDESC_MAX_DIMENSIONS };

static const double most = 0x1p53; /* of the numbers that have the next whole number */

bool gathering_prepare(const struct spec *spec, const struct opdesc *desc, int node, const uint8_t *const tensors[],
                       uint32_t place_dims, uint32_t loop_count, const int64_t *loop_sizes, const uint32_t *loops,
                       struct gathering *out)
{
    const int field = spec->nodes[node].field;
    const int item =
        field < spec->field_count ? spec_item(spec, field) : spec_stage_item(spec, field - spec->field_count);
    const struct opdesc_tensor *t = &desc->items[item].tensor;
    uint32_t strides[D];
    if (!t->present || !tensors[item] || t->dims == 0 || t->sizes[t->dims - 1] > D)
        return false;
    *out = (struct gathering){.item = item,
                              .count = t->sizes[t->dims - 1],
                              .memory = tensors[item],
                              .type = t->data_type,
                              .width = datatype_of(t->data_type)->bits};
    opdesc_strides(t, strides);
    for (uint32_t d = 0; d < t->dims; d++)
        out->strides[d] = strides[d];
    return elsewhere_prepare(spec, desc, spec->nodes[node].a, t->sizes, t->dims - 1, place_dims, loop_count, loop_sizes,
                             loops, &out->row);
}

/* Reads the row at a place. Returns false if a coordinate is no whole number. */
static bool read_row(const struct gathering *g, const uint32_t *at, int64_t *coordinates)
{
    int64_t offset = 0;
    for (uint32_t d = 0; d < g->row.dims; d++)
        offset += at[d] * g->strides[d];
    for (uint32_t i = 0; i < g->count; i++) {
        const int64_t element = offset + i * g->strides[g->row.dims];
        uint64_t bits = element_get(g->width, g->memory, (uint64_t)element);
        double value = datatype_to_double(g->type, &bits);
        if (g->witness)
            g->witness->read(g->witness->context, g->item, element);
        if (!(fabs(value) <= most) || value != floor(value))
            return false;
        coordinates[i] = (int64_t)value;
    }
    return true;
}

void gathering_each(const struct gathering *g, const uint32_t *place, gathering_visit *visit, void *context)
{
    int64_t start[D], counters[D], coordinates[D], steps = 1;
    uint32_t at[D];
    elsewhere_start(&g->row, place, start);
    for (uint32_t l = 0; l < g->row.loop_count; l++)
        steps *= g->row.loop_sizes[l];
    for (int64_t number = 0; number < steps; number++) {
        if (!elsewhere_find(&g->row, start, number, at) || !read_row(g, at, coordinates))
            continue;
        int64_t rest = number;
        for (uint32_t l = g->row.loop_count; l-- > 0; rest /= g->row.loop_sizes[l])
            counters[l] = rest % g->row.loop_sizes[l];
        visit(context, counters, coordinates, number);
    }
}
