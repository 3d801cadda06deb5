#include "harness/base/datatype.h"
#include "harness/base/real.h"
#include "harness/spec/elements.h"
#include "harness/formula/folding_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements */

/* Returns the fold that entry `other` of the fold's others names at a step; null if the step leads to no place of the
 * output. */
static const struct formula_fold *other_of(struct adding *a, int other, int64_t number, struct formula_fold *room)
{
    uint32_t place[D];
    if (!elsewhere_find(&a->f->others[other], a->starts[other], number, place))
        return NULL;
    return folding_real_elsewhere(a->folding, a->f->fold->others[other].fold, place, a->lean, a->asked, a->reals, room,
                                  &a->changed);
}

/* These set the operands to the folds of the places that the step leads to. They return false if a place is outside of
 * the output. */
static bool set_reals(struct adding *a, int64_t number)
{
    struct formula_fold room;
    for (int i = 0; i < a->f->fold->other_count; i++) {
        const struct formula_fold *other = other_of(a, i, number, &room);
        if (!other)
            return false;
        a->reals->others[i] = *other;
    }
    return true;
}

static bool set_integers(struct adding *a, int64_t number)
{
    uint32_t place[D];
    for (int i = 0; i < a->f->fold->other_count; i++) {
        if (!elsewhere_find(&a->f->others[i], a->starts[i], number, place))
            return false;
        struct formula_whole_fold other;
        folding_whole_elsewhere(a->folding, a->f->fold->others[i].fold, place, a->integers, &other);
        a->integers->others[i] = other;
    }
    return true;
}

static inline double real_at(const struct source *s, int64_t offset)
{
    float single;
    if (s->type == DML_TENSOR_DATA_TYPE_FLOAT32) {
        memcpy(&single, s->memory + 4 * offset, sizeof single);
        return (double)single;
    }
    uint64_t bits = element_get(s->width, s->memory, (uint64_t)offset);
    return datatype_to_double(s->type, &bits);
}

static formula_integer integer_at(const struct source *s, int64_t offset)
{
    uint64_t bits = element_get(s->width, s->memory, (uint64_t)offset);
    return datatype_of(s->type)->is_signed ? datatype_to_integer(s->type, &bits) : (formula_integer)bits;
}

static bool folding_loops_find_denormal(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct source *s = context;
    bool single = s->type == DML_TENSOR_DATA_TYPE_FLOAT32; /* a device may read these as FLOAT16 */
    double value = fabs(real_at(s, (int64_t)offset));
    (void)number, (void)coordinates;
    s->has_denormals = value != 0 && value < real_smallest_normal(single ? DML_TENSOR_DATA_TYPE_FLOAT16 : s->type);
    return !s->has_denormals;
}

bool folding_is_changed(struct source *s, const struct folding_reading *reading)
{
    bool real = datatype_of(s->type)->is_float;
    if (real && reading->flushed && !s->looked && s->memory) /* null: the input is absent */
        elements_each(s->tensor, folding_loops_find_denormal, s);
    s->looked |= reading->flushed;
    return real && (reading->halved || s->has_denormals);
}

/* Returns the element as a device may read it. */
static double folding_loops_read_as(struct adding *a, const struct source *s, double value)
{
    const struct folding_reading *reading = a->reading;
    if (!datatype_of(s->type)->is_float || value == 0 || isnan(value))
        return value;
    unsigned type = reading->half && s->type == DML_TENSOR_DATA_TYPE_FLOAT32 ? DML_TENSOR_DATA_TYPE_FLOAT16 : s->type;
    double out = reading->halved && s->type == DML_TENSOR_DATA_TYPE_FLOAT32
                     ? real_round(DML_TENSOR_DATA_TYPE_FLOAT16, value)
                     : value;
    if (reading->flushed && out != 0 && fabs(out) < real_smallest_normal(type))
        out = copysign(0, out);
    a->changed |= out != value;
    return out;
}

/* Running sums of longer rows have no order: each place would need a loop over all elements before it. */
enum { LONGEST_ORDERED = 4096 };

