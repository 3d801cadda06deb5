#include "harness/sequence/lifecycle.h"

#include "harness/base/random.h"

#include <string.h>

/* ---- the model */

static bool has_device(const struct lifecycle_model *model, unsigned device)
{
    return device == 0 || (device < STEP_DEVICES && model->opened[device]);
}

/* Returns true if something that was made on the device is alive. */
static bool is_in_use(const struct lifecycle_model *model, unsigned device)
{
    for (int i = 0; i < STEP_OBJECTS; i++)
        if ((model->operators[i].alive && model->operators[i].device == device) ||
            (model->compiled[i].alive && model->compiled[i].device == device))
            return true;
    return false;
}

bool lifecycle_has_item(const struct lifecycle_model *model, const struct lifecycle_step *step, uint32_t n)
{
    const struct lifecycle_object *compiled = &model->compiled[step->items[n].compiled];
    return n < step->step.item_count && compiled->alive && compiled->device == step->step.device;
}

static bool keep_items(const struct lifecycle_model *model, struct lifecycle_step *step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < step->step.item_count; i++)
        if (lifecycle_has_item(model, step, i))
            step->items[count++] = step->items[i];
    step->step.item_count = count;
    return count > 0;
}

bool lifecycle_apply(struct lifecycle_model *model, struct lifecycle_step *at)
{
    const struct step *step = &at->step;
    struct lifecycle_object *op = &model->operators[step->op], *compiled = &model->compiled[step->compiled];
    bool device = has_device(model, step->device), own = step->device > 0;
    bool is_mine = op->alive && op->device == step->device;
    switch (step->call) {
    case STEP_OPEN:
        return own && !device && (model->opened[step->device] = true);
    case STEP_CLOSE:
        if (!own || !device || is_in_use(model, step->device))
            return false;
        model->opened[step->device] = false;
        return true;
    case STEP_CREATE:
        if (!device || op->alive)
            return false;
        *op = (struct lifecycle_object){.alive = true, .device = step->device, .desc = at->desc};
        return true;
    case STEP_COMPILE:
        if (!device || !is_mine || compiled->alive)
            return false;
        *compiled = (struct lifecycle_object){.alive = true, .device = step->device, .desc = op->desc, .op = step->op};
        return true;
    case STEP_DISPATCH:
        return device && keep_items(model, at);
    case STEP_DESTROY_OPERATOR:
        if (!device || !is_mine)
            return false;
        op->alive = false;
        return true;
    case STEP_DESTROY_COMPILED:
        if (!device || !compiled->alive || compiled->device != step->device)
            return false;
        compiled->alive = false;
        return true;
    default:
        return device;
    }
}

/* ---- drawing */

struct drawing {
    const struct lifecycle *wanted;
    struct random random;
    struct lifecycle_model model;
    struct lifecycle_step *steps;
    size_t count;
    uint16_t next_op, next_compiled; /* numbers that have not been used */
};

/* The weight of each call among all calls that a sequence of a kind tries. */
static const uint8_t weights[LIFECYCLE_KINDS][STEP_CALLS] = {
    [LIFECYCLE_MIXED] = {[STEP_DESCRIBE] = 1,
                         [STEP_CREATE] = 12,
                         [STEP_COMPILE] = 14,
                         [STEP_DISPATCH] = 40,
                         [STEP_DESTROY_COMPILED] = 5,
                         [STEP_DESTROY_OPERATOR] = 8,
                         [STEP_DESTROY_NULL] = 1},
    [LIFECYCLE_DEVICES] = {[STEP_OPEN] = 8,
                           [STEP_DESCRIBE] = 4,
                           [STEP_CREATE] = 12,
                           [STEP_COMPILE] = 14,
                           [STEP_DISPATCH] = 30,
                           [STEP_DESTROY_COMPILED] = 12,
                           [STEP_DESTROY_OPERATOR] = 12,
                           [STEP_CLOSE] = 8,
                           [STEP_DESTROY_NULL] = 2},
    [LIFECYCLE_MANY] = {[STEP_CREATE] = 40, [STEP_COMPILE] = 40, [STEP_DISPATCH] = 2},
    [LIFECYCLE_HIDDEN] = {[STEP_CREATE] = 10, [STEP_COMPILE] = 12, [STEP_DISPATCH] = 20},
    [LIFECYCLE_GROWTH] = {[STEP_CREATE] = 10, [STEP_COMPILE] = 12, [STEP_DISPATCH] = 20},
    [LIFECYCLE_REOPEN] = {[STEP_OPEN] = 10,
                          [STEP_DESCRIBE] = 2,
                          [STEP_CREATE] = 10,
                          [STEP_COMPILE] = 12,
                          [STEP_DISPATCH] = 14,
                          [STEP_DESTROY_COMPILED] = 3,
                          [STEP_DESTROY_OPERATOR] = 3,
                          [STEP_CLOSE] = 3}};

