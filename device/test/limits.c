/* limits.c: measures plain loops in C on the cases of cases/bench/large.json: limits NAME…
 *
 * Each loop is the one that a programmer would write first, in FLOAT32, on one thread, built with -O3, on tensors like
 * the case's. The program prints for each name the least time of RUNS runs, in nanoseconds. tools/bench-processor.lua
 * shows it beside devices. */
#include "device/test/random.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EDGE = 4096, ALL = EDGE * EDGE, CHOSEN = 50, RUNS = 7 };

static float *in, *other, *out;
static int64_t *places;
static uint32_t *rows_found;
static volatile double kept; /* keeps compilers from removing the loops */

/* ---- contents */

static void fill_values(void)
{
    for (int i = 0; i < ALL; i++) {
        in[i] = (float)((int64_t)(random_number() % 2049) - 1024) * 0.25f;
        other[i] = (float)(random_number() % 1000) * 0.125f;
    }
}

static void fill_nonzero(int percent)
{
    for (int i = 0; i < ALL; i++) {
        in[i] = 1;
        if (percent == 1)
            in[i] = i % 256 == 255 || i % 256 < 2; /* like the fill nonzero-edges-256 */
        else if (percent == 50)
            in[i] = (float)(random_number() >> 63);
    }
}

static void fill_places(int count, uint64_t below)
{
    for (int i = 0; i < count; i++)
        places[i] = (int64_t)(random_number() % below);
}

static void fill_permutation(void)
{
    for (int i = 0; i < ALL; i++)
        places[i] = i;
    for (int i = ALL - 1; i > 0; i--) {
        int j = (int)(random_number() % (uint64_t)(i + 1));
        int64_t place = places[i];
        places[i] = places[j];
        places[j] = place;
    }
}

/* ---- loops */

static void limit_copy(void)
{
    memcpy(out, in, ALL * sizeof *out);
}

static void limit_gather_tuples(void)
{
    for (int i = 0; i < ALL; i++)
        out[i] = in[places[2 * i] * EDGE + places[2 * i + 1]];
}

static void limit_gather_down(void)
{
    for (int r = 0; r < EDGE; r++)
        for (int c = 0; c < EDGE; c++)
            out[r * EDGE + c] = in[places[r * EDGE + c] * EDGE + c];
}

static void limit_gather_along(void)
{
    for (int r = 0; r < EDGE; r++)
        for (int c = 0; c < EDGE; c++)
            out[r * EDGE + c] = in[r * EDGE + places[r * EDGE + c]];
}

static void limit_scatter(void)
{
    memcpy(out, in, ALL * sizeof *out);
    for (int i = 0; i < ALL; i++)
        out[places[i]] = other[i];
}

/* Writes each row and keeps it if the element is not zero: a processor would mispredict a branch half of the time. */
static void limit_nonzero(void)
{
    uint32_t *row = rows_found;
    for (int r = 0; r < EDGE; r++)
        for (int c = 0; c < EDGE; c++) {
            row[0] = (uint32_t)r;
            row[1] = (uint32_t)c;
            row += in[r * EDGE + c] != 0 ? 2 : 0;
        }
    kept = (double)(row - rows_found);
}

static void limit_add(void)
{
    for (int i = 0; i < ALL; i++)
        out[i] = in[i] + other[i];
}

static void limit_softmax(void)
{
    for (int r = 0; r < EDGE; r++) {
        const float *x = in + r * EDGE;
        float *y = out + r * EDGE, most = x[0], sum = 0;
        for (int c = 1; c < EDGE; c++)
            most = x[c] > most ? x[c] : most;
        for (int c = 0; c < EDGE; c++)
            sum += y[c] = expf(x[c] - most);
        for (int c = 0; c < EDGE; c++)
            y[c] /= sum;
    }
}

static void limit_sum_rows(void)
{
    for (int r = 0; r < EDGE; r++) {
        float sum = 0;
        for (int c = 0; c < EDGE; c++)
            sum += in[r * EDGE + c];
        out[r] = sum;
    }
}

static void limit_sum_columns(void)
{
    memset(out, 0, EDGE * sizeof *out);
    for (int r = 0; r < EDGE; r++)
        for (int c = 0; c < EDGE; c++)
            out[c] += in[r * EDGE + c];
}

static void limit_running_sum(void)
{
    for (int r = 0; r < EDGE; r++) {
        float sum = 0;
        for (int c = 0; c < EDGE; c++)
            out[r * EDGE + c] = sum += in[r * EDGE + c];
    }
}

