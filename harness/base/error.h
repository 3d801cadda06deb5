/* error.h: the errors that functions report, and the exit statuses that users may rely on. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

/* The exit statuses are API, documented in README.md. */
enum exit_status {
    EXIT_AS_EXPECTED = 0,
    EXIT_FAILURES = 1,   /* failures, flaky cases, unexpected passes, stale expectations, regressions */
    EXIT_USAGE = 2,      /* wrong command line or configuration */
    EXIT_HARNESS = 3,    /* the run was impossible: broken spec, case or expectation file, database, disk; or its only
                          * failures are harness errors */
    EXIT_NO_MATCH = 4,   /* no case matched; no such run or finding */
    EXIT_INCOMPLETE = 5, /* interrupted or incomplete */
    EXIT_NO_DEVICE = 6   /* the device is missing, or everything was skipped */
};

/* One error message for the user. A function that can fail takes a `struct error *`, initially zeroed, and returns 0 or
 * the exit status that it stored there. Its callers pass the error on or add context. */
struct error {
    enum exit_status status;
    char text[1024]; /* one line: the mistake, its place, and the expectation */
};

/* Stores status and text, with control characters made visible, and returns the status. If `error` holds an error
 * already, the function keeps that one and returns its status. `error` may be null. */
int error_set(struct error *error, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text. The function does nothing if `error` is null or holds no error. */
void error_context(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
