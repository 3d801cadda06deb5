/* error.h: how a function says what went wrong, and the exit statuses that users may rely on. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stddef.h>

/* The exit statuses: API, documented in README.md. */
enum exit_status {
    EXIT_AS_EXPECTED = 0,
    EXIT_FAILURES = 1, /* failures, flaky cases, unexpected passes, stale expectations */
    EXIT_USAGE = 2,    /* the command line */
    EXIT_HARNESS = 3,  /* a broken spec, case or expectation file, database, disk: the run could not be done properly */
    EXIT_NO_MATCH = 4, /* no case matched */
    EXIT_INCOMPLETE = 5, /* interrupted */
    EXIT_NO_DEVICE = 6   /* the device is missing, or everything was skipped */
};

/* One message on its way to the user. A function that can fail takes a `struct error *`, returns 0 or the exit status it
 * stored there, and its callers pass it on or add context. */
struct error {
    enum exit_status status;
    char text[1024]; /* one line: what was wrong, where, what was expected */
};

/* Stores status and text, control characters made harmless; returns the status. The first error stands: a later one does
 * not replace it. `error` may be null. */
int error_set(struct error *error, enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text. */
void error_context(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
