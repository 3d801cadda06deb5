/* Lists the moves of solve.h: changes that may break one rule. */
#include "harness/describe/field_kind.h"
#include "harness/solve/solve_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct moves {
    const struct spec *spec;
    struct solve_move *items;
    uint64_t hashes[SOLVE_MAX_MOVES]; /* hashes of the labels */
    int count, first_atom;
    int owner;   /* the condition to break, of the rule; the current one is this condition or a part of it */
    int element; /* the current element of arrays */
};

static const struct solve_move *solve_moves_find(const struct moves *m, const char *label, uint64_t hash)
{
    for (int i = 0; i < m->count; i++)
        if (m->hashes[i] == hash && strcmp(m->items[i].label, label) == 0)
            return &m->items[i];
    return NULL;
}

/* Writes the parts of a text, which end with null, one after the other, as far as there is room. Returns the length of
 * the whole text. A search makes so many labels that snprintf() would take a noticeable part of its time. */
static size_t solve_moves_join(char *text, size_t size, const char *const parts[])
{
    size_t length = 0;
    for (; *parts; parts++)
        for (const char *from = *parts; *from; from++, length++)
            if (length + 1 < size)
                text[length] = *from;
    text[length < size ? length : size - 1] = '\0';
    return length;
}

/* Adds a move with the label "PLACE…WHERE…HOW". If another condition of the rule has the same label with another value,
 * the label gets the number of the condition. A move is not added twice. */
static void solve_moves_add(struct moves *m, struct solve_move move, const char *place, const char *where,
                            const char *how)
{
    move.atom = m->owner;
    move.element = m->element;
    size_t length = solve_moves_join(move.label, sizeof move.label, (const char *const[]){place, where, how, NULL});
    uint64_t hash = random_hash(move.label, 0);
    const struct solve_move *other = solve_moves_find(m, move.label, hash);
    if (other && (other->atom == move.atom || other->value == move.value))
        return;
    if (other && length < sizeof move.label) {
        snprintf(move.label + length, sizeof move.label - length, "-%d", move.atom - m->first_atom + 1);
        hash = random_hash(move.label, 0);
    }
    if ((other && solve_moves_find(m, move.label, hash)) || m->count == SOLVE_MAX_MOVES)
        return;
    m->hashes[m->count] = hash;
    m->items[m->count++] = move;
}

/* Returns the name of a part of a description in case names: "Axis", "OutputTensor-DataType". */
static const char *place_name(const struct moves *m, int node, char *text, size_t size)
{
    const struct spec *spec = m->spec;
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
    case EXPR_GIVEN:
        property = "null";
        break;
    case EXPR_OPERATOR:
        property = "Type";
        break;
    case EXPR_EFFECTIVE_RANK:
        property = "effective-rank";
        break;
    case EXPR_HAS_DESC:
        property = "Desc-null";
        break;
    case EXPR_HAS_SIZES:
        property = "Sizes-null";
        break;
    case EXPR_SIZES:
        property = "Sizes";
        break;
    case EXPR_SIZE:
        property = index == -1 ? "last-size" : "Sizes";
        if (index == -2)
            property = "second-last-size";
        break;
    default:
        break;
    }
    char element[16] = "";
    bool array = n->value != EXPR_NO_ARRAY && field_kinds[spec->fields[n->field].kind].is_array;
    if (array)
        snprintf(element, sizeof element, "%d", n->value == EXPR_CURRENT ? m->element : (int)n->value - 1);
    solve_moves_join(text, size, (const char *const[]){field, element, property ? "-" : NULL, property, NULL});
    return text;
}

static void solve_moves_set(struct moves *m, int node, int64_t value, const char *place, const char *how)
{
    solve_moves_add(m, (struct solve_move){.kind = MOVE_SET, .node = node, .value = value}, place, "", how);
}

