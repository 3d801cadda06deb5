#include "harness/case/testcase.h"

#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"

#include <stddef.h>
#include <string.h>

const char *const lifecycle_names[LIFECYCLE_KINDS + 1] = {"",       "mixed",  "devices", "many",
                                                          "hidden", "growth", "reopen",  NULL};

/* The head of an encoded case. Each aligned to 16 bytes, there follow the description; a struct in_place, and for each
 * tensor item a uint32_t with the number of its literals, if the case has such; and the literals. Of a case that
 * cannot be run there follow the texts of struct unread, each ended by a zero byte. */
struct head {
    uint64_t seed;
    uint32_t size, op; /* the judge reads the size at byte 8 */
    uint64_t first;
    double absolute, relative, ulps; /* of the tolerance, whose struct has padding: equal cases have equal bytes */
    int16_t table, rule;
    uint8_t expect, fill, index_fill, negative_indices, soft, has_literals, dispatch_twice, from_file;
    uint8_t has_in_place, one_memory, is_unread, is_unknown, has_tolerance, zero;
    struct lifecycle lifecycle;
    uint16_t also_zero;
};

_Static_assert(sizeof(struct head) == 72, "the head has no padding, whose bytes nobody sets");
_Static_assert(offsetof(struct head, size) == 8, "the judge reads the size there");

static size_t testcase_aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* ---- inputs that have the memory of an output */

int testcase_input_of(const struct testcase *c, int output)
{
    for (int i = -1; c->in_place && (i = testcase_next_tensor(c, i)) >= 0;)
        if (c->in_place->output[i] == output)
            return i;
    return -1;
}

/* Returns true if two given tensors agree in everything that decides where their elements are. */
static bool tensors_agree(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    uint32_t strides[2][OPDESC_MAX_DIMENSIONS];
    if (!a->present || !b->present || !a->has_sizes || !b->has_sizes || a->data_type != b->data_type ||
        a->dims != b->dims || memcmp(a->sizes, b->sizes, a->dims * sizeof *a->sizes) != 0 || a->total != b->total ||
        a->alignment != b->alignment)
        return false;
    opdesc_strides(a, strides[0]);
    opdesc_strides(b, strides[1]);
    for (uint32_t i = 0; i < a->dims; i++)
        if (a->sizes[i] > 1 && strides[0][i] != strides[1][i])
            return false;
    return true;
}

bool testcase_may_share(const struct spec *spec, const struct opdesc *desc, int input, int output)
{
    const struct opdesc_tensor *a = &desc->items[input].tensor, *b = &desc->items[output].tensor;
    return field_is_input(spec_tensor_field(spec, input)) && field_is_output(spec_tensor_field(spec, output)) &&
           tensors_agree(a, b) && !opdesc_overlaps(b);
}

static bool is_data_input(const struct spec *spec, int item)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec_is(spec, item, spec->indices[i].field))
            return false;
    for (int i = 0; i < spec->grid_count; i++)
        if (spec_is(spec, item, spec->grids[i].field))
            return false;
    return field_is_input(spec_tensor_field(spec, item));
}

int testcase_memory_of(const struct testcase *c, int item)
{
    if (testcase_output_of(c, item) >= 0)
        return testcase_output_of(c, item);
    for (int i = -1; c->one_memory && is_data_input(c->spec, item) && (i = testcase_next_tensor(c, i)) < item;)
        if (is_data_input(c->spec, i) && testcase_output_of(c, i) < 0 &&
            tensors_agree(&c->desc->items[i].tensor, &c->desc->items[item].tensor))
            return i;
    return item;
}

bool testcase_same_in_place(const struct testcase *a, const struct testcase *b)
{
    if (!a->in_place || !b->in_place)
        return !a->in_place && !b->in_place;
    return memcmp(a->in_place, b->in_place, sizeof *a->in_place) == 0;
}

