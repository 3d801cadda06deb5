#include "harness/trial.h"

#include "harness/compare.h"
#include "harness/datatype.h"
#include "harness/dml_names.h"
#include "harness/fill.h"
#include "harness/marshal.h"
#include "harness/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

uint64_t trial_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((format(printf, 3, 4))) static void verdict(struct trial *t, enum status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->message, sizeof t->message, format, arguments);
    va_end(arguments);
    t->status = status;
    t->judged = true;
}

void trial_blame(struct trial *t, const char *format, ...)
{
    char text[sizeof t->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!t->judged || !status_is_failure(t->status))
        verdict(t, STATUS_FAIL, "%s", text);
}

static const char *device_message(const struct lab *lab)
{
    const char *message = lab->device->api->message(lab->device->device);
    return message ? message : "";
}

/* "CreateOperator returned E_INVALIDARG: its message". */
static void describe_failure(const struct lab *lab, const struct trial *t, bool compiling, char *text, size_t size)
{
    char name[32];
    const char *message = device_message(lab);
    snprintf(text, size, "%s returned %s%s%s", compiling ? "CompileOperator" : "CreateOperator",
             dml_error_name(t->created, name), *message ? ": " : "", message);
}

/* ---- acceptance */

static bool is_too_large(const struct lab *lab, const struct trial *t)
{
    uint64_t most = lab->device->info.max_tensor_bytes;
    for (int i = 0; most > 0 && i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind != FIELD_UINT && t->c.desc->fields[i].tensor.total > most)
            return true;
    return false;
}

/* Whether the declared feature level has what the case is about. */
static bool is_promised(const struct lab *lab, const struct trial *t)
{
    DML_FEATURE_LEVEL declared = lab->device->info.feature_level;
    return declared != 0 && t->c.spec->levels[t->c.table].level <= declared && !is_too_large(lab, t);
}

/* A failure that the device may plead: it has not promised, or the tensors are beyond its stated limit. */
static void judge_unsupported(const struct lab *lab, struct trial *t, const char *text)
{
    if (is_promised(lab, t))
        verdict(t, STATUS_FAIL, "%s; the declared feature level %s promises it", text,
                level_name(lab->device->info.feature_level));
    else
        verdict(t, STATUS_UNSUPPORTED, "%s", text);
}

/* A case that must be rejected: any failure will do, at creation and with E_INVALIDARG for preference. */
static void judge_rejection(struct lab *lab, struct trial *t, bool compiling)
{
    const struct rule *rule = t->c.rule >= 0 ? &t->c.spec->rules[t->c.rule] : NULL;
    char text[384];
    describe_failure(lab, t, compiling, text, sizeof text);
    t->outcome = outcome_of_rejection(t->created, compiling);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (t->created == DXGI_ERROR_UNSUPPORTED && !is_promised(lab, t))
        verdict(t, STATUS_UNSUPPORTED, "%s", text); /* it may not have looked at the description at all */
    else if (t->c.expect == EXPECT_EITHER)
        verdict(t, STATUS_PASS, "%s", "");
    else if (SUCCEEDED(t->created))
        verdict(t, t->c.soft ? STATUS_WARN : STATUS_FAIL, "accepted, although %s",
                rule ? rule->text : "it is not legal");
    else if (compiling)
        verdict(t, STATUS_WARN, "rejected only when compiled: %s", text);
    else if (t->created != E_INVALIDARG)
        verdict(t, STATUS_WARN, "rejected, but not with E_INVALIDARG: %s", text);
    else
        verdict(t, STATUS_PASS, "%s", "");
}

static void judge_failure(struct lab *lab, struct trial *t, bool compiling)
{
    char text[384];
    describe_failure(lab, t, compiling, text, sizeof text);
    if (t->created == DXGI_ERROR_DEVICE_REMOVED)
        verdict(t, STATUS_DEVICE_LOST, "%s", text);
    else if (t->created == DXGI_ERROR_UNSUPPORTED || (t->created == E_OUTOFMEMORY && t->c.expect == EXPECT_ACCEPTED))
        judge_unsupported(lab, t, text);
    else
        verdict(t, t->c.soft ? STATUS_WARN : STATUS_FAIL, "rejected, although legal: %s", text);
}

