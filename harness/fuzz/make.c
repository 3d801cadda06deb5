#include "harness/fuzz/make.h"

#include "harness/base/datatype.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

#include <string.h>

enum { TRIES = 8, TARGETED = 12 };

static uint32_t make_below(struct fuzz_maker *maker, uint32_t n)
{
    return random_below(&maker->random, n);
}

/* Returns a number that programs often handle wrongly. */
static uint32_t odd_number(struct fuzz_maker *maker)
{
    static const uint32_t numbers[] = {0,     1,          2,          3,          4,   5,     7,
                                       8,     9,          16,         255,        256, 65535, 65536,
                                       65537, 0x7fffffff, 0x80000000, 0xfffffffe, 48,  64,    0xffffffff};
    return numbers[make_below(maker, sizeof numbers / sizeof *numbers)];
}

void fuzz_maker_init(struct fuzz_maker *maker, const struct fuzz_rules *rules, unsigned op, uint64_t key,
                     const struct opdesc *seeds, uint32_t seed_count)
{
    memset(maker, 0,
           offsetof(struct fuzz_maker, corpus)); /* nothing is read of the corpus and moves that are not set */
    maker->rules = rules;
    maker->op = op;
    maker->table = rules->table < 0 ? 0 : rules->table;
    maker->random.key = key;
    for (uint32_t i = 0; i < seed_count && i < FUZZ_CORPUS; i++)
        opdesc_copy(&maker->corpus[maker->corpus_count++], &seeds[i]);
    maker->corpus_next = maker->corpus_count % FUZZ_CORPUS;
}

/* ---- bases */

static bool make_draw(struct fuzz_maker *maker, bool plain, struct opdesc *out)
{
    static const uint32_t alignments[] = {0, 0, 16, 8, 32, 4096}, largest[] = {1, 2, 3, 7, 7, 16};
    const struct spec *spec = maker->rules->spec;
    struct solve_request request;
    solve_request_init(&request);
    request.table = maker->table;
    request.tries = TRIES;
    for (int i = 0; !plain && i < spec->field_count; i++)
        if (field_is_tensor(&spec->fields[i]) && make_below(maker, 3) == 0)
            request.strides[i] =
                (uint8_t)make_below(maker, field_is_input(&spec->fields[i]) ? STRIDES_COUNT : STRIDES_BROADCAST);
    if (!plain) {
        request.alignment = alignments[make_below(maker, sizeof alignments / sizeof *alignments)];
        uint32_t slack = make_below(maker, 4) == 0 ? 4 * make_below(maker, 8) : 0;
        for (int i = 0; i < OPDESC_MAX_FIELDS; i++)
            request.slack[i] = slack;
        request.owned = make_below(maker, 16) == 0;
        request.largest = largest[make_below(maker, sizeof largest / sizeof *largest)];
    }
    return solve_satisfy(spec, maker->op, &request, random_next(&maker->random), out);
}

/* Drawn descriptions mostly have sizes of 1: enlarges these, if the result is legal. */
static void make_widen(struct fuzz_maker *maker, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    struct opdesc wide;
    opdesc_copy(&wide, desc);
    for (int i = spec_next_tensor(spec, &wide, -1); i >= 0; i = spec_next_tensor(spec, &wide, i))
        for (uint32_t d = 0; d < wide.items[i].tensor.dims; d++)
            if (wide.items[i].tensor.sizes[d] == 1)
                wide.items[i].tensor.sizes[d] = 2 + make_below(maker, 2);
    solve_repair(spec, maker->table, -1, -1, &wide);
    solve_totals(spec, &wide);
    if (rules_check(spec, &wide, maker->rules->level, NULL, 0) == 0)
        opdesc_copy(desc, &wide);
}

/* Returns the applicable rule that was broken alone least often. */
static int choose_target(const struct fuzz_maker *maker)
{
    int target = -1;
    for (fuzz_broken rest = maker->rules->all; rest; rest &= rest - 1) {
        int rule = __builtin_ctzll(rest);
        if (target < 0 || maker->alone[rule] < maker->alone[target])
            target = rule;
    }
    return target;
}

