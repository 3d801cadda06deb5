#include "harness/plan/ordinary.h"

#include "harness/case/fill.h"
#include "harness/case/indices.h"
#include "harness/plan/plan_internal.h"

enum { ELEMENTS = 96, LARGEST = 5 };

bool ordinary_case(const struct spec_set *specs, int op, int table, uint64_t seed, struct testcase *c,
                   struct opdesc *desc)
{
    const struct spec *spec = &specs->specs[op];
    struct case_request request = {.rule = -1};
    solve_request_init(&request.solve);
    request.solve.table = table;
    request.solve.largest = LARGEST;
    request.solve.max_elements = ELEMENTS;
    if (!solve_satisfy(spec, (unsigned)op, &request.solve, seed, desc))
        return false;
    *c = (struct testcase){.name = "",
                           .strategy = "",
                           .tier = "",
                           .spec = spec,
                           .desc = desc,
                           .table = table,
                           .rule = -1,
                           .expect = EXPECT_RESULTS,
                           .fill = spec->sparse ? FILL_SPARSE : FILL_ORDINARY,
                           .negative_indices = testcase_has_signed_indices(spec, desc)};
    return planner_suit_attributes(&request, c, seed, desc) && indices_possible(c) && fill_is_possible(c);
}
