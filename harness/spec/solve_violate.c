/* The violating part of solve.h: finds and makes changes that break exactly one rule. */
#include "harness/spec/check.h"
#include "harness/spec/solve.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct moves {
    struct solve_move *items;
    uint64_t hashes[SOLVE_MAX_MOVES]; /* of the labels */
    int count, first_atom;
};

static const struct solve_move *find(const struct moves *m, const char *label)
{
    uint64_t hash = random_hash(label, 0);
    for (int i = 0; i < m->count; i++)
        if (m->hashes[i] == hash && strcmp(m->items[i].label, label) == 0)
            return &m->items[i];
    return NULL;
}

/* Adds a move with the given label. If another condition of the rule has the same label with another value, the label
 * gets the number of the condition. The same move is not added twice. */
__attribute__((format(printf, 3, 4))) static void add(struct moves *m, struct solve_move move, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(move.label, sizeof move.label, format, arguments);
    va_end(arguments);
    const struct solve_move *other = find(m, move.label);
    if (other && (other->atom == move.atom || other->value == move.value))
        return;
    if (other && length < sizeof move.label)
        snprintf(move.label + length, sizeof move.label - length, "-%d", move.atom - m->first_atom + 1);
    if ((other && find(m, move.label)) || m->count == SOLVE_MAX_MOVES)
        return;
    m->hashes[m->count] = random_hash(move.label, 0);
    m->items[m->count++] = move;
}

/* The name of a part of a description in case names: "Axis", "OutputTensor-DataType". */
static const char *place_name(const struct spec *spec, int node, char *text, size_t size)
{
    const struct expr *n = &spec->nodes[node];
    const char *field = spec->fields[n->field].name, *property = NULL;
    int64_t index = n->op == EXPR_SIZE && spec->nodes[n->a].op == EXPR_CONST ? spec->nodes[n->a].value : 0;
    switch (n->op) {
    case EXPR_DIMS:
        property = "DimensionCount";
        break;
    case EXPR_DATA_TYPE:
        property = "DataType";
        break;
    case EXPR_TENSOR_TYPE:
        property = "Type";
        break;
    case EXPR_FLAGS:
        property = "Flags";
        break;
    case EXPR_ALIGNMENT:
        property = "GuaranteedBaseOffsetAlignment";
        break;
    case EXPR_TOTAL:
        property = "TotalTensorSizeInBytes";
        break;
    case EXPR_PRESENT:
        property = "null";
        break;
    case EXPR_HAS_SIZES:
        property = "Sizes-null";
        break;
    case EXPR_SIZES:
        property = "Sizes";
        break;
    case EXPR_SIZE:
        property = index == -1 ? "last-size" : index == -2 ? "second-last-size" : "Sizes";
        break;
    default:
        break;
    }
    snprintf(text, size, "%s%s%s", field, property ? "-" : "", property ? property : "");
    return text;
}

static void set(struct moves *m, int atom, int node, int64_t value, const char *place, const char *how)
{
    add(m, (struct solve_move){.kind = MOVE_SET, .atom = atom, .node = node, .value = value}, "%s%s", place, how);
}

/* A number with limits: just outside each limit, and the largest value of the field. */
static void bounds_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    const struct expr *node = &spec->nodes[a->x];
    int64_t low, high;
    char place[64];
    if (!solve_bounds(spec, atom, desc, &low, &high))
        return;
    place_name(spec, a->x, place, sizeof place);
    if (node->op == EXPR_PRESENT || node->op == EXPR_HAS_SIZES) {
        set(m, atom, a->x, 0, place, "");
        return;
    }
    if (a->low >= 0 && low > 0)
        set(m, atom, a->x, low - 1, place, "-below");
    if (a->low >= 0 && low > 1)
        set(m, atom, a->x, 0, place, "-zero");
    if (a->high >= 0)
        set(m, atom, a->x, high + 1, place, "-above");
    if (a->high >= 0 && node->op == EXPR_ATTR)
        set(m, atom, a->x, UINT32_MAX, place, "-far-above");
}

