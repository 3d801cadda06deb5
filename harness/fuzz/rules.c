#include "harness/fuzz/rules.h"

#include "harness/base/datatype.h"
#include "harness/spec/check.h"
#include "harness/spec/field_kind.h"
#include "harness/spec/ordered.h"
#include "harness/spec/solve.h"

#include <stdio.h>
#include <string.h>

/* ---- preparing rules */

/* The parts that a node reads, without its operands. */
static fuzz_parts parts_of_leaf(const struct expr *n)
{
    fuzz_parts given = fuzz_part(n->field, FUZZ_GIVEN), dims = fuzz_part(n->field, FUZZ_DIMS),
               sizes = fuzz_part(n->field, FUZZ_SIZES), strides = fuzz_part(n->field, FUZZ_STRIDES),
               type = fuzz_part(n->field, FUZZ_DATA_TYPE);
    switch (n->op) {
    case EXPR_ATTR:
    case EXPR_GIVEN:
    case EXPR_OPERATOR:
    case EXPR_HAS_DESC:
    case EXPR_MEMBER_GIVEN:
    case EXPR_ENTRIES:
    case EXPR_MAP:
    case EXPR_REAL:
    case EXPR_REALS:
    case EXPR_SCALAR:
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
        return given | fuzz_part(n->field, FUZZ_FLAGS_AND_TYPE);
    case EXPR_ALIGNMENT:
        return given | fuzz_part(n->field, FUZZ_ALIGNMENT);
    case EXPR_TOTAL:
        return given | fuzz_part(n->field, FUZZ_TOTAL);
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

static fuzz_parts parts_of_node(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    const int operands[] = {n->a, n->b, n->c};
    fuzz_parts parts = parts_of_leaf(n);
    if (n->op == EXPR_SCALAR) /* what it is depends on its type */
        parts |= fuzz_part(spec->fields[n->field].typed_by, FUZZ_GIVEN);
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && operands[i] < node)
            parts |= parts_of_node(spec, operands[i]);
    return parts;
}

static fuzz_parts parts_of_atom(const struct spec *spec, int atom)
{
    const struct atom *a = &spec->atoms[atom];
    const int nodes[] = {a->x, a->low, a->high};
    fuzz_parts parts = a->when >= 0 ? parts_of_atom(spec, a->when) : 0;
    for (int i = 0; i < 3 && a->kind != ATOM_SINCE; i++)
        if (nodes[i] >= 0)
            parts |= parts_of_node(spec, nodes[i]);
    for (int i = 0; i < a->part_count; i++)
        parts |= parts_of_atom(spec, a->parts[i]);
    return parts;
}

fuzz_parts fuzz_parts_set_at(const struct fuzz_rules *rules, int node)
{
    const struct expr *n = &rules->spec->nodes[node];
    fuzz_parts sizes = fuzz_part(n->field, FUZZ_SIZES);
    switch (n->op) {
    case EXPR_DIMS:
    case EXPR_EFFECTIVE_RANK:
        return sizes | fuzz_part(n->field, FUZZ_DIMS) | fuzz_part(n->field, FUZZ_STRIDES);
    case EXPR_SIZE:
    case EXPR_SIZES:
        return sizes;
    case EXPR_DATA_TYPE:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_ALIGNMENT:
    case EXPR_TOTAL:
        return parts_of_leaf(n) & ~fuzz_part(n->field, FUZZ_GIVEN);
    case EXPR_ATTR:
        return rules->of_field[n->field];
    default:
        return parts_of_leaf(n);
    }
}

static fuzz_parts parts_set_in(const struct fuzz_rules *rules, int node)
{
    const struct expr *n = &rules->spec->nodes[node];
    const int operands[] = {n->a, n->b, n->c};
    fuzz_parts parts = fuzz_parts_set_at(rules, node);
    for (int i = 0; i < 3; i++)
        if (operands[i] >= 0 && operands[i] < node)
            parts |= parts_set_in(rules, operands[i]);
    return parts;
}

/* The parts that a repair by an atom may set: of its left side, where both give way of both. */
static fuzz_parts parts_set_by(const struct fuzz_rules *rules, int atom)
{
    const struct atom *a = &rules->spec->atoms[atom];
    fuzz_parts parts = 0;
    if (a->kind != ATOM_SINCE && a->x >= 0)
        parts |= parts_set_in(rules, a->x);
    if ((a->kind == ATOM_DIVIDES || a->kind == ATOM_ORDERED) && a->low >= 0)
        parts |= parts_set_in(rules, a->low);
    for (int i = 0; i < a->part_count; i++)
        parts |= parts_set_by(rules, a->parts[i]);
    return parts;
}

/* Whether a repair by the atom leaves a description as it is for which the atom holds. */
static bool is_settled(const struct spec *spec, const struct atom *a)
{
    switch (a->kind) {
    case ATOM_BETWEEN:
        return spec->nodes[a->x].op != EXPR_OPERATOR; /* whose Desc gets set, too */
    case ATOM_EACH:
    case ATOM_EQUAL:
    case ATOM_ONE_OF:
    case ATOM_ANY:
    case ATOM_DIMS:
        return true;
    default: /* these are few */
        return false;
    }
}

static void put_atom(struct fuzz_atoms *set, int atom)
{
    set->words[atom / 64] |= 1ull << atom % 64;
}

/* Adds an atom of the spec. False: there is no room. */
static bool add_atom(struct fuzz_rules *rules, int rule, int atom)
{
    const struct atom *a = &rules->spec->atoms[atom];
    int index = rules->count;
    if (index == FUZZ_ATOMS)
        return false;
    rules->atoms[index] = atom;
    rules->rule[index] = (uint8_t)rule;
    rules->count++;
    if (rules->table >= 0 && a->repairable) {
        rules->repairs[index] = is_settled(rules->spec, a) ? parts_of_atom(rules->spec, atom) : UINT64_MAX;
        rules->writes[index] = parts_set_by(rules, atom);
    }
    if (a->kind != ATOM_SINCE &&
        !levels_include(a->from, a->before,
                        rules->table < 0 ? rules->spec->since : rules->spec->levels[rules->table].level))
        return true; /* it always holds */
    for (uint64_t rest = parts_of_atom(rules->spec, atom); rest; rest &= rest - 1)
        put_atom(&rules->readers[__builtin_ctzll(rest)], index);
    return true;
}

static void list_parts(struct fuzz_rules *rules)
{
    const struct spec *spec = rules->spec;
    for (int i = 0; i < spec->field_count; i++) {
        const bool is_tensor = field_is_tensor(&spec->fields[i]);
        for (int which = 0; which < (is_tensor ? FUZZ_PARTS_OF_FIELD : 1); which++)
            rules->of_field[i] |= fuzz_part(i, (enum fuzz_part)which);
    }
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].count_field >= 0)
            rules->of_field[spec->fields[i].count_field] |= rules->of_field[i];
}