/* Moves a number with limits just outside each limit, and to the largest value of the field. */
static void bounds_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    const struct expr *node = &spec->nodes[a->x];
    int64_t low, high;
    char place[64];
    if (!solve_bounds_of(spec, atom, desc, m->element, &low, &high))
        return;
    place_name(m, a->x, place, sizeof place);
    if (node->op == EXPR_PRESENT || node->op == EXPR_HAS_SIZES || node->op == EXPR_GIVEN) {
        solve_moves_set(m, a->x, low == 0, place, "");
        return;
    }
    if (a->low >= 0 && low > 0)
        solve_moves_set(m, a->x, low - 1, place, "-below");
    if (a->low >= 0 && low > 1)
        solve_moves_set(m, a->x, 0, place, "-zero");
    if (a->high >= 0)
        solve_moves_set(m, a->x, high + 1, place, "-above");
    if (a->high >= 0 && node->op == EXPR_ATTR)
        solve_moves_set(m, a->x, UINT32_MAX, place, "-far-above");
}

static bool is_in_set(const struct atom *a, int64_t value)
{
    for (int i = 0; i < a->set_count; i++)
        if (a->set[i] == value)
            return true;
    return false;
}

/* Moves to other types: types of the level's table for a condition that types are equal, types outside the table for
 * one that they are in it, types outside the set for one that they are in a set. */
static void type_moves(const struct spec *spec, int atom, int table, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    int field = spec->nodes[a->x].field;
    bool inside = a->kind == ATOM_BETWEEN;
    uint32_t listed = a->kind == ATOM_ONE_OF ? 0 : spec->levels[table].types[spec->fields[field].group];
    char place[64];
    for (int i = 0; a->kind == ATOM_ONE_OF && i < a->set_count; i++)
        listed |= a->set[i] >= 0 && a->set[i] < DATATYPE_COUNT ? 1u << a->set[i] : 0;
    place_name(m, a->x, place, sizeof place);
    for (uint32_t type = 0; type < DATATYPE_COUNT; type++)
        if ((listed >> type & 1) == inside && type != expr_tensor(&spec->nodes[a->x], desc, m->element)->data_type)
            solve_moves_add(m, (struct solve_move){.kind = MOVE_SET, .node = a->x, .value = type}, place, "-",
                            datatype_of(type)->lower);
    if (!inside)
        solve_moves_set(m, a->x, 99, place, "-99");
}

static void dims_moves(const struct spec *spec, int atom, int table, struct moves *m)
{
    int x = spec->atoms[atom].x;
    const struct spec_range *dims = &spec->levels[table].dims[spec->nodes[x].field];
    char place[64];
    place_name(m, x, place, sizeof place);
    solve_moves_set(m, x, (int64_t)dims->low - 1, place, "-below");
    solve_moves_set(m, x, (int64_t)dims->high + 1, place, "-above");
    solve_moves_set(m, x, 0, place, "-zero");
}

/* Stores an operand of a condition at a position of its list; a number is the same at all positions. */
static bool operand_at(const struct moves *m, int node, const struct opdesc *desc, int position, int64_t *out)
{
    struct expr_list list;
    if (!expr_is_list(&m->spec->nodes[node]))
        return expr_number_of(m->spec->nodes, node, desc, m->element, out);
    if (!expr_list_of(m->spec->nodes, node, desc, m->element, &list) || position >= list.count)
        return false;
    *out = list.items[position];
    return true;
}

/* Moves the first and last entry of a list one above and one below the allowed values. */
static void list_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    const struct expr *n = &spec->nodes[a->x], *whole = n->op == EXPR_SLICE ? &spec->nodes[n->a] : n;
    int64_t lowest = whole->op == EXPR_SIZES ? 1 : 0; /* a size of 0 would break another rule, too */
    struct expr_list x;
    char place[64];
    if (!expr_list_of(spec->nodes, a->x, desc, m->element, &x) || x.count == 0)
        return;
    if (whole->op == EXPR_ENTRIES && spec->fields[whole->field].kind == FIELD_INTS)
        lowest = INT32_MIN;
    place_name(m, (int)(whole - spec->nodes), place, sizeof place);
    for (int last = 0; last <= (x.count > 1); last++) {
        struct solve_move move = {.kind = MOVE_ENTRY, .node = a->x, .position = last ? x.count - 1 : 0};
        int64_t low = x.items[move.position], high = low;
        if (a->kind == ATOM_EACH) {
            low = 0;
            high = UINT32_MAX;
            if ((a->low >= 0 && !operand_at(m, a->low, desc, move.position, &low)) ||
                (a->high >= 0 && !operand_at(m, a->high, desc, move.position, &high)))
                return;
        }
        move.value = low - 1;
        int64_t least = a->kind == ATOM_EQUAL || lowest < 0 ? lowest : 0;
        if (low > least && (a->kind == ATOM_EQUAL || a->low >= 0))
            solve_moves_add(m, move, place, last ? "-last" : "-first", "-below");
        move.value = high + 1;
        if (high < UINT32_MAX)
            solve_moves_add(m, move, place, last ? "-last" : "-first", "-above");
    }
}

