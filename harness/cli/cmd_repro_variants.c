#include "harness/cli/cmd_repro_vary.h"

#include "harness/base/datatype.h"
#include "harness/spec/contents.h"
#include "harness/check/check.h"
#include "harness/spec/expr.h"
#include "harness/describe/field_kind.h"
#include "harness/describe/field_text.h"
#include "harness/solve/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANTS_MAX = 600, ELEMENTS_MAX = 1 << 20 };

/* Making the variants of one case. */
struct maker {
    struct variants *out;
    const struct testcase *c;
    const char *property;
};

static bool repro_variants_is_legal(const struct testcase *c)
{
    return rules_check(c->spec, c->desc, c->spec->levels[c->table].level, NULL, 0) == 0 &&
           solve_indices_fit(c->spec, c->desc) && (!c->in_place || !testcase_in_place_fault(c));
}

static bool repro_variants_is_small(const struct testcase *c)
{
    bool small = true;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        small &= opdesc_elements(&c->desc->items[i].tensor) <= ELEMENTS_MAX;
    return small;
}

static bool same_desc(const struct opdesc *a, const struct opdesc *b)
{
    return a->size == b->size && memcmp(a, b, a->size) == 0;
}

/* Adds a variant if it is legal and not the case itself. Its description is copied. */
static void repro_variants_add(struct maker *m, const struct testcase *variant, const char *value)
{
    struct variants *v = m->out;
    const struct testcase *c = m->c;
    bool same = same_desc(variant->desc, c->desc) && variant->table == c->table && variant->fill == c->fill &&
                variant->index_fill == c->index_fill && variant->literals == c->literals;
    if (same || v->failed || v->count == VARIANTS_MAX || !repro_variants_is_legal(variant) ||
        !repro_variants_is_small(variant))
        return;
    for (size_t i = v->count; i > 0 && v->items[i - 1].property == m->property; i--)
        if (same_desc(v->items[i - 1].testcase.desc, variant->desc) &&
            v->items[i - 1].testcase.table == variant->table && v->items[i - 1].testcase.fill == variant->fill &&
            v->items[i - 1].testcase.index_fill == variant->index_fill)
            return; /* the rules made the same of both values */
    struct variant *items = realloc(v->items, (v->count + 1) * sizeof *items);
    v->failed = !items;
    if (!items)
        return;
    v->items = items;
    items[v->count] = (struct variant){m->property, pool_string(&v->pool, value), *variant};
    items[v->count++].testcase.desc = pool_copy(&v->pool, variant->desc, variant->desc->size);
}

/* Adds the description `desc` as it is and, unless that is legal, as the rules repair it. The number or the list `kept`
 * (null: none) of the description must stay, since it is what is varied. */
static void add_desc(struct maker *m, struct opdesc *desc, const void *kept, size_t size, const char *value)
{
    struct testcase variant = *m->c;
    unsigned char wanted[OPDESC_MAX_LIST * sizeof(uint32_t)];
    size_t before = m->out->count;
    memcpy(wanted, kept ? kept : wanted, kept ? size : 0);
    variant.desc = desc;
    repro_variants_add(m, &variant, value);
    if (m->out->count > before || variant.literals || same_desc(desc, m->c->desc))
        return;
    solve_repair(variant.spec, variant.table, -1, -1, desc);
    for (int i = -1; (i = testcase_next_tensor(&variant, i)) >= 0;) { /* with the slack that it had */
        const struct opdesc_tensor *old = &m->c->desc->items[i].tensor;
        struct opdesc_tensor *t = &desc->items[i].tensor;
        t->total = (uint64_t)(opdesc_implied(t) + ((int64_t)old->total - opdesc_implied(old)));
    }
    if (!kept || memcmp(kept, wanted, size) == 0)
        repro_variants_add(m, &variant, value);
}

/* ---- properties */

