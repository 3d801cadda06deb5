#include "harness/load/image.h"

#include "harness/base/cachekey.h"
#include "harness/base/outfile.h"
#include "harness/base/paths.h"
#include "harness/load/load_apart.h"
#include "harness/load/sound.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The head of the file. The memory of the set's pool follows, from byte DATA on. */
struct head {
    char magic[16];
    uint64_t key, hash; /* key: program and files of the folder; hash: the rest of the head, and the memory */
    uint64_t used;      /* bytes of memory */
    struct spec_set set;
};

enum { DATA = 1 << 16 /* a multiple of any page size */ };

static const char magic[16] = "assay specs\n";

static uint64_t image_key_of(const char *folder)
{
    static const char *const endings[] = {".lua", NULL};
    return cachekey_folder(cachekey_build, folder, endings);
}

static uint64_t image_hash_of(const struct head *head, const char *memory)
{
    struct head rest;
    memcpy(&rest, head, sizeof rest); /* the copy includes the gaps between members */
    rest.hash = 0;
    return XXH3_64bits_withSeed(memory, rest.used, XXH3_64bits(&rest, sizeof rest));
}

static bool write_all(const struct spec_set *set, FILE *file)
{
    static const char zeros[DATA];
    struct head head;
    memset(&head, 0, sizeof head); /* hash_of() reads the gaps between members, too */
    memcpy(head.magic, magic, sizeof magic);
    head.key = image_key_of(set->folder);
    head.used = set->pool.shared_used;
    memcpy(&head.set, set, sizeof head.set);
    head.set.pool = (struct pool){0};
    head.set.kept = 0;
    head.hash = image_hash_of(&head, set->pool.shared);
    return fwrite(&head, sizeof head, 1, file) == 1 && fwrite(zeros, sizeof zeros - sizeof head, 1, file) == 1 &&
           fwrite(set->pool.shared, head.used, 1, file) == 1;
}

int spec_image_write(const struct spec_set *set, const char *path, struct error *error)
{
    struct outfile file;
    if (!pool_can_be_kept(&set->pool))
        return error_set(error, EXIT_HARNESS, "%s: the specs lie at addresses that other processes cannot use", path);
    int result = outfile_open(&file, path, error); /* other processes may be reading the old file */
    errno = 0;
    return result == 0 ? outfile_end(&file, write_all(set, file.out), "", error) : result;
}

/* Corrects the paths of the specs if the folder has another path than when the file was written. Otherwise the pages of
 * all specs stay those of the file. */
static void move_to(struct spec_set *set, const char *folder)
{
    if (strcmp(set->folder, folder) == 0)
        return;
    set->folder = pool_string(&set->pool, folder);
    for (int i = 0; i < spec_set_size(set); i++) {
        const char *slash = strrchr(set->specs[i].file, '/');
        set->specs[i].file = pool_format(&set->pool, "%s/%s", folder, slash ? slash + 1 : set->specs[i].file);
    }
}

static bool image_read_head(int fd, struct head *head)
{
    return pread(fd, head, sizeof *head, 0) == sizeof *head && memcmp(head->magic, magic, sizeof magic) == 0;
}

/* Corrects the pointers of a set that does not lie where the writer's did. */
static void rebase(struct spec_set *set)
{
    struct pool pool = set->pool;
    pool_rebase(&pool, set, sizeof *set);
    pool_rebase(&pool, pool.shared, pool.shared_used);
    set->pool = pool;
}

/* Gives an empty set the contents of the file; paths and pointers are still those of the writer. */
static bool map_set(struct spec_set *set, int fd, const struct head *head)
{
    enum { ROOM = 1 << 20 }; /* room for the paths of the files */
    struct pool pool = {0};
    if (!pool_map(&pool, fd, DATA, head->used, ROOM))
        return false;
    *set = head->set;
    set->pool = pool;
    set->script = NULL;
    set->kept = 0;
    return true;
}

bool spec_image_take(struct spec_set *set, const char *folder, int file)
{
    struct head head;
    *set = (struct spec_set){0};
    if (!image_read_head(file, &head) || !map_set(set, file, &head))
        return false;
    rebase(set);
    move_to(set, folder);
    return true;
}

bool spec_image_read(struct spec_set *set, const char *folder, const char *path)
{
    struct head head;
    *set = (struct spec_set){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (!image_read_head(fd, &head) || head.key == 0 || head.key != image_key_of(folder) || !map_set(set, fd, &head)) {
        close(fd);
        return false;
    }
    set->kept = fd + 1;
    pool_populate(&set->pool); /* the check reads all pages */
    bool good = image_hash_of(&head, set->pool.shared) == head.hash;
    if (good)
        rebase(set);
    good = good && spec_set_is_sound(set) && pool_holds_text(&set->pool, set->folder);
    if (good)
        move_to(set, folder);
    else
        spec_set_free(set);
    return good;
}

static bool read_built(struct spec_set *set, const char *folder)
{
    char path[PATHS_SIZE];
    paths_built("compiled-specs", path);
    return *path && spec_image_read(set, folder, path);
}

int spec_set_open(struct spec_set *set, const char *folder, struct error *error)
{
    return read_built(set, folder) ? 0 : spec_set_load(set, folder, error);
}

int spec_set_open_apart(struct spec_set *set, const char *folder, struct error *error)
{
    return read_built(set, folder) ? 0 : spec_set_load_apart(set, folder, error);
}
