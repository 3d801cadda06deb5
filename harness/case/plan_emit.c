#include "harness/spec/check.h"
#include "harness/case/plan_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/spec/desc_text.h"
#include "harness/case/indices.h"
#include "harness/spec/outcome.h"
#include "harness/base/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VIOLATE_IDLE = 16, /* descriptions in a row that brought no new way to break a rule */
    VIOLATE_MAX = 24,  /* ways to break one rule at one level */
    AGAIN_EVERY = 8,   /* so many cases, one is dispatched twice */
    NAME_SIZE = 512,
    RUN_MAX = 64 << 20 /* bytes of a tensor that is run as a matter of course */
};

/* ---- names */

struct names {
    const char **slots;
    size_t used, capacity; /* a power of two */
    struct pool pool;
};

struct names *names_new(void)
{
    return calloc(1, sizeof(struct names));
}

void names_free(struct names *names)
{
    if (!names)
        return;
    pool_clear(&names->pool);
    free(names->slots);
    free(names);
}

static const char **names_slot(struct names *names, const char *name)
{
    size_t at = random_hash(name, 0) & (names->capacity - 1);
    while (names->slots[at] && strcmp(names->slots[at], name) != 0)
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
}

static bool names_grow(struct names *names)
{
    struct names old = *names;
    size_t capacity = old.capacity ? old.capacity * 2 : 4096;
    const char **slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    names->slots = slots;
    names->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            *names_slot(names, old.slots[i]) = old.slots[i];
    free(old.slots);
    return true;
}

enum names_result names_add(struct names *names, const char *name)
{
    if (!names || (names->used * 2 >= names->capacity && !names_grow(names)))
        return NAMES_NO_MEMORY;
    const char **slot = names_slot(names, name);
    if (*slot)
        return NAMES_TWICE;
    *slot = pool_string(&names->pool, name);
    names->used++;
    return NAMES_ADDED;
}

__attribute__((format(printf, 3, 4))) static void append(char *name, size_t size, const char *format, ...)
{
    size_t used = strlen(name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_parameters(const struct spec *spec, const struct opdesc *desc, char *name)
{
    append(name, NAME_SIZE, ".");
    for (int i = 0; i < spec->parameter_count; i++) {
        int64_t value;
        if (expr_number(spec->nodes, spec->parameters[i].node, desc, &value))
            append(name, NAME_SIZE, "%s%lld", spec->parameters[i].name, (long long)value);
        else
            append(name, NAME_SIZE, "%sx", spec->parameters[i].name);
    }
}

static void append_strides(const struct spec *spec, const struct emission *e, char *name)
{
    bool any = e->strides_in_name;
    for (int i = 0; i < spec->field_count; i++)
        any |= e->solve.strides[i] != STRIDES_NULL;
    if (!any)
        return;
    append(name, NAME_SIZE, ".");
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]))
            append(name, NAME_SIZE, "%c", stride_letters[e->solve.strides[i]]);
}

/* The part of a name that is known before anything is solved. */
static void name_start(const struct planner *p, const struct emission *e, char name[NAME_SIZE])
{
    const struct spec *spec = &p->specs->specs[p->op];
    snprintf(name, NAME_SIZE, "%s.%s%s%s.fl%s", spec->lower, p->strategy, *e->label ? "." : "", e->label,
             spec->levels[e->solve.table].name);
}

static void case_name(const struct planner *p, const struct emission *e, const struct opdesc *desc, const char *last,
                      char name[NAME_SIZE])
{
    const struct spec *spec = &p->specs->specs[p->op];
    name_start(p, e, name);
    char types[TESTCASE_TYPES_SIZE];
    if (*testcase_types(spec, desc, types))
        append(name, NAME_SIZE, ".%s", types);
    append_parameters(spec, desc, name);
    append_strides(spec, e, name);
    if (*last)
        append(name, NAME_SIZE, ".%s", last);
}