/* Returns the order of the sum; null: it has none. */
static struct folding_order *order_of(const struct adding *a)
{
    const struct folding_slip *slip = a->folding->slip;
    bool is_long = a->f->growth.is_there && a->f->growth.count > LONGEST_ORDERED;
    bool ordered = slip && slip->kind == SLIP_ORDER && a->f->fold->kind == FOLD_SUM && !a->integers && !is_long;
    return ordered ? slip->order : NULL;
}

static void add_term(const struct adding *a, double value, int64_t number)
{
    struct folding_order *order = order_of(a);
    folding_add(a->sum, value, number, a->lean);
    if (order && order->count == order->capacity) {
        int64_t capacity = order->capacity ? 2 * order->capacity : 256;
        double *larger = realloc(order->terms, (size_t)capacity * sizeof *larger);
        order->lacks_memory |= !larger;
        order->terms = larger ? larger : order->terms;
        order->capacity = larger ? capacity : order->capacity;
    }
    if (order && order->count < order->capacity)
        order->terms[order->count++] = value;
}

static void add_real(struct adding *a, int64_t step, int64_t number)
{
    struct one_fold *f = a->f;
    double value = 0;
    if (f->relays) {
        struct formula_fold room;
        const struct formula_fold *other = other_of(a, 0, number, &room);
        if (other)
            add_term(a, other->parts[(int)f->fold->value.nodes[0].value], number);
        return;
    }
    if (f->multiplies && !a->reading) {
        const struct source *x = &f->sources[0], *w = &f->sources[1];
        value = real_at(x, x->offset + step * x->stride) * real_at(w, w->offset + step * w->stride);
        folding_add(a->sum, value, number, a->lean);
        return;
    }
    if (f->fold->other_count && !set_reals(a, number))
        return;
    for (int i = 0; i < f->source_count; i++) {
        const struct source *s = &f->sources[i];
        value = real_at(s, s->offset + step * s->stride);
        if (a->reading)
            value = folding_loops_read_as(a, s, value);
        if (!f->plain)
            a->reals->elements[s->item] = value;
    }
    add_term(a, f->plain ? value : formula_real(&f->fold->value, a->reals), number);
}

static void add_integer(struct adding *a, int64_t step, int64_t number)
{
    struct one_fold *f = a->f;
    formula_integer value = 0;
    if (!set_integers(a, number))
        return;
    for (int i = 0; i < f->source_count; i++) {
        const struct source *s = &f->sources[i];
        a->integers->elements[s->item] = value = integer_at(s, s->offset + step * s->stride);
    }
    if (!f->plain && !formula_whole(&f->fold->value, a->integers, &value))
        a->sum->undefined = true;
    folding_add_whole(a->sum, value, number);
}

/* ---- slips */

/* Returns the number of times that a slip adds element `number` of `count`. */
static int folding_loops_times(const struct folding_slip *slip, int64_t number, int64_t count)
{
    bool first = number == 0, last = number + 1 == count;
    switch (slip->kind) {
    case SLIP_FIRST_MISSED:
        return !first;
    case SLIP_LAST_MISSED:
        return !last || count <= slip->tile;
    case SLIP_EDGES_MISSED:
        return (number + 1) % slip->tile != 0;
    case SLIP_FIRST_TWICE:
        return 1 + first;
    case SLIP_LAST_TWICE:
        return 1 + last;
    case SLIP_EDGES_TWICE:
        return 1 + (!first && number % slip->tile == 0);
    case SLIP_TAIL_MISSED:
        return number < count / slip->tile * slip->tile;
    case SLIP_REST_MISSED:
        return number < slip->tile;
    default:
        return 1;
    }
}

/* Returns the shift of this element's number by elements that the slip adds twice. */
static int64_t moved(const struct folding_slip *slip, int64_t number)
{
    if (slip->kind == SLIP_EDGES_TWICE)
        return number > 0 ? (number - 1) / slip->tile : 0;
    return slip->kind == SLIP_FIRST_TWICE && number > 0;
}

/* Reports the elements at the offsets of the sources. */
static void report_sources(const struct adding *a, int64_t step)
{
    const struct folding_witness *witness = a->folding->witness;
    for (int i = 0; i < a->f->source_count; i++) {
        const struct source *s = &a->f->sources[i];
        witness->read(witness->context, s->item, s->offset + step * s->stride);
    }
}

