/* A cache of the plan of all cases: planning takes half a second, reading this file some milliseconds. The file is
 * valid only for the program build that wrote it, and only while specs and strategies are unchanged. */
#include "harness/case/plan_internal.h"

#include "harness/base/cachekey.h"
#include "harness/base/random.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* The file: this head, the encoded cases, then the index. The index has, for each case, an entry and three texts: the
 * names of case, strategy and tier, each ended by a zero byte. Cases and entries are aligned to 16 bytes. Cases that
 * the filter leaves out are not read. */
struct head {
    char magic[16];
    uint64_t key, hash;         /* of everything that the plan depends on; of the index */
    uint64_t count;             /* cases */
    uint64_t index, index_size; /* bytes: offset and size of the index */
};

struct entry {
    uint64_t offset, hash; /* of the encoded case */
    uint32_t case_size;
    uint32_t text_size; /* of the texts, a multiple of 16 */
    uint32_t name_size, strategy_size;
};

static const char magic[16] = "assay plan\n";

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* The key of program, specs and strategies; 0: no plan can be kept. */
static uint64_t key_of(const struct spec_set *specs, const char *folder)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    uint64_t key = cachekey_program();
    return key ? cachekey_folder(random_mix(key ^ specs->hash), folder, endings) : 0;
}

/* ---- writing */

static bool write_case(const struct testcase *c, const struct spec_set *specs, uint64_t offset, FILE *file, FILE *index,
                       size_t *size)
{
    static const char zeros[16];
    size_t name_size = strlen(c->name) + 1, strategy_size = strlen(c->strategy) + 1, tier_size = strlen(c->tier) + 1,
           texts = name_size + strategy_size + tier_size;
    *size = testcase_encode(c, specs->specs, 0, NULL, 0);
    char *block = aligned_alloc(16, *size);
    if (!block)
        return false;
    testcase_encode(c, specs->specs, 0, block, *size);
    struct entry entry = {.offset = offset,
                          .hash = XXH3_64bits(block, *size),
                          .case_size = (uint32_t)*size,
                          .text_size = (uint32_t)aligned(texts),
                          .name_size = (uint32_t)name_size,
                          .strategy_size = (uint32_t)strategy_size};
    bool good = fwrite(block, *size, 1, file) == 1;
    free(block);
    fwrite(&entry, sizeof entry, 1, index);
    fwrite(c->name, name_size, 1, index);
    fwrite(c->strategy, strategy_size, 1, index);
    fwrite(c->tier, tier_size, 1, index);
    fwrite(zeros, aligned(texts) - texts, 1, index);
    return good && !ferror(index);
}

static bool write_plan(const struct plan *plan, const struct spec_set *specs, struct head *head, FILE *file)
{
    char *text = NULL;
    size_t text_size, size;
    FILE *index = open_memstream(&text, &text_size);
    bool good = index && fwrite(head, sizeof *head, 1, file) == 1;
    head->index = sizeof *head;
    for (size_t i = 0; i < plan->count && good; i++, head->index += size)
        good = write_case(&plan->cases[i], specs, head->index, file, index, &size);
    if (index && fclose(index) != 0)
        good = false;
    if (good) {
        head->index_size = text_size;
        head->hash = XXH3_64bits_withSeed(text, text_size, head->key);
        good = fwrite(text, 1, text_size, file) == text_size && fseek(file, 0, SEEK_SET) == 0 &&
               fwrite(head, sizeof *head, 1, file) == 1;
    }
    free(text);
    return good;
}

bool planner_write_plan(const struct plan *plan, const struct spec_set *specs, uint64_t key, FILE *file)
{
    struct head head = {.key = key, .count = plan->count};
    memcpy(head.magic, magic, sizeof magic);
    return write_plan(plan, specs, &head, file);
}

int plan_cache_write(const struct plan *plan, const struct spec_set *specs, const char *folder, const char *path,
                     struct error *error)
{
    char other[4096]; /* written beside the old file, which others may be reading */
    if ((size_t)snprintf(other, sizeof other, "%s.new", path) >= sizeof other)
        return error_set(error, EXIT_HARNESS, "%s: too long a path", path);
    FILE *file = fopen(other, "wbe");
    bool good = file && planner_write_plan(plan, specs, key_of(specs, folder), file);
    if (file && fclose(file) != 0)
        good = false;
    if (good && rename(other, path) == 0)
        return 0;
    error_set(error, EXIT_HARNESS, "%s: cannot be written: %m", path);
    unlink(other);
    return EXIT_HARNESS;
}

