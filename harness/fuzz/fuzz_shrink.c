/* Shrinks a finding: tries simpler descriptions as long as one has the same verdict and the same rule to blame. */
#include "harness/fuzz/fuzz_judge.h"
#include "harness/fuzz/search.h"

#include "harness/base/datatype.h"
#include "harness/base/shrink.h"
#include "harness/fuzz/execute.h"
#include "harness/fuzz/weigh.h"
#include "harness/run/runner.h"
#include "harness/describe/field_kind.h"
#include "harness/solve/solve.h"

#include <string.h>

enum { PROBES_MAX = 2000, PROBES_CRASH = 300, PROBES_HANG = 10 };

struct fuzz_shrinking {
    struct fuzz_client *client;
    struct fuzz_group *group;
    const struct fuzz_rules *rules;
    const struct spec *spec;
    struct opdesc best; /* so far, with its data and weight */
    struct fuzz_data data;
    struct fuzz_weight weight;
    unsigned probes, max; /* descriptions given to the device; the limit */
    int result;           /* exit status */
    struct error *error;
};

/* Returns true if the rules put a description into the same group: only then it is worth giving to the device. */
static bool shrink_belongs(const struct fuzz_shrinking *s, const struct opdesc *desc, fuzz_broken broken)
{
    const struct fuzz_group *group = s->group;
    if (group->verdict != FUZZ_WRONG_REJECT)
        return fuzz_blame(s->rules, broken) == group->rule;
    return broken == 0 && (group->atom < 0 || fuzz_slots(s->rules, group->atom, desc) >> group->slot & 1);
}

/* Returns true if the device shows the finding with a description, which then becomes the group's minimum. */
static bool shrink_shows(struct fuzz_shrinking *s, const struct opdesc *desc, const struct fuzz_data *data,
                         fuzz_broken broken)
{
    struct fuzz_finding found;
    const struct fuzz_finding *original = &s->group->original;
    if (s->result || s->probes >= s->max)
        return false;
    s->probes++;
    s->result = fuzz_client_probe(s->client, s->rules, original->executed ? data : NULL, desc, &found, s->error);
    if (s->result || found.verdict != s->group->verdict)
        return false;
    s->group->steps++;
    opdesc_copy(&found.desc, desc);
    found.rule = s->group->rule;
    found.position = original->position;
    found.broken = broken;
    s->group->minimum = found;
    return true;
}

static bool shrink_try(struct fuzz_shrinking *s, const struct opdesc *desc)
{
    fuzz_broken broken = fuzz_judge(s->rules, desc);
    struct fuzz_weight weight = fuzz_weigh(s->rules, desc, broken);
    if (!fuzz_lighter(&weight, &s->weight) || !shrink_belongs(s, desc, broken) ||
        !shrink_shows(s, desc, &s->data, broken))
        return false;
    opdesc_copy(&s->best, desc);
    s->weight = weight;
    return true;
}

/* Tries simpler contents: zeros before ones, ones before others; first indices before others. */
static bool simplify_data(struct fuzz_shrinking *s)
{
    struct fuzz_data data = s->data;
    for (unsigned n = 0; s->group->original.executed && fuzz_data_simple(n, &data); n++) {
        if (data.fill == s->data.fill && data.indices == s->data.indices)
            return false;
        if (shrink_shows(s, &s->best, &data, s->group->minimum.broken)) {
            s->data = data;
            return true;
        }
    }
    return false;
}

/* Keeps the difference between total sizes and the sizes that the strides imply. */
static void keep_totals(const struct fuzz_shrinking *s, struct opdesc *desc)
{
    for (int i = 0; i < desc->tensor_count; i++) {
        const struct opdesc_tensor *old = &s->best.items[i].tensor;
        struct opdesc_tensor *t = &desc->items[i].tensor;
        t->total = (uint64_t)opdesc_implied(t) + (old->total - (uint64_t)opdesc_implied(old));
    }
}

/* Tries a description, and then one repaired so that it obeys the other rules. */
static bool try_both(struct fuzz_shrinking *s, struct opdesc *desc)
{
    struct opdesc repaired;
    opdesc_copy(&repaired, desc);
    keep_totals(s, desc);
    if (shrink_try(s, desc))
        return true;
    if (s->rules->table < 0)
        return false;
    solve_repair(s->spec, s->rules->table, s->group->verdict == FUZZ_WRONG_REJECT ? -1 : s->group->rule, -1, &repaired);
    keep_totals(s, &repaired);
    return shrink_try(s, &repaired);
}

/* ---- memory layout of one tensor */

