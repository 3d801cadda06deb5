/* Makes the names of cases, and has the set that finds two cases of one name. */
#include "harness/plan/plan_internal.h"

#include "harness/base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the set of names */

struct names {
    const char **slots;
    size_t used, capacity; /* a power of two */
    struct pool pool;
};

struct names *names_new(void)
{
    return calloc(1, sizeof(struct names));
}

void names_free(struct names *names)
{
    if (!names)
        return;
    pool_clear(&names->pool);
    free(names->slots);
    free(names);
}

static const char **names_slot(const struct names *names, const char *name)
{
    size_t at = random_hash(name, 0) & (names->capacity - 1);
    while (names->slots[at] && strcmp(names->slots[at], name) != 0)
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
}

bool names_has(const struct names *names, const char *name)
{
    return names && names->capacity > 0 && *names_slot(names, name);
}

static bool names_grow(struct names *names)
{
    struct names old = *names;
    size_t capacity = old.capacity ? old.capacity * 2 : 4096;
    const char **slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    names->slots = slots;
    names->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            *names_slot(names, old.slots[i]) = old.slots[i];
    free(old.slots);
    return true;
}

enum names_result names_add(struct names *names, const char *name)
{
    if (!names || (names->used * 2 >= names->capacity && !names_grow(names)))
        return NAMES_NO_MEMORY;
    const char **slot = names_slot(names, name);
    if (*slot)
        return NAMES_TWICE;
    *slot = pool_string(&names->pool, name);
    names->used++;
    return NAMES_ADDED;
}

/* ---- the name of a case */

static void name_parameters(const struct spec *spec, const struct opdesc *desc, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < spec->parameter_count && used < size; i++) {
        int64_t value;
        char number[24] = "x";
        if (expr_number(spec->nodes, spec->parameters[i].node, desc, &value))
            snprintf(number, sizeof number, "%lld", (long long)value);
        used += (size_t)snprintf(text + used, size - used, "%s%s", spec->parameters[i].name, number);
    }
}

static void name_strides(const struct spec *spec, const struct case_request *request, char *text)
{
    bool any = request->strides_in_name;
    for (int i = 0; i < spec->field_count; i++)
        any |= request->solve.strides[i] != STRIDES_NULL;
    for (int i = 0; i < spec->field_count && any; i++)
        if (field_is_tensor(&spec->fields[i]))
            *text++ = stride_letters[request->solve.strides[i]];
    *text = '\0';
}

static struct case_name name_front(const struct planner *p, const char *label, const char *level)
{
    return (struct case_name){{[CASE_OPERATOR] = case_text(p->specs->specs[p->op].lower),
                               [CASE_STRATEGY] = case_text(p->strategy),
                               [CASE_LABEL] = case_text(label),
                               [CASE_LEVEL] = case_text(level)}};
}

void planner_name_front(const struct planner *p, const char *label, const char *level, char name[CASE_NAME_SIZE])
{
    const struct case_name parts = name_front(p, label, level);
    case_name_write(&parts, name);
}

void planner_name(const struct planner *p, const struct case_request *request, const struct opdesc *desc,
                  const char *ending, char name[CASE_NAME_SIZE])
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct case_name parts = name_front(p, request->label, spec->levels[request->solve.table].name);
    char types[TESTCASE_TYPES_SIZE], parameters[CASE_NAME_SIZE] = "", strides[OPDESC_MAX_FIELDS + 1];
    name_parameters(spec, desc, parameters, sizeof parameters);
    name_strides(spec, request, strides);
    parts.parts[CASE_TYPES] = case_text(testcase_types(spec, desc, types));
    parts.parts[CASE_PARAMETERS] = case_text(parameters);
    parts.parts[CASE_STRIDES] = case_text(strides);
    parts.parts[CASE_ENDING] = case_text(ending);
    case_name_write(&parts, name);
}
