#include "harness/base/cachekey.h"

#include "harness/base/pool.h"
#include "harness/base/random.h"
#include "harness/base/script.h"

#include <string.h>

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
