/* Reads the arguments of a broken device, which mutants.c describes. */
#include "device/mutants/mutants.h"

#include "harness/base/words.h"
#include "harness/spec/spec.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 512 };

static const struct fault no_fault;

static HRESULT find_fault(assay_device *device, const char *name)
{
    device->fault = fault_find(name);
    device->reported = device->fault ? NULL : reported_find(name);
    device->mistake = device->fault || device->reported ? NULL : mistake_find(name);
    if (device->reported || device->mistake)
        device->fault = &no_fault;
    for (int i = BUG_NONE + 1; !device->fault && i < BUG_COUNT; i++)
        if (strcmp(bug_infos[i].name, name) == 0) {
            device->bug = (enum bug)i;
            device->fault = &no_fault;
        }
    if (device->fault)
        return S_OK;
    device->fault = &no_fault;
    const char *names[NAMES_MAX], *near;
    size_t count = 0;
    for (int t = 0; t < FAULT_TABLES; t++)
        for (unsigned i = 0; i < *fault_tables[t].count && count < NAMES_MAX; i++)
            names[count++] = fault_tables[t].faults[i].name;
    for (int i = BUG_NONE + 1; i < BUG_COUNT && count < NAMES_MAX; i++)
        names[count++] = bug_infos[i].name;
    near = words_nearest(name, names, count);
    return mutants_fail(device, E_INVALIDARG, "no fault is named '%s'%s%s%s", name, near ? "; did you mean " : "",
                        near ? near : "", near ? "?" : "");
}

static HRESULT mutants_read_argument(assay_device *device, const char *key, const char *value)
{
    if (strcmp(key, "specs") == 0) {
        formulas_use_folder(value);
        return S_OK;
    }
    if (strcmp(key, "fault") == 0)
        return find_fault(device, value);
    if (strcmp(key, "legal") == 0) {
        device->legal = legal_find(value);
        return device->legal ? S_OK : mutants_fail(device, E_INVALIDARG, "no right device is named '%s'", value);
    }
    if (strcmp(key, "harm") == 0) {
        device->harm = harm_find(value);
        return device->harm ? S_OK : mutants_fail(device, E_INVALIDARG, "no harm is named '%s'", value);
    }
    if (strcmp(key, "in") == 0) {
        device->harm_call = harm_call_find(value);
        return device->harm_call < HARM_CALLS ? S_OK
                                              : mutants_fail(device, E_INVALIDARG, "no call is named '%s'", value);
    }
    if (strcmp(key, "forget") == 0) {
        device->forgets = device->forgets ? device->forgets : calloc(1, sizeof *device->forgets);
        return device->forgets && forgets_take(device->forgets, value)
                   ? S_OK
                   : mutants_fail(device, E_INVALIDARG, "forget=%s: expected FIELD, FIELD.strides or FIELD.type",
                                  value);
    }
    if (strcmp(key, "list") == 0)
        return mutants_list(device, value);
    if (strcmp(key, "every") == 0 && atoi(value) > 0) {
        device->every = (unsigned)atoi(value);
        return S_OK;
    }
    if (strcmp(key, "some") == 0 && atoi(value) > 0) {
        device->some = (unsigned)atoi(value);
        return S_OK;
    }
    if (strcmp(key, "most") == 0) {
        device->max = strtoull(value, NULL, 10);
        return device->max ? S_OK : mutants_fail(device, E_INVALIDARG, "most=%s: expected a number of bytes", value);
    }
    if (strcmp(key, "level") == 0) {
        device->level = level_find(value);
        return device->level ? S_OK : mutants_fail(device, E_INVALIDARG, "'%s' is not a feature level", value);
    }
    if (strcmp(key, "site") == 0) {
        device->site = atoi(value);
        return S_OK;
    }
    if (strcmp(key, "half") == 0) {
        device->only_half = true;
        return S_OK;
    }
    if (strcmp(key, "operator") == 0) {
        return mutants_operator(value, strlen(value), &device->only)
                   ? S_OK
                   : mutants_fail(device, E_INVALIDARG, "no operator is named '%s'", value);
    }
    if (strcmp(key, "ignore") == 0 || strcmp(key, "reject") == 0) {
        rules_close(device->rules);
        device->rules = rules_open(*key == 'i', value, device->message, sizeof device->message);
        return device->rules ? S_OK : E_INVALIDARG;
    }
    if (strcmp(key, "type") == 0 || strcmp(key, "rank") == 0 || strcmp(key, "index") == 0) {
        if (device->rules && rules_narrow(device->rules, key, value))
            return S_OK;
        return mutants_fail(device, E_INVALIDARG, "%s=%s: expected a data type or a rank, after ignore or reject", key,
                            value);
    }
    return mutants_fail(device, E_INVALIDARG,
                        "'%s': expected specs, fault, legal, operator, site, half, harm, in, forget, ignore, reject, "
                        "type, rank, index, list, "
                        "every=N, some=N, "
                        "most=BYTES or level=LEVEL",
                        key);
}

HRESULT mutants_read_arguments(assay_device *device, const char *arguments)
{
    char text[512], *rest = text;
    device->level = DML_FEATURE_LEVEL_6_4;
    device->fault = &no_fault;
    device->every = device->some = 1;
    device->site = -1;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *key; (key = strsep(&rest, ","));) {
        char *value = strchr(key, '=');
        if (*key == '\0')
            continue;
        if (value)
            *value++ = '\0';
        HRESULT result = mutants_read_argument(device, key, value ? value : "");
        if (FAILED(result))
            return result;
    }
    return S_OK;
}
