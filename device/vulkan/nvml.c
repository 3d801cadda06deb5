#include "device/vulkan/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Constants of the library's interface, which has no header in Debian: numbers of clocks. Functions return 0 for
 * success. */
enum { CLOCK_SM = 1, CLOCK_MEMORY = 2, UUID_SIZE = 41 };

typedef int no_argument(void);
typedef int get_gpu(const char *uuid, void **gpu);
typedef int get_clock(void *gpu, int clock, unsigned *mhz);
typedef int get_number(void *gpu, unsigned *number);

/* Sets a pointer to a function of the library; to null if the library has no function of that name. */
static void find_function(const struct nvml *nvml, const char *name, void *function)
{
    void *symbol = dlsym(nvml->library, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* Writes the UUID of a GPU: both libraries know it by the same 16 bytes. */
static void write_uuid(const uint8_t bytes[VK_UUID_SIZE], char out[UUID_SIZE])
{
    size_t at = (size_t)snprintf(out, UUID_SIZE, "GPU");
    for (uint32_t i = 0; i < VK_UUID_SIZE; i++)
        at += (size_t)snprintf(out + at, UUID_SIZE - at, i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-%02x" : "%02x",
                               bytes[i]);
}

static void open_library(struct nvml *nvml, const struct vk *vk)
{
    no_argument *start;
    get_gpu *gpu_of;
    char uuid[UUID_SIZE];
    nvml->asked = 1;
    if (vk->driver.driverID != VK_DRIVER_ID_NVIDIA_PROPRIETARY)
        return;
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        return;
    find_function(nvml, "nvmlInit_v2", &start);
    find_function(nvml, "nvmlDeviceGetHandleByUUID", &gpu_of);
    write_uuid(vk->uuid, uuid);
    if (!start || start()) {
        dlclose(nvml->library);
        nvml->library = NULL;
    } else if (!gpu_of || gpu_of(uuid, &nvml->gpu)) {
        nvml->gpu = NULL;
    }
}

/* Adds a number to the text: the answer of a function. */
static void add_number(const struct nvml *nvml, const char *name, const char *format, unsigned divisor, char *out,
                       size_t size)
{
    get_number *get;
    unsigned number;
    size_t at = strlen(out);
    find_function(nvml, name, &get);
    if (get && !get(nvml->gpu, &number))
        snprintf(out + at, size - at, format, at ? ", " : "", number / divisor);
}

static void add_clock(const struct nvml *nvml, int clock, const char *format, char *out, size_t size)
{
    get_clock *get;
    unsigned number;
    size_t at = strlen(out);
    find_function(nvml, "nvmlDeviceGetClockInfo", &get);
    if (get && !get(nvml->gpu, clock, &number))
        snprintf(out + at, size - at, format, at ? ", " : "", number);
}

void nvml_describe(struct nvml *nvml, const struct vk *vk, char *out, size_t size)
{
    *out = 0;
    if (!nvml->asked)
        open_library(nvml, vk);
    if (!nvml->gpu)
        return;
    add_clock(nvml, CLOCK_SM, "%s%u MHz", out, size);
    add_clock(nvml, CLOCK_MEMORY, "%smemory %u MHz", out, size);
    add_number(nvml, "nvmlDeviceGetPowerUsage", "%s%u W", 1000, out, size);
    add_number(nvml, "nvmlDeviceGetPerformanceState", "%sP%u", 1, out, size);
}

void nvml_close(struct nvml *nvml)
{
    no_argument *end;
    if (!nvml->library)
        return;
    find_function(nvml, "nvmlShutdown", &end);
    if (end)
        end();
    dlclose(nvml->library);
    *nvml = (struct nvml){0};
}