/* ---- moves for which the solver finds the part */

static void steer(struct moves *m, int atom, int position, const char *where, int64_t value, int reach, const char *how)
{
    const struct atom *a = &m->spec->atoms[atom];
    int leaf = solve_leaf(m->spec, a->x);
    char place[64];
    place_name(m, m->spec->nodes[leaf].op == EXPR_SLICE ? m->spec->nodes[leaf].a : leaf, place, sizeof place);
    solve_moves_add(m,
                    (struct solve_move){
                        .kind = MOVE_STEER, .node = a->x, .position = position, .value = value, .reach = (int8_t)reach},
                    place, where, how);
}

/* Adds the moves at one position of x: values that this entry may not have together with the others. */
static void steer_at(struct moves *m, int atom, const struct opdesc *desc, const struct expr_list *x, int position,
                     const char *where)
{
    const struct atom *a = &m->spec->atoms[atom];
    int64_t value = x->items[position], low, high;
    switch (a->kind) {
    case ATOM_BETWEEN:
    case ATOM_EACH:
        if (a->low >= 0 && operand_at(m, a->low, desc, position, &low))
            steer(m, atom, position, where, low - 1, -1, "-below");
        if (a->high >= 0 && operand_at(m, a->high, desc, position, &high))
            steer(m, atom, position, where, high + 1, 1, "-above");
        break;
    case ATOM_EQUAL:
        steer(m, atom, position, where, value - 1, -1, "-below");
        steer(m, atom, position, where, value + 1, 1, "-above");
        break;
    case ATOM_DIVIDES:
        steer(m, atom, position, where, value - 1, 0, "-below");
        steer(m, atom, position, where, value + 1, 0, "-above");
        break;
    case ATOM_BROADCASTS:
        if (operand_at(m, a->low, desc, position, &high)) {
            steer(m, atom, position, where, high - 1, 0, "-below");
            steer(m, atom, position, where, high + 1, 0, "-above");
        }
        break;
    case ATOM_DISTINCT:
        steer(m, atom, position, where, x->items[position ? 0 : x->count - 1], 0, "-twice");
        break;
    case ATOM_MEMBER: /* a value above every member */
        for (int i = 0; operand_at(m, a->low, desc, i, &low); i++)
            value = i == 0 || low > value ? low : value;
        steer(m, atom, position, where, value + 1, 0, "-above");
        break;
    default: /* ATOM_ONE_OF */
        for (int i = 0; i < a->set_count; i++)
            value = i == 0 || a->set[i] > value ? a->set[i] : value;
        steer(m, atom, position, where, value + 1, 0, "-above");
    }
}

/* Moves a number, or the first and last entry of a list, to a value that is not allowed; the solver sets whichever part
 * it depends on. */
static void steer_moves(struct moves *m, int atom, const struct opdesc *desc)
{
    const struct spec *spec = m->spec;
    int node = spec->atoms[atom].x;
    struct expr_list x = {.count = 1};
    bool is_list = expr_is_list(&spec->nodes[node]);
    if (!solver_steerable(spec, node) || !(is_list ? expr_list_of(spec->nodes, node, desc, m->element, &x)
                                                   : expr_number_of(spec->nodes, node, desc, m->element, &x.items[0])))
        return;
    for (int last = 0; last <= (x.count > 1) && x.count > 0; last++) {
        const char *where = last ? "-last" : "-first";
        steer_at(m, atom, desc, &x, last ? x.count - 1 : 0, is_list ? where : "");
    }
}

