/* dml_names.h: the documented names of operators and errors. */
#ifndef BASE_DML_NAMES_H
#define BASE_DML_NAMES_H

#include "device/dml.h"

/* Returns "GATHER_ND", without the prefix; null if the type is not documented. */
const char *dml_operator_name(DML_OPERATOR_TYPE type);

/* Returns the feature level that introduced the operator; 0 if the type is not documented. */
DML_FEATURE_LEVEL dml_operator_since(DML_OPERATOR_TYPE type);

/* Returns the documented type after `type`, or the first after DML_OPERATOR_INVALID; DML_OPERATOR_INVALID after the
 * last. */
DML_OPERATOR_TYPE dml_operator_next(DML_OPERATOR_TYPE type);

/* Returns the name that a renamed operator had before; dml_operator_name() if it was never renamed. */
const char *dml_operator_old_name(DML_OPERATOR_TYPE type);

/* Finds a type by either name, without the prefix. Returns DML_OPERATOR_INVALID if there is none. */
DML_OPERATOR_TYPE dml_operator_find(const char *name);

/* Returns "E_INVALIDARG"; for a number without a name writes it in hexadecimal to `text`, which has at least 16
 * bytes. */
const char *dml_error_name(HRESULT result, char *text);

#endif
