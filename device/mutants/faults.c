/* faults.c: wrong bits, accesses outside tensors, crashes and hangs, processes left behind; and the faults that
 * mutants.c implements. */
#include "device/mutants/faults.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

static uint8_t *end_of(const assay_binding *binding)
{
    return fault_start_of(binding) + binding->size;
}

/* ---- wrong results */

static HRESULT flip_bit(const struct strike *s)
{
    fault_start_of(&s->item->outputs[0])[0] ^= 1;
    return S_OK;
}

static HRESULT flip_last(const struct strike *s)
{
    /* All four bytes: in a tensor of small elements that is rounded up, the last bytes are padding. */
    for (int i = 1; i <= 4; i++)
        end_of(&s->item->outputs[0])[-i] ^= 0x10;
    return S_OK;
}

static HRESULT flip_random(const struct strike *s)
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) == sizeof random && random % 3 == 0)
        fault_start_of(&s->item->outputs[0])[random / 256 % s->descriptor->outputs[0].element_size] ^=
            (uint8_t)(1u << (random >> 3) % 8);
    return S_OK;
}

static HRESULT do_nothing(const struct strike *s)
{
    (void)s;
    return S_FALSE;
}

static HRESULT zero_output(const struct strike *s)
{
    memset(fault_start_of(&s->item->outputs[0]), 0, s->item->outputs[0].size);
    return S_OK;
}

/* Mixes the bytes that the run before left in uncleared scratch memory into the first element. */
static HRESULT keep_scratch(const struct strike *s)
{
    static uint8_t scratch[8];
    uint8_t fresh[8] = {0}, *at = fault_start_of(&s->item->outputs[0]);
    size_t size = s->descriptor->outputs[0].element_size;
    memcpy(fresh, at, size);
    for (size_t i = 0; i < size; i++)
        at[i] |= scratch[i];
    memcpy(scratch, fresh, sizeof scratch);
    return S_OK;
}

/* Gives NaNs another payload in each run. */
static HRESULT count_nans(const struct strike *s)
{
    static uint32_t runs;
    uint64_t size = s->descriptor->outputs[0].type == DML_TENSOR_DATA_TYPE_FLOAT32 ? s->item->outputs[0].size : 0;
    runs++;
    for (uint64_t at = 0; at + 4 <= size; at += 4) {
        uint32_t bits;
        memcpy(&bits, fault_start_of(&s->item->outputs[0]) + at, 4);
        if ((bits & 0x7f800000) == 0x7f800000 && (bits & 0x007fffff) != 0) {
            bits = (bits & 0xffc00000) | 0x00400000 | (runs & 0x3fffff);
            memcpy(fault_start_of(&s->item->outputs[0]) + at, &bits, 4);
        }
    }
    return S_OK;
}

/* Leaves a mode: two operators, one after the other, set a mode that breaks a third one. */
static HRESULT leave_mode(const struct strike *s)
{
    static int mode;
    const struct descriptor *d = s->descriptor;
    if (mode == 0 && d->type == DML_OPERATOR_GATHER && d->inputs[0].type == DML_TENSOR_DATA_TYPE_FLOAT64)
        mode = 1;
    if (mode == 1 && d->type == DML_OPERATOR_NONZERO_COORDINATES)
        mode = 2;
    return mode == 2 && d->type == DML_OPERATOR_SCATTER_ND ? flip_bit(s) : S_OK;
}

/* ---- memory */

static HRESULT write_past_end(const struct strike *s)
{
    end_of(&s->item->outputs[0])[0] = 0;
    return S_OK;
}

static HRESULT write_word_past_end(const struct strike *s)
{
    memset(end_of(&s->item->outputs[s->item->output_count - 1]), 0, 4);
    return S_OK;
}

static HRESULT write_far_past_end(const struct strike *s)
{
    end_of(&s->item->outputs[0])[100] = 0;
    return S_OK;
}

