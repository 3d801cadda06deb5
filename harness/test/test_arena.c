/* The arena: alignment, guard pages, canaries, memory that is returned; and the bindings of planned cases, in the first
 * dispatch and in the second. */
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/arena.h"
#include "harness/plan/plan.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"
#include "tools/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *arena;

static void test_alignment(void)
{
    size_t wrong = 0, starts = 0;
    for (uint32_t alignment = 0; alignment <= ARENA_MAX_ALIGNMENT; alignment = alignment ? alignment * 2 : 1)
        for (uint64_t size = 4; size < 20000; size = size * 3 + 4)
            for (uint64_t after = 0; after < 100; after += 48) {
                struct arena_request request = {.size = size, .after = after, .alignment = alignment, .name = "T"};
                uint64_t least = alignment < 16 ? 16 : alignment;
                struct block b;
                bool taken = arena_take(arena, &request, &b);
                wrong += !taken || (uintptr_t)b.write % least || (uintptr_t)b.read % least || b.offset % least;
                starts += b.offset < 64;
                arena_reset(arena);
            }
    ok(wrong == 0, "tensors start at multiples of 16 and of their alignment, in both views");
    ok(starts == 0, "at least 64 bytes before each hold canaries");
    struct arena_request request = {.size = 4, .alignment = 2 * ARENA_MAX_ALIGNMENT, .name = "T"};
    struct block b;
    ok(!arena_take(arena, &request, &b), "a larger alignment is refused");
}

static void test_canaries(void)
{
    struct arena_request request = {.size = 1000, .after = 32, .name = "T"};
    struct block b;
    int64_t where;
    size_t seen = 0;
    if (!ok(arena_take(arena, &request, &b) && arena_intact(&b, &where), "a new block is intact"))
        return;
    memset(b.write, 0, b.size);
    ok(arena_intact(&b, &where), "the tensor's own bytes may change");
    for (int64_t at = -64; at < 32; at++) {
        int64_t place = at < 0 ? at : 1000 + at;
        uint8_t was = b.write[place];
        b.write[place] = (uint8_t)(was ^ 1);
        seen += !arena_intact(&b, &where) && where == at;
        b.write[place] = was;
    }
    ok(seen == 96 && arena_intact(&b, &where), "every byte before and after it is watched: %zu", seen);
    arena_reset(arena);
}