/* How what a function returned and its result do not go together; null: they do. */
static const char *find_contradiction(HRESULT result, const void *out)
{
    if (SUCCEEDED(result))
        return out ? NULL : "succeeded, and left no result";
    return out ? "failed, yet its result is not null" : NULL;
}

static void create(struct lab *lab, struct trial *t)
{
    const struct plugin *p = lab->device;
    struct marshal m;
    struct opdesc desc;
    char name[32];
    bool compiling = false;
    memcpy(&desc, t->c.desc, testcase_desc_size(t->c.spec));
    marshal_desc(t->c.spec, &desc, &m);
    uint64_t start = trial_clock();
    t->created = p->api->create_operator(p->device, &m.op, &t->op);
    memset(&m, 0xEE, sizeof m); /* a device that kept a pointer into the description finds this */
    memset(&desc, 0xEE, testcase_desc_size(t->c.spec));
    const char *wrong = find_contradiction(t->created, t->op);
    if (SUCCEEDED(t->created) && !wrong) {
        compiling = true;
        t->created = p->api->compile_operator(p->device, t->op, DML_EXECUTION_FLAG_NONE, &t->compiled);
        wrong = find_contradiction(t->created, t->compiled);
    }
    t->host_ns += trial_clock() - start;
    if (FAILED(t->created)) { /* whatever was left there is not to be destroyed */
        t->compiled = NULL;
        t->op = compiling ? t->op : NULL;
    }
    if (wrong)
        verdict(t, STATUS_FAIL, "%s %s (%s)", compiling ? "compile_operator" : "create_operator", wrong,
                dml_error_name(t->created, name));
    else if (t->c.expect >= EXPECT_EITHER)
        judge_rejection(lab, t, compiling && FAILED(t->created));
    else if (FAILED(t->created))
        judge_failure(lab, t, compiling);
    else if (t->c.expect == EXPECT_ACCEPTED)
        verdict(t, STATUS_PASS, "%s", "");
}

/* ---- tensors */

enum {
    BINDING_EXCESS = 48, /* bytes that a binding may have beyond its tensor */
    LARGE = 256 << 20    /* bytes of all tensors, from which on memory may run out */
};

/* How much larger than its tensor a binding is. */
static uint64_t excess_of(const struct trial *t)
{
    return t->round > 0 && t->seed & 1 ? BINDING_EXCESS : 0;
}

static bool take(struct lab *lab, struct trial *t, int field, struct block *out)
{
    const struct opdesc_tensor *tensor = &t->c.desc->fields[field].tensor;
    struct arena_wish wish = {.size = tensor->total,
                              .after = excess_of(t),
                              .alignment = tensor->alignment,
                              .name = t->c.spec->fields[field].name,
                              .input = t->c.spec->fields[field].kind == FIELD_INPUT};
    return arena_take(lab->arena, &wish, out);
}

/* Offsets are 0 here and there, otherwise whatever multiple of the alignment comes out. */
static assay_binding bind(const struct trial *t, int field, const struct block *block, const uint8_t *at)
{
    bool none = (random_at(t->seed, (uint64_t)field) + t->round) % 4 == 0;
    uint64_t offset = none ? 0 : block->offset;
    return (assay_binding){
        .base = (void *)(uintptr_t)(at - offset), .offset = offset, .size = block->size + excess_of(t)};
}

static uint64_t seal_of(const struct block *block)
{
    return XXH3_64bits(block->write, block->size);
}

