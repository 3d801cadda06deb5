/* legal.h: devices that are right, each in another way than the harness computes: with the rounding errors and the
 * choices that the documents leave. No case may fail on one of them. */
#ifndef LEGAL_H
#define LEGAL_H

#include "device/device.h"

#include "harness/spec/spec.h"
#include "harness/trial/computed.h"

/* Returns what becomes of an element of a floating-point type. */
typedef uint64_t legal_rewrite(unsigned type, uint64_t bits);

struct legal {
    const char *name;                /* for legal=NAME */
    const char *what;                /* the way in which the device computes */
    struct computed_liberty liberty; /* for operators with formulas */
    const char *changes;             /* changes of specs, as those of a bug; null: none */
    const char *operators;           /* the only operators that it is about, separated by spaces; null: all */
    legal_rewrite *input, *output;   /* what the device reads, and what it writes; null: elements as they are */
    bool copies;                     /* these two are right for operators without formulas, too */
    bool wrong;                      /* goes just beyond the bounds: shows that the others go up to them */
};

extern const struct legal legal_variants[];
extern const unsigned legal_count;

/* Returns the variant of this name; null: there is none. */
const struct legal *legal_find(const char *name);

/* Returns true if the variant may change a result of the operator. */
bool legal_applies(const struct legal *legal, const struct spec *spec);

/* Runs an item by `run`, which gets copies of the inputs as the variant reads them; then rewrites the outputs. Returns
 * false if memory runs out. */
bool legal_run(const struct legal *legal, const struct spec *spec, const struct opdesc *desc,
               const assay_dispatch_item *item, bool (*run)(void *context, const assay_dispatch_item *item),
               void *context);

#endif
