/* Pairs of descriptions: op:vary. A device that keeps compiled code may find it by a key that lacks a part of the
 * description; only two descriptions that differ in that part alone show this. */
#include "harness/plan/plan_vary_internal.h"

#include "harness/base/apart.h"
#include "harness/case/choice.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"
#include "harness/spec/catalogue.h"
#include "harness/trial/computed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    VARY_BASES = 32,   /* descriptions tried as the base */
    VARY_MORE = 72,    /* descriptions tried if no pair of the first ones shows a new part */
    VARY_BEST = 3,     /* bases with the most points; the one whose parts results show best is taken */
    VARY_LOOKS = 6,    /* values of a part that are looked at until results show one */
    VARY_FOLLOWED = 1, /* points of a part that differs with others that follow from it, or with less memory */
    VARY_ALONE = 4,    /* points of a part that can differ alone */
    VARY_SHOWN = 8,    /* points of a part that results show */
    VARY_NEW = 64,     /* more points of a part that no pair before showed */
    VARY_SIZE = 2,     /* points of a size above 1 */
    VARY_SETTLED = 64, /* points of contents whose results are settled */
    VARY_MANY = 160,   /* points of outputs with at least VARY_OUTPUTS elements */
    VARY_OUTPUTS = 12, /* fewer elements prove little */
    VARY_SIZES = 8,    /* sizes that are tried in place of 1 */
    VARY_ELEMENTS = 4096,
    VARY_STAGED = 12288 /* elements of stages: each pair that is looked at computes them twice */
};

/* Returns true if two descriptions agree in the field. Total sizes follow from the rest. */
static bool vary_agrees(const struct varying *v, const struct opdesc *a, const struct opdesc *b)
{
    struct opdesc with;
    opdesc_copy(&with, b);
    for (int i = -1; (i = spec_next_tensor(v->spec, &with, i)) >= 0;)
        with.items[i].tensor.total = a->items[i].tensor.total;
    const struct field_ref in_a = field_ref(v->spec, a, v->field), in_b = field_ref(v->spec, &with, v->field);
    return field_kind(&in_a)->same(&in_a, &in_b);
}

static bool vary_is_legal(const struct varying *v, const struct opdesc *desc)
{
    return rules_check(v->spec, desc, v->spec->levels[v->request->solve.table].level, NULL, 0) == 0;
}

/* Returns true if the description is legal, and its case can be run. */
static bool vary_fits(const struct varying *v, const struct opdesc *desc, struct testcase *c)
{
    for (int i = -1; (i = spec_next_tensor(v->spec, desc, i)) >= 0;)
        if (opdesc_elements(&desc->items[i].tensor) > VARY_ELEMENTS)
            return false;
    if (computed_stage_elements(v->spec, desc, 0) > VARY_STAGED)
        return false;
    if (!vary_is_legal(v, desc) || !solve_indices_fit(v->spec, desc))
        return false;
    *c = planner_make_case(v->p, v->request, desc);
    c->spec = v->spec;
    c->desc = desc;
    planner_default_fill(v->p, v->request, c);
    return c->expect == EXPECT_RESULTS && indices_possible(c) && fill_is_possible(c);
}

/* Writes the label of a case: the base's, and the part. */
static void vary_label(const struct varying *v, const char *part, struct case_request *named)
{
    *named = *v->request;
    snprintf(named->label, sizeof named->label, "%.40s-%.80s%s", v->request->label, v->spec->fields[v->field].name,
             part);
}

/* Returns the bytes of a tensor in memory with room for the case and for the base. */
static uint64_t vary_bytes(const struct varying *v, const struct opdesc *desc, int item)
{
    const uint64_t bytes = desc->items[item].tensor.total, of_base = v->base.items[item].tensor.total;
    return bytes > of_base ? bytes : of_base;
}

/* Returns true if the reference device writes other outputs as it computes the base in place of the case. `tensors`:
 * the inputs, and zeros. */
