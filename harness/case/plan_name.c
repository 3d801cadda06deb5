/* Makes the names of cases, and has the set that finds two cases of one name. */
#include "harness/case/plan_internal.h"

#include "harness/base/random.h"

#include <stdarg.h>
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

static const char **names_slot(struct names *names, const char *name)
{
    size_t at = random_hash(name, 0) & (names->capacity - 1);
    while (names->slots[at] && strcmp(names->slots[at], name) != 0)
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
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

__attribute__((format(printf, 3, 4))) static void append(char *name, size_t size, const char *format, ...)
{
    size_t used = strlen(name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_parameters(const struct spec *spec, const struct opdesc *desc, char *name)
{
    append(name, PLAN_NAME_SIZE, ".");
    for (int i = 0; i < spec->parameter_count; i++) {
        int64_t value;
        if (expr_number(spec->nodes, spec->parameters[i].node, desc, &value))
            append(name, PLAN_NAME_SIZE, "%s%lld", spec->parameters[i].name, (long long)value);
        else
            append(name, PLAN_NAME_SIZE, "%sx", spec->parameters[i].name);
    }
}

static void append_strides(const struct spec *spec, const struct case_request *request, char *name)
{
    bool any = request->strides_in_name;
    for (int i = 0; i < spec->field_count; i++)
        any |= request->solve.strides[i] != STRIDES_NULL;
    if (!any)
        return;
    append(name, PLAN_NAME_SIZE, ".");
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]))
            append(name, PLAN_NAME_SIZE, "%c", stride_letters[request->solve.strides[i]]);
}

void planner_name_start(const struct planner *p, const struct case_request *request, char name[PLAN_NAME_SIZE])
{
    const struct spec *spec = &p->specs->specs[p->op];
    snprintf(name, PLAN_NAME_SIZE, "%s.%s%s%s.fl%s", spec->lower, p->strategy, *request->label ? "." : "",
             request->label, spec->levels[request->solve.table].name);
}

void planner_name(const struct planner *p, const struct case_request *request, const struct opdesc *desc,
                  const char *last, char name[PLAN_NAME_SIZE])
{
    const struct spec *spec = &p->specs->specs[p->op];
    planner_name_start(p, request, name);
    char types[TESTCASE_TYPES_SIZE];
    if (*testcase_types(spec, desc, types))
        append(name, PLAN_NAME_SIZE, ".%s", types);
    append_parameters(spec, desc, name);
    append_strides(spec, request, name);
    if (*last)
        append(name, PLAN_NAME_SIZE, ".%s", last);
}
