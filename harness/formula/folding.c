#include "harness/formula/folding_internal.h"

#include <string.h>

/* Returns the number of the step at the coordinates of the output's element; -1 if there is none. */
static double own_step(const struct one_fold *f, const uint32_t *place)
{
    const struct source *s = &f->sources[0];
    int64_t number = 0;
    if (f->source_count == 0 || s->tensor->dims != f->place_dims)
        return -1;
    for (uint32_t l = 0; l < f->loop_count && f->loop_sizes[l] > 1; l++) {
        uint32_t d = 0;
        while (d < f->place_dims && s->by_step[d][f->loops[l]] != 1)
            d++;
        if (d == f->place_dims)
            return -1;
        int64_t start = s->origin[d];
        for (uint32_t p = 0; p < f->place_dims; p++)
            start += s->by_place[d][p] * (int64_t)place[p];
        int64_t step = (int64_t)place[d] - start;
        if (step < 0 || step >= f->loop_sizes[l])
            return -1;
        number = number * f->loop_sizes[l] + step;
    }
    return (double)number;
}

static double steps_of(const struct one_fold *f)
{
    double steps = 1;
    for (uint32_t l = 0; l < f->loop_count; l++)
        steps *= (double)f->loop_sizes[l];
    return steps;
}

/* Returns true if the reading changes elements of the fold, or of a fold that it names, here or elsewhere. */
static bool folding_differs(struct folding *folding, int number, const struct folding_reading *reading)
{
    struct one_fold *f = &folding->folds[number];
    for (int n = 0; reading && n < f->source_count; n++)
        if (folding_is_changed(&f->sources[n], reading))
            return true;
    for (int k = 0; reading && k < number; k++)
        if (f->names >> k & 1 && folding_differs(folding, k, reading))
            return true;
    for (int n = 0; reading && n < f->fold->other_count; n++)
        if (folding_differs(folding, f->fold->others[n].fold, reading))
            return true;
    return false;
}

/* Returns the entry in which the fold of the place is kept, for these attributes and this reading; null if it is not
 * kept. */
static struct memo_entry *find_entry(struct folding *folding, int number, const uint32_t *place,
                                     const struct folding_reading *reading, const struct formula_reals *reals)
{
    struct one_fold *f = &folding->folds[number];
    bool changes = reading && folding_differs(folding, number, reading);
    unsigned key = (reals->half ? 1u : 0u) | (f->has_attributes && reals->attributes_halved ? 2u : 0u) |
                   (changes && reading->flushed ? 4u : 0u) | (changes && reading->halved ? 8u : 0u);
    struct memo *memo = &f->memos[key];
    if (!f->usable || f->recurs || f->growth.is_there || folding->witness)
        return NULL;
    if (!memo->prepared)
        memo_prepare(memo, f->output_sizes, f->place_dims, f->matters, f->asked);
    return memo->usable ? memo_at(memo, place) : NULL;
}

/* Evaluates a fold; the folds that it names are known. Returns true if the reading changed an element. */
static bool real_fold(struct folding *folding, int number, const uint32_t *place, bool lean,
                      const struct folding_reading *reading, struct formula_reals *reals, struct formula_fold *out)
{
    struct one_fold *f = &folding->folds[number];
    struct folding_sum sum;
    double kept[FOLD_MAX_TENSORS];
    struct adding a; /* folding_run() sets the starts */
    a.folding = folding;
    a.f = f;
    a.sum = &sum;
    a.reals = reals;
    a.integers = NULL;
    a.reading = NULL;
    a.asked = reading;
    a.lean = lean;
    a.changed = false;
    for (int n = 0; reading && n < f->source_count; n++)
        a.reading = folding_is_changed(&f->sources[n], reading) ? reading : a.reading;
    struct memo_entry *entry = find_entry(folding, number, place, reading, reals);
    if (entry && entry->known >= (lean ? MEMO_LEAN : MEMO_WHOLE)) {
        *out = entry->fold;
        out->parts[FOLD_OWN] = own_step(f, place);
        return entry->changed;
    }
    for (int n = 0; n < f->source_count; n++)
        kept[n] = reals->elements[f->sources[n].item];
    if (f->usable)
        folding_run(&a, place);
    else
        folding_begin(&sum, f->fold, f->last);
    for (int n = 0; n < f->source_count; n++)
        reals->elements[f->sources[n].item] = kept[n];
    folding_end(&sum, out);
    out->parts[FOLD_STEPS] = steps_of(f);
    out->parts[FOLD_OWN] = own_step(f, place);
    if (entry)
        *entry = (struct memo_entry){.known = lean ? MEMO_LEAN : MEMO_WHOLE, .changed = a.changed, .fold = *out};
    return a.changed;
}