static bool vary_reference_shows(const struct varying *v, const struct opdesc *desc, uint8_t *const tensors[])
{
    uint8_t *others[OPDESC_MAX_TENSORS];
    bool shows = false, complete = true;
    memcpy(others, tensors, sizeof others);
    for (int i = -1; (i = spec_next_tensor(v->spec, desc, i)) >= 0;)
        if (tensors[i] && field_is_output(spec_tensor_field(v->spec, i))) {
            others[i] = calloc(1, vary_bytes(v, desc, i));
            complete &= others[i] != NULL;
        }
    if (complete && SUCCEEDED(oracle_run(v->reference, v->spec, desc, tensors)))
        shows = FAILED(oracle_run(v->reference, v->spec, &v->base, others));
    for (int i = -1; (i = spec_next_tensor(v->spec, desc, i)) >= 0;)
        if (others[i] != tensors[i]) {
            shows |= complete && memcmp(tensors[i], others[i], desc->items[i].tensor.total) != 0;
            free(others[i]);
        }
    return shows;
}

/* Returns true if a device that computes the base in place of the case writes a wrong element. */
static bool vary_shows(const struct varying *v, const struct vary_part *part, struct testcase *c)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    struct case_request named;
    char name[CASE_NAME_SIZE];
    bool complete = true, shows = false;
    vary_label(v, part->name, &named);
    planner_name(v->p, &named, c->desc, "", name);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        tensors[i] = calloc(1, vary_bytes(v, c->desc, i));
        complete &= tensors[i] != NULL;
        if (tensors[i] && field_is_input(spec_tensor_field(v->spec, i)))
            fill_input(c, plan_case_seed(0, name), i, tensors[i], c->desc->items[i].tensor.total);
    }
    if (complete)
        shows = computed_applies(v->spec) ? computed_shows(v->spec, c->desc, &v->base, tensors)
                                          : vary_reference_shows(v, c->desc, tensors);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(tensors[i]);
    return shows;
}

/* Returns true if the tensors of the case have the memory that those of the base take: then the base's results are
 * defined. */
static bool vary_has_room(const struct varying *v, const struct opdesc *desc)
{
    bool has = true;
    for (int i = -1; (i = spec_next_tensor(v->spec, desc, i)) >= 0;)
        has &= desc->items[i].tensor.total >= v->base.items[i].tensor.total;
    return has;
}

/* Finds a legal description that differs from the base in the part alone, or else also in what follows from it; of
 * several, the first that results show. Returns 0: there is none; VARY_FOLLOWED, VARY_ALONE, VARY_SHOWN. */
static int vary_find(struct varying *v, const struct vary_part *part, struct opdesc *desc, struct testcase *c)
{
    struct opdesc wanted, first;
    int found = 0;
    bool is_value = !field_is_tensor(&v->spec->fields[v->field]); /* a repair may correct it */
    int looks = v->looks && part->shown ? VARY_LOOKS : 0;
    for (int repaired = 0; repaired <= part->repaired && found == 0; repaired++)
        for (int try = 0; opdesc_copy(desc, &v->base), part->change(v, try, desc); try++) {
            if (vary_agrees(v, &v->base, desc))
                continue;
            opdesc_copy(&wanted, desc);
            if (repaired)
                solve_repair(v->spec, v->request->solve.table, -1, -1, desc);
            if (part->repaired)
                solve_totals(v->spec, desc);
            if (vary_agrees(v, &v->base, desc) || !(is_value || vary_agrees(v, &wanted, desc)) ||
                !vary_fits(v, desc, c))
                continue;
            if (repaired || !vary_has_room(v, desc))
                return VARY_FOLLOWED;
            if (looks == 0 && found == 0)
                return VARY_ALONE;
            if (looks-- == 0)
                break;
            if (vary_shows(v, part, c))
                return VARY_SHOWN;
            if (found == 0)
                opdesc_copy(&first, desc);
            found = VARY_ALONE;
        }
    if (found) {
        opdesc_copy(desc, &first);
        vary_fits(v, desc, c);
    }
    return found;
}

