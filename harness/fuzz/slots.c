#include "harness/fuzz/slots.h"

#include "harness/base/datatype.h"
#include "harness/check/check.h"
#include "harness/check/ordered.h"

#include <stdio.h>

/* The slots of a range; ATOM_ONE_OF has those of powers of two after its listed values. */
enum { AT_LOW, AT_HIGH, BETWEEN, SLOT_LEAST = 8, SLOT_ABOVE_LEAST };

static uint16_t slots_of_range(bool at_low, bool at_high)
{
    return (uint16_t)(at_low || at_high ? at_low << AT_LOW | at_high << AT_HIGH : 1 << BETWEEN);
}

/* Returns true if a number equals an operand of an atom: a number, or the entry of a list at the same position. */
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

/* Returns the slot of the value of a set or list at this index. */
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

/* Returns the slots of a number, or of one entry of a list. */
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

/* Returns the slots of an atom: of alternatives, those that hold; otherwise those of all parts, of an array those of
 * every element. */
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
    else if (slot == AT_LOW)
        snprintf(text, size, "at the lower limit");
    else
        snprintf(text, size, "%s", slot == AT_HIGH ? "at the upper limit" : "between the limits");
    return text;
}
