#include "harness/formula/folding_elsewhere.h"

#include <string.h>

bool elsewhere_prepare(const struct spec *spec, const struct opdesc *desc, int list, const uint32_t *sizes,
                       uint32_t dims, uint32_t place_dims, uint32_t loop_count, const int64_t *loop_sizes,
                       const uint32_t *loops, struct elsewhere *out)
{
    struct expr_list at;
    if (!expr_list_of(spec->nodes, list, desc, EXPR_ORIGIN, &at) || at.count != (int)dims)
        return false;
    *out = (struct elsewhere){.dims = dims, .place_dims = place_dims, .loop_count = loop_count};
    memcpy(out->sizes, sizes, dims * sizeof *sizes);
    memcpy(out->loop_sizes, loop_sizes, loop_count * sizeof *loop_sizes);
    for (uint32_t d = 0; d < dims; d++)
        out->origin[d] = at.items[d];
    for (uint32_t n = 0; n < place_dims + loop_count; n++) {
        bool place = n < place_dims;
        uint32_t l = n - place_dims;
        int unit = place ? expr_unit(EXPR_UNIT_PLACE, (int)n) : expr_unit(EXPR_UNIT_STEP, (int)loops[l]);
        if (!expr_list_of(spec->nodes, list, desc, unit, &at) || at.count != (int)dims)
            return false;
        for (uint32_t d = 0; d < dims; d++)
            *(place ? &out->by_place[d][n] : &out->by_loop[d][l]) = at.items[d] - out->origin[d];
    }
    return true;
}

void elsewhere_start(const struct elsewhere *e, const uint32_t *place, int64_t *start)
{
    for (uint32_t d = 0; d < e->dims; d++) {
        start[d] = e->origin[d];
        for (uint32_t p = 0; p < e->place_dims; p++)
            start[d] += e->by_place[d][p] * (int64_t)place[p];
    }
}

bool elsewhere_find(const struct elsewhere *e, const int64_t *start, int64_t number, uint32_t *out)
{
    int64_t counters[OPDESC_MAX_DIMENSIONS];
    for (uint32_t l = e->loop_count; l-- > 0; number /= e->loop_sizes[l])
        counters[l] = number % e->loop_sizes[l];
    for (uint32_t d = 0; d < e->dims; d++) {
        int64_t at = start[d];
        for (uint32_t l = 0; l < e->loop_count; l++)
            at += e->by_loop[d][l] * counters[l];
        if (at < 0 || at >= (int64_t)e->sizes[d])
            return false;
        out[d] = (uint32_t)at;
    }
    return true;
}
