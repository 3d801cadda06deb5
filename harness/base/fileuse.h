/* fileuse.h: the files that a command reads and writes. A command lists them before it opens any, so that no output
 * overwrites an input or another output. */
#ifndef BASE_FILEUSE_H
#define BASE_FILEUSE_H

#include "harness/base/error.h"
#include "harness/base/words.h"
#include "harness/base/pool.h"

enum fileuse_kind {
    FILEUSE_INPUT,  /* a file; or a folder, which stands for all files in it */
    FILEUSE_SOURCE, /* a database that the command reads, with the files that SQLite keeps beside it */
    FILEUSE_OUTPUT, /* a file that the command creates or replaces */
    FILEUSE_STORE   /* a database that the command adds to, with the files that SQLite keeps beside it */
};

/* Zeroed at first. fileuse_check() frees it. */
struct fileuse {
    struct pool pool;
    struct fileuse_item *items;
    size_t count, capacity;
};

/* Adds a file; null is allowed and adds nothing. `what` names it in messages: "--db", "--specs". The text of an output
 * counts as a whole; "-" is not special. */
void fileuse_add(struct fileuse *files, enum fileuse_kind kind, const char *what, const char *path);

/* Adds the files of a device, as given with -d: its library, the expectation file beside it, and files that its
 * arguments name. */
void fileuse_add_device(struct fileuse *files, const char *device);

/* Adds the folders of specs and cases, as given with --specs and --cases; null, or no cases, means the usual
 * folders. */
void fileuse_add_plan(struct fileuse *files, const char *specs, const struct word_list *cases);

/* Returns EXIT_USAGE if an output is the same file as an input or as another output: by path, symbolic link or hard
 * link, also if neither exists yet. Pipes, terminals and other special files never are. Frees the list. */
int fileuse_check(struct fileuse *files, struct error *error);

#endif
