#include "harness/solve/solve_internal.h"

#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

#include <string.h>

const char stride_letters[] = "nkgtb";
const char *const stride_names[] = {"null", "packed", "padded", "permuted", "broadcast", NULL};

enum {
    SOLVE_LONG = 1000, /* where memory is bounded, dimensions above this are broadcast */
    SOLVE_TRIES = 200,
    SOLVE_LARGEST = 7,
    SOLVE_SMALL = 3,
    SOLVE_MOST = 4, /* elements of an array, and largest value of most attributes */
    SOLVE_MAX_ELEMENTS = 4096,
    SOLVE_MAX_WORK = 100000, /* multiplications: some 10 ms */
    SOLVE_DOUBT = 12,        /* failed tries after which solve_refute() looks for a proof */
    SOLVE_FIXED_TRIES = 64   /* tries after which to give up if a requested size never came out */
};

void solve_request_init(struct solve_request *request)
{
    *request = (struct solve_request){
        .limit_atom = -1, .premise_atom = -1, .fixed = {.field = -1, .shown = -1}, .leading = {.field = -1}};
    for (int i = 0; i < SPEC_MAX_PARAMETERS; i++)
        request->parameters[i] = -1;
}

/* ---- drawing */

/* Returns the requested size; null if it is in another tensor or this one has too few dimensions. */
static uint32_t *fixed_size(const struct solver *s, struct opdesc_tensor *t)
{
    const struct solve_size *fixed = &s->request->fixed;
    if (fixed->field < 0 || t != OPDESC_TENSOR(s->desc, fixed->field) || (uint32_t)fixed->from_last >= t->dims)
        return NULL;
    return &t->sizes[t->dims - 1 - (uint32_t)fixed->from_last];
}

/* Returns true if a dimension of tensor `field` has the size; always if `field` is -1. */
static bool has_size(const struct solver *s, int field, uint32_t size)
{
    const struct opdesc_tensor *t = field < 0 ? NULL : OPDESC_TENSOR(s->desc, field);
    bool found = !t;
    for (uint32_t i = 0; t && i < t->dims; i++)
        found |= t->sizes[i] == size;
    return found;
}

static bool fixed_holds(const struct solver *s)
{
    if (s->request->fixed.field < 0)
        return true;
    struct opdesc_tensor *t = OPDESC_TENSOR(s->desc, s->request->fixed.field);
    const uint32_t *at = fixed_size(s, t);
    if (!at || !t->present || !has_size(s, s->request->fixed.shown, *at))
        return false;
    uint32_t beside = s->request->fixed.beside;
    if (beside > 0 && (at == t->sizes || at[-1] != beside || !has_size(s, s->request->fixed.shown, beside)))
        return false;
    return s->request->fixed.size ? *at == s->request->fixed.size : opdesc_elements(t) >= s->request->fixed.elements;
}

/* Returns the number of leading sizes that the request wants to be 1; -1: any number. */
static int leading_ones(const struct solver *s, const struct opdesc_tensor *t)
{
    const struct solve_leading *leading = &s->request->leading;
    return leading->field >= 0 && t == OPDESC_TENSOR(s->desc, leading->field) ? leading->ones : -1;
}

static bool leading_holds(const struct solver *s)
{
    const struct solve_leading *leading = &s->request->leading;
    if (leading->field < 0)
        return true;
    const struct opdesc_tensor *t = OPDESC_TENSOR(s->desc, leading->field);
    return opdesc_effective_rank(t) + (uint32_t)leading->ones == t->dims;
}

