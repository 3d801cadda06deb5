/* The rules of the specs on random descriptions, legal and mutated, at every feature level: a description with an
 * undefined condition breaks some rule, and the separate validation of the reference agrees with every verdict. */
#include "device/common/descriptor.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"
#include "harness/describe/marshal.h"
#include "harness/base/random.h"
#include "harness/solve/solve.h"
#include "harness/load/load.h"
#include "harness/test/sampled.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEGAL = 160,        /* descriptions per operator and level */
    MOST_LEGAL = 640,   /* where fewer do not decide every rule: an operator of a late level with many tensors */
    FEW_LEGAL = 20,     /* in a sample, which has more where these do not decide every rule */
    TRIES = 4,          /* for each */
    MUTANTS = 12,       /* per legal description */
    AIMED = 200,        /* legal descriptions for a rule that the mutants did not break alone */
    NESTED_MUTANTS = 8, /* of what is described within it */
    MAX_CLASSES = 20    /* of disagreements to print */
};

static struct spec_set specs;

/* ---- mutations */

static uint32_t wild(struct random *r, uint32_t near)
{
    static const uint32_t values[] = {
        0,  1,  2,  3,  4,   5,     6,     7,     8,          9,          12,         13,         14,
        16, 31, 32, 33, 255, 65535, 65536, 65537, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, UINT32_MAX};
    switch (random_below(r, 4)) {
    case 0:
        return values[random_below(r, sizeof values / sizeof *values)];
    case 1:
        return near + 1;
    case 2:
        return near - 1;
    default:
        return random_below(r, 9);
    }
}

static int random_field(struct random *r, const struct spec *spec, bool tensor)
{
    int field;
    do
        field = (int)random_below(r, (uint32_t)spec->field_count);
    while (field_is_tensor(&spec->fields[field]) != tensor);
    return field;
}

static void mutate_size(struct random *r, const struct spec *spec, struct opdesc *desc, struct opdesc_tensor *t)
{
    const struct opdesc_tensor *other = OPDESC_TENSOR(desc, random_field(r, spec, true));
    uint32_t at, from;
    if (t->dims == 0)
        return;
    at = random_below(r, t->dims);
    from = random_below(r, t->dims);
    switch (random_below(r, 4)) {
    case 0:
        t->sizes[at] = t->sizes[from];
        break;
    case 1:
        t->sizes[at] = other->dims > 0 ? other->sizes[random_below(r, other->dims)] : 1;
        break;
    case 2:
        t->sizes[at] = wild(r, t->sizes[at]);
        for (int i = 0; i < desc->tensor_count; i++)
            desc->items[i].tensor.sizes[at] = t->sizes[at];
        break;
    default:
        t->sizes[at] = wild(r, t->sizes[at]);
    }
}

static void mutate_strides(struct random *r, struct opdesc_tensor *t)
{
    if (!t->has_strides)
        opdesc_strides(t, t->strides);
    t->has_strides = random_below(r, 4) > 0;
    if (t->dims == 0)
        return;
    uint32_t a = random_below(r, t->dims), b = random_below(r, t->dims), swap = t->strides[a];
    if (random_below(r, 2)) {
        t->strides[a] = t->strides[b];
        t->strides[b] = swap;
    } else {
        t->strides[a] = wild(r, t->strides[a]);
    }
}

static void mutate_total(struct random *r, struct opdesc_tensor *t)
{
    static const uint64_t values[] = {0, 1, 3, 4, UINT32_MAX, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    switch (random_below(r, 3)) {
    case 0:
        t->total = values[random_below(r, sizeof values / sizeof *values)];
        break;
    case 1:
        t->total = (uint64_t)opdesc_implied(t) + random_below(r, 9) - 4;
        break;
    default:
        t->total += random_below(r, 9) - 4u;
    }
}

static void mutate_dims(struct random *r, const struct spec *spec, struct opdesc *desc, struct opdesc_tensor *t)
{
    uint32_t dims = random_below(r, OPDESC_MAX_DIMENSIONS + 1);
    if (random_below(r, 2)) {
        opdesc_resize(t, dims);
        return;
    }
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]))
            opdesc_resize(OPDESC_TENSOR(desc, i), dims);
}