static void vary_level(struct maker *m)
{
    struct testcase variant = *m->c;
    m->property = pool_format(&m->out->pool, "feature level, which is %s", m->c->spec->levels[m->c->table].name);
    for (int i = 0; i < m->c->spec->level_count; i++) {
        variant.table = i;
        variant.negative_indices = m->c->negative_indices && m->c->spec->levels[i].level >= DML_FEATURE_LEVEL_3_0;
        repro_variants_add(m, &variant, m->c->spec->levels[i].name);
    }
}

static void vary_contents(struct maker *m)
{
    struct testcase variant = *m->c;
    m->property = pool_format(&m->out->pool, "contents, which are %s", fill_names[m->c->fill]);
    for (int i = 0; i < FILL_COUNT && !m->c->literals; i++) {
        variant.fill = (enum fill)i;
        repro_variants_add(m, &variant, fill_names[i]);
    }
    variant = *m->c;
    m->property = pool_format(&m->out->pool, "indices, which are %s", index_fill_names[m->c->index_fill]);
    for (int i = 0; i < INDEX_FILL_COUNT && m->c->spec->index_count > 0 && !m->c->literals; i++) {
        variant.index_fill = (enum index_fill)i;
        repro_variants_add(m, &variant, index_fill_names[i]);
    }
}

/* Gives all tensors of a group each data type of the level's table. */
static void vary_types(struct maker *m)
{
    const struct spec *spec = m->c->spec;
    for (int g = 0; g < spec->group_count && !m->c->literals; g++) {
        m->property = pool_format(&m->out->pool, "data type of %s", spec->groups[g]);
        for (unsigned type = 1; type < DATATYPE_COUNT; type++) {
            struct opdesc desc = {0};
            opdesc_copy(&desc, m->c->desc);
            for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;) {
                struct opdesc_tensor *t = &desc.items[i].tensor;
                int64_t more = (int64_t)t->total - opdesc_implied(t);
                if (spec_tensor_field(spec, i)->group != g)
                    continue;
                t->data_type = type;
                t->total = (uint64_t)(opdesc_implied(t) + more);
            }
            if (spec->levels[m->c->table].types[g] >> type & 1)
                add_desc(m, &desc, NULL, 0, datatype_of(type)->name);
        }
    }
}

/* The sizes of a tensor: one less, one more, 1, 2, double. */
static void vary_sizes(struct maker *m, int item)
{
    const struct opdesc_tensor *old = &m->c->desc->items[item].tensor;
    for (uint32_t d = 0; d < old->dims && old->has_sizes && !m->c->literals; d++) {
        const uint32_t size = old->sizes[d], sizes[] = {1, 2, size - 1, size + 1, 2 * size};
        m->property = pool_format(&m->out->pool, "%s.Sizes[%u], which is %u", m->c->spec->tensor_names[item], d, size);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct opdesc desc = {0};
            char value[16];
            opdesc_copy(&desc, m->c->desc);
            desc.items[item].tensor.sizes[d] = sizes[i];
            desc.items[item].tensor.total = (uint64_t)opdesc_implied(&desc.items[item].tensor);
            snprintf(value, sizeof value, "%u", sizes[i]);
            if (sizes[i] != size && sizes[i] > 0)
                add_desc(m, &desc, &desc.items[item].tensor.sizes[d], sizeof *old->sizes, value);
        }
    }
}

