/* patterns.h: a list of patterns on case names (plan_matches() in plan.h), indexed so that long lists are quick. */
#ifndef CASE_PATTERNS_H
#define CASE_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pattern with wildcards. Names that match it contain its run. */
struct patterns_glob {
    char *run; /* characters between two wildcards: those that the fewest patterns have; owned */
    uint32_t at;
};

struct patterns {
    const char *const *items; /* not owned; null entries match nothing */
    size_t count;
    uint32_t *literals; /* patterns without wildcards, sorted by text, then place */
    size_t literal_count;
    struct patterns_glob *globs; /* the other patterns, sorted by their run, the last one first among equal runs */
    size_t glob_count;
    size_t begin[257]; /* by byte: the first glob whose run does not begin with a lower byte */
    uint64_t parts;    /* bit n: a literal has n dots; bit 63: or more */
};

/* Indexes patterns, which must outlive the index. False: out of memory. Free with patterns_free(), also then. */
bool patterns_index(struct patterns *patterns, const char *const *items, size_t count);
void patterns_free(struct patterns *patterns);

/* Returns 1 + the place of the last pattern that matches the name; 0: none. */
uint32_t patterns_last(const struct patterns *patterns, const char *name);

/* Sets `hit`, one per pattern, for each that matches the name; several threads may share it. Returns true if there is
 * one. */
bool patterns_mark(const struct patterns *patterns, const char *name, bool *hit);

/* Returns true if a pattern can match a name that is `start` or continues it with a dot. */
bool patterns_may_match(const struct patterns *patterns, const char *start);

#endif