/* Changes one type, or half of the time the types of all tensors in its group. */
static void mutate_type(struct random *r, const struct spec *spec, struct opdesc *desc, int field)
{
    uint32_t type = random_below(r, 2) ? random_below(r, 15) : wild(r, OPDESC_TENSOR(desc, field)->data_type);
    bool together = random_below(r, 2);
    for (int i = 0; i < spec->field_count; i++)
        if (i == field ||
            (together && field_is_tensor(&spec->fields[i]) && spec->fields[i].group == spec->fields[field].group))
            OPDESC_TENSOR(desc, i)->data_type = type;
}

static void test_rules_mutate_tensor(struct random *r, const struct spec *spec, struct opdesc *desc, int field)
{
    unsigned count = opdesc_count(desc, field), at = count > 1 ? random_below(r, count) : 0;
    struct opdesc_tensor *t = &OPDESC_ELEMENT(desc, field, at)->tensor;
    switch (random_below(r, 16)) {
    case 0:
        if (field_kinds[spec->fields[field].kind].is_array && random_below(r, 2))
            desc->given &= ~(1u << field);
        else
            t->present = false;
        break;
    case 1:
        t->type = wild(r, t->type);
        break;
    case 2:
        t->has_sizes = false;
        break;
    case 3:
        mutate_type(r, spec, desc, field);
        break;
    case 4:
        t->flags = wild(r, t->flags);
        break;
    case 5:
        t->alignment = random_below(r, 2) ? 1u << random_below(r, 32) : wild(r, t->alignment);
        break;
    case 6:
        mutate_total(r, t);
        break;
    case 7:
    case 8:
        mutate_dims(r, spec, desc, t);
        break;
    case 9:
    case 10:
    case 11:
        mutate_strides(r, t);
        break;
    default:
        mutate_size(r, spec, desc, t);
    }
}

static void fit_totals(const struct spec *spec, struct opdesc *desc)
{
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        desc->items[i].tensor.total = (uint64_t)opdesc_implied(&desc->items[i].tensor);
}

static void mutate_attribute(struct random *r, const struct spec *spec, struct opdesc *desc, int at)
{
    struct field_ref ref = field_ref(spec, desc, at);
    if (field_kind(&ref)->is_number && random_below(r, 4) > 0)
        field_value(&ref)->number = wild(r, (uint32_t)field_value(&ref)->number);
    else
        field_kind(&ref)->mutate(&ref, r);
}

/* Most mutants get totals that fit; otherwise the rule on totals would hide all others. */
static void mutate(struct random *r, const struct spec *spec, struct opdesc *desc)
{
    bool has_attributes = spec->input_count + spec->output_count < spec->field_count;
    for (uint32_t places = 1 + random_below(r, 3); places > 0; places--) {
        if (has_attributes && random_below(r, 3) == 0) {
            mutate_attribute(r, spec, desc, random_field(r, spec, false));
        } else {
            test_rules_mutate_tensor(r, spec, desc, random_field(r, spec, true));
        }
    }
    if (random_below(r, 4) > 0)
        fit_totals(spec, desc);
}

/* Makes inputs that are huge in size but not in memory: all their strides are 0. */
static void test_rules_stretch(struct random *r, const struct spec *spec, struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        struct opdesc_tensor *t = OPDESC_TENSOR(desc, i);
        t->has_strides = field_is_input(&spec->fields[i]) && random_below(r, 4) > 0;
        memset(t->strides, 0, sizeof t->strides);
        for (uint32_t n = random_below(r, 3); n > 0 && t->has_strides; n--)
            t->sizes[random_below(r, t->dims)] = 65536 + random_below(r, 2);
    }
}

/* Mutates and repairs, so that the result is legal or nearly so. */
static void mutate_deeply(struct random *r, const struct spec *spec, int table, struct opdesc *desc)
{
    if (random_below(r, 4) == 0)
        test_rules_stretch(r, spec, desc);
    else
        mutate(r, spec, desc);
    solve_repair(spec, table, (int)random_below(r, (uint32_t)spec->rule_count), -1, desc);
    if (random_below(r, 4) > 0)
        fit_totals(spec, desc);
}

/* ---- checks */

