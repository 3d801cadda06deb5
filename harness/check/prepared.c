#include "harness/check/prepared.h"

#include "harness/base/datatype.h"

/* ---- numbers */

static const struct opdesc_tensor *tensor_at(const struct opdesc *desc, uint16_t offset)
{
    return (const struct opdesc_tensor *)(const void *)((const char *)desc + offset);
}

static inline bool prepared_member_of(const struct prepared_term *t, const struct opdesc *desc, int64_t *out)
{
    uint32_t value;
    memcpy(&value, (const char *)desc + t->at, sizeof value);
    *out = value;
    return ((const char *)desc)[t->given];
}

static inline bool prepared_number_of(const struct prepared *p, int node, const struct opdesc *desc, int64_t *out);

static inline bool add_size(const struct prepared_number *n, const struct opdesc *desc, int64_t *out)
{
    const struct opdesc_tensor *tensor = tensor_at(desc, n->tensor);
    const uint32_t index = (uint32_t)n->size + (n->size < 0 ? tensor->dims : 0);
    *out += n->size_sign * (int64_t)tensor->sizes[index < OPDESC_MAX_DIMENSIONS ? index : 0];
    return tensor->present & tensor->has_sizes & (index < tensor->dims);
}

/* Few sums have a lesser of two numbers. This function is separate, so that the code of other sums is short. */
static __attribute__((noinline)) bool add_least(const struct prepared *p, const struct prepared_number *n,
                                                const struct opdesc *desc, int64_t *out)
{
    int64_t a, b;
    if (!prepared_number_of(p, n->least[0], desc, &a) || !prepared_number_of(p, n->least[1], desc, &b))
        return false;
    *out += a < b ? a : b;
    return true;
}

/* No sum overflows: each term has at most 34 bits. Most sums have two terms, so two are added always. */
static bool prepared_sum_of(const struct prepared *p, const struct prepared_number *n, const struct opdesc *desc,
                            int64_t *out)
{
    int64_t a, b;
    bool given = prepared_member_of(&n->term[0], desc, &a);
    given &= prepared_member_of(&n->term[1], desc, &b);
    *out = n->constant + n->term[0].sign * a + n->term[1].sign * b;
    for (int i = 2; i < n->terms; i++) {
        given &= prepared_member_of(&n->term[i], desc, &a);
        *out += n->term[i].sign * a;
    }
    if (n->size_sign)
        given &= add_size(n, desc, out);
    return given && (n->least[0] < 0 || add_least(p, n, desc, out));
}

static inline bool prepared_number_of(const struct prepared *p, int node, const struct opdesc *desc, int64_t *out)
{
    const struct prepared_number *n = &p->numbers[node];
    if (n->form == NUMBER_MEMBER) { /* most numbers have this form */
        const bool given = prepared_member_of(&n->term[0], desc, out);
        *out += n->constant;
        return given;
    }
    *out = n->constant;
    if (n->form == NUMBER_CONSTANT)
        return true;
    switch (n->form) {
    case NUMBER_SUM:
        return prepared_sum_of(p, n, desc, out);
    case NUMBER_ONE_SIZE:
        return add_size(n, desc, out);
    default:
        return expr_number(p->spec->nodes, node, desc, out);
    }
}

bool prepared_number(const struct prepared *p, int node, const struct opdesc *desc, int element, int64_t *out)
{
    return p->numbers[node].form == NUMBER_OTHER ? expr_number_of(p->spec->nodes, node, desc, element, out)
                                                 : prepared_number_of(p, node, desc, out);
}

/* ---- lists */

/* The entries of a list. They lie in the description, or in the second half of `made`, so that a fit can add some
 * before them. All sizes of a tensor are copied with the members after them: a constant size is faster, since the rank
 * is random. */
struct entries {
    uint32_t count;
    const uint32_t *at;
    uint32_t made[2 * EXPR_MAX_LIST + OPDESC_MAX_DIMENSIONS];
};

