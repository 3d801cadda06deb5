/* trial_inputs.c: shows the elements of inputs that the first wrong element depends on. Formulas tell which elements
 * they read. Without a formula the element depends on those whose change changes it: the oracle runs many times to find
 * them, so this is done for a case alone (`assay repro`), not in runs of many cases. */
#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/trial/trial_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUNS = 192,           /* of the oracle, to find the elements that matter */
    RUN_BYTES = 64 << 10, /* of all tensors of such a case */
    FIRST = 3,            /* elements of a tensor that are shown */
    LAST = 2
};

/* ---- elements whose change changes the expected element */

struct changing {
    struct oracle oracle;
    uint8_t *tensors[OPDESC_MAX_TENSORS]; /* copies, by item */
    const struct trial *t;
    int output;
    uint64_t offset, expected; /* offset and bits of the element */
    unsigned width;
    int runs; /* that are left */
    struct computed_reads *reads;
};

/* Computes the outputs. Returns true if the element differs from the expected one. */
static bool changing_differs(struct changing *c)
{
    c->runs--;
    return FAILED(oracle_compute(&c->oracle, c->tensors)) ||
           element_get(c->width, c->tensors[c->output], c->offset) != c->expected;
}

/* Returns true if the expected element changes with the elements from offset `from` to below `past` of an input: either
 * with their lowest bits, so that an index stays near, or with all bits. */
static bool changing_matters(struct changing *c, int item, uint64_t from, uint64_t past)
{
    const unsigned width = datatype_of(c->t->c.desc->items[item].tensor.data_type)->bits;
    const uint64_t masks[] = {1, UINT64_MAX >> (64 - width)};
    bool differs = false;
    for (int m = 0; m < 2 && !differs; m++) {
        for (uint64_t i = from; i < past; i++)
            element_put(width, c->tensors[item], i, element_get(width, c->tensors[item], i) ^ masks[m]);
        differs = changing_differs(c);
        for (uint64_t i = from; i < past; i++)
            element_put(width, c->tensors[item], i, element_get(width, c->tensors[item], i) ^ masks[m]);
    }
    return differs;
}

/* Marks those of the elements on which the expected element depends, by halves. */
static void changing_mark(struct changing *c, int item, uint64_t from, uint64_t past)
{
    if (c->runs <= 0 || !changing_matters(c, item, from, past))
        return;
    if (past - from == 1) {
        c->reads->marks[item][from] = true;
        return;
    }
    changing_mark(c, item, from, from + (past - from) / 2);
    changing_mark(c, item, from + (past - from) / 2, past);
}

/* Copies the tensors. Returns false if memory runs out. */
static bool changing_copy(struct changing *c)
{
    const struct trial *t = c->t;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        const bool is_output = field_is_output(spec_tensor_field(t->c.spec, i));
        const uint64_t size = t->c.desc->items[i].tensor.total;
        c->tensors[i] = malloc(size);
        if (!c->tensors[i])
            return false;
        memcpy(c->tensors[i], is_output ? t->expected[i].write : t->blocks[i].write, size);
    }
    return true;
}

/* Returns false if the elements cannot be told in RUNS runs. */
static bool changing_find(struct trial_setup *setup, const struct trial *t, int output, uint64_t offset,
                          struct computed_reads *out)
{
    struct changing c = {.t = t, .output = output, .offset = offset, .runs = RUNS, .reads = out};
    c.width = datatype_of(t->c.desc->items[output].tensor.data_type)->bits;
    c.expected = element_get(c.width, t->expected[output].write, offset);
    if (trial_bytes(t) > RUN_BYTES || !computed_reads_prepare(t->c.spec, t->c.desc, out))
        return false;
    bool works = SUCCEEDED(oracle_open(setup->reference, t->c.spec, t->c.desc, &c.oracle)) && changing_copy(&c) &&
                 !changing_differs(&c);
    for (int i = -1; works && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(t->c.spec, i)))
            changing_mark(&c, i, 0, out->counts[i]);
    oracle_close(&c.oracle);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(c.tensors[i]);
    return works && c.runs > 0;
}

/* ---- text */

