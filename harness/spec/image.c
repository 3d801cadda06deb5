#include "harness/spec/image.h"

#include "harness/base/cachekey.h"
#include "harness/base/outfile.h"
#include "harness/base/paths.h"
#include "harness/spec/load_apart.h"
#include "harness/spec/sound.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The file: this head, then from byte DATA on the memory of the set's pool. */
struct head {
    char magic[16];
    uint64_t key, hash; /* of the program and the files of the folder; of the rest of the head, and of the memory */
    uint64_t used;      /* bytes of memory */
    struct spec_set set;
};

enum { DATA = 1 << 16 /* a multiple of any page size */ };

static const char magic[16] = "assay specs\n";

static uint64_t key_of(const char *folder)
{
    static const char *const endings[] = {".lua", NULL};
    return cachekey_folder(cachekey_build, folder, endings);
}

static uint64_t hash_of(const struct head *head, const char *memory)
{
    struct head rest;
    memcpy(&rest, head, sizeof rest); /* with the gaps between members */
    rest.hash = 0;
    return XXH3_64bits_withSeed(memory, rest.used, XXH3_64bits(&rest, sizeof rest));
}

static bool write_all(const struct spec_set *set, FILE *file)
{
    static const char zeros[DATA];
    struct head head;
    memset(&head, 0, sizeof head); /* hash_of() reads the gaps between members, too */
    memcpy(head.magic, magic, sizeof magic);
    head.key = key_of(set->folder);
    head.used = set->pool.shared_used;
    memcpy(&head.set, set, sizeof head.set);
    head.set.pool = (struct pool){0};
    head.hash = hash_of(&head, set->pool.shared);
    return fwrite(&head, sizeof head, 1, file) == 1 && fwrite(zeros, sizeof zeros - sizeof head, 1, file) == 1 &&
           fwrite(set->pool.shared, head.used, 1, file) == 1;
}

int spec_image_write(const struct spec_set *set, const char *path, struct error *error)
{
    struct outfile file;
    if (!pool_can_be_kept(&set->pool))
        return error_set(error, EXIT_HARNESS, "%s: the specs lie where no other process could have them", path);
    int result = outfile_open(&file, path, error); /* other processes may be reading the old file */
    errno = 0;
    return result == 0 ? outfile_end(&file, write_all(set, file.out), "", error) : result;
}

/* The folder may have another path than when the file was written. */
static void move_to(struct spec_set *set, const char *folder)
{
    set->folder = pool_string(&set->pool, folder);
    for (int i = 0; i < spec_set_size(set); i++) {
        const char *slash = strrchr(set->specs[i].file, '/');
        set->specs[i].file = pool_format(&set->pool, "%s/%s", folder, slash ? slash + 1 : set->specs[i].file);
    }
}

bool spec_image_read(struct spec_set *set, const char *folder, const char *path)
{
    enum { ROOM = 1 << 20 }; /* for the paths of the files */
    struct head head;
    *set = (struct spec_set){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && read(fd, &head, sizeof head) == sizeof head &&
                memcmp(head.magic, magic, sizeof magic) == 0 && head.key != 0 && head.key == key_of(folder) &&
                pool_map(&set->pool, fd, DATA, head.used, ROOM);
    if (fd >= 0)
        close(fd);
    if (!good)
        return false;
    struct pool pool = set->pool;
    *set = head.set;
    set->pool = pool;
    set->script = NULL;
    good = hash_of(&head, pool.shared) == head.hash && spec_set_is_sound(set);
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
