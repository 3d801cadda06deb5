/* A cache of the plan of all cases: planning takes seconds, reading this file some milliseconds. The file is valid only
 * for the build that wrote it, and only while specs and strategies are unchanged. */
#include "harness/case/plan_internal.h"

#include "harness/base/cachekey.h"
#include "harness/base/outfile.h"
#include "harness/base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* The file: this head, the segments, then the index. A segment holds consecutive cases of one operator, strategy and
 * tier, packed by LZ4, so that a run of few operators reads few of them. The index has for each segment an entry and
 * two texts, strategy and tier, each ended by a zero byte. */
struct head {
    char magic[16];
    uint64_t key, hash;         /* of everything that the plan depends on; of the rest of the head, and of the index */
    uint64_t count, segments;   /* cases; segments */
    uint64_t index, index_size; /* bytes: offset and size of the index */
};

struct entry {
    uint64_t offset, hash; /* of the packed segment */
    uint32_t packed, size; /* bytes, before and after unpacking */
    uint32_t count, op;    /* cases; index of the operator */
    uint32_t own_names;    /* all names begin with those of operator and strategy */
    uint32_t text_size;    /* of the texts, a multiple of 16 */
    uint32_t strategy_size;
    uint32_t unused;
};

/* A case of an unpacked segment: this, the name ended by a zero byte, and the encoded case at the next multiple of 16.
 * The next case follows at another. */
struct row {
    uint32_t name_size, case_size; /* bytes */
};

static const char magic[16] = "assay plan 2\n";

enum {
    SEGMENT = 1 << 20, /* bytes: a segment ends when it has as many */
    /* What a damaged file may ask for, in bytes. A case with many literals may be far larger than others. */
    MAX_SEGMENT = 1 << 30
};
static const uint64_t max_plan = (uint64_t)4 << 30;

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* The key of program, specs and strategies; 0: no plan can be kept. */
static uint64_t key_of(const struct spec_set *specs, const char *folder)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    return cachekey_folder(random_mix(cachekey_build ^ specs->hash), folder, endings);
}

/* The hash that belongs in the head. */
static uint64_t hash_of(struct head head, const char *index)
{
    head.hash = 0;
    return XXH3_64bits_withSeed(index, head.index_size, XXH3_64bits(&head, sizeof head));
}

/* ---- writing */

struct writer {
    const struct spec_set *specs;
    FILE *file, *index;
    struct head head;
    int level; /* of LZ4: 0: fast */
};

/* The segment that is being filled. */
struct segment {
    char *data;
    size_t size, room;
    const struct testcase *first;
    struct entry entry;
};

static bool segment_room(struct segment *segment, size_t more)
{
    if (segment->room - segment->size >= more)
        return true;
    size_t room = segment->size + more + SEGMENT;
    char *data = realloc(segment->data, room);
    if (!data)
        return false;
    segment->data = data;
    segment->room = room;
    return true;
}

/* Whether the case's name begins with those of operator and strategy. */
static bool is_own_name(const struct testcase *c)
{
    size_t lead = strlen(c->spec->lower), own = strlen(c->strategy);
    if (strncmp(c->name, c->spec->lower, lead) != 0 || c->name[lead] != '.')
        return false;
    const char *rest = c->name + lead + 1;
    return strncmp(rest, c->strategy, own) == 0 && (rest[own] == '.' || rest[own] == '\0');
}

static bool add_case(const struct writer *w, struct segment *segment, const struct testcase *c)
{
    struct row row = {.name_size = (uint32_t)strlen(c->name) + 1,
                      .case_size = (uint32_t)testcase_encode(c, w->specs->specs, 0, NULL, 0)};
    size_t lead = aligned(sizeof row + row.name_size), size = lead + aligned(row.case_size);
    if (!segment_room(segment, size))
        return false;
    char *at = segment->data + segment->size;
    memset(at, 0, size);
    memcpy(at, &row, sizeof row);
    memcpy(at + sizeof row, c->name, row.name_size);
    testcase_encode(c, w->specs->specs, 0, at + lead, row.case_size);
    segment->size += size;
    segment->entry.count++;
    segment->entry.own_names &= is_own_name(c);
    return segment->size <= MAX_SEGMENT;
}

static int pack(const struct writer *w, const struct segment *segment, char *to, int room)
{
    int size = (int)segment->size;
    return w->level ? LZ4_compress_HC(segment->data, to, size, room, w->level)
                    : LZ4_compress_default(segment->data, to, size, room);
}