bool fuzz_rules_init(struct fuzz_rules *rules, const struct spec *spec, DML_FEATURE_LEVEL level)
{
    *rules = (struct fuzz_rules){.spec = spec, .level = level, .table = spec_table(spec, level)};
    if (spec->rule_count > FUZZ_RULES)
        return false;
    list_parts(rules);
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
    const struct rule *r = &rules->spec->rules[rule];
    const struct atom *a = &rules->spec->atoms[r->first_atom];
    bool at_level = false;
    for (int i = 0; i < r->atom_count; i++)
        at_level |= levels_include(a[i].from, a[i].before, rules->level);
    return rules->all >> rule & 1 && at_level && (a->kind != ATOM_SINCE || rules->table < 0);
}

static enum rule_result check(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    return atom_check(rules->spec, rules->atoms[atom], desc, rules->table);
}

fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc)
{
    fuzz_broken broken = 0;
    for (int i = 0; i < rules->count; i++)
        if (check(rules, i, desc) == BROKEN)
            broken |= 1ull << rules->rule[i];
    return broken;
}

void fuzz_judge_base(const struct fuzz_rules *rules, const struct opdesc *base, struct fuzz_judged *out)
{
    *out = (struct fuzz_judged){0};
    for (int i = 0; i < rules->count; i++) {
        const enum rule_result result = check(rules, i, base);
        if (result == BROKEN)
            put_atom(&out->broken, i);
        if (result != HOLDS)
            put_atom(&out->open, i);
    }
}

/* Two numbers at once. */
static uint64_t pair(const uint32_t *at)
{
    uint64_t both;
    memcpy(&both, at, sizeof both);
    return both;
}

/* Not 0 if two lists of OPDESC_MAX_DIMENSIONS numbers differ. */
static uint64_t difference_of_lists(const uint32_t *a, const uint32_t *b)
{
    _Static_assert(OPDESC_MAX_DIMENSIONS == 10, "five pairs");
    return (pair(a) ^ pair(b)) | (pair(a + 2) ^ pair(b + 2)) | (pair(a + 4) ^ pair(b + 4)) |
           (pair(a + 6) ^ pair(b + 6)) | (pair(a + 8) ^ pair(b + 8));
}

