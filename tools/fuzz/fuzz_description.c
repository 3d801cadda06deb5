/* Descriptions as text. */
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec_set set;
    struct error error = {0};
    struct opdesc desc, again;
    char printed[2048], second[2048];
    if (!set.script && spec_set_load(&set, "specs", &error))
        abort();
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (desc_text_parse(&set, text, &desc, &error) == 0) {
        desc_text_print(&set.specs[desc.op], &desc, printed, sizeof printed);
        if (desc_text_parse(&set, printed, &again, &error) != 0 || again.op != desc.op)
            abort();
        desc_text_print(&set.specs[desc.op], &again, second, sizeof second);
        if (strcmp(printed, second) != 0)
            abort();
    }
    free(text);
    return 0;
}
