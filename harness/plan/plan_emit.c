/* Cases that the solver finds: op:emit and op:violate. Also adds cases of any origin to the plan. */
#include "harness/plan/plan_internal.h"
#include "harness/plan/plan_corner.h"

#include "harness/base/apart.h"
#include "harness/base/random.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"
#include "harness/check/check.h"
#include "harness/spec/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VIOLATE_STALE = 16,   /* descriptions in a row that show no new way to break the rule; then the search ends */
    VIOLATE_MAX = 24,     /* ways to break one rule at one level */
    TWICE_EVERY = 8,      /* one case in this many is dispatched twice */
    TWICE_MAX = 4 << 20,  /* bytes: a case with a larger tensor is dispatched twice only where a strategy asks for it */
    RUN_ALIGNMENT = 4096, /* bytes: a tensor of a greater alignment does not run */
    RUN_MAX = 64 << 20    /* bytes: a larger tensor runs only where the planner is unlimited */
};

/* Returns the seed of a request, from its name and values, so that no case depends on another. */
static uint64_t request_seed(const struct planner *p, const struct case_request *request, const char *more)
{
    const struct spec *spec = &p->specs->specs[p->op];
    char text[CASE_NAME_SIZE];
    snprintf(text, sizeof text, "%s.%s.%s.%s.%s", spec->lower, p->strategy, request->label,
             spec->levels[request->solve.table].name, more);
    uint64_t seed = random_hash(text, 0);
    /* Names of cases depend on seeds: the number of hashed values must not change with the most that a spec may
     * have. */
    for (int i = 0; i < 4 || i < spec->group_count; i++)
        seed = random_at(seed, (uint64_t)request->solve.types[i]);
    for (int i = 0; i < 8 || i < spec->parameter_count; i++)
        seed = random_at(seed, (uint64_t)request->solve.parameters[i]);
    for (int i = 0; i < 24; i++)
        seed = random_at(seed, request->solve.strides[i]);
    return seed;
}

/* ---- adding */

static int out_of_memory(lua_State *L)
{
    lua_pushliteral(L, "out of memory for the cases");
    return -1;
}

/* Returns true if a tensor is larger than `bytes`. */
static bool has_larger(const struct spec *spec, const struct opdesc *desc, uint64_t bytes)
{
    bool larger = false;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        larger |= desc->items[i].tensor.present && desc->items[i].tensor.total > bytes;
    return larger;
}

int planner_add(struct planner *p, lua_State *L, const char *name, struct testcase c, const struct opdesc *desc)
{
    struct plan *plan = p->plan;
    if (!case_name_is_legal(name)) {
        lua_pushfstring(L, "case name '%s': " CASE_NAME_RULE, name);
        return -1;
    }
    switch (names_add(p->names, name)) {
    case NAMES_ADDED:
        break;
    case NAMES_TWICE:
        lua_pushfstring(L, "two cases are named '%s'; the label must tell them apart", name);
        return -1;
    case NAMES_NO_MEMORY:
        return out_of_memory(L);
    }
    if (!planner_wants_name(p, name) || !planner_wants_level(p, c.table))
        return 1;
    if (plan->count == plan->capacity) {
        size_t capacity = plan->capacity ? plan->capacity * 2 : 1024;
        struct testcase *cases = realloc(plan->cases, capacity * sizeof *cases);
        if (!cases)
            return out_of_memory(L);
        plan->cases = cases;
        plan->capacity = capacity;
    }
    c.spec = &p->specs->specs[p->op];
    c.name = pool_string(&plan->pool, name);
    c.strategy = p->strategy;
    c.tier = p->tier;
    c.dispatch_twice = c.expect == EXPECT_RESULTS && c.lifecycle.kind == LIFECYCLE_NONE &&
                       (c.dispatch_twice || (!has_larger(c.spec, desc, TWICE_MAX) && !p->unlimited &&
                                             random_hash(name, TWICE_EVERY) % TWICE_EVERY == 0));
    c.desc = pool_copy(&plan->pool, desc, desc->size);
    plan->cases[plan->count++] = c;
    return 1;
}

static bool has_distinct_indices(const struct spec *spec)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec->indices[i].distinct)
            return true;
    return false;
}

/* Returns true if a legal description is accepted but not run: a tensor is too large, may rely on an alignment that the
 * memory of cases does not have, or is owned by DirectML and so bound at an initialisation that device.h does not
 * have. */
