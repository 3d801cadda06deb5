#include "device/reference/loops.h"

void loops_add(struct loops *loops, uint64_t size, int64_t input, int64_t output)
{
    struct loop *outer = loops->count > 0 ? &loops->loops[loops->count - 1] : NULL;
    if (size == 1)
        return;
    if (outer && outer->input == input * (int64_t)size && outer->output == output * (int64_t)size)
        *outer = (struct loop){outer->size * size, input, output};
    else
        loops->loops[loops->count++] = (struct loop){size, input, output};
}

void loops_end(struct loops *loops)
{
    if (loops->count == 0)
        loops->loops[loops->count++] = (struct loop){1, 0, 0};
}

const struct loop *loops_innermost(const struct loops *loops)
{
    return &loops->loops[loops->count - 1];
}

int loops_next(const struct loops *loops, uint32_t inner, struct loops_place *place)
{
    for (uint32_t i = loops->count - inner; i-- > 0;) {
        const struct loop *loop = &loops->loops[i];
        place->input += loop->input;
        place->output += loop->output;
        if (++place->counters[i] < loop->size)
            return 1;
        place->input -= loop->input * (int64_t)loop->size;
        place->output -= loop->output * (int64_t)loop->size;
        place->counters[i] = 0;
    }
    return 0;
}
