/* format.h: how results are printed. One file per format, format_NAME.c, which defines one struct format; format.c lists
 * them. */
#ifndef RESULTS_FORMAT_H
#define RESULTS_FORMAT_H

#include "harness/base/error.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is known when the first result is printed. */
struct format_run {
    const char *version;     /* of assay */
    const char *device;      /* as given with -d */
    const char *device_name; /* as the device describes itself */
    const char *device_driver;
    const char *feature_level; /* highest declared */
    const char *database;      /* path, or "" */
    uint64_t seed;
    uint64_t planned;         /* cases on this device */
    const uint64_t *shuffle;  /* the seed of the order of execution; null: as planned */
    const char *expectations; /* where they come from: "a.expected, mine.txt"; null: there are none */
};

/* What is known when a device is done. */
struct format_total {
    struct record_total records;
    uint64_t elapsed_ns;
};

/* Where to print. One stream may see several devices, one after the other. If a run is aborted, end() may come without
 * end_run(). */
struct format_stream {
    FILE *out;      /* results */
    FILE *progress; /* progress line, or null: not a terminal */
    bool color;
    bool verbose;        /* passes too, where the format would leave them out */
    bool failed;         /* set by a format that had no memory for what it must hold */
    uint64_t sequence;   /* results printed so far on this stream; counted by the format */
    uint64_t recalled;   /* of them, those of an earlier part of the run; likewise */
    uint64_t planned;    /* over all devices */
    double expected;     /* part of it that is done, by how long it took before: 0 to 1; 0: not known */
    double given;        /* of that, what an earlier part of the run has done */
    void *state;         /* the format's own; null before begin() */
    const char *aborted; /* at end(): why not all that was planned is there; null: it is */
};

struct format {
    const char *name;                                                                /* as given to --format */
    const char *help;                                                                /* a few words */
    void (*begin)(struct format_stream *stream);                                     /* once */
    void (*begin_run)(struct format_stream *stream, const struct format_run *run);   /* per device */
    void (*result)(struct format_stream *stream, const struct record *record);       /* the last attempt at a case */
    void (*end_run)(struct format_stream *stream, const struct format_total *total); /* per device */
    void (*end)(struct format_stream *stream);                                       /* once; frees state */
};

/* Seconds that a run will still take of which `part` is done, 0 to 1, of that `given` when it began, `elapsed` seconds ago;
 * below 0: that cannot be told. */
double format_left(double elapsed, double part, double given);

/* By name; an unknown name is EXIT_USAGE, with the known ones and the nearest in the text. */
int format_find(const char *name, const struct format **out, struct error *error);

/* All of them, ended by null. */
extern const struct format *const format_all[];

#endif
