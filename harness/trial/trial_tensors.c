/* trial_tensors.c: makes the tensors of a trial: memory, contents, bindings, expected outputs. */
#include "harness/case/fill.h"
#include "harness/base/cgroup.h"
#include "harness/base/profile.h"
#include "harness/base/random.h"
#include "harness/trial/trial_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BINDING_EXCESS = 48 }; /* bytes that a binding in a second dispatch may have beyond its tensor */

/* Returns the number of bytes by which a binding is larger than its tensor. */
static uint64_t excess_of(const struct trial *t)
{
    return t->dispatch_index > 0 && t->seed & 1 ? BINDING_EXCESS : 0;
}

/* The position of a tensor in its buffer. It depends on the seed of the case, and on the dispatch. */
enum position {
    POSITION_OFFSET, /* the tensor ends where its pages end, at some offset; the memory after it is not mapped */
    POSITION_BASE,   /* the same, without an offset */
    POSITION_FIRST   /* one tensor in four starts where its pages start; the memory before it is not mapped */
};

static enum position position_of(const struct trial *t, int field)
{
    unsigned at = (unsigned)((random_at(t->seed, (uint64_t)field) + 5u * (unsigned)t->dispatch_index) % 16);
    if (at % 4 == 0)
        return POSITION_FIRST;
    return at % 8 == 1 ? POSITION_BASE : POSITION_OFFSET;
}

static bool trial_tensors_take(struct trial_setup *setup, struct trial *t, int field, bool secret, struct block *out)
{
    const struct opdesc_tensor *tensor = &t->c.desc->items[field].tensor;
    struct arena_request request = {.size = tensor->total,
                                    .after = excess_of(t),
                                    .alignment = tensor->alignment,
                                    .name = t->c.spec->tensor_names[field],
                                    .input = field_is_input(spec_tensor_field(t->c.spec, field)),
                                    .first = position_of(t, field) == POSITION_FIRST,
                                    .secret = secret};
    return arena_take(setup->arena, &request, out);
}

/* Binds a tensor at `at`. Three offsets in eight are 0; the others are those of the blocks, multiples of the
 * alignment. */
static assay_binding trial_tensors_bind(const struct trial *t, int field, const struct block *block, const uint8_t *at)
{
    uint64_t offset = position_of(t, field) == POSITION_OFFSET ? block->offset : 0;
    return (assay_binding){
        .base = (void *)(uintptr_t)(at - offset), .offset = offset, .size = block->size + excess_of(t)};
}

uint64_t trial_hash(const struct block *block)
{
    return XXH3_64bits(block->write, block->size);
}

/* The state of computing the expected outputs of a trial. */
struct expecting {
    struct trial_setup *setup;
    struct trial *t;
    struct oracle oracle;
};

/* Judges the case if the reference device failed. */
static bool is_good(const struct expecting *e, HRESULT status)
{
    if (FAILED(status))
        trial_verdict(e->t, STATUS_HARNESS_ERROR, "the reference device failed: %s",
                      e->setup->reference->api->message(e->setup->reference->device));
    return SUCCEEDED(status);
}

static bool run_interpretation(void *context, uint8_t *const inputs[], uint8_t *const outputs[])
{
    const struct expecting *e = context;
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    for (int i = -1; (i = testcase_next_tensor(&e->t->c, i)) >= 0;)
        tensors[i] = inputs[i] ? inputs[i] : outputs[i];
    return is_good(e, oracle_compute(&e->oracle, tensors));
}

/* Computes the interpretations of inputs that the documents leave open. Judges the case if that fails. */
static bool make_interpretations(struct expecting *e, const uint8_t *const tensors[])
{
    struct trial *t = e->t;
    t->interpretations = malloc(sizeof *t->interpretations);
    if (t->interpretations && interpretations_compute(t->interpretations, &t->c, tensors, run_interpretation, e))
        return true;
    if (!t->judged)
        trial_verdict(t, STATUS_HARNESS_ERROR, "%s",
                      "the outcomes that the documents leave open could not be computed");
    return false;
}

/* Computes the expected outputs, and the interpretations if the case needs them. Judges the case if that fails. */
static bool make_expected(struct trial_setup *setup, struct trial *t)
{
    struct expecting e = {.setup = setup, .t = t};
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        tensors[i] = (field_is_input(spec_tensor_field(t->c.spec, i)) ? &t->blocks[i] : &t->expected[i])->write;
    bool good = is_good(&e, oracle_open(setup->reference, t->c.spec, t->c.desc, &e.oracle)) &&
                is_good(&e, oracle_compute(&e.oracle, tensors)) &&
                (!interpretation_applies(&t->c) || make_interpretations(&e, (const uint8_t *const *)tensors));
    oracle_close(&e.oracle);
    return good;
}

/* Takes the outputs that the case gives as expected: the reference device rejects a description that breaks a soft
 * rule. */
static bool copy_given(struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)) && t->c.literals && t->c.literals[i].data)
            fill_literal(&t->c, i, t->expected[i].write);
    return true;
}

/* Returns the bytes of memory that system and control group can give without swapping; UINT64_MAX if unknown. */
static uint64_t memory_available(void)
{
    const uint64_t left = cgroup_read("").left;
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
            kib = 0;
    if (file)
        fclose(file);
    const uint64_t available = kib ? kib * 1024 : UINT64_MAX;
    return available < left ? available : left;
}

uint64_t trial_bytes(const struct trial *t)
{
    uint64_t bytes = 0;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        bytes += t->c.desc->items[i].tensor.total * (field_is_input(spec_tensor_field(t->c.spec, i)) ? 2 : 4);
    return bytes;
}