static bool is_accepted_only(const struct planner *p, const struct spec *spec, const struct opdesc *desc)
{
    uint64_t max = p->unlimited ? UINT64_MAX : RUN_MAX;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        if (t->present && (t->total > max || t->alignment > RUN_ALIGNMENT || t->flags & DML_TENSOR_FLAG_OWNED_BY_DML))
            return true;
    }
    return false;
}

struct testcase planner_make_case(const struct planner *p, const struct case_request *request,
                                  const struct opdesc *desc)
{
    const struct spec *spec = &p->specs->specs[p->op];
    const struct rule *tested = request->rule >= 0 ? &spec->rules[request->rule] : NULL;
    bool either = tested && tested->accepts >> OUTCOME_ACCEPTED & 1;
    enum expectation legal = is_accepted_only(p, spec, desc) ? EXPECT_ACCEPTED : EXPECT_RESULTS;
    return (struct testcase){.table = request->solve.table,
                             .rule = request->rule,
                             .fill = request->fill_given ? request->fill : FILL_ORDINARY,
                             .index_fill = request->index_fill,
                             .dispatch_twice = request->dispatch_twice,
                             .one_memory = request->one_memory,
                             .lifecycle.kind = request->grows ? LIFECYCLE_GROWTH : LIFECYCLE_NONE,
                             .negative_indices = testcase_has_signed_indices(spec, desc),
                             .expect = either ? EXPECT_EITHER : legal,
                             .soft = testcase_is_soft(spec, request->rule)};
}

void planner_default_fill(const struct planner *p, const struct case_request *request, struct testcase *c)
{
    if (!request->fill_given && p->specs->specs[p->op].sparse)
        c->fill = FILL_SPARSE;
}

/* Gives each input that is to have the memory of an output the output's strides and total size. Sets `in_place` of the
 * case, from the plan's pool. False: they have other types or sizes, or no legal description has such an input. */
static bool share_memory(struct planner *p, const struct case_request *request, struct testcase *c, struct opdesc *desc)
{
    struct in_place in_place;
    bool any = false;
    memset(&in_place, -1, sizeof in_place);
    for (int i = 0; i < c->spec->field_count; i++) {
        if (!request->in_place[i])
            continue;
        const struct opdesc_tensor *output = OPDESC_TENSOR(desc, request->in_place[i] - 1);
        struct opdesc_tensor *input = OPDESC_TENSOR(desc, i);
        input->has_strides = output->has_strides;
        input->total = output->total;
        memcpy(input->strides, output->strides, sizeof input->strides);
        in_place.output[spec_item(c->spec, i)] = (int8_t)spec_item(c->spec, request->in_place[i] - 1);
        any = true;
    }
    if (!any)
        return true;
    c->in_place = &in_place;
    if (testcase_in_place_fault(c) || rules_check(c->spec, desc, c->spec->levels[c->table].level, NULL, 0) != 0)
        return false;
    c->in_place = pool_copy(&p->plan->pool, &in_place, sizeof in_place);
    return true;
}

/* Returns true if some input has the memory of another one. */
static bool has_one_memory(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (testcase_output_of(c, i) < 0 && testcase_memory_of(c, i) != i)
            return true;
    return false;
}

/* Takes optional attributes away that change elements before the operator's own formula sees them: with them, the
 * combinations of bits would not be its operands. */
static void leave_operands_alone(const struct spec *spec, struct opdesc *desc)
{
    for (int i = 0; i < spec->field_count; i++)
        if (spec->fields[i].kind == FIELD_SCALE_BIAS)
            desc->given &= ~(1u << i);
}

/* Adds the cases of the fill "each": they have one description, and together every combination of bits. */
static int emit_each(struct planner *p, lua_State *L, const struct case_request *request, struct testcase c,
                     const struct opdesc *desc)
{
    const int first_input = testcase_next_tensor(&c, -1);
    const uint64_t elements = (uint64_t)opdesc_elements(&desc->items[first_input].tensor);
    for (c.first = 0; c.first < fill_combinations(&c); c.first += elements) {
        struct case_request part = *request;
        char name[CASE_NAME_SIZE];
        snprintf(part.label, sizeof part.label, "%.140s%sfrom-%08llx", request->label, *request->label ? "." : "",
                 (unsigned long long)c.first);
        planner_name(p, &part, desc, "", name);
        if (planner_add(p, L, name, c, desc) < 0)
            return -1;
    }
    return 1;
}

