/* tap.h: what a test program needs to speak TAP 13. Include it in one file, end main() with `return tap_done();`. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* One test point. Returns `good`, so that a test can stop where going on makes no sense. */
__attribute__((format(printf, 2, 3), unused)) static int ok(int good, const char *format, ...)
{
    va_list arguments;
    printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    if (!good)
        tap_failed++;
    fflush(stdout);
    return good;
}

/* A line for the person who reads a failure. */
__attribute__((format(printf, 1, 2), unused)) static void note(const char *format, ...)
{
    va_list arguments;
    fputs("# ", stdout);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

__attribute__((format(printf, 1, 2), unused)) static void skip_rest(const char *format, ...)
{
    va_list arguments;
    printf("ok %d # SKIP ", ++tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0 || tap_count == 0;
}
#endif