static void draw_sizes(struct solver *s, struct opdesc_tensor *t)
{
    int64_t budget = s->request->max_elements ? s->request->max_elements : SOLVE_MAX_ELEMENTS;
    uint32_t largest = s->request->largest ? s->request->largest : SOLVE_LARGEST;
    if (largest > SOLVE_SMALL && random_below(s->random, 4) == 0)
        largest = SOLVE_SMALL; /* some tensors are small, so that others may be large */
    uint32_t leading = random_below(s->random, 2) ? 0 : random_below(s->random, t->dims + 1);
    uint32_t *fixed = fixed_size(s, t), alone = UINT32_MAX; /* dimension that must not be 1 */
    if (leading_ones(s, t) >= 0)
        alone = leading = (uint32_t)leading_ones(s, t);
    if (fixed && s->request->fixed.size > 0)
        budget /= s->request->fixed.size;
    if (s->request->slice > 0)
        budget /= s->request->slice; /* set_slice() makes the slice later */
    t->has_sizes = true;
    for (uint32_t n = t->dims; n-- > 0;) { /* from the right: trailing dimensions get the larger share */
        uint32_t size = n < leading ? 1 : 1 + random_below(s->random, largest);
        size = n == alone && size == 1 ? 2 : size;
        t->sizes[n] = size <= budget ? size : 1;
        budget /= t->sizes[n];
        if (fixed == &t->sizes[n])
            *fixed = s->request->fixed.size > 0 ? s->request->fixed.size : 1;
    }
    if (fixed && s->request->fixed.beside > 0 && fixed > t->sizes)
        fixed[-1] = s->request->fixed.beside;
    if (fixed && s->request->fixed.size == 0) {
        int64_t others = opdesc_elements(t);
        *fixed = (uint32_t)((s->request->fixed.elements + others - 1) / others);
    }
}

static void draw_tensor(struct solver *s, int field, struct opdesc_tensor *t)
{
    const struct solve_interval dims = s->in[s->spec->dims_nodes[field]];
    *t = (struct opdesc_tensor){.present = true, .type = DML_TENSOR_TYPE_BUFFER, .alignment = s->request->alignment};
    if (s->request->owned && field_is_input(&s->spec->fields[field]))
        t->flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    t->dims = (uint32_t)dims.low + random_below(s->random, (uint32_t)(dims.high - dims.low) + 1);
    draw_sizes(s, t);
}

/* Returns the number of elements of an array of tensors to draw: more than rules may ask for later. */
static int elements_to_draw(const struct solver *s, int field)
{
    return field_kinds[s->spec->fields[field].kind].is_array ? SOLVE_MOST : 1;
}

static void draw_types(struct solver *s)
{
    for (int g = 0; g < s->spec->group_count; g++) {
        uint32_t mask = s->spec->levels[s->table].types[g];
        uint32_t skip = random_below(s->random, (uint32_t)__builtin_popcount(mask));
        for (; skip > 0; skip--)
            mask &= mask - 1;
        uint32_t type = s->request->types[g] ? (uint32_t)s->request->types[g] : (uint32_t)__builtin_ctz(mask);
        for (int i = 0; i < s->spec->field_count; i++)
            if (field_is_tensor(&s->spec->fields[i]) && s->spec->fields[i].group == g)
                for (int at = 0; at < elements_to_draw(s, i); at++)
                    OPDESC_ELEMENT(s->desc, i, at)->tensor.data_type = type;
    }
}

/* A number to which rules leave few values is left to them. */
static void draw_attribute(struct solver *s, int field)
{
    const struct spec_field *f = &s->spec->fields[field];
    struct field_ref ref = field_ref(s->spec, s->desc, field);
    int node = s->spec->number_nodes[field];
    if (node >= 0 && s->in[node].high - s->in[node].low < SOLVE_NARROW)
        return;
    field_draw(&ref, &s->spec->domains[field], s->random);
    if (f->optional && f->optional <= s->level)
        field_give(&ref, random_below(s->random, 2));
}

/* Returns true if the request says something about the tensor, which must then be given. */
static bool is_requested(const struct solve_request *request, int field)
{
    return request->fixed.field == field || request->leading.field == field || request->least[field] > 0;
}

/* Draws the tensors of a field. A tensor that may be null, and that the request does not name, is null half of the
 * time. */
static void draw_tensors(struct solver *s, int field)
{
    const struct spec_field *f = &s->spec->fields[field];
    for (int at = 0; at < elements_to_draw(s, field); at++)
        draw_tensor(s, field, &OPDESC_ELEMENT(s->desc, field, at)->tensor);
    if (f->optional && f->optional <= s->level)
        OPDESC_TENSOR(s->desc, field)->present = random_below(s->random, 2) || is_requested(s->request, field);
}

