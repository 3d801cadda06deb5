/* trace.h: traces the sentences of the pages and of device.h, and the rulings, to the parts of specs that implement
 * them (their carriers), and to the cases that test those.
 *
 * Sources are written in the specs as lists: "bed83-115, bed83-151..162" are sentences of the page whose sentences the
 * spec lists under "bed83"; "DML_GATHER" is a page without ids; "D6, D7" are sentences of device.h; "A6, A7" are
 * rulings. */
#ifndef RESULTS_TRACE_H
#define RESULTS_TRACE_H

#include "harness/plan/plan.h"
#include "harness/run/record.h"

#include <stdio.h>

enum { TRACE_MAX_DEVICES = 8 };

enum carrier_kind { CARRIER_RULE, CARRIER_BEHAVIOUR, CARRIER_LEVEL, CARRIER_EXAMPLE };

/* The way in which a case tests a carrier: with legal values, with values at a limit, or by violating the carrier. */
enum evidence_kind { EVIDENCE_NONE, EVIDENCE_POSITIVE, EVIDENCE_BOUNDARY, EVIDENCE_VIOLATING, EVIDENCE_KINDS };

/* A part of a spec that implements sentences or rulings. */
struct carrier {
    const struct spec *spec;
    enum carrier_kind kind;
    int index; /* the index of the rule, level or example in the spec */
    const char *pages, *ruling;
    unsigned cases[EVIDENCE_KINDS];  /* numbers of cases that test the carrier */
    int verdicts[TRACE_MAX_DEVICES]; /* worst status of those cases in the last run of each device; -1: none ran */
};

struct trace {
    const struct spec_set *set;
    const struct plan *plan;
    struct carrier *carriers; /* sorted by spec, then kind */
    int count;
    int *first;                             /* per spec: its first carrier */
    const char *devices[TRACE_MAX_DEVICES]; /* escaped for printing */
    int device_count;
    struct pool pool;
};

/* Finds the carriers of all specs and counts their cases. `set` and `plan` must outlive the trace. */
void trace_make(struct trace *trace, const struct spec_set *set, const struct plan *plan);
void trace_free(struct trace *trace);

/* Returns the carrier after `at` (-1: the first one) that a case can be evidence for; -1: there is none. The carriers
 * of the case's own spec come first, then those of the interface. */
int trace_next(const struct trace *trace, const struct testcase *c, int at);

/* Adds verdicts from a results database, for the TRACE_MAX_DEVICES devices that ran last. EXIT_HARNESS: the database
 * cannot be read. */
int trace_verdicts(struct trace *trace, const char *path, struct error *error);

/* Returns true if a verdict (-1: none) outweighs another: the more severe one does; a pass outweighs a skip. */
bool trace_outweighs(int verdict, int other);

enum { CARRIER_NAME = 64 };

/* Returns the name of a carrier: the id of its rule or behaviour, "level 3_0" or "example order". `text` has
 * CARRIER_NAME bytes and may hold the name. */
const char *carrier_name(const struct carrier *carrier, char *text);

/* Returns the strength of a carrier: that of its rule; "reject" for a level, "must" for an example. */
const char *carrier_strength(const struct carrier *carrier);

/* Returns the reason why no case can test the carrier; "" if cases test it or should test it. */
const char *carrier_untested(const struct carrier *carrier);

/* Returns the way in which a case tests a carrier of its own spec. */
enum evidence_kind carrier_evidence(const struct carrier *carrier, const struct testcase *c);

/* Returns true if a list of sources contains sentence `number` of a page. */
bool source_has_sentence(const char *list, const char *page, int number);

/* Counts the times that a list of numbers and ranges, "104, 107..114", contains a number. */
int source_count_number(const char *list, int number);

/* Returns true if a list of words contains `name`. */
bool source_has_name(const char *list, const char *name);

/* Prints a line for each problem: sentences classified never or twice, invalid sources, carriers without a source or a
 * case, rulings without a carrier. Checks the specs with the `count` indices `ops` (that of the interface: set->count),
 * and with `whole` the rulings too. Returns the number of lines. */
int trace_check(const struct trace *trace, const int *ops, int count, bool whole, FILE *out);

#endif
