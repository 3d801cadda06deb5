/* dml_names.h: the documented names of operators and errors. */
#ifndef BASE_DML_NAMES_H
#define BASE_DML_NAMES_H

#include "device/dml.h"

/* "GATHER_ND", without the prefix; null and DML_OPERATOR_INVALID for what is not documented. */
const char *dml_operator_name(DML_OPERATOR_TYPE type);
const char *dml_operator_old_name(DML_OPERATOR_TYPE type); /* before it was renamed, if it was */
DML_OPERATOR_TYPE dml_operator_find(const char *name);

/* "E_INVALIDARG", or the number in hexadecimal where there is no name. `text` has room for 32 bytes; returned. */
const char *dml_error_name(HRESULT result, char *text);

#endif
