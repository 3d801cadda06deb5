/* A cache of the plan of all cases: planning takes seconds, reading this file some milliseconds. The file is valid only
 * for the build that wrote it, and only while specs and strategies are unchanged. */
#include "harness/plan/plan_cache_format.h"
#include "harness/plan/plan_internal.h"

#include "harness/base/cachekey.h"
#include "harness/base/outfile.h"
#include "harness/base/random.h"

#include <errno.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t plan_cache_key(const struct spec_set *specs, const char *folder)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    return cachekey_folder(random_mix(cachekey_build ^ specs->hash), folder, endings);
}

uint64_t plan_cache_hash(struct plan_head head, const char *index)
{
    head.hash = 0;
    return XXH3_64bits_withSeed(index, head.index_size, XXH3_64bits(&head, sizeof head));
}

struct writer {
    const struct spec_set *specs;
    FILE *file, *index;
    struct plan_head head;
    int level; /* of LZ4: 0: fast */
};

struct bytes {
    char *data;
    size_t size, room;
};

/* The segment that is being filled. */
struct segment {
    struct bytes names, cases; /* the segment is one, then the other */
    const struct testcase *first;
    struct plan_entry entry;
};

/* Adds zeros. Null: out of memory. */
static char *bytes_add(struct bytes *bytes, size_t more)
{
    if (bytes->room - bytes->size < more) {
        size_t room = bytes->size + more + PLAN_SEGMENT;
        char *data = realloc(bytes->data, room);
        if (!data)
            return NULL;
        bytes->data = data;
        bytes->room = room;
    }
    bytes->size += more;
    return memset(bytes->data + bytes->size - more, 0, more);
}

static size_t segment_size(const struct segment *segment)
{
    return plan_aligned(segment->names.size) + segment->cases.size;
}

/* Returns true if the case's name begins with those of operator and strategy. */
static bool is_own_name(const struct testcase *c)
{
    const struct case_name name = case_name_parse(c->name);
    return case_text_is(name.parts[CASE_OPERATOR], c->spec->lower) &&
           case_text_is(name.parts[CASE_STRATEGY], c->strategy);
}

static bool plan_cache_add_case(const struct writer *w, struct segment *segment, const struct testcase *c)
{
    struct plan_row row = {.name_size = (uint32_t)strlen(c->name) + 1,
                           .case_size = (uint32_t)testcase_encode(c, w->specs->specs, 0, NULL, 0)};
    char *name = bytes_add(&segment->names, sizeof row + row.name_size);
    char *encoded = bytes_add(&segment->cases, plan_aligned(row.case_size));
    if (!name || !encoded)
        return false;
    memcpy(name, &row, sizeof row);
    memcpy(name + sizeof row, c->name, row.name_size);
    testcase_encode(c, w->specs->specs, 0, encoded, row.case_size);
    segment->entry.count++;
    segment->entry.own_names &= is_own_name(c);
    return segment_size(segment) <= PLAN_MAX_SEGMENT;
}

/* Moves the cases behind the names. */
static bool plan_cache_join(struct segment *segment)
{
    struct bytes *names = &segment->names, *cases = &segment->cases;
    if (!bytes_add(names, plan_aligned(names->size) - names->size))
        return false;
    segment->entry.names_size = (uint32_t)names->size;
    char *at = bytes_add(names, cases->size);
    if (at)
        memcpy(at, cases->data, cases->size);
    cases->size = 0;
    return at;
}

static int plan_cache_pack(const struct writer *w, const struct bytes *segment, char *to, int room)
{
    int size = (int)segment->size;
    return w->level ? LZ4_compress_HC(segment->data, to, size, room, w->level)
                    : LZ4_compress_default(segment->data, to, size, room);
}

