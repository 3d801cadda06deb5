/* The solver: its descriptions are legal, as requested and reproducible; its violations break exactly one rule. */
#include "harness/check/check.h"
#include "harness/base/random.h"
#include "harness/solve/solve.h"
#include "harness/load/load.h"
#include "harness/test/sampled.h"
#include "harness/test/kept.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum {
    REQUESTS = 400,     /* per operator */
    FEW_REQUESTS = 100, /* in a sample */
    VIOLATED = 40,      /* per operator and level: legal descriptions on which to try every move */
    FEW_VIOLATED = 4,   /* in a sample */
    MORE_VIOLATED = 400 /* on which to try the moves of a rule that none of these breaks alone */
};

static struct spec_set specs;

static bool is_input(const struct spec *spec, int field)
{
    return field_is_input(&spec->fields[field]);
}

static uint32_t random_type(struct random *r, uint32_t types)
{
    for (uint32_t skip = random_below(r, (uint32_t)__builtin_popcount(types)); skip > 0; skip--)
        types &= types - 1;
    return (uint32_t)__builtin_ctz(types);
}

/* Returns the tensors that have several elements in some legal description, as bits by field: only these may have other
 * strides than packed ones. */
static uint32_t find_several(unsigned op)
{
    const struct spec *spec = &specs.specs[op];
    struct solve_request request;
    struct opdesc desc;
    uint32_t several = 0;
    solve_request_init(&request);
    for (uint64_t i = 0; i < VIOLATED; i++) {
        request.table = (int)i % spec->level_count;
        if (!solve_satisfy(spec, op, &request, i, &desc))
            continue;
        for (int item = -1; (item = spec_next_tensor(spec, &desc, item)) >= 0;)
            if (desc.items[item].tensor.present && opdesc_elements(&desc.items[item].tensor) > 1)
                several |= 1u << spec->tensor_fields[item];
    }
    return several;
}

/* Makes a request that can be met: its parameters are those of a legal description drawn without a request, and so are
 * the tensors whose strides it names. Among tensors that exclude each other, others are never given together. */
static bool test_solve_random_request(struct random *r, unsigned op, int table, uint32_t several,
                                      struct solve_request *request)
{
    const struct spec *spec = &specs.specs[op];
    struct opdesc drawn;
    solve_request_init(request);
    request->table = table;
    if (!solve_satisfy(spec, op, request, random_next(r), &drawn))
        return false;
    for (int g = 0; g < spec->group_count; g++)
        if (random_below(r, 2))
            request->types[g] = (int)random_type(r, spec->levels[table].types[g]);
    for (int i = 0; i < spec->parameter_count; i++)
        if (random_below(r, 2))
            expr_number(spec->nodes, spec->parameters[i].node, &drawn, &request->parameters[i]);
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && random_below(r, 3) == 0) {
            enum stride_class past = is_input(spec, i) ? STRIDES_COUNT : STRIDES_BROADCAST;
            if (!(several >> i & 1))
                past = STRIDES_PADDED;
            uint8_t class = (uint8_t)random_below(r, past);
            request->strides[i] = OPDESC_TENSOR(&drawn, i)->present ? class : STRIDES_NULL;
        }
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
        request->slack[i] = random_below(r, 3) * 4;
    request->idle = random_below(r, 4) ? 0 : 0x80000001;
    request->max_bytes = random_below(r, 4) ? 0 : 4096;
    request->alignment = random_below(r, 2) ? 64 : 0;
    request->max_elements = random_below(r, 2) ? 0 : 500;
    return true;
}

static bool strides_are(const struct opdesc_tensor *t, enum stride_class class)
{
    struct opdesc_tensor packed = *t;
    uint32_t usual[OPDESC_MAX_DIMENSIONS];
    bool as_packed = true, zero = false;
    packed.has_strides = false;
    opdesc_strides(&packed, usual);
    for (uint32_t i = 0; i < t->dims && t->has_strides; i++) {
        as_packed &= t->sizes[i] == 1 || t->strides[i] == usual[i];
        zero |= t->sizes[i] > 1 && t->strides[i] == 0;
    }
    switch (class) {
    case STRIDES_NULL:
        return !t->has_strides;
    case STRIDES_PACKED:
        return t->has_strides && as_packed;
    case STRIDES_PADDED:
        return t->has_strides && !zero && opdesc_extent(t) > opdesc_elements(t);
    case STRIDES_PERMUTED:
        return t->has_strides && !as_packed && !zero && opdesc_extent(t) == opdesc_elements(t);
    default:
        return t->has_strides && zero;
    }
}

