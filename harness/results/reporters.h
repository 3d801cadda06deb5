/* reporters.h: prints results in each format that --format names, to a file or to standard output. A file appears under
 * its name when the run is over and the file is complete, or not at all. */
#ifndef RESULTS_REPORTERS_H
#define RESULTS_REPORTERS_H

#include "harness/results/format.h"
#include "harness/base/fileuse.h"
#include "harness/base/words.h"
#include "harness/base/outfile.h"

enum { REPORTERS_MAX = 8 };

/* The values of --color, ended by null. */
extern const char *const color_words[];

struct reporter {
    const struct format *format;
    struct format_stream stream;
    struct outfile file;
    const char *summary; /* the path of stream.summary */
    bool begun;
    uint64_t before, recalled_before; /* results on the stream, and recalled ones, before the current run */
    uint64_t planned;                 /* cases of the current run */
};

struct reporters {
    struct reporter items[REPORTERS_MAX];
    size_t count;
    bool stored; /* a database keeps the results, even if an output fails; set after reporters_open() */
};

/* Adds the files that the formats, as for reporters_open(), write to. */
void reporters_add_files(const struct word_list *formats, struct fileuse *files);

/* Opens an output for each of `formats`, "NAME" or "NAME=FILE"; without formats, for human. At most one can go to
 * standard output. `color` is "always", "never" or "auto"; null is "auto", which goes by NO_COLOR and the terminal.
 * With `live`, a format for people shows progress on standard error, which is a terminal. `planned` is the number of
 * results over all devices. A format with a summary appends it to the file that its environment variable names.
 * EXIT_USAGE: an unknown format or color; EXIT_HARNESS: a file cannot be created. */
int reporters_open(struct reporters *reporters, const struct word_list *formats, const char *color, bool verbose,
                   bool live, uint64_t planned, struct error *error);

/* These functions call the function of the format for each output. EXIT_HARNESS: a result cannot be written, to a full
 * disk or a closed pipe. */
void reporters_begin_run(struct reporters *reporters, const struct format_run *run);
int reporters_result(struct reporters *reporters, const struct record *record, struct error *error);

/* Writes the printed text: results must not wait for the next ones of a slow device. The first result of a run is
 * written at once. EXIT_HARNESS: as above. */
int reporters_flush(struct reporters *reporters, struct error *error);
void reporters_end_run(struct reporters *reporters, const struct format_total *total);

/* Returns true if an output shows progress on a terminal. */
bool reporters_show_progress(const struct reporters *reporters);

/* Sets the fraction of the current run's expected time that is done, 0 to 1 (0: not known), and the fraction that an
 * earlier part of the run had done. */
void reporters_expect(struct reporters *reporters, double part, double given);

/* Gives the outputs the lines that conclude the whole run; the text must outlive reporters_close(). Returns true if one
 * of them is for people. */
bool reporters_conclude(struct reporters *reporters, const char *text);

/* Ends and frees all outputs; also required after a failed reporters_open(). `aborted` is the reason why results are
 * missing, or null: only then do files get their names. Returns 0 or EXIT_HARNESS. */
int reporters_close(struct reporters *reporters, const char *aborted, struct error *error);

#endif
