/* The rules of the specs against device/common/descriptor.h: two validators that share only the documents. */
#include "device/common/descriptor.h"
#include "harness/base/datatype.h"
#include "harness/fuzz/fuzz_judge.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/describe/marshal.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>

struct bytes {
    const uint8_t *at, *end;
};

static uint32_t take(struct bytes *b)
{
    return b->at < b->end ? *b->at++ : 0;
}

/* Reads a number: mostly small; otherwise up to 63, near the top of its range, or any. */
static uint32_t number(struct bytes *b)
{
    uint32_t first = take(b);
    if (first < 128)
        return first % 9;
    if (first < 192)
        return first - 128;
    if (first < 224)
        return UINT32_MAX - first % 4;
    uint32_t value = take(b) << 24;
    value |= take(b) << 16;
    return value | take(b) << 8 | take(b);
}

/* Reads an alignment: a power of two, any number, or 0. */
static uint32_t alignment_of(struct bytes *b, uint32_t bits, uint32_t odd)
{
    if (bits & 1)
        return 1u << take(b) % 32;
    return odd & 16 ? number(b) : 0;
}

static void read_tensor(struct bytes *b, struct opdesc_tensor *t)
{
    uint32_t bits = take(b), odd = bits >> 4 == 15 ? take(b) : 0; /* malformed parts are rare */
    *t = (struct opdesc_tensor){.present = !(odd & 1),
                                .has_sizes = !(odd & 2),
                                .type = odd & 4 ? number(b) : DML_TENSOR_TYPE_BUFFER,
                                .flags = odd & 8 ? number(b) : 0,
                                .alignment = alignment_of(b, bits, odd),
                                .has_strides = bits & 2,
                                .data_type = take(b) % (DATATYPE_COUNT + 1),
                                .dims = take(b) % (OPDESC_MAX_DIMENSIONS + 1)};
    for (uint32_t i = 0; i < t->dims; i++) {
        t->sizes[i] = number(b);
        t->strides[i] = t->has_strides ? number(b) : 0;
    }
    t->total = (uint64_t)opdesc_implied(t) + (bits & 4 ? number(b) : 0) - (bits & 8 ? number(b) : 0);
}

/* Picks an operator with indices: only these have nothing but plain tensors and numbers, which read_tensor() and
 * number() make. */
static const struct spec *pick(const struct spec_set *set, uint32_t number)
{
    uint32_t count = (uint32_t)set->count;
    while (!descriptor_is_indexed(set->specs[number % count].type))
        number++;
    return &set->specs[number % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec_set set;
    struct error error = {0};
    struct bytes b = {data, data + size};
    struct marshal marshal;
    struct descriptor descriptor;
    struct fuzz_rules rules;
    if (!set.script && spec_set_load(&set, "specs", &error)) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    struct opdesc desc;
    const struct spec *spec = pick(&set, take(&b));
    DML_FEATURE_LEVEL level = level_all[take(&b) % SPEC_MAX_LEVELS];
    spec_blank(spec, &desc);
    for (int i = 0; i < spec->field_count; i++)
        if (!field_is_tensor(&spec->fields[i]))
            desc.values[i].number = number(&b);
        else
            read_tensor(&b, OPDESC_TENSOR(&desc, i));
    if (!fuzz_rules_init(&rules, spec, level))
        abort();
    fuzz_broken broken = fuzz_judge(&rules, &desc);
    marshal_desc(spec, &desc, &marshal);
    HRESULT result =
        descriptor_read(&marshal.op, level, descriptor_is_indexed, &descriptor, error.text, sizeof error.text);
    bool legal = broken == 0, open = broken != 0 && (broken & ~rules.open) == 0;
    if (open || legal == SUCCEEDED(result))
        return 0;
    char text[1024];
    desc_text_print(spec, &desc, text, sizeof text);
    fprintf(stderr, "%s\nat level %s: the rules say %s, the reference device %s %s\n", text, level_name(level),
            legal ? "legal" : spec->rules[__builtin_ctzll(broken & ~rules.open)].id,
            SUCCEEDED(result) ? "accepts it" : "rejects it:", SUCCEEDED(result) ? "" : error.text);
    abort();
}
