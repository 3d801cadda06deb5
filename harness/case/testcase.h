/* testcase.h: one planned case: a description, what to put into its tensors, and what is expected of the device. */
#ifndef CASE_TESTCASE_H
#define CASE_TESTCASE_H

#include "harness/spec/contents.h"
#include "harness/spec/solve.h"
#include "harness/spec/spec.h"

#include <stddef.h>

enum expectation {
    EXPECT_RESULTS,  /* accepted, and its outputs as the reference device's, or as given */
    EXPECT_ACCEPTED, /* accepted; too large to run, or inputs that are OWNED_BY_DML */
    EXPECT_EITHER,   /* accepted or rejected: the documents leave it open, and which it was is recorded */
    EXPECT_REJECTED  /* rejected, because it breaks `rule` */
};

/* Elements given one by one, row-major over the logical coordinates; an output may give fewer than it has. */
struct literal {
    const void *data; /* null: none */
    uint32_t count;   /* elements */
};

struct testcase {
    const char *name;
    const char *strategy;
    const char *tier; /* of the strategy, "" if none */
    const struct spec *spec;
    const struct opdesc *desc;      /* has room for the spec's fields only */
    const struct literal *literals; /* one per field of the spec, or null */
    int table;                      /* feature level, index in spec->levels */
    int rule;                       /* what it tests: index in spec->rules, -1: the operator as a whole */
    enum expectation expect;
    enum fill fill;
    enum index_fill index_fill;
    bool negative; /* indices may be negative: a signed type, at a level that has negative indices */
    bool soft;     /* a deviation is a warning */
    bool again;    /* what was compiled is dispatched twice, the second time with other contents and bindings */
};

/* Whether the case gives values that its outputs must have. */
bool testcase_has_outputs(const struct testcase *c);

/* Bytes of the part of an opdesc that a spec uses. */
size_t testcase_desc_size(const struct spec *spec);

/* The data types of a description, one a group of tensors that have the same, of the groups that may have several:
 * "float32-int64". Writes to `text` and returns it. */
enum { TESTCASE_TYPES_SIZE = 80 };
const char *testcase_types(const struct spec *spec, const struct opdesc *desc, char text[TESTCASE_TYPES_SIZE]);

/* Whether two descriptions of the operator say the same. */
bool testcase_same_desc(const struct spec *spec, const struct opdesc *a, const struct opdesc *b);

/* A case in one piece, to be sent to a worker, and back. `encode` returns the size, and writes if it is at most `room`.
 * `decode` points into `from`, which is aligned to 16 and stays; false: not a case. */
size_t testcase_encode(const struct testcase *c, const struct spec *specs, uint64_t seed, void *to, size_t room);
bool testcase_decode(const void *from, size_t size, const struct spec *specs, int spec_count, struct testcase *c,
                     struct literal literals[OPDESC_MAX_FIELDS], uint64_t *seed);

/* The rule that a record names: the one tested, or else the first thing that the operator must do. Null: none. */
const struct rule *testcase_rule(const struct testcase *c);

/* What is expected of the device, a few words. */
const char *testcase_expected(const struct testcase *c);

#endif
