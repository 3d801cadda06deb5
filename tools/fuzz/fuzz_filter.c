/* Patterns for case names. */
#include "harness/plan/plan.h"
#include "tools/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *line = memchr(data, '\n', size);
    if (!line || size > 300) /* many stars are slow */
        return 0;
    char *pattern = strndup((const char *)data, (size_t)(line - data));
    char *name = strndup((const char *)line + 1, size - (size_t)(line - data) - 1);
    bool matches = pattern && name && plan_matches(pattern, name);
    for (char *dot = name ? strrchr(name, '.') : NULL; dot && dot > name; dot = strrchr(name, '.')) {
        *dot = '\0';
        if (matches && !plan_may_match(pattern, name))
            abort();
    }
    free(pattern);
    free(name);
    return 0;
}
