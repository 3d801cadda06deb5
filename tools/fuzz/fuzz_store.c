/* Results databases, opened for writing: by a run and by a search. */
#include "harness/results/fuzz_store.h"
#include "harness/results/store.h"
#include "tools/fuzz/folder.h"
#include "tools/fuzz/target.h"

#include <stdlib.h>
#include <unistd.h>

static struct spec_set specs;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    struct error error = {0};
    (void)count, (void)arguments;
    folder_make();
    return spec_set_load(&specs, "specs", &error);
}

static void search(const char *path)
{
    struct error error = {0};
    const struct fuzz_search_config config = {.specs = &specs, .device = "reference", .shards = 1};
    struct fuzz_past past;
    struct fuzz_finding finding;
    if (fuzz_store_load(path, &config, &past, &error) != 0 && !*error.text)
        abort();
    fuzz_store_free(&past);
    fuzz_store_find(path, &specs, 1, &finding, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const beside[] = {"results.db-wal", "results.db-shm", "results.db-journal"};
    struct store *store = NULL;
    struct error error = {0};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        unlink(folder_path(beside[i]));
    const char *path = folder_write("results.db", data, size);
    if (store_open(path, &store, &error) == 0)
        store_close(store, &error);
    else if (!*error.text)
        abort(); /* an error must say why */
    search(path);
    return 0;
}
