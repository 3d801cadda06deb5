#include "harness/case/fill.h"
#include "harness/base/profile.h"
#include "harness/base/random.h"
#include "harness/trial/trial_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BINDING_EXCESS = 48 }; /* bytes that a binding may have beyond its tensor */

/* How much larger than its tensor a binding is. */
static uint64_t excess_of(const struct trial *t)
{
    return t->round > 0 && t->seed & 1 ? BINDING_EXCESS : 0;
}

static bool take(struct trial_setup *setup, struct trial *t, int field, struct block *out)
{
    const struct opdesc_tensor *tensor = &t->c.desc->fields[field].tensor;
    struct arena_wish wish = {.size = tensor->total,
                              .after = excess_of(t),
                              .alignment = tensor->alignment,
                              .name = t->c.spec->fields[field].name,
                              .input = t->c.spec->fields[field].kind == FIELD_INPUT};
    return arena_take(setup->arena, &wish, out);
}

/* Offsets are 0 here and there, otherwise whatever multiple of the alignment comes out. */
static assay_binding bind(const struct trial *t, int field, const struct block *block, const uint8_t *at)
{
    bool none = (random_at(t->seed, (uint64_t)field) + t->round) % 4 == 0;
    uint64_t offset = none ? 0 : block->offset;
    return (assay_binding){
        .base = (void *)(uintptr_t)(at - offset), .offset = offset, .size = block->size + excess_of(t)};
}

uint64_t trial_seal(const struct block *block)
{
    return XXH3_64bits(block->write, block->size);
}

/* What the reference device makes of inputs, by field as the outputs; false: it did not. */
static bool ask_reference(struct trial_setup *setup, struct trial *t, uint8_t *const tensors[])
{
    HRESULT status = plugin_run(setup->reference, t->c.spec, t->c.desc, tensors);
    if (FAILED(status))
        trial_verdict(t, STATUS_HARNESS_ERROR, "the reference device did not run it: %s",
                      setup->reference->api->message(setup->reference->device));
    return SUCCEEDED(status);
}

struct asking {
    struct trial_setup *setup;
    struct trial *t;
};

static bool run_reading(void *context, uint8_t *const inputs[], uint8_t *const outputs[])
{
    const struct asking *asking = context;
    uint8_t *tensors[OPDESC_MAX_FIELDS] = {0};
    for (int i = 0; i < asking->t->c.spec->field_count; i++)
        tensors[i] = inputs[i] ? inputs[i] : outputs[i];
    return ask_reference(asking->setup, asking->t, tensors);
}

/* Expected outputs, and the readings where there are some. */
static bool make_expected(struct trial_setup *setup, struct trial *t)
{
    uint8_t *tensors[OPDESC_MAX_FIELDS] = {0};
    const uint8_t *inputs[OPDESC_MAX_FIELDS] = {0};
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_INPUT)
            inputs[i] = tensors[i] = t->blocks[i].write;
        else if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            tensors[i] = t->expected[i].write;
    if (!ask_reference(setup, t, tensors))
        return false;
    if (!interpretation_applies(&t->c))
        return true;
    struct asking asking = {setup, t};
    if (t->interpretations)
        interpretations_free(t->interpretations);
    else
        t->interpretations = calloc(1, sizeof *t->interpretations);
    if (t->interpretations && interpretations_make(t->interpretations, &t->c, inputs, run_reading, &asking))
        return true;
    if (!t->judged)
        trial_verdict(t, STATUS_HARNESS_ERROR, "%s", "what the documents leave open could not be worked out");
    return false;
}

/* Bytes of memory that can be had without hurting anybody; UINT64_MAX: not known. */
static uint64_t memory_available(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
            kib = 0;
    if (file)
        fclose(file);
    return kib ? kib * 1024 : UINT64_MAX;
}

uint64_t trial_bytes(const struct trial *t)
{
    uint64_t bytes = 0;
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (field_is_tensor(&t->c.spec->fields[i]))
            bytes += t->c.desc->fields[i].tensor.total * (t->c.spec->fields[i].kind == FIELD_INPUT ? 2 : 3);
    return bytes;
}

/* Whether a large case finds room. */
static bool has_memory(struct trial *t)
{
    uint64_t bytes = trial_bytes(t);
    if (bytes < TRIAL_LARGE)
        return true;
    uint64_t available = memory_available();
    if (bytes > available)
        trial_verdict(t, STATUS_SKIP, "needs %llu MiB of memory, %llu MiB are available",
                      (unsigned long long)bytes >> 20, (unsigned long long)available >> 20);
    return bytes <= available;
}

enum poison trial_poison(const struct trial *t)
{
    return t->round == 0 ? POISON_COMPLEMENT : POISON_ONES;
}

void trial_make_tensors(struct trial_setup *setup, struct trial *t)
{
    const struct spec *spec = t->c.spec;
    if (!has_memory(t))
        return;
    for (int i = 0; i < spec->field_count; i++) {
        bool input = spec->fields[i].kind == FIELD_INPUT;
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        if (!take(setup, t, i, &t->blocks[i]) || (!input && !take(setup, t, i, &t->expected[i]))) {
            trial_verdict(t, STATUS_HARNESS_ERROR, "no memory for the %llu bytes of %s",
                          (unsigned long long)t->c.desc->fields[i].tensor.total, spec->fields[i].name);
            return;
        }
        if (input) {
            fill_input(&t->c, t->seed + t->round, i, t->blocks[i].write, t->blocks[i].size);
            t->seals[i] = trial_seal(&t->blocks[i]);
            t->inputs[t->input_count++] = bind(t, i, &t->blocks[i], t->blocks[i].read);
        } else {
            memset(t->expected[i].write, 0, t->expected[i].size);
            t->outputs[t->output_count++] = bind(t, i, &t->blocks[i], t->blocks[i].write);
        }
    }
    profile_enter(PROFILE_ORACLE);
    bool made = make_expected(setup, t);
    profile_enter(PROFILE_TENSOR);
    if (!made)
        return;
    for (int i = 0; i < spec->field_count; i++) {
        if (spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        if (t->c.literals && t->c.literals[i].data)
            fill_literal(&t->c, i, t->expected[i].write); /* the documents have the last word */
        t->seals[i] = trial_seal(&t->expected[i]);
        compare_poison(trial_poison(t), t->expected[i].write, t->blocks[i].write, t->blocks[i].size);
    }
}