/* Adds a case with the label. Returns 1; -1: the message is on the stack. */
static int vary_add(struct varying *v, lua_State *L, const struct case_request *named, const struct testcase *c,
                    const struct opdesc *desc)
{
    char name[CASE_NAME_SIZE];
    planner_name(v->p, named, desc, "", name);
    return planner_add(v->p, L, name, *c, desc);
}

/* Makes the sizes of all inputs equal, except sizes of 1 in the later inputs: an axis may then change alone. `shorter`:
 * the later inputs get smaller sizes, so that indices miss some elements. */
static void vary_level_sizes(struct varying *v, bool shorter)
{
    int first = -1;
    for (int i = -1; (i = spec_next_tensor(v->spec, &v->base, i)) >= 0;) {
        struct opdesc_tensor *t = &v->base.items[i].tensor;
        if (!t->present || !field_is_input(spec_tensor_field(v->spec, i)))
            continue;
        first = first < 0 ? i : first;
        for (uint32_t d = 0; d < t->dims; d++)
            if (i == first || t->sizes[d] > 1)
                t->sizes[d] = v->base.items[first].tensor.dims < 5 && !(shorter && i > first) ? 3 : 2;
    }
    solve_repair(v->spec, v->request->solve.table, -1, -1, &v->base);
    solve_totals(v->spec, &v->base);
}

/* Makes all numbers of arrays as small as the rules allow, and all sizes after the first two of a tensor 1: windows and
 * paddings then leave the sizes, so that a direction may change alone. */
static void vary_make_plain(struct varying *v)
{
    for (int i = 0; i < v->spec->field_count; i++) {
        unsigned count = 0;
        uint32_t *list = v->spec->fields[i].kind == FIELD_UINTS ? opdesc_list(&v->base, i, &count) : NULL;
        if (list)
            memset(list, 0, count * sizeof *list);
    }
    for (int i = -1; (i = spec_next_tensor(v->spec, &v->base, i)) >= 0;)
        for (uint32_t d = 2; d < v->base.items[i].tensor.dims; d++)
            v->base.items[i].tensor.sizes[d] = 1;
    solve_repair(v->spec, v->request->solve.table, -1, -1, &v->base);
    solve_totals(v->spec, &v->base);
}

static void vary_set_size(struct varying *v, int item, uint32_t d, uint32_t size)
{
    struct opdesc_tensor *t = &v->base.items[item].tensor;
    t->sizes[d] = size;
    t->total = (uint64_t)opdesc_implied(t);
}

/* Lists the sizes above 1 of the outputs. Returns their number. */
static int vary_list_sizes(const struct varying *v, uint32_t sizes[VARY_SIZES])
{
    int count = 0;
    for (int i = -1; (i = spec_next_tensor(v->spec, &v->base, i)) >= 0;) {
        const struct opdesc_tensor *t = &v->base.items[i].tensor;
        for (uint32_t d = 0; field_is_output(spec_tensor_field(v->spec, i)) && d < t->dims; d++) {
            bool listed = t->sizes[d] <= 1;
            for (int n = 0; n < count; n++)
                listed |= sizes[n] == t->sizes[d];
            if (!listed && count < VARY_SIZES)
                sizes[count++] = t->sizes[d];
        }
    }
    return count;
}

/* Finds the next dimension of size 1 of a later input, after dimension `*d` of item `i`. Stores it in `*d`, and returns
 * the item; -1: there is none. */
static int vary_next_single(const struct varying *v, int i, uint32_t *d)
{
    const int first = spec_next_tensor(v->spec, &v->base, -1);
    for (uint32_t at = *d + 1; i >= 0; i = spec_next_tensor(v->spec, &v->base, i), at = 0) {
        const struct opdesc_tensor *t = &v->base.items[i].tensor;
        bool is_later = i != first && t->present && !t->has_strides && field_is_input(spec_tensor_field(v->spec, i));
        for (*d = at; is_later && *d < t->dims; ++*d)
            if (t->sizes[*d] == 1)
                return i;
    }
    return -1;
}

/* Makes sizes of 1 in the later inputs larger where the rules allow it, one size alone or two of two tensors together:
 * a tensor of one element hides its strides. */
