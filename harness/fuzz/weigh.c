#include "harness/fuzz/weigh.h"

#include "harness/base/datatype.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken)
{
    struct fuzz_weight weight = {0};
    uint64_t *parts = weight.parts;
    parts[0] = (uint64_t)__builtin_popcountll(broken);
    if (rules->table < 0) /* no operator at this level: simplest is what is legal at the level that introduces it */
        parts[0] += (uint64_t)rules_check(rules->spec, desc, rules->spec->since, NULL, 0);
    for (struct field_ref ref = field_ref(rules->spec, desc, 0); ref.at < rules->spec->field_count; ref.at++)
        parts[4] += field_kind(&ref)->weigh(&ref);
    for (int i = spec_next_tensor(rules->spec, desc, -1); i >= 0; i = spec_next_tensor(rules->spec, desc, i)) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        parts[1] += (uint64_t)!t->present + !t->has_sizes + t->has_strides + (t->flags != 0) + (t->alignment != 0) +
                    (t->type != DML_TENSOR_TYPE_BUFFER) + (t->dims == 0) +
                    (t->data_type == DML_TENSOR_DATA_TYPE_UNKNOWN || t->data_type >= DATATYPE_COUNT);
        parts[2] += t->dims;
        for (uint32_t d = 0; d < t->dims; d++) {
            parts[1] += t->has_sizes && t->sizes[d] == 0;
            parts[3] += t->sizes[d];
            parts[7] += t->has_strides ? t->strides[d] : 0;
        }
        parts[5] += t->data_type;
        parts[6] += t->total > (uint64_t)opdesc_implied(t) ? t->total - (uint64_t)opdesc_implied(t)
                                                           : (uint64_t)opdesc_implied(t) - t->total;
        parts[7] += (uint64_t)t->flags + t->alignment + t->type;
    }
    return weight;
}

bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b)
{
    for (int i = 0; i < 8; i++)
        if (a->parts[i] != b->parts[i])
            return a->parts[i] < b->parts[i];
    return false;
}
