#include "harness/case/index_targets.h"

#include <stdlib.h>

void index_targets_collect(void *context, const struct index_place *place)
{
    struct index_targets *targets = context;
    if (targets->count <= place->tuple && place->component == 0) {
        if (targets->count == targets->capacity) {
            size_t capacity = targets->capacity ? 2 * targets->capacity : 256;
            struct index_target *larger = realloc(targets->list, capacity * sizeof *larger);
            if (!larger)
                return;
            targets->list = larger;
            targets->capacity = capacity;
        }
        targets->list[targets->count++] = (struct index_target){.line = place->line, .tuple = place->tuple};
    }
    if (place->tuple >= targets->count)
        return; /* left out for lack of memory */
    struct index_target *target = &targets->list[place->tuple];
    int64_t value = place->value < 0 ? place->value + place->size : place->value;
    target->target = target->target * (uint64_t)place->size + (uint64_t)value;
}

static int by_target(const void *a, const void *b)
{
    const struct index_target *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

static int by_tuple(const void *a, const void *b)
{
    const struct index_target *x = a, *y = b;
    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

void index_targets_rank(struct index_targets *targets)
{
    qsort(targets->list, targets->count, sizeof *targets->list, by_target);
    for (size_t i = 0, end; i < targets->count; i = end) {
        for (end = i + 1; end < targets->count && targets->list[end].line == targets->list[i].line &&
                          targets->list[end].target == targets->list[i].target;)
            end++;
        for (size_t j = i; j < end; j++) {
            targets->list[j].rank = (uint32_t)(j - i);
            targets->list[j].total = (uint32_t)(end - i);
        }
        if (end - i > targets->max)
            targets->max = (uint32_t)(end - i);
    }
    qsort(targets->list, targets->count, sizeof *targets->list, by_tuple);
}

void index_targets_free(struct index_targets *targets)
{
    free(targets->list);
    *targets = (struct index_targets){0};
}