static HRESULT write_before_start(const struct strike *s)
{
    fault_start_of(&s->item->outputs[0])[-1] = 0;
    return S_OK;
}

static HRESULT write_line_before_start(const struct strike *s)
{
    memset(fault_start_of(&s->item->outputs[0]) - 64, 0, 4);
    return S_OK;
}

static HRESULT write_far_before_start(const struct strike *s)
{
    memset(fault_start_of(&s->item->outputs[0]) - 256, 0, 4);
    return S_OK;
}

static HRESULT write_input(const struct strike *s)
{
    fault_start_of(&s->item->inputs[0])[0] = 0;
    return S_OK;
}

static HRESULT write_input_back(const struct strike *s)
{
    volatile uint8_t *at = end_of(&s->item->inputs[s->item->input_count - 1]) - 1;
    *at = *at;
    return S_OK;
}

static HRESULT write_beside_input(const struct strike *s)
{
    end_of(&s->item->inputs[0])[0] = 0;
    return S_OK;
}

static HRESULT read_past_end(const struct strike *s)
{
    volatile uint8_t byte = end_of(&s->item->inputs[0])[16];
    return byte == 0 ? S_OK : S_OK;
}

static HRESULT read_before_start(const struct strike *s)
{
    uint32_t last = s->item->input_count - 1;
    volatile uint8_t byte = s->item->inputs[last].base ? fault_start_of(&s->item->inputs[last])[-1] : 0;
    return byte == 0 ? S_OK : S_OK;
}

static HRESULT read_before_output(const struct strike *s)
{
    volatile uint32_t word = ((uint32_t *)(void *)fault_start_of(&s->item->outputs[0]))[-1];
    return word == 0 ? S_OK : S_OK;
}

static HRESULT read_vector(const struct strike *s)
{
    const assay_binding *last = &s->item->inputs[s->item->input_count - 1];
    volatile uint8_t byte = (end_of(last) - 4)[19];
    return byte == 0 ? S_OK : S_OK;
}

/* ---- the process */

static HRESULT crash(const struct strike *s)
{
    (void)s;
    fputs("about to touch a null pointer\n", stderr);
    *(volatile int *)NULL = 1;
    return S_OK;
}

static HRESULT abort_process(const struct strike *s)
{
    (void)s;
    abort();
}

static HRESULT exit_process(const struct strike *s)
{
    (void)s;
    _exit(3);
}

static volatile int forever = 1;

static HRESULT hang(const struct strike *s)
{
    (void)s;
    while (forever)
        pause();
    return S_OK;
}

static HRESULT spin(const struct strike *s)
{
    (void)s;
    while (forever)
        ;
    return S_OK;
}

static HRESULT overflow_stack(const struct strike *s)
{
    volatile char frame[65536];
    frame[0] = (char)s->item->input_count;
    frame[sizeof frame - 1] = forever ? (char)overflow_stack(s) : 0;
    return frame[0] == frame[sizeof frame - 1] ? S_OK : S_FALSE;
}

static HRESULT kill_self(const struct strike *s)
{
    (void)s;
    raise(SIGKILL);
    return S_OK;
}

static HRESULT divide(const struct strike *s)
{
    volatile int one = (int)s->item->output_count, none = 0;
    return one / none;
}

/* ---- streams, and other processes */

static HRESULT stop_self(const struct strike *s)
{
    static int stopped;
    (void)s;
    if (!stopped++)
        raise(SIGSTOP);
    return S_OK;
}

static HRESULT close_output(const struct strike *s)
{
    (void)s;
    close(STDOUT_FILENO);
    return S_OK;
}

static HRESULT close_all(const struct strike *s)
{
    (void)s;
    close_range(0, ~0u, 0);
    return S_OK;
}

static HRESULT replace_output(const struct strike *s)
{
    (void)s;
    FILE *file = freopen("/dev/null", "w", stderr);
    return file ? S_OK : E_FAIL;
}

static HRESULT leave_child(const struct strike *s)
{
    (void)s;
    if (fork() == 0)
        for (;;)
            pause();
    return S_OK;
}

