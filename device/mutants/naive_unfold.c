/* naive_unfold.c: UNFOLD: for each element of the output, its place in the picture. */
#include "device/mutants/naive.h"

enum { MAX_SPATIAL = DESCRIPTOR_MAX_DIMENSIONS - 2 };

struct unfolding {
    const struct naive *n;
    const struct tensor *picture, *columns;
    uint32_t count; /* spatial dimensions */
    uint32_t window[MAX_SPATIAL], places[MAX_SPATIAL];
    int64_t stride[MAX_SPATIAL], gap[MAX_SPATIAL], padding[MAX_SPATIAL];
    uint32_t elements; /* of a window */
};

static void naive_unfold_read_description(struct unfolding *u)
{
    const struct descriptor *d = u->n->d;
    enum bug bug = u->n->bug;
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

void naive_unfold(const struct naive *n)
{
    struct unfolding u = {.n = n, .picture = &n->d->inputs[0], .columns = &n->d->outputs[0]};
    naive_unfold_read_description(&u);
    unfold(&u);
}