/* What the reference device makes of inputs, by field as the outputs; false: it did not. */
static bool ask_reference(struct lab *lab, struct trial *t, uint8_t *const tensors[])
{
    const struct plugin *p = lab->reference;
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding inputs[OPDESC_MAX_FIELDS], outputs[OPDESC_MAX_FIELDS];
    assay_dispatch_result result = {.status = E_FAIL};
    struct marshal m;
    int in = 0, out = 0;
    marshal_desc(t->c.spec, t->c.desc, &m);
    for (int i = 0; i < t->c.spec->field_count; i++) {
        if (t->c.spec->fields[i].kind == FIELD_UINT)
            continue;
        assay_binding binding = {.base = tensors[i], .size = t->c.desc->fields[i].tensor.total};
        if (t->c.spec->fields[i].kind == FIELD_INPUT)
            inputs[in++] = binding;
        else
            outputs[out++] = binding;
    }
    HRESULT status = p->api->create_operator(p->device, &m.op, &op);
    if (SUCCEEDED(status))
        status = p->api->compile_operator(p->device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    assay_dispatch_item item = {.compiled = compiled,
                                .inputs = inputs,
                                .outputs = outputs,
                                .input_count = (uint32_t)in,
                                .output_count = (uint32_t)out};
    if (SUCCEEDED(status))
        status = p->api->dispatch(p->device, &item, 1, &result);
    if (SUCCEEDED(status))
        status = result.status;
    if (FAILED(status))
        verdict(t, STATUS_HARNESS_ERROR, "the reference device did not run it: %s", p->api->message(p->device));
    p->api->destroy_compiled(p->device, compiled);
    p->api->destroy_operator(p->device, op);
    return SUCCEEDED(status);
}

struct asking {
    struct lab *lab;
    struct trial *t;
};

static bool run_reading(void *context, uint8_t *const inputs[], uint8_t *const outputs[])
{
    const struct asking *asking = context;
    uint8_t *tensors[OPDESC_MAX_FIELDS] = {0};
    for (int i = 0; i < asking->t->c.spec->field_count; i++)
        tensors[i] = inputs[i] ? inputs[i] : outputs[i];
    return ask_reference(asking->lab, asking->t, tensors);
}

/* Expected outputs, and the readings where there are some. */
static bool make_expected(struct lab *lab, struct trial *t)
{
    uint8_t *tensors[OPDESC_MAX_FIELDS] = {0};
    const uint8_t *inputs[OPDESC_MAX_FIELDS] = {0};
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_INPUT)
            inputs[i] = tensors[i] = t->blocks[i].write;
        else if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            tensors[i] = t->expected[i].write;
    if (!ask_reference(lab, t, tensors))
        return false;
    if (!reading_applies(&t->c))
        return true;
    struct asking asking = {lab, t};
    if (t->readings)
        readings_free(t->readings);
    else
        t->readings = calloc(1, sizeof *t->readings);
    if (t->readings && readings_make(t->readings, &t->c, inputs, run_reading, &asking))
        return true;
    if (!t->judged)
        verdict(t, STATUS_HARNESS_ERROR, "%s", "what the documents leave open could not be worked out");
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

/* What the tensors of a case take, what is expected of the outputs, and a device's copy of all of them. */
static uint64_t bytes_of(const struct trial *t)
{
    uint64_t bytes = 0;
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind != FIELD_UINT)
            bytes += t->c.desc->fields[i].tensor.total * (t->c.spec->fields[i].kind == FIELD_INPUT ? 2 : 3);
    return bytes;
}

/* Whether a large case finds room. */
static bool has_memory(struct trial *t)
{
    uint64_t bytes = bytes_of(t);
    if (bytes < LARGE)
        return true;
    uint64_t available = memory_available();
    if (bytes > available)
        verdict(t, STATUS_SKIP, "needs %llu MiB of memory, %llu MiB are available", (unsigned long long)bytes >> 20,
                (unsigned long long)available >> 20);
    return bytes <= available;
}

static enum poison poison_of(const struct trial *t)
{
    return t->round == 0 ? POISON_COMPLEMENT : POISON_ONES;
}