/* A tensor that must be large gets the sizes of the tensor that the request makes large: a size that rules only bound
 * would stay small. */
static void draw_large(struct solver *s)
{
    const struct solve_size *fixed = &s->request->fixed;
    for (int i = 0; fixed->field >= 0 && i < s->spec->field_count; i++) {
        if (!field_is_tensor(&s->spec->fields[i]) || s->request->least[i] == 0 || i == fixed->field)
            continue;
        struct opdesc_tensor *t = OPDESC_TENSOR(s->desc, i);
        const struct opdesc_tensor *large = OPDESC_TENSOR(s->desc, fixed->field);
        t->dims = large->dims;
        memcpy(t->sizes, large->sizes, sizeof t->sizes);
    }
}

static void solve_draw(struct solver *s)
{
    spec_blank(s->spec, s->desc);
    for (int i = 0; i < s->spec->field_count; i++)
        if (!field_is_tensor(&s->spec->fields[i]))
            draw_attribute(s, i);
    for (int i = 0; i < s->spec->field_count; i++)
        if (field_is_tensor(&s->spec->fields[i]))
            draw_tensors(s, i);
    draw_large(s);
    draw_types(s);
}

/* Sets the parameters and the enumerations that the request gives. */
static void set_parameters(struct solver *s)
{
    for (int i = 0; i < s->spec->field_count; i++)
        if (s->request->constant_fields >> i & 1)
            s->desc->values[i].number = s->request->constants[i];
    for (int i = 0; i < s->spec->parameter_count; i++)
        if (s->request->parameters[i] >= 0)
            expr_assign(s->spec->nodes, s->spec->parameters[i].node, s->desc, s->request->parameters[i]);
}

/* Makes the slices as long as requested. If that fails, the next description may have other dimensions. */
static void set_slice(struct solver *s)
{
    struct solve_ranges wanted = {.count = 1, .at = {{s->request->slice, s->request->slice}}};
    if (s->request->slice > 0 && s->spec->slice >= 0)
        solver_steer(s, s->spec->slice, &wanted);
}

static bool slice_holds(const struct solver *s)
{
    int64_t value;
    return s->request->slice == 0 ||
           (s->spec->slice >= 0 && expr_number(s->spec->nodes, s->spec->slice, s->desc, &value) &&
            value == s->request->slice);
}

static bool parameters_hold(const struct solver *s)
{
    for (int i = 0; i < s->spec->field_count; i++)
        if (s->request->constant_fields >> i & 1 && s->desc->values[i].number != s->request->constants[i])
            return false;
    for (int i = 0; i < s->spec->parameter_count; i++) {
        int64_t value;
        if (s->request->parameters[i] >= 0 &&
            (!expr_number(s->spec->nodes, s->spec->parameters[i].node, s->desc, &value) ||
             value != s->request->parameters[i]))
            return false;
    }
    return true;
}

/* ---- strides */

/* Returns true if indices must differ along a dimension of an index tensor: equal ones would repeat a target or mix up
 * a tuple. */
static bool must_vary(const struct solver *s, int field, uint32_t dimension)
{
    const struct spec *spec = s->spec;
    const struct opdesc *desc = s->desc;
    for (int i = 0; i < spec->index_count; i++) {
        const struct spec_index *index = &spec->indices[i];
        int64_t along;
        if (index->field != field)
            continue;
        if (index->tuple && dimension + 1 == OPDESC_TENSOR(desc, field)->dims &&
            (index->distinct || !s->request->shared_tuples))
            return true;
        if (index->distinct &&
            (index->along < 0 || !expr_number(spec->nodes, index->along, desc, &along) || along == dimension))
            return true;
    }
    return false;
}

