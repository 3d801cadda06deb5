#include "harness/fuzz/rules.h"

#include "harness/base/datatype.h"
#include "harness/spec/check.h"

#include <stdio.h>
#include <string.h>

/* ---- preparing rules */

/* The parts of a tensor field that changes are recorded for. A number is one part, PART_GIVEN. */
enum {
    PART_GIVEN, /* whether the tensor is present and has sizes */
    PART_SIZES,
    PART_STRIDES,
    PART_DIMS,
    PART_DATA_TYPE,
    PART_TOTAL,
    PART_ALIGNMENT,
    PART_FLAGS_AND_TYPE,
    PARTS
};

/* With many fields a bit stands for parts of several fields: then more atoms are checked than necessary. */
static uint64_t part(int field, int which)
{
    return 1ull << (field * PARTS + which) % FUZZ_PARTS;
}

/* The parts that a node reads, without its operands. */
static uint64_t parts_of_leaf(const struct expr *n)
{
    uint64_t given = part(n->field, PART_GIVEN), dims = part(n->field, PART_DIMS), sizes = part(n->field, PART_SIZES),
             strides = part(n->field, PART_STRIDES), type = part(n->field, PART_DATA_TYPE);
    switch (n->op) {
    case EXPR_ATTR:
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
        return given;
    case EXPR_DIMS:
        return given | dims;
    case EXPR_DATA_TYPE:
    case EXPR_ELEMENT_BYTES:
        return given | type;
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
        return given | part(n->field, PART_FLAGS_AND_TYPE);
    case EXPR_ALIGNMENT:
        return given | part(n->field, PART_ALIGNMENT);
    case EXPR_TOTAL:
        return given | part(n->field, PART_TOTAL);
    case EXPR_SIZE:
    case EXPR_SIZES:
    case EXPR_ELEMENTS:
    case EXPR_EFFECTIVE_RANK:
        return given | dims | sizes;
    case EXPR_EXTENT:
    case EXPR_OVERLAP:
        return given | dims | sizes | strides;
    case EXPR_IMPLIED:
        return given | dims | sizes | strides | type;
    default:
        return 0; /* constants and operators */
    }
}

static uint64_t parts_of_node(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    const int operands[] = {n->a, n->b, n->c};
    uint64_t parts = parts_of_leaf(n);
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && operands[i] < node)
            parts |= parts_of_node(spec, operands[i]);
    return parts;
}

static uint64_t parts_of_atom(const struct spec *spec, int atom)
{
    const struct atom *a = &spec->atoms[atom];
    const int nodes[] = {a->x, a->low, a->high};
    uint64_t parts = a->when >= 0 ? parts_of_atom(spec, a->when) : 0;
    for (int i = 0; i < 3 && a->kind != ATOM_SINCE; i++)
        if (nodes[i] >= 0)
            parts |= parts_of_node(spec, nodes[i]);
    return parts;
}

static void put_atom(struct fuzz_atoms *set, int atom)
{
    set->words[atom / 64] |= 1ull << atom % 64;
}

/* Adds an atom of the spec. False: there is no room. */
static bool add_atom(struct fuzz_rules *rules, int rule, int atom)
{
    int index = rules->count;
    if (index == FUZZ_ATOMS)
        return false;
    rules->atoms[index] = atom;
    rules->rule[index] = (uint8_t)rule;
    for (uint64_t rest = parts_of_atom(rules->spec, atom); rest; rest &= rest - 1)
        put_atom(&rules->readers[__builtin_ctzll(rest)], index);
    rules->count++;
    return true;
}

bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level)
{
    *rules = (struct fuzz_rules){.spec = spec, .level = level, .table = spec_table(spec, level)};
    if (spec->rule_count > FUZZ_RULES)
        return false;
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        rules->first_atom[i] = (uint16_t)rules->count;
        if (!rule_applies(rule, level))
            continue;
        rules->all |= 1ull << i;
        rules->open |= rule->strength == STRENGTH_OPEN ? 1ull << i : 0;
        rules->soft |= rule->strength == STRENGTH_SOFT ? 1ull << i : 0;
        rules->atom_count[i] = (uint16_t)rule->atom_count;
        for (int j = 0; j < rule->atom_count; j++)
            if (!add_atom(rules, i, rule->first_atom + j))
                return false;
    }
    return true;
}

bool fuzz_can_break(const struct fuzz_rules *rules, int rule)
{
    const struct atom *a = &rules->spec->atoms[rules->spec->rules[rule].first_atom];
    return rules->all >> rule & 1 && (a->kind != ATOM_SINCE || rules->table < 0);
}

static bool is_broken(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    return atom_check(rules->spec, rules->atoms[atom], desc, rules->table) == BROKEN;
}

fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc, struct fuzz_atoms *broken_atoms)
{
    fuzz_broken broken = 0;
    *broken_atoms = (struct fuzz_atoms){0};
    for (int i = 0; i < rules->count; i++)
        if (is_broken(rules, i, desc)) {
            put_atom(broken_atoms, i);
            broken |= 1ull << rules->rule[i];
        }
    return broken;
}

static uint64_t parts_of_tensor(int field, const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    uint64_t parts = 0;
    if (memcmp(a, b, sizeof *a) == 0)
        return 0;
    if (a->present != b->present || a->has_sizes != b->has_sizes)
        parts |= part(field, PART_GIVEN);
    if (memcmp(a->sizes, b->sizes, sizeof a->sizes) != 0)
        parts |= part(field, PART_SIZES);
    if (a->has_strides != b->has_strides || memcmp(a->strides, b->strides, sizeof a->strides) != 0)
        parts |= part(field, PART_STRIDES);
    if (a->dims != b->dims)
        parts |= part(field, PART_DIMS);
    if (a->data_type != b->data_type)
        parts |= part(field, PART_DATA_TYPE);
    if (a->total != b->total)
        parts |= part(field, PART_TOTAL);
    if (a->alignment != b->alignment)
        parts |= part(field, PART_ALIGNMENT);
    if (a->flags != b->flags || a->type != b->type)
        parts |= part(field, PART_FLAGS_AND_TYPE);
    return parts;
}

/* The atoms that read a part in which two descriptions differ. */
static struct fuzz_atoms readers_of_difference(const struct fuzz_rules *rules, const struct opdesc *a,
                                               const struct opdesc *b)
{
    struct fuzz_atoms atoms = {0};
    uint64_t parts = 0;
    for (int i = 0; i < rules->spec->field_count; i++)
        if (!field_is_tensor(&rules->spec->fields[i]))
            parts |= a->values[i].number != b->values[i].number ? part(i, PART_GIVEN) : 0;
        else
            parts |= parts_of_tensor(i, OPDESC_TENSOR(a, i), OPDESC_TENSOR(b, i));
    for (; parts; parts &= parts - 1)
        for (int i = 0; i < FUZZ_ATOMS / 64; i++)
            atoms.words[i] |= rules->readers[__builtin_ctzll(parts)].words[i];
    return atoms;
}

fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct opdesc *base,
                             const struct fuzz_atoms *broken_atoms, const struct opdesc *desc)
{
    fuzz_broken broken = 0;
    struct fuzz_atoms again = readers_of_difference(rules, base, desc);
    for (int i = 0; i < FUZZ_ATOMS / 64; i++)
        for (uint64_t rest = broken_atoms->words[i] & ~again.words[i]; rest; rest &= rest - 1)
            broken |= 1ull << rules->rule[64 * i + __builtin_ctzll(rest)];
    for (int i = 0; i < FUZZ_ATOMS / 64; i++)
        for (uint64_t rest = again.words[i]; rest; rest &= rest - 1) {
            int atom = 64 * i + __builtin_ctzll(rest);
            if (!(broken >> rules->rule[atom] & 1) && is_broken(rules, atom, desc))
                broken |= 1ull << rules->rule[atom];
        }
    return broken;
}

int fuzz_blame(const struct fuzz_rules *rules, fuzz_broken broken)
{
    fuzz_broken hard = broken & ~rules->open & ~rules->soft, soft = broken & rules->soft;
    return hard ? __builtin_ctzll(hard) : soft ? __builtin_ctzll(soft) : -1;
}

int fuzz_count(const struct fuzz_rules *rules, fuzz_broken broken)
{
    int count = __builtin_popcountll(broken & ~rules->open);
    return count < FUZZ_MAX_BROKEN ? count : FUZZ_MAX_BROKEN;
}

/* ---- slots */

/* The slots of a range, and those of ATOM_ONE_OF for powers of two, after its listed values. */
enum { AT_LOW, AT_HIGH, BETWEEN, SLOT_LEAST = 8, SLOT_ABOVE_LEAST };

static uint16_t slots_of_number(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int64_t x)
{
    int64_t bound;
    uint16_t slots = 0;
    if (a->low >= 0 && expr_number(spec->nodes, a->low, desc, &bound) && x == bound)
        slots |= 1 << AT_LOW;
    if (a->high >= 0 && expr_number(spec->nodes, a->high, desc, &bound) && x == bound)
        slots |= 1 << AT_HIGH;
    return slots ? slots : 1 << BETWEEN;
}

static uint16_t slots_of_list(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_list list;
    uint16_t slots = 0;
    if (!expr_list(spec->nodes, a->x, desc, &list))
        return 0;
    for (int i = 0; i < list.count; i++)
        if (a->kind == ATOM_EACH)
            slots |= slots_of_number(spec, a, desc, list.items[i]);
        else
            slots |= list.items[i] > 1 ? 1 << AT_HIGH : 1 << AT_LOW;
    return slots;
}

