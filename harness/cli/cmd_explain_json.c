#include "harness/cli/cmd_explain.h"
#include "harness/cli/cmd_json.h"

#include "harness/base/text.h"

#include <string.h>

static void explain_json_print_names(const struct trace *trace, int index, size_t names)
{
    static const char *const kinds[] = {"", "legal", "boundary", "violating"};
    const struct carrier *carrier = &trace->carriers[index];
    const char *comma = "";
    size_t shown[EVIDENCE_KINDS] = {0};
    printf(", \"cases\": {\"legal\": %u, \"boundary\": %u, \"violating\": %u}, \"names\": [",
           carrier->cases[EVIDENCE_POSITIVE], carrier->cases[EVIDENCE_BOUNDARY], carrier->cases[EVIDENCE_VIOLATING]);
    for (size_t n = 0; n < trace->plan->count; n++) {
        const struct testcase *c = &trace->plan->cases[n];
        enum evidence_kind kind =
            c->spec == carrier->spec || spec_is_interface(carrier->spec) ? carrier_evidence(carrier, c) : EVIDENCE_NONE;
        if (kind == EVIDENCE_NONE || shown[kind]++ >= names)
            continue;
        printf("%s{\"case\": ", comma);
        text_print_json(stdout, c->name);
        printf(", \"tests\": \"%s\"}", kinds[kind]);
        comma = ", ";
    }
    putchar(']');
}

static void explain_json_print_part(const struct trace *trace, int index, const struct subject *subject, size_t names)
{
    static const char *const kinds[] = {"rule", "behaviour", "level", "example"};
    const struct carrier *carrier = &trace->carriers[index];
    char name[CARRIER_NAME], text[256];
    cmd_json_pair("{", "operator", carrier->spec->name);
    cmd_json_pair(", ", "kind", kinds[carrier->kind]);
    cmd_json_pair(", ", "id", carrier_name(carrier, name));
    cmd_json_pair(", ", "strength", carrier_strength(carrier));
    cmd_json_pair(", ", "text", subject_part_text(carrier, text, sizeof text));
    cmd_json_pair(", ", "page", carrier->spec->page);
    cmd_json_words(", ", "sentences", carrier->pages);
    cmd_json_words(", ", "rulings", carrier->ruling);
    if (*carrier_untested(carrier))
        cmd_json_pair(", ", "untested", carrier_untested(carrier));
    if (subject->kind != SUBJECT_CASE)
        explain_json_print_names(trace, index, names);
    putchar('}');
}

void cmd_explain_json(const struct subject *subjects, size_t count, const struct trace *trace, size_t names)
{
    printf("{\"explained\": [");
    for (size_t i = 0; i < count; i++) {
        const char *comma = "\n  ";
        cmd_json_pair(i ? ",\n {" : "\n {", "id", subjects[i].id);
        cmd_json_pair(", ", "kind", subject_kinds[subjects[i].kind]);
        cmd_json_pair(", ", "text", subjects[i].text);
        printf(", \"parts\": [");
        for (int j = 0; j < trace->count; j++) {
            if (!subject_has(&subjects[i], &trace->carriers[j]))
                continue;
            fputs(comma, stdout);
            explain_json_print_part(trace, j, &subjects[i], names);
            comma = ",\n  ";
        }
        printf("]}");
    }
    printf("]}\n");
}
