/* adapters.h: the adapters that `assay adapter new` writes, one a language, from the files of device/. */
#ifndef CLI_ADAPTERS_H
#define CLI_ADAPTERS_H

#include "harness/base/error.h"

/* The names of the languages, ended by null. */
extern const char *const adapters_languages[];

enum { ADAPTERS_FILES = 3 };

struct adapter {
    const char *bridge;  /* what -d takes before the path: "bridge:", or "" for a plugin */
    const char *file;    /* the name of the file that -d names */
    const char *compile; /* the command, before the source and -o; null: there is nothing to build */
    const char
        *files[ADAPTERS_FILES]; /* relative to device/template/, perhaps ended by null; the first is the source */
};

/* Returns the adapter in a language of that list. */
const struct adapter *adapters_find(const char *language);

/* Returns the name of a file without its folders. */
const char *adapters_name(const char *file);

/* Copies the files of the adapter to a folder, which it makes if need be. Returns 0; EXIT_USAGE if one of the files
 * exists, then it writes none; or EXIT_HARNESS. */
int adapters_write(const struct adapter *adapter, const char *folder, struct error *error);

#endif