static uint16_t slots_of_choice(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int64_t x)
{
    int64_t least;
    for (int i = 0; i < a->set_count; i++)
        if (x == a->set[i])
            return (uint16_t)(1 << i);
    if (!a->powers || !expr_number(spec->nodes, a->low, desc, &least))
        return 0;
    return x == least ? 1 << SLOT_LEAST : 1 << SLOT_ABOVE_LEAST;
}

uint16_t fuzz_slots(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    const struct spec *spec = rules->spec;
    const struct atom *a = &spec->atoms[rules->atoms[atom]];
    int64_t x;
    if (a->kind == ATOM_SINCE)
        return rules->level == spec->since ? 1 << AT_LOW : 0;
    if (rules->table < 0 || (a->when >= 0 && atom_check(spec, a->when, desc, rules->table) != HOLDS))
        return 0;
    if (a->kind == ATOM_EACH || a->kind == ATOM_EQUAL)
        return slots_of_list(spec, a, desc);
    if (!expr_number(spec->nodes, a->x, desc, &x))
        return 0;
    if (a->kind == ATOM_TYPES || a->kind == ATOM_DIMS)
        return (uint16_t)(1 << (x < FUZZ_SLOTS ? x : FUZZ_SLOTS - 1));
    return a->kind == ATOM_ONE_OF ? slots_of_choice(spec, a, desc, x) : slots_of_number(spec, a, desc, x);
}

bool fuzz_slot_is_limit(const struct fuzz_rules *rules, int atom, int slot)
{
    enum atom_kind kind = rules->spec->atoms[rules->atoms[atom]].kind;
    return kind == ATOM_TYPES || kind == ATOM_DIMS || kind == ATOM_ONE_OF || slot != BETWEEN;
}

const char *fuzz_slot_text(const struct fuzz_rules *rules, int atom, int slot, char *text, size_t size)
{
    const struct atom *a = &rules->spec->atoms[rules->atoms[atom]];
    if (a->kind == ATOM_TYPES)
        snprintf(text, size, "%s", datatype_of((unsigned)slot)->name);
    else if (a->kind == ATOM_DIMS)
        snprintf(text, size, "%d", slot);
    else if (a->kind == ATOM_ONE_OF && slot < a->set_count)
        snprintf(text, size, "%lld", (long long)a->set[slot]);
    else if (a->kind == ATOM_ONE_OF)
        snprintf(text, size, "%s", slot == SLOT_LEAST ? "the least power of two" : "a larger power of two");
    else if (a->kind == ATOM_EQUAL)
        snprintf(text, size, "%s", slot == AT_HIGH ? "a size above 1" : "a size of 1");
    else if (a->kind == ATOM_BETWEEN && a->low >= 0 && a->low == a->high)
        snprintf(text, size, "%s", "equal");
    else
        snprintf(text, size, "%s",
                 slot == AT_LOW    ? "at the lower limit"
                 : slot == AT_HIGH ? "at the upper limit"
                                   : "between the limits");
    return text;
}

/* ---- weights */

struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken)
{
    struct fuzz_weight weight = {0};
    uint64_t *parts = weight.parts;
    parts[0] = (uint64_t)__builtin_popcountll(broken);
    if (rules->table < 0) /* no operator at this level: simplest is what is legal at the level that introduces it */
        parts[0] += (uint64_t)rules_check(rules->spec, desc, rules->spec->since, NULL, 0);
    for (int i = 0; i < rules->spec->field_count; i++) {
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, i);
        if (!field_is_tensor(&rules->spec->fields[i])) {
            parts[4] += (uint64_t)desc->values[i].number;
            continue;
        }
        parts[1] += (uint64_t)!t->present + !t->has_sizes + t->has_strides + (t->flags != 0) + (t->alignment != 0) +
                    (t->type != DML_TENSOR_TYPE_BUFFER) + (t->dims == 0) +
                    (t->data_type == DML_TENSOR_DATA_TYPE_UNKNOWN || t->data_type >= DATATYPE_COUNT);
        parts[2] += t->dims;
        for (uint32_t d = 0; d < t->dims; d++) {
            parts[1] += t->has_sizes && t->sizes[d] == 0;
            parts[3] += t->sizes[d];
            parts[7] += t->has_strides ? t->strides[d] : 0;
        }
        parts[5] += t->data_type;
        parts[6] += t->total > (uint64_t)opdesc_implied(t) ? t->total - (uint64_t)opdesc_implied(t)
                                                           : (uint64_t)opdesc_implied(t) - t->total;
        parts[7] += (uint64_t)t->flags + t->alignment + t->type;
    }
    return weight;
}

bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b)
{
    for (int i = 0; i < 8; i++)
        if (a->parts[i] != b->parts[i])
            return a->parts[i] < b->parts[i];
    return false;
}
