/* faults_state.c: state carried from one dispatch to the next, and memory reached in indirect ways. */
#include "device/mutants/faults.h"

#include "harness/base/datatype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const struct tensor *struck_tensor(const struct strike *s)
{
    return &s->descriptor->outputs[0];
}

/* ---- outputs that are read */

static HRESULT keep_output(const struct strike *s)
{
    const assay_binding *output = &s->item->outputs[0];
    free(s->history->result);
    s->history->result = malloc(output->size);
    if (!s->history->result)
        return E_OUTOFMEMORY;
    memcpy(s->history->result, fault_start_of(output), output->size);
    return S_OK;
}

/* Adds zero times the old contents, as matrix products do that scale their output by zero: only old NaNs show. */
static HRESULT scale_by_zero(const struct strike *s)
{
    const struct tensor *t = struck_tensor(s);
    const uint8_t *before = s->history->result;
    uint8_t *output = fault_start_of(&s->item->outputs[0]);
    for (uint64_t i = 0; t->packed && i < t->count; i++)
        if (datatype_is_nan(t->type, datatype_bits(t->type, before + i * t->element_size)))
            memcpy(output + i * t->element_size, before + i * t->element_size, t->element_size);
    return S_OK;
}

static HRESULT combine(const struct strike *s, uint8_t (*with)(uint8_t was, uint8_t is))
{
    const struct tensor *t = struck_tensor(s);
    uint8_t *output = fault_start_of(&s->item->outputs[0]);
    for (uint64_t i = 0; t->packed && i < t->count * t->element_size; i++)
        output[i] = with(s->history->result[i], output[i]);
    return S_OK;
}

static uint8_t either(uint8_t was, uint8_t is)
{
    return was | is;
}

static uint8_t apart(uint8_t was, uint8_t is)
{
    return was ^ is;
}

static uint8_t unless_zero(uint8_t was, uint8_t is)
{
    return is ? is : was;
}

static HRESULT or_output(const struct strike *s)
{
    return combine(s, either);
}

static HRESULT xor_output(const struct strike *s)
{
    return combine(s, apart);
}

static HRESULT trust_zero(const struct strike *s)
{
    return combine(s, unless_zero);
}

/* ---- state that a compiled operator keeps from its first dispatch */

static HRESULT second_wrong(const struct strike *s)
{
    if (s->history->dispatches > 1)
        fault_start_of(&s->item->outputs[0])[0] ^= 1;
    return S_OK;
}

static HRESULT second_nothing(const struct strike *s)
{
    return s->history->dispatches > 1 ? S_FALSE : S_OK;
}

static HRESULT remember_result(const struct strike *s)
{
    struct history *h = s->history;
    uint64_t size = struck_tensor(s)->bytes;
    if (h->dispatches == 1 && (h->result = malloc(size)))
        memcpy(h->result, fault_start_of(&s->item->outputs[0]), size);
    else if (h->result)
        memcpy(fault_start_of(&s->item->outputs[0]), h->result, size);
    return S_OK;
}

/* Uses the bindings of the first dispatch instead of this one's. */
static HRESULT remember(const struct strike *s, bool inputs)
{
    struct history *h = s->history;
    if (h->dispatches == 1) {
        h->input = s->item->inputs[s->item->input_count - 1];
        h->output = s->item->outputs[0];
        return S_OK;
    }
    assay_binding in[4], out[4];
    struct assay_dispatch_item item = *s->item;
    memcpy(in, item.inputs, item.input_count * sizeof *in);
    memcpy(out, item.outputs, item.output_count * sizeof *out);
    *(inputs ? &in[item.input_count - 1] : &out[0]) = inputs ? h->input : h->output;
    item.inputs = in;
    item.outputs = out;
    naive_run(s->descriptor, &item, BUG_NONE);
    return S_FALSE;
}

static HRESULT remember_input(const struct strike *s)
{
    return remember(s, true);
}

static HRESULT remember_output(const struct strike *s)
{
    return remember(s, false);
}

/* Does not reset the counter. */
static HRESULT count_on(const struct strike *s)
{
    uint32_t count;
    if (s->descriptor->type != DML_OPERATOR_NONZERO_COORDINATES)
        return S_OK;
    memcpy(&count, fault_start_of(&s->item->outputs[0]), sizeof count);
    count += s->history->count;
    memcpy(fault_start_of(&s->item->outputs[0]), &count, sizeof count);
    s->history->count = count;
    return S_OK;
}

/* ---- memory reached in indirect ways */

static HRESULT write_mapped_input(const struct strike *s)
{
    uintptr_t page = (uintptr_t)fault_start_of(&s->item->inputs[0]) & ~(uintptr_t)4095;
    if (mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) != 0)
        return E_FAIL;
    fault_start_of(&s->item->inputs[0])[0] ^= 1;
    return mprotect((void *)page, 4096, PROT_READ) == 0 ? S_OK : E_FAIL;
}