/* Returns the signal that ends a child that reads, or writes, byte `at` of the block; 0: none. */
static int signal_of(const struct block *b, bool input, int64_t at, bool writes)
{
    pid_t pid = fork();
    if (pid == 0) {
        volatile uint8_t *byte = (uint8_t *)(uintptr_t)(input ? b->read : b->write) + at;
        uint8_t value = *byte;
        if (writes)
            *byte = value;
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_guards(void)
{
    struct arena_request request = {.size = 4096, .name = "T", .input = true};
    struct block b;
    if (!ok(arena_take(arena, &request, &b), "a tensor of a page"))
        return;
    fflush(stdout);
    ok(signal_of(&b, false, 0, true) == 0, "an output can be written");
    ok(signal_of(&b, true, 0, false) == 0, "an input can be read");
    ok(signal_of(&b, true, 0, true) != 0, "an input cannot be written");
    ok(signal_of(&b, true, 4096, false) != 0, "reading past the end of an input is a fault");
    ok(signal_of(&b, false, 4096, false) != 0, "reading past the end of an output is a fault");
    ok(signal_of(&b, true, -(int64_t)b.offset - 1, false) != 0, "reading before the pages of an input is a fault");
    struct block first;
    request.first = true;
    if (!ok(arena_take(arena, &request, &first) && first.offset == 0, "a tensor may be first in its pages"))
        return;
    fflush(stdout);
    ok(signal_of(&first, true, 0, false) == 0, "  it can be read");
    ok(signal_of(&first, true, -1, false) != 0, "  reading the byte before it is a fault");
    int64_t where;
    ok(arena_intact(&first, &where), "  a new block of this kind is intact");
    first.write[4096 + 63] ^= 1;
    ok(!arena_intact(&first, &where) && where == 63, "  64 bytes after it are watched");
    char text[128];
    ok(arena_locate(arena, b.read + 4, text, sizeof text) && strstr(text, "byte 4 of the read-only input 'T'"),
       "an address is described: %s", text);
    arena_reset(arena);
}

static bool map_nothing(void *context, int file, uint8_t *address, uint64_t size, uint64_t step, uint32_t count,
                        bool input)
{
    (void)context, (void)file, (void)address, (void)size, (void)step, (void)count, (void)input;
    return true;
}

/* Checks inputs of a device in another process: the memory around the last tensor is used again. */
static void test_sealed(void)
{
    const uint64_t room = 1 << 20;
    uint8_t *base = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const struct arena_sharing sharing = {.base = base, .size = room, .map = map_nothing};
    struct arena *shared = arena_new_shared(&sharing);
    const uint8_t *pages = NULL;
    unsigned intact = 0, same = 0, noticed = 0;
    for (unsigned i = 0; i < 100; i++) {
        struct arena_request request = {.size = 1 + i * 37 % 3000, .name = "T", .input = true, .first = i % 3 == 0};
        struct block b;
        int64_t where;
        if (!arena_take(shared, &request, &b))
            break;
        memset(b.write, (int)i, b.size);
        intact += arena_intact(&b, &where);
        same += pages && b.write - b.offset == pages;
        pages = b.write - b.offset;
        if (i % 5 == 0) { /* it is filled anew if it was found changed */
            b.write[b.size + 3 < 4096 - b.offset ? (int64_t)b.size + 3 : -4] ^= 1;
            noticed += !arena_intact(&b, &where);
        }
        arena_reset(shared);
    }
    ok(intact == 100 && same == 99 && noticed == 20, "an input used again is intact: %u of 100, on the same pages: %u",
       intact, same);
    arena_free(shared);
    munmap(base, room);
}

static long pages_mapped(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        pages = -1;
    if (file)
        fclose(file);
    return pages;
}

static void test_return(void)
{
    struct arena_request request = {.size = (uint64_t)160 << 20, .name = "T"};
    struct block b;
    long before = pages_mapped();
    if (!ok(arena_take(arena, &request, &b), "160 MiB are taken"))
        return;
    long with = pages_mapped();
    ok(with - before < 2 * ((160l << 20) / 4096) + 64, "no more memory than requested, mapped twice: %ld pages",
       with - before);
    memset(b.write, 1, b.size);
    arena_reset(arena);
    ok(pages_mapped() == before, "all of it is returned");
}

/* ---- the bindings of cases */

struct tally {
    size_t bindings, misaligned, too_small, zero, first, excess;
    size_t powers[13]; /* by the largest power of two that divides the offset */
};

static void count_bindings(const struct trial *t, const assay_binding *bindings, int count, enum field_kind kind,
                           struct tally *tally)
{
    int at = 0;
    for (int item = -1; (item = spec_next_tensor(t->c.spec, t->c.desc, item)) >= 0;) {
        const struct opdesc_tensor *tensor = &t->c.desc->items[item].tensor;
        if (field_is_input(spec_tensor_field(t->c.spec, item)) != (kind == FIELD_INPUT))
            continue;
        int i = at++;
        if (!tensor->present || i >= count)
            continue;
        uint64_t least = tensor->alignment < 16 ? 16 : tensor->alignment, offset = bindings[i].offset;
        tally->bindings++;
        tally->misaligned += offset % least || ((uintptr_t)bindings[i].base + offset) % least;
        tally->too_small += bindings[i].size < tensor->total;
        tally->excess += bindings[i].size > tensor->total;
        tally->zero += offset == 0;
        tally->first += t->blocks[item].offset == 0;
        for (unsigned power = 4; power <= 12; power++)
            tally->powers[power] += offset >> power & 1 && offset % (1u << power) == 0;
    }
}

static void count_trial(const struct trial *t, struct tally *tally)
{
    count_bindings(t, t->inputs, t->input_count, FIELD_INPUT, tally);
    count_bindings(t, t->outputs, t->output_count, FIELD_OUTPUT, tally);
}

static void test_arena_report(const char *which, const struct tally *t)
{
    size_t rare = SIZE_MAX;
    for (unsigned power = 4; power <= 8; power++)
        rare = t->powers[power] < rare ? t->powers[power] : rare;
    ok(t->bindings > 1000 && t->misaligned == 0 && t->too_small == 0, "%s: %zu bindings, all aligned and large enough",
       which, t->bindings);
    ok(t->zero > t->bindings / 8 && t->zero < t->bindings / 2, "%s: %zu have no offset", which, t->zero);
    ok(t->first > t->bindings / 5 && t->first < t->bindings / 3, "%s: nothing is mapped before %zu", which, t->first);
    ok(rare > 10, "%s: at least %zu offsets for each largest power of two from 16 to 256", which, rare);
}

/* Returns the place of the first output that is given. */
static uintptr_t place_of_output(const struct trial *t)
{
    int i = 0;
    while (i + 1 < t->output_count && !t->outputs[i].base)
        i++;
    return (uintptr_t)t->outputs[i].base + (uintptr_t)t->outputs[i].offset;
}

static void test_bindings(void)
{
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    struct spec_set specs;
    struct plan plan;
    struct plugin reference;
    struct tally first = {0}, second = {0};
    struct sample sample = {0};
    size_t moved = 0, again = 0, taken = 0;
    if (!ok(kept_specs(&specs, &error) == 0 && plan_make(&plan, &specs, "cases", &everything, &error) == 0 &&
                plugin_open_reference(&reference, &error) == 0,
            "set-up %s", error.text))
        return;
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena};
    for (size_t i = 0; i < plan.count; i++) {
        struct trial t = {.c = plan.cases[i], .seed = plan_case_seed(0, plan.cases[i].name)};
        if (!sample_takes(&sample, &plan.cases[i]) || t.c.expect != EXPECT_RESULTS ||
            !(i % 8 == 0 || t.c.dispatch_twice))
            continue;
        taken++;
        trial_prepare(&setup, &t);
        count_trial(&t, &first);
        assay_dispatch_item item = {t.objects.compiled, t.inputs, t.outputs, (uint32_t)t.input_count,
                                    (uint32_t)t.output_count};
        assay_dispatch_result result = {.status = E_FAIL};
        uintptr_t was = place_of_output(&t);
        reference.api->dispatch(reference.device, &item, 1, &result);
        trial_judge(&setup, &t, &result);
        if (trial_prepare_second(&setup, &t)) {
            again++;
            moved += place_of_output(&t) != was;
            count_trial(&t, &second);
        }
        trial_finish(&setup, &t);
        arena_reset(arena);
    }
    test_arena_report("first dispatch", &first);
    test_arena_report("second dispatch", &second);
    ok(first.excess == 0, "in the first dispatch bindings end with their tensors");
    ok(second.excess > second.bindings / 4 && second.excess < second.bindings, "in the second dispatch %zu are larger",
       second.excess);
    ok(again > taken / 4 && moved == again, "%zu second dispatches of %zu use other memory", again, taken);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    arena = arena_new();
    test_alignment();
    test_canaries();
    test_guards();
    test_sealed();
    test_return();
    test_bindings();
    arena_free(arena);
    return tap_done();
}