/* Writes the segment, and empties it. */
static bool write_segment(struct writer *w, struct segment *segment)
{
    static const char zeros[16];
    const struct testcase *first = segment->first;
    size_t strategy_size = strlen(first->strategy) + 1, tier_size = strlen(first->tier) + 1;
    bool joined = plan_cache_join(segment);
    int room = LZ4_compressBound((int)segment->names.size);
    char *packed = malloc((size_t)room);
    int size = packed && joined ? plan_cache_pack(w, &segment->names, packed, room) : 0;
    struct plan_entry *entry = &segment->entry;
    entry->offset = w->head.index;
    entry->packed = (uint32_t)size;
    entry->size = (uint32_t)segment->names.size;
    entry->op = (uint32_t)(first->spec - w->specs->specs);
    entry->text_size = (uint32_t)plan_aligned(strategy_size + tier_size);
    entry->strategy_size = (uint32_t)strategy_size;
    entry->hash = size > 0 ? XXH3_64bits(packed, (size_t)size) : 0;
    bool good = size > 0 && fwrite(packed, (size_t)size, 1, w->file) == 1;
    free(packed);
    fwrite(entry, sizeof *entry, 1, w->index);
    fwrite(first->strategy, strategy_size, 1, w->index);
    fwrite(first->tier, tier_size, 1, w->index);
    fwrite(zeros, entry->text_size - strategy_size - tier_size, 1, w->index);
    w->head.index += entry->packed;
    w->head.segments++;
    segment->names.size = 0;
    segment->entry.count = 0;
    return good && !ferror(w->index);
}

static bool plan_cache_belongs(const struct segment *segment, const struct testcase *c)
{
    const struct testcase *first = segment->first;
    return segment_size(segment) < PLAN_SEGMENT && c->spec == first->spec &&
           strcmp(c->strategy, first->strategy) == 0 && strcmp(c->tier, first->tier) == 0;
}

static bool write_segments(struct writer *w, const struct plan *plan)
{
    struct segment segment = {0};
    bool good = true;
    for (size_t i = 0; i < plan->count && good; i++) {
        if (segment.entry.count > 0 && !plan_cache_belongs(&segment, &plan->cases[i]))
            good = write_segment(w, &segment);
        if (segment.entry.count == 0) {
            segment.first = &plan->cases[i];
            segment.entry = (struct plan_entry){.own_names = 1};
        }
        good = good && plan_cache_add_case(w, &segment, &plan->cases[i]);
    }
    good = good && (segment.entry.count == 0 || write_segment(w, &segment));
    free(segment.names.data);
    free(segment.cases.data);
    return good;
}

static bool write_plan(struct writer *w, const struct plan *plan)
{
    char *index = NULL;
    size_t size = 0;
    w->head.index = sizeof w->head;
    w->index = open_memstream(&index, &size);
    bool good = w->index && fwrite(&w->head, sizeof w->head, 1, w->file) == 1 && write_segments(w, plan);
    if (w->index && fclose(w->index) != 0)
        good = false;
    if (good) {
        w->head.index_size = size;
        w->head.hash = plan_cache_hash(w->head, index);
        good = fwrite(index, 1, size, w->file) == size && fseek(w->file, 0, SEEK_SET) == 0 &&
               fwrite(&w->head, sizeof w->head, 1, w->file) == 1;
    }
    free(index);
    return good;
}

static bool write_keyed(const struct plan *plan, const struct spec_set *specs, uint64_t key, int level, FILE *file)
{
    struct writer w = {.specs = specs,
                       .file = file,
                       .head = {.key = key, .count = plan->count, .names = plan_hash(plan)},
                       .level = level};
    memcpy(w.head.magic, plan_magic, sizeof plan_magic);
    return write_plan(&w, plan);
}

bool planner_write_plan(const struct plan *plan, const struct spec_set *specs, uint64_t key, FILE *file)
{
    return write_keyed(plan, specs, key, 0, file);
}

int plan_cache_write(const struct plan *plan, const struct spec_set *specs, const char *folder, const char *path,
                     struct error *error)
{
    enum { LEVEL = 4 }; /* half the size of a fast one; higher levels gain little more */
    struct outfile file;
    int result = outfile_open(&file, path, error); /* other processes may be reading the old file */
    errno = 0;
    return result == 0
               ? outfile_end(&file, write_keyed(plan, specs, plan_cache_key(specs, folder), LEVEL, file.out), "", error)
               : result;
}