/* Names a part of the request that the description does not meet; null if it meets all. */
static const char *unmet(const struct spec *spec, const struct solve_request *request, const struct opdesc *desc)
{
    if (rules_check(spec, desc, spec->levels[request->table].level, NULL, 0) != 0)
        return "it breaks a rule";
    if (!solve_indices_fit(spec, desc))
        return "there is no room for distinct indices";
    for (int i = 0; i < spec->parameter_count; i++) {
        int64_t value;
        if (request->parameters[i] >= 0 &&
            (!expr_number(spec->nodes, spec->parameters[i].node, desc, &value) || value != request->parameters[i]))
            return spec->parameters[i].name;
    }
    uint64_t bytes = 0;
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, i);
        int type = request->types[spec->fields[i].group];
        if (type && t->data_type != (uint32_t)type)
            return "another type";
        if (!strides_are(t, request->strides[i]))
            return "other strides";
        if (t->alignment != request->alignment || t->total != (uint64_t)opdesc_implied(t) + request->slack[i])
            return "alignment or total size";
        if (opdesc_elements(t) > (request->max_elements ? request->max_elements : 4096))
            return "too many elements";
        for (uint32_t d = 0; d < t->dims && request->idle && t->has_strides; d++)
            if (t->sizes[d] == 1 && t->strides[d] != request->idle)
                return "another stride of a size of 1";
        bytes += t->total;
    }
    if (request->max_bytes > 0 && bytes > (uint64_t)request->max_bytes)
        return "too many bytes";
    return NULL;
}

static void test_requests(unsigned op)
{
    const struct spec *spec = &specs.specs[op];
    struct random r = {.key = random_hash(spec->name, 1)};
    uint32_t several = find_several(op);
    int met = 0, not_met = 0, changed = 0, requests = sampled_whole ? REQUESTS : FEW_REQUESTS;
    for (int i = 0; i < requests; i++) {
        struct solve_request request;
        struct opdesc desc, again;
        if (!test_solve_random_request(&r, op, i % spec->level_count, several, &request))
            continue;
        uint64_t seed = random_next(&r);
        if (!solve_satisfy(spec, op, &request, seed, &desc))
            continue;
        const char *what = unmet(spec, &request, &desc);
        if (what)
            note("%s: %s", spec->name, what);
        met += !what;
        not_met += what != NULL;
        memset(&again, 0xff, sizeof again);
        changed += !solve_satisfy(spec, op, &request, seed, &again) || memcmp(&again, &desc, desc.size) != 0;
    }
    ok(not_met == 0, "%s: every description is as requested", spec->name);
    ok(changed == 0, "%s: the same seed gives the same description", spec->name);
    ok(met > requests / 2, "%s: %d of %d requests were met", spec->name, met, requests);
}

/* Tensors of 20 to 60 elements; and tensors of a given size, which must be there, even if they are optional. */
static void test_elements(void)
{
    enum { LEAST = 20, MOST = 60, SIZE = 5, SEEDS = 3 };
    int met = 0, not_met = 0, optional = 0, absent = 0;
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        for (int n = 0; n < SEEDS * spec->field_count; n++) {
            int field = n / SEEDS;
            struct solve_request elements, sized;
            struct opdesc desc;
            if (!field_is_tensor(&spec->fields[field]))
                continue;
            solve_request_init(&elements);
            elements.table = spec->level_count - 1;
            sized = elements;
            elements.least[field] = LEAST;
            elements.most[field] = MOST;
            sized.fixed.field = field;
            sized.fixed.size = SIZE;
            if (solve_satisfy(spec, (unsigned)op, &elements, (uint64_t)n, &desc)) {
                int64_t count = opdesc_elements(OPDESC_TENSOR(&desc, field));
                *(count >= LEAST && count <= MOST ? &met : &not_met) += 1;
            }
            if (spec->fields[field].optional && solve_satisfy(spec, (unsigned)op, &sized, (uint64_t)n, &desc)) {
                const struct opdesc_tensor *t = OPDESC_TENSOR(&desc, field);
                optional++;
                absent += !t->present || t->sizes[t->dims - 1] != SIZE;
            }
        }
    }
    ok(met > 100 && not_met == 0, "%d tensors have as many elements as requested, %d have not", met, not_met);
    ok(optional > 0 && absent == 0, "%d optional tensors have the size that was requested, %d have not", optional,
       absent);
}

