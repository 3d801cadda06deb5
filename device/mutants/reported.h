/* reported.h: wrong kernels, each written by hand after a public report of such a bug. They know nothing of the table
 * of mistakes (harness/trial/mistakes.h), so they measure how often an explanation finds a stranger's bug. */
#ifndef REPORTED_H
#define REPORTED_H

#include "device/common/descriptor.h"
#include "device/device.h"

struct reported {
    const char *name;         /* for fault=NAME */
    const char *kind;         /* "hard"; "soft": the documents tolerate the errors, so a warning suffices */
    DML_OPERATOR_TYPE type;   /* the operator that it breaks */
    const char *what, *issue; /* a sentence; a public report, "": none was at hand */
    const char *cause;        /* explanations that fit, separated by spaces */
    /* Computes an item. False: this description is not one that the bug is about. */
    int (*run)(const struct descriptor *d, const assay_dispatch_item *item);
};

extern const struct reported reported_kernels[];
extern const unsigned reported_count;

/* The kernel of this name; null: there is none. */
const struct reported *reported_find(const char *name);

#endif