/* Strides, TotalTensorSizeInBytes and GuaranteedBaseOffsetAlignment of a tensor. */
static void vary_layout(struct maker *m, int item)
{
    const struct opdesc_tensor *old = &m->c->desc->items[item].tensor;
    const char *name = m->c->spec->tensor_names[item];
    struct opdesc desc = {0};
    struct opdesc_tensor *t = &desc.items[item].tensor;
    m->property = pool_format(&m->out->pool, "%s.Strides, %s", name, old->has_strides ? "given" : "null");
    opdesc_copy(&desc, m->c->desc);
    t->has_strides = false;
    t->total = (uint64_t)opdesc_implied(t);
    add_desc(m, &desc, NULL, 0, "null");
    for (uint32_t gap = 0; gap < 2; gap++) {
        uint32_t stride = 1;
        opdesc_copy(&desc, m->c->desc);
        t->has_strides = true;
        for (uint32_t d = t->dims; d-- > 0; stride = stride * t->sizes[d] + (gap && d + 1 == t->dims))
            t->strides[d] = stride;
        t->total = (uint64_t)opdesc_implied(t);
        add_desc(m, &desc, NULL, 0, gap ? "padded" : "packed");
    }
    m->property = pool_format(&m->out->pool, "%s.TotalTensorSizeInBytes", name);
    for (uint64_t more = 0; more <= 64; more += 64) {
        opdesc_copy(&desc, m->c->desc);
        t->total = (uint64_t)opdesc_implied(t) + more;
        add_desc(m, &desc, NULL, 0, more ? "64 bytes more than needed" : "the least");
    }
    m->property = pool_format(&m->out->pool, "%s.GuaranteedBaseOffsetAlignment", name);
    for (uint32_t alignment = 0; alignment <= 256; alignment += 256) {
        opdesc_copy(&desc, m->c->desc);
        t->alignment = alignment;
        add_desc(m, &desc, NULL, 0, alignment ? "256" : "0");
    }
}

/* Returns true if a number fits its member's type: the rules may not say so, as no struct can hold another number. The
 * documents leave open the meaning of a BOOL above 1. */
static bool is_of_type(const struct spec *spec, struct opdesc *desc, int field)
{
    int64_t number = desc->values[field].number;
    return expr_assign(spec->nodes, spec->number_nodes[field], desc, number) &&
           (spec->fields[field].kind != FIELD_BOOL || number <= 1);
}

/* Adds a description whose member `field` is varied. */
static void add_member(struct maker *m, struct opdesc *desc, int field, const char *value)
{
    const enum field_kind kind = m->c->spec->fields[field].kind;
    const bool is_list = kind == FIELD_UINTS || kind == FIELD_INTS || kind == FIELD_FLOATS;
    if (m->c->spec->number_nodes[field] >= 0)
        add_desc(m, desc, &desc->values[field].number, sizeof desc->values[field].number, value);
    else if (is_list && opdesc_count(desc, field) > 0)
        add_desc(m, desc, OPDESC_ELEMENT(desc, field, 0)->list, opdesc_count(desc, field) * sizeof(uint32_t), value);
    else
        add_desc(m, desc, NULL, 0, value);
}

/* A member that is no tensor: the ways in which it gets simpler and, of a number, its neighbours. */
static void vary_member(struct maker *m, int field)
{
    const struct spec *spec = m->c->spec;
    char text[200];
    struct opdesc desc = {0};
    opdesc_copy(&desc, m->c->desc);
    m->property = pool_string(&m->out->pool, spec->fields[field].name);
    for (unsigned way = 0;; way++) {
        opdesc_copy(&desc, m->c->desc);
        const struct field_ref ref = field_ref(spec, &desc, field);
        struct text_writer out = {text, sizeof text, 0};
        if (!field_kind(&ref)->simplify(&ref, way))
            break;
        *text = '\0';
        field_kind(&ref)->print(&ref, &out);
        if (spec->number_nodes[field] < 0 || is_of_type(spec, &desc, field))
            add_member(m, &desc, field, text);
    }
    for (int step = -1; step <= 1 && spec->number_nodes[field] >= 0; step += 2) {
        opdesc_copy(&desc, m->c->desc);
        desc.values[field].number += step;
        snprintf(text, sizeof text, "%" PRId64, desc.values[field].number);
        if (is_of_type(spec, &desc, field))
            add_member(m, &desc, field, text);
    }
}

void variants_make(struct variants *out, const struct testcase *c)
{
    struct maker m = {.out = out, .c = c};
    *out = (struct variants){.count = 0};
    vary_level(&m);
    vary_contents(&m);
    vary_types(&m);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        vary_sizes(&m, i);
        vary_layout(&m, i);
    }
    for (int i = 0; i < c->spec->field_count; i++)
        if (!field_is_tensor(&c->spec->fields[i]))
            vary_member(&m, i);
}

void variants_free(struct variants *variants)
{
    pool_clear(&variants->pool);
    free(variants->items);
    *variants = (struct variants){.count = 0};
}