/* The stream of what is asked for: by name and request, so that one case does not depend on another. */
static uint64_t request_seed(const struct planner *p, const struct emission *e, const char *more)
{
    const struct spec *spec = &p->specs->specs[p->op];
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%s.%s.%s.%s.%s", spec->lower, p->strategy, e->label, spec->levels[e->solve.table].name,
             more);
    uint64_t seed = random_hash(text, 0);
    for (int i = 0; i < SPEC_MAX_GROUPS; i++)
        seed = random_at(seed, (uint64_t)e->solve.types[i]);
    for (int i = 0; i < SPEC_MAX_PARAMETERS; i++)
        seed = random_at(seed, (uint64_t)e->solve.parameters[i]);
    for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
        seed = random_at(seed, e->solve.strides[i]);
    return seed;
}

/* ---- adding */

static bool name_is_legal(const char *name)
{
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.") == strlen(name) &&
           !strstr(name, "..");
}

static int out_of_memory(lua_State *L)
{
    lua_pushliteral(L, "out of memory for the cases");
    return -1;
}

int planner_add(struct planner *p, lua_State *L, const char *name, struct testcase c, const struct opdesc *desc)
{
    struct plan *plan = p->plan;
    if (!name_is_legal(name)) {
        lua_pushfstring(L, "case name '%s': only letters, digits, '_' and '-' may stand between the dots", name);
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
    c.again =
        c.expect == EXPECT_RESULTS && (c.again || (!p->tiered && random_hash(name, AGAIN_EVERY) % AGAIN_EVERY == 0));
    c.desc = pool_copy(&plan->pool, desc, testcase_desc_size(c.spec));
    plan->cases[plan->count++] = c;
    return 1;
}

static bool has_signed_indices(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->index_count; i++)
        if (datatype_of(desc->fields[spec->indices[i].field].tensor.data_type)->is_signed)
            return true;
    return false;
}

static bool has_distinct_indices(const struct spec *spec)
{
    for (int i = 0; i < spec->index_count; i++)
        if (spec->indices[i].distinct)
            return true;
    return false;
}

/* Whether a legal description is not to be run: a tensor is too large for that, or DirectML's own, which is bound at an
 * initialisation that device.h does not have. */
static bool is_for_show(const struct planner *p, const struct spec *spec, const struct opdesc *desc)
{
    uint64_t max = p->tiered ? UINT64_MAX : RUN_MAX;
    for (int i = 0; i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) &&
            (desc->fields[i].tensor.total > max || desc->fields[i].tensor.flags & DML_TENSOR_FLAG_OWNED_BY_DML))
            return true;
    return false;
}

static struct testcase make_case(const struct planner *p, const struct emission *e, const struct opdesc *desc)
{
    const struct spec *spec = &p->specs->specs[p->op];
    const struct rule *tested = e->rule >= 0 ? &spec->rules[e->rule] : NULL;
    bool either = tested && tested->accepts >> OUTCOME_ACCEPTED & 1;
    return (struct testcase){.table = e->solve.table,
                             .rule = e->rule,
                             .fill = e->fill_given ? e->fill : FILL_ORDINARY,
                             .index_fill = e->index_fill,
                             .again = e->again,
                             .negative = has_signed_indices(spec, desc),
                             .expect = either                       ? EXPECT_EITHER
                                       : is_for_show(p, spec, desc) ? EXPECT_ACCEPTED
                                                                    : EXPECT_RESULTS,
                             .soft = tested && tested->behaviour && tested->strength == STRENGTH_SOFT};
}

/* An operator whose inputs are looked at for zeros gets zeros, unless the strategy says otherwise. */
static void default_fill(const struct planner *p, const struct emission *e, struct testcase *c)
{
    if (!e->fill_given && p->specs->specs[p->op].sparse)
        c->fill = FILL_SPARSE;
}