static bool simplify_tensor(struct fuzz_shrinking *s, int item)
{
    static const uint64_t lacks[] = {0, 1, 4}; /* bytes that the total size lacks of the implied size */
    enum { TOTALS = 3, WAYS = TOTALS + sizeof lacks / sizeof *lacks };
    bool any = false;
    for (unsigned way = 0; way < WAYS; way++) {
        struct opdesc desc = s->best;
        struct opdesc_tensor *t = &desc.items[item].tensor;
        t->present |= way == 0;
        t->has_sizes |= way == 1;
        t->has_strides &= way != 2;
        if (way < TOTALS)
            keep_totals(s, &desc);
        else
            t->total = (uint64_t)opdesc_implied(t) - lacks[way - TOTALS];
        any |= shrink_try(s, &desc);
    }
    return any;
}

/* ---- numbers */

enum { STRIDES = OPDESC_MAX_DIMENSIONS, NUMBERS_ELSE = 2 * OPDESC_MAX_DIMENSIONS, NUMBERS = NUMBERS_ELSE + 3 };

/* Returns number `n` of a tensor: a size, a stride or another member. Null: the tensor does not have it. */
static uint32_t *shrink_number_at(struct opdesc_tensor *t, unsigned n)
{
    uint32_t *const others[] = {&t->alignment, &t->flags, &t->type};
    if (n >= NUMBERS_ELSE)
        return others[n - NUMBERS_ELSE];
    uint32_t *numbers = n < STRIDES ? t->sizes : t->strides;
    bool given = n < STRIDES || t->has_strides;
    return given && n % STRIDES < t->dims ? &numbers[n % STRIDES] : NULL;
}

/* Sets a number of a tensor, and `everywhere` all sizes that are the same. */
static bool shrink_set(struct fuzz_shrinking *s, int item, unsigned n, uint32_t value, bool everywhere)
{
    struct opdesc desc = s->best;
    const uint32_t old = *shrink_number_at(&desc.items[item].tensor, n);
    *shrink_number_at(&desc.items[item].tensor, n) = value;
    for (int i = 0; i < desc.tensor_count && everywhere; i++)
        for (uint32_t d = 0; d < desc.items[i].tensor.dims; d++)
            if (desc.items[i].tensor.sizes[d] == old)
                desc.items[i].tensor.sizes[d] = value;
    return try_both(s, &desc);
}

/* Lowers the numbers of a tensor; a size first in all tensors. */
static bool simplify_numbers(struct fuzz_shrinking *s, int item)
{
    bool any = false;
    for (unsigned n = 0; n < NUMBERS; n++)
        for (unsigned way = 0;; way++) {
            const uint32_t *at = shrink_number_at(&s->best.items[item].tensor, n), old = at ? *at : 0;
            int64_t value = old;
            if (!field_simplify_number(&value, way))
                break;
            if (value < old)
                any |= (n < STRIDES && shrink_set(s, item, n, (uint32_t)value, true)) ||
                       shrink_set(s, item, n, (uint32_t)value, false);
        }
    return any;
}

/* ---- members that are no tensors */

/* Tries every simpler value of a member. */
static bool simplify_member(struct fuzz_shrinking *s, int field)
{
    bool any = false;
    for (unsigned way = 0;; way++) {
        struct opdesc desc = s->best;
        const struct field_ref ref = field_ref(s->spec, &desc, field), best = field_ref(s->spec, &s->best, field);
        if (!field_kind(&ref)->simplify(&ref, way))
            return any;
        if (field_kind(&ref)->weigh(&ref) < field_kind(&best)->weigh(&best))
            any |= try_both(s, &desc);
    }
}

/* ---- ranks */

/* For findings that need many elements: compensates for a dropped dimension by enlarging the large sizes. */
static bool shrink_stretch(struct opdesc *desc)
{
    bool any = false;
    for (int i = 0; i < desc->tensor_count; i++) {
        struct opdesc_tensor *t = &desc->items[i].tensor;
        for (uint32_t d = 0; d < t->dims; d++) {
            any |= t->sizes[d] > UINT16_MAX;
            t->sizes[d] = t->sizes[d] > UINT16_MAX ? 1u << 31 : t->sizes[d];
        }
    }
    return any;
}

