/* The properties of suites in JUnit XML. */
#include "harness/results/junit_properties.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OPERATORS_MAX = 20 }; /* operators of a state and level that are named */

void junit_attribute(FILE *out, const char *key, const char *text)
{
    fprintf(out, " %s=\"", key);
    text_print_xml(out, text, JUNIT_NAME_MAX);
    putc('"', out);
}

void junit_property(FILE *out, const char *name, const char *value)
{
    if (!value || !*value)
        return;
    fprintf(out, "      <property name=\"%s\"", name);
    junit_attribute(out, "value", value);
    fputs("/>\n", out);
}

void junit_number(FILE *out, const char *name, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    junit_property(out, name, text);
}

bool junit_conformance(FILE *out, const struct conformance *c, DML_FEATURE_LEVEL declared)
{
    int counts[CONFORMANCE_STATES], top = conformance_top(declared), best = conformance_complete_up_to(c, top);
    bool good = true;
    conformance_count(c, top, counts);
    junit_property(out, "conformance-level", best < 0 ? "none" : level_names[best]);
    junit_number(out, "operators-complete", (uint64_t)counts[CONFORMANCE_COMPLETE]);
    junit_number(out, "operators-failing", (uint64_t)counts[CONFORMANCE_FAILING]);
    junit_number(out, "operators-missing", (uint64_t)counts[CONFORMANCE_MISSING]);
    junit_number(out, "operators-partial", (uint64_t)counts[CONFORMANCE_PARTIAL]);
    junit_number(out, "operators-without-cases", (uint64_t)counts[CONFORMANCE_NO_CASES]);
    for (int level = 0; level <= top && good; level++) {
        char name[32], *text = NULL;
        size_t size;
        FILE *value = open_memstream(&text, &size);
        snprintf(name, sizeof name, "conformance-%s", level_names[level]);
        if (value)
            conformance_print_level(c, level, OPERATORS_MAX, value);
        good = value && fclose(value) == 0;
        if (good)
            junit_property(out, name, text);
        free(text);
    }
    return good;
}

void junit_group(FILE *out, size_t number, const struct cause_group *group)
{
    char name[32], value[sizeof group->title + sizeof group->broken + sizeof group->where + 60];
    snprintf(name, sizeof name, "group-%zu", number);
    snprintf(value, sizeof value, "%" PRIu64 " %s%s: %s%s%s%s%s", group->cases, group->warnings ? "warning" : "failure",
             group->cases == 1 ? "" : "s", group->title, *group->broken ? "; broken: " : "", group->broken,
             *group->where ? "; all " : "", group->where);
    junit_property(out, name, value);
}
