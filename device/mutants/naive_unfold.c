/* naive_unfold.c: UNFOLD and FOLD: for each element of the output, the places of windows it has or that have it. */
#include "device/common/number.h"
#include "device/mutants/naive_number.h"

#include <string.h>

enum { MAX_SPATIAL = DESCRIPTOR_MAX_DIMENSIONS - 2 };

struct unfolding {
    const struct naive *n;
    const struct tensor *picture, *columns;
    uint32_t count; /* spatial dimensions */
    uint32_t window[MAX_SPATIAL], places[MAX_SPATIAL];
    int64_t stride[MAX_SPATIAL], gap[MAX_SPATIAL], padding[MAX_SPATIAL];
    uint32_t elements; /* of a window */
};

int naive_unfolds(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UNFOLD || type == DML_OPERATOR_FOLD;
}

static void naive_unfold_read_description(struct unfolding *u)
{
    const struct descriptor *d = u->n->d;
    enum bug bug = u->n->bug;
    int folds = d->type == DML_OPERATOR_FOLD;
    u->picture = folds ? &d->outputs[0] : &d->inputs[0];
    u->columns = folds ? &d->inputs[0] : &d->outputs[0];
    u->count = u->picture->rank - 2;
    u->elements = 1;
    for (uint32_t i = 0; i < u->count; i++) {
        int64_t padded = (int64_t)u->picture->sizes[i + 2] + d->lists[3][i] + d->lists[4][i];
        u->window[i] = d->lists[0][i];
        u->elements *= u->window[i];
        u->places[i] = (uint32_t)((padded - (int64_t)d->lists[2][i] * (u->window[i] - 1) - 1) / d->lists[1][i] + 1);
        u->stride[i] = d->lists[1][bug == BUG_UNFOLD_STRIDES_FIRST ? 0 : i];
        u->gap[i] = bug == BUG_UNFOLD_UNDILATED ? 1 : d->lists[2][i];
        u->padding[i] = d->lists[bug == BUG_UNFOLD_PADDING_SWAPPED ? 4 : 3][i];
    }
}

/* ---- numbers of places in a window, and of windows */

static void naive_unfold_split(const struct unfolding *u, uint32_t number, const uint32_t *sizes, int first_fastest,
                               uint32_t *out)
{
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t d = first_fastest ? i : u->count - 1 - i;
        out[d] = number % sizes[d];
        number /= sizes[d];
    }
}

static uint32_t naive_unfold_join(const struct unfolding *u, const uint32_t *at, const uint32_t *sizes,
                                  int first_fastest)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t d = first_fastest ? u->count - 1 - i : i;
        number = number * sizes[d] + at[d];
    }
    return number;
}

/* The distance of place k of a window from its begin. */
static int64_t in_window(const struct unfolding *u, uint32_t i, uint32_t k)
{
    return (u->n->bug == BUG_UNFOLD_MIRRORED ? u->window[i] - 1 - k : k) * u->gap[i];
}

/* ---- UNFOLD */

static int64_t clamp_place(int64_t place, int64_t size)
{
    if (place < 0)
        return 0;
    return place < size ? place : size - 1;
}

/* Finds the place of the picture that the element at `at` of the columns stands for. 0: it is in the padding. */
static int naive_unfold_find_place(const struct unfolding *u, const uint32_t *at, uint32_t *place)
{
    enum bug bug = u->n->bug;
    uint32_t channels = u->picture->sizes[1], k[MAX_SPATIAL], q[MAX_SPATIAL];
    int inner = bug == BUG_UNFOLD_CHANNELS_INNER, inside = 1;
    place[0] = at[0];
    place[1] = inner ? at[1] % channels : at[1] / u->elements;
    naive_unfold_split(u, inner ? at[1] / channels : at[1] % u->elements, u->window, bug == BUG_UNFOLD_WINDOW_COLUMNS,
                       k);
    naive_unfold_split(u, at[2], u->places, bug == BUG_UNFOLD_PLACES_COLUMNS, q);
    for (uint32_t i = 0; i < u->count; i++) {
        int64_t size = u->picture->sizes[i + 2], found = q[i] * u->stride[i] + in_window(u, i, k[i]) - u->padding[i];
        if (bug == BUG_UNFOLD_EDGE)
            found = clamp_place(found, size);
        inside = inside && found >= 0 && found < size;
        place[i + 2] = inside ? (uint32_t)found : 0;
    }
    return inside;
}

