/* trial_dump.c: prints the outputs of a trial as text, expected and got. */
#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/trial/trial_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DUMP_ELEMENTS = 32, /* per tensor */
    DUMP_SIZE = 4096    /* bytes of text */
};

struct dumper {
    const struct trial *t;
    int field;
    const uint8_t *memory;
    uint64_t defined;
    char *text;
};

__attribute__((format(printf, 2, 3))) static void dump(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, DUMP_SIZE - used, format, arguments);
    va_end(arguments);
}

static bool dump_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct dumper *d = context;
    uint32_t type = d->t->c.desc->items[d->field].tensor.data_type;
    char value[64];
    (void)coordinates;
    if (number >= d->defined || number >= DUMP_ELEMENTS) {
        dump(d->text, number >= d->defined ? " (the rest is undefined)" : ", …");
        return false;
    }
    uint64_t bits = element_get(datatype_of(type)->bits, d->memory, offset);
    datatype_print(type, &bits, value, sizeof value);
    value[strcspn(value, " ")] = '\0'; /* drop the bits */
    dump(d->text, "%s%s", number ? ", " : "", value);
    return true;
}

void trial_dump(struct trial *t)
{
    free(t->dump);
    t->dump = calloc(1, DUMP_SIZE);
    for (int i = -1; t->dump && (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        if (!field_is_output(spec_tensor_field(t->c.spec, i)))
            continue;
        for (int got = 0; got < 2; got++) {
            struct dumper d = {.t = t,
                               .field = i,
                               .memory = got ? t->got[i].write : t->expected[i].write,
                               .defined = trial_defined_elements(t, i),
                               .text = t->dump};
            dump(t->dump, "  %-24s%s  ", got ? "" : t->c.spec->tensor_names[i], got ? "got     " : "expected");
            elements_each(&t->c.desc->items[i].tensor, dump_element, &d);
            dump(t->dump, "\n");
        }
    }
}
