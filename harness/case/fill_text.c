#include "harness/case/fill_text.h"

#include "harness/base/datatype.h"
#include "harness/spec/elements.h"
#include "harness/case/fill.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    FILE *out;
    uint32_t type;
    const uint8_t *memory;
    uint64_t max;
};

static bool print_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct printer *p = context;
    char text[64];
    (void)coordinates;
    if (number == p->max) {
        fputs(", …", p->out);
        return false;
    }
    uint64_t bits = element_get(datatype_of(p->type)->bits, p->memory, offset);
    datatype_print(p->type, &bits, text, sizeof text);
    text[strcspn(text, " ")] = '\0'; /* the value without its bits */
    fprintf(p->out, "%s%s", number ? ", " : "", text);
    return true;
}

bool fill_text_input(FILE *out, const struct testcase *c, uint64_t seed, int item, uint64_t max)
{
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    uint8_t *memory = malloc(t->total);
    if (!memory)
        return false;
    struct printer printer = {.out = out, .type = t->data_type, .memory = memory, .max = max};
    fill_input(c, seed, item, memory, t->total);
    elements_each(t, print_element, &printer);
    free(memory);
    return true;
}

void fill_text_literal(FILE *out, const struct testcase *c, int item, uint64_t max)
{
    const struct literal *literal = &c->literals[item];
    struct printer printer = {
        .out = out, .type = c->desc->items[item].tensor.data_type, .memory = literal->data, .max = max};
    for (uint32_t n = 0; n < literal->count; n++)
        if (!print_element(&printer, n, NULL, n))
            break;
}