/* Adds the elements at the offsets of the sources. `number` is the number of the step, out of `count`. */
static inline void folding_loops_add(struct adding *a, int64_t step, int64_t number, int64_t count)
{
    const struct folding_slip *slip = a->f->reads ? NULL : a->folding->slip;
    int64_t first = number + (slip ? moved(slip, number) : 0),
            past = first + (slip ? folding_loops_times(slip, number, count) : 1);
    if (slip && slip->kind == SLIP_LAST_KEPT && a->f->fold->kind == FOLD_SUM)
        a->sum->value = 0;
    if (a->folding->witness)
        report_sources(a, step);
    for (int64_t n = first; n < past; n++)
        if (a->integers)
            add_integer(a, step, n);
        else
            add_real(a, step, n);
    bool half = slip && slip->kind == SLIP_IN_HALF && a->f->sources[0].type == DML_TENSOR_DATA_TYPE_FLOAT16;
    if (half && a->f->fold->kind == FOLD_SUM && a->sum->value != 0)
        a->sum->value = real_round(DML_TENSOR_DATA_TYPE_FLOAT16, a->sum->value);
}

static void folding_loops_begin(const struct adding *a, struct folding_sum *sum)
{
    const struct folding_slip *slip = a->folding->slip;
    folding_begin(sum, a->f->fold, a->f->last != (slip && slip->kind == SLIP_TIES_OTHER));
    bool extreme = a->f->fold->kind != FOLD_SUM && a->f->fold->kind != FOLD_PRODUCT;
    if (slip && slip->kind == SLIP_FROM_LEAST && extreme && !a->integers)
        folding_add(sum, 0x1p-126, 0, a->lean);
    if (slip && slip->kind == SLIP_FROM_LOWEST && extreme && !a->integers) {
        bool minimum = a->f->fold->kind == FOLD_MIN || a->f->fold->kind == FOLD_PLACE_OF_MIN;
        double largest = real_largest(a->f->sources[0].type);
        folding_add(sum, minimum ? largest : -largest, 0, a->lean);
    }
    if (!slip || slip->kind != SLIP_FROM_ZERO || a->f->fold->kind == FOLD_SUM)
        return;
    if (a->integers)
        folding_add_whole(sum, 0, 0);
    else
        folding_add(sum, 0, 0, a->lean);
}

/* ---- loops */

/* The steps of the innermost loop that are inside of all inputs. */
struct reach {
    int64_t first, past;
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return expr_floor(a, b);
}

/* Finds the steps of the innermost loop at which every coordinate is inside, and sets offsets and strides of their
 * elements. */
static struct reach folding_loops_reach_of(struct one_fold *f)
{
    uint32_t loop = f->loops[f->loop_count - 1];
    struct reach reach = {0, f->loop_sizes[f->loop_count - 1]};
    for (int i = 0; i < f->source_count; i++) {
        struct source *s = &f->sources[i];
        s->offset = s->stride = 0;
        for (uint32_t d = 0; d < s->tensor->dims; d++) {
            int64_t by = s->by_step[d][loop], at = s->at[d], last = (int64_t)s->tensor->sizes[d] - 1;
            s->offset += at * s->strides[d];
            s->stride += by * s->strides[d];
            int64_t first = 0, past = at >= 0 && at <= last ? INT64_MAX : 0;
            if (by > 0) {
                first = -floor_div(at, by);
                past = floor_div(last - at, by) + 1;
            } else if (by < 0) {
                first = -floor_div(last - at, -by);
                past = floor_div(at, -by) + 1;
            }
            reach.first = first > reach.first ? first : reach.first;
            reach.past = past < reach.past ? past : reach.past;
        }
    }
    return reach;
}

static void start_at(struct one_fold *f, const uint32_t *place)
{
    for (int i = 0; i < f->source_count; i++) {
        struct source *s = &f->sources[i];
        for (uint32_t d = 0; d < s->tensor->dims; d++) {
            s->start[d] = s->origin[d];
            for (uint32_t p = 0; p < f->place_dims; p++)
                s->start[d] += s->by_place[d][p] * (int64_t)place[p];
            s->at[d] = s->start[d];
        }
    }
}