/* Writes what the segment holds, and empties it. */
static bool write_segment(struct writer *w, struct segment *segment)
{
    static const char zeros[16];
    const struct testcase *first = segment->first;
    size_t strategy_size = strlen(first->strategy) + 1, tier_size = strlen(first->tier) + 1;
    int room = LZ4_compressBound((int)segment->size);
    char *packed = malloc((size_t)room);
    int size = packed ? pack(w, segment, packed, room) : 0;
    struct entry *entry = &segment->entry;
    entry->offset = w->head.index;
    entry->packed = (uint32_t)size;
    entry->size = (uint32_t)segment->size;
    entry->op = (uint32_t)(first->spec - w->specs->specs);
    entry->text_size = (uint32_t)aligned(strategy_size + tier_size);
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
    segment->size = 0;
    return good && !ferror(w->index);
}

static bool belongs(const struct segment *segment, const struct testcase *c)
{
    const struct testcase *first = segment->first;
    return segment->size < SEGMENT && c->spec == first->spec && strcmp(c->strategy, first->strategy) == 0 &&
           strcmp(c->tier, first->tier) == 0;
}

static bool write_segments(struct writer *w, const struct plan *plan)
{
    struct segment segment = {0};
    bool good = true;
    for (size_t i = 0; i < plan->count && good; i++) {
        if (segment.size > 0 && !belongs(&segment, &plan->cases[i]))
            good = write_segment(w, &segment);
        if (segment.size == 0) {
            segment.first = &plan->cases[i];
            segment.entry = (struct entry){.own_names = 1};
        }
        good = good && add_case(w, &segment, &plan->cases[i]);
    }
    good = good && (segment.size == 0 || write_segment(w, &segment));
    free(segment.data);
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
        w->head.hash = hash_of(w->head, index);
        good = fwrite(index, 1, size, w->file) == size && fseek(w->file, 0, SEEK_SET) == 0 &&
               fwrite(&w->head, sizeof w->head, 1, w->file) == 1;
    }
    free(index);
    return good;
}

static bool write_keyed(const struct plan *plan, const struct spec_set *specs, uint64_t key, int level, FILE *file)
{
    struct writer w = {.specs = specs, .file = file, .head = {.key = key, .count = plan->count}, .level = level};
    memcpy(w.head.magic, magic, sizeof magic);
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
    return result == 0 ? outfile_end(&file, write_keyed(plan, specs, key_of(specs, folder), LEVEL, file.out), "", error)
                       : result;
}

/* ---- reading */

/* The file while it is read. */
struct reader {
    const char *data;
    size_t size;
    struct head head;
    uint64_t unpacked; /* bytes so far */
    bool known;        /* there are cases of a wanted tier */
};

/* Adds the case of the row at `at`, of which `size` bytes are left, if it is wanted. Returns the bytes of the row; 0:
 * the segment is damaged. */
static size_t read_row(struct planner *p, const struct entry *entry, const char *tier, const char *at, size_t size)
{
    struct literal literals[OPDESC_MAX_TENSORS] = {0};
    const char *name = at + sizeof(struct row);
    struct testcase c;
    struct row row;
    uint64_t no_seed;
    if (size < sizeof row)
        return 0;
    memcpy(&row, at, sizeof row);
    size_t lead = aligned(sizeof row + row.name_size), whole = lead + aligned(row.case_size);
    if (whole > size || row.name_size == 0 || name[row.name_size - 1])
        return 0;
    if (!planner_wants_name(p, name))
        return whole;
    if (!testcase_decode(at + lead, row.case_size, p->specs->specs, spec_set_size(p->specs), &c, literals, &no_seed) ||
        c.spec != &p->specs->specs[entry->op] || !testcase_name_is_legal(name))
        return 0;
    c.name = name;
    c.strategy = p->strategy;
    c.tier = tier;
    if (!planner_wants_level(p, c.table))
        return whole;
    if (c.literals)
        c.literals = pool_copy(&p->plan->pool, literals, (size_t)c.desc->tensor_count * sizeof *literals);
    p->plan->cases[p->plan->count++] = c;
    return whole;
}

