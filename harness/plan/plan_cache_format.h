/* plan_cache_format.h: the file that a plan is kept in; for plan_cache.c and plan_cache_read.c only. */
#ifndef CASE_PLAN_CACHE_FORMAT_H
#define CASE_PLAN_CACHE_FORMAT_H

#include "harness/load/load.h"

#include <stddef.h>
#include <stdint.h>

/* The file: this head, the segments, then the index. A segment holds consecutive cases of one operator, strategy and
 * tier, packed by LZ4, so that a run of few operators reads few of them. It begins with the names, which can be
 * unpacked alone. The index has for each segment an entry and two texts, strategy and tier, each ended by a zero
 * byte. */
struct plan_head {
    char magic[16];
    uint64_t key, hash;         /* of everything that the plan depends on; of the rest of the head, and of the index */
    uint64_t count, segments;   /* cases; segments */
    uint64_t names;             /* plan_hash() of all cases */
    uint64_t index, index_size; /* bytes: offset and size of the index */
};

struct plan_entry {
    uint64_t offset, hash; /* of the packed segment */
    uint32_t packed, size; /* bytes, before and after unpacking */
    uint32_t count, op;    /* cases; index of the operator */
    uint32_t own_names;    /* all names begin with those of operator and strategy */
    uint32_t text_size;    /* of the texts, a multiple of 16 */
    uint32_t strategy_size;
    uint32_t names_size; /* of the unpacked segment's begin, which has the names: a multiple of 16 */
};

/* A case of an unpacked segment: this, then the name ended by a zero byte. The next case's follow at once. The encoded
 * cases are behind all names, each at a multiple of 16. */
struct plan_row {
    uint32_t name_size, case_size; /* bytes */
};

static const char plan_magic[16] = "assay plan 5\n";

enum {
    PLAN_SEGMENT = 1 << 20, /* bytes: a segment ends when it has as many */
    /* The most bytes that a file may ask for, since it may be damaged. A case with many literals may be far larger than
     * others. */
    PLAN_MAX_SEGMENT = 1 << 30
};

static inline size_t plan_aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Returns the key of program, specs and strategies; 0: no plan can be kept. */
uint64_t plan_cache_key(const struct spec_set *specs, const char *folder);

/* Returns the hash that belongs in the head. */
uint64_t plan_cache_hash(struct plan_head head, const char *index);

#endif