static void vary_widen(struct varying *v)
{
    uint32_t sizes[VARY_SIZES], d = UINT32_MAX, e;
    const int count = vary_list_sizes(v, sizes);
    for (int i = spec_next_tensor(v->spec, &v->base, -1); (i = vary_next_single(v, i, &d)) >= 0;) {
        bool wide = false;
        for (int n = 0; n < count && !wide; n++) {
            vary_set_size(v, i, d, sizes[n]);
            wide = vary_is_legal(v, &v->base);
            e = d;
            for (int j = i; !wide && (j = vary_next_single(v, j, &e)) >= 0;) {
                vary_set_size(v, j, e, sizes[n]);
                wide = vary_is_legal(v, &v->base);
                if (!wide)
                    vary_set_size(v, j, e, 1);
            }
        }
        if (!wide)
            vary_set_size(v, i, d, 1);
    }
}

/* Drops the ScaleBias: it would leave none of the special values that the request chooses as contents. */
static void vary_drop_scale(struct varying *v)
{
    for (int i = 0; i < v->spec->field_count; i++)
        if (v->spec->fields[i].kind == FIELD_SCALE_BIAS)
            v->base.given &= ~(1u << i);
}

/* Makes a description that meets the request. Every second seed gives equal sizes. Returns false if it finds none, or
 * its case cannot be run. */
static bool vary_make_base(struct varying *v, uint64_t seed, struct testcase *c)
{
    if (!solve_satisfy(v->spec, (unsigned)v->p->op, &v->request->solve, seed, &v->base))
        return false;
    if (seed & 1)
        vary_level_sizes(v, v->spec->index_count > 0 && (seed & 6) != 6);
    if ((seed & 7) == 7)
        vary_make_plain(v);
    if (seed & 4)
        vary_widen(v);
    *c = planner_make_case(v->p, v->request, &v->base);
    c->spec = v->spec;
    c->desc = &v->base;
    planner_default_fill(v->p, v->request, c);
    v->random = (struct random){.key = random_mix(seed)};
    if (!planner_suit_attributes(v->request, c, seed, &v->base))
        return false;
    if (v->request->fill_given)
        vary_drop_scale(v);
    return vary_fits(v, &v->base, c);
}

/* Returns true if no output of the base has many elements. */
static bool vary_is_small(const struct varying *v)
{
    bool small = true;
    for (int i = -1; (i = spec_next_tensor(v->spec, &v->base, i)) >= 0;) {
        const struct opdesc_tensor *t = &v->base.items[i].tensor;
        small &= !t->present || !field_is_output(spec_tensor_field(v->spec, i)) || opdesc_elements(t) < VARY_OUTPUTS;
    }
    return small;
}

/* Returns points for sizes above 1, up to four of each tensor, since strides and axes matter between dimensions; for
 * few sizes of 1, along which an axis does not matter; for numbers above 1, such as a window's size; for outputs with
 * many elements; and for elements that the documents settle. */
static int vary_weigh_base(const struct varying *v, const struct testcase *c)
{
    int points = v->spec->result_count > 0 && choice_count_open(c) > CHOICE_SAMPLE / 8 ? 1 : VARY_SETTLED;
    for (int i = -1; (i = spec_next_tensor(v->spec, &v->base, i)) >= 0;) {
        const struct opdesc_tensor *t = &v->base.items[i].tensor;
        int sizes = 0;
        for (uint32_t d = 0; t->present && d < t->dims && sizes < 4; d++)
            sizes += t->sizes[d] > 1;
        points += VARY_SIZE * sizes;
        for (uint32_t d = 0; i == 0 && t->present && d < t->dims; d++)
            points -= VARY_SIZE * (t->sizes[d] == 1);
    }
    points -= vary_is_small(v) ? VARY_MANY : 0;
    for (int i = 0; i < v->spec->field_count; i++)
        points += VARY_SIZE * (v->spec->fields[i].kind == FIELD_UINT && v->base.values[i].number > 1);
    return points;
}

