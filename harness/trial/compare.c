#include "harness/trial/compare.h"

#include "harness/case/elements.h"
#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <stdio.h>
#include <string.h>

/* Bytes 8 * n and up of the prefill, as they lie in memory. */
static uint64_t prefill_word(const struct prefill *prefill, uint64_t n)
{
    if (prefill->pattern == PREFILL_ONES)
        return UINT64_MAX;
    uint64_t word = random_at(prefill->key, n);
    return prefill->pattern == PREFILL_INVERTED ? ~word : word;
}

void compare_prefill(const struct prefill *prefill, uint8_t *output, uint64_t size)
{
    uint64_t at = 0, word;
    if (prefill->pattern == PREFILL_ONES) {
        memset(output, 0xFF, size);
        return;
    }
    for (; at + sizeof word <= size; at += sizeof word) {
        word = prefill_word(prefill, at / sizeof word);
        memcpy(output + at, &word, sizeof word);
    }
    word = prefill_word(prefill, at / sizeof word);
    if (at < size)
        memcpy(output + at, &word, size - at);
}

void compare_prefill_element(const struct prefill *prefill, uint64_t offset, uint8_t *element, size_t size)
{
    uint64_t word = prefill_word(prefill, offset / sizeof word);
    memcpy(element, (const uint8_t *)&word + offset % sizeof word, size);
}

struct comparing {
    const struct opdesc_tensor *t;
    const struct prefill *prefill;
    const uint8_t *expected, *got;
    uint64_t count, held;
    size_t bytes;
    const uint8_t *const *alternatives;
    int alternative_count;
    struct comparison *out;
};

enum openness { SETTLED, OPEN_MATCHED, OPEN_UNMATCHED };

static enum openness openness_of(const struct comparing *c, uint64_t offset)
{
    bool open = false, among = false;
    for (int i = 0; i < c->alternative_count; i++) {
        open |= memcmp(c->alternatives[i] + offset, c->expected + offset, c->bytes) != 0;
        among |= memcmp(c->alternatives[i] + offset, c->got + offset, c->bytes) == 0;
    }
    return !open ? SETTLED : among ? OPEN_MATCHED : OPEN_UNMATCHED;
}

static bool is_soft(unsigned type, uint64_t expected, uint64_t got)
{
    uint64_t sign = (uint64_t)1 << (datatype_of(type)->bits - 1);
    if (datatype_is_nan(type, expected))
        return datatype_is_nan(type, got);
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, expected) && (got == 0 || got == sign);
}

/* Whether the element at `offset` of `memory` is what was there before. Elements do not cross words: their size divides
 * that of a word, and so does their offset. */
static bool is_prefill(const struct comparing *c, const uint8_t *memory, uint64_t offset)
{
    uint64_t word = prefill_word(c->prefill, offset / sizeof word);
    return memcmp(memory + offset, (const uint8_t *)&word + offset % sizeof word, c->bytes) == 0;
}

void compare_note(const struct opdesc_tensor *t, const uint32_t *coordinates, const uint8_t *expected,
                  const uint8_t *got, struct wrong *out)
{
    size_t used = 0;
    for (uint32_t d = 0; d < t->dims; d++)
        used += (size_t)snprintf(out->coordinates + used, sizeof out->coordinates - used, "%s%u", d ? "," : "{",
                                 coordinates[d]);
    snprintf(out->coordinates + used, sizeof out->coordinates - used, "}");
    datatype_print(t->data_type, got, out->got, sizeof out->got);
    datatype_print(t->data_type, expected, out->expected, sizeof out->expected);
}

static void note_first(struct comparing *c, const uint32_t *coordinates, uint64_t offset)
{
    compare_note(c->t, coordinates, c->expected + offset, c->got + offset, &c->out->first);
}

static bool compare_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparing *c = context;
    if (number >= c->count)
        return false;
    offset *= c->bytes;
    c->out->compared++;
    if (memcmp(c->expected + offset, c->got + offset, c->bytes) == 0)
        return true;
    uint64_t expected = datatype_bits(c->t->data_type, c->expected + offset);
    uint64_t got = datatype_bits(c->t->data_type, c->got + offset);
    enum openness openness = openness_of(c, offset);
    if (openness != SETTLED) {
        c->out->open++;
        c->out->unmatched += openness == OPEN_UNMATCHED;
        if (c->out->open == 1 && c->out->agreement == AGREES)
            note_first(c, coordinates, offset);
        return true;
    }
    c->out->checksum = random_mix(random_mix(c->out->checksum + number + 1) + got);
    bool unwritten = c->prefill && is_prefill(c, c->got, offset); /* it may be a NaN: not a soft difference */
    enum agreement agreement = !unwritten && is_soft(c->t->data_type, expected, got) ? AGREES_SOFTLY : DIFFERS;
    if (agreement > c->out->agreement) { /* show a wrong element rather than an earlier soft one */
        c->out->agreement = agreement;
        note_first(c, coordinates, offset);
    }
    c->out->wrong += agreement == DIFFERS;
    c->out->unwritten += unwritten;
    return true;
}

void compare_output(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *expected,
                    const uint8_t *got, uint64_t count, struct comparison *out)
{
    compare_output_open(t, prefill, expected, got, count, NULL, 0, out);
}

void compare_output_open(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *expected,
                         const uint8_t *got, uint64_t count, const uint8_t *const alternatives[], int alternative_count,
                         struct comparison *out)
{
    struct comparing c = {.t = t,
                          .prefill = prefill,
                          .expected = expected,
                          .got = got,
                          .count = count,
                          .alternatives = alternatives,
                          .alternative_count = alternative_count,
                          .out = out};
    uint64_t elements = (uint64_t)opdesc_elements(t);
    *out = (struct comparison){.agreement = AGREES};
    c.bytes = datatype_of(t->data_type)->bits / 8;
    c.count = count < elements ? count : elements;
    if (!t->has_strides && memcmp(expected, got, c.count * c.bytes) == 0)
        out->compared = c.count;
    else
        elements_each(t, compare_element, &c);
    out->first.count = out->wrong;
}

static bool visit_touched(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparing *c = context;
    (void)coordinates;
    if (number >= c->count || !is_prefill(c, c->got, offset * c->bytes))
        return false;
    c->held++;
    return true;
}

enum untouched compare_untouched(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *got,
                                 uint64_t count)
{
    enum { CERTAIN = 8 }; /* bytes: random ones are right by chance once in 2^64 */
    struct comparing c = {.prefill = prefill, .got = got, .bytes = datatype_of(t->data_type)->bits / 8};
    uint64_t elements = (uint64_t)opdesc_elements(t);
    c.count = count < elements ? count : elements;
    elements_each(t, visit_touched, &c);
    if (c.count == 0 || c.held < c.count)
        return TOUCHED;
    return c.count * c.bytes < CERTAIN && prefill->pattern == PREFILL_RANDOM ? PERHAPS_UNTOUCHED : UNTOUCHED;
}
