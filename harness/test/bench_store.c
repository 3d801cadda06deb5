/* Measures the rows that the store takes in a second: bench_store [ROWS] */
#include "harness/results/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double bench_store_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int bench_store_add_run(struct store *store, const char *device, unsigned rows, struct error *error)
{
    const struct store_run run = {.version = "0",
                                  .planned = rows,
                                  .command = "bench_store",
                                  .device = device,
                                  .device_name = device,
                                  .device_driver = "",
                                  .device_version = "",
                                  .feature_level = "6_4"};
    int64_t id;
    if (store_begin_run(store, &run, &id, error))
        return 1;
    for (unsigned i = 0; i < rows; i++) {
        char name[128];
        snprintf(name, sizeof name, "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k%06u", i);
        const struct record record = {.case_name = name,
                                      .last = true,
                                      .operator_name = "GATHER_ND",
                                      .feature_level = "3_0",
                                      .data_types = "float32-uint32",
                                      .device = device,
                                      .rule = "indices-range",
                                      .pages = "bed83-115, A6",
                                      .strength = "must",
                                      .outcome = "",
                                      .expected = "outputs as the reference device",
                                      .message = "",
                                      .reproduce = "",
                                      .verdict.status = STATUS_PASS,
                                      .seed = 0x9e3779b97f4a7c15u * i,
                                      .verdict.host_ns = 1234 + i};
        if (store_add(store, &record, error))
            return 1;
    }
    return store_end_run(store, true, error);
}

int main(int argc, char **argv)
{
    unsigned rows = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000000;
    char folder[] = "/tmp/bench_store.XXXXXX", path[64];
    struct error error = {0};
    struct store *store;
    struct stat file;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/results.db", folder);
    double start = bench_store_seconds();
    int status = store_open(path, &store, &error) || bench_store_add_run(store, "first", rows, &error);
    double first = bench_store_seconds() - start;
    status = status || bench_store_add_run(store, "second", rows, &error);
    double both = bench_store_seconds() - start;
    if (store_close(store, &error) || status) {
        fprintf(stderr, "bench_store: %s\n", error.text);
        return 1;
    }
    double all = bench_store_seconds() - start;
    stat(path, &file);
    printf("store: %u rows of new cases %.0f a second, of known cases %.0f, with closing %.0f; %.0f bytes a row\n",
           rows, rows / first, rows / (both - first), 2 * rows / all, (double)file.st_size / (2.0 * rows));
    unlink(path);
    rmdir(folder);
    return 0;
}
