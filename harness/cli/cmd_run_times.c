/* Estimates how much of a run is done from how long its cases took before. */
#include "harness/cli/cmd_run.h"

#include "harness/base/nametable.h"

#include <stdlib.h>

enum { CASE_NS = 20000 /* time per case outside the device's calls */ };

struct taking {
    struct nametable names;
    double *ns;
    double sum;
    size_t known;
};

static void take(void *context, const char *case_name, uint64_t host_ns)
{
    struct taking *taking = context;
    int64_t place = nametable_find(&taking->names, &case_name, 1);
    if (place == 0 || taking->ns[place - 1] > 0)
        return;
    taking->ns[place - 1] = (double)host_ns + CASE_NS;
    taking->sum += (double)host_ns + CASE_NS;
    taking->known++;
}

void cmd_run_times_load(struct cmd_run_times *times, struct store *store, const struct plan *plan, const char *device)
{
    struct taking taking = {.ns = calloc(plan->count + 1, sizeof *taking.ns)};
    for (size_t i = 0; taking.ns && i < plan->count; i++)
        nametable_add(&taking.names, (const char *const *)&plan->cases[i].name, 1, (int64_t)i + 1);
    if (taking.ns && store_times(store, device, take, &taking) && taking.known > 0) {
        double mean = taking.sum / (double)taking.known;
        for (size_t i = 0; i < plan->count; i++) {
            taking.ns[i] = taking.ns[i] > 0 ? taking.ns[i] : mean;
            times->all += taking.ns[i];
        }
        times->ns = taking.ns;
    } else {
        free(taking.ns);
    }
    nametable_destroy(&taking.names);
}

void cmd_run_times_add(struct cmd_run_times *times, size_t index, bool recalled, struct reporters *reporters)
{
    if (!times->ns)
        return;
    times->done += times->ns[index];
    times->given += recalled ? times->ns[index] : 0;
    reporters_expect(reporters, times->done < times->all ? times->done / times->all : 1, times->given / times->all);
}

void cmd_run_times_free(struct cmd_run_times *times)
{
    free(times->ns);
    *times = (struct cmd_run_times){0};
}
