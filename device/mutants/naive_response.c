/* naive_response.c: LOCAL_RESPONSE_NORMALIZATION, its gradient and VALUE_SCALE_2D: for each element of the output, its
 * window; for each element of that, its own. */
#include "device/common/number.h"
#include "device/mutants/naive_number.h"

#include <math.h>
#include <stdlib.h>

enum { RANK = 4 };

struct response {
    const struct naive *n;
    const struct tensor *shape;
    struct memory input, gradient, output;
    int64_t before[RANK], after[RANK]; /* of a window, along each dimension */
    double alpha, beta, bias;
    double size;
    int crosses;
    double *bases; /* of the gradient: S by number of the element */
};

int naive_responds(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION ||
           type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD || type == DML_OPERATOR_VALUE_SCALE_2D;
}

/* ---- descriptions */

static int64_t naive_response_at_most(int64_t number, int64_t limit)
{
    return number < limit ? number : limit;
}

static void read_windows(struct response *r)
{
    enum bug bug = r->n->bug;
    int64_t size = r->n->d->response.size, before = (size - 1) / 2, after = size / 2;
    if (bug == BUG_RESPONSE_MIRRORED) {
        before = size / 2;
        after = (size - 1) / 2;
    }
    if (bug == BUG_RESPONSE_ODD)
        after = before;
    if (bug == BUG_RESPONSE_RADIUS)
        before = after = size;
    int channels = bug == BUG_RESPONSE_SWAPPED ? !r->crosses : r->crosses || bug == BUG_RESPONSE_CHANNELS;
    for (int d = 1; d < RANK; d++) {
        int wide = d == 1 ? channels : !channels || bug == BUG_RESPONSE_CUBE;
        if (d == 2 && bug == BUG_RESPONSE_ROW)
            wide = 0;
        r->before[d] = wide ? naive_response_at_most(before, 2 * (int64_t)r->shape->sizes[d]) : 0;
        r->after[d] = wide ? naive_response_at_most(after, 2 * (int64_t)r->shape->sizes[d]) : 0;
    }
}

static void naive_response_read_description(struct response *r)
{
    const struct descriptor_response *from = &r->n->d->response;
    enum bug bug = r->n->bug;
    r->crosses = from->crosses;
    r->size = from->size;
    r->alpha = (double)from->alpha;
    r->beta = bug == BUG_RESPONSE_TYPICAL ? 0.75 : (double)from->beta;
    r->bias = (double)from->bias;
    if (bug == BUG_RESPONSE_UNBIASED)
        r->bias = 0;
    if (bug == BUG_RESPONSE_ONE)
        r->bias = 1;
    if (bug == BUG_RESPONSE_EXCHANGED) {
        r->alpha = (double)from->beta;
        r->beta = (double)from->alpha;
    }
    if (bug == BUG_RESPONSE_UNDIVIDED)
        r->size = 1;
    if (bug == BUG_RESPONSE_SQUARED_ALWAYS || (bug == BUG_RESPONSE_SQUARED && !r->crosses))
        r->size *= r->size;
    read_windows(r);
}

static double read_element(const struct memory *memory, const uint32_t *at)
{
    uint8_t element[8];
    naive_move(memory->tensor->type, element, naive_at(memory, at));
    return number_real(memory->tensor->type, element);
}

/* ---- windows */

/* The window around `at`, or its mirror image. */
struct window {
    const struct response *r;
    const uint32_t *middle;
    int mirrored;
    int64_t step[RANK]; /* from the middle */
    uint32_t at[RANK];
    uint32_t count; /* so far */
};

static struct window open_window(const struct response *r, const uint32_t *middle, int mirrored)
{
    struct window w = {.r = r, .middle = middle, .mirrored = mirrored};
    for (int d = 0; d < RANK; d++)
        w.step[d] = -(mirrored ? r->after[d] : r->before[d]);
    w.step[RANK - 1]--;
    return w;
}

/* Returns true if the place is inside, perhaps by a bug. */
static int is_inside(struct window *w)
{
    for (int d = 0; d < RANK; d++) {
        int64_t size = w->r->shape->sizes[d], place = w->middle[d] + w->step[d];
        if (w->r->n->bug == BUG_RESPONSE_EDGE)
            place = place < 0 ? 0 : naive_response_at_most(place, size - 1);
        if (w->r->n->bug == BUG_RESPONSE_WRAPPED)
            place = (place % size + size) % size;
        if (place < 0 || place >= size)
            return 0;
        w->at[d] = (uint32_t)place;
    }
    return 1;
}

static int next_element(struct window *w)
{
    enum { SIXTEEN = 16 };
    const struct response *r = w->r;
    if (r->n->bug == BUG_RESPONSE_SIXTEEN && w->count == SIXTEEN)
        return 0;
    do {
        int d = RANK - 1;
        while (d >= 0 && ++w->step[d] > (w->mirrored ? r->before[d] : r->after[d])) {
            w->step[d] = -(w->mirrored ? r->after[d] : r->before[d]);
            d--;
        }
        if (d < 0)
            return 0;
    } while (!is_inside(w));
    w->count++;
    return 1;
}

