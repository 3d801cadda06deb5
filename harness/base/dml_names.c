#include "harness/base/dml_names.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL since;
} operators[] = {
#include "generated/dml_operators.h"
};

enum { OPERATORS = sizeof operators / sizeof *operators };

const char *dml_operator_name(DML_OPERATOR_TYPE type)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].type == type)
            return operators[i].name;
    return NULL;
}

DML_FEATURE_LEVEL dml_operator_since(DML_OPERATOR_TYPE type)
{
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].type == type)
            return operators[i].since;
    return (DML_FEATURE_LEVEL)0;
}

DML_OPERATOR_TYPE dml_operator_next(DML_OPERATOR_TYPE type)
{
    int i = 0;
    while (type && operators[i].type != type)
        i++;
    while (i < OPERATORS && operators[i].type == type)
        i++;
    return i < OPERATORS ? operators[i].type : DML_OPERATOR_INVALID;
}

/* Older names of a type follow its own in the table. */
const char *dml_operator_old_name(DML_OPERATOR_TYPE type)
{
    const char *name = NULL;
    for (int i = 0; i < OPERATORS; i++)
        if (operators[i].type == type)
            name = operators[i].name;
    return name;
}

DML_OPERATOR_TYPE dml_operator_find(const char *name)
{
    for (int i = 0; i < OPERATORS; i++)
        if (strcmp(operators[i].name, name) == 0)
            return operators[i].type;
    return DML_OPERATOR_INVALID;
}

const char *dml_error_name(HRESULT result, char *text)
{
    static const struct {
        HRESULT result;
        const char *name;
    } known[] = {
        {S_OK, "S_OK"},
        {E_NOTIMPL, "E_NOTIMPL"},
        {E_POINTER, "E_POINTER"},
        {E_FAIL, "E_FAIL"},
        {E_OUTOFMEMORY, "E_OUTOFMEMORY"},
        {E_INVALIDARG, "E_INVALIDARG"},
        {DXGI_ERROR_UNSUPPORTED, "DXGI_ERROR_UNSUPPORTED"},
        {DXGI_ERROR_DEVICE_REMOVED, "DXGI_ERROR_DEVICE_REMOVED"},
        {DXGI_ERROR_SDK_COMPONENT_MISSING, "DXGI_ERROR_SDK_COMPONENT_MISSING"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].result == result)
            return known[i].name;
    snprintf(text, 16, "0x%08x", (unsigned)result);
    return text;
}
