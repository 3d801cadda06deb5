#include "harness/fuzz/fuzz_judge.h"

#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

#include <string.h>

static enum rule_result fuzz_judge_check(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    return atom_check(rules->spec, rules->atoms[atom], desc, rules->table);
}

fuzz_broken fuzz_judge(const struct fuzz_rules *rules, const struct opdesc *desc)
{
    fuzz_broken broken = 0;
    for (int i = 0; i < rules->count; i++)
        if (fuzz_judge_check(rules, i, desc) == BROKEN)
            broken |= 1ull << rules->rule[i];
    return broken;
}

void fuzz_judge_base(const struct fuzz_rules *rules, const struct opdesc *base, struct fuzz_judged *out)
{
    *out = (struct fuzz_judged){0};
    for (int i = 0; i < rules->count; i++) {
        const enum rule_result result = fuzz_judge_check(rules, i, base);
        if (result == BROKEN)
            fuzz_atoms_put(&out->broken, i);
        if (result != HOLDS)
            fuzz_atoms_put(&out->open, i);
    }
}

/* Two numbers at once. */
static uint64_t fuzz_judge_pair(const uint32_t *at)
{
    uint64_t both;
    memcpy(&both, at, sizeof both);
    return both;
}

/* Returns 0 if two lists of OPDESC_MAX_DIMENSIONS numbers are equal. */
static uint64_t difference_of_lists(const uint32_t *a, const uint32_t *b)
{
    _Static_assert(OPDESC_MAX_DIMENSIONS == 10, "five pairs");
    return (fuzz_judge_pair(a) ^ fuzz_judge_pair(b)) | (fuzz_judge_pair(a + 2) ^ fuzz_judge_pair(b + 2)) |
           (fuzz_judge_pair(a + 4) ^ fuzz_judge_pair(b + 4)) | (fuzz_judge_pair(a + 6) ^ fuzz_judge_pair(b + 6)) |
           (fuzz_judge_pair(a + 8) ^ fuzz_judge_pair(b + 8));
}

/* Returns a bit for each numbered part in which two tensors differ. Has one branch, since chance decides which parts
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

/* Returns true if a repair by an atom would leave the description as it is, since it holds. */
static bool judge_is_settled(const struct fuzz_rules *rules, int atom, const struct opdesc *desc)
{
    return rules->settled.words[atom / 64] >> atom % 64 & 1 && fuzz_judge_check(rules, atom, desc) == HOLDS;
}

/* Returns word number `word` of the sets of all these parts together. */
static uint64_t atoms_of(const struct fuzz_atoms *by_part, fuzz_parts parts, int word)
{
    uint64_t atoms = 0;
    for (; parts; parts &= parts - 1)
        atoms |= by_part[__builtin_ctzll(parts)].words[word];
    return atoms;
}

/* Repairs by all rules but `except`, and leaves node `pinned` alone, as solve_repair() does. */
static void repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts, int except,
                   int pinned, struct opdesc *desc)
{
    for (int word = 0; word < (rules->count + 63) / 64; word++) {
        uint64_t due =
            atoms_of(rules->repairers, parts, word) | (judged->open.words[word] & rules->writers.words[word]);
        while (due) {
            const int bit = __builtin_ctzll(due), atom = 64 * word + bit;
            due &= due - 1;
            if (rules->rule[atom] == except || judge_is_settled(rules, atom, desc) ||
                !solve_repair_atom(rules->spec, rules->table, rules->atoms[atom], pinned, desc))
                continue;
            due |= atoms_of(rules->repairers, rules->writes[atom] & ~parts, word) & ~1ull << bit;
            parts |= rules->writes[atom];
        }
    }
}

void fuzz_repair(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                 struct opdesc *desc)
{
    repair(rules, judged, parts, -1, -1, desc);
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
           fuzz_judge_again(rules, judged, fuzz_difference(rules, base, desc), -1, desc) == 1ull << rule;
}

fuzz_broken fuzz_judge_again(const struct fuzz_rules *rules, const struct fuzz_judged *judged, fuzz_parts parts,
                             int least, const struct opdesc *desc)
{
    const int words = (rules->count + 63) / 64;
    fuzz_broken broken = 0;
    uint64_t again[FUZZ_ATOMS / 64];
    for (int i = 0; i < words; i++) {
        again[i] = atoms_of(rules->readers, parts, i);
        for (uint64_t rest = judged->broken.words[i] & ~again[i]; rest; rest &= rest - 1)
            broken |= 1ull << rules->rule[64 * i + __builtin_ctzll(rest)];
    }
    if (least >= 0 && rules->total_atom[least] >= 0) /* it holds, whether it did for the base or not */
        again[rules->total_atom[least] / 64] &= ~(1ull << rules->total_atom[least] % 64);
    for (int i = 0; i < words; i++)
        for (uint64_t rest = again[i]; rest; rest &= rest - 1) {
            int atom = 64 * i + __builtin_ctzll(rest);
            if (!(broken >> rules->rule[atom] & 1) && fuzz_judge_check(rules, atom, desc) == BROKEN)
                broken |= 1ull << rules->rule[atom];
        }
    return broken;
}