int planner_emit(struct planner *p, lua_State *L, const struct case_request *request, const struct opdesc *solved)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct opdesc desc;
    char name[CASE_NAME_SIZE];
    const bool is_each = request->fill_given && request->fill == FILL_EACH;
    planner_name_front(p, request->label, is_each ? "" : spec->levels[request->solve.table].name, name);
    if (!planner_wants_start(p, name) || !planner_wants_level(p, request->solve.table))
        return 1;
    if (solved)
        desc = *solved;
    else if (!solve_satisfy(spec, (unsigned)p->op, &request->solve, request_seed(p, request, ""), &desc))
        return 0;
    if (request->index_fill == INDEX_NEGATIVE && !testcase_has_signed_indices(spec, &desc))
        return 0;
    if ((request->index_fill >= INDEX_FIRST && request->index_fill <= INDEX_EACH) && has_distinct_indices(spec))
        return 0; /* distinct indices cannot all be one value */
    planner_name(p, request, &desc, "", name);
    struct testcase c = planner_make_case(p, request, &desc);
    c.spec = spec;
    c.desc = &desc;
    planner_default_fill(p, request, &c);
    if (!share_memory(p, request, &c, &desc) || !planner_suit_attributes(request, &c, random_hash(name, 0), &desc) ||
        !indices_possible(&c) || !fill_is_possible(&c) || (c.one_memory && !has_one_memory(&c)))
        return 0;
    if (!is_each)
        return planner_add(p, L, name, c, &desc);
    leave_operands_alone(spec, &desc);
    return emit_each(p, L, request, c, &desc);
}

static const char *violation_ending(const struct testcase *c)
{
    return c->expect == EXPECT_EITHER ? "either" : "rejected";
}

/* One violation and its twin. */
static int add_violation(struct planner *p, lua_State *L, struct case_request *request, int rule,
                         const struct solve_move *move, const struct opdesc *bad, const struct opdesc *twin)
{
    const struct spec *spec = &p->specs->specs[p->op];
    char name[CASE_NAME_SIZE];
    snprintf(request->label, sizeof request->label, "%s.%s", spec->rules[rule].id, move->label);
    struct testcase c = planner_make_case(p, request, bad);
    c.rule = rule;
    c.expect = spec->rules[rule].strength == STRENGTH_OPEN ? EXPECT_EITHER : EXPECT_REJECTED;
    c.soft = spec->rules[rule].strength == STRENGTH_SOFT;
    planner_name(p, request, bad, violation_ending(&c), name);
    if (planner_add(p, L, name, c, bad) < 0)
        return -1;
    c = planner_make_case(p, request, twin);
    c.rule = rule;
    c.soft = false;
    planner_default_fill(p, request, &c);
    planner_name(p, request, twin, "twin", name);
    return planner_add(p, L, name, c, twin);
}

/* No description breaks the rule about the level of the operator. A device of a lower level does: it must reject
 * descriptions that the first table allows. */
static int add_too_early(struct planner *p, lua_State *L, struct case_request *request)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct opdesc legal;
    char name[CASE_NAME_SIZE];
    if (request->solve.table != 0 || spec->since == level_all[0] ||
        !solve_satisfy(spec, (unsigned)p->op, &request->solve, request_seed(p, request, "violations"), &legal))
        return 0;
    struct testcase c = planner_make_case(p, request, &legal);
    c.rule = spec_find_rule(spec, request->label);
    c.expect = EXPECT_REJECTED;
    planner_name(p, request, &legal, "rejected", name);
    return planner_add(p, L, name, c, &legal);
}