static void test_rules_print_tensor(const char *name, const struct opdesc_tensor *t)
{
    char sizes[128] = "", strides[128] = "";
    for (uint32_t i = 0; i < t->dims; i++) {
        snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), " %u", t->sizes[i]);
        snprintf(strides + strlen(strides), sizeof strides - strlen(strides), " %u", t->strides[i]);
    }
    note("  %s:%s type %u data_type %u flags %u dims %u sizes%s%s strides%s%s total %llu alignment %u", name,
         t->present ? "" : " null", t->type, t->data_type, t->flags, t->dims, t->has_sizes ? "" : " null", sizes,
         t->has_strides ? "" : " null", strides, (unsigned long long)t->total, t->alignment);
}

static void print_desc(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++)
        if (!field_is_tensor(&spec->fields[i]))
            note("  %s: %lld", spec->fields[i].name, (long long)desc->values[i].number);
        else
            test_rules_print_tensor(spec->fields[i].name, OPDESC_TENSOR(desc, i));
}

/* Kinds of disagreements: the rule that the spec calls broken, and the message of the reference without its digits. */
static struct {
    char seen[MAX_CLASSES][256];
    int count;
    unsigned long total;
} classes;

static bool is_new_class(const struct spec *spec, const char *rule, const char *message)
{
    char class[256];
    size_t length = (size_t)snprintf(class, sizeof class, "%s %s ", spec->name, rule);
    for (; *message && length + 1 < sizeof class; message++)
        if (*message < '0' || *message > '9')
            class[length++] = *message;
    class[length] = '\0';
    classes.total++;
    for (int i = 0; i < classes.count; i++)
        if (strcmp(classes.seen[i], class) == 0)
            return false;
    if (classes.count == MAX_CLASSES)
        return false;
    memcpy(classes.seen[classes.count++], class, sizeof class);
    return true;
}

enum { MAX_RULES = 64 };

struct tally {
    unsigned long legal, broken, disagree, unsound;
    unsigned long alone[MAX_RULES]; /* per rule: descriptions that break only this rule */
};

static void check_soundness(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level,
                            struct tally *tally)
{
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        for (int j = 0; j < rule->atom_count && rule_applies(rule, level); j++) {
            if (atom_check(spec, rule->first_atom + j, desc, spec_table(spec, level)) != UNDEFINED)
                continue;
            if (tally->unsound++ == 0) {
                note("%s at %s is legal, but undefined: rule %s, '%s'", spec->name, level_name(level), rule->id,
                     spec->atoms[rule->first_atom + j].text);
                print_desc(spec, desc);
            }
        }
    }
}

/* The rules of an operator are known, whether a device computes it or not. */
static int computes_any(DML_OPERATOR_TYPE type)
{
    (void)type;
    return 1;
}

enum { MOST_BROKEN = 4 };

/* Returns true if the reference accepts the description: it is legal, or breaks only open rules that the reference
 * leaves alone, so that its cases show the results, too (E21). */
static bool is_accepted(const struct spec *spec, const int *broken, int count)
{
    static const char *const left[] = {"min-not-above-max",   "k-below",
                                       "attributes-finite",   "no-axes",
                                       "attributes-positive", "steepness-positive",
                                       "output-sizes-floor",  "window-touches-input",
                                       "channel-limit",       "output-padding",
                                       "filter-quantisation", "a-b-type",
                                       "mask-vector"};
    bool accepted = count <= MOST_BROKEN;
    for (int n = 0; n < count && accepted; n++) {
        accepted = false;
        for (size_t i = 0; i < sizeof left / sizeof *left; i++)
            accepted |= strcmp(spec->rules[broken[n]].id, left[i]) == 0;
    }
    return accepted;
}

static void test_rules_check(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level,
                             struct tally *tally)
{
    struct marshal m;
    struct descriptor read;
    char message[512] = "accepted";
    int all_broken[MOST_BROKEN], broken_count = rules_check(spec, desc, level, all_broken, MOST_BROKEN);
    int broken = broken_count > 0 ? all_broken[0] : -1;
    bool legal = broken_count == 0;
    if (legal) /* nothing may be undefined if no rule is broken */
        check_soundness(spec, desc, level, tally);
    tally->legal += legal;
    tally->broken += !legal;
    if (broken_count == 1)
        tally->alone[broken]++;
    marshal_desc(spec, desc, &m);
    HRESULT result = descriptor_read(&m.op, level, computes_any, &read, message, sizeof message);
    if ((result == S_OK) == is_accepted(spec, all_broken, broken_count))
        return;
    tally->disagree++;
    const char *rule = broken >= 0 ? spec->rules[broken].id : "none";
    if (is_new_class(spec, rule, message)) {
        note("%s at %s: spec: %s; reference: %s", spec->name, level_name(level), rule, message);
        print_desc(spec, desc);
    }
}

