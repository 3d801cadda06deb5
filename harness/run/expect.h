/* expect.h: expectation files: what is known of how cases end on a device, and why. `assay expect --help` has the syntax.
 *
 * Of the lines that match a case, and whose section is about the device, the last one decides; files follow each other
 * in the order in which they were loaded. */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include "harness/case/plan.h"
#include "harness/run/record.h"

/* A device as sections ask for it. */
struct expect_device {
    const char *device; /* as given with -d */
    const char *name, *driver, *version;
    DML_FEATURE_LEVEL level; /* 0: none declared, taken as the highest */
};

/* Any line of a file, in order; one that is no expectation (blank, a comment, a section) has no pattern. */
struct expect_line {
    const char *file;
    const char *text; /* as it stands there, without its end */
    const char *pattern, *reason;
    unsigned number;
    uint32_t section;  /* the one that it stands in, or opens */
    uint32_t statuses; /* bit n: enum status n is expected */
    bool found;        /* the file was found beside the device, not asked for */
    bool applies;      /* its section is about the device */
    bool shared;       /* it decides cases of other shards, too */
    /* Of the cases of the run: */
    size_t decided, judged, met; /* judged: run to an end that can be expected; met: ended as expected at least once */
};

struct expect {
    struct pool pool;
    struct expect_line *lines;
    size_t count, capacity;
    struct expect_section *sections; /* the first one is about every device */
    uint32_t section_count;
    uint32_t *literals, *globs; /* lines that apply: names, sorted; patterns, in order */
    size_t literal_count, glob_count;
    uint32_t *of_case; /* line that decides a case of the run, + 1; 0: none */
    char message[1400];
};

/* What the reasons of lines begin with that nobody has looked at yet. */
#define EXPECT_NEW "new:"

/* Adds the lines of a file; zeroed, there are none. EXIT_USAGE: there is no such file; EXIT_HARNESS: a malformed line,
 * with its number and what was expected. */
int expect_load(struct expect *expect, const char *path, bool found, struct error *error);

/* The same of a text of `size` bytes and a zero, which is changed; `path` is for messages. */
int expect_load_text(struct expect *expect, const char *path, bool found, char *text, size_t size, struct error *error);
void expect_free(struct expect *expect);

/* Looks which lines apply to a device, and which one decides each case of the plan. */
void expect_use(struct expect *expect, const struct plan *plan, const struct expect_device *device);

/* After expect_use() of a shard: looks which lines decide cases of the whole that are in other shards. That none of this one
 * meets such a line does not make it stale. */
void expect_use_shard(struct expect *expect, const struct plan *whole);

/* The line that decides a name, after expect_use(); null: none. */
struct expect_line *expect_find(const struct expect *expect, const char *name);

/* The same, of a case of that plan. */
struct expect_line *expect_of_case(const struct expect *expect, size_t index);

/* Whether a case may end so: bits of enum status. */
bool expect_allows(const struct expect_line *line, uint32_t statuses);

/* Sets standing and reason of the last record of a case, and says in its message what was expected. What did not run, or
 * went wrong in the harness, is not judged. */
void expect_judge(struct expect *expect, size_t index, struct record *record);

/* Whether some line that applies decided nothing, or was never met: only the whole plan tells whether it is stale. */
bool expect_in_doubt(const struct expect *expect);

/* Once all cases are judged: says of each stale line, one after the other, what is wrong with it. A line is stale if no
 * case of the whole plan matches it, later lines decide all that do, or none of its cases ended as it says. `lenient`:
 * lines that were found may match nothing. Returns how many are stale. */
size_t expect_stale(const struct expect *expect, const struct plan *whole, bool lenient,
                    void (*say)(void *context, const struct expect_line *line, const char *what), void *context);

/* "fail,crash". */
void expect_statuses(uint32_t statuses, char *text, size_t size);

#endif