/* Limits of attributes and sizes, requested as cases/limits.lua does. */
static void test_solve_limits(unsigned op)
{
    const struct spec *spec = &specs.specs[op];
    struct solve_request request;
    int wrong = 0, reached = 0;
    int past = 0; /* the conditions of situations follow those of rules */
    for (int i = 0; i < spec->rule_count; i++)
        if (spec->rules[i].first_atom + spec->rules[i].atom_count > past)
            past = spec->rules[i].first_atom + spec->rules[i].atom_count;
    for (int atom = 0; atom < past; atom++) {
        const struct atom *a = &spec->atoms[atom];
        if (a->kind != ATOM_BETWEEN || (spec->nodes[a->x].op != EXPR_ATTR && spec->nodes[a->x].op != EXPR_SIZE))
            continue;
        for (int high = 0; high < 2; high++) {
            struct opdesc desc;
            int64_t least, max, value;
            if ((high ? a->high : a->low) < 0)
                continue;
            solve_request_init(&request);
            request.table = spec->level_count - 1;
            request.limit_atom = atom;
            request.limit_high = high;
            request.max_elements = 1 << 20; /* a limit may be a size */
            if (!solve_satisfy(spec, op, &request, 1, &desc)) {
                wrong++;
                note("%s: %s: %s limit not reached", spec->name, a->text, high ? "upper" : "lower");
                continue;
            }
            reached++;
            wrong += !solve_bounds(spec, atom, &desc, &least, &max) || !expr_number(spec->nodes, a->x, &desc, &value) ||
                     value != (high ? max : least);
        }
    }
    ok(wrong == 0, "%s: %d limits of attributes and sizes are reached", spec->name, reached);
}

/* Slices of the lengths that cases/slices.lua asks for. */
static void test_solve_slices(unsigned op)
{
    static const int64_t lengths[] = {1, 2, 31, 32, 33, 1000, 65537};
    const struct spec *spec = &specs.specs[op];
    int wrong = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct solve_request request;
        struct opdesc desc;
        int64_t slice = 0;
        solve_request_init(&request);
        request.table = spec->level_count - 1;
        request.slice = lengths[i];
        request.largest = 3;
        request.max_elements = 3 * lengths[i] + 64;
        bool good = solve_satisfy(spec, op, &request, i, &desc);
        if (spec->slice < 0)
            wrong += good;
        else
            wrong += !good || !expr_number(spec->nodes, spec->slice, &desc, &slice) || slice != lengths[i];
    }
    ok(wrong == 0, "%s: %s", spec->name, spec->slice < 0 ? "it has no slices" : "slices of 1 to 65537 elements");
}

/* Impossible requests are refused. */
static void test_impossible(void)
{
    static const struct {
        const char *op;
        int parameters[3];
    } cases[] = {{"GATHER", {3, 3, -1}},    /* Axis = DimensionCount */
                 {"GATHER", {2, -1, 3}},    /* more index dimensions than dimensions */
                 {"GATHER", {9, -1, -1}},   /* too many dimensions */
                 {"GATHER_ND", {3, 4, -1}}, /* InputDimensionCount above DimensionCount */
                 {"GATHER_ND", {3, 0, -1}}, {"NONZERO_COORDINATES", {3, 4, -1}}, {"NONZERO_COORDINATES", {3, 0, -1}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int op = spec_set_find(&specs, cases[i].op);
        struct solve_request request;
        struct opdesc desc;
        solve_request_init(&request);
        request.table = specs.specs[op].level_count - 1;
        for (int j = 0; j < specs.specs[op].parameter_count && j < 3; j++)
            request.parameters[j] = cases[i].parameters[j];
        ok(!solve_satisfy(&specs.specs[op], (unsigned)op, &request, 1, &desc), "%s with %d %d %d is impossible",
           cases[i].op, cases[i].parameters[0], cases[i].parameters[1], cases[i].parameters[2]);
    }
}

/* Returns true if some move can break only this rule. */
static bool can_be_isolated(const struct rule *rule)
{
    if (rule->behaviour)
        return false;
    if (strcmp(rule->id, "introduced") == 0)
        return false; /* the solver works at levels that have the operator */
    return !*rule->untested;
}

static void test_solve_violate(unsigned op, int table, const struct opdesc *legal, int rule, bool *isolated, int *wrong)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    const struct spec *spec = &specs.specs[op];
    DML_FEATURE_LEVEL level = spec->levels[table].level;
    int count = solve_moves(spec, rule, table, legal, moves);
    for (int i = 0; i < count; i++) {
        struct opdesc bad, twin, again, again_twin;
        int broken[2] = {-1, -1};
        if (!solve_violate(spec, rule, table, legal, &moves[i], &bad, &twin))
            continue;
        *isolated = true;
        bool good = rules_check(spec, &bad, level, broken, 2) == 1 && broken[0] == rule &&
                    rules_check(spec, &twin, level, NULL, 0) == 0 && memcmp(&bad, &twin, bad.size) != 0;
        good &= solve_violate(spec, rule, table, legal, &moves[i], &again, &again_twin) &&
                memcmp(&bad, &again, bad.size) == 0 && memcmp(&twin, &again_twin, bad.size) == 0;
        if (!good)
            note("%s: %s by %s: rule %d broken", spec->name, spec->rules[rule].id, moves[i].label, broken[0]);
        *wrong += !good;
    }
}

