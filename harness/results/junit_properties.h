/* junit_properties.h: the properties of suites in JUnit XML. reports/README.md lists them. */
#ifndef RESULTS_JUNIT_PROPERTIES_H
#define RESULTS_JUNIT_PROPERTIES_H

#include "harness/run/causes.h"
#include "harness/run/conformance.h"

#include <stdio.h>

enum { JUNIT_NAME_MAX = 1024 }; /* bytes of the text of an attribute, before it is escaped */

/* Prints an attribute, after a space. */
void junit_attribute(FILE *out, const char *key, const char *text);

/* Prints a property; prints nothing if the property has no value. */
void junit_property(FILE *out, const char *name, const char *value);
void junit_number(FILE *out, const char *name, uint64_t number);

/* Prints the operators of each level by state, and their numbers at the level that the device declares. False: out of
 * memory. */
bool junit_conformance(FILE *out, const struct conformance *c, DML_FEATURE_LEVEL declared);

/* Prints the description of a group, as the property of its number: "586 failures: -0.0 is taken for a number". */
void junit_group(FILE *out, size_t number, const struct cause_group *group);

#endif
