/* Reads a plan from the file that plan_cache.c wrote. Memory costs most of the time: all cases need more than a hundred
 * MiB. So several threads unpack the segments, or segments are unpacked when their cases are asked for: a run has its
 * first results long before it needs the last case. */
#include "harness/plan/plan_cache_format.h"
#include "harness/plan/plan_internal.h"

#include "harness/base/processors.h"

#include <fcntl.h>
#include <lz4.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* The most bytes that a file may ask for, since it may be damaged. */
static const uint64_t max_plan = (uint64_t)4 << 30;

/* A segment that can have wanted cases. */
struct wanted {
    struct plan_entry entry;
    const char *strategy, *tier; /* in the plan's memory */
    size_t first, count;         /* its wanted cases in the plan, before they are moved together */
};

/* The file while it is read. */
struct plan_reading {
    const struct planner *p; /* its filter chooses the cases */
    const char *data;
    size_t size;
    struct plan_head head;
    struct wanted *wanted;
    size_t wanted_count;
    struct testcase *cases; /* the plan's */
    size_t count;           /* cases of the wanted segments */
    size_t ready;           /* the number of them that have been read; they are the first ones */
    uint64_t bytes;         /* of the segments that have not been read, unpacked */
    bool known;             /* there are cases of a wanted tier */
    atomic_size_t next;     /* the first wanted segment that no thread has taken */
    atomic_bool damaged;
    struct pool pool;     /* has the unpacked segments */
    struct planner every; /* wants all cases: takes the place of `p` if cases are read later */
};

struct thread {
    struct plan_reading *reading;
    pthread_t id;
    struct pool pool; /* has the segments that it unpacks */
};

/* ---- segments */

static bool plan_cache_read_is_whole(const struct plan_reading *r, const struct plan_entry *entry)
{
    return entry->offset <= r->size && r->size - entry->offset >= entry->packed && entry->packed <= INT32_MAX &&
           XXH3_64bits(r->data + entry->offset, entry->packed) == entry->hash;
}

/* Unpacks the first `size` bytes of a whole segment. False: it is damaged. */
static bool unpack(const struct plan_reading *r, const struct plan_entry *entry, char *to, uint32_t size)
{
    const char *from = r->data + entry->offset;
    int packed = (int)entry->packed, wanted = (int)size;
    int unpacked = size < entry->size ? LZ4_decompress_safe_partial(from, to, packed, wanted, wanted)
                                      : LZ4_decompress_safe(from, to, packed, wanted);
    return unpacked == wanted;
}

/* The part of an unpacked segment that is still to be read. */
struct rest {
    const char *names, *names_end;
    const char *cases, *cases_end;
};

/* Reads the next row, and returns its name. Null: the segment is damaged. */
static const char *plan_cache_read_name(struct rest *rest, struct plan_row *row)
{
    const char *name = rest->names + sizeof *row;
    if ((size_t)(rest->names_end - rest->names) < sizeof *row)
        return NULL;
    memcpy(row, rest->names, sizeof *row);
    if ((size_t)(rest->names_end - name) < row->name_size || row->name_size == 0 || name[row->name_size - 1])
        return NULL;
    rest->names = name + row->name_size;
    return name;
}

/* Returns true if the segment has a name that is wanted, or may be damaged. Only the names are unpacked: they are a
 * small part of it, and most patterns match the cases of few strategies. */
static bool may_have_wanted(const struct plan_reading *r, const struct planner *p, const struct plan_entry *entry)
{
    char *names = malloc(entry->names_size);
    struct rest rest = {.names = names, .names_end = names + entry->names_size};
    bool may = !names || !unpack(r, entry, names, entry->names_size);
    for (uint32_t i = 0; i < entry->count && !may; i++) {
        struct plan_row row;
        const char *name = plan_cache_read_name(&rest, &row);
        may = !name || planner_wants_name(p, name);
    }
    free(names);
    return may;
}

/* Adds the next case to the segment's, if it is wanted. False: the segment is damaged. */
static bool plan_cache_read_row(const struct planner *p, struct testcase *cases, struct wanted *segment,
                                struct pool *pool, struct rest *rest)
{
    struct literal literals[OPDESC_MAX_TENSORS];
    struct unread unread;
    struct testcase c;
    struct plan_row row;
    uint64_t no_seed;
    const char *name = plan_cache_read_name(rest, &row), *encoded = rest->cases;
    if (!name || (size_t)(rest->cases_end - encoded) < plan_aligned(row.case_size))
        return false;
    rest->cases += plan_aligned(row.case_size);
    if (!planner_wants_name(p, name))
        return true;
    if (!testcase_decode(encoded, row.case_size, p->specs->specs, spec_set_size(p->specs), &c, literals, &unread,
                         &no_seed) ||
        c.spec != &p->specs->specs[p->op] || !case_name_is_legal(name))
        return false;
    c.name = name;
    c.strategy = segment->strategy;
    c.tier = segment->tier;
    if (!planner_wants_level(p, c.table))
        return true;
    if (c.unread)
        c.unread = pool_copy(pool, &unread, sizeof unread);
    if (c.literals)
        c.literals = pool_copy(pool, literals, (size_t)c.desc->tensor_count * sizeof *literals);
    cases[segment->first + segment->count++] = c;
    return true;
}