/* Unpacks a segment to the plan's memory. Null: it is damaged. */
static const char *unpack(struct plan *plan, struct reader *r, const struct entry *entry)
{
    if (entry->offset > r->size || r->size - entry->offset < entry->packed || entry->packed > INT32_MAX ||
        entry->size > MAX_SEGMENT || (r->unpacked += entry->size) > max_plan ||
        XXH3_64bits(r->data + entry->offset, entry->packed) != entry->hash)
        return NULL;
    char *data = pool_alloc(&plan->pool, entry->size);
    int size = LZ4_decompress_safe(r->data + entry->offset, data, (int)entry->packed, (int)entry->size);
    return size == (int)entry->size ? data : NULL;
}

static bool read_segment(struct planner *p, struct reader *r, const struct entry *entry, const char *tier)
{
    const char *at = unpack(p->plan, r, entry);
    size_t left = at ? entry->size : 0;
    bool good = at && entry->count <= p->plan->capacity - p->plan->count;
    for (uint32_t i = 0; i < entry->count && good; i++) {
        size_t size = read_row(p, entry, tier, at, left);
        good = size > 0;
        at += size;
        left -= size;
    }
    return good;
}

/* Reads the segment whose entry is at `at`, if it can have wanted cases, and advances `at`. False: the file is
 * damaged. */
static bool read_entry(struct planner *p, struct reader *r, const char **at, const char *end)
{
    const char *text = *at + sizeof(struct entry);
    struct entry entry;
    if ((size_t)(end - *at) < sizeof entry)
        return false;
    memcpy(&entry, *at, sizeof entry);
    if ((size_t)(end - text) < entry.text_size || entry.strategy_size == 0 || entry.strategy_size >= entry.text_size ||
        text[entry.strategy_size - 1] || text[entry.text_size - 1] || entry.op >= (uint32_t)spec_set_size(p->specs))
        return false;
    *at = text + entry.text_size;
    if (!planner_wants_tier(p, text + entry.strategy_size))
        return true;
    r->known = true;
    p->op = (int)entry.op;
    p->strategy = pool_string(&p->plan->pool, text);
    if (!planner_wants_operator(p) || (entry.own_names && !planner_wants_strategy(p)))
        return true;
    return read_segment(p, r, &entry, pool_string(&p->plan->pool, text + entry.strategy_size));
}

static bool map_file(struct reader *r, int fd)
{
    struct stat status;
    void *map = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0
                    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
    if (map == MAP_FAILED)
        return false;
    r->data = map;
    r->size = (size_t)status.st_size;
    return true;
}

/* Whether the mapped file begins with the head of a plan. Neither key nor hash is checked. */
static bool read_head(struct reader *r)
{
    struct head *head = &r->head;
    if (r->size < sizeof *head)
        return false;
    memcpy(head, r->data, sizeof *head);
    return memcmp(head->magic, magic, sizeof magic) == 0 && head->index <= r->size &&
           head->index_size == r->size - head->index && head->segments <= head->index_size / sizeof(struct entry) &&
           head->count <= max_plan / sizeof(struct row);
}

bool planner_read_plan(struct planner *p, int fd, planner_key *key_of_plan, const void *context)
{
    struct plan *plan = p->plan;
    struct reader r = {0};
    if (!map_file(&r, fd))
        return false;
    bool good = read_head(&r) && r.head.key != 0 && r.head.key == key_of_plan(p, context) &&
                r.head.hash == hash_of(r.head, r.data + r.head.index);
    const char *at = r.data + (good ? r.head.index : 0), *end = r.data + r.size;
    plan->cases = good ? calloc(r.head.count + 1, sizeof *plan->cases) : NULL;
    plan->capacity = good ? r.head.count : 0;
    good = plan->cases != NULL;
    for (uint64_t i = 0; i < r.head.segments && good; i++)
        good = read_entry(p, &r, &at, end);
    good = good && (r.known || r.head.count == 0); /* an unknown tier: running the strategies reports that */
    munmap((void *)(uintptr_t)r.data, r.size);
    if (!good)
        plan_free(plan);
    return good;
}

static uint64_t key_of_folder(const struct planner *p, const void *folder)
{
    return key_of(p->specs, folder);
}

bool planner_read_cache(struct planner *p, const char *folder)
{
    bool usable = !p->filter->tier && p->filter->cache && *p->filter->cache; /* it has the cases without a tier */
    int fd = usable ? open(p->filter->cache, O_RDONLY | O_CLOEXEC) : -1;
    bool good = fd >= 0 && planner_read_plan(p, fd, key_of_folder, folder);
    p->plan->is_kept = good;
    if (fd >= 0)
        close(fd);
    return good;
}
