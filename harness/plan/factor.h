/* factor.h: the factors of an operator. Covering arrays combine their values, and coverage counts the combinations. */
#ifndef CASE_FACTOR_H
#define CASE_FACTOR_H

#include "harness/solve/solve.h"

enum {
    FACTORS_MAX = 1 + SPEC_MAX_GROUPS + SPEC_MAX_PARAMETERS + OPDESC_MAX_FIELDS,
    FACTOR_VALUES = 16 /* per factor: feature levels, data types, parameters up to 8, kinds of strides */
};

struct factor {
    enum factor_kind { FACTOR_LEVEL, FACTOR_TYPE, FACTOR_PARAMETER, FACTOR_STRIDES } kind;
    int which;                 /* group, parameter or field */
    int count;                 /* of values */
    int values[FACTOR_VALUES]; /* index in spec.levels, DML_TENSOR_DATA_TYPE, number, enum stride_class */
};

/* Lists the feature level, the data type of each type group, each parameter (0 to 8, as ranks and axes) and the kind of
 * strides of each tensor. `output_broadcast`: outputs have STRIDES_BROADCAST, too, which no legal description has.
 * Returns how many factors there are. */
int factors_list(const struct spec *spec, bool output_broadcast, struct factor factors[FACTORS_MAX]);

/* Adds one of the factor's values to a request. */
void factor_request(const struct factor *f, int value, struct solve_request *request);

/* Returns the value that a description has at a feature level (index in spec.levels), listed or not; -1: none. */
int64_t factor_read(const struct spec *spec, const struct factor *f, const struct opdesc *desc, int table);

/* Returns the enum stride_class of a tensor's strides; -1: no class fits. */
int factor_strides(const struct opdesc_tensor *t);

#endif