static void make_tensors(struct lab *lab, struct trial *t)
{
    const struct spec *spec = t->c.spec;
    if (!has_memory(t))
        return;
    for (int i = 0; i < spec->field_count; i++) {
        bool input = spec->fields[i].kind == FIELD_INPUT;
        if (spec->fields[i].kind == FIELD_UINT)
            continue;
        if (!take(lab, t, i, &t->blocks[i]) || (!input && !take(lab, t, i, &t->expected[i]))) {
            verdict(t, STATUS_HARNESS_ERROR, "no memory for the %llu bytes of %s",
                    (unsigned long long)t->c.desc->fields[i].tensor.total, spec->fields[i].name);
            return;
        }
        if (input) {
            fill_input(&t->c, t->seed + t->round, i, t->blocks[i].write, t->blocks[i].size);
            t->seals[i] = seal_of(&t->blocks[i]);
            t->inputs[t->input_count++] = bind(t, i, &t->blocks[i], t->blocks[i].read);
        } else {
            memset(t->expected[i].write, 0, t->expected[i].size);
            t->outputs[t->output_count++] = bind(t, i, &t->blocks[i], t->blocks[i].write);
        }
    }
    if (!make_expected(lab, t))
        return;
    for (int i = 0; i < spec->field_count; i++) {
        if (spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        if (t->c.literals && t->c.literals[i].data)
            fill_literal(&t->c, i, t->expected[i].write); /* the documents have the last word */
        t->seals[i] = seal_of(&t->expected[i]);
        compare_poison(poison_of(t), t->expected[i].write, t->blocks[i].write, t->blocks[i].size);
    }
}

void trial_prepare(struct lab *lab, struct trial *t)
{
    create(lab, t);
    if (!t->judged)
        make_tensors(lab, t);
}

bool trial_again(struct lab *lab, struct trial *t)
{
    if (!t->c.again || t->status != STATUS_PASS)
        return false;
    t->round++;
    t->judged = false;
    t->input_count = t->output_count = 0;
    make_tensors(lab, t);
    return !t->judged;
}

/* ---- results */

/* Pointers to the outputs, expected or as they are now, by field. */
static const uint8_t *const *outputs_of(const struct trial *t, bool expected, const uint8_t *out[OPDESC_MAX_FIELDS])
{
    for (int i = 0; i < t->c.spec->field_count; i++)
        out[i] =
            t->c.spec->fields[i].kind == FIELD_OUTPUT ? expected ? t->expected[i].write : t->blocks[i].write : NULL;
    return out;
}

static uint64_t defined_elements(const struct trial *t, int field)
{
    const uint8_t *expected[OPDESC_MAX_FIELDS];
    return reading_defined(&t->c, field, outputs_of(t, true, expected));
}

static bool judge_bounds(struct trial *t, int field)
{
    const char *name = t->c.spec->fields[field].name;
    bool input = t->c.spec->fields[field].kind == FIELD_INPUT;
    int64_t where;
    if (arena_intact(&t->blocks[field], &where))
        return true;
    t->unsure |= input;
    if (input)
        verdict(t, STATUS_FAIL, "wrote beside the input %s", name);
    else
        verdict(t, STATUS_FAIL, "wrote outside %s: %lld bytes %s", name, (long long)(where < 0 ? -where : where + 1),
                where < 0 ? "before its start" : "past its end");
    return false;
}

static void judge_output(struct trial *t, int field)
{
    const char *name = t->c.spec->fields[field].name;
    struct comparison comparison;
    compare_output(&t->c.desc->fields[field].tensor, poison_of(t), t->expected[field].write, t->blocks[field].write,
                   defined_elements(t, field), &comparison);
    t->checksum = random_mix(t->checksum + 1) + comparison.checksum;
    if (comparison.agreement == AGREES || (comparison.agreement == AGREES_SOFTLY && t->judged))
        return;
    t->wrong = comparison.first;
    snprintf(t->wrong.tensor, sizeof t->wrong.tensor, "%s", name);
    if (comparison.agreement == AGREES_SOFTLY)
        verdict(t, STATUS_WARN, "%s: a NaN's payload was changed, or a denormal flushed to zero", name);
    else if (comparison.unwritten == comparison.wrong)
        verdict(t, STATUS_FAIL, "%llu of %llu elements of %s were never written", (unsigned long long)comparison.wrong,
                (unsigned long long)comparison.compared, name);
    else
        verdict(t, t->c.soft ? STATUS_WARN : STATUS_FAIL, "%llu of %llu elements of %s are wrong",
                (unsigned long long)comparison.wrong, (unsigned long long)comparison.compared, name);
}

/* Outputs of which the documents leave something open, and which are no reading as a whole: what is settled must be as
 * expected; the rest, one reading here and another there, or else it is the rule's strength that decides. */
static void judge_mixed(struct trial *t, const struct rule *rule)
{
    uint64_t wrong = 0, open = 0, strange = 0;
    bool settled = !rule->anywhere, soft = true;
    for (int i = 0; i < t->c.spec->field_count && wrong == 0; i++) {
        const uint8_t *alternatives[READINGS_MOST];
        struct comparison comparison;
        if (t->c.spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        for (int r = 0; r < t->readings->count; r++)
            alternatives[r] = t->readings->list[r].outputs[i];
        compare_output_open(&t->c.desc->fields[i].tensor, poison_of(t), t->expected[i].write, t->blocks[i].write,
                            defined_elements(t, i), alternatives, t->readings->count, &comparison);
        wrong += settled ? comparison.wrong : 0;
        open += comparison.open + (settled ? 0 : comparison.wrong);
        strange += comparison.strange + (settled ? 0 : comparison.wrong);
        soft &= comparison.agreement != DIFFERS;
        if (comparison.agreement != AGREES || comparison.open) {
            t->wrong = comparison.first;
            snprintf(t->wrong.tensor, sizeof t->wrong.tensor, "%s", t->c.spec->fields[i].name);
        }
    }
    if (wrong == 0 && strange == 0 && soft && rule->accepts >> OUTCOME_EACH & 1)
        t->outcome = OUTCOME_EACH;
    if (wrong > 0)
        verdict(t, STATUS_FAIL, "%llu elements of %s are wrong, of those that nothing leaves open",
                (unsigned long long)wrong, t->wrong.tensor);
    else if (rule->accepts >> t->outcome & 1)
        memset(&t->wrong, 0, sizeof t->wrong);
    else
        verdict(t, rule->strength == STRENGTH_SOFT ? STATUS_WARN : STATUS_FAIL,
                "%s: the outputs are none that is accepted (%llu elements differ)", rule->id,
                (unsigned long long)(open ? open : 1));
}

/* Whatever is open: an output that was not written at all is wrong. */
static bool judge_untouched(struct trial *t, int field)
{
    struct comparison comparison;
    compare_output(&t->c.desc->fields[field].tensor, poison_of(t), t->expected[field].write, t->blocks[field].write,
                   defined_elements(t, field), &comparison);
    if (comparison.compared == 0 || comparison.unwritten < comparison.compared)
        return false;
    verdict(t, STATUS_FAIL, "all %llu elements of %s were never written", (unsigned long long)comparison.compared,
            t->c.spec->fields[field].name);
    return true;
}

static void judge_open(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT && judge_untouched(t, i))
            return;
    const struct rule *rule = &t->c.spec->rules[t->c.rule];
    const uint8_t *outputs[OPDESC_MAX_FIELDS];
    for (int i = 0; i < t->c.spec->field_count; i++) {
        struct comparison comparison;
        if (t->c.spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        compare_output(&t->c.desc->fields[i].tensor, poison_of(t), t->expected[i].write, t->blocks[i].write,
                       defined_elements(t, i), &comparison);
        t->checksum = random_mix(t->checksum + 1) + comparison.checksum;
    }
    t->outcome = readings_find(t->readings, &t->c, outputs_of(t, false, outputs));
    if (t->outcome == OUTCOME_OTHER)
        judge_mixed(t, rule);
    else if (!(rule->accepts >> t->outcome & 1))
        verdict(t, STATUS_WARN, "%s: the outputs are those of the outcome '%s'", rule->id, outcome_name(t->outcome));
}

/* What nobody is to write: inputs, whatever a device makes of their pages, and what the harness keeps for itself. */
static void judge_seal(struct trial *t, int field)
{
    bool input = t->c.spec->fields[field].kind == FIELD_INPUT;
    if (seal_of(input ? &t->blocks[field] : &t->expected[field]) == t->seals[field])
        return;
    t->unsure = true;
    verdict(t, STATUS_FAIL,
            input ? "wrote the input %s" : "wrote memory that it was not given: that of what is expected of %s",
            t->c.spec->fields[field].name);
}

/* ---- outputs as text */

enum { DUMP_ELEMENTS = 32, DUMP_SIZE = 4096 };

struct dumper {
    const struct trial *t;
    int field;
    const uint8_t *memory;
    uint64_t defined;
    char *text;
};

__attribute__((format(printf, 2, 3))) static void dump(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, DUMP_SIZE - used, format, arguments);
    va_end(arguments);
}

static bool dump_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct dumper *d = context;
    uint32_t type = d->t->c.desc->fields[d->field].tensor.data_type;
    char value[64];
    (void)coordinates;
    if (number >= d->defined || number >= DUMP_ELEMENTS) {
        dump(d->text, number >= d->defined ? " (the rest is undefined)" : ", …");
        return false;
    }
    datatype_print(type, d->memory + offset * datatype_of(type)->bits / 8, value, sizeof value);
    value[strcspn(value, " ")] = '\0'; /* without the bits */
    dump(d->text, "%s%s", number ? ", " : "", value);
    return true;
}

