#include "harness/spec/spec_set.h"

#include "harness/base/dml_names.h"
#include "harness/base/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *without_prefix(const char *name)
{
    static const char prefix[] = "DML_OPERATOR_";
    return name + (strncasecmp(name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0);
}

int spec_set_find(const struct spec_set *set, const char *name)
{
    name = without_prefix(name);
    for (int i = 0; i < set->count; i++)
        if (strcasecmp(set->specs[i].name, name) == 0)
            return i;
    return -1;
}

int spec_set_find_any(const struct spec_set *set, const char *name)
{
    bool interface = set->interface && strcasecmp(set->interface->name, name) == 0;
    return interface ? set->count : spec_set_find(set, name);
}

int spec_set_no_operator(const struct spec_set *set, const char *name, enum exit_status status, struct error *error)
{
    char upper[64];
    snprintf(upper, sizeof upper, "%s", without_prefix(name));
    for (char *at = upper; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    if (dml_operator_find(upper) != DML_OPERATOR_INVALID)
        return error_set(error, status,
                         "no spec describes the operator %s; `assay spec` lists the operators that have one", upper);
    const char **names = calloc((size_t)set->count + 1, sizeof *names);
    for (int i = 0; names && i < set->count; i++)
        names[i] = set->specs[i].name;
    const char *near = names ? words_nearest(name, names, (size_t)set->count) : NULL;
    error_set(error, status, "no operator is named '%s'%s%s%s; `assay spec` lists them", name,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    return (int)status;
}
