/* plan_cover.h: covering arrays, as rows; shared by the plan_*.c files alone. */
#ifndef CASE_PLAN_COVER_H
#define CASE_PLAN_COVER_H

#include "harness/base/pool.h"
#include "harness/spec/solve.h"

struct cover_row {
    int table;
    uint8_t strides[OPDESC_MAX_FIELDS]; /* enum stride_class, as asked for */
    const struct opdesc *desc;          /* has room for the spec's fields only */
};

struct cover_rows {
    struct cover_row *items;
    size_t count, capacity;
    struct pool pool;
};

/* Rows until every combination of `strength` values (2 or 3) of the factors that can be met is met. A function of spec and
 * strength; any thread may call it. False: out of memory. The caller frees, in either case. */
bool cover_make(const struct spec *spec, unsigned op, int strength, struct cover_rows *out);
void cover_free(struct cover_rows *rows);

#endif
