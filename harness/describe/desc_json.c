#include "harness/describe/desc_json.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/json_elements.h"
#include "harness/base/words.h"
#include "harness/describe/field_kind.h"

#include <stdio.h>
#include <string.h>

enum { OPERATORS_MAX = 256 }; /* names among which the nearest is looked for */

/* Finds an operator by any of its names. Returns -1 if it has no spec. */
static int desc_json_find_operator(const struct spec_set *specs, const char *name)
{
    int op = spec_set_find(specs, name);
    DML_OPERATOR_TYPE type = dml_operator_find(name);
    for (int i = 0; i < specs->count && op < 0 && type != DML_OPERATOR_INVALID; i++)
        if (specs->specs[i].type == type)
            op = i;
    return op;
}

static const char *desc_json_bare(const char *name)
{
    static const char prefix[] = "DML_OPERATOR_";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
}

static const char *desc_json_type_key(const json_t *object)
{
    return json_object_get(object, "Type") ? "Type" : "type";
}

int desc_json_operator(const json_t *object, const struct spec_set *specs, const char **name)
{
    const char *text = json_string_value(json_object_get(object, desc_json_type_key(object)));
    *name = text ? desc_json_bare(text) : NULL;
    return text ? desc_json_find_operator(specs, *name) : -1;
}

static int desc_json_read_operator(const struct json_cursor *cursor, const struct spec_set *specs, unsigned *op,
                                   struct error *error)
{
    const char *name, *names[OPERATORS_MAX];
    size_t count = 0;
    if (json_cursor_text(cursor, &name, error))
        return EXIT_HARNESS;
    name = desc_json_bare(name);
    int found = desc_json_find_operator(specs, name);
    *op = (unsigned)found;
    if (found >= 0)
        return 0;
    for (int i = 0; i < specs->count && count < OPERATORS_MAX; i++)
        names[count++] = specs->specs[i].name;
    const char *near = words_nearest(name, names, count);
    if (dml_operator_find(name) != DML_OPERATOR_INVALID)
        return json_cursor_error(
            cursor, error, "no spec describes the operator %s; `assay spec` lists the operators that have one", name);
    return json_cursor_error(cursor, error, "no operator is named '%s'%s%s%s", name, near ? "; did you mean " : "",
                             near ? near : "", near ? "?" : "");
}

int desc_json_read(const struct json_cursor *cursor, const struct spec_set *specs, struct opdesc *desc,
                   struct error *error)
{
    const char *known[OPDESC_MAX_FIELDS + 1] = {NULL};
    struct json_cursor type = json_cursor_member(cursor, desc_json_type_key(cursor->value)),
                       fields = json_cursor_member(cursor, json_object_get(cursor->value, "Desc") ? "Desc" : "desc");
    unsigned op = 0;
    int result = desc_json_read_operator(&type, specs, &op, error);
    if (result == 0)
        result = json_cursor_object(&fields, error);
    if (result)
        return result;
    const struct spec *spec = &specs->specs[op];
    spec_blank(spec, desc);
    for (int i = 0; i < spec->field_count; i++)
        known[i] = spec->fields[i].name;
    result = json_cursor_known(&fields, known, error);
    for (int i = 0; i < spec->field_count && result == 0; i++) {
        struct json_cursor field = json_cursor_member(&fields, spec->fields[i].name);
        struct field_ref ref = field_ref(spec, desc, i);
        if (field.value || spec->fields[i].optional)
            result = field.value ? field_kind(&ref)->from_json(&ref, &field, error) : 0;
        else
            result = json_cursor_error(&field, error, "the field is missing");
    }
    return result;
}

bool desc_json_write(json_t *object, const struct spec *spec, const struct opdesc *desc)
{
    json_t *fields = json_object();
    char type[80];
    snprintf(type, sizeof type, "DML_OPERATOR_%s", spec->name);
    for (struct field_ref ref = field_ref(spec, desc, 0); ref.at < spec->field_count; ref.at++)
        json_object_set_new(fields, spec->fields[ref.at].name, field_kind(&ref)->to_json(&ref));
    return json_object_set_new(object, "type", json_string(type)) == 0 &&
           json_object_set_new(object, "desc", fields) == 0;
}

/* The feature level of the newest operators that DxDispatch knows: see its JsonParsersGenerated.cpp. */
static const DML_FEATURE_LEVEL newest_known = DML_FEATURE_LEVEL_6_2;

const char *desc_json_beyond(const struct spec *spec, const struct opdesc *desc)
{
    if (catalogue_is_own((uint32_t)spec->type))
        return "an operator that DirectML does not have";
    if (spec->since > newest_known)
        return "an operator that is newer than feature level 6_2";
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        if (!t->present && spec_tensor_field(spec, i)->optional)
            continue;
        if (!t->present)
            return "a null pointer in place of a tensor that is not optional";
        if (!t->has_sizes)
            return "Sizes that are a null pointer";
        if (t->type > 1 || t->flags > 1 || t->data_type >= DML_TENSOR_DATA_TYPE_UINT4)
            return "an enumeration's value that has no name there";
        if (t->total == 0)
            return "a TotalTensorSizeInBytes of 0";
    }
    return NULL;
}