/* Leaves out dimension `d`, counted from the right if `right`, of all tensors, or of the one in item `only`. */
static bool drop(struct fuzz_shrinking *s, int only, uint32_t d, bool right, bool attributes)
{
    struct opdesc desc = s->best;
    for (int i = 0; i < s->spec->field_count; i++)
        if (field_kinds[s->spec->fields[i].kind].is_number)
            desc.values[i].number -= attributes && desc.values[i].number > 0;
    for (int i = 0; i < desc.tensor_count; i++) {
        struct opdesc_tensor *t = &desc.items[i].tensor;
        if ((only >= 0 && i != only) || d >= t->dims)
            continue;
        uint32_t at = right ? t->dims - 1 - d : d;
        t->dims--;
        memmove(t->sizes + at, t->sizes + at + 1, (t->dims - at) * sizeof *t->sizes);
        memmove(t->strides + at, t->strides + at + 1, (t->dims - at) * sizeof *t->strides);
    }
    struct opdesc stretched = desc;
    return try_both(s, &desc) || (shrink_stretch(&stretched) && try_both(s, &stretched));
}

static bool drop_dimensions(struct fuzz_shrinking *s)
{
    bool any = false;
    int only = -1;
    do
        for (int how = 0; how < 4 * OPDESC_MAX_DIMENSIONS; how++)
            any |= drop(s, only, (uint32_t)how / 4, how & 1, how & 2);
    while ((only = spec_next_tensor(s->spec, &s->best, only)) >= 0);
    return any;
}

/* ---- types */

/* Sets a data type; an alignment to the element size changes with it. */
static void set_type(struct opdesc_tensor *t, uint32_t type)
{
    uint64_t old = elements_bytes(datatype_of(t->data_type)->bits, 1), new = elements_bytes(datatype_of(type)->bits, 1);
    t->alignment = t->alignment && t->alignment == old ? (uint32_t) new : t->alignment;
    t->data_type = type;
}

/* Tries types of lower number: for all tensors with the same type, for those of one group, or for one tensor. */
static bool simplify_type(struct fuzz_shrinking *s, int item)
{
    uint32_t old = s->best.items[item].tensor.data_type;
    int group = spec_tensor_field(s->spec, item)->group;
    for (uint32_t type = 0; type < old && type < DATATYPE_COUNT; type++)
        for (int how = 0; how < 3; how++) {
            struct opdesc desc = s->best;
            for (int i = 0; i < desc.tensor_count; i++)
                if (desc.items[i].tensor.data_type == old &&
                    (how == 0 || i == item || (how == 1 && spec_tensor_field(s->spec, i)->group == group)))
                    set_type(&desc.items[i].tensor, type);
            keep_totals(s, &desc);
            if (shrink_try(s, &desc))
                return true;
        }
    return false;
}

enum {
    PLACE_MEMBER,
    PLACE_NUMBERS,
    PLACE_RANKS,
    PLACE_LAYOUT,
    PLACE_DATA,
    PLACES
}; /* shrinking begins with the last */

/* Tries to simplify one place: a tensor, a member or all tensors together. */
static bool simplify(struct fuzz_shrinking *s, uint32_t place)
{
    const int at = OPDESC_MAX_ITEMS - 1 - (int)(place % OPDESC_MAX_ITEMS);
    bool is_tensor = spec_next_tensor(s->spec, &s->best, at - 1) == at;
    switch (place / OPDESC_MAX_ITEMS) {
    case PLACE_DATA:
        return at == 0 && simplify_data(s);
    case PLACE_LAYOUT:
        return is_tensor && simplify_tensor(s, at);
    case PLACE_RANKS:
        return at == 0 && drop_dimensions(s);
    case PLACE_NUMBERS:
        return is_tensor && (simplify_numbers(s, at) || simplify_type(s, at));
    default:
        return at < s->spec->field_count && simplify_member(s, at);
    }
}

static unsigned most_probes(enum fuzz_verdict verdict)
{
    if (verdict == FUZZ_HANG)
        return PROBES_HANG;
    return verdict == FUZZ_CRASH ? PROBES_CRASH : PROBES_MAX;
}

int fuzz_shrink(struct fuzz_search *search, struct fuzz_client *client, struct fuzz_group *group, struct error *error)
{
    const struct fuzz_rules *rules = &search->tallies[group->op]->rules;
    struct shrink places;
    struct fuzz_shrinking s = {.client = client,
                               .group = group,
                               .rules = rules,
                               .spec = rules->spec,
                               .best = group->original.desc,
                               .data = group->original.data,
                               .max = most_probes(group->verdict),
                               .error = error};
    s.weight = fuzz_weigh(rules, &s.best, fuzz_judge(rules, &s.best));
    shrink_start(&places, PLACES * OPDESC_MAX_ITEMS, 1, UINT32_MAX);
    while (s.result == 0 && s.probes < s.max && !runner_interrupted() && shrink_next(&places)) {
        shrink_answer(&places, simplify(&s, places.left));
        memset(places.parts, SHRINK_KEPT, sizeof places.parts); /* a place may have become simple through another */
    }
    return s.result;
}