/* A bit for each part of a tensor in which two differ, by number. Has one branch, since chance decides where they
 * differ. */
static uint32_t difference_of_tensors(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    uint32_t given = (uint32_t)(a->present ^ b->present) | (uint32_t)(a->has_sizes ^ b->has_sizes),
             dims = a->dims ^ b->dims, data_type = a->data_type ^ b->data_type, alignment = a->alignment ^ b->alignment,
             flags_and_type = (a->flags ^ b->flags) | (a->type ^ b->type);
    uint64_t sizes = difference_of_lists(a->sizes, b->sizes), total = a->total ^ b->total,
             strides = difference_of_lists(a->strides, b->strides) | (uint64_t)(a->has_strides ^ b->has_strides);
    if (!(sizes | strides | total | given | dims | data_type | alignment | flags_and_type))
        return 0;
    return (uint32_t)(given != 0) << FUZZ_GIVEN | (uint32_t)(sizes != 0) << FUZZ_SIZES |
           (uint32_t)(strides != 0) << FUZZ_STRIDES | (uint32_t)(dims != 0) << FUZZ_DIMS |
           (uint32_t)(data_type != 0) << FUZZ_DATA_TYPE | (uint32_t)(total != 0) << FUZZ_TOTAL |
           (uint32_t)(alignment != 0) << FUZZ_ALIGNMENT | (uint32_t)(flags_and_type != 0) << FUZZ_FLAGS_AND_TYPE;
}

fuzz_parts fuzz_difference_of_field(const struct fuzz_rules *rules, int field, const struct opdesc *a,
                                    const struct opdesc *b)
{
    const enum field_kind kind = rules->spec->fields[field].kind;
    const int items = field_kinds[kind].items, first = a->values[field].place.item;
    fuzz_parts parts = (a->given ^ b->given) >> field & 1 ? fuzz_part(field, FUZZ_GIVEN) : 0;
    if (items == 0)
        return a->values[field].number == b->values[field].number ? parts : rules->of_field[field];
    if (!field_is_tensor(&rules->spec->fields[field]))
        return memcmp(&a->items[first], &b->items[first], (size_t)items * sizeof *a->items) == 0
                   ? parts
                   : fuzz_part(field, FUZZ_GIVEN);
    for (int i = first; i < first + items; i++)
        parts |= (fuzz_parts)difference_of_tensors(&a->items[i].tensor, &b->items[i].tensor)
                 << field * FUZZ_PARTS_OF_FIELD % FUZZ_PARTS;
    return parts;
}

fuzz_parts fuzz_difference(const struct fuzz_rules *rules, const struct opdesc *a, const struct opdesc *b)
{
    fuzz_parts parts = 0;
    for (int i = 0; i < a->field_count; i++)
        parts |= fuzz_difference_of_field(rules, i, a, b);
    return parts;
}

/* Repairs by all rules but `except`, and leaves node `pinned` alone, as solve_repair() does. */
static fuzz_parts repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts, int except,
                         int pinned, struct opdesc *desc)
{
    for (int i = 0; i < rules->count; i++)
        if ((rules->repairs[i] & parts || (rules->writes[i] && judged->open.words[i / 64] >> i % 64 & 1)) &&
            rules->rule[i] != except && solve_repair_atom(rules->spec, rules->table, rules->atoms[i], pinned, desc))
            parts |= rules->writes[i];
    return parts;
}

fuzz_parts fuzz_repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                       struct opdesc *desc)
{
    return repair(rules, judged, parts, -1, -1, desc);
}

bool fuzz_violate(const struct fuzz_rules *rules, const struct opdesc *base, const struct fuzz_judged *judged, int rule,
                  const struct solve_move *move, struct opdesc *desc)
{
    opdesc_copy(desc, base);
    if (!solve_make_move(rules->spec, rule, rules->table, move, desc))
        return false;
    if (solve_move_spreads(rules->spec, move)) {
        repair(rules, judged, fuzz_difference(rules, base, desc), rule, solve_pinned_by(move), desc);
        solve_totals(rules->spec, desc);
    }
    return atom_check(rules->spec, move->atom, desc, rules->table) == BROKEN &&
           fuzz_judge_again(rules, judged, fuzz_difference(rules, base, desc), desc) == 1ull << rule;
}

fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                             const struct opdesc *desc)
{
    const int words = (rules->count + 63) / 64;
    fuzz_broken broken = 0;
    uint64_t again[FUZZ_ATOMS / 64];
    for (int i = 0; i < words; i++) {
        again[i] = 0;
        for (fuzz_parts rest = parts; rest; rest &= rest - 1)
            again[i] |= rules->readers[__builtin_ctzll(rest)].words[i];
        for (uint64_t rest = judged->broken.words[i] & ~again[i]; rest; rest &= rest - 1)
            broken |= 1ull << rules->rule[64 * i + __builtin_ctzll(rest)];
    }
    for (int i = 0; i < words; i++)
        for (uint64_t rest = again[i]; rest; rest &= rest - 1) {
            int atom = 64 * i + __builtin_ctzll(rest);
            if (!(broken >> rules->rule[atom] & 1) && check(rules, atom, desc) == BROKEN)
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
    int count = 0;
    for (fuzz_broken rest = broken & ~rules->open; rest && count < FUZZ_MAX_BROKEN; rest &= rest - 1)
        count++;
    return count;
}

/* ---- slots */

/* The slots of a range, and those of ATOM_ONE_OF for powers of two, after its listed values. */
enum { AT_LOW, AT_HIGH, BETWEEN, SLOT_LEAST = 8, SLOT_ABOVE_LEAST };

static uint16_t slots_of_range(bool at_low, bool at_high)
{
    return (uint16_t)(at_low || at_high ? at_low << AT_LOW | at_high << AT_HIGH : 1 << BETWEEN);
}

/* Whether a number equals an operand of an atom: a number, or the entry of a list at the same position. */
static bool is_at(const struct spec *spec, int node, const struct opdesc *desc, int element, int position, int64_t x)
{
    struct expr_list list;
    int64_t bound;
    if (node < 0)
        return false;
    if (!expr_is_list(&spec->nodes[node]))
        return expr_number_of(spec->nodes, node, desc, element, &bound) && x == bound;
    return expr_list_of(spec->nodes, node, desc, element, &list) && position < list.count && x == list.items[position];
}

/* The slot of the value of a set or list at this index. */
static uint16_t slot_of_index(int index)
{
    return (uint16_t)(1 << (index < FUZZ_SLOTS ? index : FUZZ_SLOTS - 1));
}

static uint16_t slots_of_choice(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int64_t x)
{
    int64_t least;
    for (int i = 0; i < a->set_count; i++)
        if (x == a->set[i])
            return slot_of_index(i);
    if (!a->powers || !expr_number(spec->nodes, a->low, desc, &least))
        return 0;
    return x == least ? 1 << SLOT_LEAST : 1 << SLOT_ABOVE_LEAST;
}

static uint16_t slots_of_member(const struct spec *spec, const struct atom *a, const struct opdesc *desc, int element,
                                int64_t x)
{
    struct expr_list list;
    if (!expr_list_of(spec->nodes, a->low, desc, element, &list))
        return 0;
    for (int i = 0; i < list.count; i++)
        if (x == list.items[i])
            return slot_of_index(i);
    return 0;
}

/* The slots of a number, or of one entry of a list. */
static uint16_t slots_of_entry(const struct fuzz_rules *rules, const struct atom *a, const struct opdesc *desc,
                               int element, int position, int64_t x)
{
    const struct spec *spec = rules->spec;
    switch (a->kind) {
    case ATOM_TYPES:
    case ATOM_DIMS:
        return slot_of_index(x < 0 || x > FUZZ_SLOTS ? FUZZ_SLOTS - 1 : (int)x);
    case ATOM_ONE_OF:
        return slots_of_choice(spec, a, desc, x);
    case ATOM_MEMBER:
        return slots_of_member(spec, a, desc, element, x);
    case ATOM_EQUAL:
        return x > 1 ? 1 << AT_HIGH : 1 << AT_LOW;
    case ATOM_DISTINCT:
        return position > 0 ? 1 << AT_HIGH : 1 << AT_LOW;
    case ATOM_DIVIDES: /* the least multiple, or another */
        return is_at(spec, a->low, desc, element, position, x) ? 1 << AT_LOW : 1 << BETWEEN;
    case ATOM_BROADCASTS:
        return slots_of_range(x == 1, x != 1);
    default:
        return slots_of_range(is_at(spec, a->low, desc, element, position, x),
                              is_at(spec, a->high, desc, element, position, x));
    }
}

static uint16_t slots_of_reals(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_reals x;
    uint16_t slots = 0;
    if (!expr_reals(spec->nodes, a->x, desc, &x))
        return 0;
    for (int i = 0; i < x.count; i++)
        slots |= slots_of_range((double)x.items[i] == a->reals.low, (double)x.items[i] == a->reals.high);
    return slots;
}

static uint16_t slots_of_order(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    int order;
    return ordered_compare(spec, a, desc, &order) && order <= 0 ? slots_of_range(order == 0, false) : 0;
}

static uint16_t slots_of(const struct fuzz_rules *rules, int atom, const struct opdesc *desc, int element);

/* Of alternatives, which hold; else the slots of all parts, of an array those of every element. */
static uint16_t slots_of_parts(const struct fuzz_rules *rules, const struct atom *a, const struct opdesc *desc,
                               int element)
{
    int last = a->kind == ATOM_EVERY ? (int)opdesc_count(desc, a->array) : element + 1;
    uint16_t slots = 0;
    for (int at = a->kind == ATOM_EVERY ? 0 : element; at < last; at++)
        for (int i = 0; i < a->part_count; i++)
            if (a->kind != ATOM_ANY)
                slots |= slots_of(rules, a->parts[i], desc, at);
            else if (atom_check_of(rules->spec, a->parts[i], desc, rules->table, at) == HOLDS)
                slots |= slot_of_index(i);
    return slots;
}

static uint16_t slots_of(const struct fuzz_rules *rules, int atom, const struct opdesc *desc, int element)
{
    const struct spec *spec = rules->spec;
    const struct atom *a = &spec->atoms[atom];
    struct expr_list x = {.count = 1};
    uint16_t slots = 0;
    if (!levels_include(a->from, a->before, spec->levels[rules->table].level) ||
        (a->when >= 0 && atom_check_of(spec, a->when, desc, rules->table, element) != HOLDS))
        return 0;
    if (a->part_count > 0)
        return slots_of_parts(rules, a, desc, element);
    if (a->kind == ATOM_REALS)
        return slots_of_reals(spec, a, desc);
    if (a->kind == ATOM_ORDERED)
        return slots_of_order(spec, a, desc);
    if (!(expr_is_list(&spec->nodes[a->x]) ? expr_list_of(spec->nodes, a->x, desc, element, &x)
                                           : expr_number_of(spec->nodes, a->x, desc, element, &x.items[0])))
        return 0;
    for (int i = 0; i < x.count; i++)
        slots |= slots_of_entry(rules, a, desc, element, i, x.items[i]);
    return slots;
}

uint16_t fuzz_slots(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    if (rules->spec->atoms[rules->atoms[atom]].kind == ATOM_SINCE)
        return rules->level == rules->spec->since ? 1 << AT_LOW : 0;
    return rules->table < 0 ? 0 : slots_of(rules, rules->atoms[atom], desc, 0);
}

bool fuzz_slot_is_limit(const struct fuzz_rules *rules, int atom, int slot)
{
    enum atom_kind kind = rules->spec->atoms[rules->atoms[atom]].kind;
    return kind == ATOM_TYPES || kind == ATOM_DIMS || kind == ATOM_ONE_OF || kind == ATOM_MEMBER || kind == ATOM_ANY ||
           slot != BETWEEN;
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
    else if (a->kind == ATOM_MEMBER)
        snprintf(text, size, "value %d of the list", slot + 1);
    else if (a->kind == ATOM_ANY)
        snprintf(text, size, "alternative %d", slot + 1);
    else if (a->kind == ATOM_DISTINCT)
        snprintf(text, size, "%s", slot == AT_HIGH ? "several entries" : "one entry");
    else if (a->kind == ATOM_DIVIDES)
        snprintf(text, size, "%s", slot == AT_LOW ? "the least multiple" : "a larger multiple");
    else if (a->kind == ATOM_BROADCASTS)
        snprintf(text, size, "%s", slot == AT_HIGH ? "the size of the other tensor" : "a size of 1");
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
    for (struct field_ref ref = field_ref(rules->spec, desc, 0); ref.at < rules->spec->field_count; ref.at++)
        parts[4] += field_kind(&ref)->weigh(&ref);
    for (int i = spec_next_tensor(rules->spec, desc, -1); i >= 0; i = spec_next_tensor(rules->spec, desc, i)) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
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