/* Moves FLOATs just outside each limit, to NaN and to the infinities. */
static void real_moves(struct moves *m, int atom, const struct opdesc *desc)
{
    const struct atom *a = &m->spec->atoms[atom];
    const struct real_range *range = &a->reals;
    struct expr_reals x;
    char place[64];
    const struct {
        float value;
        const char *how;
    } outside[] = {
        {range->above_low ? (float)range->low : nextafterf((float)range->low, -INFINITY), "-below"},
        {range->below_high ? (float)range->high : nextafterf((float)range->high, INFINITY), "-above"},
        {NAN, "-nan"},
        {INFINITY, "-infinite"},
        {-INFINITY, "-negative-infinite"},
    };
    if (!expr_reals(m->spec->nodes, a->x, desc, &x) || x.count == 0)
        return;
    place_name(m, a->x, place, sizeof place);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (!atom_allows(a, outside[i].value))
            solve_moves_add(m,
                            (struct solve_move){.kind = MOVE_REAL,
                                                .node = a->x,
                                                .position = x.count - 1,
                                                .value = (int)i,
                                                .real = outside[i].value},
                            place, "", outside[i].how);
}

/* Puts attributes in the wrong order: one just beyond the other. */
static void order_moves(struct moves *m, int atom)
{
    const struct atom *a = &m->spec->atoms[atom];
    char place[64];
    for (int second = 0; second < 2; second++) {
        place_name(m, second ? a->low : a->x, place, sizeof place);
        solve_moves_add(m, (struct solve_move){.kind = MOVE_ORDER, .node = a->x, .position = atom, .value = second},
                        place, "", second ? "-below" : "-above");
    }
}

/* Moves a node to the values that the premise of a condition, or a part of it, allows, and the condition itself does
 * not. */
static void premise_moves(const struct atom *a, int premise, const char *place, struct moves *m)
{
    const struct atom *p = &m->spec->atoms[premise];
    char how[32];
    for (int i = 0; i < p->part_count; i++)
        premise_moves(a, p->parts[i], place, m);
    for (int i = 0; p->kind == ATOM_ONE_OF && p->x == a->x && i < p->set_count; i++) {
        snprintf(how, sizeof how, "-%lld", (long long)p->set[i]);
        if (!is_in_set(a, p->set[i]))
            solve_moves_set(m, a->x, p->set[i], place, how);
    }
}

static void set_moves(const struct spec *spec, int atom, const struct opdesc *desc, struct moves *m)
{
    const struct atom *a = &spec->atoms[atom];
    int64_t low, high, max = 0;
    char place[64];
    place_name(m, a->x, place, sizeof place);
    for (int i = 0; i < a->set_count; i++)
        max = a->set[i] > max ? a->set[i] : max;
    if (a->when >= 0)
        premise_moves(a, a->when, place, m);
    if (!a->powers) {
        solve_moves_set(m, a->x, max + 1, place, "-above");
        solve_moves_set(m, a->x, 0x80000000, place, "-highest-bit");
        return;
    }
    solve_moves_set(m, a->x, 3, place, "-3");
    solve_moves_set(m, a->x, 48, place, "-48");
    if (solve_bounds_of(spec, atom, desc, m->element, &low, &high) && low > 1)
        solve_moves_set(m, a->x, low / 2, place, "-below");
}

/* Adds the moves for a condition on strides. */
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
            solve_moves_add(
                m, (struct solve_move){.kind = MOVE_STRIDE, .node = spec->atoms[atom].x, .value = strides[i].stride},
                spec->fields[x->field].name, "-", strides[i].label);
}

