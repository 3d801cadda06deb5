/* outfile.h: an output file that appears under its name when it is complete, or not at all. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *out;
    char *path;      /* path of the file; null: standard output */
    char *temporary; /* path of the file while it is written; null: it is written in place */
    int number;      /* errno of the first failed write; 0: none failed */
};

/* Opens `path` for writing; null is standard output. A pipe, terminal or other special file is written in place. Any
 * other file is written under a temporary name beside it; a symbolic link stays, and its target is replaced. Returns 0;
 * or EXIT_HARNESS, with nothing to free. */
int outfile_open(struct outfile *file, const char *path, struct error *error);

/* Returns true if a write has failed. Records errno of the first failure, since later calls may overwrite it: set errno
 * to 0 before writing, and call this function after it. */
bool outfile_failed(struct outfile *file);

/* Returns "standard output", or the path of the file. */
const char *outfile_name(const struct outfile *file);

/* Closes the file. With `keep`, syncs it to disk and gives it its name; otherwise, or if a write failed, removes it.
 * Returns false if a write failed; `number` has the reason. */
bool outfile_close(struct outfile *file, bool keep);

/* Sets the error about a failed write, with the reason and `more`, and returns EXIT_HARNESS. If the reader of standard
 * output has ended, such as head, returns EXIT_INCOMPLETE without a text: the reader wants no more. */
int outfile_error(const struct outfile *file, const char *more, struct error *error);

/* Closes the file and frees the memory of outfile_open(). The file gets its name if everything was written (`good`);
 * otherwise a file that had that name stays. Returns 0 or outfile_error(). */
int outfile_end(struct outfile *file, bool good, const char *more, struct error *error);

/* Frees the memory of outfile_open(). */
void outfile_free(struct outfile *file);

#endif
