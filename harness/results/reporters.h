/* reporters.h: where results go: as many formats at once as --format asks for, each to a file or to standard output. A
 * file appears under its name whole, when the run is over, or not at all. */
#ifndef RESULTS_REPORTERS_H
#define RESULTS_REPORTERS_H

#include "harness/results/format.h"
#include "harness/base/words.h"
#include "harness/base/outfile.h"

enum { REPORTERS_MAX = 8 };

/* What --color may be; ended by null. */
extern const char *const color_words[];

struct reporter {
    const struct format *format;
    struct format_stream stream;
    struct outfile file;
    bool begun;
    uint64_t before, recalled_before, planned; /* results before the run, those recalled, and cases of it */
};

struct reporters {
    struct reporter items[REPORTERS_MAX];
    size_t count;
};

/* Opens an output for each of `formats`, "NAME" or "NAME=FILE"; for none: human. At most one may go to standard output.
 * `color` is "always", "never", or "auto" or null: as NO_COLOR and the terminal say. `planned` is what the streams plan.
 * EXIT_USAGE for what is no such format or color; EXIT_HARNESS where a file cannot be made. */
int reporters_open(struct reporters *reporters, const struct word_list *formats, const char *color, bool verbose,
                   uint64_t planned, struct error *error);

/* As the functions of a format, for each output. A result that could not be written, to a full disk or a closed pipe, is
 * EXIT_HARNESS. */
void reporters_begin_run(struct reporters *reporters, const struct format_run *run);
int reporters_result(struct reporters *reporters, const struct record *record, struct error *error);
void reporters_end_run(struct reporters *reporters, const struct format_total *total);

/* Whether somebody looks on while results come. */
bool reporters_show_progress(const struct reporters *reporters);

/* The part of the run that is done, by the time that it is expected to take, 0: not known; and how much of that an earlier part
 * of it had done. */
void reporters_expect(struct reporters *reporters, double part, double given);

/* Ends all outputs and frees what they hold; after a failed reporters_open(), too. `aborted` says why not every planned
 * case was handed over, null if each was: only then do files get their names. Returns 0 or EXIT_HARNESS. */
int reporters_close(struct reporters *reporters, const char *aborted, struct error *error);

#endif
