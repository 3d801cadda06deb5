/* fuzz/fuzz_judge.h looks at the differences from a base alone. It judges, repairs and violates as the whole rules do,
 * for every operator and level, however legal descriptions are changed. */
#include "harness/base/random.h"
#include "harness/fuzz/make.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"
#include "harness/load/load.h"
#include "harness/solve/solve.h"
#include "harness/test/sampled.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <string.h>

enum { BASES = 12, LEGAL = BASES / 4 * 3, CHANGES = 24, ROUNDS = 24, VARIANTS = 120 };

static struct spec_set specs;

struct tally {
    unsigned long changed, broken, judged_wrongly, repaired, repaired_otherwise, violated, violated_otherwise, made,
        made_wrongly, made_unnoticed;
};

/* Changes one member: to any value, or a part of a tensor to one that programs use. */
static void test_fuzz_rules_change(struct random *r, const struct spec *spec, struct opdesc *desc)
{
    struct field_ref ref = field_ref(spec, desc, (int)random_below(r, (uint32_t)spec->field_count));
    struct opdesc_tensor *t = field_is_tensor(&spec->fields[ref.at]) ? &field_items(&ref)->tensor : NULL;
    switch (t ? random_below(r, 6) : 0) {
    case 1:
        opdesc_resize(t, 1 + random_below(r, 8));
        break;
    case 2:
        t->data_type = random_below(r, 16);
        break;
    case 3:
        t->sizes[random_below(r, t->dims < OPDESC_MAX_DIMENSIONS ? t->dims + 1 : OPDESC_MAX_DIMENSIONS)] =
            random_below(r, 5);
        break;
    case 4:
        t->total += 4;
        break;
    case 5:
        t->has_strides = !t->has_strides;
        break;
    default:
        field_kind(&ref)->mutate(&ref, r);
    }
    for (int i = 0; i < spec->field_count; i++) { /* an array has no more elements than there is room for */
        int count = spec->fields[i].count_field;
        if (count >= 0 && desc->values[count].number > OPDESC_MAX_ARRAY)
            desc->values[count].number %= OPDESC_MAX_ARRAY + 1;
    }
}

static fuzz_broken broken_rules(const struct fuzz_rules *rules, const struct opdesc *desc)
{
    int broken[FUZZ_RULES], count = rules_check(rules->spec, desc, rules->level, broken, FUZZ_RULES);
    fuzz_broken set = 0;
    for (int i = 0; i < count; i++)
        set |= 1ull << broken[i];
    return set;
}

static void test_base(const struct fuzz_rules *rules, const struct opdesc *base, struct random *r, struct tally *tally)
{
    struct fuzz_judged judged;
    fuzz_judge_base(rules, base, &judged);
    for (int i = 0; i < CHANGES; i++) {
        struct opdesc desc, repaired;
        opdesc_copy(&desc, base);
        for (uint32_t n = 1 + random_below(r, 3); n > 0; n--)
            test_fuzz_rules_change(r, rules->spec, &desc);
        const fuzz_parts parts = fuzz_difference(rules, base, &desc);
        fuzz_broken broken = fuzz_judge_again(rules, &judged, parts, -1, &desc);
        tally->changed++;
        tally->broken += broken != 0;
        tally->judged_wrongly += broken != broken_rules(rules, &desc);
        if (rules->table < 0)
            continue;
        opdesc_copy(&repaired, &desc);
        fuzz_repair(rules, &judged, parts, &repaired);
        solve_repair(rules->spec, rules->table, -1, -1, &desc);
        tally->repaired++;
        tally->repaired_otherwise += memcmp(&repaired, &desc, desc.size) != 0;
    }
}

/* Breaks one rule of a legal base by each of its moves. */
static void test_fuzz_rules_violate(const struct fuzz_rules *rules, const struct opdesc *base, int rule,
                                    struct tally *tally)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    struct fuzz_judged judged;
    fuzz_judge_base(rules, base, &judged);
    int count = solve_moves(rules->spec, rule, rules->table, base, moves);
    for (int i = 0; i < count; i++) {
        struct opdesc desc, other;
        bool violated = fuzz_violate(rules, base, &judged, rule, &moves[i], &desc);
        bool by_all = solve_violate(rules->spec, rule, rules->table, base, &moves[i], &other, NULL);
        tally->violated += violated;
        tally->violated_otherwise += violated != by_all || (violated && memcmp(&desc, &other, desc.size) != 0);
    }
}