static double base_at(const struct response *r, const uint32_t *at)
{
    struct window w = open_window(r, at, 0);
    double sum = 0;
    while (next_element(&w)) {
        double x = read_element(&r->input, w.at);
        sum += r->n->bug == BUG_RESPONSE_UNSQUARED ? x : x * x;
    }
    return r->bias + r->alpha / (r->n->bug == BUG_RESPONSE_COUNTED ? w.count : r->size) * sum;
}

static uint64_t naive_response_number_of(const struct response *r, const uint32_t *at)
{
    uint64_t number = 0;
    for (int d = 0; d < RANK; d++)
        number = number * r->shape->sizes[d] + at[d];
    return number;
}

/* ---- operators */

static double derivative(const struct response *r, const uint32_t *at)
{
    enum bug bug = r->n->bug;
    struct window w = open_window(r, at, bug != BUG_RESPONSE_OWN_WINDOW);
    double own = read_element(&r->gradient, at), x = read_element(&r->input, at),
           base = r->bases[naive_response_number_of(r, at)], sum = 0;
    double factor = 2 * r->alpha * r->beta;
    while (next_element(&w)) {
        double gradient = bug == BUG_RESPONSE_OWN_GRADIENT ? own : read_element(&r->gradient, w.at);
        double of = bug == BUG_RESPONSE_OWN_BASE ? base : r->bases[naive_response_number_of(r, w.at)];
        sum += gradient * read_element(&r->input, w.at) / pow(of, r->beta + (bug == BUG_RESPONSE_POWER ? 0 : 1));
    }
    if (bug == BUG_RESPONSE_FIRST_TERM)
        sum = 0;
    if (bug == BUG_RESPONSE_HALVED)
        factor /= 2;
    return own / pow(base, r->beta) -
           factor / (bug == BUG_RESPONSE_COUNTED ? w.count : r->size) * (bug == BUG_RESPONSE_NO_ELEMENT ? 1 : x) * sum;
}

/* The channel whose bias the element at `at` gets. */
static uint32_t channel_of(enum bug bug, const uint32_t *at, uint32_t channels)
{
    switch (bug) {
    case BUG_VALUE_FIRST_BIAS:
        return 0;
    case BUG_VALUE_COLUMN_BIAS:
        return at[3] % channels;
    case BUG_VALUE_BATCH_BIAS:
        return at[0] % channels;
    case BUG_VALUE_LAST_FIRST:
        return channels - 1 - at[1];
    default:
        return at[1];
    }
}

static double naive_response_scaled(const struct response *r, const uint32_t *at)
{
    const struct descriptor *d = r->n->d;
    enum bug bug = r->n->bug;
    uint32_t channel = channel_of(bug, at, r->shape->sizes[1]);
    double scale = bug == BUG_VALUE_UNSCALED ? 1 : (double)d->desc.value_scale.Scale;
    double bias = bug == BUG_VALUE_UNBIASED ? 0 : (double)d->channel_bias[channel];
    return scale * read_element(&r->input, at) + (bug == BUG_VALUE_BIAS_SCALED ? scale * bias : bias);
}

static int naive_response_find_bases(struct response *r)
{
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    r->bases = malloc(r->shape->count * sizeof *r->bases);
    for (uint64_t i = 0; r->bases && i < r->shape->count; i++) {
        r->bases[i] = base_at(r, at);
        naive_step(r->shape, at);
    }
    return r->bases != NULL;
}

static double response_at(const struct response *r, DML_OPERATOR_TYPE type, const uint32_t *at)
{
    switch (type) {
    case DML_OPERATOR_VALUE_SCALE_2D:
        return naive_response_scaled(r, at);
    case DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION:
        return read_element(&r->input, at) / pow(base_at(r, at), r->beta);
    default: /* LOCAL_RESPONSE_NORMALIZATION_GRAD */
        return derivative(r, at);
    }
}

void naive_respond(const struct naive *n)
{
    DML_OPERATOR_TYPE type = n->d->type;
    struct response r = {.n = n, .shape = &n->d->outputs[0], .input = naive_input(n, 0), .output = naive_output(n, 0)};
    uint32_t at[DESCRIPTOR_MAX_DIMENSIONS] = {0};
    uint64_t number = 0;
    if (type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD)
        r.gradient = naive_input(n, 1);
    if (type != DML_OPERATOR_VALUE_SCALE_2D)
        naive_response_read_description(&r);
    if (type == DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION_GRAD && !naive_response_find_bases(&r))
        return;
    do {
        if (naive_skips(n, r.shape, number++, at))
            continue;
        naive_store_real(n, r.shape->type, response_at(&r, type, at), naive_at(&r.output, at));
    } while (naive_step(r.shape, at));
    free(r.bases);
}
