/* probe.h: what a device can do, found by asking it and by trying: one small legal case for each data type and
 * DimensionCount that the documents have at its feature level. */
#ifndef RUN_PROBE_H
#define RUN_PROBE_H

#include "device/device.h"
#include "harness/base/datatype.h"
#include "harness/case/plan.h"
#include "harness/run/record.h"

#include <stdbool.h>

/* What became of the cases that have something in common. */
struct probe_count {
    unsigned right, unsupported, broken; /* warnings are right; broken: what makes a run fail */
};

struct probe_operator {
    int table; /* that was tried: index in the spec's levels; -1: the declared feature level has no such operator */
    struct probe_count types[SPEC_MAX_GROUPS][DATATYPE_COUNT];
    struct probe_count dims[DML_TENSOR_DIMENSION_COUNT_MAX1 + 1]; /* by DimensionCount of the first tensor */
    unsigned planned, counts[STATUS_COUNT];
    bool gave_up; /* too many cases ended their process or had no answer: those after them were not tried */
    struct probe_first {
        char case_name[256], message[512], reproduce[2048];
    } * first[STATUS_COUNT]; /* case of each status but pass; null: none */
};

struct probe {
    struct probe_operator *operators; /* one for each of the specs */
    int operator_count;
    size_t planned;
    char closing[700]; /* how its process died while the device was closed; "": it did not */
    bool gave_up;      /* after too many cases without an answer: the rest was not tried */
};

struct probe_config {
    const struct plan *plan; /* the cases of probe_pattern; of them, what is about `declared` is tried */
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given */
    struct sandbox *sandbox;
    DML_FEATURE_LEVEL declared; /* by the device; 0: none */
    unsigned timeout_ms;        /* for one case */
};

/* Tries each operator in worker processes of its own. A device that cannot be opened: EXIT_NO_DEVICE. */
int probe_run(struct probe *probe, const struct probe_config *config, struct error *error);
void probe_free(struct probe *probe);

/* "yes", "no" (it says so), "some", "bad", "" if nothing was tried. */
const char *probe_answer(const struct probe_count *count);

/* Whether anything is broken. */
bool probe_is_broken(const struct probe *probe);

/* The strategy whose cases are the ones to try, as a pattern. */
extern const char probe_pattern[];

#endif
