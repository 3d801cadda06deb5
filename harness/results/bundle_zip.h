/* bundle_zip.h: the container of a bundle, a ZIP file with a few members of fixed names. A file may come from a
 * stranger: the reader accepts only these names, each once, and no more bytes than a limit. */
#ifndef RESULTS_BUNDLE_ZIP_H
#define RESULTS_BUNDLE_ZIP_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum bundle_member { BUNDLE_MANIFEST, BUNDLE_STATEMENT, BUNDLE_EXPECTATIONS, BUNDLE_RESULTS, BUNDLE_MEMBERS };

/* "manifest.json", "statement.json", "expectations.txt", "results.db". */
extern const char *const bundle_names[BUNDLE_MEMBERS];

struct bundle_data {
    char *bytes; /* with a zero after them; owned */
    size_t size;
};

/* Writes the members to `out`. The same members give the same bytes. False: something could not be written. */
bool bundle_zip_write(FILE *out, const struct bundle_data members[BUNDLE_MEMBERS]);

/* Reads all members. EXIT_HARNESS: the file is no bundle; the message has the reason: the file is of another kind, a
 * name is not one of these, or a member is missing, damaged or too large. Free with bundle_data_free(), also after an
 * error. */
int bundle_zip_read(const char *path, struct bundle_data members[BUNDLE_MEMBERS], struct error *error);
void bundle_data_free(struct bundle_data members[BUNDLE_MEMBERS]);

#endif