static void dump_outputs(struct trial *t)
{
    free(t->dump);
    t->dump = calloc(1, DUMP_SIZE);
    for (int i = 0; t->dump && i < t->c.spec->field_count; i++) {
        if (t->c.spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        for (int got = 0; got < 2; got++) {
            struct dumper d = {.t = t,
                               .field = i,
                               .memory = got ? t->blocks[i].write : t->expected[i].write,
                               .defined = defined_elements(t, i),
                               .text = t->dump};
            dump(t->dump, "  %-24s%s  ", got ? "" : t->c.spec->fields[i].name, got ? "got     " : "expected");
            fill_each(&t->c.desc->fields[i].tensor, dump_element, &d);
            dump(t->dump, "\n");
        }
    }
}

static void judge_tensors(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count && !t->judged; i++)
        if (t->c.spec->fields[i].kind != FIELD_UINT && judge_bounds(t, i))
            judge_seal(t, i);
    if (t->readings && !t->judged)
        judge_open(t);
    for (int i = 0; i < t->c.spec->field_count && !t->readings && (!t->judged || t->status == STATUS_WARN); i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            judge_output(t, i);
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            t->closing[i] = seal_of(&t->blocks[i]);
}

/* Says of a message that it is about the second time. */
static void judge_again(struct trial *t)
{
    char text[sizeof t->message];
    if (t->round == 0 || t->status == STATUS_PASS)
        return;
    snprintf(text, sizeof text, "dispatched a second time, with other contents and bindings: %.400s", t->message);
    memcpy(t->message, text, sizeof text);
}

void trial_judge(struct lab *lab, struct trial *t, const assay_dispatch_result *result)
{
    char name[32];
    if (t->round == 0)
        t->device_ns = result->device_ns;
    if (result->status == DXGI_ERROR_DEVICE_REMOVED) {
        verdict(t, STATUS_DEVICE_LOST, "dispatch: the device is lost: %s", device_message(lab));
    } else if (result->status == DXGI_ERROR_UNSUPPORTED) {
        judge_unsupported(lab, t, "dispatch returned DXGI_ERROR_UNSUPPORTED");
    } else if (result->status == E_OUTOFMEMORY && bytes_of(t) >= LARGE) {
        verdict(t, STATUS_UNSUPPORTED, "dispatch returned E_OUTOFMEMORY: %s", device_message(lab));
    } else if (FAILED(result->status)) {
        verdict(t, STATUS_FAIL, "dispatch returned %s: %s", dml_error_name(result->status, name), device_message(lab));
    } else {
        judge_tensors(t);
    }
    if (!t->judged)
        verdict(t, STATUS_PASS, "%s", "");
    if (lab->dump && (t->round == 0 || t->status != STATUS_PASS))
        dump_outputs(t);
    judge_again(t);
}

/* Outputs are not written any more once dispatch has returned. */
static void judge_closing(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->closing[i] && seal_of(&t->blocks[i]) != t->closing[i])
            trial_blame(t, "wrote %s after dispatch had returned", t->c.spec->fields[i].name);
}

void trial_finish(struct lab *lab, struct trial *t)
{
    const struct plugin *p = lab->device;
    uint64_t start = trial_clock();
    if (t->readings)
        readings_free(t->readings);
    free(t->readings);
    t->readings = NULL;
    if (t->compiled)
        p->api->destroy_compiled(p->device, t->compiled);
    if (t->op)
        p->api->destroy_operator(p->device, t->op);
    t->host_ns += trial_clock() - start;
    judge_closing(t);
}
