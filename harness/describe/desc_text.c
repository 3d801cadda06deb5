#include "harness/describe/desc_text.h"

#include "harness/describe/field_kind.h"
#include "harness/describe/field_text.h"

#include <stdio.h>
#include <string.h>

size_t desc_text_print(const struct spec *spec, const struct opdesc *desc, char *text, size_t size)
{
    struct text_writer out = {text, size, 0};
    struct field_ref ref = field_ref(spec, desc, 0);
    text_put(&out, "%s", spec->name);
    for (; ref.at < spec->field_count; ref.at++) {
        text_put(&out, " %s=", spec->fields[ref.at].name);
        field_kind(&ref)->print(&ref, &out);
    }
    return out.used;
}

static int desc_text_read_field(const struct spec *spec, const char **at, struct opdesc *out, uint32_t *seen,
                                struct error *error)
{
    char name[64];
    const char *begin = *at;
    size_t length = strcspn(*at, "= ");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), *at);
    struct field_ref ref = field_ref(spec, out, spec_find_field(spec, name));
    *at += length;
    if (ref.at < 0 || !text_take(at, "=") || *seen >> ref.at & 1)
        return error_set(error, EXIT_USAGE, "'%.60s': expected a field of %s and its value, each once", begin,
                         spec->name);
    *seen |= 1u << ref.at;
    int count_field = spec->fields[ref.at].count_field;
    if (count_field >= 0 && !(*seen >> count_field & 1))
        return error_set(error, EXIT_USAGE, "'%.60s': expected %s before it", begin, spec->fields[count_field].name);
    bool good = field_kind(&ref)->parse(&ref, at);
    if (!good || (**at && **at != ' '))
        return error_set(error, EXIT_USAGE, "'%.60s': expected %s, found '%.20s'", begin, field_kind(&ref)->example,
                         *at);
    return 0;
}

int desc_text_parse(const struct spec_set *specs, const char *text, struct opdesc *out, struct error *error)
{
    char name[64];
    size_t length = strcspn(text, " ");
    uint32_t seen = 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    int op = spec_set_find(specs, name), result = 0;
    if (op < 0)
        return error_set(error, EXIT_USAGE, "'%.60s': expected the name of an operator first", text);
    const struct spec *spec = &specs->specs[op];
    if (text[length] == '\0')
        return error_set(error, EXIT_USAGE,
                         "'%.60s' is an operator without fields; expected a description; to try only "
                         "one operator, -o %s",
                         text, spec->name);
    spec_blank(spec, out);
    for (const char *at = text + length; result == 0 && *(at += strspn(at, " "));)
        result = desc_text_read_field(spec, &at, out, &seen, error);
    for (int i = 0; i < spec->field_count && result == 0; i++)
        if (!(seen >> i & 1))
            result = error_set(error, EXIT_USAGE, "the description has no %s", spec->fields[i].name);
    return result;
}
