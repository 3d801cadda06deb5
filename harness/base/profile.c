#include "harness/base/profile.h"

#include "harness/base/clock.h"

struct profile *profile_here;

void profile_start(struct profile *profile)
{
    profile->since = clock_ns();
    profile_here = profile;
}

enum profile_stage profile_change(enum profile_stage stage)
{
    struct profile *p = profile_here;
    enum profile_stage before = p->now;
    uint64_t now = clock_ns();
    p->ns[before] += now - p->since;
    p->since = now;
    p->now = stage;
    return before;
}

void profile_add(struct profile *sum, const struct profile *one)
{
    for (int i = 0; i < PROFILE_STAGES; i++)
        sum->ns[i] += one->ns[i];
}

void profile_print(FILE *file, const char *who, const struct profile *profile, uint64_t kib)
{
    static const char *const names[PROFILE_STAGES] = {"other",  "waiting",  "planning", "tensors", "device",
                                                      "oracle", "watching", "store",    "formats"};
    uint64_t all = 0;
    for (int i = 0; i < PROFILE_STAGES; i++)
        all += profile->ns[i];
    fprintf(file, "%-12s %.3f s, %.1f MiB:", who, (double)all * 1e-9, (double)kib / 1024);
    for (int i = 1; i <= PROFILE_STAGES; i++) {
        uint64_t ns = profile->ns[i % PROFILE_STAGES]; /* PROFILE_OTHER comes last */
        if (ns > 0)
            fprintf(file, " %s %.1f %%%s", names[i % PROFILE_STAGES], 100 * (double)ns / (double)all,
                    i < PROFILE_STAGES ? "," : "\n");
    }
}

uint64_t profile_memory(int pid)
{
    unsigned long long kib = 0;
    char line[128];
    snprintf(line, sizeof line, "/proc/%d/status", pid);
    FILE *file = fopen(line, "re");
    while (file && kib == 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu kB", &kib) != 1)
            kib = 0;
    if (file)
        fclose(file);
    return kib;
}