static void make_base(struct fuzz_maker *maker, struct opdesc *base)
{
    maker->move_count = 0;
    if (maker->corpus_count > 0 && make_below(maker, 4) == 0) {
        opdesc_copy(base, &maker->corpus[make_below(maker, (uint32_t)maker->corpus_count)]);
        return;
    }
    if (!make_draw(maker, false, base) && !make_draw(maker, true, base)) {
        spec_blank(maker->rules->spec, base); /* breaks many rules at once */
        return;
    }
    if (make_below(maker, 8) == 0)
        make_widen(maker, base);
    maker->target = choose_target(maker);
    if (maker->target >= 0) {
        maker->move_count = solve_moves(maker->rules->spec, maker->target, maker->table, base, maker->moves);
        maker->alone[maker->target]++; /* also if it fails, so that the next target is another */
    }
}

void fuzz_maker_base(struct fuzz_maker *maker, struct opdesc *base)
{
    make_base(maker, base);
    fuzz_judge_base(maker->rules, base, &maker->judged);
}

/* ---- one change */

/* Returns a random element of a tensor field, mostly one that the device sees. */
static int make_any_element(struct fuzz_maker *maker, const struct opdesc *desc, int field)
{
    unsigned count = opdesc_count(desc, field);
    return desc->values[field].place.item + (count > 1 ? (int)make_below(maker, count) : 0);
}

/* Returns the item of a random tensor. */
static int any_tensor(struct fuzz_maker *maker, const struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    int field;
    do
        field = (int)make_below(maker, (uint32_t)spec->field_count);
    while (!field_is_tensor(&spec->fields[field]));
    return make_any_element(maker, desc, field);
}

/* Sets the total size of a tensor of a field to the least. */
static void set_least_total(int field, struct opdesc_tensor *t, struct fuzz_variant *made)
{
    const uint64_t old = t->total;
    t->total = (uint64_t)opdesc_implied(t);
    made->parts |= t->total == old ? 0 : fuzz_part(field, FUZZ_TOTAL);
    made->least = field;
}

static bool make_number_of(const struct fuzz_maker *maker, int node, const struct opdesc *desc, int64_t *out)
{
    return expr_number_of(maker->rules->spec->nodes, node, desc, maker->element, out);
}

/* Finds the limits of an atom, as solve_bounds_of() does. */
static bool bounds_of(const struct fuzz_maker *maker, int atom, const struct opdesc *desc, int64_t *low, int64_t *high)
{
    const struct spec *spec = maker->rules->spec;
    const struct atom *a = &spec->atoms[atom];
    *low = 0;
    *high = spec->nodes[a->x].op == EXPR_TOTAL ? INT64_MAX : UINT32_MAX;
    return (a->low < 0 || make_number_of(maker, a->low, desc, low)) &&
           (a->high < 0 || make_number_of(maker, a->high, desc, high));
}

/* Returns a number at or beside a limit of an atom, or an odd one. */
static int64_t near_limit(struct fuzz_maker *maker, int atom, const struct opdesc *desc)
{
    int64_t low, high;
    if (!bounds_of(maker, atom, desc, &low, &high) || make_below(maker, 8) == 0)
        return odd_number(maker);
    int64_t limit = make_below(maker, 2) ? low : high;
    int64_t step = (int64_t)make_below(maker, 3) - 1, number;
    return __builtin_add_overflow(limit, step, &number) ? limit : number;
}

static int64_t other_choice(struct fuzz_maker *maker, const struct atom *a)
{
    int64_t value = odd_number(maker);
    if (make_below(maker, 2) && a->set_count)
        value = a->set[make_below(maker, (uint32_t)a->set_count)];
    else if (a->powers)
        value = (int64_t)1 << make_below(maker, 32);
    return value;
}

/* Returns the list that a slice is a part of, otherwise the list itself. */
static int make_list_of(const struct spec *spec, int node)
{
    return spec->nodes[node].op == EXPR_SLICE ? spec->nodes[node].a : node;
}

/* The functions below return the parts that may have changed: 0 if chance left the description unchanged. */

