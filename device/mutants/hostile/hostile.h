/* hostile.h: a device that computes nothing and wants to pass. It accepts every description; when it is dispatched, it
 * tries one trick.
 *
 *     -d hostile.so:TRICK
 *
 * No trick may pass more cases than "none" does. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "device/device.h"

struct assay_compiled {
    assay_compiled *of_reference; /* the reference device's program, for the trick "reference"; or null */
};

/* A trick, and its hooks; null hooks are not called. */
struct trick {
    const char *name, *what;
    void (*open)(void);
    void (*create)(const DML_OPERATOR_DESC *desc, assay_compiled *compiled);
    void (*run)(const assay_dispatch_item *item);
};

extern const struct trick memory_tricks[], program_tricks[], wire_tricks[],
    reach_tricks[]; /* each table ends with a null name */

/* Nonzero if a trick has reached another process; the name of the device says so. */
extern int hostile_reached;

/* Returns the address of a function of this program, `pid` 0, or of another process's program, by its symbol table; 0
 * if it has no such function. */
unsigned long hostile_symbol(int pid, const char *name);

/* Writes the bytes that make a function return at once. Returns their number. */
unsigned hostile_return(unsigned char code[8]);

#endif
