#include "harness/base/cachekey.h"

#include "harness/base/pool.h"
#include "harness/base/random.h"
#include "harness/base/script.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <xxhash.h>

/* Adds the linker's build id of the program, if it has one, to the key in `context`. */
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
    return 1; /* stop: the program is the first object */
}

uint64_t cachekey_program(void)
{
    uint64_t key = 0;
    dl_iterate_phdr(add_program, &key);
    return key;
}

uint64_t cachekey_folder(uint64_t key, const char *folder, const char *const endings[])
{
    struct pool pool = {0};
    struct error ignored = {0};
    const char **files;
    int count = key ? script_folder(folder, endings, &pool, &files, &ignored) : 0;
    bool good = count > 0;
    for (int i = 0; i < count && good; i++) {
        const char *slash = strrchr(files[i], '/');
        key = random_hash(slash ? slash + 1 : files[i], key);
        good = script_hash_file(files[i], &key, &ignored) == 0;
    }
    pool_clear(&pool);
    return good ? key : 0;
}
