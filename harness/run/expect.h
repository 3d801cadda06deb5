/* expect.h: expectation files, which list the statuses that are expected of cases on a device, and the reasons. `assay
 * expect --help` describes the syntax.
 *
 * If several lines match a case and their sections match the device, the last one decides. A line that names a broken
 * rule matches only failures that break it. Files count in the order in which they were loaded. */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include "harness/plan/patterns.h"
#include "harness/plan/plan.h"
#include "harness/run/record.h"

/* The properties of a device that sections can test. */
struct expect_device {
    const char *device; /* as given with -d */
    const char *name, *driver, *version;
    DML_FEATURE_LEVEL level; /* 0: none declared, which counts as the highest */
};

/* Any line of a file, in order. Blank lines, comments and sections have a null pattern. */
struct expect_line {
    const char *file;
    const char *text; /* the whole line, without trailing space */
    const char *pattern, *reason;
    const char *broken; /* the line is about failures that break this rule; null: it is about cases */
    unsigned number;
    uint32_t section;  /* index of the section that it is in or opens */
    uint32_t statuses; /* bit n: enum status n is expected; only the bit of STATUS_SKIP: its cases are not run */
    bool found;        /* the file was found beside the device, not given with --expect */
    bool applies;      /* its section matches the device */
    bool shared;       /* it also decides cases of other shards */
    bool of_search;    /* it is about findings of the search that ends a run, which need not find them again */
    size_t decided;    /* cases of the run that it decides or, with a broken rule, that its pattern matches */
    size_t judged;     /* those that ended with a status that can be expected */
    size_t failing;    /* judged cases that failed in at least one attempt */
    size_t met;        /* judged cases that ended as expected in at least one attempt */
};

struct expect {
    struct pool pool;
    struct expect_line *lines;
    size_t count, capacity;
    struct expect_section *sections; /* each file begins with one that matches every device */
    uint32_t section_count;
    struct patterns applying; /* the patterns of the lines that apply, by place in `lines`; none with a broken rule */
    uint32_t *of_case;        /* per case of the run: index of the line among them that decides it, + 1; 0: none */
    uint32_t *by_rule;        /* the indices of the lines that apply and have a broken rule */
    size_t by_rule_count;
    char message[1400];
};

/* The prefix of the reasons of lines that `assay expect update` added and that nobody has reviewed yet. */
#define EXPECT_NEW "new:"

/* Adds the lines of a file; `expect` is zeroed before the first. Free with expect_free(), also after an error.
 * EXIT_USAGE: no such file; EXIT_HARNESS: it cannot be read or a line is malformed; the message names the line and the
 * expected text. */
int expect_load(struct expect *expect, const char *path, bool found, struct error *error);

/* Adds the lines of a text of `size` bytes, followed by a zero, as expect_load() does. Modifies the text. `path` is for
 * messages. */
int expect_load_text(struct expect *expect, const char *path, bool found, char *text, size_t size, struct error *error);
void expect_free(struct expect *expect);

/* Determines which lines apply to a device and which line decides each case of the plan. */
void expect_use(struct expect *expect, const struct plan *plan, const struct expect_device *device);

/* Determines which lines also decide cases of the whole plan that are in other shards, after expect_use() with a shard.
 * Such a line is not stale if no case of this shard ended as it says. */
void expect_use_shard(struct expect *expect, const struct plan *whole);

/* Returns the line that decides the name of a case or of a finding, whatever its result, after expect_use(); null:
 * none. */
struct expect_line *expect_find(const struct expect *expect, const char *name);

/* Returns the line that decides a case of the plan given to expect_use(), by its index, whatever its result; null:
 * none. */
struct expect_line *expect_of_case(const struct expect *expect, size_t index);

/* Returns the line that decides a case with its result: the statuses of its attempts, bits of enum status, and the rule
 * that it breaks, null or "" if none. */
struct expect_line *expect_of_result(const struct expect *expect, size_t index, const char *name, uint32_t statuses,
                                     const char *broken);

/* Returns true if a line says that the case must not be run; then writes the reason and the line's place to `why`. */
bool expect_skips(const struct expect *expect, size_t index, char *why, size_t size);

/* Returns true if the line expects all of `statuses`, bits of enum status. */
bool expect_allows(const struct expect_line *line, uint32_t statuses);

/* Sets the standing and the reason of a case's last record; if it is unexpected, adds the expected statuses to its
 * message. Cases that did not run, or that the harness could not judge, stay as they are. The message is overwritten by
 * the next call. */
void expect_judge(struct expect *expect, size_t index, struct record *record);

/* Returns true if a line that applies is in doubt: it was never met, or its cases pass now. Only the whole plan decides
 * if the line is stale. */
bool expect_in_doubt(const struct expect *expect);

/* Stores the patterns of lines in doubt that decide no case of the plan: they may decide cases of other tiers.
 * `patterns` has room for one per line. Returns their number. */
size_t expect_undecided(const struct expect *expect, const struct plan *plan, const char **patterns);

/* Stores the patterns of lines, also of other devices, that match no case of the plan. Returns their number. */
size_t expect_unmatched(const struct expect *expect, const struct plan *plan, const char **patterns);

/* Calls `report` for each stale line with the problem of the line, and returns the number of stale lines. All cases
 * must be judged. A line is stale if no case of the whole plan matches it, if later lines decide all cases that match
 * it, if none of its cases ended as it says, or if it expects failures and passes and none of several cases failed.
 * `others`: further cases, among them all that match the lines of expect_undecided(); null: none. `lenient`: lines of a
 * file that was found beside the device may decide nothing. */
size_t expect_stale(const struct expect *expect, const struct plan *whole, const struct plan *others, bool lenient,
                    void (*report)(void *context, const struct expect_line *line, const char *what), void *context);

/* Returns true if the bug of a line that expects failures and passes is fixed: the line decided several cases, `judged`
 * of them were judged, and none failed. A line about a single case may be about one that fails now and then. */
bool expect_is_fixed(const struct expect_line *line, size_t judged, size_t failing);

/* Prints the names of statuses, bits of enum status, to `text`: "fail,crash". */
void expect_statuses(uint32_t statuses, char *text, size_t size);

#endif
