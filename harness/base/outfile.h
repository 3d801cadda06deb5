/* outfile.h: a file that appears under its name whole, or not at all. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdio.h>

struct outfile {
    FILE *out;
    char *path;      /* null: standard output */
    char *temporary; /* what is written until it is whole; null: written in place */
    int number;      /* errno of what could not be written first; 0: all could */
};

/* A null `path` is standard output. A file that is not a regular one, as a pipe or a terminal, is written in place; another
 * beside its name, which it gets when it is whole; a link stays one. EXIT_HARNESS where it cannot be made. */
int outfile_open(struct outfile *file, const char *path, struct error *error);

/* Keeps the reason of the first failure: later calls may have another, or none. errno was 0 before what was written last. */
bool outfile_failed(struct outfile *file);

/* "standard output", or its path. */
const char *outfile_name(const struct outfile *file);

/* What was written is safe, and, if it is to be kept, under its name; or it is gone. False: it could not be written, `number` says
 * why. After a failed outfile_open(), nothing but to be freed. */
bool outfile_close(struct outfile *file, bool keep);
void outfile_free(struct outfile *file);

#endif
