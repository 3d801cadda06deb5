/* casefile.h: cases that lean on nothing else, in JSON: what `repro --export json` writes, what a converter makes of another
 * suite's vectors, and what `--cases FILE.json` reads.
 *
 *     {"cases": [{"name": "columns", "type": "DML_OPERATOR_GATHER", "desc": {…},
 *                 "inputs": {"InputTensor": [1, 2, 3], …}, "outputs": {"OutputTensor": [3, 1]}}]}
 *
 * "type" and "desc" are those of opdesc_json.h, elements those of initial.h, row-major over the logical coordinates. All
 * else may be left out:
 *
 *     inputs    of a tensor that is not there: filled from the seed, by "fill" and "indices" as strategies know them
 *     outputs   of one that is not there: as the reference device's
 *     expect    "results", "accepted" (and not run), "either" (accepted or rejected), "rejected"; usually "results"
 *     rule      what is tested, by its id (`assay spec OPERATOR`); usually what broken descriptions break, and what
 *               given indices leave open that are out of range or repeated
 *     level     feature level, as "3_0"; usually the lowest at which the description is legal
 *     again     true: dispatched a second time */
#ifndef CASE_CASEFILE_H
#define CASE_CASEFILE_H

#include "harness/base/json_cursor.h"
#include "harness/spec/load.h"
#include "harness/case/testcase.h"

/* One case: all of it is in `pool` afterwards. A description that breaks a rule although results are expected, or the other
 * way round, is an error. */
int casefile_read(const struct json_cursor *cursor, const struct spec_set *specs, struct pool *pool,
                  struct testcase *out, struct error *error);

/* The file's object with this one case, whose literals give all of its elements. Null: no memory. */
json_t *casefile_write(const struct testcase *c);

#endif