/* Finds the entries of a piece that is a part of the description. */
static inline bool find_sizes(const struct prepared *p, const struct prepared_piece *piece, const struct opdesc *desc,
                              const uint32_t **at, uint32_t *count)
{
    const struct opdesc_tensor *t = tensor_at(desc, piece->tensor);
    int64_t from = 0, length = t->dims;
    if (!t->present || !t->has_sizes)
        return false;
    if (piece->kind == PIECE_SLICE &&
        (!prepared_number_of(p, piece->from, desc, &from) || !prepared_number_of(p, piece->length, desc, &length) ||
         from < 0 || length < 0 || from + length > t->dims))
        return false;
    *at = t->sizes + from;
    *count = (uint32_t)length;
    return true;
}

static bool prepared_fill(const struct prepared_piece *piece, int64_t count, struct entries *out)
{
    uint32_t *end = out->made + EXPR_MAX_LIST + out->count;
    if (count < 0 || count > EXPR_MAX_LIST - (int64_t)out->count)
        return false;
    for (int64_t i = 0; i < count; i++)
        *end++ = piece->value;
    out->count += (uint32_t)count;
    return true;
}

/* Keeps `length` entries. */
static bool cut(int64_t from, int64_t length, struct entries *out)
{
    if (from < 0 || length < 0 || from + length > out->count)
        return false;
    memmove(out->made + EXPR_MAX_LIST, out->made + EXPR_MAX_LIST + from, (size_t)length * sizeof *out->made);
    out->count = (uint32_t)length;
    return true;
}

/* Aligns the entries right to a length. This is always the last step. */
static bool fit(int64_t length, struct entries *out)
{
    if (length < 0 || length > EXPR_MAX_LIST)
        return false;
    const int64_t shift = length - out->count;
    out->at = out->made + EXPR_MAX_LIST - shift;
    for (int64_t i = 0; i < shift; i++)
        out->made[EXPR_MAX_LIST - 1 - i] = 1;
    out->count = (uint32_t)length;
    return true;
}

static bool prepared_append(const struct prepared *p, const struct prepared_piece *piece, const struct opdesc *desc,
                            struct entries *out)
{
    const uint32_t *sizes;
    uint32_t count, *end = out->made + EXPR_MAX_LIST + out->count;
    int64_t from, length;
    if (piece->kind >= PIECE_FILLED) {
        if (!prepared_number_of(p, piece->length, desc, &length))
            return false;
        if (piece->kind != PIECE_CUT)
            return piece->kind == PIECE_FIT ? fit(length, out) : prepared_fill(piece, length, out);
        return prepared_number_of(p, piece->from, desc, &from) && cut(from, length, out);
    }
    if (!find_sizes(p, piece, desc, &sizes, &count) || count > EXPR_MAX_LIST - out->count)
        return false;
    _Static_assert(offsetof(struct opdesc_tensor, strides) ==
                       offsetof(struct opdesc_tensor, sizes) + sizeof(uint32_t[OPDESC_MAX_DIMENSIONS]),
                   "strides follow sizes");
    memcpy(end, sizes, sizeof(uint32_t[OPDESC_MAX_DIMENSIONS]));
    out->count += count;
    return true;
}

/* Makes the entries of a list. It does not copy a list that is a part of the description. */
static bool prepared_list_of(const struct prepared *p, struct prepared_list list, const struct opdesc *desc,
                             struct entries *out)
{
    const struct prepared_piece *piece = &p->pieces[list.first];
    if (list.count == 1 && piece->kind <= PIECE_SLICE)
        return find_sizes(p, piece, desc, &out->at, &out->count);
    out->count = 0;
    out->at = out->made + EXPR_MAX_LIST;
    for (int i = 0; i < list.count; i++)
        if (!prepared_append(p, &piece[i], desc, out))
            return false;
    return true;
}

/* ---- conditions */

/* Checks ATOM_BETWEEN. */
static enum rule_result prepared_check_between(const struct prepared *p, const struct prepared_atom *a,
                                               const struct opdesc *desc)
{
    int64_t x, bound;
    if (!prepared_number_of(p, a->x, desc, &x))
        return UNDEFINED;
    if (a->low >= 0) {
        if (!prepared_number_of(p, a->low, desc, &bound))
            return UNDEFINED;
        if (x < bound)
            return BROKEN;
    }
    if (a->high >= 0 && a->high != a->low)
        if (!prepared_number_of(p, a->high, desc, &bound))
            return UNDEFINED;
    return a->high >= 0 && x > bound ? BROKEN : HOLDS;
}