static void unfold(const struct unfolding *u)
{
    static const uint64_t zero;
    struct memory input = naive_input(u->n, 0), output = naive_output(u->n, 0);
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0}, place[DESCRIPTOR_MAX_DIMENSIONS];
    uint64_t number = 0;
    do {
        if (naive_skips(u->n, u->columns, number++, at))
            continue;
        int inside = naive_unfold_find_place(u, at, place);
        if (!inside && u->n->bug == BUG_UNFOLD_PADDING_KEPT)
            continue;
        naive_move(u->columns->type, naive_at(&output, at), inside ? naive_at(&input, place) : (const uint8_t *)&zero);
    } while (naive_step(u->columns, at));
}

/* ---- FOLD */

/* Finds the window that has the place at its place k. 0: there is none. */
static int find_window(const struct unfolding *u, const uint32_t *place, const uint32_t *k, uint32_t *q)
{
    for (uint32_t i = 0; i < u->count; i++) {
        int64_t rest = place[i + 2] + u->padding[i] - in_window(u, i, k[i]);
        if (rest < 0 || rest % u->stride[i] != 0 || rest / u->stride[i] >= u->places[i])
            return 0;
        q[i] = (uint32_t)(rest / u->stride[i]);
    }
    return 1;
}

static int next_place(const struct unfolding *u, uint32_t *k)
{
    uint32_t i = u->count;
    while (i > 0 && ++k[i - 1] == u->window[i - 1])
        k[--i] = 0;
    return i > 0;
}

/* Returns how many elements stand for the place, and adds them up. */
static uint32_t add_up(const struct unfolding *u, const struct memory *input, const uint32_t *place, double *sum)
{
    enum { SIXTEEN = 16 };
    enum bug bug = u->n->bug;
    uint32_t k[MAX_SPATIAL] = {0}, q[MAX_SPATIAL], found = 0;
    *sum = 0;
    do {
        uint8_t element[8];
        if (!find_window(u, place, k, q) || (bug == BUG_UNFOLD_SIXTEEN && found == SIXTEEN))
            continue;
        uint32_t number = naive_unfold_join(u, k, u->window, bug == BUG_UNFOLD_WINDOW_COLUMNS);
        const uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {
            place[0],
            bug == BUG_UNFOLD_CHANNELS_INNER ? number * u->picture->sizes[1] + place[1]
                                             : place[1] * u->elements + number,
            naive_unfold_join(u, q, u->places, bug == BUG_UNFOLD_PLACES_COLUMNS)};
        naive_move(u->columns->type, element, naive_at(input, at));
        double value = number_real(u->columns->type, element);
        *sum = bug == BUG_UNFOLD_LAST_KEPT ? value : *sum + value;
        found++;
    } while (next_place(u, k));
    return found;
}

static void naive_unfold_fold(const struct unfolding *u)
{
    struct memory input = naive_input(u->n, 0), output = naive_output(u->n, 0);
    uint32_t place[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t number = 0;
    do {
        double sum;
        if (naive_skips(u->n, u->picture, number++, place))
            continue;
        uint32_t count = add_up(u, &input, place, &sum);
        if (count == 0 && u->n->bug == BUG_UNFOLD_GAPS_KEPT)
            continue;
        if (count > 0 && u->n->bug == BUG_UNFOLD_AVERAGED)
            sum /= count;
        naive_store_real(u->n, u->picture->type, sum, naive_at(&output, place));
    } while (naive_step(u->picture, place));
}

void naive_unfold(const struct naive *n)
{
    struct unfolding u = {.n = n};
    naive_unfold_read_description(&u);
    if (n->d->type == DML_OPERATOR_FOLD)
        naive_unfold_fold(&u);
    else
        unfold(&u);
}
