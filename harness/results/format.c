#include "harness/results/format.h"
#include "harness/base/words.h"

#include <stdio.h>
#include <string.h>

extern const struct format format_human, format_tap, format_tap14, format_junit, format_json, format_github,
    format_codequality;

const struct format *const format_all[] = {&format_human, &format_tap,    &format_tap14,       &format_junit,
                                           &format_json,  &format_github, &format_codequality, NULL};

int format_find(const char *name, const struct format **out, struct error *error)
{
    const char *names[sizeof format_all / sizeof *format_all];
    char known[256] = "";
    size_t count = 0, used = 0;
    *out = NULL;
    for (const struct format *const *format = format_all; *format; format++) {
        if (!strcmp((*format)->name, name)) {
            *out = *format;
            return 0;
        }
        names[count++] = (*format)->name;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", (*format)->name);
    }
    const char *near = words_nearest(name, names, count);
    if (near)
        return error_set(error, EXIT_USAGE, "unknown format \"%s\": did you mean %s? Known: %s", name, near, known);
    return error_set(error, EXIT_USAGE, "unknown format \"%s\"; known: %s", name, known);
}

double format_left(double elapsed, double part, double given)
{
    bool known = elapsed > 0 && part > given && part <= 1;
    return known ? elapsed * (1 - part) / (part - given) : -1;
}
