/* Models of DxDispatch. */
#include "harness/exchange/dxmodel.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct spec_set specs;
    struct dxmodel model = {0};
    struct error error = {0};
    char path[64];
    if (!specs.count && spec_set_load(&specs, "specs", &error) != 0)
        abort();
    int memory = memfd_create("model.json", 0);
    if (memory < 0 || write(memory, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    dxmodel_load(&model, path, &specs, &error);
    dxmodel_free(&model);
    close(memory);
    return 0;
}
