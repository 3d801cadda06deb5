#include "harness/trial/computed_blocks.h"

#include "harness/base/datatype.h"

#include <stdlib.h>
#include <string.h>

enum { WALK_BLOCKS_LEAST = 16 * BLOCK_ELEMENTS /* elements of an output: fewer are not worth the preparation */ };

static bool walk_blocks_apply(const struct walk *w)
{
    bool apply = !w->operands.whole && !w->folding && !w->stages && !w->numbered && !w->placed && !w->depends &&
                 !w->in_float && !w->liberty && !w->output->has_strides &&
                 opdesc_elements(w->output) >= WALK_BLOCKS_LEAST;
    for (int i = 0; i < w->count; i++)
        apply &= w->cursors[i].aligned && !w->cursors[i].tensor->has_strides;
    return apply;
}

struct walk_blocks *walk_blocks_open(const struct walk *w, bool judges)
{
    const struct tolerance *bounds = &w->result->tolerances[w->output->data_type];
    struct walk_blocks *b = walk_blocks_apply(w) ? calloc(1, sizeof *b) : NULL;
    if (!b)
        return NULL;
    b->walk = w;
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        b->inputs[i] = b->elements[i];
    b->value = formula_blocks_new(&w->result->value, &w->operands.reals);
    b->soft = judges ? formula_blocks_new(&bounds->soft, &w->operands.reals) : NULL;
    b->must = judges ? formula_blocks_new(&bounds->must, &w->operands.reals) : NULL;
    if (b->value && (!judges || ((b->soft || bounds->soft.count == 0) && (b->must || bounds->must.count == 0))))
        return b;
    walk_blocks_close(b);
    return NULL;
}

void walk_blocks_close(struct walk_blocks *b)
{
    if (!b)
        return;
    formula_blocks_free(b->value);
    formula_blocks_free(b->soft);
    formula_blocks_free(b->must);
    free(b);
}

/* Reads the elements of a tensor as numbers. The common types have loops without a call for each element. */
static void walk_blocks_read(const struct cursor *cursor, uint64_t first, int count, double *to)
{
    const unsigned type = cursor->tensor->data_type, width = datatype_of(type)->bits;
    const uint8_t *from = cursor->memory + elements_bytes(width, first);
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        float values[BLOCK_ELEMENTS];
        memcpy(values, from, (size_t)count * sizeof *values);
        for (int i = 0; i < count; i++)
            to[i] = (double)values[i];
        return;
    }
    for (int i = 0; i < count; i++) {
        const uint64_t bits = element_get(width, from, (uint64_t)i);
        to[i] = datatype_to_double(type, &bits);
    }
}

const double *walk_blocks_go_to(struct walk_blocks *b, uint64_t first)
{
    const uint64_t left = (uint64_t)opdesc_elements(b->walk->output) - first;
    b->first = first;
    b->count = left < BLOCK_ELEMENTS ? (int)left : BLOCK_ELEMENTS;
    for (int i = 0; i < b->walk->count; i++)
        walk_blocks_read(&b->walk->cursors[i], first, b->count, b->elements[b->walk->cursors[i].item]);
    return formula_blocks_run(b->value, b->inputs, NULL, b->count);
}

static void walk_blocks_write(unsigned type, const double *values, uint64_t first, int count, uint8_t *output)
{
    const unsigned width = datatype_of(type)->bits;
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        float rounded[BLOCK_ELEMENTS];
        for (int i = 0; i < count; i++)
            rounded[i] = (float)values[i];
        memcpy(output + first * sizeof *rounded, rounded, (size_t)count * sizeof *rounded);
        return;
    }
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        accept_rounded_real(type, values[i], &bits);
        element_put(width, output, first + (uint64_t)i, bits);
    }
}

void walk_blocks_run(struct walk_blocks *b, uint8_t *output)
{
    const uint64_t elements = (uint64_t)opdesc_elements(b->walk->output);
    for (uint64_t first = 0; first < elements; first += BLOCK_ELEMENTS) {
        const double *values = walk_blocks_go_to(b, first);
        walk_blocks_write(b->walk->operands.type, values, first, b->count, output);
    }
}
