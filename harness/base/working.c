#include "harness/base/working.h"

#include <stddef.h>

/* A formula takes up to 0.1 ms for an element. */
enum { PIECES = 256 };

static void (*report_work)(void *context);
static void *report_context;

void working_set(void (*report)(void *context), void *context)
{
    report_work = report;
    report_context = context;
}

void working_report(void)
{
    if (report_work)
        report_work(report_context);
}

void working_count(void)
{
    static _Thread_local unsigned count;
    if (++count % PIECES == 0)
        working_report();
}
