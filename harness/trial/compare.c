#include "harness/trial/compare.h"

#include "harness/spec/elements.h"
#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <math.h>
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
    if (prefill->pattern == PREFILL_INPUT) {
        memcpy(output, prefill->input, size);
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

/* An element does not cross words: its width divides that of a word. */
uint64_t compare_prefill_element(const struct prefill *prefill, unsigned width, uint64_t index)
{
    if (prefill->pattern == PREFILL_INPUT)
        return element_get(width, prefill->input, index);
    uint64_t each = 64 / width, word = prefill_word(prefill, index / each);
    return element_get(width, &word, index % each);
}

struct comparing {
    const struct opdesc_tensor *t;
    const struct prefill *prefill;
    const struct given_tolerance *tolerance; /* null: none */
    const uint8_t *expected, *got;
    uint64_t count, held;
    unsigned width; /* the width of an element, in bits */
    const uint8_t *const *alternatives;
    int alternative_count;
    struct comparison *out;
};

enum openness { SETTLED, OPEN_MATCHED, OPEN_UNMATCHED };

static bool is_soft(unsigned type, uint64_t expected, uint64_t got)
{
    uint64_t sign = (uint64_t)1 << (datatype_of(type)->bits - 1);
    if (datatype_is_nan(type, expected))
        return datatype_is_nan(type, got);
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, expected) && (got == 0 || got == sign);
}

/* An element that an alternative changes may equal any of them; a NaN may be any NaN, and a denormal a zero. */
static enum openness openness_of(const struct comparing *c, uint64_t offset, uint64_t expected, uint64_t got)
{
    bool open = false, among = is_soft(c->t->data_type, expected, got);
    for (int i = 0; i < c->alternative_count; i++) {
        uint64_t alternative = element_get(c->width, c->alternatives[i], offset);
        open |= alternative != expected;
        among |= alternative == got;
    }
    if (!open)
        return SETTLED;
    return among ? OPEN_MATCHED : OPEN_UNMATCHED;
}

/* Returns true if the element still holds the prefill. */
static bool is_prefill(const struct comparing *c, uint64_t offset, uint64_t got)
{
    return compare_prefill_element(c->prefill, c->width, offset) == got;
}

void compare_note(const struct opdesc_tensor *t, const uint32_t *coordinates, uint64_t expected, uint64_t got,
                  struct wrong *out)
{
    size_t used = 0;
    for (uint32_t d = 0; d < t->dims; d++)
        used += (size_t)snprintf(out->coordinates + used, sizeof out->coordinates - used, "%s%u", d ? "," : "{",
                                 coordinates[d]);
    snprintf(out->coordinates + used, sizeof out->coordinates - used, "}");
    memcpy(out->place, coordinates, t->dims * sizeof *coordinates);
    datatype_print(t->data_type, &got, out->got, sizeof out->got);
    datatype_print(t->data_type, &expected, out->expected, sizeof out->expected);
}

static void note_distance(struct comparison *out, const struct given_distance *distance)
{
    out->error.measured |= isfinite(distance->ulps);
    if (isfinite(distance->ulps))
        out->error.ulps = fmax(out->error.ulps, distance->ulps);
    if (isfinite(distance->ulps))
        out->error.share = fmax(out->error.share, fmin(distance->share, LARGEST_SHARE));
}

static bool compare_element_at(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparing *c = context;
    if (number >= c->count)
        return false;
    c->out->compared++;
    uint64_t expected = element_get(c->width, c->expected, offset), got = element_get(c->width, c->got, offset);
    if (expected == got)
        return true;
    if (c->tolerance) {
        const struct given_distance distance = given_distance_of(c->tolerance, c->t->data_type, expected, got);
        note_distance(c->out, &distance);
        if (distance.share <= 1)
            return true;
    }
    enum openness openness = openness_of(c, offset, expected, got);
    if (openness != SETTLED) {
        c->out->open++;
        c->out->unmatched += openness == OPEN_UNMATCHED;
        if (c->out->open == 1 && c->out->agreement == AGREES)
            compare_note(c->t, coordinates, expected, got, &c->out->first);
        return true;
    }
    c->out->checksum = random_mix(random_mix(c->out->checksum + number + 1) + got);
    /* A NaN that a device writes may equal the prefill by chance. */
    enum agreement agreement = is_soft(c->t->data_type, expected, got) ? AGREES_SOFTLY : DIFFERS;
    if (agreement > c->out->agreement) { /* show a wrong element rather than an earlier soft one */
        c->out->agreement = agreement;
        compare_note(c->t, coordinates, expected, got, &c->out->first);
    }
    c->out->wrong += agreement == DIFFERS;
    c->out->unwritten += agreement == DIFFERS && c->prefill && is_prefill(c, offset, got);
    return true;
}

/* Compares as `c` says; its `width` is not set yet. */
static void compare_run(struct comparing *c)
{
    const struct opdesc_tensor *t = c->t;
    uint64_t elements = (uint64_t)opdesc_elements(t);
    *c->out = (struct comparison){.agreement = AGREES};
    c->width = datatype_of(t->data_type)->bits;
    c->count = c->count < elements ? c->count : elements;
    if (!t->has_strides && elements_equal(c->width, c->expected, c->got, c->count))
        c->out->compared = c->count;
    else
        elements_each(t, compare_element_at, c);
    c->out->first.count = c->out->wrong;
}

void compare_output(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *expected,
                    const uint8_t *got, uint64_t count, struct comparison *out)
{
    compare_output_near(t, prefill, NULL, expected, got, count, out);
}

void compare_output_near(const struct opdesc_tensor *t, const struct prefill *prefill,
                         const struct given_tolerance *tolerance, const uint8_t *expected, const uint8_t *got,
                         uint64_t count, struct comparison *out)
{
    struct comparing c = {.t = t,
                          .prefill = prefill,
                          .tolerance = tolerance,
                          .expected = expected,
                          .got = got,
                          .count = count,
                          .out = out};
    compare_run(&c);
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
    compare_run(&c);
}

static bool visit_touched(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparing *c = context;
    (void)coordinates;
    if (number >= c->count || !is_prefill(c, offset, element_get(c->width, c->got, offset)))
        return false;
    c->held++;
    return true;
}

enum untouched compare_untouched(const struct opdesc_tensor *t, const struct prefill *prefill, const uint8_t *got,
                                 uint64_t count)
{
    enum { CERTAIN = 8 }; /* bytes: random bytes are right by chance once in 2^64 */
    struct comparing c = {.prefill = prefill, .got = got, .width = datatype_of(t->data_type)->bits};
    uint64_t elements = (uint64_t)opdesc_elements(t);
    c.count = count < elements ? count : elements;
    elements_each(t, visit_touched, &c);
    if (c.count == 0 || c.held < c.count)
        return TOUCHED;
    return elements_bytes(c.width, c.count) < CERTAIN && prefill->pattern == PREFILL_RANDOM ? PERHAPS_UNTOUCHED
                                                                                            : UNTOUCHED;
}