static fuzz_parts change_list(struct fuzz_maker *maker, int atom, int list, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    const struct atom *a = &spec->atoms[atom];
    int count = 0;
    uint32_t *sizes = solve_list(spec, list, desc, maker->element, &count);
    if (!sizes || count == 0)
        return 0;
    uint32_t *size = &sizes[make_below(maker, (uint32_t)count)], old = *size;
    if (a->kind == ATOM_EACH && list == a->x)
        *size = (uint32_t)near_limit(maker, atom, desc);
    else
        *size = make_below(maker, 8) ? *size + make_below(maker, 3) - 1 : odd_number(maker);
    return *size == old ? 0 : maker->rules->set_at[make_list_of(spec, list)];
}

/* Returns true if a part of a description can only be 0 or 1, so that any number but 0 sets it to 1. */
static bool is_flag(enum expr_op op)
{
    return op == EXPR_PRESENT || op == EXPR_HAS_SIZES || op == EXPR_GIVEN || op == EXPR_HAS_DESC ||
           op == EXPR_MEMBER_GIVEN;
}

static fuzz_parts assign(const struct fuzz_maker *maker, int node, struct opdesc *desc, int64_t value)
{
    const struct expr *nodes = maker->rules->spec->nodes;
    const enum expr_op op = nodes[node].op;
    int64_t old;
    if (op != EXPR_OPERATOR && /* whose Desc gets set, too */
        make_number_of(maker, node, desc, &old) && old == (is_flag(op) ? value != 0 : value))
        return 0;
    return expr_assign_of(nodes, node, desc, maker->element, value) ? maker->rules->set_at[node] : 0;
}

/* Gives the tensor explicit strides and changes one or two of them. */
static void change_strides(struct fuzz_maker *maker, struct opdesc_tensor *t)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS] = {0}, d = t->dims ? make_below(maker, t->dims) : 0;
    opdesc_strides(t, strides);
    memcpy(t->strides, strides, sizeof strides);
    t->has_strides = true;
    if (t->dims == 0)
        return;
    switch (make_below(maker, 5)) {
    case 0:
        t->strides[d] = odd_number(maker);
        break;
    case 1: /* a gap */
        t->strides[d] += make_below(maker, 4);
        break;
    case 2: /* an extent just at its limit, or beyond */
        if (t->sizes[d] > 1) {
            uint64_t rest = 0;
            for (uint32_t i = 0; i < t->dims; i++)
                rest += i == d || t->sizes[i] == 0 ? 0 : (t->sizes[i] - 1ull) * t->strides[i];
            t->strides[d] = (uint32_t)((UINT32_MAX - 1 - rest) / (t->sizes[d] - 1) + make_below(maker, 2));
        }
        break;
    case 3: { /* swap two dimensions */
        uint32_t other = make_below(maker, t->dims), kept = t->strides[d];
        t->strides[d] = t->strides[other];
        t->strides[other] = kept;
        break;
    }
    default:
        t->strides[d] = 0;
    }
}

/* Gives a tensor many elements in little memory. */
static void broadcast(struct fuzz_maker *maker, struct opdesc_tensor *t)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS] = {0};
    opdesc_strides(t, strides);
    memcpy(t->strides, strides, sizeof strides);
    t->has_strides = true;
    for (int i = 0; i < 2 && t->dims; i++) {
        uint32_t d = make_below(maker, t->dims);
        t->sizes[d] = 65535 + make_below(maker, 3);
        t->strides[d] = 0;
    }
}

/* A change of a condition's subject. */
struct change {
    int field; /* -1: the condition is about no single field */
    fuzz_parts parts;
};

static struct change change_atom(struct fuzz_maker *maker, int atom, struct opdesc *desc);

/* Changes the subject of one part, in an array for one element. */
static struct change change_part(struct fuzz_maker *maker, const struct atom *a, struct opdesc *desc)
{
    uint32_t count = a->kind == ATOM_EVERY ? opdesc_count(desc, a->array) : 0;
    if (count > 0)
        maker->element = (int)make_below(maker, count);
    struct change change = change_atom(maker, a->parts[make_below(maker, (uint32_t)a->part_count)], desc);
    maker->element = 0;
    return change;
}