/* Other types: from the level's table where types must be equal, from outside the table where they must be in it. */
static void type_moves(const struct spec *spec, int atom, int table, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    int field = spec->nodes[a->x].field;
    bool inside = a->kind == ATOM_BETWEEN;
    uint32_t listed = spec->levels[table].types[spec->fields[field].group];
    char place[64], how[32];
    place_name(spec, a->x, place, sizeof place);
    for (uint32_t type = 0; type < DATATYPE_COUNT; type++) {
        snprintf(how, sizeof how, "-%s", datatype_of(type)->lower);
        if ((listed >> type & 1) == inside && type != OPDESC_TENSOR(desc, field)->data_type)
            set(m, atom, a->x, type, place, how);
    }
    if (!inside)
        set(m, atom, a->x, 99, place, "-99");
}

static void dims_moves(const struct spec *spec, int atom, int table, struct moves *m)
{
    int x = spec->atoms[atom].x;
    const struct spec_range *dims = &spec->levels[table].dims[spec->nodes[x].field];
    char place[64];
    place_name(spec, x, place, sizeof place);
    set(m, atom, x, (int64_t)dims->low - 1, place, "-below");
    set(m, atom, x, (int64_t)dims->high + 1, place, "-above");
    set(m, atom, x, 0, place, "-zero");
}

/* The first and last entry of a list: one more and one less than allowed. */
static void list_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    struct opdesc copy;
    int64_t low = 0, high = UINT32_MAX;
    char place[64];
    int count = 0;
    opdesc_copy(&copy, desc);
    uint32_t *sizes = solve_list(spec, a->x, &copy, &count);
    if (!sizes || count == 0 || (a->kind == ATOM_EACH && !solve_bounds(spec, atom, desc, &low, &high)))
        return;
    place_name(spec, spec->nodes[a->x].op == EXPR_SLICE ? spec->nodes[a->x].a : a->x, place, sizeof place);
    for (int last = 0; last <= (count > 1); last++) {
        struct solve_move move = {.kind = MOVE_ENTRY, .atom = atom, .node = a->x, .position = last ? count - 1 : 0};
        if (a->kind == ATOM_EQUAL)
            low = high = sizes[move.position];
        move.value = low - 1;
        if (low > (a->kind == ATOM_EQUAL)) /* a size of 0 breaks another rule too */
            add(m, move, "%s-%s-below", place, last ? "last" : "first");
        move.value = high + 1;
        if (high < UINT32_MAX)
            add(m, move, "%s-%s-above", place, last ? "last" : "first");
    }
}

static void set_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    int64_t low, high, max = 0;
    char place[64];
    place_name(spec, a->x, place, sizeof place);
    for (int i = 0; i < a->set_count; i++)
        max = a->set[i] > max ? a->set[i] : max;
    if (!a->powers) {
        set(m, atom, a->x, max + 1, place, "-above");
        set(m, atom, a->x, 0x80000000, place, "-highest-bit");
        return;
    }
    set(m, atom, a->x, 3, place, "-3");
    set(m, atom, a->x, 48, place, "-48");
    if (solve_bounds(spec, atom, desc, &low, &high) && low > 1)
        set(m, atom, a->x, low / 2, place, "-below");
}

/* A condition on strides. */
static void stride_moves(const struct spec *spec, int atom, struct moves *m)
{
    static const struct {
        enum expr_op op;
        int64_t stride;
        const char *label;
    } strides[] = {{EXPR_OVERLAP, 0, "stride-zero"},
                   {EXPR_EXTENT, UINT32_MAX, "stride-highest"},
                   {EXPR_EXTENT, 0xc0000000, "stride-high"}};
    const struct expr *x = &spec->nodes[spec->atoms[atom].x];
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (strides[i].op == (enum expr_op)x->op)
            add(m,
                (struct solve_move){
                    .kind = MOVE_STRIDE, .atom = atom, .node = spec->atoms[atom].x, .value = strides[i].stride},
                "%s-%s", spec->fields[x->field].name, strides[i].label);
}

/* A condition on a computed number: changes parameters and input sizes. */
static void any_moves(const struct spec *spec, int atom, struct moves *m)
{
    for (int i = 0; i < spec->parameter_count; i++)
        for (int64_t value = 0; value <= DML_TENSOR_DIMENSION_COUNT_MAX1; value++)
            add(m,
                (struct solve_move){.kind = MOVE_SET, .atom = atom, .node = spec->parameters[i].node, .value = value},
                "%s%d", spec->parameters[i].name, (int)value);
    for (int i = 0; i < spec->node_count; i++)
        for (int at = 0; spec->nodes[i].op == EXPR_SIZES && at < DML_TENSOR_DIMENSION_COUNT_MAX1; at++)
            if (field_is_input(&spec->fields[spec->nodes[i].field]))
                add(m, (struct solve_move){.kind = MOVE_ENTRY, .atom = atom, .node = i, .position = at, .value = 2},
                    "%s-Sizes-%d", spec->fields[spec->nodes[i].field].name, at);
}