int planner_emit(struct planner *p, lua_State *L, const struct emission *e, const struct opdesc *solved)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct opdesc desc;
    char name[NAME_SIZE];
    name_start(p, e, name);
    if (!planner_wants_start(p, name) || !planner_wants_level(p, e->solve.table))
        return 1;
    if (solved)
        desc = *solved;
    else if (!solve_satisfy(spec, (unsigned)p->op, &e->solve, request_seed(p, e, ""), &desc))
        return 0;
    if (e->index_fill == INDEX_NEGATIVE && !has_signed_indices(spec, &desc))
        return 0;
    if ((e->index_fill >= INDEX_FIRST && e->index_fill <= INDEX_EACH) && has_distinct_indices(spec))
        return 0; /* they cannot all be that */
    case_name(p, e, &desc, "", name);
    struct testcase c = make_case(p, e, &desc);
    c.spec = spec;
    c.desc = &desc;
    default_fill(p, e, &c);
    if (!indices_possible(&c) || (c.fill == FILL_DISTINCT && !fill_can_be_distinct(&c)))
        return 0;
    return planner_add(p, L, name, c, &desc);
}

/* One violation and its twin. */
static int add_violation(struct planner *p, lua_State *L, struct emission *e, int rule, const struct solve_move *move,
                         const struct opdesc *bad, const struct opdesc *twin)
{
    const struct spec *spec = &p->specs->specs[p->op];
    char name[NAME_SIZE];
    snprintf(e->label, sizeof e->label, "%s.%s", spec->rules[rule].id, move->label);
    struct testcase c = make_case(p, e, bad);
    c.rule = rule;
    c.expect = spec->rules[rule].strength == STRENGTH_OPEN ? EXPECT_EITHER : EXPECT_REJECTED;
    c.soft = spec->rules[rule].strength == STRENGTH_SOFT;
    case_name(p, e, bad, c.expect == EXPECT_EITHER ? "either" : "rejected", name);
    if (planner_add(p, L, name, c, bad) < 0)
        return -1;
    c = make_case(p, e, twin);
    c.rule = rule;
    c.soft = false;
    default_fill(p, e, &c);
    case_name(p, e, twin, "twin", name);
    return planner_add(p, L, name, c, twin);
}

/* The rule that the operator is there is broken by nothing in a description, but by a device of a lower level: what is
 * legal from the first table on must be rejected there. */
static int add_too_early(struct planner *p, lua_State *L, struct emission *e)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct opdesc legal;
    char name[NAME_SIZE];
    if (e->solve.table != 0 || spec->since == level_all[0] ||
        !solve_satisfy(spec, (unsigned)p->op, &e->solve, request_seed(p, e, "violations"), &legal))
        return 0;
    struct testcase c = make_case(p, e, &legal);
    c.rule = spec_find_rule(spec, e->label);
    c.expect = EXPECT_REJECTED;
    case_name(p, e, &legal, "rejected", name);
    return planner_add(p, L, name, c, &legal);
}