/* A condition that another one depends on can be requested: descriptions are legal, and the dependent condition
 * applies. If none is found, the rule cannot be broken there. */
static void test_premises(unsigned op, int table, int rule, bool *isolated, int *wrong)
{
    enum { TRIED = 4 };
    const struct spec *spec = &specs.specs[op];
    const struct rule *r = &spec->rules[rule];
    struct solve_request request;
    struct opdesc legal;
    solve_request_init(&request);
    request.table = table;
    request.tries = VIOLATED;
    for (int atom = r->first_atom; atom < r->first_atom + r->atom_count; atom++) {
        if (spec->atoms[atom].when < 0 || !rule_applies(r, spec->levels[table].level))
            continue;
        request.premise_atom = atom;
        for (uint64_t i = 0; i < TRIED && solve_satisfy(spec, op, &request, i, &legal); i++) {
            bool good = rules_check(spec, &legal, spec->levels[table].level, NULL, 0) == 0 &&
                        atom_check(spec, spec->atoms[atom].when, &legal, table) == HOLDS;
            if (!good)
                note("%s: a description to which %s does not apply", spec->name, spec->atoms[atom].text);
            *wrong += !good;
            test_solve_violate(op, table, &legal, rule, isolated, wrong);
        }
    }
}

/* Breaks the rules of one legal description. A late description only breaks the rules that no other has broken
 * alone. */
static void violate_each(unsigned op, const struct solve_request *request, uint64_t seed, bool *isolated, int *wrong)
{
    const struct spec *spec = &specs.specs[op];
    struct opdesc legal;
    bool all = seed < (sampled_whole ? VIOLATED : FEW_VIOLATED), drawn = false;
    for (int rule = 0; rule < spec->rule_count; rule++) {
        if (!all && (isolated[rule] || !can_be_isolated(&spec->rules[rule])))
            continue;
        if (!drawn && !solve_satisfy(spec, op, request, seed, &legal))
            return;
        drawn = true;
        test_solve_violate(op, request->table, &legal, rule, &isolated[rule], wrong);
    }
}

static void test_solve_violations(unsigned op)
{
    const struct spec *spec = &specs.specs[op];
    bool *isolated = calloc((size_t)spec->rule_count, sizeof *isolated);
    int wrong = 0, never = 0;
    for (int table = 0; table < spec->level_count; table++) {
        struct solve_request request;
        solve_request_init(&request);
        request.table = table;
        for (uint64_t i = 0; i < MORE_VIOLATED; i++)
            violate_each(op, &request, i, isolated, &wrong);
        for (int rule = 0; rule < spec->rule_count; rule++)
            test_premises(op, table, rule, &isolated[rule], &wrong);
    }
    ok(wrong == 0, "%s: violations break only their rule, and their twins break none", spec->name);
    for (int rule = 0; rule < spec->rule_count; rule++)
        if (isolated[rule] != can_be_isolated(&spec->rules[rule])) {
            note("%s: %s is %sisolated", spec->name, spec->rules[rule].id, isolated[rule] ? "" : "never ");
            never++;
        }
    ok(never == 0, "%s: every rule can be broken alone", spec->name);
    free(isolated);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0, "specs load %s", error.text))
        return tap_done();
    for (unsigned op = 0; op < (unsigned)specs.count; op++) {
        if (!sample_takes_operator((int)op))
            continue;
        test_requests(op);
        test_solve_limits(op);
        test_solve_slices(op);
        test_solve_violations(op);
    }
    test_elements();
    test_impossible();
    spec_set_free(&specs);
    return tap_done();
}