/* Returns the points of a pair that differs in part `part` of the field. */
static int vary_weigh(struct varying *v, int part, int found)
{
    const uint16_t known = v->looks ? v->p->varied[v->field].shown : v->p->varied[v->field].tried;
    bool is_new = found >= (v->looks ? VARY_SHOWN : VARY_ALONE) && !(known >> part & 1);
    v->finds_new |= is_new && !vary_is_small(v);
    return found + (is_new ? VARY_NEW : 0);
}

/* Adds a case for each part that can differ from the base; without a Lua state, adds none. Returns the points, -1: a
 * message is on the stack. */
static int vary_each(struct varying *v, lua_State *L)
{
    struct case_request named;
    struct testcase c;
    struct opdesc desc;
    int points = 0;
    for (v->field = 0; v->field < v->spec->field_count; v->field++)
        for (int i = 0; i < vary_part_count; i++) {
            int found = vary_find(v, &vary_parts[i], &desc, &c);
            points += vary_weigh(v, i, found);
            if (!found || !L)
                continue;
            vary_label(v, vary_parts[i].name, &named);
            if (vary_add(v, L, &named, &c, &desc) < 0)
                return -1;
            v->p->varied[v->field].tried |= found >= VARY_ALONE ? (uint16_t)(1u << i) : 0;
            v->p->varied[v->field].shown |= found == VARY_SHOWN ? (uint16_t)(1u << i) : 0;
        }
    return points;
}

/* Lists the seeds of the VARY_BEST bases with the most points, best first. Returns their number. */
static int vary_list_bases(struct varying *v, uint64_t seed, uint64_t bases[VARY_BEST])
{
    struct testcase c;
    int most[VARY_BEST] = {0}, count = 0;
    v->looks = v->finds_new = false;
    for (uint64_t i = 0; i < VARY_BASES || (i < VARY_MORE && !v->finds_new); i++) {
        const uint64_t base = random_at(seed, i);
        int points = vary_make_base(v, base, &c) ? vary_weigh_base(v, &c) + vary_each(v, NULL) : 0, at = count;
        if (points <= (count < VARY_BEST ? 0 : most[count - 1]))
            continue;
        count += count < VARY_BEST;
        for (at = count - 1; at > 0 && most[at - 1] < points; at--) {
            most[at] = most[at - 1];
            bases[at] = bases[at - 1];
        }
        most[at] = points;
        bases[at] = base;
    }
    return count;
}

static int vary_with(struct varying *v, lua_State *L)
{
    struct planner *p = v->p;
    struct testcase c;
    char start[CASE_NAME_SIZE], what[256];
    uint64_t bases[VARY_BEST];
    int most = 0, best = 0;
    planner_name_front(p, v->request->label, v->spec->levels[v->request->solve.table].name, start);
    snprintf(what, sizeof what, "strategy \"%s\": pairs of descriptions of %s", p->strategy, v->spec->name);
    apart_step(what);
    const int count = vary_list_bases(v, random_hash(start, 0), bases);
    v->looks = true;
    for (int i = 0; i < count && count > 1; i++) {
        int points = vary_make_base(v, bases[i], &c) ? vary_weigh_base(v, &c) + vary_each(v, NULL) : 0;
        if (points > most) {
            most = points;
            best = i;
        }
    }
    if (count == 0 || !vary_make_base(v, bases[best], &c))
        return 0;
    struct case_request named = *v->request;
    snprintf(named.label, sizeof named.label, "%.40s-base", v->request->label);
    return vary_add(v, L, &named, &c, &v->base) < 0 ? -1 : vary_each(v, L);
}

int planner_vary(struct planner *p, lua_State *L, const struct case_request *request)
{
    struct plugin reference = {0};
    struct error error;
    struct varying v = {.p = p, .spec = &p->specs->specs[p->op], .request = request, .reference = &reference};
    const bool refers = !computed_applies(v.spec);
    if (refers && plugin_open_reference(&reference, &error) != 0) {
        lua_pushstring(L, error.text);
        return -1;
    }
    int result = vary_with(&v, L);
    if (refers)
        plugin_close(&reference);
    return result;
}
