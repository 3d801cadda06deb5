/* Configuration files. */
#include "harness/cli/config.h"
#include "tools/fuzz/folder.h"
#include "tools/fuzz/target.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    folder_make();
    setenv("XDG_CONFIG_HOME", folder_path(""), 1);
    return mkdir(folder_path("assay"), 0700);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct option_settings settings;
    struct error error = {0};
    folder_write("assay/config", data, size);
    if (config_load(size & 1 ? "ci" : NULL, &settings, &error) != 0 && !*error.text)
        abort(); /* an error must say why */
    for (size_t i = 0; i < settings.count; i++)
        if (!*settings.items[i].name || !settings.items[i].value || !settings.items[i].line)
            abort();
    pool_clear(&settings.pool);
    return 0;
}
