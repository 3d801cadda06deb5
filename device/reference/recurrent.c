/* recurrent.c: recurrent networks in double, one batch element and direction after the other. */
#include "device/reference/recurrent.h"

#include "device/common/number.h"
#include "device/common/recurrence.h"
#include "device/reference/activation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A batch element and a direction. */
struct walk_of_sequence {
    const struct descriptor *d;
    struct recurrence of;
    const char *const *inputs;
    uint32_t k, b;
    double *x;            /* the input at this time */
    double *state, *next; /* the hidden state before and after the step */
    double *update, *reset;
    double *cell; /* LSTM */
};

/* Returns an element of an input; 0 if it is absent. */
static double input_at(const struct walk_of_sequence *w, enum recurrence_role role, uint32_t i, uint32_t j, uint32_t k,
                       uint32_t l)
{
    const struct tensor *tensor = recurrence_input(w->d, role);
    if (!tensor)
        return 0;
    const uint64_t at = (uint64_t)i * tensor->strides[0] + (uint64_t)j * tensor->strides[1] +
                        (uint64_t)k * tensor->strides[2] + (uint64_t)l * tensor->strides[3];
    return number_real(tensor->type, w->inputs[recurrence_number(w->d, role)] + at * tensor->element_size);
}

/* Returns what the input, and what a state, add to row `row` of the gates. */
static double sum_of_input(const struct walk_of_sequence *w, uint32_t row)
{
    double sum = input_at(w, RECURRENCE_BIAS, 0, 0, w->k, row);
    for (uint32_t i = 0; i < w->of.input_size; i++)
        sum += input_at(w, RECURRENCE_WEIGHT, 0, w->k, row, i) * w->x[i];
    return sum;
}

static double sum_of_state(const struct walk_of_sequence *w, uint32_t row, const double *state)
{
    double sum = input_at(w, RECURRENCE_BIAS, 0, 0, w->k, w->of.gates * w->of.hidden + row);
    for (uint32_t j = 0; j < w->of.hidden; j++)
        sum += input_at(w, RECURRENCE_WEIGHT_OF_STATE, 0, w->k, row, j) * state[j];
    return sum;
}

/* Returns activation `number` of the direction: 0 is f. */
static double recurrent_activated(const struct walk_of_sequence *w, uint32_t number, double x)
{
    const struct descriptor_activation *a = &w->d->activations[w->k * w->of.activations + number];
    return activation_function_of(a->type)(x, (double)a->attributes[0], (double)a->attributes[1]);
}

static void step_simple(struct walk_of_sequence *w)
{
    for (uint32_t h = 0; h < w->of.hidden; h++)
        w->next[h] = recurrent_activated(w, 0, sum_of_input(w, h) + sum_of_state(w, h, w->state));
}

/* Steps of GRU: `update` is z; `reset` is r or, if it counts before the product with the state, r times the state. */
static void step_gated(struct walk_of_sequence *w)
{
    const uint32_t size = w->of.hidden;
    const int linear = w->of.linear_before_reset;
    for (uint32_t h = 0; h < size; h++) {
        w->update[h] = recurrent_activated(w, 0, sum_of_input(w, h) + sum_of_state(w, h, w->state));
        w->reset[h] = recurrent_activated(w, 0, sum_of_input(w, size + h) + sum_of_state(w, size + h, w->state)) *
                      (linear ? 1 : w->state[h]);
    }
    for (uint32_t h = 0; h < size; h++) {
        const uint32_t row = 2 * size + h;
        const double sum = sum_of_input(w, row) +
                           (linear ? w->reset[h] * sum_of_state(w, row, w->state) : sum_of_state(w, row, w->reset));
        w->next[h] = (1 - w->update[h]) * recurrent_activated(w, 1, sum) + w->update[h] * w->state[h];
    }
}

/* Returns a sum as the activations f and g take it. */
static double recurrent_clipped(const struct walk_of_sequence *w, double x)
{
    const double limit = w->of.threshold;
    if (!w->of.clips || isnan(x))
        return x;
    return fmin(fmax(x, -limit), limit);
}

/* Returns a gate of element h, of the numbers `gate` in WeightTensor and `peephole` in PeepholeTensor. */
static double opened_gate(const struct walk_of_sequence *w, uint32_t gate, uint32_t peephole, uint32_t h, double cell)
{
    const uint32_t row = gate * w->of.hidden + h;
    double sum = sum_of_input(w, row) + sum_of_state(w, row, w->state);
    if (recurrence_input(w->d, RECURRENCE_PEEPHOLE))
        sum += input_at(w, RECURRENCE_PEEPHOLE, 0, 0, w->k, peephole * w->of.hidden + h) * cell;
    return recurrent_activated(w, 0, recurrent_clipped(w, sum));
}