/* Changes the subject of an atom. */
static struct change change_atom(struct fuzz_maker *maker, int atom, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    const struct atom *a = &spec->atoms[atom];
    const struct change none = {.field = -1};
    if (a->kind == ATOM_SINCE)
        return none;
    if (a->part_count > 0)
        return change_part(maker, a, desc);
    const struct expr *x = &spec->nodes[a->x];
    if (a->kind == ATOM_ORDERED && make_below(maker, 2))
        x = &spec->nodes[a->low];
    if (a->kind == ATOM_REALS || a->kind == ATOM_ORDERED) {
        struct field_ref ref = field_ref(spec, desc, x->field);
        field_kinds[spec->fields[x->field].kind].mutate(&ref, &maker->random);
        return (struct change){x->field, maker->rules->of_field[x->field]};
    }
    if (x->op == EXPR_OVERLAP || x->op == EXPR_EXTENT || x->op == EXPR_ELEMENTS) {
        struct opdesc_tensor *t = expr_tensor_to_set(x, desc, maker->element);
        if (!t) /* an array without elements */
            return none;
        bool sizes = x->op == EXPR_ELEMENTS && make_below(maker, 2);
        if (sizes)
            broadcast(maker, t);
        else
            change_strides(maker, t);
        return (struct change){x->field,
                               fuzz_part(x->field, FUZZ_STRIDES) | (sizes ? fuzz_part(x->field, FUZZ_SIZES) : 0)};
    }
    int leaf = maker->rules->leaves[atom];
    if (leaf < 0)
        return none;
    if (expr_is_list(&spec->nodes[leaf]))
        return (struct change){spec->nodes[make_list_of(spec, leaf)].field, change_list(maker, atom, leaf, desc)};
    int64_t value = 0;
    if (a->kind == ATOM_TYPES)
        value = make_below(maker, DATATYPE_COUNT + 1);
    else if (a->kind == ATOM_DIMS)
        value = make_below(maker, OPDESC_MAX_DIMENSIONS + 1);
    else if (a->kind == ATOM_ONE_OF && leaf == a->x)
        value = other_choice(maker, a);
    else if (a->kind == ATOM_BETWEEN && leaf == a->x)
        value = near_limit(maker, atom, desc);
    else if (make_below(maker, 4) && make_number_of(maker, leaf, desc, &value))
        value += (int64_t)make_below(maker, 3) - 1;
    else
        value = odd_number(maker);
    return (struct change){spec->nodes[leaf].field, assign(maker, leaf, desc, value)};
}

/* Makes one change for a random rule. Mostly adapts the tensor's total size, so that not every change breaks that as
 * well. */
static struct fuzz_variant make_change(struct fuzz_maker *maker, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    const struct fuzz_rules *rules = maker->rules;
    struct fuzz_variant made = {.least = -1};
    int rule = -1;
    for (int i = 0; i < 4 && (rule < 0 || rules->atom_count[rule] == 0); i++) /* each rule is equally likely */
        rule = (int)make_below(maker, (uint32_t)rules->rule_count);
    if (rules->atom_count[rule] == 0)
        return made;
    int atom = rules->atoms[rules->first_atom[rule] + make_below(maker, rules->atom_count[rule])];
    struct change change = change_atom(maker, atom, desc);
    if (change.field < 0 && spec->parameter_count > 0) {
        int node = spec->parameters[make_below(maker, (uint32_t)spec->parameter_count)].node;
        change = (struct change){spec->nodes[node].field,
                                 assign(maker, node, desc, make_below(maker, OPDESC_MAX_DIMENSIONS))};
    }
    if (change.field < 0)
        return made;
    made.parts = change.parts;
    bool total = spec->atoms[atom].kind == ATOM_BETWEEN && spec->nodes[spec->atoms[atom].x].op == EXPR_TOTAL;
    if (field_is_tensor(&spec->fields[change.field]) && !total && make_below(maker, 8))
        set_least_total(change.field, OPDESC_TENSOR(desc, change.field), &made);
    return made;
}

