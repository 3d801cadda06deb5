/* Writes the list of mutants: columns group, kind, operator ("": all), arguments, fault, public issue, and the causes
 * that may be named for it. */
#include "device/mutants/mutants.h"

#include <string.h>

enum { OPERATORS_END = 256 /* above every DML_OPERATOR_TYPE */ };

static const char *const kind_names[] = {"hard", "soft", "open"};

static void list_faults(FILE *out, const char *group, const struct fault *table, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s\t%s\t\tfault=%s\t%s\t%s\t%s\n", group, kind_names[table[i].kind], table[i].name, table[i].what,
                table[i].issue ? table[i].issue : "", table[i].cause ? table[i].cause : "");
}

const char *mutants_operator(const char *name, size_t length, DML_OPERATOR_TYPE *type)
{
    char full[80];
    for (int prefixed = 1; prefixed >= 0; prefixed--) {
        snprintf(full, sizeof full, "%s%.*s", prefixed ? "ELEMENT_WISE_" : "", (int)length, name);
        for (int i = 1; i < OPERATORS_END; i++) {
            const struct catalogue_operator *op = catalogue_find((uint32_t)i);
            if (op && strcmp(op->name, full) == 0) {
                *type = (DML_OPERATOR_TYPE)i;
                return op->name;
            }
        }
    }
    return NULL;
}

/* Writes a line for each operator that the bug is tried in. Numbers may be wrong in one bit, or zero, for any cause, so
 * that a run may say so. */
static void list_numbers(FILE *out, const struct bug_info *info, int kind)
{
    const char *at = info->operators[kind];
    for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        DML_OPERATOR_TYPE type;
        const char *name = mutants_operator(at, length, &type);
        if (name)
            fprintf(out, "number\t%s\t%s\tfault=%s,operator=%s\t%s\t\t%s %s zeros one-bit nans\n", kind_names[kind],
                    name, info->name, name, info->what, info->name, info->cause);
        at += length;
    }
}

/* Writes a line for each operator in which the right device differs from the harness. */
static void list_legal(FILE *out, const struct legal *legal)
{
    for (uint32_t i = 1; i < OPERATORS_END; i++) {
        const struct spec *spec = formulas_right((DML_OPERATOR_TYPE)i);
        if (spec && legal_applies(legal, spec))
            fprintf(out, "legal\t%s\t%s\tlegal=%s,operator=%s\t%s\t\t%s\n", legal->wrong ? "hard" : "open", spec->name,
                    legal->name, spec->name, legal->what, legal->wrong ? "one-bit zeros nans" : "");
    }
}

HRESULT mutants_list(assay_device *device, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return mutants_fail(device, E_FAIL, "%s: cannot be written", path);
    for (int i = BUG_NONE + 1; i < BUG_COUNT; i++) {
        if (!bug_infos[i].operators[0])
            fprintf(out, "value\t%s\t\tfault=%s\t%s\t%s\t%s\n", kind_names[bug_infos[i].kind], bug_infos[i].name,
                    bug_infos[i].what, bug_infos[i].issue, bug_infos[i].cause);
        for (int kind = 0; kind < 3 && bug_infos[i].operators[0]; kind++)
            list_numbers(out, &bug_infos[i], kind);
    }
    for (int i = 0; i < FAULT_TABLES; i++) {
        unsigned first = fault_tables[i].faults == faults; /* "none" is not a mutant */
        list_faults(out, fault_tables[i].group, fault_tables[i].faults + first, *fault_tables[i].count - first);
    }
    for (unsigned i = 0; i < reported_count; i++)
        fprintf(out, "reported\t%s\t%s\tfault=%s\t%s\t%s\t%s zeros one-bit nans\n", reported_kernels[i].kind,
                catalogue_find(reported_kernels[i].type)->name, reported_kernels[i].name, reported_kernels[i].what,
                reported_kernels[i].issue, reported_kernels[i].cause);
    for (unsigned i = 0; i < legal_count; i++)
        list_legal(out, &legal_variants[i]);
    bool listed = rules_list(out, device->message, sizeof device->message);
    fclose(out);
    return listed ? mutants_fail(device, DXGI_ERROR_UNSUPPORTED, "the list is in %s", path) : E_FAIL;
}