static bool is_among(const char *text, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

/* The search for ways to break a rule at one level. */
struct violating {
    struct planner *p;
    lua_State *L;
    struct case_request request;
    int rule, added;                /* added: cases, -1: one failed */
    const char *found[VIOLATE_MAX]; /* labels of the moves of these cases */
    uint64_t seed;
    uint64_t applied; /* a bit for each condition of the rule that applied to some description */
};

/* Notes which conditions of the rule apply. */
static void note_applied(struct violating *v, const struct spec *spec, const struct opdesc *legal)
{
    const struct rule *rule = &spec->rules[v->rule];
    for (int i = 0; i < rule->atom_count && i < 64; i++)
        if (solve_applies(spec, rule->first_atom + i, legal, v->request.solve.table))
            v->applied |= (uint64_t)1 << i;
}

/* Breaks the rule of one description after the other, until none shows a new way. */
static void violate_all(struct violating *v)
{
    struct solve_move moves[SOLVE_MAX_MOVES];
    const struct spec *spec = &v->p->specs->specs[v->p->op];
    const struct solve_request *solve = &v->request.solve;
    struct opdesc legal, bad, twin;
    int stale = 0;
    for (uint64_t try = 0; stale < VIOLATE_STALE && v->added >= 0; try++) {
        if (!solve_satisfy(spec, (unsigned)v->p->op, solve, random_at(v->seed, try), &legal))
            break;
        note_applied(v, spec, &legal);
        int count = solve_moves(spec, v->rule, solve->table, &legal, moves), before = v->added, unsolved = 0;
        for (int i = 0; i < count && v->added >= 0 && v->added < VIOLATE_MAX; i++) {
            if (is_among(moves[i].label, v->found, v->added))
                continue;
            if (!solve_violate(spec, v->rule, solve->table, &legal, &moves[i], &bad, &twin)) {
                unsolved++;
                continue;
            }
            v->found[v->added] = pool_string(&v->p->plan->pool, moves[i].label);
            bool good = add_violation(v->p, v->L, &v->request, v->rule, &moves[i], &bad, &twin) >= 0;
            v->added = good ? v->added + 1 : -1;
        }
        stale += unsolved == 0 ? 4 : 1;
        if (v->added != before)
            stale = 0;
    }
}

int planner_violate(struct planner *p, lua_State *L, const struct case_request *base, int rule)
{
    const struct spec *spec = &p->specs->specs[p->op];
    const struct rule *r = &spec->rules[rule];
    struct violating v = {.p = p, .L = L, .request = *base, .rule = rule};
    char start[CASE_NAME_SIZE];
    snprintf(v.request.label, sizeof v.request.label, "%s", r->id);
    planner_name_front(p, v.request.label, "", start);
    if (!planner_wants_start(p, start) || !planner_wants_level(p, v.request.solve.table))
        return 0;
    if (r->atom_count > 0 && spec->atoms[r->first_atom].kind == ATOM_SINCE)
        return add_too_early(p, L, &v.request);
    v.seed = request_seed(p, &v.request, "violations");
    violate_all(&v);
    for (int i = 0; i < r->atom_count && i < 64; i++) { /* conditions that seldom apply: on what it takes for them to */
        if ((v.applied >> i & 1) || v.added < 0 || !rule_applies(r, spec->levels[v.request.solve.table].level))
            continue;
        v.request.solve.premise_atom = r->first_atom + i;
        violate_all(&v);
    }
    return v.added;
}

/* ---- corners */

struct corner_context {
    struct planner *p;
    lua_State *L;
    struct names *names; /* of the rule's rows */
    int rule, added;
    bool failed;
};

static bool add_corner(void *context, const struct corner_row *row)
{
    struct corner_context *x = context;
    const struct spec *spec = &x->p->specs->specs[x->p->op];
    const struct rule *rule = &spec->rules[x->rule];
    struct case_request request = {.rule = x->rule};
    char name[CASE_NAME_SIZE];
    solve_request_init(&request.solve);
    request.solve.table = row->table;
    snprintf(request.label, sizeof request.label, "%s.%s", rule->id, row->move.label);
    struct testcase c = planner_make_case(x->p, &request, &row->desc);
    c.expect = rule->strength == STRENGTH_OPEN ? EXPECT_EITHER : EXPECT_REJECTED;
    c.soft = rule->strength == STRENGTH_SOFT;
    planner_name(x->p, &request, &row->desc, violation_ending(&c), name);
    if (names_add(x->names, name) != NAMES_ADDED) /* the way gives several types the same wrong one */
        return true;
    x->added++;
    x->failed = planner_add(x->p, x->L, name, c, &row->desc) < 0;
    return !x->failed;
}

int planner_corners(struct planner *p, lua_State *L, int rule, int strength)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct corner_context context = {.p = p, .L = L, .rule = rule, .names = names_new()};
    char start[CASE_NAME_SIZE];
    planner_name_front(p, spec->rules[rule].id, "", start);
    bool good = context.names, possible = !*spec->rules[rule].untested;
    if (good && possible && planner_wants_start(p, start)) {
        char what[256];
        snprintf(what, sizeof what, "strategy \"%s\": the corners of rule %s on %s", p->strategy, spec->rules[rule].id,
                 spec->name);
        apart_step(what);
        good = corner_make(spec, (unsigned)p->op, rule, strength, add_corner, &context) != CORNER_NO_MEMORY;
    }
    names_free(context.names);
    if (!good)
        return out_of_memory(L);
    return context.failed ? -1 : context.added;
}