static bool is_among(const char *text, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

int planner_violate(struct planner *p, lua_State *L, const struct emission *request, int rule)
{
    struct solve_move moves[SOLVE_MAX_MOVES];
    const struct spec *spec = &p->specs->specs[p->op];
    struct emission e = *request;
    struct opdesc legal, bad, twin;
    char start[NAME_SIZE];
    snprintf(e.label, sizeof e.label, "%s", spec->rules[rule].id);
    snprintf(start, sizeof start, "%s.%s.%s", spec->lower, p->strategy, e.label);
    if (!planner_wants_start(p, start) || !planner_wants_level(p, e.solve.table))
        return 0;
    if (spec->rules[rule].atom_count > 0 && spec->atoms[spec->rules[rule].first_atom].kind == ATOM_SINCE)
        return add_too_early(p, L, &e);
    const char *done[VIOLATE_MAX]; /* labels of the ways found so far */
    uint64_t seed = request_seed(p, &e, "violations");
    int added = 0, idle = 0;
    for (uint64_t try = 0; idle < VIOLATE_IDLE && added >= 0; try++) {
        if (!solve_satisfy(spec, (unsigned)p->op, &e.solve, random_at(seed, try), &legal))
            break;
        int count = solve_moves(spec, rule, e.solve.table, &legal, moves), before = added, left = 0;
        for (int i = 0; i < count && added >= 0 && added < VIOLATE_MAX; i++) {
            if (is_among(moves[i].label, done, added))
                continue;
            if (!solve_violate(spec, rule, e.solve.table, &legal, &moves[i], &bad, &twin)) {
                left++;
                continue;
            }
            done[added] = pool_string(&p->plan->pool, moves[i].label);
            added = add_violation(p, L, &e, rule, &moves[i], &bad, &twin) < 0 ? -1 : added + 1;
        }
        idle = added != before ? 0 : left == 0 ? idle + 4 : idle + 1;
    }
    return added;
}

/* ---- worked examples */

static int example_error(lua_State *L, const char *id, const char *what)
{
    lua_pushfstring(L, "example \"%s\": %s", id, what);
    return -1;
}

/* The elements of the list at the top of the stack. */
static bool read_values(lua_State *L, struct pool *pool, uint32_t type, struct literal *out)
{
    size_t bytes = datatype_of(type)->bits / 8, count = lua_rawlen(L, -1);
    char *data = pool_alloc(pool, count * bytes);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        if (lua_isinteger(L, -1))
            datatype_from_integer(type, lua_tointeger(L, -1), data + i * bytes);
        else if (lua_isnumber(L, -1))
            datatype_from_double(type, lua_tonumber(L, -1), data + i * bytes);
        else
            return false;
        lua_pop(L, 1);
    }
    *out = (struct literal){.data = data, .count = (uint32_t)count};
    return true;
}

