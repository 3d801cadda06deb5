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
    else if (rule && rule->strength == STRENGTH_OPEN)
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

static void create(struct lab *lab, struct trial *t)
{
    const struct plugin *p = lab->device;
    struct marshal m;
    struct opdesc desc;
    bool compiling = false;
    memcpy(&desc, t->c.desc, testcase_desc_size(t->c.spec));
    marshal_desc(t->c.spec, &desc, &m);
    uint64_t start = trial_clock();
    t->created = p->api->create_operator(p->device, &m.op, &t->op);
    memset(&m, 0xEE, sizeof m); /* a device that kept a pointer into the description finds this */
    memset(&desc, 0xEE, testcase_desc_size(t->c.spec));
    if (SUCCEEDED(t->created)) {
        compiling = true;
        t->created =
            t->op ? p->api->compile_operator(p->device, t->op, DML_EXECUTION_FLAG_NONE, &t->compiled) : E_POINTER;
        if (SUCCEEDED(t->created) && !t->compiled)
            t->created = E_POINTER;
    }
    t->host_ns += trial_clock() - start;
    if (t->c.expect == EXPECT_REJECTED)
        judge_rejection(lab, t, compiling && FAILED(t->created));
    else if (FAILED(t->created))
        judge_failure(lab, t, compiling);
    else if (t->c.expect == EXPECT_ACCEPTED)
        verdict(t, STATUS_PASS, "%s", "");
}

/* ---- tensors */

static bool take(struct lab *lab, struct trial *t, int field, struct block *out)
{
    const struct opdesc_tensor *tensor = &t->c.desc->fields[field].tensor;
    return arena_take(lab->arena, tensor->total, tensor->alignment, t->c.spec->fields[field].name,
                      t->c.spec->fields[field].kind == FIELD_INPUT, out);
}

static assay_binding bind(const struct block *block, const uint8_t *at)
{
    return (assay_binding){
        .base = (void *)(uintptr_t)(at - block->offset), .offset = block->offset, .size = block->size};
}

/* What the reference device makes of the inputs, into `expected`; false: it did not. */
static bool ask_reference(struct lab *lab, struct trial *t)
{
    const struct plugin *p = lab->reference;
    assay_operator *op = NULL;
    assay_compiled *compiled = NULL;
    assay_binding outputs[OPDESC_MAX_FIELDS];
    assay_dispatch_result result = {.status = E_FAIL};
    struct marshal m;
    int count = 0;
    marshal_desc(t->c.spec, t->c.desc, &m);
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            outputs[count++] = bind(&t->expected[i], t->expected[i].write);
    HRESULT status = p->api->create_operator(p->device, &m.op, &op);
    if (SUCCEEDED(status))
        status = p->api->compile_operator(p->device, op, DML_EXECUTION_FLAG_NONE, &compiled);
    assay_dispatch_item item = {.compiled = compiled,
                                .inputs = t->inputs,
                                .outputs = outputs,
                                .input_count = (uint32_t)t->input_count,
                                .output_count = (uint32_t)count};
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

/* Every byte of an output starts as the complement of what is expected there, so that what is not written is wrong. */
static void prefill(const struct block *output, const struct block *expected)
{
    for (uint64_t i = 0; i < output->size; i++)
        output->write[i] = (uint8_t)~expected->write[i];
}

static void make_tensors(struct lab *lab, struct trial *t)
{
    const struct spec *spec = t->c.spec;
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
            fill_input(&t->c, t->seed, i, t->blocks[i].write, t->blocks[i].size);
            t->inputs[t->input_count++] = bind(&t->blocks[i], t->blocks[i].read);
        } else {
            memset(t->expected[i].write, 0, t->expected[i].size);
            t->outputs[t->output_count++] = bind(&t->blocks[i], t->blocks[i].write);
        }
    }
    if (!ask_reference(lab, t))
        return;
    for (int i = 0; i < spec->field_count; i++) {
        if (spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        if (t->c.literals && t->c.literals[i].data)
            fill_literal(&t->c, i, t->expected[i].write); /* the documents have the last word */
        prefill(&t->blocks[i], &t->expected[i]);
    }
}