const char *testcase_in_place_fault(const struct testcase *c)
{
    if (!c->in_place)
        return NULL;
    if (spec_is_interface(c->spec))
        return "the interface has no tensors";
    const struct catalogue_entry *entry = catalogue_entry(c->spec->catalogue, (uint32_t)c->spec->type);
    uint32_t allowed = entry->in_place;
    bool together = entry->in_place_together;
    const int8_t *outputs = c->in_place->output;
    int shared = 0;
    if (!allowed)
        return "the operator does not support it";
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++) {
        if (outputs[i] == -1)
            continue;
        if (outputs[i] < 0 || outputs[i] >= c->desc->tensor_count || i >= c->desc->tensor_count)
            return "expected inputs and outputs of the operator";
        if (!(allowed >> c->spec->tensor_fields[i] & 1))
            return "the operator does not support it for this input";
        if (!testcase_may_share(c->spec, c->desc, i, outputs[i]))
            return "the tensors differ in type, sizes, strides, total size or alignment, or the output's elements "
                   "overlap";
        shared++;
    }
    return shared > 1 && !together ? "the operator supports it for one input at a time" : NULL;
}

bool testcase_has_outputs(const struct testcase *c)
{
    for (int i = -1; c->literals && (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(c->spec, i)) && c->literals[i].data)
            return true;
    return false;
}

bool testcase_may_run(const struct testcase *c)
{
    return c->expect == EXPECT_RESULTS || (c->expect == EXPECT_REJECTED && testcase_has_outputs(c));
}

bool testcase_same_desc(const struct spec *spec, const struct opdesc *a, const struct opdesc *b)
{
    bool same = a->op == b->op;
    for (int i = 0; i < spec->field_count && same; i++) {
        const struct field_ref in_a = field_ref(spec, a, i), in_b = field_ref(spec, b, i);
        same = field_kind(&in_a)->same(&in_a, &in_b);
    }
    return same;
}

static size_t literal_bytes(const struct testcase *c, int field)
{
    return elements_bytes(datatype_of(c->desc->items[field].tensor.data_type)->bits, c->literals[field].count);
}

static size_t counts_bytes(const struct testcase *c)
{
    return testcase_aligned(c->spec->blank->tensor_count * sizeof(uint32_t));
}

size_t testcase_encode(const struct testcase *c, const struct spec *specs, uint64_t seed, void *to, size_t room)
{
    size_t size = testcase_aligned(sizeof(struct head)) + testcase_aligned(c->spec->blank->size);
    size += c->in_place ? testcase_aligned(sizeof *c->in_place) : 0;
    size += c->literals ? counts_bytes(c) : 0;
    for (int i = -1; c->literals && (i = testcase_next_tensor(c, i)) >= 0;)
        size += c->literals[i].data ? testcase_aligned(literal_bytes(c, i)) : 0;
    const struct unread *unread = c->unread;
    size += unread ? testcase_aligned(strlen(unread->operator_name) + strlen(unread->why) + 2) : 0;
    if (size > room)
        return size;
    memset(to, 0, size);
    struct head *head = to;
    *head = (struct head){.seed = seed,
                          .size = (uint32_t)size,
                          .op = (uint32_t)(c->spec - specs),
                          .table = (int16_t)c->table,
                          .rule = (int16_t)c->rule,
                          .expect = (uint8_t)c->expect,
                          .fill = (uint8_t)c->fill,
                          .first = c->first,
                          .index_fill = (uint8_t)c->index_fill,
                          .negative_indices = c->negative_indices,
                          .soft = c->soft,
                          .dispatch_twice = c->dispatch_twice,
                          .from_file = c->from_file,
                          .has_tolerance = c->tolerance.given,
                          .absolute = c->tolerance.absolute,
                          .relative = c->tolerance.relative,
                          .ulps = c->tolerance.ulps,
                          .lifecycle = c->lifecycle,
                          .has_literals = c->literals != NULL,
                          .has_in_place = c->in_place != NULL,
                          .one_memory = c->one_memory,
                          .is_unread = unread != NULL,
                          .is_unknown = unread && unread->unknown};
    char *at = (char *)to + testcase_aligned(sizeof *head);
    memcpy(at, c->desc, c->spec->blank->size);
    at += testcase_aligned(c->spec->blank->size);
    if (c->in_place) {
        memcpy(at, c->in_place, sizeof *c->in_place);
        at += testcase_aligned(sizeof *c->in_place);
    }
    uint32_t *counts = (uint32_t *)(void *)at;
    at += c->literals ? counts_bytes(c) : 0;
    for (int i = -1; c->literals && (i = testcase_next_tensor(c, i)) >= 0;) {
        if (!c->literals[i].data)
            continue;
        counts[i] = c->literals[i].count;
        memcpy(at, c->literals[i].data, literal_bytes(c, i));
        at += testcase_aligned(literal_bytes(c, i));
    }
    if (unread)
        strcpy(stpcpy(at, unread->operator_name) + 1, unread->why);
    return size;
}