bool lifecycle_repeats(const struct lifecycle *wanted)
{
    return wanted->kind == LIFECYCLE_GROWTH || wanted->kind == LIFECYCLE_REOPEN;
}

static bool has_devices(const struct lifecycle *wanted)
{
    return wanted->kind == LIFECYCLE_DEVICES || wanted->kind == LIFECYCLE_REOPEN;
}

static unsigned lifecycle_below(struct drawing *d, unsigned limit)
{
    return random_below(&d->random, limit);
}

/* Returns a living object; -1: there is none. */
static int any_alive(struct drawing *d, const struct lifecycle_object *objects, unsigned end)
{
    unsigned start = end ? lifecycle_below(d, end) : 0;
    for (unsigned i = 0; i < end; i++)
        if (objects[(start + i) % end].alive)
            return (int)((start + i) % end);
    return -1;
}

static void lifecycle_add(struct drawing *d, struct lifecycle_step step)
{
    step.number = (uint16_t)d->count;
    if (d->count < LIFECYCLE_STEPS && lifecycle_apply(&d->model, &step))
        d->steps[d->count++] = step;
}

static void draw_items(struct drawing *d, struct lifecycle_step *step)
{
    step->step.hide = d->wanted->kind == LIFECYCLE_HIDDEN;
    step->step.item_count = 1 + lifecycle_below(d, LIFECYCLE_ITEMS);
    for (uint32_t i = 0; i < step->step.item_count; i++) {
        int compiled = i > 0 && lifecycle_below(d, 3) == 0 ? step->items[i - 1].compiled
                                                           : any_alive(d, d->model.compiled, d->next_compiled);
        unsigned way = lifecycle_below(d, 8);
        if (compiled < 0)
            compiled = 0;
        enum lifecycle_memory memory = way < 6 ? MEMORY_SAME : MEMORY_OFFSET;
        if (way < 3 || lifecycle_repeats(d->wanted))
            memory = MEMORY_NEW;
        step->items[i] = (struct lifecycle_item){
            .compiled = (uint16_t)compiled, .memory = (uint8_t)memory, .one_base = lifecycle_below(d, 4) == 0};
    }
    step->step.device = d->model.compiled[step->items[0].compiled].device;
}