/* Packs the dimensions in the order given, innermost first, with `gap` elements drawn between them. */
static void solve_pack(struct solver *s, struct opdesc_tensor *t, const uint32_t *order, uint32_t gap)
{
    uint64_t next = gap ? 1 + random_below(s->random, gap) : 1;
    for (uint32_t i = 0; i < t->dims; i++) {
        uint32_t d = order[i];
        t->strides[d] = (uint32_t)next;
        next = next * t->sizes[d] + (gap ? random_below(s->random, gap + 1) : 0);
        if (next > UINT32_MAX)
            next = UINT32_MAX;
    }
}

static void free_unit_strides(struct solver *s, struct opdesc_tensor *t)
{
    for (uint32_t i = 0; i < t->dims; i++) /* the stride of a size of 1 has no effect: any value is legal */
        if (t->sizes[i] == 1 && s->request->idle > 0)
            t->strides[i] = s->request->idle;
        else if (t->sizes[i] == 1 && random_below(s->random, 4) == 0)
            t->strides[i] = random_below(s->random, 1000);
}

/* Sets the stride of the first dimension with a size above 1, unless it is larger already. */
static void move_apart(struct opdesc_tensor *t, uint32_t stride)
{
    uint32_t i = 0;
    while (i + 1 < t->dims && t->sizes[i] == 1)
        i++;
    if (t->strides[i] < stride)
        t->strides[i] = stride;
}

/* Returns the class of strides of a tensor. The later elements of an array have any class, whatever the first one
 * has. */
static enum stride_class class_of(struct solver *s, int field, bool is_later)
{
    int classes = field_is_input(&s->spec->fields[field]) ? STRIDES_COUNT : STRIDES_BROADCAST;
    return is_later ? (enum stride_class)random_below(s->random, (uint32_t)classes) : s->request->strides[field];
}

/* Sets the strides. Returns false if the tensor cannot have strides of the requested class. */
static bool set_strides(struct solver *s, int field, bool is_later, struct opdesc_tensor *t)
{
    enum stride_class class = class_of(s, field, is_later);
    uint32_t order[OPDESC_MAX_DIMENSIONS], zeroed = 0;
    t->has_strides = class != STRIDES_NULL;
    for (uint32_t i = 0; i < t->dims; i++)
        order[i] = t->dims - 1 - i;
    if (class == STRIDES_PERMUTED)
        for (uint32_t i = t->dims; i > 1; i--) {
            uint32_t j = random_below(s->random, i), swap = order[i - 1];
            order[i - 1] = order[j];
            order[j] = swap;
        }
    solve_pack(s, t, order, class == STRIDES_PADDED ? 3 : 0);
    if (class == STRIDES_PADDED)
        move_apart(t, s->request->apart[field]);
    if (class == STRIDES_BROADCAST) {
        struct opdesc_tensor kept = *t;
        bool has_long = false;
        for (uint32_t i = 0; i < t->dims && s->request->max_bytes > 0; i++)
            has_long |= t->sizes[i] > SOLVE_LONG && !must_vary(s, field, i);
        for (uint32_t i = 0; i < t->dims; i++)
            if (t->sizes[i] > 1 && !must_vary(s, field, i) &&
                (has_long ? t->sizes[i] > SOLVE_LONG : random_below(s->random, 2))) {
                kept.sizes[i] = 1;
                zeroed |= 1u << i;
            }
        solve_pack(s, &kept, order, 0);
        for (uint32_t i = 0; i < t->dims; i++)
            t->strides[i] = zeroed >> i & 1 ? 0 : kept.strides[i];
    }
    struct opdesc_tensor packed = *t;
    packed.has_strides = false;
    uint32_t usual[OPDESC_MAX_DIMENSIONS];
    opdesc_strides(&packed, usual);
    bool moved = false;
    for (uint32_t i = 0; i < t->dims; i++)
        moved |= t->sizes[i] > 1 && t->strides[i] != usual[i];
    if (t->has_strides)
        free_unit_strides(s, t);
    return is_later || class <= STRIDES_PACKED ||
           (moved && (class != STRIDES_PADDED || opdesc_extent(t) > opdesc_elements(t)));
}

