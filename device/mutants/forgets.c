#include "device/mutants/forgets.h"

#include "harness/describe/field_kind.h"

#include <string.h>

static const char strides[] = "strides", type[] = "type";

bool forgets_take(struct forgets *forgets, const char *text)
{
    const char *dot = strchr(text, '.');
    size_t length = strcspn(text, ".");
    forgets->part = "";
    if (length == 0 || length >= sizeof forgets->field)
        return false;
    snprintf(forgets->field, sizeof forgets->field, "%.*s", (int)length, text);
    if (dot && strcmp(dot + 1, strides) == 0)
        forgets->part = strides;
    else if (dot && strcmp(dot + 1, type) == 0)
        forgets->part = type;
    return !dot || *forgets->part;
}

/* Makes the part of `b` that the key lacks the same as that of `a`. Total sizes follow from the rest. */
static void forgets_make_same(const struct forgets *f, const struct spec *spec, int field, const struct opdesc *a,
                              struct opdesc *b)
{
    for (int i = -1; (i = spec_next_tensor(spec, b, i)) >= 0;) {
        struct opdesc_tensor *to = &b->items[i].tensor;
        const struct opdesc_tensor *from = &a->items[i].tensor;
        to->total = from->total;
        if (f->part == type && spec_tensor_field(spec, i)->group == spec->fields[field].group)
            to->data_type = from->data_type;
        if (f->part != strides || !spec_is(spec, i, field))
            continue;
        to->has_strides = from->has_strides;
        memcpy(to->strides, from->strides, sizeof to->strides);
    }
    if (*f->part)
        return;
    const struct opdesc_place place = b->values[field].place;
    b->given = (b->given & ~(1u << field)) | (a->given & 1u << field);
    b->values[field] = a->values[field];
    for (unsigned i = 0; i < field_kinds[spec->fields[field].kind].items; i++)
        b->items[place.item + i] = a->items[place.item + i];
}

static bool forgets_same(const struct forgets *f, const struct opdesc *a, const struct reading *read)
{
    const struct spec *spec = read->right;
    struct opdesc b;
    int field = spec_find_field(spec, f->field);
    if (field < 0 || a->op != read->desc.op)
        return false;
    opdesc_copy(&b, &read->desc);
    forgets_make_same(f, spec, field, a, &b);
    for (int i = 0; i < spec->field_count; i++) {
        const struct field_ref in_a = field_ref(spec, a, i), in_b = field_ref(spec, &b, i);
        if (!field_kind(&in_a)->same(&in_a, &in_b))
            return false;
    }
    return true;
}

const struct forgets_entry *forgets_look(struct forgets *forgets, const struct descriptor *descriptor,
                                         const struct reading *read)
{
    for (unsigned i = 0; i < forgets->compiled && i < FORGETS_ROOM; i++)
        if (forgets_same(forgets, &forgets->entries[i].read.desc, read))
            return &forgets->entries[i];
    struct forgets_entry *entry = &forgets->entries[forgets->compiled++ % FORGETS_ROOM];
    *entry = (struct forgets_entry){*descriptor, *read};
    return entry;
}

/* Returns true if the number of the field follows from the rest: the length of an array, or the type of a scalar. */
static bool forgets_follows(const struct spec *spec, int field)
{
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].count_field == field || spec->fields[i].typed_by == field)
            return true;
    return false;
}

static void forgets_print(FILE *out, const struct spec *spec, int field, const char *part)
{
    const char *name = spec->fields[field].name, *dot = *part ? "." : "";
    fprintf(out,
            "forgotten\thard\t%s\tforget=%s%s%s,operator=%s\ta compiled operator is reused for others that differ in "
            "%s%s%s\t\toperator-reused%s\n",
            spec->name, name, dot, part, spec->name, name, dot, part, part == type ? " index-type" : "");
}

void forgets_list(FILE *out, const struct spec_set *specs)
{
    for (const struct spec *spec = specs->specs; spec < specs->specs + specs->count; spec++) {
        uint32_t groups = 0;
        const struct spec_level *level = &spec->levels[spec->level_count - 1];
        for (int i = 0; i < spec->field_count; i++) {
            int group = spec->fields[i].group;
            if (!field_is_tensor(&spec->fields[i])) {
                if (!forgets_follows(spec, i))
                    forgets_print(out, spec, i, "");
                continue;
            }
            forgets_print(out, spec, i, strides);
            if (!(groups >> group & 1) && (level->types[group] & (level->types[group] - 1)))
                forgets_print(out, spec, i, type);
            groups |= 1u << group;
        }
    }
}