/* Checks ATOM_BETWEEN and ATOM_DIMS with constant bounds. */
static enum rule_result check_within(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    int64_t x;
    if (!prepared_number_of(p, a->x, desc, &x))
        return UNDEFINED;
    return x >= a->least && x <= a->most ? HOLDS : BROKEN;
}

static bool prepared_in_set(const struct prepared_atom *a, int64_t x)
{
    return x >= 0 && x < 32 && a->set >> x & 1;
}

/* Checks ATOM_TYPES, and ATOM_ONE_OF with small numbers. */
static enum rule_result check_set(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    int64_t x;
    if (!prepared_number_of(p, a->x, desc, &x))
        return UNDEFINED;
    return prepared_in_set(a, x) ? HOLDS : BROKEN;
}

/* Checks ATOM_ONE_OF with small numbers and powers of two. */
static enum rule_result check_powers(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    int64_t x, low;
    if (!prepared_number_of(p, a->x, desc, &x))
        return UNDEFINED;
    if (prepared_in_set(a, x))
        return HOLDS;
    if (!prepared_number_of(p, a->low, desc, &low))
        return UNDEFINED;
    return x >= low && (x & (x - 1)) == 0 ? HOLDS : BROKEN;
}

/* Checks ATOM_EACH with constant bounds. */
static enum rule_result prepared_check_each(const struct prepared *p, const struct prepared_atom *a,
                                            const struct opdesc *desc)
{
    struct entries x;
    if (!prepared_list_of(p, a->of_x, desc, &x))
        return UNDEFINED;
    for (uint32_t i = 0; i < x.count; i++)
        if (x.at[i] < a->least || x.at[i] > a->most)
            return BROKEN;
    return HOLDS;
}

/* Checks ATOM_EQUAL. */
static enum rule_result check_equal(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    struct entries x, y;
    if (!prepared_list_of(p, a->of_x, desc, &x) || !prepared_list_of(p, a->of_low, desc, &y) || x.count != y.count)
        return UNDEFINED;
    for (uint32_t i = 0; i < x.count; i++)
        if (x.at[i] != y.at[i])
            return BROKEN;
    return HOLDS;
}

/* Checks that a tensor is as large as its sizes and strides imply. */
static enum rule_result check_total(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(desc, p->spec->nodes[a->x].field);
    if (!t->present || !t->has_sizes || datatype_of(t->data_type)->bits == 0)
        return UNDEFINED;
    return t->total >= (uint64_t)opdesc_implied(t) ? HOLDS : BROKEN;
}

/* Checks limits of elements or extent of a tensor. */
static enum rule_result check_extent(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    const struct expr *x = &p->spec->nodes[a->x];
    const struct opdesc_tensor *t = OPDESC_TENSOR(desc, x->field);
    if (!t->present || !t->has_sizes)
        return UNDEFINED;
    const int64_t count = x->op == EXPR_EXTENT ? opdesc_extent(t) : opdesc_elements(t);
    return count >= a->least && count <= a->most ? HOLDS : BROKEN;
}

static enum rule_result check_other(const struct prepared *p, const struct prepared_atom *a, const struct opdesc *desc)
{
    return atom_check(p->spec, a->atom, desc, p->table);
}

/* ---- preparing */

static uint16_t tensor_offset(const struct prepared *p, int field)
{
    return (uint16_t)(offsetof(struct opdesc, items) + (size_t)spec_item(p->spec, field) * sizeof(union opdesc_item));
}

static bool prepared_is_small(int64_t value)
{
    return value >= -(int64_t)UINT32_MAX && value <= UINT32_MAX;
}

/* Returns the offset in a tensor of a member that is a uint32_t. */
static size_t member_offset(enum expr_op op)
{
    switch (op) {
    case EXPR_DIMS:
        return offsetof(struct opdesc_tensor, dims);
    case EXPR_DATA_TYPE:
        return offsetof(struct opdesc_tensor, data_type);
    case EXPR_TENSOR_TYPE:
        return offsetof(struct opdesc_tensor, type);
    case EXPR_FLAGS:
        return offsetof(struct opdesc_tensor, flags);
    case EXPR_ALIGNMENT:
        return offsetof(struct opdesc_tensor, alignment);
    default:
        return 0;
    }
}

