/* Estimates how much of a run is done from how long its cases took before. */
#include "harness/results/session_times.h"

#include "harness/base/nametable.h"

#include <stdlib.h>

enum { CASE_NS = 20000 /* time per case outside the device's calls */ };

struct time_reader {
    struct nametable numbers; /* index + 1 of each case of the plan, by name */
    double *ns;
    double sum;
    size_t known;
};

static void add_time(void *context, const char *case_name, uint64_t host_ns)
{
    struct time_reader *r = context;
    int64_t number = nametable_find(&r->numbers, &case_name, 1);
    if (number == 0 || r->ns[number - 1] > 0)
        return;
    r->ns[number - 1] = (double)host_ns + CASE_NS;
    r->sum += (double)host_ns + CASE_NS;
    r->known++;
}

void session_times_load(struct session_times *times, struct store *store, const struct plan *plan, const char *device)
{
    struct time_reader r = {.ns = calloc(plan->count + 1, sizeof *r.ns)};
    for (size_t i = 0; r.ns && i < plan->count; i++)
        nametable_add(&r.numbers, (const char *const *)&plan->cases[i].name, 1, (int64_t)i + 1);
    if (r.ns && store_times(store, device, add_time, &r) && r.known > 0) {
        double mean = r.sum / (double)r.known;
        for (size_t i = 0; i < plan->count; i++) {
            r.ns[i] = r.ns[i] > 0 ? r.ns[i] : mean;
            times->all += r.ns[i];
        }
        times->ns = r.ns;
    } else {
        free(r.ns);
    }
    nametable_destroy(&r.numbers);
}

void session_times_add(struct session_times *times, size_t index, bool recalled, struct reporters *reporters)
{
    if (!times->ns)
        return;
    times->done += times->ns[index];
    times->recalled += recalled ? times->ns[index] : 0;
    reporters_expect(reporters, times->done < times->all ? times->done / times->all : 1, times->recalled / times->all);
}

void session_times_free(struct session_times *times)
{
    free(times->ns);
    *times = (struct session_times){0};
}