/* The search's own variants: if a variant differs in a part that the maker does not name, that part would be judged as
 * that of the base. */
static void test_maker(const struct fuzz_rules *rules, unsigned op, struct tally *tally)
{
    static struct fuzz_maker maker;
    fuzz_maker_init(&maker, rules, op, random_hash(rules->spec->name, (uint64_t)rules->level), NULL, 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct opdesc base, desc;
        fuzz_maker_base(&maker, &base);
        for (uint32_t n = 0; n < VARIANTS; n++) {
            struct fuzz_variant variant = fuzz_maker_vary(&maker, &base, n, &desc);
            fuzz_broken broken = fuzz_maker_judge(&maker, variant, &desc);
            tally->made++;
            tally->made_unnoticed += !variant.violates && (fuzz_difference(rules, &base, &desc) & ~variant.parts) != 0;
            tally->made_wrongly += broken != broken_rules(rules, &desc);
            fuzz_maker_learn(&maker, &desc, broken, false);
        }
    }
}

static void test_fuzz_rules_level(unsigned op, DML_FEATURE_LEVEL level, struct tally *tally)
{
    static struct fuzz_rules rules;
    const struct spec *spec = &specs.specs[op];
    struct random r = {.key = random_hash(spec->name, (uint64_t)level)};
    if (!ok(fuzz_rules_init(&rules, spec, level), "%s at %s", spec->name, level_name(level)))
        return;
    for (int i = 0; i < BASES; i++) {
        struct solve_request request;
        struct opdesc base;
        solve_request_init(&request);
        request.table = rules.table < 0 ? 0 : rules.table;
        for (int f = 0; f < spec->field_count; f++)
            if (field_is_tensor(&spec->fields[f]))
                request.strides[f] = (uint8_t)random_below(&r, STRIDES_BROADCAST);
        bool found = solve_satisfy(spec, op, &request, random_next(&r), &base);
        memset(request.strides, STRIDES_NULL, sizeof request.strides);
        if (!found && !solve_satisfy(spec, op, &request, random_next(&r), &base))
            continue;
        if (i % 4 == 3) /* a base that breaks rules */
            test_fuzz_rules_change(&r, spec, &base);
        test_base(&rules, &base, &r, tally);
        /* rules of a number above FUZZ_RULES are behaviours, which descriptions cannot break */
        const int rule_count = spec->rule_count < FUZZ_RULES ? spec->rule_count : FUZZ_RULES;
        for (int rule = i / 4 * 3 + i % 4; rule < rule_count && i % 4 < 3 && rules.table >= 0; rule += LEGAL)
            if (rules.all >> rule & 1)
                test_fuzz_rules_violate(&rules, &base, rule, tally);
    }
    test_maker(&rules, op, tally);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    static const DML_FEATURE_LEVEL levels[] = {DML_FEATURE_LEVEL_1_0, DML_FEATURE_LEVEL_3_0, DML_FEATURE_LEVEL_4_1,
                                               DML_FEATURE_LEVEL_6_4};
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0, "specs load %s", error.text))
        return tap_done();
    for (int op = 0; op < specs.count; op++) {
        if (!sample_takes_operator(op))
            continue;
        struct tally tally = {0};
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
            test_fuzz_rules_level((unsigned)op, levels[i], &tally);
        const char *name = specs.specs[op].name;
        ok(tally.changed > 100 && tally.broken > tally.changed / 4 && tally.repaired > 60,
           "%s: %lu changed, of which %lu break rules; %lu repaired", name, tally.changed, tally.broken,
           tally.repaired);
        ok(tally.violated > 30 && tally.violated_otherwise == 0, "%s: %lu violated, %lu not as by all rules", name,
           tally.violated, tally.violated_otherwise);
        ok(tally.made > 300 && tally.made_wrongly == 0,
           "%s: of %lu variants of the search, %lu are not judged as by "
           "all rules",
           name, tally.made, tally.made_wrongly);
        ok(tally.made_unnoticed == 0, "%s: %lu variants differ from their base in parts that are not said", name,
           tally.made_unnoticed);
        ok(tally.judged_wrongly == 0, "%s: %lu are not judged as by all rules", name, tally.judged_wrongly);
        ok(tally.repaired_otherwise == 0, "%s: %lu are not repaired as by all rules", name, tally.repaired_otherwise);
    }
    spec_set_free(&specs);
    return tap_done();
}
