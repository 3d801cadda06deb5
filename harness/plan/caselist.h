/* caselist.h: files that list cases, as `assay list` writes them: a line is a name or a pattern (patterns.h); "-" in
 * front leaves cases out; "#" begins a comment, at the start of a line or after a space. */
#ifndef CASE_CASELIST_H
#define CASE_CASELIST_H

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <stdbool.h>
#include <stddef.h>

/* The place of a line, for messages. */
struct caselist_line {
    const char *file;
    unsigned number;
};

/* The lines of several files; a zeroed list is empty. */
struct caselist {
    struct pool pool; /* of the patterns */
    const char **wanted, **unwanted;
    struct caselist_line *wanted_at, *unwanted_at;
    size_t wanted_count, unwanted_count;
    size_t files;
};

/* Adds the lines of a file; `path` "-" is standard input, which is read once: a second list gets the same lines.
 * EXIT_USAGE: it cannot be read, or has a line that is no pattern; EXIT_NO_MATCH: it names no case. Free with
 * caselist_free(), also after an error. */
int caselist_add(struct caselist *list, const char *path, struct error *error);
void caselist_free(struct caselist *list);

#endif