/* ---- other variants */

/* Changes the memory layout of a tensor, which mostly stays legal. */
static struct fuzz_variant change_layout(struct fuzz_maker *maker, int item, struct opdesc *desc)
{
    const int field = maker->rules->spec->tensor_fields[item];
    const bool input = field_is_input(&maker->rules->spec->fields[field]);
    struct opdesc_tensor *t = &desc->items[item].tensor;
    const uint32_t bytes = (uint32_t)elements_bytes(datatype_of(t->data_type)->bits, 1);
    struct fuzz_variant made = {.least = -1};
    switch (make_below(maker, 6)) {
    case 0:
        made.parts = t->has_strides ? fuzz_part(field, FUZZ_STRIDES) : 0;
        t->has_strides = false;
        break;
    case 1: {
        bool had = t->has_strides;
        made.parts = fuzz_part(field, FUZZ_STRIDES);
        change_strides(maker, t);
        if (!input && opdesc_overlaps(t))
            t->has_strides = had;
        break;
    }
    case 2:
        made.parts = fuzz_part(field, FUZZ_ALIGNMENT);
        t->alignment = make_below(maker, 3) ? bytes << make_below(maker, 12) : 0;
        return made;
    case 3:
        made.parts = fuzz_part(field, FUZZ_FLAGS_AND_TYPE);
        t->flags = input ? t->flags ^ 1 : 0;
        return made;
    case 4:
        made.parts = fuzz_part(field, FUZZ_TOTAL);
        set_least_total(field, t, &made);
        t->total +=
            make_below(maker, 4) ? 4 * make_below(maker, 64) : (uint64_t)odd_number(maker) << make_below(maker, 31);
        made.least = -1;
        return made;
    default:
        made.parts = fuzz_part(field, FUZZ_ALIGNMENT);
        t->alignment = bytes;
    }
    set_least_total(field, t, &made);
    return made;
}

static uint32_t any_size(struct fuzz_maker *maker)
{
    if (make_below(maker, 4))
        return 1 + make_below(maker, 6);
    return make_below(maker, 4) ? odd_number(maker) : UINT32_MAX;
}

/* Changes a size, rank, type or attribute and repairs the rest to match. */
static void reshape(struct fuzz_maker *maker, const struct opdesc *base, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    int field = (int)make_below(maker, (uint32_t)spec->field_count);
    struct field_ref ref = field_ref(spec, desc, field);
    if (!field_is_tensor(&spec->fields[field])) {
        field_draw(&ref, &spec->domains[field], &maker->random);
    } else {
        struct opdesc_tensor *t = &desc->items[make_any_element(maker, desc, field)].tensor;
        if (make_below(maker, 3) == 0)
            opdesc_resize(t, 1 + make_below(maker, 8));
        if (make_below(maker, 3) == 0)
            t->data_type = 1 + make_below(maker, DATATYPE_COUNT - 1);
        if (t->dims && t->has_sizes && make_below(maker, 2)) {
            uint32_t size = any_size(maker);
            t->sizes[make_below(maker, t->dims)] = size;
        }
    }
    if (maker->rules->table >= 0)
        fuzz_repair(maker->rules, &maker->judged, fuzz_difference_of_field(maker->rules, field, base, desc), desc);
    else
        solve_repair(spec, maker->table, -1, -1, desc);
    solve_totals(spec, desc);
}

/* Stores any value in a random member, whatever the rules say. Returns the field. */
static int randomize(struct fuzz_maker *maker, struct opdesc *desc)
{
    const struct spec *spec = maker->rules->spec;
    struct field_ref ref = field_ref(spec, desc, (int)make_below(maker, (uint32_t)spec->field_count));
    field_kind(&ref)->mutate(&ref, &maker->random);
    return ref.at;
}