/* Returns true if the operator can have the description: items are at their places, and there is room for all
 * dimensions. */
static bool desc_is_sound(const struct spec *spec, const struct opdesc *desc)
{
    const struct opdesc *blank = spec->blank;
    bool sound = desc->field_count == blank->field_count && desc->item_count == blank->item_count &&
                 desc->tensor_count == blank->tensor_count;
    for (int i = 0; i < spec->field_count && sound; i++)
        sound = field_kinds[spec->fields[i].kind].items == 0 ||
                memcmp(&desc->values[i].place, &blank->values[i].place, sizeof blank->values[i].place) == 0;
    for (int i = 0; i < blank->tensor_count && sound; i++)
        sound = desc->items[i].tensor.dims <= OPDESC_MAX_DIMENSIONS;
    return sound;
}

/* Returns true if the numbers of a case are in range. */
static bool head_is_sound(const struct testcase *c)
{
    return c->table >= 0 && c->table < c->spec->level_count && c->rule >= -1 && c->rule < c->spec->rule_count &&
           c->expect <= EXPECT_REJECTED && c->fill < FILL_COUNT && c->index_fill < INDEX_FILL_COUNT &&
           c->tolerance.absolute >= 0 && c->tolerance.relative >= 0 && c->tolerance.ulps >= 0;
}

/* Returns the part of `size` bytes of an encoded case, of which `whole` bytes lie at `from`; moves `used` to its end.
 * Null: the case ends before. */
static const void *next_part(const void *from, size_t whole, size_t *used, size_t size)
{
    size_t at = *used;
    *used += testcase_aligned(size);
    return *used <= whole ? (const char *)from + at : NULL;
}

/* Reads the texts of a case that cannot be run, which begin at `used`. False: they are damaged. */
static bool decode_unread(const char *from, size_t size, size_t used, bool unknown, struct unread *unread)
{
    const char *end = used < size ? memchr(from + used, '\0', size - used) : NULL;
    const char *why = end ? end + 1 : NULL;
    if (!unread || !why || !memchr(why, '\0', size - (size_t)(why - from)))
        return false;
    *unread = (struct unread){.operator_name = from + used, .why = why, .unknown = unknown};
    return true;
}

/* Reads the literals, which begin at `used`. False: a number is out of range. */
static bool decode_literals(const void *from, size_t size, size_t used, const struct testcase *c,
                            struct literal literals[OPDESC_MAX_TENSORS])
{
    const uint32_t *counts = next_part(from, size, &used, c->spec->blank->tensor_count * sizeof *counts);
    memset(literals, 0, c->spec->blank->tensor_count * sizeof *literals);
    for (int i = -1; counts && (i = testcase_next_tensor(c, i)) >= 0;) {
        literals[i] = (struct literal){.count = counts[i]};
        if (literals[i].count == 0)
            continue;
        if (literals[i].count > opdesc_elements(&c->desc->items[i].tensor) ||
            !(literals[i].data = next_part(from, size, &used, literal_bytes(c, i))))
            return false;
    }
    return counts;
}

