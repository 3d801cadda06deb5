/* format.h: formats of results. Each format is a file format_NAME.c that defines one struct format; format.c lists
 * them. */
#ifndef RESULTS_FORMAT_H
#define RESULTS_FORMAT_H

#include "harness/base/error.h"
#include "harness/run/conformance.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The number of failures of a device that are printed in full, unless the user wants all; --help names it. */
#define FORMAT_FAILURES 20

struct cause_group;
struct causes;

/* A run of one device, as known before its first result. Text may hold any bytes: formats escape it. */
struct format_run {
    const char *version;     /* the version of assay */
    const char *device;      /* as given with -d */
    const char *device_name; /* as the device describes itself */
    const char *device_driver;
    const char *feature_level; /* the highest that the device declares */
    const char *database;      /* path, or "" */
    uint64_t seed;
    uint64_t planned;        /* number of cases on this device */
    const uint64_t *shuffle; /* seed of the order of execution; null: the order of the plan */
    bool shared_validation;  /* ASSAY_DEVICE_SHARED_VALIDATION: passes that compared outputs are counted apart */
    const char *purpose;     /* as in struct store_scope; null: "conformance" */
    bool half;               /* the device may compute FLOAT32 in FLOAT16 */
    bool partial;            /* the run has only a part of the default plan */
    /* As in struct origin; null: "". */
    const char *device_hash, *device_build, *label, *revision, *branch;
    const char *expectations; /* names of the expectation files: "a.expected, mine.txt"; null: none */
};

/* The totals of a run of one device. */
struct format_total {
    struct record_total records;
    uint64_t elapsed_ns;
    const struct cause_group *groups; /* the groups of its failures and warnings (run/causes.h) */
    size_t group_count;
    const struct causes *causes;           /* the cases in the groups; null: not known */
    const struct conformance *conformance; /* null: only a part of the default plan has been run */
    DML_FEATURE_LEVEL declared;            /* the level that the device declares; 0: none */
};

/* An output. It may receive the runs of several devices, one after the other. If a run is aborted, end() may be called
 * without end_run(). */
struct format_stream {
    FILE *out;      /* results */
    FILE *progress; /* for the progress line; null: not a terminal */
    FILE *summary;  /* for the summary of a CI job, in Markdown; null: none */
    bool color;
    bool verbose;      /* print passes too, in formats that leave them out otherwise */
    bool failed;       /* set by a format that is out of memory */
    uint64_t sequence; /* results printed so far on this stream; counted by the format */
    uint64_t recalled; /* results among them of an earlier part of a resumed run; counted by the format */
    uint64_t planned;  /* number of results over all devices */
    double expected;   /* fraction of the expected time that is done, by earlier runs: 0 to 1; 0: not known */
    double given;      /* fraction that an earlier part of a resumed run had done */
    void *state;       /* the format's own; null before begin() */
    /* Set before end(): lines with the verdict on the whole run, for formats that people read; null: none. */
    const char *conclusion;
    const char *aborted; /* set before end(): the reason why results are missing; null: none is missing */
};

struct format {
    const char *name;    /* as given to --format */
    const char *help;    /* a few words */
    bool concludes;      /* prints the conclusion */
    const char *summary; /* the environment variable that names the file of the summary; null: the format has none */
    void (*begin)(struct format_stream *stream);                                     /* once */
    void (*begin_run)(struct format_stream *stream, const struct format_run *run);   /* per device */
    void (*result)(struct format_stream *stream, const struct record *record);       /* the last attempt at a case */
    void (*end_run)(struct format_stream *stream, const struct format_total *total); /* per device */
    void (*end)(struct format_stream *stream);                                       /* once; frees state */
};

/* Estimates the remaining seconds of a run. `part` (0 to 1) is the fraction done; `given`, a part of it, was done
 * before the run began `elapsed` seconds ago. Returns a negative number if they are not known. */
double format_left(double elapsed, double part, double given);

/* Finds a format by name. EXIT_USAGE: unknown; the message names the known formats and the nearest one. */
int format_find(const char *name, const struct format **out, struct error *error);

/* All formats, ended by null. */
extern const struct format *const format_all[];

#endif
