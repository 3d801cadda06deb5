/* plan_vary_internal.h: the files of op:vary() share these declarations. plan_vary_parts.c changes a part of a
 * description, plan_vary.c finds the pairs of descriptions that are cases. */
#ifndef PLAN_PLAN_VARY_INTERNAL_H
#define PLAN_PLAN_VARY_INTERNAL_H

#include "harness/plan/plan_internal.h"

#include "harness/base/random.h"
#include "harness/trial/plugin.h"

/* A search for pairs of one request. */
struct varying {
    struct planner *p;
    const struct spec *spec;
    const struct case_request *request;
    const struct plugin *reference; /* computes the outputs of an operator without formulas */
    struct opdesc base;
    struct random random;
    int field;      /* the field whose part changes */
    bool looks;     /* of the values of a part, one is found that results show */
    bool finds_new; /* a part differs that no pair has shown */
};

/* A way to change a part of field `v->field` of a description. */
struct vary_part {
    const char *name; /* in labels, after the field's name; "": the whole field */
    /* Returns false if try number `try` is one too many, or the field has no such part. */
    bool (*change)(struct varying *v, int try, struct opdesc *desc);
    bool repaired; /* what follows from the part may change, too */
    bool shown;    /* outputs may be the same with another value of the part */
};

extern const struct vary_part vary_parts[];
extern const int vary_part_count; /* at most 16: struct plan_varied has a bit for each */

#endif
