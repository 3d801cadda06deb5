/* casefile.h: self-contained cases as JSON. `repro --export json` writes them, a converter may make them from the
 * vectors of another suite, and `--cases FILE.json` reads them.
 *
 *     {"cases": [{"name": "columns", "type": "DML_OPERATOR_GATHER", "desc": {…},
 *                 "inputs": {"InputTensor": [1, 2, 3], …}, "outputs": {"OutputTensor": [3, 1]}}]}
 *
 * "type" and "desc" are as in desc_json.h, elements as in json_elements.h, in row-major order of the logical
 * coordinates. All other members are optional:
 *
 *     inputs    a tensor without elements is filled from the seed, as "fill" and "indices" say (words of contents.h)
 *     outputs   held against what the reference device computes, wherever the documents settle an element
 *     expect    "results", "accepted" (not run), "either" (accepted or rejected), "rejected"; default: "accepted"
 *               if an input is OWNED_BY_DML, otherwise "results"
 *     rule      id of the rule under test (`assay spec OPERATOR`); default: the first rule that a rejected description
 *               breaks, or the behaviour about inputs that the documents leave open (open_contents.h)
 *     level     feature level, as "3_0"; default: the lowest at which the description is legal,
 *               or the highest if it may be rejected
 *     again     true: dispatched twice
 *     tolerance {"abs": A, "rel": R, "ulp": U}: how far outputs may be from the given ones (given.h); beside
 *               "cases" it is that of all cases without their own
 *     in_place  {"InputTensor": "OutputTensor"}: inputs that have the memory of an output */
#ifndef CASE_CASEFILE_H
#define CASE_CASEFILE_H

#include "harness/base/json_cursor.h"
#include "harness/load/load.h"
#include "harness/case/testcase.h"

/* Reads one case into `out`; everything that it points to is in `pool` or in `specs`. Expecting results of a
 * description that breaks a rule is an error, and so is expecting the rejection of one that breaks none. If the
 * broken rules are soft, and all inputs and outputs are given, the case expects a rejection, and a device that
 * accepts the description is held to the outputs. `allow` (null: empty) are values of --allow: files outside the
 * folder of the case file are read only if it says so. `usual`: the tolerance of a case that gives outputs and no
 * tolerance. Returns 0 or EXIT_HARNESS. */
int casefile_read(const struct json_cursor *cursor, const struct spec_set *specs, const struct word_list *allow,
                  const struct given_tolerance *usual, struct pool *pool, struct testcase *out, struct error *error);

/* Reads the member "tolerance" of a case or a file; leaves `out` if there is none. Returns 0 or EXIT_HARNESS. */
int casefile_tolerance(const struct json_cursor *in, struct given_tolerance *out, struct error *error);

/* Makes a whole file with this one case, as JSON, with the elements that the case's literals give. Free it with
 * json_decref(); null: out of memory. */
json_t *casefile_write(const struct testcase *c);

#endif