static void test_rules_random_request(struct random *r, const struct spec *spec, int table,
                                      struct solve_request *request)
{
    solve_request_init(request);
    request->table = table;
    request->largest = 1 + random_below(r, 7);
    uint32_t slack = random_below(r, 4) ? 0 : random_below(r, 64);
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
        request->slack[i] = slack;
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && random_below(r, 2))
            request->strides[i] =
                (uint8_t)random_below(r, field_is_input(&spec->fields[i]) ? STRIDES_COUNT : STRIDES_BROADCAST);
}

/* The place of the test of an operator at a level, so that it can go on later. */
struct progress {
    struct random random;
    int made, tries;
};

/* Goes on until there are `most` legal descriptions of the level, or too many tries. */
static void test_rules_level(int op, DML_FEATURE_LEVEL level, int most, struct progress *at, struct tally *tally)
{
    const struct spec *spec = &specs.specs[op];
    int table = spec_table(spec, level);
    struct random r = at->random;
    int nested = 0;
    while (nested < spec->field_count && spec->fields[nested].kind != FIELD_OPERATOR)
        nested++;
    nested = nested < spec->field_count ? nested : -1;
    for (; at->made < most && at->tries < TRIES * most; at->tries++) {
        struct solve_request request;
        struct opdesc legal, mutant;
        test_rules_random_request(&r, spec, table < 0 ? 0 : table, &request);
        if (!solve_satisfy(spec, (unsigned)op, &request, random_next(&r), &legal))
            continue;
        at->made++;
        test_rules_check(spec, &legal, level, tally);
        for (int j = 0; j < MUTANTS; j++) {
            mutant = legal;
            if (j % 3 == 0)
                mutate_deeply(&r, spec, request.table, &mutant);
            else
                mutate(&r, spec, &mutant);
            test_rules_check(spec, &mutant, level, tally);
        }
        for (int j = 0; j < NESTED_MUTANTS && nested >= 0; j++) { /* what is described within has rules of its own */
            mutant = legal;
            mutate_attribute(&r, spec, &mutant, nested);
            test_rules_check(spec, &mutant, level, tally);
        }
    }
    at->random = r;
}

/* Returns true if no description can break only this rule, or none that random changes make: the parts of a SPLIT would
 * have to grow with its input, each below the limit. */
static bool test_rules_never_alone(const struct spec *spec, const struct rule *rule)
{
    /* There is no level before the first. */
    if (strcmp(rule->id, "introduced") == 0 && spec->since == level_all[0])
        return true;
    /* The tables list one type: a tensor of another breaks their rule, too. */
    uint32_t types = spec->levels[spec->level_count - 1].types[0];
    if (strcmp(rule->id, "same-type") == 0 && spec->group_count == 1 && (types & (types - 1)) == 0)
        return true;
    /* An output cannot be that large: it has the sizes of the input, or more, or as many rows as elements, or no input;
     * or a state of 6 words; or random changes make no windows that overlap so much. */
    static const DML_OPERATOR_TYPE growing[] = {DML_OPERATOR_NONZERO_COORDINATES,
                                                DML_OPERATOR_TILE,
                                                DML_OPERATOR_PADDING,
                                                DML_OPERATOR_PADDING1,
                                                DML_OPERATOR_DEPTH_TO_SPACE,
                                                DML_OPERATOR_DEPTH_TO_SPACE1,
                                                DML_OPERATOR_JOIN,
                                                DML_OPERATOR_SLICE_GRAD,
                                                DML_OPERATOR_REVERSE_SUBSEQUENCES,
                                                DML_OPERATOR_RANDOM_GENERATOR,
                                                DML_OPERATOR_SPLIT,
                                                DML_OPERATOR_UNFOLD,
                                                DML_OPERATOR_FOLD,
                                                DML_OPERATOR_AVERAGE_POOLING_GRAD,
                                                DML_OPERATOR_UPSAMPLE_2D};
    bool grows = false;
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++)
        grows |= spec->type == growing[i];
    return (grows || spec_find_rule(spec, "same-sizes") >= 0 || spec->input_count == 0) &&
           strcmp(rule->id, "broadcast-limit") == 0;
}