/* Advances the outer loops. Returns false if they are over. */
static bool next(struct one_fold *f, int64_t counters[D])
{
    uint32_t l = f->loop_count - 1;
    while (l-- > 0) {
        bool wraps = ++counters[l] == f->loop_sizes[l];
        int64_t by = wraps ? 1 - f->loop_sizes[l] : 1;
        for (int i = 0; i < f->source_count; i++)
            for (uint32_t d = 0; d < f->sources[i].tensor->dims; d++)
                f->sources[i].at[d] += by * f->sources[i].by_step[d][f->loops[l]];
        if (!wraps)
            return true;
        counters[l] = 0;
    }
    return false;
}

/* Adds all elements with the slip SLIP_COLUMNS or SLIP_PLACES. */
static void add_columns(struct adding *a, int64_t count)
{
    struct one_fold *f = a->f;
    for (int64_t column = 0; column < count; column++) {
        int64_t counters[D], rest = column, number = 0;
        bool inside = true;
        for (uint32_t l = 0; l < f->loop_count; l++) {
            counters[l] = rest % f->loop_sizes[l];
            rest /= f->loop_sizes[l];
            number = number * f->loop_sizes[l] + counters[l];
        }
        for (int i = 0; i < f->source_count; i++) {
            struct source *s = &f->sources[i];
            s->offset = s->stride = 0;
            for (uint32_t d = 0; d < s->tensor->dims; d++) {
                int64_t at = s->start[d];
                for (uint32_t l = 0; l < f->loop_count; l++)
                    at += s->by_step[d][f->loops[l]] * counters[l];
                inside &= at >= 0 && at < (int64_t)s->tensor->sizes[d];
                s->offset += at * s->strides[d];
            }
        }
        if (inside)
            folding_loops_add(a, 0, a->folding->slip->kind == SLIP_PLACES ? column : number, count);
    }
}

/* Returns true if the loop only sums products: nothing but the value and the count is asked for, of elements as they
 * are. */
static bool sums_products(const struct adding *a)
{
    return a->f->multiplies && a->f->fold->kind == FOLD_SUM && a->reals && a->lean && !a->reading &&
           !a->folding->slip && !a->folding->witness;
}

/* Does what folding_loops_add() does for each of these steps, at the speed that large products need. */
static void add_products(struct adding *a, struct reach reach)
{
    const struct source *x = &a->f->sources[0], *w = &a->f->sources[1];
    double value = a->sum->value;
    for (int64_t step = reach.first; step < reach.past; step++)
        value += real_at(x, x->offset + step * x->stride) * real_at(w, w->offset + step * w->stride);
    a->sum->value = value;
    a->sum->count += reach.past > reach.first ? reach.past - reach.first : 0;
}

static void add_all(struct adding *a)
{
    struct one_fold *f = a->f;
    int64_t counters[D] = {0}, number = 0, inner = f->loop_sizes[f->loop_count - 1], count = 1;
    for (uint32_t l = 0; l < f->loop_count; l++)
        count *= f->loop_sizes[l];
    const struct folding_slip *slip = a->folding->slip;
    if (slip && (slip->kind == SLIP_COLUMNS || slip->kind == SLIP_PLACES)) {
        add_columns(a, count);
        return;
    }
    do {
        struct reach reach = folding_loops_reach_of(f);
        if (sums_products(a))
            add_products(a, reach);
        else
            for (int64_t step = reach.first; step < reach.past; step++)
                folding_loops_add(a, step, number + step, count);
        number += inner;
    } while (next(f, counters));
}

/* Adds the elements of a step for which a division or a gathering finds coordinates. */
static void add_found(void *context, const int64_t *counters, const int64_t *found, int64_t number)
{
    struct adding *a = context;
    struct one_fold *f = a->f;
    for (int i = 0; i < f->source_count; i++) {
        struct source *s = &f->sources[i];
        s->offset = 0;
        for (uint32_t d = 0; d < s->tensor->dims; d++) {
            int64_t at = s->start[d];
            for (uint32_t l = 0; l < f->loop_count; l++)
                at += s->by_step[d][f->loops[l]] * counters[l];
            for (uint32_t n = 0; n < f->found_dims; n++)
                at += s->by_found[d][n] * found[n];
            if (at < 0 || at >= (int64_t)s->tensor->sizes[d])
                return;
            s->offset += at * s->strides[d];
        }
        s->stride = 0;
    }
    folding_loops_add(a, 0, number, INT64_MAX); /* the walk does not know its last step in advance */
}