/* Leaves a daemon: in a session of its own, without its parent, ignoring SIGTERM. */
static HRESULT leave_daemon(const struct strike *s)
{
    (void)s;
    pid_t child = fork();
    if (child == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() > 0)
            _exit(0);
        for (;;)
            pause();
    }
    waitpid(child, NULL, 0);
    return S_OK;
}

static HRESULT leave_daemon_and_crash(const struct strike *s)
{
    leave_daemon(s);
    return crash(s);
}

static HRESULT hang_deaf(const struct strike *s)
{
    signal(SIGTERM, SIG_IGN);
    return hang(s);
}

/* Allocates more than a worker may have under a small --allow memory. The memory is not touched, so the machine does
 * not notice. */
static HRESULT take_memory(const struct strike *s)
{
    enum { PIECES = 64, PIECE = 16 << 20 };
    char *pieces[PIECES];
    (void)s;
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = malloc(PIECE);
        if (!pieces[i])
            abort();
    }
    for (int i = 0; i < PIECES; i++)
        free(pieces[i]);
    return S_OK;
}

static HRESULT chatter(const struct strike *s)
{
    for (int i = 0; i < 30000; i++)
        fprintf(stderr, "line %d of a rather long text that a device may print before it dies\n", i);
    return crash(s);
}

/* Overwrites all shared memory, including the memory that the harness shares with its worker. */
static HRESULT write_everywhere(const struct strike *s)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    (void)s;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx rw", &start, &end) == 2 && strstr(line, "rw-") && strstr(line, "memfd:"))
            memset((void *)start, 0x5a, end - start);
    }
    return crash(s);
}

static void crash_open(void)
{
    crash(NULL);
}

