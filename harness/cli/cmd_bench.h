/* cmd_bench.h: the parts of `assay bench`. */
#ifndef CLI_CMD_BENCH_H
#define CLI_CMD_BENCH_H

#include "harness/base/pool.h"
#include "harness/cli/cmd_run.h"
#include "harness/worker/measure.h"

/* The request of the user. */
struct cmd_bench {
    const struct cmd_source *source;
    const struct cmd_plan *plan, *copies; /* the cases to measure; the copies that they are compared with */
    const char *reproduce_options;        /* as in struct runner_config */
    struct sandbox *sandbox;
    struct store *store;      /* null: no database */
    struct store_scope scope; /* for the store, as the next one */
    struct origin_given origin;
    uint64_t seed;
    uint64_t copy_bytes;             /* of the largest tensor that is copied; 0: none is */
    unsigned measure_ms, timeout_ms; /* as in struct runner_config */
    bool json;
};

/* The samples of one clock, in nanoseconds. */
struct cmd_bench_times {
    double quartiles[3]; /* the second is the median; 0: there is no such clock */
    size_t outliers;
};

struct cmd_bench_row {
    const char *name, *message;
    enum status status;
    struct measured *measured; /* null: nothing was measured, and `message` says why */
    struct cmd_bench_times host, device;
    uint64_t bytes; /* moved by one run */
};

/* The results of one device. */
struct cmd_bench_result {
    const char *device; /* as given with -d */
    const char *name, *driver, *version;
    const char *state;          /* clocks and power state, as the device says; "": not known */
    struct cmd_bench_row copy;  /* the largest that the device can make; without `measured`: none */
    struct cmd_bench_row *rows; /* in the order of the plan */
    size_t count;
    int64_t run_id; /* in the database; 0: there is none */
    struct runner_total total;
    struct pool pool;
};

/* Returns the bytes by which a case is judged: each byte of its tensors is read or written once, but a tensor that
 * indices select from counts at most as the size of the largest output. */
uint64_t cmd_bench_bytes(const struct testcase *c);

/* Measures the plan on a device. Returns 0 whatever the cases come to. Free with cmd_bench_free(), also after an
 * error. */
int cmd_bench_on(const struct cmd_bench *bench, const char *device, struct cmd_bench_result *out, struct error *error);
void cmd_bench_free(struct cmd_bench_result *result);

/* Returns the billions of bytes that a run moves in a second, by the device's clock if it has one. */
double cmd_bench_speed(const struct cmd_bench_row *row);

/* Returns that speed as a share of the copy's, by a clock that both have. 0: there is no copy. */
double cmd_bench_share(const struct cmd_bench_result *result, const struct cmd_bench_row *row);

/* Print the device and the head of its table; a row as soon as it is measured; and the lines after the table. */
void cmd_bench_print_head(const struct cmd_bench *bench, const struct cmd_bench_result *result);
void cmd_bench_print_row(const struct cmd_bench_result *result, const struct cmd_bench_row *row);
void cmd_bench_print_end(const struct cmd_bench_result *result);

/* Prints all results as one JSON object. */
void cmd_bench_json(const struct cmd_bench *bench, const struct cmd_bench_result *results, size_t count);

#endif