static const uint16_t always_given = offsetof(struct opdesc, field_count); /* this member is never 0 */

/* Finds a part of the description that is one number and no size. Returns false if the expression has another form. */
static bool find_term(const struct prepared *p, const struct expr *n, struct prepared_term *out)
{
    static const union {
        int64_t number;
        uint32_t words[2];
    } one = {.number = 1};
    if (n->op == EXPR_ATTR && n->value != EXPR_SIGNED) { /* the low half of the number */
        out->at = (uint16_t)(offsetof(struct opdesc, values) + n->field * sizeof(union opdesc_value) +
                             (one.words[0] == 0) * sizeof(uint32_t));
        return true;
    }
    if (n->op < EXPR_DIMS || n->op >= EXPR_SIZE || n->value != EXPR_NO_ARRAY)
        return false;
    const uint16_t tensor = tensor_offset(p, n->field);
    out->at = (uint16_t)(tensor + member_offset(n->op));
    out->given = (uint16_t)(tensor + offsetof(struct opdesc_tensor, present));
    return member_offset(n->op) > 0;
}

/* Adds a size. Returns false if the number has one already, or the index is no constant. */
static bool find_size(const struct prepared *p, const struct expr *n, int sign, struct prepared_number *out)
{
    const struct expr *index = &p->spec->nodes[n->a];
    if (out->size_sign || n->value != EXPR_NO_ARRAY || index->op != EXPR_CONST ||
        index->value < -OPDESC_MAX_DIMENSIONS || index->value >= OPDESC_MAX_DIMENSIONS)
        return false;
    out->size_sign = (int8_t)sign;
    out->size = (int8_t)index->value;
    out->tensor = tensor_offset(p, n->field);
    return true;
}

/* Adds the lesser of two numbers, whose nodes come earlier. */
static bool find_least(const struct prepared *p, const struct expr *n, int sign, struct prepared_number *out)
{
    if (out->least[0] >= 0 || sign < 0 || p->numbers[n->a].form == NUMBER_OTHER ||
        p->numbers[n->b].form == NUMBER_OTHER)
        return false;
    out->least[0] = n->a;
    out->least[1] = n->b;
    return true;
}

/* Adds a node, times `sign`, to a number. Returns false if the node has another form. */
static bool prepared_add_node(const struct prepared *p, int node, int sign, struct prepared_number *out)
{
    const struct expr *n = &p->spec->nodes[node];
    if (n->op == EXPR_CONST) {
        if (!prepared_is_small(n->value))
            return false;
        out->constant += sign * n->value;
        return prepared_is_small(out->constant);
    }
    if (n->op == EXPR_ADD || n->op == EXPR_SUB)
        return prepared_add_node(p, n->a, sign, out) &&
               prepared_add_node(p, n->b, n->op == EXPR_ADD ? sign : -sign, out);
    if (n->op == EXPR_SIZE)
        return find_size(p, n, sign, out);
    if (n->op == EXPR_MIN)
        return find_least(p, n, sign, out);
    if (out->terms == PREPARED_TERMS)
        return false;
    struct prepared_term *term = &out->term[out->terms++];
    term->sign = (int8_t)sign;
    return find_term(p, n, term);
}

static void choose_form(struct prepared_number *n)
{
    if (n->least[0] >= 0 || n->terms > 1 || (n->terms == 1 && (n->size_sign || n->term[0].sign < 0)))
        n->form = NUMBER_SUM;
    else if (n->terms == 1)
        n->form = NUMBER_MEMBER;
    else
        n->form = n->size_sign ? NUMBER_ONE_SIZE : NUMBER_CONSTANT;
}

static void prepare_number(const struct prepared *p, int node, struct prepared_number *out)
{
    *out = (struct prepared_number){.least = {-1, -1}};
    for (int i = 0; i < PREPARED_TERMS; i++)
        out->term[i].given = always_given;
    if (prepared_add_node(p, node, 1, out))
        choose_form(out);
    else
        out->form = NUMBER_OTHER;
}