/* Changes parameters and input sizes, for a condition on a computed number. */
static void any_moves(const struct spec *spec, struct moves *m)
{
    static const char *const numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    _Static_assert(sizeof numbers / sizeof *numbers == DML_TENSOR_DIMENSION_COUNT_MAX1 + 1, "one for each rank");
    for (int i = 0; i < spec->parameter_count; i++)
        for (int value = 0; value <= DML_TENSOR_DIMENSION_COUNT_MAX1; value++)
            solve_moves_add(m, (struct solve_move){.kind = MOVE_SET, .node = spec->parameters[i].node, .value = value},
                            spec->parameters[i].name, "", numbers[value]);
    for (int i = 0; i < spec->node_count; i++)
        for (int at = 0; spec->nodes[i].op == EXPR_SIZES && at < DML_TENSOR_DIMENSION_COUNT_MAX1; at++)
            if (field_is_input(&spec->fields[spec->nodes[i].field]))
                solve_moves_add(m, (struct solve_move){.kind = MOVE_ENTRY, .node = i, .position = at, .value = 2},
                                spec->fields[spec->nodes[i].field].name, "-Sizes-", numbers[at]);
}

/* Returns true if the description stores the list, as a whole or as a part of a stored list. */
static bool solve_moves_is_stored(const struct spec *spec, int node)
{
    const struct expr *n = &spec->nodes[node];
    n = n->op == EXPR_SLICE ? &spec->nodes[n->a] : n;
    return n->op == EXPR_SIZES || n->op == EXPR_ENTRIES;
}

static void moves_of(struct moves *m, int atom, int table, const struct opdesc *legal);

/* Adds the moves of the parts; for an array those of its first and last element. */
static void part_moves(struct moves *m, const struct atom *a, int table, const struct opdesc *legal)
{
    int count = a->kind == ATOM_EVERY ? (int)opdesc_count(legal, a->array) : 1, kept = m->element;
    for (int last = 0; last <= (count > 1) && count > 0; last++) {
        if (a->kind == ATOM_EVERY)
            m->element = last ? count - 1 : 0;
        for (int i = 0; i < a->part_count; i++)
            moves_of(m, a->parts[i], table, legal);
    }
    m->element = kept;
}

/* Adds the moves that may break a condition, which is the owner or a part of it. */
static void moves_of(struct moves *m, int atom, int table, const struct opdesc *legal)
{
    const struct spec *spec = m->spec;
    const struct atom *a = &spec->atoms[atom];
    enum expr_op op = a->x < 0 ? EXPR_CONST : spec->nodes[a->x].op;
    if (a->kind == ATOM_SINCE)
        return;
    if (a->part_count > 0)
        part_moves(m, a, table, legal);
    else if (a->kind == ATOM_ORDERED)
        order_moves(m, atom);
    else if (a->kind == ATOM_REALS)
        real_moves(m, atom, legal);
    else if (a->kind == ATOM_DIMS)
        dims_moves(spec, atom, table, m);
    else if (op == EXPR_DATA_TYPE)
        type_moves(spec, atom, table, legal, m);
    else if (a->kind == ATOM_ONE_OF && expr_assignable(&spec->nodes[a->x]))
        set_moves(spec, atom, legal, m);
    else if (a->kind == ATOM_BETWEEN && expr_assignable(&spec->nodes[a->x]))
        bounds_moves(spec, atom, legal, m);
    else if (op == EXPR_OVERLAP || op == EXPR_EXTENT)
        stride_moves(spec, atom, m);
    else if ((a->kind == ATOM_EACH || a->kind == ATOM_EQUAL) && solve_moves_is_stored(spec, a->x))
        list_moves(spec, atom, legal, m);
    else if (solver_can_repair(spec, a))
        steer_moves(m, atom, legal);
    else
        any_moves(spec, m);
}

int solve_moves(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                struct solve_move moves[SOLVE_MAX_MOVES])
{
    const struct rule *r = &spec->rules[rule];
    struct moves m;
    m.spec = spec;
    m.items = moves;
    m.count = 0;
    m.first_atom = r->first_atom;
    m.element = 0;
    for (m.owner = r->first_atom; m.owner < r->first_atom + r->atom_count; m.owner++)
        moves_of(&m, m.owner, table, legal);
    return m.count;
}
