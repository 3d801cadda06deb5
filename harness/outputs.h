/* outputs.h: where results go: as many formats at once as --format asks for, each to a file or to standard output. A
 * file appears under its name whole, when the run is over, or not at all. */
#ifndef OUTPUTS_H
#define OUTPUTS_H

#include "harness/format.h"
#include "harness/options.h"
#include "harness/outfile.h"

enum { OUTPUTS_MOST = 8 };

struct output {
    const struct format *format;
    struct format_stream stream;
    struct outfile file;
    bool begun;
    uint64_t before, planned; /* results before the run, and cases of it */
};

struct outputs {
    struct output items[OUTPUTS_MOST];
    size_t count;
};

/* Opens an output for each of `formats`, "NAME" or "NAME=FILE"; for none: human. At most one may go to standard output.
 * `color` is "always", "never", or "auto" or null: as NO_COLOR and the terminal say. `planned` is what the streams plan.
 * EXIT_USAGE for what is no such format or color; EXIT_HARNESS where a file cannot be made. */
int outputs_open(struct outputs *outputs, const struct option_list *formats, const char *color, bool verbose,
                 uint64_t planned, struct error *error);

/* As the functions of a format, for each output. A result that could not be written, to a full disk or a closed pipe, is
 * EXIT_HARNESS. */
void outputs_begin_run(struct outputs *outputs, const struct format_run *run);
int outputs_result(struct outputs *outputs, const struct record *record, struct error *error);
void outputs_end_run(struct outputs *outputs, const struct format_total *total);

/* Whether somebody looks on while results come. */
bool outputs_show_progress(const struct outputs *outputs);

/* The part of the run that is done, by the time that it is expected to take; 0: not known. */
void outputs_expect(struct outputs *outputs, double part);

/* Ends all outputs and frees what they hold; after a failed outputs_open(), too. `aborted` says why not every planned
 * case was handed over, null if each was: only then do files get their names. Returns 0 or EXIT_HARNESS. */
int outputs_close(struct outputs *outputs, const char *aborted, struct error *error);

#endif