static bool is_sizes(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    return n->op == EXPR_SIZES || (n->op == EXPR_SLICE && spec->nodes[n->a].op == EXPR_SIZES);
}

int solve_moves(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                struct solve_move moves[SOLVE_MAX_MOVES])
{
    const struct rule *r = &spec->rules[rule];
    struct moves m;
    m.items = moves;
    m.count = 0;
    m.first_atom = r->first_atom;
    for (int atom = r->first_atom; atom < r->first_atom + r->atom_count; atom++) {
        const struct atom *a = &spec->atoms[atom];
        if (a->kind == ATOM_SINCE)
            continue;
        enum expr_op op = spec->nodes[a->x].op;
        if (a->kind == ATOM_DIMS)
            dims_moves(spec, atom, table, &m);
        else if (op == EXPR_DATA_TYPE)
            type_moves(spec, atom, table, legal, &m);
        else if (a->kind == ATOM_ONE_OF)
            set_moves(spec, atom, legal, &m);
        else if (expr_assignable(&spec->nodes[a->x]))
            bounds_moves(spec, atom, legal, &m);
        else if (op == EXPR_OVERLAP || op == EXPR_EXTENT)
            stride_moves(spec, atom, &m);
        else if (is_sizes(spec, a->x))
            list_moves(spec, atom, legal, &m);
        else
            any_moves(spec, atom, &m);
    }
    return m.count;
}

static bool make_stride(struct opdesc_tensor *t, int64_t stride)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS] = {0};
    opdesc_strides(t, strides);
    for (uint32_t i = 0; i < t->dims; i++) {
        if (t->sizes[i] <= 1)
            continue;
        memcpy(t->strides, strides, sizeof strides);
        t->strides[i] = (uint32_t)stride;
        t->has_strides = true;
        t->total = (uint64_t)opdesc_implied(t);
        return true;
    }
    return false;
}

/* Whether the sizes of other tensors may follow from this part, so that it is not only about the storage of one
 * tensor. */
static bool has_consequences(enum expr_op op)
{
    return op == EXPR_ATTR || op == EXPR_DIMS || op == EXPR_DATA_TYPE || op == EXPR_SIZE || op == EXPR_SIZES ||
           op == EXPR_SLICE;
}

static bool make_move(const struct spec *spec, int rule, int table, const struct solve_move *move, struct opdesc *desc)
{
    int count = 0;
    enum expr_op op = spec->nodes[move->node].op;
    if (move->kind == MOVE_STRIDE)
        return make_stride(OPDESC_TENSOR(desc, spec->nodes[move->node].field), move->value);
    if (move->kind == MOVE_ENTRY) {
        uint32_t *sizes = solve_list(spec, move->node, desc, &count);
        if (!sizes || move->position >= count)
            return false;
        sizes[move->position] = (uint32_t)move->value;
    } else if (!expr_assign(spec->nodes, move->node, desc, move->value)) {
        return false;
    }
    if (has_consequences(op)) {
        solve_repair(spec, table, rule, move->kind == MOVE_SET ? move->node : -1, desc);
        solve_totals(spec, desc);
    }
    return true;
}

bool solve_violate(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                   const struct solve_move *move, struct opdesc *bad, struct opdesc *twin)
{
    DML_FEATURE_LEVEL level = spec->levels[table].level;
    int broken = -1;
    opdesc_copy(bad, legal);
    if (!make_move(spec, rule, table, move, bad) || atom_check(spec, move->atom, bad, table) != BROKEN ||
        rules_check(spec, bad, level, &broken, 1) != 1 || broken != rule)
        return false;
    opdesc_copy(twin, bad);
    if (spec->nodes[move->node].op != EXPR_DATA_TYPE && move->kind != MOVE_STRIDE) {
        solve_repair(spec, table, -1, -1, twin);
        solve_totals(spec, twin);
        if (rules_check(spec, twin, level, NULL, 0) == 0 && solve_indices_fit(spec, twin) &&
            memcmp(twin, bad, bad->size) != 0)
            return true;
    }
    opdesc_copy(twin, legal);
    return true;
}