/* Sets the storage by sizes and types: strides of the requested class, the least total size and the slack. */
static bool solve_finish(struct solver *s)
{
    bool good = true;
    for (int i = spec_next_tensor(s->spec, s->desc, -1); i >= 0; i = spec_next_tensor(s->spec, s->desc, i)) {
        struct opdesc_tensor *t = &s->desc->items[i].tensor;
        int field = s->spec->tensor_fields[i];
        if (s->request)
            good &= t->present ? set_strides(s, field, i > spec_item(s->spec, field), t)
                               : s->request->strides[field] == STRIDES_NULL;
        t->total = (uint64_t)opdesc_implied(t) + (s->request ? s->request->slack[field] : 0);
    }
    return good;
}

bool solve_indices_fit(const struct spec *spec, const struct opdesc *desc)
{
    for (int i = 0; i < spec->index_count; i++) {
        const struct spec_index *index = &spec->indices[i];
        const struct opdesc_tensor *t = OPDESC_TENSOR(desc, index->field);
        struct expr_list into;
        int64_t room = 1, along, wanted = opdesc_elements(t);
        if (!index->distinct)
            continue;
        if (!expr_list(spec->nodes, index->into, desc, &into))
            return false;
        for (int k = 0; k < into.count; k++)
            if (__builtin_mul_overflow(room, into.items[k], &room))
                room = INT64_MAX;
        if (index->along >= 0 && expr_number(spec->nodes, index->along, desc, &along) && along >= 0 && along < t->dims)
            wanted = t->sizes[along];
        else if (index->tuple && t->sizes[t->dims - 1] > 0)
            wanted /= t->sizes[t->dims - 1];
        if (wanted > room)
            return false;
    }
    return true;
}

/* Returns true if every index tensor has enough targets: with a single target any index would be right. */
static bool has_room(const struct solver *s)
{
    for (int i = 0; i < s->spec->index_count; i++) {
        struct expr_list into;
        int64_t room = 1;
        if (!expr_list(s->spec->nodes, s->spec->indices[i].into, s->desc, &into))
            return false;
        for (int k = 0; k < into.count; k++)
            room *= into.items[k]; /* no overflow, since the element limit holds */
        if (room < s->request->room)
            return false;
    }
    return true;
}

static bool small_enough(const struct solver *s)
{
    int64_t max = s->request->max_elements ? s->request->max_elements : SOLVE_MAX_ELEMENTS;
    uint64_t bytes = 0;
    for (int i = spec_next_tensor(s->spec, s->desc, -1); i >= 0; i = spec_next_tensor(s->spec, s->desc, i)) {
        const struct opdesc_tensor *t = &s->desc->items[i].tensor;
        int64_t most = s->request->most[s->spec->tensor_fields[i]];
        if (opdesc_elements(t) > max || (most > 0 && opdesc_elements(t) > most))
            return false;
        bytes += t->total;
    }
    return s->request->max_bytes == 0 || bytes <= (uint64_t)s->request->max_bytes;
}

/* Returns true if the oracle, which is slow, computes the outputs in a moment. A tensor of many elements, which the
 * request may ask for, takes as many multiplications at least. */
static bool quick_enough(const struct solver *s)
{
    double most = (double)(s->request->max_work ? s->request->max_work : SOLVE_MAX_WORK);
    for (int i = spec_next_tensor(s->spec, s->desc, -1); i >= 0; i = spec_next_tensor(s->spec, s->desc, i)) {
        double elements = (double)opdesc_elements(&s->desc->items[i].tensor);
        most = elements > most && !s->request->max_work ? elements : most;
    }
    return solve_work(s->spec, s->desc) <= most;
}

/* Returns true if every tensor has as many elements, and as large a stride, as the request wants. */
static bool large_enough(const struct solver *s)
{
    for (int i = spec_next_tensor(s->spec, s->desc, -1); i >= 0; i = spec_next_tensor(s->spec, s->desc, i)) {
        const struct opdesc_tensor *t = &s->desc->items[i].tensor;
        int field = s->spec->tensor_fields[i];
        if (opdesc_elements(t) < s->request->least[field] ||
            (s->request->apart[field] > 0 && opdesc_extent(t) <= s->request->apart[field]))
            return false;
    }
    return true;
}

