#include "harness/fuzz/check_state.h"

#include "harness/spec/contents.h"
#include "harness/describe/field_kind.h"

#include <string.h>

static bool is_bool(const bool *value)
{
    uint8_t byte;
    memcpy(&byte, value, sizeof byte);
    return byte <= 1;
}

static bool check_item(const struct spec_field *field, const union opdesc_item *item)
{
    const struct opdesc_tensor *t = &item->tensor;
    if (field_is_tensor(field))
        return t->dims <= OPDESC_MAX_DIMENSIONS && is_bool(&t->present) && is_bool(&t->has_sizes) &&
               is_bool(&t->has_strides);
    return (field->kind != FIELD_OPERATOR && field->kind != FIELD_OPERATORS) || is_bool(&item->nested.has_desc);
}

static bool check_desc(const struct fuzz_rules *rules, const struct opdesc *desc)
{
    const struct opdesc *blank = rules->spec->blank;
    if (desc->op != blank->op || desc->size != blank->size || desc->field_count != blank->field_count ||
        desc->item_count != blank->item_count || desc->tensor_count != blank->tensor_count)
        return false;
    for (int i = 0; i < rules->spec->field_count; i++) {
        const struct field_kind_traits *kind = &field_kinds[rules->spec->fields[i].kind];
        const struct opdesc_place *place = &blank->values[i].place;
        if (kind->items > 0 && memcmp(&desc->values[i].place, place, sizeof *place) != 0)
            return false;
        for (int n = 0; n < kind->items; n++)
            if (!check_item(&rules->spec->fields[i], &desc->items[place->item + n]))
                return false;
    }
    return true;
}

static bool check_data(const struct fuzz_data *data)
{
    return data->fill < FILL_COUNT && data->indices < INDEX_FILL_COUNT;
}

static bool check_broken(const struct fuzz_rules *rules, fuzz_broken broken)
{
    return (broken & ~rules->all) == 0;
}

bool fuzz_check_finding(const struct fuzz_rules *rules, const struct fuzz_finding *finding)
{
    return (unsigned)finding->verdict < FUZZ_VERDICTS && finding->rule >= -1 && finding->rule < rules->rule_count &&
           check_broken(rules, finding->broken) && is_bool(&finding->executed) && check_data(&finding->data) &&
           check_desc(rules, &finding->desc) && memchr(finding->message, '\0', sizeof finding->message);
}

static bool check_counts(const struct fuzz_counts *counts)
{
    uint64_t sum = 0;
    for (int n = 0; n <= FUZZ_MAX_BROKEN; n++)
        for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
            if (counts->by_broken[n][verdict] > FUZZ_CHUNK)
                return false;
            else
                sum += counts->by_broken[n][verdict];
    return sum == counts->tried && sum <= FUZZ_CHUNK;
}

bool fuzz_check_state(const struct fuzz_rules *rules, const struct fuzz_state *state)
{
    const uint32_t index = atomic_load(&state->index);
    if (index > FUZZ_CHUNK || !check_broken(rules, state->broken) || !check_data(&state->data) ||
        (index < FUZZ_CHUNK && !check_desc(rules, fuzz_state_tried(state, index))) || !is_bool(&state->rejecting) ||
        !is_bool(&state->executing) || state->finding_count > sizeof state->findings / sizeof *state->findings ||
        state->kept_count > FUZZ_KEPT || !memchr(state->harmed, '\0', sizeof state->harmed) ||
        !check_counts(&state->counts))
        return false;
    for (uint32_t i = 0; i < state->finding_count; i++)
        if (!fuzz_check_finding(rules, &state->findings[i]) || !fuzz_is_finding(state->findings[i].verdict) ||
            state->findings[i].count == 0)
            return false;
    for (uint32_t i = 0; i < state->kept_count; i++)
        if (!check_desc(rules, &state->kept[i].desc) || !check_broken(rules, state->kept[i].broken) ||
            state->kept[i].edge < -1 || state->kept[i].edge >= FUZZ_EDGES)
            return false;
    return true;
}
