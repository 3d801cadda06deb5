/* expect_internal.h: the syntax of expectation files, shared by expect*.c. */
#ifndef RUN_EXPECT_INTERNAL_H
#define RUN_EXPECT_INTERNAL_H

#include "harness/run/expect.h"

/* The statuses that may be expected: the device was run and judged. */
#define EXPECT_STATUSES                                                                                                \
    (1u << STATUS_PASS | 1u << STATUS_FAIL | 1u << STATUS_WARN | 1u << STATUS_CRASH | 1u << STATUS_TIMEOUT |           \
     1u << STATUS_DEVICE_LOST)

/* Those of them that are failures. */
#define EXPECT_FAILURES (1u << STATUS_FAIL | 1u << STATUS_CRASH | 1u << STATUS_TIMEOUT | 1u << STATUS_DEVICE_LOST)

/* The statuses of a line whose cases are not run. */
#define EXPECT_SKIP (1u << STATUS_SKIP)

enum expect_key { KEY_DEVICE, KEY_NAME, KEY_DRIVER, KEY_VERSION, KEY_LEVEL, KEY_COUNT };
enum expect_relation { IS, IS_NOT, BELOW, AT_MOST, ABOVE, AT_LEAST, RELATION_COUNT };

struct expect_condition {
    enum expect_key key;
    enum expect_relation relation;
    const char *value;       /* a pattern */
    DML_FEATURE_LEVEL level; /* the value of KEY_LEVEL */
};

enum { EXPECT_CONDITIONS = 8 };

struct expect_section {
    struct expect_condition conditions[EXPECT_CONDITIONS]; /* all must hold */
    int count;
};

bool expect_section_holds(const struct expect_section *section, const struct expect_device *device);

#endif
