/* working.h: long computations of a judge tell the harness that they go on. That time is not the device's: the limit of
 * a case starts anew with each report. */
#ifndef BASE_WORKING_H
#define BASE_WORKING_H

/* Has `report` called with `context` by the two functions below. Null: by none. */
void working_set(void (*report)(void *context), void *context);

/* Reports now. */
void working_report(void);

/* Counts a small piece of work, such as an element; reports after a number of them. */
void working_count(void);

#endif
