#include "harness/case/elements.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/case/fill.h"
#include "harness/base/profile.h"
#include "harness/base/random.h"
#include "harness/trial/trial_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    return interpretation_defined(&t->c, field, outputs_of(t, true, expected));
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
        trial_deviates(t, CAUSE_MEMORY, false, "wrote beside the input %s", name);
    else
        trial_deviates(t, CAUSE_MEMORY, false, "wrote outside %s: %lld bytes %s", name,
                       (long long)(where < 0 ? -where : where + 1), where < 0 ? "before its start" : "past its end");
    return false;
}

/* With what is expected where nothing is open; its bits go into the checksum. */
static void compare_field(struct trial *t, int field, struct comparison *comparison)
{
    compare_output(&t->c.desc->fields[field].tensor, trial_poison(t), t->expected[field].write, t->blocks[field].write,
                   defined_elements(t, field), comparison);
    t->checksum = random_mix(t->checksum + 1) + comparison->checksum;
}

static void judge_output(struct trial *t, int field)
{
    const char *name = t->c.spec->fields[field].name;
    struct comparison comparison;
    compare_field(t, field, &comparison);
    if (comparison.agreement == AGREES || (comparison.agreement == AGREES_SOFTLY && t->judged))
        return;
    t->wrong = comparison.first;
    snprintf(t->wrong.tensor, sizeof t->wrong.tensor, "%s", name);
    if (comparison.agreement == AGREES_SOFTLY)
        trial_deviates(t, CAUSE_RESULT, true, "%s: a NaN's payload was changed, or a denormal flushed to zero", name);
    else if (comparison.unwritten == comparison.wrong)
        trial_deviates(t, CAUSE_RESULT, false, "%llu of %llu elements of %s were never written",
                       (unsigned long long)comparison.wrong, (unsigned long long)comparison.compared, name);
    else
        trial_deviates(t, CAUSE_RESULT, t->c.soft, "%llu of %llu elements of %s are wrong",
                       (unsigned long long)comparison.wrong, (unsigned long long)comparison.compared, name);
}

/* Outputs of which the documents leave something open, and which are no reading as a whole: what is settled must be as
 * expected; the rest, one reading here and another there, or else it is the rule's strength that decides. */
static void judge_mixed(struct trial *t, const struct rule *rule)
{
    uint64_t wrong = 0, open = 0, unmatched = 0;
    bool settled = !rule->anywhere, soft = true;
    for (int i = 0; i < t->c.spec->field_count && wrong == 0; i++) {
        const uint8_t *alternatives[INTERPRETATIONS_MAX];
        struct comparison comparison;
        if (t->c.spec->fields[i].kind != FIELD_OUTPUT)
            continue;
        for (int r = 0; r < t->interpretations->count; r++)
            alternatives[r] = t->interpretations->list[r].outputs[i];
        compare_output_open(&t->c.desc->fields[i].tensor, trial_poison(t), t->expected[i].write, t->blocks[i].write,
                            defined_elements(t, i), alternatives, t->interpretations->count, &comparison);
        wrong += settled ? comparison.wrong : 0;
        open += comparison.open + (settled ? 0 : comparison.wrong);
        unmatched += comparison.unmatched + (settled ? 0 : comparison.wrong);
        soft &= comparison.agreement != DIFFERS;
        if (comparison.agreement != AGREES || comparison.open) {
            t->wrong = comparison.first;
            snprintf(t->wrong.tensor, sizeof t->wrong.tensor, "%s", t->c.spec->fields[i].name);
        }
    }
    if (wrong == 0 && unmatched == 0 && soft && rule->accepts >> OUTCOME_EACH & 1)
        t->outcome = OUTCOME_EACH;
    if (wrong > 0)
        trial_deviates(t, CAUSE_RESULT, false, "%llu elements of %s are wrong, of those that nothing leaves open",
                       (unsigned long long)wrong, t->wrong.tensor);
    else if (rule->accepts >> t->outcome & 1)
        memset(&t->wrong, 0, sizeof t->wrong);
    else
        trial_deviates(t, CAUSE_RESULT, rule->strength == STRENGTH_SOFT,
                       "%s: the outputs are none that is accepted (%llu elements differ)", rule->id,
                       (unsigned long long)(open ? open : 1));
}