void trial_prepare(struct lab *lab, struct trial *t)
{
    create(lab, t);
    if (!t->judged)
        make_tensors(lab, t);
}

/* ---- results */

/* How many elements of an output are defined: all, or the rows below a count, or those that the case gives. */
static uint64_t defined_elements(const struct trial *t, int field)
{
    const struct opdesc_tensor *tensor = &t->c.desc->fields[field].tensor;
    uint64_t count = UINT64_MAX;
    if (t->c.spec->rows.field == field) {
        int of = t->c.spec->rows.count_field;
        count = datatype_bits(t->c.desc->fields[of].tensor.data_type, t->expected[of].write);
        count *= tensor->sizes[tensor->dims - 1];
    }
    if (t->c.literals && t->c.literals[field].data && t->c.literals[field].count < count)
        count = t->c.literals[field].count;
    return count;
}

static void judge_output(struct trial *t, int field)
{
    const char *name = t->c.spec->fields[field].name;
    struct comparison comparison;
    int64_t where;
    if (!arena_intact(&t->blocks[field], &where)) {
        verdict(t, STATUS_FAIL, "wrote outside %s: %lld bytes %s", name, (long long)(where < 0 ? -where : where + 1),
                where < 0 ? "before its start" : "past its end");
        return;
    }
    compare_output(&t->c.desc->fields[field].tensor, t->expected[field].write, t->blocks[field].write,
                   defined_elements(t, field), &comparison);
    t->checksum = random_mix(t->checksum + 1) + comparison.checksum;
    if (comparison.agreement == AGREES || (comparison.agreement == AGREES_SOFTLY && t->judged))
        return;
    t->wrong = comparison.first;
    snprintf(t->wrong.tensor, sizeof t->wrong.tensor, "%s", name);
    if (comparison.agreement == AGREES_SOFTLY) {
        verdict(t, STATUS_WARN, "%s: a NaN's payload was changed, or a denormal flushed to zero", name);
        return;
    }
    if (comparison.unwritten == comparison.wrong)
        verdict(t, STATUS_FAIL, "%llu of %llu elements of %s were never written", (unsigned long long)comparison.wrong,
                (unsigned long long)comparison.compared, name);
    else
        verdict(t, t->c.soft ? STATUS_WARN : STATUS_FAIL, "%llu of %llu elements of %s are wrong",
                (unsigned long long)comparison.wrong, (unsigned long long)comparison.compared, name);
}

static void judge_input(struct trial *t, int field)
{
    int64_t where;
    if (!arena_intact(&t->blocks[field], &where))
        verdict(t, STATUS_FAIL, "wrote beside the input %s", t->c.spec->fields[field].name);
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

void trial_judge(struct lab *lab, struct trial *t, const assay_dispatch_result *result)
{
    char name[32];
    t->device_ns = result->device_ns;
    if (lab->dump)
        dump_outputs(t);
    if (result->status == DXGI_ERROR_DEVICE_REMOVED) {
        verdict(t, STATUS_DEVICE_LOST, "dispatch: the device is lost: %s", device_message(lab));
    } else if (result->status == DXGI_ERROR_UNSUPPORTED) {
        judge_unsupported(lab, t, "dispatch returned DXGI_ERROR_UNSUPPORTED");
    } else if (FAILED(result->status)) {
        verdict(t, STATUS_FAIL, "dispatch returned %s: %s", dml_error_name(result->status, name), device_message(lab));
    } else {
        for (int i = 0; i < t->c.spec->field_count && !t->judged; i++)
            if (t->c.spec->fields[i].kind == FIELD_INPUT)
                judge_input(t, i);
        for (int i = 0; i < t->c.spec->field_count && (!t->judged || t->status == STATUS_WARN); i++)
            if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
                judge_output(t, i);
    }
    if (!t->judged)
        verdict(t, STATUS_PASS, "%s", "");
}

void trial_finish(struct lab *lab, struct trial *t)
{
    const struct plugin *p = lab->device;
    uint64_t start = trial_clock();
    if (t->compiled)
        p->api->destroy_compiled(p->device, t->compiled);
    if (t->op)
        p->api->destroy_operator(p->device, t->op);
    t->host_ns += trial_clock() - start;
}
