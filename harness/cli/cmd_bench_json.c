#include "harness/cli/cmd_bench.h"
#include "harness/cli/cmd_json.h"

#include <inttypes.h>
#include <stdio.h>

enum { JSON_VERSION = 1 };

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

/* A clock that is missing is null. */
static void bench_json_print_times(const char *key, const struct cmd_bench_times *times)
{
    if (times->quartiles[1] > 0)
        printf(", \"%s\": {\"median_ns\": %.1f, \"quartiles_ns\": [%.1f, %.1f], \"outliers\": %zu}", key,
               times->quartiles[1], times->quartiles[0], times->quartiles[2], times->outliers);
    else
        printf(", \"%s\": null", key);
}

static void print_samples(const struct measured *m)
{
    printf(", \"samples_ns\": [");
    for (uint32_t i = 0; i < m->count; i++)
        printf("%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", m->samples[i].host_ns, m->samples[i].device_ns);
    putchar(']');
}

static void bench_json_print_row(const struct cmd_bench_result *result, const struct cmd_bench_row *row)
{
    const struct measured *m = row->measured;
    cmd_json_pair("{", "case", row->name);
    cmd_json_pair(", ", "status", status_name(row->status));
    cmd_json_pair(", ", "message", row->message);
    printf(", \"measured\": %s", truth(m));
    if (m) {
        printf(", \"by_dispatch\": %s, \"steady\": %s, \"runs\": %u, \"bytes\": %" PRIu64, truth(m->by_dispatch),
               truth(m->steady), m->runs, row->bytes);
        bench_json_print_times("device", &row->device);
        bench_json_print_times("host", &row->host);
        printf(", \"gb_per_s\": %.6g", cmd_bench_speed(row));
        if (cmd_bench_share(result, row) > 0)
            printf(", \"share_of_copy\": %.6g", cmd_bench_share(result, row));
        else
            printf(", \"share_of_copy\": null");
        print_samples(m);
    }
    putchar('}');
}

static void bench_json_print_result(const struct cmd_bench_result *result)
{
    cmd_json_pair("{", "device", result->device);
    cmd_json_pair(", ", "name", result->name ? result->name : "");
    cmd_json_pair(", ", "driver", result->driver ? result->driver : "");
    cmd_json_pair(", ", "version", result->version ? result->version : "");
    cmd_json_pair(", ", "clocks", result->state);
    printf(", \"run\": %" PRId64 ",\n \"copy\": ", result->run_id);
    if (result->copy.name)
        bench_json_print_row(result, &result->copy);
    else
        printf("null");
    printf(",\n \"cases\": [");
    for (size_t i = 0; i < result->count && result->rows[i].name; i++) {
        printf(i ? ",\n  " : "\n  ");
        bench_json_print_row(result, &result->rows[i]);
    }
    printf("]}");
}

void cmd_bench_json(const struct cmd_bench *bench, const struct cmd_bench_result *results, size_t count)
{
    printf("{\"v\": %d, \"seconds\": %.3f, \"devices\": [", JSON_VERSION, bench->measure_ms / 1000.0);
    for (size_t i = 0; i < count && results[i].device; i++) {
        printf(i ? ",\n" : "\n");
        bench_json_print_result(&results[i]);
    }
    puts("]}");
}