/* Whatever is open: an output that was not written at all is wrong. */
static bool judge_untouched(struct trial *t, int field)
{
    struct comparison comparison;
    compare_field(t, field, &comparison);
    if (comparison.compared == 0 || comparison.unwritten < comparison.compared)
        return false;
    trial_deviates(t, CAUSE_RESULT, false, "all %llu elements of %s were never written",
                   (unsigned long long)comparison.compared, t->c.spec->fields[field].name);
    return true;
}

static void judge_open(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT && judge_untouched(t, i))
            return;
    const struct rule *rule = &t->c.spec->rules[t->c.rule];
    const uint8_t *outputs[OPDESC_MAX_FIELDS];
    t->outcome = interpretations_find(t->interpretations, &t->c, outputs_of(t, false, outputs));
    if (t->outcome == OUTCOME_OTHER)
        judge_mixed(t, rule);
    else if (!(rule->accepts >> t->outcome & 1))
        trial_deviates(t, CAUSE_RESULT, true, "%s: the outputs are those of the outcome '%s'", rule->id,
                       outcome_name(t->outcome));
}

/* What nobody is to write: inputs, whatever a device makes of their pages, and what the harness keeps for itself. */
static void judge_seal(struct trial *t, int field)
{
    bool input = t->c.spec->fields[field].kind == FIELD_INPUT;
    if (trial_seal(input ? &t->blocks[field] : &t->expected[field]) == t->seals[field])
        return;
    t->unsure = true;
    trial_deviates(t, CAUSE_MEMORY, false,
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
            elements_each(&t->c.desc->fields[i].tensor, dump_element, &d);
            dump(t->dump, "\n");
        }
    }
}

static void judge_tensors(struct trial *t)
{
    for (int i = 0; i < t->c.spec->field_count && !t->judged; i++)
        if (field_is_tensor(&t->c.spec->fields[i]) && judge_bounds(t, i))
            judge_seal(t, i);
    if (t->interpretations && !t->judged)
        judge_open(t);
    for (int i = 0; i < t->c.spec->field_count && !t->interpretations && (!t->judged || t->status == STATUS_WARN); i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            judge_output(t, i);
    for (int i = 0; i < t->c.spec->field_count; i++)
        if (t->c.spec->fields[i].kind == FIELD_OUTPUT)
            t->closing[i] = trial_seal(&t->blocks[i]);
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

enum { DISPATCH_MESSAGE = 400 };

/* What the device says of its last dispatch, with ": " in front; "" if nothing. */
static const char *dispatch_message(const struct trial_setup *setup, char text[DISPATCH_MESSAGE])
{
    const char *message = trial_message(setup);
    snprintf(text, DISPATCH_MESSAGE, "%s%.*s", *message ? ": " : "", DISPATCH_MESSAGE - 80, message);
    size_t used = strlen(text);
    if (*message && setup->failed > 1)
        snprintf(text + used, DISPATCH_MESSAGE - used, " (the one message for %u items that failed together)",
                 setup->failed);
    return text;
}

void trial_judge(struct trial_setup *setup, struct trial *t, const assay_dispatch_result *result)
{
    char name[32], text[DISPATCH_MESSAGE + 64], message[DISPATCH_MESSAGE];
    profile_enter(PROFILE_ORACLE);
    if (t->round == 0)
        t->device_ns = result->device_ns;
    if (result->status == DXGI_ERROR_DEVICE_REMOVED) {
        trial_verdict(t, STATUS_DEVICE_LOST, "dispatch: the device is lost%s", dispatch_message(setup, message));
    } else if (result->status == DXGI_ERROR_UNSUPPORTED) {
        snprintf(text, sizeof text, "dispatch returned DXGI_ERROR_UNSUPPORTED%s", dispatch_message(setup, message));
        trial_judge_unsupported(setup, t, text);
    } else if (result->status == E_OUTOFMEMORY && trial_bytes(t) >= TRIAL_LARGE) {
        trial_verdict(t, STATUS_UNSUPPORTED, "dispatch returned E_OUTOFMEMORY%s", dispatch_message(setup, message));
    } else if (FAILED(result->status)) {
        trial_deviates(t, CAUSE_ERROR, false, "dispatch returned %s%s", dml_error_name(result->status, name),
                       dispatch_message(setup, message));
    } else {
        judge_tensors(t);
    }
    if (!t->judged)
        trial_verdict(t, STATUS_PASS, "%s", "");
    if (setup->dump && (t->round == 0 || t->status != STATUS_PASS))
        dump_outputs(t);
    judge_again(t);
    profile_enter(PROFILE_OTHER);
}
