/* faults_races.c: two threads of a device at work on one output. They write words, and elements are smaller or larger
 * than a word: a neighbour's write is lost, or an element is half from one thread and half from the other. It takes
 * many elements. */
#include "device/mutants/faults.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, LEAST_SMALL = 2048, LEAST_LARGE = 1024 };

/* The share of one of two threads: the elements from `first` on, every other one. */
struct share {
    uint8_t *output;
    const uint8_t *right; /* the right contents of the output */
    uint64_t count;
    unsigned size, first; /* size: bytes of an element; first: 0 or 1 */
    atomic_uint *ready;
};

static void *write_share(void *context)
{
    const struct share *s = context;
    atomic_fetch_add(s->ready, 1);
    while (atomic_load(s->ready) < 2)
        sched_yield();
    for (uint64_t i = s->first; i < s->count; i += 2) {
        uint8_t word[WORD];
        uint64_t at = i * s->size, start = at / WORD * WORD;
        memcpy(word, s->output + start, WORD);
        atomic_signal_fence(memory_order_seq_cst); /* the word read is a copy, and all of it is written */
        memcpy(word + at % WORD, s->right + at, s->size);
        memcpy(s->output + start, word, WORD);
    }
    return NULL;
}

static int write_with_threads(uint8_t *output, const uint8_t *right, uint64_t count, unsigned size)
{
    atomic_uint ready = 0;
    struct share shares[2];
    pthread_t thread;
    for (unsigned i = 0; i < 2; i++)
        shares[i] = (struct share){output, right, count, size, i, &ready};
    if (pthread_create(&thread, NULL, write_share, &shares[1]) != 0)
        return 0;
    write_share(&shares[0]);
    pthread_join(thread, NULL);
    return 1;
}

/* Runs the item, then has `again` write its first output again. Returns S_FALSE: the item has been run. */
static HRESULT run_and(const struct strike *s, int (*again)(uint8_t *, const uint8_t *, uint64_t, unsigned))
{
    const assay_binding *binding = &s->item->outputs[0];
    uint8_t *output = (uint8_t *)binding->base + binding->offset;
    const struct tensor *t = &s->descriptor->outputs[0];
    uint64_t bytes = t->bytes / WORD * WORD;
    uint8_t *before = malloc(bytes + 1), *right = malloc(bytes + 1);
    int good = before && right && t->element_size > 0 && bytes <= binding->size;
    if (good)
        memcpy(before, output, bytes);
    naive_run(s->descriptor, s->item, BUG_NONE);
    if (good) {
        memcpy(right, output, bytes);
        memcpy(output, before, bytes);
        if (!again(output, right, bytes / t->element_size, t->element_size))
            memcpy(output, right, bytes);
    }
    free(before);
    free(right);
    return S_FALSE;
}

static int write_words(uint8_t *output, const uint8_t *right, uint64_t count, unsigned size)
{
    return size < WORD && count >= LEAST_SMALL && write_with_threads(output, right, count, size);
}

/* Loses a neighbour. The last element of the first half and the first element of the second are in one word, and the
 * first write to it is lost: the same in every run. */
static int lose_neighbour(uint8_t *output, const uint8_t *right, uint64_t count, unsigned size)
{
    uint64_t border = (count / 2 | 1) * size;
    if (size >= WORD || count < LEAST_SMALL)
        return 0;
    uint8_t lost[WORD];
    memcpy(lost, output + border - size, size);
    memcpy(output, right, count * size);
    memcpy(output + border - size, lost, size);
    return 1;
}

/* Tears an element. The element between two halves has its low half from this dispatch, its high half from before. */
static int tear_element(uint8_t *output, const uint8_t *right, uint64_t count, unsigned size)
{
    uint64_t at = count / 2 * size;
    uint8_t high[WORD];
    if (size != 2 * WORD || count < LEAST_LARGE)
        return 0;
    memcpy(high, output + at + WORD, WORD);
    memcpy(output, right, count * size);
    memcpy(output + at + WORD, high, WORD);
    return 1;
}

static HRESULT race_words(const struct strike *s)
{
    return run_and(s, write_words);
}

static HRESULT lose_at_border(const struct strike *s)
{
    return run_and(s, lose_neighbour);
}

static HRESULT tear_at_border(const struct strike *s)
{
    return run_and(s, tear_element);
}

const struct fault race_faults[] = {
    {.name = "race-words",
     .cause = "not-written",
     .what = "from 2,048 elements of 1 or 2 bytes on, two threads write neighbours in one word",
     .before = race_words},
    {.name = "lose-neighbour",
     .cause = "not-written",
     .what = "from 2,048 elements of 1 or 2 bytes on, one at the border of two threads is lost",
     .before = lose_at_border},
    {.name = "tear-element",
     .cause = "not-written high-half-lost",
     .what = "from 1,024 elements of 8 bytes on, one at the border of two threads keeps its high half",
     .before = tear_at_border},
};

const unsigned race_fault_count = sizeof race_faults / sizeof *race_faults;