static bool read_segment(const struct plan_reading *r, struct wanted *segment, struct pool *pool)
{
    const struct plan_entry *entry = &segment->entry;
    struct planner p = *r->p;
    p.op = (int)entry->op;
    if (!plan_cache_read_is_whole(r, entry))
        return false;
    if (planner_chooses_names(&p) && !may_have_wanted(r, &p, entry))
        return true;
    char *data = pool_alloc(pool, entry->size);
    bool good = unpack(r, entry, data, entry->size);
    struct rest rest = {.names = data,
                        .names_end = data + entry->names_size,
                        .cases = data + entry->names_size,
                        .cases_end = data + entry->size};
    for (uint32_t i = 0; i < entry->count && good; i++)
        good = plan_cache_read_row(&p, r->cases, segment, pool, &rest);
    return good;
}

static void *read_segments(void *context)
{
    struct thread *thread = context;
    struct plan_reading *r = thread->reading;
    for (size_t i; !r->damaged && (i = atomic_fetch_add(&r->next, 1)) < r->wanted_count;)
        if (!read_segment(r, &r->wanted[i], &thread->pool))
            r->damaged = true;
    return NULL;
}

/* Reads the wanted segments that are left in this thread and, if there is much to unpack, in others. False: one is
 * damaged. */
static bool plan_cache_read_rest(struct plan_reading *r)
{
    enum { MAX_THREADS = 8, SHARE = 4 << 20 /* bytes: with less to do, a thread is not worth its start */ };
    struct thread threads[MAX_THREADS] = {{.reading = r}};
    uint64_t useful = r->bytes / SHARE, most = (uint64_t)processors();
    most = most < MAX_THREADS ? most : MAX_THREADS;
    size_t started = 1; /* this one */
    for (; started < useful && started < most; started++) {
        threads[started].reading = r;
        if (pthread_create(&threads[started].id, NULL, read_segments, &threads[started]) != 0)
            break;
    }
    read_segments(&threads[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(threads[i].id, NULL);
    for (size_t i = 0; i < started; i++)
        pool_join(&r->pool, &threads[i].pool);
    r->ready = r->damaged ? r->ready : r->count;
    r->bytes = 0;
    return !r->damaged;
}

/* Moves the wanted cases together. */
static void join_segments(const struct plan_reading *r, struct plan *plan)
{
    for (size_t i = 0; i < r->wanted_count; i++) {
        const struct wanted *segment = &r->wanted[i];
        if (plan->count != segment->first)
            memmove(plan->cases + plan->count, plan->cases + segment->first, segment->count * sizeof *plan->cases);
        plan->count += segment->count;
    }
}

/* ---- the index */

static bool add_wanted(struct plan_reading *r, const struct plan_entry *entry, const char *strategy, const char *tier)
{
    r->wanted[r->wanted_count++] = (struct wanted){.entry = *entry,
                                                   .strategy = pool_string(&r->pool, strategy),
                                                   .tier = pool_string(&r->pool, tier),
                                                   .first = r->count};
    r->count += entry->count;
    r->bytes += entry->size;
    return entry->size <= PLAN_MAX_SEGMENT && entry->names_size <= entry->size && entry->names_size % 16 == 0 &&
           entry->count <= entry->names_size / sizeof(struct plan_row) && r->bytes <= max_plan;
}

/* Reads the entry at `at`, and advances `at`. False: the file is damaged. */
static bool read_entry(struct plan_reading *r, struct planner *p, const char **at, const char *end)
{
    const char *strategy = *at + sizeof(struct plan_entry);
    struct plan_entry entry;
    if ((size_t)(end - *at) < sizeof entry)
        return false;
    memcpy(&entry, *at, sizeof entry);
    if ((size_t)(end - strategy) < entry.text_size || entry.strategy_size == 0 ||
        entry.strategy_size >= entry.text_size || strategy[entry.strategy_size - 1] || strategy[entry.text_size - 1] ||
        entry.op >= (uint32_t)spec_set_size(p->specs))
        return false;
    *at = strategy + entry.text_size;
    const char *tier = strategy + entry.strategy_size;
    if (!planner_wants_tier(p, tier))
        return true;
    r->known = true;
    p->op = (int)entry.op;
    p->strategy = strategy;
    if (!planner_wants_operator(p) || (entry.own_names && !planner_wants_strategy(p)))
        return true;
    return add_wanted(r, &entry, strategy, tier);
}

static bool read_index(struct plan_reading *r, struct planner *p)
{
    const char *at = r->data + r->head.index, *end = r->data + r->size;
    bool good = true;
    r->wanted = malloc((r->head.segments + 1) * sizeof *r->wanted);
    for (uint64_t i = 0; i < r->head.segments && good && r->wanted; i++)
        good = read_entry(r, p, &at, end);
    return good && r->wanted &&
           (r->known || r->head.count == 0); /* an unknown tier: running the strategies reports it */
}

/* ---- the file */

static bool map_file(struct plan_reading *r, int fd)
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

/* Returns true if the mapped file begins with the head of a plan. Neither key nor hash is checked. */
static bool plan_cache_read_head(struct plan_reading *r)
{
    struct plan_head *head = &r->head;
    if (r->size < sizeof *head)
        return false;
    memcpy(head, r->data, sizeof *head);
    return memcmp(head->magic, plan_magic, sizeof plan_magic) == 0 && head->index <= r->size &&
           head->index_size == r->size - head->index && head->segments <= head->index_size / sizeof(struct plan_entry);
}

/* Room for the cases, in huge pages if it takes many. */
static struct testcase *new_cases(size_t count)
{
    enum { HUGE_PAGE = 2 << 20 };
    size_t size = count * sizeof(struct testcase), whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    struct testcase *cases = size < HUGE_PAGE ? malloc(size) : aligned_alloc(HUGE_PAGE, whole);
    if (cases && size >= HUGE_PAGE)
        madvise(cases, whole, MADV_HUGEPAGE); /* if it fails, pages are small */
    return cases;
}

static bool wants_all(const struct plan_filter *filter)
{
    return filter->pattern_count + filter->excluded_count + filter->operator_count + filter->level_count == 0 &&
           !filter->list && !filter->tier;
}

/* Leaves the cases to plan_await(). False: a segment is damaged. */
static bool read_later(struct plan_reading *r, const struct spec_set *specs)
{
    static const struct plan_filter every;
    bool good = true;
    for (size_t i = 0; i < r->wanted_count && good; i++)
        good = plan_cache_read_is_whole(r, &r->wanted[i].entry);
    r->every = (struct planner){.specs = specs, .filter = &every};
    r->p = &r->every;
    return good;
}

static void plan_cache_read_release(struct plan_reading *r)
{
    if (r->data)
        munmap((void *)(uintptr_t)r->data, r->size);
    pool_clear(&r->pool);
    free(r->wanted);
    free(r);
}

bool planner_read_plan(struct planner *p, int fd, planner_key *key_of_plan, const void *context)
{
    struct plan *plan = p->plan;
    struct plan_reading *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    r->p = p;
    bool good = map_file(r, fd) && plan_cache_read_head(r) && r->head.key != 0 &&
                r->head.key == key_of_plan(p, context) &&
                r->head.hash == plan_cache_hash(r->head, r->data + r->head.index) && read_index(r, p);
    bool all = good && wants_all(p->filter) && r->count == r->head.count, later = all && p->filter->later;
    plan->capacity = good ? r->count + 1 : 0;
    plan->cases = r->cases = good ? new_cases(plan->capacity) : NULL;
    good = plan->cases && (later ? read_later(r, p->specs) : plan_cache_read_rest(r));
    p->strategy = ""; /* not in the file, which is unmapped */
    plan->hash = good && all ? r->head.names : 0;
    if (good && later) {
        plan->count = r->count;
        plan->reading = r;
        return true;
    }
    pool_join(&plan->pool, &r->pool);
    if (good)
        join_segments(r, plan);
    else
        plan_free(plan);
    plan_cache_read_release(r);
    return good;
}

/* ---- cases that are read later */

bool plan_await(const struct plan *plan, size_t count)
{
    struct plan_reading *r = plan->reading;
    if (!r || count <= r->ready)
        return true;
    if (count >= r->count)
        return !r->damaged && plan_cache_read_rest(r);
    while (!r->damaged && r->ready < count) {
        struct wanted *segment = &r->wanted[r->next++];
        r->damaged = !read_segment(r, segment, &r->pool);
        r->ready += r->damaged ? 0 : segment->count;
        r->bytes -= segment->entry.size;
    }
    return !r->damaged;
}

int plan_damaged(struct error *error)
{
    return error_set(error, EXIT_HARNESS,
                     "the plan that was made when assay was built is damaged: `make` makes a new one");
}

const struct spec *plan_spec(const struct plan *plan, size_t index)
{
    const struct plan_reading *r = plan->reading;
    if (!r || index < r->ready)
        return plan->cases[index].spec;
    size_t low = 0, high = r->wanted_count; /* the segment is at `low` or behind it, and before `high` */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (r->wanted[middle].first <= index)
            low = middle;
        else
            high = middle;
    }
    return &r->p->specs->specs[r->wanted[low].entry.op];
}

void planner_free_reading(struct plan *plan)
{
    if (plan->reading)
        plan_cache_read_release(plan->reading);
    plan->reading = NULL;
}

/* ---- the cache */

static uint64_t key_of_folder(const struct planner *p, const void *folder)
{
    return plan_cache_key(p->specs, folder);
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