/* A tensor of an example, { type, sizes, values }, at the top of the stack. */
static const char *read_tensor(lua_State *L, struct pool *pool, struct opdesc_tensor *t, struct literal *literal)
{
    *t = (struct opdesc_tensor){.present = true, .has_sizes = true, .type = DML_TENSOR_TYPE_BUFFER};
    lua_rawgeti(L, -1, 1);
    int type = lua_type(L, -1) == LUA_TSTRING ? datatype_find(lua_tostring(L, -1)) : -1;
    lua_pop(L, 1);
    if (type <= 0)
        return "the first entry of a tensor must be its data type";
    t->data_type = (uint32_t)type;
    lua_rawgeti(L, -1, 2);
    if (!lua_istable(L, -1) || lua_rawlen(L, -1) > OPDESC_MAX_DIMENSIONS)
        return "the second entry of a tensor must be its sizes";
    t->dims = (uint32_t)lua_rawlen(L, -1);
    for (uint32_t i = 0; i < t->dims; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        t->sizes[i] = (uint32_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    t->total = (uint64_t)opdesc_implied(t);
    lua_rawgeti(L, -1, 3);
    bool good = lua_isnil(L, -1) || (lua_istable(L, -1) && read_values(L, pool, t->data_type, literal));
    lua_pop(L, 1);
    if (literal->count > opdesc_elements(t))
        return "a tensor has more values than elements";
    return good ? NULL : "the third entry of a tensor must be its values";
}

/* Its fields; or `description`, a line of text. */
static const char *read_example(struct planner *p, lua_State *L, int example, struct opdesc *desc,
                                struct literal *literals)
{
    const struct spec *spec = &p->specs->specs[p->op];
    if (lua_getfield(L, example, "description") == LUA_TSTRING)
        return desc_text_parse(p->specs, lua_tostring(L, -1), desc, NULL) || desc->op != (unsigned)p->op
                   ? "its description is none of the operator"
                   : NULL;
    lua_pop(L, 1);
    for (int i = 0; i < spec->field_count; i++) {
        const char *wrong = NULL;
        lua_getfield(L, example, spec->fields[i].name);
        if (!field_is_tensor(&spec->fields[i]))
            desc->fields[i].number = lua_tointeger(L, -1);
        if (!(!field_is_tensor(&spec->fields[i]) ? lua_isinteger(L, -1) : lua_istable(L, -1)))
            return "a field is missing";
        if (!field_is_tensor(&spec->fields[i]) && (lua_tointeger(L, -1) < 0 || lua_tointeger(L, -1) > UINT32_MAX))
            return "an attribute does not fit into a UINT";
        if (field_is_tensor(&spec->fields[i]))
            wrong = read_tensor(L, &p->plan->pool, &desc->fields[i].tensor, &literals[i]);
        if (wrong)
            return wrong;
        if (spec->fields[i].kind == FIELD_INPUT && literals[i].data &&
            literals[i].count != opdesc_elements(&desc->fields[i].tensor))
            return "an input must have all its values or none";
        if (spec->fields[i].kind == FIELD_OUTPUT && literals[i].data && i != spec->rows.field &&
            literals[i].count != opdesc_elements(&desc->fields[i].tensor))
            return "an output must have all its values or none";
        lua_pop(L, 1);
    }
    return NULL;
}

/* A legal example is of the first level that has it; one to be rejected is of the last, and breaks the rule it names. */
static const char *place_example(const struct spec *spec, const struct opdesc *desc, const char *rejected,
                                 struct emission *e)
{
    int broken[2] = {-1, -1};
    for (int table = 0; !rejected && table < spec->level_count; table++)
        if (rules_check(spec, desc, spec->levels[table].level, broken, 2) == 0) {
            e->solve.table = table;
            return NULL;
        }
    e->solve.table = spec->level_count - 1;
    int count = rules_check(spec, desc, spec->levels[e->solve.table].level, broken, 2);
    if (!rejected)
        return spec->rules[broken[0]].text;
    e->rule = spec_find_rule(spec, rejected);
    if (e->rule < 0 || count != 1 || broken[0] != e->rule)
        return "it does not break the rule that 'rejected' names, and no other";
    return NULL;
}

/* What an example's member names; -1: it is not there. `wrong` is set if there is no such word. */
static int read_word(lua_State *L, int example, const char *key, const char *const *words, const char **wrong)
{
    lua_getfield(L, example, key);
    const char *word = lua_tostring(L, -1);
    for (int i = 0; word && words[i]; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    *wrong = word ? "its fill or indices are not known" : *wrong;
    return -1;
}

int planner_example(struct planner *p, lua_State *L, int example)
{
    const struct spec *spec = &p->specs->specs[p->op];
    struct literal *literals = pool_alloc(&p->plan->pool, (size_t)spec->field_count * sizeof *literals);
    struct emission e = {.rule = -1};
    struct opdesc desc = {.op = (unsigned)p->op};
    char name[NAME_SIZE];
    solve_request_init(&e.solve);
    lua_getfield(L, example, "id");
    snprintf(e.label, sizeof e.label, "%s", lua_tostring(L, -1) ? lua_tostring(L, -1) : "");
    lua_getfield(L, example, "rejected");
    const char *rejected = lua_tostring(L, -1);
    const char *wrong = read_example(p, L, example, &desc, literals);
    int fill = read_word(L, example, "fill", fill_names, &wrong);
    int indices = read_word(L, example, "indices", index_fill_names, &wrong);
    e.fill = fill < 0 ? FILL_ORDINARY : (enum fill)fill;
    e.fill_given = fill >= 0;
    e.index_fill = indices < 0 ? INDEX_ANY : (enum index_fill)indices;
    if (!wrong)
        wrong = place_example(spec, &desc, rejected, &e);
    if (wrong)
        return example_error(L, e.label, wrong);
    struct testcase c = make_case(p, &e, &desc);
    default_fill(p, &e, &c);
    c.literals = literals;
    if (rejected) {
        c.expect = EXPECT_REJECTED;
        c.soft = spec->rules[e.rule].strength == STRENGTH_SOFT;
    }
    case_name(p, &e, &desc, "", name);
    return planner_add(p, L, name, c, &desc);
}