/* Keeps a sorted list: each element is inserted in order. */
static void limit_top(void)
{
    for (int r = 0; r < EDGE; r++) {
        float *values = out + r * CHOSEN;
        uint32_t *indices = rows_found + r * CHOSEN;
        int count = 0;
        for (int c = 0; c < EDGE; c++) {
            float x = in[r * EDGE + c];
            if (count == CHOSEN && !(x > values[CHOSEN - 1]))
                continue;
            int at = count < CHOSEN ? count++ : CHOSEN - 1;
            for (; at > 0 && x > values[at - 1]; at--) {
                values[at] = values[at - 1];
                indices[at] = indices[at - 1];
            }
            values[at] = x;
            indices[at] = (uint32_t)c;
        }
    }
}

static void limit_normalise(void)
{
    for (int r = 0; r < EDGE; r++) {
        const float *x = in + r * EDGE;
        float *y = out + r * EDGE, mean = 0, variance = 0;
        for (int c = 0; c < EDGE; c++)
            mean += x[c];
        mean /= EDGE;
        for (int c = 0; c < EDGE; c++)
            variance += (x[c] - mean) * (x[c] - mean);
        float factor = 1 / sqrtf(variance / EDGE + 1e-5f);
        for (int c = 0; c < EDGE; c++)
            y[c] = (x[c] - mean) * factor * other[c] + other[EDGE + c];
    }
}

/* ---- measuring */

static const struct limit {
    const char *name;
    void (*run)(void);
    int percent;    /* nonzero elements of 100 */
    int tuple;      /* number of indices for each element */
    uint64_t below; /* bound of the indices; 0: a permutation */
} limits[] = {
    {"large.copy", limit_copy, 0, 0, 0},
    {"large.gather-nd", limit_gather_tuples, 0, 2, EDGE},
    {"large.gather-elements-0", limit_gather_down, 0, 1, EDGE},
    {"large.gather-elements-1", limit_gather_along, 0, 1, EDGE},
    {"large.scatter-nd", limit_scatter, 0, 1, 0},
    {"large.nonzero-1", limit_nonzero, 1, 0, 0},
    {"large.nonzero-50", limit_nonzero, 50, 0, 0},
    {"large.nonzero-100", limit_nonzero, 100, 0, 0},
    {"large.add", limit_add, 0, 0, 0},
    {"large.softmax", limit_softmax, 0, 0, 0},
    {"large.sum-of-rows", limit_sum_rows, 0, 0, 0},
    {"large.sum-of-columns", limit_sum_columns, 0, 0, 0},
    {"large.running-sum", limit_running_sum, 0, 0, 0},
    {"large.top-50", limit_top, 0, 0, 0},
    {"large.layer-norm", limit_normalise, 0, 0, 0},
};

static uint64_t limit_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void measure_limit(const struct limit *limit)
{
    uint64_t least = UINT64_MAX;
    if (limit->percent)
        fill_nonzero(limit->percent);
    else
        fill_values();
    if (limit->tuple && limit->below)
        fill_places(limit->tuple * ALL, limit->below);
    else if (limit->tuple)
        fill_permutation();
    for (int i = 0; i < RUNS; i++) {
        uint64_t start = limit_now();
        limit->run();
        uint64_t took = limit_now() - start;
        kept = (double)out[took % ALL];
        least = took < least ? took : least;
    }
    printf("%s %llu\n", limit->name, (unsigned long long)least);
    fflush(stdout);
}

/* Allocates zeroed memory whose pages are mapped. */
static void *allocate_pages(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        exit(1);
    return memset(memory, 0, bytes);
}

int main(int argc, char **argv)
{
    in = allocate_pages(ALL * sizeof *in);
    other = allocate_pages(ALL * sizeof *other);
    out = allocate_pages(ALL * sizeof *out);
    places = allocate_pages(2 * ALL * sizeof *places);
    rows_found = allocate_pages((2 * ALL + 2) * sizeof *rows_found);
    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < sizeof limits / sizeof *limits && strcmp(limits[k].name, argv[i]) != 0)
            k++;
        if (k == sizeof limits / sizeof *limits) {
            fprintf(stderr, "limits: there is no loop for %s\n", argv[i]);
            return 2;
        }
        measure_limit(&limits[k]);
    }
    free(in);
    free(other);
    free(out);
    free(places);
    free(rows_found);
    return 0;
}