/* Fills in a call of the kind; it may turn out not to be allowed. */
static void draw_step(struct drawing *d, enum step_call call)
{
    struct lifecycle_step at = {.step = {.call = (uint8_t)call}};
    unsigned devices = has_devices(d->wanted) ? STEP_DEVICES : 1;
    int found;
    at.step.device = (uint8_t)lifecycle_below(d, devices);
    switch (call) {
    case STEP_CREATE:
        if (d->next_op == STEP_OBJECTS)
            return;
        at.step.op = d->next_op++;
        at.desc = (uint8_t)lifecycle_below(d, LIFECYCLE_DESCS);
        break;
    case STEP_COMPILE:
        found = any_alive(d, d->model.operators, d->next_op);
        if (found < 0 || d->next_compiled == STEP_OBJECTS)
            return;
        at.step.op = (uint16_t)found;
        at.step.device = d->model.operators[found].device;
        at.step.compiled = d->next_compiled++;
        break;
    case STEP_DISPATCH:
        draw_items(d, &at);
        break;
    case STEP_DESTROY_OPERATOR:
        found = any_alive(d, d->model.operators, d->next_op);
        at.step.op = (uint16_t)(found < 0 ? 0 : found);
        at.step.device = d->model.operators[at.step.op].device;
        break;
    case STEP_DESTROY_COMPILED:
        found = any_alive(d, d->model.compiled, d->next_compiled);
        at.step.compiled = (uint16_t)(found < 0 ? 0 : found);
        at.step.device = d->model.compiled[at.step.compiled].device;
        break;
    default:
        break;
    }
    lifecycle_add(d, at);
}

/* Destroys the living objects, operators and compiled operators in any order. */
static void destroy_rest(struct drawing *d)
{
    int op, compiled;
    do {
        op = any_alive(d, d->model.operators, d->next_op);
        compiled = any_alive(d, d->model.compiled, d->next_compiled);
        if (op >= 0 && (compiled < 0 || lifecycle_below(d, 2)))
            draw_step(d, STEP_DESTROY_OPERATOR);
        else if (compiled >= 0)
            draw_step(d, STEP_DESTROY_COMPILED);
    } while (op >= 0 || compiled >= 0);
    for (uint8_t device = 1; device < STEP_DEVICES; device++)
        lifecycle_add(d, (struct lifecycle_step){.step = {.call = STEP_CLOSE, .device = device}});
}

size_t lifecycle_draw(const struct lifecycle *wanted, uint64_t seed, struct lifecycle_step *steps)
{
    struct drawing d = {.wanted = wanted, .random = {.key = random_mix(seed)}, .steps = steps};
    unsigned sum = 0;
    for (int call = 0; call < STEP_CALLS; call++)
        sum += weights[wanted->kind][call];
    if (wanted->kind == LIFECYCLE_REOPEN)
        lifecycle_add(&d, (struct lifecycle_step){.step = {.call = STEP_OPEN, .device = 1}});
    for (unsigned tries = 0; sum > 0 && d.count < wanted->steps && tries < 4u * wanted->steps; tries++) {
        unsigned at = lifecycle_below(&d, sum), call = 0;
        while (at >= weights[wanted->kind][call])
            at -= weights[wanted->kind][call++];
        draw_step(&d, (enum step_call)call);
    }
    destroy_rest(&d);
    return d.count;
}

static size_t list(const struct step *calls, size_t count, unsigned desc, struct lifecycle_step *steps)
{
    for (size_t i = 0; i < count; i++)
        steps[i] = (struct lifecycle_step){.step = calls[i], .desc = (uint8_t)desc, .number = (uint16_t)i};
    return count;
}

size_t lifecycle_alone(unsigned desc, struct lifecycle_step *steps)
{
    static const struct step calls[LIFECYCLE_ALONE] = {{.call = STEP_CREATE},
                                                       {.call = STEP_COMPILE},
                                                       {.call = STEP_DISPATCH, .item_count = 1},
                                                       {.call = STEP_DESTROY_COMPILED},
                                                       {.call = STEP_DESTROY_OPERATOR}};
    return list(calls, LIFECYCLE_ALONE, desc, steps);
}

size_t lifecycle_of_one(struct lifecycle_step *steps)
{
    static const struct step calls[] = {{.call = STEP_CREATE},
                                        {.call = STEP_COMPILE},
                                        {.call = STEP_DISPATCH, .item_count = 1},
                                        {.call = STEP_DISPATCH, .item_count = 2},
                                        {.call = STEP_DESTROY_COMPILED},
                                        {.call = STEP_DESTROY_OPERATOR}};
    return list(calls, sizeof calls / sizeof *calls, 0, steps);
}