/* ---- differences of numbers, without common terms */

static bool subtract_term(struct prepared_number *n, const struct prepared_term *term)
{
    for (int i = 0; i < n->terms; i++)
        if (n->term[i].at == term->at && n->term[i].sign == term->sign) {
            n->term[i] = n->term[--n->terms];
            n->term[n->terms] = (struct prepared_term){.given = always_given};
            return true;
        }
    if (n->terms == PREPARED_TERMS)
        return false;
    n->term[n->terms] = *term;
    n->term[n->terms++].sign = (int8_t)-term->sign;
    return true;
}

static bool subtract_size(struct prepared_number *n, const struct prepared_number *other)
{
    if (!other->size_sign)
        return true;
    if (n->size_sign && (n->size_sign != other->size_sign || n->size != other->size || n->tensor != other->tensor))
        return false;
    n->size_sign = n->size_sign ? 0 : (int8_t)-other->size_sign;
    n->size = other->size;
    n->tensor = other->tensor;
    return true;
}

static bool subtract_least(struct prepared_number *n, const struct prepared_number *other)
{
    if (other->least[0] < 0)
        return true;
    const bool same = n->least[0] == other->least[0] && n->least[1] == other->least[1];
    n->least[0] = n->least[1] = -1;
    return same;
}

/* Adds the difference of two nodes, which is defined where both are and may be elsewhere. Returns -1 if a node has
 * another form. */
static int add_difference(struct prepared *p, int node, int other)
{
    const struct prepared_number *subtrahend = &p->numbers[other];
    struct prepared_number difference = p->numbers[node];
    if (p->number_count == PREPARED_NUMBERS || difference.form == NUMBER_OTHER || subtrahend->form == NUMBER_OTHER)
        return -1;
    for (int i = 0; i < subtrahend->terms; i++)
        if (!subtract_term(&difference, &subtrahend->term[i]))
            return -1;
    if (!subtract_size(&difference, subtrahend) || !subtract_least(&difference, subtrahend))
        return -1;
    difference.constant -= subtrahend->constant;
    choose_form(&difference);
    p->numbers[p->number_count] = difference;
    return p->number_count++;
}

/* ---- lists */

static bool prepared_add_piece(struct prepared *p, struct prepared_piece piece, struct prepared_list *list)
{
    if (p->piece_count == PREPARED_PIECES)
        return false;
    p->pieces[p->piece_count++] = piece;
    list->count++;
    return true;
}

/* Adds the pieces of a list. Returns false if it has another form. */
static bool add_list(struct prepared *p, int node, struct prepared_list *list)
{
    const struct expr *nodes = p->spec->nodes, *n = &nodes[node];
    const bool is_slice = n->op == EXPR_SLICE;
    const struct expr *sizes = is_slice ? &nodes[n->a] : n;
    if (n->op == EXPR_CONCAT)
        return add_list(p, n->a, list) && add_list(p, n->b, list);
    struct prepared_piece piece = {.from = n->b, .length = (int16_t)(is_slice ? add_difference(p, n->c, n->b) : n->b)};
    if (is_slice && piece.length < 0)
        return false;
    if (sizes->op == EXPR_SIZES && sizes->value == EXPR_NO_ARRAY) {
        piece.kind = is_slice ? PIECE_SLICE : PIECE_SIZES;
        piece.tensor = tensor_offset(p, sizes->field);
    } else if (is_slice && list->count == 0) {
        piece.kind = PIECE_CUT;
        if (!add_list(p, n->a, list))
            return false;
    } else if (n->op == EXPR_FILLED && nodes[n->a].op == EXPR_CONST && nodes[n->a].value >= 0 &&
               prepared_is_small(nodes[n->a].value)) {
        piece.kind = PIECE_FILLED;
        piece.value = (uint32_t)nodes[n->a].value;
    } else {
        return false;
    }
    return prepared_add_piece(p, piece, list);
}

static bool prepare_list(struct prepared *p, int node, struct prepared_list *out)
{
    const struct expr *n = &p->spec->nodes[node];
    *out = (struct prepared_list){.first = (uint8_t)p->piece_count};
    if (n->op != EXPR_FIT)
        return add_list(p, node, out);
    return add_list(p, n->a, out) &&
           prepared_add_piece(p, (struct prepared_piece){.kind = PIECE_FIT, .length = n->b}, out);
}

