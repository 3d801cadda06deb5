/* The work part of solve.h: the multiplications of the folds of a description. */
#include "harness/solve/solve.h"

#include <math.h>

/* Returns true if the coordinates of some input depend on the place's coordinate in dimension `d`. */
static bool solve_work_moves(const struct spec *spec, const struct opdesc *desc, const struct spec_fold *fold,
                             uint32_t d)
{
    struct expr_list origin, at;
    int unit = expr_unit(EXPR_UNIT_PLACE, (int)d);
    for (int i = 0; i < fold->tensor_count; i++) {
        if (!expr_list_of(spec->nodes, fold->tensors[i].at, desc, EXPR_ORIGIN, &origin) ||
            !expr_list_of(spec->nodes, fold->tensors[i].at, desc, unit, &at) || at.count != origin.count)
            return true;
        for (int e = 0; e < at.count; e++)
            if (at.items[e] != origin.items[e])
                return true;
    }
    return false;
}

/* Returns the steps of the fold's loop times the places, of a result with these sizes, that need a loop of their
 * own. */
static double solve_work_of(const struct spec *spec, const struct opdesc *desc, const struct spec_fold *fold,
                            const struct expr_list *places)
{
    struct expr_list sizes;
    double work = 1;
    if (!expr_list(spec->nodes, fold->sizes, desc, &sizes))
        return 0;
    for (int i = 0; i < sizes.count; i++)
        work *= (double)sizes.items[i];
    for (int d = 0; d < places->count; d++)
        work *= fold->found >= 0 || solve_work_moves(spec, desc, fold, (uint32_t)d) ? (double)places->items[d] : 1;
    return work;
}

/* Returns the most work of a fold of several inputs. */
static double solve_work_of_folds(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result,
                                  const struct expr_list *places)
{
    double most = 0;
    for (int n = 0; n < result->fold_count; n++)
        if (result->folds[n].tensor_count > 1)
            most = fmax(most, solve_work_of(spec, desc, &result->folds[n], places));
    return most;
}

double solve_work(const struct spec *spec, const struct opdesc *desc)
{
    struct expr_list places;
    double most = 0;
    for (int i = 0; i < spec->stage_count; i++)
        if (expr_list(spec->nodes, spec->stages[i].sizes, desc, &places))
            most = fmax(most, solve_work_of_folds(spec, desc, &spec->stages[i].result, &places));
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        const struct opdesc_tensor *output = OPDESC_TENSOR(desc, result->field);
        places.count = (int)output->dims;
        for (uint32_t d = 0; d < output->dims; d++)
            places.items[d] = output->sizes[d];
        if (output->present && spec_result_applies(result, desc))
            most = fmax(most, solve_work_of_folds(spec, desc, result, &places));
    }
    return most;
}