const struct fault faults[] = {
    {.name = "none", .what = "nothing is wrong"},
    {.name = "flip-bit", .cause = "one-bit", .what = "the first bit of the first output is wrong", .after = flip_bit},
    {.name = "flip-last",
     .cause = "one-bit",
     .what = "a bit in each of the last bytes of the first output is wrong",
     .after = flip_last},
    {.name = "flip-random",
     .cause = "one-bit zeros", /* the number may have no other bit */
     .what = "a random bit of the first element is wrong, now and then",
     .issue = "torch-xpu-ops#4396",
     .after = flip_random},
    {.name = "do-nothing", .cause = "not-written", .what = "outputs are never written", .before = do_nothing},
    {.name = "zero-output", .cause = "zeros", .what = "the first output is all zero", .after = zero_output},
    {.name = "keep-scratch",
     .cause = "count-wrong",
     .what = "the first element has bits of the run before",
     .after = keep_scratch},
    {.name = "count-nans",
     .cause = "nan-canonical nan-quieted one-bit nans",
     .what = "every NaN gets the number of the run as its payload",
     .kind = BUG_SOFT,
     .after = count_nans},
    {.name = "leave-mode",
     .cause = "one-bit",
     .what = "after a GATHER of FLOAT64 and a NONZERO_COORDINATES, each SCATTER_ND is wrong",
     .after = leave_mode},
    {.name = "write-past-end", .what = "the byte after the first output is written", .after = write_past_end},
    {.name = "write-word-past-end", .what = "the word after the last output is written", .after = write_word_past_end},
    {.name = "write-far-past-end",
     .what = "a byte in the page after the first output is written",
     .issue = "apache/tvm#20297",
     .after = write_far_past_end},
    {.name = "write-before-start", .what = "the byte before the first output is written", .after = write_before_start},
    {.name = "write-line-before-start",
     .what = "the word 64 bytes before the first output is written",
     .after = write_line_before_start},
    {.name = "write-far-before-start",
     .what = "the word 256 bytes before the first output is written",
     .issue = "apache/tvm#20297",
     .after = write_far_before_start},
    {.name = "write-input", .what = "the first input is written", .after = write_input},
    {.name = "write-input-back", .what = "the last input is written with its own value", .after = write_input_back},
    {.name = "write-beside-input", .what = "the byte after the first input is written", .after = write_beside_input},
    {.name = "read-before-start", .what = "the byte before the last input is read", .after = read_before_start},
    {.name = "read-before-output", .what = "the word before the first output is read", .after = read_before_output},
    {.name = "read-past-end", .what = "the page after the first input is read", .after = read_past_end},
    {.name = "read-vector",
     .what = "the last word of an input is read as part of 20 bytes",
     .issue = "FlagGems#5230",
     .after = read_vector},
    {.name = "crash", .what = "a null pointer is written in dispatch", .before = crash},
    {.name = "abort", .what = "abort() in dispatch", .before = abort_process},
    {.name = "exit", .what = "_exit(3) in dispatch", .before = exit_process},
    {.name = "kill", .what = "SIGKILL in dispatch", .before = kill_self},
    {.name = "divide", .what = "a division by zero in dispatch", .before = divide},
    {.name = "hang", .what = "dispatch never returns", .before = hang},
    {.name = "spin", .what = "dispatch loops for ever", .before = spin},
    {.name = "overflow-stack",
     .what = "endless recursion in dispatch",
     .issue = "apache/tvm#12200",
     .before = overflow_stack},
    {.name = "stop", .what = "SIGSTOP in the first dispatch", .kind = BUG_OPEN, .before = stop_self},
    {.name = "close-output", .what = "standard output is closed", .before = close_output},
    {.name = "close-all", .what = "every descriptor is closed", .before = close_all},
    {.name = "replace-output", .what = "standard error is another file", .before = replace_output},
    {.name = "leave-child", .what = "a child process is left behind", .before = leave_child},
    {.name = "leave-daemon", .what = "a daemon is left behind", .before = leave_daemon},
    {.name = "leave-daemon-crash", .what = "a daemon is left behind by a crash", .before = leave_daemon_and_crash},
    {.name = "hang-deaf", .what = "dispatch never returns, and SIGTERM is ignored", .before = hang_deaf},
    {.name = "take-memory", .what = "1 GiB is allocated for a moment", .kind = BUG_OPEN, .before = take_memory},
    {.name = "chatter", .what = "30,000 lines are printed, then a null pointer is written", .before = chatter},
    {.name = "write-everywhere", .what = "all shared memory is overwritten, then a crash", .before = write_everywhere},
    {.name = "crash-open", .what = "a null pointer is written while the device is opened", .on_open = crash_open},
    {.name = "batch-first",
     .cause = "not-written",
     .what = "only the first item of a batch is run",
     .special = SPECIAL_BATCH_FIRST},
    {.name = "batch-unset",
     .cause = "not-written",
     .what = "only the last item of a batch gets a result",
     .special = SPECIAL_BATCH_UNSET},
    {.name = "batch-operator",
     .cause = "misplaced attribute-misread operator-reused",
     .what = "a batch is run with its first operator",
     .special = SPECIAL_BATCH_OPERATOR},
    {.name = "cache-strides",
     .cause = "strides-ignored misplaced not-written operator-reused",
     .what = "a compiled operator is reused for others that differ in strides",
     .special = SPECIAL_CACHE_STRIDES},
    {.name = "cache-attributes",
     .cause = "attribute-misread misplaced operator-reused",
     .what = "a compiled operator is reused for others that differ in attributes",
     .special = SPECIAL_CACHE_ATTRIBUTE},
    {.name = "cache-type",
     .cause = "count-wrong rows-missing rows-truncated misplaced operator-reused",
     .what = "a compiled operator is reused for others that differ in the type of the data",
     .special = SPECIAL_CACHE_TYPE},
    {.name = "cache-index",
     .cause = "index-type index-words index-low-half misplaced operator-reused",
     .what = "a compiled operator is reused for others that differ in the type of the indices",
     .special = SPECIAL_CACHE_INDEX},
};

const unsigned fault_count = sizeof faults / sizeof *faults;
