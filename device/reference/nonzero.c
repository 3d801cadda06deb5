/* nonzero.c: turns 64 elements at a time into a bit mask, then each set bit into a row. */
#include "device/reference/nonzero.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { BLOCK = 64 };

/* Adds the next loop outwards, or merges it with the run if it continues the run evenly. */
static void nonzero_add_loop(struct nonzero *nonzero, uint64_t size, uint64_t stride)
{
    struct nonzero_loop *run = &nonzero->run;

    if (size == 1)
        return;
    if (run->size == 1)
        *run = (struct nonzero_loop){size, stride};
    else if (nonzero->outer_count == 0 && stride == run->size * run->stride)
        run->size *= size;
    else
        nonzero->outer[nonzero->outer_count++] = (struct nonzero_loop){size, stride};
}

/* Returns the bits that make an element nonzero: all, except the sign of a float. */
static uint32_t value_bits(DML_TENSOR_DATA_TYPE type)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT32)
        return 0x7FFFFFFF;
    return type == DML_TENSOR_DATA_TYPE_FLOAT16 ? 0x7FFF : 0xFFFFFFFF;
}

void nonzero_init(struct nonzero *nonzero, const struct descriptor *descriptor)
{
    const struct tensor *input = &descriptor->inputs[0], *coordinates = &descriptor->outputs[1];

    nonzero->width = input->element_size;
    nonzero->mask = value_bits(input->type);
    nonzero->rank = input->rank;
    memcpy(nonzero->sizes, input->sizes, sizeof nonzero->sizes);

    nonzero->run = (struct nonzero_loop){1, nonzero->width};
    nonzero->outer_count = 0;
    for (uint32_t i = input->rank; i-- > 0;)
        nonzero_add_loop(nonzero, input->sizes[i], (uint64_t)input->strides[i] * input->element_size);

    nonzero->columns = coordinates->sizes[coordinates->rank - 1];
    nonzero->row_stride = (uint64_t)coordinates->strides[coordinates->rank - 2] * sizeof(uint32_t);
    nonzero->column_stride = (uint64_t)coordinates->strides[coordinates->rank - 1] * sizeof(uint32_t);
}

struct writer {
    const struct nonzero *nonzero;
    char *row;                                       /* the next row */
    uint32_t count;                                  /* rows written */
    uint64_t element;                                /* the last element written, */
    uint32_t coordinates[DESCRIPTOR_MAX_DIMENSIONS]; /* and its coordinates */
};

/* Advances the coordinates by `distance` elements. */
INLINE void advance(struct writer *writer, uint64_t distance)
{
    const uint32_t *sizes = writer->nonzero->sizes;
    uint32_t last = writer->nonzero->rank - 1;
    uint64_t next = writer->coordinates[last] + distance;

    for (uint32_t i = last; next >= sizes[i]; i--) {
        writer->coordinates[i] = (uint32_t)(next % sizes[i]);
        if (i == 0)
            return;
        next = writer->coordinates[i - 1] + next / sizes[i];
        last = i - 1;
    }
    writer->coordinates[last] = (uint32_t)next;
}

/* Writes a row for each set bit of `mask`; bit 0 is `element`. Callers pass constants for the other arguments where
 * that pays. */
INLINE void write_rows(struct writer *writer, uint64_t element, uint64_t mask, uint32_t columns, uint64_t row_stride,
                       uint64_t column_stride)
{
    const uint32_t *coordinates = writer->coordinates + writer->nonzero->rank - columns;

    writer->count += (uint32_t)__builtin_popcountll(mask);
    for (; mask; mask &= mask - 1) {
        uint64_t found = element + (uint64_t)__builtin_ctzll(mask);
        advance(writer, found - writer->element);
        writer->element = found;
        for (uint32_t i = 0; i < columns; i++)
            memcpy(writer->row + i * column_stride, coordinates + i, sizeof *coordinates);
        writer->row += row_stride;
    }
}

/* Writes rows of one column: all other coordinates are 0, and the last one is the element's number. */
INLINE void write_numbers(struct writer *writer, uint64_t element, uint64_t mask)
{
    char *row = writer->row;

    writer->count += (uint32_t)__builtin_popcountll(mask);
    for (; mask; mask &= mask - 1) {
        uint32_t found = (uint32_t)element + (uint32_t)__builtin_ctzll(mask);
        memcpy(row, &found, sizeof found);
        row += writer->nonzero->row_stride;
    }
    writer->row = row;
}

static void write_mask(struct writer *writer, uint64_t element, uint64_t mask)
{
    const struct nonzero *nonzero = writer->nonzero;

    if (nonzero->columns == 1)
        write_numbers(writer, element, mask);
    else if (nonzero->columns == 2 && nonzero->row_stride == 8 && nonzero->column_stride == 4)
        write_rows(writer, element, mask, 2, 8, 4);
    else
        write_rows(writer, element, mask, nonzero->columns, nonzero->row_stride, nonzero->column_stride);
}

INLINE uint64_t nonzero_bit(const char *at, uint32_t mask, size_t width)
{
    uint8_t byte;
    uint16_t half;
    uint32_t word;

    if (width == 1) {
        memcpy(&byte, at, 1);
        return byte != 0;
    }
    if (width == 2) {
        memcpy(&half, at, 2);
        return (half & mask) != 0;
    }
    memcpy(&word, at, 4);
    return (word & mask) != 0;
}

INLINE uint64_t mask_of(const char *at, uint64_t stride, uint64_t size, uint32_t mask, size_t width)
{
    uint64_t bits = 0;
    for (uint64_t i = 0; i < size; i++)
        bits |= nonzero_bit(at + i * stride, mask, width) << i;
    return bits;
}

INLINE void scan_run(struct writer *writer, const char *at, uint64_t element, size_t width)
{
    const struct nonzero *nonzero = writer->nonzero;
    uint64_t i = 0, stride = nonzero->run.stride, bits;

    for (; i + BLOCK <= nonzero->run.size; i += BLOCK) {
        if (stride == width)
            bits = mask_of(at + i * width, width, BLOCK, nonzero->mask, width);
        else
            bits = mask_of(at + i * stride, stride, BLOCK, nonzero->mask, width);
        if (bits)
            write_mask(writer, element + i, bits);
    }
    bits = mask_of(at + i * stride, stride, nonzero->run.size - i, nonzero->mask, width);
    if (bits)
        write_mask(writer, element + i, bits);
}

INLINE void scan(struct writer *writer, const char *input, size_t width)
{
    const struct nonzero *nonzero = writer->nonzero;
    uint64_t counters[DESCRIPTOR_MAX_DIMENSIONS] = {0}, place = 0, element = 0;
    uint32_t i;

    do {
        scan_run(writer, input + place, element, width);
        element += nonzero->run.size;
        for (i = 0; i < nonzero->outer_count; i++) {
            const struct nonzero_loop *loop = &nonzero->outer[i];
            place += loop->stride;
            if (++counters[i] < loop->size)
                break;
            counters[i] = 0;
            place -= loop->stride * loop->size;
        }
    } while (i < nonzero->outer_count);
}

void nonzero_run(const struct nonzero *nonzero, const void *input, void *count, void *coordinates)
{
    struct writer writer = {.nonzero = nonzero, .row = coordinates};

    if (nonzero->width == 1)
        scan(&writer, input, 1);
    else if (nonzero->width == 2)
        scan(&writer, input, 2);
    else
        scan(&writer, input, 4);
    memcpy(count, &writer.count, sizeof writer.count);
}