static bool is_bound_to(const struct strike *s, uintptr_t from, uintptr_t to)
{
    for (uint32_t i = 0; i < s->item->output_count; i++) {
        uintptr_t at = (uintptr_t)fault_start_of(&s->item->outputs[i]);
        if (at >= from && at < to)
            return true;
    }
    return false;
}

/* Writes to the end of every writable tensor that is not bound to this item, as a wild pointer might. */
static HRESULT write_elsewhere(const struct strike *s)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[256];
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (strstr(line, " rw-s ") == NULL || strstr(line, "memfd:tensor") == NULL ||
            sscanf(line, "%lx-%lx", &from, &to) != 2 || is_bound_to(s, from, to))
            continue;
        memset((uint8_t *)to - 64, 0x40, 64);
    }
    if (maps)
        fclose(maps);
    return S_OK;
}

/* Writes rows with the gap after them, also after the last row. */
static HRESULT write_last_gap(const struct strike *s)
{
    const struct tensor *t = struck_tensor(s);
    uint64_t extent = 1, row = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        extent += (t->sizes[i] - 1ull) * t->strides[i];
        row = t->sizes[i] > 1 && (uint64_t)t->sizes[i] * t->strides[i] > row ? (uint64_t)t->sizes[i] * t->strides[i]
                                                                             : row;
    }
    for (uint64_t at = extent * t->element_size; at < row * t->element_size; at++)
        fault_start_of(&s->item->outputs[0])[at] = 0;
    return S_OK;
}

/* Clears the bytes of the binding after the tensor. */
static HRESULT fill_binding(const struct strike *s)
{
    const assay_binding *output = &s->item->outputs[0];
    memset(fault_start_of(output) + struck_tensor(s)->bytes, 0, output->size - struck_tensor(s)->bytes);
    return S_OK;
}

static HRESULT offset_zero(const struct strike *s)
{
    return s->item->outputs[0].offset == 0 ? S_FALSE : S_OK;
}

/* Rounds offsets down to an alignment that hardware prefers. */
static HRESULT round_offset(const struct strike *s)
{
    assay_binding in[4];
    struct assay_dispatch_item item = *s->item;
    memcpy(in, item.inputs, item.input_count * sizeof *in);
    in[0].offset = in[0].offset / 256 * 256;
    item.inputs = in;
    naive_run(s->descriptor, &item, BUG_NONE);
    return S_FALSE;
}

/* ---- later */

static void write_late(struct history *h)
{
    fault_start_of(&h->output)[0] ^= 1;
}

static HRESULT note_output(const struct strike *s)
{
    s->history->output = s->item->outputs[0];
    s->history->on_destroy = write_late;
    return S_OK;
}

const struct fault state_faults[] = {
    {.name = "scale-by-zero",
     .cause = "not-written nan-canonical nan-quieted",
     .what = "the old contents of the first output are added times zero: old NaNs stay",
     .before = keep_output,
     .after = scale_by_zero},
    {.name = "or-output",
     .cause = "previous-mixed",
     .what = "the first output is or-ed with its old contents",
     .before = keep_output,
     .after = or_output},
    {.name = "xor-output",
     .cause = "previous-mixed",
     .what = "the first output is xor-ed with its old contents",
     .before = keep_output,
     .after = xor_output},
    {.name = "trust-zero",
     .cause = "previous-mixed not-written",
     .what = "zeros are not written, as if the first output were all zeros before",
     .before = keep_output,
     .after = trust_zero},
    {.name = "second-wrong",
     .cause = "one-bit",
     .what = "from the second dispatch on, a bit is wrong",
     .after = second_wrong},
    {.name = "second-nothing",
     .cause = "not-written",
     .what = "the second dispatch does nothing",
     .before = second_nothing},
    {.name = "remember-result",
     .cause = "first-dispatch",
     .what = "the second dispatch gives the result of the first",
     .after = remember_result},
    {.name = "remember-input",
     .cause = "first-dispatch misplaced",
     .what = "the second dispatch reads the first one's last input",
     .before = remember_input},
    {.name = "remember-output",
     .cause = "not-written",
     .what = "the second dispatch writes the first one's output",
     .before = remember_output},
    {.name = "count-on",
     .cause = "count-added count-wrong",
     .what = "the second dispatch continues the count of the first",
     .after = count_on},
    {.name = "write-mapped-input", .what = "an input is made writable and written", .after = write_mapped_input},
    {.name = "write-elsewhere", .what = "tensors of other cases are written", .after = write_elsewhere},
    {.name = "write-last-gap",
     .what = "the gap after the last row is written",
     .issue = "iree-turbine#1300",
     .after = write_last_gap},
    {.name = "fill-binding", .what = "the bytes of a binding after its tensor are cleared", .after = fill_binding},
    {.name = "offset-zero",
     .cause = "not-written",
     .what = "an output at offset 0 is treated as absent",
     .before = offset_zero},
    {.name = "round-offset",
     .cause = "offset-rounded offset-ignored misplaced",
     .what = "offsets are rounded down to 256",
     .before = round_offset},
    {.name = "write-late", .what = "the first output is written while its operator is destroyed", .after = note_output},
};

const unsigned state_fault_count = sizeof state_faults / sizeof *state_faults;
