/* cmd_repro_vary.h: the variants of a case that `assay repro --vary` runs: legal descriptions that differ from the case
 * in one property and in the parts that the rules derive from it. */
#ifndef CLI_CMD_REPRO_VARY_H
#define CLI_CMD_REPRO_VARY_H

#include "harness/base/pool.h"
#include "harness/case/testcase.h"

struct variant {
    const char *property; /* "InputTensor.Sizes[1]"; variants of one property follow each other */
    const char *value;    /* "3" */
    struct testcase testcase;
};

struct variants {
    struct pool pool;
    struct variant *items;
    size_t count;
    bool failed; /* out of memory */
};

/* Makes the variants of a case that expects results. All have its name, and so its seed. Free with variants_free(). */
void variants_make(struct variants *out, const struct testcase *c);
void variants_free(struct variants *variants);

#endif