/* Adds the elements from number `from` to below `past` of a fold that grows, in the order of its growth. */
static void add_grown(struct adding *a, int64_t from, int64_t past)
{
    struct one_fold *f = a->f;
    struct growth *g = &f->growth;
    struct source *s = &f->sources[0];
    int64_t base = 0;
    for (uint32_t d = 0; d < s->tensor->dims; d++)
        base += (int)d == g->input ? 0 : s->start[d] * s->strides[d];
    bool reduces = f->output_sizes[g->along] == 1; /* such a fold counts elements from the beginning of the row */
    for (int64_t i = from; i < past; i++) {
        int64_t at = g->direction < 0 ? i : g->count - 1 - i;
        s->offset = base + at * s->strides[g->input];
        folding_loops_add(a, 0, reduces ? at : i, g->count);
    }
}

static void build_row(struct adding *a, struct folding_sum *marks)
{
    struct adding building = *a;
    struct folding_sum sum;
    building.sum = &sum;
    building.lean = false;
    folding_loops_begin(&building, &sum);
    for (int64_t i = 0;; i++) {
        marks[i] = sum;
        if ((i + 1) * FOLDING_STRIDE > a->f->growth.count)
            return;
        add_grown(&building, i * FOLDING_STRIDE, (i + 1) * FOLDING_STRIDE);
    }
}

/* Fills the block from a mark on. `from` is the number of elements in the mark's sum. */
static void build_block(struct adding *a, uint64_t mark, int64_t from)
{
    struct growth *g = &a->f->growth;
    struct adding building = *a;
    struct folding_sum sum = g->marks[mark];
    building.sum = &sum;
    for (int i = 0; i < FOLDING_STRIDE && from + i <= g->count; i++) {
        g->block[i] = sum;
        if (from + i < g->count)
            add_grown(&building, from + i, from + i + 1);
    }
    g->block_mark = mark;
    g->block_lean = a->lean;
}

static void add_from_mark(struct adding *a, const uint32_t *place)
{
    struct one_fold *f = a->f;
    struct growth *g = &f->growth;
    const struct source *s = &f->sources[0];
    uint64_t lane = 0;
    for (uint32_t p = 0; p < f->place_dims; p++)
        lane = p == g->along ? lane : lane * f->output_sizes[p] + place[p];
    for (uint32_t d = 0; d < s->tensor->dims; d++)
        if ((int)d != g->input && (s->start[d] < 0 || s->start[d] >= (int64_t)s->tensor->sizes[d]))
            return;
    int64_t at = s->start[g->input], count = g->direction < 0 ? at + 1 : g->count - at;
    count = count > g->count ? g->count : count;
    count = count < 0 ? 0 : count;
    uint64_t mark = lane * g->per_lane + (uint64_t)count / FOLDING_STRIDE;
    if (!g->built[lane])
        build_row(a, g->marks + lane * g->per_lane);
    g->built[lane] = true;
    if (g->block_mark != mark || (g->block_lean && !a->lean))
        build_block(a, mark, count / FOLDING_STRIDE * FOLDING_STRIDE);
    *a->sum = g->block[count % FOLDING_STRIDE];
}

void folding_run(struct adding *a, const uint32_t *place)
{
    struct folding_order *order = order_of(a);
    int64_t first = order ? order->count : 0;
    folding_loops_begin(a, a->sum);
    start_at(a->f, place);
    for (int i = 0; i < a->f->fold->other_count; i++)
        elsewhere_start(&a->f->others[i], place, a->starts[i]);
    if (a->f->growth.is_there && !a->reading && !order && !a->folding->witness)
        add_from_mark(a, place);
    else if (a->f->gathers)
        gathering_each(&a->f->gathering, place, add_found, a);
    else if (a->f->fold->found >= 0)
        division_each(&a->f->division, place, add_found, a);
    else
        add_all(a);
    if (order && order->count > first)
        a->sum->value = order->sum(order->terms + first, order->count - first);
    if (order)
        order->count = first;
}