/* Returns true if there is memory for the case. If not, judges it as skipped. */
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

struct prefill trial_prefill(const struct trial *t, int field)
{
    int input = testcase_input_of(&t->c, field);
    if (input >= 0)
        return (struct prefill){.pattern = PREFILL_INPUT, .input = t->blocks[input].write};
    struct prefill prefill = {.pattern = PREFILL_RANDOM, .key = random_at(~t->seed, (uint64_t)field)};
    if (t->dispatch_index > 0)
        prefill.pattern = t->unproven ? PREFILL_INVERTED : PREFILL_ONES;
    return prefill;
}

/* Returns the seed of the contents of the inputs. */
static uint64_t contents_seed(const struct trial *t)
{
    return t->seed + (t->unproven ? 0 : t->dispatch_index);
}

/* Takes the memory of all tensors. Judges the case if that fails. */
static bool take_blocks(struct trial_setup *setup, struct trial *t, bool expected)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        bool input = field_is_input(spec_tensor_field(t->c.spec, i)), own = testcase_output_of(&t->c, i) < 0;
        if (!trial_tensors_take(setup, t, i, !own, &t->blocks[i]) ||
            (!input && expected && !trial_tensors_take(setup, t, i, true, &t->expected[i]))) {
            trial_verdict(t, STATUS_HARNESS_ERROR, "no memory for the %llu bytes of %s",
                          (unsigned long long)t->c.desc->items[i].tensor.total, t->c.spec->tensor_names[i]);
            return false;
        }
    }
    return true;
}

static void fill_inputs(struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(t->c.spec, i))) {
            fill_input(&t->c, contents_seed(t), i, t->blocks[i].write, t->blocks[i].size);
            t->input_hashes[i] = trial_hash(&t->blocks[i]);
        } else {
            memset(t->expected[i].write, 0, t->expected[i].size);
        }
}

/* Fills the inputs as in an earlier attempt, and takes over its expected outputs. */
static void recall(struct trial *t, const struct trial_memo_entry *entry)
{
    const struct trial_memo_tensor *tensor = entry->tensors;
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0; tensor++) {
        const uint64_t size = t->blocks[i].size;
        if (field_is_input(spec_tensor_field(t->c.spec, i))) {
            memcpy(t->blocks[i].write, tensor->bytes, size);
            t->input_hashes[i] = tensor->hash;
        } else {
            t->expected[i] =
                (struct block){.size = size, .write = (uint8_t *)(uintptr_t)tensor->bytes, .read = tensor->bytes};
        }
    }
    t->interpretations = entry->interpretations;
    t->borrows = t->interpretations != NULL;
}

/* Binds all tensors, in the order of the fields. An input that has the memory of another tensor is bound as that is. */
static void bind_blocks(struct trial *t)
{
    for (int i = -1; (i = spec_next_tensor(t->c.spec, t->c.desc, i)) >= 0;) {
        assay_binding binding = {0};
        bool input = field_is_input(spec_tensor_field(t->c.spec, i));
        int at = testcase_memory_of(&t->c, i);
        bool read_only = field_is_input(spec_tensor_field(t->c.spec, at));
        if (t->c.desc->items[i].tensor.present)
            binding = trial_tensors_bind(t, at, &t->blocks[at], read_only ? t->blocks[at].read : t->blocks[at].write);
        if (input)
            t->inputs[t->input_count++] = binding;
        else
            t->outputs[t->output_count++] = binding;
    }
}

/* Sets the rule by which the contents of the inputs are judged. */
static void set_rule(struct trial *t)
{
    const uint8_t *inputs[OPDESC_MAX_TENSORS] = {0};
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        inputs[i] = field_is_input(spec_tensor_field(t->c.spec, i)) ? t->blocks[i].write : NULL;
    t->c.rule = interpretation_rule(&t->c, inputs);
}

/* Fills the inputs and computes the expected outputs. Judges the case if that fails. */
static void compute(struct trial_setup *setup, struct trial *t)
{
    fill_inputs(t);
    set_rule(t);
    profile_enter(PROFILE_ORACLE);
    bool made = t->c.expect == EXPECT_REJECTED ? copy_given(t) : make_expected(setup, t);
    if (made && t->c.expect != EXPECT_REJECTED && testcase_has_outputs(&t->c))
        trial_judge_given(setup, t);
    profile_enter(PROFILE_TENSOR);
}

static void trial_tensors_make(struct trial_setup *setup, struct trial *t)
{
    const struct spec *spec = t->c.spec;
    const struct trial_memo_key key = {t->key.low, t->key.high, contents_seed(t)};
    const struct trial_memo_entry *entry = setup->memo ? trial_memo_find(setup->memo, &key) : NULL;
    if (!has_memory(t) || !take_blocks(setup, t, entry == NULL))
        return;
    bind_blocks(t);
    if (entry) {
        recall(t, entry);
        set_rule(t);
    } else {
        compute(setup, t);
    }
    if (t->judged)
        return;
    if (setup->memo && !entry && !*t->remark) /* a remark is made anew for each attempt */
        trial_memo_add(setup->memo, &key, t);
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        const struct prefill prefill = trial_prefill(t, i);
        if (field_is_output(spec_tensor_field(spec, i)))
            compare_prefill(&prefill, t->blocks[i].write, t->blocks[i].size);
    }
}

void trial_make_tensors(struct trial_setup *setup, struct trial *t)
{
    t->made = true;
    trial_drop_interpretations(t);
    t->input_count = t->output_count = 0;
    profile_enter(PROFILE_TENSOR);
    trial_tensors_make(setup, t);
    profile_enter(PROFILE_OTHER);
}