const struct formula_fold *folding_real_elsewhere(struct folding *folding, int number, const uint32_t *place, bool lean,
                                                  const struct folding_reading *reading, struct formula_reals *reals,
                                                  struct formula_fold *room, bool *changed)
{
    struct memo_entry *entry = find_entry(folding, number, place, reading, reals);
    if (entry && entry->known >= (lean ? MEMO_LEAN : MEMO_WHOLE)) {
        *changed |= entry->changed;
        return &entry->fold;
    }
    uint32_t names = folding->folds[number].names;
    struct formula_fold here[FORMULA_MAX_FOLDS], there;
    for (int k = 0; names >> k; k++) {
        if (!(names >> k & 1))
            continue;
        const struct formula_fold *named =
            folding_real_elsewhere(folding, k, place, lean, reading, reals, &there, changed);
        here[k] = reals->folds[k];
        reals->folds[k] = *named;
    }
    struct formula_fold others[FORMULA_MAX_OTHERS];
    memcpy(others, reals->others, sizeof others);
    *changed |= real_fold(folding, number, place, lean, reading, reals, room);
    memcpy(reals->others, others, sizeof others);
    for (int k = 0; names >> k; k++)
        if (names >> k & 1)
            reals->folds[k] = here[k];
    return room;
}

bool folding_some(struct folding *folding, const uint32_t *place, uint32_t folds, bool lean,
                  const struct folding_reading *reading, struct formula_reals *reals)
{
    bool changed = false;
    for (int i = 0; i < folding->count; i++)
        if (folds >> i & 1)
            changed |= real_fold(folding, i, place, lean, reading, reals, &reals->folds[i]);
    return changed;
}

bool folding_reals(struct folding *folding, const uint32_t *place, enum folding_extent extent,
                   const struct folding_reading *reading, struct formula_reals *reals)
{
    return folding_some(folding, place, folding->wanted[extent], extent == FOLDING_VALUE, reading, reals);
}

static void whole_fold(struct folding *folding, int number, const uint32_t *place, struct formula_integers *integers,
                       struct formula_whole_fold *out)
{
    struct one_fold *f = &folding->folds[number];
    struct folding_sum sum;
    formula_integer kept[FOLD_MAX_TENSORS];
    struct adding a = {.folding = folding, .f = f, .sum = &sum, .integers = integers};
    folding_begin(&sum, f->fold, f->last);
    for (int n = 0; n < f->source_count; n++)
        kept[n] = integers->elements[f->sources[n].item];
    if (f->usable)
        folding_run(&a, place);
    for (int n = 0; n < f->source_count; n++)
        integers->elements[f->sources[n].item] = kept[n];
    out->defined = !sum.undefined;
    out->value = sum.place >= 0 && f->fold->kind >= FOLD_PLACE_OF_MIN ? sum.place : sum.whole;
    out->count = sum.count;
}

void folding_whole_elsewhere(struct folding *folding, int number, const uint32_t *place,
                             struct formula_integers *integers, struct formula_whole_fold *out)
{
    uint32_t names = folding->folds[number].names;
    struct formula_whole_fold here[FORMULA_MAX_FOLDS], there;
    for (int k = 0; names >> k; k++) {
        if (!(names >> k & 1))
            continue;
        folding_whole_elsewhere(folding, k, place, integers, &there);
        here[k] = integers->folds[k];
        integers->folds[k] = there;
    }
    struct formula_whole_fold others[FORMULA_MAX_OTHERS];
    memcpy(others, integers->others, sizeof others);
    whole_fold(folding, number, place, integers, out);
    memcpy(integers->others, others, sizeof others);
    for (int k = 0; names >> k; k++)
        if (names >> k & 1)
            integers->folds[k] = here[k];
}

void folding_integers(struct folding *folding, const uint32_t *place, struct formula_integers *integers)
{
    for (int i = 0; i < folding->count; i++)
        whole_fold(folding, i, place, integers, &integers->folds[i]);
}
