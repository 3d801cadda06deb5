/* Results databases, opened for reading: they may come from anybody. */
#include "harness/results/history.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int ignore_result(void *context, const struct history_result *result)
{
    (void)context, (void)result;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history *history = NULL;
    struct history_run run;
    struct error error = {0};
    char path[64];
    int file = memfd_create("results.db", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (history_open(path, &history, &error) == 0 && history_last_run(history, NULL, 0, &run, &error) == 0)
        history_results(history, run.id, ignore_result, NULL, &error);
    history_close(history);
    close(file);
    return 0;
}