/* Returns true if a bound is constant or absent. */
static bool is_constant(const struct prepared *p, int node, int64_t absent, int64_t *out)
{
    *out = node < 0 ? absent : p->spec->nodes[node].value;
    return node < 0 || p->spec->nodes[node].op == EXPR_CONST;
}

static bool prepare_set(const struct atom *a, struct prepared_atom *out)
{
    for (int i = 0; i < a->set_count; i++) {
        if (a->set[i] < 0 || a->set[i] >= 32)
            return false;
        out->set |= 1u << a->set[i];
    }
    return true;
}

bool prepared_is_total(const struct spec *spec, const struct atom *a)
{
    if (a->kind != ATOM_BETWEEN || a->x < 0 || a->low < 0 || a->high >= 0)
        return false;
    const struct expr *x = &spec->nodes[a->x], *low = &spec->nodes[a->low];
    return x->op == EXPR_TOTAL && low->op == EXPR_IMPLIED && x->field == low->field && x->value == EXPR_NO_ARRAY &&
           low->value == EXPR_NO_ARRAY;
}

/* Returns the function that checks a condition, and stores its operands. */
static prepared_check_function *prepared_prepare_atom(struct prepared *p, const struct atom *a,
                                                      struct prepared_atom *out)
{
    const struct spec_level *level = p->table < 0 ? NULL : &p->spec->levels[p->table];
    if (!level || a->kind == ATOM_SINCE || a->x < 0)
        return check_other;
    const struct expr *x = &p->spec->nodes[a->x];
    const bool from_constant = is_constant(p, a->low, INT64_MIN, &out->least),
               to_constant = is_constant(p, a->high, INT64_MAX, &out->most), constant = from_constant && to_constant;
    switch (a->kind) {
    case ATOM_BETWEEN:
        if (constant && (x->op == EXPR_EXTENT || x->op == EXPR_ELEMENTS) && x->value == EXPR_NO_ARRAY)
            return check_extent;
        if (constant)
            return check_within;
        return prepared_is_total(p->spec, a) ? check_total : prepared_check_between;
    case ATOM_EACH:
        return constant && prepare_list(p, a->x, &out->of_x) ? prepared_check_each : check_other;
    case ATOM_EQUAL:
        return prepare_list(p, a->x, &out->of_x) && prepare_list(p, a->low, &out->of_low) ? check_equal : check_other;
    case ATOM_ONE_OF:
        if (expr_is_list(x) || !prepare_set(a, out))
            return check_other;
        return a->powers ? check_powers : check_set;
    case ATOM_TYPES:
        out->set = level->types[p->spec->fields[x->field].group] | level->beyond[p->spec->fields[x->field].group];
        return check_set;
    case ATOM_DIMS:
        out->least = level->dims[x->field].low;
        out->most = level->dims[x->field].high;
        return check_within;
    default:
        return check_other;
    }
}

static enum rule_result check_nothing(const struct prepared *p, const struct prepared_atom *a,
                                      const struct opdesc *desc)
{
    (void)p, (void)a, (void)desc;
    return HOLDS;
}

void prepared_init(struct prepared *p, const struct spec *spec, int table)
{
    p->spec = spec;
    p->table = table;
    p->number_count = spec->node_count;
    p->piece_count = 0;
    for (int i = 0; i < spec->node_count; i++)
        prepare_number(p, i, &p->numbers[i]);
}

void prepared_add(struct prepared *p, int atom, struct prepared_atom *out)
{
    const struct atom *a = &p->spec->atoms[atom];
    *out = (struct prepared_atom){.atom = atom, .x = (int16_t)a->x, .low = (int16_t)a->low, .high = (int16_t)a->high};
    out->check = levels_include(a->from, a->before, p->table < 0 ? p->spec->since : p->spec->levels[p->table].level)
                     ? prepared_prepare_atom(p, a, out)
                     : check_nothing;
    out->when = out->check == check_other || out->check == check_nothing ? -1 : a->when;
}
