/* trial_dump.c: prints the outputs of a trial as text, expected and got, around the first wrong element. */
#include "harness/base/datatype.h"
#include "harness/base/real.h"
#include "harness/spec/elements.h"
#include "harness/trial/trial_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUMP_GIVEN = 4096,  /* elements per output that a case file gives and the reference device contradicts */
    DUMP_ELEMENTS = 24, /* per other tensor, */
    DUMP_BEFORE = 4,    /* and those of them before the first wrong one */
    DUMP_INPUTS = 8192  /* bytes of text of the inputs */
};

/* A line of values. */
struct dumper {
    const struct trial *t;
    int item;
    enum line { LINE_EXPECTED, LINE_GOT, LINE_APART, LINE_COUNT } line;
    uint64_t from, most, defined; /* the first element to print; the number to print, and of defined ones */
    const uint8_t *expected, *got;
    FILE *out;
};

/* Prints the distance of two real numbers in units in the last place of the expected one; of others, a mark. */
static void dump_distance(const struct dumper *d, unsigned type, uint64_t expected, uint64_t got)
{
    const double right = datatype_to_double(type, &expected), value = datatype_to_double(type, &got);
    if (expected == got || right == value)
        fputs("=", d->out);
    else if (datatype_of(type)->is_float && isfinite(right) && isfinite(value))
        fprintf(d->out, "%.3g", fabs(value - right) / real_spacing(type, right));
    else
        fputs("≠", d->out);
}

static bool dump_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct dumper *d = context;
    const unsigned type = d->t->c.desc->items[d->item].tensor.data_type, width = datatype_of(type)->bits;
    const uint64_t expected = element_get(width, d->expected, offset);
    const uint64_t got = element_get(width, d->got, offset);
    char value[64];
    (void)coordinates;
    if (number < d->from)
        return true;
    if (number >= d->defined || number >= d->from + d->most) {
        fputs(number >= d->defined ? " (the rest is undefined)" : ", …", d->out);
        return false;
    }
    fputs(number > d->from ? ", " : "", d->out);
    if (d->line == LINE_APART) {
        dump_distance(d, type, expected, got);
        return true;
    }
    datatype_print(type, d->line == LINE_GOT ? &got : &expected, value, sizeof value);
    value[strcspn(value, " ")] = '\0'; /* drop the bits */
    fputs(value, d->out);
    return true;
}

/* Returns the number of the first element to print: a few before the first wrong one, if the tensor has it. */
static uint64_t dump_start(const struct trial *t, int item)
{
    const struct opdesc_tensor *tensor = &t->c.desc->items[item].tensor;
    uint64_t number = 0;
    if (strcmp(t->symptoms.wrong.tensor, t->c.spec->tensor_names[item]) != 0)
        return 0;
    for (uint32_t d = 0; d < tensor->dims; d++)
        number = number * tensor->sizes[d] + t->symptoms.wrong.place[d];
    return number < DUMP_ELEMENTS ? 0 : number - DUMP_BEFORE;
}

/* Prints an output, expected and got; `given`: what a case file gives, in place of what the device wrote. */
static void dump_output(const struct trial *t, int item, const uint8_t *given, FILE *out)
{
    static const char *const titles[2][LINE_COUNT] = {{"expected", "got     ", "ULP     "},
                                                      {"reference", "given    ", "ULP      "}};
    const bool is_float = datatype_of(t->c.desc->items[item].tensor.data_type)->is_float;
    const bool is_wrong = strcmp(t->symptoms.wrong.tensor, t->c.spec->tensor_names[item]) == 0;
    const uint64_t from = given ? 0 : dump_start(t, item);
    for (int line = 0; line < LINE_COUNT; line++) {
        if (line == LINE_APART && !(is_float && (is_wrong || given)))
            continue;
        struct dumper d = {.t = t,
                           .item = item,
                           .line = (enum line)line,
                           .from = from,
                           .most = given ? DUMP_GIVEN : DUMP_ELEMENTS,
                           .defined = trial_defined_elements(t, item),
                           .expected = t->expected[item].write,
                           .got = given ? given : t->got[item].write,
                           .out = out};
        fprintf(out, "  %-24s%s  %s", line ? "" : t->c.spec->tensor_names[item], titles[given != NULL][line],
                from ? "…, " : "");
        elements_each(&t->c.desc->items[item].tensor, dump_element, &d);
        putc('\n', out);
    }
}

/* Prints the elements of inputs that the first wrong element depends on, if the result's own text leaves some out. */
static void dump_inputs(struct trial_setup *setup, const struct trial *t, FILE *out)
{
    if (!strstr(t->symptoms.wrong.inputs, "…"))
        return;
    char *text = trial_inputs_text(setup, t, true);
    if (text)
        fprintf(out, "the first wrong element depends on:\n  %.*s%s\n", DUMP_INPUTS, text,
                strlen(text) > DUMP_INPUTS ? " …" : "");
    free(text);
}

static FILE *dump_open(struct trial *t, size_t *size)
{
    free(t->dump);
    t->dump = NULL;
    return open_memstream(&t->dump, size);
}

static void dump_close(struct trial *t, FILE *out)
{
    if (out && fclose(out) != 0) {
        free(t->dump);
        t->dump = NULL;
    }
}

void trial_dump(struct trial_setup *setup, struct trial *t)
{
    size_t size;
    FILE *out = dump_open(t, &size);
    for (int i = -1; out && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)))
            dump_output(t, i, NULL, out);
    if (out)
        dump_inputs(setup, t, out);
    dump_close(t, out);
}

void trial_dump_given(struct trial *t, const uint8_t *const given[])
{
    size_t size;
    FILE *out = dump_open(t, &size);
    for (int i = -1; out && (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (given[i])
            dump_output(t, i, given[i], out);
    dump_close(t, out);
}
