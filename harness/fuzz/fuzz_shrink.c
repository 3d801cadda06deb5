/* Shrinks a finding: tries simpler descriptions as long as one has the same verdict and the same rule to blame. */
#include "harness/fuzz/fuzz_judge.h"
#include "harness/fuzz/search.h"

#include "harness/base/datatype.h"
#include "harness/fuzz/execute.h"
#include "harness/fuzz/weigh.h"
#include "harness/run/runner.h"
#include "harness/describe/field_kind.h"
#include "harness/solve/solve.h"

#include <string.h>

enum { PROBES_MAX = 2000, PROBES_CRASH = 300, PROBES_HANG = 10 };

struct fuzz_shrinking {
    struct fuzz_search *search;
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
    bool any = false;
    for (int what = 0; what < 9; what++) {
        struct opdesc desc = s->best;
        struct opdesc_tensor *t = &desc.items[item].tensor;
        switch (what) {
        case 0:
            t->present = true;
            break;
        case 1:
            t->has_sizes = true;
            break;
        case 2:
            t->has_strides = false;
            break;
        case 3:
            t->alignment = 0;
            break;
        case 4:
            t->flags = 0;
            break;
        case 5:
            t->type = DML_TENSOR_TYPE_BUFFER;
            break;
        case 6:
            t->total = (uint64_t)opdesc_implied(t);
            break;
        case 7:
            t->total = (uint64_t)opdesc_implied(t) - 1;
            break;
        default:
            t->total = (uint64_t)opdesc_implied(t) - 4;
        }
        if (what < 6)
            keep_totals(s, &desc);
        any |= shrink_try(s, &desc);
    }
    return any;
}

/* ---- numbers */

/* Refers to a number of a tensor. */
struct number_ref {
    enum number_kind { NUMBER_SIZE, NUMBER_STRIDE, NUMBER_ALIGNMENT, NUMBER_FLAGS, NUMBER_TYPE } kind;
    int item;
    uint32_t dimension; /* of sizes and strides */
};

static uint32_t *shrink_number_at(struct opdesc *desc, const struct number_ref *ref)
{
    struct opdesc_tensor *t = &desc->items[ref->item].tensor;
    switch (ref->kind) {
    case NUMBER_SIZE:
        return ref->dimension < t->dims ? &t->sizes[ref->dimension] : NULL;
    case NUMBER_STRIDE:
        return t->has_strides && ref->dimension < t->dims ? &t->strides[ref->dimension] : NULL;
    case NUMBER_ALIGNMENT:
        return &t->alignment;
    case NUMBER_FLAGS:
        return &t->flags;
    default:
        return &t->type;
    }
}

static int64_t get(struct opdesc *desc, const struct number_ref *ref)
{
    const uint32_t *at = shrink_number_at(desc, ref);
    return at ? *at : 0;
}

static void shrink_set(struct opdesc *desc, const struct number_ref *ref, int64_t value)
{
    *shrink_number_at(desc, ref) = (uint32_t)value;
}

/* All sizes of value `from`, in all tensors, become `to`. */
static bool shrink_replace(struct fuzz_shrinking *s, uint32_t from, uint32_t to)
{
    struct opdesc desc = s->best;
    for (int i = 0; i < desc.tensor_count; i++) {
        struct opdesc_tensor *t = &desc.items[i].tensor;
        for (uint32_t d = 0; d < t->dims; d++)
            t->sizes[d] = t->sizes[d] == from ? to : t->sizes[d];
    }
    return try_both(s, &desc);
}

static bool try_value(struct fuzz_shrinking *s, const struct number_ref *ref, int64_t value)
{
    struct opdesc desc = s->best;
    int64_t old = get(&desc, ref);
    if (value >= old)
        return false;
    shrink_set(&desc, ref, value);
    return (ref->kind == NUMBER_SIZE && shrink_replace(s, (uint32_t)old, (uint32_t)value)) || try_both(s, &desc);
}

/* Lowers a number by binary search, which supposes that all numbers from some limit on show the finding. */
static bool lower(struct fuzz_shrinking *s, const struct number_ref *ref)
{
    bool any = false;
    for (int64_t small = 0; small <= 2; small++)
        if (try_value(s, ref, small))
            return true;
    for (int64_t low = 2, high = get(&s->best, ref); low + 1 < high;) {
        int64_t middle = low + (high - low) / 2;
        if (try_value(s, ref, middle)) {
            any = true;
            high = get(&s->best, ref);
        } else {
            low = middle;
        }
    }
    return any;
}

static bool lower_all(struct fuzz_shrinking *s, int item)
{
    bool any = false;
    for (int kind = NUMBER_SIZE; kind <= NUMBER_STRIDE; kind++)
        for (uint32_t d = 0; d < s->best.items[item].tensor.dims; d++)
            any |= lower(s, &(struct number_ref){.kind = (enum number_kind)kind, .item = item, .dimension = d});
    for (int kind = NUMBER_ALIGNMENT; kind <= NUMBER_TYPE; kind++)
        any |= lower(s, &(struct number_ref){.kind = (enum number_kind)kind, .item = item});
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
        for (uint32_t d = 0; d < t->dims; d++)
            if (t->sizes[d] > UINT16_MAX) {
                t->sizes[d] = 1u << 31;
                any = true;
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
    for (uint32_t rank = 1; rank <= OPDESC_MAX_DIMENSIONS; rank++) { /* all at once first */
        struct opdesc desc = s->best;
        for (int i = 0; i < desc.tensor_count; i++)
            if (desc.items[i].tensor.dims > rank)
                opdesc_resize(&desc.items[i].tensor, rank);
        for (int i = 0; i < s->spec->field_count; i++)
            if (field_kinds[s->spec->fields[i].kind].is_number && desc.values[i].number >= rank)
                desc.values[i].number = rank - 1;
        any |= try_both(s, &desc);
    }
    for (int how = 0; how < 4 * OPDESC_MAX_DIMENSIONS; how++)
        any |= drop(s, -1, (uint32_t)how / 4, how & 1, how & 2);
    for (int only = -1; (only = spec_next_tensor(s->spec, &s->best, only)) >= 0;)
        for (int how = 0; how < 4 * OPDESC_MAX_DIMENSIONS; how++)
            any |= drop(s, only, (uint32_t)how / 4, how & 1, how & 2);
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

static bool simplify(struct fuzz_shrinking *s)
{
    bool any = simplify_data(s);
    for (int i = -1; (i = spec_next_tensor(s->spec, &s->best, i)) >= 0;)
        any |= simplify_tensor(s, i);
    any |= drop_dimensions(s);
    for (int i = -1; (i = spec_next_tensor(s->spec, &s->best, i)) >= 0;) {
        any |= lower_all(s, i);
        any |= simplify_type(s, i);
    }
    for (int i = 0; i < s->spec->field_count; i++)
        any |= simplify_member(s, i);
    return any;
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
    struct fuzz_shrinking s = {.search = search,
                               .client = client,
                               .group = group,
                               .rules = rules,
                               .spec = rules->spec,
                               .best = group->original.desc,
                               .data = group->original.data,
                               .max = most_probes(group->verdict),
                               .error = error};
    s.weight = fuzz_weigh(rules, &s.best, fuzz_judge(rules, &s.best));
    while (s.result == 0 && s.probes < s.max && !runner_interrupted() && simplify(&s))
        ;
    return s.result;
}