/* Only the count says how long an array of tensors is: a device must believe it (device.h). */
static fuzz_parts limit_counts(const struct fuzz_rules *rules, struct opdesc *desc)
{
    const struct spec *spec = rules->spec;
    fuzz_parts parts = 0;
    for (int i = 0; i < spec->field_count; i++) {
        int count_field = spec->fields[i].count_field;
        if (field_is_tensor(&spec->fields[i]) && count_field >= 0 &&
            desc->values[count_field].number > OPDESC_MAX_ARRAY) {
            desc->values[count_field].number %= OPDESC_MAX_ARRAY + 1;
            parts |= rules->of_field[count_field];
        }
    }
    return parts;
}

/* Breaks the target alone. At a level without the operator, uses the rules of the first level that has it. */
static bool make_violate(const struct fuzz_maker *maker, const struct opdesc *base, const struct solve_move *move,
                         struct opdesc *out)
{
    const struct fuzz_rules *rules = maker->rules;
    return rules->table < 0 ? solve_violate(rules->spec, maker->target, maker->table, base, move, out, NULL)
                            : fuzz_violate(rules, base, &maker->judged, maker->target, move, out);
}

/* Most variants are one change, which says which parts it set. The parts of the others are found by comparison, as
 * judging more parts than those that differ takes longer. */
static struct fuzz_variant make_vary(struct fuzz_maker *maker, const struct opdesc *base, uint32_t kind,
                                     struct opdesc *out)
{
    const struct fuzz_rules *rules = maker->rules;
    struct fuzz_variant made = {.least = -1};
    uint32_t max = 1;
    if (kind < 10)
        return change_layout(maker, any_tensor(maker, out), out);
    if (kind < 14) {
        reshape(maker, base, out);
        made.parts = fuzz_difference(rules, base, out);
        return made;
    }
    if (kind < 17)
        max = 0;
    else if (kind < 30)
        max = 2 + make_below(maker, 3);
    for (uint32_t i = 0; i < max; i++) {
        const struct fuzz_variant one = make_change(maker, out);
        made.parts |= one.parts;
        made.least = one.least; /* an earlier one may have changed again */
    }
    while (kind < 17 && make_below(maker, 3))
        made.parts |= fuzz_difference_of_field(rules, randomize(maker, out), base, out);
    return made;
}

struct fuzz_variant fuzz_maker_vary(struct fuzz_maker *maker, const struct opdesc *base, uint32_t n, struct opdesc *out)
{
    const struct fuzz_rules *rules = maker->rules;
    const uint32_t kind = make_below(maker, 64);
    const bool targeted = n > 0 && n <= TARGETED && maker->move_count > 0,
               violates = targeted &&
                          make_violate(maker, base, &maker->moves[make_below(maker, (uint32_t)maker->move_count)], out);
    struct fuzz_variant made = {.least = -1};
    fuzz_parts limited = 0;
    if (!violates)
        opdesc_copy(out, base);
    if (n > 0 && !targeted)
        made = make_vary(maker, base, kind, out);
    if (out->tensor_count > rules->spec->input_count + rules->spec->output_count)
        limited = limit_counts(rules, out);
    if (!violates)
        made.parts |= limited;
    else if (rules->table < 0 || limited) /* more than the target may be broken */
        made.parts = fuzz_difference(rules, base, out);
    else
        made.violates = true;
    return made;
}

fuzz_broken fuzz_maker_judge(const struct fuzz_maker *maker, struct fuzz_variant variant, const struct opdesc *desc)
{
    return variant.violates ? 1ull << maker->target
                            : fuzz_judge_again(maker->rules, &maker->judged, variant.parts, variant.least, desc);
}

bool fuzz_maker_learn(struct fuzz_maker *maker, const struct opdesc *desc, fuzz_broken broken, bool new_code)
{
    if (broken && (broken & (broken - 1)) == 0)
        maker->alone[__builtin_ctzll(broken)]++;
    uint32_t hash = (uint32_t)(random_mix(broken) >> 50);
    if (maker->seen[hash / 64] >> hash % 64 & 1 && !new_code)
        return false;
    maker->seen[hash / 64] |= 1ull << hash % 64;
    opdesc_copy(&maker->corpus[maker->corpus_next], desc);
    maker->corpus_next = (maker->corpus_next + 1) % FUZZ_CORPUS;
    maker->corpus_count += maker->corpus_count < FUZZ_CORPUS;
    return true;
}