/* ---- reading */

/* Adds the case of the entry at `at` if it is wanted, and advances `at`. Sets `known` if the case is of a wanted tier.
 * False: the file is damaged. */
static bool read_case(struct planner *p, const char **at, const char *end, bool *known)
{
    const char *file = p->plan->mapping, *text = *at + sizeof(struct entry);
    struct literal literals[OPDESC_MAX_TENSORS] = {0};
    struct entry entry;
    struct testcase c;
    uint64_t no_seed;
    if ((size_t)(end - *at) < sizeof entry)
        return false;
    memcpy(&entry, *at, sizeof entry);
    if ((size_t)(end - text) < entry.text_size || (uint64_t)entry.name_size + entry.strategy_size >= entry.text_size ||
        entry.offset > p->plan->mapping_size || p->plan->mapping_size - entry.offset < entry.case_size)
        return false;
    *at = text + entry.text_size;
    if (entry.name_size == 0 || text[entry.name_size - 1] || entry.strategy_size == 0 ||
        text[entry.name_size + entry.strategy_size - 1] || text[entry.text_size - 1])
        return false;
    if (!planner_wants_tier(p, text + entry.name_size + entry.strategy_size))
        return true;
    *known = true;
    if (!planner_wants_name(p, text))
        return true;
    if (XXH3_64bits(file + entry.offset, entry.case_size) != entry.hash ||
        !testcase_decode(file + entry.offset, entry.case_size, p->specs->specs, p->specs->count, &c, literals,
                         &no_seed))
        return false;
    c.name = text;
    c.strategy = text + entry.name_size;
    c.tier = c.strategy + entry.strategy_size;
    if (!testcase_name_is_legal(c.name))
        return false;
    p->op = (int)(c.spec - p->specs->specs);
    if (!planner_wants_operator(p) || !planner_wants_level(p, c.table))
        return true;
    if (c.literals)
        c.literals = pool_copy(&p->plan->pool, literals, (size_t)c.desc->tensor_count * sizeof *literals);
    p->plan->cases[p->plan->count++] = c;
    return true;
}

static bool map_file(struct plan *plan, int fd)
{
    struct stat status;
    void *map = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0
                    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                    : MAP_FAILED;
    if (map == MAP_FAILED)
        return false;
    plan->mapping = map;
    plan->mapping_size = (size_t)status.st_size;
    return true;
}

/* The head of the mapped file, zeroed if that is not a plan. Neither key nor hash is checked. */
static struct head head_of(const struct plan *plan)
{
    static const struct head none;
    struct head head = {0};
    if (plan->mapping_size >= sizeof head)
        memcpy(&head, plan->mapping, sizeof head);
    bool good = memcmp(head.magic, magic, sizeof magic) == 0 && head.index <= plan->mapping_size &&
                head.index_size == plan->mapping_size - head.index && head.count <= head.index_size;
    return good ? head : none;
}

bool planner_read_plan(struct planner *p, int fd, planner_key *key_of_plan, const void *context)
{
    struct plan *plan = p->plan;
    bool known = false;
    if (!map_file(plan, fd))
        return false;
    const char *file = plan->mapping;
    struct head head = head_of(plan);
    bool good = head.key != 0 && head.key == key_of_plan(p, context) &&
                head.hash == XXH3_64bits_withSeed(file + head.index, head.index_size, head.key);
    const char *at = file + (good ? head.index : 0), *end = file + plan->mapping_size;
    plan->cases = good ? calloc(head.count + 1, sizeof *plan->cases) : NULL;
    plan->capacity = head.count;
    good = plan->cases != NULL;
    for (uint64_t i = 0; i < head.count && good; i++)
        good = read_case(p, &at, end, &known);
    good = good && (known || head.count == 0); /* an unknown tier: running the strategies reports that */
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
    if (fd >= 0)
        close(fd);
    return good;
}
