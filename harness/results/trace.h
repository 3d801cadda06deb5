/* trace.h: from the sentences of the pages and the rulings to what carries them, and to the cases that test that.
 *
 * Sources are written in the specs as lists: "bed83-115, bed83-151..162" are sentences of the page whose sentences the
 * spec lists under "bed83"; "DML_GATHER" is a page without ids; "A6, A7" are rulings. */
#ifndef RESULTS_TRACE_H
#define RESULTS_TRACE_H

#include "harness/case/plan.h"
#include "harness/run/record.h"

#include <stdio.h>

enum { TRACE_MAX_DEVICES = 8 };

enum carrier_kind { CARRIER_RULE, CARRIER_BEHAVIOUR, CARRIER_LEVEL, CARRIER_EXAMPLE };

enum evidence_kind { EVIDENCE_NONE, EVIDENCE_POSITIVE, EVIDENCE_BOUNDARY, EVIDENCE_VIOLATING, EVIDENCE_KINDS };

/* What carries sentences and rulings: a part of a spec. */
struct carrier {
    const struct spec *spec;
    enum carrier_kind kind;
    int index; /* of the rule, level or example in the spec */
    const char *pages, *ruling;
    unsigned cases[EVIDENCE_KINDS];  /* that test it */
    int verdicts[TRACE_MAX_DEVICES]; /* worst status among them in the last run of each device, -1: none */
};

struct trace {
    const struct spec_set *set;
    const struct plan *plan;
    struct carrier *carriers; /* by spec, then kind */
    int count;
    const char *devices[TRACE_MAX_DEVICES]; /* made visible */
    int device_count;
    struct pool pool;
};

/* Finds the carriers of all specs and counts their cases. */
void trace_make(struct trace *trace, const struct spec_set *set, const struct plan *plan);
void trace_free(struct trace *trace);

/* Adds the verdicts of a results database, for up to TRACE_MAX_DEVICES devices, the ones that ran last. EXIT_HARNESS if
 * it cannot be read. */
int trace_verdicts(struct trace *trace, const char *path, struct error *error);

enum { CARRIER_NAME = 64 };

/* The id of a rule or behaviour, "level 3_0" or "example order", in `text` of CARRIER_NAME bytes; its strength. */
const char *carrier_name(const struct carrier *carrier, char *text);
const char *carrier_strength(const struct carrier *carrier);

/* Why no case tests it; "" if some do, or some should. */
const char *carrier_untested(const struct carrier *carrier);

/* What of the carrier the case tests. */
enum evidence_kind carrier_evidence(const struct carrier *carrier, const struct testcase *c);

/* Whether a list of sources names the sentence; how often a list of numbers as "104, 107..114" does. */
bool source_has_sentence(const char *list, const char *page, int number);
int source_count_number(const char *list, int number);
bool source_has_name(const char *list, const char *name);

/* Prints a line for each thing that is wrong: a sentence that is not classified, or twice; a source that is none; what
 * has no source or no case; a ruling that nothing carries. `ops`: indices of the specs to look at; `whole`: look at
 * the rulings too. Returns how many lines. */
int trace_check(const struct trace *trace, const int *ops, int count, bool whole, FILE *out);

#endif
