/* tap.h: TAP 13 for test programs. Include it in one file of a program; end main() with `return tap_done();`. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

/* Prints a test point. Returns `good`, so that a test can stop early. */
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

/* Prints a comment line, for whoever reads a failure. */
__attribute__((format(printf, 1, 2), unused)) static void note(const char *format, ...)
{
    va_list arguments;
    fputs("# ", stdout);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* Prints one skipped test point, with the reason. */
__attribute__((format(printf, 1, 2), unused)) static void skip_rest(const char *format, ...)
{
    va_list arguments;
    printf("ok %d # SKIP ", ++tap_count);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* Prints the plan. Returns the exit status: 1 if a test point failed or there was none. */
__attribute__((unused)) static int tap_done(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0 || tap_count == 0;
}
#endif