bool testcase_decode(const void *from, size_t size, const struct spec *specs, int spec_count, struct testcase *c,
                     struct literal literals[OPDESC_MAX_TENSORS], struct unread *unread, uint64_t *seed)
{
    const struct head *head = from;
    if (size < sizeof *head || head->size != size || head->op >= (uint32_t)spec_count)
        return false;
    *c = (struct testcase){.spec = &specs[head->op],
                           .table = head->table,
                           .rule = head->rule,
                           .expect = (enum expectation)head->expect,
                           .fill = (enum fill)head->fill,
                           .first = head->first,
                           .index_fill = (enum index_fill)head->index_fill,
                           .negative_indices = head->negative_indices,
                           .soft = head->soft,
                           .dispatch_twice = head->dispatch_twice,
                           .one_memory = head->one_memory,
                           .from_file = head->from_file,
                           .tolerance = {.given = head->has_tolerance,
                                         .absolute = head->absolute,
                                         .relative = head->relative,
                                         .ulps = head->ulps},
                           .lifecycle = head->lifecycle,
                           .name = "",
                           .strategy = "",
                           .tier = ""};
    size_t used = testcase_aligned(sizeof *head);
    c->desc = next_part(from, size, &used, c->spec->blank->size);
    if (!c->desc || c->desc->op != head->op || c->desc->size != c->spec->blank->size || !head_is_sound(c) ||
        !desc_is_sound(c->spec, c->desc))
        return false;
    if (head->is_unread) {
        c->unread = unread;
        *seed = head->seed;
        return decode_unread(from, size, used, head->is_unknown, unread);
    }
    if (!(spec_is_interface(c->spec) ? c->lifecycle.kind > LIFECYCLE_NONE && c->lifecycle.kind < LIFECYCLE_KINDS
                                     : c->lifecycle.kind == LIFECYCLE_NONE || c->lifecycle.kind == LIFECYCLE_GROWTH) ||
        c->lifecycle.steps > LIFECYCLE_STEPS / 2)
        return false;
    if (head->has_in_place && !(c->in_place = next_part(from, size, &used, sizeof *c->in_place)))
        return false;
    if (testcase_in_place_fault(c))
        return false;
    c->literals = head->has_literals ? literals : NULL;
    if (c->literals && !decode_literals(from, size, used, c, literals))
        return false;
    *seed = head->seed;
    return true;
}

bool testcase_has_signed_indices(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->index_count; i++) {
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, spec->indices[i].field);
        if (t->present && datatype_of(t->data_type)->is_signed)
            return true;
    }
    return false;
}

/* Returns the first tensor of a type group. */
static int group_lead(const struct spec *spec, int group)
{
    int field = 0;
    while (!field_is_tensor(&spec->fields[field]) || spec->fields[field].group != group)
        field++;
    return field;
}

const char *testcase_types(const struct spec *spec, const struct opdesc *desc, char text[TESTCASE_TYPES_SIZE])
{
    char *end = text;
    *end = '\0';
    for (int g = 0; g < spec->group_count; g++) {
        bool choice = false; /* a group with one possible type is left out */
        for (int i = 0; i < spec->level_count; i++)
            choice |= __builtin_popcount(spec->levels[i].types[g]) > 1;
        if (!choice)
            continue;
        end = stpcpy(end, end > text ? "-" : "");
        end = stpcpy(end, datatype_of(OPDESC_TENSOR(desc, group_lead(spec, g))->data_type)->lower);
    }
    return text;
}

bool testcase_is_soft(const struct spec *spec, int rule)
{
    return rule >= 0 && spec->rules[rule].behaviour && spec->rules[rule].strength == STRENGTH_SOFT &&
           !spec_find_choice(spec, rule);
}

const struct rule *testcase_rule(const struct testcase *c)
{
    if (c->unread)
        return NULL;
    if (c->rule >= 0)
        return &c->spec->rules[c->rule];
    for (int i = 0; i < c->spec->rule_count && c->expect == EXPECT_RESULTS; i++)
        if (c->spec->rules[i].behaviour)
            return &c->spec->rules[i];
    return NULL;
}

const char *testcase_operator(const struct testcase *c)
{
    return c->unread ? c->unread->operator_name : c->spec->name;
}

const char *testcase_expected(const struct testcase *c)
{
    if (c->unread)
        return "a case that this version can run";
    switch (c->expect) {
    case EXPECT_REJECTED:
        return "rejection with E_INVALIDARG";
    case EXPECT_EITHER:
        return "acceptance or rejection";
    case EXPECT_ACCEPTED:
        return "acceptance";
    default:
        break;
    }
    bool formula = c->spec->result_count > 0;
    if (c->lifecycle.kind)
        return formula ? "the promises of device.h, and the outputs that the formula gives"
                       : "the promises of device.h, and the outputs of the reference device";
    if (testcase_has_outputs(c) && c->tolerance.given)
        return "the outputs in the case file, within its tolerance";
    if (testcase_has_outputs(c) && !c->from_file)
        return "the documented outputs";
    return formula ? "the outputs that the formula gives" : "the outputs of the reference device";
}
