#include "harness/cli/cmd_bench.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 24 };

/* Writes a number with three digits or more, with a unit of steps of `step`. */
static const char *scaled(char text[SIZE], double value, double step, const char *const *units, size_t count)
{
    size_t unit = 0;
    while (unit + 1 < count && value >= step * 0.9995) {
        value /= step;
        unit++;
    }
    int decimals = value < 99.95 ? 1 : 0;
    if (value < 9.995)
        decimals = 2;
    snprintf(text, SIZE, "%.*f %s", decimals, value, units[unit]);
    return text;
}

static const char *bench_print_time(char text[SIZE], double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return ns > 0 ? scaled(text, ns, 1000, units, 4) : "no clock";
}

static const char *print_bytes(char text[SIZE], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    return scaled(text, (double)bytes, 1024, units, 4);
}

void cmd_bench_print_head(const struct cmd_bench *bench, const struct cmd_bench_result *result)
{
    printf("bench: ");
    text_print(stdout, result->device);
    printf(" (");
    text_print(stdout, result->name);
    printf(*result->driver ? ", " : "");
    text_print(stdout, result->driver);
    printf("), %zu case%s, %.3g s each\n", result->count, result->count == 1 ? "" : "s", bench->measure_ms / 1000.0);
    printf("%10s %10s %7s %9s %10s %8s %7s  %s\n", "device", "host", "spread", "outliers", "moved", "GB/s", "of copy",
           "case");
}

void cmd_bench_print_row(const struct cmd_bench_result *result, const struct cmd_bench_row *row)
{
    const struct measured *m = row->measured;
    char device[SIZE], host[SIZE], bytes[SIZE], spread[SIZE], outliers[SIZE], share[SIZE] = "-";
    if (!m) {
        printf("%10s %*s", status_name(row->status), 57, "");
        text_print(stdout, row->name);
        printf(": ");
        text_print(stdout, row->message);
        putchar('\n');
        return;
    }
    const struct cmd_bench_times *times = row->device.quartiles[1] > 0 ? &row->device : &row->host;
    snprintf(spread, sizeof spread, "%.1f %%",
             (times->quartiles[2] - times->quartiles[0]) / 2 / times->quartiles[1] * 100);
    snprintf(outliers, sizeof outliers, "%zu/%u", times->outliers, m->count);
    if (cmd_bench_share(result, row) > 0)
        snprintf(share, sizeof share, "%.0f %%", cmd_bench_share(result, row) * 100);
    printf("%10s %10s %7s %9s %10s %8.3g %7s  ", bench_print_time(device, row->device.quartiles[1]),
           bench_print_time(host, row->host.quartiles[1]), spread, outliers, print_bytes(bytes, row->bytes),
           cmd_bench_speed(row), share);
    text_print(stdout, row->name);
    printf("%s%s%s\n", row->status == STATUS_WARN ? ", warn" : "", m->by_dispatch ? ", by dispatch" : "",
           m->steady ? "" : ", not steady");
}

void cmd_bench_print_end(const struct cmd_bench_result *result)
{
    printf("clocks and power: ");
    text_print(stdout, *result->state ? result->state : "not known");
    putchar('\n');
}
