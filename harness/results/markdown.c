#include "harness/results/markdown.h"

#include "harness/base/text.h"

#include <stdbool.h>
#include <string.h>

enum { TEXT_MAX = 300 };

void markdown_code(FILE *out, const char *text)
{
    char kept[TEXT_MAX + sizeof "…"];
    if (text_visible(kept, TEXT_MAX, text) >= TEXT_MAX)
        strcat(kept, "…");
    text = kept;
    if (!*text)
        return;
    size_t max = 0, length = 0; /* the lengths of runs of backticks; the fence is longer than any of them */
    for (const char *c = text; *c; c++) {
        length = *c == '`' ? length + 1 : 0;
        max = length > max ? length : max;
    }
    for (size_t i = 0; i <= max; i++)
        putc('`', out);
    bool padded = *text == '`' || (*text && text[strlen(text) - 1] == '`');
    fputs(padded ? " " : "", out);
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out); /* a | ends a table cell even inside code */
        putc(*text, out);
    }
    fputs(padded ? " " : "", out);
    for (size_t i = 0; i <= max; i++)
        putc('`', out);
}
