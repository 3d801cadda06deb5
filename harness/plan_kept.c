/* The plan of all cases, made once and kept in a file: planning takes half a second, reading this some milliseconds. It is
 * used by the very program that wrote it alone, with the very specs and strategies that it was made of. */
#include "harness/plan_emit.h"

#include "harness/random.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* The file: this, then for each case an entry, its encoded case, and its name and its strategy's; aligned to 16. */
struct head {
    char what[16];
    uint64_t key, hash; /* of what the plan was made of; of what follows */
    uint64_t count, size;
};

struct entry {
    uint32_t case_size, text_size; /* multiples of 16 */
    uint32_t name_size, pad;       /* with its zero */
};

static const char what[16] = "assay plan\n";

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* ---- the key */

/* The linker's digest of the program, in `context`; there may be none. */
static int add_program(struct dl_phdr_info *object, size_t size, void *context)
{
    uint64_t *key = context;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
        while (segment->p_type == PT_NOTE && end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            memcpy(&note, at, sizeof note);
            const char *value = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4)
                *key = XXH3_64bits_withSeed(value, note.n_descsz, *key);
            at = value + (note.n_descsz + 3) / 4 * 4;
        }
    }
    return 1; /* what comes first is the program */
}

/* Of program, specs and strategies; 0: there is none, of a program without a digest or files that cannot be read. */
static uint64_t key_of(const struct spec_set *specs, const char *folder)
{
    static const char *const endings[] = {".lua", ".json", NULL};
    struct pool pool = {0};
    struct error ignored = {0};
    const char **files;
    uint64_t key = 0;
    dl_iterate_phdr(add_program, &key);
    int count = key ? script_folder(folder, endings, &pool, &files, &ignored) : 0;
    key = random_mix(key ^ specs->hash);
    bool good = count > 0;
    for (int i = 0; i < count && good; i++) {
        const char *slash = strrchr(files[i], '/');
        key = random_hash(slash ? slash + 1 : files[i], key);
        good = script_hash_file(files[i], &key, &ignored) == 0;
    }
    pool_clear(&pool);
    return good ? key : 0;
}

/* ---- writing */

static bool write_case(const struct testcase *c, const struct spec_set *specs, FILE *file, XXH3_state_t *hash,
                       uint64_t *size)
{
    size_t name_size = strlen(c->name) + 1, strategy_size = strlen(c->strategy) + 1;
    struct entry entry = {.case_size = (uint32_t)testcase_encode(c, specs->specs, 0, NULL, 0),
                          .text_size = (uint32_t)aligned(name_size + strategy_size),
                          .name_size = (uint32_t)name_size};
    size_t all = sizeof entry + entry.case_size + entry.text_size;
    char *block = aligned_alloc(16, all);
    if (!block)
        return false;
    memset(block, 0, all);
    memcpy(block, &entry, sizeof entry);
    testcase_encode(c, specs->specs, 0, block + sizeof entry, entry.case_size);
    char *text = block + sizeof entry + entry.case_size;
    memcpy(text, c->name, name_size);
    memcpy(text + name_size, c->strategy, strategy_size);
    XXH3_64bits_update(hash, block, all);
    bool good = fwrite(block, all, 1, file) == 1;
    *size += all;
    free(block);
    return good;
}

static bool write_plan(const struct plan *plan, const struct spec_set *specs, struct head *head, FILE *file)
{
    XXH3_state_t *hash = XXH3_createState();
    bool good = hash && XXH3_64bits_reset(hash) == XXH_OK && fwrite(head, sizeof *head, 1, file) == 1;
    for (size_t i = 0; i < plan->count && good; i++)
        good = write_case(&plan->cases[i], specs, file, hash, &head->size);
    if (good)
        head->hash = XXH3_64bits_digest(hash);
    XXH3_freeState(hash);
    return good && fseek(file, 0, SEEK_SET) == 0 && fwrite(head, sizeof *head, 1, file) == 1;
}

int plan_keep(const struct plan *plan, const struct spec_set *specs, const char *folder, const char *path,
              struct error *error)
{
    struct head head = {.key = key_of(specs, folder), .count = plan->count};
    char other[4096]; /* who reads the old one goes on reading it */
    memcpy(head.what, what, sizeof what);
    if ((size_t)snprintf(other, sizeof other, "%s.new", path) >= sizeof other)
        return error_set(error, EXIT_HARNESS, "%s: too long a path", path);
    FILE *file = fopen(other, "wbe");
    bool good = file && write_plan(plan, specs, &head, file);
    if (file && fclose(file) != 0)
        good = false;
    if (good && rename(other, path) == 0)
        return 0;
    error_set(error, EXIT_HARNESS, "%s: cannot be written: %m", path);
    unlink(other);
    return EXIT_HARNESS;
}

/* ---- reading */

static bool read_case(struct planner *p, const char **at, const char *end)
{
    struct literal literals[OPDESC_MAX_FIELDS];
    struct entry entry;
    struct testcase c;
    uint64_t no_seed;
    if ((size_t)(end - *at) < sizeof entry)
        return false;
    memcpy(&entry, *at, sizeof entry);
    const char *body = *at + sizeof entry, *text = body + entry.case_size;
    if ((uint64_t)(end - body) < (uint64_t)entry.case_size + entry.text_size || entry.name_size >= entry.text_size ||
        !testcase_decode(body, entry.case_size, p->specs->specs, p->specs->count, &c, literals, &no_seed))
        return false;
    *at = text + entry.text_size;
    c.name = text;
    c.strategy = text + entry.name_size;
    p->op = (int)(c.spec - p->specs->specs);
    if (!planner_wants_operator(p) || !planner_wants_name(p, c.name) || !planner_wants_level(p, c.table))
        return true;
    if (c.literals)
        c.literals = pool_copy(&p->plan->pool, literals, (size_t)c.spec->field_count * sizeof *literals);
    p->plan->cases[p->plan->count++] = c;
    return true;
}

static bool map_file(struct plan *plan, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *map = fd >= 0 && fstat(fd, &status) == 0 && status.st_size > 0
                    ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0)
                    : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return false;
    plan->kept = map;
    plan->kept_size = (size_t)status.st_size;
    return true;
}

bool planner_kept(struct planner *p, const char *folder)
{
    struct plan *plan = p->plan;
    struct head head = {0};
    if (!p->filter->kept || !*p->filter->kept || p->filter->tier || !map_file(plan, p->filter->kept))
        return false;
    const char *at = (const char *)plan->kept + sizeof head, *end = (const char *)plan->kept + plan->kept_size;
    if (plan->kept_size >= sizeof head)
        memcpy(&head, plan->kept, sizeof head);
    bool good = memcmp(head.what, what, sizeof what) == 0 && head.size == plan->kept_size - sizeof head &&
                head.count <= head.size && head.key != 0 && head.key == key_of(p->specs, folder) &&
                head.hash == XXH3_64bits(at, head.size);
    plan->cases = good ? calloc(head.count + 1, sizeof *plan->cases) : NULL;
    plan->capacity = head.count;
    good = plan->cases != NULL;
    for (uint64_t i = 0; i < head.count && good; i++)
        good = read_case(p, &at, end);
    if (!good)
        plan_free(plan);
    return good;
}
