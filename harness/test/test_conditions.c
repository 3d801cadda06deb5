/* Every form of expression and condition: its verdict on all small values against a formula written here; descriptions
 * drawn for it, which meet it and reach its limits; descriptions that break it alone; its sentence.
 *
 * The operator is SLICE, whose arrays o, z and s (Offsets, Sizes, Strides) have n entries and no other rules here. */
#include "harness/base/datatype.h"
#include "harness/fuzz/slots.h"
#include "harness/check/check.h"
#include "harness/solve/solve.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 4, DRAWN = 400, VIOLATED = 60 };

/* The arrays of a description. */
struct arrays {
    int n;
    int64_t o[8], z[8], s[8];
};

/* Returns the enum rule_result of a formula's value. */
static enum rule_result test_conditions_holds(bool good)
{
    return good ? HOLDS : BROKEN;
}

static int64_t floor_of(int64_t a, int64_t b)
{
    int64_t q = 0;
    while (q * b > a)
        q--;
    while ((q + 1) * b <= a)
        q++;
    return q;
}

static enum rule_result floor_division(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->s[i] == 0)
            return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (floor_of(v->o[i] - 2, v->s[i]) > v->z[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result ceiling_division(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->s[i] == 0)
            return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (-floor_of(-(v->o[i] - 1), v->s[i]) != v->z[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result remainder_below(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->s[i] == 0)
            return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (v->o[i] - 3 - v->s[i] * floor_of(v->o[i] - 3, v->s[i]) > 1)
            return BROKEN;
    return HOLDS;
}

static enum rule_result test_conditions_distance(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (llabs(v->o[i] - v->z[i]) > v->s[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result product_plus(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->o[i] * v->s[i] + 1 != v->z[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result between_entries(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->o[i] < (v->z[i] < v->s[i] ? v->z[i] : v->s[i]) || v->o[i] > (v->z[i] > v->s[i] ? v->z[i] : v->s[i]))
            return BROKEN;
    return HOLDS;
}

static int64_t test_conditions_sum_of(const int64_t *list, int from, int past)
{
    int64_t sum = 0;
    for (int i = from; i < past; i++)
        sum += list[i];
    return sum;
}

static enum rule_result sums(const struct arrays *v)
{
    return test_conditions_holds(test_conditions_sum_of(v->o, 0, v->n) == test_conditions_sum_of(v->z, 0, v->n));
}

static enum rule_result products(const struct arrays *v)
{
    int64_t product = 1;
    for (int i = 0; i < v->n; i++)
        product *= v->o[i];
    return test_conditions_holds(product >= 2 && product <= 6);
}

static enum rule_result prefix_and_suffix(const struct arrays *v)
{
    if (v->n < 1)
        return UNDEFINED;
    for (int i = 0; i + 1 < v->n; i++) /* the first n - 1 of o are the last n - 1 of z */
        if (v->o[i] != v->z[i + 1])
            return BROKEN;
    return HOLDS;
}

static enum rule_result entries(const struct arrays *v)
{
    return v->n < 1 ? UNDEFINED : test_conditions_holds(v->o[0] == v->z[v->n - 1] + v->n);
}

static bool occurs(const int64_t *list, int n, int64_t x)
{
    for (int i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

static enum rule_result test_conditions_member_of(const struct arrays *v)
{
    return v->n < 1 ? UNDEFINED : test_conditions_holds(v->o[0] == 1 || occurs(v->z, v->n, v->o[0]));
}

static enum rule_result members_of(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (!occurs(v->z, v->n, v->o[i]))
            return BROKEN;
    return HOLDS;
}

static enum rule_result all_distinct(const struct arrays *v)
{
    for (int i = 1; i < v->n; i++)
        if (occurs(v->o, i, v->o[i]))
            return BROKEN;
    return HOLDS;
}

static enum rule_result divided(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->s[i] == 0)
            return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (v->o[i] % v->s[i] != 0)
            return BROKEN;
    return HOLDS;
}

static enum rule_result divided_by_one(const struct arrays *v)
{
    if (v->n < 1 || v->s[0] == 0)
        return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (v->o[i] % v->s[0] != 0)
            return BROKEN;
    return HOLDS;
}

static enum rule_result broadcast_to(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->o[i] != 1 && v->o[i] != v->z[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result alternatives(const struct arrays *v)
{
    bool equal = true, ones = true, twos = true;
    for (int i = 0; i < v->n; i++) {
        equal &= v->o[i] == v->z[i];
        ones &= v->o[i] <= 1;
        twos &= v->s[i] == 2;
    }
    return test_conditions_holds(equal || (ones && twos));
}

static enum rule_result conditional(const struct arrays *v)
{
    if (v->n < 1)
        return HOLDS; /* the condition is undefined */
    if (v->s[0] < 2)
        return HOLDS;
    for (int i = 0; i < v->n; i++)
        if (v->o[i] != v->z[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result conditions_together(const struct arrays *v)
{
    bool small = true, wide = true;
    for (int i = 0; i < v->n; i++) {
        small &= v->s[i] <= 2;
        wide &= v->z[i] >= 1;
    }
    return test_conditions_holds(!small || !wide || test_conditions_sum_of(v->o, 0, v->n) >= 2);
}

static enum rule_result replaced(const struct arrays *v)
{
    int64_t all[8] = {0};
    memcpy(all, v->z, sizeof all);
    for (int i = 0; i < v->n; i++) {
        if (v->s[i] >= v->n)
            return UNDEFINED;
        all[v->s[i]] = 1;
    }
    for (int i = 0; i < v->n; i++)
        if (v->o[i] != all[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result filled_with(const struct arrays *v)
{
    if (v->n < 1)
        return UNDEFINED;
    for (int i = 0; i < v->n; i++)
        if (v->o[i] != v->z[0] + 1)
            return BROKEN;
    return HOLDS;
}

static enum rule_result test_conditions_chosen(const struct arrays *v)
{
    for (int i = 0; i < v->n; i++)
        if (v->o[i] != 0 && v->o[i] != 3)
            return BROKEN;
    return HOLDS;
}

static enum rule_result indicator(const struct arrays *v)
{
    return v->n < 1 ? UNDEFINED : test_conditions_holds(v->o[0] == 2 * (v->z[0] == 1) + 1);
}

static enum rule_result longer(const struct arrays *v)
{
    return test_conditions_holds(v->n >= 1 && v->n <= 3);
}

static enum rule_result at_newest(const struct arrays *v)
{
    return test_conditions_holds(v->n < 1 || test_conditions_sum_of(v->o, 0, v->n) <= 5);
}

static const struct form {
    const char *id, *lua, *text;
    enum rule_result (*truth)(const struct arrays *v);
} forms[] = {
    {"floor", "at_most((o - 2) // s, z)", "every entry of floor((Offsets - 2) / Strides) must be at most Sizes",
     floor_division},
    {"ceiling", "equal(ceil_div(o - 1, s), z)", "ceil((Offsets - 1) / Strides) must be Sizes", ceiling_division},
    {"modulo", "at_most((o - 3) % s, 1)", "every entry of (Offsets - 3) mod Strides must be at most 1",
     remainder_below},
    {"abs", "at_most(abs(o - z), s)", "every entry of |Offsets - Sizes| must be at most Strides",
     test_conditions_distance},
    {"product-plus", "equal(o * s + 1, z)", "Offsets * Strides + 1 must be Sizes", product_plus},
    {"limits", "between(o, least(z, s), greatest(z, s))",
     "every entry of Offsets must be from least(Sizes, Strides) to greatest(Sizes, Strides)", between_entries},
    {"sum", "equal(sum(o), sum(z))", "the sum of Offsets must be the sum of Sizes", sums},
    {"product", "between(product(o), 2, 6)", "the product of Offsets must be from 2 to 6", products},
    {"prefix", "equal(prefix(o, length(o) - 1), suffix(z, length(z) - 1))", NULL, prefix_and_suffix},
    {"entry", "equal(entry(o, 0), entry(z, -1) + length(z))", "Offsets[0] must be Sizes[-1] + DimensionCount", entries},
    {"member", "member(entry(o, 0), concat(1, z))", "Offsets[0] must be one of 1, Sizes", test_conditions_member_of},
    {"members", "member(o, z)", "every entry of Offsets must be one of Sizes", members_of},
    {"distinct", "distinct(o)", "no two entries of Offsets may be equal", all_distinct},
    {"divides", "divides(s, o)", "every entry of Offsets must be a multiple of Strides", divided},
    {"divides-one", "divides(entry(s, 0), o)", "every entry of Offsets must be a multiple of Strides[0]",
     divided_by_one},
    {"broadcasts", "broadcasts(o, z)", "every entry of Offsets must be 1 or the entry of Sizes", broadcast_to},
    {"any", "any_of(equal(o, z), { at_most(o, 1), equal(s, filled(2, n)) })",
     "Offsets must be Sizes, or every entry of Offsets must be at most 1 and Strides must be DimensionCount times 2",
     alternatives},
    {"when", "when(at_least(entry(s, 0), 2), equal(o, z))", "if Strides[0] is at least 2, Offsets must be Sizes",
     conditional},
    {"when-all", "when(at_most(s, 2), when(at_least(z, 1), at_least(sum(o), 2)))",
     "if every entry of Strides is at most 2, if every entry of Sizes is at least 1, the sum of Offsets must be at "
     "least 2",
     conditions_together},
    {"replace", "equal(o, replace(z, s, 1))", "Offsets must be Sizes with [Strides] = 1", replaced},
    {"filled", "equal(o, filled(entry(z, 0) + 1, n))", "Offsets must be DimensionCount times (Sizes[0] + 1)",
     filled_with},
    {"one-of", "one_of(o, { 0, 3 })", "every entry of Offsets must be 0 or 3", test_conditions_chosen},
    {"is", "equal(entry(o, 0), is(entry(z, 0), 1) * 2 + 1)", "Offsets[0] must be (1 if Sizes[0] is 1, else 0) * 2 + 1",
     indicator},
    {"length", "between(length(o), 1, 3)", "DimensionCount must be from 1 to 3", longer},
    {"levels", "from_level('5_0', at_most(sum(o), 5)), before_level('4_0', at_most(sum(o), 9))",
     "from feature level 5_0 on, the sum of Offsets must be at most 5; before feature level 4_0, the sum of Offsets "
     "must "
     "be at most 9",
     at_newest},
};

static struct spec_set specs;
static const struct spec *spec;
static int rule, offsets, sizes, strides, count; /* the form's rule, and the fields */

static bool test_conditions_load(const struct form *form)
{
    static const char start[] =
        "local o, z, s, n = list 'Offsets', list 'Sizes', list 'Strides', attr 'DimensionCount'\n"
        "return operator 'SLICE' { parameters = {}, rules = {\n"
        "  rule 'count' { between(n, 0, 4) },\n"
        "  rule 'form' { %s } } }\n";
    struct spec_folder folder;
    struct error error = {0};
    char text[1024];
    snprintf(text, sizeof text, start, form->lua);
    spec_folder_make(&folder);
    spec_folder_write(&folder, "slice.lua", text);
    bool good = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(good, "%s: loads %s", form->id, error.text))
        return false;
    spec = &specs.specs[0];
    rule = spec_find_rule(spec, "form");
    offsets = spec_find_field(spec, "Offsets");
    sizes = spec_find_field(spec, "Sizes");
    strides = spec_find_field(spec, "Strides");
    count = spec_find_field(spec, "DimensionCount");
    return true;
}

static void set_arrays(struct opdesc *desc, const struct arrays *v)
{
    unsigned ignored;
    desc->given = UINT32_MAX;
    desc->values[count].number = v->n;
    for (int i = 0; i < v->n; i++) {
        opdesc_list(desc, offsets, &ignored)[i] = (uint32_t)v->o[i];
        opdesc_list(desc, sizes, &ignored)[i] = (uint32_t)v->z[i];
        opdesc_list(desc, strides, &ignored)[i] = (uint32_t)v->s[i];
    }
}

static void get_arrays(const struct opdesc *desc, struct arrays *v)
{
    v->n = (int)opdesc_scalar(desc, count);
    for (int i = 0; i < v->n && i < 8; i++) {
        v->o[i] = opdesc_entry(desc, offsets, (unsigned)i);
        v->z[i] = opdesc_entry(desc, sizes, (unsigned)i);
        v->s[i] = opdesc_entry(desc, strides, (unsigned)i);
    }
}

/* All arrays of up to two entries below LARGEST. */
static void test_check(const struct form *form)
{
    struct opdesc desc;
    struct arrays v = {0};
    int wrong = 0, tried = 0, seen[3] = {0};
    spec_blank(spec, &desc);
    for (v.n = 0; v.n <= 2; v.n++)
        for (int at = 0, all = 1 << 6 * v.n; at < all; at++) {
            for (int i = 0; i < v.n; i++) {
                int entry = at >> 6 * i;
                v.o[i] = entry % LARGEST;
                v.z[i] = entry / LARGEST % LARGEST;
                v.s[i] = entry / LARGEST / LARGEST % LARGEST;
            }
            set_arrays(&desc, &v);
            enum rule_result got = rule_check(spec, rule, &desc, DML_FEATURE_LEVEL_6_4), expected = form->truth(&v);
            if (got != expected && wrong++ == 0)
                note("%s: o %d %d z %d %d s %d %d: %d, not %d", form->id, (int)v.o[0], (int)v.o[1], (int)v.z[0],
                     (int)v.z[1], (int)v.s[0], (int)v.s[1], (int)got, (int)expected);
            seen[expected]++;
            tried++;
        }
    ok(wrong == 0 && seen[HOLDS] > 0 && seen[BROKEN] > 0,
       "%s: %d descriptions are judged as they should be, %d illegal", form->id, tried, seen[BROKEN]);
}

/* Returns true if descriptions should reach a slot of the atom that is not in `seen`: both limits, if there are two. */
static bool misses_limit(const struct fuzz_rules *rules, int atom, uint16_t seen)
{
    const struct atom *a = &spec->atoms[rules->atoms[atom]];
    bool low = a->low >= 0, high = a->high >= 0;
    if (!levels_include(a->from, a->before, spec->levels[rules->table].level))
        return false;
    if (a->kind == ATOM_BETWEEN || a->kind == ATOM_EACH)
        return (low && !(seen & 1)) || (high && !(seen & 2));
    if (a->kind == ATOM_ONE_OF || a->kind == ATOM_ANY || a->kind == ATOM_BROADCASTS || a->kind == ATOM_DISTINCT)
        return (seen & 3) != 3;
    return seen == 0;
}

static void test_conditions_draw(const struct form *form)
{
    static struct fuzz_rules rules;
    uint16_t seen[FUZZ_ATOMS] = {0};
    int wrong = 0, drawn = 0, missed = 0;
    fuzz_rules_init(&rules, spec, spec->levels[spec->level_count - 1].level);
    for (uint64_t i = 0; i < DRAWN; i++) {
        struct solve_request request;
        struct opdesc desc;
        struct arrays v = {0};
        solve_request_init(&request);
        request.table = spec->level_count - 1;
        if (!solve_satisfy(spec, 0, &request, i, &desc))
            continue;
        get_arrays(&desc, &v);
        drawn++;
        wrong += form->truth(&v) == BROKEN || rules_check(spec, &desc, rules.level, NULL, 0) != 0;
        for (int a = 0; a < rules.count; a++)
            seen[a] |= fuzz_slots(&rules, a, &desc);
    }
    for (int a = rules.first_atom[rule]; a < rules.first_atom[rule] + rules.atom_count[rule]; a++)
        if (misses_limit(&rules, a, seen[a])) {
            note("%s: '%s' reaches only %x", form->id, spec->atoms[rules.atoms[a]].text, seen[a]);
            missed++;
        }
    ok(wrong == 0 && drawn == DRAWN, "%s: %d of %d descriptions are drawn, all legal", form->id, drawn, DRAWN);
    ok(missed == 0, "%s: limits are reached", form->id);
}

static void test_conditions_violate(const struct form *form)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    int wrong = 0, alone = 0, table = spec->level_count - 1;
    for (uint64_t i = 0; i < VIOLATED; i++) {
        struct solve_request request;
        struct opdesc legal, bad, twin;
        solve_request_init(&request);
        request.table = table;
        if (!solve_satisfy(spec, 0, &request, i, &legal))
            continue;
        for (int m = 0, all = solve_moves(spec, rule, table, &legal, moves); m < all; m++) {
            struct arrays v = {0};
            if (!solve_violate(spec, rule, table, &legal, &moves[m], &bad, &twin))
                continue;
            int broken[2] = {-1, -1}, found = rules_check(spec, &bad, spec->levels[table].level, broken, 2);
            get_arrays(&bad, &v);
            alone++;
            wrong += found != 1 || broken[0] != rule || form->truth(&v) != BROKEN ||
                     rules_check(spec, &twin, spec->levels[table].level, NULL, 0) != 0;
        }
    }
    ok(wrong == 0 && alone > 0, "%s: %d descriptions break it, and only it", form->id, alone);
}

static void test_form(const struct form *form)
{
    if (!test_conditions_load(form))
        return;
    test_check(form);
    test_conditions_draw(form);
    test_conditions_violate(form);
    if (form->text)
        ok(strcmp(spec->rules[rule].text, form->text) == 0, "%s: '%s'", form->id, spec->rules[rule].text);
    spec_set_free(&specs);
}

/* ---- attributes in order: FLOATs, and scalars of every type */

/* Pairs of numbers: the order of the first and the second does not depend on the type that holds both. */
static const double ordered_numbers[] = {-2, -1, -0.0, 0, 1, 2, 100};
enum { NUMBERS = sizeof ordered_numbers / sizeof *ordered_numbers };

static void test_conditions_set_scalar(struct opdesc *desc, const char *name, unsigned type, double value)
{
    uint8_t *bytes = desc->values[spec_find_field(spec, name)].bytes;
    memset(bytes, 0xa5, 8); /* which a shorter type does not have */
    if (datatype_of(type)->is_float)
        datatype_from_double(type, value, bytes);
    else
        datatype_from_integer(type, (int64_t)value, bytes);
}

static double get_scalar(const struct opdesc *desc, const char *name, unsigned type)
{
    const uint8_t *bytes = desc->values[spec_find_field(spec, name)].bytes;
    return datatype_of(type)->is_float ? datatype_to_double(type, bytes) : (double)datatype_to_integer(type, bytes);
}

static bool load_clip(const char *name, const char *file)
{
    struct spec_folder folder;
    struct error error = {0};
    char text[400];
    snprintf(text, sizeof text,
             "return operator '%s' { parameters = {}, rules = { rule 'form' { ordered('Min', 'Max') } } }\n", name);
    spec_folder_make(&folder);
    spec_folder_write(&folder, file, text);
    bool good = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(good, "ordered: %s loads %s", name, error.text))
        return false;
    spec = &specs.specs[0];
    rule = spec_find_rule(spec, "form");
    return true;
}

/* Checks the verdict on pairs of one type; `type_field`: the attribute that has the type, null: they are FLOATs. */
static void test_ordered_type(unsigned type, const char *type_field)
{
    struct opdesc desc;
    int wrong = 0;
    spec_blank(spec, &desc);
    for (int i = 0; i < NUMBERS * NUMBERS; i++) {
        double low = ordered_numbers[i / NUMBERS], high = ordered_numbers[i % NUMBERS];
        if ((low < 0 || high < 0) && !datatype_of(type)->is_signed && !datatype_of(type)->is_float)
            continue;
        if (type_field)
            desc.values[spec_find_field(spec, type_field)].number = (int64_t)type;
        test_conditions_set_scalar(&desc, "Min", type, low);
        test_conditions_set_scalar(&desc, "Max", type, high);
        wrong += rule_check(spec, rule, &desc, DML_FEATURE_LEVEL_6_4) != test_conditions_holds(low <= high);
    }
    ok(wrong == 0, "ordered: numbers of %s are compared", datatype_of(type)->name);
    if (datatype_of(type)->is_float) {
        test_conditions_set_scalar(&desc, "Min", type, NAN);
        ok(rule_check(spec, rule, &desc, DML_FEATURE_LEVEL_6_4) == HOLDS, "  and a NaN is above none");
    }
}

/* Descriptions drawn for the rule and against it. */
static void test_ordered_solved(const char *type_field)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    int table = spec->level_count - 1, wrong = 0, equal = 0, below = 0, alone[2] = {0};
    for (uint64_t i = 0; i < DRAWN; i++) {
        struct solve_request request;
        struct opdesc legal, bad, twin;
        solve_request_init(&request);
        request.table = table;
        if (!solve_satisfy(spec, 0, &request, i, &legal))
            continue;
        int64_t type = type_field ? legal.values[spec_find_field(spec, type_field)].number : 1;
        if (type < 1 || type >= DATATYPE_COUNT || datatype_of((unsigned)type)->bits < 8)
            continue;
        double low = get_scalar(&legal, "Min", (unsigned)type), high = get_scalar(&legal, "Max", (unsigned)type);
        wrong += low > high;
        equal += low == high;
        below += low < high;
        for (int m = 0, all = solve_moves(spec, rule, table, &legal, moves); m < all; m++) {
            if (!solve_violate(spec, rule, table, &legal, &moves[m], &bad, &twin))
                continue;
            int broken[2] = {-1, -1}, found = rules_check(spec, &bad, spec->levels[table].level, broken, 2);
            wrong +=
                found != 1 || broken[0] != rule || rules_check(spec, &twin, spec->levels[table].level, NULL, 0) != 0;
            alone[strstr(moves[m].label, "Min") ? 0 : 1]++;
        }
    }
    ok(wrong == 0 && equal > 0 && below > equal, "ordered: %d descriptions are drawn at the limit, %d inside", equal,
       below);
    ok(alone[0] > 0 && alone[1] > 0, "ordered: Min above Max, and Max below Min, break it and only it");
    ok(strcmp(spec->rules[rule].text, "Min must be at most Max") == 0, "ordered: '%s'", spec->rules[rule].text);
}

static void test_ordered(void)
{
    if (load_clip("ELEMENT_WISE_CLIP", "element_wise_clip.lua")) {
        test_ordered_type(DML_TENSOR_DATA_TYPE_FLOAT32, NULL);
        test_ordered_solved(NULL);
        spec_set_free(&specs);
    }
    if (load_clip("ELEMENT_WISE_CLIP1", "element_wise_clip1.lua")) {
        struct opdesc desc;
        for (unsigned type = 1; type < DATATYPE_COUNT; type++)
            if (datatype_of(type)->bits >= 8)
                test_ordered_type(type, "MinMaxDataType");
        spec_blank(spec, &desc);
        desc.values[spec_find_field(spec, "MinMaxDataType")].number = DML_TENSOR_DATA_TYPE_UINT64;
        memset(desc.values[spec_find_field(spec, "Min")].bytes, 0xff, 8);
        memset(desc.values[spec_find_field(spec, "Max")].bytes, 0xff, 8);
        desc.values[spec_find_field(spec, "Max")].bytes[0] = 0xfe;
        ok(rule_check(spec, rule, &desc, DML_FEATURE_LEVEL_6_4) == BROKEN, "  UINT64 in all of its bits");
        desc.values[spec_find_field(spec, "MinMaxDataType")].number = 0;
        ok(rule_check(spec, rule, &desc, DML_FEATURE_LEVEL_6_4) == UNDEFINED, "  and without a type there is no order");
        test_ordered_solved("MinMaxDataType");
        spec_set_free(&specs);
    }
}

/* A list has a number too, which is undefined: the table has no gap that would be called. */
static void test_table(void)
{
    int gaps = 0;
    for (int op = 0; op <= EXPR_SCALAR; op++)
        gaps += !expr_computes[op];
    ok(gaps == 0, "every operation has a function that computes its number");
}

int main(void)
{
    test_table();
    test_ordered();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        test_form(&forms[i]);
    return tap_done();
}
