#include "harness/spec/spec.h"

#include <string.h>

bool spec_result_applies(const struct spec_result *result, const struct opdesc *desc)
{
    bool given = result->by >= 0 && opdesc_present(desc, result->by);
    if (result->chosen_by >= 0) {
        int64_t constant = opdesc_scalar(desc, result->chosen_by);
        if (constant < 0 || constant > 31 || !(result->chosen >> constant & 1))
            return false;
    }
    return result->by < 0 || result->activation == (given ? opdesc_nested(desc, result->by, 0)->type : 0);
}

const struct spec_domain *spec_domain_of(const struct spec *spec, const struct opdesc *desc, int field)
{
    for (int i = 0; i < spec->result_count; i++)
        if (spec->results[i].domain.given && spec_result_applies(&spec->results[i], desc))
            return &spec->results[i].domain;
    return &spec->domains[field];
}

const DML_FEATURE_LEVEL level_all[SPEC_MAX_LEVELS] = {
    DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_2_0, DML_FEATURE_LEVEL_2_1, DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_3_1,
    DML_FEATURE_LEVEL_4_0, DML_FEATURE_LEVEL_4_1, DML_FEATURE_LEVEL_5_0, DML_FEATURE_LEVEL_5_1, DML_FEATURE_LEVEL_5_2,
    DML_FEATURE_LEVEL_6_0, DML_FEATURE_LEVEL_6_1, DML_FEATURE_LEVEL_6_2, DML_FEATURE_LEVEL_6_3, DML_FEATURE_LEVEL_6_4};

const char *const level_names[SPEC_MAX_LEVELS + 1] = {"1_0", "2_0", "2_1", "3_0", "3_1", "4_0", "4_1", "5_0",
                                                      "5_1", "5_2", "6_0", "6_1", "6_2", "6_3", "6_4"};

const char *level_name(DML_FEATURE_LEVEL level)
{
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        if (level_all[i] == level)
            return level_names[i];
    return NULL;
}

DML_FEATURE_LEVEL level_find(const char *name)
{
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        if (strcmp(level_names[i], name) == 0)
            return level_all[i];
    return 0;
}

int spec_table(const struct spec *spec, DML_FEATURE_LEVEL level)
{
    int table = level < spec->since ? -1 : spec->level_count - 1;
    while (table >= 0 && spec->levels[table].level > level)
        table--;
    return table;
}

const char *spec_constant_name(const struct spec_enum *constants, int64_t value)
{
    for (int i = 0; i < constants->count; i++)
        if (constants->constants[i].value == value)
            return constants->constants[i].name;
    return NULL;
}

bool spec_constant_find(const struct spec_enum *constants, const char *name, int64_t *value)
{
    for (int i = 0; i < constants->count; i++)
        if (strcmp(constants->constants[i].name, name) == 0) {
            *value = constants->constants[i].value;
            return true;
        }
    return false;
}

int spec_find_field(const struct spec *spec, const char *name)
{
    for (int i = 0; i < spec->field_count; i++)
        if (strcmp(spec->fields[i].name, name) == 0)
            return i;
    return -1;
}

int spec_find_stage(const struct spec *spec, const char *name)
{
    for (int i = 0; i < spec->stage_count; i++)
        if (strcmp(spec->stages[i].name, name) == 0)
            return i;
    return -1;
}

int spec_find_rule(const struct spec *spec, const char *id)
{
    for (int i = 0; i < spec->rule_count; i++)
        if (strcmp(spec->rules[i].id, id) == 0)
            return i;
    return -1;
}

int spec_find_situation(const struct spec *spec, const char *id)
{
    for (int i = 0; i < spec->situation_count; i++)
        if (strcmp(spec->situations[i].when.id, id) == 0)
            return i;
    return -1;
}

int spec_legality_rules(const struct spec *spec)
{
    int count = 0;
    while (count < spec->rule_count && !spec->rules[count].behaviour)
        count++;
    return count;
}

const struct spec_choice *spec_find_choice(const struct spec *spec, int rule)
{
    for (int r = 0; r < spec->result_count; r++)
        for (int i = 0; i < spec->results[r].choice_count; i++)
            if (spec->results[r].choices[i].rule == rule)
                return &spec->results[r].choices[i];
    return NULL;
}
