#include "harness/spec/marshal.h"

#include "harness/spec/field_kind.h"

#include <stddef.h>
#include <string.h>

size_t marshal_size(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].kind == FIELD_OPERATOR || spec->fields[i].kind == FIELD_OPERATORS)
            return sizeof(struct marshal);
    return offsetof(struct marshal, buffers) + desc->tensor_count * sizeof(DML_BUFFER_TENSOR_DESC);
}

void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m)
{
    struct field_ref ref = field_ref(spec, desc, 0);
    for (; ref.at < spec->field_count; ref.at++)
        field_kind(&ref)->marshal(&ref, m, m->body + spec->fields[ref.at].offset);
    m->op = (DML_OPERATOR_DESC){.Type = spec->type, .Desc = m->body};
}

void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc)
{
    const unsigned char *body = op->Desc;
    spec_blank(spec, desc);
    struct field_ref ref = field_ref(spec, desc, 0);
    for (; ref.at < spec->field_count; ref.at++)
        field_kind(&ref)->unmarshal(&ref, body + spec->fields[ref.at].offset);
}
