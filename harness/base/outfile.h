/* outfile.h: an output file that appears under its name complete, or not at all. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *out;
    char *path;      /* null: standard output */
    char *temporary; /* path of the file while it is written; null: written in place */
    int number;      /* errno of the first failed write; 0: none failed */
};

/* Opens `path` for writing; null is standard output. A pipe, terminal or other special file is written in place. Any
 * other file is written under a temporary name beside it; a symbolic link stays, and its target is replaced. Returns 0
 * or EXIT_HARNESS, and then there is nothing to free. */
int outfile_open(struct outfile *file, const char *path, struct error *error);

/* Whether a write has failed. Records errno of the first failure, since later calls may overwrite it: set errno to 0
 * before writing, and call this after it. */
bool outfile_failed(struct outfile *file);

/* "standard output", or its path. */
const char *outfile_name(const struct outfile *file);

/* Closes the file. With `keep`, syncs it to disk and gives it its name; otherwise, or if a write failed, removes it.
 * False: something could not be written, and `number` says why. */
bool outfile_close(struct outfile *file, bool keep);

/* The error about a failed write: EXIT_HARNESS with the reason and `more`. If the reader of standard output has ended,
 * such as head, EXIT_INCOMPLETE without a text: it wants no more, and nobody is to be told. */
int outfile_error(const struct outfile *file, const char *more, struct error *error);

/* Closes the file, which gets its name if all was written (`good`), and frees what outfile_open() allocated. Otherwise
 * what had that name stays. Returns 0 or outfile_error(). */
int outfile_end(struct outfile *file, bool good, const char *more, struct error *error);

/* Frees what outfile_open() allocated. */
void outfile_free(struct outfile *file);

#endif