/* The marked elements of a tensor, which are printed. */
struct shown {
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    bool *marks;
    uint64_t count, number; /* of the elements; of the next one */
    bool all;
    FILE *out;
};

static bool inputs_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct shown *s = context;
    struct wrong note;
    (void)number;
    if (!s->marks[offset])
        return true;
    s->marks[offset] = false; /* elements that share memory are shown once */
    const uint64_t bits = element_get(datatype_of(s->tensor->data_type)->bits, s->memory, offset), n = s->number++;
    if (!s->all && s->count > FIRST + LAST && n >= FIRST && n < s->count - LAST) {
        fputs(n == FIRST ? ", …" : "", s->out);
        return true;
    }
    compare_note(s->tensor, coordinates, bits, bits, &note);
    if (s->count > 1)
        note.got[strcspn(note.got, " ")] = '\0'; /* drop the bits */
    fprintf(s->out, "%s%s %s", n ? ", " : "", note.coordinates, note.got);
    return true;
}

/* Prints "Input {0,1} 2, {0,2} 5" for each input with marked elements, with `before` before each but the first. The
 * elements between the first and the last ones are left out unless `all`. Clears the marks. */
static void inputs_print(const struct trial *t, struct computed_reads *reads, bool all, const char *before, FILE *out)
{
    bool is_first = true;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        struct shown s = {&t->c.desc->items[i].tensor, t->blocks[i].write, reads->marks[i], 0, 0, all, out};
        for (uint64_t n = 0; n < reads->counts[i]; n++)
            s.count += reads->marks[i][n];
        if (!field_is_input(spec_tensor_field(t->c.spec, i)) || s.count == 0)
            continue;
        fprintf(out, "%s%s ", is_first ? "" : before, t->c.spec->tensor_names[i]);
        elements_each(s.tensor, inputs_element, &s);
        if (!all && s.count > FIRST + LAST)
            fprintf(out, " (%llu elements)", (unsigned long long)s.count);
        is_first = false;
    }
}

/* Copies a text that may be too long: it ends after a whole character, with "…". */
static void inputs_cut(const char *text, char *out, size_t size)
{
    static const char rest[] = "…";
    size_t length = strlen(text);
    if (length < size) {
        memcpy(out, text, length + 1);
        return;
    }
    length = size - sizeof rest;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    memcpy(out, text, length);
    memcpy(out + length, rest, sizeof rest);
}

/* Finds the elements that the first wrong element depends on. */
static bool inputs_find(struct trial_setup *setup, const struct trial *t, int output, struct computed_reads *out)
{
    const struct opdesc_tensor *tensor = &t->c.desc->items[output].tensor;
    const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    uint64_t offset = 0;
    opdesc_strides(tensor, strides);
    for (uint32_t d = 0; d < tensor->dims; d++)
        offset += (uint64_t)t->symptoms.wrong.place[d] * strides[d];
    if (!computed_applies(t->c.spec))
        return setup->dump && changing_find(setup, t, output, offset, out);
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        tensors[i] = field_is_input(spec_tensor_field(t->c.spec, i)) ? t->blocks[i].write : t->expected[i].write;
    return computed_reads_find(t->c.spec, t->c.desc, tensors, output, t->symptoms.wrong.place, out);
}

char *trial_inputs_text(struct trial_setup *setup, const struct trial *t, bool all)
{
    struct computed_reads reads = {0};
    char *text = NULL;
    size_t size;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        if (!*t->symptoms.wrong.coordinates || strcmp(t->symptoms.wrong.tensor, t->c.spec->tensor_names[i]) != 0)
            continue;
        FILE *out = inputs_find(setup, t, i, &reads) ? open_memstream(&text, &size) : NULL;
        if (out)
            inputs_print(t, &reads, all, all ? "\n  " : "; ", out);
        if (out && fclose(out) != 0) {
            free(text);
            text = NULL;
        }
        computed_reads_free(&reads);
    }
    return text;
}

void trial_show_inputs(struct trial_setup *setup, struct trial *t)
{
    char *text = trial_inputs_text(setup, t, false);
    if (text)
        inputs_cut(text, t->symptoms.wrong.inputs, sizeof t->symptoms.wrong.inputs);
    free(text);
}
