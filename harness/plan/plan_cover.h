/* plan_cover.h: covering arrays as rows; for the plan_*.c files only. */
#ifndef CASE_PLAN_COVER_H
#define CASE_PLAN_COVER_H

#include "harness/base/pool.h"
#include "harness/solve/solve.h"

struct cover_row {
    int table;
    uint8_t strides[OPDESC_MAX_FIELDS]; /* enum stride_class, as requested */
    const struct opdesc *desc;          /* has room for the spec's fields only */
};

struct cover_rows {
    struct cover_row *items;
    size_t count, capacity;
    struct pool pool;
};

/* Makes rows that cover every combination of `strength` factor values (2 or 3) for which the solver finds a
 * description. The result depends on spec and strength only; any thread may call this. False: out of memory. The caller
 * frees `out` with cover_free() in either case. */
bool cover_make(const struct spec *spec, unsigned op, int strength, struct cover_rows *out);
void cover_free(struct cover_rows *rows);

#endif