/* Returns true if descriptions broke a rule alone, or none can. */
static bool is_decided(const struct spec *spec, int rule, const struct tally *tally)
{
    return spec->rules[rule].behaviour || (tally->alone[rule] == 0) == test_rules_never_alone(spec, &spec->rules[rule]);
}

static bool all_decided(const struct spec *spec, const struct tally *tally)
{
    bool all = true;
    for (int i = 0; i < spec->rule_count; i++)
        all &= is_decided(spec, i, tally);
    return all;
}

/* Breaks rules that no random change broke alone, as cases do: among 19 fields, hardly any changes the one that matters
 * and leaves the others. */
static void test_rules_aim(int op, DML_FEATURE_LEVEL level, struct tally *tally)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    const struct spec *spec = &specs.specs[op];
    struct random r = {.key = random_hash(spec->name, (uint64_t)level)};
    int table = spec_table(spec, level);
    for (int rule = 0; rule < spec->rule_count && table >= 0; rule++)
        for (int i = 0; i < AIMED && !is_decided(spec, rule, tally); i++) {
            struct solve_request request;
            struct opdesc legal, mutant;
            test_rules_random_request(&r, spec, table, &request);
            if (!solve_satisfy(spec, (unsigned)op, &request, random_next(&r), &legal))
                continue;
            int count = solve_moves(spec, rule, table, &legal, moves);
            for (int j = 0; j < count; j++)
                if (solve_violate(spec, rule, table, &legal, &moves[j], &mutant, NULL))
                    test_rules_check(spec, &mutant, level, tally);
        }
}

/* For every rule, some description broke only that rule. */
static void test_all_decided(const struct spec *spec, const struct tally *tally)
{
    for (int i = 0; i < spec->rule_count; i++)
        if (!is_decided(spec, i, tally))
            note("%s: broken alone %lu times: %s", spec->name, tally->alone[i], spec->rules[i].id);
    ok(all_decided(spec, tally), "%s: every rule was the only broken one at least once", spec->name);
}

static int levels_of(const struct spec *spec)
{
    int levels = 0;
    for (int i = 0; i < SPEC_MAX_LEVELS; i++)
        levels += level_all[i] >= spec->since;
    return levels;
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0, "specs load %s", error.text))
        return tap_done();
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        if (!sample_takes_operator(op))
            continue;
        struct progress at[SPEC_MAX_LEVELS] = {0};
        struct tally tally = {0};
        int legal = sampled_whole ? LEGAL : FEW_LEGAL;
        for (int i = 0; i < SPEC_MAX_LEVELS; i++)
            at[i].random.key = random_hash(spec->name, (uint64_t)level_all[i]);
        for (;; legal *= 2) {
            for (int i = 0; i < SPEC_MAX_LEVELS; i++)
                test_rules_level(op, level_all[i], legal, &at[i], &tally);
            if (legal >= MOST_LEGAL || all_decided(spec, &tally))
                break;
        }
        for (int i = 0; i < SPEC_MAX_LEVELS; i++)
            test_rules_aim(op, level_all[i], &tally);
        ok(tally.unsound == 0, "%s: nothing undefined in %lu legal descriptions", spec->name, tally.legal);
        ok(tally.disagree == 0, "%s: the reference disagrees on %lu of %lu descriptions", spec->name, tally.disagree,
           tally.legal + tally.broken);
        test_all_decided(spec, &tally);
        int levels = levels_of(spec); /* an operator of a late level has few descriptions that are legal */
        ok(tally.legal * LEGAL > 133ul * (unsigned)(levels * legal) && tally.broken * LEGAL > 2000ul * (unsigned)legal,
           "%s: %lu were legal, %lu were not", spec->name, tally.legal, tally.broken);
    }
    spec_set_free(&specs);
    return tap_done();
}