/* Returns true if the tensors have the requested types: a rule may have given them others. */
static bool types_hold(const struct solver *s)
{
    for (int i = spec_next_tensor(s->spec, s->desc, -1); i >= 0; i = spec_next_tensor(s->spec, s->desc, i)) {
        const struct opdesc_tensor *t = &s->desc->items[i].tensor;
        int wanted = s->request->types[spec_tensor_field(s->spec, i)->group];
        if (t->present && wanted > 0 && t->data_type != (uint32_t)wanted)
            return false;
    }
    return true;
}

/* Returns true if the subject of the requested limit is at that limit. */
static bool limit_holds(const struct solver *s)
{
    if (s->request->limit_atom < 0)
        return true;
    const struct atom *a = &s->spec->atoms[s->request->limit_atom];
    int64_t low, high, x;
    return solve_bounds(s->spec, s->request->limit_atom, s->desc, &low, &high) &&
           expr_number(s->spec->nodes, a->x, s->desc, &x) && x == (s->request->limit_high ? high : low);
}

bool solve_applies(const struct spec *spec, int atom, const struct opdesc *desc, int table)
{
    const struct atom *a = &spec->atoms[atom];
    return levels_include(a->from, a->before, spec->levels[table].level) &&
           (a->when < 0 || atom_check(spec, a->when, desc, table) == HOLDS);
}

/* Returns true if the requested condition applies. */
static bool premise_holds(const struct solver *s)
{
    return s->request->premise_atom < 0 || solve_applies(s->spec, s->request->premise_atom, s->desc, s->table);
}

/* Returns true if the conditions of the request hold. */
static bool also_holds(const struct solver *s)
{
    return !s->request->also || conditions_check(s->spec, s->request->also, s->desc, s->table) == HOLDS;
}

/* Makes the premise of the requested condition hold, before the rules follow. */
static void set_premise(struct solver *s)
{
    if (s->request->premise_atom >= 0 && s->spec->atoms[s->request->premise_atom].when >= 0)
        solver_repair_atom(s, s->spec->atoms[s->request->premise_atom].when);
}

bool solve_satisfy(const struct spec *spec, unsigned op, const struct solve_request *request, uint64_t seed,
                   struct opdesc *out)
{
    struct random random = {.key = seed};
    struct solve_interval in[SPEC_MAX_NODES];
    struct solver s = {
        .spec = spec, .request = request, .random = &random, .in = in, .except = -1, .pinned = -1, .desc = out};
    s.table = request->table;
    s.level = spec->levels[s.table].level;
    if ((request->slice > 0 && spec->slice < 0) || !solve_narrow(spec, request, in))
        return false;
    solver_list_atoms(&s);
    bool fixed = false; /* some try had the requested size */
    int max = request->tries ? request->tries : SOLVE_TRIES;
    for (int tries = 0; tries < max; tries++) {
        if ((tries == SOLVE_DOUBT && solve_refute(spec, request)) || (tries == SOLVE_FIXED_TRIES && !fixed))
            return false;
        solve_draw(&s);
        out->op = (uint16_t)op;
        set_parameters(&s);
        set_premise(&s);
        solver_repair(&s);
        set_parameters(&s);
        set_slice(&s);
        s.request = NULL; /* the next repair draws nothing */
        s.in = NULL;
        solver_repair(&s);
        s.request = request;
        s.in = in;
        bool finished = solve_finish(&s);
        fixed |= fixed_holds(&s);
        if (finished && parameters_hold(&s) && types_hold(&s) && limit_holds(&s) && premise_holds(&s) &&
            fixed_holds(&s) && leading_holds(&s) && slice_holds(&s) && small_enough(&s) && large_enough(&s) &&
            quick_enough(&s) && has_room(&s) && also_holds(&s) && solve_indices_fit(spec, out) &&
            rules_check(spec, out, s.level, NULL, 0) == 0)
            return true;
    }
    return false;
}
