/* probe.h: finds the data types and DimensionCounts that a device supports: tries one small legal case for each that
 * the documents allow at its feature level. */
#ifndef RUN_PROBE_H
#define RUN_PROBE_H

#include "device/device.h"
#include "harness/base/datatype.h"
#include "harness/plan/plan.h"
#include "harness/run/record.h"

#include <stdbool.h>

/* The results of the cases that share a data type or a DimensionCount. */
struct probe_count {
    unsigned right;       /* passes and warnings */
    unsigned unsupported; /* the device says that the case is unsupported */
    unsigned broken;      /* failures of any kind */
    unsigned left;        /* failures among `broken` that nothing is blamed for; 0 in the end */
    unsigned elsewhere;   /* failures among `broken` that another property of their case is blamed for */
};

/* The first case that ended with a status. */
struct probe_first {
    char case_name[256], message[512], reproduce[2048];
};

struct probe_operator {
    int table;   /* the tried table: index in the spec's levels; -1: the declared feature level has no such operator */
    bool wanted; /* the plan has cases of the operator */
    struct probe_count types[SPEC_MAX_GROUPS][DATATYPE_COUNT];
    struct probe_count dims[DML_TENSOR_DIMENSION_COUNT_MAX1 + 1]; /* counts by DimensionCount of the first tensor */
    unsigned planned, counts[STATUS_COUNT];
    bool gave_up; /* too many cases killed their process or timed out; the remaining ones were not tried */
    struct probe_first *first[STATUS_COUNT]; /* the first case of each status except pass; null: none */
};

struct probe {
    struct probe_operator *operators; /* one for each spec */
    int operator_count;
    char closing[700]; /* the death of a worker while its device was closed; "": none died */
};

struct probe_config {
    const struct plan *plan; /* the cases of probe_pattern; those of the table for `declared` are tried */
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given with -d */
    struct sandbox *sandbox;
    DML_FEATURE_LEVEL declared; /* the level that the device declares; 0: none */
    unsigned timeout_ms;        /* for one case */
};

/* Tries each operator in its own worker processes. EXIT_NO_DEVICE: the device cannot be opened. Free with probe_free()
 * in any case. */
int probe_run(struct probe *probe, const struct probe_config *config, struct error *error);
void probe_free(struct probe *probe);

/* Returns "yes", "no" (the device says so), "some", "bad" (a case failed, and no other property of the cases explains
 * that better), or "" if nothing was tried. */
const char *probe_answer(const struct probe_count *count);

/* Returns true if any case failed, or a process died while the device was closed. */
bool probe_is_broken(const struct probe *probe);

/* The pattern of the cases to try, for the plan. */
extern const char probe_pattern[];

#endif
