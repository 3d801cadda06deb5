/* products.c: sums of products, an element of the output at a time. Real numbers are added in double, in order, and
 * rounded once; sums of integers of 8 bits are exact in double. */
#include "device/reference/products.h"

#include "device/common/number.h"
#include "device/reference/activation.h"

struct products {
    const struct descriptor *d;
    struct dot dot;
    const char *const *inputs;
    struct activation activation;
};

/* The element that is computed. */
struct products_place {
    uint32_t at[DOT_RANK];
    int64_t a, b; /* offsets of the first elements */
    double a_zero, b_zero;
};

int products_compute(DML_OPERATOR_TYPE type)
{
    return dot_result_of(type) != DOT_NONE;
}

static double element_of(const struct products *p, enum dot_role role, int64_t offset)
{
    const uint8_t input = p->dot.inputs[role];
    const struct tensor *tensor = &p->d->inputs[input];
    return number_real(tensor->type, p->inputs[input] + offset * tensor->element_size);
}

/* Returns a scale or a zero point for an element. */
static double parameter_of(const struct products *p, enum dot_role role, const uint32_t *at, double otherwise)
{
    if (p->dot.inputs[role] == DOT_ABSENT)
        return otherwise;
    return element_of(p, role, (int64_t)at[p->dot.dimensions[role]] * p->dot.steps[role]);
}

/* Returns the sum over all channels, for one element of the window. */
static double sum_channels(const struct products *p, const struct products_place *place, int64_t a, int64_t b)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->dot.channels; k++)
        sum += (element_of(p, DOT_A, a + (int64_t)k * p->dot.channel_a) - place->a_zero) *
               (element_of(p, DOT_B, b + (int64_t)k * p->dot.channel_b) - place->b_zero);
    return sum;
}

/* Returns the sum over the windows from dimension `i` on. Compilers that unroll the recursion do not know its depth. */
static double sum_window(const struct products *p, const struct products_place *place, uint32_t i, int64_t a, int64_t b)
{
    if (i >= DOT_SPATIAL)
        return sum_channels(p, place, a, b);
    const struct dot_window *w = &p->dot.windows[i];
    double sum = 0;
    for (int64_t t = 0; t < w->window; t++) {
        int64_t x = (int64_t)place->at[i + 2] * w->stride + t * w->gap - w->padding;
        if (p->dot.backward) {
            x = (int64_t)place->at[i + 2] + w->padding - t * w->gap;
            if (x < 0 || x % w->stride != 0)
                continue;
            x /= w->stride;
        }
        if (x >= 0 && x < w->size)
            sum += sum_window(p, place, i + 1, a + x * w->a, b + (p->dot.flipped ? w->window - 1 - t : t) * w->b);
    }
    return sum;
}

/* Returns the result for a sum. */
static double products_result(const struct products *p, const uint32_t *at, double sum)
{
    const struct dot *dot = &p->dot;
    int64_t offset = 0;
    for (uint32_t i = 0; i < DOT_RANK; i++)
        offset += (int64_t)at[i] * dot->c[i];
    const double c = dot->inputs[DOT_C] == DOT_ABSENT ? 0 : element_of(p, DOT_C, offset);
    const double scale = parameter_of(p, DOT_A_SCALE, at, 1) * parameter_of(p, DOT_B_SCALE, at, 1);
    if (dot->result == DOT_REAL)
        return activation_of(&p->activation,
                             (double)dot->alpha * sum + (dot->inputs[DOT_C] == DOT_ABSENT ? 0 : (double)dot->beta * c));
    if (dot->result == DOT_SCALED)
        return sum * scale + c;
    return number_nearest_even((double)(float)((sum + c) * scale / parameter_of(p, DOT_SCALE, at, 1))) +
           parameter_of(p, DOT_ZERO, at, 0);
}

void products_run(const struct descriptor *d, const char *const *inputs, char *output)
{
    const struct tensor *y = &d->outputs[0];
    struct products p = {.d = d, .inputs = inputs};
    struct products_place place = {.at = {0}};
    dot_init(&p.dot, d);
    activation_init(&p.activation, d);
    for (;;) {
        const struct dot *dot = &p.dot;
        const int64_t group = place.at[1] / dot->per_group, rest = place.at[1] % dot->per_group;
        int64_t to = 0;
        place.a = group * dot->group_a + rest * dot->rest_a;
        place.b = group * dot->group_b + rest * dot->rest_b;
        for (uint32_t i = 0; i < DOT_RANK; i++) {
            to += (int64_t)place.at[i] * dot->output[i];
            place.a += i == 1 ? 0 : (int64_t)place.at[i] * dot->a[i];
            place.b += i == 1 ? 0 : (int64_t)place.at[i] * dot->b[i];
        }
        place.a_zero = parameter_of(&p, DOT_A_ZERO, place.at, 0);
        place.b_zero = parameter_of(&p, DOT_B_ZERO, place.at, 0);
        const double sum = sum_window(&p, &place, 0, place.a, place.b);
        if (dot->result == DOT_WHOLE)
            number_store_whole(y->type, (number_integer)sum, output + to * y->element_size);
        else
            number_store_real(y->type, products_result(&p, place.at, sum), output + to * y->element_size);
        uint32_t i = DOT_RANK;
        while (i > 0 && ++place.at[i - 1] == dot->sizes[i - 1])
            place.at[--i] = 0;
        if (i == 0)
            return;
    }
}