/* Steps of LSTM: the rows of gates are i, o, f and c, and those of peepholes i, o and f. */
static void step_with_cell(struct walk_of_sequence *w)
{
    for (uint32_t h = 0; h < w->of.hidden; h++) {
        const double before = w->cell[h], in = opened_gate(w, 0, 0, h, before);
        const double kept = w->of.couples ? 1 - in : opened_gate(w, 2, 2, h, before);
        const uint32_t row = 3 * w->of.hidden + h;
        const double sum = sum_of_input(w, row) + sum_of_state(w, row, w->state);
        w->cell[h] = kept * before + in * recurrent_activated(w, 1, recurrent_clipped(w, sum));
        w->next[h] = opened_gate(w, 1, 1, h, w->cell[h]) * recurrent_activated(w, 2, w->cell[h]);
    }
}

static void store_state(const struct walk_of_sequence *w, const struct tensor *output, char *to, uint32_t time,
                        const double *state)
{
    for (uint32_t h = 0; output && h < w->of.hidden; h++) {
        const uint64_t at = (uint64_t)time * output->strides[0] + (uint64_t)w->k * output->strides[1] +
                            (uint64_t)w->b * output->strides[2] + (uint64_t)h * output->strides[3];
        number_store_real(output->type, state ? state[h] : 0, to + at * output->element_size);
    }
}

static void recurrent_run_sequence(struct walk_of_sequence *w, char *const *outputs)
{
    const struct tensor *sequence = recurrence_output(w->d, RECURRENCE_SEQUENCE);
    const double wanted =
        recurrence_input(w->d, RECURRENCE_LENGTHS) ? input_at(w, RECURRENCE_LENGTHS, 0, 0, 0, w->b) : w->of.time;
    const uint32_t length = wanted < w->of.time ? (uint32_t)wanted : w->of.time;
    const int backward = w->of.first_backward || w->k == 1;
    for (uint32_t h = 0; h < w->of.hidden; h++) {
        w->state[h] = input_at(w, RECURRENCE_HIDDEN, 0, w->k, w->b, h);
        w->cell[h] = input_at(w, RECURRENCE_CELL, 0, w->k, w->b, h);
    }
    for (uint32_t s = 0; s < length; s++) {
        const uint32_t time = backward ? length - 1 - s : s;
        for (uint32_t i = 0; i < w->of.input_size; i++)
            w->x[i] = input_at(w, RECURRENCE_INPUT, 0, time, w->b, i);
        if (w->d->type == DML_OPERATOR_GRU)
            step_gated(w);
        else if (w->d->type == DML_OPERATOR_LSTM)
            step_with_cell(w);
        else
            step_simple(w);
        memcpy(w->state, w->next, w->of.hidden * sizeof *w->state);
        store_state(w, sequence, outputs[RECURRENCE_SEQUENCE], time, w->state);
    }
    for (uint32_t time = length; time < w->of.time; time++)
        store_state(w, sequence, outputs[RECURRENCE_SEQUENCE], time, NULL);
    store_state(w, recurrence_output(w->d, RECURRENCE_SINGLE), outputs[RECURRENCE_SINGLE], 0, w->state);
    const struct tensor *cell = recurrence_output(w->d, RECURRENCE_CELL_SINGLE);
    if (cell)
        store_state(w, cell, outputs[RECURRENCE_CELL_SINGLE], 0, w->cell);
}

void recurrent_run(const struct descriptor *d, const char *const *inputs, char *const *outputs)
{
    struct walk_of_sequence w = {.d = d, .inputs = inputs};
    recurrence_init(&w.of, d);
    const uint64_t h = w.of.hidden;
    w.x = malloc((w.of.input_size + 5 * h) * sizeof *w.x);
    if (!w.x) /* the outputs keep their contents, which makes the failure visible */
        return;
    w.state = w.x + w.of.input_size;
    w.next = w.state + h;
    w.update = w.next + h;
    w.reset = w.update + h;
    w.cell = w.reset + h;
    for (w.k = 0; w.k < w.of.direction_count; w.k++)
        for (w.b = 0; w.b < w.of.batch; w.b++)
            recurrent_run_sequence(&w, outputs);
    free(w.x);
}
